//! What a comparison of two comes to, and what several of the same two come to together.

use ciphermeter_stats::{Effect, Surely, simultaneous, surely};
use serde::{Serialize, Serializer};

use crate::logs::Logs;
use crate::ratio::Ratio;

/// By what a comparison is decided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// Two that differ by at most this share are equal.
    pub equal: f64,
    /// How many comparisons are to hold at once, with a chance of 5 % that any is wrong.
    pub family: usize,
}

impl Thresholds {
    /// What differs by this share or less is equal, where nothing else is asked for; a regression begins there, too.
    pub const EQUAL: f64 = 0.05;

    /// Of so many comparisons.
    pub fn of(family: usize) -> Self {
        Self { equal: Self::EQUAL, family }
    }
}

/// Which of two is faster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Comparison {
    /// The first is so many times as fast as the second.
    First(Ratio),
    /// The second is so many times as fast as the first.
    Second(Ratio),
    /// They differ by at most this share.
    Equal(f64),
    /// Neither is known to be faster, nor that they are equal.
    Unknown(Unknown),
}

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Unknown {
    /// Fewer forks than any answer takes.
    Few,
    /// The interval of the second's time ÷ the first's holds too much.
    Wide(Ratio),
}

/// Whether a ratio is known as precisely as an answer wants it: to half of what is equal, so that it is either decided or equal wherever
/// it lies; or to a third of what the two differ by.
///
/// A run may stop by this, as it never asks whether the two differ. Where 36 ratios must be known at once, and are looked at after each
/// fork, 95 % of intervals hold, and no run of 100 names a difference that is not there (the tests below).
pub(crate) fn is_known(logs: &Logs, thresholds: Thresholds) -> bool {
    let effect = logs.effect().filter(|_| logs.are_enough());
    let estimate = effect.map(|effect| effect.interval(simultaneous(thresholds.family)));
    let least = thresholds.equal.ln_1p() / 2.0;
    estimate.is_some_and(|estimate| estimate.half_width() <= least.max(estimate.mid.abs() / 3.0))
}

impl Comparison {
    /// From ln(time of the second ÷ time of the first).
    pub fn of_logs(logs: &Logs, thresholds: Thresholds) -> Self {
        let ratio = Ratio::from_logs(logs, simultaneous(thresholds.family)).filter(|_| logs.are_enough());
        Self::within(ratio, thresholds.equal)
    }

    /// From the time of the second ÷ time of the first with an interval that holds within its family; `None` where it rests on too few
    /// forks.
    ///
    /// They are equal if the whole interval lies within [`Thresholds::EQUAL`], however surely it leaves out 1: what stays in the figures, such as
    /// a disturbed fork or the place of code in memory, is smaller than that, and more forks would make it significant.
    pub fn of(ratio: Option<Ratio>) -> Self {
        Self::within(ratio, Thresholds::EQUAL)
    }

    fn within(ratio: Option<Ratio>, equal: f64) -> Self {
        let Some((ratio, (low, high))) = ratio.and_then(|ratio| Some((ratio, ratio.range()?))) else {
            return Self::Unknown(Unknown::Few);
        };
        let far = ratio.differ_at_most().unwrap_or(f64::INFINITY);
        // Of a wide interval only the nearer end is known: one within the threshold says nothing.
        let reaches = |end: f64| end > if ratio.is_wide() { 1.0 + equal } else { 1.0 };
        match () {
            () if !(low > 0.0 && high.is_finite()) => Self::Unknown(Unknown::Wide(ratio)),
            () if far <= equal => Self::Equal(far),
            () if reaches(low) => Self::First(ratio),
            () if reaches(1.0 / high) => Self::Second(ratio.inverse()),
            () => Self::Unknown(Unknown::Wide(ratio)),
        }
    }

