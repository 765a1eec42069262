//! Scenarios from the command line: every list replaces the scenario's own, and lists that give no cells are refused
//! with valid ones.

use std::collections::BTreeSet;

use crate::common::{CommandOutput, TestFolder};
use serde_json::Value;

/// Runs for a second at most; returns the export.
fn measured(folder: &TestFolder, arguments: &[&str]) -> Value {
    measured_within("1s", folder, arguments)
}

/// Runs for the budget at most; returns the export.
fn measured_within(budget: &str, folder: &TestFolder, arguments: &[&str]) -> Value {
    let rest = ["--budget", budget, "--precision", "50%", "--quiet", "--json", "-"];
    let said = folder.run(&[arguments, &rest].concat());
    // A second decides nothing between two ciphers.
    assert!(matches!(said.code, Some(0 | 5)), "{arguments:?}: {said:?}");
    said.json()
}

/// The distinct values of a field over all records, without ceilings.
fn values(run: &Value, field: &str) -> BTreeSet<String> {
    let records = run["records"].as_array().expect("records").iter();
    let ciphers = records.filter(|record| record["algorithm"] == "xor" || record["provider"] != "ceiling");
    let value = |record: &Value| match &record[field] {
        Value::Null => record["parameters"][field].clone(),
        value => value.clone(),
    };
    ciphers.map(|record| value(record).to_string().replace('"', "")).collect()
}

fn set(values: &[&str]) -> BTreeSet<String> {
    values.iter().map(ToString::to_string).collect()
}

#[test]
fn each_list_replaces_the_scenarios_list() {
    let folder = TestFolder::new();
    for (option, value, field, wanted) in [
        ("--operation", "decrypt", "operation", &["decrypt"][..]),
        ("--message", "128,1KiB", "message", &["128", "1024"]),
        ("--aad", "5", "aad", &["5"]),
        ("--form", "into", "form", &["into"]),
        ("--provider", "ceiling", "provider", &["ceiling"]),
        ("--algorithm", "xor", "algorithm", &["xor"]),
    ] {
        let run = measured(&folder, &["run", "tiny.toml", option, value]);
        assert_eq!(values(&run, field), set(wanted), "{option} {value}");
        assert_eq!(run["run"]["scenario"]["name"], "tiny");
        let others =
            [("operation", &["encrypt", "decrypt"][..]), ("message", &["64"]), ("form", &["in-place", "into"])];
        for (other, untouched) in others.into_iter().filter(|(other, _)| *other != field) {
            assert_eq!(values(&run, other), set(untouched), "{other} beside {option}");
        }
    }
}

#[test]
fn every_block_is_replaced() {
    let folder = TestFolder::new();
    let block = "[[cells]]\nalgorithms = [\"xor\"]\noperations = [\"encrypt\"]\nmessages = [\"32\"]\n";
    folder.write("two.toml", format!("{}{block}", crate::common::SCENARIO));
    let run = measured(&folder, &["run", "./two.toml", "--message", "16"]);
    assert_eq!(values(&run, "message"), set(&["16"]));
    assert_eq!(run["run"]["scenario"]["cells"][1]["messages"], serde_json::json!(["16"]));
}

#[test]
fn lists_need_no_scenario() {
    let folder = TestFolder::new();
    for arguments in [&["--algorithm", "xor", "--message", "64"][..], &["run", "--algorithm", "xor", "--message", "64"]]
    {
        let run = measured(&folder, arguments);
        assert_eq!(run["run"]["scenario"]["name"], "on-the-spot");
        assert_eq!(values(&run, "operation"), set(&["encrypt", "decrypt"]), "bare ciphers need no --operation");
        assert_eq!(values(&run, "message"), set(&["64"]));
    }
    let run = measured(&folder, &["--message", "64", "--message", "256", "--provider", "ring", "--operation", "seal"]);
    assert_eq!(
        values(&run, "algorithm"),
        set(&["aes-256-gcm", "chacha20-poly1305"]),
        "those of the four that ring has"
    );
    assert_eq!(values(&run, "message"), set(&["64", "256"]), "an option may be given again");
    let run = measured(&folder, &["--algorithm", "aegis-256", "--message", "64", "--operation", "seal"]);
    assert_eq!(values(&run, "provider"), set(&["libaegis"]), "which the default scenario does not have");
    let run = measured(&folder, &["--operation", "key-setup", "--provider", "ring"]);
    assert_eq!(values(&run, "operation"), set(&["key-setup"]));
}

