//! What a line of a bench meter says: `81.3 mA`, `3.30 V 81.3 mA`, or the numbers under a CSV header like `time,voltage (V),current (mA)`.
//!
//! Meters and their loggers differ in what stands around the numbers; units are what they have in common.

/// The most columns of a line that are looked at.
const MOST_COLUMNS: usize = 32;
/// No board draws more, in amperes.
const MOST_AMPERES: f64 = 1e3;
/// No board's supply has more, in volts.
const MOST_VOLTS: f64 = 1e3;

/// The current at one moment, and the voltage if the meter says it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// In amperes; a little below zero where a meter's zero is off.
    pub amperes: f64,
    /// In volts.
    pub volts: Option<f64>,
}

/// A quantity and the factor of its unit.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Unit {
    Amperes(f64),
    Volts(f64),
}

/// Reads lines, one after the other: a header says what the numbers in the lines below it are.
#[derive(Debug, Default)]
pub struct Readings {
    /// By column.
    header: Vec<Option<Unit>>,
}

impl Readings {
    /// What a line says of the current; `None` if it says nothing.
    pub fn read(&mut self, line: &str) -> Option<Reading> {
        let with_units = reading(quantities(line));
        if with_units.is_some() {
            return with_units;
        }
        if let Some(header) = header(line) {
            self.header = header;
            return None;
        }
        let number = |cell: &str| cell.trim().trim_matches('"').parse::<f64>().ok();
        let cells = cells(line).zip(&self.header);
        reading(cells.filter_map(|(cell, unit)| Some(((*unit)?, number(cell)?))))
    }
}

fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.split([',', ';', '\t']).take(MOST_COLUMNS)
}

/// The units of a header's columns: the last word of each that is one. `None` for a line with quantities or numbers, or without
/// amperes.
fn header(line: &str) -> Option<Vec<Option<Unit>>> {
    if quantities(line).next().is_some() || cells(line).any(|cell| cell.trim().parse::<f64>().is_ok()) {
        return None;
    }
    let of_cell = |cell: &str| cell.split(|letter: char| !letter.is_alphabetic()).filter_map(unit).next_back();
    let units: Vec<Option<Unit>> = cells(line).map(of_cell).collect();
    units.iter().any(|unit| matches!(unit, Some(Unit::Amperes(_)))).then_some(units)
}

/// The quantities of a line whose numbers have their units behind them.
fn quantities(line: &str) -> impl Iterator<Item = (Unit, f64)> {
    let mut number = None;
    let words = line.split([',', ';', '\t', ' ', '=', ':']).filter(|word| !word.is_empty()).take(2 * MOST_COLUMNS);
    words.filter_map(move |word| {
        if let Ok(plain) = word.parse::<f64>() {
            number = Some(plain);
            return None;
        }
        let before = number.take();
        let digits = word.trim_end_matches(char::is_alphabetic);
        match digits.parse::<f64>() {
            Ok(own) => Some((unit(&word[digits.len()..])?, own)),
            Err(_) => Some((unit(word)?, before?)),
        }
    })
}

fn unit(word: &str) -> Option<Unit> {
    Some(match word {
        "A" => Unit::Amperes(1.0),
        "mA" => Unit::Amperes(1e-3),
        "uA" | "µA" | "μA" => Unit::Amperes(1e-6),
        "nA" => Unit::Amperes(1e-9),
        "V" => Unit::Volts(1.0),
        "mV" => Unit::Volts(1e-3),
        _ => return None,
    })
}

/// The first current among them and the first voltage, if a board can have it.
fn reading(quantities: impl Iterator<Item = (Unit, f64)>) -> Option<Reading> {
    let (mut amperes, mut volts) = (None, None);
    for (unit, number) in quantities {
        match unit {
            Unit::Amperes(factor) => amperes = amperes.or(Some(number * factor)),
            Unit::Volts(factor) => volts = volts.or(Some(number * factor)),
        }
    }
    let amperes = amperes.filter(|amperes| amperes.abs() <= MOST_AMPERES)?;
    Some(Reading { amperes, volts: volts.filter(|volts| (0.0..=MOST_VOLTS).contains(volts)) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(line: &str) -> Option<Reading> {
        Readings::default().read(line)
    }

    fn said(amperes: f64, volts: Option<f64>) -> Option<Reading> {
        Some(Reading { amperes, volts })
    }

    #[test]
    fn lines_with_units_are_read() {
        assert_eq!(read("81.5 mA"), said(0.0815, None));
        assert_eq!(read("0.5A"), said(0.5, None));
        assert_eq!(read("3.25 V, 80 mA"), said(0.08, Some(3.25)));
        assert_eq!(read("U=3250mV\tI=2e3uA"), said(2e3 * 1e-6, Some(3.25)));
        assert_eq!(read("12:00:01 Current: 1 A 2 A"), said(1.0, None));
        assert_eq!(read("-0.25 mA"), said(-0.25 * 1e-3, None));
        for wrong in ["", "A", "mA", "12", "3.3 V", "5 W", "1e9 A", "NaN mA", "inf A", "5 mAh", "x A", "😀A"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn header_says_what_the_numbers_are() {
        let mut readings = Readings::default();
        assert_eq!(readings.read("1,2,3"), None, "numbers of nothing");
        assert_eq!(readings.read("Timestamp (ms),voltage_V,\"Current [mA]\""), None);
        assert_eq!(readings.read("17,3.25,80"), said(0.08, Some(3.25)));
        assert_eq!(readings.read("18,,\"80\""), said(0.08, None));
        assert_eq!(readings.read("19,3.25"), None, "the current is missing");
        assert_eq!(readings.read("a note"), None);
        assert_eq!(readings.read("20;5;1"), said(0.001, Some(5.0)), "the header still holds");
    }

    proptest! {
        #[test]
        fn no_line_is_more_than_a_board_can_draw(lines in proptest::collection::vec(".{0,80}|[0-9.eE,;-]{0,30} ?(m|u|n)?[AV]", 1..4)) {
            let mut readings = Readings::default();
            for line in lines {
                if let Some(reading) = readings.read(&line) {
                    prop_assert!(reading.amperes.abs() <= MOST_AMPERES);
                    prop_assert!(reading.volts.is_none_or(|volts| (0.0..=MOST_VOLTS).contains(&volts)));
                }
            }
        }
    }
}
