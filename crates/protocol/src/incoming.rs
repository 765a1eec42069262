//! What came from the other side and is not yet taken: bytes, cut into lines.
//!
//! Promises: no more than one line and one chunk are kept, whatever comes. A device's other lines, such as the messages of its boot
//! loader, are not kept at all, but for the beginning of the first; and they may not go on for ever.

use crate::link::excerpt;
use crate::{JsonLine, LineError, LinkError, MAX_LINE};

/// Bytes of other lines without an answer between them, after which a device counts as none.
pub(crate) const MOST_CHATTER: usize = 1 << 20;
/// So much of other lines is kept to be shown.
const SHOWN: usize = 240;

/// Bytes received and not yet taken as lines.
#[derive(Debug, Default)]
pub(crate) struct Incoming {
    pending: Vec<u8>,
    /// Of a device: what came beside the protocol's lines since the latest of those. `None`: every line is the protocol's.
    chatter: Option<Chatter>,
}

/// Lines that are no part of the protocol.
#[derive(Debug, Default)]
struct Chatter {
    bytes: usize,
    /// Their beginning.
    head: Vec<u8>,
    /// Whether the line under way is one of them, whose bytes so far are gone.
    is_within: bool,
}

impl Chatter {
    fn add(&mut self, bytes: &[u8]) -> Result<(), LinkError> {
        let room = SHOWN.saturating_sub(self.head.len());
        self.head.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.bytes += bytes.len();
        if self.bytes >= MOST_CHATTER {
            return Err(LinkError::Chatter { excerpt: excerpt(self.head.trim_ascii()) });
        }
        Ok(())
    }
}

impl Incoming {
    /// Of a device, whose lines that do not begin with `{` are passed over.
    pub(crate) fn of_device() -> Self {
        Self { pending: Vec::new(), chatter: Some(Chatter::default()) }
    }

    /// Takes bytes in.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
    }

    /// Whether there is nothing that was not taken.
    pub(crate) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// The beginning of the lines that were passed over since the latest answer, fit to be shown; empty where there were none.
    pub(crate) fn heard(&self) -> String {
        self.chatter.as_ref().map_or(String::new(), |chatter| excerpt(chatter.head.trim_ascii()))
    }

    /// The first complete line, if there is one. After an error, that line is gone.
    pub(crate) fn take_line(&mut self) -> Result<Option<JsonLine>, LinkError> {
        self.pass_over()?;
        let end = self.pending.iter().position(|byte| *byte == b'\n');
        if end.unwrap_or(self.pending.len()) >= MAX_LINE {
            let error = LinkError::BadLine { error: LineError::TooLong, excerpt: excerpt(&self.pending) };
            self.pending.clear();
            return Err(error);
        }
        let Some(end) = end else { return Ok(None) };
        let line: Vec<u8> = self.pending.drain(..=end).take(end).collect();
        let line = JsonLine::parse(&line).map_err(|error| LinkError::BadLine { error, excerpt: excerpt(&line) })?;
        if let Some(chatter) = &mut self.chatter {
            *chatter = Chatter::default();
        }
        Ok(Some(line))
    }

    /// Drops a device's other lines from the front.
    fn pass_over(&mut self) -> Result<(), LinkError> {
        let Some(chatter) = &mut self.chatter else { return Ok(()) };
        let mut at = 0;
        while at < self.pending.len() && (chatter.is_within || self.pending[at] != b'{') {
            let end = self.pending[at..].iter().position(|byte| *byte == b'\n');
            chatter.is_within = end.is_none();
            at = end.map_or(self.pending.len(), |end| at + end + 1);
        }
        let passed: Vec<u8> = self.pending.drain(..at).collect();
        chatter.add(&passed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(incoming: &mut Incoming, bytes: &[u8]) -> Vec<Result<JsonLine, String>> {
        incoming.add(bytes);
        let next = || incoming.take_line().map_err(|error| error.to_string()).transpose();
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn other_lines_of_a_device_are_passed_over() {
        let mut device = Incoming::of_device();
        let answer = JsonLine::new("is", "rejected");
        let boot = b"ets Jul 29 2019\r\nrst:0x1 (POWERON)\r\n\r\n{\"is\":\"rejected\"}\r\nready";
        assert_eq!(lines(&mut device, boot), [Ok(answer.clone())]);
        assert_eq!(device.heard(), "ready");
        assert_eq!(lines(&mut device, b", steady {\"is\":\"no\"}\n{\"is\":\"rejected\"}\n"), [Ok(answer)]);
        assert_eq!((device.heard().as_str(), device.is_empty()), ("", true));
    }

    #[test]
    fn every_line_of_a_process_is_an_answer() {
        let mut process = Incoming::default();
        let said = lines(&mut process, b"ready\n{\"is\":\"rejected\"}\n");
        assert!(said[0].as_ref().unwrap_err().contains("it answered `ready`") && said[1].is_ok(), "{said:?}");
    }

    #[test]
    fn endless_lines_are_not_kept() {
        for byte in [b'x', b'{', b'\n'] {
            let mut device = Incoming::of_device();
            let failed = (0..2 * MOST_CHATTER / 1000).find_map(|_| {
                device.add(&[byte; 1000]);
                assert!(device.pending.capacity() <= 4 * MAX_LINE);
                device.take_line().err()
            });
            let failed = failed.expect("it ends somewhere").to_string();
            let expected = if byte == b'{' { "a line longer than 65536 bytes" } else { "sent 1 MiB without an answer" };
            assert!(failed.contains(expected), "{failed}");
        }
    }

    proptest! {
        #[test]
        fn it_does_not_matter_how_bytes_arrive(
            bytes in proptest::collection::vec(proptest::sample::select(b"{}\"is:no\n\r, ".to_vec()), 0..300),
            cut in 0_usize..300,
            is_device: bool,
        ) {
            let new = || if is_device { Incoming::of_device() } else { Incoming::default() };
            let (mut whole, mut pieces) = (new(), new());
            let (first, second) = bytes.split_at(cut.min(bytes.len()));
            let in_pieces = [lines(&mut pieces, first), lines(&mut pieces, second)].concat();
            prop_assert_eq!(lines(&mut whole, &bytes), in_pieces);
        }
    }
}
