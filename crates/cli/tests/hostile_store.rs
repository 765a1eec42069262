//! Stores in which every text is hostile: no command's output acts on a terminal, reverses or hides text, forges a line, or proposes
//! a command that does anything else.
//!
//! What can be hostile is read from the schema and from the stored JSON, so a new column or field is tested as soon as a golden
//! run has it.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::Stdio;

use crate::common::hostile::{HOSTILE, MARKUP, is_safe, run_safely};
use crate::common::{STORE, TestFolder};
use ciphermeter_core::{METHOD, escaped, shell_word};
use ciphermeter_store::Store;
use rusqlite::{Connection, params};
use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::Value;

/// A place for text in a store: a column, and in its JSON the way to a string (`.cells[].providers[]`), or to a further member of an
/// object (`{}`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    table: String,
    column: String,
    within: Option<String>,
}

/// A golden store in today's schema, whose runs could be resumed.
fn current(store: &[u8]) -> TestFolder {
    let folder = TestFolder::new();
    folder.write("runs.db", store);
    drop(Store::open(&folder.path("runs.db")).expect("a store"));
    let plan = format!(r#"{{"method":{METHOD},"metrics":[],"parts":[]}}"#);
    let facts = r#"[{"name":"input","value":"big","why":null},{"name":"devices","value":"qemu:avr","why":null}"#;
    let database = database(&folder);
    // All of it in one file, which can be put back.
    database.pragma_update(None, "journal_mode", "delete").expect("a setting");
    database.execute("UPDATE run SET plan = ? WHERE plan IS NULL", [plan]).expect("a plan");
    database.execute("UPDATE run SET host = replace(host, '[{', ? || ',{') WHERE id = 2", [facts]).expect("facts");
    database.execute("UPDATE run SET status = 'interrupted' WHERE id IN (1, 9)", ()).expect("a status");
    let texts = "json_set(scenario, '$.subject', 'data', '$.premise', 'All of it', '$.nonces', 'tls')";
    database.execute(&format!("UPDATE run SET scenario = {texts} WHERE id = 1"), ()).expect("a scenario");
    folder
}

fn database(folder: &TestFolder) -> Connection {
    let database = Connection::open(folder.path("runs.db")).expect("a database");
    database.pragma_update(None, "ignore_check_constraints", true).expect("a setting");
    // No store of a test outlives it, so its writing waits for no disk.
    database.pragma_update(None, "synchronous", false).expect("a setting");
    database
}

/// All places for text.
fn places(database: &Connection) -> BTreeSet<Place> {
    let sql = "SELECT tables.name, columns.name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
               WHERE tables.type = 'table' AND columns.type = 'TEXT'";
    let mut columns = database.prepare(sql).expect("a statement");
    let columns =
        columns.query_map((), |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))).expect("columns");
    let mut places = BTreeSet::new();
    for (table, column) in columns.map(|column| column.expect("a column")) {
        let mut found = BTreeSet::new();
        for (_, text) in texts(database, &table, &column) {
            match json(&text) {
                Some(value) => ways(&value, "", &mut found),
                None => found.extend([None]),
            }
        }
        let new = |within| Place { table: table.clone(), column: column.clone(), within };
        places.extend(found.into_iter().map(new));
    }
    places
}

