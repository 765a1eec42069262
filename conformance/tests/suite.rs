//! The suite itself: it passes a correct worker, and fails a faulty one in exactly the place of the fault. Needs
//! `python3`.

use std::time::Duration;

use conformance::{Config, Tally, run};

/// The suite's output for the fake worker in this mode.
struct Verdict {
    tally: Tally,
    text: String,
}

impl Verdict {
    /// From the complete suite.
    fn of(mode: &str, timeout: Duration) -> Verdict {
        Verdict::on(WORKER, mode, timeout, None)
    }

    /// From the complete suite, for a worker of transfers.
    fn moving(mode: &str, timeout: Duration) -> Verdict {
        Verdict::on(TRANSFERS, mode, timeout, None)
    }

    /// From the checks with that title.
    fn on(script: &str, mode: &str, timeout: Duration, only: Option<&str>) -> Verdict {
        let command = ["python3", "-S", script, mode].map(str::to_owned).to_vec();
        let config = Config { command, timeout, only: only.map(str::to_owned).into_iter().collect() };
        let mut out = Vec::new();
        let tally = run(&config, &mut out).expect("a Vec can be written");
        Verdict { tally, text: String::from_utf8(out).expect("the suite prints UTF-8") }
    }

    /// The line whose title begins with this.
    fn line(&self, title: &str) -> &str {
        let found = self
            .text
            .lines()
            .find(|line| line.split_once(' ').is_some_and(|(_, rest)| rest.trim_start().starts_with(title)));
        found.unwrap_or_else(|| panic!("no line about {title} in:\n{}", self.text))
    }

    fn expect_failed(&self, title: &str, why: &str) {
        let line = self.line(title);
        assert!(line.starts_with("FAILED") && line.contains(why), "{line}");
    }

    fn expect_ok(&self, title: &str) {
        let line = self.line(title);
        assert!(line.starts_with("ok "), "{line}");
    }
}

const WORKER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake_worker.py");
const TRANSFERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake_transfers.py");
const PATIENT: Duration = Duration::from_secs(20);

#[test]
fn honest_worker_passes() {
    let verdict = Verdict::of("honest", PATIENT);
    assert_eq!((verdict.tally.failed, verdict.tally.skipped), (0, 0), "{}", verdict.text);
    assert!(verdict.tally.passed > 100);
    assert!(!verdict.text.contains("compilation"), "it is asked only where the runtime compiles");
    let closing = format!("{} passed, 0 failed, 0 skipped", verdict.tally.passed);
    assert_eq!(verdict.text.lines().last(), Some(closing.as_str()));
}

#[test]
fn timed_loop_that_skips_its_work_fails() {
    let verdict = Verdict::on(WORKER, "skips-work", PATIENT, Some("fake xor"));
    verdict.expect_ok("known answers: fake xor encrypt into");
    verdict.expect_ok("digests made anew: fake xor encrypt into");
    verdict.expect_failed("digests of what samples left: fake xor encrypt into", "iterations 1 to 3: expected");
    verdict.expect_failed("digests while another cell runs: fake xor decrypt in-place", "iterations 1 to 3: expected");
    verdict.expect_failed("samples take the time of real work: fake xor encrypt into", " calls");
}

/// Recomputed digests hide a skipped call; the time does not.
#[test]
fn timed_loop_that_hides_skipped_calls_fails() {
    let all = Verdict::on(WORKER, "hides-it", PATIENT, Some("fake xor"));
    all.expect_ok("digests of what samples left: fake xor encrypt into");
    all.expect_failed("samples take the time of real work: fake xor encrypt into", " calls");
    let but_one = Verdict::on(WORKER, "one-call", PATIENT, Some("fake xor"));
    but_one.expect_ok("digests of what samples left: fake xor encrypt into");
    but_one.expect_failed("digests of what samples left: fake xor encrypt in-place", "iterations 4 to 5");
    but_one.expect_failed("samples take the time of real work: fake xor encrypt into", " calls");
}

