//! The state folder of a transfer: part files, the state, the journal, until all is complete and has its final name.
//!
//! It lies in the receiving folder, so that a rename suffices in the end: `.ciphermeter-<32 hex of the transfer's id>`,
//! 0700, with `<file>.part`, `state.json` and `journal`, all 0600.
//! Promises: the folder is used only if it is a real folder of this user, writable by no other user, and by one process
//! at a time; nothing in it is opened through a link; only files with known names are removed.

mod error;
mod look;

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock};

use rustix::fs::{self, AtFlags, Dir, FallocateFlags, Mode, OFlags, Stat, Timespec, Timestamps};
use rustix::io::Errno;
use zeroize::Zeroizing;

use error::strangeness;
pub use error::{MAX_STATE, PartsError};

use crate::link::LinkTarget;
use crate::name::STATE_PREFIX;
use crate::sync::{is_unsupported, sync_file, sync_folder, sync_parts};
use crate::target::{Room, Target};

const STATE: &str = "state.json";
const NEW_STATE: &str = "state.json.new";
const JOURNAL: &str = "journal";

/// Never through a link; `NONBLOCK` so that a pipe in a file's place does not block.
const NO_LINK: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

/// The state folder of one transfer, open and locked.
#[derive(Debug)]
pub struct Parts {
    id: [u8; 16],
    folder: OwnedFd,
    target: OwnedFd,
    path: PathBuf,
    on_disk: Mutex<OnDisk>,
}

/// Whether the state is on disk.
#[derive(Debug, Clone, Copy)]
enum OnDisk {
    Unknown,
    Synced,
    /// A failed sync is not reported twice by the system: a second one would succeed, and what was written be lost.
    Failed(Errno),
}

impl Parts {
    /// Creates the folder of a transfer, or takes it if it exists and is ours.
    pub fn create(target: &Target, id: [u8; 16]) -> Result<Self, PartsError> {
        Self::enter(target, id, Some(Mode::RWXU))
    }

    /// The unfinished transfers in a folder, in the order of their ids. Look-alikes are skipped, and so are folders
    /// that another process uses. Each is opened in its turn: all together may exceed the process's limit of open
    /// files.
    pub fn find(target: &Target) -> Result<impl Iterator<Item = Result<Self, PartsError>>, PartsError> {
        Ok(Self::ids(target)?.into_iter().filter_map(|id| match Self::enter(target, id, None) {
            Err(PartsError::NotOurs { .. } | PartsError::InUse { .. }) => None,
            // Another user's, or gone since the listing.
            Err(PartsError::Failed { why, .. })
                if matches!(why.kind(), ErrorKind::PermissionDenied | ErrorKind::NotFound) =>
            {
                None
            }
            entered => Some(entered),
        }))
    }

    fn enter(target: &Target, id: [u8; 16], new: Option<Mode>) -> Result<Self, PartsError> {
        let parts = Self::look(target, id, new)?;
        if parts.lock() { Ok(parts) } else { Err(PartsError::InUse { path: parts.path }) }
    }

    /// The transfer's id.
    pub fn id(&self) -> [u8; 16] {
        self.id
    }

    /// Its path, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name of a file's part in this folder, for [`Target::place`].
    pub fn part_name(file: u32) -> String {
        format!("{file}.part")
    }

    /// Opens a part to read and write, of `size` bytes from the start, so that ranges may come in any order.
    ///
    /// A `new` part must not exist yet. A resumed part must exist with exactly that size; otherwise the journal's
    /// entries for it are void: [`PartsError::PartLost`].
    pub fn part(&self, file: u32, size: u64, new: bool) -> Result<File, PartsError> {
        let name = Self::part_name(file);
        if !new {
            let part =
                self.file(&name, OFlags::RDWR)?.filter(|part| part.metadata().is_ok_and(|now| now.len() == size));
            return part.ok_or_else(|| PartsError::PartLost { path: self.path.join(&name) });
        }
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | NO_LINK;
        let part = match fs::openat(&self.folder, &*name, flags, Mode::RUSR | Mode::WUSR) {
            Err(Errno::EXIST) => return Err(PartsError::PartExists { path: self.path.join(&name) }),
            part => File::from(part.map_err(|why| self.failed("make", &name, why))?),
        };
        fs::ftruncate(&part, size).map_err(|why| self.failed("set the size of", &name, why))?;
        Ok(part)
    }

