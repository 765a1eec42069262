//! Waiting for file descriptors: until one is ready, the time is over, or the user ends the run. All that a link reads
//! or writes waits here, so that no worker holds the harness up for longer.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub(crate) use rustix::event::PollFlags;
use rustix::event::{PollFd, Timespec, poll};
use rustix::io::Errno;

use crate::{Deadline, LinkError};

/// What is under way when the user ends the run may still take so long: most answers come, and are kept.
const GRACE: Duration = Duration::from_secs(2);
/// How often a wait looks whether the user has ended the run.
const LOOK: Duration = Duration::from_millis(100);

/// Whether the user has ended the run, after which no wait lasts long.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interruption {
    flag: Option<Arc<AtomicBool>>,
    noticed: Cell<Option<Instant>>,
}

impl Interruption {
    pub(crate) fn new(flag: Arc<AtomicBool>) -> Self {
        Self { flag: Some(flag), noticed: Cell::default() }
    }

    pub(crate) fn has_come(&self) -> bool {
        self.flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// How long a wait may still last; the error once it is over.
    pub(crate) fn left(&self, deadline: Deadline) -> Result<Duration, LinkError> {
        let waited = deadline.begun.elapsed();
        if waited >= deadline.patience {
            return Err(LinkError::TimedOut(deadline.patience));
        }
        let left = deadline.patience - waited;
        match &self.flag {
            None => Ok(left),
            Some(flag) if !flag.load(Ordering::Relaxed) => Ok(left.min(LOOK)),
            Some(_) => {
                let noticed = self.noticed.get().unwrap_or_else(Instant::now);
                self.noticed.set(Some(noticed));
                let waited = noticed.max(deadline.begun).elapsed();
                if waited < GRACE { Ok(left.min(GRACE - waited)) } else { Err(LinkError::Interrupted) }
            }
        }
    }
}

/// Waits until one of them is ready as its flags say, or is closed, and says which.
///
/// # Errors
/// None is, and the time is over.
pub(crate) fn wait<const N: usize>(
    fds: [(BorrowedFd<'_>, PollFlags); N],
    deadline: Deadline,
    interruption: &Interruption,
) -> Result<[bool; N], LinkError> {
    loop {
        let left = interruption.left(deadline);
        // What came in time is taken, even if a busy machine looks too late.
        let ready = ready(fds, left.as_ref().copied().unwrap_or_default())?;
        if ready.contains(&true) {
            return Ok(ready);
        }
        left?;
    }
}

/// Whether it can be read now, or is closed.
pub(crate) fn is_readable(fd: BorrowedFd<'_>) -> bool {
    matches!(ready([(fd, PollFlags::IN)], Duration::ZERO), Ok([true]))
}

/// Writes all bytes; false if the other end is gone. `wait` waits while no more of them fit in.
pub(crate) fn write_all(
    file: &mut File,
    mut bytes: &[u8],
    mut wait: impl FnMut(BorrowedFd<'_>) -> Result<(), LinkError>,
) -> Result<bool, LinkError> {
    while !bytes.is_empty() {
        match file.write(bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => wait(file.as_fd()).map_err(unread)?,
            Err(_) => return Ok(false),
        }
    }
    Ok(true)
}

/// While a request is written, silence means something else.
fn unread(error: LinkError) -> LinkError {
    match error {
        LinkError::TimedOut(patience) => LinkError::Unread(patience),
        error => error,
    }
}

/// All false when the time is over or a signal came.
fn ready<const N: usize>(fds: [(BorrowedFd<'_>, PollFlags); N], time: Duration) -> io::Result<[bool; N]> {
    let time = time.min(Duration::from_secs(1 << 30));
    let timeout = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: i64::from(time.subsec_nanos()) };
    let mut ready = fds.map(|(fd, flags)| PollFd::from_borrowed_fd(fd, flags));
    match poll(&mut ready, Some(&timeout)) {
        Ok(_) => Ok(ready.each_ref().map(|fd| !fd.revents().is_empty())),
        Err(Errno::INTR) => Ok([false; N]),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn once_the_user_has_ended_the_run_no_wait_lasts_longer_than_the_grace() {
        let flag = Arc::new(AtomicBool::new(true));
        let interruption = Interruption::new(flag.clone());
        let hour = |begun: Instant| Deadline { begun, patience: Duration::from_secs(3600) };
        let now = Instant::now();
        assert!(interruption.left(hour(now)).is_ok_and(|left| left <= GRACE));
        // It was ended two seconds ago, and the wait had begun before.
        interruption.noticed.set(now.checked_sub(GRACE));
        let before = now.checked_sub(2 * GRACE).unwrap();
        assert!(matches!(interruption.left(hour(before)), Err(LinkError::Interrupted)));
        assert!(interruption.left(hour(Instant::now())).is_ok(), "what is asked afterwards has its own");
        flag.store(false, Ordering::Relaxed);
        assert!(interruption.left(hour(before)).is_ok_and(|left| left == LOOK));
    }

    #[test]
    fn what_came_in_time_is_seen_after_the_deadline_too() {
        let (read, mut write) = io::pipe().unwrap();
        let over = Deadline::after(Duration::ZERO);
        let look = || wait([(read.as_fd(), PollFlags::IN)], over, &Interruption::default());
        assert!(matches!(look(), Err(LinkError::TimedOut(_))));
        write.write_all(b"x").unwrap();
        assert_eq!(look().unwrap(), [true]);
    }
}
