//! One file after the other from this process to a receiving one, for as long as somebody looks.
//!
//! The receiving process answers two orders, each with one line at once: `discard` makes it ready for the next file and tells where, and
//! `look` has it tell how many bytes it opened so far, by its own clock. So a late answer makes no rate wrong.

use std::io;
use std::net::Ipv4Addr;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use ciphermeter_host::usage;
use serde::{Deserialize, Serialize};

use super::folder::Folder;
use super::ours::Ours;
use super::peer::Peer;
use super::talk::Talk;
use crate::{Error, Progress, Suite};

/// What the receiving process has come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    /// Nanoseconds since it was started, by its own clock.
    pub ns: u64,
    /// Bytes that it received and opened.
    pub bytes: u64,
    /// Its CPU time in nanoseconds.
    pub cpu_ns: Option<u64>,
    /// What is resident in it, in bytes.
    pub rss: Option<u64>,
}

/// Files on their way. Dropped, it ends the receiving process and takes the file away.
pub struct Steady {
    peer: Arc<Mutex<Peer>>,
    stop: Arc<AtomicBool>,
    sending: Option<JoinHandle<Result<(), Error>>>,
    _folder: Folder,
}

impl Steady {
    /// Begins to move a file of so many bytes again and again to the process that this command starts, which comes to
    /// [`super::receive_steadily`] with the same suite.
    pub fn start(suite: Suite, seed: u64, bytes: u64, child: Command) -> Result<Self, Error> {
        if let Some(free) = usage::available_memory().filter(|free| bytes > free / 2) {
            return Err(Error::file(format!(
                "a file of {bytes} bytes is too large, {free} are free in memory, where it is to lie: give a smaller --message"
            )));
        }
        let (folder, file) = Folder::with_message(seed, bytes)?;
        let peer = Arc::new(Mutex::new(Peer::start(child, folder.path())?));
        let stop = Arc::new(AtomicBool::new(false));
        let sending = thread::spawn({
            let (peer, stop) = (peer.clone(), stop.clone());
            move || {
                while !stop.load(Ordering::Relaxed) {
                    let address = locked(&peer).order(false)?;
                    Ours(suite).send_within(&file, &address, Duration::ZERO)?;
                }
                Ok(())
            }
        });
        Ok(Self { peer, stop, sending: Some(sending), _folder: folder })
    }

    /// How far it is.
    ///
    /// # Errors
    /// Either end has failed; why the sender did says more.
    pub fn look(&mut self) -> Result<Look, Error> {
        if self.sending.as_ref().is_some_and(JoinHandle::is_finished) {
            let ended = self.sending.take().map(JoinHandle::join);
            let gone = || Error::file("the sending thread is gone; please report this");
            return match ended {
                Some(Ok(Err(error))) => Err(error),
                _ => Err(gone()),
            };
        }
        locked(&self.peer).look()
    }
}

impl Drop for Steady {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        locked(&self.peer).end();
        if let Some(sending) = self.sending.take() {
            // It fails now, as the other end is gone; how is nobody's concern.
            let _ = sending.join();
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the receiving process has received: whole files, and the one on its way.
#[derive(Default)]
struct Received {
    before: u64,
    now: Arc<Progress>,
}

/// Takes orders until there are no more.
pub(super) fn serve(suite: Suite, talk: &mut dyn Talk) -> io::Result<()> {
    let began = Instant::now();
    let mut received = Received::default();
    let mut receiving: Option<JoinHandle<Result<(), Error>>> = None;
    while let Some(order) = talk.hear()? {
        if order == "look" {
            let look = Look {
                ns: began.elapsed().as_nanos() as u64,
                bytes: received.before + received.now.done(),
                cpu_ns: usage::process_cpu().map(|cpu| cpu.as_nanos() as u64),
                rss: usage::memory().rss,
            };
            talk.say(&serde_json::to_string(&look)?)?;
            continue;
        }
        let ended = receiving.take().map_or(Ok(()), |last| last.join().unwrap_or(Err(Error::Cut)));
        match ended.and_then(|()| next(suite, &mut received)) {
            Ok((address, next)) => {
                receiving = Some(next);
                talk.say(&format!("at {address}"))?;
            }
            Err(error) => talk.say(&format!("failed {error}"))?,
        }
    }
    Ok(())
}

/// Makes it ready for the next file, in a thread of its own.
fn next(suite: Suite, received: &mut Received) -> Result<(String, JoinHandle<Result<(), Error>>), Error> {
    let progress = Arc::new(Progress::default());
    let (address, receive) = Ours(suite).listen_with(Ipv4Addr::LOCALHOST.into(), None, progress.clone())?;
    received.before += received.now.done();
    received.now = progress;
    Ok((address, thread::spawn(move || receive().map(drop))))
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;
    use crate::bench::talk::Pipes;

    #[test]
    fn orders_are_answered_one_by_one() {
        let mut talk = Pipes { from: BufReader::new(&b"look\ndiscard\nlook\n"[..]), to: Vec::new() };
        serve(Suite::Aes256Gcm, &mut talk).unwrap();
        let answers = String::from_utf8(talk.to).unwrap();
        let lines: Vec<_> = answers.lines().collect();
        let looks: Vec<Look> = [lines[0], lines[2]].iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(looks[1].ns > looks[0].ns && looks[1].bytes == 0);
        assert!(lines[1].starts_with("at cm1."), "{answers}");
    }

    #[test]
    fn a_receiver_that_cannot_be_started_or_ends_is_an_error() {
        let none = Command::new("/nowhere/to/be/found");
        assert!(Steady::start(Suite::Aes256Gcm, 1, 10, none).is_err());
        let mut ends = Steady::start(Suite::Aes256Gcm, 1, 10, Command::new("true")).unwrap();
        assert!((0..100).any(|_| {
            thread::sleep(Duration::from_millis(10));
            ends.look().is_err()
        }));
    }
}
