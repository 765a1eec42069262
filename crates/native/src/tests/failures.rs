//! Libraries that fail or panic: the worker reports it and survives, and no thread waits for another that is gone.

use ciphermeter_core::Setup;

use super::*;
use crate::providers::{LoopParameters, Offered, Provider, Unsupported};
use crate::timed_loop::{Failed, TimedLoop, writing_loop};

/// Its loops panic, or fail, in the thread with that key; others succeed and do nothing.
struct Fails;
impl Provider for Fails {
    fn offers(&self) -> Vec<Offered> {
        let offer =
            |algorithm, forms| Offered { algorithm, version: "1".into(), forms, path: "soft", setup: Setup::Outside };
        vec![offer(Algorithm::Aes256Gcm, &[Form::Into]), offer(Algorithm::Aes256Ctr, &[Form::InPlace])]
    }
    fn timed_loop(&self, parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
        let (panics, fails) = (period("key 1", PANICS, 32), period("key 1", FAILS, 32));
        let (panics, fails) = (parameters.key == panics, parameters.key == fails);
        if ["key", "key 2"].iter().any(|label| parameters.key == period(label, UNFIT, 32)) {
            return Err(Unsupported("out of keys".into()));
        }
        assert!(parameters.key != [0; 32], "out of luck");
        let mut calls = 0;
        Ok(writing_loop(move |call| {
            calls += 1;
            assert!(!panics || calls < 20, "out of luck");
            if fails && calls >= 20 { Err(Failed::Rejected) } else { Ok(call.text.len()) }
        }))
    }
}

/// Seeds whose cells fail.
const PANICS: u64 = 1;
const FAILS: u64 = 2;
const UNFIT: u64 = 3;

fn worker() -> Worker {
    Worker::with_provider("fails", || Ok(Box::new(Fails)), Planted::default()).with_cpus(3)
}

fn prepared(worker: &mut Worker, seed: u64) -> Reply {
    let way = prepare("fails", Algorithm::Aes256Gcm, Operation::Seal, Form::Into);
    worker.answer(Request::Prepare(Prepare { threads: 3, seed, ..way }))
}

#[test]
fn panic_in_a_library_is_an_error_and_the_worker_survives() {
    let mut worker = worker();
    let check = CheckInput {
        provider: "fails".into(),
        algorithm: Algorithm::Aes256Gcm,
        operation: Operation::Seal,
        form: None,
        key: vec![0; 32],
        nonce: vec![0; 12],
        aad: Vec::new(),
        input: Vec::new(),
        threads: None,
    };
    let reply = worker.answer(Request::Check(check));
    assert_eq!(reply, Reply::Error("fails panicked: out of luck; release the cell".into()));
    assert!(matches!(worker.answer(Request::Memory { reset: false }), Reply::Memory(_)));
}

/// In the warm-up, in the timed calls, or in a recomputed digest: the other threads do not wait for it.
#[test]
fn failed_or_panicked_thread_ends_only_its_sample() {
    let mut worker = worker();
    for (seed, why) in
        [(PANICS, "thread 1: the library panicked: out of luck"), (FAILS, "thread 1: the library rejected")]
    {
        for request in [
            Request::Sample { cell: 1, warmup_ns: 50_000_000, iterations: 1, layout: None },
            Request::Sample { cell: 1, warmup_ns: 0, iterations: 40, layout: None },
            Request::Digest { cell: 1, first: 9, iteration: 9 },
        ] {
            assert_eq!(prepared(&mut worker, seed), Reply::Ready { cell: 1 });
            for _ in 0..19 {
                let reply = worker.answer(Request::Sample { cell: 1, warmup_ns: 0, iterations: 1, layout: None });
                assert!(matches!(reply, Reply::Sample { .. }), "{reply:?}");
            }
            for _ in 0..2 {
                let Reply::Error(said) = worker.answer(request.clone()) else { panic!("{request:?}") };
                assert!(said.contains(why), "{said}");
            }
            assert_eq!(worker.answer(Request::Release { cell: 1 }), Reply::Released { cell: 1 });
        }
    }
    assert_eq!(prepared(&mut worker, UNFIT), Reply::Unsupported("out of keys".into()));
    assert_eq!(prepared(&mut worker, 4), Reply::Ready { cell: 1 });
    let reply = worker.answer(Request::Sample { cell: 1, warmup_ns: 1000, iterations: 40, layout: None });
    assert!(matches!(reply, Reply::Sample { first: 1, .. }), "{reply:?}");
}

#[test]
fn memory_of_a_split_message_is_set_up_after_a_cell_that_could_not_be_prepared() {
    let mut worker = worker();
    let way = |cell, seed, message| Prepare {
        cell,
        seed,
        message,
        threads: 3,
        ..prepare("fails", Algorithm::Aes256Ctr, Operation::Encrypt, Form::Static)
    };
    assert_eq!(ready(&mut worker, &way(1, 4, 10_000)), Ok(()));
    assert_eq!(ready(&mut worker, &way(2, UNFIT, 100_000)), Err("out of keys".into()));
    assert!(!worker.workspace.arena.is_touched(1), "it is mapped anew");
    sample(&mut worker, 0, 1);
    assert!(worker.workspace.arena.is_touched(10_000) && !worker.workspace.arena.is_touched(100_000));
    assert_eq!(ready(&mut worker, &way(3, 4, 100_000)), Ok(()));
    assert!(worker.workspace.arena.is_touched(100_000));
}
