//! Sizes, times and shares as people write them: `16KiB`, `60s`, `2%`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::escaped;

/// The largest integer in a protocol line or an export: every JSON reader represents it exactly.
pub const MAX_INTEGER: u64 = (1 << 53) - 1;

/// An invalid quantity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is not {what}; write it like {example}")]
pub struct UnitError {
    what: &'static str,
    found: String,
    example: &'static str,
}

impl UnitError {
    fn new(what: &'static str, found: &str, example: &'static str) -> Self {
        Self { what, found: escaped(&found.chars().take(64).collect::<String>()), example }
    }
}

/// `1,000`: easier to read in a sentence.
pub fn thousands(number: impl ToString) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(",")
}

/// A size in bytes, at most 2⁵³−1. Written `16`, `16KiB`, `1MiB`, `1GiB`; `1kB` is 1,000. Case makes no difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

const SUFFIXES: [(&str, u64); 5] =
    [("GiB", 1 << 30), ("MiB", 1 << 20), ("GB", 1_000_000_000), ("MB", 1_000_000), ("KiB", 1 << 10)];
/// What people write: the suffix in lower case, and the bytes that it stands for.
const READ: [(&str, u64); 7] = [
    ("gib", 1 << 30),
    ("mib", 1 << 20),
    ("kib", 1 << 10),
    ("gb", 1_000_000_000),
    ("mb", 1_000_000),
    ("kb", 1000),
    ("b", 1),
];

impl FromStr for Bytes {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let wrong = || UnitError::new("a size in bytes", text, "`16`, `16KiB`, `1MiB` or `1GiB` (`1kB` is 1,000)");
        let lower = text.to_ascii_lowercase();
        let (digits, unit) = READ
            .iter()
            .find_map(|(suffix, unit)| lower.strip_suffix(suffix).map(|digits| (digits, *unit)))
            .unwrap_or((&lower, 1));
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(wrong());
        }
        let number: u64 = digits.parse().map_err(|_| wrong())?;
        let bytes = number.checked_mul(unit).filter(|bytes| *bytes <= MAX_INTEGER).ok_or_else(wrong)?;
        Ok(Self(bytes))
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (suffix, unit) in SUFFIXES {
            if self.0 > 0 && self.0.is_multiple_of(unit) {
                return f.pad(&format!("{}{suffix}", self.0 / unit));
            }
        }
        f.pad(&self.0.to_string())
    }
}

/// A length of time to measure, at most a day. Written `60s`, `1.5s`, `5min`; `60` is seconds, too.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seconds(pub f64);

impl Seconds {
    /// As the standard library's duration.
    pub fn duration(self) -> Duration {
        Duration::from_secs_f64(self.0)
    }
}

impl FromStr for Seconds {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (digits, factor) = match (text.strip_suffix("min"), text.strip_suffix('s')) {
            (Some(digits), _) => (digits, 60.0),
            (None, Some(digits)) => (digits, 1.0),
            (None, None) => (text, 1.0),
        };
        let number = decimal(digits);
        if number == Some(0.0) {
            return Err(UnitError::new("a time above 0", text, "`60s` or `5min`, at least `1s`"));
        }
        number
            .map(|number| number * factor)
            .filter(|seconds| *seconds > 0.0 && *seconds <= 86_400.0)
            .map(Self)
            .ok_or_else(|| UnitError::new("a time of at most a day", text, "`60s` or `5min`"))
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}s", self.0))
    }
}

/// A share of something, as a fraction inside, to a thousandth of a percent. Written `2%` or `0.5%`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share(pub f64);

impl FromStr for Share {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        text.strip_suffix('%')
            .and_then(decimal)
            // No finer than it is printed, so that it reads back from a store unchanged.
            .map(|percent| (percent * 1e3).round())
            .filter(|thousandths| (1.0..=1e5).contains(thousandths))
            .map(|thousandths| Self(thousandths / 1e3 / 100.0))
            .ok_or_else(|| UnitError::new("a share from 0.001 % to 100 %", text, "`2%` or `0.5%`"))
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Rounded to a thousandth of a percent, so that 0.02 does not print as 2.0000000000000004.
        f.pad(&format!("{}%", (self.0 * 1e5).round() / 1e3))
    }
}

/// How many threads a cell has. Written `2`, `all` for one on each CPU, or `doubling` for 1, 2, 4 and so on up to all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    /// This many, 1 to 1024.
    Count(u32),
    /// One on each CPU.
    All,
    /// 1, 2, 4 and so on, and one on each CPU.
    Doubling,
}

