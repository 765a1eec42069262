//! Waiting for a file descriptor, for no longer than until a given moment.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// Waits until one of them can be read, or is closed, and says which; all false when the time is over or a signal came.
pub(crate) fn wait_readable<const N: usize>(fds: [BorrowedFd<'_>; N], until: Instant) -> io::Result<[bool; N]> {
    wait(fds, PollFlags::IN, until)
}

/// Waits until it can be written to, or is closed; false when the time is over or a signal came.
pub(crate) fn wait_writable(fd: BorrowedFd<'_>, until: Instant) -> io::Result<bool> {
    wait([fd], PollFlags::OUT, until).map(|[is_writable]| is_writable)
}

/// Whether it can be read now, or is closed.
pub(crate) fn is_readable(fd: BorrowedFd<'_>) -> bool {
    matches!(wait_readable([fd], Instant::now()), Ok([true]))
}

fn wait<const N: usize>(fds: [BorrowedFd<'_>; N], flags: PollFlags, until: Instant) -> io::Result<[bool; N]> {
    let left = until.saturating_duration_since(Instant::now()).min(Duration::from_secs(1 << 30));
    let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
    let mut ready = fds.map(|fd| PollFd::from_borrowed_fd(fd, flags));
    match poll(&mut ready, Some(&timeout)) {
        Ok(_) => Ok(ready.each_ref().map(|fd| !fd.revents().is_empty())),
        Err(Errno::INTR) => Ok([false; N]),
        Err(error) => Err(error.into()),
    }
}
