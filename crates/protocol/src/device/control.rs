//! The control lines of a serial port, by which a board is reset.
//!
//! Boards wire them to their reset in two ways. Arduino's take a capacitor: they start anew when DTR becomes active. Espressif's take two
//! transistors: they are held in reset while RTS alone is active, and boot into their loader if DTR alone is active when that ends. So both
//! are dropped one after the other in the order that suits the second, and then raised together: that changes nothing on the second and
//! resets the first. Ports in the chip itself understand the same sequence, and send only while DTR is active.

use std::ffi::c_int;
use std::fs::File;
use std::thread;
use std::time::Duration;

use rustix::ioctl::{Opcode, Setter, ioctl};

/// How long each state lasts.
const HELD: Duration = Duration::from_millis(100);

#[cfg(any(target_os = "linux", target_os = "android"))]
mod codes {
    use super::Opcode;

    pub const RAISE: Opcode = libc::TIOCMBIS as Opcode;
    pub const DROP: Opcode = libc::TIOCMBIC as Opcode;
}
/// As 4.4BSD and all that came from it number them.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod codes {
    use super::{Opcode, c_int};
    use rustix::ioctl::opcode::write;

    pub const RAISE: Opcode = write::<c_int>(b't', 108);
    pub const DROP: Opcode = write::<c_int>(b't', 107);
}

const DTR: c_int = libc::TIOCM_DTR;
const RTS: c_int = libc::TIOCM_RTS;

/// Resets what is at the other end, where the line and the board can do that.
pub(super) fn reset(port: &File) {
    let steps = [(false, DTR), (true, RTS)];
    // A pseudo terminal has no such lines; then the other end goes on as it is.
    if !steps.iter().all(|(raised, lines)| set(port, *raised, *lines)) {
        return;
    }
    thread::sleep(HELD);
    set(port, false, RTS);
    thread::sleep(HELD);
    set(port, true, DTR | RTS);
}

/// Raises or drops control lines; false where there are none.
fn set(port: &File, raised: bool, lines: c_int) -> bool {
    // SAFETY: both requests of terminals, TIOCMBIS and TIOCMBIC, read one `int` that the pointer leads to, and write nothing.
    let done = unsafe {
        match raised {
            true => ioctl(port, Setter::<{ codes::RAISE }, c_int>::new(lines)),
            false => ioctl(port, Setter::<{ codes::DROP }, c_int>::new(lines)),
        }
    };
    done.is_ok()
}
