use super::*;
use std::fs::{self as std_fs, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

struct Room {
    // Removed when dropped.
    dir: tempfile::TempDir,
    target: Target,
    parts: File,
}

impl Room {
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
    let room = Room::new();
    std_fs::write(room.path("file"), "").unwrap();
    for inner in ["file", "missing", "file/inner"] {
        assert!(matches!(Target::open(&room.path(inner)), Err(TargetError::NotAFolder { .. })));
    }
    symlink(room.path("into"), room.path("link")).unwrap();
    assert_eq!(Target::open(&room.path("link")).unwrap().path(), room.path("link"));
    // Root may write anywhere.
    if !rustix::process::geteuid().is_root() {
        std_fs::set_permissions(room.path("into"), std_fs::Permissions::from_mode(0o500)).unwrap();
        assert!(matches!(Target::open(&room.path("into")), Err(TargetError::NotWritable { .. })));
        std_fs::set_permissions(room.path("into"), std_fs::Permissions::from_mode(0o700)).unwrap();
    }
    assert!(room.target.free_space().unwrap().is_none_or(|free| free > 0));
}

#[test]
fn no_answer_about_free_space_is_not_a_full_disk() {
    // A file system without blocks; elsewhere than on Linux there is none at hand.
    let Ok(folder) = File::open("/proc/self") else { return };
    let target = Target { folder: folder.into(), path: "/proc/self".into() };
    assert_eq!(target.free_space().unwrap(), None);
}

#[test]
fn a_file_gets_its_name_and_folders() {
    let room = Room::new();
    room.place("text", "a/b/c").unwrap();
    assert_eq!(std_fs::read_to_string(room.path("into/a/b/c")).unwrap(), "text");
    assert!(!room.part_is_there());
    room.place("more", "a/b/d").unwrap();
    room.place("top", "e").unwrap();
    room.target.sync_folders(&["a/b/c", "a/b/d", "e"].map(name)).unwrap();
    room.target.sync_folders(&[]).unwrap();
    assert!(room.target.sync_folders(&[name("x/y")]).is_err());
}

#[test]
fn what_is_there_is_never_overwritten() {
    let room = Room::new();
    std_fs::create_dir(room.path("into/folder")).unwrap();
    std_fs::write(room.path("into/file"), "old").unwrap();
    std_fs::write(room.path("outside/file"), "old").unwrap();
    symlink("nowhere", room.path("into/dangling")).unwrap();
    symlink(room.path("outside/file"), room.path("into/link")).unwrap();
    for there in ["folder", "file", "dangling", "link"] {
        assert!(room.target.exists(&name(there)).unwrap());
        assert!(matches!(room.place("new", there), Err(PlaceError::Exists { .. })), "{there}");
        assert!(room.part_is_there());
    }
    assert_eq!(std_fs::read_to_string(room.path("into/file")).unwrap(), "old");
    assert_eq!(std_fs::read_to_string(room.path("outside/file")).unwrap(), "old");
    assert!(!room.path("into/nowhere").exists());
}

#[test]
fn what_comes_between_the_question_and_the_rename_stays() {
    let room = Room::new();
    assert!(!room.target.exists(&name("a/late")).unwrap());
    room.target.make_folder(&name("a"), 0o755).unwrap();
    std_fs::write(room.path("into/a/late"), "theirs").unwrap();
    assert!(matches!(room.place("ours", "a/late"), Err(PlaceError::Exists { .. })));
    assert_eq!(std_fs::read_to_string(room.path("into/a/late")).unwrap(), "theirs");
}

#[test]
fn of_many_at_once_one_gets_the_name() {
    let room = Room::new();
    let won = std::thread::scope(|scope| {
        let tries: Vec<_> = (0..8)
            .map(|index| {
                let (room, part) = (&room, format!("{index}.part"));
                std_fs::write(room.path("into/.parts").join(&part), &part).unwrap();
                scope.spawn(move || room.target.place(room.parts.as_fd(), &part, &name("deep/one")).is_ok())
            })
            .collect();
        tries.into_iter().map(|thread| usize::from(thread.join().unwrap())).sum::<usize>()
    });
    assert_eq!(won, 1);
    assert_eq!(std_fs::read_dir(room.path("into/.parts")).unwrap().count(), 7);
}

#[test]
fn no_link_is_followed_at_any_level() {
    let room = Room::new();
    for level in ["a", "a/b", "a/b/c"] {
        if let (Some(outer), _) = name(level).split() {
            room.target.make_folder(&name(outer), 0o755).unwrap();
        }
        let way = room.path("into").join(level);
        for to in [room.path("outside"), room.path("into"), room.path("nowhere")] {
            symlink(to, &way).unwrap();
            let deep = name(&format!("{level}/x/y"));
            let in_the_way = |error: TargetError| matches!(error, TargetError::InTheWay { path } if path == way);
            assert!(in_the_way(room.target.exists(&deep).unwrap_err()));
            assert!(in_the_way(room.target.make_folder(&deep, 0o755).unwrap_err()));
            assert!(in_the_way(room.target.make_folder(&name(level), 0o755).unwrap_err()));
            assert!(in_the_way(room.target.sync_folders(std::slice::from_ref(&deep)).unwrap_err()));
            match room.place("text", deep.as_str()) {
                Err(PlaceError::Target(error)) => assert!(in_the_way(error)),
                other => panic!("{other:?}"),
            }
            std_fs::remove_file(&way).unwrap();
        }
        std_fs::write(&way, "").unwrap();
        assert!(matches!(
            room.place("text", &format!("{level}/x")),
            Err(PlaceError::Target(TargetError::InTheWay { .. }))
        ));
        std_fs::remove_file(&way).unwrap();
    }
    assert_eq!(std_fs::read_dir(room.path("outside")).unwrap().count(), 0);
}

#[test]
fn a_folder_that_was_moved_away_is_still_the_same() {
    let room = Room::new();
    std_fs::rename(room.path("into"), room.path("moved")).unwrap();
    symlink(room.path("outside"), room.path("into")).unwrap();
    room.target.make_folder(&name("a"), 0o755).unwrap();
    assert!(room.path("moved/a").is_dir());
    assert_eq!(std_fs::read_dir(room.path("outside")).unwrap().count(), 0);
}

#[test]
fn folders_are_made_once_and_stay_writable_for_us() {
    let room = Room::new();
    room.target.make_folder(&name("a/b"), 0o4055).unwrap();
    room.target.make_folder(&name("a/b"), 0).unwrap();
    let mode = std_fs::metadata(room.path("into/a/b")).unwrap().mode();
    assert_eq!(mode & 0o7700, 0o700, "{mode:o}");
    assert!(room.target.exists(&name("a/b")).unwrap());
    assert!(!room.target.exists(&name("a/c/d")).unwrap());
}

#[test]
fn links_serve_where_there_is_no_exclusive_rename() {
    let room = Room::new();
    let (part, folder) = (room.parts.as_fd(), room.target.as_fd());
    std_fs::write(room.path("into/.parts/0.part"), "text").unwrap();
    std_fs::write(room.path("into/there"), "old").unwrap();
    assert_eq!(link_and_unlink(part, "0.part", folder, "there"), Err(Errno::EXIST));
    assert!(room.part_is_there());
    link_and_unlink(part, "0.part", folder, "new").unwrap();
    assert!(!room.part_is_there());
    assert_eq!(std_fs::read_to_string(room.path("into/new")).unwrap(), "text");
}

#[test]
fn a_crash_between_link_and_unlink_is_made_good() {
    let room = Room::new();
    std_fs::write(room.path("into/.parts/0.part"), "text").unwrap();
    std_fs::hard_link(room.path("into/.parts/0.part"), room.path("into/new")).unwrap();
    let has_placed = |to| room.target.has_placed(room.parts.as_fd(), "0.part", &name(to));
    assert!(has_placed("new") && !has_placed("other") && !has_placed("a/new"));
    room.target.place(room.parts.as_fd(), "0.part", &name("new")).unwrap();
    assert!(!room.part_is_there());
    let again = room.target.place(room.parts.as_fd(), "0.part", &name("other"));
    assert!(matches!(again, Err(PlaceError::NoPart { .. })));
}

#[test]
fn another_file_system_is_told() {
    let room = Room::new();
    let Ok(elsewhere) = tempfile::tempdir_in("/dev/shm") else { return };
    if elsewhere.path().metadata().unwrap().dev() == room.dir.path().metadata().unwrap().dev() {
        return;
    }
    std_fs::write(elsewhere.path().join("0.part"), "text").unwrap();
    let part = File::open(elsewhere.path()).unwrap();
    let error = room.target.place(part.as_fd(), "0.part", &name("x")).unwrap_err();
    assert!(matches!(error, PlaceError::OtherFileSystem { .. }), "{error}");
    assert!(elsewhere.path().join("0.part").exists());
}
