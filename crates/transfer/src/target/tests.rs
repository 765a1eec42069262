use super::*;
use std::fs::{self as std_fs, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

struct Fixture {
    // Removed when dropped.
    dir: tempfile::TempDir,
    target: Target,
    parts: File,
}

impl Fixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for inner in ["into", "outside", "into/.parts"] {
            std_fs::create_dir(dir.path().join(inner)).unwrap();
        }
        let target = Target::open(&dir.path().join("into")).unwrap();
        let parts = File::open(dir.path().join("into/.parts")).unwrap();
        Self { dir, target, parts }
    }

    fn path(&self, inner: &str) -> PathBuf {
        self.dir.path().join(inner)
    }

    fn place(&self, text: &str, to: &str) -> Result<(), PlaceError> {
        std_fs::write(self.path("into/.parts/0.part"), text).unwrap();
        self.target.place(self.parts.as_fd(), "0.part", &name(to))
    }

    fn part_is_there(&self) -> bool {
        self.path("into/.parts/0.part").exists()
    }
}

fn name(text: &str) -> Name {
    Name::parse(text).unwrap()
}

#[test]
fn only_a_folder_is_opened() {
    let fixture = Fixture::new();
    std_fs::write(fixture.path("file"), "").unwrap();
    for inner in ["file", "missing", "file/inner"] {
        assert!(matches!(Target::open(&fixture.path(inner)), Err(TargetError::NotAFolder { .. })));
    }
    symlink(fixture.path("into"), fixture.path("link")).unwrap();
    assert_eq!(Target::open(&fixture.path("link")).unwrap().path(), fixture.path("link"));
    // Root may write anywhere.
    if !rustix::process::geteuid().is_root() {
        std_fs::set_permissions(fixture.path("into"), std_fs::Permissions::from_mode(0o500)).unwrap();
        assert!(matches!(Target::open(&fixture.path("into")), Err(TargetError::NotWritable { .. })));
        std_fs::set_permissions(fixture.path("into"), std_fs::Permissions::from_mode(0o700)).unwrap();
    }
    assert!(fixture.target.room().unwrap().bytes.is_none_or(|free| free > 0));
}

#[test]
fn unknown_free_space_is_not_a_full_disk() {
    // A file system without blocks; there is none at hand except on Linux.
    let Ok(folder) = File::open("/proc/self") else { return println!("skipped: there is no /proc here") };
    let target = Target { folder: folder.into(), path: "/proc/self".into() };
    let room = target.room().unwrap();
    assert_eq!((room.bytes, room.inodes), (None, None));
}

#[test]
fn a_file_gets_its_name_and_folders() {
    let fixture = Fixture::new();
    fixture.place("text", "a/b/c").unwrap();
    assert_eq!(std_fs::read_to_string(fixture.path("into/a/b/c")).unwrap(), "text");
    assert!(!fixture.part_is_there());
    fixture.place("more", "a/b/d").unwrap();
    fixture.place("top", "e").unwrap();
    fixture.target.sync_folders(&["a/b/c", "a/b/d", "e"].map(name)).unwrap();
    fixture.target.sync_folders(&[]).unwrap();
    assert!(fixture.target.sync_folders(&[name("x/y")]).is_err());
}

#[test]
fn existing_entries_are_never_overwritten() {
    let fixture = Fixture::new();
    std_fs::create_dir(fixture.path("into/folder")).unwrap();
    std_fs::write(fixture.path("into/file"), "old").unwrap();
    std_fs::write(fixture.path("outside/file"), "old").unwrap();
    symlink("nowhere", fixture.path("into/dangling")).unwrap();
    symlink(fixture.path("outside/file"), fixture.path("into/link")).unwrap();
    for there in ["folder", "file", "dangling", "link"] {
        assert!(fixture.target.exists(&name(there)).unwrap());
        assert!(matches!(fixture.place("new", there), Err(PlaceError::Exists { .. })), "{there}");
        assert!(fixture.part_is_there());
    }
    assert_eq!(std_fs::read_to_string(fixture.path("into/file")).unwrap(), "old");
    assert_eq!(std_fs::read_to_string(fixture.path("outside/file")).unwrap(), "old");
    assert!(!fixture.path("into/nowhere").exists());
}

#[test]
fn entry_created_between_check_and_rename_stays() {
    let fixture = Fixture::new();
    assert!(!fixture.target.exists(&name("a/late")).unwrap());
    fixture.target.make_folder(&name("a"), 0o755).unwrap();
    std_fs::write(fixture.path("into/a/late"), "theirs").unwrap();
    assert!(matches!(fixture.place("ours", "a/late"), Err(PlaceError::Exists { .. })));
    assert_eq!(std_fs::read_to_string(fixture.path("into/a/late")).unwrap(), "theirs");
}

#[test]
fn one_of_many_concurrent_renames_gets_the_name() {
    let fixture = Fixture::new();
    let won = std::thread::scope(|scope| {
        let tries: Vec<_> = (0..8)
            .map(|index| {
                let (fixture, part) = (&fixture, format!("{index}.part"));
                std_fs::write(fixture.path("into/.parts").join(&part), &part).unwrap();
                scope.spawn(move || fixture.target.place(fixture.parts.as_fd(), &part, &name("deep/one")).is_ok())
            })
            .collect();
        tries.into_iter().map(|thread| usize::from(thread.join().unwrap())).sum::<usize>()
    });
    assert_eq!(won, 1);
    assert_eq!(std_fs::read_dir(fixture.path("into/.parts")).unwrap().count(), 7);
}

