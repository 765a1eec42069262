//! Devices, played by `bad_worker/device.py`: as an emulator of a worker's manifest, and as a board on TCP or on a pseudo terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

use super::TestFolder;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bad_worker/device.py");

impl TestFolder {
    /// Adds a worker for an emulated device of this name; `mode` is the script's.
    pub fn with_device(self, name: &str, mode: &str) -> Self {
        let manifest = format!(
            "name = \"{name}\"\nlanguage = \"C\"\ncheck = [\"python3\", \"--version\"]\nneeds = \"a cross compiler\"\n\
             build = [\"touch\", \"bad.elf\"]\nbuilt = \"bad.elf\"\n\
             [[device]]\nname = \"{name}\"\nboard = \"an emulated board\"\nproviders = [\"bad\"]\n\
             run = [\"python3\", \"-S\", {SCRIPT:?}, {mode:?}]\nimage = \"{{provider}}.elf\"\n"
        );
        self.write(&format!("workers/{name}/worker.toml"), manifest);
        self.write(&format!("workers/{name}/bad.elf"), "an image");
        self
    }

    /// Gives a device that a manifest has further providers, of which no image is built; its check says that of `lone`.
    pub fn with_unbuilt(self, name: &str, providers: &[&str]) -> Self {
        let path = format!("workers/{name}/worker.toml");
        let manifest = std::fs::read_to_string(self.path(&path)).expect("a manifest");
        let all: Vec<&str> = ["bad"].iter().chain(providers).copied().collect();
        let check =
            format!("check = [\"sh\", \"-c\", \"echo '{name}, lone: no compiler of its own; install it' >&2\"]");
        let manifest = manifest
            .replace("providers = [\"bad\"]", &format!("providers = {all:?}"))
            .replace("check = [\"python3\", \"--version\"]", &check);
        self.write(&path, manifest);
        self
    }
}

fn board(mode: &str, kind: &str) -> Command {
    let mut command = Command::new("python3");
    command.args(["-S", SCRIPT, mode, kind]).stderr(Stdio::null());
    command
}

/// A board on the network, which starts anew with each connection, in the next of these modes; as the command line names it.
pub fn board_on_the_network(modes: &'static [&'static str]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("tcp:{}", listener.local_addr().expect("an address"));
    thread::spawn(move || {
        let modes = modes.iter().chain(modes.last().into_iter().cycle());
        for (mode, stream) in modes.zip(listener.incoming().map_while(Result::ok)) {
            let output = OwnedFd::from(stream.try_clone().expect("another handle"));
            let child = board(mode, "board").stdin(OwnedFd::from(stream)).stdout(output).spawn();
            thread::spawn(move || child.expect("python3 starts").wait());
        }
    });
    address
}

/// A board on a serial line, which nothing resets; the line's path.
pub fn board_on_a_line(mode: &'static str) -> String {
    on_a_line(board(mode, "board"))
}

/// The same with a meter of current on its board.
pub fn metered_board_on_a_line() -> String {
    on_a_line(board("honest", "metered"))
}

fn on_a_line(mut board: Command) -> String {
    let line = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo terminal");
    grantpt(&line).and_then(|()| unlockpt(&line)).expect("a device");
    let mut settings = tcgetattr(&line).expect("its settings");
    settings.make_raw();
    tcsetattr(&line, OptionalActions::Now, &settings).expect("raw");
    let name = ptsname(&line, Vec::new()).expect("a name").into_string().expect("ASCII");
    let mut child: Child = board.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("python3 starts");
    let (mut input, mut output) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    let (mut from, mut to) = (File::from(line.try_clone().expect("another handle")), File::from(line));
    thread::spawn(move || {
        let mut bytes = [0; 4096];
        loop {
            match from.read(&mut bytes) {
                Ok(read) if input.write_all(&bytes[..read]).is_err() => return,
                Ok(1..) => {}
                // Nobody has the line open.
                _ => thread::sleep(Duration::from_millis(5)),
            }
        }
    });
    thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(read @ 1..) = output.read(&mut bytes) {
            if to.write_all(&bytes[..read]).is_err() {
                break;
            }
        }
        child.wait()
    });
    name
}
