//! The user's arguments, as a list of files to send.
//!
//! Promises: a link that the user named is followed, one inside a folder never; what cannot be sent is left out, one by
//! one, with the reason; every name in the list is acceptable to a receiver, and no two are equal.

mod left_out;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{self, AtFlags, Dir, FileType, Mode, OFlags, Stat};

use crate::exclude::Excludes;
use crate::link::{BadLink, LinkTarget};
use crate::name::{Name, is_state};
use crate::source::SourceFile;

use left_out::MAX_ALL_UNSIZED;
pub use left_out::{LeftOut, WhyLeftOut};

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
    /// The files and links, in the order of their names.
    pub files: Vec<SourceFile>,
    /// All folders, in the order of their names: an outer folder comes before its content.
    pub folders: Vec<SourceFolder>,
    /// What cannot be sent, with the reason, in the order of their paths. What the user excluded is not among it.
    pub left_out: Vec<LeftOut>,
}

/// Why there is no list.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
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
    /// More than [`MAX_ENTRIES`], or [`MAX_NAMES`].
    #[error(
        "more than {MAX_ENTRIES} files, or {MAX_NAMES} bytes of names; send inner folders one by one, or an archive"
    )]
    TooMany,
    /// An argument that does not exist: probably mistyped.
    #[error("cannot read {path:?}: {why}; check the name")]
    Missing {
        /// The argument.
        path: PathBuf,
        /// The system's reason.
        why: io::Error,
    },
}

/// Lists the user's arguments: files as they are, folders with all that they contain, except what is excluded.
///
/// Names are relative to the folder that contains the argument: `dir` gives `dir/…`, and so does `.` in it.
pub fn walk(paths: &[PathBuf], excludes: &Excludes) -> Result<Listing, WalkError> {
    list(paths, excludes, false)
}

/// As [`walk`], for a transfer that began before: an argument that is gone since is left out.
pub fn walk_again(paths: &[PathBuf], excludes: &Excludes) -> Result<Listing, WalkError> {
    list(paths, excludes, true)
}

fn list(paths: &[PathBuf], excludes: &Excludes, is_again: bool) -> Result<Listing, WalkError> {
    let mut walker = Walker { excludes, listing: Listing::default(), entries: 0, bytes: 0, content: 0 };
    let mut arguments = BTreeSet::new();
    for path in paths {
        let real = match path.canonicalize() {
            Ok(real) => real,
            // A link to nothing is there itself.
            Err(why) if why.kind() == ErrorKind::NotFound && path.symlink_metadata().is_err() => {
                if !is_again {
                    return Err(WalkError::Missing { path: path.clone(), why });
                }
                walker.leave_out(path.clone(), WhyLeftOut::Gone)?;
                continue;
            }
            Err(why) => {
                walker.leave_out(path.clone(), WhyLeftOut::Unreadable(why))?;
                continue;
            }
        };
        let last = argument_name(path, &real)?;
        if excludes.matches(Path::new(last)) {
            continue;
        }
        match checked(None, last) {
            Ok(name) if !arguments.insert(name.clone()) => return Err(WalkError::TwoAlike { path: path.clone() }),
            Ok(name) => walker.argument(name, real)?,
            Err(why) => walker.leave_out(path.clone(), why)?,
        }
    }
    let mut listing = walker.listing;
    listing.files.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    listing.folders.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    listing.left_out.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(listing)
}

/// The last part as the user wrote it; `.`, `..` and `x/..` get the name of the folder that they stand for.
fn argument_name<'a>(path: &'a Path, real: &'a Path) -> Result<&'a OsStr, WalkError> {
    let last = path.file_name().or_else(|| real.file_name());
    last.ok_or_else(|| WalkError::NoName { path: path.into() })
}

/// The name of an entry of that folder.
fn checked(folder: Option<&Name>, last: &OsStr) -> Result<Name, WhyLeftOut> {
    let last = last.to_str().ok_or(WhyLeftOut::NotText)?;
    let name = match folder {
        Some(folder) => Name::parse(&format!("{folder}/{last}")),
        None => Name::parse(last),
    };
    name.map_err(WhyLeftOut::BadName)
}

struct Walker<'a> {
    excludes: &'a Excludes,
    listing: Listing,
    entries: usize,
    bytes: usize,
    /// Bytes of files whose sizes were not known.
    content: u64,
}

