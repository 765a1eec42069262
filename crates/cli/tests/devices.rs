//! `device` and `run --device`: boards and emulated cores, and what goes wrong with them. Needs `python3`.

use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::fs::{FlockOperation, flock};
use rustix::process::geteuid;
use serde_json::Value;

use crate::common::device::{board_on_a_line, board_on_the_network, metered_board_on_a_line};
use crate::common::power_meter::meter_that_sends;
use crate::common::{BINARY, CommandOutput, TestFolder, wait_until};

/// Half a second of measuring on this machine, beside whatever devices take.
const RUN: [&str; 4] = ["run", "tiny.toml", "--json", "-"];

fn run(folder: &TestFolder, devices: &str) -> CommandOutput {
    folder.run(&[&RUN[..], &["--device", devices]].concat())
}

fn of(said: &CommandOutput, provider: &str) -> Vec<Value> {
    let document = said.json();
    let records = document["records"].as_array().expect("records").clone();
    records.into_iter().filter(|record| record["provider"] == provider).collect()
}

fn notes(said: &CommandOutput) -> Vec<String> {
    let document = said.json();
    document["run"]["notes"].as_array().expect("notes").iter().map(|note| note.as_str().unwrap().into()).collect()
}

/// This machine is measured as if there were no device.
#[track_caller]
fn others_are_measured(said: &CommandOutput) {
    let ceilings = of(said, "ceiling");
    let xor: Vec<_> = ceilings.iter().filter(|record| record["algorithm"] == "xor").collect();
    assert_eq!(xor.len(), 4, "{said:?}");
    for record in xor {
        assert!(record["summary"].is_object() && record.get("device").is_none(), "{record}\n{}", said.err);
    }
}

#[test]
fn emulated_core_is_counted_beside_this_machine() {
    let folder = TestFolder::new().with_device("m4", "honest");
    let said = run(&folder, "qemu:m4");
    assert!(matches!(said.code, Some(0 | 5)), "{said:?}");
    others_are_measured(&said);
    let counted = of(&said, "bad@m4");
    assert_eq!(counted.len(), 4, "{said:?}");
    for record in &counted {
        assert_eq!(record["samples"].as_array().map(Vec::len), Some(2), "{record}");
        for fork in record["samples"].as_array().unwrap() {
            assert_eq!((&fork["instructions"][0], &fork["iterations"][0]), (&32_004.into(), &8.into()));
            assert_eq!(fork["stack_bytes"][0], 312);
            assert!(fork.get("ns").is_none(), "{fork}");
        }
        assert_eq!((&record["summary"], &record["parameters"]["device"]), (&Value::Null, &1.into()));
        assert_eq!((&record["device"]["name"], &record["device"]["emulated"]), (&"m4".into(), &true.into()));
        assert!(record["program"].is_string(), "the image's hash: {record}");
    }
    folder.fits_the_schema(&said.json());
    assert_eq!(said.json()["host"]["devices"], "qemu:m4");
    let shown = folder.run(&["show", "--all"]);
    assert!(shown.out.contains("on m4: instructions"), "{}", shown.out);
    wait_until("no emulator outlives its run", || folder.processes().is_empty());
}

#[test]
fn board_that_resets_in_mid_run_loses_nothing() {
    let folder = TestFolder::new();
    // It is asked what it has, then verified; in its third life, the pilot's, it resets. Each of the four cells has a sample there,
    // however slow the machine.
    let board = board_on_the_network(&["honest", "honest", "resets4", "honest"]);
    let said = run(&folder, &board);
    let name = board.strip_prefix("tcp:").unwrap();
    let measured = of(&said, &format!("bad@{name}"));
    assert!(matches!(said.code, Some(0 | 5)) && measured.len() == 4, "{said:?}");
    for record in &measured {
        assert!(record["summary"].is_object() && record["device"]["clock_hz"] == 16_000_000, "{record}");
    }
    let again = format!("bad@{name} is started again in mid-run, and keeps what was measured: the line to it is gone");
    assert_eq!(notes(&said).iter().filter(|note| note.starts_with(&again)).count(), 1, "{said:?}");
    others_are_measured(&said);
}

