//! `run sustained --transfer`, from the first byte to the exports, with this program at both ends.

use std::fs;
use std::process::{Command, Stdio};

use crate::common::{CommandOutput, TestFolder, power_meter, wait_until};
use serde_json::Value;

/// Files of 20 MiB, so that many begin and end within a step.
const SHORT: [&str; 6] = ["run", "sustained", "--transfer", "--quiet", "--message", "20MiB"];

/// A folder in which temporary files are counted, too.
fn folder() -> TestFolder {
    let folder = TestFolder::new();
    fs::create_dir(folder.path("tmp")).expect("a folder");
    folder
}

fn ciphermeter(folder: &TestFolder, more: &[&str]) -> Command {
    let mut command = folder.ciphermeter(&[&SHORT[..], more].concat());
    command.env("TMPDIR", folder.path("tmp")).env("XDG_CACHE_HOME", folder.path("cache"));
    command
}

fn run(folder: &TestFolder, more: &[&str]) -> CommandOutput {
    CommandOutput::of(ciphermeter(folder, more).output().expect("the harness starts"))
}

fn nothing_is_left(folder: &TestFolder) {
    wait_until("its processes are gone", || folder.processes().is_empty());
    assert_eq!(fs::read_dir(folder.path("tmp")).expect("a folder").count(), 0, "the file is gone");
}

#[test]
#[ignore = "deep: 12 s on all CPUs"]
fn twelve_seconds() {
    let folder = folder();
    let said = run(&folder, &["--budget", "12s", "--json", "-", "--meter", &power_meter(10)]);
    // With steps of over a second, twelve seconds are too short to find a fall in: exit code 5.
    assert!(matches!(said.code, Some(0 | 5)), "{said:?}");
    nothing_is_left(&folder);
    let document = said.json();
    folder.fits_the_schema(&document);
    assert_eq!(folder.run(&["export"]).json(), document, "the store gives back what was measured");
    assert_eq!(
        (document["run"]["status"].as_str(), document["records"][0]["outcome"]["is"].as_str()),
        (Some("complete"), Some("measured"))
    );
    let why = document["run"]["notes"][0].as_str().unwrap_or_default();
    assert!(why.contains(" was chosen because the slower end does "), "{why}");

    let steps = &document["records"][0]["samples"][0];
    let column = |key: &str| steps[key].as_array().unwrap_or_else(|| panic!("{key} of {steps}")).clone();
    let sum = |key: &str| column(key).iter().filter_map(Value::as_u64).sum::<u64>();
    for key in ["ns", "bytes", "cpu_ns", "peer_cpu_ns", "energy_machine_uj"] {
        assert_eq!(column(key).len(), column("elapsed_ns").len(), "an entry for each step: {steps}");
        assert!(sum(key) > 0, "{key} of {steps}");
    }
    // How long a step is, the meter's tests say on simulated machines; here one is as long as the
    // machine was busy.
    assert!(sum("elapsed_ns") >= 12_000_000_000 && sum("elapsed_ns") >= sum("ns"), "{steps}");
    // A busy machine reads the meter late: the energy of such a step isn't known, and its time doesn't count.
    let (uj, ns) = column("energy_machine_uj")
        .iter()
        .zip(column("elapsed_ns"))
        .filter_map(|(uj, ns)| Some((uj.as_f64()?, ns.as_f64()?)))
        .fold((0.0, 0.0), |sums, step| (sums.0 + step.0, sums.1 + step.1));
    let watts = uj * 1e3 / ns;
    assert!((18.0..22.0).contains(&watts), "the meter says 20 W: {watts} in {steps}");
    if cfg!(target_os = "linux") {
        // Some 20 MiB are pages of the executable and grow with it. A whole file would add another 20.
        assert!(
            column("rss").iter().chain(&column("peer_peak_rss")).all(|rss| rss.as_u64() < Some(40 << 20)),
            "{steps}"
        );
    }
    let told = &document["records"][0]["course"];
    assert!(told["before"]["mid"].as_f64() > Some(0.0) && told["statement"].is_string(), "{told}");

    let steps = column("ns").len();
    let page = folder.run(&["show", "--all"]).out;
    assert!(page.lines().all(|line| line.chars().count() <= 80), "{page}");
    let statement = told["statement"].as_str().unwrap_or_default();
    assert!(page.replace('\n', " ").contains(statement) && page.contains("throughput, MB/s"), "{page}");
    assert!(statement.contains("The machine drew "), "{statement}");
    // A meter that is read late on a busy machine has a gap; then what the idle machine draws isn't known.
    let idle = document["host"]["idle power of the machine"].is_string();
    assert_eq!(statement.contains(" W of the idle machine, "), idle, "{statement}");
    assert!(page.contains("power of the machine, W"), "{page}");
    let csv = folder.run(&["export", "--format", "csv"]).out;
    assert!(csv.starts_with("time_s,seconds,MB_per_s,frequency_MHz,temperature_C,sender_cpu,"), "{csv}");
    assert_eq!(csv.lines().count(), 1 + steps);
    let refused = folder.run(&["export", "--format", "csv", "--columns", "study"]);
    assert!(refused.code == Some(2) && refused.err.contains("is of kind sustained"), "{refused:?}");
    assert!(folder.run(&["list"]).out.contains("sustained"));
}

