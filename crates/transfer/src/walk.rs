//! The user's arguments, as a list of files to send.
//!
//! Promises: a link that the user named is followed, one inside a folder never; everything left out is reported with
//! the reason; every name in the list is acceptable to a receiver, and no two are equal.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{self, AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::name::{BadName, Name, is_state};
use crate::source::{SourceFile, is_file};

/// The most files, folders and things left out, together.
pub const MAX_ENTRIES: usize = 1_000_000;
/// The most bytes of names and paths together.
pub const MAX_NAMES: usize = 64 << 20;

/// A folder, empty or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFolder {
    /// The name that it travels under.
    pub name: Name,
    /// Its permission bits, at most 0o777.
    pub mode: u32,
}

/// All that is to be sent.
#[derive(Debug, Default)]
pub struct Listing {
    /// The files, in the order of their names.
    pub files: Vec<SourceFile>,
    /// All folders, in the order of their names: an outer folder comes before its content.
    pub folders: Vec<SourceFolder>,
    /// What is not sent, with the reason, in the order of their paths.
    pub left_out: Vec<(PathBuf, &'static str)>,
}

/// Why there is no list.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    /// A name that cannot be sent.
    #[error("cannot send {path:?}: {why}")]
    BadName {
        /// Its path.
        path: PathBuf,
        /// What is wrong with its name.
        why: BadName,
    },
    /// A name that is not text.
    #[error("cannot send {path:?}: its name is not UTF-8; rename it")]
    NotText {
        /// Its path.
        path: PathBuf,
    },
    /// The root of the file system has no name.
    #[error("{path:?} has no name of its own; send the folders in it instead")]
    NoName {
        /// The argument.
        path: PathBuf,
    },
    /// Two arguments with the same last part.
    #[error("{path:?} would arrive under the same name as another argument; rename one, or send them one by one")]
    TwoAlike {
        /// The later one.
        path: PathBuf,
    },
    /// Neither a file nor a folder, and named by the user.
    #[error("{path:?} is {what}, neither a file nor a folder; leave it out")]
    Special {
        /// The argument.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// More than [`MAX_ENTRIES`], or [`MAX_NAMES`].
    #[error(
        "more than {MAX_ENTRIES} files, or {MAX_NAMES} bytes of names; send inner folders one by one, or an archive"
    )]
    TooMany,
    /// The system's error.
    #[error("cannot read {path:?}: {why}; make it readable, or leave it out")]
    Unreadable {
        /// Its path.
        path: PathBuf,
        /// The system's reason.
        why: io::Error,
    },
}

/// Lists the user's arguments: files as they are, folders with all that they contain.
///
/// Names are relative to the folder that contains the argument: `dir` gives `dir/…`, and so does `.` in it.
pub fn walk(paths: &[PathBuf]) -> Result<Listing, WalkError> {
    let mut walker = Walker::default();
    let mut arguments = BTreeSet::new();
    for path in paths {
        let real = path.canonicalize().map_err(|why| WalkError::Unreadable { path: path.clone(), why })?;
        let name = argument_name(path, &real)?;
        if !arguments.insert(name.clone()) {
            return Err(WalkError::TwoAlike { path: path.clone() });
        }
        walker.argument(name, real)?;
    }
    let mut listing = walker.listing;
    listing.files.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    listing.folders.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    listing.left_out.sort_unstable();
    Ok(listing)
}

/// The last part as the user wrote it; `.`, `..` and `x/..` get the name of the folder that they stand for.
fn argument_name(path: &Path, real: &Path) -> Result<Name, WalkError> {
    let last = path.file_name().or_else(|| real.file_name());
    let last = last.ok_or_else(|| WalkError::NoName { path: path.into() })?;
    checked(None, last, path)
}

/// The name of an entry of that folder.
fn checked(folder: Option<&Name>, last: &OsStr, path: &Path) -> Result<Name, WalkError> {
    let last = last.to_str().ok_or_else(|| WalkError::NotText { path: path.into() })?;
    let name = match folder {
        Some(folder) => Name::parse(&format!("{folder}/{last}")),
        None => Name::parse(last),
    };
    name.map_err(|why| WalkError::BadName { path: path.into(), why })
}

#[derive(Default)]
struct Walker {
    listing: Listing,
    entries: usize,
    bytes: usize,
}

impl Walker {
    fn argument(&mut self, name: Name, real: PathBuf) -> Result<(), WalkError> {
        let stat = look(fs::CWD, &real, &real)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => self.folder(fs::CWD, real.as_os_str(), name, &real, &stat),
            FileType::RegularFile => self.file(name, real, &stat),
            other => Err(WalkError::Special { path: real, what: kind(other) }),
        }
    }

    fn file(&mut self, name: Name, path: PathBuf, stat: &Stat) -> Result<(), WalkError> {
        self.count(name.as_str().len() + path.as_os_str().len())?;
        self.listing.files.push(SourceFile::of(name, path, stat));
        Ok(())
    }

    /// One folder is open at each level: no more than a name has parts.
    fn folder(
        &mut self,
        outer: BorrowedFd<'_>,
        entry: &OsStr,
        name: Name,
        path: &Path,
        stat: &Stat,
    ) -> Result<(), WalkError> {
        self.count(name.as_str().len())?;
        let unreadable = |why: Errno| WalkError::Unreadable { path: path.into(), why: why.into() };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = fs::openat(outer, entry, flags, Mode::empty()).map_err(unreadable)?;
        // The width and meaning of these bits differ between systems.
        #[allow(clippy::unnecessary_cast)]
        let mode = stat.st_mode as u32 & 0o777;
        self.listing.folders.push(SourceFolder { name: name.clone(), mode });
        for entry in Dir::read_from(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            match entry.file_name().to_bytes() {
                b"." | b".." => {}
                last => self.entry(folder.as_fd(), OsStr::from_bytes(last), &name, path)?,
            }
        }
        Ok(())
    }

    fn entry(&mut self, folder: BorrowedFd<'_>, last: &OsStr, outer: &Name, path: &Path) -> Result<(), WalkError> {
        let path = path.join(last);
        if last.to_str().is_some_and(is_state) {
            return self.leave_out(path, "the state of an unfinished transfer");
        }
        let stat = look(folder, Path::new(last), &path)?;
        let file_type = FileType::from_raw_mode(stat.st_mode);
        if !is_file(&stat) && file_type != FileType::Directory {
            return self.leave_out(path, kind(file_type));
        }
        let name = checked(Some(outer), last, &path)?;
        match file_type {
            FileType::Directory => self.folder(folder, last, name, &path, &stat),
            _ => self.file(name, path, &stat),
        }
    }

    fn leave_out(&mut self, path: PathBuf, why: &'static str) -> Result<(), WalkError> {
        self.count(path.as_os_str().len())?;
        self.listing.left_out.push((path, why));
        Ok(())
    }

    fn count(&mut self, bytes: usize) -> Result<(), WalkError> {
        self.entries += 1;
        self.bytes += bytes;
        if self.entries > MAX_ENTRIES || self.bytes > MAX_NAMES { Err(WalkError::TooMany) } else { Ok(()) }
    }
}

fn look(folder: BorrowedFd<'_>, entry: &Path, path: &Path) -> Result<Stat, WalkError> {
    fs::statat(folder, entry, AtFlags::SYMLINK_NOFOLLOW)
        .map_err(|why| WalkError::Unreadable { path: path.into(), why: why.into() })
}

fn kind(file_type: FileType) -> &'static str {
    match file_type {
        FileType::Symlink => "a symbolic link",
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        _ => "of an unknown kind",
    }
}

#[cfg(test)]
mod tests;
