//! Two stored runs, compared through a reference: a cell of the same group whose code is the same in both.
//!
//! Levels of two runs say nothing about each other, because the machine's speed moves. In each run the ratio to the reference
//! does not depend on that; if the reference's code, the machine and the cell's group are the same, the two ratios may be
//! divided. Other cells whose code is the same show whether that holds here.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Cell, Group, Record, Run, Share};
use ciphermeter_estimate as estimate;
use ciphermeter_stats::{Effect, LEAST_FORKS, variance_between};

use super::counts::{exact, is_count};
use super::found::{Found, RUNS};
use super::reference::{Both, References, references};
use super::sentences::name;
use super::verdict::{Compared, Unmatched, Verdict, judged};
use crate::same_machine;
use crate::words::{counted, percent};

/// A run and its records.
#[derive(Debug, Clone, Copy)]
pub struct Stored<'a> {
    /// Its head.
    pub run: &'a Run,
    /// Its records.
    pub records: &'a [Record],
}

/// The verdict on the later run, compared with the earlier one.
pub fn compare(before: Stored, after: Stored, threshold: Share) -> Verdict {
    let (a, b) = (before.run.id, after.run.id);
    let mut verdict = Verdict::new(title(before.run, after.run), threshold);
    exact(&mut verdict, before.records, after.records, (a, b));
    let refused = refusal(before.run, after.run);
    if let Some(why) = refused {
        let is_time = |record: &Record| !is_count(record) && is_cipher(&record.cell);
        match (verdict.counts.is_empty(), before.records.iter().any(is_time)) {
            (true, _) => verdict.refused = Some(why),
            (false, true) => verdict.notes.push(format!("Times are not compared: {why}.")),
            (false, false) => {}
        }
        return verdict;
    }
    let changes = same_machine::changes(before.run, after.run);
    if !changes.is_empty() {
        verdict.notes.push(format!("Warning: the runs differ in more than the code: {}.", changes.join("; ")));
    }
    let (then, now) = (cells(before.records), cells(after.records));
    for (run, own, other) in [(a, &then, &now), (b, &now, &then)] {
        let only = own.iter().filter(|(cell, _)| is_cipher(cell) && !other.contains_key(*cell));
        let only = only.map(|(_, record)| Unmatched::new(record, format!("only in run {run}"), false));
        verdict.unmatched.extend(only);
    }
    let both: BTreeMap<&Cell, Both> =
        then.iter().filter_map(|(cell, before)| Some((*cell, Both { before, after: now.get(cell)? }))).collect();
    hold(&mut verdict, &both);
    verdict
}

/// `run 8 of 2026-11-23 04:05 ÷ run 1 of 2026-11-23 04:04, on AMD EPYC 9354`.
fn title(before: &Run, after: &Run) -> String {
    let named = |run: &Run| {
        let started = run.started.get(..16).unwrap_or(&run.started).replace('T', " ");
        format!("run {} of {started}", run.id)
    };
    let cpu = after.fact("cpu").map(|cpu| format!(", on {cpu}")).unwrap_or_default();
    format!("{} ÷ {}{cpu}", named(after), named(before))
}

fn cells(records: &[Record]) -> BTreeMap<&Cell, &Record> {
    records.iter().filter(|record| !is_count(record)).map(|record| (&record.cell, record)).collect()
}

/// A ceiling is a limit to look up to, not a product that became slower.
fn is_cipher(cell: &Cell) -> bool {
    !cell.algorithm.is_ceiling()
}

fn refusal(before: &Run, after: &Run) -> Option<String> {
    match [before, after].iter().find(|run| run.scenario.copies.is_some()) {
        Some(run) => Some(format!("run {} is one library under many names, a check of the instrument itself", run.id)),
        None => same_machine::other(before, after)
            .or_else(|| same_machine::masked(before, after))
            .or_else(|| same_machine::methods(before, after))
            .or_else(|| one_measurement(before, after)),
    }
}

/// A run that was taken in before it was resumed, and again afterwards, has the same samples twice.
fn one_measurement(before: &Run, after: &Run) -> Option<String> {
    let is_one = (&before.started, before.seed) == (&after.started, after.seed);
    is_one.then(|| format!("runs {} and {} are one measurement, taken in twice", before.id, after.id))
}