    /// Of a family, each ln(time of the second ÷ time of the first), with its ratio: the faster is named only where it surely is by more
    /// than the threshold, which takes one-sided tests (Holm's).
    pub fn beyond(effects: &[Effect], equal: f64) -> Vec<(Self, Ratio)> {
        let confidence = simultaneous(effects.len());
        let each = |(effect, surely): (&Effect, Surely)| {
            let ratio = Ratio::of_effect(effect, confidence);
            let comparison = match (surely, Self::within(Some(ratio), equal)) {
                (Surely::Above, _) => Self::First(ratio),
                (Surely::Below, _) => Self::Second(ratio.inverse()),
                (Surely::Neither, Self::Equal(far)) => Self::Equal(far),
                (Surely::Neither, _) => Self::Unknown(Unknown::Wide(ratio)),
            };
            (comparison, ratio)
        };
        effects.iter().zip(surely(effects, equal.ln_1p())).map(each).collect()
    }

    /// Of counts, whose range is all that was counted: the lesser is named where the whole range is beyond the threshold.
    pub fn of_counts(ratio: Ratio, equal: f64) -> Self {
        let of_faster = |ratio: Ratio| ratio.range().is_some_and(|(low, _)| low > 1.0 + equal);
        match () {
            () if of_faster(ratio) => Self::First(ratio),
            () if of_faster(ratio.inverse()) => Self::Second(ratio.inverse()),
            () => match ratio.differ_at_most() {
                Some(far) if far <= equal => Self::Equal(far),
                _ => Self::Unknown(Unknown::Wide(ratio)),
            },
        }
    }

    /// Which is faster, if one is known to be.
    pub fn faster(self) -> Option<Side> {
        match self {
            Self::First(_) => Some(Side::First),
            Self::Second(_) => Some(Side::Second),
            Self::Equal(_) | Self::Unknown(_) => None,
        }
    }

    /// How many times as fast the faster is.
    pub fn ratio(self) -> Option<Ratio> {
        match self {
            Self::First(ratio) | Self::Second(ratio) => Some(ratio),
            Self::Equal(_) | Self::Unknown(_) => None,
        }
    }

    /// How many times as fast as the first the second may be where that is unknown.
    fn may_reach(self, side: Side) -> Option<f64> {
        let Self::Unknown(Unknown::Wide(ratio)) = self else { return None };
        let (low, high) = ratio.range()?;
        Some(match side {
            Side::First => high,
            Side::Second => 1.0 / low,
        })
    }
}

impl Serialize for Comparison {
    /// `{"is": "first", "ratio": {…}}`, `{"is": "equal", "at_most": 0.03}`, `{"is": "unknown", "why": "wide", "ratio": {…}}`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (is, ratio, at_most, why) = match *self {
            Self::First(ratio) => ("first", Some(ratio), None, None),
            Self::Second(ratio) => ("second", Some(ratio), None, None),
            Self::Equal(far) => ("equal", None, Some(far), None),
            Self::Unknown(Unknown::Few) => ("unknown", None, None, Some("too-few-forks")),
            Self::Unknown(Unknown::Wide(ratio)) => ("unknown", Some(ratio), None, Some("wide")),
        };
        Written { is, ratio, at_most, why }.serialize(serializer)
    }
}

#[derive(Serialize)]
struct Written {
    is: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio: Option<Ratio>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
}

/// One of two that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The first.
    First,
    /// The second.
    Second,
}

