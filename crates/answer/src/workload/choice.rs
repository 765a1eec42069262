//! What to use: the cipher that is surely the fastest, and the libraries from which it may be; or that this is not decided.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, escaped};
use ciphermeter_estimate::{Behind, Comparison, Ratio, Side, behind_fastest};
use serde::Serialize;

use super::field::Field;
use crate::rank::Contender;
use crate::words::Figures;

/// Contenders at some sizes, the one that came out fastest first.
pub(super) struct Choice<'f, 'a> {
    /// Each beside the fastest, whichever that is; all intervals hold at once.
    pub(super) order: Vec<(&'f Contender<'a>, Behind)>,
    /// Who has too few forks to be placed.
    pub(super) unknown: Vec<&'f Contender<'a>>,
    overrated: Option<Algorithm>,
    /// Whether the form in which another cipher runs, which is faster than the measured one, may be as fast as the first.
    is_bound: bool,
}

/// What a choice comes to.
#[derive(Debug, Clone)]
pub(super) enum Verdict {
    /// This cipher: everything else is surely slower.
    Use {
        algorithm: Algorithm,
        /// Others of its kind that may be as fast.
        also: BTreeSet<Algorithm>,
        /// The best of the other kind (ChaCha20 beside AES), or else of another cipher.
        lead: Option<Margin>,
    },
    /// This one is ahead, but the program's own is slower than the one measured, or the other runs in a faster form: a lead that is an
    /// upper bound decides nothing.
    Bound { algorithm: Algorithm, lead: Option<Margin> },
    /// The whole interval between these lies within the threshold.
    Equal { among: BTreeSet<Algorithm>, at_most: f64 },
    /// Over all sizes none is ahead, but each of these surely is at some.
    BySize { among: BTreeSet<Algorithm> },
    /// Over all operations none is ahead, but each of these surely is in some.
    ByOperation { among: BTreeSet<Algorithm> },
    /// More than one cipher may be the fastest; they differ by at most so much, where anything is known.
    Unknown { among: BTreeSet<Algorithm>, at_most: Option<f64> },
}

/// The sort of an answer, in a word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Is {
    Use,
    /// Ciphers that differ by less than counts.
    Equal,
    BySize,
    ByOperation,
    #[default]
    Unknown,
    Alone,
    /// The program has one.
    NoChoice,
}

/// How far ahead of another cipher.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Margin {
    pub algorithm: Algorithm,
    pub provider: String,
    /// Its time ÷ that of the fastest.
    pub ratio: Ratio,
}

impl Default for Verdict {
    fn default() -> Self {
        Self::Unknown { among: BTreeSet::new(), at_most: None }
    }
}

impl Margin {
    /// Of a contender that takes so many times as long.
    pub(super) fn of(contender: &Contender, ratio: Ratio) -> Self {
        Self { algorithm: contender.algorithm, provider: contender.provider.to_owned(), ratio }
    }
}

impl<'f, 'a> Choice<'f, 'a> {
    /// Of a field at some of its cells; `families` such choices are to hold at once.
    pub(super) fn of(field: &'f Field<'a>, places: &[usize], families: usize) -> Self {
        let known = scored(field, places);
        let behind =
            behind_fastest(known.len(), 0, families, |one, other| field.logs(known[one], known[other], places));
        let mut order: Vec<_> =
            known.into_iter().zip(behind).filter_map(|(one, behind)| Some((one, behind?))).collect();
        let is_placed = |contender: &Contender| order.iter().any(|(other, _)| std::ptr::eq(*other, contender));
        let unknown = field.contenders.iter().filter(|contender| !is_placed(contender)).collect();
        // The fastest stays in front: its ratio is 1.
        if let Some(others) = order.get_mut(1..) {
            others.sort_by(|(_, a), (_, b)| a.ratio.mid.total_cmp(&b.ratio.mid));
        }
        let first = order.first().map(|(first, _)| *first);
        let rivals = || first.into_iter().flat_map(|first| rivals(&order, first.algorithm));
        let is_bound = first.is_some_and(|first| rivals().any(|(one, _)| field.may_run_as_fast(one, first, places)));
        Self { order, unknown, overrated: field.overrated, is_bound }
    }

    /// Libraries from which this cipher may be the fastest, the one that came out so first.
    pub(super) fn providers(&self, algorithm: Algorithm) -> Vec<String> {
        let may_be = self.order.iter().filter(|(one, behind)| behind.may_be_fastest && one.algorithm == algorithm);
        may_be.map(|(one, _)| one.provider.to_owned()).collect()
    }

