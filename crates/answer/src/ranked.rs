//! All rankings of a run: of this machine and of each device that tells time, over all sizes and by class; of each device that counts, by
//! its counts. And what is not ranked, with the reason.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Algorithm, Family, Operation, Record, escaped};
use ciphermeter_stats::LEAST_FORKS;
use serde::Serialize;

use crate::devices::{CountedRanking, boards};
use crate::measured::{here, measured};
use crate::rank::{Class, Contender, Ranking, competes, family, rank};
use crate::words::{listed, titles};

/// The name of a device, or of this machine where there are devices, too; and what was measured there.
pub type Machine<'a> = (Option<String>, Cow<'a, [Record]>);

/// Devices that tell time, and this machine.
pub fn machines(records: &[Record]) -> Vec<Machine<'_>> {
    let boards = boards(records).into_iter().filter(|board| board.unit.is_time());
    let devices = boards.map(|board| (Some(board.name), board.records.into_iter().cloned().collect::<Vec<_>>().into()));
    let here = here(records);
    // Without a device there is nothing to tell this machine from.
    let name = (here.len() < records.len()).then(|| "this machine".into());
    devices.chain([(name, here)]).collect()
}

/// All rankings of a run.
#[derive(Serialize)]
pub struct Rankings<'a> {
    /// Whether any contender has a place.
    pub answered: bool,
    /// Of machines whose calls were timed.
    pub machines: Vec<Ranked<'a>>,
    /// Of devices that count.
    pub devices: Vec<CountedRanking>,
}

impl<'a> Rankings<'a> {
    /// Of these machines, and of the devices that count; `None` if there is nothing to rank.
    pub fn of(machines: &'a [Machine<'a>], records: &[Record]) -> Option<Self> {
        let machines: Vec<Ranked> =
            machines.iter().filter_map(|(on, records)| Ranked::of(on.as_deref(), records)).collect();
        let counting = boards(records).into_iter().filter(|board| !board.unit.is_time());
        let devices: Vec<CountedRanking> = counting.map(|board| CountedRanking::of(&board)).collect();
        let mut timed = machines.iter().flat_map(|ranked| &ranked.rankings);
        let answered = !devices.is_empty() || timed.any(Ranking::is_settled);
        (!machines.is_empty() || !devices.is_empty()).then_some(Self { answered, machines, devices })
    }
}

/// What took turns on one machine or board.
#[derive(Serialize)]
pub struct Ranked<'a> {
    /// Which, where there are several.
    pub on: Option<&'a str>,
    /// Over all sizes, then those classes that rest on other cells.
    pub rankings: Vec<Ranking<'a>>,
    /// What is in none of them, each with the reason.
    pub not_ranked: Vec<String>,
}

impl<'a> Ranked<'a> {
    fn of(on: Option<&'a str>, records: &'a [Record]) -> Option<Self> {
        let family = family(records);
        let overall = rank(records, family, &Class::main(records))?;
        let parts = Class::parts(records).into_iter().filter_map(|class| rank(records, family, &class));
        let parts: Vec<Ranking> = parts.filter(|ranking| ranking.ground != overall.ground).collect();
        let rankings: Vec<Ranking> = std::iter::once(overall).chain(parts).collect();
        Some(Self { on, not_ranked: not_ranked(&rankings, family, records), rankings })
    }
}

fn not_ranked(rankings: &[Ranking], family: Family, records: &[Record]) -> Vec<String> {
    let Some(overall) = rankings.first() else { return Vec::new() };
    let mut reasons = Vec::new();
    for (place, ranking) in rankings.iter().enumerate() {
        let at = if place == 0 { String::new() } else { format!("{}: ", ranking.class) };
        let most = ranking.order.iter().map(|contender| contender.cells()).min().unwrap_or(0);
        let is_new = |one: &&Contender| place == 0 || !overall.apart.iter().any(|other| name(other) == name(one));
        for contender in ranking.apart.iter().filter(is_new) {
            let why = match contender.cells() {
                0 => format!("has no cell with {LEAST_FORKS} undisturbed forks"),
                cells if cells < most => format!("has only {cells} of {} cells", ranking.groups),
                _ => "shares no whole fork with the others".into(),
            };
            reasons.push(format!("{at}{}: {why}", name(contender)));
        }
    }
    for contender in &overall.elsewhere {
        let forms: Vec<_> = contender.forms().iter().map(ToString::to_string).collect();
        let why = format!("only measured {}; ratios are drawn within one form, here {}", listed(&forms), overall.form);
        reasons.push(format!("{}: {why}", name(contender)));
    }
    reasons.extend(unmeasured(family, records));
    reasons.extend(without_tag(family, records));
    reasons
}

fn name(contender: &Contender) -> String {
    format!("{} by {}", contender.algorithm.title(), escaped(contender.provider))
}

/// Bare ciphers of a run that is about AEADs.
fn without_tag(family: Family, records: &[Record]) -> Option<String> {
    let other = records.iter().filter(|record| competes(record)).map(|record| &record.cell.algorithm);
    let bare: BTreeSet<&Algorithm> = other.filter(|algorithm| algorithm.family() != family).collect();
    let is_any = !bare.is_empty();
    is_any.then(|| format!("{}: no tag, so not ranked beside ciphers that have one", titles(bare)))
}

/// Those of which nothing at all was measured, with the first reason.
fn unmeasured(family: Family, records: &[Record]) -> Vec<String> {
    let mut reasons = BTreeMap::<(Algorithm, &str), Option<String>>::new();
    let ranked = |record: &&Record| {
        let cell = &record.cell;
        cell.algorithm.family() == family && cell.algorithm != Algorithm::Xor && cell.operation != Operation::KeySetup
    };
    for record in records.iter().filter(ranked).filter(|record| record.cell.parameters.cpus().is_none()) {
        let why = record.in_words().unwrap_or_else(|| "the run ended before its first round".into());
        let entry = reasons.entry((record.cell.algorithm, &record.cell.provider)).or_insert(Some(why));
        // One measured cell is enough to be ranked, or named elsewhere.
        if measured(record).is_some() {
            *entry = None;
        }
    }
    let sentence = |((algorithm, provider), why): ((Algorithm, &str), Option<String>)| {
        why.map(|why| format!("{} by {}: {}", algorithm.title(), escaped(provider), escaped(&why)))
    };
    reasons.into_iter().filter_map(sentence).collect()
}
