//! Messages of the control channel: one JSON object a line, `is` first among equals.
//!
//! WIRE.md lists every message in its order. Unknown keys are ignored, so that a later version can add some; an unknown
//! `is` is an error. Every value has a limit of its own: a message never keeps more than its line held, and mostly far
//! less.

mod words;

use std::io::BufRead;

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};

use crate::Error;
use crate::digest::FileDigest;
use crate::hello::TransferId;
use crate::holes::MIN_HOLE;
use crate::link::LinkTarget;
use crate::name::Name;
use crate::rates::Rate;
use crate::secret::{ResumeSecret, Token};
use crate::sentence::Sentence;
use crate::source::Version;
use crate::spent::Spent;
use crate::suite::Suite;

pub use words::{Skipped, Unplaced, Withdrawn};

/// The longest line, its newline included.
pub const MAX_MESSAGE: usize = 64 * 1024;
/// The most data connections of an attempt.
pub const MAX_STREAMS: u16 = 16;
/// The most files that are compared at once. Their digests fit a line.
pub const BATCH: usize = 256;

/// A line from the sender.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum FromSender {
    /// The first line: the sender's credentials and capabilities.
    Hello(SenderHello),
    /// An offered file; its number is its place among the files, from 0.
    File(OfferedFile),
    /// An offered folder, empty or not.
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
        /// How many entries the sender cannot send, and does not offer.
        #[serde(default, skip_serializing_if = "is_zero")]
        left_out: u32,
    },
    /// The answer to `compare`.
    Digests {
        /// The SHA-256 of each file's content, in the order of the question; `None` if it cannot be read, or changed.
        #[serde(deserialize_with = "a_batch")]
        sha256: Vec<Option<FileDigest>>,
    },
    /// A file that cannot be sent or has changed: what was received of it is void.
    Withdrawn {
        /// Which file.
        file: u32,
        /// Why.
        why: Withdrawn,
    },
    /// All streams have ended, and every file that was not withdrawn was sent in the state in which it was offered.
    Sent {
        /// Where the time of its data connections went, if it says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spent: Option<Spent>,
    },
    /// The sender, which listens, refuses a call.
    Refused {
        /// The reason, for a person.
        why: Sentence,
    },
    /// The sender knows that all is durable.
    Bye,
    /// The sender aborts.
    BrokeOff {
        /// The reason, for a person.
        why: Sentence,
    },
}

/// A line from the receiver.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum FromReceiver {
    /// The first line of a receiver that connects to a sender that listens.
    Call(Call),
    /// The sender is accepted; how the transfer will proceed.
    Welcome(Welcome),
    /// The receiver refuses.
    Refused {
        /// The reason, for a person.
        why: Sentence,
    },
    /// A question: what are these files' digests? Their names are taken by files of the same size.
    Compare {
        /// Which files, at most [`BATCH`].
        #[serde(deserialize_with = "a_batch")]
        files: Vec<u32>,
    },
    /// An offered file that is not wanted.
    Skip {
        /// Which file.
        file: u32,
        /// Why.
        why: Skipped,
    },
    /// A range of an offered file that is already here, from an earlier attempt.
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
    /// All bytes of these files are here and authentic.
    Authenticated {
        /// How many.
        files: u32,
    },
    /// A file that could not be received or placed.
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
        /// They are not: what came was authentic, and discarded.
        #[serde(default, skip_serializing_if = "is_false")]
        discarded: bool,
        /// Where the time of its data connections went, if it says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spent: Option<Spent>,
    },
    /// The receiver aborts.
    BrokeOff {
        /// The reason, for a person.
        why: Sentence,
    },
}

/// The first line of a receiver that connects. It has `token`, or `transfer` and `resume`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The version of the wire format.
    pub wire: u32,
    /// The ticket's token, 32 hex digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Token>,
    /// The transfer to resume, 32 hex digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transfer: Option<TransferId>,
    /// Its resume secret, 32 hex digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<ResumeSecret>,
}

/// The sender's first line. It has `token`, or `transfer` and `resume`; from a sender that listens, no `token`: the
/// receiver has proven itself by its call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SenderHello {
    /// The version of the wire format.
    pub wire: u32,
    /// The ticket's token, 32 hex digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Token>,
    /// The transfer to resume, 32 hex digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transfer: Option<TransferId>,
    /// Its resume secret, 32 hex digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<ResumeSecret>,
    /// The suites that it can seal with, and how fast.
    #[serde(deserialize_with = "each_suite_once")]
    pub suites: Vec<Rate>,
    /// The suite that the sender's user requests.
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
    /// The secret with which the sender can resume later, 32 hex digits; in the first attempt only. A receiver that
    /// writes to a pipe has none, because it cannot resume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<ResumeSecret>,
    /// The suites that the receiver can open with, and how fast.
    #[serde(deserialize_with = "each_suite_once")]
    pub suites: Vec<Rate>,
    /// The suite of this attempt.
    pub suite: Suite,
    /// The reason for that suite, for a person.
    pub why: Sentence,
    /// Whether the receiver's user requested it; otherwise it follows from both ends' rates.
    pub asked: bool,
    /// How many data connections to open.
    pub streams: u16,
}

