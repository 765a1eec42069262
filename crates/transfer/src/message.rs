//! What is said over the control channel: one JSON object a line, `is` first among equals.
//!
//! WIRE.md lists every message in its order. Unknown keys are ignored, so that a later version can say more; an unknown `is` is
//! an error. Whatever a line holds has a limit of its own: a message never keeps more than its line had, and mostly far less.

use std::fmt;
use std::io::BufRead;

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};

use crate::Error;
use crate::hello::TransferId;
use crate::name::Name;
use crate::rates::Rate;
use crate::secret::{ResumeSecret, Token};
use crate::sentence::Sentence;
use crate::source::Version;
use crate::suite::Suite;

/// The longest line, its newline included.
pub const MAX_MESSAGE: usize = 64 * 1024;
/// The most data connections of an attempt.
pub const MAX_STREAMS: u16 = 16;
/// Why a file of an offer is not sent after all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Withdrawn {
    /// It is not in the state in which it was offered.
    Changed,
    /// The sender's system does not let it be read.
    Unreadable,
    /// A word of a later version.
    #[serde(other)]
    Unknown,
}

impl fmt::Display for Withdrawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Changed => "it was changed while it was being sent; have it sent again",
            Self::Unreadable => "the sender cannot read it; have it made readable there, then sent again",
            Self::Unknown => "the sender withdrew it, for a reason that this version does not know",
        })
    }
}

/// Why a file could not get its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unplaced {
    /// Something has the name already.
    Exists,
    /// A file or a link stands where a folder must be.
    InTheWay,
    /// The file system cannot give the name safely.
    FileSystem,
    /// The receiver's system says no otherwise.
    Disk,
    /// A word of a later version.
    #[serde(other)]
    Unknown,
}

impl fmt::Display for Unplaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exists => "a file of that name exists at the receiver and is not overwritten",
            Self::InTheWay => "a file or a link at the receiver stands where its folder must be",
            Self::FileSystem => {
                "the receiver's file system cannot give it its name without the risk of overwriting another file"
            }
            Self::Disk => "the receiver could not write it; the message there says why",
            Self::Unknown => "the receiver could not place it, for a reason that this version does not know",
        })
    }
}

/// A line from the sender.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum FromSender {
    /// The first line: who is there, and what it can do.
    Hello(SenderHello),
    /// A file that is offered; its number is its place among the files, from 0.
    File(OfferedFile),
    /// A folder that is offered, whether or not something is in it.
    Folder {
        /// Its name.
        name: Name,
        /// Permission bits.
        mode: u32,
    },
    /// The end of the offer.
    Offered {
        /// How many files.
        files: u32,
        /// Their bytes.
        bytes: u64,
    },
    /// A file that cannot be sent, or is another one now: what came of it is void.
    Withdrawn {
        /// Which file.
        file: u32,
        /// Why.
        why: Withdrawn,
    },
    /// All streams have ended, and every file that was not withdrawn went out and is still the one that was offered.
    Sent,
    /// The sender has heard that all is durable.
    Bye,
    /// The sender breaks off.
    BrokeOff {
        /// Why, for a person.
        why: Sentence,
    },
}

/// A line from the receiver.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum FromReceiver {
    /// The sender is known; what is going to be done.
    Welcome(Welcome),
    /// The receiver says no.
    Refused {
        /// Why, for a person.
        why: Sentence,
    },
    /// A range of an offered file that is here already, from an earlier attempt.
    Have {
        /// Which file.
        file: u32,
        /// Where it begins.
        offset: u64,
        /// Its bytes.
        length: u64,
    },
    /// Data may come.
    Ready,
    /// These files' bytes are all here and authentic.
    Authenticated {
        /// How many.
        files: u32,
    },
    /// A file that could not be received or put in its place.
    Failed {
        /// Which file.
        file: u32,
        /// Why.
        why: Unplaced,
    },
    /// These files are on disk under their names.
    Durable {
        /// How many.
        files: u32,
    },
    /// The receiver breaks off.
    BrokeOff {
        /// Why, for a person.
        why: Sentence,
    },
}

