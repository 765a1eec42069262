//! Why the remote end did not answer, in words that say what to do.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use ciphermeter_core::{Seconds, quoted};
use ciphermeter_terminal::{Exit, WithExit};

use super::line::BadLine;
use super::login::Login;

/// ssh itself could not be started.
pub fn no_ssh(login: &Login, why: &io::Error) -> String {
    format!(
        "cannot start {} for `{}`: {why}; install an ssh client (OpenSSH's, for example), or name another one with --ssh",
        quoted(&login.ssh[0]),
        login.shown(&[])
    )
}

/// There was no answer in time, and ssh still runs.
pub fn silent(login: &Login, patience: Seconds) -> String {
    let host = quoted(&login.host);
    format!(
        "{host} did not answer within {patience}; check that `{}` works, or give it more time with --patience",
        version(login)
    )
}

/// There was no answer, and ssh has ended.
pub fn no_answer(login: &Login, line: &BadLine, ended: Option<ExitStatus>) -> String {
    let (host, program) = (quoted(&login.host), quoted(&login.program));
    let code = ended.and_then(|status| status.code());
    match (line, code) {
        (BadLine::Ended, Some(255)) => {
            format!("ssh failed; its own message is above. Check that `{}` works, then try again", login.shown(&[]))
        }
        (BadLine::Ended, Some(127)) if login.program.contains('/') => {
            format!("{host} has no program {program}: give its path there with --remote-program")
        }
        (BadLine::Ended, Some(127)) => format!(
            "{host} has no program {program} in the PATH that its shell has when ssh runs a command there (`{}` \
             shows it): install ciphermeter in one of these folders, or give its path there with --remote-program",
            login.shown(&["echo $PATH"])
        ),
        (BadLine::Ended, Some(126)) => {
            format!("{host} cannot run {program}: give the path of another one there with --remote-program")
        }
        (BadLine::Ended, Some(2)) => format!(
            "{program} on {host} does not know how to be started through ssh; install the same version of ciphermeter there as here"
        ),
        (BadLine::OtherVersion | BadLine::Unknown, _) => {
            format!("{program} on {host} cannot be used: {line}; install the same version of ciphermeter there as here")
        }
        _ => format!(
            "{program} on {host} cannot be used: {line}{}; check what `{}` prints",
            ended.map(how).unwrap_or_default(),
            version(login)
        ),
    }
}

/// The command that shows whether the program is there.
fn version(login: &Login) -> String {
    login.shown(&[&login.program, "--version"])
}

/// It answered with something else than was asked for.
pub fn unexpected(login: &Login) -> anyhow::Error {
    let message = format!(
        "{} on {} does not answer as it should; install the same version of ciphermeter there as here",
        quoted(&login.program),
        quoted(&login.host)
    );
    WithExit { exit: Exit::Partial, message }.into()
}

fn how(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!(" (exit code {code})"),
        (None, Some(signal)) => format!(" (by signal {signal})"),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_exit_code_has_its_remedy() {
        let login = Login::new("host", None, None).unwrap();
        let said = |line: &BadLine, code: i32| no_answer(&login, line, Some(ExitStatus::from_raw(code << 8)));
        assert!(said(&BadLine::Ended, 255).contains("ssh failed; its own message is above"));
        let missing = said(&BadLine::Ended, 127);
        assert!(missing.contains("PATH") && missing.contains("--remote-program"), "{missing}");
        let other = Login::new("host", Some("ssh -p 22"), Some("/opt/x")).unwrap();
        let said_of = |code: i32| no_answer(&other, &BadLine::Ended, Some(ExitStatus::from_raw(code << 8)));
        assert!(said_of(127).starts_with("host has no program /opt/x: give"), "{}", said_of(127));
        assert!(said_of(255).contains("`ssh -p 22 host` works"), "{}", said_of(255));
        assert!(said(&BadLine::Ended, 126).contains("--remote-program"));
        assert!(said(&BadLine::Ended, 2).contains("the same version"));
        assert!(said(&BadLine::OtherVersion, 0).contains("the same version"));
        let other = said(&BadLine::Ended, 1);
        assert!(other.contains("without an answer (exit code 1)") && other.contains("--version"), "{other}");
        assert!(said(&BadLine::Noise, 0).contains("64 KiB"));
        let killed = no_answer(&login, &BadLine::Ended, Some(ExitStatus::from_raw(9)));
        assert!(killed.contains("by signal 9"), "{killed}");
    }
}