#[test]
fn budget_fits_the_requested_cells() {
    let folder = TestFolder::new();
    let budget = |arguments: &[&str]| {
        // Ends at once, whether or not its precision is reached: only the requested cells matter here.
        let said = folder.run(&[arguments, &["--precision", "50%", "--quiet", "--json", "-"]].concat());
        said.json()["run"]["scenario"]["budget"].as_str().expect("a budget").to_string()
    };
    assert_eq!(budget(&["--algorithm", "xor", "--message", "64", "--provider", "ceiling"]), "10.5s");
    let cold = ["--algorithm", "xor", "--message", "64", "--provider", "ceiling", "--working-set", "1MiB"];
    assert_eq!(budget(&cold), "10.8s", "its texts are set up before each sample");
    assert_eq!(budget(&["run", "tiny.toml", "--message", "64,128"]), "1s", "a scenario's own stays");
}

#[test]
fn single_calls_and_threads_are_measured() {
    let folder = TestFolder::new();
    let run = measured(&folder, &["run", "tiny.toml", "--latency"]);
    assert_eq!(run["run"]["scenario"]["cells"][0]["latency"], true);
    if std::thread::available_parallelism().is_ok_and(|cpus| cpus.get() > 1) {
        let run = measured(&folder, &["run", "tiny.toml", "--threads", "1,2"]);
        assert_eq!(values(&run, "threads"), set(&["1", "2"]));
    }
    let run = measured(&folder, &["run", "tiny.toml", "--threads", "all"]);
    assert!(!values(&run, "threads").is_empty());
}

#[test]
fn calls_go_round_working_sets_and_keys() {
    let folder = TestFolder::new();
    let what = ["run", "tiny.toml", "--message", "64", "--form", "in-place"];
    // Long enough for a sample of each cell beside other work.
    let run = measured_within("5s", &folder, &[&what[..], &["--working-set", "0,64KiB", "--keys", "1,10"]].concat());
    assert_eq!(values(&run, "working_set"), set(&["null", "65536"]));
    assert_eq!(values(&run, "keys"), set(&["null", "10"]));
    let records = run["records"].as_array().unwrap();
    assert!(records.iter().all(|record| record["outcome"]["is"] == "measured"), "{records:?}");
    refuses(&folder.run(&[&what[..], &["--keys", "10", "--threads", "2"]].concat()), &["by one thread"]);
    let large = ["run", "tiny.toml", "--message", "16,1KiB", "--working-set", "1GiB"];
    refuses(&folder.run(&large), &["a working set of 1GiB has more than 1048576 messages of 16", "the most is 64MiB"]);
}

#[track_caller]
fn refuses(said: &CommandOutput, words: &[&str]) {
    assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{said:?}");
    assert!(said.err.starts_with("ciphermeter: ") && said.err.lines().count() <= 2, "{}", said.err);
    for word in words {
        assert!(said.err.contains(word), "no {word:?} in {}", said.err);
    }
}

