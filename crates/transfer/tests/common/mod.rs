//! Two ends in one process, on loopback.
#![allow(missing_docs)]

pub mod tampering_proxy;
pub mod test_ends;

use std::hash::{BuildHasher, Hasher, RandomState};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use ciphermeter_transfer::{
    Decision, Error, Excludes, Progress, Question, Rate, ReceiveOptions, Receiver, Report, SendOptions, Suite, Ticket,
    Times, User, send, walk,
};

/// The rates of a made-up machine, so that tests rest on no measurement.
pub fn rates(aes: u32, chacha: u32) -> Vec<Rate> {
    let rate = |suite, rate| Rate { suite, seal: rate, open: rate };
    vec![rate(Suite::Aes256Gcm, aes), rate(Suite::ChaCha20Poly1305, chacha)]
}

pub fn receive_options(into: Option<&Path>) -> ReceiveOptions {
    ReceiveOptions {
        into: into.map(Into::into),
        listen: SocketAddr::from(([127, 0, 0, 1], free_port())),
        gathers: false,
        wanted: None,
        rates: rates(3000, 1000),
        patience: Duration::from_secs(60),
        times: patient_times(),
    }
}

pub fn send_options() -> SendOptions {
    SendOptions {
        wanted: None,
        streams: 1,
        limit: None,
        exclude: Vec::new(),
        rates: rates(3000, 1000),
        patience: Duration::from_secs(60),
        times: patient_times(),
        states: None,
        ssh: None,
    }
}

/// What a busy machine needs that another does not notice.
pub fn patient_times() -> Times {
    Times { authentication: Duration::from_secs(60), ..Times::default() }
}

/// A port that no program of this machine has, and that no connection gets before a receiver
/// listens there again.
pub fn free_port() -> u16 {
    let range = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    let lowest = range.split_whitespace().next().and_then(|lowest| lowest.parse().ok()).unwrap_or(49_152);
    let random = || 1024 + (RandomState::new().build_hasher().finish() % (lowest - 1024)) as u16;
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    std::iter::repeat_with(random).find(is_free).expect("a free port")
}

/// The receiver of an unfinished transfer, which listens where it listened before.
pub fn resume_receiver(options: &ReceiveOptions) -> Receiver {
    Receiver::resume(options.clone()).unwrap().expect("an unfinished transfer")
}

/// A user who accepts, or declines.
pub struct FixedAnswer(pub bool);

impl User for FixedAnswer {
    fn accepts(&self, _question: &Question<'_>) -> Result<Decision, Error> {
        if self.0 { Ok(Decision::default()) } else { Err(Error::Declined) }
    }

    fn lost(&self, _error: &Error) {}
}

/// A user who says that an offer has come, and accepts it once told to: a test decides how long a
/// sender is held.
pub struct Held {
    asked: Sender<()>,
    answer: mpsc::Receiver<()>,
}

impl Held {
    /// With where it says so, and where it is told to.
    pub fn new() -> (Self, mpsc::Receiver<()>, Sender<()>) {
        let ((asked, is_asked), (accept, answer)) = (channel(), channel());
        (Self { asked, answer }, is_asked, accept)
    }
}

impl User for Held {
    fn accepts(&self, _question: &Question<'_>) -> Result<Decision, Error> {
        self.asked.send(()).expect("a test that waits");
        self.answer.recv().expect("an answer");
        Ok(Decision::default())
    }

    fn lost(&self, _error: &Error) {}
}

/// A user who accepts a first offer, and declines whatever goes beyond it later.
pub struct AcceptsOnce;

impl User for AcceptsOnce {
    fn accepts(&self, question: &Question<'_>) -> Result<Decision, Error> {
        if question.excess.is_empty() { Ok(Decision::default()) } else { Err(Error::Declined) }
    }

    fn lost(&self, _error: &Error) {}
}

/// A receiver that runs in its own thread.
pub struct Receiving {
    pub ticket: Ticket,
    pub address: SocketAddr,
    pub progress: Arc<Progress>,
    thread: JoinHandle<Result<Report, Error>>,
}

pub fn receiving(options: ReceiveOptions, says: bool) -> Receiving {
    receiving_with(Receiver::listen(options).unwrap(), says)
}

pub fn receiving_with(receiver: Receiver, says: bool) -> Receiving {
    receiving_for(receiver, FixedAnswer(says))
}

/// With this user.
pub fn receiving_for(mut receiver: Receiver, user: impl User + Send + 'static) -> Receiving {
    let address = receiver.address();
    let hosts = ["127.0.0.1".to_owned()];
    let ticket = receiver.ticket(&hosts);
    let ticket = ticket.unwrap_or_else(|| format!("cm1.{}@{address}", "A".repeat(64)).parse().unwrap());
    let progress = Arc::new(Progress::default());
    let shared = progress.clone();
    let thread = thread::spawn(move || receiver.receive(&user, &shared));
    Receiving { ticket, address, progress, thread }
}

impl Receiving {
    pub fn ended(self) -> Result<Report, Error> {
        self.thread.join().expect("the receiver does not panic")
    }
}

pub fn send_paths(ticket: &Ticket, paths: &[PathBuf], options: &SendOptions) -> Result<Report, Error> {
    let listing = walk(paths, &Excludes::default())
        .map_err(|error| Error::File { here: error.to_string(), there: String::new() })?;
    send(ticket, paths, &listing, options, &Progress::default())
}

/// The error itself, whether or not anything had begun.
pub fn plain(error: Error) -> Error {
    match error {
        Error::NotBegun(error) => *error,
        error => error,
    }
}

/// Times for tests in which one end is late on purpose.
pub fn short_times() -> Times {
    Times { authentication: Duration::from_secs(2), window: Duration::from_secs(1), ..Times::default() }
}

/// Runs many cases that mostly wait, a dozen at a time.
pub fn run_cases<T: Send>(cases: Vec<T>, work: impl Fn(T) + Sync) {
    let cases = Mutex::new(cases);
    thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| {
                loop {
                    let next = cases.lock().unwrap().pop();
                    let Some(case) = next else { break };
                    work(case);
                }
            });
        }
    });
}

/// The names in a folder, sorted.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Waits until a condition is true.
pub fn wait_until(what: &str, mut is_true: impl FnMut() -> bool) {
    for _ in 0..2000 {
        if is_true() {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("waited in vain: {what}");
}

/// Bytes without a pattern, always the same.
pub fn bytes(length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..length).map(|_| next()).collect()
}