#[test]
fn board_that_always_resets_is_out_after_three_times() {
    let folder = TestFolder::new();
    let board = board_on_the_network(&["honest", "honest", "resets5"]);
    let said = run(&folder, &board);
    let name = board.strip_prefix("tcp:").unwrap();
    let why = format!("the worker of bad@{name} failed 3 times, the last time: the line to it is gone");
    let measured = of(&said, &format!("bad@{name}"));
    let is_out = |record: &Value| record["outcome"]["why"].as_str().is_some_and(|text| text.starts_with(&why));
    assert!(said.code == Some(5) && measured.iter().all(is_out), "{said:?}");
    others_are_measured(&said);
}

#[test]
fn board_on_a_line_is_measured_in_time() {
    let folder = TestFolder::new();
    let board = board_on_a_line("honest");
    let name = board.rsplit('/').next().unwrap();
    let said = folder.run(&[&RUN[..], &["--device", &board, "--provider", &format!("bad@{name}")]].concat());
    assert!(said.code == Some(0) || said.code == Some(5), "{said:?}");
    let measured = of(&said, &format!("bad@{name}"));
    assert_eq!(measured.len(), 4, "{said:?}");
    for record in measured {
        assert_eq!(record["outcome"]["is"], "measured", "{record}");
        assert!(record["summary"]["range"]["mid"].as_f64().is_some_and(|ns| ns > 0.0), "{record}");
        assert_eq!((&record["device"]["counts"], &record["device"]["code_in"]), (&Value::Null, &"flash".into()));
        assert!(record["samples"][0]["probe_ps"].is_null());
    }
    folder.fits_the_schema(&said.json());
}

/// The one cell of these tests of charge, on the board at the end of that line.
fn metered(folder: &TestFolder, board: &str, more: &[&str]) -> CommandOutput {
    let provider = format!("bad@{}", board.rsplit('/').next().unwrap());
    let cell = ["--provider", &provider, "--operation", "encrypt", "--message", "64"];
    folder.run(&[&RUN[..], &["--device", board], &cell, more].concat())
}

#[test]
fn charge_comes_from_the_meter_on_the_board() {
    let folder = TestFolder::new();
    let said = metered(&folder, &metered_board_on_a_line(), &[]);
    let document = said.json();
    let record = &document["records"][0];
    let device = &record["device"];
    assert!((device["active_ma"].as_f64().unwrap() - 80.0).abs() < 0.01, "{said:?}");
    assert!((device["idle_ma"].as_f64().unwrap() - 42.0).abs() < 0.01, "{device}");
    let (charge, energy) =
        (device["charge_uc_per_call"].as_f64().unwrap(), device["energy_uj_per_call"].as_f64().unwrap());
    assert!(charge > 0.0 && (energy / charge - 3.3).abs() < 0.01, "{record}");
    let windows: Vec<_> =
        record["samples"].as_array().unwrap().iter().filter(|fork| fork.get("elapsed_ns").is_some()).collect();
    assert_eq!(windows.len(), 3, "{record}");
    assert!(windows.iter().all(|fork| fork.get("ns").is_none()), "no window is compared by its time");
    folder.fits_the_schema(&document);
}

#[test]
fn device_says_what_its_board_has() {
    let folder = TestFolder::new();
    let said = folder.run(&["device", &metered_board_on_a_line()]);
    let text = said.out.replace('\n', " ");
    let heap = "heap free: 180000 B at first, 180000 B after the known answers, 160000 B at the least";
    assert!(said.code == Some(0) && text.contains(heap), "{said:?}");
    assert!(
        text.contains("; its stack reached 2048 B; ") && text.contains("; INA226 measures its current; "),
        "{text}"
    );
}

#[test]
#[ignore = "deep: 20 s"]
fn charge_comes_from_a_bench_meter() {
    let folder = TestFolder::new();
    let meter = meter_that_sends(100, |_| "3.25 V, 81.3 mA");
    let said = metered(&folder, &board_on_a_line("honest"), &["--meter", &meter]);
    let document = said.json();
    let device = &document["records"][0]["device"];
    // It draws as much while it waits, so what the line took counts nothing.
    assert!((device["active_ma"].as_f64().unwrap() - 81.3).abs() < 0.1, "{said:?}");
    assert!((device["idle_ma"].as_f64().unwrap() - 81.3).abs() < 0.1, "{device}");
    assert_eq!(document["host"]["current meter"], meter.as_str());
}

