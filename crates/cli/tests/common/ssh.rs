//! A program that plays ssh: the other machine is a folder, `there`, whose shell runs what is asked for.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use super::{BINARY, CommandOutput, TestFolder};

/// Says its name, as `ssh -G` does, or runs what follows the host. Every call is a line in `calls`.
const SSH: &str = r#"
while [ "$1" != -- ]; do
    if [ "$1" = -G ]; then echo "user me"; echo "hostname 127.0.0.1"; exit 0; fi
    shift
done
echo "$2" >>../calls
shift 2
export HOME="$PWD" PATH="$PWD/bin:/usr/bin:/bin" SSH_CONNECTION="127.0.0.1 1 127.0.0.1 22"
"#;

/// A folder with another machine in it.
pub struct Machines(pub TestFolder);

impl Machines {
    /// ciphermeter is installed there.
    pub fn new() -> Self {
        let machines = Self(TestFolder::new());
        fs::create_dir_all(machines.0.path("there/bin")).expect("a folder");
        symlink(BINARY, machines.0.path("there/bin/ciphermeter")).expect("a link");
        machines.with_ssh(r#"exec sh -c "$*""#)
    }

    /// Its ssh does this with the words of the command.
    pub fn with_ssh(self, runs: &str) -> Self {
        let script = format!("#!/bin/sh\ncd '{}'\n{SSH}{runs}\n", self.0.path("there").display());
        self.0.write("ssh", script);
        fs::set_permissions(self.0.path("ssh"), fs::Permissions::from_mode(0o755)).expect("chmod");
        self
    }

    /// `send` through that ssh.
    pub fn sends(&self, arguments: &[&str]) -> Command {
        let ssh = self.0.path("ssh").display().to_string();
        self.0.ciphermeter(&[&["send", "--ssh", &ssh], arguments].concat())
    }

    /// The same, to its end.
    pub fn send(&self, arguments: &[&str]) -> CommandOutput {
        let output = assert_cmd::Command::from_std(self.sends(arguments)).timeout(super::HUNG).output();
        CommandOutput::of(output.unwrap_or_else(|error| panic!("{arguments:?}: {error}")))
    }

    /// The hosts that were called.
    pub fn calls(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.0.path("calls")).unwrap_or_default();
        calls.lines().map(str::to_owned).collect()
    }

    /// What is in a file there.
    pub fn there(&self, name: &str) -> String {
        let path = self.0.path("there").join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}
