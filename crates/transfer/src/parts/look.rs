//! Looking at a state folder without changing it.

use std::ffi::CStr;
use std::fs::File;
use std::os::fd::AsFd;
use std::sync::Mutex;

use rustix::fs::{self, AtFlags, Dir, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::{JOURNAL, OnDisk, Parts, PartsError, allocated, folder_name, id_of, is_known};
use crate::target::{Target, enter, is_no_folder};

impl Parts {
    /// The ids of the state folders in a folder, in order. Some may be look-alikes.
    pub(crate) fn ids(target: &Target) -> Result<Vec<[u8; 16]>, PartsError> {
        let failed = |why: Errno| PartsError::Failed { doing: "list", path: target.path().into(), why: why.into() };
        // Listed to the end: some file systems lose their place in a list that shrinks, and entries may be removed
        // after this.
        let mut ids = Vec::new();
        for entry in Dir::read_from(target).map_err(failed)? {
            ids.extend(id_of(entry.map_err(failed)?.file_name().to_bytes()));
        }
        ids.sort_unstable();
        Ok(ids)
    }

    /// The folder of a transfer, made if `new` says with which mode. It is not locked yet: until [`Self::lock`], it may
    /// be another process's, and only reading is allowed.
    pub(crate) fn look(target: &Target, id: [u8; 16], new: Option<Mode>) -> Result<Self, PartsError> {
        let name = folder_name(&id);
        let path = target.path().join(&name);
        let failed = |why: Errno| match why {
            why if is_no_folder(why) => PartsError::NotOurs { path: path.clone() },
            Errno::NOSPC | Errno::DQUOT => PartsError::Full { path: path.clone(), needed: 0 },
            why => PartsError::Failed { doing: "open", path: path.clone(), why: why.into() },
        };
        let folder = enter(target.as_fd(), &name, new).map_err(failed)?;
        let stat = fs::fstat(&folder).map_err(failed)?;
        if stat.st_uid != rustix::process::geteuid().as_raw() || stat.st_mode & 0o022 != 0 {
            return Err(PartsError::NotOurs { path });
        }
        let target = target.as_fd().try_clone_to_owned().map_err(|why| PartsError::Failed {
            doing: "open",
            path: target.path().into(),
            why,
        })?;
        Ok(Self { id, folder, target, path, on_disk: Mutex::new(OnDisk::Unknown) })
    }

    /// Keeps other processes from the folder as long as this value lives. False: another process has it. File systems
    /// without such locks return other codes: there, the user must avoid two receivers at once.
    pub(crate) fn lock(&self) -> bool {
        fs::flock(&self.folder, FlockOperation::NonBlockingLockExclusive) != Err(Errno::WOULDBLOCK)
    }

    /// The folder of a transfer that exists, locked.
    pub(crate) fn existing(target: &Target, id: [u8; 16]) -> Result<Self, PartsError> {
        Self::enter(target, id, None)
    }

    /// The journal, to be read only; `None` if there is none.
    pub(crate) fn journal_to_read(&self) -> Result<Option<File>, PartsError> {
        self.file(JOURNAL, OFlags::RDONLY)
    }

    /// Whether the folder contains what no transfer wrote.
    pub(crate) fn has_others(&self) -> bool {
        let mut entries = Dir::read_from(&self.folder).into_iter().flatten().flatten();
        let is_other = |name: &CStr| !matches!(name.to_bytes(), b"." | b"..") && !name.to_str().is_ok_and(is_known);
        entries.any(|entry| is_other(entry.file_name()))
    }

    /// Bytes on disk of all that the folder contains; what cannot be read counts nothing.
    pub(crate) fn disk(&self) -> u64 {
        let entries = Dir::read_from(&self.folder).into_iter().flatten().flatten();
        let size = |entry: fs::DirEntry| {
            let name = entry.file_name();
            let is_entry = name.to_bytes() != b"." && name.to_bytes() != b"..";
            let stat = is_entry.then(|| fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()).flatten();
            stat.map_or(0, |stat| allocated(&stat))
        };
        entries.map(size).fold(0, u64::saturating_add)
    }
}
