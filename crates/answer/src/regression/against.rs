//! A run against an older library or worker that was measured in the same rounds: the best comparison there is.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Against, Cell, Outcome, Record, Run};
use ciphermeter_estimate as estimate;
use ciphermeter_stats::{Effect, LEAST_FORKS};

use super::verdict::{Lost, Unmatched, Verdict};

/// The verdict on a run that was compared with something older; `None` for any other run.
///
/// Each new cell is compared with the old one of the same algorithm, operation, form and parameters, fork by fork.
/// The old one of `openssl`, and of a second source `openssl@2`, is `openssl@old`.
pub fn against(run: &Run, records: &[Record]) -> Option<Verdict> {
    let against = run.against.as_ref()?;
    let mut verdict = Verdict::new(format!("new ÷ old ({})", against.old), against.threshold);
    let olds: BTreeMap<&Cell, &Record> =
        records.iter().filter(|record| is_old(record)).map(|record| (&record.cell, record)).collect();
    let compared: BTreeSet<&str> = olds.keys().map(|cell| cell.provider.as_str()).collect();
    let (mut changed, mut met, mut same_file) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for new in records.iter().filter(|record| !is_old(record) && !record.cell.algorithm.is_ceiling()) {
        let before = Cell { provider: old_name(&new.cell.provider), ..new.cell.clone() };
        if !compared.contains(before.provider.as_str()) {
            continue;
        }
        match olds.get(&before) {
            Some(old) => {
                met.insert(&old.cell);
                same_file.extend(one_file(new, old));
                match pair(new, old) {
                    Pair::Effect(effect) => changed.push((new, effect)),
                    Pair::Lost(why) => verdict.lost.push(Lost::new(new, why)),
                    Pair::Unmatched(why, missed) => verdict.unmatched.push(Unmatched::new(new, why, missed)),
                }
            }
            None => {
                let why = format!("new: {} doesn't have it", before.provider);
                verdict.unmatched.push(Unmatched::new(new, why, false));
            }
        }
    }
    for old in olds.values().filter(|old| !met.contains(&old.cell) && old.outcome == Outcome::Measured) {
        verdict.lost.push(Lost::new(old, "nothing new offers it any more".into()));
    }
    verdict.notes.extend(same_file);
    verdict.must_resolve = true;
    verdict.judge(changed);
    Some(verdict)
}

/// That both are one file, as where you give the old one only.
fn one_file(new: &Record, old: &Record) -> Option<String> {
    let file = |record: &Record| {
        let from = record.provenance.as_ref()?;
        Some((from.library.clone()?, from.sha256.clone()?))
    };
    let ((library, own), (_, other)) = (file(new)?, file(old)?);
    let (new, old) = (&new.cell.provider, &old.cell.provider);
    (own == other).then(|| format!("{new} and {old} are the same file, {library}: this compares it with itself."))
}

/// What a new cell and its old one come to.
enum Pair {
    Effect(Effect),
    Lost(String),
    /// Why, and whether both were measured.
    Unmatched(String, bool),
}

fn pair(new: &Record, old: &Record) -> Pair {
    match (new.outcome.in_words(), old.outcome.in_words()) {
        (Some(why), None) => return Pair::Lost(why),
        (Some(why), Some(_)) => return Pair::Unmatched(format!("neither was measured: {why}"), false),
        (None, Some(why)) => return Pair::Unmatched(format!("the old one was not measured: {why}"), false),
        (None, None) => {}
    }
    let logs = estimate::logs(new, old);
    match logs.effect() {
        Some(effect) if effect.is_enough() => Pair::Effect(effect),
        _ => Pair::Unmatched(few(&[logs.forks()]), true),
    }
}

/// Too few forks, of each run where there are two.
pub(super) fn few(forks: &[usize]) -> String {
    let counts: Vec<_> = forks.iter().map(ToString::to_string).collect();
    let plural = if forks == [1] { "" } else { "s" };
    let counts = counts.join(" and ");
    format!("only {counts} whole fork{plural} with both, of at least {LEAST_FORKS}; use a longer --budget")
}

fn is_old(record: &Record) -> bool {
    record.cell.provider.ends_with(Against::MARK)
}

/// What stands before the first `@` names the library; what stands behind it, where it comes from.
fn old_name(provider: &str) -> String {
    provider.split('@').next().unwrap_or(provider).to_string() + Against::MARK
}
