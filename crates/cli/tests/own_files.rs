//! `run parallel --input` and `--keep-output`: a file of the user's own, which nothing but the user ever changes.

use std::fs;
use std::os::unix::fs::FileExt;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;

use crate::common::{BINARY, CommandOutput, ENOUGH, TestFolder, wait_until};

/// The shortest that is measured, and a bit.
const BYTES: usize = (4 << 20) + 12_345;

fn folder_with_input() -> (TestFolder, Vec<u8>) {
    let folder = TestFolder::new();
    let text: Vec<u8> = (0..BYTES).map(|at| (at * at / 7) as u8).collect();
    fs::write(folder.path("input"), &text).expect("a file");
    (folder, text)
}

fn run(folder: &TestFolder, more: &[&str]) -> CommandOutput {
    let usual = ["run", "parallel", "--input", "input", "--threads", "1", "--quiet"];
    folder.run(&[&usual[..], more].concat())
}

#[test]
fn file_is_encrypted_and_verified_and_outputs_stay_where_they_are_asked_for() {
    let (folder, text) = folder_with_input();
    let ways = ["--provider", "rustcrypto,ceiling", "--form", "mapped,buffered"];
    let said = run(&folder, &[&ways[..], &ENOUGH, &["--keep-output", "kept"]].concat());
    assert!(matches!(said.code, Some(0 | 5)), "{said:?}");
    assert_eq!(fs::read(folder.path("input")).expect("the file"), text, "the input is as it was");
    let document = folder.run(&["export", "1"]).json();
    folder.fits_the_schema(&document);
    assert!(document["host"]["input"].as_str().is_some_and(|input| input.ends_with("/input")), "{}", document["host"]);
    for record in document["records"].as_array().expect("records") {
        assert_eq!(record["outcome"]["is"], "measured", "{record}");
        assert_eq!(record["parameters"]["message"], BYTES as u64);
    }
    for form in ["mapped", "buffered"] {
        let kept = |provider: &str, algorithm: &str| {
            let name = format!("kept/{provider}-{algorithm}-{form}-1-threads-{BYTES}.bin");
            fs::read(folder.path(&name)).expect("an output that was kept")
        };
        assert_eq!(kept("rustcrypto", "aes-256-ctr").len(), BYTES);
        // XOR with a key of 32 bytes.
        let xored = kept("ceiling", "xor");
        let key: Vec<u8> = xored[..32].iter().zip(&text).map(|(left, right)| left ^ right).collect();
        assert!(key.iter().any(|byte| *byte != 0));
        assert!(xored.iter().zip(&text).zip(key.iter().cycle()).all(|((left, right), key)| left ^ right == *key));
    }
    let again = run(&folder, &["--keep-output", "kept"]);
    assert!(again.code == Some(2) && again.err.contains("it exists already"), "{again:?}");
}

#[test]
fn command_beside_an_output_that_is_kept_decrypts_it() {
    if !Command::new("openssl").arg("version").output().is_ok_and(|said| said.status.success()) {
        eprintln!("skipped: the command openssl is not installed");
        return;
    }
    let (folder, text) = folder_with_input();
    let ways = ["--provider", "rustcrypto,ceiling", "--form", "mapped,buffered,direct"];
    let said = run(&folder, &[&ways[..], &ENOUGH, &["--keep-output", "kept"]].concat());
    assert!(matches!(said.code, Some(0 | 5)), "{said:?}");
    let mut decrypted = 0;
    for entry in fs::read_dir(folder.path("kept")).expect("the folder").flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|end| end == "txt") {
            let ran = Command::new("sh").arg(&path).current_dir(folder.path("kept")).output().expect("it runs");
            assert!(ran.status.success(), "{}: {ran:?}", path.display());
            assert!(fs::read(folder.path("kept/decrypted")).expect("a file") == text, "{}", path.display());
            decrypted += 1;
        }
    }
    assert!(decrypted >= 4, "{decrypted}");
}

