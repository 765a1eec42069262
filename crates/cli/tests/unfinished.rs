//! Unfinished transfers as their users see them: shown, resumed by number, removed, and never while they are in use.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::common::ends::{End, bytes, commands, each, names, own_address};
use crate::common::{CommandOutput, TestFolder, wait_until};

/// The state folders in the receiving folder.
fn states(folder: &TestFolder) -> Vec<PathBuf> {
    let into = folder.path("into");
    let is_state = |name: &String| name.starts_with(".ciphermeter-");
    names(&into).into_iter().filter(is_state).map(|name| into.join(name)).collect()
}

/// Both ends of a transfer of `name`, which has begun to arrive.
fn begun(folder: &TestFolder, name: &str) -> (End, End) {
    let before = states(folder).len();
    folder.write(name, bytes(7, 4_000_000));
    let arguments = ["--into", "into", "--quiet", "--listen", &own_address()];
    let (receiver, ticket) = End::receiver(folder, &format!("recv-{name}"), &arguments);
    let send = folder.ciphermeter(&["send", "--quiet", "--limit", "300KiB", name, &ticket]);
    let sender = End::start(folder, &format!("send-{name}"), send);
    let has_come = || {
        let journals = states(folder).into_iter().filter_map(|state| fs::read_to_string(state.join("journal")).ok());
        journals.filter(|journal| journal.contains("piece")).count() > before
    };
    wait_until("its first bytes are there", has_come);
    (receiver, sender)
}

/// A transfer of `name` that both ends have left.
fn interrupted(folder: &TestFolder, name: &str) {
    let (mut receiver, mut sender) = begun(folder, name);
    receiver.kill();
    sender.kill();
}

fn folder() -> TestFolder {
    let folder = TestFolder::new();
    fs::create_dir(folder.path("into")).expect("a folder");
    folder
}

fn fine(said: &CommandOutput) -> &str {
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
    &said.out
}

/// Wrong usage, with these words.
fn refused(said: &CommandOutput, words: &[&str]) {
    assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{said:?}");
    for word in words {
        assert!(said.err.contains(word), "no {word:?} in {}", said.err);
    }
}

/// The numbers that a list shows.
fn numbers(list: &str) -> Vec<String> {
    list.lines()
        .filter(|line| line.get(8..).is_some_and(|rest| rest.starts_with(", began ")))
        .map(|line| line[..8].to_owned())
        .collect()
}

#[test]
fn both_ends_show_what_they_keep_and_remove_it() {
    let folder = folder();
    let recv = |option: &str| folder.run(&["recv", option, "--into", "into"]);
    assert_eq!(fine(&recv("--unfinished")), "no unfinished transfer in into\n");
    assert_eq!(fine(&folder.run(&["send", "--unfinished"])), "no unfinished transfer of yours\n");
    refused(&recv("--forget"), &["no unfinished transfer in into", "nothing to remove"]);
    refused(&folder.run(&["send", "--forget"]), &["no unfinished transfer of yours"]);

    interrupted(&folder, "big");
    let without = folder.run(&["recv", "--yes", "--resume", "--into", "into", "--exclude", "*"]);
    refused(&without, &["nothing is left to receive", "`ciphermeter recv --forget=", " --into into`"]);
    let (received, sent) = (recv("--unfinished"), folder.run(&["send", "--unfinished"]));
    let number = numbers(fine(&received)).concat();
    assert_eq!(numbers(fine(&sent)), [number.as_str()], "both ends name it alike");
    let flat = |said: &CommandOutput| said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat(&received).contains(" of 4.00 MB: \"big\""), "{}", received.out);
    assert!(received.out.contains(&format!("\n  resume: ciphermeter recv --resume={number} --into into\n")));
    assert!(received.out.contains(&format!("\n  remove: ciphermeter recv --forget={number} --into into\n")));
    assert!(flat(&sent).contains(" to 127.0.0.1:") && flat(&sent).contains("/big\""), "{}", sent.out);
    assert!(sent.out.contains(&format!("\n  resume: ciphermeter send --resume={number}\n")));

    refused(&recv("--forget=x"), &["no unfinished transfer has a number that starts with x", "--unfinished"]);
    assert!(fine(&recv("--forget")).starts_with(&format!("removed the unfinished transfer {number} (")));
    let forget = format!("--forget={}", &number[..4]);
    assert!(fine(&folder.run(&["send", &forget])).starts_with(&format!("removed the unfinished transfer {number} (")));
    assert!(states(&folder).is_empty() && names(&folder.path("state/ciphermeter/sending")).is_empty());
}

