//! What the measurements of one run come to.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, Operation};
use ciphermeter_estimate::{Behind, CONFIDENCE, Comparison, Ratio, Side};
use serde::Serialize;

use super::choice::{Choice, Margin, Verdict, from};
use super::cost::{Cost, costs};
use super::field::Field;
use super::part::{AtSize, OfOperation, Part, by_operation, by_size, differ};
use super::reach::Reach;
use crate::point::Points;
use crate::program::Underrated;
use crate::rank::Contender;
use crate::words::version_number;

/// A contender beside the fastest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    /// The cipher.
    pub algorithm: Algorithm,
    /// The library.
    pub provider: String,
    /// Its version.
    pub version: String,
    /// Time ÷ time of the fastest; `None` with too few forks.
    pub ratio: Option<Ratio>,
    /// `None` with too few forks.
    pub may_be_fastest: Option<bool>,
    /// What it costs over all sizes; empty with too few forks.
    pub costs: Vec<Cost>,
    /// The costs at the smallest and at the largest size.
    #[serde(skip)]
    pub(super) at_ends: [Vec<Cost>; 2],
}

/// A cipher with a shorter key that is ahead of all: `ratio` is the time of the fastest contender ÷ its own.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Shorter {
    #[serde(flatten)]
    pub margin: Margin,
    pub key_bits: usize,
}

/// What the measurements of a run come to; without contenders where it has none for the question.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Outcome {
    /// The fastest first; last those with too few forks.
    pub contenders: Vec<Standing>,
    /// What is fastest at each size.
    pub sizes: Vec<AtSize>,
    /// Operations, where there are several.
    pub operations: Vec<OfOperation>,
    /// What all cells together decide.
    #[serde(skip)]
    pub(super) verdict: Verdict,
    /// How far ahead of the other cipher of the verdict it is by size.
    #[serde(skip)]
    pub(super) reach: Option<Reach>,
    /// How far ahead of that cipher it is within its own library, where another library's is the best.
    #[serde(skip)]
    pub(super) within: Option<Margin>,
    /// Libraries from which the recommended cipher may be the fastest.
    #[serde(skip)]
    pub(super) providers: Vec<String>,
    /// The same cipher from the next library: its time ÷ that of the fastest.
    #[serde(skip)]
    pub(super) next_library: Option<Margin>,
    /// The fastest of a cipher with a shorter key, where that is ahead.
    #[serde(skip)]
    pub(super) shorter: Option<Shorter>,
    /// Operations that are asked for and compared nowhere: without them there is no answer.
    #[serde(skip)]
    pub(super) without: Vec<Operation>,
    /// Forks in which the first two were compared, in the cell with the fewest and in that with the most.
    #[serde(skip)]
    pub forks: (usize, usize),
    /// Who lacks cells of the workload.
    #[serde(skip)]
    pub apart: Vec<String>,
    /// Only one cipher was measured.
    #[serde(skip)]
    pub(super) is_alone: bool,
    /// The cipher that runs in a faster form than its measured one.
    #[serde(skip)]
    pub(super) underrated: Option<&'static Underrated>,
}

