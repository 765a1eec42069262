//! An external meter on a serial line: a line of text for each reading, `12.5 W` for the power or `340.2 J` for a count.
//!
//! A few lines of Arduino or MicroPython make an INA219 or a power analyser's output that. The device is only ever read.

use std::time::Duration;

use super::counter::{Count, Counter, Covers, Found, WATCHED};
use super::integral::Said;
use super::lines::Lines;
use crate::serial::{Access, Line, Refusal};

/// How long it may take to the third line; many boards start anew when they are opened.
const PATIENCE: Duration = Duration::from_secs(10);

/// What to do about a file that is no meter's.
const PASS: &str = "pass the device that your power meter is on, such as /dev/ttyUSB0";

/// The meter on that device.
pub(super) fn find(text: &str) -> Found {
    let line = Line::parse(text)?;
    let path = &line.path;
    let file = line.open(Access::Read).map_err(|refusal| match refusal {
        Refusal::Absent => {
            format!("there is no {path}; plug the meter in, and pass the device that `ls /dev/tty*` lists then")
        }
        Refusal::Forbidden(_) => format!("{path}: {refusal}"),
        _ => format!("{path}: {refusal}; {PASS}"),
    })?;
    let lines = Lines::follow(file, read);
    match lines.period(PATIENCE) {
        Some(period) => Ok(vec![Box::new(Serial { path: path.clone(), lines, period })]),
        None => Err(format!(
            "{path} sent no three lines like `12.5 W` or `340.2 J` within {} s at {} baud; \
             name another speed like {path}@9600, and see what it sends with `cat {path}`",
            PATIENCE.as_secs(),
            line.baud
        )),
    }
}

/// A number and its unit. Which numbers a machine can have, the integral decides.
fn read(line: &str) -> Option<Said> {
    let number = |unit: char| -> Option<f64> { line.strip_suffix(unit)?.trim_end().parse().ok() };
    number('W').map(Said::Watts).or_else(|| number('J').map(Said::Joules))
}

struct Serial {
    path: String,
    lines: Lines,
    /// How long it takes from one line to the next.
    period: Duration,
}

impl Counter for Serial {
    fn name(&self) -> String {
        format!("serial: {}", self.path)
    }

    fn subject(&self) -> String {
        format!("the meter on {}", self.path)
    }

    fn covers(&self) -> Covers {
        Covers::Machine
    }

    fn microjoules(&mut self) -> Result<u64, String> {
        self.count().map(|count| count.microjoules)
    }

    fn count(&mut self) -> Result<Count, String> {
        self.lines.count()
    }

    fn updates(&mut self) -> Result<u64, String> {
        Ok(self.lines.updates())
    }

    fn slow_period(&self) -> Option<Duration> {
        Some(self.period).filter(|period| *period > WATCHED)
    }

    fn is_external(&self) -> bool {
        true
    }

    fn remedy(&self) -> &'static str {
        "check the meter, its cable and what it sends"
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;

    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    use super::*;

    /// A pseudo terminal: where the meter writes, and the name of the device to read.
    fn line() -> (File, String) {
        let meter = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&meter).unwrap();
        unlockpt(&meter).unwrap();
        let name = ptsname(&meter, Vec::new()).unwrap().into_string().unwrap();
        (File::from(meter), name)
    }

    #[test]
    fn lines_of_a_meter_are_read() {
        assert_eq!(read("12.5 W"), Some(Said::Watts(12.5)));
        assert_eq!(read("340J"), Some(Said::Joules(340.0)));
        for wrong in
            ["", "W", "12.5", "1 2 W", "12.5 kW", "12,5 W", "1,081.3 W", "1 081 J", "1.081,3 J", "3,340 J", "U: 5 W"]
        {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn counts_of_a_meter_on_a_line_are_summed_up() {
        let (mut meter, name) = line();
        // It ends with the process of this test.
        std::thread::spawn(move || {
            for tenth in 0.. {
                let _ = writeln!(meter, "noise\r\n{} J\r", f64::from(tenth) / 10.0);
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let mut found = find(&format!("{name}@9600")).unwrap();
        assert_eq!((found[0].name(), found[0].covers()), (format!("serial: {name}"), Covers::Machine));
        // On a busy machine no line may come for a while, which is an error then.
        while !found[0].microjoules().is_ok_and(|sum| sum >= 1_000_000) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn what_is_no_meter_says_so() {
        let why = |text: &str| find(text).map(|_| ()).unwrap_err();
        for file in ["/dev/null", "/dev/zero", "/", "/etc/passwd"] {
            assert_eq!(why(file), format!("{file}: it is no serial device; {PASS}"));
        }
        assert!(why("/dev/ttyNone7").starts_with("there is no /dev/ttyNone7; plug the meter in"));
    }
}
