//! `export` as SVG and PNG: every stored run, the choice of the format, and what is refused.

use std::fs;

use crate::common::{CommandOutput, STORE, TestFolder};

#[track_caller]
fn fine(said: &CommandOutput) {
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
}

#[track_caller]
fn refuses(said: &CommandOutput, words: &[&str]) {
    fails(said, 2, words);
}

#[track_caller]
fn fails(said: &CommandOutput, code: i32, words: &[&str]) {
    assert_eq!((said.code, said.out.as_str()), (Some(code), ""), "{said:?}");
    assert!(words.iter().all(|word| said.err.contains(word)), "{words:?}: {}", said.err);
}

/// Words that the figure of a run has.
#[track_caller]
fn draws(run: &str, words: &[&str]) {
    let folder = TestFolder::with_runs();
    let said = folder.run(&["export", run, "--format", "svg"]);
    fine(&said);
    for word in words {
        assert!(said.out.contains(word), "no {word} in run {run}: {}", said.out);
    }
    assert!(
        said.out.starts_with("<svg width=\"640\" height=\"") && said.out.trim_end().ends_with("</svg>"),
        "{}",
        said.out
    );
    assert_eq!(folder.run(&["export", run, "--format", "svg"]).out, said.out, "the same again");
    assert!(fs::read(folder.path("runs.db")).expect("the store") == STORE, "drawing changes nothing");
}

#[test]
fn run_whose_core_was_hardly_ever_undisturbed_has_nothing_to_draw() {
    let folder = TestFolder::with_runs();
    for run in ["10", "11"] {
        let said = folder.run(&["export", run, "--format", "svg"]);
        assert_eq!((said.code, said.out.as_str()), (Some(4), ""), "{said:?}");
        assert!(said.err.contains("has nothing to draw"), "{said:?}");
    }
}

#[test]
fn draws_every_run_that_has_figures() {
    draws("1", &["AES or ChaCha20?", "messages of 1 KiB", "openssl ChaCha20-Poly1305", "GB/s", "90 % of the samples"]);
    draws("3", &["Does it scale with threads?", "all threads, GB/s", "aws-lc"]);
    draws("4", &["How long does a single call take?", "p99.9", "time of a call"]);
    draws("5", &["Peak memory to seal", "MiB", "throughput, GB/s"]);
    draws("6", &["Files: AES or ChaCha20?", "Files of 10 KiB", "MB/s", "bound"]);
    draws("7", &["Does it keep its speed?", "throughput, MB/s", "time, s", "No lasting drop"]);
    draws("8", &["AES or ChaCha20?", "messages of 1 KiB", "GB/s"]);
    draws("9", &["Did it become slower?", "new ÷ old", "ring AES-256-GCM seal 1 KiB"]);
    draws("12", &["How fast is it?", "threads, cut off", "fewer than six undisturbed forks"]);
    draws("14", &["AES or ChaCha20?", "--cpu no-vaes"]);
}

/// Runs that were killed early.
#[test]
fn refuses_a_run_without_figures_and_keeps_the_file() {
    for run in ["2", "13"] {
        let folder = TestFolder::with_runs();
        folder.write("chart.svg", "kept");
        for file in ["chart.svg", "new.png"] {
            let said = folder.run(&["export", run, "-o", file]);
            fails(&said, 4, &[&format!("run {run} has nothing to draw"), "ended too early", "prints all that it has"]);
        }
        assert_eq!(folder.run(&["report", run, "--figures", "figures"]).code, Some(4));
        assert_eq!(fs::read_to_string(folder.path("chart.svg")).expect("the file"), "kept");
        assert!(!folder.path("new.png").exists());
    }
}

/// Whatever prints it.
#[test]
fn run_in_which_nothing_was_measured_ends_with_4() {
    let folder = TestFolder::new();
    folder.write("runs.db", STORE);
    drop(ciphermeter_store::Store::open(&folder.path("runs.db")).expect("a store"));
    let store = rusqlite::Connection::open(folder.path("runs.db")).expect("a store");
    store.execute_batch("DELETE FROM round WHERE run = 1").expect("no samples");
    for command in
        ["show 1", "show 1 --json", "rank 1", "export 1", "export 1 --format bmf", "export 1 --format svg", "report 1"]
    {
        let said = folder.run(&command.split(' ').collect::<Vec<_>>());
        assert_eq!(said.code, Some(4), "{command}: {}", said.err);
    }
}

#[test]
fn refuses_to_replace_any_store() {
    let folder = TestFolder::with_runs();
    folder.write("laptop.db", STORE);
    std::os::unix::fs::symlink("laptop.db", folder.path("link.json")).expect("a link");
    for file in ["laptop.db", "link.json", "runs.db"] {
        let said = folder.run(&["export", "1", "--format", "json", "-o", file]);
        refuses(&said, &[&format!("cannot write {file}: runs are kept there; give another file")]);
    }
    assert!(fs::read(folder.path("laptop.db")).expect("the store") == STORE);
}

#[test]
fn picks_the_format_from_the_ending() {
    let folder = TestFolder::with_runs();
    let begins = [("a.json", "{\"schema\":2"), ("a.csv", "run,started,cell"), ("a.svg", "<svg "), ("b.SVG", "<svg ")];
    for (file, begin) in begins {
        fine(&folder.run(&["export", "1", "-o", file]));
        let text = fs::read_to_string(folder.path(file)).expect("the file");
        assert!(text.starts_with(begin), "{file}");
    }
    fine(&folder.run(&["export", "1", "-o", "a.png"]));
    assert!(fs::read(folder.path("a.png")).expect("the file").starts_with(b"\x89PNG\r\n\x1a\n"));
    fine(&folder.run(&["export", "1", "--format", "csv", "-o", "odd.png"]));
    let text = fs::read_to_string(folder.path("odd.png")).expect("the file");
    assert!(text.starts_with("run,started,cell"), "what is said explicitly counts");
    fine(&folder.run(&["export", "1", "--format", "bmf", "-o", "no-ending"]));
    assert!(folder.run(&["export", "1"]).out.starts_with("{\"schema\":2"), "standard output gets JSON");
}

/// Before the store is opened: there is none.
#[test]
fn refuses_an_unknown_ending() {
    let folder = TestFolder::new();
    for file in ["chart.pdf", "chart", "run.txt", "chart.png.gz"] {
        let said = folder.run(&["export", "-o", file]);
        let endings = [".json, .csv, .md, .svg or .png", "--format", "benchstat", "bmf", "markdown", "png"];
        refuses(&said, &[file, "cannot tell the format"]);
        refuses(&said, &endings);
    }
    refuses(&folder.run(&["export", "-o", "chart.svg"]), &["there is no store"]);
}

/// Through a terminal of util-linux's `script`, where it is installed.
#[test]
#[cfg(target_os = "linux")]
fn refuses_a_png_on_a_terminal() {
    let folder = TestFolder::new();
    let harness = folder.ciphermeter(&["export", "--format", "png"]);
    let mut script = std::process::Command::new("script");
    script.args(["-qec", &format!("'{}' export --format png", harness.get_program().display()), "/dev/null"]);
    script.current_dir(folder.path(""));
    for (name, value) in harness.get_envs().filter_map(|(name, value)| Some((name, value?))) {
        script.env(name, value);
    }
    let Ok(output) = script.output() else {
        println!("skipped: script is not installed");
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout).replace(['\r', '\n'], " ");
    assert!(said.contains("-o chart.png") && output.status.code() == Some(2), "{said}");
}
