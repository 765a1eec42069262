//! How the remote end is started: by which ssh, on which host, as which program there.

use std::process::{Command, Stdio};

use anyhow::{Result, bail};
use ciphermeter_core::{quoted, shell_word};

/// What is run at the other end, unless the user names something else.
const PROGRAM: &str = "ciphermeter";
const SSH: &str = "ssh";
/// The option that makes a command the remote end of a transfer.
const STARTED_BY_SSH: &str = "--started-by-ssh";

#[derive(Debug, Clone)]
pub struct Login {
    /// ssh and its options.
    pub ssh: Vec<String>,
    /// The host as ssh takes it.
    pub host: String,
    /// The program there, as the shell there takes it.
    pub program: String,
}

impl Login {
    /// `ssh` is a command that stands for it, split as a shell would, or only ssh's options; `program` is a command for the
    /// shell of the other end.
    pub fn new(host: &str, ssh: Option<&str>, program: Option<&str>) -> Result<Self> {
        // It may come from a stored state.
        if host.is_empty() || host.starts_with('-') {
            bail!("{} is no host for ssh", quoted(host));
        }
        let Some(mut ssh) = shlex::split(ssh.unwrap_or(SSH)).filter(|words| !words.is_empty()) else {
            bail!("--ssh needs a command with balanced quotes, like `--ssh \"ssh -p 2222\"`");
        };
        if ssh[0].starts_with('-') {
            ssh.insert(0, SSH.into());
        }
        let program = program.unwrap_or(PROGRAM);
        if program.trim().is_empty() || program.starts_with('-') {
            bail!("--remote-program needs a command of the other end, like `--remote-program /opt/bin/ciphermeter`");
        }
        Ok(Self { ssh, host: host.into(), program: program.into() })
    }

    /// ssh to that host, with what it runs there, for a shell.
    pub fn shown(&self, there: &[&str]) -> String {
        let words = self.ssh.iter().map(String::as_str).chain([self.host.as_str()]).chain(there.iter().copied());
        words.map(shell_word).collect::<Vec<_>>().join(" ")
    }

    /// Runs a command of ciphermeter (`recv`) as the remote end. Without a terminal there, which would change bytes.
    pub(super) fn command(&self, subcommand: &str) -> Command {
        let mut command = Command::new(&self.ssh[0]);
        command.args(&self.ssh[1..]).args(["-T", "--", &self.host, &self.program, subcommand, STARTED_BY_SSH]);
        command
    }

    /// The name or address that ssh connects to, after its own configuration; `None` where it does not tell.
    pub(super) fn host_name(&self) -> Option<String> {
        let mut command = Command::new(&self.ssh[0]);
        command.args(&self.ssh[1..]).args(["-G", "--", &self.host]);
        let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout);
        text.lines().find_map(|line| line.strip_prefix("hostname ").map(str::to_owned))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(command: &Command) -> Vec<String> {
        let words = [command.get_program()].into_iter().chain(command.get_args());
        words.map(|word| word.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn host_stands_behind_the_end_of_options() {
        let login = Login::new("me@host", Some("ssh -p 2222 -i 'my key'"), Some("sudo ciphermeter")).unwrap();
        assert_eq!(
            words(&login.command("recv")),
            ["ssh", "-p", "2222", "-i", "my key", "-T", "--", "me@host", "sudo ciphermeter", "recv", STARTED_BY_SSH]
        );
        let login = Login::new("host", None, None).unwrap();
        assert_eq!(words(&login.command("recv")), ["ssh", "-T", "--", "host", "ciphermeter", "recv", STARTED_BY_SSH]);
        let options = Login::new("host", Some("-p 2222 -i 'my key'"), None).unwrap();
        assert_eq!(options.shown(&[]), "ssh -p 2222 -i 'my key' host");
    }

    #[test]
    fn what_is_proposed_is_words_for_a_shell() {
        let login = Login::new("me@!!~\u{202e}", Some("ssh -i 'my key'"), Some("sudo ciphermeter")).unwrap();
        assert_eq!(
            login.shown(&[&login.program, "--version"]),
            r"ssh -i 'my key' $'me@!!~\342\200\256' 'sudo ciphermeter' --version"
        );
        assert_eq!(Login::new("!!", None, None).unwrap().shown(&["echo $PATH"]), "ssh '!!' 'echo $PATH'");
    }

    #[test]
    fn bad_login_is_refused() {
        for (host, ssh, program) in [
            ("-oProxyCommand=x", None, None),
            ("", None, None),
            ("host", Some(""), None),
            ("host", Some("ssh 'open"), None),
            ("host", None, Some(" ")),
            ("host", None, Some("-x")),
        ] {
            assert!(Login::new(host, ssh, program).is_err(), "{host} {ssh:?} {program:?}");
        }
    }
}
