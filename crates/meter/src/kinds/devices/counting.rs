//! Counting instructions or cycles: exact, so twice is enough.
//!
//! In each of two forks, on a fresh emulator, every cell is called a few times after one call that sets up what the library sets up
//! once. The second fork takes the cells in another order, so that a count that depends on what ran before it shows. Where the two
//! differ, a note says by how much; else the counts are exact. Nothing is subtracted: a note gives the cost of an empty iteration.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use ciphermeter_core::{CellId, Counts, Fork, Note, Record, Sample};

use crate::kind::Share;
use crate::outputs::confirm;
use crate::pool::Pool;
use crate::{Batch, Counter, Progress, SinkError};

/// So many forks.
const FORKS: u32 = 2;
/// Calls of a sample …
const CALLS: u64 = 8;
/// … and fewer where they take longer than this, by the harness's clock.
const LONGEST: Duration = Duration::from_secs(4);
/// How long one call may take on a slow emulator, as far as is known before the first.
const EXPECTED: Duration = Duration::from_secs(1);
/// Asks for a warm-up: one call, where no time is counted.
const ONE_CALL: u64 = 1;

/// What a cell's device counts instead of time.
pub fn counts(pool: &Pool<'_>, id: CellId) -> Option<Counts> {
    pool.surveyed[pool.plan.get(id).source?].counts()
}

/// Whether a record is of a device that counts.
pub fn is_counted(record: &Record) -> bool {
    counts_of(record).is_some()
}

fn counts_of(record: &Record) -> Option<Counts> {
    record.provenance.as_ref()?.device.as_ref()?.counts
}

/// How many whole forks a record has in which its cell was counted.
pub fn held(record: &Record) -> u32 {
    let Some(counts) = counts_of(record) else { return 0 };
    let has_count = |fork: &&Fork| fork.samples.iter().any(|sample| sample.count(counts.metric()).is_some());
    record.forks.iter().filter(|fork| !fork.short).filter(has_count).count() as u32
}

/// By cell: how many calls its samples have, and what each fork counted.
type Counted = BTreeMap<CellId, (u64, Vec<u64>)>;

/// Counts the part's cells.
pub fn measure(pool: &mut Pool<'_>, share: &mut Share<'_>) -> Result<(), SinkError> {
    pool.stop.end_preparations();
    let mut counted: Counted = share.earlier.iter().filter_map(earlier).collect();
    for fork in share.held..FORKS {
        if pool.must_stop() || pool.cells().is_empty() {
            break;
        }
        let number = share.begin_fork();
        pool.offset = 0;
        pool.sink.fork_begins(number, pool.offset)?;
        pool.start_all()?;
        let mut cells = pool.cells();
        if fork > 0 {
            pool.random.shuffle(&mut cells);
        }
        for (place, id) in cells.iter().enumerate() {
            if pool.must_stop() {
                break;
            }
            tell(pool, fork, place, cells.len());
            count(pool, *id, (number, place as u32), &mut counted)?;
        }
        let whole = !pool.must_stop();
        pool.sink.fork_ends(number, whole)?;
    }
    pool.dismiss();
    tell_findings(pool, &counted)
}

/// What an earlier life of the run counted of a cell.
fn earlier(record: &Record) -> Option<(CellId, (u64, Vec<u64>))> {
    let metric = counts_of(record)?.metric();
    let samples = || record.forks.iter().filter(|fork| !fork.short).flat_map(|fork| &fork.samples);
    let counts = samples().filter_map(|sample| sample.count(metric)).collect();
    Some((record.id, (samples().next()?.iterations, counts)))
}

