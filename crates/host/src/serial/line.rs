//! Opening a serial line, with bytes as they come.

use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{self, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use rustix::termios::{self, ControlModes, OptionalActions, QueueSelector};

/// Bauds where none are named.
pub const BAUD: u32 = 115_200;

/// A serial line and its speed: `/dev/ttyUSB0`, `/dev/ttyUSB0@9600`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    /// The device's file.
    pub path: String,
    /// Bits a second.
    pub baud: u32,
}

/// What a line is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reading. Reads wait.
    Read,
    /// Reading and writing, by nobody else at the same time. Neither waits: the caller polls.
    Exclusive,
}

/// Why a line cannot be opened. Its text says what is wrong with the path, which the caller names.
#[derive(Debug)]
pub enum Refusal {
    /// There is no such file.
    Absent,
    /// This user may not open it; the group that may, where the file has one with a name.
    Forbidden(Option<String>),
    /// Another program has it.
    InUse,
    /// It is a file, but no serial line.
    NotSerial,
    /// This program reads from it or writes to it.
    OwnTerminal,
    /// Something else.
    System(io::Error),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => write!(f, "there is no such device"),
            Self::Forbidden(Some(group)) => write!(
                f,
                "this user may not open it, as its group is {group}; `sudo usermod -aG {group} $USER` permits it from \
                 the next login on"
            ),
            Self::Forbidden(None) => write!(f, "this user may not open it; change its permissions, or use sudo"),
            Self::InUse => write!(f, "another program has it open; close that, a serial monitor mostly"),
            Self::NotSerial => write!(f, "it is no serial device"),
            Self::OwnTerminal => write!(f, "it is the terminal of this program"),
            Self::System(error) => write!(f, "it cannot be opened: {error}"),
        }
    }
}

impl Refusal {
    /// Why this user may not open that file.
    pub fn forbidden(path: &Path) -> Self {
        Self::Forbidden(group(path))
    }
}

impl Line {
    /// A path, or a path, `@` and bauds.
    ///
    /// # Errors
    /// It names no path, or no speed that a line may have.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (path, baud) = match text.rsplit_once('@') {
            Some((path, baud)) => (path, baud.parse().ok().filter(|baud| (50..=4_000_000).contains(baud))),
            None => (text, Some(BAUD)),
        };
        match baud {
            Some(baud) if !path.is_empty() => Ok(Self { path: path.into(), baud }),
            _ => Err(format!("{text} names no serial device: write it like /dev/ttyUSB0 or /dev/ttyUSB0@9600")),
        }
    }

    /// Opens it: eight bits, no parity, what has waited there thrown away.
    ///
    /// # Errors
    /// It is not there, this user may not, somebody else does, or it is no serial line.
    pub fn open(&self, access: Access) -> Result<File, Refusal> {
        if is_own_terminal(&self.path) {
            return Err(Refusal::OwnTerminal);
        }
        // Without NONBLOCK, opening may wait for a carrier that no cable has.
        let flags = OFlags::NOCTTY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let direction = if access == Access::Read { OFlags::RDONLY } else { OFlags::RDWR };
        let file = fs::open(&self.path, flags | direction, Mode::empty()).map_err(|error| self.refusal(error))?;
        self.set_up(&file, access).map_err(|error| self.refusal(error))?;
        Ok(File::from(file))
    }

    fn set_up(&self, file: impl AsFd, access: Access) -> Result<(), Errno> {
        let mut settings = termios::tcgetattr(&file)?;
        if access == Access::Exclusive {
            // The lock keeps this program's like out, the mark everybody but root.
            fs::flock(&file, FlockOperation::NonBlockingLockExclusive)?;
            termios::ioctl_tiocexcl(&file)?;
        }
        settings.make_raw();
        settings.control_modes |= ControlModes::CLOCAL | ControlModes::CREAD;
        settings.set_speed(self.baud)?;
        termios::tcsetattr(&file, OptionalActions::Now, &settings)?;
        termios::tcflush(&file, QueueSelector::IFlush)?;
        if access == Access::Read {
            fs::fcntl_setfl(&file, OFlags::empty())?;
        }
        Ok(())
    }

    fn refusal(&self, error: Errno) -> Refusal {
        match error {
            Errno::NOENT | Errno::NXIO | Errno::NODEV => Refusal::Absent,
            Errno::ACCESS | Errno::PERM => Refusal::forbidden(Path::new(&self.path)),
            Errno::BUSY | Errno::WOULDBLOCK => Refusal::InUse,
            Errno::NOTTY | Errno::ISDIR => Refusal::NotSerial,
            error => Refusal::System(error.into()),
        }
    }
}