impl Outcome {
    /// What these ciphers come to where these operations are asked for.
    pub(super) fn of(field: &Field, asked: &BTreeSet<Operation>) -> Self {
        let everywhere = field.everywhere();
        let choice = Choice::of(field, &everywhere, 1);
        let (sizes, operations) = (by_size(field), by_operation(field));
        let verdict = overall(field, choice.verdict(), &sizes, &operations);
        let providers = match &verdict {
            Verdict::Use { algorithm, .. } => choice.providers(*algorithm),
            _ => Vec::new(),
        };
        let is_next = |algorithm: Algorithm, provider: &str| match &verdict {
            Verdict::Use { algorithm: own, .. } => algorithm == *own && providers.iter().all(|one| one != provider),
            _ => false,
        };
        let next_library = choice.order.iter().find(|(one, _)| is_next(one.algorithm, one.provider));
        let margin = |(one, behind): &(&Contender, Behind)| Margin::of(one, behind.ratio);
        let next_library = next_library.map(margin);
        let other = match &verdict {
            Verdict::Use { lead, .. } | Verdict::Bound { lead, .. } => lead.as_ref(),
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
        let has = |operation: Operation| field.ground.iter().any(|group| group.operation == operation);
        Self {
            shorter: shorter(field, &choice),
            contenders: standings(field, &choice),
            sizes,
            operations,
            without: asked.iter().filter(|operation| !has(**operation)).copied().collect(),
            providers,
            apart: field.apart.iter().map(|(algorithm, provider)| from(*algorithm, provider)).collect(),
            is_alone: field.is_alone(),
            underrated: field.underrated,
            verdict,
            reach,
            within,
            next_library,
            forks: forks(field, &choice),
        }
    }

    /// Whether the run has figures for the question.
    pub fn is_measured(&self) -> bool {
        !self.contenders.is_empty()
    }

    pub(super) fn points(&self) -> Points {
        Points(self.sizes.iter().map(|size| size.point).collect())
    }

    /// Whether ciphers were compared, in each operation.
    pub fn is_whole(&self) -> bool {
        self.is_measured() && !self.is_alone && self.without.is_empty()
    }

    /// The cipher to use.
    pub fn recommended(&self) -> Option<Algorithm> {
        match &self.verdict {
            Verdict::Use { algorithm, .. } if self.is_whole() => Some(*algorithm),
            _ => None,
        }
    }

    /// Of a lead over the cipher that runs in a faster form: what it holds of, or why it decides nothing.
    pub(super) fn caveat(&self) -> Option<String> {
        let own = self.underrated?;
        match &self.verdict {
            Verdict::Bound { .. } => Some(own.upper_bound()),
            Verdict::Use { lead: Some(lead), .. } if lead.algorithm == own.algorithm => {
                Some(own.even_if(self.sizes.iter().map(|at| at.point.message)))
            }
            _ => None,
        }
    }

    /// Whether the measurements decide.
    pub fn is_answered(&self) -> bool {
        self.is_whole() && !matches!(self.verdict, Verdict::Unknown { .. } | Verdict::Bound { .. })
    }
}

/// Where all cells together decide nothing, parts may.
fn overall(field: &Field, verdict: Verdict, sizes: &[AtSize], operations: &[OfOperation]) -> Verdict {
    let of_sizes = || sizes.iter().map(|size| &size.part);
    let of_operations = || operations.iter().map(|one| &one.part);
    match verdict {
        // The weights of a mix are known, so its cost is the answer; how often each is sealed and opened is not.
        Verdict::Equal { .. } | Verdict::Unknown { .. } if differ(of_operations()) => {
            Verdict::ByOperation { among: fastest(of_operations()) }
        }
        Verdict::Equal { .. } | Verdict::Unknown { .. } if field.calls.is_none() && differ(of_sizes()) => {
            Verdict::BySize { among: fastest(of_sizes()) }
        }
        verdict => verdict,
    }
}

/// The forks of the first two; where none can be placed, what these come to says why.
fn forks(field: &Field, choice: &Choice) -> (usize, usize) {
    let placed: Vec<&Contender> = choice.order.iter().map(|(one, _)| *one).collect();
    match (&placed[..], &choice.unknown[..]) {
        ([first, second, ..], _) | ([], [first, second, ..]) => field.forks(first, second),
        ([only], _) => field.forks(only, only),
        _ => (0, 0),
    }
}

/// The ciphers that surely are the fastest in some of these parts.
fn fastest<'p>(parts: impl Iterator<Item = &'p Part>) -> BTreeSet<Algorithm> {
    parts.filter_map(|part| part.algorithm).collect()
}

/// The fastest of a cipher with a shorter key, where it is surely faster than what is recommended.
fn shorter(field: &Field, choice: &Choice) -> Option<Shorter> {
    let (first, _) = choice.order.first()?;
    let compared = |one: &Contender| {
        let logs = field.logs(first, one, &field.everywhere());
        let ratio = Ratio::from_logs(&logs, CONFIDENCE)?;
        Some(Margin::of(one, ratio))
    };
    let is_faster = |margin: &Margin| Comparison::of(Some(margin.ratio)).faster() == Some(Side::First);
    let margins = field.shorter.iter().filter_map(compared).filter(is_faster);
    let most = margins.max_by(|a, b| a.ratio.mid.total_cmp(&b.ratio.mid))?;
    Some(Shorter { key_bits: most.algorithm.encryption_key_bytes() * 8, margin: most })
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
        // Too few forks are too few for any figure.
        costs: behind.map(|_| costs(field, one, &field.everywhere())).unwrap_or_default(),
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
