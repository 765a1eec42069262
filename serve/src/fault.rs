//! Points at which a test ends this process, or holds it. Only builds with the feature `fault-points` have them: in others a point is
//! nothing, and this machine's clock is right.

#[cfg(feature = "fault-points")]
use std::path::Path;
#[cfg(feature = "fault-points")]
use std::sync::atomic::{AtomicU64, Ordering};

use time::OffsetDateTime;

/// The point `NAME` is reached. `CIPHERMETER_FAULT="NAME NUMBER kill"` kills the process at its NUMBERth time; with
/// the name of a file in place of `kill`, it makes that file, and goes on when the file is gone.
#[cfg(feature = "fault-points")]
pub fn point(name: &str) {
    static REACHED: AtomicU64 = AtomicU64::new(0);
    let Ok(wanted) = std::env::var("CIPHERMETER_FAULT") else { return };
    let mut words = wanted.splitn(3, ' ');
    if words.next() != Some(name) {
        return;
    }
    let number = words.next().and_then(|number| number.parse().ok());
    if number != Some(REACHED.fetch_add(1, Ordering::SeqCst) + 1) {
        return;
    }
    match words.next() {
        Some("kill") => drop(rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL)),
        Some(file) => hold(Path::new(file)),
        None => {}
    }
}

#[cfg(feature = "fault-points")]
fn hold(file: &Path) {
    if std::fs::write(file, "").is_err() {
        return;
    }
    while file.exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// The point `NAME` is reached.
#[cfg(not(feature = "fault-points"))]
pub fn point(_name: &str) {}

/// The present moment, by a clock that `CIPHERMETER_FAULT_CLOCK` sets so many seconds wrong.
#[cfg(feature = "fault-points")]
pub fn now() -> OffsetDateTime {
    let seconds = std::env::var("CIPHERMETER_FAULT_CLOCK").ok().and_then(|seconds| seconds.parse().ok());
    OffsetDateTime::now_utc() + time::Duration::seconds(seconds.unwrap_or(0))
}

/// The present moment.
#[cfg(not(feature = "fault-points"))]
pub fn now() -> OffsetDateTime {
    OffsetDateTime::now_utc()
}
