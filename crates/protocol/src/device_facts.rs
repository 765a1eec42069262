//! What a worker says of the device that it runs on, and how much that takes at once (PROTOCOL.md, Devices).

use ciphermeter_core::{CodeIn, Counts, MAX_INTEGER};

use crate::reply::escaped_from_worker;
use crate::{JsonLine, LineError, MAX_LINE};

/// The shortest line that every worker takes, in bytes: a `prepare` with the longest names fits.
pub const LEAST_LINE: usize = 512;
/// The most characters of what a board or its meter is called.
const MOST_TEXT: usize = 80;
/// The longest window of a board's meter of current: a minute.
const LONGEST_WINDOW_NS: u64 = 60_000_000_000;

/// What a worker says of its device; of a process on this machine, nothing that differs from the default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceFacts {
    /// The longest line that it takes or sends, in bytes, the newline included.
    pub max_line: usize,
    /// The longest message of a cell and of a check, in bytes; `None`: no limit of its own.
    pub max_message: Option<u64>,
    /// What samples count instead of time.
    pub counts: Option<Counts>,
    /// Whether an emulator runs it.
    pub emulated: bool,
    /// What it runs on, for people.
    pub board: Option<String>,
    /// The CPU's clock in hertz.
    pub clock_hz: Option<u64>,
    /// Where the measured code lies.
    pub code_in: Option<CodeIn>,
    /// The meter of current on its board, for people.
    pub current_meter: Option<String>,
    /// How long a sample must be in nanoseconds for that meter to say what it took.
    pub current_window_ns: Option<u64>,
}

impl Default for DeviceFacts {
    fn default() -> Self {
        Self {
            max_line: MAX_LINE,
            max_message: None,
            counts: None,
            emulated: false,
            board: None,
            clock_hz: None,
            code_in: None,
            current_meter: None,
            current_window_ns: None,
        }
    }
}

impl DeviceFacts {
    /// Reads them from a `worker` line.
    pub(crate) fn read(line: &JsonLine) -> Result<Self, LineError> {
        let within = |key, range| line.get_integer(key)?.map(|_| line.need_within(key, range)).transpose();
        let max_line = within("max_line", LEAST_LINE as u64..=MAX_LINE as u64)?;
        let text = |key| -> Result<Option<String>, LineError> {
            let text = line.get_text(key)?.map(escaped_from_worker);
            Ok(text.map(|text| text.chars().take(MOST_TEXT).collect()))
        };
        Ok(Self {
            max_line: max_line.map_or(MAX_LINE, |bytes| bytes as usize),
            max_message: line.get_integer("max_message")?,
            counts: line.get_text("counts")?.map(|_| line.need_word("counts")).transpose()?,
            emulated: within("emulated", 0..=1)? == Some(1),
            board: text("board")?,
            clock_hz: within("clock_hz", 1..=MAX_INTEGER)?,
            // A memory that this harness does not know is as good as none.
            code_in: line.get_text("code_in")?.and_then(|word| word.parse().ok()),
            current_meter: text("current_meter")?,
            current_window_ns: within("current_window_ns", 1..=LONGEST_WINDOW_NS)?,
        })
    }

    /// Adds what differs from the default to a `worker` line.
    pub(crate) fn put(&self, line: JsonLine) -> JsonLine {
        let own_line = Some(self.max_line as u64).filter(|bytes| *bytes != MAX_LINE as u64);
        let integers = [
            ("max_line", own_line),
            ("max_message", self.max_message),
            ("emulated", self.emulated.then_some(1)),
            ("clock_hz", self.clock_hz),
            ("current_window_ns", self.current_window_ns),
        ];
        let texts = [
            ("counts", self.counts.map(Counts::as_str)),
            ("board", self.board.as_deref()),
            ("current_meter", self.current_meter.as_deref()),
            ("code_in", self.code_in.map(CodeIn::as_str)),
        ];
        let line = integers.iter().fold(line, |line, (key, value)| value.iter().fold(line, |l, n| l.integer(key, *n)));
        texts.iter().fold(line, |line, (key, value)| value.iter().fold(line, |l, text| l.text(key, *text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(keys: &str) -> Result<DeviceFacts, LineError> {
        DeviceFacts::read(&JsonLine::parse(format!(r#"{{"is":"worker"{keys}}}"#).as_bytes()).unwrap())
    }

    #[test]
    fn worker_without_facts_has_no_limits_of_its_own() {
        assert_eq!(read(""), Ok(DeviceFacts::default()));
        assert_eq!(read(r#","max_line":null,"emulated":0,"code_in":"core rope""#), Ok(DeviceFacts::default()));
        let line = DeviceFacts::default().put(JsonLine::new("is", "worker"));
        assert_eq!(line, JsonLine::new("is", "worker"));
    }

    #[test]
    fn impossible_facts_are_named() {
        let wrong = |keys: &str| read(keys).unwrap_err().to_string();
        assert_eq!(wrong(r#","max_line":511"#), "`max_line` must be from 512 to 65536");
        assert_eq!(wrong(r#","max_line":65537"#), "`max_line` must be from 512 to 65536");
        assert_eq!(wrong(r#","emulated":2"#), "`emulated` must be from 0 to 1");
        assert_eq!(wrong(r#","current_window_ns":0"#), "`current_window_ns` must be from 1 to 60000000000");
        assert_eq!(wrong(r#","clock_hz":0"#), "`clock_hz` must be from 1 to 9007199254740991");
        assert!(wrong(r#","counts":"sheep""#).contains("known are instructions, cycles"));
        assert_eq!(wrong(r#","board":7"#), "`board` must be a string");
    }

    #[test]
    fn description_of_a_board_is_short_and_harmless() {
        let board = read(&format!(r#","board":"\u001b[2J{}""#, "x".repeat(200))).unwrap().board.unwrap();
        assert_eq!(board.chars().count(), MOST_TEXT);
        assert!(board.starts_with(r"\u{1b}[2Jxx"));
    }

    proptest! {
        #[test]
        fn facts_survive_a_round_trip(
            max_line in LEAST_LINE..=MAX_LINE,
            max_message in proptest::option::of(0..=MAX_INTEGER),
            counts in proptest::sample::select(vec![None, Some(Counts::Instructions), Some(Counts::Cycles)]),
            emulated: bool,
            board in proptest::option::of("[A-Za-z0-9 ()-]{1,80}"),
            clock_hz in proptest::option::of(1..=MAX_INTEGER),
            code_in in proptest::sample::select(vec![None, Some(CodeIn::Flash), Some(CodeIn::Ram)]),
            current_meter in proptest::option::of("[A-Z0-9]{1,80}"),
            current_window_ns in proptest::option::of(1..=LONGEST_WINDOW_NS),
        ) {
            let facts = DeviceFacts {
                max_line, max_message, counts, emulated, board, clock_hz, code_in, current_meter, current_window_ns,
            };
            let text = facts.put(JsonLine::new("is", "worker")).write();
            prop_assert_eq!(DeviceFacts::read(&JsonLine::parse(text.trim_end().as_bytes()).unwrap()), Ok(facts));
        }

        #[test]
        fn no_line_panics(text in r#"\{"(max_line|max_message|counts|emulated|board|clock_hz|code_in|current_meter|current_window_ns)":.{0,40}\}"#) {
            let _ = JsonLine::parse(text.as_bytes()).map(|line| DeviceFacts::read(&line));
        }
    }
}
