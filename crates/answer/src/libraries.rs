//! Which library, where a run has no AES and ChaCha20 to choose between: all contenders by size, the fastest first.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, CellId, Group, Operation, Record, Run, escaped};
use ciphermeter_estimate::{self as estimate, Comparison, Thresholds};
use ciphermeter_stats::LEAST_FORKS;
use serde::Serialize;

use crate::basis::no_answer;
use crate::measured::{has_enough_forks, is_here, measured, sets_key_up_inside};
use crate::point::{Point, Points};
use crate::rank::{Class, Contender, Ranking, competes, family, rank};
use crate::rate::rate;
use crate::unlike;
use crate::words::{Figures, first_of, listed, size, titles};

/// So many contenders are named of which too little is known.
const NAMED: usize = 3;

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
    /// Its place in the ranking; `None` where too little is known of it.
    pub place: Option<usize>,
    /// The first beside it; `None` for the first itself.
    pub behind: Option<Comparison>,
    /// Sizes at which it is ahead of the first, and of all that are, the most; of the first, at which that is ahead of the second.
    pub ahead_at: Vec<Point>,
    /// Whether each call sets the key up, because the library cannot separate it.
    pub sets_key_up: bool,
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
        let ahead = ahead(&ranking, &groups);
        let contending = |(place, contender): (usize, &Contender)| Contending {
            algorithm: contender.algorithm,
            provider: contender.provider.to_owned(),
            place: ranking.place(place),
            behind: (place > 0).then(|| Comparison::of(ranking.behind(place))),
            ahead_at: ahead[place].clone(),
            sets_key_up: groups.iter().filter_map(|group| contender.record(group)).any(sets_key_up_inside),
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
        let name = self.name(winner);
        if self.contenders.len() == 1 {
            let too_few = self.lacking_forks().map(|most| no_answer(run, records, most));
            let missed = self.missed.as_ref().map(Missed::sentence);
            return std::iter::once(self.alone(winner)).chain(missed).chain(too_few).collect();
        }
        if !self.is_answered() {
            return vec![self.open(&name), no_answer(run, records, self.lacking_forks().unwrap_or(0))];
        }
        let (near, next) =
            (self.placed(|place| place == Some(1)), self.placed(|place| place > Some(1)).first().copied());
        let behind = next.and_then(|next| {
            let (times, interval) = next.behind?.figures();
            let interval = if interval.is_empty() { interval } else { format!(" ({interval})") };
            Some(format!("{times} as fast as {}{interval}", self.name(next)))
        });
        let is_other = |other: &&Contending| other.algorithm != winner.algorithm && other.provider != winner.provider;
        let other = near.iter().copied().chain(next).find(is_other);
        let mut sentences = match (near.is_empty(), behind) {
            (true, behind) => {
                let by_size = self.by_size().map(|by_size| format!("By size, {by_size}.")).unwrap_or_default();
                vec![format!("{name} is fastest: {}.", behind.unwrap_or_default()), self.ground(), by_size]
            }
            (false, behind) => {
                let behind = behind.map_or(String::new(), |behind| format!(", {behind}"));
                let by_size = self.by_size().map(|by_size| format!("By size, {by_size}.")).unwrap_or_default();
                let equals = [vec![name], self.names(&near)].concat();
                vec![format!("{} are equal{behind}.", listed(&equals)), self.ground(), by_size]
            }
        };
        let both = other.map(|other| titles(&[winner.algorithm, other.algorithm]));
        let said = |both| format!("{both} are not by the same library, which makes a difference, too.");
        sentences.extend(both.map(said));
        sentences
    }

    /// Of the one that is left.
    fn alone(&self, only: &Contending) -> String {
        let (algorithm, provider) = (only.algorithm.title(), escaped(&only.provider));
        match self.others {
            None => format!("Only {algorithm} by {provider} was measured, so there is nothing to compare it with."),
            Some(..LEAST_FORKS) => "No answer yet.".into(),
            Some(_) => format!("{algorithm} by {provider} has no size in common with the others, so none is compared."),
        }
    }

    /// Which share the first place with what is named, and of which too little is known.
    fn open(&self, first: &str) -> String {
        let (near, unknown) = (self.placed(|place| place == Some(1)), self.placed(|place| place.is_none()));
        if unknown.len() + 1 == self.contenders.len() && self.lacking_forks() < Some(LEAST_FORKS) {
            return "No answer yet.".into();
        }
        let alike = (!near.is_empty())
            .then(|| format!("{} cannot be told apart", listed(&[vec![first.to_owned()], self.names(&near)].concat())));
        let unknown =
            (!unknown.is_empty()).then(|| format!("too little is known of {}", first_of(self.names(&unknown), NAMED)));
        format!("No answer yet: {}.", alike.into_iter().chain(unknown).collect::<Vec<_>>().join("; "))
    }

    /// Those of the others that have such a place.
    fn placed(&self, has: fn(Option<usize>) -> bool) -> Vec<&Contending> {
        self.contenders.iter().skip(1).filter(|other| has(other.place)).collect()
    }

    fn names(&self, those: &[&Contending]) -> Vec<String> {
        those.iter().map(|one| self.name(one)).collect()
    }

    /// `ring is faster at 64 B, graviola at 16 B`, where one is ahead of the first somewhere.
    fn by_size(&self) -> Option<String> {
        let ahead = || self.contenders.iter().filter(|one| !one.ahead_at.is_empty());
        let points = Points(self.contenders.first()?.gb_per_s.iter().map(|(point, _)| *point).collect());
        let is_any = ahead().any(|one| one.behind.is_some());
        let said = ahead().map(|one| (self.name(one), points.at(&one.ahead_at)));
        let said = said.zip(std::iter::once(" is faster").chain(std::iter::repeat("")));
        let said: Vec<String> = said.map(|((name, at), is)| format!("{name}{is} {at}")).collect();
        is_any.then(|| said.join(", "))
    }

    /// That tags are not alike, or that there is none.
    pub(crate) fn tags(&self) -> Option<String> {
        unlike::tags(self.contenders.iter().map(|one| one.algorithm))
    }

    /// Whose calls set their keys up.
    pub(crate) fn keys(&self) -> Option<String> {
        unlike::keys(self.contenders.iter().map(|one| (one.algorithm, one.provider.as_str(), one.sets_key_up)))
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
            why: record.in_words()?,
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
        let (Some(why), true, true) = (record.in_words(), is_contender, is_alike) else { continue };
        match gaps.iter_mut().find(|gap| gap.point == point) {
            _ if groups.contains(&&group) => {}
            Some(gap) => gap.cells.push(record.id),
            None => gaps.push(Gap { point, cells: vec![record.id], why }),
        }
    }
    gaps.sort_by_key(|gap| gap.point);
    gaps
}

