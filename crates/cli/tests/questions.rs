//! docs/questions.py writes the page of questions: tried with a program that answers each command from one stored run.

use std::fs;
use std::process::Command;

use crate::common::{BINARY, CommandOutput, DOCS, TestFolder};

#[test]
fn page_quotes_what_the_program_says_and_each_question_has_an_answer_or_a_reason() {
    let folder = TestFolder::with_runs();
    let runs = folder.path("runs.db");
    // One command is refused.
    let answers = format!(
        "#!/bin/sh\n[ \"$2\" != wireguard ] || {{ echo ciphermeter: it is not here >&2; exit 2; }}\nexec {BINARY} show 1 --store {} --json -\n",
        runs.display()
    );
    folder.program("answers", answers);
    let mut script = Command::new("python3");
    script.arg(format!("{DOCS}/questions.py")).arg(folder.path("answers")).arg("--output").arg(folder.path("page.md"));
    let said = CommandOutput::of(script.output().expect("python3"));
    assert_eq!(said.code, Some(0), "{said:?}");
    let page = fs::read_to_string(folder.path("page.md")).expect("a page");
    let answer = folder.run(&["show", "1", "--json", "-"]).json()["answer"].clone();
    let first = answer["sentences"][0].as_str().expect("a sentence");
    let text = page.replace("\n> ", " ").replace('\n', " ");
    assert!(text.contains(first) && text.contains(answer["measured_on"].as_str().expect("a machine")), "{page}");
    let asks = |page: &str| page.lines().filter(|line| line.starts_with("## ")).map(str::to_owned).collect::<Vec<_>>();
    let kept = fs::read_to_string(format!("{DOCS}/questions.md")).expect("the page that is kept");
    assert_eq!(asks(&page), asks(&kept));
    assert!(page.contains("Not answered here: it is not here.\n"), "{page}");
    assert!(page.lines().all(|line| line.chars().count() <= 120 || line.starts_with("ciphermeter ")), "{page}");
}
