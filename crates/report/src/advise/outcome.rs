//! What the measurements of one run come to.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, Operation};
use ciphermeter_estimate::{Behind, CONFIDENCE, Comparison, Ratio, Side};

use super::choice::{Choice, Margin, Verdict, from};
use super::cost::{Cost, costs};
use super::field::Field;
use super::flip::{AtSize, InPart, by_operation, by_size, differ};
use super::reach::Reach;
use ciphermeter_answer::rank::Contender;
use ciphermeter_answer::words::version_number;

/// A contender beside the fastest.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Standing {
    pub(super) algorithm: Algorithm,
    pub(super) provider: String,
    pub(super) version: String,
    /// Time ÷ time of the fastest; `None` with too few forks.
    pub(super) ratio: Option<Ratio>,
    /// `None` with too few forks.
    pub(super) may_be_fastest: Option<bool>,
    pub(super) costs: Vec<Cost>,
    /// The costs at the smallest and at the largest size.
    pub(super) at_ends: [Vec<Cost>; 2],
}

/// What the measurements come to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Outcome {
    pub(super) verdict: Verdict,
    /// How far ahead of the other cipher of the verdict it is by size.
    pub(super) reach: Option<Reach>,
    /// How far ahead of that cipher it is within its own library, where another library's is the best.
    pub(super) within: Option<Margin>,
    /// Libraries from which the recommended cipher may be the fastest.
    pub(super) providers: Vec<String>,
    /// The same cipher from the next library: its time ÷ that of the fastest.
    pub(super) next_library: Option<Margin>,
    /// The fastest of a cipher with a shorter key, where that is ahead.
    pub(super) shorter: Option<Margin>,
    pub(super) standings: Vec<Standing>,
    pub(super) sizes: Vec<AtSize>,
    /// Operations, where there are several.
    pub(super) operations: Vec<(Operation, InPart)>,
    /// Operations that are asked for and compared nowhere: without them there is no answer.
    pub(super) without: Vec<Operation>,
    /// Forks in which the first two were compared, in the cell with the fewest and in that with the most.
    pub(super) forks: (usize, usize),
    /// Who lacks cells of the workload.
    pub(super) apart: Vec<String>,
    /// Only one cipher was measured.
    pub(super) is_alone: bool,
}

impl Outcome {
    /// What these ciphers come to where these operations are asked for.
    pub(super) fn of(field: &Field, asked: &BTreeSet<Operation>) -> Self {
        let everywhere = field.everywhere();
        let choice = Choice::of(field, &everywhere, 1);
        let (sizes, operations) = (by_size(field), by_operation(field));
        let verdict = match choice.verdict() {
            verdict @ (Verdict::Equal { .. } | Verdict::Unknown { .. }) => {
                let parts = || sizes.iter().map(|size| &size.part);
                let of_operations = || operations.iter().map(|(_, part)| part);
                // The weights of a mix are known, so its cost is the answer; how often each is sealed and opened is not.
                match () {
                    () if differ(of_operations()) => Verdict::ByOperation { among: fastest(of_operations()) },
                    () if field.calls.is_none() && differ(parts()) => Verdict::BySize { among: fastest(parts()) },
                    () => verdict,
                }
            }
            verdict => verdict,
        };
        let providers = match &verdict {
            Verdict::Use { algorithm, .. } => choice.providers(*algorithm),
            _ => Vec::new(),
        };
        let is_next = |algorithm: Algorithm, provider: &str| match &verdict {
            Verdict::Use { algorithm: own, .. } => algorithm == *own && !providers.contains(&provider),
            _ => false,
        };
        let next_library = choice.order.iter().find(|(one, _)| is_next(one.algorithm, one.provider));
        let margin = |(one, behind): &(&Contender, Behind)| Margin {
            algorithm: one.algorithm,
            provider: one.provider.to_owned(),
            ratio: behind.ratio,
        };
        let next_library = next_library.map(margin);
        let other = match &verdict {
            Verdict::Use { margin, .. } | Verdict::Bound { margin, .. } => margin.as_ref(),
            _ => None,
        };
        let own = choice.order.first().map(|(own, _)| *own);
        let place = |provider: &str| {
            let is_it = |one: &Contender| other.is_some_and(|margin| one.algorithm == margin.algorithm);
            choice.order.iter().find(|(one, _)| is_it(one) && one.provider == provider)
        };
        let best = other.and_then(|margin| place(&margin.provider));
        let reach = own.zip(best).and_then(|(own, (best, _))| Reach::of(field, own, best));
        let is_elsewhere = |own: &&Contender| other.is_some_and(|margin| margin.provider != own.provider);
        let within = own.filter(is_elsewhere).and_then(|own| place(own.provider)).map(margin);
        let forks = match &choice.order[..] {
            [(first, _), (second, _), ..] => field.forks(first, second),
            [(only, _)] => field.forks(only, only),
            // None can be placed: what the first two come to says why.
            [] => match &choice.unknown[..] {
                [first, second, ..] => field.forks(first, second),
                _ => (0, 0),
            },
        };
        let has = |operation: Operation| field.ground.iter().any(|group| group.operation == operation);
        Self {
            shorter: shorter(field, &choice),
            standings: standings(field, &choice),
            sizes,
            operations,
            without: asked.iter().filter(|operation| !has(**operation)).copied().collect(),
            providers: providers.into_iter().map(String::from).collect(),
            apart: field.apart.iter().map(|(algorithm, provider)| from(*algorithm, provider)).collect(),
            is_alone: field.is_alone(),
            verdict,
            reach,
            within,
            next_library,
            forks,
        }
    }

