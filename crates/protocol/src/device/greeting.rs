//! Finding out whether a worker is there. A board that starts anew when its port is opened misses the first requests, so `describe` is
//! repeated until it is answered, and what is left of the answers to the repeated ones is thrown away.

use std::time::Duration;

use crate::link::excerpt;
use crate::reply::escaped_from_worker;
use crate::{Deadline, JsonLine, LineError, LinkError, Request};

/// How long one request waits for its answer.
const PAUSE: Duration = Duration::from_millis(500);
/// What is in each line that a worker sends, however wrong.
const ANSWER: &str = "\"is\"";

/// What a greeting came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Greeting {
    /// A worker is there, and has nothing more to say.
    Worker,
    /// A worker is there, and does not say what its clock can do; if it says why, that.
    NoClock(Option<String>),
    /// Nothing came within the patience.
    Silence,
    /// What came is a line of the protocol with a mistake in it.
    Wrong {
        /// The mistake.
        error: LineError,
        /// The beginning of the line.
        excerpt: String,
    },
    /// What came was nothing of the protocol.
    Other(String),
}

/// The latest of what came and was no answer.
#[derive(Default)]
enum Heard {
    #[default]
    Nothing,
    Other(String),
    Wrong {
        error: LineError,
        excerpt: String,
    },
    /// A worker's reason why it does not do what was asked.
    Error(String),
}

/// The line as a greeting needs it.
pub(super) trait Wire {
    /// Writes a line.
    fn write(&mut self, line: &JsonLine, deadline: Deadline) -> Result<(), LinkError>;

    /// Waits for a line of the protocol.
    fn read(&mut self, deadline: Deadline) -> Result<JsonLine, LinkError>;

    /// The beginning of what else came.
    fn heard(&self) -> String;
}

/// Asks until a worker answers.
pub(super) fn greet(wire: &mut dyn Wire, patience: Duration) -> Result<Greeting, LinkError> {
    let end = Deadline::after(patience);
    let mut heard = Heard::Nothing;
    while !end.is_over() {
        wire.write(&Request::Describe.line(), end)?;
        if await_kind(wire, "worker", end.or_after(PAUSE), &mut heard)? {
            // Whatever else was asked is answered before this.
            let end = Deadline::after(patience);
            wire.write(&Request::Clock.line(), end)?;
            let mut since = Heard::Nothing;
            let is_answered = await_kind(wire, "clock", end, &mut since)?;
            return Ok(match (is_answered, since) {
                (true, _) => Greeting::Worker,
                (false, Heard::Wrong { error, excerpt }) => Greeting::Wrong { error, excerpt },
                (false, Heard::Error(why)) => Greeting::NoClock(Some(why)),
                (false, Heard::Nothing | Heard::Other(_)) => Greeting::NoClock(None),
            });
        }
    }
    Ok(match heard {
        Heard::Nothing => Greeting::Silence,
        Heard::Wrong { error, excerpt } => Greeting::Wrong { error, excerpt },
        Heard::Other(heard) | Heard::Error(heard) => Greeting::Other(heard),
    })
}

