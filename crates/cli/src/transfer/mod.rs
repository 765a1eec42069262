//! What `recv` and `send` have in common: the bar, the summary, and how they end.

mod announce;
mod asking;
mod bar;
mod offered;
mod question;
mod rows;
mod summary;
pub mod ticket;
pub mod worker;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Result;
use ciphermeter_transfer::{Error, Progress, Rate, known_or_measured};

use crate::exit::{Exit, WithExit};
use crate::folders;

pub use announce::{announce, note};
pub use asking::{Asking, accepted_before, was_accepted};
pub use bar::Bar;
pub use question::shown;
pub use summary::{End, print, size};

/// How fast this machine is with each suite, measured now if it isn't known yet.
pub fn rates() -> Result<Vec<Rate>> {
    let file = folders::cache().map(|folder| folder.join("rates.json"));
    Ok(known_or_measured(file.as_deref())?)
}

/// An error of a transfer, with its exit code and what to do next.
pub fn failed(error: &Error, then: Option<&str>) -> anyhow::Error {
    let message = match then {
        Some(then) if error.may_resume() => format!("{error}; {then}"),
        _ => error.to_string(),
    };
    let exit = match error {
        Error::Interrupted => Exit::Interrupted,
        Error::Listen { .. } => Exit::Usage,
        _ => Exit::Partial,
    };
    WithExit { exit, message }.into()
}

/// Does something long in this thread, while another draws how far it is and ends the program when the user says so.
pub fn watched<T>(progress: &Arc<Progress>, verb: &'static str, quiet: bool, work: impl FnOnce() -> T) -> T {
    let stop = Arc::new(AtomicBool::new(false));
    let drawing = std::thread::spawn({
        let (progress, stop) = (progress.clone(), stop.clone());
        move || {
            let mut bar = Bar::new(verb, quiet);
            while !stop.load(Ordering::Relaxed) {
                std::thread::park_timeout(Duration::from_millis(100));
                bar.show(&progress);
            }
            bar.clear();
        }
    });
    let done = work();
    stop.store(true, Ordering::Relaxed);
    drawing.thread().unpark();
    let _ = drawing.join();
    done
}

/// So many of these.
fn counted(count: usize, what: &str) -> String {
    format!("{} {what}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// Digits in groups of three.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(",")
}

/// Ctrl-C ends the program at once: what is on disk by then can be gone on with.
pub fn end_when_interrupted(then: impl Fn() -> String + Send + 'static) -> Result<()> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, interrupted.clone())?;
    }
    std::thread::spawn(move || {
        while !interrupted.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(50));
        }
        eprintln!("\nciphermeter: interrupted; {}", then());
        std::process::exit(130);
    });
    Ok(())
}
