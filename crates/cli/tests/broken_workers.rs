//! Workers that lie, break or flood lose their own cells and no others. Needs `python3`.
//!
//! The built-in provider `ceiling` has `xor` too: it is the honest sibling, and must be measured completely each time.

use std::process::{Command, Stdio};

use crate::common::{CommandOutput, TestFolder, wait_until};
use serde_json::Value;

/// Runs the tiny scenario with the bad worker in this mode. Only where it never answers is a short
/// patience needed: honest workers have it, too.
fn run(mode: &str) -> CommandOutput {
    let waits = ["hangs", "deaf", "drips", "closes"].iter().any(|late| mode.starts_with(late));
    let patience = if waits { "4s" } else { "1min" };
    TestFolder::new().with_worker(mode).run(&["run", "tiny.toml", "--patience", patience, "--json", "-"])
}

fn records(said: &CommandOutput) -> Vec<Value> {
    said.json()["records"].as_array().expect("records").clone()
}

/// The record was measured, and has samples.
fn is_measured(record: &Value) -> bool {
    let samples = record["samples"].as_array().expect("samples");
    record["outcome"]["is"] == "measured" && samples.iter().any(|fork| fork["ns"][0].is_u64())
}

/// All other records are complete; returns the bad worker's.
#[track_caller]
fn others_are_measured(said: &CommandOutput) -> Vec<Value> {
    let (bad, others): (Vec<_>, Vec<_>) = records(said).into_iter().partition(|record| record["provider"] == "bad");
    assert!(others.iter().filter(|record| record["algorithm"] == "xor").count() == 4, "{}", said.out);
    for record in &others {
        assert!(is_measured(record), "{record}\n{}", said.err);
    }
    bad
}

/// Exit code 3, and the outcome of each of these cells of the bad worker gives the reason.
#[track_caller]
fn is_wrong(said: &CommandOutput, is: impl Fn(&Value) -> bool, why: &str) {
    assert_eq!(said.code, Some(3), "{said:?}");
    let wrong: Vec<Value> = others_are_measured(said).into_iter().filter(is).collect();
    assert!(!wrong.is_empty());
    for record in wrong {
        assert_eq!(record["outcome"]["is"], "wrong-output", "{record}");
        assert!(record["outcome"]["why"].as_str().is_some_and(|text| text.contains(why)), "{record}");
    }
    assert_eq!(said.json()["run"]["status"], "partial");
}

/// Exit code 5, every cell of the bad worker failed for this reason.
#[track_caller]
fn is_broken(mode: &str, why: &str) {
    is_broken_by(mode, &[why]);
}

/// The same for one of these reasons, each cell its own.
#[track_caller]
fn is_broken_by(mode: &str, reasons: &[&str]) {
    let said = run(mode);
    assert_eq!(said.code, Some(5), "{said:?}");
    let bad = others_are_measured(&said);
    assert_eq!(bad.len(), 4);
    for record in bad {
        assert_eq!(record["outcome"]["is"], "failed", "{record}");
        assert!(
            record["outcome"]["why"].as_str().is_some_and(|text| reasons.iter().any(|why| text.contains(why))),
            "{record}"
        );
    }
    assert_eq!(said.json()["run"]["status"], "partial");
}

/// Exit code 5, the bad worker is not in the run at all, and a note gives the reason.
#[track_caller]
fn is_left_out(mode: &str, why: &str) {
    let said = run(mode);
    assert_eq!(said.code, Some(5), "{said:?}");
    assert!(others_are_measured(&said).is_empty());
    let json = said.json();
    let notes = json["run"]["notes"].as_array().expect("notes");
    let about: Vec<&str> = notes.iter().filter_map(Value::as_str).filter(|note| note.starts_with("bad ")).collect();
    assert!(about.len() == 1 && about[0].contains("is not measured") && about[0].contains(why), "{about:?}");
}

/// How many samples it has.
fn sampled(record: &Value) -> usize {
    let forks = record["samples"].as_array().expect("samples");
    forks.iter().map(|fork| fork["ns"].as_array().map_or(0, Vec::len)).sum()
}