#[test]
fn wrong_tag_fails() {
    let verdict = Verdict::on(WORKER, "wrong-tag", PATIENT, Some("fake aes-256-gcm"));
    verdict.expect_ok("known answers: fake aes-256-gcm open into");
    verdict.expect_ok("forged or truncated is rejected: fake aes-256-gcm open into");
    verdict.expect_failed(
        "known answers: fake aes-256-gcm seal into",
        "vector \"NIST GCM test case 13\": expected output 530f8afbc74536b9a963b4f1c4cb738b, got 530f",
    );
}

#[test]
fn accepted_forgeries_fail() {
    let verdict = Verdict::on(WORKER, "accepts-forgeries", PATIENT, Some("fake aes-256-gcm"));
    verdict.expect_ok("known answers: fake aes-256-gcm seal into");
    verdict.expect_ok("known answers: fake aes-256-gcm open into");
    verdict.expect_failed("forged or truncated is rejected: fake aes-256-gcm open into", "expected rejected");
}

/// Digests of one thread cannot show whose key the others use.
#[test]
fn threads_under_one_key_fail() {
    let verdict = Verdict::on(WORKER, "one-key", PATIENT, Some("fake xor"));
    verdict.expect_ok("digests made anew: fake xor encrypt into");
    verdict.expect_ok("samples of several threads: fake xor encrypt into");
    for form in ["in-place", "into"] {
        let title = format!("digests of several threads: fake xor encrypt {form}");
        verdict.expect_failed(&title, "2 threads, message 65, aad 0, seed 42, iterations 0 to 0: expected");
    }
}

#[test]
fn thread_that_does_nothing_fails() {
    let verdict = Verdict::on(WORKER, "idles", PATIENT, Some("fake xor"));
    verdict.expect_ok("digests of what samples left: fake xor encrypt into");
    let title = "digests of several threads: fake xor decrypt into";
    verdict.expect_failed(title, "2 threads, message 65, aad 0, seed 42, iterations 1 to 3: expected");
}

#[test]
fn more_cpu_time_than_the_cpus_provide_fails() {
    let verdict = Verdict::on(WORKER, "boasts", PATIENT, Some("fake xor"));
    verdict.expect_ok("digests of several threads: fake xor encrypt into");
    verdict.expect_failed("samples of several threads: fake xor encrypt into", "ns of CPU time");
}

#[test]
fn worker_of_one_thread_passes_with_a_reason() {
    let verdict = Verdict::of("one-thread", PATIENT);
    assert_eq!(verdict.tally.failed, 0, "{}", verdict.text);
    for what in ["digests", "samples"] {
        let line = verdict.line(&format!("{what} of several threads: fake xor encrypt into"));
        assert!(line.starts_with("skipped ") && line.ends_with("more threads than CPUs"), "{line}");
    }
    verdict.expect_ok("too many threads: fake xor encrypt into");
}

#[test]
fn omitted_warm_up_fails() {
    let verdict = Verdict::on(WORKER, "cold", PATIENT, Some("fake xor"));
    verdict.expect_ok("latency: fake xor encrypt into");
    verdict.expect_failed("latency after a warm-up: fake xor encrypt into", "expected calls in a warm-up of ");
}

#[test]
fn unknown_memory_passes() {
    let verdict = Verdict::of("silent", PATIENT);
    assert_eq!(verdict.tally.failed, 0, "{}", verdict.text);
}

#[test]
fn impossible_memory_fails() {
    for (mode, title, why) in [
        ("counts-early", "memory", "expected null peak_heap and allocated before the first reset"),
        ("nameless", "memory", "expected what counts"),
        ("low-peak", "memory after a reset", "expected heap up to peak_heap"),
        ("stuck", "memory after a reset", "expected rss up to peak_rss"),
        ("falls", "memory after a reset", "expected no lower allocated than in"),
        ("keeps-sums", "memory after another reset", "expected allocated to begin anew"),
        ("keeps-peaks", "memory after another reset", "expected peak_rss to begin anew"),
        ("resets-twice", "error: memory with a reset of 2", "expected error, got"),
    ] {
        Verdict::on(WORKER, mode, PATIENT, Some(title)).expect_failed(&format!("{title}: "), why);
    }
}

