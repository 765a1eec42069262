//! The promises of scenarios/README.md about the curated scenarios, and its example.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::common::TestFolder;
use ciphermeter_core::{Algorithm, Scenario};

/// CPUs of the machine for which cells are counted.
const CPUS: u32 = 8;
/// The time that an ordinary cell needs for ±2 %.
const EACH: Duration = Duration::from_millis(200);
/// The number of providers that have most algorithms, besides the ceilings: built in or with a worker here.
const PROVIDERS: usize = 6;

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios"))
}

fn readme() -> String {
    fs::read_to_string(folder().join("README.md")).expect("scenarios/README.md")
}

fn curated() -> Vec<(String, Scenario)> {
    let files = fs::read_dir(folder()).expect("scenarios/").map(|entry| entry.expect("an entry").path());
    let mut scenarios: Vec<_> = files
        .filter(|file| file.extension().is_some_and(|extension| extension == "toml"))
        .map(|file| {
            let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
            let text = fs::read_to_string(&file).expect("a scenario");
            let scenario = Scenario::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            (name, scenario)
        })
        .collect();
    scenarios.sort_by(|a, b| a.0.cmp(&b.0));
    scenarios
}

/// The cells of one provider that has every algorithm that the scenario names.
fn cells(scenario: &Scenario) -> usize {
    let algorithms: BTreeSet<Algorithm> = scenario.cells.iter().flat_map(|block| block.algorithms.clone()).collect();
    let provider = scenario.cells.iter().flat_map(|block| &block.providers).next().map_or("p", |named| named);
    algorithms.into_iter().map(|algorithm| scenario.cells_for(provider, algorithm, CPUS).len()).sum()
}

#[test]
fn every_curated_scenario_has_its_section() {
    let readme = readme();
    let (_, sections) = readme.split_once("\n## The curated ones\n").expect("the part on the curated ones");
    let headings: BTreeSet<&str> = sections.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    let scenarios = curated();
    assert_eq!(headings, scenarios.iter().map(|(name, _)| name.as_str()).collect());
    for section in sections.split("\n### ").skip(1) {
        let text = section.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("doesn't tell") || text.contains("says nothing"), "what it doesn't tell: {text}");
    }
}

#[test]
fn every_size_of_the_tables_is_measured() {
    let readme = readme();
    for (name, scenario) in curated() {
        let (_, section) = readme.split_once(&format!("\n### {name}\n")).expect("its section");
        let section = section.split("\n### ").next().unwrap_or_default();
        let mut told: BTreeSet<String> = section
            .lines()
            .filter_map(|line| line.strip_prefix("| "))
            .filter(|line| line.starts_with(|first: char| first.is_ascii_digit()))
            .filter_map(|line| Some(line.split([',', '|']).next()?.trim().replace(' ', "")))
            .collect();
        let messages = scenario.cells.iter().flat_map(|block| &block.messages);
        let measured: BTreeSet<String> = messages.map(ToString::to_string).collect();
        told.retain(|size| !measured.contains(size));
        assert!(told.is_empty(), "{name}: the table has {told:?}, the scenario {measured:?}");
    }
}

#[test]
fn budgets_fit_the_cells() {
    for (name, scenario) in curated().into_iter().filter(|(_, scenario)| scenario.copies.is_none()) {
        let budget = scenario.budget.duration();
        let most = match name.as_str() {
            "bulk" | "libraries" | "transfer" => 600,
            // It lasts as long as specified, whatever its cells.
            "sustained" => 300,
            "python-sizes" => 240,
            // Each call has a process of its own.
            "python-script" => 150,
            // Before each sample, all messages of a working set are set up.
            "server" => 120,
            // Each provider sets up disks or a network of its own.
            "kernel" | "tunnel" => 120,
            // Each size has forks of its own, and the largest takes seconds a message.
            "parallel" => 1200,
            _ => 60,
        };
        assert!(budget <= Duration::from_secs(most), "{name}: {budget:?}");
        let cells = cells(&scenario);
        // Of the forms of threads and of cards, no provider has all.
        let many = if name == "parallel" { 96 } else { 64 };
        assert!((1..=many).contains(&cells), "{name}: {cells} cells per provider");
        let wanted = EACH * u32::try_from(cells * PROVIDERS).expect("few");
        assert!(wanted <= budget + budget / 4, "{name}: {cells} cells per provider want {wanted:?}, it has {budget:?}");
    }
}

#[test]
fn example_is_a_valid_scenario() {
    let readme = readme();
    let (_, example) = readme.split_once("```toml\n").expect("an example");
    let (example, _) = example.split_once("```").expect("its end");
    let scenario = Scenario::parse(example).expect("a scenario");
    assert_eq!(scenario.cells_for("openssl", Algorithm::Aes256Gcm, CPUS).len(), 72 + 1);
    assert_eq!(scenario.cells_for("openssl", Algorithm::Aes256Gcm, 1).len(), 24 + 1);
    // Every key of the format is in the table, and all but `copies` in the example.
    let written = toml::Value::try_from(&scenario).expect("TOML");
    let keys = |value: &toml::Value| value.as_table().expect("a table").keys().cloned().collect::<Vec<_>>();
    let block = written["cells"].as_array().expect("blocks")[0].clone();
    for key in keys(&written).into_iter().filter(|key| key != "cells").chain(keys(&block)) {
        assert!(readme.contains(&format!("| `{key}` |")), "the table lacks `{key}`");
        assert!(example.lines().any(|line| line.starts_with(&format!("{key} = "))), "the example lacks `{key}`");
    }
}

#[test]
fn scenario_file_runs_by_its_path_and_curated_ones_are_named() {
    let folder = TestFolder::new();
    let readme = readme();
    let (_, example) = readme.split_once("```toml\n").expect("an example");
    folder.write("example.toml", example.split("```").next().unwrap_or_default());
    // An algorithm with none of its operations: once the harness reports that, it has read the file, and it measures
    // nothing.
    let said = folder.run(&["run", "./example.toml", "--algorithm", "xor"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("xor with seal, open"), "{said:?}");
    let said = folder.run(&["run", "tea"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    for (name, _) in curated() {
        assert!(said.err.contains(&name), "{name} is built in: {said:?}");
    }
    let said = folder.run(&["list", "scenarios", "nginx", "./example.toml"]);
    let has_both = said.out.starts_with("nginx: ") && said.out.contains("\nexample: ");
    assert!(said.code == Some(0) && has_both && !said.out.contains("messages (the default)"), "{said:?}");
}
