//! What a worker's first line says that bounds the checks: how long lines and messages may be, what samples count,
//! whether it is a device.

use serde_json::Value;

use crate::reply::Reply;
use crate::report::{Fault, ensure, failed};

/// The longest line that either side may send, its newline included, if the worker names no other limit.
pub const LINE_LIMIT: usize = 65_536;

/// The shortest limit of a line that a worker may have.
const LEAST_LINE: u64 = 512;

/// The most characters of what a board or its meter is called.
const LONGEST_NAME: usize = 80;

/// The longest window of a meter of current: a minute.
const LONGEST_WINDOW_NS: u64 = 60_000_000_000;

/// The message of a device's checks on time or counts, in bytes: an emulator takes seconds for longer ones.
const DEVICE_WORK: u64 = 1024;

/// The keys that only devices have.
const OF_DEVICES: [&str; 9] = [
    "max_line", "max_message", "counts", "emulated", "board", "clock_hz", "code_in", "current_meter",
    "current_window_ns",
];

/// A worker's facts; of a worker that names none, the protocol's limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The longest line that it takes or sends, in bytes, the newline included.
    pub max_line: usize,
    /// The longest message and aad, in bytes, if it has a limit of its own.
    pub max_message: Option<u64>,
    /// The key under which a sample's count stands, in place of `ns`.
    pub counts: Option<&'static str>,
    /// Whether it is a microcontroller or an emulator of one.
    pub is_device: bool,
    /// Whether its runtime compiles code while it runs.
    pub compiles: bool,
    /// Whether samples move stack, buffers and key.
    pub moves_layouts: bool,
    /// It has cells of several texts and keys.
    pub rotates: bool,
    /// How long a sample must be for the meter of current, in nanoseconds, if there is a meter.
    pub current_window_ns: Option<u64>,
}

impl Default for Facts {
    fn default() -> Self {
        Facts {
            max_line: LINE_LIMIT,
            max_message: None,
            counts: None,
            is_device: false,
            compiles: false,
            moves_layouts: false,
            rotates: false,
            current_window_ns: None,
        }
    }
}

impl Facts {
    /// Reads the worker line.
    ///
    /// # Errors
    /// Failed, if a fact is not what the protocol allows.
    pub fn of(worker: &Reply) -> Result<Facts, Fault> {
        let flag = |key| match worker.optional_integer(key)?.unwrap_or(0) {
            told @ 0..=1 => Ok(told == 1),
            told => failed(format!("expected {key} 0 or 1, got {told}")),
        };
        flag("background")?;
        flag("process_cpu")?;
        let emulated = flag("emulated")?;
        let max_line = match worker.optional_integer("max_line")? {
            None => LINE_LIMIT,
            Some(told @ LEAST_LINE..=65_536) => usize::try_from(told).unwrap_or(LINE_LIMIT),
            Some(told) => return failed(format!("expected max_line {LEAST_LINE} to {LINE_LIMIT}, got {told}")),
        };
        let counts = one_of(worker, "counts", &["instructions", "cycles"])?;
        one_of(worker, "code_in", &["flash", "ram"])?;
        name(worker, "board")?;
        let clock = worker.optional_integer("clock_hz")?;
        ensure(clock != Some(0), || "expected no clock_hz where it is not known, got 0".into())?;
        let timeless = clock.is_none() || !emulated || counts == Some("cycles");
        ensure(timeless, || "expected no clock_hz of an emulator that knows no cycles".into())?;
        Ok(Facts {
            max_line,
            max_message: worker.optional_integer("max_message")?,
            counts,
            is_device: OF_DEVICES.iter().any(|key| worker.has(key)),
            compiles: flag("compiles")?,
            moves_layouts: flag("layouts")?,
            rotates: flag("rotates")?,
            current_window_ns: window(worker, counts)?,
        })
    }

    /// The message length, or what the worker takes of it.
    pub fn up_to(&self, message: u64) -> u64 {
        self.max_message.map_or(message, |most| message.min(most))
    }

    /// Whether a message and an aad are within the worker's limits.
    pub fn takes(&self, message: u64, aad: u64) -> bool {
        self.max_message.is_none_or(|most| message.max(aad) <= most)
    }

    /// Whether a request's line is within the worker's limit.
    pub fn has_line_for(&self, request: &Value) -> bool {
        request.to_string().len() < self.max_line
    }

    /// The message of the checks on time or counts, in bytes.
    pub fn work_message(&self, otherwise: u64) -> u64 {
        self.up_to(if self.is_device { otherwise.min(DEVICE_WORK) } else { otherwise })
    }

    /// So many calls, or fewer on a device, which may take milliseconds for one.
    pub fn calls(&self, otherwise: u64) -> u64 {
        if self.is_device { otherwise.div_ceil(16) } else { otherwise }
    }