/// A file that is offered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OfferedFile {
    /// Its path beneath the receiving folder.
    pub name: Name,
    /// Its bytes; of a link or a stream 0.
    pub size: u64,
    /// Of these, how many are not in holes; absent if all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<u64>,
    /// Where it points, if it is a symbolic link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<LinkTarget>,
    /// Whether it is a stream: its length shows only at its end, and `size` is 0.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stream: bool,
    /// Permission bits, at most 0o777.
    pub mode: u32,
    /// When it was modified: seconds since 1970.
    pub modified: i64,
    /// And nanoseconds, below 10⁹.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub nanoseconds: u32,
    /// Identifies the file's state, 32 hex digits; bytes of different states must not be mixed. Opaque to the receiver.
    pub version: Version,
}

impl OfferedFile {
    /// Bytes that it takes on a disk that stores holes as such: all of them, unless so much is holes that no space is
    /// reserved for them.
    pub fn data(&self) -> u64 {
        let is_sparse = |data: &u64| self.size.saturating_sub(*data) >= MIN_HOLE;
        self.data.filter(is_sparse).unwrap_or(self.size)
    }

    /// Whether space is reserved for its data only.
    pub fn is_sparse(&self) -> bool {
        self.data() < self.size
    }

    /// Whether its facts can be true of a file, a link or a stream.
    pub(crate) fn is_possible(&self) -> bool {
        let is_possible_link = |link: &LinkTarget| self.size == 0 && self.mode == 0 && link.stays_within(&self.name);
        self.mode <= 0o777
            && self.nanoseconds < 1_000_000_000
            && self.data.is_none_or(|data| data <= self.size)
            && self.link.as_ref().is_none_or(is_possible_link)
            && !(self.stream && (self.size > 0 || self.data.is_some() || self.link.is_some()))
    }

    /// Whether any execute bit is set.
    pub fn is_executable(&self) -> bool {
        self.mode & 0o111 != 0
    }
}

fn is_false(word: &bool) -> bool {
    !*word
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

fn a_batch<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    let all = Vec::<T>::deserialize(from)?;
    if all.len() <= BATCH { Ok(all) } else { Err(D::Error::custom("more files than are compared at once")) }
}

fn each_suite_once<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Rate>, D::Error> {
    let rates = Vec::<Rate>::deserialize(from)?;
    match Suite::ALL.iter().all(|suite| rates.iter().filter(|rate| rate.suite == *suite).count() <= 1) {
        true => Ok(rates),
        false => Err(D::Error::custom("a suite is listed twice")),
    }
}

/// Appends a message as a line to the queued ones. A message that would be too long is refused, and the queue stays
/// unchanged.
pub fn write_message(message: &impl Serialize, due: &mut Vec<u8>) -> Result<(), Error> {
    let before = due.len();
    serde_json::to_writer(&mut *due, message).map_err(|error| Error::Message(error.to_string()))?;
    due.push(b'\n');
    if due.len() - before > MAX_MESSAGE {
        due.truncate(before);
        return Err(Error::message("longer than a line may be"));
    }
    Ok(())
}

/// Reads the next line's bytes, its newline included. A line that is too long is refused before it is stored.
pub fn read_line(from: impl BufRead, line: &mut Vec<u8>) -> Result<(), Error> {
    line.clear();
    let limited = from.take(MAX_MESSAGE as u64).read_until(b'\n', line);
    limited.map_err(|error| Error::lost("waiting for the other end", error))?;
    match line.len() {
        _ if line.last() == Some(&b'\n') => Ok(()),
        MAX_MESSAGE => Err(Error::message("longer than a line may be")),
        _ => Err(Error::Cut),
    }
}

/// Parses a line as a message. It must be an object: serde alone would also accept an array of the values.
pub fn parse_message<T: DeserializeOwned>(line: &[u8]) -> Result<T, Error> {
    if line.first() != Some(&b'{') {
        return Err(Error::message("not a JSON object"));
    }
    serde_json::from_slice(line).map_err(|error| Error::Message(misread(&error.to_string()).to_string()))
}

