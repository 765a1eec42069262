//! An external power meter, played by a pseudo terminal.

use std::fs::File;
use std::io::Write;
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// A power meter on a serial line that reports 20 W so many times a second, for as long as the device is open at this end; its name.
pub fn power_meter(hertz: u32) -> String {
    meter_that_sends(hertz, |_| "20.0 W")
}

/// The same with these lines, by their number.
pub fn meter_that_sends(hertz: u32, line: fn(u32) -> &'static str) -> String {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo terminal");
    grantpt(&terminal).and_then(|()| unlockpt(&terminal)).expect("a device");
    let name = ptsname(&terminal, Vec::new()).expect("a name").into_string().expect("ASCII");
    let mut terminal = File::from(terminal);
    std::thread::spawn(move || {
        for number in 0.. {
            if writeln!(terminal, "{}", line(number)).is_err() {
                break;
            }
            std::thread::sleep(Duration::from_secs(1) / hertz);
        }
    });
    name
}