/// Samples whose calls had far longer than claimed.
fn longer(record: &Value) -> usize {
    let forks = record["samples"].as_array().expect("samples");
    let elapsed = forks.iter().filter_map(|fork| fork["elapsed_ns"].as_array()).flatten();
    elapsed.filter(|elapsed| !elapsed.is_null()).count()
}

fn is_surely_over_half(record: &Value) -> bool {
    let (longer, all) = (longer(record) as f64, sampled(record) as f64);
    longer > all / 2.0 + 1.6 * all.sqrt()
}

/// Whether the record warns that its worker claims too little time.
fn is_warned_of(record: &Value) -> bool {
    record["summary"]["warnings"].to_string().contains("times as long as its worker claims")
}

#[track_caller]
fn is_fine(mode: &str) {
    let said = run(mode);
    assert_eq!(said.code, Some(0), "{said:?}");
    let bad = others_are_measured(&said);
    assert!(!records(&said).iter().any(is_warned_of), "{}", said.out);
    assert!(bad.len() == 4 && bad.iter().all(is_measured), "{bad:?}");
    assert_eq!(said.json()["run"]["status"], "complete");
}

#[test]
fn honest_worker_is_measured() {
    is_fine("honest");
}

#[test]
fn worker_with_background_threads_is_stopped_and_measured() {
    is_fine("background");
}

#[test]
fn output_on_standard_error_is_no_fault() {
    is_fine("chatters");
}

#[test]
fn wrong_answer_to_a_vector_is_detected() {
    is_wrong(&run("wrong-output"), |_| true, "vector xor-");
}

/// Only where each iteration changes the buffer does an older output differ from the last one.
#[test]
fn older_output_in_the_timed_loop_is_detected() {
    let said = run("cached");
    let chains = |record: &Value| record["operation"] == "encrypt" && record["form"] == "in-place";
    is_wrong(&said, chains, "the timed loop left an output that hashes to");
    is_wrong(&said, chains, "where ceiling makes");
    assert!(records(&said).iter().filter(|record| record["provider"] == "bad" && !chains(record)).all(is_measured));
}

#[test]
fn timed_loop_that_skips_its_work_is_detected() {
    is_wrong(&run("skipping"), |_| true, "the timed loop left an output that hashes to");
}

#[test]
fn garbage() {
    is_broken("garbage", r"it answered `\u{7}no reply`: not one flat JSON object");
    is_broken("garbage digest", "failed while it was verified: it answered");
    is_left_out("garbage describe", "failed to describe itself: it answered");
}

#[test]
fn silence() {
    is_broken("hangs", "it gave no reply within");
    is_left_out("hangs describe", "failed to describe itself: it gave no reply within 4.0 s");
}

#[test]
fn worker_that_does_not_read_is_given_up_like_a_silent_one() {
    is_broken("deaf check", "it did not read the request within 4.0 s");
}

/// Ctrl-C ends the run while a worker keeps it waiting, and holds that against no cell.
#[test]
fn ctrl_c_ends_a_wait_for_a_worker() {
    for (mode, marker) in [("deaf check", "deaf"), ("hangs prepare", "hangs"), ("hangs describe", "hangs")] {
        let folder = TestFolder::new().with_worker(mode);
        let mut command = folder.ciphermeter(&["run", "tiny.toml", "--patience", "600s", "--json", "-"]);
        let mut run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a process");
        let marker = folder.path("workers/bad").join(marker);
        wait_until("the worker keeps the run waiting", || marker.exists());
        Command::new("kill").args(["-s", "INT", &run.id().to_string()]).status().expect("kill");
        wait_until("the run ends", || run.try_wait().expect("a status").is_some());
        let said = CommandOutput::of(run.wait_with_output().expect("its output"));
        assert_eq!(said.code, Some(130), "{said:?}");
        assert!(!said.out.contains("\"failed\""), "{said:?}");
        wait_until("its workers end", || folder.processes().is_empty());
    }
}

#[test]
fn sudden_end_is_reported() {
    is_broken("dies", "it ended with exit code 7; the end of its standard error: no more samples from me");
    is_broken("dies check", "failed while it was verified: it ended with exit code 7");
    is_broken("dies prepare", "it ended with exit code 7");
    is_left_out("dies clock", "it ended with exit code 7");
}

