//! Which library, where a run has no AES and ChaCha20 to choose between: all contenders by size, the fastest first.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, CellId, Group, Operation, Record, Run, escaped};
use ciphermeter_estimate::{self as estimate, Comparison, Thresholds};
use ciphermeter_stats::LEAST_FORKS;
use serde::Serialize;

use crate::basis::no_answer;
use crate::measured::{has_enough_forks, is_here, measured};
use crate::point::{Point, Points};
use crate::rank::{Class, Contender, Ranking, competes, family, rank};
use crate::rate::rate;
use crate::words::{Figures, listed, size};

/// What contenders of these algorithms are to decide.
pub fn question(algorithms: BTreeSet<Algorithm>) -> String {
    match algorithms.into_iter().collect::<Vec<_>>().as_slice() {
        [only] => format!("Which library is fastest at {}?", only.title()),
        _ => "Which cipher, and which library?".into(),
    }
}

/// Algorithms by their libraries, in the mean over the cells that all of them have.
#[derive(Debug, Clone, Serialize)]
pub struct LibrariesAnswer {
    /// The fastest first.
    pub contenders: Vec<Contending>,
    /// The operations over whose cells the mean is.
    pub operations: Vec<Operation>,
    /// How many cells the mean is over.
    pub cells: usize,
    /// The operation whose sizes are shown.
    pub shown: Option<Operation>,
    /// Sizes that were asked for and are not in the mean, as a contender has no figure there.
    pub gaps: Vec<Gap>,
    /// The sizes at which the first is surely faster than the second, and those at which the second is faster than the first.
    pub traded: Option<[Vec<Point>; 2]>,
    /// Of a single contender, another that was to be measured and was not.
    pub missed: Option<Missed>,
    /// The fewest forks that the first shares with any other.
    pub forks: usize,
    /// Where one contender alone is left: the most forks of what else was measured.
    #[serde(skip)]
    others: Option<usize>,
}

/// An algorithm by a library.
#[derive(Debug, Clone, Serialize)]
pub struct Contending {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The library.
    pub provider: String,
    /// The first beside it; `None` for the first itself.
    pub behind: Option<Comparison>,
    /// Forks that it shares with the first, in the cell with the fewest.
    pub forks: usize,
    /// GB/s at each size that is shown; `None` before there are enough forks for a figure.
    pub gb_per_s: Vec<(Point, Option<f64>)>,
}

/// A size that is not in the mean.
#[derive(Debug, Clone, Serialize)]
pub struct Gap {
    /// The size.
    #[serde(flatten)]
    pub point: Point,
    /// The contenders' cells without a figure, by their numbers.
    pub cells: Vec<CellId>,
    /// What became of the first of them, in words.
    pub why: String,
}

/// What was to be measured and was not.
#[derive(Debug, Clone, Serialize)]
pub struct Missed {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The library.
    pub provider: String,
    /// What became of it, and why.
    pub why: String,
}

impl LibrariesAnswer {
    /// The cipher that all contenders have, if it is one.
    pub(crate) fn only(&self) -> Option<Algorithm> {
        let first = self.contenders.first()?.algorithm;
        self.contenders.iter().all(|one| one.algorithm == first).then_some(first)
    }

    /// `None` where nothing can be ranked.
    pub fn of(records: &[Record]) -> Option<Self> {
        let ranking = rank(records, family(records), &Class::main(records))?;
        let groups = shown(&ranking);
        let settled = |contender: &Contender, group: &Group| {
            contender.record(group).filter(|record| has_enough_forks(record)).and_then(rate)
        };
        let contending = |(place, contender): (usize, &Contender)| Contending {
            algorithm: contender.algorithm,
            provider: contender.provider.to_owned(),
            behind: (place > 0).then(|| Comparison::of(ranking.behind(place))),
            forks: ranking.forks_with_winner(place),
            gb_per_s: groups.iter().map(|group| (Point::of(&group.parameters), settled(contender, group))).collect(),
        };
        let operations: BTreeSet<_> = ranking.ground.iter().map(|group| group.operation).collect();
        let is_alone = ranking.order.len() == 1;
        Some(Self {
            contenders: ranking.order.iter().enumerate().map(contending).collect(),
            operations: operations.into_iter().collect(),
            cells: ranking.ground.len(),
            gaps: gaps(records, &ranking, &groups),
            shown: groups.first().map(|group| group.operation),
            traded: traded(&ranking, &groups),
            missed: ranking.order.first().filter(|_| is_alone).and_then(|only| missed(records, only)),
            forks: ranking.forks(),
            others: ranking.order.first().filter(|_| is_alone).and_then(|only| forks_of_others(records, only)),
        })
    }

