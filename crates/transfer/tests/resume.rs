//! Received bytes are not sent again, and missing bytes never count as received.

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::common::tampering_proxy::TamperingProxy;
use crate::common::{
    AcceptsOnce, bytes, names, receive_options, receiving, receiving_for, receiving_with, resume_receiver,
    send_options, send_paths, wait_until,
};
use ciphermeter_transfer::{
    Decision, Error, Excludes, Progress, Question, Receiver, SendOptions, State, User, resume, send, walk,
};

const SIZE: usize = 40 << 20;
/// Frames of the hello, and of a whole piece: its head, and chunks of 256 KiB.
const PIECE: usize = 1 + 64;

fn source() -> (tempfile::TempDir, PathBuf) {
    let from = tempfile::tempdir().unwrap();
    let path = from.path().join("file");
    fs::write(&path, bytes(SIZE)).unwrap();
    (from, path)
}

fn journal(to: &Path) -> String {
    let state = names(to).into_iter().find(|name| name.starts_with(".ciphermeter-"));
    state.and_then(|state| fs::read_to_string(to.join(state).join("journal")).ok()).unwrap_or_default()
}

/// The journal's entries are known to the next attempt of the same process, too, when they were written some time
/// before the cut.
#[test]
fn pieces_recorded_before_a_cut_are_not_sent_again() {
    let ((_from, path), to) = (source(), tempfile::tempdir().unwrap());
    let mut options = receive_options(Some(to.path()));
    options.times.record = Duration::from_millis(20);
    let receiving = receiving(options, true);
    let (address, folder) = (receiving.address, to.path().to_owned());
    let tampering_proxy = TamperingProxy::before(address, 1, move |attempt, all| {
        if attempt == 1 {
            let mut way = TcpStream::connect(address).unwrap();
            way.write_all(&all[0][..=PIECE].concat()).unwrap();
            wait_until("the first piece is in the journal", || journal(&folder).contains("\"piece\""));
            all[0].clear();
        }
    });
    let mut ticket = receiving.ticket.clone();
    ticket.addresses = vec![tampering_proxy.address.to_string()];
    let sent = send_paths(&ticket, &[path], &send_options()).unwrap();
    assert_eq!((sent.attempt, sent.bytes), (2, SIZE as u64 - (16 << 20)));
    receiving.ended().unwrap();
    assert!(fs::read(to.path().join("file")).unwrap() == bytes(SIZE));
}

/// Every attempt is cut a few chunks into its first piece: a link that is slow and often cut. What the socket took of the rest is no
/// progress, and what arrived is, so patience for a second attempt is enough for seven.
#[test]
fn beginnings_of_pieces_are_not_sent_again() {
    const CHUNKS: usize = 24;
    let ((_from, path), to) = (source(), tempfile::tempdir().unwrap());
    let receiving = receiving(receive_options(Some(to.path())), true);
    let tampering_proxy = TamperingProxy::before(receiving.address, 1, |_, all| all[0].truncate(2 + CHUNKS));
    let mut ticket = receiving.ticket.clone();
    ticket.addresses = vec![tampering_proxy.address.to_string()];
    let options = SendOptions { patience: Duration::from_secs(20), ..send_options() };
    let sent = send_paths(&ticket, &[path], &options).unwrap();
    assert_eq!((sent.attempt, sent.bytes), (7, (SIZE - 6 * (CHUNKS << 18)) as u64));
    receiving.ended().unwrap();
    assert!(fs::read(to.path().join("file")).unwrap() == bytes(SIZE));
}