/// The sender's first line. It has `token`, or `transfer` and `resume`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SenderHello {
    /// The version of the wire format.
    pub wire: u32,
    /// The ticket's token, 32 hex digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Token>,
    /// Which transfer to go on with, 32 hex digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transfer: Option<TransferId>,
    /// Its resume secret, 32 hex digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<ResumeSecret>,
    /// What it can seal with, and how fast.
    #[serde(deserialize_with = "each_suite_once")]
    pub suites: Vec<Rate>,
    /// The suite that its user asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<Suite>,
    /// How many data connections it would open.
    pub streams: u16,
}

/// The receiver's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Welcome {
    /// The version of the wire format.
    pub wire: u32,
    /// The transfer's number, 32 hex digits.
    pub transfer: TransferId,
    /// The attempt's number, from 1.
    pub attempt: u32,
    /// What the sender shows to go on with it later, 32 hex digits; in the first attempt only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<ResumeSecret>,
    /// What the receiver can open with, and how fast.
    #[serde(deserialize_with = "each_suite_once")]
    pub suites: Vec<Rate>,
    /// The suite of this attempt.
    pub suite: Suite,
    /// Why that one, for a person.
    pub why: Sentence,
    /// Whether the receiver's user asks for it; else it follows from both ends' rates.
    pub asked: bool,
    /// How many data connections to open.
    pub streams: u16,
}

/// A file that is offered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OfferedFile {
    /// Where it shall be, beneath the receiving folder.
    pub name: Name,
    /// Its bytes.
    pub size: u64,
    /// Permission bits, at most 0o777.
    pub mode: u32,
    /// When it was modified: seconds since 1970.
    pub modified: i64,
    /// And nanoseconds, below 10⁹.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub nanoseconds: u32,
    /// Which state of the file this is, 32 hex digits: another state's bytes don't go with these. Opaque to the receiver.
    pub version: Version,
}

