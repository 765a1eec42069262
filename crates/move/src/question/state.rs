//! What this process does, for its other threads: a process has one terminal, and one transfer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// A question is on the screen, so nothing else may draw there.
static ASKING: AtomicBool = AtomicBool::new(false);
static ACCEPTED: AtomicBool = AtomicBool::new(false);
/// Ctrl-C: a question is answered by no, and nothing more is announced.
static ENDING: AtomicBool = AtomicBool::new(false);
/// A drawing thread that has not seen [`is_asking`] yet sees it within this time.
const SETTLED: Duration = Duration::from_millis(250);

pub fn is_asking() -> bool {
    ASKING.load(Ordering::SeqCst)
}

pub fn was_accepted() -> bool {
    ACCEPTED.load(Ordering::SeqCst)
}

/// Whether Ctrl-C ends this process: an end that is lost now is lost by it.
pub fn is_ending() -> bool {
    ENDING.load(Ordering::SeqCst)
}

/// From now on this process ends. Answers the question on the screen by no; returns whether there is one.
pub fn decline() -> bool {
    ENDING.store(true, Ordering::SeqCst);
    is_asking()
}

/// Asks, with the screen to itself.
pub fn while_asking<T>(ask: impl FnOnce() -> T) -> T {
    ASKING.store(true, Ordering::SeqCst);
    thread::sleep(SETTLED);
    let answer = ask();
    ASKING.store(false, Ordering::SeqCst);
    answer
}

pub fn accept() {
    ACCEPTED.store(true, Ordering::SeqCst);
}
