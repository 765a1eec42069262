//! Lines between a worker and its receiving process: over pipes on this machine, over a ticket's stream to another one.

use std::io::{self, BufRead, BufReader, Read, Write};

/// A line is at most this long, its newline included.
const MAX_LINE: u64 = 64 * 1024;

/// One end of a connection that carries lines.
pub(crate) trait Lines: Send {
    /// The next line; `None` when the other end has ended.
    fn read_line(&mut self) -> io::Result<Option<String>>;

    /// Writes a line at once.
    fn write_line(&mut self, line: &str) -> io::Result<()>;
}

/// Over two pipes, or any two halves.
pub(crate) struct Pipes<R, W> {
    pub(crate) from: BufReader<R>,
    pub(crate) to: W,
}

impl<R: Read + Send, W: Write + Send> Lines for Pipes<R, W> {
    fn read_line(&mut self) -> io::Result<Option<String>> {
        read_line(&mut self.from)
    }

    fn write_line(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.to, "{line}").and_then(|()| self.to.flush())
    }
}

/// Over one bidirectional stream.
pub(crate) struct Stream<S: Read>(pub(crate) BufReader<S>);

impl<S: Read + Write + Send> Lines for Stream<S> {
    fn read_line(&mut self) -> io::Result<Option<String>> {
        match read_line(&mut self.0) {
            // A process that was killed does not close its TLS session.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            read => read,
        }
    }

    fn write_line(&mut self, line: &str) -> io::Result<()> {
        let stream = self.0.get_mut();
        stream.write_all(format!("{line}\n").as_bytes()).and_then(|()| stream.flush())
    }
}

fn read_line(from: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut text = String::new();
    let read = from.take(MAX_LINE).read_line(&mut text)?;
    match text.strip_suffix('\n') {
        Some(line) => Ok(Some(line.to_owned())),
        None if read == 0 => Ok(None),
        None => Err(io::Error::new(io::ErrorKind::InvalidData, "a line is truncated, or longer than 65,536 bytes")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Vec<io::Result<Option<String>>> {
        let mut lines = Pipes { from: BufReader::new(text), to: io::sink() };
        (0..3).map(|_| lines.read_line()).collect()
    }

    #[test]
    fn line_ends_with_a_newline_and_is_bounded() {
        let lines = read(b"one\n\n");
        assert_eq!(lines[0].as_ref().unwrap().as_deref(), Some("one"));
        assert_eq!(lines[1].as_ref().unwrap().as_deref(), Some(""));
        assert_eq!(lines[2].as_ref().unwrap().as_deref(), None);
        assert!(read(b"cut")[0].is_err());
        assert!(read(&vec![b'x'; 1 << 17])[0].is_err());
    }
}
