//! The current of a board, from a bench meter on a serial line or behind a named pipe, whose readings are lines of text.
//!
//! Promise: charge over a stretch of time comes from readings that cover all of it. Each counts from the one before it on, and has the
//! time of this machine at which its line arrived. A stretch with a gap in its readings has no charge, and the error says why.

mod number;
mod quantity;
mod reading;

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::FileTypeExt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ciphermeter_core::escaped;

pub use self::reading::{Reading, Readings};
use crate::serial::{Access, Line, Refusal};
use crate::text_lines::{Place, each_line};

/// The longest line, in bytes.
const LINE: u64 = 4096;
/// So many characters of a line are shown.
const SHOWN: usize = 24;
/// So many readings are kept: over three minutes of a meter that sends a thousand a second.
const KEPT: usize = 200_000;
/// How long it may take to the third reading; many boards start anew when they are opened.
const PATIENCE: Duration = Duration::from_secs(10);
/// Silence of so many usual periods is a gap …
const GAP: u32 = 5;
/// … if it is this long at least: USB adapters hand several lines on at once.
const SHORTEST_GAP: Duration = Duration::from_millis(250);
/// Readings that come less often say too little of a stretch of seconds.
const SLOWEST: Duration = Duration::from_millis(300);
/// A stretch has so many readings at least …
const READINGS: u32 = 50;
/// … and is this long at least.
const LEAST: Duration = Duration::from_secs(2);

/// A meter whose readings a thread keeps.
pub struct Current {
    name: String,
    kept: Kept,
    period: Duration,
}

/// What a board took over a stretch of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Charge {
    /// In coulombs.
    pub coulombs: f64,
    /// The mean of the voltage, if all readings have it.
    pub volts: Option<f64>,
}

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    readings: VecDeque<(Instant, Reading)>,
    ended: bool,
    /// The last line, if it was no reading.
    other: Option<String>,
}

impl Current {
    /// The meter at that place: a serial device with its speed like `/dev/ttyUSB1@9600`, or a named pipe into which another program
    /// writes.
    ///
    /// # Errors
    /// It cannot be opened, or sends no readings, or too seldom; with what to do.
    pub fn open(place: &str) -> Result<Self, String> {
        let Source { file, begins_whole } = source(place)?;
        let kept = Kept::follow(file, begins_whole);
        let Some(period) = kept.period(PATIENCE) else {
            let instead = kept.state().other.as_ref().map(|line| format!(", but `{line}`")).unwrap_or_default();
            return Err(format!(
                "it sent no three readings of current within {} s{instead}; a device's charge needs lines like `81.3 mA`, \
                 `3.30 V 81.3 mA`, or CSV with a header like `time,V,mA`; a decimal comma needs cells between semicolons",
                PATIENCE.as_secs()
            ));
        };
        if period > SLOWEST {
            return Err(format!(
                "its readings come every {:.1} s, too seldom for figures of seconds; set it to four a second or more",
                period.as_secs_f64()
            ));
        }
        Ok(Self { name: place.to_owned(), kept, period })
    }

    /// Where it is.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How long a stretch must be.
    pub fn least(&self) -> Duration {
        (self.period * READINGS).max(LEAST)
    }

    /// What the board took between two moments, of which the later may be now: then this waits for the next reading.
    ///
    /// # Errors
    /// The readings do not cover all of it; the error says why, after the meter's name.
    pub fn between(&self, from: Instant, to: Instant) -> Result<Charge, String> {
        let gap = (self.period * GAP).max(SHORTEST_GAP);
        loop {
            let state = self.kept.state();
            if state.readings.back().is_some_and(|(at, _)| *at >= to) {
                return state.between(from, to, gap);
            }
            if state.ended {
                return Err("is gone: it was unplugged, or ended".into());
            }
            let silent = state.readings.back().map_or(gap, |(at, _)| at.elapsed());
            if silent >= gap {
                let instead = state.other.as_ref().map(|line| format!(", but `{line}`")).unwrap_or_default();
                return Err(format!("sent no reading for {:.1} s{instead}", silent.as_secs_f64()));
            }
            drop(state);
            thread::sleep(Duration::from_millis(2));
        }
    }
}

