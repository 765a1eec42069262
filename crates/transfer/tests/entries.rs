//! Entries that are more than a file with a new name: links, holes, names that are taken, files that are not wanted.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::{FileExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};

use crate::common::{self, receive_options, receiving_for, send_options, send_paths};
use ciphermeter_transfer::{
    Decision, Error, Excludes, Existing, Progress, Question, Receiver, Report, Skipped, User, send, walk,
};

/// A user who accepts, and decides so about single files.
struct Decides {
    declined: &'static [&'static str],
    existing: Existing,
}

impl User for Decides {
    fn accepts(&self, question: &Question<'_>) -> Result<Decision, Error> {
        let declines = |name: &str| self.declined.contains(&name);
        let files = (0..).zip(&question.offer.files);
        let declined: HashSet<u32> =
            files.filter(|(_, file)| declines(file.name.as_str())).map(|(number, _)| number).collect();
        let folders = (0..).zip(&question.offer.folders);
        let declined_folders =
            folders.filter(|(_, (name, _))| declines(name.as_str())).map(|(number, _)| number).collect();
        Ok(Decision { declined, declined_folders, existing: self.existing, fills: self.existing != Existing::Refuse })
    }

    fn lost(&self, _: &Error) {}
}

const TAKES_ALL: Decides = Decides { declined: &[], existing: Existing::Refuse };

fn moved(paths: &[PathBuf], into: &Path, user: Decides) -> (Result<Report, Error>, Result<Report, Error>) {
    let receiving = receiving_for(Receiver::listen(receive_options(Some(into))).unwrap(), user);
    let sent = send_paths(&receiving.ticket, paths, &send_options());
    (sent, receiving.ended())
}

fn folders() -> (tempfile::TempDir, tempfile::TempDir) {
    (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap())
}

#[test]
fn declined_folder_is_made_only_around_a_wanted_file() {
    let (from, into) = folders();
    let tree = from.path().join("tree");
    for folder in ["empty", "without", "with"] {
        fs::create_dir_all(tree.join(folder)).unwrap();
    }
    for file in ["without/a", "with/b", "with/c"] {
        fs::write(tree.join(file), file).unwrap();
    }
    let declined: &[&str] = &["tree/empty", "tree/without", "tree/without/a", "tree/with", "tree/with/b"];
    let (sent, received) = moved(&[tree], into.path(), Decides { declined, ..TAKES_ALL });
    assert_eq!((sent.unwrap().files, received.unwrap().files), (1, 1));
    let mut here: Vec<_> =
        fs::read_dir(into.path().join("tree")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    here.sort();
    assert_eq!(here, ["with"]);
    assert_eq!(fs::read(into.path().join("tree/with/c")).unwrap(), b"with/c");
}

#[test]
fn links_arrive_as_links() {
    let (from, into) = folders();
    let tree = from.path().join("tree");
    fs::create_dir_all(tree.join("a/b")).unwrap();
    fs::write(tree.join("a/file"), "content").unwrap();
    for (target, link) in [("a/file", "link"), ("..", "a/b/up"), ("nothing", "dangling"), ("../file", "a/b/file")] {
        symlink(target, tree.join(link)).unwrap();
    }
    symlink("../../secret", tree.join("out")).unwrap();
    let (sent, received) = moved(&[tree], into.path(), TAKES_ALL);
    let (sent, received) = (sent.unwrap(), received.unwrap());
    assert_eq!((sent.files, received.files, sent.left_out, received.left_out), (5, 5, 1, 1));
    let target = |link: &str| fs::read_link(into.path().join("tree").join(link)).unwrap();
    assert_eq!(target("link"), Path::new("a/file"));
    assert_eq!(target("a/b/up"), Path::new(".."));
    assert_eq!(target("dangling"), Path::new("nothing"));
    assert_eq!(fs::read(into.path().join("tree/a/b/file")).unwrap(), b"content");
    assert!(fs::symlink_metadata(into.path().join("tree/out")).is_err());
    assert_eq!(fs::read_dir(into.path()).unwrap().count(), 1, "no state is left");
}

/// A file, the same with its holes, whatever the file system makes of them.
#[test]
fn holes_stay_holes() {
    let (from, into) = folders();
    let path = from.path().join("sparse");
    let file = fs::File::create(&path).unwrap();
    file.set_len(256 << 20).unwrap();
    let random: Vec<u8> = (0..300_000_u32).map(|byte| (byte * 7) as u8 | 1).collect();
    for at in [0, 50 << 20, (100 << 20) + 12_345, (256 << 20) - 300_000] {
        file.write_all_at(&random, at).unwrap();
    }
    file.sync_all().unwrap();
    let before = fs::metadata(&path).unwrap().blocks();
    if before * 512 > 128 << 20 {
        println!("skipped: the file system of the temporary folder has no holes");
        return;
    }
    let (sent, received) = moved(std::slice::from_ref(&path), into.path(), TAKES_ALL);
    assert!(sent.unwrap().bytes < 8 << 20);
    assert!(received.unwrap().bytes < 8 << 20);
    let copy = into.path().join("sparse");
    assert!(fs::read(&path).unwrap() == fs::read(&copy).unwrap());
    let after = fs::metadata(&copy).unwrap().blocks();
    assert!(after < before + 16 * 1024, "{before} blocks became {after}");
}

fn tree_that_exists_in_part(from: &Path, into: &Path) -> PathBuf {
    let tree = from.join("tree");
    fs::create_dir(&tree).unwrap();
    fs::create_dir(into.join("tree")).unwrap();
    for (name, here, there) in [
        ("equal.txt", "same", Some("same")),
        ("other.txt", "mine", Some("yours")),
        ("longer.txt", "mine", Some("longer")),
        ("new.txt", "new", None),
    ] {
        fs::write(tree.join(name), here).unwrap();
        if let Some(there) = there {
            fs::write(into.join("tree").join(name), there).unwrap();
        }
    }
    tree
}

fn content(folder: &Path) -> Vec<(String, String)> {
    let mut all: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(path).unwrap())
        })
        .collect();
    all.sort();
    all
}

