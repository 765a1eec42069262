//! All providers compared with each other and with published vectors, through the worker's own requests.

use ciphermeter_core::{Algorithm, Form, Metric, Operation, Rotation};
use ciphermeter_protocol::seed::{fill, period};
use ciphermeter_protocol::{CheckInput, Prepare, Reply, Request, Serve};
use sha2::{Digest, Sha256};

use crate::planted::Planted;
use crate::providers::{PROVIDERS, operations};
use crate::worker::Worker;

mod failures;
mod rotations;
mod split;
mod threads;

const LENGTHS: [u64; 12] = [0, 1, 15, 16, 17, 63, 64, 65, 255, 4095, 4096, 65_537];

fn workers() -> Vec<Worker> {
    PROVIDERS.iter().map(|name| Worker::new(name, Planted::default()).unwrap()).collect()
}

fn prepare(provider: &str, algorithm: Algorithm, operation: Operation, form: Form) -> Prepare {
    Prepare {
        cell: 1,
        provider: provider.into(),
        algorithm,
        operation,
        form,
        message: 64,
        aad: 13,
        threads: 1,
        seed: 42,
        offset: 0,
        key: 32,
        instances: 1,
        rotation: Rotation::NONE,
    }
}

/// All combinations that a worker offers.
fn ways(worker: &mut Worker) -> Vec<Prepare> {
    let described = worker.describe();
    let offers = described.offers.iter();
    let ways = offers.flat_map(|offer| {
        let pairs =
            offer.operations.iter().flat_map(|operation| offer.forms.iter().map(move |form| (*operation, *form)));
        let pairs = pairs.filter(|(operation, form)| form.is_of(*operation));
        pairs.map(|(operation, form)| prepare(&offer.provider, offer.algorithm, operation, form))
    });
    ways.collect()
}

fn digest(worker: &mut Worker, first: u64, iteration: u64) -> [u8; 32] {
    match worker.answer(Request::Digest { cell: 1, first, iteration }) {
        Reply::Digest { sha256, .. } => sha256,
        other => panic!("{other:?}"),
    }
}

fn sample(worker: &mut Worker, warmup_ns: u64, iterations: u64) -> (u64, u64) {
    match worker.answer(Request::Sample { cell: 1, warmup_ns, iterations, layout: None }) {
        Reply::Sample { first, last, counted, .. } => {
            assert!(counted.count(Metric::NS) > Some(0) && counted.count(Metric::CPU_NS).is_some());
            (first, last)
        }
        other => panic!("{other:?}"),
    }
}

fn ready(worker: &mut Worker, prepare: &Prepare) -> Result<(), String> {
    match worker.answer(Request::Prepare(prepare.clone())) {
        Reply::Ready { .. } => Ok(()),
        Reply::Unsupported(why) => Err(why),
        other => panic!("{prepare:?}: {other:?}"),
    }
}

fn release(worker: &mut Worker) {
    assert_eq!(worker.answer(Request::Release { cell: 1 }), Reply::Released { cell: 1 });
}

fn has_digest(way: &Prepare) -> bool {
    way.operation != Operation::KeySetup && crate::providers::has_output(way.algorithm)
}

#[test]
fn outputs_agree_between_providers_and_with_the_timed_calls() {
    let mut known = std::collections::BTreeMap::new();
    for worker in &mut workers() {
        for way in ways(worker).iter().filter(|way| has_digest(way) && !way.form.is_of_files()) {
            for message in LENGTHS.into_iter().filter_map(|length| way.algorithm.nearest(length)) {
                let way = Prepare { message, offset: 64 * (message % 7), ..way.clone() };
                if let Err(why) = ready(worker, &way) {
                    assert!(message == 0 && way.algorithm == Algorithm::Aes256Siv, "{way:?}: {why}");
                    continue;
                }
                let (first, last) = sample(worker, 0, 3);
                assert_eq!((first, last), (1, 3));
                let left = digest(worker, first, last);
                // Another request in between, so that it must be recomputed.
                let single = digest(worker, 2, 2);
                assert_eq!(digest(worker, first, last), left, "{way:?}");
                let in_place = way.form == Form::InPlace || (way.form.is_split() && !way.form.is_of_files());
                let chain = in_place && !way.operation.consumes_sealed();
                let what = (way.algorithm, way.operation.consumes_sealed(), chain, message);
                assert_eq!(*known.entry(what).or_insert((left, single)), (left, single), "{way:?}");
                if way.operation.consumes_sealed() {
                    let length = usize::try_from(message).unwrap();
                    let mut text = vec![0; length];
                    fill(&mut text, &period("message", 42, length));
                    assert_eq!(left, <[u8; 32]>::from(Sha256::digest(text)), "{way:?}");
                }
                release(worker);
            }
        }
    }
}