/// The name of a file's group.
fn group(path: &Path) -> Option<String> {
    let id = fs::stat(path).ok()?.st_gid;
    named(id, &std::fs::read_to_string("/etc/group").ok()?)
}

/// The group of that number in the text of `/etc/group`; root's is none that a user joins.
fn named(id: u32, groups: &str) -> Option<String> {
    let line = groups.lines().find(|line| line.split(':').nth(2).is_some_and(|number| number.parse() == Ok(id)))?;
    line.split(':').next().filter(|_| id != 0).map(String::from)
}

/// Whether the path is a terminal that this program reads from or writes to: as a line, it would be of no more use as a terminal.
fn is_own_terminal(path: &str) -> bool {
    let Ok(named) = fs::stat(path) else { return false };
    let (stdin, stdout, stderr) = (io::stdin(), io::stdout(), io::stderr());
    let own = [stdin.as_fd(), stdout.as_fd(), stderr.as_fd()].into_iter().filter(|own| termios::isatty(own));
    path == "/dev/tty" || own.filter_map(|own| fs::fstat(own).ok()).any(|own| own.st_rdev == named.st_rdev)
}

#[cfg(test)]
mod tests {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    use super::*;

    #[test]
    fn lines_have_names_and_bauds() {
        let line = |path: &str, baud| Line { path: path.into(), baud };
        assert_eq!(Line::parse("/dev/ttyUSB0"), Ok(line("/dev/ttyUSB0", 115_200)));
        assert_eq!(Line::parse("/dev/ttyACM1@9600"), Ok(line("/dev/ttyACM1", 9600)));
        for wrong in ["", "@9600", "/dev/tty@", "/dev/tty@0", "/dev/tty@fast"] {
            assert!(Line::parse(wrong).unwrap_err().contains("write it like /dev/ttyUSB0"), "{wrong}");
        }
    }

    /// Whether this system sets up terminals. User-mode QEMU 7.2, which runs these tests for Arm, lacks `TCGETS2`.
    fn has_terminals() -> bool {
        let pty = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        let has = !matches!(termios::tcgetattr(&pty), Err(Errno::NOSYS));
        if !has {
            eprintln!("skipped: this emulator cannot set up a terminal");
        }
        has
    }

    #[test]
    fn refusal_says_what_is_wrong() {
        if !has_terminals() {
            return;
        }
        let why = |path: &str| {
            let line = Line { path: path.into(), baud: BAUD };
            line.open(Access::Exclusive).unwrap_err().to_string()
        };
        for file in ["/dev/null", "/dev/zero", "/", "/etc/passwd"] {
            assert_eq!(why(file), "it is no serial device", "{file}");
        }
        assert_eq!(why("/dev/ttyNone7"), "there is no such device");
    }

    #[test]
    fn line_in_use_is_refused() {
        if !has_terminals() {
            return;
        }
        let board = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&board).unwrap();
        unlockpt(&board).unwrap();
        let line = Line { path: ptsname(&board, Vec::new()).unwrap().into_string().unwrap(), baud: BAUD };
        let first = line.open(Access::Exclusive).unwrap();
        assert!(matches!(line.open(Access::Exclusive), Err(Refusal::InUse)));
        drop(first);
        line.open(Access::Exclusive).unwrap();
    }

    #[test]
    fn permission_names_the_group() {
        let groups = "root:x:0:\ndialout:x:20:somebody\nstaff:x:50:\n";
        assert_eq!(named(20, groups).as_deref(), Some("dialout"));
        assert_eq!((named(0, groups), named(7, groups)), (None, None));
        let said = Refusal::Forbidden(Some("dialout".into())).to_string();
        assert!(said.contains("its group is dialout; `sudo usermod -aG dialout $USER`"), "{said}");
    }
}
