//! The sender's files while they are read: by position, never mapped, and always the file that was listed.
//!
//! Some file systems, such as /proc and /sys, claim sizes that are not those of the content. Such a file is read to its end
//! when it is listed, and sent from memory.
//!
//! Promises: bytes of another file, or of the same file changed since, never pass for the listed one's; a file that
//! shrinks is an error, not a signal. The system leaves two gaps. A change that keeps the size, within the same clock
//! tick as the check before it (some milliseconds), is not visible. Neither is a write through a memory map to a page that
//! was modified before and is not on disk yet: Linux sets the file's time only when a clean page is first written to.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;

use aws_lc_rs::digest;
use rustix::fs::{self, AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::digest::FileDigest;
use crate::holes::{MIN_HOLE, Segment, data_bytes, segments};
use crate::link::LinkTarget;
use crate::name::Name;

/// Identifies one state of a file: the first 16 bytes of SHA-256 over device, inode, size, and the times of the last
/// change of content and of status, as the system numbers them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Version(pub [u8; 16]);

/// A file or a symbolic link to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// The name that it travels under.
    pub name: Name,
    /// Its path. The last part is never a link.
    pub path: PathBuf,
    /// Its size in bytes; of a link 0.
    pub size: u64,
    /// Bytes of it that are not in holes, as far as the system reports holes.
    pub data: u64,
    /// Where it points, if it is a link.
    pub link: Option<LinkTarget>,
    /// Its permission bits, at most 0o777.
    pub mode: u32,
    /// When its content last changed: whole seconds since 1970.
    pub modified: i64,
    /// The rest of that, in nanoseconds.
    pub modified_nanoseconds: u32,
    /// When its content or its status last changed, as the system says: whole seconds since 1970.
    pub changed: i64,
    /// Its state when it was listed.
    pub version: Version,
    /// Its content, where that does not have the size that the file system claims.
    pub content: Option<Arc<[u8]>>,
}

/// The most bytes of a file whose size is not known before it is read.
pub const MAX_UNSIZED: u64 = 1 << 20;

/// Why a file cannot be read as listed.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// Nothing has its name any more.
    #[error("{path:?} is no longer there")]
    Gone {
        /// Its path.
        path: PathBuf,
    },
    /// Not the listed file, or not in that state.
    #[error("{path:?} changed while it was being sent; send it again, and do not change it meanwhile")]
    Changed {
        /// Its path.
        path: PathBuf,
    },
    /// It ends before the requested bytes.
    #[error("{path:?} became shorter while it was being sent; send it again, and do not change it meanwhile")]
    Shorter {
        /// Its path.
        path: PathBuf,
    },
    /// Its content does not have the size that the file system claims.
    #[error("{path:?} has more or fewer bytes than its file system says; send a copy of it")]
    Misstated {
        /// Its path.
        path: PathBuf,
    },
    /// The system's error.
    #[error("cannot read {path:?}: {why}; make it readable, or leave it out")]
    Unreadable {
        /// Its path.
        path: PathBuf,
        /// The system's reason.
        why: io::Error,
    },
}

impl SourceError {
    /// Of a file that is not what was listed.
    pub(crate) fn changed(path: PathBuf) -> Self {
        match fs::statat(fs::CWD, &path, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT | Errno::NOTDIR) => Self::Gone { path },
            _ => Self::Changed { path },
        }
    }

    /// The same for a user who sees the file's name beside it.
    pub(crate) fn of_named(&self) -> String {
        match self {
            Self::Gone { .. } => "it is no longer there".into(),
            Self::Changed { .. } | Self::Shorter { .. } => {
                "it changed while it was being sent; send it again, and do not change it meanwhile".into()
            }
            Self::Misstated { .. } | Self::Unreadable { .. } => self.to_string(),
        }
    }
}

/// Whether a file is of Linux's /proc, where it may be another one each time that it is opened, even if it is empty.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn is_of_proc(file: &File) -> bool {
    fs::fstatfs(file).is_ok_and(|about| about.f_type == fs::PROC_SUPER_MAGIC)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn is_of_proc(_: &File) -> bool {
    false
}