/// The texts of a column with the numbers of their rows.
fn texts(database: &Connection, table: &str, column: &str) -> Vec<(i64, String)> {
    let sql = format!("SELECT rowid, {column} FROM {table} WHERE {column} IS NOT NULL");
    let mut rows = database.prepare(&sql).expect("a statement");
    let rows = rows.query_map((), |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
    rows.map(|row| row.expect("a row")).collect()
}

fn json(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().filter(|value: &Value| value.is_object() || value.is_array())
}

fn ways(value: &Value, way: &str, found: &mut BTreeSet<Option<String>>) {
    match value {
        Value::String(_) => drop(found.insert(Some(way.into()))),
        Value::Array(all) => all.iter().for_each(|one| ways(one, &format!("{way}[]"), found)),
        Value::Object(all) => {
            found.insert(Some(format!("{way}{{}}")));
            all.iter().for_each(|(name, one)| ways(one, &format!("{way}.{name}"), found));
        }
        _ => {}
    }
}

/// Makes the text at a place hostile, in each row that has it, and comes back with those rows' runs.
fn plant(database: &Connection, place: &Place, begin: &str, end: &str) -> Vec<i64> {
    let Place { table, column, within } = place;
    let mut runs = Vec::new();
    let all = database.unchecked_transaction().expect("a transaction");
    let number = if table == "run" { "id" } else { "run" };
    for (row, text) in texts(database, table, column) {
        let new = match (json(&text), within) {
            (Some(mut value), Some(way)) => {
                replace(&mut value, "", way, &|text| format!("{begin}{text}{end}"));
                value.to_string()
            }
            _ => format!("{begin}{text}{end}"),
        };
        if new != text && json(&text).is_none_or(|value| Some(value) != json(&new)) {
            let sql = format!("UPDATE {table} SET {column} = ? WHERE rowid = ? RETURNING {number}");
            runs.push(database.query_row(&sql, params![new, row], |row| row.get(0)).expect("a row"));
        }
    }
    all.commit().expect("a store");
    runs.dedup();
    runs
}

fn replace(value: &mut Value, here: &str, way: &str, new: &dyn Fn(&str) -> String) {
    match value {
        Value::String(text) if here == way => *text = new(text),
        Value::Array(all) => all.iter_mut().for_each(|one| replace(one, &format!("{here}[]"), way, new)),
        Value::Object(all) if format!("{here}{{}}") == way => {
            let like = all.values().next().cloned().unwrap_or_default();
            all.insert(new("more"), like);
        }
        Value::Object(all) => {
            all.iter_mut().for_each(|(name, one)| replace(one, &format!("{here}.{name}"), way, new));
        }
        _ => {}
    }
}

/// Copies of the store with text at one place hostile: the places at which its runs can still be read, and those at which that is an error.
fn told_apart(folder: &TestFolder) -> (Vec<Place>, Vec<(Place, i64)>) {
    let (mut free, mut words) = (Vec::new(), Vec::new());
    let whole = fs::read(folder.path("runs.db")).expect("the store");
    let all = places(&database(folder));
    for place in all {
        let run = plant(&database(folder), &place, "", HOSTILE)[0];
        let store = Store::open_read_only(&folder.path("runs.db")).expect("a store");
        match store.list().and_then(|_| store.load(run)) {
            Ok(_) => free.push(place),
            Err(_) => words.push((place, run)),
        }
        folder.write("runs.db", &whole);
    }
    (free, words)
}

const FORMATS: [&str; 5] = ["json", "csv", "benchstat", "bmf", "svg"];

/// All that reads one run.
fn commands(run: &str) -> Vec<Vec<&str>> {
    let mut all = vec![
        vec!["show", run],
        vec!["show", run, "--all", "--verbose"],
        vec!["show", run, "--costs"],
        vec!["rank", run],
        vec!["rank", run, "--json"],
        vec!["machines", run],
        vec!["machines", run, "--json"],
        vec!["report", run, "-o", "-"],
        vec!["compare", "1", run],
        vec!["compare", "1", run, "--json"],
        vec!["export", run, "--format", "csv", "--columns", "study"],
    ];
    all.extend(FORMATS.map(|format| vec!["export", run, "--format", format]));
    all
}

/// All that reads several.
const OF_ALL: [&[&str]; 10] = [
    &["list"],
    &["list", "--json"],
    &["report", "1", "8", "-o", "-"],
    &["report", "1", "8", "--figures", "figures"],
    &["advise", "tls", "--stored"],
    &["advise", "--stored", "--json", "-"],
    &["study", "list"],
    &["study", "show", "--all"],
    &["study", "show", "--all", "--json"],
    &["study", "show", "--all", "--csv"],
];

/// What a resumed run needs to be told again is proposed as one argument.
const RESUMED: [&[&str]; 5] = [
    &["run", "--resume"],
    &["run", "--resume=2"],
    &["run", "--resume=9"],
    &["run", "--resume=10", "other"],
    &["run", "--resume=3"],
];

fn figures_are_safe(folder: &Path) {
    for file in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        let name = file.to_string_lossy().into_owned();
        if !name.ends_with(".png") {
            let text = fs::read_to_string(&file).expect("a figure");
            is_safe(&text, &[&name]);
            assert!(name.ends_with(".csv") || !text.contains(MARKUP), "{name} has markup");
        }
    }
}

