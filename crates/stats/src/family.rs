//! Which of many comparisons are surely beyond a threshold, so that the whole family errs in at most 5 % of runs.
//!
//! A run compares dozens of cells. Of forty that did not change, two would be called slower if each were tested at 5 %. So each
//! gives the p-value of a one-sided test, and Holm's step-down holds all of them together below 5 %: the chance that even
//! one is called slower which isn't. Calling something faster is a family of its own.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::interval::mean_and_variance;
use crate::{Estimate, LEAST_FORKS, Located, median};

/// The chance that a family has even one wrong member, at most.
pub const FAMILY_ERROR: f64 = 0.05;

/// No mean of logarithms is known better than this: equal values differ in their last digits only, and that is rounding.
const ROUNDING: f64 = 1e-9;

/// A location of log-ratios, or the difference of two, with what it takes to test it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// The logarithm of the ratio.
    mid: f64,
    /// Its standard error.
    error: f64,
    /// Degrees of freedom.
    freedom: f64,
    /// Whether it rests on enough forks to be sure of anything.
    enough: bool,
}

impl Effect {
    /// Of two cells that were measured together: Student's test. `None` with fewer than two forks.
    pub fn paired(forks: &Located) -> Option<Self> {
        let (mid, variance) = mean_and_variance(&forks.values)?;
        let error = (variance / forks.values.len() as f64).sqrt().max(ROUNDING);
        Some(Self { mid, error, freedom: forks.freedom, enough: forks.values.len() >= LEAST_FORKS })
    }

    /// Of two runs: the location of `after` less that of `before`, whose forks have nothing to do with each other and may
    /// spread differently. Welch's statistic with the degrees of freedom of the smaller run (Hsu's bound), because in the far
    /// tail, where a family's tests lie, Satterthwaite's are too many (docs/decisions.md, point 11).
    /// `None` if either has fewer than two.
    pub fn unpaired(before: &Located, after: &Located) -> Option<Self> {
        let (a, b) = (Self::paired(before)?, Self::paired(after)?);
        let (error, freedom) = (a.error.hypot(b.error), a.freedom.min(b.freedom));
        Some(Self { mid: b.mid - a.mid, error, freedom, enough: a.enough && b.enough })
    }

    /// The same where effects vary by this variance beyond their errors.
    #[must_use]
    pub fn with_variance(self, variance: f64) -> Self {
        Self { error: (self.error * self.error + variance).sqrt(), ..self }
    }

    /// Whether it rests on at least [`LEAST_FORKS`] forks, of each run where there are two. Fewer are never sure.
    pub fn is_enough(&self) -> bool {
        self.enough
    }

    /// The two-sided interval, on the scale of logarithms.
    pub fn interval(&self, confidence: f64) -> Estimate {
        let t = self.student().map_or(f64::INFINITY, |student| student.inverse_cdf(0.5 + confidence / 2.0));
        Estimate { mid: self.mid, low: self.mid - t * self.error, high: self.mid + t * self.error }
    }

    /// How likely it would lie so far above if the truth were at `limit` or below; 1 if too few forks could tell.
    pub fn p_above(&self, limit: f64) -> f64 {
        let t = Some((self.mid - limit) / self.error).filter(|t| self.enough && t.is_finite());
        self.student().zip(t).map_or(1.0, |(student, t)| student.sf(t))
    }

    /// How likely it would lie so far below if the truth were at `limit` or above; 1 if too few forks could tell.
    pub fn p_below(&self, limit: f64) -> f64 {
        Self { mid: -self.mid, ..*self }.p_above(-limit)
    }

    fn student(&self) -> Option<StudentsT> {
        StudentsT::new(0.0, 1.0, self.freedom).ok()
    }
}

/// By how much effects whose truth is 0 vary beyond their errors, as a variance: two runs of the same code differ by more than the forks of
/// either show, as each run has its own pages and its own hour. By medians, so that a few effects that are not 0 after all do not count
/// (the moment estimator of DerSimonian and Laird, 1986, with the median of χ²(1), 0.4549, for its mean). 0 of fewer than six effects.
pub fn variance_between(null: &[Effect]) -> f64 {
    const MEDIAN: f64 = 0.454_9;
    if null.len() < LEAST_FORKS {
        return 0.0;
    }
    let square = |of: fn(&Effect) -> f64| median(&mut null.iter().map(|effect| of(effect).powi(2)).collect::<Vec<_>>());
    let [mids, errors] =
        [square(|effect| effect.mid), square(|effect| effect.error)].map(|square| square.unwrap_or(0.0));
    (mids / MEDIAN - errors).max(0.0)
}

/// How a member of a family came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surely {
    /// Above the limit: slower by more than the threshold, where the values are times.
    Above,
    /// As far below 0 as the limit is above.
    Below,
    /// Neither can be said.
    Neither,
}

/// Which effects lie surely above `limit`, and which surely below −`limit` (at least 0, on the scale of logarithms).
/// Each of the two families errs in at most [`FAMILY_ERROR`] of runs.
pub fn surely(effects: &[Effect], limit: f64) -> Vec<Surely> {
    let above = holm(&effects.iter().map(|effect| effect.p_above(limit)).collect::<Vec<_>>());
    let below = holm(&effects.iter().map(|effect| effect.p_below(-limit)).collect::<Vec<_>>());
    let each = |(above, below)| match (above, below) {
        (true, _) => Surely::Above,
        (_, true) => Surely::Below,
        _ => Surely::Neither,
    };
    above.into_iter().zip(below).map(each).collect()
}

