//! A source that changes while it is sent, or between attempts, never arrives as a mixture.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use crate::common::tampering_proxy::TamperingProxy;
use crate::common::{Receiving, bytes, names, receive_options, receiving, send_options, send_paths, wait_until};
use ciphermeter_transfer::{Excludes, OpenSource, Progress, Report, SendOptions, State, resume, send, walk};

type Change = (&'static str, fn(&Path));

const CHANGES: [Change; 6] = [
    ("grows", |path| fs::File::options().append(true).open(path).unwrap().write_all(b"more").unwrap()),
    ("shrinks", |path| fs::File::options().write(true).open(path).unwrap().set_len(10).unwrap()),
    ("is emptied", |path| drop(fs::File::create(path).unwrap())),
    ("is touched", |path| fs::File::open(path).unwrap().set_modified(SystemTime::now()).unwrap()),
    ("is removed", |path| fs::remove_file(path).unwrap()),
    ("is another", |path| {
        fs::write(path.with_extension("new"), bytes(2 << 20)).unwrap();
        fs::rename(path.with_extension("new"), path).unwrap();
    }),
];

/// `big`, which is to change, between two others.
fn sources() -> (tempfile::TempDir, Vec<PathBuf>) {
    let from = tempfile::tempdir().unwrap();
    let write = |(name, size)| {
        let path = from.path().join(name);
        fs::write(&path, bytes(size)).unwrap();
        path
    };
    let paths = [("a", 1000), ("big", 2 << 20), ("z", 300_000)].map(write).to_vec();
    (from, paths)
}

fn withdrawn_for(what: &str) -> &'static str {
    if what == "is removed" { "it is no longer there" } else { "it changed while it was being sent" }
}

fn only_big_is_missing(what: &str, to: &Path, sent: &Report, received: &Report) {
    assert_eq!((sent.files, received.files), (2, 2), "{what}");
    for report in [sent, received] {
        assert_eq!((report.bytes, report.before, report.holes), (301_000, 0, 0), "{what}: only what arrived counts");
        assert_eq!(report.failed.len(), 1, "{what}: {report:?}");
        assert_eq!(report.failed[0].name, "big", "{what}");
        assert!(!report.failed[0].why.is_empty());
    }
    let why = withdrawn_for(what);
    assert!([sent, received].iter().all(|report| report.failed[0].why.contains(why)), "{what}: {sent:?}, {received:?}");
    assert_eq!(names(to), ["a", "z"], "{what}: no part is left");
    assert!(fs::read(to.join("a")).unwrap() == bytes(1000) && fs::read(to.join("z")).unwrap() == bytes(300_000));
}

#[test]
fn file_that_changes_before_its_turn_is_withdrawn() {
    for (what, change) in CHANGES {
        let ((_from, paths), to) = (sources(), tempfile::tempdir().unwrap());
        let receiving = receiving(receive_options(Some(to.path())), true);
        let listing = walk(&paths, &Excludes::default()).unwrap();
        change(&paths[1]);
        let sent = send(&receiving.ticket, &paths, &listing, &send_options(), &Progress::default()).unwrap();
        let received = receiving.ended().unwrap();
        only_big_is_missing(what, to.path(), &sent, &received);
    }
}

#[test]
fn file_that_changes_while_sent_is_withdrawn() {
    thread::scope(|scope| {
        for (what, change) in CHANGES {
            scope.spawn(move || {
                let ((_from, paths), to) = (sources(), tempfile::tempdir().unwrap());
                let receiving = receiving(receive_options(Some(to.path())), true);
                let options = SendOptions { limit: Some(512 << 10), ..send_options() };
                let (ticket, progress) = (receiving.ticket.clone(), receiving.progress.clone());
                let sending = thread::spawn({
                    let paths = paths.clone();
                    move || send_paths(&ticket, &paths, &options)
                });
                // The first chunk of it has arrived, others are to come.
                wait_until("its first chunk", || progress.done() > 200_000);
                change(&paths[1]);
                let sent = sending.join().unwrap().unwrap();
                only_big_is_missing(what, to.path(), &sent, &receiving.ended().unwrap());
            });
        }
    });
}