impl Side {
    /// The other one.
    pub fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// Which of the two these comparisons recommend, where `missing` more have no figure: the one that wins at least half of all of them and
/// loses none, if none that is undecided may go further the other way than the smallest of its wins.
pub fn recommended(comparisons: &[Comparison], missing: usize) -> Option<Side> {
    let wins = |side: Side| {
        comparisons.iter().filter_map(move |comparison| match (comparison, side) {
            (Comparison::First(ratio), Side::First) | (Comparison::Second(ratio), Side::Second) => Some(ratio.mid),
            _ => None,
        })
    };
    let is_recommended = |side: &Side| {
        let least = wins(*side).fold(f64::INFINITY, f64::min);
        let against = comparisons.iter().filter_map(|comparison| comparison.may_reach(side.other()));
        2 * wins(*side).count() >= comparisons.len() + missing
            && wins(*side).next().is_some()
            && wins(side.other()).next().is_none()
            && against.fold(1.0, f64::max) <= least
    };
    [Side::First, Side::Second].into_iter().find(is_recommended)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ciphermeter_stats::CONFIDENCE;

    use super::*;

    fn around(log: f64, spread: f64, forks: u32) -> Logs {
        let place = |fork| f64::from(fork) / f64::from(forks - 1) - 0.5;
        Logs::located(&(0..forks).map(|fork| (fork, log + spread * place(fork))).collect())
    }

    fn alone(logs: &Logs) -> Comparison {
        Comparison::of_logs(logs, Thresholds::of(1))
    }

    #[test]
    fn fewer_than_six_forks_say_nothing() {
        assert_eq!(alone(&around(0.7, 0.001, 5)), Comparison::Unknown(Unknown::Few));
        assert!(matches!(alone(&around(0.7, 0.001, 6)), Comparison::First(_)));
        assert_eq!(alone(&Logs::default()), Comparison::Unknown(Unknown::Few));
        assert!(matches!(alone(&around(f64::NAN, 0.0, 8)), Comparison::Unknown(_)));
    }

    #[test]
    fn equal_is_narrow_and_ignorance_is_not() {
        assert!(matches!(alone(&around(0.005, 0.02, 8)), Comparison::Equal(far) if far < 0.03));
        assert!(matches!(alone(&around(0.04, 0.002, 8)), Comparison::Equal(far) if far > 0.04), "a sure 4 % is equal");
        assert!(matches!(alone(&around(0.055, 0.002, 8)), Comparison::First(_)), "a sure 5.5 % is not");
        assert!(matches!(alone(&around(0.01, 0.5, 8)), Comparison::Unknown(Unknown::Wide(_))));
    }

    #[test]
    fn the_faster_is_named_with_a_ratio_above_one() {
        let [first, second] = [0.7, -0.7].map(|log| alone(&around(log, 0.01, 6)));
        assert!(matches!(first, Comparison::First(ratio) if (ratio.mid - 2.01).abs() < 0.01));
        assert!(matches!(second, Comparison::Second(ratio) if (ratio.mid - 2.01).abs() < 0.01));
    }

    #[test]
    fn several_comparisons_take_more() {
        let logs = around(0.09, 0.1, 6);
        assert!(matches!(alone(&logs), Comparison::First(_)));
        assert!(matches!(Comparison::of_logs(&logs, Thresholds::of(100)), Comparison::Unknown(Unknown::Wide(_))));
    }

    #[test]
    fn beyond_a_threshold_takes_more_than_a_difference() {
        let beyond = |logs: &[f64]| -> Vec<Comparison> {
            let effects: Vec<_> = logs.iter().map(|log| around(*log, 0.004, 8).effect().unwrap()).collect();
            Comparison::beyond(&effects, 0.05).into_iter().map(|(comparison, _)| comparison).collect()
        };
        let all = beyond(&[0.2, -0.2, 0.03, 0.0486]);
        assert!(matches!(all[0], Comparison::First(ratio) if (ratio.mid - 1.221).abs() < 0.001));
        assert!(matches!(all[1], Comparison::Second(ratio) if (ratio.mid - 1.221).abs() < 0.001));
        assert!(matches!(all[2], Comparison::Equal(far) if far < 0.04), "surely slower, by less");
        assert!(matches!(all[3], Comparison::Unknown(Unknown::Wide(_))), "5 % lie within");
        assert!(beyond(&[]).is_empty());
    }

    #[test]
    fn counts_are_beyond_a_threshold_with_their_whole_range() {
        let of = |low: f64, high: f64| Comparison::of_counts(Ratio::new((low + high) / 2.0, Some((low, high))), 0.05);
        assert!(matches!(of(1.06, 1.06), Comparison::First(_)));
        assert!(matches!(of(0.94, 0.94), Comparison::Second(ratio) if ratio.mid > 1.06));
        assert!(matches!(of(1.0, 1.04), Comparison::Equal(far) if (far - 0.04).abs() < 1e-9));
        assert!(matches!(of(1.04, 1.06), Comparison::Unknown(_)));
    }

    #[test]
    fn one_win_of_many_recommends_nothing() {
        let won = |log| alone(&around(log, 0.002, 8));
        let equal = won(0.0);
        let wide = |log| alone(&around(log, 0.3, 8));
        assert_eq!(recommended(&[won(0.3), equal, equal, equal], 0), None);
        assert_eq!(recommended(&[won(0.3), won(0.2), equal, equal], 0), Some(Side::First));
        assert_eq!(recommended(&[won(0.3), won(0.2), equal, equal], 1), None, "half of all, figures or not");
        assert_eq!(recommended(&[won(-0.3), won(-0.2)], 1), Some(Side::Second));
        assert_eq!(recommended(&[won(0.3), won(0.2), won(-0.2)], 0), None);
        assert_eq!(recommended(&[won(0.3), won(0.2), wide(-0.1)], 0), None, "it may be slower by more than it wins");
        assert_eq!(recommended(&[won(0.3), won(0.4), wide(0.03)], 0), Some(Side::First));
        assert_eq!(recommended(&[equal], 0), None);
        assert_eq!(recommended(&[], 0), None);
    }

    /// Normal with mean 0 and deviation 1, nearly.
    fn normal(random: &mut fastrand::Rng) -> f64 {
        (0..12).map(|_| random.f64()).sum::<f64>() - 6.0
    }

    /// Forks of 36 that differ by so much, until all are known or there are 60, looked at after each fork as the meter does.
    fn until_known(log: f64, spread: f64, random: &mut fastrand::Rng) -> Vec<Logs> {
        let mut forks = vec![BTreeMap::new(); FAMILY];
        loop {
            let number = forks[0].len() as u32;
            for own in &mut forks {
                own.insert(number, log + spread * normal(random));
            }
            let logs: Vec<Logs> = forks.iter().map(Logs::located).collect();
            if number == 59 || logs.iter().all(|logs| is_known(logs, Thresholds::of(FAMILY))) {
                return logs;
            }
        }
    }

    const FAMILY: usize = 36;

    /// `cargo test --release -p ciphermeter-estimate --lib -- known --nocapture`
    #[test]
    fn stopping_when_all_is_known_names_no_difference_that_is_not_there() {
        let random = &mut fastrand::Rng::with_seed(1);
        for (log, spread) in [(0.0, 0.01), (0.0, 0.04), (0.03, 0.02), (0.1, 0.02), (0.1, 0.05), (0.4, 0.1)] {
            let (mut wrong, mut holds, mut forks, runs) = (0, 0, 0, 100);
            for _ in 0..runs {
                let all = until_known(log, spread, random);
                let is_wrong = |logs: &Logs| match Comparison::of_logs(logs, Thresholds::of(FAMILY)) {
                    Comparison::First(_) => log <= 0.0,
                    Comparison::Second(_) => log >= 0.0,
                    Comparison::Equal(_) => log > 1.05_f64.ln(),
                    Comparison::Unknown(_) => false,
                };
                let hold = |logs: &&Logs| {
                    let estimate = logs.effect().unwrap().interval(CONFIDENCE);
                    (estimate.low..=estimate.high).contains(&log)
                };
                wrong += u32::from(all.iter().any(is_wrong));
                holds += all.iter().filter(hold).count();
                forks += all[0].forks();
            }
            let share = |count: f64| 100.0 * count / f64::from(runs);
            let (wrong, holds) = (share(wrong.into()), share(holds as f64 / FAMILY as f64));
            let forks = forks as f64 / f64::from(runs);
            println!("{log} ± {spread}: {wrong:.2} % of runs wrong, {holds:.1} % of intervals hold, {forks:.1} forks");
            assert!(wrong <= 2.0 && (93.0..=97.0).contains(&holds), "{log} ± {spread}: {wrong}, {holds}");
        }
    }
}
