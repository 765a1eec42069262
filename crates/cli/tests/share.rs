//! `export --share`: of a run, only what an allow-list names reaches others, whatever its texts are.
//!
//! Where texts are is read from the export and from the stored run, so a new field is tested as soon as a run has it.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::process::Stdio;

use ciphermeter_core::{CellId, Fact, Named, NamedOption, Note, Record, Run};
use ciphermeter_import::import;
use ciphermeter_machines::{Shared, share, unpack};
use ciphermeter_report::{write_json, write_json_of_samples};
use ciphermeter_store::Store;
use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::Value;

use crate::common::planted_run::{Planted, aes_first, folder};
use crate::common::{CommandOutput, TestFolder, refuses};

/// A text that no run has.
const CANARY: &str = "canary7f3a";
/// The same with what a path, a command, a host's name and markup have.
const LEAK: &str = "/home/canary7f3a/x; $(id) joe@canary7f3a.example <b>=1";

/// Where a plain word of a run may come out again: names and versions of hardware, systems and libraries, which no list holds.
const OPEN: [&str; 6] =
    [".ciphermeter", ".host.cpu", ".host.os", ".records[].path", ".records[].runtime", ".records[].version"];

/// The golden runs of messages, with every text that a run may have.
fn runs() -> Vec<(Run, Vec<Record>)> {
    let folder = TestFolder::with_runs();
    drop(Store::open(&folder.path("runs.db")).expect("today's schema"));
    let store = Store::open_read_only(&folder.path("runs.db")).expect("a store");
    [1, 3, 4, 5, 8]
        .map(|id| {
            let (mut run, records) = store.load(id).expect("a run");
            let mut records = fewer(records);
            run.plan.asked = vec!["run".into(), "--worker".into(), "cmd".into()];
            run.plan.named = vec![Named { option: NamedOption::Worker, value: "cmd".into() }];
            run.notes.push(Note::not_measured(&["go"], "why"));
            run.scenario.subject = Some("subject".into());
            run.scenario.premise = Some("premise".into());
            run.host.retain(|fact| !["cpu", "os", "kernel"].contains(&fact.name.as_str()));
            for (name, value) in [("cpu", "A CPU"), ("os", "An OS"), ("kernel", "Linux 6.1.0"), ("host name", "joe")] {
                run.host.push(Fact::present(name, value));
            }
            run.host.push(Fact::absent("governor", "why"));
            for from in records.iter_mut().filter_map(|record| record.provenance.as_mut()) {
                from.language = Some("Rust".into());
                from.library = Some("/usr/lib/libcrypto.so.3".into());
                (from.sha256, from.program) = (Some("0".repeat(64)), Some("1".repeat(64)));
            }
            (run, records)
        })
        .into()
}

/// Two records with what any has, and three samples of each: texts are tried by the hundred.
fn fewer(mut records: Vec<Record>) -> Vec<Record> {
    records.retain(|record| !record.forks.is_empty());
    records.sort_by_key(|record| record.memory.is_empty() && record.latency.is_empty());
    records.truncate(2);
    for (place, record) in (0..).zip(&mut records) {
        record.id = CellId(place);
        record.forks.truncate(1);
        record.summary.iter_mut().for_each(|summary| summary.reference = CellId(0));
        for fork in &mut record.forks {
            fork.rounds.truncate(3);
            fork.samples.truncate(3);
            for sample in &mut fork.samples {
                (sample.cell, sample.after) = (record.id, None);
            }
        }
    }
    records
}

fn document(run: &Run, records: &[Record]) -> Value {
    let mut document = Vec::new();
    write_json(&mut document, run, records).expect("memory");
    serde_json::from_slice(&document).expect("JSON")
}

fn written(shared: &Shared) -> Value {
    let mut document = Vec::new();
    write_json_of_samples(&mut document, &shared.run, &shared.records).expect("memory");
    serde_json::from_slice(&document).expect("JSON")
}

/// The ways to all texts, and to all objects, which could have one more name.
fn ways(value: &Value, way: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::String(_) => drop(found.insert(way.into())),
        Value::Array(all) => all.iter().for_each(|one| ways(one, &format!("{way}[]"), found)),
        Value::Object(all) => {
            found.insert(format!("{way}{{}}"));
            all.iter().for_each(|(name, one)| ways(one, &format!("{way}.{name}"), found));
        }
        _ => {}
    }
}

/// The same value with another text wherever that way leads.
fn plant(value: &mut Value, here: &str, way: &str, text: &str) {
    match value {
        Value::String(own) if here == way => *own = text.into(),
        Value::Array(all) => all.iter_mut().for_each(|one| plant(one, &format!("{here}[]"), way, text)),
        Value::Object(all) if format!("{here}{{}}") == way => {
            let like = all.values().next().cloned().unwrap_or_default();
            all.insert(text.into(), like);
        }
        Value::Object(all) => {
            all.iter_mut().for_each(|(name, one)| plant(one, &format!("{here}.{name}"), way, text));
        }
        _ => {}
    }
}