/// For each contender the sizes at which it is ahead of the first, of several the one that is the most; for the first those at which that
/// is ahead of the second. All comparisons hold at once.
fn ahead(ranking: &Ranking, groups: &[&Group]) -> Vec<Vec<Point>> {
    let mut ahead = vec![Vec::new(); ranking.order.len()];
    let Some((first, others)) = ranking.order.split_first() else { return ahead };
    let thresholds = Thresholds::of(groups.len() * others.len());
    for group in groups {
        let compared = |other: &Contender| {
            let logs = estimate::logs(other.record(group)?, first.record(group)?);
            Some(Comparison::of_logs(&logs, thresholds))
        };
        let all: Vec<Option<Comparison>> = others.iter().map(compared).collect();
        let faster = all.iter().enumerate().filter_map(|(k, own)| match own {
            Some(Comparison::Second(ratio)) => Some((k + 1, ratio.mid)),
            _ => None,
        });
        let most = faster.max_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(place, _)| place);
        let is_first = matches!(all.first(), Some(Some(Comparison::First(_))));
        if let Some(place) = most.or(is_first.then_some(0)) {
            ahead[place].push(Point::of(&group.parameters));
        }
    }
    ahead
}

/// The most forks of what may be ranked and isn't of this contender; `None` if there is nothing.
fn forks_of_others(records: &[Record], only: &Contender) -> Option<usize> {
    let is_other = |record: &&Record| {
        competes(record) && (record.cell.algorithm, record.cell.provider.as_str()) != (only.algorithm, only.provider)
    };
    records.iter().filter(is_other).filter_map(measured).map(|summary| summary.forks as usize).max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn equals_are_joined_by_one_and_and_their_mean_is_said_to_be_one() {
        let made = |provider| {
            [64, 1024].map(|message| fixtures::cell(provider, Algorithm::Aes256Gcm, Operation::Seal, message, 100.0))
        };
        let cells: Vec<_> = ["go", "ring", "aws-lc"].into_iter().flat_map(made).collect();
        let said = crate::answer(&fixtures::head(), &fixtures::records(&cells, 8)).sentences;
        let (names, _) = said[0].split_once(" are equal").unwrap_or_else(|| panic!("{said:?}"));
        assert_eq!((names.matches(", ").count(), names.matches(" and ").count()), (1, 1), "{said:?}");
        assert_eq!(said[1], "That is the mean over 2 cells: seal, 64 B to 1 KiB.", "{said:?}");
    }
}
