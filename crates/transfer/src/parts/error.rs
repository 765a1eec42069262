//! What can go wrong in a state folder: what failed, why, what to do.

use std::path::PathBuf;

use rustix::fs::{FileType, Stat};

/// The largest state in bytes: that of as many files as an offer may have, under names as long in all.
pub const MAX_STATE: u64 = 256 << 20;

/// What went wrong in a state folder.
#[derive(Debug, thiserror::Error)]
pub enum PartsError {
    /// A link, a file, another user's folder, one that others may write.
    #[error("{path:?} is not a private folder of yours; move it away, then start over")]
    NotOurs {
        /// What is there.
        path: PathBuf,
    },
    /// Something else in the place of a file that the transfer wrote.
    #[error(
        "{path:?} is {what}, which the transfer did not put there; move it away, then resume the transfer or start over"
    )]
    Strange {
        /// What is there.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// Another process has it.
    #[error("another `ciphermeter recv` is using {path:?}; wait for it to end, or use another --into")]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// A new part was to be created, and it exists. See [`Parts::forget`].
    #[error("{path:?} exists; remove it, then resume the transfer")]
    PartExists {
        /// The part.
        path: PathBuf,
    },
    /// The part is gone, or has another size: that file must be received anew.
    #[error("{path:?} is missing or has changed; resume the transfer, and this file is sent anew")]
    PartLost {
        /// The part.
        path: PathBuf,
    },
    /// No state was written, or it was removed: nothing can be resumed.
    #[error("{path:?} contains no state; remove the folder, then start over")]
    NoState {
        /// The folder.
        path: PathBuf,
    },
    /// A state of more than [`MAX_STATE`].
    #[error("{path:?} would be larger than {MAX_STATE} bytes; send fewer files at once")]
    TooLarge {
        /// The state's file.
        path: PathBuf,
    },
    /// The disk, or this user's share of it, is too small.
    #[error("no space for {needed} bytes in {path:?}; free some, then resume the transfer, or use another --into")]
    Full {
        /// The folder.
        path: PathBuf,
        /// The size that was asked for, in bytes.
        needed: u64,
    },
    /// Files that are not ours prevent the folder's removal.
    #[error("{path:?} contains files that do not belong to the transfer; check them, then remove the folder")]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// Any other error of the system.
    #[error("cannot {doing} {path:?}: {why}; check its permissions and the disk, then resume the transfer")]
    Failed {
        /// What was tried, as a verb.
        doing: &'static str,
        /// The path.
        path: PathBuf,
        /// The system's reason.
        why: std::io::Error,
    },
}

/// What keeps an entry from being a file that a transfer wrote: a regular file of this user's, with this one name.
pub(super) fn strangeness(stat: &Stat) -> Option<&'static str> {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => Some("a folder"),
        FileType::Symlink => Some("a link"),
        FileType::RegularFile if stat.st_uid != rustix::process::geteuid().as_raw() => Some("another user's file"),
        FileType::RegularFile if stat.st_nlink != 1 => Some("a file that has another name, too (a hard link)"),
        FileType::RegularFile => None,
        _ => Some("no regular file"),
    }
}