impl Walker<'_> {
    fn argument(&mut self, name: Name, real: PathBuf) -> Result<(), WalkError> {
        match look(fs::CWD, &real) {
            Err(why) => self.leave_out(real, WhyLeftOut::Unreadable(why)),
            Ok(stat) => match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory => self.folder(fs::CWD, real.as_os_str(), name, &real, &stat),
                FileType::RegularFile => self.regular(SourceFile::of(name, real, &stat), &stat),
                other => self.leave_out(real, WhyLeftOut::Special(kind(other))),
            },
        }
    }

    fn regular(&mut self, file: SourceFile, stat: &Stat) -> Result<(), WalkError> {
        let path = file.path.clone();
        match file.looked_into(stat) {
            Err(why) => self.leave_out(path, why.into()),
            Ok(file) => {
                self.content += file.content.as_ref().map_or(0, |content| content.len() as u64);
                match file.content {
                    Some(_) if self.content > MAX_ALL_UNSIZED => self.leave_out(path, WhyLeftOut::TooManyMisstated),
                    _ => self.file(file),
                }
            }
        }
    }

    fn file(&mut self, file: SourceFile) -> Result<(), WalkError> {
        self.count(file.name.as_str().len() + file.path.as_os_str().len())?;
        self.listing.files.push(file);
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
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = fs::openat(outer, entry, flags, Mode::empty());
        let (folder, entries) = match opened.and_then(|folder| Dir::read_from(&folder).map(|entries| (folder, entries)))
        {
            Ok(opened) => opened,
            Err(why) => return self.leave_out(path.into(), WhyLeftOut::Unreadable(why.into())),
        };
        self.count(name.as_str().len())?;
        // The width and meaning of these bits differ between systems.
        #[allow(clippy::unnecessary_cast)]
        let mode = stat.st_mode as u32 & 0o777;
        self.listing.folders.push(SourceFolder { name: name.clone(), mode });
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(why) => return self.leave_out(path.into(), WhyLeftOut::PartlyRead(why.into())),
            };
            match entry.file_name().to_bytes() {
                b"." | b".." => {}
                last => self.entry(folder.as_fd(), OsStr::from_bytes(last), &name, path)?,
            }
        }
        Ok(())
    }

    fn entry(&mut self, folder: BorrowedFd<'_>, last: &OsStr, outer: &Name, path: &Path) -> Result<(), WalkError> {
        if self.excludes.matches(&Path::new(outer.as_str()).join(last)) {
            return Ok(());
        }
        let path = path.join(last);
        if last.to_str().is_some_and(is_state) {
            return self.leave_out(path, WhyLeftOut::State);
        }
        let (name, stat) = match (checked(Some(outer), last), look(folder, Path::new(last))) {
            (Ok(name), Ok(stat)) => (name, stat),
            (Err(why), _) => return self.leave_out(path, why),
            (_, Err(why)) => return self.leave_out(path, WhyLeftOut::Unreadable(why)),
        };
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => self.folder(folder, last, name, &path, &stat),
            FileType::RegularFile => self.regular(SourceFile::of(name, path, &stat), &stat),
            FileType::Symlink => match link_target(folder, last, &name) {
                Ok(target) => self.file(SourceFile::link(name, path, &stat, target)),
                Err(why) => self.leave_out(path, why),
            },
            other => self.leave_out(path, WhyLeftOut::Special(kind(other))),
        }
    }

    fn leave_out(&mut self, path: PathBuf, why: WhyLeftOut) -> Result<(), WalkError> {
        self.count(path.as_os_str().len())?;
        self.listing.left_out.push(LeftOut { path, why });
        Ok(())
    }

    fn count(&mut self, bytes: usize) -> Result<(), WalkError> {
        self.entries += 1;
        self.bytes += bytes;
        if self.entries > MAX_ENTRIES || self.bytes > MAX_NAMES { Err(WalkError::TooMany) } else { Ok(()) }
    }
}

/// Where a link in that folder points, if it may be sent.
fn link_target(folder: BorrowedFd<'_>, last: &OsStr, name: &Name) -> Result<LinkTarget, WhyLeftOut> {
    let target = fs::readlinkat(folder, last, Vec::new()).map_err(|why| WhyLeftOut::Unreadable(why.into()))?;
    let target = target.to_str().map_err(|_| WhyLeftOut::NotText)?;
    match LinkTarget::parse(target) {
        Ok(target) if target.stays_within(name) => Ok(target),
        Ok(_) => Err(WhyLeftOut::Link(BadLink::Outside)),
        Err(why) => Err(WhyLeftOut::Link(why)),
    }
}

fn look(folder: BorrowedFd<'_>, entry: &Path) -> io::Result<Stat> {
    Ok(fs::statat(folder, entry, AtFlags::SYMLINK_NOFOLLOW)?)
}

fn kind(file_type: FileType) -> &'static str {
    match file_type {
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        _ => "of an unknown kind",
    }
}

#[cfg(test)]
mod tests;
