//! What a line of a bench meter says: `81.3 mA`, `3.30 V 81.3 mA`, or the numbers under a CSV
//! header like `time,voltage (V),current (mA)`.
//!
//! Meters and their loggers differ in what stands around the numbers; units are what they have in
//! common. A line with a number that may be another one says nothing: `81,3 mA` is a little more
//! than 81 mA, or 3 mA in the second column.

use super::number::Number;
use super::quantity::{Ambiguous, Quantity, Unit, quantities};

/// The most columns of a line that are looked at.
const MOST_COLUMNS: usize = 32;
/// No board draws more, in amperes.
const MOST_AMPERES: f64 = 1e3;
/// The supplies that boards have, in volts: what is less is the voltage of a shunt.
const VOLTS: std::ops::RangeInclusive<f64> = 0.5..=1e3;
/// Voltages that are not the supply's: what is measured to know the current.
const ACROSS_SHUNT: [&str; 4] = ["shunt", "sense", "drop", "burden"];
/// What is not of this moment.
const NOT_NOW: [&str; 4] = ["max", "min", "peak", "limit"];

/// The current at one moment, and the voltage if the meter says it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// In amperes; a little below zero where a meter's zero is off.
    pub amperes: f64,
    /// In volts.
    pub volts: Option<f64>,
}

/// A column of a header: its unit and its name, in small letters.
type Column = Option<(Unit, String)>;

/// Reads lines, one after the other: a header says what the numbers in the lines below it are.
#[derive(Debug, Default)]
pub struct Readings {
    header: Vec<Column>,
}

impl Readings {
    /// What a line says of the current; `None` if it says nothing, or can be read in more than one
    /// way.
    pub fn read(&mut self, line: &str) -> Option<Reading> {
        let with_units = quantities(line);
        if let Ok(Some(reading)) = with_units.as_deref().map(reading) {
            return Some(reading);
        }
        if self.take_header(line) {
            return None;
        }
        let columns = columns(line, &self.header).ok()?;
        reading(&columns)
    }

    /// Takes a line if it is a header, and says whether it is.
    pub fn take_header(&mut self, line: &str) -> bool {
        let Some(header) = header(line) else { return false };
        self.header = header;
        true
    }
}

/// The cells of a line, by the strongest separator that it has outside quotation marks.
fn cells(line: &str) -> Vec<&str> {
    let by = |separator: char| {
        let mut is_quoted = false;
        let cells = line.split(move |letter: char| {
            is_quoted ^= letter == '"';
            letter == separator && !is_quoted
        });
        cells.take(MOST_COLUMNS).map(|cell| cell.trim().trim_matches('"').trim()).collect::<Vec<_>>()
    };
    ['\t', ';', ','].into_iter().map(by).find(|cells| cells.len() > 1).unwrap_or_else(|| by(','))
}

/// The columns of a header, each with the last word of it that is a unit. `None` for a line with
/// quantities or numbers, or without amperes.
fn header(line: &str) -> Option<Vec<Column>> {
    let cells = cells(line);
    let has_numbers = cells.iter().any(|cell| Number::read(cell).is_some());
    if has_numbers || quantities(line).map_or(true, |found| !found.is_empty()) {
        return None;
    }
    let words = |cell: &str| cell.split(|letter: char| !letter.is_alphabetic()).map(str::to_owned).collect::<Vec<_>>();
    let of_cell = |cell: &&str| {
        let words = words(cell);
        let place = words.iter().rposition(|word| Unit::of(word).is_some())?;
        let name = [&words[..place], &words[place + 1..]].concat().join(" ").to_lowercase();
        Some((Unit::of(&words[place])?, name.trim().to_owned()))
    };
    let columns: Vec<Column> = cells.iter().map(of_cell).collect();
    columns.iter().flatten().any(|(unit, _)| matches!(unit, Unit::Amperes(_))).then_some(columns)
}

/// The quantities of a line below a header; none if it has not as many cells.
fn columns(line: &str, header: &[Column]) -> Result<Vec<Quantity>, Ambiguous> {
    let mut cells = cells(line);
    while cells.len() > header.len() && cells.last().is_some_and(|cell| cell.is_empty()) {
        cells.pop();
    }
    let mut found = Vec::new();
    if cells.len() != header.len() {
        return Ok(found);
    }
    for (cell, column) in cells.iter().zip(header) {
        match (column, Number::read(cell)) {
            (Some(_), Some(Number::Either)) => return Err(Ambiguous),
            (Some((unit, label)), Some(Number::Of(number, mark))) => {
                found.push(Quantity { unit: *unit, number, mark, label: label.clone() });
            }
            _ => {}
        }
    }
    Ok(found)
}