#[test]
fn suite_can_be_requested() {
    let folder = folder();
    // Options for other runs do not apply to it.
    folder.write("ciphermeter.toml", "precision = \"1%\"\n");
    let said = interrupted(&folder, &["--algorithm", "chacha20-poly1305"]);
    assert!(said.out.contains("chacha20-poly1305: files of 20 MiB one after another"), "{}", said.out);
}

/// Interrupts a run after some steps.
fn interrupted(folder: &TestFolder, more: &[&str]) -> CommandOutput {
    let mut command = ciphermeter(folder, &[&["--budget", "5min"], more].concat());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the harness starts");
    wait_until("some steps", || {
        let said = folder.run(&["export", "--format", "csv"]);
        said.code == Some(0) && said.out.lines().count() > 3
    });
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    CommandOutput::of(child.wait_with_output().expect("it ends"))
}

#[test]
fn any_cell_can_be_sustained() {
    let folder = folder();
    let load = ["run", "sustained", "--quiet", "--operation", "seal", "--algorithm", "aes-256-gcm"];
    let several = folder.run(&load);
    assert!(several.code == Some(2) && several.err.contains("a sustained load measures one cell, but"), "{several:?}");
    let said = folder.run(&[&load[..], &["--provider", "ring", "--budget", "10s", "--json", "-"]].concat());
    assert!(matches!(said.code, Some(0 | 5)), "ten seconds are too short to find a fall in: {said:?}");
    let document = said.json();
    folder.fits_the_schema(&document);
    let record = &document["records"][0];
    assert_eq!((record["provider"].as_str(), record["outcome"]["is"].as_str()), (Some("ring"), Some("measured")));
    let elapsed = record["samples"][0]["elapsed_ns"].as_array().expect("a column");
    assert!(elapsed.iter().filter_map(Value::as_u64).sum::<u64>() >= 10_000_000_000, "{record}");
    let page = folder.run(&["show", "--all"]).out;
    assert!(page.contains("aes-256-gcm: seal") && page.contains("CPU time of the worker"), "{page}");
    assert!(!page.contains("receiver"), "{page}");
}

#[test]
fn interrupt_keeps_measured_steps() {
    let folder = folder();
    let said = interrupted(&folder, &[]);
    assert_eq!(said.code, Some(130), "{said:?}");
    assert!(said.out.contains("interrupted") && said.out.contains("Too short to distinguish"), "{}", said.out);
    nothing_is_left(&folder);
    let steps = folder.run(&["export", "--format", "csv"]).out.lines().count();
    assert!(steps > 3);
    let again = folder.run(&["run", "--resume=1", "--quiet"]);
    assert!(again.code == Some(2) && again.err.contains("cannot be resumed"), "{again:?}");
}

#[test]
fn dead_receiver_ends_the_run_and_samples_are_kept() {
    let folder = folder();
    let mut command = ciphermeter(&folder, &["--budget", "5min"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the harness starts");
    wait_until("some steps", || {
        let said = folder.run(&["export", "--format", "csv"]);
        said.code == Some(0) && said.out.lines().count() > 2
    });
    let receiver = folder.processes().into_iter().map(|(id, _)| id).find(|id| *id != child.id()).expect("a receiver");
    Command::new("kill").args(["-KILL", &receiver.to_string()]).status().expect("kill");
    let said = CommandOutput::of(child.wait_with_output().expect("it ends"));
    assert_eq!(said.code, Some(5), "{said:?}");
    nothing_is_left(&folder);
    let notes = folder.run(&["export"]).json()["run"]["notes"].to_string();
    assert!(notes.contains("the load ended after"), "{notes}");
}

#[test]
fn impossible_requests_are_refused() {
    let folder = folder();
    for (arguments, why) in [
        (
            &["run", "sustained", "--transfer", "--budget", "5s"][..],
            "5s is too short to distinguish a fall from noise: use --budget 10s",
        ),
        (&["run", "sustained", "--transfer", "--algorithm", "aes-256-siv"], "transfer"),
        (&["run", "sustained", "--transfer", "--message", "1MiB,2MiB"], "one of `messages`"),
        (&["run", "sustained", "--transfer", "--form", "file"], "writes no file"),
        (&["run", "sustained", "--transfer", "--operation", "seal"], "remove one of them"),
        (&["run", "sustained", "--transfer", "--against", "old"], "remove --against"),
        (&["run", "sustained", "--operation", "seal,open"], "one of `operations`"),
        (&["run", "sustained", "--latency"], "leave `latency` and `memory` out"),
        (&["run", "messages", "--transfer"], "`ciphermeter run sustained --transfer`"),
        (&["run", "--resume", "--transfer"], "leave --transfer out"),
    ] {
        let said = folder.run(arguments);
        assert!(said.code == Some(2) && said.err.contains(why), "{arguments:?}: {said:?}");
    }
    assert!(!folder.path("runs.db").exists(), "no store is made for nothing");
}