/// The confidence of each of `members` two-sided intervals that together hold with [`FAMILY_ERROR`] (Bonferroni).
pub fn simultaneous(members: usize) -> f64 {
    1.0 - FAMILY_ERROR / members.max(1) as f64
}

/// Holm's step-down: the smallest p-value against α ÷ m, the next against α ÷ (m − 1), …, until one fails.
fn holm(p: &[f64]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let mut sure = vec![false; p.len()];
    for (step, member) in order.into_iter().enumerate() {
        if p[member] > FAMILY_ERROR / (p.len() - step) as f64 {
            break;
        }
        sure[member] = true;
    }
    sure
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIX: [f64; 6] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];

    fn paired(values: &[f64]) -> Option<Effect> {
        Effect::paired(&Located::mean(values.to_vec()))
    }

    fn unpaired(before: &[f64], after: &[f64]) -> Option<Effect> {
        Effect::unpaired(&Located::mean(before.to_vec()), &Located::mean(after.to_vec()))
    }

    fn assert_near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-5, "{found} is not {wanted}");
    }

    #[test]
    fn students_test_as_in_the_tables() {
        // Mean 3.5, standard error √(3.5 ÷ 6); t(5) has 5 % above 2.015 048 and 2.5 % above 2.570 582.
        let effect = paired(&SIX).unwrap();
        let error = (3.5_f64 / 6.0).sqrt();
        assert_near(effect.p_above(3.5), 0.5);
        assert_near(effect.p_above(3.5 - 2.015_048 * error), 0.05);
        assert_near(effect.p_below(3.5 + 2.570_582 * error), 0.025);
        assert_near(effect.interval(0.95).half_width(), 2.570_582 * error);
    }

    #[test]
    fn two_runs_by_hand() {
        // Means 3.5 and 9, squares of the standard errors 3.5 ÷ 6 and 14 ÷ 6; t(5) as above, not t(10).
        let twice: Vec<f64> = SIX.iter().map(|value| 2.0 * value + 2.0).collect();
        let error = (17.5_f64 / 6.0).sqrt();
        let effect = unpaired(&SIX, &twice).unwrap();
        assert_near(effect.interval(0.95).mid, 5.5);
        assert_near(effect.interval(0.95).half_width(), 2.570_582 * error);
        assert_near(effect.p_above(5.5 - 2.015_048 * error), 0.05);
        // The larger run adds no degrees.
        let more: Vec<f64> = twice.iter().chain(&twice).copied().collect();
        assert_near(unpaired(&SIX, &more).unwrap().freedom, 5.0);
    }

    #[test]
    fn holm_steps_down_and_stops() {
        // Against 0.0125, 0.016 67, 0.025 and 0.05: the third fails, so the fourth isn't looked at.
        assert_eq!(holm(&[0.03, 0.01, 0.013, 0.04]), [false, true, true, false]);
        assert_eq!(holm(&[0.013, 0.013, 0.013, 0.013]), [false; 4], "the first fails, so all do");
        assert_eq!(holm(&[0.04]), [true]);
        assert!(holm(&[]).is_empty());
        assert_near(simultaneous(10), 0.995);
    }

    #[test]
    fn fewer_than_six_forks_are_never_sure() {
        let effect = paired(&[0.5, 0.500_1, 0.500_2, 0.500_1, 0.5]).unwrap();
        assert!(!effect.is_enough());
        assert_eq!(surely(&[effect], 0.05), [Surely::Neither]);
        let effect = unpaired(&[0.0; 6], &[0.5; 5]).unwrap();
        assert_eq!(surely(&[effect], 0.05), [Surely::Neither]);
        assert_eq!(paired(&[0.5]), None);
        assert_eq!(unpaired(&SIX, &[]), None);
    }

    #[test]
    fn values_without_spread_are_told_from_the_limit_but_not_from_rounding() {
        let limit = 1.05_f64.ln();
        let effect_of = |ratio: f64| paired(&[ratio.ln(); 6]).unwrap();
        let found = surely(&[effect_of(1.05), effect_of(1.0501), effect_of(1.0), effect_of(1.0 / 1.06)], limit);
        assert_eq!(found, [Surely::Neither, Surely::Above, Surely::Neither, Surely::Below]);
        let both = unpaired(&[0.0; 6], &[1.06_f64.ln(); 6]).unwrap();
        assert_eq!(surely(&[both], limit), [Surely::Above]);
        assert_near(effect_of(1.05).interval(0.999).half_width(), 0.0);
    }

    #[test]
    fn nonsense_is_never_sure() {
        let effect = paired(&[f64::NAN; 6]).unwrap();
        assert_eq!(surely(&[effect], 0.0), [Surely::Neither]);
        let effect = paired(&[f64::INFINITY; 6]).unwrap();
        assert_eq!(surely(&[effect], 0.0), [Surely::Neither]);
    }
}
