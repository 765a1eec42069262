use super::*;
use crate::name::BadName;
use crate::source::MAX_UNSIZED;
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
    list_without(dir, inner, &[])
}

fn list_without(dir: &tempfile::TempDir, inner: &[&str], patterns: &[&str]) -> Result<Listing, WalkError> {
    let patterns: Vec<_> = patterns.iter().map(|pattern| pattern.to_string()).collect();
    let paths: Vec<_> = inner.iter().map(|inner| dir.path().join(inner)).collect();
    walk(&paths, &Excludes::new(&patterns).unwrap())
}

fn reasons(listing: &Listing) -> Vec<(&str, String)> {
    let reason = |left_out: &LeftOut| left_out.why.to_string();
    let name = |left_out: &'_ LeftOut| left_out.path.file_name().unwrap().to_str().unwrap_or("?").to_owned();
    listing
        .left_out
        .iter()
        .map(|left_out| (Box::leak(name(left_out).into_boxed_str()) as &str, reason(left_out)))
        .collect()
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
    let real = Path::new(".").canonicalize().unwrap();
    let here = argument_name(Path::new("."), &real).unwrap();
    assert_eq!(here, std::env::current_dir().unwrap().file_name().unwrap());
    assert!(matches!(walk(&["/".into()], &Excludes::default()), Err(WalkError::NoName { .. })));
    assert!(matches!(walk(&["/..".into()], &Excludes::default()), Err(WalkError::NoName { .. })));
}

#[test]
fn only_links_that_the_user_named_are_followed() {
    let dir = tree(&["d/f", "d/e/g", "out/secret"]);
    for (target, name) in [
        ("f", "d/to-file"),
        ("e", "d/to-folder"),
        ("nowhere", "d/dangling"),
        ("../f", "d/e/up"),
        ("../out/secret", "d/out"),
        ("/etc/passwd", "d/absolute"),
        ("e/../../out/secret", "d/e/around"),
        ("d", "link"),
        ("out/secret", "file-link"),
    ] {
        symlink(target, dir.path().join(name)).unwrap();
    }
    let listing = list(&dir, &["link", "file-link"]).unwrap();
    let links = ["link/dangling", "link/e/up", "link/to-file", "link/to-folder"];
    let is_link = |file: &&SourceFile| file.link.is_some();
    assert_eq!(listing.files.iter().filter(is_link).map(|file| file.name.as_str()).collect::<Vec<_>>(), links);
    let files = ["file-link", "link/e/g", "link/f"];
    assert_eq!(
        listing.files.iter().filter(|file| !is_link(file)).map(|file| file.name.as_str()).collect::<Vec<_>>(),
        files
    );
    let outside = "it is a symbolic link, and it leads, or could lead, out of the folder that is sent".to_owned();
    assert_eq!(reasons(&listing), ["absolute", "around", "out"].map(|name| (name, outside.clone())));
    for file in listing.files.iter().filter(|file| !is_link(file)) {
        crate::OpenSource::open(file).unwrap();
    }
    assert_eq!(reasons(&list(&dir, &["d/f", "d/dangling"]).unwrap())[0].0, "dangling");
    assert!(matches!(list(&dir, &["d/mistyped"]), Err(WalkError::Missing { .. })));
}