    /// The question that the contenders answer.
    pub fn question(&self) -> String {
        question(self.contenders.iter().map(|contender| contender.algorithm).collect())
    }

    /// Each of the others, with the first beside it.
    fn others(&self) -> impl Iterator<Item = (&Contending, Comparison)> {
        self.contenders.iter().filter_map(|contender| Some((contender, contender.behind?)))
    }

    /// Whether it is known which is first.
    pub fn is_answered(&self) -> bool {
        match self.contenders.len() {
            0 => false,
            1 => self.forks >= LEAST_FORKS && self.missed.is_none() && self.others.is_none(),
            _ => self.others().all(|(_, own)| matches!(own, Comparison::First(_) | Comparison::Equal(_))),
        }
    }

    /// The most forks of what is not decided; `None` where all is.
    pub fn lacking_forks(&self) -> Option<usize> {
        if self.contenders.len() == 1 {
            return Some(self.others.unwrap_or(self.forks)).filter(|forks| *forks < LEAST_FORKS);
        }
        let is_open = |own: &Comparison| matches!(own, Comparison::Unknown(_) | Comparison::Second(_));
        self.others().filter(|(_, own)| is_open(own)).map(|(other, _)| other.forks).max()
    }

    /// Which is fastest, and what that rests on.
    pub fn sentences(&self, run: &Run, records: &[Record]) -> Vec<String> {
        let Some(winner) = self.contenders.first() else { return Vec::new() };
        if self.contenders.len() == 1 {
            let (algorithm, provider) = (winner.algorithm.title(), escaped(&winner.provider));
            let only = match self.others {
                None => format!("Only {algorithm} by {provider} was measured, so there is nothing to compare it with."),
                Some(..LEAST_FORKS) => "No answer yet.".into(),
                Some(_) => {
                    format!("{algorithm} by {provider} has no size in common with the others, so none is compared.")
                }
            };
            let too_few = self.lacking_forks().map(|most| no_answer(run, records, most));
            return std::iter::once(only).chain(self.missed.as_ref().map(Missed::sentence)).chain(too_few).collect();
        }
        let is_behind = |own: &Comparison| matches!(own, Comparison::First(_));
        let near: Vec<String> =
            self.others().filter(|(_, own)| !is_behind(own)).map(|(other, _)| self.name(other)).collect();
        let behind = self.others().find(|(_, own)| is_behind(own)).map(|(other, own)| {
            let (times, interval) = own.figures();
            let interval = if interval.is_empty() { interval } else { format!(" ({interval})") };
            format!("{times} as fast as {}{interval}", self.name(other))
        });
        match (near.is_empty(), behind, self.is_answered()) {
            (_, _, false) => {
                let most = self.lacking_forks().unwrap_or(0);
                let apart = match near.len() + 1 == self.contenders.len() && most < LEAST_FORKS {
                    true => "No answer yet.".into(),
                    false => {
                        let names = listed(&[vec![self.name(winner)], near].concat());
                        format!("No answer yet: {names} cannot be told apart.")
                    }
                };
                vec![apart, no_answer(run, records, most)]
            }
            (true, Some(behind), _) => {
                let fastest = format!("{} is fastest: {behind}.", self.name(winner));
                let by_size = self.traded_sentence().map(|traded| format!("By size, {traded}."));
                [fastest, self.ground()].into_iter().chain(by_size).collect()
            }
            (_, behind, _) => {
                let behind = behind.map_or(String::new(), |behind| format!(", {behind}"));
                let equal = format!("{} and {} are equal{behind}.", self.name(winner), listed(&near));
                let mean = self.traded_sentence().map(|traded| format!("That is the mean: {traded}."));
                std::iter::once(equal).chain(mean).collect()
            }
        }
    }

    /// `ring is faster at 64 B, graviola at 16 B`: where each of the first two is surely faster in some cells.
    fn traded_sentence(&self) -> Option<String> {
        let ([first, second, ..], Some([firsts, seconds])) = (&self.contenders[..], &self.traded) else { return None };
        let points = Points(first.gb_per_s.iter().map(|(point, _)| *point).collect());
        Some(format!(
            "{} is faster {}, {} {}",
            self.name(first),
            points.at(firsts),
            self.name(second),
            points.at(seconds)
        ))
    }

    /// What the algorithms lack, where none has a tag.
    pub fn warning(&self) -> Option<String> {
        let tagless = self.contenders.iter().all(|contender| contender.algorithm.tag_bytes() == 0);
        tagless.then(|| "No tag: changed data goes unnoticed.".into())
    }

