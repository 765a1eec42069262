//! `recv` and `send` as processes that can be killed at any moment.

use std::fs::{self, File};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use super::{CommandOutput, TestFolder, wait_until};

/// One end at work.
pub struct End {
    child: Child,
    said: PathBuf,
}

impl End {
    /// Starts it; its output goes to files beside `name`, which no two running ends share.
    pub fn start(folder: &TestFolder, name: &str, mut command: Command) -> Self {
        let said = folder.path(name);
        let to = |extension| File::create(said.with_extension(extension)).expect("a file");
        command.stdout(to("out")).stderr(to("err"));
        Self { child: command.spawn().expect("the harness starts"), said }
    }

    /// A receiver into a folder, and its ticket.
    pub fn receiver(folder: &TestFolder, name: &str, arguments: &[&str]) -> (Self, String) {
        let ticket = folder.path(&format!("{name}.ticket"));
        let _ = fs::remove_file(&ticket);
        let mut command = folder.ciphermeter(&["recv", "--yes", "--ticket-file"]);
        command.arg(&ticket).args(arguments);
        let mut end = Self::start(folder, name, command);
        wait_until("the ticket", || {
            assert!(!end.is_over(), "{:?}", end.said());
            fs::read_to_string(&ticket).is_ok_and(|text| text.ends_with('\n'))
        });
        (end, fs::read_to_string(ticket).expect("a ticket").trim_end().to_owned())
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn is_over(&mut self) -> bool {
        self.child.try_wait().expect("its state").is_some()
    }

    /// Kills it, which looks to others like a power loss.
    pub fn kill(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Its output until now, and its exit code if it has ended.
    pub fn said(&mut self) -> CommandOutput {
        let code = self.child.try_wait().expect("its state").and_then(|status| status.code());
        let text = |extension| fs::read_to_string(self.said.with_extension(extension)).expect("UTF-8");
        CommandOutput { code, out: text("out"), err: text("err") }
    }

    /// Waits for its end.
    pub fn ended(mut self) -> CommandOutput {
        wait_until("its end", || self.is_over());
        self.said()
    }
}

impl Drop for End {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Where a receiver listens that another process is to come back to: a port that no program of this
/// machine has, and that no connection gets before that one listens.
pub fn own_address() -> String {
    let range = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    let lowest = range.split_whitespace().next().and_then(|lowest| lowest.parse().ok()).unwrap_or(49_152);
    let random = || format!("127.0.0.1:{}", fastrand::u16(1024..lowest));
    std::iter::repeat_with(random).find(|address| TcpListener::bind(address).is_ok()).expect("a free port")
}

/// The commands between backticks in what an end said, as a shell reads them, without the program.
pub fn commands(said: &str) -> Vec<Vec<String>> {
    let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
    flat.split('`').skip(1).step_by(2).map(pasted).collect()
}

/// The words of a command that was shown, without the program.
pub fn pasted(command: &str) -> Vec<String> {
    let words = shlex::split(command).unwrap_or_else(|| panic!("a shell cannot read {command}"));
    assert_eq!(words[0], "ciphermeter", "{command}");
    words[1..].to_vec()
}

/// The words as arguments.
pub fn each(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

/// What is in a folder, by name; nothing if there is none.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

/// The state folder of the unfinished transfer in a folder.
pub fn state(folder: &Path) -> Option<PathBuf> {
    names(folder).into_iter().find(|name| name.starts_with(".ciphermeter-")).map(|name| folder.join(name))
}

/// Bytes that are no pattern; those of another seed are others.
pub fn bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut bytes = vec![0; length];
    random.fill(&mut bytes);
    bytes
}