#[test]
fn meter_that_measures_nothing_is_refused() {
    let folder = TestFolder::new().with_device("m4", "honest");
    let meter = meter_that_sends(100, |_| "81.3 mA");
    let why = |devices: &[&str], meter: &str| folder.run(&[&RUN[..], devices, &["--meter", meter]].concat()).err;
    assert!(why(&[], &meter).contains("the board that it feeds; name that with --device"));
    assert!(why(&["--device", "qemu:m4"], &meter).contains("name that with --device"));
    let board = board_on_a_line("honest");
    let said = why(&["--device", &board], "/dev/null");
    assert!(said.contains("--meter /dev/null: it is no serial device"), "{said}");
    let silent = meter_that_sends(100, |_| "12.5 W");
    let said = why(&["--device", &board], &silent);
    assert!(said.contains("it sent no three readings of current within 10 s, but `12.5 W`"), "{said}");
}

#[test]
fn wrong_output_of_a_device_gives_exit_code_3() {
    let folder = TestFolder::new().with_device("m4", "wrong-output").with_device("m3", "planted");
    let said = run(&folder, "qemu:m4");
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(of(&said, "bad@m4").iter().all(|record| record["outcome"]["is"] == "wrong-output"), "{said:?}");
    others_are_measured(&said);
    let said = run(&folder, "qemu:m3");
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(notes(&said).iter().any(|note| note.contains("known answer 3 of xor failed")), "{said:?}");
    for (device, says) in [("qemu:m4", "WRONG"), ("qemu:m3", "WRONG OUTPUT, as its worker found itself")] {
        let said = folder.run(&["device", device]);
        assert_eq!(said.code, Some(3), "{said:?}");
        assert!(said.out.contains(says), "{}", said.out);
    }
}

#[test]
fn device_that_cannot_be_measured_costs_no_other() {
    let folder = TestFolder::new().with_device("m4", "honest").with_device("m3", "honest");
    std::fs::remove_file(folder.path("workers/m3/bad.elf")).unwrap();
    let newer = board_on_the_network(&["newer"]);
    let said = run(&folder, &format!("/dev/ttyNone7,qemu:m3,{newer},qemu:m4"));
    assert_eq!(said.code, Some(5), "{said:?}");
    others_are_measured(&said);
    assert!(of(&said, "bad@m4").iter().all(|record| record["parameters"]["device"] == 4), "{said:?}");
    let notes = notes(&said);
    for why in [
        "not measured: /dev/ttyNone7: there is no such device; plug the board in",
        "not measured: bad of m3 not built: `ciphermeter workers build m3` builds it",
        "it speaks version 2 of the protocol",
    ] {
        assert!(notes.iter().any(|note| note.contains(why)), "no {why:?} in {notes:?}");
    }
}

/// A run's status, and its notes of what is not built, of a device with `bad` and without `spare` and `lone`.
fn lacks(provider: &[&str]) -> (String, Vec<String>) {
    let folder = TestFolder::new().with_device("m4", "honest").with_unbuilt("m4", &["spare", "lone"]);
    let said = folder.run(&[&RUN[..], &["--device", "qemu:m4"], provider].concat());
    let of =
        notes(&said).into_iter().filter(|note| ["spare", "lone", "asked for"].iter().any(|word| note.contains(word)));
    (said.json()["run"]["status"].as_str().expect("a status").into(), of.collect())
}

