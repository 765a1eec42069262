use std::fs;
use std::path::PathBuf;

use super::*;
use crate::receive::destination::{Destination, Folder};
use crate::receive::samples::file;

/// A receiving folder in which a transfer of three files of 100 bytes has begun.
struct Fixture {
    // Removed when dropped.
    dir: tempfile::TempDir,
    destination: Destination,
}

impl Fixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let target = Target::open(dir.path()).unwrap();
        let destination = Destination::Folder(Folder { target, port: 0, gathers: false, begun: Begun::default() });
        Self { dir, destination }
    }

    fn target(&self) -> &Target {
        let Destination::Folder(Folder { target, .. }) = &self.destination else { panic!("not a folder") };
        target
    }

    fn begin(&self, id: u8) -> Transfer {
        let offer = Offer { files: ["a", "b", "c"].map(|name| file(name, 100)).to_vec(), ..Offer::default() };
        let (identity, secret) = (Identity::generate().unwrap(), ResumeSecretHash::new([2; 32]));
        let reunion = Reunion { identity: Some(&identity), secret: &secret, port: 9, begun: &Begun::default() };
        let accepted = Accepted::new(offer, &HashMap::new());
        Transfer::keeping(TransferId([id; 16]), accepted, None, self.target(), &reunion).unwrap()
    }

    /// What another process would resume.
    fn find_unfinished(&self) -> Option<Transfer> {
        Transfer::find_unfinished(self.target(), "").unwrap().map(|unfinished| unfinished.transfer)
    }

    fn folder(&self, id: u8) -> PathBuf {
        self.dir.path().join(format!(".ciphermeter-{}", hex::encode([id; 16])))
    }
}

/// Records a piece as received.
fn receive(transfer: &Transfer, file: u32, offset: u64, length: u64) {
    let parts = &transfer.storage.as_ref().unwrap().parts;
    parts.part(file, 100, !parts.has(file)).unwrap();
    transfer.record(&[Piece { file, offset, length }]).unwrap();
}

fn ranges(transfer: &Transfer, file: u32) -> Vec<(u64, u64)> {
    transfer.have().get(&file).map(|ranges| ranges.iter().collect()).unwrap_or_default()
}

#[test]
fn withdrawn_file_leaves_the_journal_before_its_part_is_removed() {
    let fixture = Fixture::new();
    let transfer = fixture.begin(7);
    receive(&transfer, 0, 0, 50);
    receive(&transfer, 1, 0, 100);
    // So that the state stays for the test to read.
    fs::write(fixture.dir.path().join("b"), "mine").unwrap();
    assert_eq!(fixture.destination.place_files(&transfer, &[1]).unwrap().failed.len(), 1);
    drop(transfer);
    let path = fixture.folder(7).join("journal");
    let journal = fs::read_to_string(&path).unwrap();
    let kinds: Vec<_> = journal.lines().map(|line| line.split('"').nth(3).unwrap()).collect();
    assert_eq!(kinds, ["piece", "piece", "restart", "placing"]);
    // As if the process had ended before it gave names.
    fs::write(&path, &journal[..journal.trim_end().rfind('\n').unwrap() + 1]).unwrap();
    let unfinished = fixture.find_unfinished().unwrap();
    assert!(ranges(&unfinished, 0).is_empty() && ranges(&unfinished, 1) == [(0, 100)] && !unfinished.placing);
}

#[test]
fn journal_entries_of_a_lost_part_stay_void() {
    let fixture = Fixture::new();
    let transfer = fixture.begin(7);
    for file in 0..3 {
        receive(&transfer, file, 0, 50);
    }
    drop(transfer);
    fs::remove_file(fixture.folder(7).join("0.part")).unwrap();
    fs::File::options().write(true).open(fixture.folder(7).join("1.part")).unwrap().set_len(10).unwrap();
    let unfinished = fixture.find_unfinished().unwrap();
    assert!(
        ranges(&unfinished, 0).is_empty() && ranges(&unfinished, 1).is_empty() && ranges(&unfinished, 2) == [(0, 50)]
    );
    receive(&unfinished, 0, 50, 50);
    drop(unfinished);
    assert_eq!(
        ranges(&fixture.find_unfinished().unwrap(), 0),
        [(50, 50)],
        "a new part doesn't bring back what the old one held"
    );
}

fn now() -> u64 {
    UNIX_EPOCH.elapsed().unwrap().as_secs()
}

const DAY: u64 = 24 * 3600;

impl Fixture {
    fn set_began(&self, id: u8, began: u64) {
        let path = self.folder(id).join("state.json");
        let mut state: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        state["began"] = began.into();
        fs::write(path, state.to_string()).unwrap();
    }
}

/// A machine without a battery for its clock boots with a date in the past.
#[test]
fn clock_set_back_makes_nothing_too_old() {
    let fixture = Fixture::new();
    drop(fixture.begin(7));
    fixture.set_began(7, now() + 400 * DAY);
    assert!(fixture.find_unfinished().is_some());
    fixture.set_began(7, u64::MAX);
    assert!(fixture.find_unfinished().is_none() && fixture.folder(7).exists(), "no state of ours, and no panic");
}

#[test]
fn unfinished_transfer_is_found_by_its_number() {
    let fixture = Fixture::new();
    drop((fixture.begin(1), fixture.begin(2)));
    let find = |id| Transfer::find_unfinished(fixture.target(), &TransferId([id; 16]).to_string()).unwrap();
    for id in [1, 2] {
        assert_eq!(find(id).unwrap().transfer.id.0, [id; 16]);
    }
    assert!(find(3).is_none() && fixture.find_unfinished().is_some(), "the others stay");
}

#[test]
fn only_expired_transfers_are_removed() {
    let fixture = Fixture::new();
    for id in 0..=80 {
        drop(fixture.begin(id));
        fixture.set_began(id, now() - 8 * DAY);
    }
    fixture.set_began(40, now() - 6 * DAY);
    assert_eq!(fixture.find_unfinished().unwrap().id.0, [40; 16]);
    assert_eq!(fs::read_dir(fixture.dir.path()).unwrap().count(), 1);
}

/// The user was told where it is kept.
#[test]
fn completely_received_files_are_never_removed_for_age() {
    let fixture = Fixture::new();
    let transfer = fixture.begin(7);
    receive(&transfer, 0, 0, 100);
    transfer.storage.as_ref().unwrap().placing().unwrap();
    drop(transfer);
    fixture.set_began(7, now() - 8 * DAY);
    assert!(fixture.find_unfinished().is_none() && fixture.folder(7).join("0.part").exists());
}

#[test]
fn number_of_attempts_is_limited() {
    let fixture = Fixture::new();
    let transfer = fixture.begin(7);
    transfer.storage.as_ref().unwrap().append(&[Entry::Attempt { number: u32::MAX }]).unwrap();
    drop(transfer);
    let mut unfinished = fixture.find_unfinished().unwrap();
    unfinished.apply_offer(Offer::default(), AcceptedOffer::default(), |_, _| {}).unwrap();
    assert_eq!(unfinished.attempts, u32::MAX);
}

#[test]
fn transfer_is_found_by_the_first_digits_of_its_number() {
    let fixture = Fixture::new();
    drop((fixture.begin(0x17), fixture.begin(0x71)));
    let found = |number| {
        let found = Transfer::find_unfinished(fixture.target(), number).unwrap();
        found.map(|unfinished| unfinished.transfer.id.0[0])
    };
    assert_eq!((found("1717"), found("71"), found("7171ff")), (Some(0x17), Some(0x71), None));
}