#[test]
fn library_that_cannot_be_loaded_is_reported() {
    is_left_out("absent", "its wheel can't be loaded; build the worker again");
}

#[test]
fn kill_by_the_system_is_reported() {
    is_broken("killed", "it ended by signal 9, as the system does when memory runs out: free some");
}

#[test]
fn answer_about_another_cell_is_refused() {
    is_broken("wrong-cell", "it answered for cell 4000000 where cell");
}

#[test]
fn endless_line_is_refused() {
    is_broken("flood", "a line longer than 65536 bytes");
    is_left_out("flood describe", "a line longer than 65536 bytes");
}

#[test]
fn flood_of_lines_is_refused() {
    // Mostly "it sent more than was requested", otherwise an answer to an older request, which may say why that failed.
    is_broken_by("flood-lines", &["the worker of bad failed", "it is not prepared"]);
    is_left_out("flood-lines describe", "failed to describe itself");
}

#[test]
fn times_of_a_twelfth_are_warned_of() {
    let folder = TestFolder::new().with_worker("twelfth");
    let said = folder.run(&["run", "tiny.toml", "--budget", "4s", "--json", "-", "--verbose"]);
    let (warned, others): (Vec<_>, Vec<_>) = records(&said).into_iter().partition(is_warned_of);
    // On a busy machine, waiting explains many samples.
    assert!(others.iter().all(|record| !is_surely_over_half(record)), "{}", said.out);
    assert!(
        warned.iter().chain(&others).any(|record| record["provider"] == "bad" && longer(record) > 0),
        "{}",
        said.out
    );
    assert!(warned.iter().all(|record| record["provider"] == "bad"), "{}", said.out);
    let told = said.err.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_told = told.contains("bad xor") && told.contains("as long as its worker claims");
    assert!(is_told || warned.is_empty(), "{}", said.err);
    folder.fits_the_schema(&said.json());
}

#[test]
fn answers_that_were_not_asked_for_are_refused() {
    // What comes too late to be seen before the next request is an answer of the wrong kind, or for another cell.
    for mode in ["twice", "early"] {
        is_broken_by(mode, &["it sent more than was requested", "the worker of bad failed"]);
    }
}

#[test]
fn answer_in_drips_has_no_more_time_than_another() {
    is_broken("drips", "it gave no reply within");
    is_left_out("drips describe", "failed to describe itself: it gave no reply within 4.0 s");
}

#[test]
fn patience_holds_for_a_worker_that_is_named_by_its_command() {
    let said = TestFolder::new().run(&["run", "tiny.toml", "--patience", "1s", "--worker", "sleep 100"]);
    assert!(said.code == Some(2) && said.err.contains("it gave no reply within 1.0 s"), "{said:?}");
}

#[test]
fn worker_that_closes_its_input_is_reported() {
    is_broken("closes", "it ended its input, but lived on");
}

#[test]
fn what_a_worker_leaves_behind_ends_with_the_run() {
    let folder = TestFolder::new().with_worker("leaves");
    let said = folder.run(&["run", "tiny.toml", "--patience", "4s", "--json", "-"]);
    assert_eq!(said.code, Some(5), "{said:?}");
    wait_until("no process is left", || folder.processes().is_empty());
}

#[test]
fn clock_that_is_too_coarse_for_the_budget_leaves_its_cells_out() {
    let said = run("coarse clock");
    let bad = others_are_measured(&said);
    let says = |record: &Value| record["outcome"]["why"].to_string().contains("its worker's clock is so coarse");
    assert!(bad.len() == 4 && bad.iter().all(says), "{bad:?}");
}

#[test]
fn impossible_times_are_refused() {
    is_broken("nan", "it answered `");
    is_broken("backwards", "it answered `");
    is_broken("zero-ns", "it claims 0 ns for a sample of");
    is_broken("huge-ns", "integers below 2^53");
    is_broken("late-ns", "it claims 4503599627370496 ns, but answered within");
}
