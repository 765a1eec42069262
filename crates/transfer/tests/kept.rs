//! A sender's knowledge of an unfinished transfer outlives strangers, mistakes and the time that a user takes to
//! decide.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver as Queue, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::common::tampering_proxy::TamperingProxy;
use crate::common::{
    AcceptsOnce, Receiving, bytes, plain, receive_options, receiving, receiving_for, receiving_with, resume_receiver,
    send_options, send_paths, test_ends, wait_until,
};
use ciphermeter_transfer::{
    Decision, Error, Excludes, Progress, Question, ReceiveOptions, Receiver, Report, SendOptions, State, Suite, Times,
    User, resume, walk,
};
use serde_json::{Value, json};

const SIZE: usize = 20 << 20;

/// A transfer that was cut after its first piece, and whose ends were both ended.
struct InterruptedTransfer {
    from: tempfile::TempDir,
    to: tempfile::TempDir,
    states: tempfile::TempDir,
}

impl InterruptedTransfer {
    fn new() -> Self {
        let [from, to, states] = std::array::from_fn(|_| tempfile::tempdir().unwrap());
        let interrupted = Self { from, to, states };
        fs::write(interrupted.source(), bytes(SIZE)).unwrap();
        let options = receive_options(Some(interrupted.to.path()));
        let receiving = receiving(ReceiveOptions { patience: Duration::ZERO, ..options }, true);
        // The hello, and of the first piece its head and chunks of 256 KiB.
        let tampering_proxy = TamperingProxy::before(receiving.address, 1, |_, all| all[0].truncate(1 + 1 + 64 + 2));
        let mut ticket = receiving.ticket.clone();
        ticket.addresses = vec![tampering_proxy.address.to_string()];
        let error = send_paths(&ticket, &[interrupted.source()], &interrupted.options()).unwrap_err();
        assert!(error.may_resume(), "{error}");
        receiving.ended().unwrap_err();
        interrupted
    }

    fn source(&self) -> PathBuf {
        self.from.path().join("file")
    }

    fn options(&self) -> SendOptions {
        let states = Some(self.states.path().to_owned());
        SendOptions { states, patience: Duration::ZERO, ..send_options() }
    }

    /// `send --resume` to whatever is at this address.
    fn resume_sending(&self, at: SocketAddr, paths: &[PathBuf], wanted: Option<Suite>) -> Result<Report, Error> {
        let state = self.state().at(vec![at.to_string()]);
        resume(
            &state,
            &walk(paths, &Excludes::default()).unwrap(),
            &SendOptions { wanted, ..self.options() },
            &Progress::default(),
        )
    }

    fn state(&self) -> State {
        State::all(self.states.path()).pop().expect("the state is kept")
    }

    /// Finally resumes with the right receiver.
    fn assert_resumable(&self) {
        let receiving = receiving_with(resume_receiver(&receive_options(Some(self.to.path()))), true);
        let sent = self.resume_sending(receiving.address, &[self.source()], None).unwrap();
        receiving.ended().unwrap();
        assert!(sent.bytes <= (SIZE - (16 << 20)) as u64, "received bytes are not sent again: {}", sent.bytes);
        assert!(fs::read(self.to.path().join("file")).unwrap() == bytes(SIZE));
        assert!(State::all(self.states.path()).is_empty(), "nothing is left unfinished");
    }
}

/// Answers one connection with these bytes.
fn answering(text: &'static [u8]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let _ = socket.read(&mut [0; 4096]);
        let _ = socket.write_all(text);
    });
    address
}

