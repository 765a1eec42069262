//! Axes: from values to places, and the ticks that people expect: powers of two for sizes, 1, 2 and 5 for everything else.

use plotters::coord::types::RangedCoordf64;
use plotters::prelude::{IntoLogRange, LogCoord, Ranged};

use ciphermeter_answer::words::{digits, size};

/// A range that is this many times as high as low is drawn in logarithms.
const MANY_TIMES: f64 = 12.0;
/// Room beside the outermost sizes, as a factor.
const BESIDE: f64 = 1.3;

/// A place with a label.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// Its value.
    pub at: f64,
    /// The value in words.
    pub label: String,
}

impl Tick {
    fn new(at: f64, label: impl Into<String>) -> Self {
        Self { at, label: label.into() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spacing {
    Linear,
    Logarithmic,
}

/// What a scale's values are, for tables beside a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Reads {
    Number,
    Count,
    /// Bytes, of which so many are the least above 0.
    Size(f64),
    /// Places of the ticks' names.
    Name,
}

/// A scale with its ticks, smallest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    spacing: Spacing,
    reads: Reads,
    low: f64,
    high: f64,
    /// Its ticks, smallest first.
    pub ticks: Vec<Tick>,
}

impl Scale {
    fn new(spacing: Spacing, reads: Reads, (low, high): (f64, f64), ticks: Vec<Tick>) -> Self {
        Self { spacing, reads, low, high, ticks }
    }

    /// The place of a value, of which one outside of the scale is drawn at its end.
    pub fn place(&self, value: f64, ends: (i32, i32)) -> i32 {
        let value = match self.reads {
            Reads::Size(least) if value < least => none(least),
            _ => value,
        };
        let value = if value.is_nan() { self.low } else { value.clamp(self.low, self.high) };
        match self.spacing {
            Spacing::Linear => RangedCoordf64::from(self.low..self.high).map(&value, ends),
            Spacing::Logarithmic => LogCoord::from((self.low..self.high).log_scale()).map(&value, ends),
        }
    }

    /// Whether a value has its own place, rather than that of the end.
    pub fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// A value in words, where it is read out: `16 KiB`, `p99`, `2`.
    pub fn named(&self, value: f64) -> String {
        match self.reads {
            Reads::Number => digits(value),
            Reads::Count => value.to_string(),
            Reads::Size(_) => self.bytes(value).map(size).unwrap_or_default(),
            Reads::Name => {
                self.ticks.iter().find(|tick| tick.at == value).map(|tick| tick.label.clone()).unwrap_or_default()
            }
        }
    }

    /// A value for programs: bytes as a number, a name as it is.
    pub fn exact(&self, value: f64) -> String {
        self.bytes(value).map(|bytes| bytes.to_string()).unwrap_or_else(|| match self.reads {
            Reads::Name => self.named(value),
            _ => value.to_string(),
        })
    }

    fn bytes(&self, value: f64) -> Option<u64> {
        match self.reads {
            Reads::Size(_) => Some(value as u64),
            _ => None,
        }
    }

    /// Amounts in the other spacing, of which the least above 0 is `least`; `None` where that would show nothing more.
    pub fn respaced(&self, least: f64) -> Option<Self> {
        match (self.reads, self.spacing) {
            (Reads::Number, Spacing::Logarithmic) => Some(Self::from_zero(self.high)),
            (Reads::Number, Spacing::Linear) if self.low == 0.0 && least > 0.0 && least < self.high => {
                Some(Self::logarithmic(least, self.high))
            }
            _ => None,
        }
    }

    /// Whether its values are bytes.
    pub fn has_sizes(&self) -> bool {
        matches!(self.reads, Reads::Size(_))
    }

    /// Whether its values are counts.
    pub(crate) fn has_counts(&self) -> bool {
        self.reads == Reads::Count
    }

    /// Whether it is in logarithms.
    pub fn is_logarithmic(&self) -> bool {
        self.spacing == Spacing::Logarithmic
    }

    /// Rates and times: in logarithms where they lie far apart, else from 0.
    pub fn of_amounts(values: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) = ends(values.into_iter().filter(|value| *value > 0.0));
        match high / low > MANY_TIMES {
            true => Self::logarithmic(low, high),
            false => Self::from_zero(high),
        }
    }

