//! The guard of docs/regression-guard.md: its script and its workflow do what the page describes.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{BINARY, CommandOutput, TestFolder};

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");

/// A folder with the script where the workflow has it.
fn guarded() -> TestFolder {
    let folder = TestFolder::new();
    let script = fs::read(Path::new(DOCS).join("regression-guard.sh")).expect("the script");
    program(&folder, "head/.github/regression-guard.sh", script);
    folder
}

fn program(folder: &TestFolder, name: &str, text: impl AsRef<[u8]>) {
    folder.write(name, text);
    fs::set_permissions(folder.path(name), fs::Permissions::from_mode(0o755)).expect("to make it a program");
}

/// Runs a line of shell as a workflow's step does.
fn step(folder: &TestFolder, line: &str, environment: &[(&str, &str)]) -> CommandOutput {
    let mut shell = Command::new("bash");
    shell
        .args(["-e", "-c", line])
        .current_dir(folder.path(""))
        .env("CIPHERMETER_STORE", folder.path("runs.db"))
        .env("CIPHERMETER_WORKERS", folder.path("workers"))
        .env_remove("GITHUB_STEP_SUMMARY")
        .envs(environment.iter().copied());
    CommandOutput::of(shell.output().expect("bash"))
}

/// The line that measures, of one of the workflow's jobs.
fn measuring(job: &str) -> String {
    let workflow = fs::read_to_string(Path::new(DOCS).join("regression-guard.yml")).expect("the workflow");
    let head = format!("\n  {job}:\n");
    let (_, job) = workflow.split_once(&head).unwrap_or_else(|| panic!("there is no job {job}"));
    let line = job.lines().find_map(|line| line.trim().strip_prefix("run: head/.github/regression-guard.sh"));
    format!("head/.github/regression-guard.sh{}", line.expect("a line that measures"))
}

/// The system's libcrypto, if it is in a usual place.
fn libcrypto() -> Option<PathBuf> {
    let folders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/lib"];
    folders.iter().map(|folder| Path::new(folder).join("libcrypto.so.3")).find(|file| file.is_file())
}

#[test]
fn library_is_not_slower_than_itself() {
    let Some(library) = libcrypto() else {
        eprintln!("skipped: this system has no libcrypto.so.3 (`apt install libssl3`)");
        return;
    };
    let folder = guarded();
    for side in ["base", "head"] {
        folder.write(&format!("{side}/libcrypto.so.3"), fs::read(&library).expect("the library"));
    }
    let environment = [("CIPHERMETER", BINARY), ("GUARD_BUDGET", "5s"), ("GUARD_THRESHOLD", "90%")];
    let summary = folder.path("summary.md").display().to_string();
    let said =
        step(&folder, &measuring("libcrypto"), &[&environment[..], &[("GITHUB_STEP_SUMMARY", &summary)]].concat());
    // A short run on a busy machine may be unable to exclude a slowdown, or have too few undisturbed forks for a verdict.
    // It says which; what no machine may ever make it do is call the library slower than itself.
    let (code, first) = match said.code {
        Some(0) => (0, "Nothing is surely slower"),
        Some(5) if said.out.contains("Inconclusive") => (5, "Inconclusive: nothing is surely slower"),
        Some(code @ (4 | 5)) => (code, "with both, of at least 6"),
        code => panic!("exit code {code:?}: {said:?}"),
    };
    assert!(said.out.contains(first), "exit code {code} without its reason: {said:?}");
    assert_eq!(fs::read_to_string(folder.path("guard.txt")).expect("the text"), said.out);
    assert_eq!(fs::read_to_string(&summary).expect("the summary"), format!("```\n{}```\n", said.out));
    let json: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.path("guard.json")).expect("the document")).expect("JSON");
    let providers: Vec<_> =
        json["records"].as_array().expect("records").iter().filter_map(|record| record["provider"].as_str()).collect();
    for provider in ["openssl", "openssl@old"] {
        let cells = providers.iter().filter(|name| **name == provider).count();
        assert_eq!(cells, 12, "{provider} of {providers:?}");
    }
}

/// A fake harness that reports its arguments and exits as told.
const HARNESS: &str = "#!/bin/sh\necho \"$0 $*\"\nexit ${ENDS:-0}\n";

#[test]
fn each_job_has_the_arguments_of_the_page() {
    let folder = guarded();
    program(&folder, "bin/ciphermeter", HARNESS);
    program(&folder, "head-ciphermeter", HARNESS);
    fs::create_dir(folder.path("head/ciphermeter")).expect("a folder");
    let common = "--threshold 5% --budget 60s --quiet --json guard.json";
    for (job, start, old) in [
        ("libcrypto", "bin/ciphermeter run --openssl head/libcrypto.so.3 ", "base/libcrypto.so.3"),
        ("worker", "bin/ciphermeter run --workers head/ciphermeter ", "base/ciphermeter/mine/build/worker"),
        ("crate", "./head-ciphermeter run --provider rustcrypto ", "./base-ciphermeter"),
    ] {
        let said = step(&folder, &measuring(job), &[("CIPHERMETER", "bin/ciphermeter")]);
        assert_eq!(said.code, Some(0), "{said:?}");
        assert!(said.out.starts_with(start), "{said:?}");
        assert!(said.out.trim_end().ends_with(&format!("--against {old} {common}")), "{said:?}");
    }
}

#[test]
fn exit_code_is_passed_through() {
    let folder = guarded();
    program(&folder, "bin/ciphermeter", HARNESS);
    for code in [1, 3, 4, 5] {
        let ends = code.to_string();
        let said = step(&folder, &measuring("libcrypto"), &[("CIPHERMETER", "bin/ciphermeter"), ("ENDS", &ends)]);
        assert_eq!(said.code, Some(code), "{said:?}");
        assert!(said.out.contains("--against"), "what was said is shown all the same: {said:?}");
    }
    let said = step(&folder, "head/.github/regression-guard.sh only-one", &[]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("usage:"), "{said:?}");
}