fn pairs(all: &[(&str, &str)]) -> Vec<(String, String)> {
    all.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect()
}

#[test]
fn existing_names_are_refused_skipped_renamed_or_compared() {
    let before = [("equal.txt", "same"), ("longer.txt", "longer"), ("other.txt", "yours")];
    for (existing, more, skipped) in [
        (Existing::Skip, &[("new.txt", "new")][..], 3),
        (
            Existing::Rename,
            &[("new.txt", "new"), ("equal-1.txt", "same"), ("other-1.txt", "mine"), ("longer-1.txt", "mine")],
            0,
        ),
        (Existing::Compare, &[("new.txt", "new"), ("other-1.txt", "mine"), ("longer-1.txt", "mine")], 1),
    ] {
        let (from, into) = folders();
        let tree = tree_that_exists_in_part(from.path(), into.path());
        let (sent, received) = moved(&[tree], into.path(), Decides { declined: &[], existing });
        let (sent, received) = (sent.unwrap(), received.unwrap());
        let mut expected = pairs(&[&before[..], more].concat());
        expected.sort();
        assert_eq!(content(&into.path().join("tree")), expected, "{existing:?}");
        assert_eq!((sent.skipped.len(), received.skipped.len()), (skipped, skipped), "{existing:?}");
        assert_eq!((sent.files, received.files), (4 - skipped as u32, 4 - skipped as u32));
    }
    let (from, into) = folders();
    let tree = tree_that_exists_in_part(from.path(), into.path());
    let (sent, received) = moved(&[tree], into.path(), TAKES_ALL);
    assert!(sent.unwrap_err().to_string().contains("tree exists in the receiving folder, and nothing is added to it"));
    assert!(received.is_err());
    assert_eq!(content(&into.path().join("tree")), pairs(&before));
}

#[test]
fn equal_link_counts_as_here() {
    let (from, into) = folders();
    for folder in [from.path(), into.path()] {
        fs::create_dir(folder.join("tree")).unwrap();
        symlink("there", folder.join("tree/link")).unwrap();
    }
    let user = Decides { declined: &[], existing: Existing::Compare };
    let (sent, received) = moved(&[from.path().join("tree")], into.path(), user);
    assert_eq!((sent.unwrap().skipped.len(), received.unwrap().files), (1, 0));
}

