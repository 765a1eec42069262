//! What emulated cores count of a claim about boards: a hint beside it and never a verdict, because counts are not times.

use std::collections::BTreeMap;

use ciphermeter_answer::devices::{Unit, cost};
use ciphermeter_answer::words::number;
use ciphermeter_core::{Record, escaped};

use crate::question::{Expectation, Pick, Question};
use crate::run::MeasuredRun;

/// Of the newest run that counted; `None` where the claim is of no time on a board, or nothing was counted.
pub(crate) fn hint(question: &Question<'_>, runs: &[MeasuredRun]) -> Option<String> {
    let of_time =
        matches!(question.expect, Expectation::Faster | Expectation::TimeRatio { .. } | Expectation::MoreThroughput);
    let of_boards = question.left.board.is_some() && question.right.board.is_some();
    let runs = runs.iter().filter(|_| of_time && of_boards);
    let counted = runs.map(|run| (run.run.id, ranges(question, &run.records))).find(|(_, ranges)| !ranges.is_empty());
    counted.map(|(id, ranges)| {
        let each = ranges.iter().map(|((device, unit), (low, high))| match (number(*low), number(*high)) {
            (low, high) if low == high => format!("{low}× the {unit} on {}", escaped(device)),
            (low, high) => format!("{low} to {high}× the {unit} on {}", escaped(device)),
        });
        let each = each.collect::<Vec<_>>().join("; ");
        format!("A hint, no verdict: emulated cores counted in run {id}, not timed: {each}.")
    })
}

/// By core and unit, the least and the most of a right cell ÷ the left one of the same library, form and sizes.
fn ranges(question: &Question<'_>, records: &[Record]) -> BTreeMap<(String, &'static str), (f64, f64)> {
    let mut found = BTreeMap::new();
    let of = |pick: &Pick| {
        let records = records.iter().filter(|record| pick.is_like(&record.cell));
        records.filter_map(|record| Some((record, counted(record)?))).collect::<Vec<_>>()
    };
    let rights = of(question.right);
    for (left, (core, least)) in of(question.left) {
        let same = |other: &Record| {
            let (one, other) = (&left.cell, &other.cell);
            (&one.provider, one.form, &one.parameters) == (&other.provider, other.form, &other.parameters)
        };
        for (_, (_, most)) in rights.iter().filter(|(right, _)| same(right)) {
            let ratio = most / least;
            let (low, high) = found.entry(core.clone()).or_insert((ratio, ratio));
            (*low, *high) = (low.min(ratio), high.max(ratio));
        }
    }
    found
}

/// An emulated core and its unit, and what a call counts there.
fn counted(record: &Record) -> Option<((String, &'static str), f64)> {
    let device = record.provenance.as_ref()?.device.as_ref().filter(|device| device.emulated)?;
    let unit = Unit::of(record);
    (!unit.is_time()).then_some(((device.name.clone(), unit.as_str()), cost(record)?.mid))
}

#[cfg(test)]
mod tests {
    use ciphermeter_core::{Algorithm, Counts, Metric};

    use super::*;
    use crate::fixtures;
    use crate::question::Way;

    /// A run in which each seal of ChaCha20-Poly1305 counts 1000 instructions and one of AES so many, size by size.
    fn counted_run(question: &Question<'_>, aes: &[u64], emulated: bool) -> MeasuredRun {
        let mut provenance = fixtures::on_board(emulated);
        if let Some(device) = provenance.device.as_mut() {
            device.counts = emulated.then_some(Counts::Instructions);
        }
        let mut records = fixtures::planted_for(question, 1.0);
        for (place, record) in records.iter_mut().enumerate() {
            let count = if record.cell.algorithm == Algorithm::Aes256Gcm { aes[place / 2] } else { 1000 };
            let fork = fixtures::fork([vec![(Metric::INSTRUCTIONS, count)]]);
            (record.provenance, record.forks, record.summary) =
                (Some(provenance.clone()), vec![fork.clone(), fork], None);
        }
        fixtures::run(7, "iot", records)
    }

    fn said(id: &str, aes: &[u64], emulated: bool) -> Option<String> {
        let study = crate::built_in::find("esp32").unwrap().unwrap();
        let claim = study.claims.iter().find(|claim| claim.id == id).unwrap();
        let question = claim.question(Way::Proper).unwrap();
        hint(&question, &[counted_run(&question, aes, emulated)])
    }

    #[test]
    fn emulated_cores_give_a_hint_that_is_called_one() {
        let of = |range| {
            Some(format!(
                "A hint, no verdict: emulated cores counted in run 7, not timed: {range} the instructions on board."
            ))
        };
        for id in ["faster", "time-ratio", "throughput"] {
            assert_eq!(said(id, &[1040, 1500, 2400], true), of("1.04 to 2.40×"), "{id}");
            assert_eq!(said(id, &[900, 900, 900], true), of("0.90×"), "{id}");
        }
    }

    #[test]
    fn memory_current_and_boards_that_keep_time_give_none() {
        for id in ["memory", "current"] {
            assert_eq!(said(id, &[2000; 3], true), None, "{id}");
        }
        assert_eq!(said("faster", &[2000; 3], false), None);
    }
}
