//! `advise` where nothing stored answers: it measures, and ends as `run` does.

use std::process::{Child, Command, Stdio};

use ciphermeter_store::Store;

use crate::common::{CommandOutput, TestFolder, wait_until};

#[test]
fn options_in_a_file_change_nothing_of_what_is_measured_for_an_answer() {
    let folder = TestFolder::new();
    let options = "scenario = \"tls\"\nprecision = \"40%\"\nagainst = \"nobody\"\nopenssl = [\"none.so\"]\n";
    folder.write("config/ciphermeter/config.toml", options);
    let said = folder.run(&["advise", "--mix", "1KiB:1", "--for", "nginx", "--budget", "2s"]);
    assert!([Some(0), Some(5)].contains(&said.code), "{said:?}");
    let run = folder.run(&["export", "1", "--format", "json", "-o", "-"]).json();
    assert_eq!((run["run"]["against"].is_null(), run["run"]["scenario"]["precision"].as_str()), (true, Some("2%")));
}

#[test]
fn wrong_output_of_one_library_ends_no_measurement() {
    let folder = TestFolder::new().with_worker("wrong-output");
    let block = |algorithms, operations, provider| {
        format!(
            "[[cells]]\nalgorithms = {algorithms}\noperations = {operations}\nmessages = [\"64\"]\nproviders = [\"{provider}\"]\n"
        )
    };
    let aead = block(r#"["aes-256-gcm", "chacha20-poly1305"]"#, r#"["seal", "open"]"#, "openssl");
    let wrong = block(r#"["xor"]"#, r#"["encrypt"]"#, "bad");
    // Time for a busy machine; another ends once the precision is reached.
    let head = "name = \"both\"\ntitle = \"t\"\nbudget = \"20s\"\nprecision = \"50%\"\n";
    folder.write("Both.toml", format!("{head}{aead}{wrong}"));
    let said = folder.run(&["advise", "./Both.toml"]);
    assert!(said.err.ends_with("some output was wrong: those ciphers are left out\n"), "{said:?}");
    // What was wrong is no part of the question.
    assert!([Some(0), Some(5)].contains(&said.code), "{said:?}");
    assert!(said.out.starts_with("Which cipher for ./Both.toml?\nrun 1 of "), "{said:?}");
}

#[test]
fn interrupted_measurement_ends_with_130_and_says_how_to_continue_it() {
    for (name, is_early) in [("INT", false), ("TERM", false), ("INT", true)] {
        let folder = TestFolder::new();
        let mut command = folder.ciphermeter(&["advise", "--mix", "1KiB:1", "--budget", "60s", "--json", "x.json"]);
        let mut asked = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a process");
        wait_until("it measures", || if is_early { folder.processes().len() > 1 } else { is_measuring(&folder) });
        send(name, &asked);
        wait_until("it ends", || asked.try_wait().expect("a status").is_some());
        let said = CommandOutput::of(asked.wait_with_output().expect("its output"));
        assert_eq!((said.code, said.out.as_str()), (Some(130), ""), "{said:?}");
        let words = match is_early {
            true => "ciphermeter: interrupted".to_owned(),
            false => format!(
                "ciphermeter: interrupted; what was measured is kept: `ciphermeter run --resume=1 --workers {}` continues it",
                folder.path("workers").display()
            ),
        };
        assert!(said.err.contains(&words), "{said:?}");
        assert!(!folder.path("x.json").exists(), "nothing was answered");
        wait_until("its workers end", || folder.processes().is_empty());
    }
}

#[test]
fn measurement_stops_and_continues_with_the_command_that_asked_for_it() {
    let folder = TestFolder::new();
    let mut command = folder.ciphermeter(&["advise", "--mix", "1KiB:1", "--budget", "60s"]);
    let mut asked = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a process");
    wait_until("it measures", || is_measuring(&folder));
    send("TSTP", &asked);
    // What asks and what measures; workers wait for the next call.
    let stopped = || folder.processes().iter().filter(|(_, state)| *state == 'T').count();
    wait_until("both stop", || stopped() == 2);
    send("CONT", &asked);
    wait_until("both continue", || stopped() == 0 && folder.processes().len() > 1);
    send("INT", &asked);
    wait_until("it ends", || asked.try_wait().expect("a status").is_some());
    wait_until("its workers end", || folder.processes().is_empty());
}

fn is_measuring(folder: &TestFolder) -> bool {
    let store = Store::open_read_only(&folder.path("runs.db"));
    store.and_then(|store| store.list()).is_ok_and(|runs| !runs.is_empty())
}

fn send(signal: &str, to: &Child) {
    Command::new("kill").args(["-s", signal, &to.id().to_string()]).status().expect("kill");
}

#[test]
fn nothing_to_measure_with_leads_to_the_workers() {
    let said = TestFolder::new().run(&["advise", "--for", "java"]);
    assert_eq!(said.code, Some(4), "{said:?}");
    let words = "nothing of this can be measured here: `ciphermeter workers` lists what is missing and why";
    assert!(said.err.contains(words), "{said:?}");
}

#[test]
fn nothing_stored_is_measured_and_then_answers() {
    let folder = TestFolder::new();
    let said = folder.run(&["advise", "--mix", "1KiB:1", "--for", "nginx", "--budget", "2s"]);
    let told = said.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("has measured this, so it is measured now, for at most 2s: `ciphermeter run --algorithm"),
        "{said:?}"
    );
    // Two seconds may be too short for an answer, but not for a run.
    assert!([Some(0), Some(5)].contains(&said.code), "{said:?}");
    assert!(said.out.starts_with("Which cipher for nginx, 1 KiB (100 %)?\nrun 1 of "), "{said:?}");
    let again = folder.run(&["advise", "--mix", "1KiB:1", "--for", "nginx", "--stored"]);
    assert_eq!((again.code, again.out.as_str(), again.err.as_str()), (said.code, said.out.as_str(), ""));
}

#[test]
fn program_without_a_choice_is_answered_at_once() {
    for (program, offered) in [
        ("wireguard", "What it costs here: ciphermeter run wireguard\n"),
        ("rage", "What it costs here: ciphermeter run rage\n"),
        ("age", "What it costs here: ciphermeter workers build go && ciphermeter run age\n"),
    ] {
        let folder = TestFolder::new();
        folder.write("workers/go/worker.toml", include_str!("../../../workers/go/worker.toml"));
        let said = folder.run(&["advise", "--for", program]);
        assert!(said.code == Some(0) && said.err.is_empty(), "{said:?}");
        assert!(said.out.contains("There is no choice here.") && said.out.contains(offered), "{said:?}");
        assert!(!folder.path("runs.db").exists(), "nothing was measured");
    }
    let said = TestFolder::new().run(&["advise", "--for", "wireguard", "--budget", "3s"]);
    assert!(said.out.contains("What it costs here: ciphermeter run wireguard --budget 3s\n"), "{said:?}");
    let said = TestFolder::new().run(&["advise", "--for", "age"]);
    assert!(said.code == Some(0) && said.out.contains("There is no choice here."), "{said:?}");
    assert!(said.err.starts_with("no workers of other languages are here: give their folder"), "{said:?}");
}