/// Compares every cell that both runs have.
fn hold<'a>(verdict: &mut Verdict, both: &BTreeMap<&'a Cell, Both<'a>>) {
    let references = references(both);
    let (mut same, mut changed) = (Vec::new(), Vec::new());
    for (_, pair) in both.iter().filter(|(cell, _)| is_cipher(cell)) {
        let effect = found(pair, &references).and_then(|found| verdict.take([pair.before, pair.after], found));
        let list = if effect.is_some() && pair.is_same() { &mut same } else { &mut changed };
        list.extend(effect.map(|effect| (pair.after, effect)));
    }
    let variance = variance_between(&same.iter().map(|(_, effect)| *effect).collect::<Vec<_>>());
    let widen = |cells: Vec<(&'a Record, Effect)>| -> Vec<(&'a Record, Effect)> {
        cells.into_iter().map(|(record, effect)| (record, effect.with_variance(variance))).collect()
    };
    let (same, changed) = (widen(same), widen(changed));
    verdict.notes.extend(varied(variance));
    verdict.notes.extend((!changed.is_empty()).then(|| unchecked(same.len())).flatten());
    verdict.same = judged(same, verdict.threshold);
    let broken = broken(verdict);
    let (lost, changed): (Vec<_>, Vec<_>) =
        changed.into_iter().partition(|(record, _)| broken.contains_key(&record.cell.group()));
    for (record, _) in lost {
        verdict.unmatched.push(Unmatched::new(record, broken[&record.cell.group()].clone(), true));
    }
    verdict.judge(changed);
    verdict.notes.extend(named(&references));
    if verdict.is_empty() {
        verdict
            .unmatched
            .extend(both.values().filter(|pair| is_cipher(&pair.after.cell)).map(|pair| alone(pair.after)));
    }
}

/// By how much the same code differs between the runs, where that is worth saying.
fn varied(variance: f64) -> Option<String> {
    let apart = variance.sqrt();
    (apart >= 0.002).then(|| {
        format!(
            "Cells with the same code differ by {} between the runs beyond their errors; all intervals include that.",
            percent(apart)
        )
    })
}

/// That too few cells of the same code show how far two runs differ anyway.
fn unchecked(same: usize) -> Option<String> {
    let cells = match same {
        0 => "No cell has".into(),
        1 => "Only 1 cell has".into(),
        some if some < LEAST_FORKS => format!("Only {some} cells have"),
        _ => return None,
    };
    Some(format!(
        "{cells} the same code in both runs, and it takes {LEAST_FORKS} to know how far the runs differ anyway: the intervals do not include that."
    ))
}

/// A cell of a run in which every cell is the only one of its group.
fn alone(record: &Record) -> Unmatched {
    let why = "each cell is alone in its group, so nothing shows how fast the machine itself was; measure a second provider, or \
               the ceilings, in both runs";
    Unmatched::new(record, why.into(), true)
}

/// What a cell that both runs have comes to; `None` of the reference itself.
fn found(pair: &Both, references: &References) -> Option<Found> {
    if let Some(found) = Found::unmeasured(pair.before, pair.after, RUNS) {
        return Some(found);
    }
    let reference = match references.get(&pair.after.cell.group()) {
        Some(Ok(reference)) if reference.after.cell == pair.after.cell => return None,
        Some(Ok(reference)) => reference,
        Some(Err(why)) => return Some(Found::Unmatched(why.clone(), true)),
        None => return Some(Found::Unmatched("no common reference".into(), true)),
    };
    let before = estimate::logs(pair.before, reference.before);
    let after = estimate::logs(pair.after, reference.after);
    Some(Found::of(after.effect_since(&before), &[before.forks(), after.forks()]))
}

/// Groups in which something that did not change is surely another: there the comparison is refuted, and nothing is
/// called slower by it.
fn broken(verdict: &Verdict) -> BTreeMap<Group, String> {
    let off = verdict.same.iter().filter(|compared| compared.differs());
    off.map(|off: &Compared| {
        let by = percent(off.ratio.mid - 1.0);
        let why = format!("the comparison doesn't hold there: {} did not change and differs by {by}", name(&off.cell));
        (off.cell.group(), why)
    })
    .collect()
}

/// The references, each once with the number of its groups.
fn named(references: &References) -> Option<String> {
    let mut groups = BTreeMap::<String, usize>::new();
    for reference in references.values().flatten() {
        let cell = &reference.after.cell;
        *groups.entry(format!("{} {}", cell.provider, cell.algorithm)).or_default() += 1;
    }
    let counted = |(reference, groups): (&String, &usize)| format!("{reference} in {}", counted(*groups, "group"));
    let all: BTreeSet<_> = groups.iter().map(counted).collect();
    let all: Vec<_> = all.into_iter().collect();
    (!all.is_empty()).then(|| format!("Reference, the same code in both runs: {}.", all.join(", ")))
}
