//! What to use, in a few plain sentences that claim no more than was measured.

use std::collections::BTreeSet;

use ciphermeter_core::{Group, Kind, Record, Run, escaped};

use crate::device::of_this_machine;
use crate::screen::device_advice;
use crate::transfer;
use ciphermeter_answer::measured::{measured, trusted};
use ciphermeter_answer::rank::{Class, Contender, Ranking, competes, counts, family, rank};
use ciphermeter_answer::words::within;
use ciphermeter_answer::words::{lead, listed, percent};
use ciphermeter_answer::words::{masked, size};
use ciphermeter_estimate::{Comparison, Ratio, Side};

/// A sentence for each class of sizes that was measured, then what they rest on. The winner is named with its lead over the best of the
/// other kind, AES or ChaCha20 (of one kind alone, over the best of any other algorithm), and over the next provider of its own; a lead is
/// only claimed where the interval, at 95 % for all comparisons together, excludes 1. Devices come first, each with the sizes at which its
/// answer flips.
pub fn advice(run: &Run, records: &[Record]) -> Vec<String> {
    advised(run, records, |_| true)
}

/// The same without classes that have no answer, for a page whose headline has one: it is about two ciphers, and these are about all ciphers
/// and libraries, so that "cannot be distinguished" would seem to contradict it.
pub(crate) fn advice_beside_an_answer(run: &Run, records: &[Record]) -> Vec<String> {
    match run.scenario.kind {
        Kind::Transfer => transfer::advice_beside_an_answer(run, &trusted(records)),
        _ => advised(run, records, is_decided),
    }
}

fn advised(run: &Run, records: &[Record], is_said: fn(&Ranking) -> bool) -> Vec<String> {
    match run.scenario.kind {
        Kind::Transfer => return transfer::advice(run, &trusted(records)),
        // Its page ends with what it comes to.
        Kind::Sustained => return Vec::new(),
        // Its screen says it: how a message is split is not for these classes of sizes.
        Kind::Parallel => return Vec::new(),
        Kind::Message => {}
    }
    let devices = device_advice(records);
    let here = of_this_machine(records);
    let here = trusted(&here);
    if !devices.is_empty() && here.is_empty() {
        return devices;
    }
    devices.into_iter().chain(of_machine(run, &here, is_said)).collect()
}

/// The advice for this machine.
fn of_machine(run: &Run, records: &[Record], is_said: fn(&Ranking) -> bool) -> Vec<String> {
    let family = family(records);
    let classes = Class::parts(records);
    let rankings: Vec<_> =
        classes.iter().filter_map(|class| Some((class.title.as_str(), rank(records, family, class)?))).collect();
    if rankings.is_empty() {
        let any = |test: fn(&Record) -> bool| records.iter().any(test);
        let nothing = match (any(|record| measured(record).is_some()), any(counts), any(competes)) {
            (false, _, _) => "Nothing was measured, so there is nothing to advise.",
            (_, false, _) => "Only cells on several CPUs were measured; advice rests on those that take turns on one.",
            (_, _, false) => {
                "No cipher was measured sealing, opening, encrypting or decrypting: there is nothing to advise."
            }
            (true, true, true) => {
                "No two ciphers have a whole fork in common, so there is nothing to recommend; use a longer --budget."
            }
        };
        return vec![nothing.into()];
    }
    let rankings: Vec<_> = rankings.into_iter().filter(|(_, ranking)| is_said(ranking)).collect();
    let mut sentences: Vec<_> = rankings.iter().map(|(class, ranking)| sentence(class, ranking)).collect();
    sentences.extend(rankings.iter().any(|(_, ranking)| ranking.is_settled()).then(|| basis(run, &rankings)));
    sentences.extend(apart(&rankings));
    sentences
}

/// The places of those that the winner is compared with: the best of the other kind, and the next of its own cipher.
fn rivals(ranking: &Ranking) -> Vec<usize> {
    let Some(winner) = ranking.order.first() else { return Vec::new() };
    let first = |test: &dyn Fn(&Contender) -> bool| ranking.order.iter().skip(1).position(test).map(|k| k + 1);
    // AES beside ChaCha20, where both were measured: that is what a reader asks first.
    let other_kind = first(&|other| !other.algorithm.is_alike(winner.algorithm));
    let other = other_kind.or_else(|| first(&|other| other.algorithm != winner.algorithm));
    [other, first(&|other| other.algorithm == winner.algorithm)].into_iter().flatten().collect()
}

