//! Cells of several threads: their outputs, and what remains of them.

use super::*;

fn crowded(name: &str) -> Worker {
    // The tests are about bytes, not about time: more threads than CPUs do no harm.
    Worker::new(name, Planted::default()).unwrap().with_cpus(3)
}

/// The expected output of thread `thread` at iteration `last`, computed by `check`: one vector after another.
fn output(worker: &mut Worker, way: &Prepare, thread: u64, first: u64, last: u64) -> Vec<u8> {
    let (algorithm, length) = (way.algorithm, usize::try_from(way.message).unwrap());
    let bytes = |label: &str, n: usize| {
        let mut bytes = vec![0; n];
        fill(&mut bytes, &period(label, way.seed, n));
        bytes
    };
    let message = bytes("message", length);
    if way.operation.consumes_sealed() {
        return message;
    }
    let key = if thread == 0 { "key".into() } else { format!("key {thread}") };
    let chains = way.form == Form::InPlace;
    let (mut text, mut sealed) = (message, Vec::new());
    for iteration in if chains { first } else { last }..=last {
        let mut nonce = bytes("nonce", algorithm.nonce_bytes());
        let is_sector = algorithm.is_of_sectors();
        if algorithm == Algorithm::Aes256Ctr || is_sector {
            nonce.fill(0);
        }
        let number = if is_sector { iteration.to_le_bytes() } else { iteration.to_be_bytes() };
        nonce.iter_mut().zip(number).for_each(|(byte, number)| *byte = number);
        let check = CheckInput {
            provider: way.provider.clone(),
            algorithm,
            operation: way.operation,
            form: Some(way.form),
            key: bytes(&key, algorithm.key_bytes()),
            nonce,
            aad: bytes("aad", usize::try_from(way.aad).unwrap()),
            input: text,
            threads: None,
        };
        let Reply::Output(output) = worker.answer(Request::Check(check)) else { panic!("{way:?}") };
        let tag_first = if algorithm == Algorithm::Aes256Siv { 16 } else { 0 };
        text = output[tag_first..tag_first + length].to_vec();
        sealed = output;
    }
    sealed
}

#[test]
fn outputs_equal_those_of_single_threads_with_their_own_keys() {
    for name in PROVIDERS {
        let worker = &mut crowded(name);
        for way in ways(worker).iter().filter(|way| has_digest(way) && !way.form.is_split()) {
            for (threads, length) in [(2, 1), (3, 4097)] {
                let Some(message) = way.algorithm.nearest(length) else { continue };
                let way = Prepare { threads, message, offset: 64 * threads, ..way.clone() };
                ready(worker, &way).unwrap();
                assert_eq!(sample(worker, 0, 3), (1, 3));
                let left = digest(worker, 1, 3);
                let single = digest(worker, 7, 7);
                let hashed = |worker: &mut Worker, first, last| {
                    let outputs = (0..threads).flat_map(|thread| output(worker, &way, thread, first, last));
                    <[u8; 32]>::from(Sha256::digest(outputs.collect::<Vec<u8>>()))
                };
                assert_eq!(left, hashed(worker, 1, 3), "{way:?}");
                assert_eq!(single, hashed(worker, 7, 7), "{way:?}");
                assert_eq!(digest(worker, 1, 3), left, "{way:?}");
                release(worker);
            }
        }
    }
}

#[test]
fn samples_continue_and_their_cpu_time_is_that_of_all_threads() {
    for name in PROVIDERS {
        let worker = &mut crowded(name);
        // Hundreds of files take a while.
        for way in ways(worker).into_iter().filter(|way| !way.form.is_of_files()) {
            let threads = 2;
            ready(worker, &Prepare { threads, ..way.clone() }).unwrap();
            let (first, last) = sample(worker, 50_000, 4);
            assert!(first == 1 && last > 4, "{way:?}");
            let asked = std::time::Instant::now();
            let reply = worker.answer(Request::Sample { cell: 1, warmup_ns: 0, iterations: 500, layout: None });
            let most = threads * u64::try_from(asked.elapsed().as_nanos()).unwrap();
            let Reply::Sample { first, counted, .. } = reply.clone() else { panic!("{reply:?}") };
            let cpu_ns = counted.count(Metric::CPU_NS).unwrap();
            assert_eq!(first, last + 1, "{way:?}");
            // The CPU clocks also count what the threads do at the barriers, so the sample's own time is no bound.
            assert!((1..=most).contains(&cpu_ns), "{way:?}: {reply:?}");
            let single = worker.answer(Request::Latency { cell: 1, warmup_ns: 0, count: 5 });
            assert!(matches!(single, Reply::Unsupported(_)), "{single:?}");
            if has_digest(&way) {
                digest(worker, last + 1, last + 500);
            }
            assert_eq!(sample(worker, 0, 1), (last + 501, last + 501), "{way:?}");
            release(worker);
        }
    }
}

#[test]
fn too_many_threads_are_refused() {
    let mut worker = crowded("ring");
    let way = prepare("ring", Algorithm::Aes256Gcm, Operation::Seal, Form::InPlace);
    for (threads, why) in
        [(4, "4 threads; CPUs that this process may use: 3"), (1025, "1025 threads; at most 1024 can be asked for")]
    {
        assert_eq!(ready(&mut worker, &Prepare { threads, ..way.clone() }), Err(why.into()));
    }
    let mut alone = Worker::new("ring", Planted::default()).unwrap().with_cpus(1);
    assert!(ready(&mut alone, &way).is_ok());
}

#[test]
fn warm_up_before_single_calls_is_counted() {
    let mut worker = crowded("ring");
    ready(&mut worker, &prepare("ring", Algorithm::Aes256Gcm, Operation::Seal, Form::InPlace)).unwrap();
    let reply = worker.answer(Request::Latency { cell: 1, warmup_ns: 1_000_000, count: 3 });
    let Reply::Latency { ns, .. } = reply else { panic!("{reply:?}") };
    assert_eq!(ns.len(), 3);
    assert!(sample(&mut worker, 0, 1).0 > 5);
}

/// The threads of cell 4242 in this process; other tests' cells have other numbers.
#[cfg(target_os = "linux")]
fn threads() -> usize {
    let names = std::fs::read_dir("/proc/self/task").unwrap();
    let names = names.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names.filter(|name| name.starts_with("c4242.")).count()
}

/// A joined thread stays in that list for a moment, which a busy machine makes long. One that outlives
/// its cell is waited for until tests/rust ends the test.
#[cfg(target_os = "linux")]
fn wait_until_all_are_gone() {
    while threads() > 0 {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn no_thread_outlives_its_cell() {
    let (cell, mut most) = (4242, 0);
    for name in PROVIDERS {
        let mut worker = crowded(name);
        let ways = ways(&mut worker);
        for way in ways.iter().cycle().take(if ways.is_empty() { 0 } else { 100 }) {
            let way = Prepare { cell, threads: 3, ..way.clone() };
            ready(&mut worker, &way).unwrap();
            most = most.max(threads());
            let sampled = worker.answer(Request::Sample { cell, warmup_ns: 0, iterations: 1, layout: None });
            assert!(matches!(sampled, Reply::Sample { .. }), "{sampled:?}");
            assert_eq!(worker.answer(Request::Release { cell }), Reply::Released { cell });
            wait_until_all_are_gone();
        }
        if let Some(way) = ways.first() {
            ready(&mut worker, &Prepare { cell, threads: 3, ..way.clone() }).unwrap();
        }
        drop(worker);
        wait_until_all_are_gone();
    }
    // A single reading may miss some: the list changes while it is read.
    assert_eq!(most, 3);
}