const LARGE: usize = (20 << 20) + 5;

/// A file of two pieces whose first attempt is cut within the second; `between` changes it then.
fn cut(to: &Path, path: &Path, between: impl Fn(&Path) + Send + Sync + 'static) -> (Receiving, TamperingProxy) {
    fs::write(path, bytes(LARGE)).unwrap();
    let receiving = receiving(receive_options(Some(to)), true);
    let path = path.to_owned();
    let tampering_proxy = TamperingProxy::before(receiving.address, 1, move |attempt, all| {
        if attempt == 1 {
            all[0].truncate(70);
            between(&path);
        }
    });
    (receiving, tampering_proxy)
}

#[test]
fn file_that_changes_between_attempts_is_withdrawn() {
    for (what, change) in CHANGES {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = from.path().join("file");
        // Some milliseconds, so that the clock that stamps changes advances.
        let (receiving, tampering_proxy) = cut(to.path(), &path, move |path| {
            thread::sleep(Duration::from_millis(20));
            change(path);
        });
        let mut ticket = receiving.ticket.clone();
        ticket.addresses = vec![tampering_proxy.address.to_string()];
        let sent = send_paths(&ticket, &[path], &send_options()).unwrap();
        let received = receiving.ended().unwrap();
        assert_eq!((sent.attempt, sent.files, sent.failed.len()), (2, 0, 1), "{what}");
        assert_eq!([&sent, &received].map(|report| (report.bytes, report.before)), [(0, 0); 2], "{what}");
        assert!(received.failed[0].why.contains(withdrawn_for(what)), "{what}: {received:?}");
        assert!(names(to.path()).is_empty(), "{what}");
    }
}

/// Sends with a state, is cut, changes the file, and continues with `send --resume`.
fn resumed(change: fn(&Path)) -> (Report, Vec<u8>, Vec<u8>) {
    let (from, to, states) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = from.path().join("file");
    let (receiving, tampering_proxy) = cut(to.path(), &path, |_| {});
    let mut ticket = receiving.ticket.clone();
    ticket.addresses = vec![tampering_proxy.address.to_string()];
    let states = Some(states.path().to_owned());
    let ended = SendOptions { states: states.clone(), patience: Duration::ZERO, ..send_options() };
    let error = send_paths(&ticket, std::slice::from_ref(&path), &ended).unwrap_err();
    assert!(error.is_lost() && error.may_resume(), "{error}");
    thread::sleep(Duration::from_millis(20));
    change(&path);
    let state = State::all(states.as_deref().unwrap()).remove(0);
    let listing = walk(&state.paths, &Excludes::default()).unwrap();
    let sent = resume(&state, &listing, &ended, &Progress::default()).unwrap();
    assert!(State::all(states.as_deref().unwrap()).is_empty(), "nothing is left unfinished");
    assert_eq!((receiving.ended().unwrap().files, sent.attempt), (1, 2));
    assert_eq!(names(to.path()), ["file"]);
    (sent, fs::read(to.path().join("file")).unwrap(), fs::read(path).unwrap())
}

#[test]
fn unchanged_file_resumes_where_it_was() {
    let (sent, received, source) = resumed(|_| {});
    assert!(sent.bytes <= LARGE as u64 - (16 << 20), "the first piece was there: {}", sent.bytes);
    assert!(received == source);
}

#[test]
fn changed_file_begins_anew() {
    // The same length, other bytes.
    let (sent, received, source) = resumed(|path| fs::write(path, vec![0x5a; LARGE]).unwrap());
    assert_eq!(sent.bytes, LARGE as u64);
    assert!(received == source);
    // Another length.
    let (sent, received, source) = resumed(|path| fs::write(path, vec![0x5a; 1000]).unwrap());
    assert_eq!(sent.bytes, 1000);
    assert!(received == source);
    // The same bytes, which neither end can know.
    let (sent, received, source) = resumed(|path| CHANGES[3].1(path));
    assert_eq!(sent.bytes, LARGE as u64);
    assert!(received == source);
}

