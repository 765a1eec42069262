//! Follows the lines of another program or device in a thread, and keeps the integral of what they say.

use std::io::Read;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ciphermeter_core::escaped;

use super::counter::Count;
use super::integral::{Integral, Said};
use crate::text_lines::{Place, each_line};

/// The longest line, in bytes.
const LINE: u64 = 64 * 1024;
/// So many characters of a line are shown.
const SHOWN: usize = 24;

/// A source that sends lines; a thread reads them.
#[derive(Clone)]
pub(super) struct Lines(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    integral: Integral,
    ended: bool,
}

impl Lines {
    /// Reads lines until they end; `read` understands one of them.
    pub(super) fn follow(source: impl Read + Send + 'static, read: fn(&str) -> Option<Said>) -> Self {
        let lines = Self(Arc::default());
        let own = lines.clone();
        thread::spawn(move || {
            each_line(source, LINE, |line, place| match place {
                Place::First => {}
                Place::Later => own.take(line, read),
            });
            own.state().ended = true;
        });
        lines
    }

    fn take(&self, line: &str, read: fn(&str) -> Option<Said>) {
        let shown = || escaped(&line.chars().take(SHOWN).collect::<String>());
        let integral = &mut self.state().integral;
        match read(line) {
            Some(said) => integral.add(said, &shown(), Instant::now()),
            None if line.is_empty() => {}
            None => integral.skip(shown()),
        }
    }

    /// What they came to so far. The error says, as what the source did, that nothing comes, or no more.
    pub(super) fn count(&self) -> Result<Count, String> {
        let state = self.state();
        match state.ended {
            true => Err("is gone: it was unplugged, or ended".into()),
            false => state.integral.count(Instant::now()),
        }
    }

    /// How often the source has measured.
    pub(super) fn updates(&self) -> u64 {
        self.state().integral.updates()
    }

    /// Waits until it is known how often they come, which takes three of them; `None` if that takes too long.
    pub(super) fn period(&self, patience: Duration) -> Option<Duration> {
        let began = Instant::now();
        loop {
            let state = self.state();
            let usual = state.integral.usual();
            if usual.is_some() || state.ended || began.elapsed() >= patience {
                return usual;
            }
            drop(state);
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<Said> {
        line.parse().ok().map(Said::Joules)
    }

    fn to_the_end(source: impl Read + Send + 'static) -> Lines {
        let lines = Lines::follow(source, read);
        while !lines.state().ended {
            thread::sleep(Duration::from_millis(1));
        }
        lines
    }

    #[test]
    fn ended_source_says_so() {
        let lines = to_the_end(&b"99\n1\nnonsense\n2\n"[..]);
        assert_eq!(lines.updates(), 1, "the second count is another");
        assert_eq!(lines.count(), Err("is gone: it was unplugged, or ended".into()));
        assert_eq!(lines.period(Duration::from_secs(10)), None, "two lines say too little");
    }

    #[test]
    fn endless_line_takes_no_memory() {
        let lines = to_the_end(b"\n".chain(std::io::repeat(b'7').take(10 << 20)));
        assert_eq!(lines.updates(), 0);
    }
}
