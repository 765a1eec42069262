//! What a person sees while a run takes its time: one line on standard error, and nothing where that is no terminal.

use std::cell::RefCell;
use std::time::Duration;

use ciphermeter_meter::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Steps of the bar.
const STEPS: u64 = 1000;

/// The line.
pub struct ProgressLine {
    bar: ProgressBar,
    /// Who leads so far.
    leader: RefCell<Option<String>>,
}

impl ProgressLine {
    /// Drawn unless `quiet`, at most five times a second: drawing costs the harness time, if never within a sample.
    pub fn new(quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(5) };
        let bar = ProgressBar::with_draw_target(Some(STEPS), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:10} {prefix} {wide_msg}") {
            bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
        }
        Self { bar, leader: RefCell::default() }
    }

    /// Shows where the run is.
    pub fn show(&self, progress: &Progress) {
        let Progress { stage, what, fork, rounds, done, left } = progress;
        self.bar.set_position((done * STEPS as f64) as u64);
        let left = match left {
            Some(left) => format!("at most {} left:", seconds(*left)),
            None => "beside the budget:".into(),
        };
        let place = if *fork > 0 { format!("fork {fork}, {rounds} rounds, ") } else { String::new() };
        let (prefix, message) = match self.leader.borrow().as_deref() {
            Some(leader) => (left, leader.to_string()),
            None => (format!("{stage}, {left}"), format!("{place}{what}")),
        };
        self.bar.set_prefix(prefix);
        self.bar.set_message(message);
    }

    /// Whether it is drawn: working out the leader costs the harness some time.
    pub fn is_shown(&self) -> bool {
        !self.bar.is_hidden()
    }

    /// Shows the leader from now on, in place of what is measured just now.
    pub fn lead(&self, leader: Option<String>) {
        *self.leader.borrow_mut() = leader;
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