/// The gap that WIRE.md names. Where a system closes it, this test says so, and the page can promise more.
#[test]
#[allow(unsafe_code)]
fn writes_through_a_map_to_a_modified_page_are_not_visible() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "0123456789").unwrap();
    let file = fs::File::options().read(true).write(true).open(&path).unwrap();
    // SAFETY: nothing else changes the file.
    let mut map = unsafe { memmap2::MmapMut::map_mut(&file) }.unwrap();
    map[0] = b'a';
    let listing = walk(&[path], &Excludes::default()).unwrap();
    let open = OpenSource::open(&listing.files[0]).unwrap();
    // Longer than a tick of the clock that stamps changes.
    std::thread::sleep(std::time::Duration::from_millis(20));
    map[1] = b'b';
    if !open.unchanged() {
        println!("skipped: this system sets the time of a page that was modified before");
        return;
    }
    map.flush().unwrap();
    map[2] = b'c';
    if open.unchanged() {
        println!("skipped: this file system never writes a page, so it is never clean");
    }
}

/// A byte in the middle cannot be read, though nothing says that the file has changed: a bad disk, a file system that lies.
#[test]
fn file_that_turns_out_to_be_unreadable_is_withdrawn_and_the_rest_arrives() {
    for (large, streams) in [(2 << 20, 1), (LARGE, 1), (LARGE, 4), (1 << 20, 2), (300_000, 1)] {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let states = tempfile::tempdir().unwrap();
        let write = |(name, size): (&str, usize)| {
            let path = from.path().join(name);
            fs::write(&path, bytes(size)).unwrap();
            path
        };
        let paths = [("a", 1000), ("bad", large), ("worse", large), ("z", large)].map(write).to_vec();
        let mut listing = walk(&paths, &Excludes::default()).unwrap();
        for file in &mut listing.files[1..3] {
            file.content = Some(bytes(large - 100_000).into());
        }
        let receiving = receiving(receive_options(Some(to.path())), true);
        let options = SendOptions { streams, states: Some(states.path().into()), ..send_options() };
        let sent = send(&receiving.ticket, &paths, &listing, &options, &Progress::default()).unwrap();
        let received = receiving.ended().unwrap();
        assert_eq!((sent.files, received.files), (2, 2));
        for report in [&sent, &received] {
            let failed: Vec<_> = report.failed.iter().map(|failed| failed.name.as_str()).collect();
            assert_eq!(failed, ["bad", "worse"], "{report:?}");
        }
        assert_eq!((names(to.path()), names(states.path())), (vec!["a".to_owned(), "z".into()], vec![]));
        assert!(fs::read(to.path().join("z")).unwrap() == bytes(large));
    }
}

/// Its metadata say another size than it has.
#[test]
fn file_of_another_size_than_listed_is_withdrawn_before_its_first_byte() {
    for (listed, real) in [(4096, 4), (5, 0), (LARGE, LARGE - 1), (LARGE, LARGE + 1), (0, 9), (1, 2)] {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let paths = ["a", "liar"].map(|name| from.path().join(name));
        fs::write(&paths[0], "text").unwrap();
        fs::write(&paths[1], bytes(real)).unwrap();
        let mut listing = walk(&paths, &Excludes::default()).unwrap();
        // As if its file system had said so: the state is that of the file.
        (listing.files[1].size, listing.files[1].data) = (listed as u64, listed as u64);
        let receiving = receiving(receive_options(Some(to.path())), true);
        let sent = send(&receiving.ticket, &paths, &listing, &send_options(), &Progress::default()).unwrap();
        let received = receiving.ended().unwrap();
        assert_eq!((sent.files, sent.attempt, received.files), (1, 1, 1), "{listed} {real}");
        assert!(sent.failed[0].why.contains("more or fewer bytes than its file system says"), "{sent:?}");
        assert!(received.failed[0].why.contains("ask for a copy of it"), "{received:?}");
        assert_eq!(names(to.path()), ["a"]);
    }
}
