//! A sustained load: one file after the other from this process to a receiving process, until it is dropped.
//!
//! The receiving process answers two orders, each with one line at once: `discard` prepares it for the next file and
//! returns the address; `snapshot` returns how many bytes it has opened so far, by its own clock. So a late answer does
//! not distort the rate.

use std::io;
use std::net::Ipv4Addr;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use ciphermeter_host::usage;
use ciphermeter_transfer::{Progress, Suite};

use crate::error::Error;
use crate::lines::Lines;
use crate::providers::Ciphermeter;
use crate::receiver::ReceiverProcess;
use crate::scratch::Scratch;
use crate::snapshot::Snapshot;

/// A sustained load. Dropping it ends the receiving process and removes the file.
pub struct Sustained {
    receiver: Arc<Mutex<ReceiverProcess>>,
    stop: Arc<AtomicBool>,
    sending: Option<JoinHandle<Result<(), Error>>>,
    _scratch: Scratch,
}

impl Sustained {
    /// Begins to transfer a file of that many bytes again and again to the process that `child` starts. That process
    /// must call [`crate::receive_sustained`] with the same suite.
    pub fn start(suite: Suite, seed: u64, bytes: u64, child: Command) -> Result<Self, Error> {
        if let Some(free) = usage::available_memory().filter(|free| bytes > free / 2) {
            return Err(Error::local(format!(
                "a file of {bytes} bytes does not fit in memory, which has {free} bytes free; choose a smaller --message"
            )));
        }
        let (scratch, file) = Scratch::with_message(seed, bytes)?;
        let receiver = Arc::new(Mutex::new(ReceiverProcess::start(child, scratch.path())?));
        let stop = Arc::new(AtomicBool::new(false));
        let sending = thread::spawn({
            let (receiver, stop) = (receiver.clone(), stop.clone());
            move || {
                while !stop.load(Ordering::Relaxed) {
                    let address = locked(&receiver).listen(false)?;
                    Ciphermeter(suite).send_within(&file, &address, Duration::ZERO)?;
                }
                Ok(())
            }
        });
        Ok(Self { receiver, stop, sending: Some(sending), _scratch: scratch })
    }

    /// The current progress.
    ///
    /// # Errors
    /// Either end has failed; the sender's reason says more.
    pub fn snapshot(&mut self) -> Result<Snapshot, Error> {
        if self.sending.as_ref().is_some_and(JoinHandle::is_finished) {
            let ended = self.sending.take().map(JoinHandle::join);
            let gone = || Error::local("the sending thread has ended; please report this");
            return match ended {
                Some(Ok(Err(error))) => Err(error),
                _ => Err(gone()),
            };
        }
        locked(&self.receiver).snapshot()
    }
}

impl Drop for Sustained {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        locked(&self.receiver).end();
        if let Some(sending) = self.sending.take() {
            // It fails now in any case, because the other end is gone.
            let _ = sending.join();
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The bytes that the receiving process has received: complete files, and the one in progress.
#[derive(Default)]
struct Received {
    before: u64,
    now: Arc<Progress>,
}

/// Serves orders until their end.
pub(crate) fn serve(suite: Suite, lines: &mut dyn Lines) -> io::Result<()> {
    let began = Instant::now();
    let mut received = Received::default();
    let mut receiving: Option<JoinHandle<Result<(), Error>>> = None;
    while let Some(order) = lines.read_line()? {
        if order == "snapshot" {
            let snapshot = Snapshot {
                ns: began.elapsed().as_nanos() as u64,
                bytes: received.before + received.now.done(),
                cpu_ns: usage::process_cpu().map(|cpu| cpu.as_nanos() as u64),
                rss: usage::memory().rss,
            };
            lines.write_line(&serde_json::to_string(&snapshot)?)?;
            continue;
        }
        let ended =
            receiving.take().map_or(Ok(()), |last| last.join().unwrap_or(Err(ciphermeter_transfer::Error::Cut.into())));
        match ended.and_then(|()| next(suite, &mut received)) {
            Ok((address, next)) => {
                receiving = Some(next);
                lines.write_line(&format!("at {address}"))?;
            }
            Err(error) => lines.write_line(&format!("failed {error}"))?,
        }
    }
    Ok(())
}

/// Prepares for the next file, in a thread of its own.
fn next(suite: Suite, received: &mut Received) -> Result<(String, JoinHandle<Result<(), Error>>), Error> {
    let progress = Arc::new(Progress::default());
    let (address, receive) = Ciphermeter(suite).listen_with(Ipv4Addr::LOCALHOST.into(), None, progress.clone())?;
    received.before += received.now.done();
    received.now = progress;
    Ok((address, thread::spawn(move || receive().map(drop))))
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;
    use crate::lines::Pipes;

    #[test]
    fn each_order_gets_one_answer() {
        let mut pipes = Pipes { from: BufReader::new(&b"snapshot\ndiscard\nsnapshot\n"[..]), to: Vec::new() };
        serve(Suite::Aes256Gcm, &mut pipes).unwrap();
        let answers = String::from_utf8(pipes.to).unwrap();
        let lines: Vec<_> = answers.lines().collect();
        let snapshots: Vec<Snapshot> =
            [lines[0], lines[2]].iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(snapshots[1].ns > snapshots[0].ns && snapshots[1].bytes == 0);
        assert!(lines[1].starts_with("at cm1."), "{answers}");
    }

    #[test]
    fn missing_or_ended_receiver_is_an_error() {
        let none = Command::new("/nowhere/to/be/found");
        assert!(Sustained::start(Suite::Aes256Gcm, 1, 10, none).is_err());
        let mut ends = Sustained::start(Suite::Aes256Gcm, 1, 10, Command::new("true")).unwrap();
        assert!((0..100).any(|_| {
            thread::sleep(Duration::from_millis(10));
            ends.snapshot().is_err()
        }));
    }
}