#[test]
fn no_link_is_followed_at_any_level() {
    let fixture = Fixture::new();
    for level in ["a", "a/b", "a/b/c"] {
        if let (Some(outer), _) = name(level).split() {
            fixture.target.make_folder(&name(outer), 0o755).unwrap();
        }
        let way = fixture.path("into").join(level);
        for to in [fixture.path("outside"), fixture.path("into"), fixture.path("nowhere")] {
            symlink(to, &way).unwrap();
            let deep = name(&format!("{level}/x/y"));
            let in_the_way = |error: TargetError| matches!(error, TargetError::InTheWay { path } if path == way);
            assert!(in_the_way(fixture.target.exists(&deep).unwrap_err()));
            assert!(in_the_way(fixture.target.make_folder(&deep, 0o755).unwrap_err()));
            assert!(in_the_way(fixture.target.make_folder(&name(level), 0o755).unwrap_err()));
            assert!(in_the_way(fixture.target.sync_folders(std::slice::from_ref(&deep)).unwrap_err()));
            match fixture.place("text", deep.as_str()) {
                Err(PlaceError::Target(error)) => assert!(in_the_way(error)),
                other => panic!("{other:?}"),
            }
            std_fs::remove_file(&way).unwrap();
        }
        std_fs::write(&way, "").unwrap();
        assert!(matches!(
            fixture.place("text", &format!("{level}/x")),
            Err(PlaceError::Target(TargetError::InTheWay { .. }))
        ));
        std_fs::remove_file(&way).unwrap();
    }
    assert_eq!(std_fs::read_dir(fixture.path("outside")).unwrap().count(), 0);
}

#[test]
fn moved_folder_is_still_the_same() {
    let fixture = Fixture::new();
    std_fs::rename(fixture.path("into"), fixture.path("moved")).unwrap();
    symlink(fixture.path("outside"), fixture.path("into")).unwrap();
    fixture.target.make_folder(&name("a"), 0o755).unwrap();
    assert!(fixture.path("moved/a").is_dir());
    assert_eq!(std_fs::read_dir(fixture.path("outside")).unwrap().count(), 0);
}

#[test]
fn folders_are_created_once_and_stay_writable_for_their_owner() {
    let fixture = Fixture::new();
    fixture.target.make_folder(&name("a/b"), 0o4055).unwrap();
    fixture.target.make_folder(&name("a/b"), 0).unwrap();
    let mode = std_fs::metadata(fixture.path("into/a/b")).unwrap().mode();
    assert_eq!(mode & 0o7700, 0o700, "{mode:o}");
    assert!(fixture.target.exists(&name("a/b")).unwrap());
    assert!(!fixture.target.exists(&name("a/c/d")).unwrap());
}

#[test]
fn hard_links_replace_a_missing_exclusive_rename() {
    let fixture = Fixture::new();
    let (part, folder) = (fixture.parts.as_fd(), fixture.target.as_fd());
    std_fs::write(fixture.path("into/.parts/0.part"), "text").unwrap();
    std_fs::write(fixture.path("into/there"), "old").unwrap();
    assert_eq!(link_and_unlink(part, "0.part", folder, "there"), Err(Errno::EXIST));
    assert!(fixture.part_is_there());
    link_and_unlink(part, "0.part", folder, "new").unwrap();
    assert!(!fixture.part_is_there());
    assert_eq!(std_fs::read_to_string(fixture.path("into/new")).unwrap(), "text");
}

#[test]
fn crash_between_link_and_unlink_is_repaired() {
    let fixture = Fixture::new();
    std_fs::write(fixture.path("into/.parts/0.part"), "text").unwrap();
    std_fs::hard_link(fixture.path("into/.parts/0.part"), fixture.path("into/new")).unwrap();
    let has_placed = |to| fixture.target.has_placed(fixture.parts.as_fd(), "0.part", &name(to));
    assert!(has_placed("new") && !has_placed("other") && !has_placed("a/new"));
    fixture.target.place(fixture.parts.as_fd(), "0.part", &name("new")).unwrap();
    assert!(!fixture.part_is_there());
    let again = fixture.target.place(fixture.parts.as_fd(), "0.part", &name("other"));
    assert!(matches!(again, Err(PlaceError::NoPart { .. })));
}

#[test]
fn another_file_system_is_reported() {
    let fixture = Fixture::new();
    let Ok(elsewhere) = tempfile::tempdir_in("/dev/shm") else { return println!("skipped: there is no /dev/shm here") };
    if elsewhere.path().metadata().unwrap().dev() == fixture.dir.path().metadata().unwrap().dev() {
        return println!("skipped: temporary files are in /dev/shm here");
    }
    std_fs::write(elsewhere.path().join("0.part"), "text").unwrap();
    let part = File::open(elsewhere.path()).unwrap();
    let error = fixture.target.place(part.as_fd(), "0.part", &name("x")).unwrap_err();
    assert!(matches!(error, PlaceError::OtherFileSystem { .. }), "{error}");
    assert!(elsewhere.path().join("0.part").exists());
}