#[test]
fn answer_of_a_stranger_ends_nothing() {
    let interrupted = InterruptedTransfer::new();
    for text in [&b"HTTP/1.1 302 Found\r\nLocation: http://login.example/\r\n\r\n"[..], b"\x15\x03\x03\x00\x02\x02\x28"]
    {
        let error = interrupted.resume_sending(answering(text), &[interrupted.source()], None).unwrap_err();
        assert!(matches!(error, Error::Tls { .. } | Error::NoHybrid { .. }) && error.may_resume(), "{error}");
    }
    // Another receiver started at the same port.
    let other = receiving(receive_options(None), true);
    let error = interrupted.resume_sending(other.address, &[interrupted.source()], None).unwrap_err();
    assert!(matches!(error, Error::WrongKey(_)) && error.may_resume(), "{error}");
    interrupted.assert_resumable();
}

#[test]
fn correctable_mistake_ends_nothing() {
    let interrupted = InterruptedTransfer::new();
    let more = interrupted.from.path().join("more");
    fs::write(&more, "more").unwrap();
    let chacha = Some(Suite::ChaCha20Poly1305);
    for (paths, wanted, words) in [
        (&[interrupted.source(), more][..], None, "declined"),
        (&[interrupted.source()], chacha, "leave --cipher away"),
    ] {
        let mut options = receive_options(Some(interrupted.to.path()));
        options.wanted = Some(Suite::Aes256Gcm);
        let receiving = receiving_for(resume_receiver(&options), AcceptsOnce);
        let error = interrupted.resume_sending(receiving.address, paths, wanted).unwrap_err();
        assert!(error.to_string().contains(words) && error.may_resume(), "{error}");
        let there = receiving.ended().unwrap_err();
        assert!(there.to_string().contains(words) && there.may_resume(), "{there}");
    }
    interrupted.assert_resumable();
}

/// Reports that it was asked, and gives the answer that it gets, as late as it gets it.
struct AnswersLater {
    asked: Sender<()>,
    decision: Mutex<Queue<bool>>,
}

impl User for AnswersLater {
    fn accepts(&self, _: &Question<'_>) -> Result<Decision, Error> {
        self.asked.send(()).unwrap();
        if self.decision.lock().unwrap().recv().unwrap() { Ok(Decision::default()) } else { Err(Error::Declined) }
    }

    fn lost(&self, _: &Error) {}
}

/// A receiver whose user takes time; when it is asked, and the answer it is given.
fn thinking(to: &Path) -> (Receiving, Queue<()>, Sender<bool>) {
    let ((ask, asked), (decide, decision)) = (channel(), channel());
    let receiver = Receiver::listen(receive_options(Some(to))).unwrap();
    (receiving_for(receiver, AnswersLater { asked: ask, decision: Mutex::new(decision) }), asked, decide)
}

/// A sender whose connection was cut while the user is asked. The receiver notices nothing of the cut, and the sender
/// has come back. Also returns what the sender is told then.
fn meanwhile(to: &Path, yes: bool) -> (test_ends::Client, Value, Result<Report, Error>) {
    let (receiving, asked, decide) = thinking(to);
    let offer = |sender: &mut test_ends::Client| {
        sender.send(&test_ends::file("file", 10)).unwrap();
        sender.send(&test_ends::offered(1, 10)).unwrap();
    };
    let mut first = test_ends::sender(receiving.address);
    first.send(&test_ends::hello(&receiving.ticket)).unwrap();
    let welcome = first.receive().unwrap();
    offer(&mut first);
    asked.recv().unwrap();
    let mut again = test_ends::sender(receiving.address);
    let mut hello = test_ends::hello(&receiving.ticket);
    hello["token"] = Value::Null;
    (hello["transfer"], hello["resume"]) = (welcome["transfer"].clone(), welcome["resume"].clone());
    again.send(&hello).unwrap();
    // Nothing is sent before the user has decided.
    again.0.sock.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    assert!(again.0.read(&mut [0]).is_err());
    again.0.sock.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
    decide.send(yes).unwrap();
    let answer = again.receive().unwrap();
    if yes {
        offer(&mut again);
        assert_eq!(again.receive().unwrap(), json!({"is": "ready"}));
        again.send(&json!({"is": "broke-off", "why": "enough"})).unwrap();
    }
    (again, answer, receiving.ended())
}