    /// From 0 to the highest and no further, for bars.
    pub fn of_bars(high: f64) -> Self {
        let mut scale = Self::from_zero(high);
        scale.high = (high * 1.02).clamp(f64::MIN_POSITIVE, scale.high);
        scale.ticks.retain(|tick| tick.at <= scale.high);
        scale
    }

    /// From 0.
    pub fn from_zero(high: f64) -> Self {
        Self::linear(0.0, if high > 0.0 { high } else { 1.0 })
    }

    /// From the nice number at or below the lowest to the one at or above the highest.
    pub fn linear(low: f64, high: f64) -> Self {
        let high = if high > low { high } else { low + 1.0 };
        let step = nice_step((high - low) / 5.0);
        let (first, last) = ((low / step + 1e-9).floor() as i64, (high / step - 1e-9).ceil() as i64);
        let decimals = (-step.log10().floor()).max(0.0) as usize;
        let ticks =
            (first..=last).map(|k| k as f64 * step).map(|at| Tick::new(at, format!("{:.*}", decimals, at + 0.0)));
        let ends = (first as f64 * step, last as f64 * step);
        Self::new(Spacing::Linear, Reads::Number, ends, ticks.collect())
    }

    /// From the 1, 2 or 5 below the lowest to the one above the highest.
    fn logarithmic(low: f64, high: f64) -> Self {
        let decades = (low.log10().floor() as i32)..=(high.log10().ceil() as i32);
        let all = decades.flat_map(|decade| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(decade)));
        let all: Vec<f64> = all.collect();
        let first = all.iter().rposition(|tick| *tick <= low * 1.001).unwrap_or(0);
        let last = all.iter().position(|tick| *tick >= high * 0.999).unwrap_or(all.len() - 1);
        let few = (high / low).log10() > 3.0;
        let is_shown = |at: &f64| !few || (at.log10() - at.log10().round()).abs() < 1e-6;
        let ticks = all[first..=last].iter().copied().filter(is_shown).map(|at| Tick::new(at, plain(at)));
        Self::new(Spacing::Logarithmic, Reads::Number, (all[first], all[last]), ticks.collect())
    }

    /// Sizes in bytes, each one once, with ticks at powers of two; no bytes at all stand a step to the left of the smallest.
    pub fn of_sizes(sizes: &[u64]) -> Self {
        let some = || sizes.iter().copied().filter(|bytes| *bytes > 0);
        let (Some(least), Some(most)) = (some().min(), some().max()) else { return Self::of_sizes(&[1]) };
        let powers: Vec<u64> = (0..63).map(|power| 1 << power).filter(|bytes| (least..=most).contains(bytes)).collect();
        let mut measured: Vec<u64> = powers.iter().copied().filter(|bytes| sizes.contains(bytes)).collect();
        // Where most sizes are powers of two, they alone have ticks.
        if 4 * measured.len() < 3 * some().count() {
            measured = powers;
        }
        let mut ticks: Vec<Tick> = measured.into_iter().map(tick).collect();
        if ticks.len() < 2 {
            ticks = [least, most].map(tick).into();
            ticks.dedup();
        }
        if sizes.contains(&0) {
            ticks.insert(0, tick(0));
        }
        let (least, most) = (least as f64, most as f64);
        let low = if sizes.contains(&0) { none(least) } else { least };
        Self::new(Spacing::Logarithmic, Reads::Size(least), (low / BESIDE, most * BESIDE), ticks)
    }

    /// Counts, each with a tick.
    pub fn of_counts(counts: &[u64]) -> Self {
        let mut counts = counts.to_vec();
        counts.sort_unstable();
        counts.dedup();
        let ticks: Vec<Tick> = counts.iter().map(|count| Tick::new(*count as f64, count.to_string())).collect();
        let (low, high) = ends(ticks.iter().map(|tick| tick.at));
        let (spacing, ends) = match high > 8.0 && low > 0.0 {
            true => (Spacing::Logarithmic, (low / BESIDE, high * BESIDE)),
            false => (Spacing::Linear, (low - 0.3, high + 0.3)),
        };
        Self::new(spacing, Reads::Count, ends, ticks)
    }

    /// Names in a row, at 0, 1, 2 …
    pub fn of_names(names: &[&str]) -> Self {
        let ticks: Vec<Tick> = (0..).zip(names).map(|(at, name)| Tick::new(f64::from(at), *name)).collect();
        Self::new(Spacing::Linear, Reads::Name, (-0.4, names.len() as f64 - 0.6), ticks)
    }

    /// The time from 0 to the end, exactly.
    pub fn of_seconds(end: f64) -> Self {
        let mut scale = Self::from_zero(end);
        scale.high = end.max(1e-3);
        scale.ticks.retain(|tick| tick.at <= end);
        scale
    }
}

