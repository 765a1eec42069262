//! A run that is cut off, in whatever way, keeps every committed round, continues with `--resume`, and leaves no
//! process behind.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::{CommandOutput, TestFolder, wait_until};
use ciphermeter_core::Record;
use serde_json::Value;

/// None of these runs is to end before it is interrupted, on a busy machine either: its time passes while it is stopped, too.
const TIME: [&str; 2] = ["--budget", "10min"];
/// Few, so that what is left is soon done.
const CELLS: [&str; 4] = ["--operation", "encrypt", "--form", "in-place"];

fn start(folder: &TestFolder) -> Child {
    folder
        .ciphermeter(&[&["run", "tiny.toml", "--quiet", "--json", "run.json"][..], &TIME, &CELLS].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the harness starts")
}

/// Sends a signal to a child that was not waited for yet, so that its id cannot mean another process.
fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([format!("-{name}"), child.id().to_string()]).status();
    assert!(sent.expect("kill starts").success());
}

fn end(child: Child) -> CommandOutput {
    CommandOutput::of(child.wait_with_output().expect("its output"))
}

/// The stored state of the latest run; null as long as there is none.
fn stored(folder: &TestFolder) -> Value {
    let said = folder.run(&["export"]);
    // Before its first round, nothing was measured.
    if matches!(said.code, Some(0 | 4)) { said.json() } else { Value::Null }
}

/// The forks of the first record, which is sampled in every round.
fn forks(run: &Value) -> &[Value] {
    run["records"][0]["samples"].as_array().map_or(&[], Vec::as_slice)
}

/// Whether the fork of that number is running, or a later one if the machine was busy, with at least one round committed.
fn is_in_fork(records: &[Record], number: usize) -> bool {
    let Some(forks) = records.first().map(|record| &record.forks) else { return false };
    forks.len() > number && forks.last().is_some_and(|fork| fork.short && !fork.samples.is_empty())
}

fn is_before_the_first_round(records: &[Record]) -> bool {
    records.first().is_some_and(|record| record.forks.is_empty())
}

