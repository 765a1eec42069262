//! What stands below the tables of devices about figures that are not there: sizes that a device refuses, ciphers that a size lacks, bytes
//! that a worker does not report.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Outcome, Record, escaped};

use super::answer::Answer;
use super::besides::Known;
use super::words::named;
use crate::device::Besides;
use ciphermeter_answer::point::{Point, Points};

/// What a device does not say of RAM and flash.
pub(super) fn unsaid(answers: &[Answer]) -> Option<String> {
    let known = Known::of(answers.iter().flat_map(|answer| &answer.choices));
    let has_choices = answers.iter().any(|answer| !answer.choices.is_empty());
    match (known.ram, known.flash) {
        _ if !has_choices => None,
        (true, true) => None,
        (false, true) => Some(format!("RAM: the worker does not report {}.", unsaid_of_ram(answers))),
        (true, false) => Some("flash: the worker does not report code.".into()),
        (false, false) => {
            Some(format!("RAM and flash: the worker does not report {} and code.", unsaid_of_ram(answers)))
        }
    }
}

/// Sizes that a device refuses whatever the cipher: `cortex-m4 has no figure at 32 KiB: message and aad may have up to 16384 bytes here.`
pub(super) fn refused(answers: &[Answer]) -> Option<String> {
    let of = |answer: &Answer| {
        let mut sizes = BTreeMap::<Point, Vec<&Record>>::new();
        for record in answer.board.records.iter().filter(|record| record.cell.parameters.message() > 0) {
            sizes.entry(Point::of(&record.cell.parameters)).or_default().push(record);
        }
        let why = |record: &&Record| match &record.outcome {
            Outcome::Unsupported { why } => Some(why.clone()),
            _ => None,
        };
        let refused: Vec<(Point, BTreeSet<String>)> = sizes
            .iter()
            .filter_map(|(point, records)| Some((*point, records.iter().map(why).collect::<Option<_>>()?)))
            .collect();
        let (_, why) = refused.first().filter(|_| !answer.choices.is_empty())?;
        let points: Vec<Point> = refused.iter().map(|(point, _)| *point).collect();
        let at = Points(sizes.keys().copied().collect()).at(&points);
        Some(format!("{} has no figure {at}: {}.", answer.board.name, escaped(why.first()?)))
    };
    let said: Vec<String> = answers.iter().filter_map(of).collect();
    (!said.is_empty()).then(|| said.join(" "))
}

/// A cipher that is the cheapest at some size and has no figure at another, where it may be, too: `avr has no figure of Ascon-AEAD128 at
/// 1 KiB: messages have up to 512 bytes here.`
pub(super) fn absent(answers: &[Answer]) -> Option<String> {
    let mut said = Vec::new();
    for answer in answers {
        let winners: BTreeSet<_> = answer.course.stretches.iter().flat_map(|stretch| named(&stretch.best)).collect();
        let all = Points(answer.choices.iter().map(|choice| choice.point).collect());
        for cipher in winners {
            let lacking = answer.course.lacking.iter().filter(|(algorithm, _)| *algorithm == cipher);
            let points: Vec<Point> = lacking.map(|(_, point)| *point).collect();
            if points.is_empty() {
                continue;
            }
            let why = answer.board.records.iter().find_map(|record| match &record.outcome {
                Outcome::WrongOutput { .. } => None,
                outcome if record.cell.algorithm == cipher && points.contains(&Point::of(&record.cell.parameters)) => {
                    Some(escaped(&outcome.why()?))
                }
                _ => None,
            });
            let why = why.map(|why| format!(": {why}")).unwrap_or_default();
            said.push(format!("{} has no figure of {} {}{why}.", answer.board.name, cipher.title(), all.at(&points)));
        }
    }
    (!said.is_empty()).then(|| said.join(" "))
}

/// What of RAM no device says.
fn unsaid_of_ram(answers: &[Answer]) -> &'static str {
    let all: Vec<Besides> = answers
        .iter()
        .flat_map(|answer| answer.choices.iter().flat_map(|choice| &choice.offers))
        .map(|offer| Besides::of(offer.record()))
        .collect();
    let says = |of: fn(&Besides) -> Option<u64>| all.iter().any(|besides| of(besides).is_some());
    match (says(|besides| besides.stack), says(|besides| besides.state)) {
        (true, false) => "state",
        (false, true) => "stack",
        _ => "stack, state",
    }
}
