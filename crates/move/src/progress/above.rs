//! Texts on standard error beside the lines that show progress, which would else be drawn over them.

use std::sync::{Mutex, MutexGuard};

use ciphermeter_terminal::output::say;
use indicatif::ProgressBar;

/// What is drawn now. A process has one terminal.
static DRAWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

fn drawn() -> MutexGuard<'static, Option<ProgressBar>> {
    DRAWN.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

pub fn set_drawn(bar: Option<&ProgressBar>) {
    *drawn() = bar.cloned();
}

/// Prints a text above the lines that are drawn.
pub fn say_above(text: &str) {
    match drawn().as_ref() {
        Some(bar) => bar.suspend(|| say(text)),
        None => say(text),
    }
}
