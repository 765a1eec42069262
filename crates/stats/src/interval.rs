//! The interval over forks.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// No precision counts before so many forks: with fewer, a small spread is often luck, and stopping on luck makes
/// intervals that lie.
pub const LEAST_FORKS: usize = 6;

/// The confidence of every interval that is printed.
pub const CONFIDENCE: f64 = 0.95;

/// An estimate with its interval, on whatever scale the values had.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The middle.
    pub mid: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Estimate {
    /// Half of the interval's width.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// The same on the scale of ratios, for values that were logarithms.
    pub fn exp(&self) -> Self {
        Self { mid: self.mid.exp(), low: self.low.exp(), high: self.high.exp() }
    }
}

/// Mean ± t(S−1) · sd / √S of one value a fork: Student's interval, which takes forks as independent and about normal, and
/// nothing else. `None` with fewer than two values.
///
/// A bootstrap over so few values covers far less than it says (docs/decisions.md).
pub fn interval(forks: &[f64], confidence: f64) -> Option<Estimate> {
    let n = forks.len();
    let (mean, variance) = mean_and_variance(forks)?;
    let t = StudentsT::new(0.0, 1.0, (n - 1) as f64).ok()?.inverse_cdf(0.5 + confidence / 2.0);
    let half = t * (variance / n as f64).sqrt();
    Some(Estimate { mid: mean, low: mean - half, high: mean + half })
}

/// Half of the width of such an interval in standard errors, with these degrees of freedom.
pub fn student(freedom: f64, confidence: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |student| student.inverse_cdf(0.5 + confidence / 2.0))
}

/// The mean, and the variance with n − 1 below; `None` with fewer than two values.
pub(crate) fn mean_and_variance(values: &[f64]) -> Option<(f64, f64)> {
    let n = values.len();
    if n < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / n as f64;
    Some((mean, values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1) as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn students_t_as_in_the_tables() {
        // t(5) for 95 % is 2.5706; the sd of these six is √3.5.
        let estimate = interval(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 0.95).unwrap();
        assert!((estimate.mid - 3.5).abs() < 1e-12);
        assert!((estimate.half_width() - 2.570_582 * (3.5_f64 / 6.0).sqrt()).abs() < 1e-5);
    }

    #[test]
    fn one_fork_has_no_interval() {
        assert_eq!(interval(&[1.0], 0.95), None);
        assert_eq!(interval(&[], 0.95), None);
    }
}
