//! The progress of a transfer on standard error: the files that are moving, and the whole with the rate of the last
//! seconds and the time left.

use std::collections::{HashSet, VecDeque};
use std::time::{Duration, Instant};

use ciphermeter_core::quoted;
use ciphermeter_terminal::output::{screen, wrapped};
use ciphermeter_transfer::{Moving, Progress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::above::{say_above, set_drawn};
use super::lines::lines;
use crate::question::{is_asking, is_ending};
use crate::words::size;

/// The window of the rate: a shorter one jitters, a longer one lags.
const WINDOW: Duration = Duration::from_secs(3);

/// The lines; the receiver's appear with the first byte.
pub struct Bar {
    bar: ProgressBar,
    verb: &'static str,
    quiet: bool,
    /// The lines were cleared for a question.
    is_cleared: bool,
    seen: VecDeque<(Instant, u64)>,
    /// The files that were moving at the last look.
    moved: HashSet<u64>,
    /// That the connection was lost was said.
    is_lost: bool,
}

impl Bar {
    pub fn new(verb: &'static str, quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(5) };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{msg}") {
            bar.set_style(style);
        }
        set_drawn(Some(&bar));
        Self { bar, verb, quiet, is_cleared: false, seen: VecDeque::new(), moved: HashSet::new(), is_lost: false }
    }

    pub fn show(&mut self, progress: &Progress) {
        if is_asking() {
            // Once: the next time the cursor is behind the question.
            if !std::mem::replace(&mut self.is_cleared, true) {
                self.bar.finish_and_clear();
            }
            return;
        }
        if std::mem::take(&mut self.is_cleared) {
            *self = Self::new(self.verb, self.quiet);
        }
        let (done, total) = (progress.done(), (!progress.is_stream()).then(|| progress.total()));
        if let Some(why) = progress.lost() {
            return self.lost(&why, done, total);
        }
        self.is_lost = false;
        if total == Some(0) || done == 0 {
            // The receiver's user may have to decide; on the receiving end, the question is on the screen.
            if self.verb == "sending" {
                self.draw(0, Some(0), "waiting for the receiver", &[]);
            }
            return;
        }
        let now = Instant::now();
        while self.seen.front().is_some_and(|(then, _)| now.duration_since(*then) > WINDOW) {
            self.seen.pop_front();
        }
        self.seen.push_back((now, done));
        let mut moving = progress.moving();
        let moved = moving.iter().map(|file| file.number).collect();
        // Files that come and go between two looks would only flicker.
        let before = std::mem::replace(&mut self.moved, moved);
        moving.retain(|file| before.contains(&file.number));
        self.draw(done, total, &message(done, total, rate(&self.seen)), &moving);
    }

    /// There is no connection. The receiver's user hears the reason from its [`ciphermeter_transfer::User`].
    fn lost(&mut self, why: &str, done: u64, total: Option<u64>) {
        let is_sender = self.verb == "sending";
        if !std::mem::replace(&mut self.is_lost, true) && is_sender && !self.quiet && !is_ending() {
            let text = format!("{}; waiting for the receiver to come back", quoted(why));
            say_above(&wrapped(&text, screen().width));
        }
        self.seen.clear();
        self.draw(done, total, &format!("{}, no connection", place(done, total)), &[]);
    }

    fn draw(&self, done: u64, total: Option<u64>, message: &str, moving: &[Moving]) {
        self.bar.set_message(lines(self.verb, done, total, message, moving, screen()).join("\n"));
    }

    pub fn clear(&self) {
        self.bar.finish_and_clear();
        set_drawn(None);
    }
}

/// Bytes a second, once there is enough data for it.
fn rate(seen: &VecDeque<(Instant, u64)>) -> Option<f64> {
    let ((begin, from), (end, to)) = (seen.front()?, seen.back()?);
    let time = end.duration_since(*begin).as_secs_f64();
    // A new attempt begins at what the receiver really has, which may be less.
    (time > 0.2 && to >= from).then(|| (to - from) as f64 / time)
}

fn message(done: u64, total: Option<u64>, rate: Option<f64>) -> String {
    let place = place(done, total);
    let left = |rate| total.map(|total| format!(", {} left", time(total.saturating_sub(done) as f64 / rate)));
    match rate {
        Some(rate) if rate >= 1.0 => format!("{place}, {}/s{}", size(rate as u64), left(rate).unwrap_or_default()),
        Some(_) => format!("{place}, nothing comes"),
        None => place,
    }
}

fn place(done: u64, total: Option<u64>) -> String {
    total.map_or_else(|| size(done), |total| format!("{} of {}", size(done), size(total)))
}

fn time(seconds: f64) -> String {
    match seconds.ceil() as u64 {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds.div_ceil(60)),
        seconds => format!("{} h", seconds.div_ceil(3600)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_fits_beside_the_bar() {
        let longest = message(999_999_999_999, Some(1_000_000_000_000), Some(1_234_567_890.0));
        assert_eq!(longest, "1000 GB of 1000 GB, 1.23 GB/s, 1 s left");
        assert!("receiving ".len() + 21 + longest.len() < 80);
        assert_eq!(message(3_600_000_000, None, Some(1000.0)), "3.60 GB, 1.00 kB/s");
        assert_eq!(message(1, Some(2_000_000), Some(0.0)), "1 B of 2.00 MB, nothing comes");
        assert_eq!(message(0, Some(3_600_000_000), Some(1000.0)), "0 B of 3.60 GB, 1.00 kB/s, 1000 h left");
    }
}