#[test]
fn declined_files_do_not_come() {
    let (from, into) = folders();
    let tree = from.path().join("tree");
    fs::create_dir(&tree).unwrap();
    for name in ["a", "b", "c"] {
        fs::write(tree.join(name), name.repeat(100_000)).unwrap();
    }
    symlink("a", tree.join("link")).unwrap();
    let user = Decides { declined: &["tree/b", "tree/link"], existing: Existing::Refuse };
    let (sent, received) = moved(&[tree], into.path(), user);
    let sent = sent.unwrap();
    let skipped: Vec<_> = sent.skipped.iter().map(|skipped| (skipped.name.as_str(), skipped.why)).collect();
    assert_eq!(skipped, [("tree/b", Skipped::Declined), ("tree/link", Skipped::Declined)]);
    assert_eq!((sent.bytes, received.unwrap().bytes), (200_000, 200_000));
    let names: Vec<_> = content(&into.path().join("tree")).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["a", "c"]);
}

#[test]
fn discarding_receiver_takes_links_and_holes() {
    let (from, _) = folders();
    let tree = from.path().join("tree");
    fs::create_dir(&tree).unwrap();
    fs::File::create(tree.join("sparse")).unwrap().set_len(64 << 20).unwrap();
    symlink("sparse", tree.join("link")).unwrap();
    let receiving = common::receiving(receive_options(None), true);
    assert_eq!(send_paths(&receiving.ticket, &[tree], &send_options()).unwrap().files, 2);
    assert_eq!(receiving.ended().unwrap().files, 2);
}

/// Bytes and holes of what is withdrawn, not wanted, or has a name that is taken meanwhile are in no total of either end.
#[test]
fn totals_count_what_arrived() {
    const NAMES: [&str; 3] = ["a", "sparse", "z"];
    let sizes = [1 << 20, 64 << 20, 70_000];
    for (withdrawn, declined, taken) in [
        ("", &[][..], ""),
        ("a", &[], ""),
        ("sparse", &["a"], ""),
        ("", &["sparse"], "z"),
        ("", &[], "a"),
        ("z", &["a"], "sparse"),
    ] {
        let (from, into) = folders();
        let paths = NAMES.map(|name| from.path().join(name));
        fs::write(&paths[0], common::bytes(sizes[0])).unwrap();
        fs::File::create(&paths[1]).unwrap().set_len(sizes[1] as u64).unwrap();
        fs::write(&paths[2], common::bytes(sizes[2])).unwrap();
        let listing = walk(&paths, &Excludes::default()).unwrap();
        if !withdrawn.is_empty() {
            fs::write(from.path().join(withdrawn), "other").unwrap();
        }
        let path = (!taken.is_empty()).then(|| into.path().join(taken));
        let user = AndThen(Decides { declined, ..TAKES_ALL }, path);
        let receiving = receiving_for(Receiver::listen(receive_options(Some(into.path()))).unwrap(), user);
        let sent = send(&receiving.ticket, &paths, &listing, &send_options(), &Progress::default()).unwrap();
        let arrived = (0..3).filter(|number| {
            let name = NAMES[*number];
            name != withdrawn && name != taken && !declined.contains(&name)
        });
        let arrived: Vec<usize> = arrived.collect();
        let bytes: usize = arrived.iter().map(|number| sizes[*number]).sum();
        for report in [sent, receiving.ended().unwrap()] {
            let all = report.bytes + report.before + report.holes;
            assert_eq!((report.files as usize, all), (arrived.len(), bytes as u64), "{report:?}");
            assert!(arrived.contains(&1) || report.holes == 0, "{report:?}");
        }
    }
}

/// Accepts, and then something else gets a name in the folder.
struct AndThen(Decides, Option<PathBuf>);

impl User for AndThen {
    fn accepts(&self, question: &Question<'_>) -> Result<Decision, Error> {
        let decision = self.0.accepts(question);
        self.1.iter().for_each(|path| fs::write(path, "taken").unwrap());
        decision
    }

    fn lost(&self, error: &Error) {
        self.0.lost(error);
    }
}
