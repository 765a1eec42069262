//! A man in the middle: control connections pass through untouched, data connections as a test changes them.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use ciphermeter_transfer::{HEADER, HELLO};

/// All bytes of a data connection: the hello, then frames, each with its header.
pub type Frames = Vec<Vec<u8>>;

/// Called with an attempt's number and all its data connections before the receiver gets a byte of them.
type Tamper = dyn Fn(u32, &mut [Frames]) + Send + Sync;

/// The longest wait of anything that passes through.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct TamperingProxy {
    pub address: SocketAddr,
    over: Arc<AtomicBool>,
    listening: Option<JoinHandle<()>>,
}

struct ProxyState {
    address: SocketAddr,
    over: Arc<AtomicBool>,
    receiver: SocketAddr,
    streams: usize,
    tamper: Box<Tamper>,
    /// Control connections so far. Each begins an attempt; the data connections after it belong to that attempt.
    began: AtomicU32,
    attempts: Mutex<HashMap<u32, Vec<Frames>>>,
}

impl TamperingProxy {
    /// Stands before a receiver to which `streams` data connections are opened in each attempt.
    pub fn before(
        receiver: SocketAddr,
        streams: usize,
        tamper: impl Fn(u32, &mut [Frames]) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let over = Arc::new(AtomicBool::new(false));
        let state = Arc::new(ProxyState {
            address,
            over: over.clone(),
            receiver,
            streams,
            tamper: Box::new(tamper),
            began: AtomicU32::new(0),
            attempts: Mutex::default(),
        });
        let ended = over.clone();
        let listening = thread::spawn(move || {
            for socket in listener.incoming() {
                if ended.load(Ordering::Relaxed) {
                    break;
                }
                let state = state.clone();
                thread::spawn(move || state.take(socket?));
            }
        });
        Self { address, over, listening: Some(listening) }
    }
}

impl Drop for TamperingProxy {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address);
        let _ = self.listening.take().map(JoinHandle::join);
    }
}

impl ProxyState {
    fn take(&self, mut socket: TcpStream) -> io::Result<()> {
        socket.set_read_timeout(Some(PATIENCE))?;
        let mut first = [0];
        if socket.peek(&mut first)? == 0 {
            return Ok(());
        }
        if first[0] == 0x16 {
            self.began.fetch_add(1, Ordering::SeqCst);
            return self.pass(socket);
        }
        let attempt = self.began.load(Ordering::SeqCst);
        let mut bytes = Vec::new();
        // A connection that is cut counts as far as it came.
        let _ = socket.read_to_end(&mut bytes);
        if bytes.len() < HELLO {
            return Ok(());
        }
        let all = {
            let mut attempts = self.attempts.lock().unwrap();
            let all = attempts.entry(attempt).or_default();
            all.push(frames(&bytes));
            (all.len() == self.streams).then(|| std::mem::take(all))
        };
        let Some(mut all) = all else { return Ok(()) };
        all.sort_by(|a, b| a[0][4..6].cmp(&b[0][4..6]));
        let tampered = catch_unwind(AssertUnwindSafe(|| (self.tamper)(attempt, &mut all)));
        if tampered.is_err() {
            // An assertion in there failed: no connection passes any more, so that both ends give up and the test ends.
            self.over.store(true, Ordering::Relaxed);
            let _ = TcpStream::connect(self.address);
            return Ok(());
        }
        thread::scope(|scope| {
            for frames in all {
                scope.spawn(move || self.forward(&frames.concat()));
            }
        });
        Ok(())
    }

    fn forward(&self, bytes: &[u8]) -> io::Result<()> {
        let mut receiver = TcpStream::connect(self.receiver)?;
        receiver.set_read_timeout(Some(PATIENCE))?;
        receiver.set_write_timeout(Some(PATIENCE))?;
        receiver.write_all(bytes)?;
        receiver.shutdown(Shutdown::Write)?;
        receiver.read(&mut [0]).map(drop)
    }

    /// Forwards both ways, until both directions end.
    fn pass(&self, sender: TcpStream) -> io::Result<()> {
        let receiver = TcpStream::connect(self.receiver)?;
        let (from, to) = (receiver.try_clone()?, sender.try_clone()?);
        let back = thread::spawn(move || copy(from, to));
        let there = copy(sender, receiver);
        let _ = back.join();
        there
    }
}

fn copy(mut from: TcpStream, mut to: TcpStream) -> io::Result<()> {
    from.set_read_timeout(Some(PATIENCE))?;
    let copied = io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Write);
    copied.map(drop)
}

fn frames(bytes: &[u8]) -> Frames {
    let (hello, mut rest) = bytes.split_at(HELLO);
    let mut all = vec![hello.to_vec()];
    while rest.len() >= HEADER {
        let length = u32::from_be_bytes(rest[1..HEADER].try_into().expect("4 bytes")) as usize;
        let (frame, after) = rest.split_at(rest.len().min(HEADER + length));
        all.push(frame.to_vec());
        rest = after;
    }
    all
}