/// The first current among them and the supply's voltage, if a board can have it.
fn reading(quantities: &[Quantity]) -> Option<Reading> {
    let has = |mark| quantities.iter().any(|quantity| quantity.mark == Some(mark));
    if has('.') && has(',') {
        return None;
    }
    let of_now = quantities.iter().filter(|quantity| quantity.is_of_now());
    let amperes = of_now.clone().find_map(|quantity| match quantity.unit {
        Unit::Amperes(factor) => Some(quantity.number * factor),
        Unit::Volts(_) => None,
    });
    let amperes = amperes.filter(|amperes| amperes.abs() <= MOST_AMPERES)?;
    let supplies: Vec<(f64, &str)> = of_now.filter_map(Quantity::supply).collect();
    let volts = match &supplies[..] {
        [(volts, _)] => Some(*volts),
        // Without names, one of them may be another's.
        several => several.iter().find(|(_, name)| !name.is_empty()).map(|(volts, _)| *volts),
    };
    Some(Reading { amperes, volts })
}

impl Quantity {
    fn is_of_now(&self) -> bool {
        self.label.split(|letter: char| !letter.is_alphabetic()).all(|word| !NOT_NOW.contains(&word))
    }

    /// The volts of a supply, and what they are called; `None` of anything else.
    fn supply(&self) -> Option<(f64, &str)> {
        let Unit::Volts(factor) = self.unit else { return None };
        let volts = self.number * factor;
        let is_supply = VOLTS.contains(&volts) && !ACROSS_SHUNT.iter().any(|other| self.label.contains(other));
        is_supply.then_some((volts, self.label.trim()))
    }
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
    fn number_that_may_be_another_is_no_reading() {
        for line in [
            "81,3 mA", "3,30 V 81,3 mA", "1,081.3 mA", // Made up for this test.
            "Current: 0,5 A", "17,80 mA", "1 081.3 mA", "1,081,300 uA", "3,30V;1.081mA", "U: 3,3 V, I: 12,500 mA",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
        assert_eq!(read("3,25 V; 80,5 mA"), said(80.5 * 1e-3, Some(3.25)), "here, the comma separates nothing");
        assert_eq!(read("3,25 V;1.081,5 mA"), said(1081.5 * 1e-3, Some(3.25)));
    }

    #[test]
    fn voltage_is_the_supplys_wherever_it_stands() {
        for line in [
            "Shunt Voltage: 8.13 mV Bus Voltage: 3.25 V Current: 80 mA",
            "shunt=8.13mV,bus=3.25V,I=80mA",
            // Made up for this test.
            "Vsense 0.6 V Vdd 3.25 V I 80 mA",
            "8.13 mV (shunt), 3.25 V, 80 mA",
            "80 mA shunt: 0.8 V supply: 3.25 V",
            "8.13 mV 3.25 V 80 mA",
            "burden voltage;0,6 V;load voltage;3,25 V;80 mA",
            "V max: 5 V V: 3.25 V peak: 250 mA now: 80 mA",
        ] {
            assert_eq!(read(line), said(0.08, Some(3.25)), "{line}");
        }
        assert_eq!(read("3.3 V 5 V 80 mA"), said(0.08, None), "neither is named");
        assert_eq!(read("8.13 mV 80 mA"), said(0.08, None), "no board's supply is that low");
        for header in
            ["time,shunt_mV,bus_V,mA", "t;Vshunt [V];Vbus [V];I [mA]", "t\tdrop (V)\tsupply (V)\tcurrent (mA)"]
        {
            let mut readings = Readings::default();
            assert_eq!(readings.read(header), None);
            assert_eq!(readings.read("17;0,6;3,25;80"), said(0.08, Some(3.25)), "{header}");
        }
    }

    #[test]
    fn cells_are_those_of_the_separator() {
        let mut readings = Readings::default();
        assert_eq!(readings.read("time;voltage (V);current (mA)"), None);
        assert_eq!(readings.read("17;3,25;80,5"), said(80.5 * 1e-3, Some(3.25)));
        assert_eq!(readings.read("17,\"3,25\",\"80,5\""), said(80.5 * 1e-3, Some(3.25)));
        assert_eq!(readings.read("17,3.25,80,"), said(0.08, Some(3.25)), "nothing behind the last comma");
        for wrong in ["17,3,25,80,5", "17;3,25;1,081", "17;3,25;80.5", "3.25,80", "17;80,5"] {
            assert_eq!(readings.read(wrong), None, "{wrong}");
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
                    prop_assert!(reading.volts.is_none_or(|volts| VOLTS.contains(&volts)));
                }
            }
        }
    }
}
