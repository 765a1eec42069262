//! The two lines that the ends exchange through ssh: a request to the remote end, and its answer.
//!
//! A line is a mark, the version of these lines, and JSON: `ciphermeter-ssh 1 {…}`. Bytes from the other end have
//! limits: what comes before the line (a login shell may greet) and the line itself. A line may have a ticket in it, so
//! it is read without a buffer that keeps a copy, wiped when dropped, and repeated in no message.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;
use zeroize::Zeroizing;

/// What a line begins with.
const MARK: &[u8] = b"ciphermeter-ssh ";
/// The version of these lines. Another one is another ciphermeter.
const VERSION: &[u8] = b"1";
/// The most bytes of a line, with its newline.
const MAX_LINE: usize = 32 * 1024;
/// The most bytes before it.
const MAX_NOISE: usize = 64 * 1024;

/// Why there is no line.
#[derive(Debug, thiserror::Error)]
pub enum BadLine {
    #[error("it ended without an answer")]
    Ended,
    /// Too much of something else came.
    #[error("it printed more than 64 KiB that are no answer")]
    Noise,
    /// The line itself does not end.
    #[error("its answer is longer than 32 KiB")]
    TooLong,
    #[error("it answers like another version of ciphermeter")]
    OtherVersion,
    /// Something unknown is in the line. (What, is not repeated: it may be a secret.)
    #[error("its answer has something in it that this version of ciphermeter does not know")]
    Unknown,
    #[error("its answer cannot be read: {0}")]
    Unreadable(io::Error),
}

/// Writes a line. It begins with a newline: what a shell printed before may have none.
pub fn write(to: &mut impl Write, content: &impl Serialize) -> io::Result<()> {
    let mut line = Zeroizing::new(Vec::with_capacity(MAX_LINE));
    line.push(b'\n');
    line.extend_from_slice(&[MARK, VERSION, b" "].concat());
    serde_json::to_writer(&mut *line, content)?;
    line.push(b'\n');
    to.write_all(&line)?;
    to.flush()
}

/// Reads the line, past whatever comes before it, and not a byte beyond it.
pub fn read<T: DeserializeOwned>(from: &mut impl Read) -> Result<T, BadLine> {
    parse(&next_marked(from)?)
}

/// What follows the mark, without the newline.
#[allow(clippy::unbuffered_bytes)] // A buffer would keep a copy of a ticket, and take what follows the line.
fn next_marked(from: &mut impl Read) -> Result<Zeroizing<Vec<u8>>, BadLine> {
    let (mut line, mut noise) = (Zeroizing::new(Vec::with_capacity(MAX_LINE)), 0);
    for byte in from.bytes() {
        // Of a line that cannot be ours, only the length counts.
        let is_ours = line.len() >= MARK.len() && line.starts_with(MARK);
        match byte.map_err(BadLine::Unreadable)? {
            b'\n' if is_ours => return Ok(Zeroizing::new(line[MARK.len()..].to_vec())),
            b'\n' => {
                noise += line.len() + 1;
                line.clear();
            }
            _ if line.len() + 1 == MAX_LINE && is_ours => return Err(BadLine::TooLong),
            _ if line.len() + 1 == MAX_LINE => noise += 1,
            byte => line.push(byte),
        }
        if noise + if is_ours { 0 } else { line.len() } > MAX_NOISE {
            return Err(BadLine::Noise);
        }
    }
    Err(BadLine::Ended)
}

fn parse<T: DeserializeOwned>(line: &[u8]) -> Result<T, BadLine> {
    let space = line.iter().position(|byte| *byte == b' ').ok_or(BadLine::OtherVersion)?;
    if &line[..space] != VERSION {
        return Err(BadLine::OtherVersion);
    }
    serde_json::from_slice(&line[space..]).map_err(|_| BadLine::Unknown)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn line(text: &str) -> Vec<u8> {
        let mut line = Vec::new();
        write(&mut line, &text).unwrap();
        line
    }

    #[test]
    fn line_is_found_behind_a_greeting() {
        for greeting in ["", "Welcome\n", "$ ", "\n\n", "ciphermeter-ss\n", &"x".repeat(40_000), &"x\n".repeat(30_000)]
        {
            let mut bytes = greeting.as_bytes().to_vec();
            bytes.extend(line("text"));
            bytes.extend(b"more");
            let mut from = &bytes[..];
            assert_eq!(read::<String>(&mut from).unwrap(), "text");
            assert_eq!(from, b"more", "nothing beyond the line is read");
        }
        let from_a_terminal = String::from_utf8(line("text")).unwrap().replace('\n', "\r\n");
        assert_eq!(read::<String>(&mut from_a_terminal.as_bytes()).unwrap(), "text");
    }

    #[test]
    fn endless_bytes_are_not_read_for_ever() {
        let why = |text: &[u8]| read::<String>(&mut text.chain(io::repeat(b'x'))).unwrap_err();
        assert!(matches!(why(b""), BadLine::Noise));
        assert!(matches!(why(b"greeting\n"), BadLine::Noise));
        assert!(matches!(why(b"ciphermeter-ssh 1 \""), BadLine::TooLong));
        assert!(matches!(read::<String>(&mut io::repeat(b'\n')).unwrap_err(), BadLine::Noise));
    }

    #[test]
    fn wrong_line_is_told_apart_and_not_repeated() {
        let why = |text: &str| read::<String>(&mut text.as_bytes()).unwrap_err();
        assert!(matches!(why(""), BadLine::Ended));
        assert!(matches!(why("ciphermeter-ssh 1 \"cut"), BadLine::Ended));
        assert!(matches!(why("ciphermeter-ssh 2 \"text\"\n"), BadLine::OtherVersion));
        assert!(matches!(why("ciphermeter-ssh \n"), BadLine::OtherVersion));
        let secret = why("ciphermeter-ssh 1 {\"ticket\":\"cm1.secret\"}\n");
        assert!(matches!(secret, BadLine::Unknown) && !format!("{secret:?} {secret}").contains("secret\""));
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), marked: bool) {
            let bytes = if marked { [b"ciphermeter-ssh 1 ", &bytes[..], b"\n"].concat() } else { bytes };
            let _ = read::<serde_json::Value>(&mut &bytes[..]);
        }

        #[test]
        fn written_line_is_read(text: String) {
            prop_assert_eq!(read::<String>(&mut &line(&text)[..]).unwrap(), text);
        }
    }
}
