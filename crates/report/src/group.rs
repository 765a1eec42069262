//! Records by group, each beside the best of its group and beside the ceilings.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Algorithm, Family, Group, Operation, Record, Summary};

use crate::measured::measured;
use crate::threads::{Gain, gain};
use ciphermeter_estimate::{self as estimate, Ratio};

/// A measured record and where it stands.
pub(crate) struct Entry<'a> {
    pub(crate) record: &'a Record,
    pub(crate) summary: &'a Summary,
    /// Time ÷ time of the best; `None` if they share no whole fork.
    pub(crate) ratio: Option<Ratio>,
    /// What it reaches of its ceiling, as a fraction.
    pub(crate) share: Option<f64>,
    /// What several threads gain.
    pub(crate) gain: Option<Gain>,
}

/// The measured records of one group.
pub(crate) struct Standing<'a> {
    pub(crate) group: Group,
    /// Fastest first.
    pub(crate) entries: Vec<Entry<'a>>,
    /// What no cipher can beat: the ceilings, and `xor` beside real ciphers.
    pub(crate) limits: Vec<Entry<'a>>,
}

/// All groups that have something measured, by operation, form, message, aad and threads; those on several CPUs last. One thread
/// beside several of its kind has no group of its own: it stands in their speed-up.
pub(crate) fn standings(records: &[Record]) -> Vec<Standing<'_>> {
    let mut groups = BTreeMap::<_, Vec<_>>::new();
    for record in records {
        if let Some(summary) = measured(record) {
            let group = record.cell.group();
            let sizes = (group.parameters.message(), group.parameters.aad(), group.parameters.threads());
            let cpus = group.parameters.cpus();
            groups.entry((cpus, group.operation, group.form, sizes, group)).or_default().push((record, summary));
        }
    }
    let several = groups.keys().map(|(.., group)| group).filter(|group| has_several_threads(group));
    let beside: BTreeSet<Group> = several.map(with_one_thread).collect();
    let own = groups.into_iter().filter(|((.., group), _)| !beside.contains(group));
    own.map(|((.., group), members)| standing(group, members, records)).collect()
}

/// Whether its cells are compared with one thread of the same provider.
pub(crate) fn has_several_threads(group: &Group) -> bool {
    group.parameters.cpus().is_some() && group.parameters.threads() > 1
}

fn with_one_thread(group: &Group) -> Group {
    Group { parameters: group.parameters.with_one_thread(), ..group.clone() }
}

type Member<'a> = (&'a Record, &'a Summary);

fn standing<'a>(group: Group, members: Vec<Member<'a>>, records: &[Record]) -> Standing<'a> {
    let is_cipher = |algorithm: Algorithm| algorithm.family() != Family::Ceiling && algorithm != Algorithm::Xor;
    let any = members.iter().any(|(record, _)| is_cipher(record.cell.algorithm));
    // Where nothing else was measured, xor is what the run was about.
    let competes = |(record, _): &Member| match record.cell.algorithm {
        Algorithm::Xor => !any,
        algorithm => is_cipher(algorithm),
    };
    let (contenders, limits): (Vec<_>, Vec<_>) = members.iter().copied().partition(competes);
    let best = best(&contenders);
    let entry = |(record, summary): Member<'a>| Entry {
        record,
        summary,
        ratio: best.and_then(|best| to_best(record, best)),
        share: share(record, &members),
        gain: gain(record, records),
    };
    let by_speed = |a: &Entry, b: &Entry| speed_order(a).total_cmp(&speed_order(b));
    let mut entries: Vec<_> = contenders.into_iter().map(entry).collect();
    // Levels stand in where ratios are lacking, but never mix with them in one sorting.
    match entries.iter().all(|entry| entry.ratio.is_some()) {
        true => entries.sort_by(by_speed),
        false => entries.sort_by(|a, b| a.summary.range.mid.total_cmp(&b.summary.range.mid)),
    }
    let mut limits: Vec<_> = limits.into_iter().map(entry).collect();
    limits.sort_by_key(|entry| entry.record.cell.algorithm);
    Standing { group, entries, limits }
}

fn speed_order(entry: &Entry) -> f64 {
    entry.ratio.map_or(f64::INFINITY, |ratio| ratio.mid)
}

/// The contender with the smallest ratio to their common reference; without one, with the smallest time. Cells of several threads have
/// a reference each, but were measured in the same rounds, so theirs are drawn to any of them.
fn best<'a>(contenders: &[Member<'a>]) -> Option<&'a Record> {
    let (first, summary) = contenders.first()?;
    let several = has_several_threads(&first.cell.group());
    let reference = if several { first.id } else { summary.reference };
    let ratio = |(record, summary): &Member| match summary.ratio.filter(|_| summary.reference == reference) {
        None if several => estimate::between(record, first).map(|ratio| ratio.mid),
        ratio => ratio.map(|ratio| ratio.mid),
    };
    let ratios = |member: &Member| if member.0.id == reference { Some(1.0) } else { ratio(member) };
    let paired = contenders.iter().all(|member| ratios(member).is_some());
    let key = |member: &Member| if paired { ratios(member).unwrap_or(1.0) } else { member.1.range.mid };
    contenders.iter().min_by(|a, b| key(a).total_cmp(&key(b))).map(|(record, _)| *record)
}

fn to_best(record: &Record, best: &Record) -> Option<Ratio> {
    match record.id == best.id {
        true => Some(Ratio { mid: 1.0, range: None }),
        false => estimate::ratio(record, best),
    }
}

/// Time of its ceiling ÷ its own time. Aes-unit counts the 14 rounds of AES-256, so the limit of AES-128 with its 10
/// lies higher.
fn share(record: &Record, members: &[Member]) -> Option<f64> {
    let cell = &record.cell;
    if cell.parameters.message() == 0 || cell.operation == Operation::KeySetup {
        return None;
    }
    let of = |ceiling: Algorithm| {
        let (limit, _) = members.iter().find(|(other, _)| other.cell.algorithm == ceiling)?;
        estimate::between(limit, record).map(|ratio| ratio.mid)
    };
    let slower = |rounds: f64| Some((of(Algorithm::AesUnit)? * rounds / 14.0).max(of(Algorithm::ClmulUnit)?));
    match cell.algorithm {
        Algorithm::Aes128Gcm => slower(10.0),
        Algorithm::Aes256Gcm | Algorithm::Aes256GcmSiv => slower(14.0),
        Algorithm::Aes256Ctr => of(Algorithm::AesUnit),
        Algorithm::Aes256Cbc if cell.operation == Operation::Decrypt => of(Algorithm::AesUnit),
        Algorithm::Xor => of(Algorithm::Memcpy),
        _ => None,
    }
}
