//! A peer that trickles, stalls or comes in crowds is cut off, and keeps no other sender out.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::common::{Receiving, bytes, receive_options, receiving, send_options, send_paths, test_ends, wait_until};
use ciphermeter_transfer::{Error, HELLO, ReceiveOptions, SendOptions, Ticket, Times};
use serde_json::{Value, json};

/// The longest that anything takes that is not waited for.
const HOUR: Duration = Duration::from_secs(3600);

/// A receiver on which strangers have five seconds, and its sender, too; but then any time.
fn strict_receiver() -> Receiving {
    let times = Times { authentication: Duration::from_secs(5), window: HOUR, ..Times::default() };
    receiving(ReceiveOptions { times, patience: HOUR, ..receive_options(None) }, true)
}

/// A receiver on which data must flow within a second, and that waits for nobody who was lost.
fn impatient_receiver() -> Receiving {
    let times = Times { authentication: HOUR, window: Duration::from_secs(1), ..Times::default() };
    receiving(ReceiveOptions { times, patience: Duration::ZERO, ..receive_options(None) }, true)
}

/// Sends one byte after another, some five in a second, until the other end cuts the connection,
/// which must happen before the bytes end.
fn trickles(mut to: TcpStream, bytes: impl Iterator<Item = u8>) {
    to.set_nonblocking(false).unwrap();
    to.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let is_cut = |byte| to.write_all(&[byte]).is_err() || !is_timeout(to.read(&mut [0; 64]));
    assert!(bytes.take(200).any(is_cut), "the connection was never cut");
}

/// Nothing has come yet; at the end of the stream, there would be an end or an error.
fn is_timeout(read: std::io::Result<usize>) -> bool {
    matches!(read, Err(error) if error.kind() == ErrorKind::WouldBlock)
}

/// A sender with the ticket still gets through.
fn assert_still_receives(receiving: Receiving) {
    send_one(&receiving.ticket, &send_options()).unwrap();
    receiving.ended().unwrap();
}

fn send_one(ticket: &Ticket, options: &SendOptions) -> Result<ciphermeter_transfer::Report, Error> {
    let from = tempfile::tempdir().unwrap();
    let path = from.path().join("file");
    fs::write(&path, bytes(100_000)).unwrap();
    send_paths(ticket, &[path], options)
}

#[test]
fn trickled_handshake_is_cut_off() {
    let receiving = strict_receiver();
    let mut hello = Vec::new();
    test_ends::client(&[test_ends::ALPN]).write_tls(&mut hello).unwrap();
    trickles(TcpStream::connect(receiving.address).unwrap(), hello.into_iter());
    assert_still_receives(receiving);
}

#[test]
fn trickled_hello_line_is_cut_off() {
    let receiving = strict_receiver();
    let mut sender = test_ends::sender(receiving.address);
    let line = test_ends::hello(&receiving.ticket).to_string();
    sender.0.sock.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let given_up = line.bytes().cycle().take(200).any(|byte| {
        let heard = sender.0.write_all(&[byte]).and_then(|()| sender.0.read(&mut [0]));
        !is_timeout(heard)
    });
    assert!(given_up);
    assert_still_receives(receiving);
}

#[test]
fn endless_line_is_refused() {
    let receiving = receiving(ReceiveOptions { patience: HOUR, ..receive_options(None) }, true);
    let mut sender = test_ends::sender(receiving.address);
    sender.0.write_all(&[b' '; 64 * 1024]).unwrap();
    let answer = sender.receive().expect("an answer before the line ends");
    assert_eq!(answer["is"], "refused", "{answer}");
    assert_still_receives(receiving);
}

#[test]
fn trickled_data_hello_is_cut_off() {
    let receiving = strict_receiver();
    // One byte less than a hello, which would be refused.
    trickles(TcpStream::connect(receiving.address).unwrap(), b"cmD3".iter().copied().chain([7; HELLO - 5]));
    assert_still_receives(receiving);
}

/// A test's own sender up to the moment when data may flow, with its data connection.
fn flowing(receiving: &Receiving) -> (test_ends::Client, TcpStream) {
    let (sender, data, _) = flowing_with_welcome(receiving);
    (sender, data)
}