/// Those of them that have a ratio.
fn compared<'a, 'r>(ranking: &'a Ranking<'r>) -> Vec<(&'a Contender<'r>, Ratio)> {
    rivals(ranking).into_iter().filter_map(|k| Some((&ranking.order[k], ranking.behind(k)?))).collect()
}

/// Whether the winner is ahead of each.
fn is_decided(ranking: &Ranking) -> bool {
    let all = compared(ranking);
    !all.is_empty() && all.iter().all(|(_, ratio)| is_behind(*ratio))
}

/// Whether a rival that takes so many times the winner's time surely is slower.
fn is_behind(ratio: Ratio) -> bool {
    against_winner(ratio).faster() == Some(Side::First)
}

/// The winner beside a rival; the interval already holds for all of a ranking.
fn against_winner(ratio: Ratio) -> Comparison {
    Comparison::of(Some(ratio))
}

fn sentence(class: &str, ranking: &Ranking) -> String {
    let Some(winner) = ranking.order.first() else { return String::new() };
    if rivals(ranking).is_empty() {
        return format!("{class}: only {} was measured.", name(winner));
    }
    let rivals = compared(ranking);
    if rivals.is_empty() {
        return format!("{class}: which of all ciphers and libraries is fastest is not known yet, for lack of forks.");
    }
    let (ahead, close): (Vec<_>, Vec<_>) = rivals.into_iter().partition(|(_, ratio)| is_behind(*ratio));
    let mut said = Vec::new();
    if !close.is_empty() {
        said.push(close_words(winner, &close));
    }
    if !ahead.is_empty() {
        let leads: Vec<_> = ahead.iter().map(|(other, ratio)| lead(*ratio) + &name(other)).collect();
        said.push(format!("{} is {}", name(winner), leads.join(" and ")));
    }
    format!("{class}: {}.", said.join("; "))
}

/// Those that the winner is not surely faster than.
fn close_words(winner: &Contender, close: &[(&Contender, Ratio)]) -> String {
    let names: Vec<_> = std::iter::once(winner).chain(close.iter().map(|(other, _)| *other)).map(name).collect();
    let names = listed(&names);
    let most = close.iter().filter_map(|(_, ratio)| ratio.differ_at_most()).fold(0.0, f64::max);
    let all_equal = close.iter().all(|(_, ratio)| matches!(against_winner(*ratio), Comparison::Equal(_)));
    match most {
        most if all_equal => format!("{names} are equal {}", within(most)),
        // Such an interval spans anything.
        most if most > 1.0 => format!("{names} cannot be distinguished yet"),
        most => format!("{names} differ by at most {}", percent(most)),
    }
}

pub(crate) fn name(contender: &Contender) -> String {
    format!("{} by {}", contender.algorithm.title(), escaped(contender.provider))
}

fn basis(run: &Run, rankings: &[(&str, Ranking)]) -> String {
    let groups = || rankings.iter().flat_map(|(_, ranking)| &ranking.ground);
    let operations: BTreeSet<_> = groups().map(|group| group.operation).collect();
    let operations: Vec<_> = operations.iter().map(ToString::to_string).collect();
    let forms: BTreeSet<_> = groups().map(|group| group.form).collect();
    let forms: Vec<_> = forms.iter().map(ToString::to_string).collect();
    let sizes: BTreeSet<_> = groups().map(|group: &Group| group.parameters.message()).collect();
    let sizes: Vec<_> = sizes.into_iter().map(size).collect();
    let forks = || rankings.iter().filter(|(_, ranking)| ranking.is_settled()).map(|(_, ranking)| ranking.forks());
    let (fewest, most) = (forks().min().unwrap_or(0), forks().max().unwrap_or(0));
    let forks = if fewest < most { format!("{fewest} to {most}") } else { most.to_string() };
    let cpu = run.fact("cpu");
    format!(
        "This rests on {} of {} ({}) in {forks} fork{} on {}{}; it ranks by speed alone.",
        listed(&operations),
        listed(&sizes),
        listed(&forms),
        if most == 1 { "" } else { "s" },
        cpu.map_or("this machine (CPU model unknown)".into(), escaped),
        masked(run),
    )
}

fn apart(rankings: &[(&str, Ranking)]) -> Option<String> {
    let names: BTreeSet<_> = rankings.iter().flat_map(|(_, ranking)| &ranking.apart).map(name).collect();
    let names: Vec<_> = names.into_iter().collect();
    (!names.is_empty()).then(|| format!("Not ranked, for lack of cells in common with the others: {}.", listed(&names)))
}
