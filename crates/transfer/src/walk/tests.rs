use super::*;
use std::fs as std_fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;

/// A folder with these files; those that end in `/` are folders.
fn tree(entries: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for entry in entries {
        let path = dir.path().join(entry);
        std_fs::create_dir_all(if entry.ends_with('/') { &path } else { path.parent().unwrap() }).unwrap();
        if !entry.ends_with('/') {
            std_fs::write(path, entry).unwrap();
        }
    }
    dir
}

fn list(dir: &tempfile::TempDir, inner: &[&str]) -> Result<Listing, WalkError> {
    walk(&inner.iter().map(|inner| dir.path().join(inner)).collect::<Vec<_>>())
}

fn names(listing: &Listing) -> Vec<&str> {
    listing.files.iter().map(|file| file.name.as_str()).collect()
}

#[test]
fn folders_keep_their_shape_and_order() {
    let dir = tree(&["d/b", "d/a/2", "d/a/1", "d/empty/inner/", "f"]);
    let listing = list(&dir, &["f", "d"]).unwrap();
    assert_eq!(names(&listing), ["d/a/1", "d/a/2", "d/b", "f"]);
    assert_eq!(
        listing.folders.iter().map(|folder| folder.name.as_str()).collect::<Vec<_>>(),
        ["d", "d/a", "d/empty", "d/empty/inner"]
    );
    assert!(listing.left_out.is_empty());
    assert_eq!(names(&list(&dir, &["d/a/1"]).unwrap()), ["1"]);
    assert_eq!(names(&list(&dir, &[]).unwrap()), [""; 0]);
}

#[test]
fn metadata_of_a_file_is_listed() {
    let dir = tree(&["f"]);
    let path = dir.path().join("f");
    std_fs::set_permissions(&path, std_fs::Permissions::from_mode(0o4751)).unwrap();
    let (listing, facts) = (list(&dir, &["f"]).unwrap(), path.metadata().unwrap());
    let file = &listing.files[0];
    assert_eq!((file.size, file.mode), (1, 0o751));
    assert_eq!((file.modified, i64::from(file.modified_nanoseconds)), (facts.mtime(), facts.mtime_nsec()));
    assert_eq!(file.path, path.canonicalize().unwrap());
}

#[test]
fn dots_get_the_name_of_their_folder() {
    let dir = tree(&["d/e/f"]);
    for inner in ["d", "d/", "d/.", "d/e/..", "d/e/../../d"] {
        assert_eq!(names(&list(&dir, &[inner]).unwrap()), ["d/e/f"], "{inner}");
    }
    // `.` and `..` themselves, from the test's working directory: a crate's folder.
    let here = argument_name(Path::new("."), &Path::new(".").canonicalize().unwrap()).unwrap();
    assert_eq!(here.as_str(), std::env::current_dir().unwrap().file_name().unwrap());
    assert!(matches!(walk(&["/".into()]), Err(WalkError::NoName { .. })));
    assert!(matches!(walk(&["/..".into()]), Err(WalkError::NoName { .. })));
}

#[test]
fn only_links_that_the_user_named_are_followed() {
    let dir = tree(&["d/f", "out/secret"]);
    symlink("../out/secret", dir.path().join("d/to-file")).unwrap();
    symlink("../out", dir.path().join("d/to-folder")).unwrap();
    symlink("nowhere", dir.path().join("d/dangling")).unwrap();
    symlink("d", dir.path().join("link")).unwrap();
    symlink("out/secret", dir.path().join("file-link")).unwrap();
    let listing = list(&dir, &["link", "file-link"]).unwrap();
    assert_eq!(names(&listing), ["file-link", "link/f"]);
    let real = dir.path().canonicalize().unwrap().join("d");
    let left_out = ["dangling", "to-file", "to-folder"].map(|name| (real.join(name), "a symbolic link"));
    assert_eq!(listing.left_out, left_out);
    for file in &listing.files {
        crate::OpenSource::open(file).unwrap();
    }
    assert!(matches!(list(&dir, &["d/dangling"]), Err(WalkError::Unreadable { .. })));
}

#[test]
fn special_files_and_states_are_left_out() {
    let dir = tree(&["d/.ciphermeter-00/state.json"]);
    let _socket = UnixListener::bind(dir.path().join("d/socket")).unwrap();
    let listing = list(&dir, &["d"]).unwrap();
    let why: Vec<_> = listing.left_out.iter().map(|(_, why)| *why).collect();
    assert_eq!(why, ["the state of an unfinished transfer", "a socket"]);
    assert_eq!(listing.folders[0].name.as_str(), "d");
    assert!(matches!(list(&dir, &["d/socket"]), Err(WalkError::Special { what: "a socket", .. })));
    assert!(matches!(walk(&["/dev/null".into()]), Err(WalkError::Special { what: "a device", .. })));
    assert!(matches!(list(&dir, &["d/.ciphermeter-00"]), Err(WalkError::BadName { why: BadName::State, .. })));
}

#[test]
fn unsendable_names_are_reported_with_their_path() {
    let dir = tree(&["d/line\nbreak"]);
    let error = list(&dir, &["d"]).unwrap_err();
    assert!(matches!(error, WalkError::BadName { why: BadName::Unshowable('\n'), .. }));
    assert!(error.to_string().contains(r"line\nbreak"), "{error}");
    let dir = tree(&["d/"]);
    // Some file systems refuse such a name themselves.
    if std_fs::write(dir.path().join("d").join(OsStr::from_bytes(b"\xff")), "").is_ok() {
        assert!(matches!(list(&dir, &["d"]), Err(WalkError::NotText { .. })));
    }
}

#[test]
fn excessive_depth_is_reported() {
    let dir = tree(&[&["d"; crate::MAX_PARTS + 1].join("/")]);
    assert!(matches!(list(&dir, &["d"]), Err(WalkError::BadName { why: BadName::TooDeep, .. })));
}

#[test]
fn two_arguments_with_the_same_name_are_an_error() {
    let dir = tree(&["a/x", "b/x", "a/d/1", "b/d/2"]);
    for pair in [["a/x", "b/x"], ["a/d", "b/d"], ["a/x", "a/x"], ["a/d", "a/d/"]] {
        assert!(matches!(list(&dir, &pair), Err(WalkError::TwoAlike { .. })));
    }
    assert_eq!(names(&list(&dir, &["a", "a/d"]).unwrap()), ["a/d/1", "a/x", "d/1"]);
}

#[test]
fn number_of_entries_is_limited() {
    let mut walker = Walker { entries: MAX_ENTRIES - 1, ..Walker::default() };
    walker.count(1).unwrap();
    assert!(matches!(walker.count(1), Err(WalkError::TooMany)));
    let mut walker = Walker { bytes: MAX_NAMES - 1, ..Walker::default() };
    walker.count(1).unwrap();
    assert!(matches!(walker.count(1), Err(WalkError::TooMany)));
}
