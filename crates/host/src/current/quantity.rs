//! The quantities of a line whose numbers have their units behind them, each with the words that
//! stand by it.

use super::number::{Number, may_be_one};

/// The most words of a line that are looked at.
const MOST_WORDS: usize = 64;

/// A unit by its kind, with its factor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Unit {
    Amperes(f64),
    Volts(f64),
}

/// A number, its unit, and what is said of it, in small letters.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Quantity {
    pub(super) unit: Unit,
    pub(super) number: f64,
    /// The decimal mark, if it has one.
    pub(super) mark: Option<char>,
    pub(super) label: String,
}

/// A line has a number that may be another one.
#[derive(Debug, PartialEq)]
pub(super) struct Ambiguous;

impl Unit {
    pub(super) fn of(word: &str) -> Option<Self> {
        Some(match word {
            "A" => Self::Amperes(1.0),
            "mA" => Self::Amperes(1e-3),
            "uA" | "µA" | "μA" => Self::Amperes(1e-6),
            "nA" => Self::Amperes(1e-9),
            "V" => Self::Volts(1.0),
            "mV" => Self::Volts(1e-3),
            _ => return None,
        })
    }
}

/// The quantities of a line, from the left.
pub(super) fn quantities(line: &str) -> Result<Vec<Quantity>, Ambiguous> {
    let mut parts = Parts::default();
    // Where something else separates, a comma belongs to its number.
    let may_separate = !line.contains([';', '\t']);
    let mut words = 0;
    for cell in line.split([';', '\t', '|']) {
        for word in cell.split_whitespace().take(MOST_WORDS - words) {
            words += 1;
            parts.word(word, may_separate)?;
        }
        parts.end();
    }
    Ok(parts.quantities)
}

/// What was read of a line so far.
#[derive(Default)]
struct Parts<'a> {
    quantities: Vec<Quantity>,
    /// A number whose unit may follow.
    pending: Option<(f64, Option<char>)>,
    /// The pending number may be another one, or the end of a longer one.
    is_part: bool,
    /// The word before, in the same cell.
    before: &'a str,
    /// Where the quantities of this cell begin.
    cell: usize,
    /// Words that belong to the quantity behind them.
    ahead: String,
    /// Whether words stood before the first quantity of this cell: then each has its words before
    /// it.
    is_led: bool,
}

impl<'a> Parts<'a> {
    fn word(&mut self, word: &'a str, may_separate: bool) -> Result<(), Ambiguous> {
        let pieces = word.split_inclusive(['=', ':']);
        for piece in pieces {
            let (text, binds_ahead) = match piece.strip_suffix(['=', ':']) {
                Some(text) => (text, true),
                None => (piece, false),
            };
            let inner = text.trim_end_matches(',');
            let digits = inner.trim_end_matches(char::is_alphabetic);
            let is_number = Number::read(digits).is_some();
            if may_separate && is_number && digits.contains(',') {
                return Err(Ambiguous);
            }
            if !may_separate || !inner.contains(',') {
                self.piece(inner, binds_ahead)?;
            } else {
                for (place, part) in inner.split(',').enumerate() {
                    if place > 0 {
                        self.end();
                    }
                    self.piece(part, binds_ahead)?;
                }
            }
            if may_separate && inner.len() < text.len() {
                self.end();
            }
        }
        self.before = word;
        Ok(())
    }

    fn piece(&mut self, text: &'a str, binds_ahead: bool) -> Result<(), Ambiguous> {
        let digits = text.trim_end_matches(char::is_alphabetic);
        let (number, unit) = match (Number::read(text), Number::read(digits)) {
            (Some(number), _) => (Some(number), ""),
            (None, Some(number)) => (Some(number), &text[digits.len()..]),
            (None, None) => (None, text),
        };
        match number {
            Some(Number::Either) => (self.pending, self.is_part) = (Some((0.0, None)), true),
            Some(Number::Of(value, mark)) => {
                (self.pending, self.is_part) = (Some((value, mark)), may_be_one(self.before, digits));
            }
            None => {}
        }
        if unit.is_empty() {
            return Ok(());
        }
        match (self.pending.take(), Unit::of(unit)) {
            (Some(_), Some(_)) if self.is_part => return Err(Ambiguous),
            (Some((number, mark)), Some(unit)) => {
                self.is_led |= !self.ahead.is_empty();
                let label = std::mem::take(&mut self.ahead);
                self.quantities.push(Quantity { unit, number, mark, label });
            }
            (None, Some(_)) => {}
            (_, None) => self.label(text, binds_ahead),
        }
        Ok(())
    }

    /// Gives a word to the quantity that it belongs to.
    fn label(&mut self, word: &str, binds_ahead: bool) {
        let is_bracketed = word.starts_with(['(', '[']);
        let behind = self.quantities.get_mut(self.cell..).and_then(<[Quantity]>::last_mut);
        let label = match behind {
            Some(quantity) if is_bracketed || !(binds_ahead || self.is_led) => &mut quantity.label,
            _ => &mut self.ahead,
        };
        label.push_str(&word.to_lowercase());
        label.push(' ');
    }

    /// Ends a cell. What stands in it behind its only quantity belongs to that, before one or not.
    fn end(&mut self) {
        if let [quantity] = &mut self.quantities[self.cell..] {
            quantity.label.push_str(&std::mem::take(&mut self.ahead));
        }
        (self.cell, self.before, self.is_led) = (self.quantities.len(), "", false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(line: &str) -> Vec<(f64, String)> {
        let found = quantities(line).unwrap();
        found.into_iter().map(|found| (found.number, found.label.trim_end().to_owned())).collect()
    }

    #[test]
    fn words_belong_to_the_number_that_they_are_written_for() {
        let expected = |of: [&str; 3]| [8.13, 3.3, 81.3].into_iter().zip(of.map(str::to_owned)).collect::<Vec<_>>();
        let named = expected(["shunt", "bus", "current"]);
        for line in [
            "Shunt: 8.13 mV Bus: 3.30 V Current: 81.3 mA",
            "Shunt=8.13mV Bus=3.30V Current=81.3mA",
            "shunt 8.13 mV bus 3.30 V current 81.3 mA",
            "8.13 mV shunt, 3.30 V bus, 81.3 mA current",
            "8.13 mV shunt 3.30 V bus 81.3 mA current",
            "Shunt,8.13,mV,Bus,3.30,V,Current,81.3,mA",
            "Shunt;8,13 mV;Bus;3,30 V;Current;81,3 mA",
        ] {
            assert_eq!(labels(line), named, "{line}");
        }
        assert_eq!(labels("8.13 mV (shunt) 3.30 V (bus) 81.3 mA"), expected(["(shunt)", "(bus)", ""]));
        assert_eq!(labels("12:00:01 8.13 mV 3.30 V 81.3 mA"), expected([""; 3]));
    }

    #[test]
    fn number_that_may_be_another_is_refused() {
        for line in
            ["81,3 mA", "3,30 V 81,3 mA", "1,081.3 mA", "1 081.3 mA", "17,80mA", "U=3,30V", "1,081;3 mA;1,081 V"]
        {
            assert_eq!(quantities(line), Err(Ambiguous), "{line}");
        }
        assert_eq!(labels("17,3.25 V,80 mA"), [(3.25, String::new()), (80.0, String::new())]);
    }
}