#[test]
fn image_that_nobody_named_does_not_decide_the_exit_code() {
    for named in [&["--provider", "bad"][..], &["--provider", "bad@m4"], &["--provider", "bad,ceiling"]] {
        assert_eq!(lacks(named), ("complete".into(), vec![]), "{named:?}");
    }
    let built = "not measured: spare of m4 not built: `ciphermeter workers build m4` builds it".to_owned();
    let alone = "not measured: lone of m4 not built: no compiler of its own; install it".to_owned();
    for asked in [&[][..], &["--provider", "all"]] {
        assert_eq!(lacks(asked), ("complete".into(), vec![built.clone(), alone.clone()]), "{asked:?}");
    }
    for named in [&["--provider", "bad,spare"][..], &["--provider", "SPARE@m4,bad"], &["--provider", "spare,ceiling"]] {
        assert_eq!(lacks(named), ("partial".into(), vec![built.clone()]), "{named:?}");
    }
    assert_eq!(lacks(&["--provider", "bad,lone"]), ("partial".into(), vec![alone.clone()]));
    let folder = TestFolder::new().with_device("m4", "honest").with_unbuilt("m4", &["spare", "lone"]);
    let said = folder.run(&[&RUN[..], &["--device", "qemu:m4", "--provider", "lone"]].concat());
    assert!(said.code == Some(4) && said.err.contains(&alone) && !said.err.contains("no device here"), "{said:?}");
}

#[test]
fn run_of_devices_none_of_which_can_be_measured_does_not_begin() {
    let folder = TestFolder::new().with_device("m3", "honest");
    std::fs::remove_file(folder.path("workers/m3/bad.elf")).unwrap();
    let said = run(&folder, "/dev/ttyNone7,qemu:m3");
    assert_eq!((said.code, said.out.as_str(), said.err.trim_end().lines().count()), (Some(4), "", 1), "{said:?}");
    for why in [
        "not measured: /dev/ttyNone7: there is no such device; plug the board in",
        "; not measured: bad of m3 not built: `ciphermeter workers build m3` builds it; remove --device",
    ] {
        assert!(said.err.contains(why), "no {why:?} in {}", said.err);
    }
    assert!(!folder.path("runs.db").exists(), "nothing is stored");
}

#[test]
fn emulator_that_is_gone_is_said_once_with_what_to_install() {
    let folder = TestFolder::new().with_device("m4", "honest").with_device("m3", "honest");
    let manifest = std::fs::read_to_string(folder.path("workers/m4/worker.toml")).unwrap();
    let honest = manifest.lines().find(|line| line.starts_with("run = ")).unwrap();
    let manifest = manifest
        .replace(honest, "run = [\"sh\", \"-c\", \"exec no-such-emulator {provider}\"]")
        .replace(
            "[\"python3\", \"--version\"]",
            "[\"sh\", \"-c\", \"echo 'm4: no-such-emulator is missing; install emulators' >&2\"]",
        )
        .replace("[\"bad\"]", "[\"bad\", \"other\"]");
    folder.write("workers/m4/worker.toml", manifest);
    folder.write("workers/m4/other.elf", "an image");
    let why = "m4: no-such-emulator is missing; install emulators";
    let said = run(&folder, "qemu:m4");
    assert_eq!((said.code, said.err.matches(why).count()), (Some(4), 1), "{said:?}");
    let said = folder.run(&[&RUN[..], &["--device", "qemu:m4,qemu:m3", "--provider", "bad@m3"]].concat());
    assert_eq!(notes(&said).iter().filter(|note| note.contains(why)).count(), 1, "{said:?}");
    assert_eq!(folder.run(&["device", "qemu:m4"]).err.matches(why).count(), 1);
    let said = folder.run(&["workers", "check", "m4"]);
    let line = "m4, bad, other on qemu:m4: no-such-emulator is missing; install emulators\n";
    assert_eq!((said.code, said.out.as_str()), (Some(5), line), "{said:?}");
}