#[test]
fn transfer_in_use_is_shown_and_not_removed() {
    let folder = folder();
    let (receiver, sender) = begun(&folder, "big");
    for command in [&["recv", "--into", "into"][..], &["send"]] {
        let used = folder.run(&[command, &["--unfinished"]].concat());
        let text = fine(&used);
        assert!(text.contains(&format!("another `ciphermeter {}` is using it", command[0])), "{text}");
        assert!(!text.contains("--forget") && numbers(text).len() == 1, "{text}");
        refused(&folder.run(&[command, &["--forget"]].concat()), &["another `ciphermeter", "is using"]);
    }
    assert_eq!(states(&folder).len(), 1);
    assert_eq!((sender.ended().code, receiver.ended().code), (Some(0), Some(0)));
    assert!(fs::read(folder.path("into/big")).expect("the file") == bytes(7, 4_000_000));
}

#[test]
fn one_of_several_is_chosen_by_its_number() {
    let folder = folder();
    interrupted(&folder, "first");
    interrupted(&folder, "second");
    let all = folder.run(&["recv", "--unfinished", "--into", "into"]);
    let [first, second] = numbers(fine(&all)).try_into().expect("two transfers");
    for command in [&["recv", "--into", "into"][..], &["send"]] {
        let said = folder.run(&[command, &["--forget"]].concat());
        refused(&said, &["several transfers are unfinished; choose one", &first, &second, "--forget="]);
    }
    let said = folder.run(&["send", "--resume"]);
    refused(&said, &["several transfers are unfinished; choose one", &first, &second, "--resume="]);
    let said = folder.run(&["send", "--resume=x"]);
    refused(&said, &["no unfinished transfer has a number that starts with x", "ciphermeter send --unfinished"]);
    // The latest would be resumed without a number.
    let resume = [&format!("--resume={first}"), "--quiet"];
    let recv = [&["recv", "--yes", "--into", "into"][..], &resume].concat();
    let receiver = End::start(&folder, "again", folder.ciphermeter(&recv));
    let sent = folder.run(&[&["send"][..], &resume].concat());
    assert_eq!((sent.code, receiver.ended().code), (Some(0), Some(0)), "{sent:?}");
    assert!(names(&folder.path("into")).contains(&"first".into()));
    let left = folder.run(&["recv", "--unfinished", "--into", "into"]);
    assert_eq!(numbers(fine(&left)), [second]);
}

#[test]
fn what_cannot_be_resumed_is_shown_with_the_reason_and_removed() {
    let folder = folder();
    interrupted(&folder, "old");
    interrupted(&folder, "other");
    interrupted(&folder, "broken");
    let state = |name: &str| {
        let of = |state: &PathBuf| fs::read_to_string(state.join("state.json")).is_ok_and(|text| text.contains(name));
        states(&folder).into_iter().find(of).expect("its state").join("state.json")
    };
    let change = |name: &str, field: &str| {
        let file = state(name);
        let mut json: Value = serde_json::from_slice(&fs::read(&file).expect("the state")).expect("JSON");
        json[field] = 1.into();
        fs::write(file, json.to_string()).expect("room");
    };
    change("\"old\"", "began");
    change("\"other\"", "wire");
    fs::write(state("\"broken\""), "{").expect("room");
    let all = folder.run(&["recv", "--unfinished", "--into", "into"]);
    let text = fine(&all);
    for why in ["older than seven days", "another version of ciphermeter", "missing or damaged"] {
        assert!(text.contains(why), "no {why:?} in {text}");
    }
    assert!(!text.contains("--resume"), "{text}");
    for number in numbers(text) {
        let forget = format!("--forget={number}");
        assert!(fine(&folder.run(&["recv", &forget, "--into", "into"])).starts_with("removed"), "{number}");
    }
    assert!(states(&folder).is_empty());
}

