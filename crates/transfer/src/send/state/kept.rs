//! The unfinished transfers that a sender keeps, for its user to see and to remove.
//!
//! Promises: looking changes nothing. A running sender locks its state, which is then not removed; nor is what is
//! another user's, or may be, or a link.

use std::fs::{File, TryLockError};
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use ciphermeter_core::quoted_path;
use ciphermeter_host::private;
use zeroize::Zeroizing;

use super::{MAX_STATE, State, StoredState};
use crate::Error;
use crate::hello::TransferId;
use crate::kept::{Begun, Kept, Standing, is_too_old};
use crate::wire::{WIRE, wire_of};

/// All that a sender keeps in its folder, the oldest first.
pub fn kept_sent(folder: &Path) -> Vec<Kept> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let id = |entry: std::fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        TransferId::try_from(name.strip_suffix(".json")?.to_owned()).ok().filter(|id| name.starts_with(&id.to_string()))
    };
    let mut all: Vec<_> = entries.filter_map(id).filter_map(|id| kept(folder, id)).collect();
    all.sort_by_key(|kept| (kept.began, kept.transfer.0));
    all
}

/// Removes what a sender keeps of a transfer.
pub fn forget_sent(folder: &Path, transfer: TransferId) -> Result<(), Error> {
    let path = State::file(folder, transfer);
    let failed = |why: io::Error| {
        Error::file(format!("cannot remove {}: {why}; check its permissions and the disk", quoted_path(&path)))
    };
    let _locked = match lock(folder, transfer).map_err(failed)? {
        Some(locked) => locked,
        None => return Err(Error::file("another `ciphermeter send` is using that transfer; end it first")),
    };
    std::fs::remove_file(&path).map_err(failed)
}

/// Marks a transfer as in use, for as long as the returned file lives. Where that fails, it is only not protected.
pub(in crate::send) fn hold(folder: &Path, transfer: TransferId) -> Option<File> {
    lock(folder, transfer).ok().flatten()
}

/// `None`: another process has it. File systems without such locks protect nothing.
fn lock(folder: &Path, transfer: TransferId) -> io::Result<Option<File>> {
    let file = private::open(&State::file(folder, transfer))?;
    Ok(match file.try_lock() {
        Err(TryLockError::WouldBlock) => None,
        Ok(()) | Err(TryLockError::Error(_)) => Some(file),
    })
}

/// `None`: there is no such file of this user.
fn kept(folder: &Path, transfer: TransferId) -> Option<Kept> {
    let file = private::open(&State::file(folder, transfer)).ok()?;
    let disk = file.metadata().ok()?.len();
    let mut text = Zeroizing::new(Vec::with_capacity(disk.min(MAX_STATE) as usize + 1));
    let read = (&file).take(MAX_STATE).read_to_end(&mut text);
    let is_free = !matches!(file.try_lock(), Err(TryLockError::WouldBlock));
    let unknown = |standing| Kept { disk, ..Kept::unknown(transfer, standing) };
    if read.is_ok() && wire_of(&text).is_some_and(|wire| wire != WIRE) {
        return Some(unknown(Standing::OtherVersion));
    }
    let state = serde_json::from_slice::<StoredState>(&text).ok().filter(|state| state.transfer == transfer);
    let began = state.as_ref().and_then(|state| UNIX_EPOCH.checked_add(Duration::from_secs(state.began)));
    let (Some(state), Some(began)) = (state, began) else { return Some(unknown(Standing::Unreadable)) };
    let standing = match is_free {
        false => Standing::InUse,
        true if is_too_old(began) => Standing::TooOld,
        true => Standing::Resumable,
    };
    let paths = state.paths.iter().map(|path| path.to_string_lossy().into_owned());
    // Without addresses, this end was started through ssh, and listened.
    let begun = if state.addresses.is_empty() { Begun::There } else { Begun::AtBoth };
    let kept = Kept { began: Some(began), addresses: state.addresses.clone(), begun, ..unknown(standing) };
    Some(kept.named(paths))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::time::SystemTime;

    use super::*;
    use crate::kept::KEPT_FOR;
    use crate::secret::ResumeSecret;
    use crate::send::known_receiver::ResumeCredential;

    fn write(folder: &Path, id: u8, age: Duration) {
        let state = State {
            addresses: vec!["127.0.0.1:9".into()],
            key: [9; 32],
            resume: ResumeCredential { transfer: TransferId([id; 16]), secret: ResumeSecret::new([8; 16]) },
            paths: vec!["/a".into()],
            exclude: Vec::new(),
            ssh: None,
            limit: None,
            began: SystemTime::now() - age,
        };
        state.write(folder).unwrap();
    }

    #[test]
    fn what_is_kept_is_listed_and_only_what_is_free_and_ours_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let id = |id: u8| TransferId([id; 16]);
        write(folder, 1, Duration::ZERO);
        write(folder, 2, KEPT_FOR + Duration::from_secs(9));
        write(folder, 3, Duration::from_secs(9));
        for (number, text) in [(4, "{"), (5, "{\"wire\":1}")] {
            fs::write(State::file(folder, id(number)), text).unwrap();
        }
        fs::write(folder.join("other"), "other").unwrap();
        symlink("other", State::file(folder, id(6))).unwrap();
        fs::write(folder.join("notes.json"), "other").unwrap();
        let held = hold(folder, id(3)).unwrap();
        let mut all = kept_sent(folder);
        all.sort_by_key(|kept| kept.transfer.0);
        let standings: Vec<_> = all.iter().map(|kept| (kept.transfer.0[0], kept.standing)).collect();
        let expected = [
            (1, Standing::Resumable),
            (2, Standing::TooOld),
            (3, Standing::InUse),
            (4, Standing::Unreadable),
            (5, Standing::OtherVersion),
        ];
        assert_eq!(standings, expected);
        assert_eq!(
            (all[0].names.as_slice(), all[0].addresses.as_slice()),
            (&["/a".into()][..], &["127.0.0.1:9".into()][..])
        );
        for removed in [1, 2, 4, 5] {
            forget_sent(folder, id(removed)).unwrap();
        }
        assert!(forget_sent(folder, id(3)).unwrap_err().to_string().contains("is using"));
        forget_sent(folder, id(6)).unwrap_err();
        drop(held);
        forget_sent(folder, id(3)).unwrap();
        let mut left: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, [format!("{}.json", id(6)).into(), std::ffi::OsString::from("notes.json"), "other".into()]);
    }
}