/// What is wrong with a line, of a parser's text: not the types of ours that it expected, nor where in a line, which nobody
/// sees, but the other end's words, of which only so many are shown.
fn misread(text: &str) -> Sentence {
    let text = text.rsplit_once(" at line ").map_or(text, |(text, _)| text);
    let text = text.rsplit_once(", expected ").map_or(text, |(text, _)| text);
    match text.strip_prefix("unknown variant ") {
        Some(word) => format!("unknown word {word}").into(),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sentence::MAX_SENTENCE;

    #[test]
    fn lines_match_wire_md() {
        let bye = serde_json::to_string(&FromSender::Bye).unwrap();
        assert_eq!(bye, r#"{"is":"bye"}"#);
        let have = serde_json::to_string(&FromReceiver::Have { file: 1, offset: 2, length: 3 }).unwrap();
        assert_eq!(have, r#"{"is":"have","file":1,"offset":2,"length":3}"#);
        let hello = r#"{"is":"hello","wire":3,"token":"000102030405060708090a0b0c0d0e0f","suites":[{"suite":"aes-256-gcm","seal":5,"open":6}],"streams":1}"#;
        assert_eq!(serde_json::to_string(&serde_json::from_str::<FromSender>(hello).unwrap()).unwrap(), hello);
    }

    #[test]
    fn unknown_keys_are_ignored_and_unknown_suites_refused() {
        assert_eq!(serde_json::from_str::<FromSender>(r#"{"is":"bye","later":[1]}"#).unwrap(), FromSender::Bye);
        assert!(serde_json::from_str::<FromSender>(r#"{"is":"hi"}"#).is_err());
        let null = r#"{"is":"hello","wire":3,"suites":[{"suite":"null","seal":5,"open":6}],"streams":1}"#;
        assert!(serde_json::from_str::<FromSender>(null).is_err());
        let name = r#"{"is":"folder","name":"../up","mode":493}"#;
        assert!(serde_json::from_str::<FromSender>(name).is_err());
    }

    #[test]
    fn line_must_be_an_object() {
        assert_eq!(parse_message::<FromSender>(br#"{"is":"bye"}"#).unwrap(), FromSender::Bye);
        for line in [r#"["bye"]"#, r#"["offered",1,2]"#, r#" {"is":"bye"}"#, "\"bye\"", ""] {
            assert!(parse_message::<FromSender>(line.as_bytes()).is_err(), "{line}");
        }
        assert!(parse_message::<FromReceiver>(br#"["have",1,2,3]"#).is_err());
    }

    #[test]
    fn line_length_is_limited_on_both_ends() {
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
    fn what_is_said_of_a_bad_line_is_short_and_names_no_type() {
        let escapes = format!(r#"{{"is":"{}"}}"#, r"\u001b".repeat(400));
        for (line, says) in [
            (r#"{"is":"hi"}"#, "\"unknown word 'hi'\""),
            (r#"{"is":"offered","files":-1,"bytes":0}"#, "invalid value: integer '-1'"),
            (r#"{"is":"file","name":"a"}"#, "missing field 'size'"),
            (r#"{"is":"offered","files":[],"bytes":0}"#, "invalid type: sequence"),
            (&escapes, "unknown word '"),
        ] {
            let said = parse_message::<FromSender>(line.as_bytes()).unwrap_err().to_string();
            assert!(said.contains(says), "{said}");
            assert!(!said.contains("expected") && !said.contains("u32") && said.chars().count() < 520, "{said}");
        }
    }

    #[test]
    fn memory_for_messages_is_bounded() {
        let long = format!(r#"{{"is":"broke-off","why":"{}"}}"#, "ä".repeat(30_000));
        let FromSender::BrokeOff { why } = parse_message(long.as_bytes()).unwrap() else { panic!("another message") };
        assert_eq!(why.to_string().chars().count(), MAX_SENTENCE + 2);
        let withdrawn: FromSender =
            parse_message(br#"{"is":"withdrawn","file":1,"why":"/home/me/\u001b[2J"}"#).unwrap();
        assert_eq!(withdrawn, FromSender::Withdrawn { file: 1, why: Withdrawn::Unknown });
        let suites = r#"{"suite":"aes-256-gcm","seal":5,"open":6}"#;
        let hello = format!(r#"{{"is":"hello","wire":3,"suites":[{suites},{suites}],"streams":1}}"#);
        assert!(parse_message::<FromSender>(hello.as_bytes()).is_err());
    }

    #[test]
    fn digests_of_a_batch_fit_a_line() {
        let digest = FileDigest::of(0, |_, _| Ok::<_, ()>(())).unwrap();
        let mut line = Vec::new();
        write_message(&FromSender::Digests { sha256: vec![Some(digest); BATCH] }, &mut line).unwrap();
        write_message(&FromReceiver::Compare { files: vec![u32::MAX; BATCH] }, &mut line).unwrap();
        let more = serde_json::to_vec(&FromReceiver::Compare { files: vec![1; BATCH + 1] }).unwrap();
        assert!(parse_message::<FromReceiver>(&more).is_err());
    }

    proptest! {
        #[test]
        fn no_line_panics(line in ".{0,200}") {
            let _ = serde_json::from_str::<FromSender>(&line);
            let _ = serde_json::from_str::<FromReceiver>(&line);
        }
    }
}
