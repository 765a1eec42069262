//! The guard of docs/regression-guard.md: its script, its action and its template do what the page describes.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{BINARY, CommandOutput, DOCS, TestFolder, libcrypto};

const WORKER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bad_worker/worker.py");

fn text(name: &str) -> String {
    fs::read_to_string(Path::new(DOCS).join(name)).expect("a file of docs")
}

/// A folder with the script where GitLab's template has it, and both sides of a worker.
fn guarded(new: &str) -> TestFolder {
    let folder = TestFolder::new();
    folder.program("ci/guard.sh", text("guard/guard.sh"));
    for (side, mode) in [("base/worker", "honest"), ("head/worker", new)] {
        folder.program(side, format!("#!/bin/sh\nexec python3 -S {WORKER} {mode}\n"));
    }
    folder
}

/// Runs a line of shell as a step of a job does.
fn step(folder: &TestFolder, line: &str, environment: &[(&str, &str)]) -> CommandOutput {
    let mut shell = Command::new("bash");
    shell
        .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", line])
        .current_dir(folder.path(""))
        .env("CIPHERMETER", BINARY)
        .env("CIPHERMETER_STORE", folder.path("runs.db"))
        .env("CIPHERMETER_WORKERS", folder.path("workers"))
        .env_remove("GITHUB_STEP_SUMMARY")
        .envs(environment.iter().copied());
    CommandOutput::of(shell.output().expect("bash"))
}

/// The line of the action that runs the script.
fn of_action() -> String {
    let action = text("guard/action.yml");
    let line = action.lines().find_map(|line| line.trim().strip_prefix("run: mapfile ")).expect("a step that guards");
    format!("mapfile {line}")
}

const OPTIONS: &str = "./tiny.toml --budget 32s --threshold 60% --may-hide 90%";

/// The action's own step on a pair: what it ends with, and that it leaves a comment, a document and a summary.
fn acted(new: &str) -> (CommandOutput, String) {
    let folder = guarded(new);
    let summary = folder.path("summary.md").display().to_string();
    let action = Path::new(DOCS).join("guard").display().to_string();
    let environment = [
        ("GITHUB_ACTION_PATH", action.as_str()),
        ("OLD", "base/worker"),
        ("NEW", "head/worker"),
        ("OPTIONS", OPTIONS),
        ("GITHUB_STEP_SUMMARY", summary.as_str()),
    ];
    let said = step(&folder, &of_action(), &environment);
    let comment = fs::read_to_string(folder.path("guard.md")).expect("a comment");
    assert_eq!(fs::read_to_string(&summary).expect("a summary"), comment);
    let document = fs::read(folder.path("guard.json")).expect("a document");
    serde_json::from_slice::<serde_json::Value>(&document).expect("JSON");
    (said, comment)
}

#[test]
fn action_passes_what_did_not_change() {
    let (said, comment) = acted("honest");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(comment.contains("### Speed: nothing slower"), "{comment}");
}

#[test]
fn action_fails_what_is_slower() {
    let (said, comment) = acted("slow");
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(comment.contains("### Speed: 4 of 4 cells slower"), "{comment}");
}

/// A binary that was built of other sources is another instrument.
#[test]
fn cache_of_the_action_is_named_by_its_sources() {
    let folder = TestFolder::new();
    let line = text("guard/action.yml");
    let line = line.lines().find_map(|line| line.trim().strip_prefix("run: hash=")).expect("a step that names it");
    let action = folder.path("own/docs/guard").display().to_string();
    let hash = |file: &str, text: &str| {
        folder.write(&format!("own/{file}"), text);
        let output = folder.path("output").display().to_string();
        let said =
            step(&folder, &format!("hash={line}"), &[("GITHUB_ACTION_PATH", &action), ("GITHUB_OUTPUT", &output)]);
        assert_eq!(said.code, Some(0), "{said:?}");
        let output = fs::read_to_string(folder.path("output")).expect("an output");
        let last = output.lines().last().and_then(|line| line.strip_prefix("hash=")).expect("a hash").to_owned();
        assert!(last.len() >= 40, "{output}");
        last
    };
    folder.write("own/docs/guard/action.yml", "");
    let first = hash("crates/cli/src/main.rs", "fn main() {}");
    assert_eq!(hash("docs/guard/bin/ciphermeter", "built"), first);
    assert_ne!(hash("crates/cli/src/main.rs", "fn main() { }"), first);
    assert_eq!(hash("crates/cli/src/main.rs", "fn main() {}"), first);
}