/// Both ends are ended between attempts, again and again; each time one more piece has arrived.
#[test]
fn transfer_resumes_after_both_ends_ended() {
    let ((_from, path), to, states) = (source(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut options = receive_options(Some(to.path()));
    options.patience = Duration::from_millis(100);
    let ended = SendOptions { states: Some(states.path().into()), patience: Duration::ZERO, ..send_options() };
    let cut = |_, all: &mut [crate::common::tampering_proxy::Frames]| all[0].truncate(PIECE + 2);
    let paths = std::slice::from_ref(&path);
    let first = receiving(options.clone(), true);
    let tampering_proxy = TamperingProxy::before(first.address, 1, cut);
    let mut ticket = first.ticket.clone();
    ticket.addresses = vec![tampering_proxy.address.to_string()];
    send(&ticket, paths, &walk(paths, &Excludes::default()).unwrap(), &ended, &Progress::default()).unwrap_err();
    assert!(matches!(first.ended(), Err(Error::NobodyCame(_))));
    for (pieces, whole) in [(1, false), (2, true)] {
        let again = resume_receiver(&options);
        assert_eq!(again.unfinished().unwrap().2, pieces << 24);
        assert!(!again.lacks_only_names() && !to.path().join("file").exists());
        let again = receiving_with(again, true);
        let tampering_proxy = TamperingProxy::before(again.address, 1, move |attempt, all| {
            if !whole {
                cut(attempt, all)
            }
        });
        let state = State::all(states.path()).remove(0).at(vec![tampering_proxy.address.to_string()]);
        let sent = resume(&state, &walk(&state.paths, &Excludes::default()).unwrap(), &ended, &Progress::default());
        assert_eq!(sent.is_ok(), whole, "{sent:?}");
        assert_eq!(again.ended().is_ok(), whole);
    }
    assert!(fs::read(to.path().join("file")).unwrap() == bytes(SIZE));
    assert_eq!((names(to.path()), names(states.path())), (vec!["file".to_owned()], vec![]));
    assert!(Receiver::resume(options).unwrap().is_none());
}

#[test]
fn names_beyond_the_accepted_ones_need_a_new_decision() {
    let ((from, path), to, states) = (source(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let receiver = Receiver::listen(receive_options(Some(to.path()))).unwrap();
    let receiving = receiving_for(receiver, AcceptsOnce);
    let tampering_proxy = TamperingProxy::before(receiving.address, 1, |_, all| all[0].truncate(PIECE + 2));
    let mut ticket = receiving.ticket.clone();
    ticket.addresses = vec![tampering_proxy.address.to_string()];
    let ended = SendOptions { states: Some(states.path().into()), patience: Duration::ZERO, ..send_options() };
    send_paths(&ticket, &[path], &ended).unwrap_err();
    let other = from.path().join("other");
    fs::write(&other, bytes(1000)).unwrap();
    let state = State::all(states.path()).remove(0);
    let error =
        resume(&state, &walk(&[other], &Excludes::default()).unwrap(), &ended, &Progress::default()).unwrap_err();
    assert!(matches!(&error, Error::BrokeOff(why) if why.to_string().contains("declined")), "{error}");
    assert!(receiving.ended().unwrap_err().to_string().contains("what was received before is kept"));
    assert!(!to.path().join("other").exists());
}

/// Accepts, and creates a file of that name.
struct AcceptsAfterCreating(PathBuf);

impl User for AcceptsAfterCreating {
    fn accepts(&self, _: &Question<'_>) -> Result<Decision, Error> {
        fs::write(&self.0, "mine").unwrap();
        Ok(Decision::default())
    }

    fn lost(&self, _: &Error) {}
}

/// When names are given in the end, every part that exists counts as complete: a withdrawn file's part must be gone by
/// then.
#[test]
fn withdrawn_file_is_not_placed_later() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let paths: Vec<_> = ["big", "small"].map(|name| from.path().join(name)).to_vec();
    fs::write(&paths[0], bytes(17 << 20)).unwrap();
    fs::write(&paths[1], bytes(1000)).unwrap();
    let receiver = Receiver::listen(receive_options(Some(to.path()))).unwrap();
    // So that something is left to place.
    let receiving = receiving_for(receiver, AcceptsAfterCreating(to.path().join("small")));
    let (progress, big) = (receiving.progress.clone(), paths[0].clone());
    let changing = std::thread::spawn(move || {
        wait_until("some of it is there", || progress.done() > 1 << 20);
        fs::File::options().append(true).open(big).unwrap().write_all(b"more").unwrap();
    });
    let options = SendOptions { limit: Some(4 << 20), ..send_options() };
    let sent = send_paths(&receiving.ticket, &paths, &options).unwrap();
    changing.join().unwrap();
    receiving.ended().unwrap();
    assert_eq!((sent.files, sent.failed.len()), (0, 2), "{sent:?}");
    fs::remove_file(to.path().join("small")).unwrap();
    let rest = resume_receiver(&receive_options(Some(to.path())));
    let (files, failed) = rest.finish().unwrap();
    assert_eq!((files, failed.len()), (1, 1), "{failed:?}");
    assert!(failed[0].contains("big: withdrawn by its sender"), "{failed:?}");
    assert_eq!(names(to.path()), ["small"]);
    assert!(fs::read(to.path().join("small")).unwrap() == bytes(1000));
}

/// State folders that a crash leaves before there is a state, or after it was removed, are useless.
#[test]
fn state_folders_without_a_state_are_removed() {
    let to = tempfile::tempdir().unwrap();
    let ours = to.path().join(format!(".ciphermeter-{}", "1".repeat(32)));
    let foreign = to.path().join(format!(".ciphermeter-{}", "2".repeat(32)));
    for folder in [&ours, &foreign] {
        fs::DirBuilder::new().mode(0o700).create(folder).unwrap();
        fs::write(folder.join("journal"), "").unwrap();
        fs::write(folder.join("0.part"), "zeros").unwrap();
    }
    fs::write(foreign.join("letter"), "not ours").unwrap();
    assert!(Receiver::resume(receive_options(Some(to.path()))).unwrap().is_none());
    assert!(!ours.exists());
    assert_eq!(names(&foreign), ["letter"], "foreign files stay");
}

#[test]
fn broken_state_is_skipped() {
    let to = tempfile::tempdir().unwrap();
    let folder = to.path().join(format!(".ciphermeter-{}", "1".repeat(32)));
    fs::DirBuilder::new().mode(0o700).create(&folder).unwrap();
    for state in ["{}", "[", "{\"wire\":3}"] {
        fs::write(folder.join("state.json"), state).unwrap();
        assert!(Receiver::resume(receive_options(Some(to.path()))).unwrap().is_none(), "{state}");
        assert!(folder.exists(), "the user may still want to look at it");
    }
    fs::write(folder.join("state.json"), "{\"wire\":1,\"offer\":{}}").unwrap();
    let error = Receiver::resume(receive_options(Some(to.path()))).map(drop).unwrap_err().to_string();
    assert!(error.contains("another version of ciphermeter") && error.contains("remove the folder"), "{error}");
}

/// A loss of power before the state was on disk leaves its name, and zeros at most. It was begun in vain, unless the
/// journal says otherwise.
#[test]
fn blank_state_is_removed_unless_something_had_come() {
    let to = tempfile::tempdir().unwrap();
    let folder = to.path().join(format!(".ciphermeter-{}", "1".repeat(32)));
    for (state, journal, stays) in
        [("", "", false), ("\0\0", "", false), ("\0\0", "4694f643 {\"is\":\"placing\"}\n", true)]
    {
        fs::DirBuilder::new().mode(0o700).create(&folder).unwrap();
        fs::write(folder.join("state.json"), state).unwrap();
        fs::write(folder.join("journal"), journal).unwrap();
        assert!(Receiver::resume(receive_options(Some(to.path()))).unwrap().is_none());
        assert_eq!(folder.exists(), stays, "{state:?} {journal}");
    }
}

/// A part is deleted, and later attempts are cut, too.
#[test]
fn lost_part_is_received_anew() {
    let ((_from, path), to, states) = (source(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut options = receive_options(Some(to.path()));
    options.patience = Duration::from_millis(100);
    let ended = SendOptions { states: Some(states.path().into()), patience: Duration::ZERO, ..send_options() };
    let first = receiving(options.clone(), true);
    let tampering_proxy = TamperingProxy::before(first.address, 1, |_, all| all[0].truncate(2 * PIECE + 2));
    let mut ticket = first.ticket.clone();
    ticket.addresses = vec![tampering_proxy.address.to_string()];
    send_paths(&ticket, &[path], &ended).unwrap_err();
    first.ended().unwrap_err();
    fs::remove_file(to.path().join(&names(to.path())[0]).join("0.part")).unwrap();
    for (pieces, whole) in [(0, false), (1, true)] {
        let again = resume_receiver(&options);
        assert_eq!(again.unfinished().unwrap().2, pieces << 24);
        let again = receiving_with(again, true);
        let tampering_proxy = TamperingProxy::before(again.address, 1, move |_, all| {
            if !whole {
                all[0].truncate(PIECE + 2)
            }
        });
        let state = State::all(states.path()).remove(0).at(vec![tampering_proxy.address.to_string()]);
        let sent = resume(&state, &walk(&state.paths, &Excludes::default()).unwrap(), &ended, &Progress::default());
        assert_eq!(sent.is_ok(), whole, "{sent:?}");
        assert_eq!(again.ended().is_ok(), whole);
    }
    assert!(fs::read(to.path().join("file")).unwrap() == bytes(SIZE));
}
