//! Records by group, each beside the best of its group and beside the ceilings.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Algorithm, Form, Group, Operation, Record, Summary};

use crate::measured::{has_enough_forks, measured};
use crate::threads::{Gain, gain};
use ciphermeter_estimate::{self as estimate, Behind, Ratio, behind_fastest};

/// A measured record and where it stands.
pub struct Entry<'a> {
    /// The record.
    pub record: &'a Record,
    /// Its summary.
    pub summary: &'a Summary,
    /// Time ÷ time of the best, in an interval that holds together with those of all contenders of the group; `None` if they share no
    /// whole fork.
    pub ratio: Option<Ratio>,
    /// Whether it came out best, or isn't surely slower than what did.
    pub may_be_best: bool,
    /// What it reaches of its ceiling, as a fraction.
    pub share: Option<f64>,
    /// What several threads gain.
    pub gain: Option<Gain>,
}

/// The measured records of one group.
pub struct Standing<'a> {
    /// Which group.
    pub group: Group,
    /// Fastest first.
    pub entries: Vec<Entry<'a>>,
    /// What no cipher can beat: the ceilings, and `xor` beside real ciphers.
    pub limits: Vec<Entry<'a>>,
}

/// All groups that have something measured, by operation, form, message, aad, what calls go round, and threads; those on several CPUs
/// last. One thread beside several of its kind has no group of its own: it stands in their speed-up.
pub fn standings(records: &[Record]) -> Vec<Standing<'_>> {
    let mut groups = BTreeMap::<_, Vec<_>>::new();
    for record in records {
        if let Some(summary) = measured(record) {
            groups.entry(placed(record.cell.group())).or_default().push((record, summary));
        }
    }
    let several = groups.keys().map(|(.., group)| group).filter(|group| has_several_threads(group));
    let beside: BTreeSet<Group> = several.map(with_one_thread).collect();
    let own = groups.into_iter().filter(|((.., group), _)| !beside.contains(group));
    own.map(|((.., group), members)| standing(group, members, records)).collect()
}

/// A group behind what it is ordered by: its CPUs, its operation, its form, and its sizes.
pub type Placed = (Option<u64>, Operation, Form, (u64, u64, (u64, u64), u64), Group);

/// A group in the order of groups.
pub fn placed(group: Group) -> Placed {
    let parameters = &group.parameters;
    let sizes = (parameters.message(), parameters.aad(), parameters.goes_round(), parameters.threads());
    (parameters.cpus(), group.operation, group.form, sizes, group)
}

/// Whether its cells are compared with one thread of the same provider.
pub fn has_several_threads(group: &Group) -> bool {
    group.parameters.cpus().is_some() && group.parameters.threads() > 1
}

fn with_one_thread(group: &Group) -> Group {
    Group { parameters: group.parameters.with_one_thread(), ..group.clone() }
}

type Member<'a> = (&'a Record, &'a Summary);

fn standing<'a>(group: Group, members: Vec<Member<'a>>, records: &[Record]) -> Standing<'a> {
    let any = members.iter().any(|(record, _)| record.cell.algorithm.is_cipher());
    // Where nothing else was measured, xor is what the run was about.
    let competes = |(record, _): &Member| match record.cell.algorithm {
        Algorithm::Xor => !any,
        algorithm => algorithm.is_cipher(),
    };
    let (contenders, limits): (Vec<_>, Vec<_>) = members.iter().copied().partition(competes);
    let best = best(&contenders);
    let behind = behind(&contenders, best);
    let is_best = |record: &Record| best.is_some_and(|best| best.id == record.id);
    let entry = |(record, summary): Member<'a>, behind: Option<Behind>| Entry {
        record,
        summary,
        ratio: behind.map(|behind| behind.ratio),
        may_be_best: behind
            .is_some_and(|behind| behind.may_be_fastest && (behind.ratio.range().is_some() || is_best(record))),
        share: share(record, &members),
        gain: gain(record, records),
    };
    let by_speed = |a: &Entry, b: &Entry| speed_order(a).total_cmp(&speed_order(b));
    let mut entries: Vec<_> =
        contenders.into_iter().zip(behind).map(|(member, behind)| entry(member, behind)).collect();
    // Levels stand in where ratios are lacking, but never mix with them in one sorting.
    let has_ratio = |entry: &Entry| entry.ratio.is_some() && has_enough_forks(entry.record);
    match entries.iter().all(has_ratio) {
        true => entries.sort_by(by_speed),
        false => entries.sort_by(|a, b| a.summary.range.mid.total_cmp(&b.summary.range.mid)),
    }
    let to_best = |(record, _): &Member| best.and_then(|best| Some(alone(estimate::ratio(record, best)?)));
    let mut limits: Vec<_> = limits.into_iter().map(|member| entry(member, to_best(&member))).collect();
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

fn behind(contenders: &[Member], best: Option<&Record>) -> Vec<Option<Behind>> {
    let Some(best) = best else { return vec![None; contenders.len()] };
    let records: Vec<&Record> = contenders.iter().map(|(record, _)| *record).collect();
    let first = records.iter().position(|record| record.id == best.id).unwrap_or(0);
    let mut all = behind_fastest(records.len(), first, 1, |one, other| estimate::logs(records[one], records[other]));
    // Where nothing else may be the best, its ratio to the best is 1 by definition.
    let own = all[first].iter_mut().map(|behind| &mut behind.ratio);
    own.for_each(|ratio| *ratio = Ratio::new(ratio.mid, ratio.range().filter(|(low, high)| low < high)));
    // Where only summaries are at hand, as while a run goes on, theirs have to do.
    let summed_up = |record: &Record| Some(alone(estimate::ratio(record, best)?));
    all.into_iter().zip(records).map(|(behind, record)| behind.or_else(|| summed_up(record))).collect()
}

/// Records beside the first of them, which came out fastest.
pub fn behind_first(records: &[&Record]) -> Vec<Option<Behind>> {
    behind_fastest(records.len(), 0, 1, |one, other| estimate::logs(records[one], records[other]))
}

/// A ratio that belongs to no family.
fn alone(ratio: Ratio) -> Behind {
    Behind { ratio, may_be_fastest: false }
}

/// Time of its ceiling ÷ its own time; of several ceilings, of the nearest. `aes-unit` counts the rounds of AES-256, so that
/// the limit of AES-128 lies higher. Of messages out of a working set, copying them is a limit, too.
fn share(record: &Record, members: &[Member]) -> Option<f64> {
    let cell = &record.cell;
    let facts = cell.algorithm.facts();
    if cell.parameters.message() == 0 || cell.operation == Operation::KeySetup {
        return None;
    }
    let of = |ceiling: Algorithm| {
        let (limit, _) = members.iter().find(|(other, _)| other.cell.algorithm == ceiling)?;
        let rounds = match ceiling.facts().rounds {
            0 => 1.0,
            all => f64::from(facts.rounds) / f64::from(all),
        };
        estimate::between(limit, record).map(|ratio| ratio.mid * rounds)
    };
    // A block that waits for the one before keeps no unit busy.
    let waits = facts.is_chained && cell.operation == Operation::Encrypt;
    let of_units: Option<Vec<f64>> = facts.ceilings.iter().filter(|_| !waits).map(|ceiling| of(*ceiling)).collect();
    let is_bound_by_memory = !cell.algorithm.is_ceiling() && cell.parameters.working_set().is_some();
    let of_memory = is_bound_by_memory.then(|| of(Algorithm::Memcpy)).flatten();
    of_units.into_iter().flatten().chain(of_memory).reduce(f64::max)
}
