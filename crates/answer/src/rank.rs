//! Ranking on common ground (method, point 10): the geometric mean of paired ratios over the cells that all the
//! compared have, with intervals that hold for all comparisons with the winner at once.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use ciphermeter_core::{Algorithm, Bytes, Cell, Family, Form, Group, Operation, Outcome, Parameters, Record};

use crate::measured::{has_enough_forks, measured};
use crate::words::rotation;
use ciphermeter_estimate::{
    self as estimate, Behind, Comparison, Logs, MixPart, Ratio, Unknown, behind_fastest, mixed,
};
use ciphermeter_stats::LEAST_FORKS;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// A contender that lacks a larger share of the cells is not ranked.
const MAY_LACK: f64 = 0.2;

/// Sizes of message, in bytes, for which ciphers are chosen differently: where a call's fixed costs decide, where both do,
/// and where only bytes do.
const SIZES: [(&str, RangeInclusive<u64>); 3] = [
    ("Small messages (below 256 B)", 0..=255),
    ("Packets and pages (256 B to 4 KiB)", 256..=4096),
    ("Large messages (above 4 KiB)", 4097..=u64::MAX),
];

/// Which cells are ranked together: those of some sizes whose calls go round the same. Memory may decide otherwise than a cache.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    /// Its heading.
    pub title: String,
    sizes: RangeInclusive<u64>,
    /// Bytes of the working set, and keys.
    round: (u64, u64),
}

impl Class {
    /// All sizes of what goes round least: a message again and again, where a run has that.
    pub fn main(records: &[Record]) -> Self {
        let round = rounds(records).first().copied().unwrap_or((0, 1));
        Self { title: "All sizes".into(), sizes: 0..=u64::MAX, round }
    }

    /// The classes of sizes of that, then all sizes of each other round.
    pub fn parts(records: &[Record]) -> Vec<Self> {
        let main = Self::main(records);
        let sizes = SIZES.map(|(title, sizes)| Self { title: title.into(), sizes, ..main.clone() });
        sizes.into_iter().chain(Self::other_rounds(records)).collect()
    }

    fn other_rounds(records: &[Record]) -> impl Iterator<Item = Self> {
        rounds(records).into_iter().skip(1).map(|round| {
            let parameters = Parameters::default().with_working_set(Bytes(round.0)).with_keys(round.1);
            let title = format!("All sizes{}", rotation(&parameters));
            Self { title, sizes: 0..=u64::MAX, round }
        })
    }

    pub(crate) fn takes(&self, parameters: &Parameters) -> bool {
        self.sizes.contains(&parameters.message()) && parameters.goes_round() == self.round
    }
}

/// What the calls of a run's contenders go round, the least first.
fn rounds(records: &[Record]) -> Vec<(u64, u64)> {
    let all = records.iter().filter(|record| competes(record)).map(|record| record.cell.parameters.goes_round());
    all.collect::<BTreeSet<_>>().into_iter().collect()
}

/// An algorithm by a provider, and its cells.
pub struct Contender<'a> {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The provider.
    pub provider: &'a str,
    cells: BTreeMap<Group, &'a Record>,
}

impl Contender<'_> {
    /// How many cells it has.
    pub fn cells(&self) -> usize {
        self.cells.len()
    }

    /// Its cell of a group.
    pub fn record(&self, group: &Group) -> Option<&Record> {
        self.cells.get(group).copied()
    }

    /// The forms of its cells.
    pub fn forms(&self) -> BTreeSet<Form> {
        self.cells.keys().map(|group| group.form).collect()
    }
}

/// Contenders, fastest first.
pub struct Ranking<'a> {
    /// The class that it is of.
    pub class: String,
    /// Those that are ranked.
    pub order: Vec<Contender<'a>>,
    /// The groups that all of them have.
    pub ground: Vec<Group>,
    /// Those that are not ranked, because they lack too much, have no cell with enough forks, or share no whole fork with the others.
    pub apart: Vec<Contender<'a>>,
    /// Those that have no cell of the form that is ranked.
    pub elsewhere: Vec<Contender<'a>>,
    /// The one form that is ranked: that of most cells.
    pub form: Form,
    /// How many groups any of them has.
    pub groups: usize,
    /// Each beside the winner, in their order.
    behind: Vec<Option<Behind>>,
}