#[test]
fn invalid_values_are_refused() {
    let folder = TestFolder::new();
    let forms = "[possible values: in-place, into, fresh, process, batch, static, dynamic, mapped, buffered, direct, device, end-to-end, pageable, discard, file, disk]";
    let operations = "[possible values: key-setup, seal, open, encrypt, decrypt, transfer]";
    for (option, value, wrong, right) in [
        ("--algorithm", "rot13", "'rot13'", "[possible values: aes-128-gcm, aes-256-gcm,"),
        ("--algorithm", "xor,memcpy", "'memcpy'", "chacha20, xor]"),
        ("--algorithm", "", "--algorithm <NAMES>", "[possible values: aes-128-gcm"),
        ("--operation", "wrap", "'wrap'", operations),
        ("--operation", "encrypt,", "--operation <NAMES>", operations),
        ("--form", "inplace", "'inplace'", forms),
        ("--message", "10XB", "`10XB` is not a size in bytes", "write it like `16`"),
        ("--message", "", "`` is not a size in bytes", "write it like `16`"),
        ("--message", "-1", "'-1'", "for more information"),
        ("--message", "2GiB", "a message of 2GiB is too large", "the most is 1GiB"),
        ("--aad", "2MiB", "aad of 2MiB is too large", "the most is 1MiB"),
        ("--aad", "1,,2", "`` is not a size in bytes", "write it like `16`"),
        ("--threads", "0", "`0` is not a number of threads", "write it like `2`, `all` or `doubling`"),
        ("--threads", "1.5", "`1.5` is not a number of threads", "write it like `2`, `all` or `doubling`"),
        ("--working-set", "2GiB", "a working set of 2GiB is too large", "the most is 1GiB"),
        ("--working-set", "lots", "`lots` is not a size in bytes", "write it like `16`"),
        ("--keys", "0", "0 keys", "a cell has from 1 to 65536"),
        ("--keys", "1,70000", "70000 keys", "a cell has from 1 to 65536"),
        ("--provider", "opensll", "there is no provider `opensll`", "there are aws-lc, ring, rustcrypto,"),
        ("--provider", "ring,", "there is no provider ``", "openssl"),
        ("--latency", "yes", "'yes'", "for more information"),
    ] {
        refuses(&folder.run(&["--quiet", option, value]), &[wrong, right]);
        refuses(&folder.run(&["run", "--quiet", "tiny.toml", option, value]), &[right]);
    }
    assert!(!folder.path("runs.db").exists(), "nothing is stored of what was refused");
}

#[test]
fn lists_without_cells_are_refused() {
    let folder = TestFolder::new();
    for (arguments, words) in [
        (
            &["--algorithm", "xor", "--operation", "seal,open"][..],
            ["xor with seal, open", "bare ciphers encrypt, decrypt"],
        ),
        (
            &["--algorithm", "aes-256-gcm", "--operation", "encrypt"],
            ["aes-256-gcm with encrypt", "AEADs have seal, open"],
        ),
        (&["run", "tiny.toml", "--algorithm", "aes-256-gcm"], ["aes-256-gcm with encrypt, decrypt", "AEADs have seal"]),
        (&["--operation", "key-setup", "--threads", "2"], ["nothing to measure", "--threads"]),
        (&["--algorithm", "xor", "--threads", "1024"], ["CPUs for --threads", "give fewer, or `all`"]),
    ] {
        refuses(&folder.run(arguments), &words);
    }
    let sizes = (0..4000).map(|size| size.to_string()).collect::<Vec<_>>().join(",");
    refuses(&folder.run(&["--message", &sizes]), &["lists from the command line: it has", "the most is 4096"]);
}

/// A provider that is known but missing here, or lacks what is requested, is different: nothing can be measured.
#[test]
fn provider_without_the_algorithm_is_reported() {
    let said = TestFolder::new().run(&["--quiet", "--provider", "ring", "--algorithm", "xor"]);
    assert_eq!((said.code, said.out.as_str()), (Some(4), ""), "{said:?}");
    let why =
        "no provider here has what the scenario asks for: they have aes-128-gcm, aes-256-gcm, chacha20-poly1305\n";
    assert!(said.err.contains(why), "{}", said.err);
}

#[test]
fn resume_refuses_options_of_the_stored_run() {
    let folder = TestFolder::new();
    for option in [
        &["--algorithm", "xor"][..],
        &["--provider", "ring"],
        &["--operation", "seal"],
        &["--message", "16"],
        &["--aad", "0"],
        &["--form", "into"],
        &["--threads", "1"],
        &["--latency"],
        &["--budget", "5s"],
        &["--precision", "5%"],
        &["--seed", "5"],
    ] {
        let said = folder.run(&[&["run", "--resume"][..], option].concat());
        refuses(&said, &["--resume continues what the stored run measures", &format!("leave {} out", option[0])]);
    }
}
