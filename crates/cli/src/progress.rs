//! What a person sees while a run takes its time: one line on standard error, and nothing where that is no terminal.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use ciphermeter_core::escaped;
use ciphermeter_meter::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const STEPS: u64 = 1000;

pub struct ProgressLine {
    bar: ProgressBar,
    /// Who leads so far.
    leader: RefCell<Option<String>>,
    is_answered: Cell<bool>,
    /// When the whole run last said how much is left of it, how much, and what was done.
    whole: Cell<Option<(Instant, Duration, f64)>>,
}

/// The stage whose time is that of a process alone: it comes again with every fork.
const OF_A_PROCESS: &str = "compiling";

/// What a line says once the question is answered.
const ANSWERED: &str = "the answer is known; Ctrl-C prints it now";

impl ProgressLine {
    /// Drawn unless `quiet`, at most five times a second: drawing costs the harness time, if never within a sample.
    pub fn new(quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(5) };
        let bar = ProgressBar::with_draw_target(Some(STEPS), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:10} {prefix} {wide_msg}") {
            bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
        }
        Self { bar, leader: RefCell::default(), is_answered: Cell::default(), whole: Cell::default() }
    }

    pub fn show(&self, progress: &Progress) {
        let Progress { stage, what, fork, rounds, .. } = progress;
        let (done, left) = self.of_the_whole(progress);
        self.bar.set_position((done * STEPS as f64) as u64);
        let left = match left {
            Some(left) => format!("at most {} left:", seconds(left)),
            None => "beside the budget:".into(),
        };
        let place = if *fork > 0 { format!("fork {fork}, {rounds} rounds, ") } else { String::new() };
        let (prefix, message) = match self.leader.borrow().as_deref() {
            _ if self.is_answered.get() => (left, ANSWERED.into()),
            Some(leader) => (left, leader.to_string()),
            None => (format!("{stage}, {left}"), format!("{place}{what}")),
        };
        self.bar.set_prefix(prefix);
        self.bar.set_message(escaped(&message));
    }

    /// What is done and left of the run: a process that compiles says what is left of that alone.
    fn of_the_whole(&self, progress: &Progress) -> (f64, Option<Duration>) {
        match self.whole.get() {
            Some((since, left, done)) if progress.stage == OF_A_PROCESS => {
                (done, Some(left.saturating_sub(since.elapsed())))
            }
            _ => {
                if progress.stage != OF_A_PROCESS {
                    self.whole.set(progress.left.map(|left| (Instant::now(), left, progress.done)));
                }
                (progress.done, progress.left)
            }
        }
    }

    /// Whether it is drawn: working out the leader costs the harness some time.
    pub fn is_shown(&self) -> bool {
        !self.bar.is_hidden()
    }

    /// Shows the leader from now on, in place of what is measured just now.
    pub fn lead(&self, leader: Option<String>) {
        *self.leader.borrow_mut() = leader;
    }

    /// Says from now on, or no longer, that a user need not wait for the rest.
    pub fn answered(&self, is_answered: bool) {
        self.is_answered.set(is_answered);
    }

    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

fn seconds(left: Duration) -> String {
    let seconds = left.as_secs();
    if seconds < 120 { format!("{seconds} s") } else { format!("{} min", seconds.div_ceil(60)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(stage: &'static str, left: u64) -> Progress {
        let left = Some(Duration::from_secs(left));
        Progress { stage, what: "java".into(), fork: 1, rounds: 1, done: 0.5, left }
    }

    #[test]
    fn answer_can_be_had_before_the_end() {
        let line = ProgressLine::new(true);
        line.lead(Some("AES 12.1 GB/s (aws-lc)".into()));
        line.show(&progress("measuring", 50));
        assert_eq!(line.bar.message(), "AES 12.1 GB/s (aws-lc)");
        line.answered(true);
        line.show(&progress("measuring", 49));
        assert_eq!((line.bar.prefix().as_str(), line.bar.message().as_str()), ("at most 49 s left:", ANSWERED));
    }

    #[test]
    fn process_that_compiles_does_not_count_the_run_down() {
        let line = ProgressLine::new(true);
        line.show(&progress("compiling", 17));
        assert_eq!(line.bar.prefix(), "compiling, at most 17 s left:", "the first one, of the whole that is known");
        line.show(&progress("measuring", 600));
        line.show(&progress("compiling", 3));
        assert!(line.bar.prefix().ends_with("10 min left:"), "{}", line.bar.prefix());
        assert_eq!(line.bar.position(), STEPS / 2);
    }
}
