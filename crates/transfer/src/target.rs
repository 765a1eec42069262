//! The receiving folder: the only place where a sender's names become entries of a file system.
//!
//! Promises: the folder is held open, and every folder beneath it is opened from the one before without following
//! links. So nothing outside is reached, whatever links are put there at any time. Existing entries are never
//! overwritten.

mod room;

use std::collections::BTreeSet;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rustix::fs::{self, Access, AtFlags, Mode, OFlags, RenameFlags, Stat};
use rustix::io::Errno;

use crate::digest::FileDigest;
use crate::link::LinkTarget;
use crate::name::{Name, STATE_PREFIX};
use crate::source::is_file;
use crate::sync::{is_unsupported, sync_folder};

pub use room::Disk;
pub(crate) use room::Room;

/// A folder, and not a link to one.
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// The receiving folder, held open.
#[derive(Debug)]
pub struct Target {
    folder: OwnedFd,
    path: PathBuf,
}

/// What went wrong beneath the receiving folder.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// The folder to receive into does not exist, or is something else.
    #[error("{path:?} is not a folder; create it, or choose another with --into")]
    NotAFolder {
        /// The given path.
        path: PathBuf,
    },
    /// No entry may be created there.
    #[error("cannot write into {path:?}: {why}; make it writable, or choose another folder with --into")]
    NotWritable {
        /// The folder.
        path: PathBuf,
        /// The system's reason.
        why: Errno,
    },
    /// A file or a link in the place of a folder.
    #[error(
        "{path:?} is in the way: a folder is needed there, not a file or a link; move it away, or use another --into"
    )]
    InTheWay {
        /// Its path.
        path: PathBuf,
    },
    /// A folder that was not there when the offer was accepted.
    #[error("{path:?} appeared meanwhile, and nothing is added to it; move it away, or use another --into")]
    Appeared {
        /// Its path.
        path: PathBuf,
    },
    /// Any other error of the system.
    #[error("cannot {doing} {path:?}: {why}; check its permissions and the disk, or use another --into")]
    Failed {
        /// What was tried, as a verb.
        doing: &'static str,
        /// The path.
        path: PathBuf,
        /// The system's reason.
        why: Errno,
    },
}

/// Why a part file did not get its final name. It still has its old one.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// The name is taken, possibly by a dangling link.
    #[error("{path:?} exists and is not overwritten; move it away, or use another --into")]
    Exists {
        /// The existing path.
        path: PathBuf,
    },
    /// Its folder lies on another file system than the receiving folder.
    #[error("{path:?} is on another file system than the receiving folder; receive into that one with --into")]
    OtherFileSystem {
        /// The final path.
        path: PathBuf,
    },
    /// The part file does not exist. After a restart that means that it was placed before.
    #[error("the part {part} for {path:?} is missing; receive this file again")]
    NoPart {
        /// Its name in the state folder.
        part: String,
        /// The final path.
        path: PathBuf,
    },
    /// The system cannot move a file there without the risk of overwriting another.
    #[error("the file system of {path:?} supports neither exclusive renames nor hard links; use another --into")]
    NoSafeRename {
        /// The final path.
        path: PathBuf,
    },
    /// Its folder cannot be created or opened, or any other error of the system.
    #[error(transparent)]
    Target(#[from] TargetError),
}

