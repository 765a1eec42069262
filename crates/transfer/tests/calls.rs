//! A sender that listens, and a receiver that calls it.

use std::fs;
use std::io::{self, Read};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::common::{FixedAnswer, Held, plain, receive_options, send_options};
use ciphermeter_transfer::{
    Error, Excludes, ListeningSender, Progress, ReceiveOptions, Receiver, Report, SendOptions, State, Ticket, Times,
    walk,
};

const SIZE: usize = 40 << 20;

fn bytes(length: usize) -> Vec<u8> {
    (0..length as u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

struct Ends {
    from: tempfile::TempDir,
    into: tempfile::TempDir,
    sender: ListeningSender,
    paths: Vec<PathBuf>,
}

fn ends() -> Ends {
    let (from, into) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let tree = from.path().join("tree");
    fs::create_dir(&tree).unwrap();
    fs::write(tree.join("big"), bytes(SIZE)).unwrap();
    fs::write(tree.join("small"), "small").unwrap();
    let sender = ListeningSender::listen(([127, 0, 0, 1], 0).into(), Times::default()).unwrap();
    Ends { from, into, sender, paths: vec![tree] }
}

impl Ends {
    fn ticket(&self) -> Ticket {
        self.sender.ticket(&["127.0.0.1".into()]).unwrap()
    }

    fn sends(&self, options: &SendOptions) -> Result<Report, Error> {
        let listing = walk(&self.paths, &Excludes::default()).unwrap();
        self.sender.send(&self.paths, &listing, options, &Progress::default())
    }

    fn has_arrived(&self) -> bool {
        let tree = self.into.path().join("tree");
        fs::read(tree.join("big")).unwrap() == bytes(SIZE)
            && fs::read(tree.join("small")).unwrap() == b"small"
            && fs::read_dir(self.into.path()).unwrap().count() == 1
    }
}

fn calls(ticket: &Ticket, options: ReceiveOptions) -> Result<Report, Error> {
    Receiver::call(ticket, options).unwrap().receive(&FixedAnswer(true), &Arc::default())
}

fn into(folder: &Path) -> ReceiveOptions {
    receive_options(Some(folder))
}

#[test]
fn receiver_fetches_over_any_number_of_connections() {
    for streams in [1, 3] {
        let ends = ends();
        thread::scope(|scope| {
            let sent = scope.spawn(|| ends.sends(&SendOptions { streams, ..send_options() }));
            let received = calls(&ends.ticket(), into(ends.into.path())).unwrap();
            assert_eq!((received.files, received.streams), (2, streams));
            assert_eq!(sent.join().unwrap().unwrap().files, 2);
        });
        assert!(ends.has_arrived());
    }
}

/// A link to the sender that is cut after so many bytes from there, for the first `cuts` data connections.
fn link(sender: SocketAddr, cuts: usize, bytes: u64) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let data = Arc::new(AtomicUsize::new(0));
    // It ends with the process of this test.
    thread::spawn(move || {
        for near in listener.incoming() {
            let data = data.clone();
            thread::spawn(move || pass(near?, sender, &data, cuts, bytes));
        }
    });
    address
}

fn pass(near: TcpStream, sender: SocketAddr, data: &AtomicUsize, cuts: usize, bytes: u64) -> io::Result<()> {
    let far = TcpStream::connect(sender)?;
    let mut first = [0];
    near.peek(&mut first)?;
    let is_cut = first[0] == b'c' && data.fetch_add(1, Ordering::SeqCst) < cuts;
    let (mut to_far, mut from_near) = (far.try_clone()?, near.try_clone()?);
    thread::spawn(move || io::copy(&mut from_near, &mut to_far).map(|_| to_far.shutdown(Shutdown::Write)));
    let most = if is_cut { bytes } else { u64::MAX };
    io::copy(&mut (&far).take(most), &mut &near)?;
    near.shutdown(Shutdown::Both).and(far.shutdown(Shutdown::Both))
}

#[test]
fn receiver_that_was_cut_off_calls_again() {
    let ends = ends();
    let address = link(ends.sender.address(), 2, 10 << 20);
    let ticket = Ticket { addresses: vec![address.to_string()], ..ends.ticket() };
    thread::scope(|scope| {
        let sent = scope.spawn(|| ends.sends(&send_options()));
        let received = calls(&ticket, into(ends.into.path())).unwrap();
        assert!(received.attempt == 3 && received.bytes < 22 << 20, "{received:?}");
        assert_eq!(sent.join().unwrap().unwrap().attempt, received.attempt);
    });
    assert!(ends.has_arrived());
}

#[test]
fn ticket_admits_one_receiver_once() {
    let ends = ends();
    let (user, is_asked, accept) = Held::new();
    thread::scope(|scope| {
        let sent = scope.spawn(|| ends.sends(&send_options()));
        let first = scope.spawn(|| {
            let user = user;
            Receiver::call(&ends.ticket(), into(ends.into.path())).unwrap().receive(&user, &Arc::default())
        });
        is_asked.recv().unwrap();
        let other = tempfile::tempdir().unwrap();
        let second = calls(&ends.ticket(), into(other.path())).unwrap_err();
        assert!(plain(second).to_string().contains("this ticket was used"));
        accept.send(()).unwrap();
        first.join().unwrap().unwrap();
        sent.join().unwrap().unwrap();
    });
    assert!(ends.has_arrived());
}

#[test]
fn stranger_gets_nothing() {
    let ends = ends();
    thread::scope(|scope| {
        let sent = scope.spawn(|| ends.sends(&send_options()));
        let other_token = "cm1.".to_owned() + &"A".repeat(64) + "@127.0.0.1:1";
        let token = other_token.parse::<Ticket>().unwrap().token;
        let error = calls(&Ticket { token, ..ends.ticket() }, into(ends.into.path())).unwrap_err();
        assert!(plain(error).to_string().contains("the token is wrong"));
        let error = calls(&Ticket { key: [7; 32], ..ends.ticket() }, into(ends.into.path())).unwrap_err();
        assert!(matches!(plain(error), Error::WrongKey(_)));
        calls(&ends.ticket(), into(ends.into.path())).unwrap();
        sent.join().unwrap().unwrap();
    });
}

#[test]
fn declined_offer_ends_both() {
    let ends = ends();
    thread::scope(|scope| {
        let sent = scope.spawn(|| ends.sends(&send_options()));
        let mut receiver = Receiver::call(&ends.ticket(), into(ends.into.path())).unwrap();
        assert!(matches!(receiver.receive(&FixedAnswer(false), &Arc::default()), Err(Error::Declined)));
        assert!(matches!(sent.join().unwrap(), Err(Error::Refused(_))));
    });
}

/// Both processes ended in the middle; both begin again with a new ticket.
#[test]
fn ended_processes_resume_with_a_new_ticket() {
    let ends = ends();
    let states = tempfile::tempdir().unwrap();
    let short = Duration::from_millis(400);
    let options = SendOptions { states: Some(states.path().into()), patience: short, ..send_options() };
    let address = link(ends.sender.address(), 1000, 10 << 20);
    let ticket = Ticket { addresses: vec![address.to_string()], ..ends.ticket() };
    let receiving = ReceiveOptions { patience: Duration::ZERO, ..into(ends.into.path()) };
    thread::scope(|scope| {
        let sent = scope.spawn(|| ends.sends(&options));
        calls(&ticket, receiving.clone()).unwrap_err();
        sent.join().unwrap().unwrap_err();
    });
    let state = State::all(states.path()).remove(0);
    let again = ListeningSender::listen(([127, 0, 0, 1], 0).into(), Times::default()).unwrap();
    let ticket = again.ticket(&["127.0.0.1".into()]).unwrap();
    thread::scope(|scope| {
        let listing = walk(&state.paths, &Excludes::default()).unwrap();
        let sent = scope.spawn(move || again.resume(&state, &listing, &send_options(), &Progress::default()));
        let (number, lacks_only_names) =
            Receiver::find(&into(ends.into.path()), "").unwrap().expect("an unfinished one");
        assert!(!lacks_only_names && Receiver::resume(into(ends.into.path())).is_err(), "its sender listens");
        let mut receiver = Receiver::call_again(&ticket, into(ends.into.path()), number).unwrap().expect("the same");
        let received = receiver.receive(&FixedAnswer(false), &Arc::default()).unwrap();
        assert!(received.bytes < SIZE as u64, "{received:?}");
        sent.join().unwrap().unwrap();
    });
    assert!(ends.has_arrived());
    assert!(ends.from.path().exists());
}