impl Ranking<'_> {
    /// In how many forks contender `k` and the winner were both measured, in the group that has the fewest.
    pub fn forks_with_winner(&self, k: usize) -> usize {
        match (self.order.get(k), self.order.first()) {
            (Some(contender), Some(winner)) => fewest_forks(contender, winner, &self.ground),
            _ => 0,
        }
    }

    /// Time of contender `k` ÷ time of the winner, with the simultaneous interval; `None` over fewer forks than a figure takes.
    pub fn behind(&self, k: usize) -> Option<Ratio> {
        let enough = self.forks_with_winner(k) >= LEAST_FORKS;
        self.behind.get(k).copied().flatten().filter(|_| enough).map(|behind| behind.ratio)
    }

    /// The fewest forks of any contender that can be placed beside the winner; the most of any where none can.
    pub fn forks(&self) -> usize {
        let alone = self.order.len() == 1;
        let all: Vec<usize> = (usize::from(!alone)..self.order.len()).map(|k| self.forks_with_winner(k)).collect();
        let enough = all.iter().copied().filter(|forks| *forks >= LEAST_FORKS).min();
        enough.or(all.into_iter().max()).unwrap_or(0)
    }

    /// Whether any contender has a place beside the winner, or there is none but the winner, which has a figure.
    pub fn is_settled(&self) -> bool {
        (self.order.len() == 1 && self.forks_with_winner(0) >= LEAST_FORKS)
            || (1..self.order.len()).any(|k| self.place(k).is_some())
    }

    /// Place of contender `k`, from 1. The first is shared by all that the winner is not known to be faster than; `None` where too
    /// little is known.
    pub fn place(&self, k: usize) -> Option<usize> {
        let ratio = self.behind(k)?;
        Some(if k > 0 && is_slower(ratio)? { k + 1 } else { 1 })
    }

    /// The operations of the cells that all have.
    pub fn operations(&self) -> BTreeSet<Operation> {
        self.ground.iter().map(|group| group.operation).collect()
    }

    /// Bytes of the messages of these cells.
    pub fn messages(&self) -> BTreeSet<u64> {
        self.ground.iter().map(|group| group.parameters.message()).collect()
    }
}

/// A contender in a ranking, as data.
#[derive(Serialize)]
struct Placed<'a> {
    place: Option<usize>,
    algorithm: Algorithm,
    provider: &'a str,
    ratio: Option<Ratio>,
    forks: usize,
}

impl Serialize for Ranking<'_> {
    /// Without those that are not ranked.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let order = self.order.iter().enumerate().map(|(k, own)| Placed {
            place: self.place(k).filter(|_| self.is_settled()),
            algorithm: own.algorithm,
            provider: own.provider,
            ratio: self.behind(k),
            forks: self.forks_with_winner(k),
        });
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("class", &self.class)?;
        map.serialize_entry("form", &self.form)?;
        map.serialize_entry("operations", &self.operations())?;
        map.serialize_entry("messages", &self.messages())?;
        map.serialize_entry("cells", &self.ground.len())?;
        map.serialize_entry("of_cells", &self.groups)?;
        map.serialize_entry("forks", &self.forks())?;
        map.serialize_entry("answered", &self.is_settled())?;
        map.serialize_entry("order", &order.collect::<Vec<_>>())?;
        map.end()
    }
}

/// The family that a run is about: AEADs, else bare ciphers. Ceilings, and `xor`, which protects nothing, never.
pub fn family(records: &[Record]) -> Family {
    let aead = |record: &Record| counts(record) && record.cell.algorithm.family() == Family::Aead;
    if records.iter().any(aead) { Family::Aead } else { Family::Bare }
}

/// Whether it was measured under the conditions that rankings are about: taking turns on one CPU. Cells that share several
/// are another comparison.
pub fn counts(record: &Record) -> bool {
    measured(record).is_some() && record.cell.parameters.cpus().is_none()
}

/// Whether it may be ranked, beside others of its family: no ceiling, not `xor`, which protects nothing, and no key set-up.
pub fn competes(record: &Record) -> bool {
    let Cell { algorithm, operation, .. } = record.cell;
    counts(record) && algorithm.is_cipher() && operation != Operation::KeySetup
}

/// Whether there are two that may be ranked; a device that counts is ranked by its counts.
pub fn can_rank(records: &[Record]) -> bool {
    let is_counted = |record: &Record| {
        record.cell.parameters.device().is_some()
            && record.cell.algorithm.is_cipher()
            && record.outcome == Outcome::Measured
    };
    let all = records.iter().filter(|record| competes(record) || is_counted(record));
    all.map(|record| (record.cell.algorithm, &record.cell.provider)).collect::<BTreeSet<_>>().len() > 1
}

