//! `workers build`: what it leaves behind, and what it says.

use std::fs::{self, File};
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::common::{CommandOutput, TestFolder, wait_until};

/// A worker that is built by this shell command.
fn folder(build: &str) -> TestFolder {
    let folder = TestFolder::new().with_worker("honest");
    let manifest = fs::read_to_string(folder.path("workers/bad/worker.toml")).expect("the manifest");
    let command = format!("build = {:?}", ["sh", "-c", build]);
    folder.write("workers/bad/worker.toml", manifest.replace("build = [\"true\"]", &command));
    folder
}

fn begun(folder: &TestFolder) -> Child {
    let errors = File::create(folder.path("errors")).expect("a file");
    let mut command = folder.ciphermeter(&["workers", "build", "bad"]);
    command.stderr(errors).stdout(Stdio::null()).spawn().expect("the harness starts")
}

fn ended(folder: &TestFolder, child: Child) -> CommandOutput {
    let output = child.wait_with_output().expect("its end");
    CommandOutput { err: fs::read_to_string(folder.path("errors")).expect("text"), ..CommandOutput::of(output) }
}

#[test]
fn interrupted_build_leaves_no_process_behind() {
    for signal in [Signal::TERM, Signal::INT] {
        let folder = folder("sleep 1000 & touch begun; sleep 1000; true");
        let child = begun(&folder);
        wait_until("the build runs", || folder.path("workers/bad/begun").exists());
        kill_process(Pid::from_child(&child), signal).expect("it lives");
        let said = ended(&folder, child);
        assert_eq!(said.code, Some(130), "{said:?}");
        assert!(said.err.contains("interrupted; `ciphermeter workers build bad` goes on with it"), "{}", said.err);
        wait_until("nothing of it is left", || folder.processes().is_empty());
    }
}

#[test]
fn second_build_says_that_it_waits_for_the_first() {
    let folder = folder("true");
    let other = File::open(folder.path("workers/bad/worker.toml")).expect("a file");
    other.lock().expect("a lock");
    let child = begun(&folder);
    let said = || fs::read_to_string(folder.path("errors")).unwrap_or_default();
    wait_until("it says so", || said().contains("bad: waiting for another build of it to end\n"));
    drop(other);
    let said = ended(&folder, child);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(said.err.matches("waiting").count(), 1, "{}", said.err);
}

#[test]
fn worker_that_is_built_by_name_alone_is_left_out_without_one() {
    let folder = folder("touch made");
    let file = "workers/bad/worker.toml";
    let manifest = fs::read_to_string(folder.path(file)).expect("the manifest");
    folder.write(file, format!("by_name = true\nbuilt = \"made\"\n{}", manifest.replace("built = ", "# ")));
    let said = folder.run(&["workers", "build"]);
    assert_eq!((said.code, &*said.err), (Some(0), "bad: built only by name: ciphermeter workers build bad\n"));
    assert!(!folder.path("workers/bad/made").exists());
    let said = folder.run(&["workers", "build", "bad"]);
    assert!(said.code == Some(0) && folder.path("workers/bad/made").exists(), "{said:?}");
    assert_eq!(folder.run(&["workers", "build"]).err, "");
}
