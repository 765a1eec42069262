//! Commands of `ciphermeter-serve` and `ciphermeter-fleet`, which are found beside the binary or in PATH.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::common::{BINARY, CommandOutput, TestFolder, refuses};

/// A copy of the binary in a folder of its own, beside which nothing is; PATH holds that folder alone.
pub fn copied(folder: &TestFolder, arguments: &[&str]) -> Command {
    let own = folder.path("bin");
    if !own.exists() {
        fs::create_dir(&own).expect("a folder");
        fs::copy(BINARY, own.join("ciphermeter")).expect("a copy");
    }
    let original = folder.ciphermeter(arguments);
    let mut command = Command::new(own.join("ciphermeter"));
    command.args(arguments).envs(original.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(original.get_current_dir().expect("a folder")).env("PATH", &own);
    command
}

/// A stand-in that writes its arguments and the binary that started it to the file `called`, and ends with this code.
pub fn stand_in(folder: &Path, program: &str, code: i32) {
    let file = folder.join("bin").join(program);
    let script = format!("#!/bin/sh\necho \"$@ by $CIPHERMETER_PROGRAM\" >>{}/called\nexit {code}\n", folder.display());
    fs::write(&file, script).expect("written");
    fs::set_permissions(file, Permissions::from_mode(0o700)).expect("a mode");
}

fn output(mut command: Command) -> CommandOutput {
    CommandOutput::of(command.output().expect("an output"))
}

#[test]
fn missing_program_is_said_before_anything_is_measured() {
    let folder = TestFolder::new();
    for arguments in
        [&["serve"][..], &["push", "--to", "http://127.0.0.1:1"], &["run", "tiny.toml", "--push", "http://127.0.0.1:1"]]
    {
        let said = output(copied(&folder, arguments));
        refuses(&said, &["needs the program ciphermeter-serve", "make serve"]);
    }
    let said = output(copied(&folder, &["fleet", "status"]));
    refuses(&said, &["ciphermeter fleet needs the program ciphermeter-fleet", "make fleet"]);
    assert!(!folder.path("runs.db").exists(), "nothing was measured");
}

#[test]
fn program_gets_the_command_and_its_arguments() {
    let folder = TestFolder::new();
    drop(copied(&folder, &[]));
    stand_in(&folder.path(""), "ciphermeter-serve", 7);
    stand_in(&folder.path(""), "ciphermeter-fleet", 5);
    let serve = output(copied(&folder, &["serve", "token", "add", "ci", "--scope", "push"]));
    let fleet = output(copied(&folder, &["fleet", "run", "--hosts", "a.txt"]));
    assert_eq!((serve.code, fleet.code), (Some(7), Some(5)), "{serve:?} {fleet:?}");
    let called = fs::read_to_string(folder.path("called")).expect("they were called");
    let own = folder.path("bin").canonicalize().expect("a folder").join("ciphermeter");
    let by = own.display();
    assert_eq!(called, format!("serve token add ci --scope push by {by}\nrun --hosts a.txt by {by}\n"));
}

#[test]
fn run_is_pushed_when_it_has_ended_and_stays_here_if_that_fails() {
    let folder = TestFolder::new();
    let run = ["run", "tiny.toml", "--budget", "1s", "--push", "http://127.0.0.1:1", "--json", "run.json"];
    drop(copied(&folder, &[]));
    stand_in(&folder.path(""), "ciphermeter-serve", 5);
    let said = output(copied(&folder, &run));
    let called = fs::read_to_string(folder.path("called")).expect("it was called");
    assert!(called.starts_with("push 1 --to http://127.0.0.1:1"), "{called}");
    assert_eq!(said.code, Some(5), "{said:?}");
    assert!(folder.path("runs.db").exists());
    let asked = fs::read_to_string(folder.path("run.json")).expect("an export");
    assert!(!asked.contains("--push"), "a run does not remember where it was sent");
}
