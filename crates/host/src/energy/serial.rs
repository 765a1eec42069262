//! An external meter on a serial line: a line of text for each reading, `12.5 W` for the power or `340.2 J` for a count.
//!
//! A few lines of Arduino or MicroPython make an INA219 or a power analyser's output that. The device is only ever read.

use std::fs::File;
use std::time::Duration;

use rustix::fs::{self, Mode, OFlags};
use rustix::termios::{self, ControlModes, OptionalActions};

use super::counter::{Counter, Covers, Found};
use super::integral::{Integral, Said};

/// Bauds where none are named.
const BAUD: u32 = 115_200;
/// How long it may take to the second line; many boards start anew when they are opened.
const PATIENCE: Duration = Duration::from_secs(10);

/// `/dev/ttyUSB0`, `/dev/ttyUSB0@9600`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Device {
    pub(super) path: String,
    pub(super) baud: u32,
}

impl Device {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (path, baud) = match text.rsplit_once('@') {
            Some((path, baud)) => (path, baud.parse().ok().filter(|baud| (50..=4_000_000).contains(baud))),
            None => (text, Some(BAUD)),
        };
        match baud {
            Some(baud) if !path.is_empty() => Ok(Self { path: path.into(), baud }),
            _ => Err(format!("{text} names no serial device: write it like /dev/ttyUSB0 or /dev/ttyUSB0@9600")),
        }
    }

    /// Opens it for reading, with bytes as they come.
    fn open(&self) -> rustix::io::Result<File> {
        // Without NONBLOCK, opening may wait for a carrier that no cable has.
        let flags = OFlags::RDONLY | OFlags::NOCTTY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = fs::open(&self.path, flags, Mode::empty())?;
        let mut settings = termios::tcgetattr(&file)?;
        settings.make_raw();
        settings.control_modes |= ControlModes::CLOCAL | ControlModes::CREAD;
        settings.set_speed(self.baud)?;
        termios::tcsetattr(&file, OptionalActions::Now, &settings)?;
        fs::fcntl_setfl(&file, OFlags::empty())?;
        Ok(File::from(file))
    }
}

/// The meter on that device.
pub(super) fn find(text: &str) -> Found {
    let device = Device::parse(text)?;
    let path = &device.path;
    let file = device.open().map_err(|error| match error {
        rustix::io::Errno::NOTTY => format!("{path} is no serial device"),
        rustix::io::Errno::ACCESS => format!("this user may not read {path}; on most systems the group `dialout` may"),
        error => format!("{path} cannot be opened: {error}"),
    })?;
    let integral = Integral::follow(file, read);
    match integral.begins(PATIENCE) {
        true => Ok(vec![Box::new(Serial { path: path.clone(), integral })]),
        false => Err(format!(
            "{path} sent no two lines like `12.5 W` or `340.2 J` within {} s at {} baud",
            PATIENCE.as_secs(),
            device.baud
        )),
    }
}

/// A number and its unit.
fn read(line: &str) -> Option<Said> {
    let number = |unit: char| -> Option<f64> { line.strip_suffix(unit)?.trim_end().parse().ok() };
    let sensible = |value: &f64| (0.0..1e12).contains(value);
    let watts = number('W').filter(sensible).map(Said::Watts);
    watts.or_else(|| number('J').filter(sensible).map(Said::Joules))
}

struct Serial {
    path: String,
    integral: Integral,
}

impl Counter for Serial {
    fn name(&self) -> String {
        format!("serial: {}", self.path)
    }

    fn covers(&self) -> Covers {
        Covers::Machine
    }

    fn microjoules(&mut self) -> Result<u64, String> {
        self.integral.microjoules().map_err(|why| format!("{}: {why}", self.path))
    }
}

#[cfg(test)]
mod tests {
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
        for wrong in ["", "W", "12.5", "-1 W", "NaN W", "inf J", "1 2 W", "12.5 kW"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn counts_of_a_meter_on_a_line_are_summed_up() {
        let (mut meter, name) = line();
        let sender = std::thread::spawn(move || {
            for tenth in 0..100 {
                let _ = writeln!(meter, "noise\r\n{} J\r", f64::from(tenth) / 10.0);
                std::thread::sleep(Duration::from_millis(20));
            }
            meter
        });
        let mut found = find(&format!("{name}@9600")).unwrap();
        assert_eq!((found[0].name(), found[0].covers()), (format!("serial: {name}"), Covers::Machine));
        while found[0].microjoules().unwrap() < 1_000_000 {
            std::thread::sleep(Duration::from_millis(5));
        }
        drop(sender.join().unwrap());
    }

    #[test]
    fn devices_have_names_and_bauds() {
        let device = |path: &str, baud| Device { path: path.into(), baud };
        assert_eq!(Device::parse("/dev/ttyUSB0"), Ok(device("/dev/ttyUSB0", 115_200)));
        assert_eq!(Device::parse("/dev/ttyACM1@9600"), Ok(device("/dev/ttyACM1", 9600)));
        for wrong in ["", "@9600", "/dev/tty@", "/dev/tty@0", "/dev/tty@fast"] {
            assert!(Device::parse(wrong).unwrap_err().contains("write it like /dev/ttyUSB0"), "{wrong}");
        }
    }

    #[test]
    fn what_is_no_meter_says_so() {
        let why = |text: &str| find(text).map(|_| ()).unwrap_err();
        assert_eq!(why("/dev/null"), "/dev/null is no serial device");
        assert!(why("/dev/ttyNone7").starts_with("/dev/ttyNone7 cannot be opened"));
    }
}
