//! `study`: published claims beside what was measured here.

use crate::common::TestFolder;

const NAMES: [&str; 5] = ["esp32", "languages", "parallel", "python-sizes", "tcp-sockets"];

#[test]
fn studies_are_listed_before_anything_is_measured() {
    let folder = TestFolder::new();
    let said = folder.run(&["study", "list"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    for name in NAMES {
        assert!(said.out.lines().any(|line| line == name), "{name}: {said:?}");
    }
    assert!(said.out.contains("not measured yet"), "{said:?}");
    assert!(said.out.lines().all(|line| line.chars().count() <= 80), "{said:?}");
}

#[test]
fn study_without_a_run_says_how_to_measure_and_what_is_wrong_in_the_paper() {
    let folder = TestFolder::new();
    for name in NAMES {
        let said = folder.run(&["study", "show", name]);
        assert_eq!(said.code, Some(5), "nothing is decided: {said:?}");
        let text = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(&format!("ciphermeter study run {name}")), "{text}");
        assert!(text.contains("What does not fit together in it:"), "{text}");
        assert!(said.out.lines().all(|line| line.chars().count() <= 80), "{said:?}");
    }
}

/// The run of a scenario of that name decides the claim, whoever started it.
#[test]
fn claim_is_judged_by_the_newest_run_of_its_scenario() {
    let folder = TestFolder::new();
    let scenario = r#"
        name = "iot"
        title = "the message of a study"
        budget = "3s"
        precision = "50%"
        [[cells]]
        algorithms = ["aes-256-gcm", "chacha20-poly1305"]
        operations = ["seal"]
        messages = ["64"]
        providers = ["rustcrypto"]
    "#;
    folder.write("iot.toml", scenario);
    let run = folder.run(&["run", "./iot.toml", "--quiet", "--store", "other.db"]);
    assert!(matches!(run.code, Some(0 | 5)), "{run:?}");
    assert!(folder.run(&["study", "show", "esp32"]).out.contains("Nothing is measured yet"));
    let said = folder.run(&["study", "show", "esp32", "--store", "other.db"]);
    let text = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("Here: run 1 on "), "{text}");
    assert!(!text.contains("Not measured yet"), "{text}");
    assert!(text.contains("rustcrypto, 64 B, seal"), "{text}");
}

#[test]
fn unknown_study_is_named_with_those_that_exist() {
    let said = TestFolder::new().run(&["study", "show", "<b>"]);
    assert_eq!((said.code, said.err.lines().count()), (Some(2), 1), "{said:?}");
    assert!(said.err.contains("python-sizes, tcp-sockets"), "{said:?}");
}

#[test]
fn all_studies_end_with_why_they_disagree() {
    let folder = TestFolder::new();
    let said = folder.run(&["study", "show", "--all"]);
    assert_eq!(said.code, Some(5), "nothing is measured: {said:?}");
    let (studies, why) = said.out.split_once("Why they disagree").expect("a page over all");
    assert!(NAMES.iter().all(|name| studies.contains(name)), "{said:?}");
    let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(why.matches(": not measured yet.").count(), 11, "{why}");
    for wrong in [&["study", "show"][..], &["study", "run"], &["study", "show", "esp32", "--all"]] {
        assert_eq!(folder.run(wrong).code, Some(2));
    }
}
