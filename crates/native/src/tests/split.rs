//! Split messages: whatever the number of threads and the form, the bytes are those of one thread.

use crc32fast::hash as crc32;

use super::*;
use crate::arena::Arena;

/// On a machine with CPUs enough for all that is asked here.
fn crowded(name: &str) -> Worker {
    Worker::new(name, Planted::default()).unwrap().with_cpus(8)
}

fn splits(worker: &mut Worker) -> Vec<Prepare> {
    ways(worker).into_iter().filter(|way| way.form.is_split() && has_digest(way)).collect()
}

fn message(bytes: u64) -> Vec<u8> {
    let mut text = vec![0; usize::try_from(bytes).unwrap()];
    let period = period("message", 42, text.len());
    fill(&mut text, &period);
    text
}

fn peek(worker: &mut Worker, at: u64, bytes: u64) -> Reply {
    worker.answer(Request::Peek { cell: 1, at, bytes })
}

fn verify(worker: &mut Worker, first: u64, iteration: u64) -> Reply {
    worker.answer(Request::Verify { cell: 1, first, iteration })
}

#[test]
fn outputs_do_not_depend_on_how_a_message_is_split() {
    for name in PROVIDERS {
        let worker = &mut crowded(name);
        for way in splits(worker) {
            let few = [0, 1, 65, 4096, (3 << 20) + 5];
            let all = LENGTHS.into_iter().chain([(1 << 20) + 1, (3 << 20) + 5]);
            // Files take longer, and a few lengths have all of their borders.
            for bytes in all.filter(|bytes| !way.form.is_of_files() || few.contains(bytes)) {
                let digests = [1, 2, 3, 7].into_iter().map(|threads| {
                    ready(worker, &Prepare { threads, message: bytes, offset: 64 * threads, ..way.clone() }).unwrap();
                    assert_eq!(sample(worker, 0, 3), (1, 3));
                    let (left, anew) = (digest(worker, 1, 3), digest(worker, 4, 4));
                    assert_eq!(digest(worker, 1, 3), left, "{way:?}, {bytes} bytes, {threads} threads");
                    release(worker);
                    (left, anew)
                });
                let digests: Vec<_> = digests.collect();
                assert!(digests.windows(2).all(|pair| pair[0] == pair[1]), "{way:?}, {bytes} bytes");
                if way.algorithm == Algorithm::Aes256Ctr {
                    let form = if way.form.is_of_files() { Form::Into } else { Form::InPlace };
                    ready(worker, &Prepare { form, message: bytes, ..way.clone() }).unwrap();
                    assert_eq!((digest(worker, 1, 3), digest(worker, 4, 4)), digests[0], "{way:?}, {bytes} bytes");
                    release(worker);
                }
            }
        }
    }
}

/// On a machine with several memory nodes, each sample may have its pages placed anew.
#[test]
fn cells_side_by_side_have_the_outputs_of_each_alone() {
    let bytes = (3 << 20) + 5;
    let aes = |form, threads| Prepare {
        threads,
        message: bytes,
        ..prepare("rustcrypto", Algorithm::Aes256Ctr, Operation::Encrypt, form)
    };
    let cells = [aes(Form::Static, 1), aes(Form::Static, 3), aes(Form::Dynamic, 2), aes(Form::InPlace, 1)];
    let mut worker = crowded("rustcrypto");
    worker.workspace.arena = Arena::with_nodes(true);
    for (cell, way) in (1..).zip(&cells) {
        ready(&mut worker, &Prepare { cell, ..way.clone() }).unwrap();
    }
    ready(&mut worker, &Prepare { cell: 9, message: 2 * bytes, ..cells[1].clone() }).unwrap();
    let mut outputs = std::collections::BTreeSet::new();
    for cell in [1, 2, 3, 4, 2, 1, 4, 3, 9, 1, 2] {
        let Reply::Sample { last, .. } =
            worker.answer(Request::Sample { cell, warmup_ns: 0, iterations: 1, layout: None })
        else {
            panic!("{cell}")
        };
        let left = worker.answer(Request::Digest { cell, first: last, iteration: last });
        let anew = worker.answer(Request::Digest { cell, first: 7, iteration: 7 });
        let again = worker.answer(Request::Digest { cell, first: last, iteration: last });
        assert_eq!(left, again, "cell {cell}");
        if let (Reply::Digest { sha256, .. }, true) = (anew, cell != 9) {
            outputs.insert(sha256);
        }
    }
    assert_eq!(outputs.len(), 1);
}

#[test]
fn counters_carry_wherever_a_message_is_split() {
    let input = hex::encode(message(1000));
    let key = hex::encode(period("key", 1, 32));
    for name in PROVIDERS {
        let worker = &mut crowded(name);
        for way in splits(worker).iter().filter(|way| way.algorithm == Algorithm::Aes256Ctr) {
            for bytes in [4, 8, 12, 16] {
                for before in if way.form.is_of_files() { &[31][..] } else { &[0, 1, 7, 31, 62] } {
                    // The lowest `bytes` bytes overflow after `before` blocks.
                    let low = u128::MAX >> (128 - 8 * bytes);
                    let nonce =
                        hex::encode((0x0123_4567_89ab_cdef_u128 << 64 | low).wrapping_sub(*before).to_be_bytes());
                    let vector = [&key[..], &nonce, "", &input];
                    let whole = check(worker, &Prepare { form: Form::InPlace, ..way.clone() }, vector);
                    assert!(matches!(whole, Reply::Output(_)), "{whole:?}");
                    assert_eq!(check(worker, way, vector), whole, "{way:?}, {nonce}");
                    let back = Prepare { operation: Operation::Decrypt, ..way.clone() };
                    assert_eq!(check(worker, &back, vector), whole, "{way:?}, {nonce}");
                }
            }
        }
    }
}

