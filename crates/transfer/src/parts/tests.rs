use super::*;
use std::fs as std_fs;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, symlink};
use std::path::Path;

const ID: [u8; 16] = [0x1a; 16];

fn target_folder() -> (tempfile::TempDir, Target) {
    let dir = tempfile::tempdir().unwrap();
    let target = Target::open(dir.path()).unwrap();
    (dir, target)
}

fn state_folder(dir: &Path) -> PathBuf {
    dir.join(format!(".ciphermeter-{}", "1a".repeat(16)))
}

fn found(target: &Target) -> Vec<Parts> {
    Parts::find(target).unwrap().collect::<Result<_, _>>().unwrap()
}

fn mode(path: &Path) -> u32 {
    std_fs::symlink_metadata(path).unwrap().mode() & 0o777
}

#[test]
fn everything_is_private_and_nothing_is_left() {
    let (dir, target) = target_folder();
    let parts = Parts::create(&target, ID).unwrap();
    let folder = state_folder(dir.path());
    parts.write_state(b"{}").unwrap();
    parts.part(7, 10, true).unwrap();
    parts.journal().unwrap();
    parts.sync([7]).unwrap();
    assert_eq!((mode(&folder), parts.id()), (0o700, ID));
    for file in ["state.json", "7.part", "journal"] {
        assert_eq!(mode(&folder.join(file)), 0o600, "{file}");
    }
    parts.remove().unwrap();
    assert_eq!(std_fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn new_part_must_not_exist_and_old_part_must_be_unchanged() {
    let (dir, target) = target_folder();
    let parts = Parts::create(&target, ID).unwrap();
    assert!(matches!(parts.part(0, 5, false), Err(PartsError::PartLost { .. })));
    let part = parts.part(0, 5, true).unwrap();
    part.write_all_at(b"lo", 3).unwrap();
    assert!(matches!(parts.part(0, 5, true), Err(PartsError::PartExists { .. })));
    assert!(matches!(parts.part(0, 6, false), Err(PartsError::PartLost { .. })));
    let mut text = String::new();
    parts.part(0, 5, false).unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "\0\0\0lo");
    // A second name: bytes written to the part would be written there, too.
    std_fs::hard_link(state_folder(dir.path()).join("0.part"), dir.path().join("other")).unwrap();
    assert!(matches!(parts.part(0, 5, false), Err(PartsError::Strange { .. })));
    parts.remove_part(0).unwrap();
    parts.remove_part(0).unwrap();
    parts.part(0, 5, true).unwrap();
}

#[test]
fn links_in_the_folder_are_not_followed() {
    let (dir, target) = target_folder();
    let parts = Parts::create(&target, ID).unwrap();
    let victim = dir.path().join("victim");
    std_fs::write(&victim, "12345").unwrap();
    for (file, to) in [("0.part", &victim), ("1.part", &dir.path().join("nowhere")), ("state.json", &victim)] {
        symlink(to, state_folder(dir.path()).join(file)).unwrap();
    }
    symlink(&victim, state_folder(dir.path()).join("journal")).unwrap();
    symlink(&victim, state_folder(dir.path()).join("state.json.new")).unwrap();
    assert!(matches!(parts.part(0, 5, true), Err(PartsError::PartExists { .. })));
    assert!(matches!(parts.part(1, 5, true), Err(PartsError::PartExists { .. })));
    assert!(matches!(parts.part(0, 5, false), Err(PartsError::Strange { .. })));
    assert!(matches!(parts.journal(), Err(PartsError::Strange { .. })));
    assert!(matches!(parts.read_state(), Err(PartsError::Strange { .. })));
    parts.write_state(b"new").unwrap();
    assert_eq!(*parts.read_state().unwrap(), b"new");
    parts.remove().unwrap();
    assert_eq!(std_fs::read_to_string(&victim).unwrap(), "12345");
    assert!(!dir.path().join("nowhere").exists());
}

#[test]
fn what_is_in_the_place_of_a_part_is_named_with_what_to_do() {
    let (dir, target) = target_folder();
    let parts = Parts::create(&target, ID).unwrap();
    let part = state_folder(dir.path()).join("0.part");
    let said = |result: Result<(), PartsError>, what: &str| {
        let said = result.unwrap_err().to_string();
        assert!(said.contains(&format!("0.part\" is {what}")), "{said}");
        assert!(said.ends_with("move it away, then resume the transfer or start over"), "{said}");
    };
    std_fs::write(&part, "12345").unwrap();
    std_fs::hard_link(&part, dir.path().join("other")).unwrap();
    said(parts.part(0, 5, false).map(drop), "a file that has another name, too");
    std_fs::remove_file(&part).unwrap();
    std_fs::create_dir(&part).unwrap();
    said(parts.part(0, 5, false).map(drop), "a folder");
    said(parts.remove_part(0), "a folder");
    said(parts.remove(), "a folder");
}

#[test]
fn only_a_private_folder_of_ours_is_taken() {
    let (dir, target) = target_folder();
    let folder = state_folder(dir.path());
    let refused = || matches!(Parts::create(&target, ID), Err(PartsError::NotOurs { .. }));
    std_fs::write(&folder, "").unwrap();
    assert!(refused());
    std_fs::remove_file(&folder).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    symlink(elsewhere.path(), &folder).unwrap();
    assert!(refused() && found(&target).is_empty());
    std_fs::remove_file(&folder).unwrap();
    symlink("nowhere", &folder).unwrap();
    assert!(refused());
    std_fs::remove_file(&folder).unwrap();
    std_fs::create_dir(&folder).unwrap();
    std_fs::set_permissions(&folder, std_fs::Permissions::from_mode(0o777)).unwrap();
    assert!(refused() && found(&target).is_empty());
    if rustix::process::geteuid().is_root() {
        std_fs::set_permissions(&folder, std_fs::Permissions::from_mode(0o700)).unwrap();
        std::os::unix::fs::chown(&folder, Some(65534), None).unwrap();
        assert!(refused() && found(&target).is_empty());
    }
}

#[test]
fn unfinished_transfer_is_found_by_its_exact_name() {
    let (dir, target) = target_folder();
    drop(Parts::create(&target, ID).unwrap());
    drop(Parts::create(&target, [0; 16]).unwrap());
    let upper = format!(".ciphermeter-{}", "1B".repeat(16));
    let long = format!(".ciphermeter-{}", "1c".repeat(17));
    for name in [".ciphermeter-", ".ciphermeter-1d", &upper, &long] {
        std_fs::create_dir(dir.path().join(name)).unwrap();
    }
    let found = found(&target);
    assert_eq!(found.iter().map(Parts::id).collect::<Vec<_>>(), [[0; 16], ID]);
    assert!(matches!(found[0].read_state(), Err(PartsError::NoState { .. })));
}

#[test]
fn state_folder_admits_one_process() {
    let (_dir, target) = target_folder();
    let first = Parts::create(&target, ID).unwrap();
    assert!(matches!(Parts::create(&target, ID), Err(PartsError::InUse { .. })));
    assert!(found(&target).is_empty());
    drop(first);
    assert_eq!(found(&target).len(), 1);
}

#[test]
fn state_is_replaced_atomically_and_limited() {
    let (dir, target) = target_folder();
    let parts = Parts::create(&target, ID).unwrap();
    let folder = state_folder(dir.path());
    // What a crash may leave.
    std_fs::write(folder.join("state.json.new"), "half").unwrap();
    parts.write_state(b"first").unwrap();
    parts.write_state(b"second").unwrap();
    assert_eq!(*parts.read_state().unwrap(), b"second");
    assert!(!folder.join("state.json.new").exists());
    let huge = File::options().write(true).open(folder.join("state.json")).unwrap();
    huge.set_len(MAX_STATE + 1).unwrap();
    assert!(matches!(parts.read_state(), Err(PartsError::TooLarge { .. })));
    assert!(matches!(parts.write_state(&vec![0; MAX_STATE as usize + 1]), Err(PartsError::TooLarge { .. })));
}

#[test]
fn foreign_files_are_not_removed() {
    let (dir, target) = target_folder();
    let parts = Parts::create(&target, ID).unwrap();
    let folder = state_folder(dir.path());
    for name in ["notes", "01.part", "-1.part", "4294967296.part"] {
        std_fs::write(folder.join(name), "").unwrap();
    }
    std_fs::create_dir(folder.join("inner")).unwrap();
    for file in 0..300 {
        parts.part(file, 0, true).unwrap();
    }
    assert!(matches!(parts.remove(), Err(PartsError::NotEmpty { .. })));
    assert_eq!(std_fs::read_dir(&folder).unwrap().count(), 5);
}

#[test]
fn full_disk_is_reported_before_data_comes() {
    let (_dir, target) = target_folder();
    let parts = Parts::create(&target, ID).unwrap();
    let part = parts.part(0, 1 << 20, true).unwrap();
    parts.reserve(&part, 1 << 20).unwrap();
    part.write_all_at(b"kept", 0).unwrap();
    parts.reserve(&part, 1 << 20).unwrap();
    assert_eq!(part.metadata().unwrap().len(), 1 << 20);
    let mut start = [0; 4];
    part.read_exact_at(&mut start, 0).unwrap();
    assert_eq!(&start, b"kept");
    parts.reserve(&parts.part(1, 0, true).unwrap(), 0).unwrap();
    // More than is free, where the file system supports a file of that size at all: reported, and nothing is allocated.
    let needed = target.room().unwrap().bytes.unwrap_or(0) + (1 << 40);
    let Ok(part) = parts.part(2, needed, true) else {
        return println!("skipped: no file can have {needed} bytes here");
    };
    assert!(
        matches!(parts.reserve(&part, needed), Err(PartsError::Full { needed: reported, .. }) if reported == needed)
    );
    assert_eq!(part.metadata().unwrap().blocks(), 0);
}
