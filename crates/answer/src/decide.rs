//! What a run decides, whatever its kind.

use ciphermeter_core::{Kind, Record, Run};

use crate::answer::{About, Answer};
use crate::basis::{Basis, budget, most_forks};
use crate::code_paths;
use crate::devices::DevicesAnswer;
use crate::measured::wrong_here;
use crate::messages::messages;
use crate::parallel::ParallelAnswer;
use crate::regression::{Finding, against, sentences, sides};
use crate::self_check::{SelfCheck, self_check};
use crate::sustained::{ExportedCourse, course, is_long_enough};

/// The answer of a run.
pub fn answer(run: &Run, records: &[Record]) -> Answer {
    let mut answer = None
        .or_else(|| versions(run, records))
        .or_else(|| copies(run, records))
        .or_else(|| devices(run, records))
        .unwrap_or_else(|| match run.scenario.kind {
            Kind::Parallel => parallel(run, records),
            Kind::Sustained => sustained(run, records),
            Kind::Message | Kind::Transfer => messages(run, records),
        });
    answer.notes.splice(0..0, code_paths::sentences(run, records));
    // An empty one parts paragraphs on a screen.
    answer.sentences.retain(|sentence| !sentence.is_empty());
    // Sentences alone say nothing of a library whose output was wrong.
    answer.answered &= answer.about.is_some() || wrong_here(records).next().is_none();
    answer
}

/// Between an older version and a newer one.
fn versions(run: &Run, records: &[Record]) -> Option<Answer> {
    let verdict = against(run, records)?;
    let is_known = matches!(verdict.finding(), Finding::Fine | Finding::Slower);
    let open = Answer::open(run, records, "Is the new one slower?".into(), is_known);
    let notes = sides(records);
    Some(Answer { sentences: sentences(&verdict), notes, about: Some(About::Regression(Box::new(verdict))), ..open })
}

/// Whether the instrument is right, where the truth is known.
fn copies(run: &Run, records: &[Record]) -> Option<Answer> {
    run.scenario.copies.as_ref()?;
    let groups = self_check(run, records);
    let question = "Does the instrument find what is true?".into();
    let is_answered = SelfCheck::is_answered(&groups);
    let longer = budget(run, records, most_forks(records)).filter(|_| !is_answered);
    let open = Answer::open(run, records, question, is_answered).with_longer(run, longer);
    Some(Answer {
        sentences: vec![SelfCheck::sum(run, records, &groups)],
        about: Some(About::SelfCheck { groups }),
        ..open
    })
}

fn devices(run: &Run, records: &[Record]) -> Option<Answer> {
    let devices = DevicesAnswer::of(records)?;
    let open = Answer::open(run, records, devices.question(), devices.is_answered());
    let open = open.with_longer(run, devices.budget(run, records));
    let measured: Vec<Record> =
        records.iter().filter(|record| record.cell.parameters.device().is_some()).cloned().collect();
    let most = most_forks(&measured);
    Some(Answer {
        sentences: [devices.sentences(), devices.lacks(run, records)].concat(),
        notes: devices.paragraphs(run, records, false).into_iter().map(|paragraph| paragraph.text).collect(),
        rests_on: Basis::of(&measured, (most, most)),
        about: Some(About::Devices(Box::new(devices))),
        ..open
    })
}

fn parallel(run: &Run, records: &[Record]) -> Answer {
    let messages = ParallelAnswer::messages(run, records);
    let question = "One long message: how fast on all cores?".into();
    let open = Answer::open(run, records, question, ParallelAnswer::is_answered(&messages));
    Answer {
        sentences: ParallelAnswer::sentences(run, records, &messages),
        notes: ParallelAnswer::notes(run, records, &messages),
        about: Some(About::Parallel(ParallelAnswer::of(&messages))),
        ..open.with_longer(run, ParallelAnswer::budget(run, records, &messages))
    }
}

fn sustained(run: &Run, records: &[Record]) -> Answer {
    let open = Answer::open(run, records, "Does it keep its speed?".into(), false);
    let Some(record) = records.first() else { return open };
    let exported = ExportedCourse::of(run, record);
    let (sentences, answered) = (vec![exported.statement.clone()], is_long_enough(&course(record)));
    Answer { sentences, answered, about: Some(About::Sustained(exported)), ..open }
}

#[cfg(test)]
mod tests {
    use ciphermeter_core::{Algorithm, Operation};

    use super::*;
    use crate::fixtures::{self, cell};

    /// A pair, libraries alone, and what shares no cell.
    fn undecided() -> [Vec<Record>; 3] {
        let [aes, chacha20] = Algorithm::USUAL;
        let seal = |provider, algorithm| cell(provider, algorithm, Operation::Seal, 1024, 100.0);
        [
            vec![seal("ring", aes), seal("ring", chacha20)],
            vec![seal("ring", aes), seal("openssl", aes)],
            vec![seal("ring", aes)],
        ]
        .map(|cells| fixtures::records(&cells, 3))
    }

    #[test]
    fn cipher_that_no_library_has_is_said_where_it_was_named() {
        let mut run = fixtures::head();
        let [pair, ..] = undecided();
        run.scenario.cells[0].algorithms = [&Algorithm::USUAL[..], &[Algorithm::Aes256Ocb]].concat();
        assert!(!answer(&run, &pair).sentences.concat().contains("AES-256-OCB"), "nobody asked for it");
        run.plan.asked = ["run", "--algorithm=aes-256-gcm,chacha20-poly1305,aes-256-ocb"].map(String::from).into();
        let said = answer(&run, &pair).sentences;
        assert!(said.iter().any(|sentence| sentence == "No library of this run has AES-256-OCB."), "{said:?}");
    }

    #[test]
    fn command_that_measures_longer_has_the_option_that_the_sentences_suggest() {
        let mut run = fixtures::head();
        run.plan.asked = ["run", "tls", "--provider=ring"].map(String::from).into();
        for records in undecided() {
            let own = answer(&run, &records);
            let suggested = own.sentences.iter().any(|sentence| sentence.contains("try --budget 180s"));
            assert!(!own.answered && suggested, "{own:?}");
            let longer: Vec<String> =
                own.next.iter().filter(|next| next.to == "longer").map(|next| next.command.join(" ")).collect();
            assert_eq!(longer, ["ciphermeter run tls --provider=ring --budget 180s"]);
        }
        for mut records in undecided() {
            fixtures::of_page(&mut records);
            let said = answer(&run, &records).sentences.concat();
            assert!(said.contains("\"Measure longer\" on the page") && !said.contains("--budget"), "{said}");
        }
        let (_, records) = fixtures::run();
        let decided = answer(&run, &records);
        assert!(decided.next.iter().all(|next| next.to != "longer"), "{:?}", decided.next);
    }
}