impl Target {
    /// Opens an existing, writable folder. Links in the given path are followed.
    pub fn open(path: &Path) -> Result<Self, TargetError> {
        let failed = |why| match why {
            Errno::NOENT | Errno::NOTDIR => TargetError::NotAFolder { path: path.into() },
            why => TargetError::Failed { doing: "open", path: path.into(), why },
        };
        let folder = fs::openat(fs::CWD, path, FOLDER.difference(OFlags::NOFOLLOW), Mode::empty()).map_err(failed)?;
        fs::accessat(&folder, ".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::empty())
            .map_err(|why| TargetError::NotWritable { path: path.into(), why })?;
        Ok(Self { folder, path: path.into() })
    }

    /// Its path as given, for messages only.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A folder in it, created if missing, as a receiving folder itself.
    pub fn inner(&self, name: &Name) -> Result<Self, TargetError> {
        self.make_folder(name, 0o777)?;
        Ok(Self { folder: self.descend(Some(name.as_str()), false)?, path: self.join(name) })
    }

    /// Whether other users of this machine can read what is made private here: the file system knows no permissions (FAT, many network
    /// shares). Tried with a file that has no name, so that a kill leaves nothing; else with a folder, which is removed again. Where
    /// neither can be made, the first file to be received fails with the reason.
    pub fn is_open_to_others(&self) -> bool {
        let is_open = |probe: OwnedFd| fs::fstat(&probe).is_ok_and(|stat| stat.st_mode & 0o077 != 0);
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if let Ok(file) = fs::openat(&self.folder, ".", OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC, Mode::RWXU) {
            return is_open(file);
        }
        // The same name each time: what a kill leaves goes the next time.
        let name = format!("{STATE_PREFIX}probe");
        let found = enter(self.folder.as_fd(), &name, Some(Mode::RWXU)).is_ok_and(is_open);
        let _ = fs::unlinkat(&self.folder, &name, AtFlags::REMOVEDIR);
        found
    }

    /// Whether the name is taken; a dangling link counts.
    pub fn exists(&self, name: &Name) -> Result<bool, TargetError> {
        Ok(self.look(name)?.is_some())
    }

    /// Whether the name is that of a folder that has something in it.
    pub fn is_inhabited(&self, name: &Name) -> Result<bool, TargetError> {
        let folder = match self.existing(Some(name.as_str())) {
            Err(TargetError::InTheWay { .. }) => None,
            folder => folder?,
        };
        let Some(folder) = folder else { return Ok(false) };
        let failed = |why| TargetError::Failed { doing: "list", path: self.join(name), why };
        for entry in fs::Dir::read_from(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn look(&self, name: &Name) -> Result<Option<Stat>, TargetError> {
        let (folder, last) = name.split();
        let Some(folder) = self.existing(folder)? else { return Ok(None) };
        match fs::statat(&folder, last, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(why) => Err(TargetError::Failed { doing: "look at", path: self.join(name), why }),
        }
    }

    /// An inner folder, if it exists.
    fn existing(&self, inner: Option<&str>) -> Result<Option<OwnedFd>, TargetError> {
        match self.descend(inner, false) {
            Err(TargetError::Failed { why: Errno::NOENT, .. }) => Ok(None),
            folder => folder.map(Some),
        }
    }

    /// The size of the regular file of that name; `None` if there is none.
    pub fn file_size(&self, name: &Name) -> Result<Option<u64>, TargetError> {
        let stat = self.look(name)?;
        Ok(stat.filter(is_file).and_then(|stat| u64::try_from(stat.st_size).ok()))
    }

    /// Whether the name is that of a link with this target.
    pub fn is_link_to(&self, name: &Name, target: &LinkTarget) -> Result<bool, TargetError> {
        let (folder, last) = name.split();
        let Some(folder) = self.existing(folder)? else { return Ok(false) };
        let found = fs::readlinkat(&folder, last, Vec::new());
        Ok(found.is_ok_and(|found| found.to_bytes() == target.as_str().as_bytes()))
    }

    /// The digest of the regular file of that name, if it has this size and this user may read it.
    pub fn digest(&self, name: &Name, size: u64) -> Result<Option<FileDigest>, TargetError> {
        let failed = |why: Errno| TargetError::Failed { doing: "read", path: self.join(name), why };
        let (folder, last) = name.split();
        let Some(folder) = self.existing(folder)? else { return Ok(None) };
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match fs::openat(&folder, last, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT | Errno::LOOP | Errno::MLINK | Errno::ACCESS | Errno::PERM) => return Ok(None),
            Err(why) => return Err(failed(why)),
        };
        let stat = fs::fstat(&file).map_err(failed)?;
        if !is_file(&stat) || u64::try_from(stat.st_size) != Ok(size) {
            return Ok(None);
        }
        let digest = FileDigest::of(size, |buffer, offset| file.read_exact_at(buffer, offset));
        digest.map(Some).map_err(|why| failed(Errno::from_io_error(&why).unwrap_or(Errno::IO)))
    }

    /// Whether a folder of that name exists or can be created: nothing else has that name, and no file is in the place
    /// of a folder on the way.
    pub fn admits_folder(&self, name: &Name) -> Result<(), TargetError> {
        match self.descend(Some(name.as_str()), false) {
            Ok(_) | Err(TargetError::Failed { why: Errno::NOENT, .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Creates a folder, and the folders that contain it, where they are missing.
    ///
    /// `mode` applies to the innermost, its permission bits only, less the umask, from its creation. The owner's bits
    /// are always set, because files will be put into it. Outer folders created on the way are accessible to their
    /// owner alone.
    pub fn make_folder(&self, name: &Name, mode: u32) -> Result<(), TargetError> {
        let (folder, last) = name.split();
        let folder = self.descend(folder, true)?;
        let mode = Mode::from_raw_mode((mode & 0o777 | 0o700) as fs::RawMode);
        enter(folder.as_fd(), last, Some(mode)).map(drop).map_err(|why| obstacle(self.join(name), "make", why))
    }

    /// Whether a part file has its final name besides its own: a crash within [`Self::place`] can leave that.
    pub fn has_placed(&self, part: BorrowedFd<'_>, part_name: &str, name: &Name) -> bool {
        let (folder, last) = name.split();
        self.descend(folder, false).is_ok_and(|folder| are_one_file(part, part_name, folder.as_fd(), last))
    }

    /// Gives a part file its final name, never overwriting anything; creates missing folders on the way, for their
    /// owner alone.
    ///
    /// A crash in between can leave the file under both names; the next call removes the old one and succeeds.
    pub fn place(&self, part: BorrowedFd<'_>, part_name: &str, name: &Name) -> Result<(), PlaceError> {
        let (folder, last) = name.split();
        let folder = self.descend(folder, true)?;
        let path = || self.join(name);
        let moved = move_exclusively(part, part_name, folder.as_fd(), last);
        match moved {
            Ok(()) => Ok(()),
            Err(Errno::EXIST) if are_one_file(part, part_name, folder.as_fd(), last) => {
                fs::unlinkat(part, part_name, AtFlags::empty())
                    .map_err(|why| TargetError::Failed { doing: "remove the part of", path: path(), why }.into())
            }
            Err(Errno::EXIST) => Err(PlaceError::Exists { path: path() }),
            Err(Errno::XDEV) => Err(PlaceError::OtherFileSystem { path: path() }),
            Err(Errno::NOTSUP | Errno::NOSYS) => Err(PlaceError::NoSafeRename { path: path() }),
            Err(Errno::NOENT) if fs::statat(part, part_name, AtFlags::SYMLINK_NOFOLLOW).is_err() => {
                Err(PlaceError::NoPart { part: part_name.into(), path: path() })
            }
            Err(why) => Err(TargetError::Failed { doing: "give the final name to", path: path(), why }.into()),
        }
    }

    /// Makes these entries durable: syncs each folder that contains them once, the receiving folder first and outer
    /// ones before inner ones. What is moved into a folder that the disk doesn't have yet could be lost at both places.
    pub fn sync_folders<'a>(&self, names: impl IntoIterator<Item = &'a Name>) -> Result<(), TargetError> {
        let mut folders = BTreeSet::new();
        for name in names {
            let mut inner = name.split().0;
            while let Some(folder) = inner.filter(|&folder| folders.insert(folder)) {
                inner = folder.rsplit_once('/').map(|(outer, _)| outer);
            }
        }
        for folder in [None].into_iter().chain(folders.into_iter().map(Some)) {
            sync_folder(self.descend(folder, false)?).map_err(|why| TargetError::Failed {
                doing: "sync",
                path: self.path.join(folder.unwrap_or_default()),
                why,
            })?;
        }
        Ok(())
    }

    /// What may still be written there.
    pub fn room(&self) -> Result<Room, TargetError> {
        Room::of(&self.folder).map_err(|why| TargetError::Failed {
            doing: "read the free space of",
            path: self.path.clone(),
            why,
        })
    }

    /// Whether a file there can have so many bytes, where that can be known.
    pub(crate) fn holds(&self, size: u64) -> bool {
        room::holds(&self.folder, size)
    }

    fn join(&self, name: &Name) -> PathBuf {
        self.path.join(name.as_str())
    }

    /// Opens an inner folder, each of its parts from the one before; `None` is the receiving folder itself.
    fn descend(&self, inner: Option<&str>, make: bool) -> Result<OwnedFd, TargetError> {
        let new = make.then_some(Mode::RWXU);
        let open = |outer: BorrowedFd<'_>, part, path: &PathBuf| {
            enter(outer, part, new).map_err(|why| obstacle(path.clone(), "open", why))
        };
        let mut path = self.path.clone();
        let mut folder = open(self.folder.as_fd(), ".", &path)?;
        for part in inner.into_iter().flat_map(|inner| inner.split('/')) {
            path.push(part);
            folder = open(folder.as_fd(), part, &path)?;
        }
        Ok(folder)
    }
}

impl AsFd for Target {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }
}

/// Opens a folder in a folder, unless the entry is a link or a file; creates it first where it is missing.
pub(crate) fn enter(outer: BorrowedFd<'_>, part: &str, new: Option<Mode>) -> rustix::io::Result<OwnedFd> {
    let open = || fs::openat(outer, part, FOLDER, Mode::empty());
    match (open(), new) {
        (Err(Errno::NOENT), Some(mode)) => match fs::mkdirat(outer, part, mode) {
            Ok(()) | Err(Errno::EXIST) => open(),
            Err(why) => Err(why),
        },
        (result, _) => result,
    }
}

/// Systems differ in the code for "a link, but links are not followed".
pub(crate) fn is_no_folder(why: Errno) -> bool {
    matches!(why, Errno::LOOP | Errno::NOTDIR | Errno::MLINK)
}

fn obstacle(path: PathBuf, doing: &'static str, why: Errno) -> TargetError {
    match why {
        why if is_no_folder(why) => TargetError::InTheWay { path },
        Errno::ROFS => TargetError::NotWritable { path, why },
        why => TargetError::Failed { doing, path, why },
    }
}

fn move_exclusively(from: BorrowedFd<'_>, old: &str, to: BorrowedFd<'_>, new: &str) -> rustix::io::Result<()> {
    match fs::renameat_with(from, old, to, new, RenameFlags::NOREPLACE) {
        // The file system or the kernel does not support this rename.
        Err(why) if is_unsupported(why) => link_and_unlink(from, old, to, new),
        result => result,
    }
}

/// Adds the second name, then removes the first: `link` fails where the name is taken.
fn link_and_unlink(from: BorrowedFd<'_>, old: &str, to: BorrowedFd<'_>, new: &str) -> rustix::io::Result<()> {
    fs::linkat(from, old, to, new, AtFlags::empty()).map_err(|why| match why {
        // `link` fails with this where there are no hard links at all.
        Errno::PERM => Errno::NOTSUP,
        why => why,
    })?;
    fs::unlinkat(from, old, AtFlags::empty())
}

fn are_one_file(a: BorrowedFd<'_>, a_name: &str, b: BorrowedFd<'_>, b_name: &str) -> bool {
    let id =
        |folder, name| fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).map(|stat| (stat.st_dev, stat.st_ino)).ok();
    let id_of_a = id(a, a_name);
    id_of_a.is_some() && id_of_a == id(b, b_name)
}

#[cfg(test)]
mod tests;