impl State {
    fn between(&self, from: Instant, to: Instant, gap: Duration) -> Result<Charge, String> {
        let mut charge = Charge { coulombs: 0.0, volts: None };
        let (mut volt_seconds, mut has_volts, mut covered) = (0.0, true, Duration::ZERO);
        for ((before, _), (at, reading)) in self.readings.iter().zip(self.readings.iter().skip(1)) {
            let stretch = (*at).min(to).saturating_duration_since((*before).max(from));
            if stretch.is_zero() {
                continue;
            }
            let silent = at.saturating_duration_since(*before);
            if silent > gap {
                return Err(format!("sent no reading for {:.1} s", silent.as_secs_f64()));
            }
            charge.coulombs += reading.amperes * stretch.as_secs_f64();
            covered += stretch;
            has_volts &= reading.volts.is_some();
            volt_seconds += reading.volts.unwrap_or_default() * stretch.as_secs_f64();
        }
        let whole = to.saturating_duration_since(from);
        if whole.is_zero() || covered + Duration::from_millis(1) < whole {
            let (covered, whole) = (covered.as_secs_f64(), whole.as_secs_f64());
            return Err(format!("was read for only {covered:.1} of {whole:.1} s"));
        }
        charge.volts = has_volts.then(|| volt_seconds / covered.as_secs_f64());
        Ok(charge)
    }
}

/// Where readings come from.
struct Source {
    file: File,
    /// Its first line may be a header: nothing of a pipe goes by before it is opened.
    begins_whole: bool,
}

/// Opens it.
fn source(place: &str) -> Result<Source, String> {
    if fs::metadata(place).is_ok_and(|found| found.file_type().is_fifo()) {
        // Opened for both, it neither waits for a writer nor ends with the first.
        let open = OpenOptions::new().read(true).write(true).open(place);
        let file = open.map_err(|error| format!("this pipe cannot be opened: {error}"))?;
        return Ok(Source { file, begins_whole: true });
    }
    let open = Line::parse(place)?.open(Access::Read);
    open.map(|file| Source { file, begins_whole: false }).map_err(|refusal| match refusal {
        Refusal::Absent => {
            "it is not there; plug the meter in, and pass the device that `ls /dev/tty*` lists then".into()
        }
        Refusal::NotSerial => {
            "it is no serial device; pass the device that your bench meter is on, or a named pipe (mkfifo)".into()
        }
        refusal => refusal.to_string(),
    })
}

impl Kept {
    /// Reads lines until they end. What may be the end of a line is no reading.
    fn follow(source: impl Read + Send + 'static, begins_whole: bool) -> Self {
        let kept = Self::default();
        let own = kept.clone();
        thread::spawn(move || {
            let mut readings = Readings::default();
            each_line(source, LINE, |line, place| match place {
                Place::Later => own.take(line, &mut readings),
                Place::First if begins_whole => {
                    readings.take_header(line);
                }
                Place::First => {}
            });
            own.state().ended = true;
        });
        kept
    }

    fn take(&self, line: &str, readings: &mut Readings) {
        let reading = readings.read(line);
        let mut state = self.state();
        match reading {
            Some(reading) => {
                if state.readings.len() == KEPT {
                    state.readings.pop_front();
                }
                state.readings.push_back((Instant::now(), reading));
                state.other = None;
            }
            None if line.is_empty() => {}
            None => state.other = Some(escaped(&line.chars().take(SHOWN).collect::<String>())),
        }
    }

