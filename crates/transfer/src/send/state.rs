//! What a sender stores of an unfinished transfer, so that it can resume after it was ended: a file of this user's alone with
//! the receiver's addresses and key, the resume secret, and the paths from the command line. Valid for seven days.
//!
//! Promises: what [`Unsynced::sync`] returned `Ok` for is found again after a loss of power.

pub(super) mod kept;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ciphermeter_core::quoted_path;
use ciphermeter_host::private;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::known_receiver::{Credential, KnownReceiver, ResumeCredential};
use super::options::SendOptions;
use super::ssh_receiver::SshReceiver;
use crate::Error;
use crate::hello::TransferId;
use crate::kept::is_too_old;
use crate::secret::ResumeSecret;
use crate::source::SourceFile;
use crate::sync::{is_full, sync_file, sync_folder};
use crate::ticket::{KeyHash, MAX_ADDRESSES, is_address};
use crate::wire::WIRE;

/// The most bytes of a state file.
const MAX_STATE: u64 = 1 << 20;

/// An unfinished transfer of this machine's user.
#[derive(Clone)]
pub struct State {
    addresses: Vec<String>,
    key: KeyHash,
    resume: ResumeCredential,
    /// The paths from the command line, absolute.
    pub paths: Vec<PathBuf>,
    /// The patterns of what is left out.
    pub exclude: Vec<String>,
    /// The most bytes per second that were asked for.
    pub limit: Option<u64>,
    /// How the receiver was started, where that was through ssh.
    pub ssh: Option<SshReceiver>,
    began: SystemTime,
}

/// An unfinished transfer, as listed for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    /// Its number.
    pub transfer: TransferId,
    /// The paths being sent.
    pub paths: Vec<PathBuf>,
    /// The receiver's addresses.
    pub addresses: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct StoredState {
    wire: u32,
    transfer: TransferId,
    addresses: Vec<String>,
    key: String,
    resume: ResumeSecret,
    paths: Vec<PathBuf>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    exclude: Vec<String>,
    #[serde(default)]
    limit: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ssh: Option<SshReceiver>,
    began: u64,
}

impl State {
    pub(super) fn new(
        receiver: &KnownReceiver,
        resume: &ResumeCredential,
        paths: &[PathBuf],
        options: &SendOptions,
    ) -> Self {
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        Self {
            addresses: receiver.addresses.clone(),
            key: receiver.key,
            resume: resume.clone(),
            paths: paths.iter().map(absolute).collect(),
            exclude: options.exclude.clone(),
            limit: options.limit,
            ssh: options.ssh.clone(),
            began: SystemTime::now(),
        }
    }

    pub(super) fn receiver(&self) -> KnownReceiver {
        KnownReceiver {
            addresses: self.addresses.clone(),
            key: self.key,
            credential: Credential::Resume(self.resume.clone()),
            accepts: false,
        }
    }

    /// The same transfer, with the receiver at other addresses.
    #[must_use]
    pub fn at(mut self, addresses: Vec<String>) -> Self {
        self.addresses = addresses;
        self
    }

    /// Whether a file has changed since the transfer began: what had come of it is void.
    pub fn is_voided(&self, file: &SourceFile) -> bool {
        let began = self.began.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        u64::try_from(file.changed).is_ok_and(|changed| changed > began)
    }

    /// The transfer as listed for the user.
    pub fn unfinished(&self) -> Unfinished {
        Unfinished { transfer: self.resume.transfer, paths: self.paths.clone(), addresses: self.addresses.clone() }
    }

    fn file(folder: &Path, transfer: TransferId) -> PathBuf {
        folder.join(format!("{transfer}.json"))
    }

    /// Writes the file. A process that ends from now on leaves it; only [`Unsynced::sync`] makes it survive more.
    pub(super) fn write(&self, folder: &Path) -> Result<Unsynced, Error> {
        let stored = StoredState {
            wire: WIRE,
            transfer: self.resume.transfer,
            addresses: self.addresses.clone(),
            key: hex::encode(self.key),
            resume: self.resume.secret.clone(),
            paths: self.paths.clone(),
            exclude: self.exclude.clone(),
            limit: self.limit,
            ssh: self.ssh.clone(),
            began: self.began.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        };
        let text = serde_json::to_vec(&stored).map(Zeroizing::new);
        let text = text.map_err(|_| Error::file("cannot send a path that is not UTF-8; rename it"))?;
        let file = Self::file(folder, self.resume.transfer);
        let write = || {
            let missing = folder.ancestors().take_while(|folder| !folder.exists()).count();
            private::make_folder(folder)?;
            let open = private::write(&file.with_extension("new"), &file, &text)?;
            let folders = folder.ancestors().take(missing + 1).map(Path::to_owned).collect();
            Ok(Unsynced { file: open, path: file.clone(), folders })
        };
        write().map_err(|error| cannot_write(&file, &error))
    }

    /// Removes what is stored of a transfer.
    pub fn forget(folder: &Path, transfer: TransferId) {
        let _ = fs::remove_file(Self::file(folder, transfer));
    }