#[test]
fn iterations_continue_and_the_last_samples_output_is_hashed_in_place() {
    for worker in &mut workers() {
        for way in ways(worker).into_iter().filter(|way| !way.form.is_split()) {
            ready(worker, &way).unwrap();
            let (first, last) = sample(worker, 50_000, 4);
            assert!(first == 1 && last > 4, "{way:?}");
            assert_eq!(sample(worker, 0, 2), (last + 1, last + 2));
            let Reply::Latency { ns, .. } = worker.answer(Request::Latency { cell: 1, warmup_ns: 0, count: 5 }) else {
                panic!()
            };
            assert_eq!(ns.len(), 5);
            assert_eq!(sample(worker, 0, 1), (last + 8, last + 8));
            let digested = worker.answer(Request::Digest { cell: 1, first: last + 8, iteration: last + 8 });
            assert_eq!(matches!(digested, Reply::Digest { .. }), has_digest(&way), "{way:?}");
            assert_eq!(sample(worker, 0, 1), (last + 9, last + 9), "a digest moved the counter");
            release(worker);
        }
    }
}

fn check(worker: &mut Worker, way: &Prepare, [key, nonce, aad, input]: [&str; 4]) -> Reply {
    let [key, nonce, aad, input] = [key, nonce, aad, input].map(|text| hex::decode(text).unwrap());
    let (provider, form) = (way.provider.clone(), Some(way.form));
    let check = CheckInput {
        provider,
        algorithm: way.algorithm,
        operation: way.operation,
        form,
        key,
        nonce,
        aad,
        input,
        threads: None,
    };
    worker.answer(Request::Check(check))
}

/// Key, nonce, aad, plaintext, sealed text.
fn published(algorithm: Algorithm) -> Option<[&'static str; 5]> {
    const SUNSCREEN: &str = "4c616469657320616e642047656e746c656d656e206f662074686520636c617373206f66202739393a204966204920636f756c64206f6666657220796f75206f6e6c79206f6e652074697020666f7220746865206675747572652c2073756e73637265656e20776f756c642062652069742e";
    const KEY: &str = "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f";
    const AAD: &str = "50515253c0c1c2c3c4c5c6c7";
    const SP800: &str = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4";
    const BLOCK: &str = "6bc1bee22e409f96e93d7e117393172a";
    Some(match algorithm {
        // GCM specification, test cases 2 and 14.
        Algorithm::Aes128Gcm => [
            "00000000000000000000000000000000",
            "000000000000000000000000",
            "",
            "00000000000000000000000000000000",
            "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf",
        ],
        Algorithm::Aes256Gcm => [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "000000000000000000000000",
            "",
            "00000000000000000000000000000000",
            "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919",
        ],
        // RFC 8452, C.2.
        Algorithm::Aes256GcmSiv => [
            "0100000000000000000000000000000000000000000000000000000000000000",
            "030000000000000000000000",
            "",
            "0100000000000000",
            "c2ef328e5c71c83b843122130f7364b761e0b97427e3df28",
        ],
        // RFC 8439, 2.8.2; draft-irtf-cfrg-xchacha, A.3.1.
        Algorithm::ChaCha20Poly1305 => [
            KEY,
            "070000004041424344454647",
            AAD,
            SUNSCREEN,
            "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc3ff4def08e4b7a9de576d26586cec64b61161ae10b594f09e26a7e902ecbd0600691",
        ],
        Algorithm::XChaCha20Poly1305 => [
            KEY,
            "404142434445464748494a4b4c4d4e4f5051525354555657",
            AAD,
            SUNSCREEN,
            "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff921f9664c97637da9768812f615c68b13b52ec0875924c1c7987947deafd8780acf49",
        ],
        // The first known answer of SP 800-232's authors (ascon-c), of an empty message.
        Algorithm::AsconAead128 => [
            "000102030405060708090a0b0c0d0e0f", "101112131415161718191a1b1c1d1e1f", "", "",
            "4f9c278211bec9316bf68f46ee8b2ec6",
        ],
        // SP 800-38A, F.5.5 and F.2.5 (there without padding: the first block).
        Algorithm::Aes256Ctr => {
            [SP800, "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", "", BLOCK, "601ec313775789a5b7a7f504bbf3d228"]
        }
        Algorithm::Aes256Cbc => {
            [SP800, "000102030405060708090a0b0c0d0e0f", "", BLOCK, "f58c4c04d6e5f1ba779eabfb5f7bfbd6"]
        }
        // RFC 8439, A.1, test vector 1.
        Algorithm::ChaCha20 => [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "000000000000000000000000",
            "",
            "00000000000000000000000000000000",
            "76b8e0ada0f13d90405d6ae55386bd28",
        ],
        _ => return None,
    })
}