#[test]
fn compiling_runtime_must_have_a_mark() {
    let verdict = Verdict::of("compiles", PATIENT);
    assert_eq!(verdict.tally.failed, 0, "{}", verdict.text);
    verdict.expect_ok("compilation");
    Verdict::on(WORKER, "compiles-mutely", PATIENT, Some("compilation"))
        .expect_failed("compilation: ", "expected compilation");
    let title = "describe: a list that starts with worker";
    Verdict::on(WORKER, "compiles-oddly", PATIENT, Some("describe"))
        .expect_failed(title, "expected compiles 0 or 1, got 2");
}

#[test]
fn only_the_empty_message_may_be_unsupported() {
    let empty = Verdict::of("lacks-empty", PATIENT);
    for title in [
        "known answers: fake xor encrypt into",
        "forged or truncated is rejected: fake aes-256-gcm open into",
        "digests made anew: fake xor decrypt in-place",
        "digests of what samples left: fake xor encrypt in-place",
    ] {
        empty.expect_ok(title);
        let line = empty.line(&format!("{title}, empty message"));
        assert_eq!(line, format!("skipped  {title}, empty message: this library can't do 0 bytes"));
    }
    let one = Verdict::on(WORKER, "lacks-one", PATIENT, Some("fake xor"));
    one.expect_failed("known answers: fake xor encrypt into", "expected output");
    one.expect_failed("digests made anew: fake xor encrypt into", "expected ready");
}

/// Transfers of wrong bytes, and samples, digests and refusals that differ from what they must be.
#[test]
fn wrong_transfer_fails() {
    let way = "fake aes-256-gcm transfer file";
    for (mode, title, why) in [
        ("cuts-off", "files arrive whole", "a file of 3145733 bytes, seed 42, iteration 0: expected"),
        ("one-seed", "files arrive whole", "a file of 65537 bytes, seed 43, iteration 0: expected"),
        ("counts-digests", "files arrive whole", "expected \"last\" 1"),
        ("one-transfer", "transfers take the time of real work", " calls to take some 16 times"),
        ("durable-early", "files arrive whole", "expected durable_ns of at least ns"),
        ("long-series", "files arrive whole", "entries of 50 ms in series_cpu, got 1001"),
        ("dense-series", "files arrive whole", "entries of 50 ms in series_cpu, got 100"),
        ("takes-threads", "what transfers lack", "expected unsupported, got"),
        ("takes-aad", "what transfers lack", "expected unsupported, got"),
        ("hashes-sent", "the digest is of the file that is there", "a byte was changed"),
        ("keeps-files", "release removes the files", "no file in TMPDIR after release"),
    ] {
        Verdict::on(TRANSFERS, mode, PATIENT, Some(title)).expect_failed(&format!("{title}: {way}"), why);
    }
    let nowhere = Verdict::on(TRANSFERS, "durable-nowhere", PATIENT, Some("files arrive whole"));
    nowhere.expect_failed("files arrive whole: fake aes-256-gcm transfer discard", "durable_ns of form file only");
    let nothing = Verdict::on(TRANSFERS, "seals-nothing", PATIENT, Some("files arrive whole"));
    nothing.expect_failed("files arrive whole: ceiling tcp-plain transfer file", "no seal_ns where nothing is sealed");
    let odd = Verdict::on(TRANSFERS, "odd-forms", PATIENT, Some("describe"));
    odd.expect_failed("describe: offer fake aes-256-gcm", "expected forms that this algorithm can have, got \"into\"");
}

#[test]
fn file_that_outlives_its_worker_fails() {
    let patient = Duration::from_secs(5);
    let title = |end: &str| format!("{end} removes the folder: fake aes-256-gcm transfer file");
    let why = "expected nothing of the worker to stay";
    let removed = Some("removes the folder");
    let kept = Verdict::on(TRANSFERS, "keeps-folder", patient, removed);
    kept.expect_failed(&title("the end of input"), why);
    let untidy = Verdict::on(TRANSFERS, "dies-untidily", patient, removed);
    untidy.expect_ok(&title("the end of input"));
    untidy.expect_failed(&title("a kill"), why);
}