impl OfferedFile {
    /// Whether somebody may run it.
    pub fn is_executable(&self) -> bool {
        self.mode & 0o111 != 0
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

fn each_suite_once<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Rate>, D::Error> {
    let rates = Vec::<Rate>::deserialize(from)?;
    match Suite::ALL.iter().all(|suite| rates.iter().filter(|rate| rate.suite == *suite).count() <= 1) {
        true => Ok(rates),
        false => Err(D::Error::custom("a suite is listed twice")),
    }
}

/// Appends a message as a line to those that are due; one that would be too long is refused and leaves them as they are.
pub fn write_message(message: &impl Serialize, due: &mut Vec<u8>) -> Result<(), Error> {
    let before = due.len();
    serde_json::to_writer(&mut *due, message).map_err(|error| Error::Message(error.to_string()))?;
    due.push(b'\n');
    if due.len() - before > MAX_MESSAGE {
        due.truncate(before);
        return Err(Error::Message("it would be longer than a line may be".into()));
    }
    Ok(())
}

/// Reads the next line's bytes, its newline included; one that is too long is refused before it is kept.
pub fn read_line(from: impl BufRead, line: &mut Vec<u8>) -> Result<(), Error> {
    line.clear();
    let limited = from.take(MAX_MESSAGE as u64).read_until(b'\n', line);
    limited.map_err(|error| Error::lost("listening to the other end", error))?;
    match line.len() {
        _ if line.last() == Some(&b'\n') => Ok(()),
        MAX_MESSAGE => Err(Error::Message("it is longer than a line may be".into())),
        _ => Err(Error::Cut),
    }
}

/// The message of a line, which is an object: serde by itself would take an array of its values for one, too.
pub fn parse_message<T: DeserializeOwned>(line: &[u8]) -> Result<T, Error> {
    if line.first() != Some(&b'{') {
        return Err(Error::Message("it is no JSON object".into()));
    }
    serde_json::from_slice(line).map_err(|error| Error::Message(Sentence::from(error.to_string()).to_string()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sentence::MAX_SENTENCE;

    #[test]
    fn lines_are_what_wire_md_shows() {
        let bye = serde_json::to_string(&FromSender::Bye).unwrap();
        assert_eq!(bye, r#"{"is":"bye"}"#);
        let have = serde_json::to_string(&FromReceiver::Have { file: 1, offset: 2, length: 3 }).unwrap();
        assert_eq!(have, r#"{"is":"have","file":1,"offset":2,"length":3}"#);
        let hello = r#"{"is":"hello","wire":2,"token":"000102030405060708090a0b0c0d0e0f","suites":[{"suite":"aes-256-gcm","seal":5,"open":6}],"streams":1}"#;
        assert_eq!(serde_json::to_string(&serde_json::from_str::<FromSender>(hello).unwrap()).unwrap(), hello);
    }

    #[test]
    fn unknown_keys_are_passed_over_and_unknown_suites_refused() {
        assert_eq!(serde_json::from_str::<FromSender>(r#"{"is":"bye","later":[1]}"#).unwrap(), FromSender::Bye);
        assert!(serde_json::from_str::<FromSender>(r#"{"is":"hi"}"#).is_err());
        let null = r#"{"is":"hello","wire":2,"suites":[{"suite":"null","seal":5,"open":6}],"streams":1}"#;
        assert!(serde_json::from_str::<FromSender>(null).is_err());
        let name = r#"{"is":"folder","name":"../up","mode":493}"#;
        assert!(serde_json::from_str::<FromSender>(name).is_err());
    }

    #[test]
    fn a_line_is_an_object() {
        assert_eq!(parse_message::<FromSender>(br#"{"is":"bye"}"#).unwrap(), FromSender::Bye);
        for line in [r#"["bye"]"#, r#"["offered",1,2]"#, r#" {"is":"bye"}"#, "\"bye\"", ""] {
            assert!(parse_message::<FromSender>(line.as_bytes()).is_err(), "{line}");
        }
        assert!(parse_message::<FromReceiver>(br#"["have",1,2,3]"#).is_err());
    }

    #[test]
    fn a_line_is_bounded_on_both_ends() {
        let line_of = |length: usize| "x".repeat(length - "\"\"\n".len());
        let mut due = b"{}\n".to_vec();
        assert!(write_message(&line_of(MAX_MESSAGE + 1), &mut due).is_err());
        assert_eq!(due, b"{}\n");
        due.clear();
        write_message(&line_of(MAX_MESSAGE), &mut due).unwrap();
        let mut line = Vec::new();
        read_line(&due[..], &mut line).unwrap();
        assert_eq!(line, due);
        assert!(matches!(read_line(&due[1..due.len() - 1], &mut line), Err(Error::Cut)));
        due.insert(0, b' ');
        assert!(matches!(read_line(&due[..], &mut line), Err(Error::Message(_))));
    }

    #[test]
    fn little_is_kept_of_what_the_other_end_says() {
        let long = format!(r#"{{"is":"broke-off","why":"{}"}}"#, "ä".repeat(30_000));
        let FromSender::BrokeOff { why } = parse_message(long.as_bytes()).unwrap() else { panic!("another message") };
        assert_eq!(why.to_string().chars().count(), MAX_SENTENCE);
        let withdrawn: FromSender =
            parse_message(br#"{"is":"withdrawn","file":1,"why":"/home/me/\u001b[2J"}"#).unwrap();
        assert_eq!(withdrawn, FromSender::Withdrawn { file: 1, why: Withdrawn::Unknown });
        let suites = r#"{"suite":"aes-256-gcm","seal":5,"open":6}"#;
        let hello = format!(r#"{{"is":"hello","wire":2,"suites":[{suites},{suites}],"streams":1}}"#);
        assert!(parse_message::<FromSender>(hello.as_bytes()).is_err());
    }

    proptest! {
        #[test]
        fn no_line_panics(line in ".{0,200}") {
            let _ = serde_json::from_str::<FromSender>(&line);
            let _ = serde_json::from_str::<FromReceiver>(&line);
        }
    }
}
