//! A worker's standard error, of which the end is kept for messages.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd};

use ciphermeter_core::escaped;

use crate::polling::{Interruption, PollFlags, is_readable, wait};
use crate::{Deadline, LinkError};

/// How much of it is kept.
const STDERR_TAIL: usize = 4096;
/// The most characters of a line that are shown.
const LINE: usize = 160;
/// How much is read at once.
const CHUNK: usize = 4096;
/// The most that a pipe holds on any system, unless the child has it enlarged.
const PIPE: usize = 1 << 20;

/// What a child writes for people.
pub(crate) struct Complaints {
    stderr: Option<File>,
    tail: Vec<u8>,
}

impl Complaints {
    pub(crate) fn of(stderr: Option<File>) -> Self {
        Self { stderr, tail: Vec::new() }
    }

    /// The last line; of a long one its end, where a shell names what it did not find.
    pub(crate) fn last(&self) -> String {
        let tail = String::from_utf8_lossy(&self.tail);
        let last = tail.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let signs: Vec<char> = last.trim().chars().collect();
        let (cut, shown) = signs.split_at(signs.len().saturating_sub(LINE));
        let cut = if cut.is_empty() { "" } else { "…" };
        format!("{cut}{}", escaped(&String::from_iter(shown)))
    }

    /// Takes in what is there now, as much as a pipe holds: more may come without an end.
    pub(crate) fn read_all(&mut self) {
        for _ in 0..PIPE / CHUNK {
            if self.stderr.as_ref().is_none_or(|stderr| !is_readable(stderr.as_fd())) {
                return;
            }
            self.read();
        }
    }

    #[cfg(test)]
    pub(crate) fn kept(&self) -> usize {
        self.tail.len()
    }

    fn read(&mut self) {
        let mut chunk = [0; CHUNK];
        let read = self.stderr.as_mut().map_or(Ok(0), |stderr| stderr.read(&mut chunk));
        match read {
            Ok(0) | Err(_) => self.stderr = None,
            Ok(read) => self.tail.extend_from_slice(&chunk[..read]),
        }
        let excess = self.tail.len().saturating_sub(STDERR_TAIL);
        self.tail.drain(..excess);
    }

    /// Waits until `file` is ready as the flag says, and meanwhile takes in what comes here: a child whose standard
    /// error is full does nothing else.
    pub(crate) fn wait_for(
        &mut self,
        file: (BorrowedFd<'_>, PollFlags),
        deadline: Deadline,
        interruption: &Interruption,
    ) -> Result<(), LinkError> {
        loop {
            let Some(stderr) = &self.stderr else { return wait([file], deadline, interruption).map(drop) };
            let [is_ready, complains] = wait([file, (stderr.as_fd(), PollFlags::IN)], deadline, interruption)?;
            if complains {
                self.read();
            }
            if is_ready {
                return Ok(());
            }
            // A child that complains without an end has no more time than another.
            interruption.left(deadline)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_line_is_shown_from_its_end() {
        let last = |text: &str| Complaints { stderr: None, tail: text.into() }.last();
        assert_eq!(last("first\nexec: qemu: not found\n\n"), "exec: qemu: not found");
        let said = last(&format!("{}: exec: qemu: not found", "/folder".repeat(40)));
        assert!(said.starts_with('…') && said.ends_with("exec: qemu: not found"), "{said}");
        assert_eq!(said.chars().count(), 161);
    }
}