/// What the action's step gets as options is words, as a shell has them, and no command.
#[test]
fn options_of_the_action_are_words() {
    let folder = guarded("honest");
    folder.program("fake", "#!/bin/sh\nfor word; do echo \"<$word>\"; done\necho '{}' >guard.json\n");
    let action = Path::new(DOCS).join("guard").display().to_string();
    let environment = [
        ("GITHUB_ACTION_PATH", action.as_str()),
        ("CIPHERMETER", "./fake"),
        ("OLD", "two words; touch harm"),
        ("NEW", "$(touch harm)"),
        ("OPTIONS", "--message '64,16 KiB' $(touch${IFS}harm) `id`"),
    ];
    let said = step(&folder, &of_action(), &environment);
    let words =
        "<guard>\n<two words; touch harm>\n<$(touch harm)>\n<--message>\n<64,16 KiB>\n<$(touch${IFS}harm)>\n<`id`>\n";
    assert!(said.code == Some(0) && said.out.starts_with(words), "{said:?}");
    assert!(!folder.path("harm").exists());
}

/// GitLab's job runs the script on libraries that were built; here they are the system's, in two files.
#[test]
fn job_of_gitlab_passes_equal_libraries() {
    let Some(library) = libcrypto() else { return };
    let folder = guarded("honest");
    let code = fs::read(library).expect("the library");
    folder.write("base/libcrypto.so.3", &code);
    folder.write("libcrypto.so.3", [&code[..], b"another byte behind the end"].concat());
    let template = text("guard/gitlab.yml");
    let line =
        template.lines().find_map(|line| line.trim().strip_prefix("- ci/guard.sh ")).expect("a line that guards");
    let line = format!("ci/guard.sh {line} --message 64 --threshold 90%");
    let said = step(&folder, &line, &[("CIPHERMETER_BUDGET", "5s")]);
    // A busy machine may have too few undisturbed forks for a verdict; none makes a library slower than itself.
    assert!(matches!(said.code, Some(0 | 4 | 5)), "{said:?}");
    assert!(folder.path("guard.md").exists() && folder.path("guard.json").exists(), "{said:?}");
}

#[test]
fn script_passes_exit_codes_through_and_fails_without_a_result() {
    let folder = guarded("honest");
    folder.write("guard.json", "{}");
    for (ends, leaves, code) in [(0, true, 0), (1, true, 1), (3, true, 3), (5, true, 5), (0, false, 4), (2, false, 2)] {
        let left = if leaves { "echo '{}' >guard.json\n" } else { "" };
        folder.program("fake", format!("#!/bin/sh\n{left}exit {ends}\n"));
        let said = step(&folder, "ci/guard.sh old new", &[("CIPHERMETER", "./fake")]);
        assert_eq!(said.code, Some(code), "{ends}, {leaves}: {said:?}");
    }
    let said = step(&folder, "ci/guard.sh old new", &[("CIPHERMETER", "./nowhere")]);
    assert_eq!(said.code, Some(127), "{said:?}");
}

/// The page's and the workflow's words are ones that the program takes.
#[test]
fn every_job_asks_for_what_there_is() {
    let workflow = text("regression-guard.yml");
    let options: Vec<&str> = workflow.lines().filter_map(|line| line.trim().strip_prefix("options: ")).collect();
    assert_eq!(options.len(), 3);
    let folder = TestFolder::new();
    for options in options {
        let words: Vec<&str> = options.split(' ').collect();
        let said = folder.run(&[&["guard", "", ""], &words[..]].concat());
        assert!(said.err.contains("OLD `` names nothing"), "{options}: {said:?}");
    }
}
