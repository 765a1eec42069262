//! Which suite to use for files, in plain sentences that claim no more than was measured.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, Record, Run, escaped};

use super::figures::mb_per_s;
use ciphermeter_answer::group::{Entry, Standing, standings};
use ciphermeter_answer::words::decimals;
use ciphermeter_answer::words::within;
use ciphermeter_answer::words::{lead, listed, percent};
use ciphermeter_answer::words::{masked, size};
use ciphermeter_estimate::{Comparison, Ratio, Side, Unknown, behind_fastest, logs, recommended};

/// The best of one suite beside the best of the other, in one group.
struct Contest<'a, 'r> {
    standing: &'a Standing<'r>,
    winner: &'a Entry<'r>,
    rival: Option<(&'a Entry<'r>, Ratio)>,
    /// The winner and that; unknown where any entry of the other suite may be as fast, unless the two are equal.
    comparison: Option<Comparison>,
}

/// What to use, then a sentence for each group, then what they rest on. A lead is only claimed where the interval, at 95 %
/// for all groups together, excludes 1.
pub(crate) fn advice(run: &Run, records: &[Record]) -> Vec<String> {
    let standings = standings(records);
    let contests = contests(&standings);
    if contests.is_empty() {
        return vec!["No transfer was measured, so there is nothing to advise.".into()];
    }
    let mut sentences = vec![verdict(&contests)];
    sentences.extend(contests.iter().map(Contest::sentence));
    sentences.push(basis(run, &contests));
    sentences
}

/// The groups alone that have an answer, for a page whose headline has one: it compares the suites of one program, and these those of all, so
/// that "differ by at most" would seem to contradict it.
pub(crate) fn advice_beside_an_answer(run: &Run, records: &[Record]) -> Vec<String> {
    let standings = standings(records);
    let mut contests = contests(&standings);
    contests.retain(|contest| contest.ahead().is_some());
    let basis = (!contests.is_empty()).then(|| basis(run, &contests));
    contests.iter().map(Contest::sentence).chain(basis).collect()
}

fn contests<'a, 'r>(standings: &'a [Standing<'r>]) -> Vec<Contest<'a, 'r>> {
    standings.iter().filter_map(|standing| Contest::of(standing, standings.len())).collect()
}

fn verdict(contests: &[Contest]) -> String {
    let ahead: BTreeSet<Algorithm> = contests.iter().filter_map(Contest::ahead).collect();
    let held = contests.iter().any(|contest| contest.rival.is_some());
    match ahead.iter().collect::<Vec<_>>().as_slice() {
        _ if !held => "Only one suite was measured, so there is nothing to choose.".into(),
        [] => "Files: neither suite is surely ahead of the other here.".into(),
        [only] => match recommended(&contests.iter().map(|contest| contest.beside(**only)).collect::<Vec<_>>(), 0) {
            Some(_) => format!("Files: use {only} here."),
            None => format!("Files: {only} is ahead at some sizes, too few to recommend it."),
        },
        _ => "Files: which suite is ahead depends on the size here.".into(),
    }
}

impl<'a, 'r> Contest<'a, 'r> {
    fn of(standing: &'a Standing<'r>, families: usize) -> Option<Self> {
        let entries = &standing.entries;
        let winner = entries.first()?;
        let behind =
            behind_fastest(entries.len(), 0, families, |one, other| logs(entries[one].record, entries[other].record));
        let is_other = |entry: &Entry| entry.record.cell.algorithm != winner.record.cell.algorithm;
        let others: Vec<_> = entries.iter().zip(behind).filter(|(entry, _)| is_other(entry)).collect();
        let others = || others.iter().filter_map(|(entry, behind)| Some((*entry, (*behind)?)));
        let is_open = others().any(|(_, behind)| behind.may_be_fastest);
        let rival = others().next().map(|(rival, behind)| (rival, behind.ratio));
        let are_enough = |rival: &Entry| logs(rival.record, winner.record).are_enough();
        let comparison = rival.map(|(rival, ratio)| Comparison::of(Some(ratio).filter(|_| are_enough(rival))));
        let comparison = comparison.map(|comparison| match (comparison, rival) {
            (Comparison::First(_), Some((_, ratio))) if is_open => Comparison::Unknown(Unknown::Wide(ratio)),
            (comparison, _) => comparison,
        });
        Some(Self { standing, winner, rival, comparison })
    }

    /// The suite that is surely ahead.
    fn ahead(&self) -> Option<Algorithm> {
        let is_ahead = self.comparison.and_then(Comparison::faster) == Some(Side::First);
        is_ahead.then_some(self.winner.record.cell.algorithm)
    }

    /// This suite and the other.
    fn beside(&self, suite: Algorithm) -> Comparison {
        match self.comparison.unwrap_or(Comparison::Unknown(Unknown::Few)) {
            comparison if self.winner.record.cell.algorithm == suite => comparison,
            Comparison::First(ratio) => Comparison::Second(ratio),
            Comparison::Unknown(Unknown::Wide(ratio)) => Comparison::Unknown(Unknown::Wide(ratio.inverse())),
            comparison => comparison,
        }
    }

    fn sentence(&self) -> String {
        let group = &self.standing.group;
        let what = format!("{} to a {}", size(group.parameters.message()), into(self.standing));
        let winner = name(self.winner);
        let rate = mb_per_s(group.parameters.message(), self.winner.summary.range.mid);
        let rate = rate.map(|rate| format!(", {rate:.*} MB/s,", decimals(rate))).unwrap_or_default();
        match &self.rival {
            None => format!("{what}: {winner}{rate} is the only suite measured."),
            Some((rival, ratio)) => match (self.ahead(), self.comparison, ratio.differ_at_most()) {
                (_, _, None) => format!("{what}: {winner} and {} cannot be ranked on a single fork.", name(rival)),
                (Some(_), ..) => format!("{what}: {winner}{rate} is {}{}.", lead(*ratio), name(rival)),
                (_, Some(Comparison::Equal(most)), _) => {
                    format!("{what}: {winner}{rate} and {} are equal {}.", name(rival), within(most))
                }
                (.., Some(most)) => {
                    format!("{what}: {winner}{rate} and {} differ by at most {}.", name(rival), percent(most))
                }
            },
        }
    }
}

fn into(standing: &Standing) -> &'static str {
    match standing.group.form {
        ciphermeter_core::Form::File => "file",
        _ => "receiver that discards it",
    }
}

fn name(entry: &Entry) -> String {
    format!("{} by {}", entry.record.cell.algorithm.title(), escaped(&entry.record.cell.provider))
}

fn basis(run: &Run, contests: &[Contest]) -> String {
    let forks = contests.iter().map(|contest| contest.winner.summary.forks).min().unwrap_or(0);
    let sizes: BTreeSet<_> = contests.iter().map(|contest| contest.standing.group.parameters.message()).collect();
    let sizes: Vec<_> = sizes.into_iter().map(size).collect();
    let here = run.fact("cpu").map_or("this machine (CPU model unknown)".into(), escaped);
    let (sizes, s, masked) = (listed(&sizes), if forks == 1 { "" } else { "s" }, masked(run));
    match run.fact("peer") {
        Some(peer) => format!(
            "This rests on transfers of {sizes} in at least {forks} fork{s} from {here}{masked} to {}, with all that is between them.",
            escaped(peer)
        ),
        None => format!(
            "This rests on transfers of {sizes} over loopback in at least {forks} fork{s} on {here}{masked}: both ends share its \
             CPUs, and no network is between them."
        ),
    }
}