#[test]
fn published_vectors_match_and_forged_ones_are_rejected() {
    for worker in &mut workers() {
        for way in ways(worker).iter().filter(|way| has_digest(way)) {
            let Some([key, nonce, aad, plain, sealed]) = published(way.algorithm) else { continue };
            if way.operation.consumes_sealed() && way.algorithm != Algorithm::Aes256Cbc {
                let opened = check(worker, way, [key, nonce, aad, sealed]);
                assert_eq!(opened, Reply::Output(hex::decode(plain).unwrap()), "{way:?}");
            }
            if !way.operation.consumes_sealed() {
                let Reply::Output(output) = check(worker, way, [key, nonce, aad, plain]) else { panic!("{way:?}") };
                assert!(hex::encode(output).starts_with(sealed), "{way:?}");
            }
            if way.operation == Operation::Open {
                let forged =
                    format!("{}{}", &sealed[..sealed.len() - 1], if sealed.ends_with('0') { "1" } else { "0" });
                for wrong in [&forged, &sealed[2..], "00", ""] {
                    assert_eq!(check(worker, way, [key, nonce, aad, wrong]), Reply::Rejected, "{way:?} {wrong}");
                }
                assert_eq!(check(worker, way, [key, nonce, "ff", sealed]), Reply::Rejected, "{way:?}");
            }
            if way.operation == Operation::Decrypt && way.algorithm == Algorithm::Aes256Cbc {
                // One byte short of a block, no block at all, and a block whose padding is wrong.
                for wrong in [&sealed[2..], "", sealed] {
                    assert_eq!(check(worker, way, [key, nonce, aad, wrong]), Reply::Rejected, "{way:?} {wrong}");
                }
            }
            let wrong_size = check(worker, way, [key, "0011223344556677", aad, plain]);
            assert_eq!(wrong_size, Reply::Unsupported("nonce of 8 bytes".into()), "{way:?}");
            let wrong_size = check(worker, way, ["00112233", nonce, aad, plain]);
            assert_eq!(wrong_size, Reply::Unsupported("key of 4 bytes".into()), "{way:?}");
        }
    }
}

