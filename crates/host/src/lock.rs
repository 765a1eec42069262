//! Locks between processes, each a regular file beside what it guards.
//!
//! Promises: what the file holds stays, a link is not followed, and nothing waits: a lock is free or it is not.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

use rustix::fs::OFlags;

use crate::file;

/// Takes the lock, whose file is made if it is missing, with `mode` less the umask. It is held as long as the returned file is
/// open. `None`: another process has it.
///
/// # Errors
/// The name is a link's, or not a regular file's, or the file cannot be made or locked.
pub fn take(path: &Path, mode: u32) -> io::Result<Option<File>> {
    let file = file::opened(path, OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW, mode)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(why)) => Err(why),
    }
}

/// Whether a process has the lock. Looking leaves no trace, so the folder may be read-only.
pub fn is_taken(path: &Path) -> bool {
    file::opened(path, OFlags::RDONLY | OFlags::NOFOLLOW, 0).is_ok_and(|file| is_locked(&file))
}

/// Whether another process has locked an open file.
pub fn is_locked(file: &File) -> bool {
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn lock_is_held_until_its_file_is_closed_and_keeps_what_the_file_holds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("Cargo.lock");
        fs::write(&path, "mine").unwrap();
        let held = take(&path, 0o600).unwrap().expect("it is free");
        assert!(take(&path, 0o600).unwrap().is_none() && is_taken(&path));
        drop(held);
        assert!(!is_taken(&path) && take(&path, 0o600).unwrap().is_some());
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    }

    #[test]
    fn link_and_pipe_are_no_locks() {
        let folder = tempfile::tempdir().unwrap();
        let [target, link, pipe] = ["target", "link", "pipe"].map(|name| folder.path().join(name));
        symlink(&target, &link).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [&link, &pipe] {
            assert!(take(path, 0o600).is_err() && !is_taken(path));
        }
        assert!(!target.exists(), "nothing is made behind a link");
    }
}