/// Reads until a line of that kind comes; everything before it is thrown away.
fn await_kind(wire: &mut dyn Wire, kind: &str, deadline: Deadline, heard: &mut Heard) -> Result<bool, LinkError> {
    loop {
        match wire.read(deadline) {
            Ok(line) => match line.get_text("is").ok().flatten() {
                Some(is) if is == kind => return Ok(true),
                // What is left of the answers to earlier requests.
                Some("worker" | "offer" | "absent" | "end") => {}
                Some("error" | "unsupported") => {
                    *heard = Heard::Error(escaped_from_worker(line.get_text("why").ok().flatten().unwrap_or_default()));
                }
                _ => *heard = Heard::Other(excerpt(line.write().trim_end().as_bytes())),
            },
            Err(LinkError::BadLine { error, excerpt }) if excerpt.contains(ANSWER) => {
                *heard = Heard::Wrong { error, excerpt };
            }
            // The second half of a line that was cut off by a reset.
            Err(LinkError::BadLine { excerpt, .. }) => *heard = Heard::Other(excerpt),
            Err(LinkError::TimedOut(_)) => break,
            Err(error) => return Err(error),
        }
        // Lines that have come already are read without waiting.
        if deadline.is_over() {
            break;
        }
    }
    let other = wire.heard();
    if !other.is_empty() && !matches!(heard, Heard::Wrong { .. }) {
        *heard = Heard::Other(other);
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device that misses the first requests, and then answers each.
    struct Booting {
        missed: u32,
        lines: Vec<JsonLine>,
        chatter: &'static str,
    }

    impl Wire for Booting {
        fn write(&mut self, line: &JsonLine, _: Deadline) -> Result<(), LinkError> {
            if self.missed > 0 {
                self.missed -= 1;
            } else if line.get_text("do") == Ok(Some("describe")) {
                self.lines.extend([JsonLine::new("is", "worker"), JsonLine::new("is", "end")]);
            } else {
                self.lines.push(JsonLine::new("is", "clock"));
            }
            Ok(())
        }

        fn read(&mut self, deadline: Deadline) -> Result<JsonLine, LinkError> {
            let is_silent = self.lines.is_empty();
            if is_silent { Err(LinkError::TimedOut(deadline.patience())) } else { Ok(self.lines.remove(0)) }
        }

        fn heard(&self) -> String {
            self.chatter.into()
        }
    }

    fn greeted(missed: u32, lines: Vec<JsonLine>, chatter: &'static str) -> (Greeting, usize) {
        let mut device = Booting { missed, lines, chatter };
        let greeting = greet(&mut device, Duration::from_millis(20)).unwrap();
        (greeting, device.lines.len())
    }

    #[test]
    fn answers_to_repeated_requests_are_thrown_away() {
        let left = vec![JsonLine::new("is", "offer"), JsonLine::new("is", "end")];
        assert_eq!(greeted(2, left, "booting"), (Greeting::Worker, 0));
    }

    /// A device that answers each request with these lines, as often as it is asked.
    struct Answering {
        clock: Vec<Result<JsonLine, LinkError>>,
        describe: fn() -> Result<JsonLine, LinkError>,
        is_described: bool,
        asked: u32,
    }

    impl Wire for Answering {
        fn write(&mut self, line: &JsonLine, _: Deadline) -> Result<(), LinkError> {
            self.is_described = line.get_text("do") == Ok(Some("describe"));
            self.asked += 1;
            Ok(())
        }

        fn read(&mut self, deadline: Deadline) -> Result<JsonLine, LinkError> {
            match self.is_described {
                true => (self.describe)(),
                false if self.clock.is_empty() => Err(LinkError::TimedOut(deadline.patience())),
                false => self.clock.remove(0),
            }
        }

        fn heard(&self) -> String {
            String::new()
        }
    }

    fn worker() -> Result<JsonLine, LinkError> {
        Ok(JsonLine::new("is", "worker"))
    }

    fn bad_line(text: &str) -> LinkError {
        LinkError::BadLine { error: JsonLine::parse(text.as_bytes()).unwrap_err(), excerpt: text.into() }
    }

    fn answered(describe: fn() -> Result<JsonLine, LinkError>, clock: Vec<Result<JsonLine, LinkError>>) -> Greeting {
        let mut device = Answering { clock, describe, is_described: false, asked: 0 };
        greet(&mut device, Duration::from_millis(20)).unwrap()
    }

    #[test]
    fn worker_without_a_clock_is_a_worker() {
        assert_eq!(answered(worker, vec![]), Greeting::NoClock(None));
        let error = JsonLine::new("is", "error").text("why", "no timer");
        assert_eq!(answered(worker, vec![Ok(error)]), Greeting::NoClock(Some("no timer".into())));
        let wrong = r#"{"is":"clock","step_ns":-1}"#;
        let greeting = answered(worker, vec![Err(bad_line(wrong))]);
        assert!(matches!(&greeting, Greeting::Wrong { excerpt, .. } if excerpt == wrong), "{greeting:?}");
    }

    #[test]
    fn mistake_in_an_answer_is_said() {
        let wrong = || Err(bad_line(r#"{"is":"worker","clock_hz":-5}"#));
        let greeting = answered(wrong, vec![]);
        assert!(matches!(&greeting, Greeting::Wrong { excerpt, .. } if excerpt.contains("-5")), "{greeting:?}");
    }

    #[test]
    fn flood_of_lines_ends_with_the_patience() {
        let lux = || Ok(JsonLine::default().integer("lux", 7));
        assert_eq!(answered(lux, vec![]), Greeting::Other(r#"{"lux":7}"#.into()));
        let unknown = || Ok(JsonLine::new("is", "lux"));
        assert_eq!(answered(unknown, vec![]), Greeting::Other(r#"{"is":"lux"}"#.into()));
    }

    #[test]
    fn what_is_no_worker_is_quoted() {
        assert_eq!(greeted(u32::MAX, vec![], ""), (Greeting::Silence, 0));
        assert_eq!(greeted(u32::MAX, vec![], "hello").0, Greeting::Other("hello".into()));
        let sensor = JsonLine::default().integer("lux", 7);
        assert_eq!(greeted(u32::MAX, vec![sensor], "").0, Greeting::Other(r#"{"lux":7}"#.into()));
    }
}