/// RFC 5297 has no vector with a 64-byte key; providers must agree, with components as PROTOCOL.md defines them.
#[test]
fn siv_takes_a_nonce_as_a_second_component() {
    let key = hex::encode(period("key", 1, 64));
    let mut outputs = Vec::new();
    for worker in &mut workers() {
        let siv = |way: &Prepare| way.algorithm == Algorithm::Aes256Siv && way.operation == Operation::Seal;
        for way in ways(worker).into_iter().filter(siv) {
            for nonce in ["", "00", "000102030405060708090a0b0c0d0e0f"] {
                let Reply::Output(output) = check(worker, &way, [&key, nonce, "aabb", "112233"]) else {
                    panic!("{way:?}")
                };
                outputs.push((nonce, output.clone()));
                let open = Prepare { operation: Operation::Open, ..way.clone() };
                let opened = check(worker, &open, [&key, nonce, "aabb", &hex::encode(output)]);
                assert_eq!(opened, Reply::Output(vec![0x11, 0x22, 0x33]), "{way:?}");
            }
        }
    }
    outputs.sort();
    outputs.dedup();
    assert_eq!(outputs.len(), 3);
}

#[test]
fn xor_is_the_message_and_the_repeated_key() {
    let mut worker = Worker::new("ceiling", Planted::default()).unwrap();
    let way = Prepare { message: 100, ..prepare("ceiling", Algorithm::Xor, Operation::Encrypt, Form::Into) };
    ready(&mut worker, &way).unwrap();
    let (mut text, key) = (vec![0; 100], period("key", 42, 32));
    fill(&mut text, &period("message", 42, 100));
    let naive: Vec<u8> = text.iter().enumerate().map(|(i, byte)| byte ^ key[i % 32]).collect();
    assert_eq!(digest(&mut worker, 5, 5), <[u8; 32]>::from(Sha256::digest(naive)));
}

#[test]
fn ceilings_run_at_all_sizes_and_have_no_digest() {
    let mut worker = Worker::new("ceiling", Planted::default()).unwrap();
    let ceiling = |way: &Prepare| !crate::providers::has_output(way.algorithm);
    for way in ways(&mut worker).into_iter().filter(ceiling) {
        for message in LENGTHS {
            ready(&mut worker, &Prepare { message, ..way.clone() }).unwrap();
            sample(&mut worker, 0, 2);
            let digested = worker.answer(Request::Digest { cell: 1, first: 2, iteration: 2 });
            assert!(matches!(digested, Reply::Unsupported(_)), "{way:?}");
            release(&mut worker);
        }
        assert!(!worker.describe().offers.is_empty());
        assert!(matches!(check(&mut worker, &way, [""; 4]), Reply::Unsupported(_)));
    }
}

#[test]
fn unsupported_request_gives_a_reason() {
    let mut worker = Worker::new("ring", Planted::default()).unwrap();
    let way = prepare("ring", Algorithm::Aes256Gcm, Operation::Seal, Form::InPlace);
    let mut why = |way: Prepare| match worker.answer(Request::Prepare(way)) {
        Reply::Unsupported(why) => why,
        other => panic!("{other:?}"),
    };
    assert_eq!(why(Prepare { form: Form::Into, ..way.clone() }), "the library has no form into for aes-256-gcm");
    assert_eq!(why(Prepare { algorithm: Algorithm::Aes256Siv, ..way.clone() }), "ring has no aes-256-siv");
    assert_eq!(why(Prepare { provider: "go".into(), ..way.clone() }), "this worker serves ring, not go");
    assert_eq!(why(Prepare { operation: Operation::Encrypt, ..way.clone() }), "aes-256-gcm has no encrypt here");
    let error = worker.answer(Request::Sample { cell: 9, warmup_ns: 0, iterations: 1, layout: None });
    assert_eq!(error, Reply::Error("cell 9 is not prepared; send prepare first".into()));
    let unknown = Worker::new("rot13", Planted::default()).map(|_| ()).unwrap_err().to_string();
    assert!(unknown.ends_with(&format!("no provider `rot13`; it has {}", PROVIDERS.join(", "))));
}

#[test]
fn the_registry_is_well_formed() {
    for (name, open) in crate::providers::REGISTRY {
        let Ok(provider) = open() else { continue };
        for offered in provider.offers() {
            assert!(
                offered.forms.len() + offered.split_forms().count() > 0 && operations(&offered).count() > 0,
                "{name} {offered:?}"
            );
            assert!(!offered.version.contains("unknown"), "{name} {offered:?}");
        }
    }
}
