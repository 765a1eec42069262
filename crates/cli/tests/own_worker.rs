//! `--worker`: a user's own program that speaks PROTOCOL.md is measured beside all others. Needs `python3`.

use crate::common::TestFolder;

fn bad_worker(mode: &str) -> String {
    format!("python3 -S {} {mode}", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bad_worker/worker.py"))
}

#[test]
fn own_worker_is_measured_beside_the_scenarios_providers() {
    let folder = TestFolder::new();
    let said =
        folder.run(&["run", "tiny.toml", "--provider", "ceiling", "--worker", &bad_worker("honest"), "--json", "-"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let json = said.json();
    let records = json["records"].as_array().expect("records");
    assert_eq!(records.iter().filter(|record| record["provider"] == "bad").count(), 4, "{records:?}");
}

#[test]
fn named_provider_that_nothing_has_leaves_the_run_partial() {
    let folder = TestFolder::new();
    let named = ["run", "tiny.toml", "--provider", "ceiling,opnessl", "--worker", &bad_worker("honest"), "--json", "-"];
    let said = folder.run(&named);
    assert_eq!(said.code, Some(5), "{said:?}");
    assert!(said.err.contains("opnessl") && said.err.contains("no worker and no device here has"), "{}", said.err);
}

#[test]
fn taken_provider_name_gets_the_workers_name_appended() {
    let folder = TestFolder::new().with_worker("honest");
    let said = folder.run(&["run", "tiny.toml", "--worker", &bad_worker("honest"), "--json", "-"]);
    let json = said.json();
    let records = json["records"].as_array().expect("records");
    assert!(records.iter().any(|record| record["provider"] == "bad@bad"), "{records:?}");
}

#[test]
fn command_that_is_no_worker_is_refused() {
    let folder = TestFolder::new();
    for (command, why) in [
        ("", "it names nothing; give a worker command"),
        ("it's", "it names nothing"),
        (
            "./no-such-program",
            "./no-such-program did not start: No such file or directory (os error 2); give a worker command",
        ),
        ("true", "true is not a worker: it did not describe itself: "),
        ("echo hello", "is not a worker"),
    ] {
        let said = folder.run(&["run", "tiny.toml", "--worker", command]);
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{said:?}");
        assert!(said.err.contains(why), "no {why:?} in {}", said.err);
    }
}

/// Where a maintainer looks, with a manifest that is one.
#[test]
fn example_in_c_is_linked_and_its_manifest_is_read() {
    let read = |name: &str| {
        std::fs::read_to_string(format!("{}/../../{name}", env!("CARGO_MANIFEST_DIR"))).expect("a document")
    };
    for (document, link) in [
        ("README.md", "(examples/c-worker/README.md)"),
        ("PROTOCOL.md", "(examples/c-worker/README.md)"),
        ("docs/providers.md", "(../examples/c-worker/README.md)"),
        ("docs/writing-a-worker.md", "(../examples/c-worker/README.md)"),
        ("docs/tutorial.md", "(../examples/c-worker/README.md)"),
    ] {
        assert!(read(document).contains(link), "{document}");
    }
    let example = read("examples/c-worker/README.md");
    let manifest = example.split("```").find_map(|block| block.strip_prefix("toml\n")).expect("its worker.toml");
    let folder = TestFolder::new();
    folder.write("workers/c-worker/worker.toml", manifest);
    let said = folder.run(&["workers"]);
    assert!(said.code == Some(0) && said.out.contains("c-worker"), "{said:?}");
}