/// The ways on which a canary came out, as a text or as a name.
fn canaries(value: &Value, way: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if text.contains(CANARY) => drop(found.insert(way.into())),
        Value::Array(all) => all.iter().for_each(|one| canaries(one, &format!("{way}[]"), found)),
        Value::Object(all) => all.iter().for_each(|(name, one)| {
            if name.contains(CANARY) {
                found.insert(format!("{way}{{}}"));
            }
            canaries(one, &format!("{way}.{name}"), found);
        }),
        _ => {}
    }
}

/// Where canaries come out of a document with `text` on that way; `None` where it is no run, or is not shared.
fn came_out(document: &Value, way: &str, text: &str) -> Option<BTreeSet<String>> {
    let mut document = document.clone();
    plant(&mut document, "", way, text);
    let (run, records) = import(document.to_string().as_bytes()).ok()?;
    let mut found = BTreeSet::new();
    canaries(&written(&share(&run, &records).ok()?), "", &mut found);
    Some(found)
}

#[test]
fn canary_in_each_text_of_an_export_comes_out_only_where_the_list_allows() {
    let mut open = BTreeSet::new();
    let (mut tried, mut taken) = (0, 0);
    for (run, records) in runs() {
        let document = document(&run, &records);
        let mut all = BTreeSet::new();
        ways(&document, "", &mut all);
        for way in &all {
            tried += 1;
            let Some(found) = came_out(&document, way, CANARY) else { continue };
            taken += 1;
            assert!(found.is_subset(&BTreeSet::from([way.clone()])), "{way} comes out at {found:?}");
            open.extend(found);
            assert_eq!(came_out(&document, way, LEAK).unwrap_or_default(), BTreeSet::new(), "{way}");
        }
    }
    assert_eq!(open, OPEN.map(String::from).into());
    assert!(tried > 400 && taken > 200, "{tried} ways, of which {taken} are read");
}

#[test]
fn canary_in_all_texts_of_a_stored_run_at_once_comes_out_only_where_the_list_allows() {
    for (run, records) in runs() {
        let mut value = serde_json::to_value(&run).expect("JSON");
        let mut all = BTreeSet::new();
        ways(&value, "", &mut all);
        for way in &all {
            let mut one = value.clone();
            plant(&mut one, "", way, CANARY);
            // What is of a closed list stays as it is.
            if serde_json::from_value::<Run>(one.clone()).is_ok_and(|run| run.scenario.check().is_ok()) {
                value = one;
            }
        }
        let run: Run = serde_json::from_value(value).expect("a run");
        assert!(run.plan.asked.iter().all(|word| word == CANARY) && run.notes.iter().any(|note| note.text == CANARY));
        let run =
            Run { store: Some(CANARY.into()), host: [run.host, vec![Fact::present("cpu", "A CPU")]].concat(), ..run };
        let mut found = BTreeSet::new();
        canaries(&written(&share(&run, &records).expect("a shared run")), "", &mut found);
        assert!(found.iter().all(|way| OPEN.contains(&way.as_str())), "{found:?}");
    }
}

#[test]
fn sharing_what_was_shared_changes_nothing() {
    for (run, records) in runs() {
        let first = written(&share(&run, &records).expect("a shared run"));
        let (run, records) = import(first.to_string().as_bytes()).expect("an export");
        assert_eq!(written(&share(&run, &records).expect("a shared run")), first);
    }
}

fn shared_file(folder: &TestFolder, name: &str) -> Value {
    let document = unpack(fs::read(folder.path(name)).expect("a file")).expect("a document");
    serde_json::from_slice(&document).expect("JSON")
}

#[test]
fn shared_run_is_shown_and_imports_again() {
    let folder = folder([Planted::new("messages", aes_first).with_fact("host name", "joes-laptop")]);
    let said = folder.run(&["export", "--share", "--yes", "-o", "run.json.gz"]);
    assert_eq!((said.code, said.out.as_str()), (Some(0), ""), "{said:?}");
    for words in
        ["These texts will be written, and no others:", "  cpu ", "verified cells", "left out", "It is not fit for"]
    {
        assert!(said.err.contains(words), "no {words:?} in {}", said.err);
    }
    let document = shared_file(&folder, "run.json.gz");
    folder.fits_the_schema(&document);
    let text = document.to_string();
    assert!(!text.contains("joes-laptop") && !said.err.contains("joes-laptop"), "{}", said.err);
    assert!(document["run"]["started"].as_str().expect("a day").ends_with("T00:00:00Z"));
    assert_eq!((&document["run"]["scenario"]["name"], &document["run"]["id"]), (&"messages".into(), &0.into()));
    let samples = |folder: &TestFolder, run: &str| {
        let records = folder.run(&["export", run]).json()["records"].take();
        let all = records.as_array().expect("records").iter();
        all.flat_map(|record| record["samples"].as_array().expect("forks").clone()).collect::<Vec<_>>()
    };
    assert_eq!(folder.run(&["import", "run.json.gz"]).code, Some(0));
    assert_eq!(samples(&folder, "2"), samples(&folder, "1"), "raw samples");
    assert_eq!(folder.run(&["show", "2"]).code, Some(0));
    let plain = folder.run(&["export", "2", "--share", "--yes"]);
    assert_eq!(plain.json(), document, "the same to standard output, of what was shared");
}

