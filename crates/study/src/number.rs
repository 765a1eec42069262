//! A number as it was printed, which stands for all numbers that round to it.

use serde::{Deserialize, Deserializer, de};

/// A printed number: `0.0329` stands for anything from 0.03285 to 0.03295.
#[derive(Debug, Clone, PartialEq)]
pub struct Printed {
    text: String,
    value: f64,
    /// Half a unit of the last digit.
    rounding: f64,
}

impl Printed {
    /// Reads digits with at most one point and a minus before them.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_plain = digits.chars().all(|digit| digit.is_ascii_digit() || digit == '.');
        if !is_plain || digits.is_empty() || text.len() > 20 {
            return None;
        }
        let value: f64 = text.parse().ok()?;
        let mut number = Self { text: text.into(), value, rounding: 0.5 };
        number.rounding /= 10_f64.powi(number.places() as i32);
        Some(number)
    }

    /// How many places it has behind the point.
    pub fn places(&self) -> usize {
        self.text.split_once('.').map_or(0, |(_, places)| places.len())
    }

    /// As printed.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The number itself.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// The least and the greatest number that it stands for.
    pub fn range(&self) -> (f64, f64) {
        (self.value - self.rounding, self.value + self.rounding)
    }
}

impl<'de> Deserialize<'de> for Printed {
    /// From text: a TOML number would lose its trailing zeros, and with them how it was rounded.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| de::Error::custom(format!("`{text}` is no plain number")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_number_stands_for_what_rounds_to_it() {
        let number = Printed::parse("0.0329").unwrap();
        let (low, high) = number.range();
        assert!((low - 0.03285).abs() < 1e-12 && (high - 0.03295).abs() < 1e-12);
        assert_eq!(Printed::parse("80").unwrap().range(), (79.5, 80.5));
        assert_eq!(Printed::parse("50.0").unwrap().as_str(), "50.0");
        for text in ["", "1e5", "1,5", "0x1", "--1", "1.2.3", "NaN", "inf", &"1".repeat(21)] {
            assert_eq!(Printed::parse(text), None, "{text}");
        }
    }
}
