//! Energy from a stream of lines that another program or device sends: watts, which are summed up over time, or joules.

use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

/// The longest line.
const LINE: u64 = 64 * 1024;
/// What is older than this says nothing of the power now.
const STALE: Duration = Duration::from_secs(5);

/// What a line says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Said {
    /// The power since the line before, in watts.
    Watts(f64),
    /// A count of joules, which rises; one that falls has begun anew.
    Joules(f64),
}

/// The sum so far; a thread adds to it.
#[derive(Clone)]
pub(super) struct Integral(Arc<Mutex<State>>);

struct State {
    microjoules: f64,
    lines: u64,
    began: Instant,
    /// When the last line came that was understood.
    last: Option<Instant>,
    /// The count of joules that it gave.
    count: Option<f64>,
    ended: bool,
}

impl Integral {
    /// Reads lines in a thread until they end; `read` understands one of them.
    pub(super) fn follow(source: impl Read + Send + 'static, read: fn(&str) -> Option<Said>) -> Self {
        let state = State { microjoules: 0.0, lines: 0, began: Instant::now(), last: None, count: None, ended: false };
        let integral = Self(Arc::new(Mutex::new(state)));
        let own = integral.clone();
        thread::spawn(move || {
            let mut lines = BufReader::new(source);
            loop {
                let mut line = Vec::new();
                match (&mut lines).take(LINE).read_until(b'\n', &mut line) {
                    Ok(bytes) if bytes > 0 => {
                        if let Some(said) = read(String::from_utf8_lossy(&line).trim()) {
                            own.state().add(said, Instant::now());
                        }
                    }
                    _ => break,
                }
            }
            own.state().ended = true;
        });
        integral
    }

    /// Microjoules so far; the error says that nothing comes, or no more.
    pub(super) fn microjoules(&self) -> Result<u64, &'static str> {
        let state = self.state();
        match state.last {
            _ if state.ended => Err("it has ended"),
            Some(last) if last.elapsed() < STALE => Ok(state.microjoules as u64),
            None if state.began.elapsed() < STALE => Ok(0),
            _ => Err("it has sent nothing readable for 5 s"),
        }
    }

    /// Waits until two lines were understood; false if that takes too long.
    pub(super) fn begins(&self, patience: Duration) -> bool {
        let began = Instant::now();
        while began.elapsed() < patience {
            let state = self.state();
            if state.lines >= 2 || state.ended {
                return state.lines >= 2;
            }
            drop(state);
            thread::sleep(Duration::from_millis(10));
        }
        false
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl State {
    fn add(&mut self, said: Said, now: Instant) {
        let joules = match said {
            Said::Watts(watts) => {
                let since = self.last.map_or(Duration::ZERO, |last| now - last);
                // A gap is no time in which the power is known.
                watts * if since < STALE { since.as_secs_f64() } else { 0.0 }
            }
            Said::Joules(count) => {
                let before = self.count.replace(count).unwrap_or(count);
                if count >= before { count - before } else { count }
            }
        };
        self.microjoules += joules.max(0.0) * 1e6;
        self.lines += 1;
        self.last = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> State {
        State { microjoules: 0.0, lines: 0, began: Instant::now(), last: None, count: None, ended: false }
    }

    #[test]
    fn power_is_summed_up_over_time() {
        let (mut state, began) = (state(), Instant::now());
        for (tenth, watts) in [(0, 50.0), (10, 20.0), (30, 10.0), (100, 40.0), (101, 40.0)] {
            state.add(Said::Watts(watts), began + Duration::from_millis(100 * tenth));
        }
        // 1 s of 20 W, 2 s of 10 W, a gap of 7 s, 0.1 s of 40 W.
        assert!((state.microjoules - 44e6).abs() < 1.0, "{}", state.microjoules);
    }

    #[test]
    fn counts_may_begin_anew_but_never_fall() {
        let mut state = state();
        for count in [100.0, 101.5, 101.5, 0.5, 2.0] {
            state.add(Said::Joules(count), Instant::now());
        }
        assert!((state.microjoules - 3.5e6).abs() < 1.0, "{}", state.microjoules);
    }

    #[test]
    fn ended_source_says_so() {
        let integral = Integral::follow(&b"1\nnonsense\n2\n"[..], |line| line.parse().ok().map(Said::Joules));
        assert!(integral.begins(Duration::from_secs(10)));
        while !integral.state().ended {
            thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(integral.microjoules(), Err("it has ended"));
        let silent = Integral::follow(&b""[..], |_| None);
        assert!(!silent.begins(Duration::from_secs(10)));
    }

    #[test]
    fn endless_line_takes_no_memory() {
        let endless = std::io::repeat(b'7').take(10 << 20);
        let integral = Integral::follow(endless, |line| line.parse().ok().map(Said::Watts));
        while !integral.state().ended {
            thread::sleep(Duration::from_millis(1));
        }
        assert!(integral.state().lines <= 160);
    }
}