#[test]
fn checked_device_has_a_page_and_a_document() {
    let folder = TestFolder::new().with_device("m4", "honest");
    let board = board_on_the_network(&["honest"]);
    let said = folder.run(&["device", &board, "qemu:m4"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    for words in [
        "a board of tests",
        "CPU at 16 MHz",
        "code in flash",
        "messages up to 256",
        "emulated; counts instructions instead of time",
        "All outputs are right. `ciphermeter run iot --device qemu:m4` measures it.",
    ] {
        let text = said.out.replace('\n', " ");
        assert!(text.contains(words), "no {words:?} in {}", said.out);
    }
    assert!(said.out.lines().count() <= 24, "{}", said.out);
    let said = folder.run(&["device", "--json", &board, "/dev/ttyNone7"]);
    assert_eq!(said.code, Some(5), "{said:?}");
    let [board, none] = said.json().as_array().unwrap().clone().try_into().unwrap();
    assert_eq!((&board["offers"][0]["algorithm"], &board["offers"][0]["wrong"]), (&"xor".into(), &Value::Null));
    assert!(none["why"].as_str().unwrap().starts_with("/dev/ttyNone7: there is no such device"), "{none}");
}

#[test]
fn what_is_no_worker_is_one_line_with_the_remedy() {
    let folder = TestFolder::new();
    for (device, why) in [
        (board_on_the_network(&["sketch"]), "what is there is no worker; it says `"),
        (board_on_a_line("mute"), "flash the firmware"),
        (board_on_the_network(&["newer"]), "it speaks version 2 of the protocol, this is version 1"),
        ("/dev/ttyNone7".into(), "there is no such device; plug the board in; `ciphermeter device` lists the ports"),
        ("/dev/null".into(), "it is no serial device"),
        ("tcp:127.0.0.1:1".into(), "no connection:"),
    ] {
        let said = folder.run(&["device", &device]);
        assert_eq!((said.code, said.out.as_str()), (Some(4), ""), "{said:?}");
        assert_eq!(said.err.trim_end().lines().count(), 1, "{}", said.err);
        assert!(said.err.starts_with(&device) && said.err.contains(why), "no {why:?} in {}", said.err);
    }
}

#[test]
fn device_that_is_reset_while_it_is_checked_is_asked_again() {
    let board = board_on_the_network(&["cut9", "honest"]);
    let said = TestFolder::new().run(&["device", &board]);
    assert!(said.code == Some(0) && said.out.contains("All outputs are right."), "{said:?}");
    let board = board_on_the_network(&["cut9"]);
    let said = TestFolder::new().run(&["device", &board]);
    assert!(said.code == Some(4) && said.err.contains("check the cable, and reset the board"), "{said:?}");
}

#[test]
fn device_approves_nothing_that_run_refuses() {
    let board = board_on_the_network(&["uncounted"]);
    let said = TestFolder::new().run(&["device", &board]);
    let why = "it is emulated and counts neither instructions nor cycles";
    assert!(said.code == Some(4) && said.out.contains("Nothing here can be measured."), "{said:?}");
    assert!(said.out.contains(why), "{said:?}");
    let said = run(&TestFolder::new(), &board);
    assert!(notes(&said).iter().any(|note| note.contains(why)), "{said:?}");
}

#[test]
fn worker_without_a_clock_is_called_one() {
    let said = TestFolder::new().run(&["device", &board_on_the_network(&["clockless"])]);
    assert!(
        said.code == Some(4) && said.err.contains("but not `clock` within 10 s, because: there is no timer"),
        "{said:?}"
    );
}

#[test]
fn port_in_use_is_called_so() {
    let folder = TestFolder::new();
    let board = board_on_a_line("honest");
    let other = File::options().read(true).write(true).open(&board).expect("the line");
    flock(&other, FlockOperation::LockExclusive).expect("a lock");
    let said = folder.run(&["device", &board]);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert!(said.err.contains("another program has it open; close that, a serial monitor mostly"), "{said:?}");
}

#[test]
fn missing_permission_names_the_remedy() {
    let board = board_on_a_line("honest");
    std::fs::set_permissions(&board, PermissionsExt::from_mode(0o000)).unwrap();
    let mut command = Command::new(BINARY);
    command.args(["device", &board]).env_remove("CIPHERMETER_WORKERS").current_dir("/");
    // What is another user's must not be in the way.
    for name in ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
        command.env(name, "/nonexistent");
    }
    if geteuid().is_root() {
        // Root may open everything; the user `nobody` has this number.
        command.uid(65_534).gid(65_534);
    }
    let Ok(output) = command.output() else {
        println!("skipped: this user may not start the binary");
        return;
    };
    let said = CommandOutput::of(output);
    assert_eq!(said.code, Some(4), "{said:?}");
    let both = ["usermod -aG", "change its permissions"];
    assert!(
        said.err.contains("this user may not open it") && both.iter().any(|how| said.err.contains(how)),
        "{said:?}"
    );
}

#[test]
fn devices_that_are_here_are_listed() {
    let folder = TestFolder::new().with_device("m4", "honest").with_device("m3", "honest");
    std::fs::remove_file(folder.path("workers/m3/bad.elf")).unwrap();
    let said = folder.run(&["device"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    for words in
        ["Serial ports", "qemu:m4 ", "an emulated board", "not built: `ciphermeter workers build m3` builds it"]
    {
        assert!(said.out.contains(words), "no {words:?} in {}", said.out);
    }
    let document = folder.run(&["device", "--json"]).json();
    assert_eq!(document["emulated"][1]["built"][0], "bad", "{document}");
    assert!(document["ports"].is_array());
    let listed = folder.run(&["workers"]);
    assert!(listed.out.contains("qemu:m4"), "{}", listed.out);
    // A build may leave out images: of a target without a compiler, say.
    let manifest = std::fs::read_to_string(folder.path("workers/m3/worker.toml")).unwrap();
    folder.write("workers/m3/worker.toml", manifest.replace("built = \"bad.elf\"", "built = \"stamp\""));
    folder.write("workers/m3/stamp", "");
    let listed = folder.run(&["workers"]);
    let listed = listed.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(listed.contains("built without qemu:m3: `ciphermeter workers build m3` says why"), "{listed}");
    let checked = folder.run(&["workers", "check", "m4"]);
    assert!(checked.out.contains("m4, bad on qemu:m4: "), "{}", checked.out);
    let built = folder.run(&["workers", "build", "m3"]);
    assert_eq!(built.code, Some(0), "{built:?}");
    assert!(folder.run(&["device"]).out.matches("not built").next().is_none());
}

#[test]
fn wrong_device_is_refused_before_anything_is_measured() {
    let folder = TestFolder::new().with_device("m4", "honest");
    for (arguments, why) in [
        (&["run", "tiny.toml", "--device", "ttyUSB0"][..], "ttyUSB0 is no device: write it like /dev/ttyUSB0"),
        (&["run", "tiny.toml", "--device", "qemu:m5"], "there is no emulated device `m5`; there are qemu:m4"),
        (&["run", "tiny.toml", "--device", "qemu:m4,qemu:m4"], "--device names qemu:m4 twice: name each device once"),
        (&["device", "qemu:m5"], "there is no emulated device `m5`; there are qemu:m4"),
        (&["device", "tcp:board"], "tcp:board is no device"),
        (
            &["run", "transfer", "--device", "qemu:m4"],
            "--device measures calls on messages, and transfer is of another kind",
        ),
        (&["run", "self-check", "--device", "qemu:m4"], "compares copies of this machine's libraries: remove --device"),
        (&["run", "--device", "qemu:m4", "--against", "x"], "cannot be used with"),
    ] {
        let said = folder.run(arguments);
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{said:?}");
        assert!(said.err.contains(why), "no {why:?} in {}", said.err);
    }
}

#[test]
fn resumed_run_must_be_given_its_devices_again() {
    let folder = TestFolder::new().with_device("m4", "honest");
    // It is not to end before it is killed, on a busy machine either.
    let mut harness = folder.ciphermeter(&["run", "tiny.toml", "--quiet", "--budget", "10min", "--device", "qemu:m4"]);
    let mut harness = harness.stdout(std::process::Stdio::null()).spawn().expect("the harness starts");
    crate::common::wait_until("a round is stored", || {
        assert!(harness.try_wait().expect("its state").is_none(), "it ended too early");
        folder.records().first().is_some_and(|record| record.forks.iter().any(|fork| !fork.samples.is_empty()))
    });
    harness.kill().expect("it is there");
    harness.wait().expect("it ends");
    let said = folder.run(&["run", "--resume", "--quiet"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(
        said.err.contains(
            "run 1 was started with `--device qemu:m4`: resume it with `ciphermeter run --resume=1 --device qemu:m4`"
        ),
        "{said:?}"
    );
    folder.shorten_the_run();
    let said = folder.run(&["run", "--resume", "--quiet", "--device", "qemu:m4", "--json", "-"]);
    assert!(matches!(said.code, Some(0 | 5)), "{said:?}");
    for record in of(&said, "bad@m4") {
        let forks = record["samples"].as_array().unwrap();
        let whole = forks.iter().filter(|fork| fork["short"] == false && fork["instructions"].is_array());
        assert_eq!(whole.count(), 2, "{record}");
    }
}