/// A file that is being read.
#[derive(Debug)]
pub struct OpenSource {
    bytes: Bytes,
    path: PathBuf,
    version: Version,
}

#[derive(Debug)]
enum Bytes {
    File(File),
    Kept(Arc<[u8]>),
}

impl OpenSource {
    /// Opens a listed file if it is still the same file in the same state.
    ///
    /// The path is resolved anew, and folders in it may have become links. The version includes device and inode, so
    /// any other file that is reached that way is reported as a change.
    pub fn open(source: &SourceFile) -> Result<Self, SourceError> {
        let path = || source.path.clone();
        if let Some(content) = &source.content {
            return Ok(Self { bytes: Bytes::Kept(content.clone()), path: path(), version: source.version });
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match fs::openat(fs::CWD, &source.path, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT | Errno::LOOP | Errno::MLINK | Errno::NOTDIR) => return Err(SourceError::changed(path())),
            Err(why) => return Err(SourceError::Unreadable { path: path(), why: why.into() }),
        };
        let open = Self { bytes: Bytes::File(file), path: path(), version: source.version };
        if !open.unchanged() {
            return Err(open.changed());
        }
        Ok(open)
    }

    /// Fills the buffer from this position on.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), SourceError> {
        let shorter = || SourceError::Shorter { path: self.path.clone() };
        match &self.bytes {
            Bytes::File(file) => file.read_exact_at(buffer, offset).map_err(|why| match why.kind() {
                io::ErrorKind::UnexpectedEof => shorter(),
                _ => self.unreadable(why),
            }),
            Bytes::Kept(content) => {
                let from = usize::try_from(offset).ok().and_then(|offset| content.get(offset..));
                let bytes = from.and_then(|from| from.get(..buffer.len())).ok_or_else(shorter)?;
                buffer.copy_from_slice(bytes);
                Ok(())
            }
        }
    }

    /// Checks that the file ends where its listed size says, before a byte of it is sent.
    pub(crate) fn check_size(&self, size: u64) -> Result<(), SourceError> {
        let Bytes::File(file) = &self.bytes else { return Ok(()) };
        let last = usize::from(size > 0);
        let mut end = [0; 2];
        let read = file.read_at(&mut end[..=last], size - last as u64).map_err(|why| self.unreadable(why))?;
        match read == last {
            true => Ok(()),
            false if self.unchanged() => Err(SourceError::Misstated { path: self.path.clone() }),
            false => Err(self.changed()),
        }
    }

    /// Reads the file to its end; `None` if that is where its size says.
    fn other_content(&self, size: u64) -> Result<Option<Arc<[u8]>>, SourceError> {
        let Bytes::File(file) = &self.bytes else { return Ok(None) };
        if size > MAX_UNSIZED {
            match self.check_size(size) {
                Err(SourceError::Misstated { .. }) => {}
                checked => return checked.map(|()| None),
            }
        }
        let mut content = Vec::new();
        file.take(MAX_UNSIZED + 1).read_to_end(&mut content).map_err(|why| self.unreadable(why))?;
        match content.len() as u64 {
            length if length == size && !(size == 0 && is_of_proc(file)) => Ok(None),
            length if length > MAX_UNSIZED => Err(SourceError::Misstated { path: self.path.clone() }),
            _ => Ok(Some(content.into())),
        }
    }

    fn unreadable(&self, why: io::Error) -> SourceError {
        SourceError::Unreadable { path: self.path.clone(), why }
    }

    /// A range of the file as data and holes.
    pub(crate) fn segments(&self, offset: u64, length: u64) -> Vec<Segment> {
        match &self.bytes {
            Bytes::File(file) => segments(file, offset, length),
            Bytes::Kept(_) => vec![Segment { offset, length, is_hole: false }],
        }
    }

    /// The SHA-256 of the file's first `size` bytes.
    pub(crate) fn digest(&self, size: u64) -> Result<FileDigest, SourceError> {
        FileDigest::of(size, |buffer, offset| self.read_at(buffer, offset))
    }

    /// The error for a changed file.
    pub(crate) fn changed(&self) -> SourceError {
        SourceError::changed(self.path.clone())
    }

    /// Whether the file is still in its listed state; check after the last byte was read, too.
    pub fn unchanged(&self) -> bool {
        match &self.bytes {
            Bytes::File(file) => fs::fstat(file).is_ok_and(|stat| is_file(&stat) && Version::of(&stat) == self.version),
            Bytes::Kept(_) => true,
        }
    }
}

