//! What can go wrong in a state folder: what failed, then what to do.

use std::path::PathBuf;

/// The largest state in bytes: that of as many files as an offer may have, under names as long in all.
pub const MAX_STATE: u64 = 256 << 20;

/// What went wrong in a state folder.
#[derive(Debug, thiserror::Error)]
pub enum PartsError {
    /// A link, a file, another user's folder, one that others may write.
    #[error("{path:?} is not a private folder of yours: move it away, then start the transfer over")]
    NotOurs {
        /// What stands there.
        path: PathBuf,
    },
    /// Another process has it.
    #[error("another `ciphermeter recv` is using {path:?}: let it end first, or use another --into")]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// A new part was to be made, and there is one. See [`Parts::forget`].
    #[error("{path:?} exists: remove it, then resume the transfer")]
    PartExists {
        /// The part.
        path: PathBuf,
    },
    /// The part isn't there any more, or has another size: that file is to be received anew.
    #[error("{path:?} is not the part that was written: resume the transfer, and this file comes anew")]
    PartLost {
        /// The part.
        path: PathBuf,
    },
    /// No state was written, or it was removed: nothing can be resumed.
    #[error("{path:?} holds no state: remove the folder, then start the transfer over")]
    NoState {
        /// The folder.
        path: PathBuf,
    },
    /// A state of more than [`MAX_STATE`].
    #[error("{path:?} would be larger than {MAX_STATE} bytes: send fewer files at once")]
    TooLarge {
        /// The state's file.
        path: PathBuf,
    },
    /// The disk, or this user's share of it, is too small.
    #[error("no space for {needed} bytes in {path:?}: free some, then resume the transfer, or use another --into")]
    Full {
        /// The folder.
        path: PathBuf,
        /// The size that was asked for, in bytes.
        needed: u64,
    },
    /// Something that isn't ours keeps the folder from being removed.
    #[error("{path:?} holds files that are not the transfer's: look at them, then remove the folder")]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// Anything else that the system says.
    #[error("cannot {doing} {path:?}: {why}; look at its permissions and at the disk, then resume the transfer")]
    Failed {
        /// What was tried, as a verb.
        doing: &'static str,
        /// With what.
        path: PathBuf,
        /// What the system says.
        why: std::io::Error,
    },
}