    /// A contender's name: the provider's alone where all have one algorithm, which the question names.
    fn name(&self, contender: &Contending) -> String {
        let same = self.contenders.iter().all(|other| other.algorithm == contender.algorithm);
        let provider = escaped(&contender.provider);
        if same { provider } else { format!("{} by {provider}", contender.algorithm.title()) }
    }

    /// What the ratio of the answer is the mean of; nothing for a single cell.
    fn ground(&self) -> String {
        if self.cells < 2 {
            return String::new();
        }
        let operations: Vec<_> = self.operations.iter().map(ToString::to_string).collect();
        let points: Vec<Point> =
            self.contenders.iter().flat_map(|one| &one.gb_per_s).map(|(point, _)| *point).collect();
        let sizes = match (points.iter().min(), points.iter().max()) {
            (Some(least), Some(most)) if least.message < most.message => {
                format!(", {} to {}", size(least.message), size(most.message))
            }
            _ => String::new(),
        };
        format!("That is the mean over {} cells: {}{sizes}.", self.cells, listed(&operations))
    }
}

impl Missed {
    fn sentence(&self) -> String {
        format!("{} by {} is missing: {}.", self.algorithm.title(), escaped(&self.provider), escaped(&self.why))
    }
}

/// What a single contender should have been compared with.
fn missed(records: &[Record], only: &Contender) -> Option<Missed> {
    let family = family(records);
    let is_other = |record: &&Record| {
        let cell = &record.cell;
        cell.algorithm.family() == family && (cell.algorithm, cell.provider.as_str()) != (only.algorithm, only.provider)
    };
    records.iter().filter(is_other).find_map(|record| {
        Some(Missed {
            algorithm: record.cell.algorithm,
            provider: record.cell.provider.clone(),
            why: record.outcome.in_words()?,
        })
    })
}

/// The cells that a table shows: those of one operation.
fn shown<'r>(ranking: &'r Ranking) -> Vec<&'r Group> {
    let operation = ranking.ground.first().map(|group| group.operation);
    ranking.ground.iter().filter(|group| Some(group.operation) == operation).collect()
}

/// The sizes of what is shown that contenders were to be measured at, and that not all have.
fn gaps(records: &[Record], ranking: &Ranking, groups: &[&Group]) -> Vec<Gap> {
    let Some(shown) = groups.first() else { return Vec::new() };
    let mut gaps: Vec<Gap> = Vec::new();
    for record in records {
        let (group, point) = (record.cell.group(), Point::of(&record.cell.parameters));
        let own = (record.cell.algorithm, record.cell.provider.as_str());
        let is_contender = ranking.order.iter().any(|contender| (contender.algorithm, contender.provider) == own);
        let is_alike = is_here(record) && (group.operation, group.form) == (shown.operation, shown.form);
        let (Some(why), true, true) = (record.outcome.in_words(), is_contender, is_alike) else { continue };
        match gaps.iter_mut().find(|gap| gap.point == point) {
            _ if groups.contains(&&group) => {}
            Some(gap) => gap.cells.push(record.id),
            None => gaps.push(Gap { point, cells: vec![record.id], why }),
        }
    }
    gaps.sort_by_key(|gap| gap.point);
    gaps
}

/// The sizes at which each of the first two is faster, where both are at some.
fn traded(ranking: &Ranking, groups: &[&Group]) -> Option<[Vec<Point>; 2]> {
    let [first, second, ..] = &ranking.order[..] else { return None };
    let compared = |group: &&Group| {
        let logs = estimate::logs(second.record(group)?, first.record(group)?);
        Some((Point::of(&group.parameters), Comparison::of_logs(&logs, Thresholds::of(groups.len()))))
    };
    let all: Vec<(Point, Comparison)> = groups.iter().filter_map(compared).collect();
    let of = |is_own: fn(&Comparison) -> bool| -> Vec<Point> {
        all.iter().filter(|(_, own)| is_own(own)).map(|(point, _)| *point).collect()
    };
    let both = [of(|own| matches!(own, Comparison::First(_))), of(|own| matches!(own, Comparison::Second(_)))];
    both.iter().all(|at| !at.is_empty()).then_some(both)
}
/// The most forks of what may be ranked and isn't of this contender; `None` if there is nothing.
fn forks_of_others(records: &[Record], only: &Contender) -> Option<usize> {
    let is_other = |record: &&Record| {
        competes(record) && (record.cell.algorithm, record.cell.provider.as_str()) != (only.algorithm, only.provider)
    };
    records.iter().filter(is_other).filter_map(measured).map(|summary| summary.forks as usize).max()
}