#[test]
fn honest_worker_of_transfers_passes() {
    let verdict = Verdict::moving("honest", PATIENT);
    assert_eq!(verdict.tally.failed, 0, "{}", verdict.text);
    assert!(verdict.tally.skipped == 1 && verdict.tally.passed > 100, "{:?}", verdict.tally);
    for form in ["discard", "file"] {
        verdict.expect_ok(&format!("files arrive whole: fake aes-256-gcm transfer {form}"));
        verdict.expect_ok(&format!("a kill removes the folder: ceiling tcp-plain transfer {form}"));
    }
}

#[test]
fn worker_that_starts_a_process_for_each_call_passes_unless_it_warms_up() {
    let honest = Verdict::of("starts", PATIENT);
    assert_eq!(honest.tally.failed, 0, "{}", honest.text);
    for check in ["known answers", "digests of what processes left", "processes do not warm up", "what processes lack"]
    {
        honest.expect_ok(&format!("{check}: fake xor encrypt process"));
    }
    let warm = Verdict::on(WORKER, "starts-warm", PATIENT, Some("processes do not warm up"));
    warm.expect_failed("processes do not warm up: fake xor encrypt process", "expected no warm-up");
    let hurried = Verdict::on(WORKER, "starts-latency", PATIENT, Some("what processes lack"));
    hurried.expect_failed("what processes lack: fake xor decrypt process", "expected unsupported");
    let skips = Verdict::on(WORKER, "starts-nothing", PATIENT, Some("digests of what processes left"));
    skips.expect_failed("digests of what processes left: fake xor encrypt process", "expected");
}

#[test]
fn worker_without_offers_passes() {
    let verdict = Verdict::of("absent", PATIENT);
    assert_eq!(verdict.tally.failed, 0, "{}", verdict.text);
    assert_eq!(verdict.line("other"), "skipped  other: a fake has no libraries");
    verdict.expect_ok("error: sample of an unprepared cell");
    verdict.expect_ok("end of input: at once");
}

#[test]
fn honest_device_passes() {
    let verdict = Verdict::of("device", PATIENT);
    assert_eq!(verdict.tally.failed, 0, "{}", verdict.text);
    for title in [
        "known answers: fake xor encrypt into",
        "long inputs there and back: fake xor encrypt into",
        "digests of what samples left: fake xor encrypt in-place",
        "samples take the time of real work: fake xor decrypt into",
        "line: as long as the limit allows gets its answer",
        "clock",
        "memory",
    ] {
        verdict.expect_ok(title);
    }
    let full = "2 cells are prepared, all that there is room for; release one";
    for (title, why) in [
        ("digests while another cell runs: fake xor encrypt into", full),
        ("latency: fake xor encrypt into", "single calls; send sample"),
        ("error: prepare with an offset of 100", "offsets have no meaning on a device"),
    ] {
        assert_eq!(verdict.line(title), format!("skipped  {title}: {why}"));
    }
}

#[test]
fn device_that_breaks_its_own_limits_fails() {
    for (mode, title, why) in [
        ("device-ns", "samples: fake xor encrypt into", "expected no ns beside a count"),
        ("device-cold", "samples: fake xor encrypt into", "the warm-up's calls and 1 more"),
        ("device-skips", "samples take the time of real work: fake xor encrypt into", "16 calls to take some 16 times"),
        ("device-overfills", "digests made anew: fake xor encrypt into", "expected unsupported"),
        ("device-times", "clock", "expected an integer \"call\""),
        ("device-rambles", "memory", "expected a line of at most 700 bytes"),
    ] {
        Verdict::on(WORKER, mode, PATIENT, Some(title)).expect_failed(title, why);
    }
}

