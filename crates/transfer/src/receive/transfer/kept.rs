//! The unfinished transfers of a receiving folder, for its user to see and to remove.
//!
//! Promises: looking changes nothing. What another process is using, another user's, or behind a link is never removed.

use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use super::StoredState;
use super::replayed::Replayed;
use crate::Error;
use crate::hello::TransferId;
use crate::kept::{Kept, Standing, is_too_old};
use crate::parts::{Parts, PartsError};
use crate::target::Target;
use crate::wire::{WIRE, wire_of};

/// All that a receiving folder keeps, the oldest first.
pub fn kept_received(folder: &Path) -> Result<Vec<Kept>, Error> {
    let target = Target::open(folder)?;
    let mut all = Vec::new();
    for id in Parts::ids(&target)? {
        let parts = match Parts::look(&target, id, None) {
            Ok(parts) => parts,
            Err(error) if is_no_transfer(&error) => continue,
            Err(error) => return Err(error.into()),
        };
        // Locked for a moment, so that what is read belongs together.
        let is_free = parts.lock();
        let kept = kept(&parts);
        all.push(if is_free { kept } else { Kept { standing: Standing::InUse, ..kept } });
    }
    all.sort_by_key(|kept| kept.began);
    Ok(all)
}

/// How many unfinished transfers a folder keeps that no process is using, and the bytes that they take. Quick: their
/// states are not read.
pub fn count_received(folder: &Path) -> (usize, u64) {
    let Ok(target) = Target::open(folder) else { return (0, 0) };
    let ids = Parts::ids(&target).unwrap_or_default();
    let free = ids.into_iter().filter_map(|id| Parts::look(&target, id, None).ok()).filter(Parts::lock);
    free.fold((0, 0), |(count, disk), parts| (count + 1, parts.disk().saturating_add(disk)))
}

/// Removes what a receiving folder keeps of a transfer.
pub fn forget_received(folder: &Path, transfer: TransferId) -> Result<(), Error> {
    let target = Target::open(folder)?;
    Ok(Parts::existing(&target, transfer.0)?.remove()?)
}

/// A look-alike, another user's, or gone since the listing.
fn is_no_transfer(error: &PartsError) -> bool {
    match error {
        PartsError::NotOurs { .. } => true,
        PartsError::Failed { why, .. } => matches!(why.kind(), ErrorKind::PermissionDenied | ErrorKind::NotFound),
        _ => false,
    }
}

fn kept(parts: &Parts) -> Kept {
    let (disk, has_others) = (parts.disk(), parts.has_others());
    let unknown = |standing| Kept { disk, has_others, ..Kept::unknown(TransferId(parts.id()), standing) };
    let Ok(text) = parts.read_state() else { return unknown(Standing::Unreadable) };
    if wire_of(&text).is_some_and(|wire| wire != WIRE) {
        return unknown(Standing::OtherVersion);
    }
    let state = serde_json::from_slice::<StoredState>(&text).ok();
    let began = state.as_ref().and_then(|state| UNIX_EPOCH.checked_add(Duration::from_secs(state.began)));
    let (Some(state), Some(began), Some(journal)) = (state, began, Replayed::read(parts)) else {
        return unknown(Standing::Unreadable);
    };
    let total = state.accepted.accepted_bytes();
    let here = if journal.placing { total } else { bytes_here(&journal, &state, parts) };
    let standing = match (is_too_old(began), journal.placing) {
        (false, false) => Standing::Resumable,
        (false, true) => Standing::NamesMissing,
        (true, false) => Standing::TooOld,
        (true, true) => Standing::TooOldButComplete,
    };
    let names = state.accepted.names().map(|name| name.as_str().to_owned());
    let bytes = Some((here, total));
    Kept { began: Some(began), bytes, begun: state.begun.clone(), ..unknown(standing) }.named(names)
}