#[test]
fn sender_may_be_cut_off_while_the_user_decides() {
    let to = tempfile::tempdir().unwrap();
    let (_sender, answer, ended) = meanwhile(to.path(), true);
    assert_eq!((&answer["is"], &answer["attempt"]), (&json!("welcome"), &json!(2)));
    assert!(matches!(ended, Err(Error::BrokeOff(why)) if why.to_string() == "\"enough\""));
    let to = tempfile::tempdir().unwrap();
    let (_sender, answer, ended) = meanwhile(to.path(), false);
    assert_eq!(answer, json!({"is": "refused", "why": "declined"}));
    assert!(matches!(ended.map_err(plain), Err(Error::Declined)));
    assert!(fs::read_dir(to.path()).unwrap().next().is_none(), "nothing is left of it");
}

/// Forwards to a receiver; can cut what passes through.
struct CuttableProxy {
    address: SocketAddr,
    sockets: Arc<Mutex<Vec<TcpStream>>>,
}

impl CuttableProxy {
    fn to(receiver: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = Self { address: listener.local_addr().unwrap(), sockets: Arc::default() };
        let sockets = proxy.sockets.clone();
        thread::spawn(move || {
            for socket in listener.incoming() {
                let (here, there) = (socket?, TcpStream::connect(receiver)?);
                for (mut from, mut to) in [(here.try_clone()?, there.try_clone()?), (there, here.try_clone()?)] {
                    thread::spawn(move || {
                        let _ = std::io::copy(&mut from, &mut to);
                        to.shutdown(Shutdown::Write)
                    });
                }
                sockets.lock().unwrap().push(here);
            }
            Ok::<_, std::io::Error>(())
        });
        proxy
    }

    fn cut(&self) {
        self.sockets.lock().unwrap().iter().for_each(|socket| drop(socket.shutdown(Shutdown::Both)));
    }
}

#[test]
fn our_sender_comes_back_while_the_user_decides() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = from.path().join("file");
    fs::write(&path, bytes(1000)).unwrap();
    let (receiving, asked, decide) = thinking(to.path());
    let proxy = CuttableProxy::to(receiving.address);
    let mut ticket = receiving.ticket.clone();
    ticket.addresses = vec![proxy.address.to_string()];
    let sending = thread::spawn(move || send_paths(&ticket, &[path], &send_options()));
    asked.recv().unwrap();
    proxy.cut();
    wait_until("it has come back", || proxy.sockets.lock().unwrap().len() == 2);
    // The sender may be admitted by now, or not: either way it is heard.
    decide.send(true).unwrap();
    assert_eq!(sending.join().unwrap().unwrap().attempt, 2);
    receiving.ended().unwrap();
    assert!(fs::read(to.path().join("file")).unwrap() == bytes(1000));
}

/// An offer gets more time the longer it is.
#[test]
fn long_offer_gets_more_time() {
    let times = Times { reply: Duration::from_secs(3), ..Times::default() };
    let receiving = receiving(ReceiveOptions { times, patience: Duration::ZERO, ..receive_options(None) }, true);
    let mut sender = test_ends::sender(receiving.address);
    sender.send(&test_ends::hello(&receiving.ticket)).unwrap();
    assert_eq!(sender.receive().unwrap()["is"], "welcome");
    for number in 0..5 {
        thread::sleep(Duration::from_millis(800));
        // More than 1024 bytes, the allowance of a second.
        let folder = ["x".repeat(200).as_str(); 6].join("/");
        sender.send(&test_ends::file(&format!("{folder}/{number}"), 0)).unwrap();
    }
    sender.send(&test_ends::offered(5, 0)).unwrap();
    assert_eq!(sender.receive().unwrap(), json!({"is": "ready"}));
    drop(sender);
    assert!(matches!(receiving.ended(), Err(Error::NobodyCame(_))));
}