/// One sample of a cell, whose output is right.
fn count(pool: &mut Pool<'_>, id: CellId, place: (u32, u32), counted: &mut Counted) -> Result<(), SinkError> {
    let Some(counts) = counts(pool, id).filter(|_| pool.is_on(id)) else { return Ok(()) };
    // Every fork begins with this one, so that each counts the calls of the same numbers, and with that the same nonces.
    let Some(one) = pool.sample(id, 0, 1, EXPECTED)? else { return Ok(()) };
    let calls = counted.get(&id).map_or_else(|| calls(one.elapsed), |(calls, _)| *calls);
    let Some(batch) = pool.sample(id, ONE_CALL, calls, LONGEST)? else { return Ok(()) };
    confirm(pool, id, &batch)?;
    if !pool.is_on(id) {
        return Ok(());
    }
    counted.entry(id).or_insert((calls, Vec::new())).1.push(batch.count(counts.metric()));
    let Batch { iterations, counts, series, .. } = batch;
    let sample = Sample { cell: id, after: None, turn: 0, iterations, counts, series };
    pool.store(place.0, place.1, &[sample])
}

/// How many calls a sample has, from how long one takes.
fn calls(one: Duration) -> u64 {
    let fit = LONGEST.as_secs_f64() / one.as_secs_f64().max(1e-9);
    (fit as u64).clamp(1, CALLS)
}

fn tell(pool: &mut Pool<'_>, fork: u32, place: usize, cells: usize) {
    let what = format!("cell {} of {cells}", place + 1);
    pool.sink.progress(&Progress { stage: "counting", what, fork: fork + 1, rounds: 0, done: 0.95, left: None });
}

/// Whether the counts are exact, and what a count has in it beside the calls.
fn tell_findings(pool: &mut Pool<'_>, counted: &Counted) -> Result<(), SinkError> {
    let mut sources = BTreeMap::<usize, Vec<&Vec<u64>>>::new();
    for (id, (_, counts)) in counted.iter().filter(|(id, _)| pool.is_on(**id)) {
        if let Some(source) = pool.plan.get(*id).source {
            sources.entry(source).or_default().push(counts);
        }
    }
    let mut included = BTreeSet::new();
    for (source, counts) in sources {
        let survey = &pool.surveyed[source];
        let (Some(what), Some(Counter { empty, call, .. })) = (survey.counts(), survey.counter) else { continue };
        let name = survey.source.name.clone();
        if let Some((cells, most)) = differences(&counts) {
            pool.sink.note(Note::other(format!(
                "{name}: the {what} of {cells} of {} cells differ between two starts, by {} at the most",
                counts.len(),
                percent(most)
            )))?;
        }
        let device = survey.source.device.as_ref().map_or(name, |device| device.name.clone());
        included.insert(format!(
            "{device}: each call's {what} include {empty} of the loop, and a sample's {call} of reading the counter"
        ));
    }
    included.into_iter().try_for_each(|note| pool.sink.note(Note::other(note)))
}

fn percent(share: f64) -> String {
    if share < 1e-4 { "less than 0.01 %".into() } else { format!("{:.2} %", 100.0 * share) }
}

/// How many cells have counts that differ, and by which share at the most; `None` if all are exact.
fn differences(counts: &[&Vec<u64>]) -> Option<(usize, f64)> {
    let share = |counts: &&&Vec<u64>| {
        let (least, most) = (counts.iter().min()?, counts.iter().max()?);
        (least < most).then(|| (most - least) as f64 / *least as f64)
    };
    let shares: Vec<f64> = counts.iter().filter_map(|counts| share(&counts)).collect();
    (!shares.is_empty()).then(|| (shares.len(), shares.iter().copied().fold(0.0, f64::max)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_difference_is_not_none() {
        assert_eq!(percent(0.000_099), "less than 0.01 %");
        assert_eq!(percent(0.0123), "1.23 %");
    }

    #[test]
    fn long_call_is_made_less_often() {
        assert_eq!(calls(Duration::from_millis(1)), 8);
        assert_eq!(calls(Duration::from_millis(1500)), 2);
        assert_eq!(calls(Duration::from_secs(60)), 1);
    }

    #[test]
    fn equal_counts_are_exact() {
        assert_eq!(differences(&[&vec![7, 7], &vec![9], &vec![]]), None);
        assert_eq!(differences(&[&vec![100, 100], &vec![100, 103], &vec![200, 202]]), Some((2, 0.03)));
    }
}
