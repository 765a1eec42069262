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
        Some(code @ (4 | 5)) => (code, "a comparison needs 6"),
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

/// A fake ciphermeter that prints its arguments, writes its last one as a file, and exits with `$ENDS`.
const HARNESS: &str = r#"#!/bin/sh
if [ "$1" = --version ]; then echo "ciphermeter 0.1.0"; exit; fi
echo "$0 $*"
for last; do :; done
echo "{}" >"$last"
exit ${ENDS:-0}
"#;

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

/// What is no ciphermeter is a worker, started without input: it would wait for a terminal otherwise.
#[test]
fn what_is_new_is_recognized() {
    let folder = guarded();
    program(&folder, "bin/ciphermeter", HARNESS);
    program(&folder, "new/ciphermeter", HARNESS);
    program(&folder, "mine", "#!/bin/sh\nwhile read -r line; do :; done\n");
    program(&folder, "talks", "#!/bin/sh\necho \"ciphermeters are no match\"\n");
    fs::create_dir(folder.path("workers of mine")).expect("a folder");
    for (new, start) in [
        ("./mine", "bin/ciphermeter run --worker ./mine "),
        ("./talks", "bin/ciphermeter run --worker ./talks "),
        ("'python3 mine.py --fast'", "bin/ciphermeter run --worker python3 mine.py --fast "),
        ("./nowhere", "bin/ciphermeter run --worker ./nowhere "),
        ("'workers of mine'", "bin/ciphermeter run --workers workers of mine "),
        ("lib/libcrypto.so.3", "bin/ciphermeter run --openssl lib/libcrypto.so.3 "),
        ("libcrypto.dylib", "bin/ciphermeter run --openssl libcrypto.dylib "),
        ("new/ciphermeter", "new/ciphermeter run --against "),
    ] {
        let line = format!("head/.github/regression-guard.sh ./mine {new}");
        let said = step(&folder, &line, &[("CIPHERMETER", "bin/ciphermeter")]);
        assert_eq!(said.code, Some(0), "{new}: {said:?}");
        assert!(said.out.starts_with(start), "{new}: {said:?}");
    }
}

/// A guard that measured nothing fails.
#[test]
fn empty_result_fails() {
    let folder = guarded();
    let version = "if [ \"$1\" = --version ]; then echo \"ciphermeter 0.1.0\"; exit; fi\n";
    folder.write("guard.json", "{}");
    for (name, text, code, why) in [
        ("silent", format!("#!/bin/sh\n{version}"), 4, "measured nothing"),
        ("only-says", format!("#!/bin/sh\n{version}echo fine\n"), 4, "measured nothing"),
        ("fails", format!("#!/bin/sh\n{version}exit 3\n"), 3, ""),
        ("worker", "#!/bin/sh\nwhile read -r line; do :; done\n".to_owned(), 2, "is no ciphermeter binary"),
        ("not-a-program", "text".to_owned(), 2, "is no ciphermeter binary"),
    ] {
        program(&folder, name, text);
        let environment = [("CIPHERMETER", format!("./{name}"))];
        let environment = environment.each_ref().map(|(name, value)| (*name, value.as_str()));
        let said = step(&folder, "head/.github/regression-guard.sh old.so new.so", &environment);
        assert_eq!(said.code, Some(code), "{name}: {said:?}");
        assert!(said.err.contains(why), "{name}: {said:?}");
    }
    let said = step(&folder, "head/.github/regression-guard.sh old.so new.so", &[("CIPHERMETER", "./nowhere")]);
    assert_eq!(said.code, Some(2), "{said:?}");
}

/// Two worker binaries, as a maintainer of a library has them: they are measured, and nothing waits for input.
#[test]
fn two_workers_are_compared() {
    let folder = guarded();
    let worker = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bad_worker/worker.py");
    for side in ["base/worker", "head/worker"] {
        program(&folder, side, format!("#!/bin/sh\nexec python3 -S {worker} honest\n"));
    }
    let environment = [("CIPHERMETER", BINARY), ("GUARD_BUDGET", "3s"), ("GUARD_THRESHOLD", "90%")];
    let line = "head/.github/regression-guard.sh base/worker head/worker tiny.toml";
    let said = step(&folder, line, &environment);
    // A busy machine has too few undisturbed forks for a verdict.
    assert!(matches!(said.code, Some(0 | 4 | 5)) && !said.out.is_empty(), "{said:?}");
    let json = fs::read(folder.path("guard.json")).expect("the document");
    let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    let records = json["records"].as_array().expect("records");
    for provider in ["bad", "bad@old"] {
        assert!(records.iter().any(|record| record["provider"] == provider), "no {provider}: {said:?}");
    }
}