fn flowing_with_welcome(receiving: &Receiving) -> (test_ends::Client, TcpStream, Value) {
    let mut sender = test_ends::sender(receiving.address);
    sender.send(&test_ends::hello(&receiving.ticket)).unwrap();
    let welcome = sender.receive().unwrap();
    assert_eq!(welcome["is"], "welcome");
    sender.send(&test_ends::file("file", 1 << 20)).unwrap();
    sender.send(&test_ends::offered(1, 1 << 20)).unwrap();
    assert_eq!(sender.receive().unwrap(), json!({"is": "ready"}));
    let mut data = TcpStream::connect(receiving.address).unwrap();
    data.write_all(&sender.data_hello(welcome["transfer"].as_str().unwrap(), 1, 0)).unwrap();
    (sender, data, welcome)
}

/// It would have none, were its patience counted from the first loss.
#[test]
fn sender_that_takes_anothers_place_is_served_however_little_patience_is_left() {
    let receiving = receiving(ReceiveOptions { patience: Duration::ZERO, ..receive_options(None) }, true);
    let (_first, _data, welcome) = flowing_with_welcome(&receiving);
    let mut hello = test_ends::hello(&receiving.ticket);
    hello["token"] = Value::Null;
    (hello["transfer"], hello["resume"]) = (welcome["transfer"].clone(), welcome["resume"].clone());
    let mut second = test_ends::sender(receiving.address);
    second.send(&hello).unwrap();
    let welcome = second.receive().expect("a welcome");
    assert_eq!((&welcome["is"], &welcome["attempt"]), (&json!("welcome"), &json!(2)));
    drop(second);
    assert!(matches!(receiving.ended(), Err(Error::NobodyCame(_))), "without a byte there is an end");
}

#[test]
fn trickled_frames_are_cut_off() {
    let receiving = impatient_receiver();
    let (_sender, data) = flowing(&receiving);
    trickles(data, [1, 0, 0, 0, 36].into_iter().chain([7; 2000]));
    // The receiver, too, ends when no sender comes back.
    assert!(matches!(receiving.ended(), Err(Error::NobodyCame(_))));
}

#[test]
fn silent_data_connection_is_cut_off() {
    let receiving = impatient_receiver();
    let (_sender, mut data) = flowing(&receiving);
    data.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
    assert!(matches!(data.read(&mut [0]), Ok(0) | Err(_)));
    assert!(matches!(receiving.ended(), Err(Error::NobodyCame(_))));
}

#[test]
fn missing_data_connection_ends_the_attempt() {
    let receiving = impatient_receiver();
    let (mut sender, data) = flowing(&receiving);
    drop(data);
    sender.send(&json!({"is": "sent"})).unwrap();
    assert_eq!(sender.receive(), None, "a lost connection is cut without a message");
    assert!(matches!(receiving.ended(), Err(Error::NobodyCame(_))));
}

#[test]
fn receiver_that_never_completes_the_handshake_is_cut_off() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut ticket = test_ends::Receiver::new(&[test_ends::ALPN]).ticket;
    ticket.addresses = vec![listener.local_addr().unwrap().to_string()];
    let times = Times { authentication: Duration::from_secs(1), ..Times::default() };
    let error = send_one(&ticket, &SendOptions { times, patience: Duration::ZERO, ..send_options() }).unwrap_err();
    assert!(matches!(error, Error::NotBegun(_)) && !error.may_resume(), "{error}");
}

#[test]
fn receiver_that_stops_reading_is_cut_off() {
    let receiver = test_ends::Receiver::new(&[test_ends::ALPN]);
    let from = tempfile::tempdir().unwrap();
    let path = from.path().join("file");
    fs::write(&path, vec![1; 64 << 20]).unwrap();
    thread::scope(|scope| {
        let held = scope.spawn(|| {
            let mut sender = receiver.accept().unwrap();
            sender.receive().unwrap();
            let welcome = json!({
                "is": "welcome", "wire": 3, "transfer": "11".repeat(16), "attempt": 1, "resume": "22".repeat(16),
                "suites": test_ends::suites(), "suite": "aes-256-gcm", "why": "so", "asked": false, "streams": 1,
            });
            sender.send(&welcome).unwrap();
            for _ in ["file", "offered"] {
                sender.receive().unwrap();
            }
            sender.send(&json!({"is": "ready"})).unwrap();
            (receiver.accept_data(), sender)
        });
        let times = Times { authentication: HOUR, window: Duration::from_millis(500), ..Times::default() };
        let options = SendOptions { times, patience: Duration::ZERO, ..send_options() };
        let error = send_paths(&receiver.ticket, &[path], &options).unwrap_err();
        assert!(error.is_lost(), "{error}");
        drop(held.join().unwrap());
    });
}