#[test]
fn text_of_a_store_reaches_no_output_raw() {
    let folder = current(STORE);
    let (free, words) = told_apart(&folder);
    assert!(free.len() > 20 && words.len() > 10, "{} and {}", free.len(), words.len());
    free.iter().for_each(|place| drop(plant(&database(&folder), place, "", HOSTILE)));
    let runs: Vec<String> = (1..=14).map(|run| run.to_string()).collect();
    // Each run is shown; the formats are the same for each kind.
    for run in &runs {
        run_safely(&folder, &["show", run]);
    }
    for command in ["1", "5", "6", "7", "9"].iter().flat_map(|run| commands(run)) {
        run_safely(&folder, &command);
    }
    for command in OF_ALL.iter().chain(&RESUMED) {
        run_safely(&folder, command);
    }
    figures_are_safe(&folder.path("figures"));
}

#[test]
fn damaged_word_of_a_store_reaches_no_error_raw() {
    let folder = current(STORE);
    let whole = fs::read(folder.path("runs.db")).expect("the store");
    for (place, run) in told_apart(&folder).1 {
        plant(&database(&folder), &place, "", HOSTILE);
        let said = run_safely(&folder, &["show", &run.to_string()]);
        assert_eq!((said.code, said.err.lines().count()), (Some(2), 1), "{place:?}: {said:?}");
        run_safely(&folder, &["list"]);
        folder.write("runs.db", &whole);
    }
}

#[test]
fn option_that_a_resumed_run_needs_again_is_proposed_as_one_argument() {
    for (place, run, option) in [
        ("UPDATE run SET against = json_replace(against, '$.old', ?)", "9", "--against"),
        ("UPDATE run SET host = json_replace(host, '$[0].value', ?)", "2", "--input"),
        ("UPDATE run SET host = json_replace(host, '$[0].name', 'x', '$[1].value', ?)", "2", "--device"),
    ] {
        let folder = current(STORE);
        let hostile = format!("/opt/openssl; touch x{HOSTILE}");
        database(&folder).execute(place, [&hostile]).expect("a row");
        let said = run_safely(&folder, &["run", &format!("--resume={run}")]);
        let proposed = format!("{option} {}", shell_word(escaped(&hostile)));
        assert!(said.err.contains(&proposed), "{said:?}");
        let (_, command) = said.err.rsplit_once("resume it with `").expect("a command");
        let command = command.trim_end().strip_suffix('`').expect("its end");
        let words = shlex::split(command).expect("words");
        assert_eq!(words[..3], ["ciphermeter", "run", &format!("--resume={run}")]);
        assert!(words.windows(2).any(|pair| pair == [option, &escaped(&hostile)]), "{words:?}");
    }
}

#[test]
fn facts_of_a_resumed_run_are_escaped_where_they_have_changed() {
    let folder = current(STORE);
    let all = places(&database(&folder));
    for place in all.iter().filter(|place| place.column == "provenance") {
        plant(&database(&folder), place, "", HOSTILE);
    }
    let said = run_safely(&folder, &["run", "--resume=10"]);
    assert!(said.err.contains("FORGED"), "{said:?}");
}

#[test]
fn terminal_gets_no_more_than_a_pipe() {
    let folder = current(STORE);
    let (free, _) = told_apart(&folder);
    free.iter().for_each(|place| drop(plant(&database(&folder), place, "", HOSTILE)));
    for arguments in [&["export", "1", "--format", "csv"][..], &["show", "1", "--all"], &["list"]] {
        let said = on_a_terminal(&folder, arguments);
        assert!(said.contains("{1b}]0;own"), "{said}");
        is_safe(
            &["0", "1", "2", "31", "32", "33"]
                .iter()
                .fold(said, |said, style| said.replace(&format!("\u{1b}[{style}m"), "")),
            arguments,
        );
    }
}

