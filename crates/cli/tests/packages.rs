//! `tests/packages`, with an apt and a dpkg that only write down what they are asked.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output};

/// Runs it as root on a machine without the `openssl` command, where apt does what `apt` says. With what dpkg and apt were asked.
fn packages(apt: &str) -> (Output, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for tool in ["bash", "cc", "c++", "grep", "ldconfig", "ps", "python3", "uname"] {
        let found = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"].map(|place| Path::new(place).join(tool));
        if let Some(found) = found.iter().find(|path| path.exists()) {
            symlink(found, path(tool)).unwrap();
        }
    }
    let log = path("log");
    let program = |name: &str, text: &str| {
        let text = format!("#!/bin/sh\necho {name} \"$@\" >>'{}'\n{text}\n", log.display());
        fs::write(path(name), text).unwrap();
        fs::set_permissions(path(name), fs::Permissions::from_mode(0o755)).unwrap();
    };
    program("id", "echo 0");
    program("dpkg", "");
    program("apt-get", apt);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/packages");
    let output = Command::new("bash").arg(script).env("PATH", folder.path()).output().unwrap();
    (output, fs::read_to_string(&log).unwrap())
}

#[test]
fn missing_registry_is_reported_with_the_package() {
    let (output, _) = packages("echo 'no network' >&2; exit 100");
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}");
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("tests need these packages, which could not be installed: ") && last.contains("openssl"));
}

#[test]
fn interrupted_installation_is_finished_first() {
    let (output, log) = packages("case \"$*\" in *iproute2*) exit 100 ;; esac");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    let mut asked = log.lines().filter(|line| !line.starts_with("id "));
    assert_eq!(asked.next(), Some("dpkg --configure -a"));
    assert!(asked.next().unwrap().ends_with("--fix-broken") && asked.next().unwrap().starts_with("apt-get update"));
    assert!(asked.next().unwrap().ends_with(" openssl"));
    let last = text.lines().last().unwrap();
    assert_eq!(last, "more would be tested with these packages: sudo apt-get install iproute2");
}
