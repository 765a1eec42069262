//! What a comparison of two comes to: the first is faster, the second is, they are level, or there is no answer yet.

use ciphermeter_estimate::{Logs, Ratio};
use ciphermeter_stats::simultaneous;

use crate::figure::{is_wide, rounded_down};
use crate::phrases::percent;

/// Two are level where the interval of their ratio holds 1 and reaches no further from it.
const LEVEL: f64 = 0.05;
/// What differs by less is level, however sure the difference.
const NOTHING: f64 = 0.01;

/// No interval is rounded down to nothing.
const LEAST: f64 = 0.001;

/// The first of two beside the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Verdict {
    /// The first is so many times as fast as the second.
    First(Ratio),
    /// The second is so many times as fast as the first.
    Second(Ratio),
    /// They differ by at most this share.
    Level(f64),
    /// Too few forks, or an interval that holds 1 and much else.
    Unknown,
}

impl Verdict {
    /// From each fork's ln(time of the second ÷ time of the first), as one of so many comparisons that are to hold at once.
    pub(super) fn new(logs: &Logs, comparisons: usize) -> Self {
        Self::of(Ratio::from_logs(logs, simultaneous(comparisons)).filter(|_| logs.are_enough()))
    }

    /// From the time of the second ÷ time of the first, where that rests on enough forks.
    pub(crate) fn of(ratio: Option<Ratio>) -> Self {
        let Some(Ratio { mid, range: Some((low, high)) }) = ratio else { return Self::Unknown };
        let far = (high - 1.0).max(1.0 / low - 1.0);
        // Of a wide interval only the nearer end is said: one at 1 says nothing.
        let says_nothing =
            is_wide(Ratio { mid, range: Some((low, high)) }) && low < 1.0 + NOTHING && high > 1.0 - NOTHING;
        match () {
            () if says_nothing => Self::Unknown,
            () if !(low > 0.0 && high.is_finite()) => Self::Unknown,
            () if far <= NOTHING => Self::Level(far),
            () if far <= LEVEL && low <= 1.0 && high >= 1.0 => Self::Level(far),
            () if low > 1.0 => Self::First(Ratio { mid, range: Some((low, high)) }),
            () if high < 1.0 => Self::Second(Ratio { mid: 1.0 / mid, range: Some((1.0 / high, 1.0 / low)) }),
            () => Self::Unknown,
        }
    }

    /// How many times as fast the faster is.
    pub(crate) fn ratio(self) -> Option<Ratio> {
        match self {
            Self::First(ratio) | Self::Second(ratio) => Some(ratio),
            Self::Level(_) | Self::Unknown => None,
        }
    }

    /// How many times as fast the faster is, as [`Verdict::figures`] says it: of a wide interval, the nearer end.
    pub(super) fn said(self) -> Option<f64> {
        let ratio = self.ratio()?;
        Some(if is_wide(ratio) { ratio.range?.0 } else { ratio.mid })
    }

    /// `2.1×` and `±4.0 %`; of a wide interval, `over 1.4×` alone.
    pub(crate) fn figures(self) -> (String, String) {
        self.written("over ")
    }

    /// The same for a table: of a wide interval, `>1.4×`.
    pub(super) fn short_figures(self) -> (String, String) {
        self.written(">")
    }

    fn written(self, over: &str) -> (String, String) {
        match (self, self.ratio()) {
            (_, Some(ratio @ Ratio { range: Some((low, _)), .. })) if is_wide(ratio) => {
                (format!("{over}{}", times(rounded_down(low))), String::new())
            }
            (_, Some(Ratio { mid, range: Some((low, high)) })) => {
                (times(mid), format!("±{}", percent(((high - low) / 2.0 / mid).max(LEAST))))
            }
            (Self::Level(far), _) => ("level".into(), format!("within {}", percent(far.max(LEAST)))),
            _ => ("–".into(), "no answer yet".into()),
        }
    }
}

/// So many times as fast.
pub(super) fn times(ratio: f64) -> String {
    match ratio {
        9.995.. => format!("{ratio:.0}×"),
        _ => format!("{ratio:.2}×"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(log: f64, spread: f64, forks: u32) -> Logs {
        let place = |fork| f64::from(fork) / f64::from(forks - 1) - 0.5;
        Logs::located(&(0..forks).map(|fork| (fork, log + spread * place(fork))).collect())
    }

    #[test]
    fn fewer_than_six_forks_say_nothing() {
        assert_eq!(Verdict::new(&around(0.7, 0.001, 5), 1), Verdict::Unknown);
        assert!(matches!(Verdict::new(&around(0.7, 0.001, 6), 1), Verdict::First(_)));
        assert_eq!(Verdict::new(&Logs::default(), 1), Verdict::Unknown);
        assert_eq!(Verdict::new(&around(f64::NAN, 0.0, 8), 1), Verdict::Unknown);
    }

    #[test]
    fn level_is_narrow_and_ignorance_is_not() {
        assert!(matches!(Verdict::new(&around(0.005, 0.02, 8), 1), Verdict::Level(far) if far < 0.03));
        assert!(matches!(Verdict::new(&around(0.005, 0.002, 8), 1), Verdict::Level(far) if far < 0.01));
        assert!(matches!(Verdict::new(&around(0.04, 0.002, 8), 1), Verdict::First(_)), "a sure 4 % is no level");
        assert_eq!(Verdict::new(&around(0.01, 0.5, 8), 1), Verdict::Unknown);
        assert_eq!(Verdict::new(&around(0.01, 0.5, 8), 1).figures(), ("–".into(), "no answer yet".into()));
    }

    #[test]
    fn the_faster_is_named_with_a_ratio_above_one() {
        let [first, second] = [0.7, -0.7].map(|log| Verdict::new(&around(log, 0.01, 6), 4));
        assert!(matches!(first, Verdict::First(ratio) if (ratio.mid - 2.01).abs() < 0.01));
        assert!(matches!(second, Verdict::Second(ratio) if (ratio.mid - 2.01).abs() < 0.01));
        assert_eq!(first.figures(), ("2.01×".into(), "±0.8 %".into()));
        assert_eq!(Verdict::new(&around(1.5, 1.0, 6), 1).figures(), ("over 3.02×".into(), String::new()));
    }

    #[test]
    fn several_comparisons_take_more() {
        let logs = around(0.08, 0.12, 6);
        assert!(matches!(Verdict::new(&logs, 1), Verdict::First(_)));
        assert_eq!(Verdict::new(&logs, 100), Verdict::Unknown);
    }
}