    /// All that are young enough; older ones are deleted.
    pub fn all(folder: &Path) -> Vec<Self> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let files = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "json"));
        files.filter_map(|file| Self::read(&file)).collect()
    }

    fn read(file: &Path) -> Option<Self> {
        let text = Zeroizing::new(private::read(file, MAX_STATE).ok()?);
        if text.iter().all(|byte| *byte == 0) {
            // A loss of power left the name of a state that was not synced yet.
            let _ = fs::remove_file(file);
            return None;
        }
        let stored: StoredState = serde_json::from_slice(&text).ok()?;
        let began = UNIX_EPOCH.checked_add(Duration::from_secs(stored.began))?;
        if is_too_old(began) {
            let _ = fs::remove_file(file);
            return None;
        }
        let mut key = [0; 32];
        hex::decode_to_slice(&stored.key, &mut key).ok()?;
        let right = stored.wire == WIRE
            && stored.addresses.len() <= MAX_ADDRESSES
            && stored.addresses.iter().all(|address| is_address(address));
        right.then_some(Self {
            addresses: stored.addresses,
            key,
            resume: ResumeCredential { transfer: stored.transfer, secret: stored.resume },
            paths: stored.paths,
            exclude: stored.exclude,
            limit: stored.limit.filter(|limit| *limit > 0),
            ssh: stored.ssh,
            began,
        })
    }
}

/// A state that was written, but that a loss of power may take.
pub(super) struct Unsynced {
    file: File,
    path: PathBuf,
    /// The folder that it is in, and those that contain the folders that were made for it.
    folders: Vec<PathBuf>,
}

impl Unsynced {
    /// Makes the state durable. It takes milliseconds.
    pub(super) fn sync(self) -> Result<(), Error> {
        let sync = || {
            sync_file(&self.file)?;
            self.folders.iter().try_for_each(|folder| Ok(sync_folder(File::open(folder)?)?))
        };
        sync().map_err(|error| cannot_write(&self.path, &error))
    }
}

fn cannot_write(file: &Path, error: &io::Error) -> Error {
    let path = quoted_path(file);
    let space = if is_full(error) { "free some space, or " } else { "" };
    Error::file(format!(
        "cannot write {path}, which a resume needs: {error}; {space}choose another folder with XDG_STATE_HOME"
    ))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use rustix::io::Errno;

    use super::*;
    use crate::kept::KEPT_FOR;

    fn state(began: SystemTime) -> State {
        let resume = ResumeCredential { transfer: TransferId([7; 16]), secret: ResumeSecret::new([8; 16]) };
        State {
            addresses: vec!["127.0.0.1:9".into()],
            key: [9; 32],
            resume,
            paths: vec!["/a".into()],
            exclude: vec!["*.tmp".into()],
            limit: Some(9),
            ssh: Some(SshReceiver {
                host: "me@host".into(),
                folder: "in".into(),
                port: Some(4100),
                ..Default::default()
            }),
            began,
        }
    }

    #[test]
    fn stored_state_is_found_again_and_private_to_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("new");
        let unsynced = state(SystemTime::now()).write(&folder).unwrap();
        assert_eq!(unsynced.folders, [&*folder, folder.parent().unwrap()], "and the entry of the folder that was made");
        unsynced.sync().unwrap();
        let mode = fs::metadata(State::file(&folder, TransferId([7; 16]))).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let all = State::all(&folder);
        assert_eq!(all.len(), 1);
        assert!(all[0].unfinished() == state(SystemTime::now()).unfinished() && all[0].key == [9; 32]);
        assert_eq!((all[0].limit, &all[0].exclude[..]), (Some(9), &["*.tmp".to_owned()][..]));
        assert_eq!(all[0].ssh, state(SystemTime::now()).ssh);
        for (mode, believed) in [(0o777, 0), (0o770, 0), (0o755, 1)] {
            fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(State::all(&folder).len(), believed, "in a folder of mode {mode:o}");
        }
        State::forget(&folder, TransferId([7; 16]));
        assert!(State::all(&folder).is_empty());
    }

    #[test]
    fn only_a_full_disk_is_to_be_freed() {
        let said = |error: io::Error| cannot_write(Path::new("/home/me/x.json"), &error).to_string();
        for number in [Errno::NOSPC, Errno::DQUOT] {
            let said = said(number.into());
            assert!(said.contains("; free some space, or choose another folder with XDG_STATE_HOME"), "{said}");
        }
        for number in [Errno::ROFS, Errno::ACCESS, Errno::NOTDIR, Errno::IO, Errno::LOOP] {
            let said = said(number.into());
            assert!(said.contains("; choose another folder with XDG_STATE_HOME") && !said.contains("space"), "{said}");
        }
    }

    #[test]
    fn expired_or_broken_state_is_skipped() {
        let folder = tempfile::tempdir().unwrap();
        state(SystemTime::now() - KEPT_FOR - Duration::from_secs(9)).write(folder.path()).unwrap();
        fs::write(folder.path().join("other.json"), "{}").unwrap();
        fs::write(folder.path().join("cut.json"), [0; 300]).unwrap();
        assert!(State::all(folder.path()).is_empty());
        assert!(!folder.path().join("cut.json").exists(), "a loss of power left that");
        assert!(!State::file(folder.path(), TransferId([7; 16])).exists());
    }
}