#[test]
fn other_files_in_an_expired_transfer_stay_and_are_said() {
    let folder = folder();
    interrupted(&folder, "old");
    let state = states(&folder).pop().expect("its state");
    let file = state.join("state.json");
    let mut json: Value = serde_json::from_slice(&fs::read(&file).expect("the state")).expect("JSON");
    json["began"] = 1.into();
    fs::write(file, json.to_string()).expect("room");
    fs::write(state.join("mine"), "text").expect("room");
    // It removes what has expired.
    refused(&folder.run(&["recv", "--resume", "--yes", "--into", "into"]), &["no unfinished transfer"]);
    assert_eq!(names(&state), ["mine"]);
    let all = folder.run(&["recv", "--unfinished", "--into", "into"]);
    let (_, command) = fine(&all).split_once("the other files in it: ").expect("a command");
    let harness = folder.ciphermeter(&[]);
    let place = harness.get_current_dir().expect("a place");
    assert!(Command::new("sh").args(["-c", command]).current_dir(place).status().expect("sh").success());
    assert!(states(&folder).is_empty());
}

#[test]
fn receiver_into_a_folder_with_kept_state_says_so_once() {
    let folder = folder();
    interrupted(&folder, "big");
    let note = "note: an unfinished transfer is kept in ";
    for (arguments, says) in [(&[][..], 1), (&["--quiet"], 0), (&["--resume"], 0), (&["--discard"], 0)] {
        let mut command = folder.ciphermeter(&["recv", "--yes", "--into", "into", "--patience", "5s"]);
        command.args(arguments);
        let mut receiver = End::start(&folder, "recv", command);
        wait_until("it listens", || {
            let said = receiver.said();
            assert_eq!(said.code, None, "{said:?}");
            said.err.contains("aiting on") || said.out.contains("cm1.")
        });
        let said = receiver.said();
        let text = said.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(text.matches(note).count(), says, "{arguments:?}: {}", said.err);
        assert!(says == 0 || text.contains("`ciphermeter recv --unfinished --into into` shows"), "{text}");
        receiver.kill();
    }
}

/// Ends it as Ctrl-C does, and returns the commands that it says: in one line, as this is no terminal.
fn told(end: End) -> Vec<Vec<String>> {
    assert!(Command::new("kill").args(["-INT", &end.id().to_string()]).status().expect("kill").success());
    let said = end.ended();
    assert_eq!(said.code, Some(130), "{said:?}");
    let line = said.err.lines().find(|line| line.starts_with("ciphermeter: interrupted; ")).expect("a line");
    assert_eq!(said.err.lines().last(), Some(line), "{said:?}");
    commands(line)
}

/// Nobody is there to answer, and there are other transfers.
#[test]
fn commands_after_an_interrupt_resume_the_transfer_as_they_are() {
    let folder = folder();
    let (receiver, sender) = begun(&folder, "first");
    let (by_receiver, by_sender) = (told(receiver), told(sender));
    interrupted(&folder, "second");
    let [receive, send] = &by_receiver[..] else { panic!("{by_receiver:?}") };
    assert_eq!(by_sender.first(), Some(send), "both ends say what the sender does");
    let mut again = folder.ciphermeter(&[]);
    again.args(receive).stdin(Stdio::null());
    let receiver = End::start(&folder, "again", again);
    let sent = folder.run(&each(send));
    let received = receiver.ended();
    assert_eq!((sent.code, received.code), (Some(0), Some(0)), "{sent:?} {received:?}");
    assert!(fs::read(folder.path("into/first")).expect("the file") == bytes(7, 4_000_000));
}

#[test]
fn no_other_option_goes_with_it() {
    let folder = folder();
    for arguments in [
        &["recv", "--unfinished", "--resume"][..],
        &["recv", "--unfinished", "--forget"],
        &["recv", "--forget", "--yes"],
        &["send", "--unfinished", "file"],
        &["send", "--forget", "--resume"],
    ] {
        refused(&folder.run(arguments), &["cannot be used with"]);
    }
}