/// Bytes of accepted files that the journal lists and whose parts are there.
fn bytes_here(journal: &Replayed, state: &StoredState, parts: &Parts) -> u64 {
    let is_here = |file: u32| {
        let size = state.accepted.file(file).map(|file| file.size);
        size.is_some_and(|size| parts.holds(file, size).unwrap_or(false))
    };
    journal.have.iter().filter(|(file, _)| is_here(**file)).map(|(_, ranges)| ranges.bytes()).sum()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::time::SystemTime;

    use super::*;
    use crate::kept::{Begun, KEPT_FOR};
    use crate::listen::ResumeSecretHash;
    use crate::piece::Piece;
    use crate::receive::accepted::Accepted;
    use crate::receive::offer::Offer;
    use crate::receive::samples::file;
    use crate::receive::transfer::{Reunion, Transfer};

    const SIZE: u64 = 300_000;

    /// A transfer of two files, with that beginning of the first.
    fn transfer(folder: &Path, id: u8, here: u64) -> Transfer {
        let target = Target::open(folder).unwrap();
        let offer = Offer { files: vec![file("a", SIZE), file("b", SIZE)], ..Offer::default() };
        let accepted = Accepted::new(offer, &HashMap::new());
        let identity = crate::Identity::generate().unwrap();
        let secret = ResumeSecretHash::new([2; 32]);
        let id = TransferId([id; 16]);
        let reunion = Reunion { identity: Some(&identity), secret: &secret, port: 1, begun: &Begun::default() };
        let transfer = Transfer::keeping(id, accepted, None, &target, &reunion).unwrap();
        let storage = transfer.storage.as_ref().unwrap();
        storage.parts.part(0, SIZE, true).unwrap();
        storage.record(&[Piece { file: 0, offset: 0, length: here }]).unwrap();
        transfer
    }

    fn state(folder: &Path, id: u8) -> std::path::PathBuf {
        folder.join(format!(".ciphermeter-{}/state.json", format!("{id:02x}").repeat(16)))
    }

    /// Changes a stored field.
    fn set(state: &Path, field: &str, value: u64) {
        let mut json: serde_json::Value = serde_json::from_slice(&fs::read(state).unwrap()).unwrap();
        json[field] = value.into();
        fs::write(state, json.to_string()).unwrap();
    }

    #[test]
    fn what_is_kept_is_listed_with_its_standing_and_nothing_changes() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let placing = transfer(folder, 2, SIZE);
        placing.storage.as_ref().unwrap().placing().unwrap();
        drop((transfer(folder, 1, 99_999), placing));
        for id in [3, 4, 5] {
            drop(transfer(folder, id, 1));
        }
        let old = SystemTime::now() - KEPT_FOR - Duration::from_secs(9);
        set(&state(folder, 3), "began", old.duration_since(UNIX_EPOCH).unwrap().as_secs());
        set(&state(folder, 4), "wire", 1);
        fs::write(state(folder, 5), "{").unwrap();
        let used = transfer(folder, 6, 1);
        symlink(
            folder.join(format!(".ciphermeter-{}", "01".repeat(16))),
            folder.join(format!(".ciphermeter-{}", "07".repeat(16))),
        )
        .unwrap();
        let before: Vec<_> = (1..=6).map(|id| fs::read(state(folder, id)).unwrap()).collect();

        let mut all = kept_received(folder).unwrap();
        all.sort_by_key(|kept| kept.transfer.0);
        let standings: Vec<_> = all.iter().map(|kept| (kept.transfer.0[0], kept.standing)).collect();
        let expected = [
            (1, Standing::Resumable),
            (2, Standing::NamesMissing),
            (3, Standing::TooOld),
            (4, Standing::OtherVersion),
            (5, Standing::Unreadable),
            (6, Standing::InUse),
        ];
        assert_eq!(standings, expected);
        assert_eq!((all[0].bytes, all[1].bytes), (Some((99_999, 2 * SIZE)), Some((2 * SIZE, 2 * SIZE))));
        assert_eq!((all[0].names.as_slice(), all[0].count), (&["a".to_owned(), "b".to_owned()][..], 2));
        assert_eq!(all[0].number(), "01010101");
        assert!(all.iter().all(|kept| kept.disk > 0));
        assert_eq!(count_received(folder).0, 5, "without the one in use");
        assert!(before == (1..=6).map(|id| fs::read(state(folder, id)).unwrap()).collect::<Vec<_>>());
        drop(used);
    }

    #[test]
    fn only_what_is_free_and_ours_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let id = |id: u8| TransferId([id; 16]);
        drop(transfer(folder, 1, 1));
        let used = transfer(folder, 2, 1);
        fs::create_dir(folder.join("other")).unwrap();
        fs::write(folder.join("other/0.part"), "other").unwrap();
        symlink("other", folder.join(format!(".ciphermeter-{}", "03".repeat(16)))).unwrap();
        forget_received(folder, id(1)).unwrap();
        assert!(forget_received(folder, id(2)).unwrap_err().to_string().contains("is using"));
        forget_received(folder, id(3)).unwrap_err();
        forget_received(folder, id(9)).unwrap_err();
        assert!(!state(folder, 1).parent().unwrap().exists() && state(folder, 2).exists());
        assert!(folder.join("other/0.part").exists());
        drop(used);
        forget_received(folder, id(2)).unwrap();
    }
}