/// The unit that so many bytes take, and its name.
pub fn unit_of_memory(high: u64) -> (f64, &'static str) {
    let units = [(1.0, "bytes"), (1024.0, "KiB"), (1_048_576.0, "MiB"), (1_073_741_824.0, "GiB")];
    units.into_iter().rev().find(|(unit, _)| high as f64 >= *unit).unwrap_or(units[0])
}

fn tick(bytes: u64) -> Tick {
    Tick::new(bytes as f64, size(bytes))
}

/// The place of no bytes, left of the least.
fn none(least: f64) -> f64 {
    least / 4.0
}

fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .filter(|value| value.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    if low <= high { (low, high) } else { (1.0, 1.0) }
}

/// The least of 1, 2, 5, 10 … that is no smaller.
fn nice_step(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|nice| *nice >= step * 0.999).unwrap_or(step)
}

/// `0.02`, `0.5`, `20`.
fn plain(value: f64) -> String {
    let decimals = (-value.log10().floor()).max(0.0) as usize;
    format!("{value:.decimals$}")
}

/// Which labels stand, with a gap between each two, the last one always: every one, or every second counted from the last … Or, where
/// places are uneven and no fewer fit so, the first, the last, and each between them that has room.
pub fn thinned(centers: &[i32], widths: &[i32], gap: i32) -> Vec<usize> {
    let are_apart = |a: usize, b: usize| (centers[b] - centers[a]).abs() >= (widths[a] + widths[b]) / 2 + gap;
    let fits = |kept: &Vec<usize>| kept.windows(2).all(|pair| are_apart(pair[0], pair[1]));
    let every = |step: usize| -> Vec<usize> {
        let from_last = |place: &usize| (centers.len() - 1 - place).is_multiple_of(step);
        (0..centers.len()).filter(from_last).collect()
    };
    let even = (1..=centers.len()).map(every).find(fits).unwrap_or_default();
    let mut greedy: Vec<usize> = centers.len().checked_sub(1).into_iter().collect();
    for place in (0..centers.len().saturating_sub(1)).rev() {
        let has_room = greedy.last().is_none_or(|last| are_apart(place, *last));
        if has_room && (place == 0 || are_apart(place, 0)) {
            greedy.push(place);
        }
    }
    greedy.reverse();
    if greedy.len() >= even.len() && !is_regular(centers) { greedy } else { even }
}