// Types of these fields differ between systems; each value fits its type here.
#[allow(clippy::unnecessary_cast)]
impl SourceFile {
    pub(crate) fn of(name: Name, path: PathBuf, stat: &Stat) -> Self {
        Self {
            name,
            path,
            size: stat.st_size as u64,
            data: stat.st_size as u64,
            link: None,
            mode: stat.st_mode as u32 & 0o777,
            modified: stat.st_mtime as i64,
            modified_nanoseconds: stat.st_mtime_nsec as u32,
            changed: stat.st_ctime as i64,
            version: Version::of(stat),
            content: None,
        }
    }

    /// A symbolic link: its permissions mean nothing, and it has no content.
    pub(crate) fn link(name: Name, path: PathBuf, stat: &Stat, target: LinkTarget) -> Self {
        Self { size: 0, data: 0, mode: 0, link: Some(target), ..Self::of(name, path, stat) }
    }

    /// The same file as a look into it shows it, if it takes so little space that its size may not be that of its
    /// content, or that it may have holes.
    ///
    /// # Errors
    /// How much there is to send cannot be found out.
    pub(crate) fn looked_into(self, stat: &Stat) -> Result<Self, SourceError> {
        let allocated = (stat.st_blocks as u64).saturating_mul(512);
        if allocated > 0 && allocated.saturating_add(MIN_HOLE) > self.size {
            return Ok(self);
        }
        // Sending it will report why it cannot be opened.
        let Ok(open) = OpenSource::open(&self) else { return Ok(self) };
        let other = if allocated == 0 { open.other_content(self.size)? } else { None };
        if !open.unchanged() {
            return Ok(self);
        }
        Ok(match (other, &open.bytes) {
            (Some(content), _) => Self {
                size: content.len() as u64,
                data: content.len() as u64,
                version: Version::of_content(&content),
                content: Some(content),
                ..self
            },
            (None, Bytes::File(file)) if self.size >= MIN_HOLE => Self { data: data_bytes(file, self.size), ..self },
            (None, _) => self,
        })
    }

    /// Whether a link is still the listed one.
    pub(crate) fn is_unchanged_link(&self) -> bool {
        let stat = fs::statat(fs::CWD, &self.path, AtFlags::SYMLINK_NOFOLLOW);
        stat.is_ok_and(|stat| Version::of(&stat) == self.version)
    }
}

#[allow(clippy::unnecessary_cast)]
impl Version {
    fn of_content(content: &[u8]) -> Self {
        Self::cut(digest::digest(&digest::SHA256, content))
    }

    fn of(stat: &Stat) -> Self {
        let mut context = digest::Context::new(&digest::SHA256);
        context.update(&(stat.st_dev as u64).to_be_bytes());
        context.update(&(stat.st_ino as u64).to_be_bytes());
        context.update(&(stat.st_size as u64).to_be_bytes());
        context.update(&(stat.st_mtime as i64).to_be_bytes());
        context.update(&(stat.st_mtime_nsec as u32).to_be_bytes());
        context.update(&(stat.st_ctime as i64).to_be_bytes());
        context.update(&(stat.st_ctime_nsec as u32).to_be_bytes());
        Self::cut(context.finish())
    }

    fn cut(digest: digest::Digest) -> Self {
        let mut version = [0; 16];
        version.copy_from_slice(&digest.as_ref()[..16]);
        Self(version)
    }
}

pub(crate) fn is_file(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Version({self})")
    }
}

impl From<Version> for String {
    fn from(version: Version) -> Self {
        version.to_string()
    }
}

impl TryFrom<String> for Version {
    type Error = hex::FromHexError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let mut bytes = [0; 16];
        hex::decode_to_slice(text, &mut bytes).map(|()| Self(bytes))
    }
}

#[cfg(test)]
mod tests;
