//! What a person sees while a run takes its time: one line on standard error, and nothing where that is no terminal.

use std::time::Duration;

use ciphermeter_meter::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Steps of the bar.
const STEPS: u64 = 1000;

/// The line.
pub struct ProgressLine {
    bar: ProgressBar,
}

impl ProgressLine {
    /// Drawn unless `quiet`, at most five times a second: drawing costs the harness time, if never within a sample.
    pub fn new(quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(5) };
        let bar = ProgressBar::with_draw_target(Some(STEPS), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:16} {prefix} {wide_msg}") {
            bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
        }
        Self { bar }
    }

    /// Shows where the run is.
    pub fn show(&self, progress: &Progress) {
        let Progress { stage, what, fork, rounds, done, left } = progress;
        self.bar.set_position((done * STEPS as f64) as u64);
        self.bar.set_prefix(format!("{}, at most {} left:", stage, seconds(*left)));
        let place = if *fork > 0 { format!("fork {fork}, {rounds} rounds, ") } else { String::new() };
        self.bar.set_message(format!("{place}{what}"));
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

fn seconds(left: Duration) -> String {
    let seconds = left.as_secs();
    if seconds < 120 { format!("{seconds} s") } else { format!("{} min", seconds.div_ceil(60)) }
}