/// The rest of an interrupted run to its end, for which a second is left: a run without time has one more fork nonetheless.
fn resumed(folder: &TestFolder) -> Value {
    folder.shorten_the_run();
    let said = folder.run(&["run", "--resume", "--quiet", "--json", "-"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    said.json()
}

/// Stops the harness as soon as `is` is true of what it has stored, which it comes back with.
fn stop_when(folder: &TestFolder, harness: &mut Child, is: impl Fn(&[Record]) -> bool) -> Value {
    wait_until("the moment to stop", || {
        assert!(harness.try_wait().expect("its state").is_none(), "it ended too early");
        if !is(&folder.records()) {
            return false;
        }
        signal(harness, "STOP");
        // It may have gone on until it stood still.
        let is_still = is(&folder.records());
        if !is_still {
            signal(harness, "CONT");
        }
        is_still
    });
    stored(folder)
}

/// `later` has every sample of `earlier`, in its place, and no complete fork has become a short one.
#[track_caller]
fn holds_all(later: &Value, earlier: &Value) {
    let records = |run: &Value| run["records"].as_array().expect("records").clone();
    assert_eq!(records(later).len(), records(earlier).len());
    for (later, earlier) in records(later).iter().zip(records(earlier)) {
        for (place, fork) in earlier["samples"].as_array().expect("samples").iter().enumerate() {
            let now = &later["samples"][place];
            assert_eq!(now["fork"], fork["fork"]);
            assert!(fork["short"] == true || now["short"] == false, "{now}");
            for (name, had) in fork.as_object().expect("columns").iter().filter(|(_, value)| value.is_array()) {
                let has = now[name].as_array().expect("a column");
                assert!(has.starts_with(had.as_array().expect("a column")), "{name} of {fork}\nis not in {now}");
            }
        }
    }
}

/// Starts a run, and kills its harness in the first fork.
fn kill_in_the_first_fork(folder: &TestFolder) {
    let mut harness = start(folder);
    stop_when(folder, &mut harness, |records| is_in_fork(records, 0));
    harness.kill().expect("it is there");
    harness.wait().expect("it ends");
}

/// Kills the harness at that moment, then resumes.
fn killed_when(is: impl Fn(&[Record]) -> bool) {
    let folder = TestFolder::new();
    let mut harness = start(&folder);
    let before = stop_when(&folder, &mut harness, is);
    harness.kill().expect("it is there");
    harness.wait().expect("it ends");
    let kept = stored(&folder);
    assert_eq!(kept["records"], before["records"], "nothing is lost");
    assert_eq!(kept["run"], before["run"]);
    assert_eq!(kept["run"]["status"], "open");

    let whole = resumed(&folder);
    holds_all(&whole, &kept);
    assert_eq!(&forks(&whole)[..forks(&kept).len()], forks(&kept), "what was broken stays short");
    assert_eq!((&whole["run"]["status"], &whole["run"]["id"]), (&"complete".into(), &kept["run"]["id"]));
    let new = &forks(&whole)[forks(&kept).len()..];
    assert!(!new.is_empty() && new.iter().all(|fork| fork["short"] == false), "{new:?}");
    let numbers: Vec<u64> = forks(&whole).iter().filter_map(|fork| fork["fork"].as_u64()).collect();
    assert!(numbers.is_sorted_by(|a, b| a < b), "a broken fork is closed, not resumed: {numbers:?}");
    assert_eq!(stored(&folder), whole);
}

#[test]
fn run_killed_before_the_first_round_resumes() {
    killed_when(is_before_the_first_round);
}

#[test]
fn run_killed_in_the_first_fork_resumes() {
    killed_when(|records| is_in_fork(records, 0));
}

#[test]
fn run_killed_in_the_third_fork_resumes() {
    killed_when(|records| is_in_fork(records, 2));
}

#[test]
fn killed_twice() {
    let folder = TestFolder::new();
    kill_in_the_first_fork(&folder);
    let mut again = folder.ciphermeter(&["run", "--resume=1", "--quiet"]);
    let mut harness = again.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the harness starts");
    let before = stop_when(&folder, &mut harness, |records| is_in_fork(records, 1));
    harness.kill().expect("it is there");
    harness.wait().expect("it ends");
    let whole = resumed(&folder);
    holds_all(&whole, &before);
    let short = forks(&whole).iter().filter(|fork| fork["short"] == true).count();
    assert_eq!(short, 2, "the two broken forks");
}

#[test]
fn run_interrupted_by_the_user_resumes() {
    for name in ["INT", "TERM"] {
        let folder = TestFolder::new();
        let mut harness = start(&folder);
        let before = stop_when(&folder, &mut harness, |records| is_in_fork(records, 1));
        signal(&harness, name);
        signal(&harness, "CONT");
        let said = end(harness);
        assert_eq!((said.code, said.err.as_str()), (Some(130), ""), "{said:?}");
        assert!(said.out.contains("\nrun 1: tiny, interrupted"), "{}", said.out);
        assert!(said.out.contains("ciphermeter run --resume=1"), "it can be continued: {}", said.out);
        assert!(said.out.contains("encrypt in-place, 64 B message"), "the table shows what was measured: {}", said.out);
        let kept = stored(&folder);
        holds_all(&kept, &before);
        assert_eq!(kept["run"]["status"], "interrupted");
        assert!(folder.path("run.json").exists(), "what was measured is written, too");
        let whole = resumed(&folder);
        assert_eq!(whole["run"]["status"], "complete");
        holds_all(&whole, &kept);
    }
}

#[test]
fn interrupt_before_any_measurement_ends_with_130() {
    let folder = TestFolder::new();
    let mut harness = start(&folder);
    stop_when(&folder, &mut harness, is_before_the_first_round);
    signal(&harness, "INT");
    signal(&harness, "CONT");
    let said = end(harness);
    assert_eq!(said.code, Some(130), "{said:?}");
    assert!(said.out.contains("interrupted"), "{}", said.out);
}

/// Without its worker, what was measured of it would stop there.
#[test]
fn run_with_a_worker_of_ones_own_names_it_again() {
    let folder = TestFolder::new();
    let worker = format!("python3 -S {}/tests/bad_worker/worker.py honest", env!("CARGO_MANIFEST_DIR"));
    let command = [&["run", "tiny.toml", "--quiet", "--worker", &worker][..], &TIME, &CELLS].concat();
    let mut harness = folder.ciphermeter(&command).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let before = stop_when(&folder, &mut harness, |records| is_in_fork(records, 0));
    signal(&harness, "INT");
    signal(&harness, "CONT");
    let resume = format!("ciphermeter run --resume=1 --worker '{worker}'");
    let said = end(harness);
    assert!(said.out.replace("\n  ", " ").contains(&format!("Continue it: {resume}")), "{}", said.out);
    let said = folder.run(&["run", "--resume", "--quiet"]);
    assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{said:?}");
    let why = format!("run 1 was started with `--worker '{worker}'`: resume it with `{resume}`");
    assert!(said.err.contains(&why), "{}", said.err);
    holds_all(&stored(&folder), &before);
    folder.shorten_the_run();
    let said = folder.run(&["run", "--resume=1", "--worker", &worker, "--quiet", "--json", "-"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    holds_all(&said.json(), &before);
}

#[test]
fn nothing_to_resume_is_reported() {
    let folder = TestFolder::new();
    let refused = |arguments: &[&str], words: &str| {
        let said = folder.run(arguments);
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{said:?}");
        assert!(said.err.lines().count() == 1 && said.err.contains(words), "{}", said.err);
    };
    refused(&["run", "--resume"], "no interrupted run to resume; `ciphermeter list` shows how each ended");
    refused(&["run", "--resume=3"], "there is no run 3");
    assert_eq!(folder.run(&["run", "tiny.toml", "--quiet"]).code, Some(0));
    refused(&["run", "--resume"], "no interrupted run to resume");
    refused(&["run", "--resume=1"], "run 1 ended: complete; there is nothing to resume");
}

#[test]
fn resume_refuses_another_scenario() {
    let folder = TestFolder::new();
    kill_in_the_first_fork(&folder);
    let said = folder.run(&["run", "messages", "--resume"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("run 1 belongs to the scenario `tiny`, not `messages`: remove the name"), "{}", said.err);
}

/// Samples of two methods must not mix in one run.
#[test]
fn run_of_another_method_is_not_resumed() {
    let folder = TestFolder::new();
    kill_in_the_first_fork(&folder);
    let store = rusqlite::Connection::open(folder.path("runs.db")).expect("a store");
    let changed = store.execute("UPDATE run SET plan = json_set(plan, '$.method', 99)", []).expect("a plan");
    assert_eq!(changed, 1);
    let before = stored(&folder);
    let said = folder.run(&["run", "--resume"]);
    assert_eq!((said.code, said.err.lines().count()), (Some(2), 1), "{said:?}");
    assert!(said.err.contains("run 1 was measured by method 99, and this build measures by method "), "{}", said.err);
    assert_eq!(stored(&folder), before, "nothing was closed or lost");
}

#[test]
fn store_locked_during_a_run_is_reported() {
    let folder = TestFolder::new();
    let mut harness = start(&folder);
    let before = stop_when(&folder, &mut harness, |records| is_in_fork(records, 0));
    let holder = rusqlite::Connection::open(folder.path("runs.db")).expect("a store");
    // The harness may have been stopped within a commit; then the lock is available once the commit is done.
    signal(&harness, "CONT");
    holder.busy_timeout(Duration::from_secs(60)).expect("a timeout");
    holder.execute_batch("BEGIN IMMEDIATE").expect("the write lock");
    let said = end(harness);
    assert_eq!((said.code, said.err.lines().count()), (Some(5), 1), "{said:?}");
    for words in
        ["is locked by another process", "run 1 keeps every round", "`ciphermeter run --resume=1` continues it"]
    {
        assert!(said.err.contains(words), "{}", said.err);
    }
    drop(holder);
    holds_all(&stored(&folder), &before);
    resumed(&folder);
}

/// Killed with SIGKILL, the harness cannot end its workers: the end of their input must, or the system if one is
/// stopped.
#[cfg(target_os = "linux")]
#[test]
fn workers_end_with_a_killed_harness() {
    let folder = TestFolder::new().with_worker("background");
    let mut harness = start(&folder);
    let own = harness.id();
    stop_when(&folder, &mut harness, |records| {
        let workers = folder.processes();
        is_in_fork(records, 0) && workers.iter().any(|(id, state)| *id != own && *state == 'T')
    });
    assert!(folder.processes().len() > 2, "{:?}", folder.processes());
    harness.kill().expect("it is there");
    harness.wait().expect("it ends");
    let mut left = folder.processes();
    for _ in 0..5000 {
        if left.is_empty() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
        left = folder.processes();
    }
    for (id, _) in &left {
        // Identified by its environment as one of this test's processes.
        let _ = Command::new("kill").args(["-KILL", &id.to_string()]).status();
    }
    panic!("left behind: {left:?}");
}