    /// The cipher to use.
    pub(super) fn recommended(&self) -> Option<Algorithm> {
        match &self.verdict {
            Verdict::Use { algorithm, .. } if !self.is_alone && self.without.is_empty() => Some(*algorithm),
            _ => None,
        }
    }

    pub(super) fn is_answered(&self) -> bool {
        let is_decided = !matches!(self.verdict, Verdict::Unknown { .. } | Verdict::Bound { .. });
        !self.is_alone && is_decided && self.without.is_empty()
    }
}

/// The ciphers that surely are the fastest in some of these parts.
fn fastest<'p>(parts: impl Iterator<Item = &'p InPart>) -> BTreeSet<Algorithm> {
    parts.filter_map(|part| Some(part.fastest.as_ref()?.0)).collect()
}

/// The fastest of a cipher with a shorter key, where it is surely faster than what is recommended.
fn shorter(field: &Field, choice: &Choice) -> Option<Margin> {
    let (first, _) = choice.order.first()?;
    let compared = |one: &Contender| {
        let logs = field.logs(first, one, &field.everywhere());
        let ratio = Ratio::from_logs(&logs, CONFIDENCE)?;
        Some(Margin { algorithm: one.algorithm, provider: one.provider.to_owned(), ratio })
    };
    let is_faster = |margin: &Margin| Comparison::of(Some(margin.ratio)).faster() == Some(Side::First);
    let margins = field.shorter.iter().filter_map(compared).filter(is_faster);
    margins.max_by(|a, b| a.ratio.mid.total_cmp(&b.ratio.mid))
}

fn standings(field: &Field, choice: &Choice) -> Vec<Standing> {
    let points = field.points();
    let ends = [points.first(), points.last()].map(|point| point.map(|(_, places)| places.clone()).unwrap_or_default());
    let standing = |one: &Contender, behind: Option<Behind>| Standing {
        algorithm: one.algorithm,
        provider: one.provider.to_owned(),
        version: version(field, one),
        ratio: behind.map(|behind| behind.ratio),
        may_be_fastest: behind.map(|behind| behind.may_be_fastest),
        costs: costs(field, one, &field.everywhere()),
        at_ends: ends.each_ref().map(|places| costs(field, one, places)),
    };
    let placed = choice.order.iter().map(|(one, behind)| standing(one, Some(*behind)));
    placed.chain(choice.unknown.iter().map(|one| standing(one, None))).collect()
}

fn version(field: &Field, contender: &Contender) -> String {
    let record = field.ground.first().and_then(|group| contender.record(group));
    let provenance = record.and_then(|record| record.provenance.as_ref());
    provenance.map(|from| version_number(&from.version)).unwrap_or_default()
}