/// What a command prints where both its outputs are a terminal.
fn on_a_terminal(folder: &TestFolder, arguments: &[&str]) -> String {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&terminal).and_then(|()| unlockpt(&terminal)).expect("a terminal");
    let name = ptsname(&terminal, Vec::new()).expect("a name");
    // It must not become this process's own terminal, whose end would end the process.
    let open = || File::from(open(name.as_c_str(), OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("a terminal"));
    let mut command = folder.ciphermeter(arguments);
    let mut child = command.stdout(Stdio::from(open())).stderr(Stdio::from(open())).spawn().expect("a process");
    drop(command);
    let (mut said, mut bytes) = (Vec::new(), [0; 4096]);
    let mut terminal = File::from(terminal);
    // The end of a terminal is an error.
    while let Ok(read @ 1..) = terminal.read(&mut bytes) {
        said.extend_from_slice(&bytes[..read]);
    }
    child.wait().expect("an end");
    String::from_utf8(said).expect("UTF-8").replace("\r\n", "\n")
}

#[test]
fn formula_of_a_store_reaches_no_spreadsheet() {
    let folder = current(STORE);
    let (free, _) = told_apart(&folder);
    free.iter().for_each(|place| drop(plant(&database(&folder), place, "=cmd|'/C calc'!A0;", "")));
    for words in [&["1"][..], &["6"], &["6", "--columns", "study"], &["7"]] {
        let said = run_safely(&folder, &[&["export", "--format", "csv"], words].concat());
        assert!(!said.out.contains(",=cmd") && !said.out.contains(",\"=cmd"), "{}", said.out);
    }
}

#[test]
fn name_of_a_store_is_one_argument_of_what_is_proposed() {
    let folder = TestFolder::with_runs();
    let name = "a b\u{202e}';touch x;$(touch x)\u{1b}[2J\nFORGED.db";
    fs::rename(folder.path("runs.db"), folder.path(name)).expect("a name");
    let words = format!("--store {}", shell_word(name));
    for arguments in
        [&["show", "1"][..], &["show", "2"], &["rank", "7"], &["report", "1", "-o", "-"], &["study", "list"]]
    {
        run_safely(&folder, &[arguments, &["--store", name]].concat());
    }
    let said = run_safely(&folder, &["rank", "11", "--store", name]);
    assert!(said.err.contains(&words), "{said:?}");
    fs::write(folder.path(name), "no store").expect("a file");
    run_safely(&folder, &["list", "--store", name]);
}

/// Each place by itself, at length, and with each command: every second of them, so that two tests share the work.
fn every_second_text_reaches_no_output_raw(first: usize) {
    let folder = current(STORE);
    let whole = fs::read(folder.path("runs.db")).expect("the store");
    for place in places(&database(&folder)).into_iter().skip(first).step_by(2) {
        for (begin, end) in [("", HOSTILE.to_string()), ("-", HOSTILE.to_string()), ("", HOSTILE.repeat(10_000))] {
            let run = plant(&database(&folder), &place, begin, &end)[0].to_string();
            for command in commands(&run) {
                run_safely(&folder, &command);
            }
            for command in OF_ALL.iter().chain(&RESUMED).filter(|command| !command.contains(&"--figures")) {
                run_safely(&folder, command);
            }
            folder.write("runs.db", &whole);
        }
    }
}

#[test]
#[ignore = "deep: a text at a time"]
fn each_even_text_of_a_store_by_itself_reaches_no_output_raw() {
    every_second_text_reaches_no_output_raw(0);
}

#[test]
#[ignore = "deep: a text at a time"]
fn each_odd_text_of_a_store_by_itself_reaches_no_output_raw() {
    every_second_text_reaches_no_output_raw(1);
}
