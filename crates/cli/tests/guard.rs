//! `guard`: alarms that are confirmed and alarms that are not, what is recorded, and what is refused.
//!
//! The worker in Python makes what a library's change would: it works in vain, so its outputs stay right. Half a slowdown's size is the
//! threshold, so that a busy machine decides like an idle one.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::common::{BINARY, CommandOutput, ONE_MODE_OF_OPENSSL, TestFolder, libcrypto, refuses, wait_until};
use crate::other_program::{copied, stand_in};
use crate::wrappers::wrapper;

const WORKER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bad_worker/worker.py");
/// Six forks fit into it on a busy machine, too; as a rule the precision ends it within seconds. Two processes of one Python differ by a
/// fifth there.
const ENOUGH: [&str; 6] = ["--budget", "32s", "--threshold", "60%", "--may-hide", "90%"];

/// A folder with both sides' workers, which are good or bad in these ways.
fn sides(old: &str, new: &str) -> TestFolder {
    let folder = TestFolder::new();
    for (side, mode) in [("old", old), ("new", new)] {
        worker(&folder, side, mode);
    }
    folder
}

fn worker(folder: &TestFolder, name: &str, mode: &str) {
    folder.program(name, format!("#!/bin/sh\nexec python3 -S {WORKER} {mode}\n"));
}

/// PATH with the folder of stand-ins in front.
fn path(folder: &TestFolder) -> String {
    format!("{}:{}", folder.path("bin").display(), std::env::var("PATH").expect("a PATH"))
}

fn guarded(folder: &TestFolder, options: &[&str]) -> CommandOutput {
    folder.run(&[&["guard", "./old", "./new", "./tiny.toml"][..], &ENOUGH, options].concat())
}

/// The document in `guard.json`, which fits its schema.
fn document(folder: &TestFolder) -> Value {
    let text = fs::read(folder.path("guard.json")).expect("a document");
    let document = serde_json::from_slice(&text).expect("JSON");
    folder.fits_the_schema_of("guard", &document);
    document
}

fn standings(document: &Value) -> Vec<&str> {
    document["alarms"].as_array().expect("alarms").iter().filter_map(|alarm| alarm["standing"].as_str()).collect()
}