    /// What it comes to. Between ciphers of one kind (AES-256-GCM and AES-256-GCM-SIV) nothing has to be decided: the usual one is taken.
    pub(super) fn verdict(&self) -> Verdict {
        let unknown = || self.unknown.iter().map(|one| one.algorithm);
        let Some((first, _)) = self.order.first() else {
            return Verdict::Unknown { among: unknown().collect(), at_most: None };
        };
        let is_own = |algorithm: Algorithm| algorithm.is_alike(first.algorithm);
        // A cipher of which nothing is known may be faster.
        let missing: BTreeSet<Algorithm> =
            unknown().filter(|algorithm| self.order.iter().all(|(one, _)| one.algorithm != *algorithm)).collect();
        let rivals = rivals(&self.order, first.algorithm);
        let others: Vec<_> = rivals.iter().filter(|(one, _)| !is_own(one.algorithm)).collect();
        let compared = |behind: &Behind| Comparison::of(Some(behind.ratio));
        let is_equal = |behind: &Behind| matches!(compared(behind), Comparison::Equal(_));
        // Those of another kind that are not known to be slower, and those of its own that may be the fastest.
        let open: Vec<_> = others.iter().filter(|(_, behind)| compared(behind).faster() != Some(Side::First)).collect();
        let near_others: BTreeSet<Algorithm> = open.iter().map(|(one, _)| one.algorithm).collect();
        let near_own = rivals.iter().filter(|(one, behind)| behind.may_be_fastest && is_own(one.algorithm));
        let among = |rest: BTreeSet<Algorithm>| rest.into_iter().chain([first.algorithm]).collect::<BTreeSet<_>>();
        let (missing_own, missing_other): (BTreeSet<_>, BTreeSet<_>) =
            missing.into_iter().partition(|algorithm| is_own(*algorithm));
        if !missing_other.is_empty() {
            return Verdict::Unknown { among: among(&near_others | &missing_other), at_most: None };
        }
        if !open.is_empty() {
            let far = open.iter().map(|(_, behind)| behind.ratio.differ_at_most());
            let at_most = far.reduce(|a, b| Some(a?.max(b?))).flatten();
            return match at_most.filter(|_| open.iter().all(|(_, behind)| is_equal(behind))) {
                Some(at_most) => Verdict::Equal { among: among(near_others), at_most },
                None => Verdict::Unknown { among: among(near_others), at_most },
            };
        }
        let mut also = among(near_own.map(|(one, _)| one.algorithm).collect());
        // Their order is that in which people choose them.
        let algorithm = also.pop_first().unwrap_or(first.algorithm);
        let slower = rivals.iter().find(|(_, behind)| !behind.may_be_fastest);
        let lead = others.first().copied().or(slower).map(|(one, behind)| Margin::of(one, behind.ratio));
        // Nothing was compared: only one has a figure.
        if lead.is_none() && !missing_own.is_empty() {
            return Verdict::Unknown { among: &among(also) | &missing_own, at_most: None };
        }
        if self.overrated == Some(algorithm) || self.is_bound {
            return Verdict::Bound { algorithm, lead };
        }
        Verdict::Use { algorithm, also: &also | &missing_own, lead }
    }
}

/// The best of each other cipher.
fn rivals<'o, 'f, 'a>(
    order: &'o [(&'f Contender<'a>, Behind)],
    algorithm: Algorithm,
) -> Vec<&'o (&'f Contender<'a>, Behind)> {
    let mut seen = BTreeSet::from([algorithm]);
    order.iter().filter(|(one, _)| seen.insert(one.algorithm)).collect()
}

/// Contenders that can be placed, fastest first, by their ratios to the one that can be compared with most of them.
fn scored<'f, 'a>(field: &'f Field<'a>, places: &[usize]) -> Vec<&'f Contender<'a>> {
    let scores = |reference: &Contender| -> Vec<(f64, &'f Contender<'a>)> {
        let score = |one: &'f Contender<'a>| Some((field.logs(one, reference, places).mid()?, one));
        field.contenders.iter().filter_map(score).collect()
    };
    let mut best: Vec<(f64, &Contender)> = Vec::new();
    for reference in &field.contenders {
        let own = scores(reference);
        if own.len() > best.len() {
            best = own;
        }
        if best.len() == field.contenders.len() {
            break;
        }
    }
    best.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    best.into_iter().map(|(_, one)| one).collect()
}

/// `1.35×` and ` (±0.8 %)`; of a wide interval, `over 1.2×` alone. `None`: there is no such figure.
pub(super) fn times(ratio: Ratio) -> Option<(String, String)> {
    let compared = Comparison::of(Some(ratio));
    compared.ratio()?;
    let (times, interval) = compared.figures();
    let interval = if interval.is_empty() { interval } else { format!(" ({interval})") };
    Some((times, interval))
}

/// `AES-256-GCM from aws-lc`.
pub(super) fn from(algorithm: Algorithm, provider: &str) -> String {
    format!("{} from {}", algorithm.title(), escaped(provider))
}
