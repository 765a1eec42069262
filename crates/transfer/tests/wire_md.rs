//! promises.md names tests for every promise of WIRE.md, and each of them exists.

use std::fs;
use std::path::Path;

/// Where tests are, from this crate.
const PLACES: [&str; 6] = ["src", "tests", "../move/src", "../cli/tests", "../../tests/wire", "../../tests/system"];

/// All Rust and Python source below a folder.
fn sources(folder: &Path, into: &mut String) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        match entry.extension().and_then(|extension| extension.to_str()) {
            Some("rs" | "py") => into.push_str(&fs::read_to_string(entry).unwrap()),
            // Not what the tests' tools installed.
            None if entry.is_dir() && !entry.ends_with("build") => sources(&entry, into),
            _ => {}
        }
    }
}

#[test]
fn every_promise_of_the_page_names_tests_that_exist() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(here.join("tests/promises.md")).unwrap();
    let mut all = String::new();
    PLACES.iter().for_each(|place| sources(&here.join(place), &mut all));
    let rows: Vec<_> = page.lines().filter(|line| line.starts_with('|')).skip(2).collect();
    assert!(rows.len() > 20, "{} promises", rows.len());
    for row in rows {
        let cells: Vec<_> = row.trim_matches('|').split('|').collect();
        let [_, tests] = cells[..] else { panic!("two cells: {row}") };
        let names: Vec<_> = tests.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "no test: {row}");
        for name in names {
            let is_there = ["fn", "def"].iter().any(|word| all.contains(&format!("{word} {name}(")));
            assert!(is_there, "there is no test {name}: {row}");
        }
    }
}
