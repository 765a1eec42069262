//! Whether a standard stream is open: data must not come from, or go, nowhere.

use std::os::fd::AsFd;

use anyhow::{Result, bail};
use rustix::fs::{OFlags, fcntl_getfl, fstat, stat};

/// Refuses a stream that was closed when the program began. Rust's runtime has opened `/dev/null` in its place, for
/// reading and writing; a shell's `<` and `>` open it for one of both.
pub fn check_open(stream: impl AsFd, name: &str, how: &str) -> Result<()> {
    let null = stat("/dev/null").map(|about| about.st_rdev).ok();
    let is_null = fstat(&stream).is_ok_and(|about| Some(about.st_rdev) == null);
    if is_null && fcntl_getfl(&stream).is_ok_and(|flags| flags.contains(OFlags::RDWR)) {
        bail!("{name} is closed: {how}");
    }
    Ok(())
}