    /// What answers a request that a device need not support.
    pub fn or_unsupported(&self, kinds: &[&'static str]) -> Vec<&'static str> {
        let device = self.is_device.then_some("unsupported");
        kinds.iter().copied().chain(device).collect()
    }
}

/// Text for people: what a board or its meter is called.
fn name<'a>(worker: &'a Reply, key: &str) -> Result<Option<&'a str>, Fault> {
    let text = worker.optional_text(key)?;
    let fits = text.is_none_or(|text| (1..=LONGEST_NAME).contains(&text.chars().count()));
    ensure(fits, || format!("expected {key} of 1 to {LONGEST_NAME} characters, got \"{}\"", text.unwrap_or_default()))?;
    Ok(text)
}

/// The window of the meter of current; None: no meter.
fn window(worker: &Reply, counts: Option<&str>) -> Result<Option<u64>, Fault> {
    let window = match (name(worker, "current_meter")?, worker.optional_integer("current_window_ns")?) {
        (None, None) => return Ok(None),
        (Some(_), Some(window)) => window,
        (Some(meter), None) => {
            return failed(format!("expected current_window_ns beside current_meter {meter}, got none"));
        }
        (None, Some(window)) => {
            return failed(format!("expected current_meter beside current_window_ns {window}, got none"));
        }
    };
    ensure((1..=LONGEST_WINDOW_NS).contains(&window), || {
        format!("expected current_window_ns 1 to {LONGEST_WINDOW_NS}, got {window}")
    })?;
    ensure(counts.is_none(), || "expected no current_meter beside counts: a window is time".into())?;
    Ok(Some(window))
}

fn one_of(worker: &Reply, key: &str, words: &[&'static str]) -> Result<Option<&'static str>, Fault> {
    let Some(told) = worker.optional_text(key)? else { return Ok(None) };
    match words.iter().find(|word| **word == told) {
        Some(word) => Ok(Some(word)),
        None => failed(format!("expected {key} {}, got {told}", words.join(" or "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(keys: &str) -> Result<Facts, Fault> {
        Facts::of(&Reply::parse(format!(r#"{{"is":"worker"{keys}}}"#))?)
    }

    #[test]
    fn absent_facts_are_the_protocols_limits() {
        assert_eq!(facts("").unwrap(), Facts::default());
        let small = facts(r#","max_line":1280,"max_message":1024,"counts":"cycles","emulated":1,"clock_hz":16000000"#);
        let small = small.unwrap();
        assert!(small.is_device && !small.compiles);
        assert_eq!((small.max_line, small.max_message, small.counts), (1280, Some(1024), Some("cycles")));
        assert_eq!((small.up_to(4096), small.up_to(64)), (1024, 64));
        assert!(small.takes(1024, 0) && !small.takes(0, 1025) && !small.takes(1025, 0));
    }

    #[test]
    fn meter_of_current_has_a_window() {
        let metered = facts(r#","current_meter":"INA226","current_window_ns":90000000"#).unwrap();
        assert!(metered.is_device);
        assert_eq!(metered.current_window_ns, Some(90_000_000));
        let longest = format!(r#","current_meter":"{}","current_window_ns":60000000000"#, "m".repeat(80));
        assert_eq!(facts(&longest).unwrap().current_window_ns, Some(LONGEST_WINDOW_NS));
    }

    #[test]
    fn facts_beyond_the_protocols_tables_fail() {
        for keys in [
            r#","max_line":511"#,
            r#","max_line":65537"#,
            r#","counts":"ns""#,
            r#","code_in":"rom""#,
            r#","emulated":2"#,
            r#","compiles":2"#,
            r#","clock_hz":0"#,
            r#","emulated":1,"counts":"instructions","clock_hz":25000000"#,
            r#","board":"""#,
            &format!(r#","board":"{}""#, "b".repeat(81)),
            r#","current_meter":"INA226""#,
            r#","current_window_ns":90000000"#,
            r#","current_meter":226,"current_window_ns":90000000"#,
            r#","current_meter":"","current_window_ns":90000000"#,
            &format!(r#","current_meter":"{}","current_window_ns":90000000"#, "m".repeat(81)),
            r#","current_meter":"INA226","current_window_ns":0"#,
            r#","current_meter":"INA226","current_window_ns":60000000001"#,
            r#","current_meter":"INA226","current_window_ns":90000000,"counts":"cycles""#,
        ] {
            assert!(facts(keys).is_err(), "{keys}");
        }
    }

    #[test]
    fn line_includes_its_newline() {
        let facts = Facts { max_line: 512, ..Facts::default() };
        let request = |bytes: usize| serde_json::json!("a".repeat(bytes - 2));
        assert!(facts.has_line_for(&request(511)));
        assert!(!facts.has_line_for(&request(512)));
    }
}
