//! A run that is cut off, in whatever way, keeps every committed round, continues with `--resume`, and leaves no
//! process behind.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::{CommandOutput, TestFolder, wait_until};
use serde_json::Value;

/// Long enough to be interrupted, even on a machine busy with other tests.
const BUDGET: &str = "6s";

fn start(folder: &TestFolder) -> Child {
    start_for(folder, BUDGET)
}

fn start_for(folder: &TestFolder, budget: &str) -> Child {
    folder
        .ciphermeter(&["run", "tiny.toml", "--quiet", "--budget", budget, "--json", "run.json"])
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
    if said.code == Some(0) { said.json() } else { Value::Null }
}

/// The forks of the first record, which is sampled in every round.
fn forks(run: &Value) -> &[Value] {
    run["records"][0]["samples"].as_array().map_or(&[], Vec::as_slice)
}

/// Whether the fork of that number is running, with at least one round committed.
fn is_in_fork(run: &Value, number: usize) -> bool {
    forks(run).len() == number + 1 && forks(run)[number]["short"] == true
}

/// Stops the harness as soon as `is` is true of its stored run.
fn stop_when(folder: &TestFolder, harness: &mut Child, is: impl Fn(&Value) -> bool) -> Value {
    let mut run = Value::Null;
    wait_until("the moment to stop", || {
        assert!(harness.try_wait().expect("its state").is_none(), "it ended too early");
        signal(harness, "STOP");
        run = stored(folder);
        if !is(&run) {
            signal(harness, "CONT");
        }
        is(&run)
    });
    run
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
    stop_when(folder, &mut harness, |run| is_in_fork(run, 0));
    harness.kill().expect("it is there");
    harness.wait().expect("it ends");
}

/// Kills the harness at that moment, then resumes.
fn killed_when(budget: &str, is: impl Fn(&Value) -> bool) {
    let folder = TestFolder::new();
    let mut harness = start_for(&folder, budget);
    let before = stop_when(&folder, &mut harness, is);
    harness.kill().expect("it is there");
    harness.wait().expect("it ends");
    let kept = stored(&folder);
    assert_eq!(kept, before, "nothing is lost");
    assert_eq!(kept["run"]["status"], "open");

    let said = folder.run(&["run", "--resume", "--quiet", "--json", "-"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let whole = said.json();
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
    killed_when(BUDGET, |run| run["records"][0].is_object() && forks(run).is_empty());
}

#[test]
fn run_killed_in_the_first_fork_resumes() {
    killed_when(BUDGET, |run| is_in_fork(run, 0));
}

#[test]
fn run_killed_in_the_third_fork_resumes() {
    killed_when("9s", |run| is_in_fork(run, 2));
}

#[test]
fn killed_twice() {
    let folder = TestFolder::new();
    kill_in_the_first_fork(&folder);
    let mut again = folder.ciphermeter(&["run", "--resume=1", "--quiet"]);
    let mut harness = again.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the harness starts");
    let before = stop_when(&folder, &mut harness, |run| is_in_fork(run, 1));
    harness.kill().expect("it is there");
    harness.wait().expect("it ends");
    let said = folder.run(&["run", "--resume=1", "--quiet", "--json", "-"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    holds_all(&said.json(), &before);
    let short = forks(&said.json()).iter().filter(|fork| fork["short"] == true).count();
    assert_eq!(short, 2, "the two broken forks");
}

#[test]
fn run_interrupted_by_the_user_resumes() {
    for name in ["INT", "TERM"] {
        let folder = TestFolder::new();
        let mut harness = start(&folder);
        let before = stop_when(&folder, &mut harness, |run| is_in_fork(run, 1));
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
        let said = folder.run(&["run", "--resume", "--quiet", "--json", "-"]);
        assert_eq!((said.code, said.json()["run"]["status"].as_str()), (Some(0), Some("complete")));
        holds_all(&said.json(), &kept);
    }
}

#[test]
fn interrupt_before_any_measurement_ends_with_130() {
    let folder = TestFolder::new();
    let mut harness = start(&folder);
    stop_when(&folder, &mut harness, |run| run["records"][0].is_object() && forks(run).is_empty());
    signal(&harness, "INT");
    signal(&harness, "CONT");
    let said = end(harness);
    assert_eq!(said.code, Some(130), "{said:?}");
    assert!(said.out.contains("interrupted"), "{}", said.out);
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
    let before = stop_when(&folder, &mut harness, |run| is_in_fork(run, 0));
    let holder = rusqlite::Connection::open(folder.path("runs.db")).expect("a store");
    // The harness may have been stopped within a commit; then the lock is available once the commit is done.
    signal(&harness, "CONT");
    holder.busy_timeout(Duration::from_secs(3)).expect("a timeout");
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
    assert_eq!(folder.run(&["run", "--resume=1", "--quiet"]).code, Some(0));
}

/// Killed with SIGKILL, the harness cannot end its workers: the end of their input must, or the system if one is
/// stopped.
#[cfg(target_os = "linux")]
#[test]
fn workers_end_with_a_killed_harness() {
    let folder = TestFolder::new().with_worker("background");
    // It is stopped at a moment that is rarely observed, and never continues: the budget costs nothing.
    let mut harness = start_for(&folder, "60s");
    let own = harness.id();
    stop_when(&folder, &mut harness, |run| {
        let workers = folder.processes();
        is_in_fork(run, forks(run).len().saturating_sub(1))
            && workers.iter().any(|(id, state)| *id != own && *state == 'T')
    });
    assert!(folder.processes().len() > 2, "{:?}", folder.processes());
    harness.kill().expect("it is there");
    harness.wait().expect("it ends");
    let mut left = folder.processes();
    for _ in 0..500 {
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
