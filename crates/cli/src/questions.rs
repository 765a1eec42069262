//! docs/questions.md by its promises: it has the questions of questions.toml, each with its command, which this program takes. Nothing is
//! measured here; tests/questions does that.

use serde::Deserialize;

use crate::args::{Command, command, read};
use crate::command::Wanted;
use crate::spot;

const PAGE: &str = include_str!("../../../docs/questions.md");

#[derive(Deserialize)]
struct Questions {
    question: Vec<toml::Table>,
}

fn questions() -> Vec<toml::Table> {
    let text = include_str!("../../../docs/questions.toml");
    toml::from_str::<Questions>(text).unwrap().question
}

fn text<'a>(question: &'a toml::Table, key: &str) -> Option<&'a str> {
    question.get(key).map(|value| value.as_str().unwrap())
}

#[test]
fn page_of_questions_has_those_of_its_list_each_with_its_command() {
    let sections: Vec<&str> = PAGE.split("\n## ").skip(1).collect();
    let asks: Vec<&str> = sections.iter().filter_map(|section| section.lines().next()).collect();
    let questions = questions();
    assert!(asks.iter().eq(questions.iter().filter_map(|own| text(own, "ask")).collect::<Vec<_>>().iter()), "{asks:?}");
    for (question, section) in questions.iter().zip(sections) {
        let is_known =
            |key: &String| ["ask", "run", "budget", "sentences", "notes", "says", "missing"].contains(&key.as_str());
        assert!(question.keys().all(is_known), "{question:?}");
        let command = text(question, "run").map(|run| format!("\n```\nciphermeter {run}\n```\n"));
        assert!(command.is_none_or(|command| section.contains(&command)), "{section}");
        let has_answer =
            ["\n> ", "\nNot answered here: ", "\nNot measured: "].iter().any(|mark| section.contains(mark));
        assert!(has_answer, "{section}");
    }
}

#[test]
fn each_command_of_the_page_of_questions_is_taken() {
    for run in questions().iter().filter_map(|question| text(question, "run")) {
        let words = ["ciphermeter"].into_iter().chain(run.split(' ')).chain(["--json", "-"]);
        let matches = command().try_get_matches_from(words).unwrap_or_else(|error| panic!("{run}: {error}"));
        let taken = match read(&matches).unwrap() {
            Command::Advise(options) => Wanted::read(&options).map(|_| ()),
            Command::Run { scenario, options } => spot::scenario(scenario.as_deref(), &options.spot, None).map(|_| ()),
            other => panic!("{run}: {other:?}"),
        };
        taken.unwrap_or_else(|error| panic!("{run}: {error:#}"));
    }
}
