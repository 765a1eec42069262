//! Comparisons in figures.

use ciphermeter_estimate::Comparison;

use super::number::rounded_down;
use super::phrases::percent;

/// No interval is rounded down to nothing.
const LEAST: f64 = 0.001;

/// How a comparison is written.
pub trait Figures {
    /// How many times as fast the faster is: of a wide interval, the nearer end.
    fn said(self) -> Option<f64>;

    /// `2.1×` and `±4.0 %`; of a wide interval, `over 1.4×` alone.
    fn figures(self) -> (String, String);

    /// The same for a table: of a wide interval, `>1.4×`.
    fn short_figures(self) -> (String, String);
}

impl Figures for Comparison {
    fn said(self) -> Option<f64> {
        let ratio = self.ratio()?;
        Some(if ratio.is_wide() { ratio.range()?.0 } else { ratio.mid })
    }

    fn figures(self) -> (String, String) {
        written(self, "over ")
    }

    fn short_figures(self) -> (String, String) {
        written(self, ">")
    }
}

fn written(comparison: Comparison, over: &str) -> (String, String) {
    match (comparison, comparison.ratio().and_then(|ratio| Some((ratio, ratio.range()?)))) {
        (_, Some((ratio, (low, _)))) if ratio.is_wide() => {
            (format!("{over}{}", times(rounded_down(low))), String::new())
        }
        (_, Some((ratio, (low, high)))) => {
            (times(ratio.mid), format!("±{}", percent(((high - low) / 2.0 / ratio.mid).max(LEAST))))
        }
        (Comparison::Equal(far), _) => ("equal".into(), within(far)),
        _ => ("–".into(), "no answer yet".into()),
    }
}

/// How far apart equals are at most: `within 3.1 %`.
pub fn within(far: f64) -> String {
    format!("within {}", percent(far.max(LEAST)))
}

/// So many times as fast, to three digits.
pub fn times(ratio: f64) -> String {
    let decimals = match ratio {
        99.95.. => 0,
        9.995.. => 1,
        _ => 2,
    };
    format!("{ratio:.decimals$}×")
}

#[cfg(test)]
mod tests {
    use ciphermeter_estimate::Ratio;

    use super::*;

    #[test]
    fn comparisons_are_written_in_two_columns() {
        let first = |mid, low, high| Comparison::First(Ratio::new(mid, Some((low, high))));
        let text = |one: &str, other: &str| (one.to_string(), other.to_string());
        assert_eq!(first(2.01, 1.994, 2.026).figures(), text("2.01×", "±0.8 %"));
        assert_eq!(first(4.5, 3.029, 6.6).figures(), text("over 3.02×", ""));
        assert_eq!(first(4.5, 3.029, 6.6).short_figures(), text(">3.02×", ""));
        assert_eq!(Comparison::Equal(0.031).figures(), text("equal", "within 3.1 %"));
        assert_eq!(Comparison::of(None).figures(), text("–", "no answer yet"));
    }
}