#[test]
fn what_cannot_be_sent_is_left_out_one_by_one() {
    let dir = tree(&["d/.ciphermeter-00/state.json", "d/line\nbreak", "d/fine", "d/a\nb/inner"]);
    let _socket = UnixListener::bind(dir.path().join("d/socket")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(dir.path().join("d/pipe")).status().unwrap();
    assert!(made.success());
    let listing = list(&dir, &["d"]).unwrap();
    assert_eq!(names(&listing), ["d/fine"]);
    let why = reasons(&listing);
    let newline = "the name contains U+000A, which a terminal interprets instead of showing it; rename it";
    assert_eq!(
        why.iter().map(|(name, why)| (*name, why.as_str())).collect::<Vec<_>>(),
        [
            (".ciphermeter-00", "it is the state of an unfinished transfer"),
            ("a\nb", newline),
            ("line\nbreak", newline),
            ("pipe", "it is a pipe, neither a file nor a folder"),
            ("socket", "it is a socket, neither a file nor a folder"),
        ]
    );
    // As arguments, which a shell's `*` gives, too.
    let given = ["d/fine", "d/pipe", "d/line\nbreak", "d/.ciphermeter-00"];
    let listing = list(&dir, &given).unwrap();
    assert_eq!((names(&listing), listing.left_out.len()), (vec!["fine"], 3));
    let listing = walk(&["/dev/null".into()], &Excludes::default()).unwrap();
    assert_eq!(reasons(&listing)[0].1, "it is a device, neither a file nor a folder");
}

#[test]
fn unreadable_folder_and_names_that_are_not_text_are_left_out() {
    let dir = tree(&["d/closed/f", "d/f"]);
    std_fs::set_permissions(dir.path().join("d/closed"), std_fs::Permissions::from_mode(0o000)).unwrap();
    let listing = list(&dir, &["d"]).unwrap();
    std_fs::set_permissions(dir.path().join("d/closed"), std_fs::Permissions::from_mode(0o700)).unwrap();
    // Root may read it.
    if !rustix::process::geteuid().is_root() {
        assert_eq!(names(&listing), ["d/f"]);
        assert_eq!(reasons(&listing), [("closed", "Permission denied (os error 13); make it readable".to_owned())]);
    }
    // Some file systems refuse such a name themselves.
    if std_fs::write(dir.path().join("d").join(OsStr::from_bytes(b"\xff")), "").is_ok() {
        let listing = list(&dir, &["d"]).unwrap();
        assert!(matches!(listing.left_out[0].why, WhyLeftOut::NotText));
        assert!(names(&listing).contains(&"d/f"));
    }
}

#[test]
fn excessive_depth_is_left_out() {
    let dir = tree(&[&["d"; crate::MAX_PARTS + 1].join("/"), "d/f"]);
    let listing = list(&dir, &["d"]).unwrap();
    assert!(matches!(listing.left_out[0].why, WhyLeftOut::BadName(BadName::TooDeep)));
    assert_eq!(names(&listing), ["d/f"]);
}

#[test]
fn excluded_entries_are_not_listed() {
    let dir = tree(&["d/a.tmp", "d/b", "d/.git/x/y", "d/e/.git", "d/e/c.tmp", "f.tmp"]);
    let of = |patterns: &[&str]| {
        let listing = list_without(&dir, &["d", "f.tmp"], patterns).unwrap();
        assert!(listing.left_out.is_empty(), "the user knows");
        listing.files.iter().map(|file| file.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(of(&["*.tmp"]), ["d/.git/x/y", "d/b", "d/e/.git"]);
    assert_eq!(of(&["*.tmp", ".git"]), ["d/b"]);
    assert_eq!(of(&["d/*.tmp", "**/x/**"]), ["d/b", "d/e/.git", "d/e/c.tmp", "f.tmp"]);
    assert_eq!(of(&["d"]), ["f.tmp"]);
}

#[test]
fn holes_of_a_file_are_known() {
    let dir = tree(&["d/f"]);
    let path = dir.path().join("d/f");
    std_fs::File::options().write(true).open(&path).unwrap().set_len(1 << 30).unwrap();
    let listing = list(&dir, &["d"]).unwrap();
    let file = &listing.files[0];
    // A file system without holes has only data.
    assert!(file.data == file.size || file.data < 1 << 20, "{}", file.data);
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
    let none = Excludes::default();
    let walker = || Walker { excludes: &none, listing: Listing::default(), entries: 0, bytes: 0, content: 0 };
    let entries = Walker { entries: MAX_ENTRIES - 1, ..walker() };
    let bytes = Walker { bytes: MAX_NAMES - 1, ..walker() };
    for mut walker in [entries, bytes] {
        walker.count(1).unwrap();
        assert!(matches!(walker.count(1), Err(WalkError::TooMany)));
    }
}

#[test]
fn argument_that_is_gone_is_left_out_of_a_later_list() {
    let dir = tree(&["a", "b"]);
    let paths = [dir.path().join("a"), dir.path().join("gone")];
    assert!(matches!(walk(&paths, &Excludes::default()), Err(WalkError::Missing { .. })));
    let listing = walk_again(&paths, &Excludes::default()).unwrap();
    assert_eq!(names(&listing), ["a"]);
    assert_eq!(reasons(&listing), [("gone", "it is gone since the transfer began".to_owned())]);
}

/// /proc and /sys claim sizes that their files don't have.
#[cfg(target_os = "linux")]
#[test]
fn file_of_a_wrong_size_is_listed_with_its_content() {
    let listed = |path: &str| walk(&[path.into()], &Excludes::default()).unwrap();
    let paths = ["/proc/version", "/proc/sys/kernel/ostype", "/sys/devices/system/cpu/online", "/proc/self/comm"];
    for path in paths.into_iter().filter(|path| std_fs::read(path).is_ok()) {
        let (content, listing) = (std_fs::read(path).unwrap(), listed(path));
        let file = &listing.files[0];
        assert_eq!((file.size, file.data), (content.len() as u64, content.len() as u64), "{path}");
        let open = crate::OpenSource::open(file).unwrap();
        let mut read = vec![0; content.len()];
        open.read_at(&mut read, 0).unwrap();
        assert!(read == content && open.unchanged(), "{path}");
        assert!(open.read_at(&mut [0], file.size).is_err(), "{path}");
        assert_eq!(file.version, listed(path).files[0].version, "the same content is the same state");
    }
    // More than is kept in memory, where this user may read it; and what cannot be read at all.
    for path in ["/proc/kpagecount", "/proc/self/mem"].into_iter().filter(|path| std_fs::File::open(path).is_ok()) {
        let listing = listed(path);
        assert_eq!((listing.files.len(), listing.left_out.len()), (0, 1), "{path}");
    }
}

/// What takes no space, but has its size.
#[test]
fn hole_is_no_wrong_size() {
    let dir = tempfile::tempdir().unwrap();
    for size in [0, 1, 4096, MAX_UNSIZED, MAX_UNSIZED + 1, 5 << 30] {
        let path = dir.path().join("file");
        std_fs::File::create(&path).unwrap().set_len(size).unwrap();
        let file = walk(&[path], &Excludes::default()).unwrap().files.remove(0);
        assert_eq!((file.size, file.content.is_some()), (size, false));
    }
}