/// Sixty-four connections that send nothing, or one byte, and take all places.
fn strangers(address: SocketAddr) -> Vec<TcpStream> {
    let one = |number: usize| {
        let mut socket = TcpStream::connect(address).unwrap();
        let said: &[u8] = [&b""[..], b"c", b"\x16", b"GET / HTTP/1.1\r\n"][number % 4];
        socket.write_all(said).unwrap();
        socket
    };
    (0..64).map(one).collect()
}

#[test]
fn crowd_of_strangers_keeps_no_sender_out() {
    // The strangers' own time is longer than a test may take: they make way for the sender, or it has no place.
    let times = Times { authentication: HOUR, ..Times::default() };
    let receiving = receiving(ReceiveOptions { times, ..receive_options(None) }, true);
    let _crowd = strangers(receiving.address);
    assert_still_receives(receiving);
}

/// How many threads of this process serve new connections. The kernel cuts their name
/// `ciphermeter door` at 15 bytes.
fn door_threads() -> usize {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let names = tasks.filter_map(|task| fs::read_to_string(task.path().join("comm")).ok());
    names.filter(|name| name.trim_end() == "ciphermeter doo").count()
}

#[test]
fn at_most_one_of_two_hundred_with_the_same_ticket_is_admitted() {
    // A stranger keeps its thread until that is seen, so that the threads are counted by the name that
    // they have.
    let times = Times { authentication: HOUR, ..Times::default() };
    let receiving = receiving(ReceiveOptions { times, ..receive_options(None) }, true);
    let stranger = TcpStream::connect(receiving.address).unwrap();
    wait_until("the stranger's thread", || door_threads() > 0);
    drop(stranger);
    let (welcome, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let over = Arc::new(AtomicBool::new(false));
    let most = thread::spawn({
        let over = over.clone();
        move || {
            let mut most = 0;
            while !over.load(Ordering::Relaxed) {
                most = most.max(door_threads());
                thread::sleep(Duration::from_millis(5));
            }
            most
        }
    });
    let mut kept = None;
    thread::scope(|scope| {
        let all: Vec<_> = (0..200)
            .map(|_| {
                scope.spawn(|| {
                    // In a crowd from one address the oldest connections give way, even in the middle of a message.
                    let mut sender = test_ends::connect(receiving.address, &[test_ends::ALPN]).ok()?;
                    sender.send(&test_ends::hello(&receiving.ticket)).ok()?;
                    let answer = sender.receive()?;
                    match answer["is"].as_str().unwrap() {
                        "welcome" => {
                            welcome.fetch_add(1, Ordering::Relaxed);
                            return Some(sender);
                        }
                        _ => {
                            assert!(answer["why"].as_str().unwrap().contains("this ticket was used"), "{answer}");
                            refused.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                    None
                })
            })
            .collect();
        for one in all {
            kept = one.join().unwrap().or(kept.take());
        }
    });
    over.store(true, Ordering::Relaxed);
    let (welcome, refused) = (welcome.into_inner(), refused.into_inner());
    assert!(welcome <= 1 && (1..=200).contains(&(welcome + refused)), "{welcome} and {refused}");
    // Each has a thread of its own and at most a line of 64 KiB in memory: their number is the bound. Threads that have
    // ended may still be listed, the more the busier the machine; without a bound there would be 200.
    let most = most.join().unwrap();
    assert!(most <= 64 + 64 + 48, "{most} threads");
    match kept {
        Some(kept) => {
            drop(kept);
            assert!(receiving.ended().is_err(), "the admitted sender went away");
        }
        None => assert_still_receives(receiving),
    }
}