#[test]
fn honest_meter_of_current_passes() {
    let verdict = Verdict::of("metered", PATIENT);
    assert_eq!(verdict.tally.failed, 0, "{}", verdict.text);
    verdict.expect_ok("current");
    verdict.expect_ok("charge of a long sample: fake xor encrypt in-place");
    Verdict::on(WORKER, "honest", PATIENT, Some("current")).expect_ok("current without a meter");
}

#[test]
fn impossible_current_fails() {
    let header = "describe: a list that starts with worker";
    let (long, unmetered) = ("charge of a long sample", "current without a meter");
    for (mode, title, why) in [
        ("metered-windowless", header, "expected current_window_ns beside current_meter a fake meter, got none"),
        ("metered-for-hours", header, "expected current_window_ns 1 to 60000000000, got 10000000000000"),
        ("metered-mutely", "current", "expected current, got"),
        ("metered-briefly", "current", "expected ns of at least the current_window_ns of 5000000"),
        ("metered-hastily", "current", "ns that the answer took"),
        ("metered-never", "current", "expected an integer \"charge_nc\""),
        ("metered-pc", "current", "expected charge_nc in nanocoulombs, at most 10 A"),
        ("metered-mv", "current", "expected voltage_uv in microvolts"),
        ("metered-never", long, "expected charge_nc in a sample of the current_window_ns"),
        ("metered-pc", long, "expected charge_nc in nanocoulombs, at most 10 A"),
        ("metered-mv", long, "expected voltage_uv in microvolts"),
        ("metered-early", "samples: fake xor encrypt into", "in a sample below the current_window_ns of 5000000"),
        ("charges", "samples: fake xor encrypt into", "expected no charge_nc of a worker that names no current_meter"),
        ("invents-current", unmetered, "expected unsupported or error, got"),
        ("dies-of-current", unmetered, "expected an answer, the worker ended (exit status: 3)"),
    ] {
        Verdict::on(WORKER, mode, PATIENT, Some(title)).expect_failed(title, why);
    }
}

/// A device's boot loader speaks before the device does; no other worker has one.
#[test]
fn line_that_is_not_the_protocols_fails() {
    let verdict = Verdict::on(WORKER, "boots", PATIENT, Some("describe"));
    verdict.expect_failed("describe: a list that starts with worker", "expected a JSON object, got rst:0x1 (POWERON)");
}

#[test]
fn library_that_its_worker_found_wrong_fails() {
    let verdict = Verdict::on(WORKER, "wrong-library", PATIENT, Some("describe"));
    verdict.expect_failed("describe: absent other", "expected right answers of other, the worker says: a fake has no");
}

#[test]
fn only_the_requested_checks_run() {
    let verdict = Verdict::on(WORKER, "honest", PATIENT, Some("clock"));
    let titles = verdict.text.lines().filter(|line| !line.starts_with("ok       describe: "));
    assert_eq!(titles.collect::<Vec<_>>()[0], "ok       clock");
    assert_eq!((verdict.tally.failed, verdict.tally.skipped), (0, 0));
}

#[test]
fn hanging_worker_is_abandoned() {
    let verdict = Verdict::of("hangs", Duration::from_secs(5));
    verdict.expect_failed("digests of what samples left: fake xor encrypt in-place", "expected an answer within 5 s");
    assert!(verdict.tally.skipped > 0 && verdict.text.contains("left 3 requests unanswered"));
}

#[test]
fn worker_with_unrequested_lines_fails() {
    let verdict = Verdict::of("chatters", PATIENT);
    verdict.expect_ok("clock");
    verdict.expect_failed("memory", "got another line");
}

#[test]
fn command_that_cannot_start_is_a_failed_check() {
    let config = Config { command: vec!["./no-such-worker".into()], timeout: PATIENT, only: Vec::new() };
    let mut out = Vec::new();
    let tally = run(&config, &mut out).expect("a Vec can be written");
    assert!(tally.failed > 0 && tally.passed == 0);
    assert!(String::from_utf8_lossy(&out).contains("starting ./no-such-worker failed"));
}