    /// Makes the part of a symbolic link: a link, which points nowhere from here. Whether the file system has any.
    pub fn link(&self, file: u32, target: &LinkTarget) -> Result<bool, PartsError> {
        let name = Self::part_name(file);
        // From an earlier attempt to place it.
        self.unlink(&name)?;
        match fs::symlinkat(target.as_str(), &self.folder, &*name) {
            Ok(()) => Ok(true),
            Err(why) if why == Errno::PERM || is_unsupported(why) => Ok(false),
            Err(why) => Err(self.failed("make the link", &name, why)),
        }
    }

    /// Makes a range of a part zeros that take no space, where the file system can.
    pub fn punch(part: &File, offset: u64, length: u64) -> std::io::Result<()> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        match fs::fallocate(part, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, offset, length) {
            Err(why) if is_unsupported(why) => {}
            done => return Ok(done?),
        }
        let (zeros, mut at, end) = (vec![0; 1 << 20], offset, offset + length);
        while at < end {
            let chunk = (end - at).min(zeros.len() as u64);
            part.write_all_at(&zeros[..chunk as usize], at)?;
            at += chunk;
        }
        Ok(())
    }

    /// Allocates a part's blocks before a byte has come, so that a full disk is reported at the start. Where the file
    /// system cannot allocate, only its free space is checked.
    pub fn reserve(&self, part: &File, size: u64) -> Result<(), PartsError> {
        let full = || PartsError::Full { path: self.path.clone(), needed: size };
        let failed = |why: Errno| self.failed("reserve space in", "", why);
        let lacking = size.saturating_sub(allocated(&fs::fstat(part).map_err(failed)?));
        if lacking == 0 {
            return Ok(());
        }
        // Checked first, because a failing reservation may have taken all free space from other programs.
        if Room::of(part).map_err(failed)?.bytes.is_some_and(|free| free < lacking) {
            return Err(full());
        }
        match fs::fallocate(part, FallocateFlags::empty(), 0, size) {
            Ok(()) => Ok(()),
            Err(why) if is_unsupported(why) => Ok(()),
            Err(Errno::NOSPC | Errno::DQUOT) => Err(full()),
            Err(why) => Err(failed(why)),
        }
    }

    /// Bytes on disk that a file's part takes, if it has one.
    pub fn allocated(&self, file: u32) -> Option<u64> {
        let part = fs::statat(&self.folder, Self::part_name(file), AtFlags::SYMLINK_NOFOLLOW);
        part.ok().map(|part| allocated(&part))
    }

    /// Removes a file's part, if there is one: its source has changed, or the part was lost.
    pub fn remove_part(&self, file: u32) -> Result<(), PartsError> {
        self.unlink(&Self::part_name(file)).map(drop)
    }

    /// Whether a file has a part of that size here, as the journal's entries for it require.
    pub fn holds(&self, file: u32, size: u64) -> Result<bool, PartsError> {
        let name = Self::part_name(file);
        match fs::statat(&self.folder, &*name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(part) => Ok(u64::try_from(part.st_size) == Ok(size)),
            Err(Errno::NOENT) => Ok(false),
            Err(why) => Err(self.failed("look at", &name, why)),
        }
    }

    /// Whether a file has a part here. A part that cannot be inspected counts: using it reports the reason.
    pub fn has(&self, file: u32) -> bool {
        fs::statat(&self.folder, Self::part_name(file), AtFlags::SYMLINK_NOFOLLOW).err() != Some(Errno::NOENT)
    }

    /// The path of a file's part, for messages.
    pub fn path_of(&self, file: u32) -> PathBuf {
        self.path.join(Self::part_name(file))
    }

    /// Gives a complete part the permissions and the time of its source; the user's umask applies to the permissions.
    pub fn finish(&self, file: u32, mode: u32, modified: Timespec) -> Result<(), PartsError> {
        let name = Self::part_name(file);
        let part = self.file(&name, OFlags::RDWR)?.ok_or_else(|| PartsError::PartLost { path: self.path_of(file) })?;
        let mode = Mode::from_raw_mode((mode & 0o777) as fs::RawMode) - umask();
        fs::fchmod(&part, mode | Mode::RUSR | Mode::WUSR)
            .map_err(|why| self.failed("set the permissions of", &name, why))?;
        let times = Timestamps { last_access: modified, last_modification: modified };
        fs::futimens(&part, &times).map_err(|why| self.failed("set the time of", &name, why))
    }

    /// Makes these parts durable, with few waits for the disk ([`sync_parts`]).
    pub fn sync(&self, files: impl IntoIterator<Item = u32>) -> Result<(), PartsError> {
        let names: Vec<_> = files.into_iter().map(Self::part_name).collect();
        sync_parts(self.folder.as_fd(), &names).map_err(|why| self.failed("sync", "", why))
    }

    /// Opens the journal's file to read and append, empty if there was none; [`crate::Journal::open`] takes it.
    pub fn journal(&self) -> Result<File, PartsError> {
        let flags = OFlags::RDWR | OFlags::CREATE;
        self.file(JOURNAL, flags)?.ok_or_else(|| self.failed("make", JOURNAL, Errno::NOENT))
    }

    /// Replaces the state atomically: a process that ends leaves the old state or the new one, and so does a power
    /// loss. Only the first state, which replaces none, needs [`Self::sync_state`] for that: its name may reach the disk
    /// before its bytes do.
    pub fn write_state(&self, state: &[u8]) -> Result<(), PartsError> {
        if state.len() as u64 > MAX_STATE {
            return Err(PartsError::TooLarge { path: self.path.join(STATE) });
        }
        self.unlink(NEW_STATE)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | NO_LINK;
        let write = || -> std::io::Result<()> {
            let mut file = File::from(fs::openat(&self.folder, NEW_STATE, flags, Mode::RUSR | Mode::WUSR)?);
            file.write_all(state)?;
            if fs::statat(&self.folder, STATE, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
                // The rename may reach the disk before the bytes do: then all that was received would have no state.
                sync_file(&file)?;
            }
            fs::renameat(&self.folder, NEW_STATE, &self.folder, STATE)?;
            *self.on_disk() = OnDisk::Unknown;
            Ok(())
        };
        write().map_err(|why| match Errno::from_io_error(&why) {
            Some(Errno::NOSPC | Errno::DQUOT) => {
                PartsError::Full { path: self.path.clone(), needed: state.len() as u64 }
            }
            _ => PartsError::Failed { doing: "write", path: self.path.join(STATE), why },
        })
    }

    /// Makes the state durable, and the folder with it, where they are not: before the journal says that anything is
    /// here, which counts for nothing without them. It takes milliseconds, for which a sender that has just been welcomed
    /// should not wait.
    pub fn sync_state(&self) -> Result<(), PartsError> {
        // Held: who comes second waits until it is done.
        let mut on_disk = self.on_disk();
        if let OnDisk::Unknown = *on_disk {
            let file = self.file(STATE, OFlags::RDONLY)?;
            let file = file.ok_or_else(|| PartsError::NoState { path: self.path.clone() })?;
            // The folder's own entry, which may be new, too.
            let synced =
                sync_file(&file).and_then(|()| sync_folder(&self.folder)).and_then(|()| sync_folder(&self.target));
            *on_disk = synced.map_or_else(OnDisk::Failed, |()| OnDisk::Synced);
        }
        match *on_disk {
            OnDisk::Failed(why) => Err(self.failed("sync", STATE, why)),
            OnDisk::Unknown | OnDisk::Synced => Ok(()),
        }
    }

    fn on_disk(&self) -> MutexGuard<'_, OnDisk> {
        self.on_disk.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The state as last written. It contains secrets.
    pub fn read_state(&self) -> Result<Zeroizing<Vec<u8>>, PartsError> {
        let file = self.file(STATE, OFlags::RDONLY)?.ok_or_else(|| PartsError::NoState { path: self.path.clone() })?;
        let failed = |why| PartsError::Failed { doing: "read", path: self.path.join(STATE), why };
        // With room for all: when a text grows, its earlier buffer is not wiped.
        let room = file.metadata().map_err(failed)?.len().min(MAX_STATE) + 1;
        let mut state = Zeroizing::new(Vec::with_capacity(room as usize));
        file.take(MAX_STATE + 1).read_to_end(&mut state).map_err(failed)?;
        if state.len() as u64 > MAX_STATE {
            return Err(PartsError::TooLarge { path: self.path.join(STATE) });
        }
        Ok(state)
    }

    /// Removes what the transfer has left, then the folder. The state goes first: without it, the remains of a crash
    /// cannot be taken for a transfer to resume.
    pub fn remove(&self) -> Result<(), PartsError> {
        self.unlink(STATE)?;
        let failed = |why: Errno| self.failed("list", "", why);
        // Some file systems lose their place in a list that shrinks, so the list is read until it contains nothing of
        // ours.
        loop {
            let mut removed = 0;
            for entry in Dir::read_from(&self.folder).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                if let Some(name) = entry.file_name().to_str().ok().filter(|name| is_known(name)) {
                    removed += usize::from(self.unlink(name)?);
                }
            }
            if removed == 0 {
                break;
            }
        }
        match fs::unlinkat(&self.target, folder_name(&self.id), AtFlags::REMOVEDIR) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(Errno::NOTEMPTY | Errno::EXIST) => Err(PartsError::NotEmpty { path: self.path.clone() }),
            Err(why) => Err(self.failed("remove", "", why)),
        }
    }

    /// A file of this folder, if it exists: a regular file of ours with this one name. `CREATE` may be among `flags`.
    fn file(&self, name: &str, flags: OFlags) -> Result<Option<File>, PartsError> {
        let file = match fs::openat(&self.folder, name, flags | NO_LINK, Mode::RUSR | Mode::WUSR) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Ok(None),
            Err(why) => return Err(self.obstacle("open", name, why)),
        };
        let stat = fs::fstat(&file).map_err(|why| self.failed("look at", name, why))?;
        match strangeness(&stat) {
            Some(what) => Err(PartsError::Strange { path: self.path.join(name), what }),
            None => Ok(Some(file.into())),
        }
    }

    /// Why something failed: because of what is there instead of our file, if something is.
    fn obstacle(&self, doing: &'static str, name: &str, why: Errno) -> PartsError {
        let stat = fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW).ok();
        match stat.as_ref().and_then(strangeness) {
            Some(what) => PartsError::Strange { path: self.path.join(name), what },
            None => self.failed(doing, name, why),
        }
    }

    /// Removes a file; returns whether it existed.
    fn unlink(&self, name: &str) -> Result<bool, PartsError> {
        match fs::unlinkat(&self.folder, name, AtFlags::empty()) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(why) => Err(self.obstacle("remove", name, why)),
        }
    }

    fn failed(&self, doing: &'static str, name: &str, why: Errno) -> PartsError {
        PartsError::Failed { doing, path: self.path.join(name), why: why.into() }
    }
}