#[test]
fn what_is_left_decrypts_to_the_message_and_can_be_looked_at() {
    for name in PROVIDERS {
        let worker = &mut crowded(name);
        for way in splits(worker) {
            let bytes = (1 << 20) + 77;
            ready(worker, &Prepare { threads: 3, message: bytes, ..way.clone() }).unwrap();
            assert!(matches!(peek(worker, 0, 16), Reply::Error(_)), "nothing was sampled");
            let (first, last) = sample(worker, 0, 2);
            let whole = |worker: &mut Worker| {
                let parts = (0..bytes).step_by(16_384).map(|at| match peek(worker, at, (bytes - at).min(16_384)) {
                    Reply::Bytes { bytes, .. } => bytes,
                    other => panic!("{other:?}"),
                });
                parts.collect::<Vec<_>>().concat()
            };
            assert_eq!(digest(worker, first, last), <[u8; 32]>::from(Sha256::digest(whole(worker))), "{way:?}");
            assert!(matches!(peek(worker, bytes, 1), Reply::Error(_)), "beyond the message");
            assert!(matches!(peek(worker, 1 << 40, 16), Reply::Error(_)), "far beyond it");
            assert!(matches!(verify(worker, first, last + 1), Reply::Error(_)), "there was no such sample");
            sample(worker, 0, 2);
            let verified = verify(worker, last + 1, last + 2);
            assert_eq!(verified, Reply::Verified { cell: 1, crc32: crc32(&message(bytes)) }, "{way:?}");
            assert!(matches!(verify(worker, last + 1, last + 2), Reply::Error(_)), "it is decrypted now");
            assert!(matches!(peek(worker, 0, 16), Reply::Error(_)));
            release(worker);
        }
    }
}

#[test]
fn keys_of_xor_have_any_length_but_none() {
    let mut worker = crowded("ceiling");
    let way = prepare("ceiling", Algorithm::Xor, Operation::Encrypt, Form::Static);
    for key in [1, 7, 32, 33, 4095, 70_000] {
        ready(&mut worker, &Prepare { key, message: 200_001, threads: 3, ..way.clone() }).unwrap();
        let mut repeated = vec![0; usize::try_from(key).unwrap()];
        let bytes = period("key", 42, repeated.len());
        fill(&mut repeated, &bytes);
        let text = message(200_001);
        let naive: Vec<u8> = text.iter().zip(repeated.iter().cycle()).map(|(byte, key)| byte ^ key).collect();
        assert_eq!(digest(&mut worker, 1, 1), <[u8; 32]>::from(Sha256::digest(&naive)), "a key of {key} bytes");
        release(&mut worker);
    }
    let vector = |key| check_key(&way, key);
    assert_eq!(worker.answer(Request::Check(vector(vec![1, 2, 3]))), Reply::Output(vec![1, 2, 3, 1, 2]));
    assert_eq!(worker.answer(Request::Check(vector(Vec::new()))), Reply::Unsupported("key of 0 bytes".into()));
}

fn check_key(way: &Prepare, key: Vec<u8>) -> CheckInput {
    CheckInput {
        provider: way.provider.clone(),
        algorithm: way.algorithm,
        operation: way.operation,
        form: Some(way.form),
        key,
        nonce: Vec::new(),
        aad: Vec::new(),
        input: vec![0; 5],
        threads: Some(3),
    }
}

#[test]
fn what_cannot_be_split_is_refused_with_the_reason() {
    let mut worker = crowded("ceiling");
    let way = prepare("ceiling", Algorithm::Memcpy, Operation::Encrypt, Form::Static);
    let mut why = |way: Prepare| ready(&mut worker, &way).unwrap_err();
    assert_eq!(why(Prepare { threads: 9, ..way.clone() }), "9 threads; CPUs that this process may use: 8");
    assert_eq!(why(Prepare { operation: Operation::Decrypt, ..way.clone() }), "decrypt has no form static");
    let large = why(Prepare { message: 1 << 40, ..way.clone() });
    assert!(large.starts_with("needs 2097152 MiB, more than nine tenths of the "), "{large}");
    assert_eq!(why(Prepare { form: Form::Device, ..way.clone() }), "the library has no form device for memcpy");
    ready(&mut worker, &way).unwrap();
    sample(&mut worker, 0, 1);
    for request in [
        Request::Verify { cell: 1, first: 1, iteration: 1 },
        Request::Peek { cell: 1, at: 0, bytes: 1 },
        Request::Latency { cell: 1, warmup_ns: 0, count: 1 },
    ] {
        assert!(matches!(worker.answer(request.clone()), Reply::Unsupported(_)), "{request:?}");
    }
}

#[test]
fn other_cells_of_the_worker_do_not_pass_for_what_a_sample_left() {
    let mut worker = crowded("rustcrypto");
    let way =
        Prepare { message: 4096, ..prepare("rustcrypto", Algorithm::Aes256Ctr, Operation::Encrypt, Form::Static) };
    ready(&mut worker, &way).unwrap();
    ready(&mut worker, &Prepare { cell: 2, form: Form::InPlace, ..way }).unwrap();
    let (first, last) = sample(&mut worker, 0, 1);
    worker.answer(Request::Sample { cell: 2, warmup_ns: 0, iterations: 1, layout: None });
    assert!(matches!(verify(&mut worker, first, last), Reply::Error(_)));
    assert!(matches!(peek(&mut worker, 0, 1), Reply::Error(_)));
}
