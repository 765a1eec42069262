//! What providers need of the system that the kernel measures itself on: root, programs, modules.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use ciphermeter_core::quoted;

use crate::error::Error;

/// Where administrators' programs lie, which not every `PATH` names.
const ADMINISTRATORS: &str = ":/usr/sbin:/sbin";

/// That this process may make devices and namespaces; otherwise what it wants them for.
pub(crate) fn is_root(what: &str) -> Result<(), Error> {
    match rustix::process::geteuid().is_root() {
        true => Ok(()),
        false => Err(Error::local(format!("{what} are made by root alone: run it with sudo"))),
    }
}

/// Runs a program with that input; returns its output.
pub(crate) fn run(program: &str, arguments: &[&str], input: &[u8]) -> Result<String, Error> {
    let failed = |why: String| Error::local(format!("{program} {}: {why}", arguments.join(" ")));
    let mut path = std::env::var_os("PATH").unwrap_or_default();
    path.push(ADMINISTRATORS);
    let mut command = Command::new(program);
    command.args(arguments).env("PATH", path).env("LC_ALL", "C");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|why| match why.kind() {
        io::ErrorKind::NotFound => Error::local(format!("there is no program {program} here: install it")),
        _ => failed(why.to_string()),
    })?;
    if let Some(mut pipe) = child.stdin.take() {
        // A program that wants no input may have ended.
        let _ = pipe.write_all(input);
    }
    let output = child.wait_with_output().map_err(|why| failed(why.to_string()))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(failed(match said.trim().lines().next() {
        Some(line) => quoted(line),
        None => output.status.to_string(),
    }))
}

/// Whether the kernel has this module, loaded or not; looking loads nothing.
pub(crate) fn has_module(name: &str) -> bool {
    Path::new("/sys/module").join(name.replace('-', "_")).exists()
        || run("modprobe", &["--dry-run", "--quiet", name], b"").is_ok()
}

/// That the module is there; otherwise how to get it.
pub(crate) fn needs_module(name: &str, what: &str) -> Result<(), Error> {
    if has_module(name) { Ok(()) } else { Err(without_module(name, what)) }
}

/// Why the kernel lacks what a module has, and what to do.
pub(crate) fn without_module(name: &str, what: &str) -> Error {
    let kernel = rustix::system::uname();
    let release = quoted(&kernel.release().to_string_lossy());
    let has_modules = Path::new("/lib/modules").join(&release).exists();
    Error::local(missing(name, what, Some(release).filter(|_| !has_modules)))
}

/// `bare`: the kernel's release, where none of its modules is installed.
fn missing(name: &str, what: &str, bare: Option<String>) -> String {
    match bare {
        Some(release) => format!(
            "this kernel has no {what}, and none of its modules is installed here: install those of {release}, or \
             boot a kernel with the module {name}"
        ),
        None => format!("this kernel has no {what}: try modprobe {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_that_fails_is_told_in_one_line() {
        assert_eq!(run("cat", &[], b"said\n").unwrap(), "said");
        let why = run("sh", &["-c", "echo no disk >&2; echo more >&2; exit 3"], b"").unwrap_err().to_string();
        assert!(why.ends_with("no disk") || why.contains("no disk") && !why.contains('\n'), "{why}");
        let why = run("no-such-program", &[], b"").unwrap_err().to_string();
        assert_eq!(why, "there is no program no-such-program here: install it");
    }

    #[test]
    fn module_that_no_kernel_has_is_told_with_what_to_do() {
        let why = needs_module("no-such-module", "such thing").unwrap_err().to_string();
        assert!(why.starts_with("this kernel has no such thing"), "{why}");
        assert_eq!(missing("brd", "RAM disks", None), "this kernel has no RAM disks: try modprobe brd");
        let why = missing("brd", "RAM disks", Some("6.1.0".into()));
        assert!(why.contains("none of its modules is installed here: install those of 6.1.0"), "{why}");
        assert!(!why.contains("modprobe"), "there is nothing to load: {why}");
    }
}
