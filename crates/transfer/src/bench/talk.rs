//! Lines between a worker and its receiving process: over pipes on this machine, over TLS to another one.

use std::io::{self, BufRead, BufReader, Read, Write};

/// A line is at most this long, its newline included.
const MAX_LINE: u64 = 64 * 1024;

/// One end of such a conversation.
pub(super) trait Talk: Send {
    /// The next line; `None` when the other end has ended.
    fn hear(&mut self) -> io::Result<Option<String>>;

    /// Says a line.
    fn say(&mut self, line: &str) -> io::Result<()>;
}

/// Over two pipes, or any two halves.
pub(super) struct Pipes<R, W> {
    pub(super) from: BufReader<R>,
    pub(super) to: W,
}

impl<R: Read + Send, W: Write + Send> Talk for Pipes<R, W> {
    fn hear(&mut self) -> io::Result<Option<String>> {
        hear(&mut self.from)
    }

    fn say(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.to, "{line}").and_then(|()| self.to.flush())
    }
}

/// Over one stream that goes both ways.
pub(super) struct Stream<S: Read>(pub(super) BufReader<S>);

impl<S: Read + Write + Send> Talk for Stream<S> {
    fn hear(&mut self) -> io::Result<Option<String>> {
        match hear(&mut self.0) {
            // A TLS peer that was ended says no farewell.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            heard => heard,
        }
    }

    fn say(&mut self, line: &str) -> io::Result<()> {
        let stream = self.0.get_mut();
        stream.write_all(format!("{line}\n").as_bytes()).and_then(|()| stream.flush())
    }
}

fn hear(from: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut text = String::new();
    let read = from.take(MAX_LINE).read_line(&mut text)?;
    match text.strip_suffix('\n') {
        Some(line) => Ok(Some(line.to_owned())),
        None if read == 0 => Ok(None),
        None => Err(io::Error::new(io::ErrorKind::InvalidData, "a line is cut, or longer than 65,536 bytes")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(text: &[u8]) -> Vec<io::Result<Option<String>>> {
        let mut talk = Pipes { from: BufReader::new(text), to: io::sink() };
        (0..3).map(|_| talk.hear()).collect()
    }

    #[test]
    fn lines_end_with_a_newline_and_have_a_bound() {
        let lines = heard(b"one\n\n");
        assert_eq!(lines[0].as_ref().unwrap().as_deref(), Some("one"));
        assert_eq!(lines[1].as_ref().unwrap().as_deref(), Some(""));
        assert_eq!(lines[2].as_ref().unwrap().as_deref(), None);
        assert!(heard(b"cut")[0].is_err());
        assert!(heard(&vec![b'x'; 1 << 17])[0].is_err());
    }
}