fn providers(measurement: &Value) -> Vec<&str> {
    let records = measurement["records"].as_array().expect("records").iter();
    let mut names: Vec<&str> = records.filter_map(|record| record["provider"].as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[test]
fn what_did_not_change_raises_no_alarm_and_is_recorded() {
    let folder = sides("honest", "honest");
    let outputs = ["--json", "guard.json", "--markdown", "guard.md", "--history", "history.jsonl"];
    let said = guarded(&folder, &outputs);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("Nothing is surely slower by more than 60 %"), "{said:?}");
    assert!(said.out.lines().all(|line| line.chars().count() <= 80), "{said:?}");
    let document = document(&folder);
    assert_eq!((&document["finding"], standings(&document).len()), (&Value::from("fine"), 0));
    let measurements = document["measurements"].as_array().expect("measurements");
    assert_eq!((measurements.len(), providers(&measurements[0])), (1, vec!["bad", "bad@old"]));
    let comment = fs::read_to_string(folder.path("guard.md")).expect("a comment");
    assert!(
        comment.starts_with("<!-- ciphermeter guard -->\n### Speed: nothing slower by more than 60 %\n"),
        "{comment}"
    );
    let command =
        "\n```\nciphermeter guard ./old ./new ./tiny.toml '--threshold=60%' '--may-hide=90%' --budget 32s\n```\n";
    assert!(comment.ends_with(command), "{comment}");
    let history = fs::read_to_string(folder.path("history.jsonl")).expect("a history");
    assert_eq!((history.lines().count(), history.ends_with('\n')), (1, true), "{history}");
    // A guard's run is measured as a whole, or not at all.
    refuses(&folder.run(&["run", "--resume=1"]), &["run 1 was measured for a guard", "`ciphermeter guard`"]);
}

#[test]
fn alarm_is_confirmed_before_it_is_raised() {
    let folder = sides("honest", "slow-encrypt");
    let outputs = ["--json", "guard.json", "--markdown", "guard.md", "--push", "http://127.0.0.1:1"];
    let words = [&["guard", "./old", "./new", "./tiny.toml", "--seed", "7"][..], &ENOUGH, &outputs].concat();
    let mut command = copied(&folder, &words);
    stand_in(&folder.path(""), "ciphermeter-serve", 5);
    let said = CommandOutput::of(command.env("PATH", path(&folder)).output().expect("its end"));
    assert_eq!(said.code, Some(1), "a server that is away changes no verdict: {said:?}");
    let called = fs::read_to_string(folder.path("called")).expect("both runs are pushed");
    let called: Vec<&str> = called.lines().map(|line| line.split(" by ").next().unwrap_or_default()).collect();
    assert_eq!(called, ["push 1 --to http://127.0.0.1:1", "push 2 --to http://127.0.0.1:1"]);
    let sentence = "They are confirmed: slower again in a second measurement";
    assert!(said.out.contains("2 of 4 cells are surely slower") && said.out.contains(sentence), "{said:?}");
    assert!(said.err.contains("2 cells seem slower"), "{said:?}");
    let document = document(&folder);
    assert_eq!(standings(&document), ["confirmed"; 2]);
    let [first, again] = &document["measurements"].as_array().expect("measurements")[..] else { panic!("{said:?}") };
    assert_eq!([&first["run"]["seed"], &again["run"]["seed"]], [7, 8]);
    assert_eq!(providers(again), ["bad", "bad@control", "bad@old"]);
    let records = again["records"].as_array().expect("records");
    assert!(records.iter().all(|record| record["operation"] == "encrypt"), "the alarms alone");
    let notes = again["run"]["notes"].to_string();
    assert!(notes.contains("OLD is started anew, not copied: a command cannot be copied"), "{notes}");
    let comment = fs::read_to_string(folder.path("guard.md")).expect("a comment");
    assert!(
        comment.contains("### Speed: 2 of 4 cells slower, by up to +") && comment.contains("| confirmed |"),
        "{comment}"
    );
    // A job's artifact can be read elsewhere.
    let elsewhere = folder.path("elsewhere.db").display().to_string();
    let imported = folder.run(&["import", "guard.json", "--store", &elsewhere]);
    assert_eq!((imported.code, imported.out.lines().count()), (Some(0), 2), "{imported:?}");
    // Whatever shows the second run later takes its control for what it is.
    let shown = folder.run(&["show", "2"]);
    assert!(shown.out.contains("Control: a second copy of the old side"), "{shown:?}");
}

/// A job's end must not cost what was decided before. Only workers of machine code are counted.
#[test]
fn verdict_is_written_though_the_count_is_cut_off() {
    let folder = TestFolder::new();
    folder.program("bin/valgrind", "#!/bin/sh\ntouch counting\nexec sleep 600\n");
    let old = format!("{BINARY} worker native --provider rustcrypto");
    let new = format!("{old} --slowed 100%");
    let cell = ["--algorithm", "chacha20-poly1305", "--operation", "seal", "--message", "1KiB"];
    let words = [&["guard", &old, &new, "--markdown", "guard.md"][..], &cell, &ENOUGH].concat();
    let mut command = folder.ciphermeter(&words);
    command.env("PATH", path(&folder)).stdout(Stdio::piped()).stderr(Stdio::piped());
    let guard = command.spawn().expect("it runs");
    wait_until("valgrind was started", || folder.path("counting").exists());
    kill_process(Pid::from_child(&guard), Signal::INT).expect("it lives");
    let said = CommandOutput::of(guard.wait_with_output().expect("its end"));
    assert_eq!(said.code, Some(1), "{said:?}");
    let comment = fs::read_to_string(folder.path("guard.md")).expect("a comment");
    let why = "its instructions were not counted: you ended the run before they were";
    assert!(comment.contains("### Speed: 1 of 1 cell slower, by up to +") && comment.contains(why), "{comment}");
}

#[test]
fn alarm_that_is_not_confirmed_is_none_and_is_remembered() {
    let folder = sides("honest", "slow-in-company");
    let said = guarded(&folder, &["--json", "guard.json", "--history", "history.jsonl"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("Not confirmed: bad xor encrypt"), "{said:?}");
    assert_eq!(standings(&document(&folder)), ["not-slower"; 2]);
    let again = guarded(&folder, &["--history", "history.jsonl"]);
    let words = again.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("Alarms in these changes that came to nothing: bad xor encrypt"), "{again:?}");
}

#[test]
fn copies_of_the_old_side_that_differ_by_as_much_refute_an_alarm() {
    let folder = sides("slow-as-second", "slow");
    let said = guarded(&folder, &["--json", "guard.json"]);
    assert!(matches!(said.code, Some(0 | 5)), "{said:?}");
    let document = document(&folder);
    assert!(!standings(&document).is_empty(), "{said:?}");
    assert!(!standings(&document).contains(&"confirmed"), "{document:?}");
}

#[test]
fn wrong_output_is_graver_than_a_slowdown() {
    let said = guarded(&sides("honest", "wrong-output"), &[]);
    assert_eq!(said.code, Some(3), "{said:?}");
}

#[test]
fn cells_that_are_lost_are_named() {
    let folder = sides("honest", "dies");
    let said = guarded(&folder, &["--json", "guard.json", "--markdown", "guard.md"]);
    assert_eq!(said.code, Some(5), "{said:?}");
    assert!(said.out.contains("LOST"), "{said:?}");
    assert_eq!(document(&folder)["finding"], "partial");
    assert!(fs::read_to_string(folder.path("guard.md")).expect("a comment").contains("**LOST**"));
}

/// A history whose line 1 was measured here, and further ones made of it, each with cells slower by a quarter.
fn drifting(folder: &TestFolder) -> String {
    let said = guarded(folder, &["--history", "history.jsonl"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let first = fs::read_to_string(folder.path("history.jsonl")).expect("a history");
    let mut text = first.clone();
    for number in 1..=5 {
        let mut change: Value = serde_json::from_str(&first).expect("JSON");
        change["old"] = format!("code {number}").into();
        change["new"] = format!("code {}", number + 1).into();
        for cell in change["cells"].as_array_mut().expect("cells") {
            (cell["mid"], cell["low"], cell["high"]) = (1.25.into(), 1.24.into(), 1.26.into());
        }
        text += &(change.to_string() + "\n");
    }
    text
}

#[test]
fn history_says_what_single_steps_hide() {
    let folder = sides("honest", "honest");
    let text = drifting(&folder);
    folder.write("history.jsonl", text);
    let said = guarded(&folder, &["--history", "history.jsonl", "--json", "guard.json"]);
    assert_eq!(said.code, Some(0), "what drifted is not this change's fault: {said:?}");
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    // Both sides are the same script, so nothing says that the pair of the first line was measured again.
    assert!(words.contains("Over the last 7 changes since"), "{said:?}");
    assert!(words.contains("4 cells surely became slower by more than 60 %: bad xor"), "{said:?}");
    assert_eq!(document(&folder)["history"]["drifts"].as_array().map(Vec::len), Some(4));
}

#[test]
fn damaged_history_is_read_as_far_as_it_goes() {
    let folder = sides("honest", "honest");
    let text = drifting(&folder);
    let whole: Vec<&str> = text.lines().collect();
    folder.write("history.jsonl", format!("{}\n\u{1b}[2Jno line\n{}\n{}", whole[1], whole[2], &whole[3][..50]));
    let said = guarded(&folder, &["--history", "history.jsonl"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("Line 2 of the history is damaged") && said.out.contains("Line 4 of"), "{said:?}");
    assert!(!said.out.contains('\u{1b}'), "{said:?}");
    let after = fs::read_to_string(folder.path("history.jsonl")).expect("a history");
    assert_eq!(after.lines().count(), 5, "the line that was cut off is ended first: {after}");
    let last: Value = serde_json::from_str(after.lines().last().expect("a line")).expect("the change of now");
    assert_eq!(last["cells"].as_array().map(Vec::len), Some(4));
}

#[test]
fn identical_files_are_known_at_once() {
    let Some(library) = libcrypto() else { return };
    let folder = TestFolder::new();
    for side in ["base/libcrypto.so.3", "head/libcrypto.so.3"] {
        folder.write(side, fs::read(&library).expect("the library"));
    }
    let pair = ["guard", "base/libcrypto.so.3", "head"];
    let said = folder.run(&[&pair[..], &["--json", "guard.json", "--markdown", "-"]].concat());
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("OLD and NEW have the same bytes"), "{said:?}");
    assert!(!folder.path("runs.db").exists(), "nothing was measured");
    assert_eq!(document(&folder)["measurements"], Value::Array(Vec::new()));
    refuses(&folder.run(&["guard", "base/libcrypto.so.3", "base"]), &["are the same", "name two builds"]);
}

/// A libcrypto whose every call works in vain for so long before it encrypts.
fn encrypting(turns: u32) -> String {
    format!(
        "int EVP_EncryptUpdate(void *c, void *o, int *l, const void *i, int n) {{
            int (*next)(void *, void *, int *, const void *, int) = dlsym(RTLD_NEXT, \"EVP_EncryptUpdate\");
            for (volatile int turn = 0; turn < {turns}; turn++);
            return next(c, o, l, i, n);
        }}\n"
    )
}

/// Two libcryptos, of which the new one is slower; nothing where this system has none.
fn libraries() -> Option<TestFolder> {
    let library = libcrypto()?;
    let folder = TestFolder::new();
    folder.write("one.toml", ONE_MODE_OF_OPENSSL);
    for (name, turns) in [("libold.so", 1), ("libnew.so", 20_000)] {
        assert!(wrapper(&folder, name, &encrypting(turns), &library), "{name}");
    }
    Some(folder)
}

const LIBRARIES: [&str; 6] = ["guard", "libold.so", "libnew.so", "./one.toml", "--json", "guard.json"];

#[test]
fn libraries_are_copied_before_an_alarm_is_confirmed() {
    let Some(folder) = libraries() else { return };
    let said = folder.run(&[&LIBRARIES[..], &ENOUGH].concat());
    assert_eq!(said.code, Some(1), "{said:?}");
    let document = document(&folder);
    let [first, again] = &document["measurements"].as_array().expect("measurements")[..] else { panic!("{said:?}") };
    assert_eq!(providers(first), ["openssl", "openssl@old"]);
    assert_eq!(providers(again), ["openssl", "openssl@control", "openssl@old"]);
    let files = |measurement: &Value| -> BTreeSet<String> {
        let records = measurement["records"].as_array().expect("records").iter();
        records.filter_map(|record| Some(record["library"].as_str()?.to_owned())).collect()
    };
    let (first, again) = (files(first), files(again));
    assert_eq!((first.len(), again.len()), (2, 3));
    assert!(again.iter().all(|file| file.contains("/ciphermeter-copies-") && !Path::new(file).exists()), "{again:?}");
}

#[test]
#[ignore = "deep: ten seconds"]
fn libraries_that_cannot_be_copied_are_started_anew() {
    let Some(folder) = libraries() else { return };
    let mut command = folder.ciphermeter(&[&LIBRARIES[..], &ENOUGH].concat());
    let said = CommandOutput::of(command.env("TMPDIR", "/nonexistent").output().expect("it runs"));
    assert_eq!(said.code, Some(1), "{said:?}");
    let notes = document(&folder)["measurements"][1]["run"]["notes"].to_string();
    let why = "OLD is started anew, not copied: cannot make a folder for copies in /nonexistent; set TMPDIR to another";
    assert!(notes.contains(why), "{notes}");
}

#[test]
fn folders_of_workers_are_compared() {
    let folder = TestFolder::new();
    let manifest = "name = \"mine\"\nlanguage = \"Python\"\nproviders = [\"bad\"]\ncheck = [\"true\"]\nneeds = \"nothing\"\n\
                    build = [\"true\"]\nbuilt = \"run\"\nrun = [\"./run\"]\n";
    for side in ["old", "new"] {
        folder.write(&format!("{side}/mine/worker.toml"), manifest);
    }
    worker(&folder, "old/mine/run", "honest");
    refuses(&folder.run(&["guard", "old", "new", "./tiny.toml"]), &["NEW: the worker mine is not built", "builds it"]);
    worker(&folder, "new/mine/run", "slow");
    let said = guarded(&folder, &["--json", "guard.json"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert_eq!(providers(&document(&folder)["measurements"][0]), ["bad", "bad@old"]);
}

#[test]
fn ciphermeters_are_compared_by_the_providers_that_are_named() {
    let folder = TestFolder::new();
    let code = fs::read(BINARY).expect("the binary");
    for (name, behind) in [("old/ciphermeter", "old"), ("new/ciphermeter", "new")] {
        folder.program(name, [&code[..], behind.as_bytes()].concat());
    }
    let pair = ["guard", "old/ciphermeter", "new/ciphermeter"];
    refuses(&folder.run(&pair), &["providers in common", "name those that the change touches with --provider"]);
    let options = ["--provider", "ring", "--message", "64", "--budget", "5s", "--threshold", "90%"];
    let said = folder.run(&[&pair[..], &options, &["--json", "guard.json"]].concat());
    // A busy machine may have too few undisturbed forks.
    assert!(matches!(said.code, Some(0 | 4 | 5)), "{said:?}");
    let document = document(&folder);
    assert_eq!(providers(&document["measurements"][0]), ["ring", "ring@old"]);
    let programs = document["measurements"][0]["records"].as_array().expect("records").iter();
    let programs: BTreeSet<String> = programs.map(|record| record["program"].to_string()).collect();
    assert_eq!(programs.len(), 2, "each side's own binary is its worker: {programs:?}");
}

#[test]
fn what_cannot_be_guarded_is_refused_with_a_remedy() {
    let folder = sides("honest", "slow");
    folder.write("text.so", "no library");
    folder.write("copy.so", "no library");
    fs::create_dir(folder.path("empty")).expect("a folder");
    assert!(Command::new("mkfifo").arg(folder.path("pipe")).status().expect("mkfifo").success());
    let large = fs::File::create(folder.path("large.jsonl")).expect("a file");
    large.set_len(1 << 30).expect("a sparse file");
    folder.program("other", "#!/bin/sh\nexec python3 -S other.py\n");
    let guard = |pair: [&str; 2], options: &[&str]| folder.run(&[&["guard"], &pair[..], options].concat());
    for (pair, words) in [
        (["nowhere.so", "./new"], &["OLD: there is no library nowhere.so", "give the path"][..]),
        (["./old", "no-such-program-here"], &["NEW: no-such-program-here did not start", "give a libcrypto"]),
        (["", "./new"], &["OLD", "names nothing", "give a libcrypto"]),
        (["./old", "/dev/zero"], &["NEW: /dev/zero is a device", "give a libcrypto"]),
        (["pipe", "./new"], &["OLD: pipe is a device, pipe or socket"]),
        (["./old", "empty"], &["NEW: there is no libcrypto in empty", "worker.toml"]),
        (["text.so", "./new"], &["text.so cannot be measured as a libcrypto"]),
        (["text.so", "copy.so"], &["copy.so cannot be measured as a libcrypto"]),
        (["./old", "./old"], &["OLD and NEW are the same", "name two builds"]),
        (["./other", "./new"], &["OLD", "is not a worker"]),
    ] {
        refuses(&guard(pair, &[]), words);
    }
    let sides = ["./old", "./new"];
    for (options, words) in [
        (
            &["transfer"][..],
            &["guard compares calls on messages only; for transfer, use `ciphermeter run transfer --against OLD`"][..],
        ),
        (&["--latency"], &["guard compares the time of calls only: remove --latency"]),
        (&["--provider", "openssl"], &["NEW ", "only bad", "check --provider"]),
        (&["--history", "-"], &["--history names a file"]),
        (&["--history", "empty"], &["cannot write empty", "give another file"]),
        (&["--history", "pipe"], &["cannot read the history pipe", "not a regular file"]),
        (&["--history", "large.jsonl"], &["large.jsonl", "it is longer than 32MiB", "move it elsewhere"]),
        (&["--history", "nowhere/h.jsonl"], &["cannot write nowhere/h.jsonl"]),
        (&["--json", "x", "--markdown", "./x"], &["name the same file", "give each its own"]),
        (&["--json", "--markdown"], &["only one of --json and --markdown"]),
    ] {
        refuses(&guard(sides, options), words);
    }
    assert!(!folder.path("runs.db").exists(), "nothing was measured");
}

/// A libcrypto has no provider that the worker has, whichever of them is old.
#[test]
fn sides_of_other_kinds_have_nothing_in_common() {
    let Some(library) = libcrypto() else { return };
    let folder = sides("honest", "slow");
    let library = library.display().to_string();
    for pair in [["./old", library.as_str()], [library.as_str(), "./new"]] {
        refuses(&folder.run(&["guard", pair[0], pair[1]]), &["they have no provider in common"]);
    }
}
