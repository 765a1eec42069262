//! Comparisons in figures.

use ciphermeter_estimate::{Comparison, Ratio};

use super::number::plus_minus;
use super::phrases::percent;

/// No interval is rounded down to nothing.
const LEAST: f64 = 0.001;

/// How a comparison is written.
pub trait Figures {
    /// `2.1×` and `±4.0 %`; of a wide interval, `1.4× to 3.1×` and nothing.
    fn figures(self) -> (String, String);

    /// The same in two columns: of a wide interval, `1.4×` and `to 3.1×`.
    fn columns(self) -> (String, String);
}

impl Figures for Comparison {
    fn figures(self) -> (String, String) {
        match self.columns() {
            (low, high) if high.starts_with("to ") => (format!("{low} {high}"), String::new()),
            columns => columns,
        }
    }

    fn columns(self) -> (String, String) {
        match (self, self.ratio()) {
            (_, Some(ratio)) => ratio_columns(ratio),
            (Self::Equal(far), _) => ("equal".into(), within(far)),
            _ => ("–".into(), "no answer yet".into()),
        }
    }
}

/// The least and the most of several estimates, none of them the end of an interval; of a single wide interval its ends.
pub fn reach(ratios: impl IntoIterator<Item = Ratio>) -> (f64, f64) {
    let mut ratios = ratios.into_iter().peekable();
    let first = ratios.next();
    if let (Some(only), None) = (first, ratios.peek()) {
        return only.range().filter(|_| only.is_wide()).unwrap_or((only.mid, only.mid));
    }
    let mids = first.into_iter().chain(ratios).map(|ratio| ratio.mid);
    mids.fold((f64::INFINITY, 0.0), |(least, most), mid| (least.min(mid), most.max(mid)))
}

/// From the least to the most: `1.21× to 2.10×`.
pub fn span((least, most): (f64, f64)) -> String {
    match (times(least), times(most)) {
        (least, most) if least == most => least,
        (least, most) => format!("{least} to {most}"),
    }
}

/// A ratio in two columns: `2.1×` and `±4.0 %`; of a wide interval, whose middle says little, `1.4×` and `to 3.1×`.
pub fn ratio_columns(ratio: Ratio) -> (String, String) {
    match ratio.range() {
        Some((low, high)) if ratio.is_wide() => (times(low), format!("to {}", times(high))),
        range => (times(ratio.mid), range.map(|range| plus_minus(ratio.mid, range)).unwrap_or_default()),
    }
}

/// How much longer something takes, and the interval of that: `+8.1 %` and `+7.9 to +8.3 %`.
pub fn longer(ratio: Ratio) -> (String, String) {
    let range = ratio.range().map(|(low, high)| format!("{} to {} %", points(low), points(high)));
    (change(ratio.mid), range.unwrap_or_default())
}

/// How much longer it takes: `+8.1 %`.
pub fn change(ratio: f64) -> String {
    format!("{} %", points(ratio))
}

fn points(ratio: f64) -> String {
    // Adding 0 makes a negative zero a positive one.
    match ((ratio - 1.0) * 1000.0).round() / 10.0 + 0.0 {
        percent if percent.abs() < 99.95 => format!("{percent:+.1}"),
        percent if percent < 9999.5 => format!("{percent:+.0}"),
        _ => ">+9999".into(),
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
        assert_eq!(first(4.5, 3.029, 6.6).figures(), text("3.03× to 6.60×", ""));
        assert_eq!(first(4.5, 3.029, 6.6).columns(), text("3.03×", "to 6.60×"));
        let ratios = [Ratio::new(4.5, Some((3.029, 6.6))), Ratio::new(3.5, None)];
        assert_eq!(span(reach(ratios)), "3.50× to 4.50×", "no end of an interval beside an estimate");
        assert_eq!(span(reach([ratios[0]])), "3.03× to 6.60×");
        assert_eq!(Comparison::Equal(0.031).figures(), text("equal", "within 3.1 %"));
        assert_eq!(Comparison::of(None).figures(), text("–", "no answer yet"));
    }
}