impl AsFd for Parts {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }
}

/// The process's umask. It can be read only by setting it, which is done once, to the strictest: a file that another
/// thread makes meanwhile is more private than intended.
fn umask() -> Mode {
    static MASK: OnceLock<Mode> = OnceLock::new();
    *MASK.get_or_init(|| {
        let mask = rustix::process::umask(Mode::RWXG | Mode::RWXO);
        rustix::process::umask(mask);
        mask
    })
}

fn folder_name(id: &[u8; 16]) -> String {
    format!("{STATE_PREFIX}{}", hex::encode(id))
}

/// The id in a state folder's name, if the name has exactly that form.
fn id_of(name: &[u8]) -> Option<[u8; 16]> {
    let mut id = [0; 16];
    hex::decode_to_slice(name.strip_prefix(STATE_PREFIX.as_bytes())?, &mut id).ok()?;
    (folder_name(&id).as_bytes() == name).then_some(id)
}

fn is_known(name: &str) -> bool {
    let number = name.strip_suffix(".part").and_then(|number| number.parse().ok());
    [STATE, NEW_STATE, JOURNAL].contains(&name) || number.is_some_and(|number| Parts::part_name(number) == name)
}

/// Bytes on disk. The number's type differs between systems, its unit of 512 bytes does not.
#[allow(clippy::unnecessary_cast)]
fn allocated(stat: &Stat) -> u64 {
    (stat.st_blocks as u64).saturating_mul(512)
}

#[cfg(test)]
mod tests;
