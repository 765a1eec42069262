//! What a call costs and what a byte does: t = call + byte · n over the sizes n of one provider's messages.
//!
//! Each fork has a line of its own, by least squares of relative deviations, so that 16 bytes count as much as a mebibyte; the
//! interval is Student's over the forks. Libraries are no straight lines: code paths change with the size. So a line says how
//! far off it is at its worst, and where two lines cross is said only within the sizes that were measured.

use std::collections::BTreeMap;

use ciphermeter_core::Record;
use ciphermeter_stats::{Estimate, LEAST_FORKS, interval, median};

use crate::CONFIDENCE;
use crate::figures::time_of_forks;

/// Two sizes always lie on a line.
const LEAST_SIZES: usize = 3;

/// The cost of a call and of a byte in one fork, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Line {
    call: f64,
    byte: f64,
}

/// A provider's lines, one a fork.
#[derive(Debug, Clone, PartialEq)]
pub struct Affine {
    forks: BTreeMap<u32, Line>,
    /// The smallest and the largest message, in bytes.
    pub sizes: (u64, u64),
    /// How far the mean line is from the time of the size that it fits worst, as a fraction of that.
    pub off: f64,
}

impl Affine {
    /// From one provider's cells of several sizes; `None` with fewer than three sizes, or six forks that have all of them.
    pub fn of(records: &[&Record]) -> Option<Self> {
        let times: Vec<(f64, BTreeMap<u32, f64>)> = records
            .iter()
            .map(|record| {
                let forks = time_of_forks(record).into_iter().map(|(number, time)| (number, time.ns));
                (record.cell.parameters.message() as f64, forks.collect())
            })
            .collect();
        let (_, first) = times.first()?;
        let points = |fork: &u32| -> Option<Vec<(f64, f64)>> {
            times.iter().map(|(size, forks)| Some((*size, *forks.get(fork)?))).collect()
        };
        let forks: BTreeMap<u32, Line> =
            first.keys().filter_map(|fork| Some((*fork, Line::through(&points(fork)?)?))).collect();
        let sizes = records.iter().map(|record| record.cell.parameters.message());
        let sizes = (sizes.clone().min()?, sizes.max()?);
        if records.len() < LEAST_SIZES || forks.len() < LEAST_FORKS {
            return None;
        }
        let mut all = Self { forks, sizes, off: 0.0 };
        let (call, byte) = (all.call()?.mid, all.byte()?.mid);
        for (size, forks) in &times {
            let time = median(&mut forks.values().copied().collect::<Vec<_>>())?;
            all.off = all.off.max(((call + byte * size) / time - 1.0).abs());
        }
        Some(all)
    }

    /// Nanoseconds of a call, whatever its size.
    pub fn call(&self) -> Option<Estimate> {
        interval(&self.forks.values().map(|line| line.call).collect::<Vec<_>>(), CONFIDENCE)
    }

    /// Nanoseconds of each byte.
    pub fn byte(&self) -> Option<Estimate> {
        interval(&self.forks.values().map(|line| line.byte).collect::<Vec<_>>(), CONFIDENCE)
    }

    /// The size in bytes at which both take as long; `None` if in any fork there is none, or it lies beyond what was measured.
    pub fn crossing(&self, other: &Self) -> Option<Estimate> {
        let common = self.forks.iter().filter_map(|(number, line)| Some((line, other.forks.get(number)?)));
        let logs = common.map(|(own, other)| {
            let size = (other.call - own.call) / (own.byte - other.byte);
            (size.is_finite() && size > 0.0).then(|| size.ln())
        });
        let logs: Vec<f64> = logs.collect::<Option<_>>()?;
        let crossing = interval(&logs, CONFIDENCE).filter(|_| logs.len() >= LEAST_FORKS)?.exp();
        let measured = self.sizes.0.max(other.sizes.0) as f64..=self.sizes.1.min(other.sizes.1) as f64;
        measured.contains(&crossing.mid).then_some(crossing)
    }
}

impl Line {
    /// The least squares of 1 − (call + byte · n) ÷ t.
    fn through(points: &[(f64, f64)]) -> Option<Self> {
        let sum =
            |of: &dyn Fn(f64, f64) -> f64| points.iter().map(|(size, time)| of(1.0 / time, size / time)).sum::<f64>();
        let (u, v) = (sum(&|u, _| u), sum(&|_, v| v));
        let (uu, uv, vv) = (sum(&|u, _| u * u), sum(&|u, v| u * v), sum(&|_, v| v * v));
        let determinant = uu * vv - uv * uv;
        let line = Self { call: (u * vv - v * uv) / determinant, byte: (v * uu - u * uv) / determinant };
        (line.call.is_finite() && line.byte.is_finite()).then_some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [f64; 5] = [16.0, 256.0, 1024.0, 16_384.0, 1_048_576.0];

    fn affine(call: f64, byte: f64) -> Affine {
        let line = |fork: u32| Line { call: call * (1.0 + 0.001 * f64::from(fork % 3)), byte };
        Affine { forks: (0..8).map(|fork| (fork, line(fork))).collect(), sizes: (16, 1 << 20), off: 0.0 }
    }

    #[test]
    fn line_through_exact_points_is_found() {
        let points = SIZES.map(|size| (size, 70.0 + 0.15 * size));
        let line = Line::through(&points).unwrap();
        assert!((line.call - 70.0).abs() < 1e-6 && (line.byte - 0.15).abs() < 1e-9, "{line:?}");
        assert_eq!(Line::through(&[(16.0, 70.0), (16.0, 70.0)]), None, "one size has no slope");
    }

    #[test]
    fn small_messages_count_as_much_as_large_ones() {
        // The largest is 5 % off; by absolute squares the cost of a call would be off by thousands of nanoseconds.
        let mut points = SIZES.map(|size| (size, 70.0 + 0.15 * size));
        points[4].1 *= 1.05;
        let line = Line::through(&points).unwrap();
        assert!((line.call / 70.0 - 1.0).abs() < 0.05, "{line:?}");
    }

    #[test]
    fn lines_cross_within_what_was_measured() {
        // 60 + 0.30 n and 100 + 0.10 n meet at 200 bytes.
        let crossing = affine(60.0, 0.3).crossing(&affine(100.0, 0.1)).unwrap();
        assert!((crossing.mid - 200.0).abs() < 1.0 && crossing.low < 200.5 && crossing.high > 199.5, "{crossing:?}");
        assert_eq!(affine(60.0, 0.1).crossing(&affine(100.0, 0.3)), None, "the first is always faster");
        assert_eq!(affine(60.0, 0.3).crossing(&affine(61.0, 0.1)), None, "5 bytes were not measured");
    }
}
