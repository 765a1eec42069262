//! Figures as tables print them: few digits, the points below each other, an interval never rounded down to nothing.

use ciphermeter_estimate::Ratio;

use super::phrases::percent;

/// Decimals that leave a figure two or three digits.
pub fn decimals(figure: f64) -> usize {
    match figure {
        100.0.. => 0,
        10.0.. => 1,
        0.1.. => 2,
        0.01.. => 3,
        _ => 4,
    }
}

/// A figure with as many decimals as that.
pub fn digits(figure: f64) -> String {
    let decimals = decimals(figure.abs());
    // What rounds to nothing has no sign.
    let figure = if figure.abs() < 0.5 * 0.1_f64.powi(decimals as i32) { 0.0 } else { figure };
    format!("{figure:.decimals$}")
}

/// A figure to four digits, for tables in which neighbours are close.
pub fn precise(figure: f64) -> String {
    let decimals = match figure.abs() {
        1000.0.. => 0,
        100.0.. => 1,
        10.0.. => 2,
        1.0.. => 3,
        _ => 4,
    };
    format!("{figure:.decimals$}")
}

/// How far a range reaches below and above its middle: `-34/+4 %`.
pub fn around(low: f64, mid: f64, high: f64) -> String {
    let off = |end: f64| (((end / mid - 1.0) * 100.0).round() + 0.0).clamp(-999.0, 999.0);
    format!("{:+.0}/{:+.0} %", off(low), off(high))
}

/// How far an interval reaches from its middle, to the farther end, relative.
pub fn plus_minus(mid: f64, (low, high): (f64, f64)) -> String {
    match (high - mid).max(mid - low) / mid * 100.0 {
        half if half < 0.1 => "±0.1 %".into(),
        half if half < 999.5 => format!("±{}", percent(half / 100.0)),
        _ => "±>999 %".into(),
    }
}

/// A figure and behind it, where there is an interval, how wide that is; both below those of other rows.
pub fn with_interval(text: &str, ratio: Ratio) -> String {
    match ratio.range() {
        Some(range) => format!("{text} {:>6}", plus_minus(ratio.mid, range)),
        None => text.to_string(),
    }
}

/// Bytes in few digits, `64 B`, `9.1 MiB`.
pub fn bytes(count: u64) -> String {
    let (figure, unit) = scaled(count as f64, 1024.0, &["B", "KiB", "MiB", "GiB", "TiB"]);
    let decimals = usize::from(unit != "B" && figure < 9.95);
    format!("{figure:.decimals$} {unit}")
}

/// A time of nanoseconds in few digits: `24.1 ns`, `2.01 ms`.
pub fn duration(ns: f64) -> String {
    let (figure, unit) = scaled(ns, 1000.0, &["ns", "µs", "ms", "s"]);
    format!("{figure:.*} {unit}", decimals(figure))
}

/// In the first unit that needs no more than three digits before the point.
fn scaled(mut figure: f64, step: f64, units: &[&'static str]) -> (f64, &'static str) {
    let mut unit = 0;
    while figure.abs() >= 999.5 && unit + 1 < units.len() {
        figure /= step;
        unit += 1;
    }
    (figure, units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_never_nothing() {
        let ratio = |low, high| Ratio::new(1.0, Some((low, high)));
        assert_eq!(with_interval("1.00×", ratio(1.0, 1.0)), "1.00× ±0.1 %");
        assert_eq!(with_interval("1.00×", ratio(0.8, 1.2)), "1.00×  ±20 %");
        assert_eq!(with_interval("1.00×", Ratio::new(1.0, None)), "1.00×");
    }

    #[test]
    fn units_leave_three_digits() {
        let bytes = [0, 64, 999, 1000, 1024, 10_240, 1_048_000, 9_500_000, 1 << 40].map(bytes);
        assert_eq!(bytes, ["0 B", "64 B", "999 B", "1.0 KiB", "1.0 KiB", "10 KiB", "1.0 MiB", "9.1 MiB", "1.0 TiB"]);
        let times = [0.4, 24.12, 240.4, 999.6, 2.006e6, 4.2e12].map(duration);
        assert_eq!(times, ["0.40 ns", "24.1 ns", "240 ns", "1.00 µs", "2.01 ms", "4200 s"]);
    }
}
