//! Beside a transfer: the bar, and Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Result;
use ciphermeter_transfer::Progress;

use super::bar::Bar;

/// Does the work in this thread, while another thread draws its progress and ends the program on Ctrl-C.
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

/// Ctrl-C ends the program at once: what is on disk by then can be resumed.
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