/// Ranks what was measured of a class; `None` if there is nothing.
pub fn rank<'a>(records: &'a [Record], family: Family, class: &Class) -> Option<Ranking<'a>> {
    let eligible = |record: &&Record| {
        let cell = &record.cell;
        competes(record) && cell.algorithm.family() == family && class.takes(&cell.parameters)
    };
    let records: Vec<&Record> = records.iter().filter(eligible).collect();
    let form = usual_form(&records)?;
    let (here, other): (Vec<_>, Vec<_>) = records.into_iter().partition(|record| record.cell.form == form);
    let (here, mut elsewhere) = (contenders(here), contenders(other));
    elsewhere
        .retain(|other| !here.iter().any(|one| (one.algorithm, one.provider) == (other.algorithm, other.provider)));
    let groups: BTreeSet<Group> = here.iter().flat_map(|contender| contender.cells.keys()).cloned().collect();
    let (here, unknown) = of_known_groups(here);
    let (whole, mut apart) = with_enough_cells(here, &groups);
    let groups = groups.len();
    apart.extend(unknown);
    let (order, ground) = sort(whole, &mut apart)?;
    let behind = behind_fastest(order.len(), 0, 1, |one, other| compared(&order[one], &order[other], &ground));
    let (order, behind) = by_ratio(order, behind);
    Some(Ranking { class: class.title.clone(), order, ground, apart, elsewhere, form, groups, behind })
}

/// The form that most have, which stands for all: ratios are drawn within one form only.
pub fn usual_form(records: &[&Record]) -> Option<Form> {
    let having = |form: Form| records.iter().filter(|record| record.cell.form == form).count();
    Form::ALL.iter().copied().min_by_key(|form| Reverse(having(*form)))
}

/// The groups that all of them have.
pub fn common_ground(contenders: &[Contender]) -> Vec<Group> {
    let in_all = |group: &&Group| contenders.iter().all(|contender| contender.cells.contains_key(group));
    contenders.first().into_iter().flat_map(|first| first.cells.keys()).filter(in_all).cloned().collect()
}

/// Each algorithm by each provider, with its records.
pub fn contenders(records: Vec<&Record>) -> Vec<Contender<'_>> {
    let mut by_name = BTreeMap::<(Algorithm, &str), Contender>::new();
    for record in records {
        let (algorithm, provider) = (record.cell.algorithm, record.cell.provider.as_str());
        let new = || Contender { algorithm, provider, cells: BTreeMap::new() };
        by_name.entry((algorithm, provider)).or_insert_with(new).cells.insert(record.cell.group(), record);
    }
    by_name.into_values().collect()
}

/// Without the groups that no contender has enough forks of, where there are others: a run that ended early has hardly begun with them.
/// Then those that have none but such groups, and so no cells.
fn of_known_groups(mut contenders: Vec<Contender>) -> (Vec<Contender>, Vec<Contender>) {
    let all = || contenders.iter().flat_map(|contender| &contender.cells);
    let known: BTreeSet<Group> =
        all().filter(|(_, record)| has_enough_forks(record)).map(|(group, _)| group.clone()).collect();
    if !known.is_empty() {
        contenders.iter_mut().for_each(|contender| contender.cells.retain(|group, _| known.contains(group)));
    }
    contenders.into_iter().partition(|contender| !contender.cells.is_empty())
}

/// Those that have enough of these groups to be ranked, as far as their ciphers can have them, and the others.
pub fn with_enough_cells<'a, 'g>(
    contenders: Vec<Contender<'a>>,
    groups: impl IntoIterator<Item = &'g Group> + Copy,
) -> (Vec<Contender<'a>>, Vec<Contender<'a>>) {
    let most = contenders.iter().map(|contender| contender.cells.len()).max().unwrap_or(0);
    contenders.into_iter().partition(|Contender { algorithm, cells, .. }| {
        let can_have = |group: &&Group| algorithm.refuses_to(group.operation, group.parameters.message()).is_none();
        let enough = (1.0 - MAY_LACK) * groups.into_iter().filter(can_have).count() as f64;
        // If none has that many, those with the most are compared.
        cells.len() as f64 >= enough.min(most as f64)
    })
}

