//! The program's own documentation: help, manual pages, completions, and lists of what can be measured.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::common::TestFolder;

/// The description of the command that is for programs.
const HIDDEN: &str = "Be a worker";

/// The page that is made from help, and how it begins.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/commands.md");
const HEAD: &str = "# Commands

What `ciphermeter help COMMAND` prints; `ciphermeter` alone takes all options of `run`. This page is made from it by
`CIPHERMETER_REGENERATE=1 cargo test --release -p ciphermeter --test main -- pages`. [Reading a run](reading-a-run.md)
explains the output, [configuration](configuration.md) files of options, stores and permissions.
";

/// All commands for users as help orders them, like `study show`; the program itself, without a name, comes first.
fn all(folder: &TestFolder) -> Vec<String> {
    let mut all = Vec::new();
    let mut open = vec![String::new()];
    while let Some(names) = open.pop() {
        let help = help(folder, &names);
        open.extend(inner(&help).iter().rev().map(|name| format!("{names} {name}").trim_start().to_owned()));
        all.push(names);
    }
    for known in ["run", "study show", "workers check"] {
        assert!(all.iter().any(|names| names == known), "no {known} in {all:?}");
    }
    all
}

/// The commands that a help lists, except `help`.
fn inner(help: &str) -> Vec<&str> {
    let list = help.split("\n\n").find_map(|block| block.strip_prefix("Commands:\n")).unwrap_or_default();
    let firsts = list.lines().filter_map(|line| line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')));
    firsts.filter_map(|line| line.split(' ').next()).filter(|name| *name != "help").collect()
}

fn help(folder: &TestFolder, names: &str) -> String {
    let mut command = folder.ciphermeter(&[&["help"], &words(names)[..]].concat());
    let said = crate::common::CommandOutput::of(command.env("COLUMNS", "80").output().expect("an output"));
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{names}");
    said.out
}

fn words(names: &str) -> Vec<&str> {
    names.split_whitespace().collect()
}

/// A command's output; it must have succeeded without complaints.
#[track_caller]
fn printed(folder: &TestFolder, arguments: &[&str]) -> String {
    let said = folder.run(arguments);
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{arguments:?}");
    assert!(!said.out.is_empty(), "{arguments:?}");
    said.out
}

/// Feeds a text to another program, where that is installed; returns its complaints.
fn complaints(program: &[&str], text: &str) -> Option<String> {
    let started = Command::new(program[0])
        .args(&program[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = started else {
        eprintln!("skipped: {} is not installed", program[0]);
        return None;
    };
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("an output");
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    Some(if output.status.success() { complaints } else { format!("{}: {complaints}", output.status) })
}

#[test]
fn help_fits_into_80_columns() {
    let folder = TestFolder::new();
    for names in all(&folder) {
        for flag in ["-h", "--help"] {
            let mut command = folder.ciphermeter(&[&words(&names)[..], &[flag]].concat());
            command.env("COLUMNS", "80").env_remove("CIPHERMETER_WORKERS");
            let said = crate::common::CommandOutput::of(command.output().expect("an output"));
            assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{names:?}");
            assert!(said.out.contains("Usage: ciphermeter"), "{}", said.out);
            for line in said.out.lines() {
                assert!(line.chars().count() <= 80, "{names:?}: {line}");
            }
            assert!(!said.out.contains(HIDDEN), "hidden: {}", said.out);
        }
    }
}

#[test]
fn help_groups_the_options_of_a_run() {
    let folder = TestFolder::new();
    for arguments in [&["--help"][..], &["run", "--help"]] {
        let help = printed(&folder, arguments);
        let headings = ["What to measure:", "How long and how precisely:", "Comparing:", "Output:"];
        let places: Vec<_> = headings.iter().map(|heading| help.find(heading).expect("a heading")).collect();
        assert!(places.is_sorted(), "{help}");
    }
    let help = printed(&folder, &["--help"]);
    for words in ["./ciphermeter.toml", "ciphermeter/config.toml", "environment", "Exit codes: 0 success"] {
        assert!(help.contains(words), "no {words:?} in {help}");
    }
}

/// docs/commands.md is what help says, but for the program's own options, which are those of `run`.
#[test]
fn page_of_commands_is_their_help() {
    let folder = TestFolder::new();
    let run = help(&folder, "run");
    let mut page = HEAD.to_owned();
    for names in all(&folder) {
        let help = help(&folder, &names);
        let blocks = help.trim_end().split("\n\n").filter(|block| !names.is_empty() || !run.contains(block));
        let text = blocks.collect::<Vec<_>>().join("\n\n");
        let (level, title) = ("#".repeat(2 + names.matches(' ').count()), format!("ciphermeter {names}"));
        page += &format!("\n{level} {}\n\n```\n{text}\n```\n", title.trim_end());
    }
    if std::env::var_os("CIPHERMETER_REGENERATE").is_some() {
        std::fs::write(PAGE, page).expect("a page");
        return;
    }
    let found = std::fs::read_to_string(PAGE).expect("the page");
    let differs = page.lines().zip(found.lines()).find(|(made, found)| made != found);
    assert!(found == page, "docs/commands.md is not what help says; its head says how to make it: {differs:?}");
}

#[test]
fn manual_pages() {
    let folder = TestFolder::new();
    for names in all(&folder) {
        let page = printed(&folder, &[&["man"], &words(&names)[..]].concat());
        for section in [".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION"] {
            assert!(page.contains(section), "{names:?}: no {section}");
        }
        assert!(!page.contains(HIDDEN), "{names:?}: hidden commands are not for people");
        for formatter in [&["groff", "-man", "-Tutf8", "-Kutf8", "-ww"][..], &["mandoc", "-Tlint", "-Werror"]] {
            if let Some(complaints) = complaints(formatter, &page) {
                assert_eq!(complaints, "", "{names:?} by {}", formatter[0]);
            }
        }
    }
    let page = printed(&folder, &["man"]);
    let named = ["ENVIRONMENT", "FILES", "EXIT STATUS", "CIPHERMETER_BUDGET", "CIPHERMETER_OPENSSL", "NO_COLOR"];
    for words in named.into_iter().chain(["config.toml", "\\-\\-algorithm", "ciphermeter\\-run(1)"]) {
        assert!(page.contains(words), "no {words:?} in the main page");
    }
    let said = folder.run(&["man", "tea"]);
    assert_eq!((said.code, said.out.as_str()), (Some(2), ""));
    assert!(said.err.contains("there is no command `tea`; there are run, list,"), "{}", said.err);
}

/// The page shows an example file of options, which must be valid.
#[test]
fn manual_pages_example_is_a_valid_file_of_options() {
    let folder = TestFolder::new();
    let page = printed(&folder, &["man"]);
    let (_, example) = page.split_once(".nf\n").expect("an example");
    let (example, _) = example.split_once(".fi\n").expect("an end");
    let example = example.replace("\\-", "-").replace("\\.", ".").replace("\\*(Aq", "'");
    assert_eq!(example.lines().count(), 12, "{example}");
    folder.write("config/ciphermeter/config.toml", &example);
    let help = printed(&folder, &["run", "--help"]);
    assert!(help.contains("[default: 2min]") || help.contains("[default: 120s]"), "{help}");
}

#[test]
fn completions() {
    let folder = TestFolder::new();
    let names = all(&folder).join(" ");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = printed(&folder, &["completions", shell]);
        for words in words(&names).into_iter().chain(["ciphermeter", "algorithm", "chacha20-poly1305", "in-place"]) {
            assert!(script.contains(words), "{shell}: no {words}");
        }
        assert!(!script.contains(HIDDEN), "{shell}: hidden commands are not for people");
        let parser = match shell {
            "bash" => &["bash", "-n"][..],
            "zsh" => &["zsh", "-n"],
            "fish" => &["fish", "--no-execute"],
            _ => continue,
        };
        if let Some(complaints) = complaints(parser, &script) {
            assert_eq!(complaints, "", "{shell}");
        }
    }
}

#[test]
fn lists_show_what_can_be_measured() {
    let folder = TestFolder::new().with_worker("honest");
    let scenarios = printed(&folder, &["list", "scenarios"]);
    for words in ["messages (the default): ", "self-check: ", "aes-256-gcm", "messages of 16, "] {
        assert!(scenarios.contains(words), "no {words:?} in {scenarios}");
    }
    let algorithms = printed(&folder, &["list", "algorithms"]);
    assert!(algorithms.contains("xchacha20-poly1305  AEAD     32    24  16  key-setup, seal, open"), "{algorithms}");
    let providers = printed(&folder, &["list", "providers"]);
    for words in
        ["Rust\n", "ring 0.17", "3 algorithms (code path): aes-128-gcm (", "Python\n  bad 1 (python)", " languages, "]
    {
        assert!(providers.contains(words), "no {words:?} in {providers}");
    }
    for text in [scenarios, algorithms, providers] {
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}

#[test]
fn missing_provider_is_listed_with_the_reason() {
    let folder = TestFolder::new().with_worker("honest");
    folder.write(
        "workers/tea/worker.toml",
        "name = \"tea\"\nlanguage = \"Tea\"\nbuilt = \"pot\"\nproviders = [\"tea\"]\ncheck = [\"true\"]\nneeds = \"a kettle\"\nbuild = [\"true\"]\nrun = [\"./pot\"]\n",
    );
    let providers = printed(&folder, &["list", "providers"]);
    assert!(providers.contains("tea is not measured: the worker tea is not built"), "{providers}");
}

#[test]
fn help_on_openssl_speed_measures_both_counts() {
    let folder = TestFolder::new();
    let help = folder.run(&["help", "openssl-speed"]);
    assert!(help.out.contains("does not seal messages"), "{help:?}");
    assert!(help.out.lines().count() <= 24, "{help:?}");
    assert!(help.out.lines().all(|line| line.chars().count() <= 80), "{help:?}");
    match help.code {
        Some(0) => {
            let row = help.out.lines().find(|line| line.starts_with("  1 KiB")).expect("a row");
            let figures: Vec<f64> = row.split_whitespace().skip(2).map(|figure| figure.parse().unwrap()).collect();
            assert_eq!(figures.len(), 4, "{row}");
            // No message of ChaCha20-Poly1305 is finished there, so that a whole one is slower on any CPU.
            assert!(figures[1] > figures[3], "{row}");
        }
        code => assert!(code == Some(5) && help.out.contains("Not measured here: "), "{help:?}"),
    }
}

#[test]
fn help_on_openssl_speed_says_why_a_file_is_no_libcrypto() {
    let folder = TestFolder::new();
    let no_library = folder.path("no-libcrypto.so");
    std::fs::write(&no_library, "no library").expect("a file");
    let output = Command::new(crate::common::BINARY)
        .args(["help", "openssl-speed"])
        .env("CIPHERMETER_OPENSSL", &no_library)
        .output()
        .expect("the harness starts");
    let out = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(output.status.code(), Some(5));
    assert!(out.contains("Not measured here: ") && out.contains("no-libcrypto.so"), "{out}");
}