    /// How long it takes from one reading to the next, which needs a quarter of a second and three of them; `None` if that takes too
    /// long.
    fn period(&self, patience: Duration) -> Option<Duration> {
        let began = Instant::now();
        loop {
            let state = self.state();
            if let (Some((first, _)), Some((last, _)), count @ 3..) =
                (state.readings.front(), state.readings.back(), state.readings.len())
                && *last - *first >= SHORTEST_GAP
            {
                return Some((*last - *first) / (count - 1) as u32);
            }
            if state.ended || began.elapsed() >= patience {
                return None;
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

    const TENTH: Duration = Duration::from_millis(100);

    /// A reading each tenth of a second, from the first on.
    fn state(readings: &[(f64, Option<f64>)]) -> (Instant, State) {
        let began = Instant::now();
        let at = |(place, (amperes, volts)): (usize, &(f64, Option<f64>))| {
            (began + TENTH * place as u32, Reading { amperes: *amperes, volts: *volts })
        };
        (began, State { readings: readings.iter().enumerate().map(at).collect(), ..State::default() })
    }

    #[test]
    fn charge_is_current_by_time_over_the_stretch_alone() {
        let (began, state) = state(&[(9.0, None), (1.0, None), (2.0, None), (4.0, None), (9.0, None)]);
        let charge = state.between(began + TENTH / 2, began + TENTH * 3, 5 * TENTH).unwrap();
        assert!((charge.coulombs - (0.05 + 0.2 + 0.4)).abs() < 1e-9, "{charge:?}");
        assert_eq!(charge.volts, None);
    }

    #[test]
    fn voltage_is_the_mean_over_time_if_all_readings_have_it() {
        let (began, state) = state(&[(0.0, None), (1.0, Some(3.0)), (1.0, Some(3.5)), (1.0, None)]);
        let volts = |tenths: u32| state.between(began, began + TENTH * tenths, 5 * TENTH).unwrap().volts;
        assert!((volts(2).unwrap() - 3.25).abs() < 1e-9);
        assert_eq!(volts(3), None);
    }

    #[test]
    fn stretch_that_is_not_covered_has_no_charge() {
        let (began, mut state) = state(&[(1.0, None), (1.0, None), (1.0, None)]);
        let before = state.between(began - TENTH, began + TENTH, 5 * TENTH);
        assert_eq!(before, Err("was read for only 0.1 of 0.2 s".into()));
        state.readings.push_back((began + 12 * TENTH, Reading { amperes: 1.0, volts: None }));
        let gap = state.between(began, began + 11 * TENTH, 5 * TENTH);
        assert_eq!(gap, Err("sent no reading for 1.0 s".into()));
        assert!(state.between(began, began + 2 * TENTH, 5 * TENTH).is_ok(), "the gap comes after");
    }

    #[test]
    fn ended_and_endless_sources_say_so() {
        let kept = Kept::follow(&b"cut\n5 mA\nnonsense\n6 mA\n"[..], true);
        while !kept.state().ended {
            thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(kept.state().readings.len(), 2, "the first line may be the end of one");
        assert_eq!(kept.period(PATIENCE), None);
        let endless = Kept::follow(b"\n".chain(std::io::repeat(b'7').take(10 << 20)), false);
        while !endless.state().ended {
            thread::sleep(Duration::from_millis(1));
        }
        assert!(endless.state().readings.is_empty());
    }

    #[test]
    fn header_that_comes_first_is_taken_where_nothing_can_be_before_it() {
        for header in ["time,V,mA", "t;U (V);I (mA)", "mA", "\u{feff}s\tV\tmA", "I [mA]"] {
            let cells = header.split([',', ';', '\t']).count();
            let line = ["17;3.3;80", "80"][usize::from(cells == 1)];
            let count = |begins_whole| {
                let lines = format!("{header}\n{line}\n{line}\n{line}\n");
                let kept = Kept::follow(std::io::Cursor::new(lines.into_bytes()), begins_whole);
                while !kept.state().ended {
                    thread::sleep(Duration::from_millis(1));
                }
                kept.state().readings.len()
            };
            assert_eq!((count(true), count(false)), (3, 0), "{header}");
        }
        let first = Kept::follow(&b"1.3 mA\n81.3 mA\n"[..], true);
        while !first.state().ended {
            thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(first.state().readings.len(), 1, "the first reading may be the end of one");
    }

    #[test]
    fn meter_that_is_not_there_says_so() {
        assert!(Current::open("/dev/ttyNone7").map(|_| ()).unwrap_err().starts_with("it is not there"));
    }
}