#[test]
fn every_text_of_a_shared_run_is_shown_before() {
    let folder = folder([Planted::new("packet", aes_first)]);
    let said = folder.run(&["export", "--share", "--yes", "-o", "run.json"]);
    let shown = said.err.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut all = BTreeSet::new();
    let document = shared_file(&folder, "run.json");
    texts(&document, &mut all);
    assert!(all.len() > 20, "{all:?}");
    for text in all {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(shown.contains(&text), "{text:?} is not in {}", said.err);
    }
}

fn texts(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => drop(into.insert(text.clone())),
        Value::Array(all) => all.iter().for_each(|one| texts(one, into)),
        Value::Object(all) => all.values().for_each(|one| texts(one, into)),
        _ => {}
    }
}

#[test]
fn cells_with_wrong_output_stay_out_with_their_cipher() {
    let wrong = |cell: &ciphermeter_core::Cell| cell.provider == "go" && cell.parameters.message() == 64;
    let folder = folder([Planted { wrong, ..Planted::new("messages", aes_first) }]);
    let said = folder.run(&["export", "--share", "--yes", "-o", "run.json"]);
    let shown = said.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("of go with wrong output") && shown.contains("by a cipher with wrong output"), "{shown}");
    let document = shared_file(&folder, "run.json");
    let records = document["records"].as_array().expect("records");
    assert!(!records.is_empty() && records.iter().all(|record| record["outcome"]["is"] == "measured"));
    assert!(records.iter().all(|record| record["provider"] == "openssl"), "go's two ciphers were wrong");
}

#[test]
fn run_that_says_nothing_of_its_machine_is_refused() {
    let masked = Planted { mask: Some(ciphermeter_core::Mask::NoAes), ..Planted::new("messages", aes_first) };
    let open = Planted { status: ciphermeter_core::RunStatus::Open, ..Planted::new("messages", aes_first) };
    let all_wrong = Planted { wrong: |_| true, ..Planted::new("messages", aes_first) };
    let switched = Planted::new("messages", aes_first).with_fact("switches", "OPENSSL_ia32cap=~0x2");
    let no_cpu = Planted::new("messages", aes_first).with_fact("cpu", "<script>alert(1)</script>");
    let folder = folder([masked, open, all_wrong, switched, no_cpu]);
    for (run, why) in [
        ("1", "libraries ran as on another CPU (--cpu no-aes)"),
        ("2", "it has not ended"),
        ("3", "none of its cells was verified"),
        ("4", "OPENSSL_ia32cap=~0x2 is set"),
        ("5", "it doesn't say on which CPU it was made"),
    ] {
        refuses(&folder.run(&["export", run, "--share", "--yes", "-o", "run.json"]), &["cannot be shared", why]);
        assert!(!folder.path("run.json").exists());
    }
}

#[test]
fn nothing_is_written_unasked() {
    let folder = folder([Planted::new("packet", aes_first)]);
    refuses(&folder.run(&["export", "--share", "-o", "run.json"]), &["without a terminal", "--yes"]);
    refuses(&folder.run(&["export", "--share", "--yes", "-o", "run.csv"]), &["a shared run is JSON", ".json.gz"]);
    assert!(!folder.path("run.json").exists() && !folder.path("run.csv").exists());
}

/// What a command says where its input is a terminal at which a user types `typed`.
fn typed_into(folder: &TestFolder, typed: &str, arguments: &[&str]) -> CommandOutput {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&terminal).and_then(|()| unlockpt(&terminal)).expect("a terminal");
    let name = ptsname(&terminal, Vec::new()).expect("a name");
    let input = File::from(open(name.as_c_str(), OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("a terminal"));
    let mut command = folder.ciphermeter(arguments);
    let child = command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a process");
    drop(command);
    let mut terminal = File::from(terminal);
    terminal.write_all(typed.as_bytes()).expect("a terminal");
    let said = CommandOutput::of(child.wait_with_output().expect("an end"));
    drop(terminal.read(&mut [0; 64]));
    said
}

#[test]
fn user_at_a_terminal_is_asked() {
    let folder = folder([Planted::new("packet", aes_first)]);
    let share = ["export", "--share", "-o", "run.json"];
    let no = typed_into(&folder, "perhaps\nn\n", &share);
    assert!(no.err.contains("Write it? [y/N]") && no.err.contains("Answer y or n."), "{no:?}");
    assert!(no.code == Some(2) && no.err.ends_with("ciphermeter: nothing is written\n"), "{no:?}");
    assert!(!folder.path("run.json").exists());
    assert_eq!(typed_into(&folder, "y\n", &share).code, Some(0));
    assert!(folder.path("run.json").exists());
}
