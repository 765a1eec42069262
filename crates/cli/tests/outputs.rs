//! Standard output, standard error and files: their content and form.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::common::{BINARY, CommandOutput, SCENARIO, TestFolder, refuses};
use serde_json::Value;

/// A folder with one finished run.
fn measured() -> TestFolder {
    let folder = TestFolder::new();
    let said = folder.run(&["run", "tiny.toml", "--quiet"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    folder
}

#[track_caller]
fn fine(said: CommandOutput) -> String {
    assert_eq!(said.code, Some(0), "{said:?}");
    said.out
}

#[track_caller]
fn has_keys(value: &Value, keys: &[&str]) {
    let found: BTreeSet<&str> = value.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(found, keys.iter().copied().collect(), "{value}");
}

#[test]
fn json_is_one_document_with_every_record() {
    let folder = TestFolder::new();
    let said = folder.run(&["run", "tiny.toml", "--json", "-", "--quiet"]);
    assert_eq!((said.code, said.err.as_str(), said.out.lines().count()), (Some(0), "", 1), "{said:?}");
    for again in [&["show", "--json"][..], &["show", "1", "--json", "-"], &["export"]] {
        let again = folder.run(again);
        assert_eq!((again.code, again.out == said.out), (Some(0), true), "{}", again.err);
    }
    let shown = folder.run(&["show", "--json", "run.json"]);
    assert!(shown.out.contains("run 1: tiny") && fs::read_to_string(folder.path("run.json")).unwrap() == said.out);
    refuses(&folder.run(&["show", "--json", "1"]), &["names a file: for run 1, `ciphermeter show 1 --json`"]);
    let json = said.json();
    has_keys(&json, &["schema", "ciphermeter", "run", "host", "answer", "records"]);
    assert_eq!(json["ciphermeter"], env!("CARGO_PKG_VERSION"));
    has_keys(
        &json["run"],
        &["id", "started", "status", "seed", "scenario", "against", "mask", "method", "metrics", "notes"],
    );
    assert_eq!((&json["run"]["id"], &json["run"]["status"]), (&1.into(), &"complete".into()));
    assert_eq!(json["run"]["scenario"]["name"], "tiny");
    for (fact, value) in json["host"].as_object().expect("facts").iter().filter(|(fact, _)| *fact != "absent") {
        let why = &json["host"]["absent"][fact];
        assert!(value.is_string() != why.is_string(), "{fact} is a value or absent for a reason: {value} {why}");
    }
    let records = json["records"].as_array().expect("records");
    for (id, record) in records.iter().enumerate() {
        assert_eq!(record["id"], id);
        valid(record);
    }
    let xor = records.iter().filter(|record| record["algorithm"] == "xor").count();
    let memcpy = records.iter().filter(|record| record["algorithm"] == "memcpy").count();
    assert_eq!((xor, memcpy), (4, 4), "each operation in each form, and its ceiling");
}

fn valid(record: &Value) {
    let keys = "id provider algorithm operation form parameters worker runtime version path setup library sha256 \
                program outcome summary percentiles samples latency cpu memory";
    has_keys(record, &keys.split_whitespace().collect::<Vec<_>>());
    has_keys(&record["parameters"], &["message", "aad", "threads"]);
    has_keys(&record["outcome"], &["is"]);
    assert_eq!(record["outcome"]["is"], "measured");
    let keys = "reference ratio range gb_per_s speed_up efficiency converged forks rounds undisturbed_limit \
                undisturbed_limits correlation warnings";
    has_keys(&record["summary"], &keys.split_whitespace().collect::<Vec<_>>());
    has_keys(&record["summary"]["range"], &["low", "mid", "high"]);
    let forks = record["samples"].as_array().expect("forks");
    assert!(!forks.is_empty());
    for fork in forks {
        let columns = fork.as_object().expect("columns").iter().filter(|(_, value)| value.is_array());
        let arrays: Vec<_> = columns.map(|(name, value)| (name.as_str(), value.as_array().expect("array"))).collect();
        for name in ["round", "turn", "after", "iterations", "ns"] {
            assert!(arrays.iter().any(|(column, _)| *column == name), "no {name} in {fork}");
        }
        for (name, values) in &arrays {
            assert_eq!(values.len(), arrays[0].1.len(), "{name} in {fork}");
            let may_lack = !matches!(*name, "round" | "turn" | "iterations" | "ns");
            assert!(values.iter().all(|value| value.is_u64() || (may_lack && value.is_null())), "{name} in {fork}");
        }
        for name in ["iterations", "ns"] {
            assert!(fork[name].as_array().is_some_and(|values| values.iter().all(|value| *value != 0)), "{fork}");
        }
    }
}

/// Exports match `schema`: of a run with `unsupported`, of an interrupted one, of threads and single calls.
#[test]
fn every_export_matches_the_schema() {
    let folder = TestFolder::new().with_worker("honest");
    folder.fits_the_schema(&folder.run(&["run", "tiny.toml", "--json", "-", "--quiet"]).json());
    folder.write("more.toml", format!("{SCENARIO}threads = [1, \"all\"]\nlatency = true\n"));
    let more = folder.run(&["run", "more.toml", "--json", "-", "--quiet"]).json();
    folder.fits_the_schema(&more);
    let any =
        |test: &dyn Fn(&Value) -> bool| more["records"].as_array().is_some_and(|records| records.iter().any(test));
    assert!(any(&|record| record["percentiles"]["calls"].is_u64()), "single calls are timed");
    let table = fine(folder.run(&["show", "--all"]));
    assert!(table.contains("single calls: encrypt"), "{table}");
}

/// Read by benchstat itself in `tests/benchstat`.
#[test]
fn formats_of_other_tools_are_valid() {
    let folder = measured();
    let benchstat = fine(folder.run(&["export", "--format", "benchstat"]));
    let name = "Encrypt/algorithm=xor/provider=ceiling/form=in-place/message=64/aad=0-1";
    let lines: Vec<Vec<&str>> = benchstat.lines().map(|line| line.split(' ').collect()).collect();
    let lines: Vec<_> = lines.iter().filter(|fields| fields[0] == format!("Benchmark{name}")).collect();
    let json: Value = serde_json::from_str(&fine(folder.run(&["export", "--format", "json"]))).expect("JSON");
    let exported = json["records"].as_array().expect("records").iter();
    let mut this = exported.filter(|record| {
        (&record["algorithm"], &record["form"], &record["operation"])
            == (&"xor".into(), &"in-place".into(), &"encrypt".into())
    });
    let record = this.next().expect("the record");
    // Complete forks. On a busy machine some have no undisturbed sample, and others no undisturbed pair for a ratio.
    let whole = record["samples"].as_array().expect("forks").iter().filter(|fork| fork["short"] == false);
    let paired = record["summary"]["forks"].as_u64().expect("a number") as usize;
    assert!((paired..=whole.count()).contains(&lines.len()), "a line a fork: {benchstat}");
    if lines.is_empty() {
        return println!("skipped: the machine was so busy that there is nothing to export");
    }
    for fields in &lines {
        let [_, iterations, ns, "ns/op", rate, "MB/s"] = fields[..] else { panic!("{fields:?}") };
        assert!(iterations.parse::<u64>().is_ok_and(|iterations| iterations > 0), "{fields:?}");
        let [ns, rate]: [f64; 2] = [ns, rate].map(|number| number.parse().expect("a number"));
        assert!((ns * rate / 64e3 - 1.0).abs() < 0.01, "{fields:?}");
    }
    let bmf = folder.run(&["export", "--format", "bmf"]).json();
    has_keys(&bmf[name], &["latency", "throughput"]);
    // A single fork, as in such a short run on a busy machine, has no interval.
    let keys = if lines.len() == 1 { &["value"][..] } else { &["value", "lower_value", "upper_value"] };
    for measure in ["latency", "throughput"] {
        has_keys(&bmf[name][measure], keys);
    }
}

#[test]
fn csv_replaces_the_table() {
    let said = TestFolder::new().run(&["run", "tiny.toml", "--verbose", "--csv", "-"]);
    assert!(said.err.contains("note: "), "notes go to standard error: {}", said.err);
    let out = fine(said);
    let mut lines = out.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    assert_eq!(header[..7], ["run", "started", "cell", "provider", "algorithm", "operation", "form"]);
    let outcome = header.iter().position(|column| *column == "outcome").expect("a column");
    for (cell, line) in lines.enumerate() {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!((fields[0], fields[2], fields[outcome]), ("1", cell.to_string().as_str(), "measured"), "{line}");
    }
    assert!(out.lines().count() > 8 && !out.contains("GB/s"));
}

#[test]
fn files_are_written_beside_the_table() {
    let folder = TestFolder::new();
    let table = fine(folder.run(&["run", "tiny.toml", "--json", "run.json", "--csv", "run.csv"]));
    assert!(table.contains("\nrun 1: tiny") && table.contains("GB/s"), "{table}");
    let read = |name| fs::read_to_string(folder.path(name)).expect("the file");
    assert_eq!(read("run.json"), fine(folder.run(&["export", "1"])));
    assert_eq!(read("run.csv"), fine(folder.run(&["export", "--format", "csv"])));
    assert_eq!(table, fine(folder.run(&["show"])), "`show` prints what `run` printed");
    fine(folder.run(&["export", "-o", "again.json"]));
    assert_eq!(read("again.json"), read("run.json"));
}

#[test]
fn list_has_a_line_for_each_run() {
    let folder = measured();
    fine(folder.run(&["run", "tiny.toml", "--quiet"]));
    let out = fine(folder.run(&["list"]));
    let rows: Vec<Vec<&str>> = out.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows.len(), 3, "{out}");
    assert_eq!(rows[0][0], "run");
    for (row, id) in rows[1..].iter().zip(["1", "2"]) {
        assert_eq!((row[0], row[3], row[4]), (id, "tiny", "complete"), "{out}");
    }
    assert!(fine(folder.run(&["show", "1"])).contains("\nrun 1: tiny"));
    assert!(fine(folder.run(&["show"])).contains("\nrun 2: tiny"), "the latest");
    assert!(fine(folder.run(&["show", "--all"])).starts_with("run 2: tiny"));
}

/// Run 2 of the store was killed, run 10 interrupted in a fork.
#[test]
fn list_says_of_runs_what_show_says() {
    let folder = TestFolder::with_runs();
    let out = fine(folder.run(&["list"]));
    let row = |run: usize| out.lines().nth(run).expect("a run");
    assert!(row(2).contains(" cut off ") && !out.contains(" open "), "{out}");
    assert!(folder.run(&["show", "2"]).out.contains(", cut off, on "));
    let (_, forks) = row(10).rsplit_once(' ').expect("its forks");
    let shown = folder.run(&["show", "10"]).out;
    assert!(shown.contains(&format!("of {forks} forks")), "{forks} {shown}");
}

#[test]
fn colors_are_for_terminals_or_on_request() {
    let folder = measured();
    let show = |color: &[&str], no_color: Option<&str>| {
        let mut command = folder.ciphermeter(&[&["show"], color].concat());
        command.envs(no_color.map(|value| ("NO_COLOR", value)));
        fine(CommandOutput::of(command.output().expect("it runs")))
    };
    assert!(!show(&[], None).contains('\u{1b}'), "no terminal, no color");
    assert!(!show(&["--color", "never"], None).contains('\u{1b}'));
    assert!(show(&["--color", "always"], None).contains("\u{1b}["));
    assert!(show(&["--color", "always"], Some("1")).contains("\u{1b}["), "an explicit argument takes precedence");
    let plain = strip(&show(&["--color", "always"], None));
    assert_eq!(plain, show(&[], None), "colors change nothing else");
}

/// Without color escapes.
fn strip(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').map_or("", |(_, rest)| rest))
}

/// Needs `python3`, which has pseudo-terminals in its library.
#[test]
fn no_color_holds_on_a_terminal() {
    const SPAWN: &str = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
    let folder = measured();
    let show = |no_color: Option<&str>, arguments: &[&str]| {
        let harness = folder.ciphermeter(&[]);
        let mut command = Command::new("python3");
        command.args(["-c", SPAWN, BINARY, "show"]).args(arguments).stdin(Stdio::null()).env_remove("NO_COLOR");
        command.envs(harness.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.envs(no_color.map(|value| ("NO_COLOR", value)));
        fine(CommandOutput::of(command.output().expect("python3 runs")))
    };
    assert!(show(None, &[]).contains("\u{1b}["));
    assert!(show(Some(""), &[]).contains("\u{1b}["), "an empty NO_COLOR doesn't count");
    assert!(!show(Some("1"), &[]).contains("\u{1b}["));
    assert!(show(Some("1"), &["--color", "always"]).contains("\u{1b}["));
    assert!(!show(None, &["--color", "never"]).contains("\u{1b}["));
}

#[track_caller]
fn fits(text: &str) {
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{} characters: {line}", line.chars().count());
    }
}

#[test]
fn no_line_is_wider_than_80_columns() {
    let folder = TestFolder::new().with_worker("garbage");
    folder.write("long.toml", SCENARIO.replace("\"tiny\"", "\"packet-sizes-of-our-vpn-gateway\""));
    for scenario in ["tiny.toml", "long.toml"] {
        let said = folder.run(&["run", scenario]);
        assert_eq!(said.code, Some(5), "{said:?}");
        fits(&said.out);
        fits(&said.err);
    }
    for arguments in [
        &["list"][..],
        &["show", "1"],
        &["show"],
        &["doctor"],
        &["doctor", "-v"],
        &["workers"],
        &["--help"],
        &["run", "-h"],
    ] {
        fits(&fine(folder.run(arguments)));
    }
}

/// A name is text from outside: refused or shown, it must not control the terminal.
#[test]
fn control_characters_do_not_reach_the_terminal() {
    let folder = measured();
    folder.write("odd.toml", SCENARIO.replace("\"tiny\"", "\"ti\\u001b[31mny\\nrun 7: tiny\""));
    for said in [folder.run(&["run", "odd.toml"]), folder.run(&["show"]), folder.run(&["list"])] {
        let forged = |text: &str| text.contains('\u{1b}') || text.lines().any(|line| line.starts_with("run 7"));
        assert!(!forged(&said.out) && !forged(&said.err), "{said:?}");
    }
}

#[test]
fn doctor_names_the_cpu_and_every_provider() {
    let folder = TestFolder::new().with_worker("honest");
    let out = fine(folder.run(&["doctor", "--verbose"]));
    for heading in ["This machine", "What spoils measurements", "Built-in providers", "Workers of other languages"] {
        assert!(out.contains(heading), "{out}");
    }
    let fact = |name: &str| out.lines().find_map(|line| line.trim_start().strip_prefix(name)).map(str::trim);
    assert!(fact("cpu ").is_some_and(|cpu| !cpu.is_empty()), "{out}");
    for provider in ["aws-lc", "ring", "rustcrypto", "graviola", "openssl", "ceiling", "bad"] {
        let tells = |line: &str| line.starts_with("  ok ") || line.starts_with("  miss ");
        assert!(out.lines().any(|line| tells(line) && line.contains(provider)), "{provider}: {out}");
    }
    let short = fine(folder.run(&["doctor"]));
    for word in ["cpu ", " checks are fine", "aws-lc", "bad", "doctor --verbose"] {
        assert!(short.contains(word), "{word}: {short}");
    }
    assert!(short.lines().count() < out.lines().count() && !short.contains("kernel  "), "{short}");
}

#[test]
fn workers_are_listed_built_and_checked() {
    let folder = TestFolder::new();
    assert!(fine(folder.run(&["workers"])).contains("give their folder with --workers"));
    let folder = folder.with_worker("honest");
    for arguments in [&["workers"][..], &["workers", "list"]] {
        let out = fine(folder.run(arguments));
        assert!(out.contains("bad") && out.contains("built") && out.contains("workers/bad"), "{out}");
    }
    fine(folder.run(&["workers", "build", "bad"]));
    let out = fine(folder.run(&["workers", "check", "bad"]));
    assert!(out.starts_with("bad, bad: python") && out.contains("xor") && out.contains("in-place,into"), "{out}");
    let said = folder.with_worker("dies describe").run(&["workers", "check"]);
    assert_eq!(said.code, Some(5), "{said:?}");
    assert!(said.out.contains("bad, bad: its worker failed: it ended with exit code 7"), "{said:?}");
}

#[test]
fn workers_folder_is_accepted_before_and_after_the_verb() {
    let folder = TestFolder::new().with_worker("honest");
    for arguments in [["workers", "--workers", "workers", "check"], ["workers", "check", "--workers", "workers"]] {
        assert!(fine(folder.run(&arguments)).contains("xor"));
    }
}

#[test]
fn unbuilt_worker_is_a_note_and_makes_the_run_partial_if_named() {
    let folder = TestFolder::new().with_worker("honest");
    let manifest = fs::read_to_string(folder.path("workers/bad/worker.toml")).expect("the manifest");
    folder.write("workers/bad/worker.toml", manifest.replace("built = \"worker.toml\"", "built = \"bin/none\""));
    for (arguments, code) in [(&["run", "tiny.toml"][..], 0), (&["run", "tiny.toml", "--provider", "bad,ceiling"], 5)] {
        let said = folder.run(arguments);
        assert_eq!(said.code, Some(code), "{said:?}");
        let note = said.err.split_whitespace().collect::<Vec<_>>().join(" ");
        let why = "bad is not measured: the worker bad is not built: `ciphermeter workers build bad` builds it";
        assert!(note.contains(why), "{note}");
    }
}

#[test]
fn missing_or_old_toolchain_is_named_with_the_remedy() {
    let folder = TestFolder::new().with_worker("honest");
    let manifest = fs::read_to_string(folder.path("workers/bad/worker.toml")).expect("the manifest");
    let unbuilt = manifest.replace("built = \"worker.toml\"", "built = \"bin/none\"");
    let old = r#"check = ["sh", "-c", "echo Python 2.7 is here, 3.9 or later is wanted >&2; exit 1"]"#;
    let check = r#"check = ["python3", "--version"]"#;
    for (check_line, why) in
        [(old, "Python 2.7 is here, 3.9 or later is wanted"), (r#"check = ["snake99"]"#, "there is no `snake99`")]
    {
        assert!(unbuilt.contains(check));
        folder.write("workers/bad/worker.toml", unbuilt.replace(check, check_line));
        let built = folder.run(&["workers", "build"]);
        assert_eq!(built.code, Some(5), "{built:?}");
        assert_eq!(built.err, format!("bad: left out, {why}; it needs Python 3\n"));
        let said = folder.run(&["run", "tiny.toml", "--provider", "bad,ceiling"]);
        let note = said.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(note.contains(&format!("toolchain is missing or too old: {why}; it needs Python 3")), "{note}");
        assert_eq!(said.code, Some(5));
        assert!(folder.run(&["doctor", "-v"]).out.contains(why));
    }
    // A build that succeeds but creates nothing, and one that fails.
    folder.write("workers/bad/worker.toml", &unbuilt);
    let said = folder.run(&["workers", "build", "bad"]);
    assert_eq!(said.code, Some(5));
    assert!(said.err.contains("`true` succeeded in ") && said.err.contains("but did not create bin/none"), "{said:?}");
    folder.write("workers/bad/worker.toml", unbuilt.replace("build = [\"true\"]", "build = [\"false\"]"));
    let said = folder.run(&["workers", "build", "bad"]);
    assert_eq!(said.code, Some(5));
    assert!(said.err.contains("`false` failed in ") && said.err.contains("with exit status: 1"), "{said:?}");
}

#[test]
fn version_and_help() {
    let folder = TestFolder::new();
    assert_eq!(fine(folder.run(&["--version"])), format!("ciphermeter {}\n", env!("CARGO_PKG_VERSION")));
    let help = fine(folder.run(&["--help"]));
    for command in ["run", "list", "show", "export", "doctor", "workers"] {
        assert!(help.lines().any(|line| line.starts_with(&format!("  {command} "))), "no {command} in {help}");
        assert!(fine(folder.run(&[command, "--help"])).contains("Usage: ciphermeter"));
    }
    for words in ["3 wrong output", "5 no answer yet", "130 interrupted", "--resume", "--json", "--budget"] {
        assert!(help.replace('\n', " ").contains(words), "no {words} in {help}");
    }
}

/// `ciphermeter … | head -1` ends without an error.
#[test]
fn closed_pipe_is_no_error() {
    let folder = measured();
    for arguments in [
        &["run", "tiny.toml", "--quiet", "--json", "-"][..],
        &["run", "tiny.toml", "--quiet"],
        &["export"],
        &["export", "--format", "csv"],
        &["export", "--format", "benchstat"],
        &["export", "--format", "bmf"],
        &["schema"],
        &["show"],
        &["list"],
        &["doctor"],
        &["workers"],
        &["--help"],
    ] {
        let mut harness =
            folder.ciphermeter(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        drop(harness.stdout.take());
        let said = CommandOutput::of(harness.wait_with_output().expect("its end"));
        assert!(matches!(said.code, Some(0)) && !said.err.contains("panicked"), "{arguments:?}: {said:?}");
    }
    let mut harness =
        folder.ciphermeter(&["export"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut line = String::new();
    BufReader::new(harness.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    let said = CommandOutput::of(harness.wait_with_output().expect("its end"));
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
    assert!(line.starts_with("{\"schema\":2,\"ciphermeter\""));
}