/// Fastest first, over the groups that all have.
fn sort<'a>(
    contenders: Vec<Contender<'a>>,
    apart: &mut Vec<Contender<'a>>,
) -> Option<(Vec<Contender<'a>>, Vec<Group>)> {
    let ground = common_ground(&contenders);
    let whole: Vec<_> = contenders.iter().map(|contender| whole_forks(contender, &ground)).collect();
    // The contender with forks in common with most of them: one that was measured at another time would part all the others.
    let met = |own: &BTreeSet<u32>| whole.iter().filter(|other| !own.is_disjoint(other)).count();
    let least = |contender: &Contender| ground.iter().filter_map(|group| forks(contender.cells.get(group)?)).min();
    let all = whole.iter().zip(&contenders);
    let (_, reference) = all.max_by_key(|(own, contender)| (met(own), least(contender), own.len()))?;
    let score = |contender: &Contender| {
        let mids: Option<Vec<f64>> = logs(contender, reference, &ground).map(|logs| logs.mid()).collect();
        mids.map(|mids| mids.iter().sum::<f64>())
    };
    let scores: Vec<_> = contenders.iter().map(score).collect();
    let mut scored = Vec::new();
    for (contender, score) in contenders.into_iter().zip(scores) {
        match score {
            Some(score) => scored.push((score, contender)),
            None => apart.push(contender),
        }
    }
    scored.sort_by(|a, b| a.0.total_cmp(&b.0));
    let order: Vec<_> = scored.into_iter().map(|(_, contender)| contender).collect();
    (!order.is_empty()).then_some((order, ground))
}

/// The winner, then the others by their ratios to it, which need not be the order of their ratios to another: those that share the first
/// place, those behind, and last those of which hardly anything is known.
fn by_ratio<'a>(order: Vec<Contender<'a>>, behind: Vec<Option<Behind>>) -> (Vec<Contender<'a>>, Vec<Option<Behind>>) {
    let mut both: Vec<_> = order.into_iter().zip(behind).collect();
    let tier = |behind: &Option<Behind>| behind.and_then(|behind| is_slower(behind.ratio)).map_or(2, usize::from);
    let mid = |behind: &Option<Behind>| behind.map_or(f64::INFINITY, |behind| behind.ratio.mid);
    if let Some(others) = both.get_mut(1..) {
        others.sort_by(|(_, one), (_, other)| tier(one).cmp(&tier(other)).then(mid(one).total_cmp(&mid(other))));
    }
    both.into_iter().unzip()
}

/// Whether what takes so many times as long as the winner is known to be slower, as every answer says it; `None` where its interval is so
/// wide that they cannot even be called alike.
fn is_slower(ratio: Ratio) -> Option<bool> {
    match Comparison::of(Some(ratio)) {
        Comparison::First(_) => Some(true),
        Comparison::Unknown(Unknown::Few) => None,
        Comparison::Unknown(Unknown::Wide(ratio)) if ratio.is_wide() => None,
        _ => Some(false),
    }
}

fn forks(record: &Record) -> Option<u32> {
    measured(record).map(|summary| summary.forks)
}

/// The forks that ran to their end and hold samples of all its cells.
fn whole_forks(contender: &Contender, ground: &[Group]) -> BTreeSet<u32> {
    let of = |record: &&Record| -> BTreeSet<u32> {
        record.forks.iter().filter(|fork| !fork.short).map(|fork| fork.number).collect()
    };
    let cells = ground.iter().filter_map(|group| contender.cells.get(group));
    cells.map(of).reduce(|all, one| &all & &one).unwrap_or_default()
}

/// ln(time of one ÷ time of the other) in each group.
fn logs<'c>(one: &'c Contender, other: &'c Contender, ground: &'c [Group]) -> impl Iterator<Item = Logs> + 'c {
    ground.iter().map(|group| match (one.cells.get(group), other.cells.get(group)) {
        (Some(one), Some(other)) => estimate::logs(one, other),
        _ => Logs::default(),
    })
}

fn fewest_forks(one: &Contender, other: &Contender, ground: &[Group]) -> usize {
    logs(one, other, ground).map(|logs| logs.forks()).min().unwrap_or(0)
}

/// ln(time of one ÷ time of the other), the mean over groups, each located over the forks that it has. Empty where one of them has too few.
fn compared(one: &Contender, other: &Contender, ground: &[Group]) -> Logs {
    let parts: Vec<MixPart> = logs(one, other, ground).map(MixPart::alike).collect();
    mixed(&parts.iter().collect::<Vec<_>>(), None)
}
