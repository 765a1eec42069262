//! Runs of other machines: exported there, imported here, and read here as there.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::common::{CommandOutput, STORE, TestFolder, refuses};

/// The export of a run of the folder's store.
fn export(folder: &TestFolder, run: &str) -> String {
    let exported = folder.run(&["export", run]);
    assert_eq!(exported.code, Some(0), "{}", exported.err);
    exported.out
}

/// The runs that a store's list names.
fn numbers(folder: &TestFolder) -> Vec<String> {
    let listed = folder.run(&["list", "--json"]).json();
    listed["runs"].as_array().expect("runs").iter().map(|run| run["run"].to_string()).collect()
}

#[test]
fn imported_runs_are_shown_as_they_were_where_they_were_measured() {
    for store in [STORE, include_bytes!("goldens/scenarios.db")] {
        let (there, here) = (TestFolder::new(), TestFolder::new());
        there.write("runs.db", store);
        let runs = numbers(&there);
        for run in &runs {
            here.write(&format!("{run}.json"), export(&there, run));
        }
        let files: Vec<String> = runs.iter().map(|run| format!("{run}.json")).collect();
        let words: Vec<&str> = ["import"].into_iter().chain(files.iter().map(String::as_str)).collect();
        let imported = here.run(&words);
        assert_eq!(imported.code, Some(0), "{}", imported.err);
        assert_eq!(imported.out.lines().count(), runs.len());
        for run in &runs {
            let [there, here] = [&there, &here].map(|folder| folder.run(&["show", run]).out);
            // Only where it was measured can it go on.
            let there: Vec<&str> = there.lines().filter(|line| !line.starts_with("Continue it: ")).collect();
            assert_eq!(there, here.lines().collect::<Vec<_>>(), "run {run}");
        }
    }
}

#[test]
fn run_that_is_stored_is_not_imported_again() {
    let (there, here) = (TestFolder::with_runs(), TestFolder::new());
    there.write("1.json", export(&there, "1"));
    here.write("1.json", export(&there, "1"));
    let own = there.run(&["import", "1.json"]);
    assert_eq!((own.out.as_str(), own.code), ("1.json is run 1 already\n", Some(0)), "{}", own.err);
    for said in ["run 1: ", "1.json is run 1 already", "1.json is run 1 already"] {
        let imported = here.run(&["import", "1.json"]);
        assert!(imported.out.starts_with(said) && imported.code == Some(0), "{}{}", imported.out, imported.err);
    }
    assert_eq!(numbers(&here).len(), 1);
    // The same samples of a library whose output was found wrong say something else.
    let mut wrong: Value = serde_json::from_str(&export(&there, "1")).expect("JSON");
    wrong["records"][0]["outcome"] = json!({"is": "wrong-output", "why": "expected 00"});
    here.write("wrong.json", wrong.to_string());
    let imported = here.run(&["import", "wrong.json"]);
    assert!(imported.out.starts_with("run 2: "), "{imported:?}");
}

#[test]
fn imported_run_is_never_one_of_this_machine() {
    let (there, here) = (TestFolder::with_runs(), TestFolder::new());
    here.write("1.json", export(&there, "1"));
    here.run(&["import", "1.json"]);
    let listed = here.run(&["list"]).out;
    assert!(listed.contains("(imported)"), "{listed}");
    refuses(&here.run(&["run", "--resume=1"]), &["run 1 was imported", "start a new one"]);
    let page = here.run(&["report", "1", "-o", "-"]);
    assert!(page.out.contains("<html") && page.code == Some(0), "{}", page.err);
}

#[test]
fn what_is_no_export_is_refused_and_leaves_no_store() {
    let folder = TestFolder::new();
    let nested = "[".repeat(100_000);
    let other = r#"{"schema":3,"ciphermeter":"9","run":{},"host":{},"records":[]}"#;
    let cases = [
        ("empty", "", "it is no JSON"),
        ("a.csv", "provider,algorithm\n", "it is no JSON"),
        ("nested", &nested, "it is no JSON"),
        ("new.json", other, "schema 3"),
    ];
    for (name, text, why) in cases {
        folder.write(name, text);
        refuses(&folder.run(&["import", name]), &[name, why]);
    }
    refuses(&folder.run(&["import", "none.json"]), &["none.json", "No such file"]);
    folder.write("other.db", STORE);
    refuses(&folder.run(&["import", "other.db"]), &["other.db is a store", "ciphermeter export RUN --store"]);
    refuses(&folder.run(&["import", "."]), &["not a regular file"]);
    assert!(!folder.path("runs.db").exists());
}

#[test]
fn standard_input_is_imported() {
    let (there, here) = (TestFolder::with_runs(), TestFolder::new());
    let mut import = here.ciphermeter(&["import", "-"]);
    let mut import = import.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    import.stdin.take().unwrap().write_all(export(&there, "2").as_bytes()).unwrap();
    let said = CommandOutput::of(import.wait_with_output().unwrap());
    assert!(said.out.starts_with("run 1: ") && said.code == Some(0), "{}{}", said.out, said.err);
}
