//! What a call costs on a device: nanoseconds, or an exact count.

use ciphermeter_core::{Counts, Outcome, Record, SampleRange};
use ciphermeter_estimate::counted;
use serde::{Serialize, Serializer};

use crate::measured::measured;
use crate::words::{decimals, thousands};

/// What a device's figures are: `ns` or what it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// Nanoseconds inside, for people in a unit that leaves few digits.
    Time(Scale),
    /// Instructions or cycles.
    Count(Counts),
}

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scale {
    /// ns
    Nanoseconds,
    /// µs
    Microseconds,
    /// ms
    Milliseconds,
}

impl Serialize for Unit {
    /// The unit of the figures as they are kept, whichever scale people read them in.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match self {
            Self::Time(_) => "ns",
            Self::Count(counts) => counts.as_str(),
        })
    }
}

impl Unit {
    /// What a record's device counts; time where it does not say.
    pub fn of(record: &Record) -> Self {
        counts(record).map_or(Self::Time(Scale::Nanoseconds), Self::Count)
    }

    /// The same with the largest unit of time in which the least of these figures is at least 1.
    pub fn scaled(self, figures: impl Iterator<Item = f64>) -> Self {
        match (self, figures.fold(f64::INFINITY, f64::min)) {
            (Self::Count(_), _) => self,
            (Self::Time(_), least) if least.is_finite() && least >= 1e6 => Self::Time(Scale::Milliseconds),
            (Self::Time(_), least) if least.is_finite() && least >= 1e3 => Self::Time(Scale::Microseconds),
            (Self::Time(_), _) => Self::Time(Scale::Nanoseconds),
        }
    }

    /// Whether it is time.
    pub fn is_time(self) -> bool {
        matches!(self, Self::Time(_))
    }

    /// `ns`, `µs`, `ms`, `instructions`, `cycles`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Time(Scale::Nanoseconds) => "ns",
            Self::Time(Scale::Microseconds) => "µs",
            Self::Time(Scale::Milliseconds) => "ms",
            Self::Count(counts) => counts.as_str(),
        }
    }

    fn in_unit(self, figure: f64) -> f64 {
        match self {
            Self::Time(Scale::Microseconds) => figure / 1e3,
            Self::Time(Scale::Milliseconds) => figure / 1e6,
            Self::Time(Scale::Nanoseconds) | Self::Count(_) => figure,
        }
    }

    /// A figure in full: a count to the last digit, `124,216`; a time in three digits, `38.2`.
    pub fn text(self, figure: f64) -> String {
        let figure = self.in_unit(figure);
        match self {
            Self::Time(_) if figure < 999.5 => format!("{figure:.*}", decimals(figure)),
            Self::Time(_) | Self::Count(_) => thousands(figure.round() as u64),
        }
    }

    /// A figure for narrow columns: `4,216`, `35.6k`, `1.24M`.
    pub fn short(self, figure: f64) -> String {
        let own = self.in_unit(figure);
        let (figure, suffix) = match own {
            own if own < 9_999.5 => return self.text(figure),
            own if own < 999_500.0 => (own / 1e3, "k"),
            own if own < 999_500_000.0 => (own / 1e6, "M"),
            own => (own / 1e9, "G"),
        };
        format!("{figure:.*}{suffix}", decimals(figure))
    }

    /// A figure of a byte: three digits, a whole number of large ones.
    pub fn per_byte(self, figure: f64, bytes: u64) -> Option<String> {
        let each = self.in_unit(figure) / bytes as f64;
        (bytes > 0).then(|| match each {
            each if each < 999.5 => format!("{each:.*}", decimals(each)),
            each => thousands(each.round() as u64),
        })
    }
}

/// What a record's device counts instead of time.
pub fn counts(record: &Record) -> Option<Counts> {
    record.provenance.as_ref()?.device.as_ref()?.counts
}

/// A call's figure and how far samples lay apart: of a count the least and the most, of times the 90 % range; `None` where it has none.
pub fn cost(record: &Record) -> Option<SampleRange> {
    match Unit::of(record) {
        Unit::Time(_) => measured(record).map(|summary| summary.range),
        Unit::Count(counts) => counted(record, counts.metric())
            .filter(|_| record.outcome == Outcome::Measured)
            .map(|all| SampleRange { low: all.low, mid: all.mid, high: all.high }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_whole_and_times_have_three_digits() {
        let count = Unit::Count(Counts::Instructions);
        assert_eq!([4012.0, 124_216.0].map(|figure| count.text(figure)), ["4,012", "124,216"]);
        assert_eq!(
            [4012.0, 35_563.0, 124_216.0, 1_240_000.0].map(|figure| count.short(figure)),
            ["4,012", "35.6k", "124k", "1.24M"]
        );
        let time = Unit::Time(Scale::Nanoseconds).scaled([38_200.0, 1.6e9].into_iter());
        assert_eq!(time.as_str(), "µs");
        assert_eq!([38_200.0, 1_600_000.0, 1.6e10].map(|figure| time.short(figure)), ["38.2", "1,600", "16.0M"]);
    }

    #[test]
    fn unit_of_time_leaves_the_least_figure_above_one() {
        let of = |least: f64| Unit::Time(Scale::Nanoseconds).scaled([least, 1e12].into_iter()).as_str();
        assert_eq!([0.5, 999.0, 1e3, 1e6, 1e9].map(of), ["ns", "ns", "µs", "ms", "ms"]);
        assert_eq!(Unit::Count(Counts::Cycles).scaled([1e9].into_iter()).as_str(), "cycles");
    }

    #[test]
    fn bytes_have_a_share_unless_there_are_none() {
        let count = Unit::Count(Counts::Cycles);
        assert_eq!(count.per_byte(4012.0, 16).unwrap(), "251");
        assert_eq!(count.per_byte(35_563.0, 1024).unwrap(), "34.7");
        assert_eq!(count.per_byte(4012.0, 0), None);
    }
}