/// Whether places are equally far apart.
fn is_regular(centers: &[i32]) -> bool {
    let gaps = || centers.windows(2).map(|pair| (pair[1] - pair[0]).abs());
    gaps().max().unwrap_or(0) - gaps().min().unwrap_or(0) <= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: &Scale) -> Vec<&str> {
        scale.ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    #[test]
    fn sizes_have_powers_of_two() {
        assert_eq!(labels(&Scale::of_sizes(&[64, 1500])), ["64 B", "128 B", "256 B", "512 B", "1 KiB"]);
        assert_eq!(labels(&Scale::of_sizes(&[1280, 1420])), ["1280 B", "1420 B"]);
        assert_eq!(labels(&Scale::of_sizes(&[1000])), ["1000 B"]);
        assert_eq!(labels(&Scale::of_sizes(&[0, 12, 64, 1024, 16_384])), ["0 B", "64 B", "1 KiB", "16 KiB"]);
        assert_eq!(labels(&Scale::of_sizes(&[])), ["1 B"]);
    }

    #[test]
    fn no_bytes_stand_left_of_the_smallest_size() {
        let sizes = [0, 16, 64];
        let scale = Scale::of_sizes(&sizes);
        let places = sizes.map(|bytes| scale.place(bytes as f64, (0, 1000)));
        assert!(places[0] > 0 && places[0] < places[1] && places[1] < places[2] && places[2] < 1000, "{places:?}");
        let apart = (places[1] - places[0]).abs_diff(places[2] - places[1]);
        assert!(apart <= 1, "a factor of 4 each: {places:?}");
    }

    #[test]
    fn amounts_far_apart_are_in_logarithms() {
        let far = Scale::of_amounts([0.03, 0.9, 11.0]);
        assert_eq!(labels(&far), ["0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10", "20"]);
        assert_eq!(labels(&Scale::of_amounts([0.003, 90.0])), ["0.01", "0.1", "1", "10", "100"]);
        assert_eq!(labels(&Scale::of_amounts([3.0, 11.0])), ["0", "5", "10", "15"]);
        assert_eq!(labels(&Scale::of_amounts([])), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
    }

    #[test]
    fn values_stand_where_the_ticks_say() {
        let scale = Scale::of_amounts([0.1, 10.0]);
        assert_eq!([0.1, 1.0, 10.0].map(|value| scale.place(value, (1000, 0))), [1000, 500, 0]);
        assert_eq!([0.0, 99.0, f64::NAN].map(|value| scale.place(value, (1000, 0))), [1000, 0, 1000]);
        let scale = Scale::linear(38.0, 61.0);
        assert_eq!(labels(&scale), ["35", "40", "45", "50", "55", "60", "65"]);
        assert_eq!(scale.place(50.0, (0, 300)), 150);
    }

    #[test]
    fn values_are_read_as_what_they_are() {
        let sizes = [0, 16, 1500];
        let scale = Scale::of_sizes(&sizes);
        let places = sizes.map(|bytes| bytes as f64);
        assert_eq!(places.map(|place| scale.named(place)), ["0 B", "16 B", "1500 B"]);
        assert_eq!(places.map(|place| scale.exact(place)), ["0", "16", "1500"]);
        let names = Scale::of_names(&["p50", "p99"]);
        assert_eq!((names.named(1.0), names.exact(0.0)), ("p99".into(), "p50".into()));
        assert_eq!((Scale::from_zero(9.0).named(2.5), Scale::from_zero(9.0).exact(2.5)), ("2.50".into(), "2.5".into()));
    }

    #[test]
    fn amounts_have_another_spacing_and_nothing_else_has() {
        let linear = Scale::of_amounts([3.0, 11.0]);
        let logarithmic = linear.respaced(3.0).unwrap();
        assert!(!linear.is_logarithmic() && logarithmic.is_logarithmic());
        assert_eq!(labels(&logarithmic), ["2", "5", "10", "20"]);
        assert!(!logarithmic.respaced(3.0).unwrap().is_logarithmic());
        for other in [Scale::of_sizes(&[16, 64]), Scale::of_names(&["a", "b"]), Scale::linear(35.0, 60.0)] {
            assert_eq!(other.respaced(1.0), None);
        }
    }

    #[test]
    fn labels_never_touch() {
        assert_eq!(thinned(&[0, 100, 200, 300], &[40; 4], 20), [0, 1, 2, 3]);
        assert_eq!(thinned(&[0, 50, 100, 150], &[40; 4], 20), [1, 3]);
        assert_eq!(thinned(&[0, 1, 2], &[40; 3], 20), [2]);
        assert_eq!(thinned(&[0, 200, 250, 300, 500], &[60; 5], 20), [0, 1, 3, 4], "uneven places");
        assert_eq!(thinned(&[0, 60, 120, 180, 300, 450], &[60; 6], 20), [0, 3, 4, 5], "the first stays");
        assert_eq!(thinned(&[], &[], 20), [0; 0]);
    }

    #[test]
    fn memory_is_in_the_unit_of_the_most() {
        assert_eq!([7 << 19, 0].map(unit_of_memory), [(1_048_576.0, "MiB"), (1.0, "bytes")]);
        let scale = Scale::of_bars(3.5);
        assert_eq!(labels(&scale), ["0", "1", "2", "3"]);
        assert_eq!(scale.place(3.5, (0, 1020)), 1000, "bars reach nearly to the end");
    }
}