impl Threads {
    /// The numbers of threads on `cpus` CPUs, ascending.
    pub fn on(self, cpus: u32) -> Vec<u32> {
        match self {
            Self::Count(threads) => vec![threads],
            Self::All => vec![cpus],
            Self::Doubling => {
                let doubled = std::iter::successors(Some(1_u32), |threads| threads.checked_mul(2));
                doubled.take_while(|threads| *threads < cpus).chain([cpus]).collect()
            }
        }
    }

    /// How many numbers these are at most, on any machine.
    pub fn most(self) -> usize {
        if self == Self::Doubling { 11 } else { 1 }
    }

    /// Whether it is one thread on any machine.
    pub fn is_one(self) -> bool {
        self == Self::Count(1)
    }
}

impl FromStr for Threads {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        match text {
            "all" => Ok(Self::All),
            "doubling" => Ok(Self::Doubling),
            text => decimal(text)
                .filter(|threads| threads.fract() == 0.0 && (1.0..=1024.0).contains(threads))
                .map(|threads| Self::Count(threads as u32))
                .ok_or_else(|| UnitError::new("a number of threads up to 1024", text, "`2`, `all` or `doubling`")),
        }
    }
}

impl fmt::Display for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(threads) => f.pad(&threads.to_string()),
            Self::All => f.pad("all"),
            Self::Doubling => f.pad("doubling"),
        }
    }
}

/// Plain decimals only: no sign, no exponent, no `inf`.
fn decimal(text: &str) -> Option<f64> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    plain.then(|| text.parse().ok()).flatten()
}

macro_rules! serde_as_text {
    ($($name:ty),+) => { $(
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    )+ };
}
serde_as_text!(Seconds, Share, Bytes);

impl serde::Serialize for Threads {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Count(threads) => serializer.serialize_u32(*threads),
            Self::All | Self::Doubling => serializer.collect_str(self),
        }
    }
}

/// A number of threads is a number in a file; only `all` and `doubling` are texts.
impl<'de> serde::Deserialize<'de> for Threads {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(untagged, expecting = "expected a number of threads, \"all\" or \"doubling\"")]
        enum Written {
            Number(u64),
            Text(String),
        }
        let text = match Written::deserialize(deserializer)? {
            Written::Number(number) => number.to_string(),
            Written::Text(text) => text,
        };
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn invalid_size_is_refused_with_an_example() {
        for (text, bytes) in [("1kb", 1000), ("2MB", 2_000_000), ("1kib", 1024), ("16B", 16)] {
            assert_eq!(text.parse(), Ok(Bytes(bytes)));
        }
        for wrong in ["-1", "10XB", "", "KiB", "1.5KiB", "1 KiB", "+3", "99999999999GiB", "9007199254740992"] {
            let error = wrong.parse::<Bytes>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{wrong}` is not a size in bytes; write it like `16`")), "{error}");
        }
    }

    #[test]
    fn times_and_shares() {
        assert_eq!("5min".parse(), Ok(Seconds(300.0)));
        assert_eq!("0.5s".parse(), Ok(Seconds(0.5)));
        assert_eq!("60".parse(), Ok(Seconds(60.0)));
        assert_eq!("2%".parse(), Ok(Share(0.02)));
        assert_eq!(Share(0.02).to_string(), "2%");
        for wrong in ["", "s", "0s", "-1s", "2d", "infs", "1e3s", "2000min"] {
            assert!(wrong.parse::<Seconds>().is_err(), "{wrong}");
        }
        for wrong in ["", "%", "0%", "0.0004%", "101%", "NaN%", "2"] {
            assert!(wrong.parse::<Share>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn threads() {
        assert_eq!("8".parse(), Ok(Threads::Count(8)));
        assert_eq!("all".parse::<Threads>().map(|threads| threads.on(3)), Ok(vec![3]));
        let doubling = |cpus| "doubling".parse::<Threads>().map(|threads| threads.on(cpus));
        assert_eq!((doubling(1), doubling(2), doubling(6)), (Ok(vec![1]), Ok(vec![1, 2]), Ok(vec![1, 2, 4, 6])));
        assert!(Threads::Doubling.on(1024).len() <= Threads::Doubling.most());
        for wrong in ["0", "1.5", "1025", "-1", "many"] {
            assert!(wrong.parse::<Threads>().is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn a_size_reads_back_as_written(bytes in 0..=MAX_INTEGER) {
            prop_assert_eq!(Bytes(bytes).to_string().parse(), Ok(Bytes(bytes)));
        }

        #[test]
        fn a_share_reads_back_as_written(percent in 0.001..100.0) {
            let share: Share = format!("{percent}%").parse().unwrap();
            prop_assert_eq!(share.to_string().parse(), Ok(share));
        }

        #[test]
        fn no_text_panics(text in ".{0,40}") {
            let _ = text.parse::<Bytes>();
            let _ = text.parse::<Seconds>();
            let _ = text.parse::<Share>();
        }
    }
}