#[test]
fn run_that_measures_nothing_leaves_no_outputs() {
    let (folder, _) = folder_with_input();
    let said = run(&folder, &["--keep-output", "kept", "--provider", "nobody"]);
    assert!(matches!(said.code, Some(2 | 4)) && !folder.path("kept").exists(), "{said:?}");
}

/// How another program changes the file.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Change {
    Writes,
    Shrinks,
    /// It sets the time of the last change back.
    Hides,
    /// Through a mapping that it has had since before the run.
    Maps,
}

/// Changes the file again and again, from when something of it is measured until the run is done.
fn change(folder: &TestFolder, text: &[u8], change: Change, done: &AtomicBool) {
    let path = folder.path("input");
    let file = fs::File::options().read(true).write(true).open(path).expect("the file");
    let written = file.metadata().and_then(|file| file.modified()).expect("a time");
    // SAFETY: nothing else in this process has it mapped.
    let mut map = unsafe { memmap2::MmapMut::map_mut(&file) }.expect("a mapping");
    map[0] = text[0];
    let is_measured = || folder.records().iter().any(|record| !record.forks.is_empty());
    wait_until("something is measured", || is_measured() || done.load(Ordering::Relaxed));
    for turn in 0u8.. {
        if done.load(Ordering::Relaxed) {
            break;
        }
        let changed: Vec<u8> = text.iter().map(|byte| byte ^ turn | 1).collect();
        match change {
            Change::Shrinks => file.set_len(BYTES as u64 / 2).expect("a shorter file"),
            Change::Maps => map.copy_from_slice(&changed),
            Change::Writes | Change::Hides => file.write_all_at(&changed, 0).expect("another text"),
        }
        if change == Change::Hides {
            file.set_modified(written).expect("the time set back");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn file_that_changes_meanwhile_is_the_reason_and_no_provider_is_blamed() {
    for how in [Change::Writes, Change::Shrinks, Change::Hides, Change::Maps] {
        let (folder, text) = folder_with_input();
        let done = AtomicBool::new(false);
        let said = std::thread::scope(|scope| {
            scope.spawn(|| change(&folder, &text, how, &done));
            let long = ["--budget", "12s", "--precision", "0.1%"];
            let ways = [&["--provider", "rustcrypto", "--form", "mapped,buffered"][..], &long].concat();
            let said = run(&folder, &ways);
            done.store(true, Ordering::Relaxed);
            said
        });
        // Some cells may have enough forks for a figure.
        assert!(matches!(said.code, Some(4 | 5)), "{how:?}: {said:?}");
        assert!(!said.out.contains("WRONG OUTPUT"), "{how:?}: {}", said.out);
        let document = folder.run(&["export", "1"]).json();
        let failed: Vec<&Value> = document["records"]
            .as_array()
            .expect("records")
            .iter()
            .map(|record| &record["outcome"])
            .filter(|outcome| outcome["is"] != "measured")
            .collect();
        assert!(!failed.is_empty(), "{how:?}: {document}");
        for outcome in failed {
            let why = outcome["why"].as_str().expect("a reason");
            // The last is what a busy machine leaves time for.
            let expected = [
                "changed while it was encrypted", "another program shortened it", "another program changed it",
                "of the budget remain",
            ];
            assert!(expected.iter().any(|words| why.contains(words)), "{how:?}: {why}");
        }
    }
}

#[test]
fn resumed_run_refuses_a_file_that_holds_something_else() {
    let (folder, mut text) = folder_with_input();
    let ways = ["--provider", "rustcrypto", "--form", "buffered", "--budget", "60s", "--precision", "0.01%"];
    let mut run = folder.ciphermeter(&[&["run", "parallel", "--input", "input", "--threads", "1"], &ways[..]].concat());
    let mut running = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
    wait_until("the run is stored", || folder.run(&["list"]).out.contains("parallel"));
    running.kill().expect("it is ended");
    running.wait().expect("it has ended");
    text[BYTES / 2] ^= 1;
    fs::write(folder.path("input"), &text).expect("another text of the same length");
    let said = folder.run(&["run", "--resume", "--input", "input"]);
    let words = words(&said.err);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(words.contains("another program changed it since run 1 began") && words.contains("start a new run"));
}

#[test]
fn what_cannot_be_measured_is_refused_with_the_remedy() {
    let (folder, _) = folder_with_input();
    fs::write(folder.path("short"), b"short").expect("a file");
    for (arguments, why) in [
        (&["--input", "missing"][..], "missing: it cannot be read"),
        (&["--input", "."], "it is a folder"),
        (&["--input", "/dev/null"], "it is a device, and every way of encrypting reads the input again"),
        (&["--input", "short"], "it has 5 bytes, too few to measure: name a file of 4MiB or more"),
        (&["--input", "input", "--message", "1MiB"], "--input says how long the message is: remove --message"),
        (&["--input", "input", "--form", "static"], "use --form mapped,buffered,direct"),
        (&["--keep-output", "kept"], "static does not: use --form mapped,buffered,direct"),
        (&["--keep-output", "input", "--form", "mapped"], "--keep-output"),
        (&["--input", "input", "--against", "libcrypto.so"], "cannot be used with"),
        (&["--input", "input", "--worker", "cat"], "cannot be used with"),
    ] {
        let said = folder.run(&[&["run", "parallel"], arguments].concat());
        let words = words(&said.err);
        assert!(said.code == Some(2) && words.contains(why), "{arguments:?}: {said:?}");
    }
    let said = folder.run(&["run", "tiny.toml", "--input", "input"]);
    assert!(said.code == Some(2) && said.err.contains("--input belongs to the kind parallel"), "{said:?}");
    assert!(!folder.path("kept").exists());
}

/// Words of a text that was wrapped.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs a shell script where a small disk lies on the folder `tmp`; `None` if that is not allowed here.
fn on_small_disk(folder: &TestFolder, megabytes: u32, script: &str) -> Option<(Option<i32>, String)> {
    let allowed = Command::new("unshare").args(["-Urm", "true"]).status();
    if !allowed.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no namespace with a small disk can be made here");
        return None;
    }
    fs::create_dir(folder.path("tmp")).expect("a folder");
    let tmp = folder.path("tmp").display().to_string();
    let script = format!("mount -t tmpfs -o size={megabytes}m none {tmp} && {script}");
    let mut command = Command::new("unshare");
    command.args(["-Urm", "sh", "-c", &script]).env("TMP", tmp).env("RUN", BINARY).env("STORE", folder.path("runs.db"));
    let output = command.output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    Some((output.status.code(), words(&text)))
}

#[test]
fn disk_without_room_is_named_before_the_run() {
    let folder = TestFolder::new();
    let script = "TMPDIR=$TMP exec $RUN run parallel --message 32MiB --form mapped --threads 1 --provider rustcrypto \
                  --budget 5s --quiet --store $STORE";
    let Some((code, said)) = on_small_disk(&folder, 40, script) else { return };
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("more than half of the 40 MiB that are free there; set TMPDIR to a folder with more"),
        "{said}"
    );
}

#[test]
fn folder_for_temporary_files_that_cannot_be_used_is_named_before_the_run() {
    let folder = TestFolder::new();
    let mut command =
        folder.ciphermeter(&["run", "parallel", "--form", "mapped", "--message", "8MiB", "--provider", "rustcrypto"]);
    let said = CommandOutput::of(command.env("TMPDIR", "/nonexistent").output().expect("it runs"));
    assert_eq!(said.code, Some(2), "{said:?}");
    let words = words(&said.err);
    assert!(words.contains("making a file in /nonexistent") && words.contains("set TMPDIR to a folder"), "{words}");
}
