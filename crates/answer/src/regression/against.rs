//! A run against an older library or worker that was measured in the same rounds: the best comparison there is.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Against, Cell, Outcome, Record, Run, escaped};
use ciphermeter_estimate as estimate;

use super::found::Found;
use super::identity::in_words;
use super::verdict::{Lost, Unmatched, Verdict, judged};
use crate::words::listed;

/// The verdict on a run that was compared with something older; `None` for any other run.
///
/// Each new cell is compared with the old one of the same algorithm, operation, form and parameters, fork by fork. A control is a second
/// copy of the old side: its code did not change.
pub fn against(run: &Run, records: &[Record]) -> Option<Verdict> {
    let against = run.against.as_ref()?;
    let mut verdict = Verdict::new(format!("new ÷ old ({})", against.old), against.threshold);
    let olds: BTreeMap<&Cell, &Record> =
        records.iter().filter(|record| is_old(record)).map(|record| (&record.cell, record)).collect();
    let compared: BTreeSet<&str> = olds.keys().map(|cell| cell.provider.as_str()).collect();
    let (mut changed, mut met, mut same_file) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    let mut unchanged = Vec::new();
    for new in records.iter().filter(|record| !is_old(record) && !record.cell.algorithm.is_ceiling()) {
        let before = Cell { provider: Against::old(&new.cell.provider), ..new.cell.clone() };
        if !compared.contains(before.provider.as_str()) {
            continue;
        }
        match olds.get(&before) {
            Some(old) if Against::is_control(&new.cell.provider) => {
                if let Found::Effect(effect) = found(new, old) {
                    unchanged.push((new, effect));
                }
            }
            Some(old) => {
                met.insert(&old.cell);
                same_file.extend(one_file(new, old));
                changed.extend(verdict.take([old, new], found(new, old)).map(|effect| (new, effect)));
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
    verdict.same = judged(unchanged, against.threshold);
    verdict.judge(changed);
    verdict.must_resolve = against.may_hide.is_none_or(|most| verdict.could_hide() > most.0);
    Some(verdict)
}

/// The code of both sides, by which a reader can check what was compared: `ring: new 0.17.14, program 01…; old 0.17.8, program 23….`
pub fn sides(records: &[Record]) -> Vec<String> {
    let code = |provider: &str| {
        let own = records.iter().filter(|record| record.cell.provider == provider);
        let words: BTreeSet<String> = own.filter_map(|record| record.provenance.as_ref()).map(in_words).collect();
        listed(&words.into_iter().collect::<Vec<_>>())
    };
    let providers: BTreeSet<&str> = records.iter().map(|record| record.cell.provider.as_str()).collect();
    let is_new = |name: &&&str| !Against::is_old(name) && !Against::is_control(name);
    let new = providers.iter().filter(is_new).filter(|name| providers.contains(&*Against::old(name)));
    new.map(|new| format!("{}: new {}; old {}.", escaped(new), code(new), code(&Against::old(new)))).collect()
}

/// That both are one file, as where you give the old one only.
fn one_file(new: &Record, old: &Record) -> Option<String> {
    let file = |record: &Record| {
        let from = record.provenance.as_ref()?;
        Some((from.library.clone()?, from.sha256.clone()?))
    };
    let ((library, own), (_, other)) = (file(new)?, file(old)?);
    let (new, old) = (&new.cell.provider, &old.cell.provider);
    (own == other)
        .then(|| format!("{new} and {old} have the same bytes, those of {library}: this compares it with itself."))
}

fn found(new: &Record, old: &Record) -> Found {
    let words = ["neither was measured", "the old one was not measured"];
    Found::unmeasured(old, new, words).unwrap_or_else(|| {
        let logs = estimate::logs(new, old);
        Found::of(logs.effect(), &[logs.forks()])
    })
}

fn is_old(record: &Record) -> bool {
    Against::is_old(&record.cell.provider)
}
