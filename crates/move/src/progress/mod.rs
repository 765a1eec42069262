//! Beside a transfer: the bar, and Ctrl-C.

mod above;
mod bar;
mod lines;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use ciphermeter_terminal::output;
use ciphermeter_transfer::Progress;

pub use above::say_above;
use bar::Bar;

use crate::question::decline;
use crate::ticket::remove_ticket;

/// Ctrl-C ends the program.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// What the program did has ended all the same.
static DONE: AtomicBool = AtomicBool::new(false);
/// How long the other end may take to hear that a question was left with Ctrl-C.
const REFUSAL_TIME: Duration = Duration::from_secs(2);

/// Does the work in this thread, while another thread draws its progress and ends the program on Ctrl-C.
pub fn with_progress<T>(progress: &Arc<Progress>, verb: &'static str, quiet: bool, work: impl FnOnce() -> T) -> T {
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
    DONE.store(true, Ordering::SeqCst);
    while INTERRUPTED.load(Ordering::SeqCst) {
        // The thread that noticed it says so and ends the process.
        std::thread::park();
    }
    done
}

/// Ctrl-C ends the program at once: what is on disk by then can be resumed. A question is answered by no first, so that the
/// sender does not wait.
pub fn end_when_interrupted(then: impl Fn() -> String + Send + 'static) -> Result<()> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, interrupted.clone())?;
    }
    std::thread::spawn(move || {
        while !interrupted.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(50));
        }
        INTERRUPTED.store(true, Ordering::SeqCst);
        if decline() {
            let until = Instant::now() + REFUSAL_TIME;
            while !DONE.load(Ordering::SeqCst) && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        // Below the line where the bar, or the terminal's ^C, stands.
        output::say("\n");
        output::tell(&format!("ciphermeter: interrupted; {}", then()));
        remove_ticket();
        std::process::exit(130);
    });
    Ok(())
}
