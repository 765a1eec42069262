//! Files of others in which a text is hostile: a study, a worker's description, a scenario, the configuration of the current
//! folder. What is printed of them is as safe as what is printed of a store.

use std::collections::BTreeSet;
use std::fs;

use ciphermeter_core::escaped;

use crate::common::hostile::{HOSTILE, is_safe, run_safely};
use crate::common::{TestFolder, refuses};
use toml::Value;

const STUDY: &str = include_str!("../../../studies/python-sizes/study.toml");
const WORKER: &str = r#"
name = "snake"
language = "Python"
providers = ["one", "two"]
check = ["false"]
needs = "Python"
build = ["true"]
built = "build/done"
run = ["python3", "worker.py", "{provider}"]
stands_in = "aes"
[[cpu]]
providers = ["one"]
without = "aes"
environment = { SWITCH = "off" }
[[cpu]]
providers = ["two"]
without = "aes"
missing = "it asks the CPU itself"
[[device]]
name = "avr"
board = "a board"
providers = ["one"]
run = ["false"]
image = "build/one"
"#;

/// The ways to each string of a file, `measures[].why`.
fn ways(value: &Value, way: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::String(_) => drop(found.insert(way.into())),
        Value::Array(all) => all.iter().for_each(|one| ways(one, &format!("{way}[]"), found)),
        Value::Table(all) => {
            found.insert(format!("{way}{{}}"));
            all.iter().for_each(|(name, one)| ways(one, &format!("{way}.{name}"), found));
        }
        _ => {}
    }
}

fn plant(value: &mut Value, here: &str, way: &str, what: &str) {
    match value {
        Value::String(text) if here == way => text.push_str(what),
        Value::Array(all) => all.iter_mut().for_each(|one| plant(one, &format!("{here}[]"), way, what)),
        Value::Table(all) if format!("{here}{{}}") == way => drop(all.insert(what.into(), Value::Boolean(true))),
        Value::Table(all) => all.iter_mut().for_each(|(name, one)| plant(one, &format!("{here}.{name}"), way, what)),
        _ => {}
    }
}

/// A value as TOML within a line, whose texts are written as JSON has them.
fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text_of(text),
        Value::Array(all) => format!("[{}]", all.iter().map(written).collect::<Vec<_>>().join(", ")),
        Value::Table(all) => {
            let all = all.iter().map(|(name, one)| format!("{} = {}", text_of(name), written(one)));
            format!("{{ {} }}", all.collect::<Vec<_>>().join(", "))
        }
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => format!("{number:?}"),
        Value::Boolean(is) => is.to_string(),
        Value::Datetime(_) => unreachable!("no file has a time"),
    }
}

fn text_of(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The file, once for each of its texts that is hostile.
fn hostile(text: &str) -> Vec<(String, String)> {
    with(text, HOSTILE)
}

/// The file, once for each of its texts with this behind it.
fn with(text: &str, what: &str) -> Vec<(String, String)> {
    let value = Value::Table(text.parse().expect("TOML"));
    let mut found = BTreeSet::new();
    ways(&value, "", &mut found);
    let planted = |way: String| {
        let mut value = value.clone();
        plant(&mut value, "", &way, what);
        let lines = value
            .as_table()
            .expect("a table")
            .iter()
            .map(|(name, one)| format!("{} = {}\n", text_of(name), written(one)));
        (way, lines.collect())
    };
    found.into_iter().map(planted).collect()
}

#[test]
fn text_of_a_study_reaches_no_output_raw() {
    let folder = TestFolder::new();
    let (mut shown, mut refused) = (0, 0);
    // What does not print is refused; the rest is shown.
    let printable: String =
        HOSTILE.chars().filter(|letter| escaped(&letter.to_string()) == letter.to_string()).collect();
    for (way, study) in hostile(STUDY).into_iter().chain(with(STUDY, &printable)) {
        folder.write("s.toml", study);
        let said = run_safely(&folder, &["study", "show", "./s.toml"]);
        match said.code {
            Some(2) => {
                assert_eq!(said.err.lines().count(), 1, "{way}: {said:?}");
                refused += 1;
            }
            _ => {
                run_safely(&folder, &["study", "show", "./s.toml", "--json"]);
                run_safely(&folder, &["study", "show", "./s.toml", "--csv"]);
                run_safely(&folder, &["study", "report", "./s.toml", "-o", "-"]);
                shown += 1;
            }
        }
    }
    assert!(shown > 10 && refused > 10, "{shown} and {refused}");
}

#[test]
fn text_of_a_workers_description_reaches_no_output_raw() {
    let folder = TestFolder::new();
    for (_, worker) in hostile(WORKER) {
        folder.write("workers/snake/worker.toml", worker);
        run_safely(&folder, &["workers"]);
        run_safely(&folder, &["device"]);
        run_safely(&folder, &["run", "tls", "--device", "qemu:avr", "--budget", "0.001s"]);
    }
}

#[test]
fn name_of_a_worker_is_no_command() {
    let folder = TestFolder::new();
    folder.write("workers/snake/worker.toml", WORKER.replacen("snake", "-s; touch x", 1));
    refuses(&folder.run(&["workers"]), &["`-s; touch x` is no name: use letters, digits and"]);
}

#[test]
fn scenario_whose_title_turns_text_is_refused() {
    let folder = TestFolder::new();
    let tiny = fs::read_to_string(folder.path("tiny.toml")).expect("a scenario");
    for (text, shown) in
        [("\\u202e", r"`tiny\u{202e}"), ("\\u001b[2J", r"`tiny\u{1b}[2J"), ("\\u200b", r"`tiny\u{200b}")]
    {
        folder.write("odd.toml", tiny.replacen("tiny", &format!("tiny{text}"), 1));
        refuses(&folder.run(&["run", "./odd.toml"]), &[shown, "show as themselves"]);
    }
}

#[test]
fn configuration_of_the_current_folder_reaches_no_help_raw() {
    let folder = TestFolder::new();
    folder.write("ciphermeter.toml", format!("store = {}\n", text_of(&HOSTILE.replace('\0', ""))));
    let mut command = folder.ciphermeter(&["list", "--help"]);
    let said = command.env_remove("CIPHERMETER_STORE").output().expect("a command");
    is_safe(&String::from_utf8(said.stdout).expect("UTF-8"), &["list", "--help"]);
    is_safe(&String::from_utf8(said.stderr).expect("UTF-8"), &["list", "--help"]);
    run_safely(&folder, &["list"]);
}

#[test]
fn name_of_a_file_reaches_no_error_raw() {
    let folder = TestFolder::new();
    let name = &format!("./{}.toml", HOSTILE.replace(['\0', '/'], ""));
    fs::create_dir(folder.path(name)).expect("a folder");
    for arguments in [
        &["run", name][..],
        &["study", "show", name],
        &["run", "--input", name, "parallel"],
        &["run", "--openssl", name],
        &["run", "--against", name],
        &["run", "--worker", name],
        &["run", "--json", name],
        &["list", "--store", name],
        &["workers", "build", name],
        &["advise", "--mix", name],
        &["advise", name],
        &["send", name, "--ticket-file", name],
        &["recv", "--into", name, "--forget=1"],
        &["export", "-o", name],
        &["device", name],
        &["compare", name, "1"],
    ] {
        let said = run_safely(&folder, arguments);
        assert_ne!(said.code, Some(0), "{arguments:?}: {said:?}");
    }
}
