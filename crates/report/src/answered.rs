//! What a run decides, whatever its kind: between ciphers, between an old version and a new one, or whether the instrument is right.

use ciphermeter_answer::regression::{against, sentences};
use ciphermeter_answer::{About, Answer};
use ciphermeter_core::{Record, Run};

use crate::screen;
use ciphermeter_answer::self_check::{SelfCheck, self_check};

/// The answer of a run.
pub fn answer(run: &Run, records: &[Record]) -> Answer {
    let mut answer = decided(run, records);
    // An empty one parts paragraphs on a screen.
    answer.sentences.retain(|sentence| !sentence.is_empty());
    answer
}

fn decided(run: &Run, records: &[Record]) -> Answer {
    if let Some(verdict) = against(run, records) {
        let answer = screen::blank(run, records, "Is the new one slower?".into(), !verdict.cells.is_empty());
        let (sentences, about) = (sentences(&verdict), Some(About::Regression(Box::new(verdict))));
        return Answer { sentences, about, ..answer };
    }
    if run.scenario.copies.is_some() {
        let checks = self_check(run, records);
        let question = "Does the instrument find what is true?".into();
        let answer = screen::blank(run, records, question, SelfCheck::is_answered(&checks));
        let about = Some(About::SelfCheck { groups: checks.clone() });
        return Answer { sentences: vec![SelfCheck::sum(&checks)], about, ..answer };
    }
    screen::answer(run, records)
}
