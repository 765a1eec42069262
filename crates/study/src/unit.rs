//! What the numbers of a table's columns are, and the sizes that its rows name.

use ciphermeter_answer::rate::gb_per_s;
use ciphermeter_core::{Bytes, Record, SampleRange};

use crate::number::Printed;
use crate::table::{Column, Quantity, Table};

/// What values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount<'a> {
    /// Nanoseconds of a call.
    Time,
    /// Bytes a nanosecond, which are GB/s.
    Rate,
    /// Bytes.
    Memory,
    /// The column's name and unit, of what is not measured here.
    Printed(&'a str, &'a str),
}

impl<'a> Amount<'a> {
    /// What a column's numbers are, and how many of its own units theirs has.
    pub(crate) fn of(table: &'a Table, column: &'a Column) -> (Self, f64) {
        if let (Some(beside), Some(_)) = (&table.here, &column.here) {
            return (if beside.quantity == Quantity::Time { Self::Time } else { Self::Memory }, beside.unit);
        }
        let unit = column.unit.as_str();
        let times = [("ns", 1.0), ("µs", 1e3), ("us", 1e3), ("ms", 1e6), ("s", 1e9)];
        let time = times.into_iter().find(|(name, _)| *name == unit).map(|(_, ns)| (Self::Time, ns));
        let rate = || Some((Self::Rate, bytes_a_second(unit)? / 1e9));
        let memory = || Some((Self::Memory, bytes(unit)?));
        time.or_else(rate).or_else(memory).unwrap_or((Self::Printed(&column.name, unit), 1.0))
    }

    /// What a record has of it.
    pub(crate) fn measured(self, record: &Record) -> Option<SampleRange> {
        let range = match self {
            Self::Time => Quantity::Time.of(record),
            Self::Rate => Quantity::Time.of(record).and_then(|range| gb_per_s(&record.cell, range)),
            Self::Memory => Quantity::PeakMemory.of(record),
            Self::Printed(..) => None,
        };
        range.filter(|range| range.mid.is_finite() && range.mid > 0.0)
    }
}

/// `KB`, `MiB`.
fn bytes(unit: &str) -> Option<f64> {
    let is_unit = unit.starts_with(char::is_alphabetic);
    format!("1{unit}").parse::<Bytes>().ok().filter(|_| is_unit).map(|bytes| bytes.0 as f64)
}

/// `MB/s`, `Kbps`, `kbit/s`.
fn bytes_a_second(unit: &str) -> Option<f64> {
    let of_bits = |bits: &str| Some(bytes(&bits.replace("bit", "B").replace('b', "B"))? / 8.0);
    match unit.strip_suffix("/s") {
        Some(bits) if bits.ends_with("bit") => of_bits(bits),
        Some(unit) => bytes(unit),
        None => of_bits(unit.strip_suffix("ps")?),
    }
}

/// A name that ends with a size, `AES-256-GCM 10 KB`: what precedes it, and the bytes.
pub(crate) fn sized(name: &str) -> Option<(&str, u64)> {
    let (before, unit) = name.rsplit_once(' ')?;
    let (about, number) = before.rsplit_once(' ').unwrap_or(("", before));
    let size = Printed::parse(number)?.value() * bytes(unit)?;
    (size >= 0.0).then_some((about, size.round() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_name_their_sizes() {
        for (name, found) in [
            ("AES-256-GCM 10 KB", Some(("AES-256-GCM", 10_000))),
            ("1.5 MiB", Some(("", 1_572_864))),
            ("encrypt 16 B", Some(("encrypt", 16))),
            ("M4 Pro, 14 threads", None),
            ("RTX 3070", None),
            ("Python", None),
            ("-1 KB", None),
        ] {
            assert_eq!(sized(name), found, "{name}");
        }
    }

    #[test]
    fn units_say_what_numbers_are() {
        let column = |unit: &str| Column {
            id: "x".into(),
            name: "current".into(),
            unit: unit.into(),
            is_rate: false,
            here: None,
        };
        let table = crate::built_in::find("python-sizes").unwrap().unwrap().tables.remove(1);
        for (unit, amount, each) in [
            ("s", Amount::Time, 1e9),
            ("µs", Amount::Time, 1e3),
            ("MB/s", Amount::Rate, 1e-3),
            ("kB/s", Amount::Rate, 1e-6),
            ("Kbps", Amount::Rate, 1.25e-7),
            ("Mbit/s", Amount::Rate, 1.25e-4),
            ("MiB", Amount::Memory, 1_048_576.0),
            ("KB", Amount::Memory, 1000.0),
            ("mA", Amount::Printed("current", "mA"), 1.0),
            ("", Amount::Printed("current", ""), 1.0),
        ] {
            let column = column(unit);
            let (found, factor) = Amount::of(&table, &column);
            assert_eq!(found, amount);
            assert!((factor / each - 1.0).abs() < 1e-12, "{unit}: {factor}");
        }
    }
}
