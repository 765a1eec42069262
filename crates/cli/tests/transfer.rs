//! `recv` and `send` as a user sees them: what they refuse, and what they print.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;

use crate::common::ends::{End, bytes, names, state};
use crate::common::{CommandOutput, TestFolder, wait_until};

/// A ticket without a receiver, on a port that needs privileges to listen on.
fn ticket() -> String {
    format!("cm1.{}@127.0.0.1:1", "A".repeat(64))
}

/// One or two lines on standard error with all of these words, nothing on standard output.
#[track_caller]
fn says(said: &CommandOutput, code: i32, words: &[&str]) {
    assert_eq!((said.code, said.out.as_str()), (Some(code), ""), "{said:?}");
    assert!((1..=2).contains(&said.err.trim_end().lines().count()), "{}", said.err);
    assert!(!said.err.contains("panicked"), "{}", said.err);
    for word in words {
        assert!(said.err.contains(word), "no {word:?} in {}", said.err);
    }
}

/// Standard output without its line breaks.
fn unwrapped(said: &CommandOutput) -> String {
    said.out.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn send_refuses_invalid_input() {
    let folder = TestFolder::new();
    folder.write("file", "text");
    folder.write("other/file", "text");
    folder.write("bad.ticket", "cm1.short@127.0.0.1:1\n");
    folder.write("open.ticket", ticket());
    fs::set_permissions(folder.path("bad.ticket"), fs::Permissions::from_mode(0o600)).expect("chmod");
    fs::set_permissions(folder.path("open.ticket"), fs::Permissions::from_mode(0o640)).expect("chmod");
    folder.write("name\nof two lines", "text");
    let ticket = ticket();
    for (arguments, words) in [
        (&["file", "cm1.short@127.0.0.1:1"][..], ["not a ticket", "copy the whole line"]),
        (&["file", &ticket[..60]], ["not a ticket", "copy the whole line"]),
        (&["file", "--ticket-file", "bad.ticket"], ["its key is truncated or mistyped", "copy the whole line"]),
        (&["file", "--ticket-file", "open.ticket"], ["other users can read open.ticket", "chmod 600 open.ticket"]),
        (&["file", "--ticket-file", "missing"], ["cannot read the ticket from missing", "give another file"]),
        (&["file"], ["no ticket on standard input", "copy the line that begins with `cm1.`"]),
        (&[&ticket], ["no file to send", "before the ticket"]),
        (&["missing", &ticket], ["cannot read \"missing\"", "check the name"]),
        (&["file", "other/file", &ticket], ["the same name as another argument", "rename one"]),
        (&["/dev/null", &ticket], ["nothing to send: ", "is a device, neither a file nor a folder"]),
        (&["name\nof two lines", &ticket], ["contains U+000A", "rename it"]),
        (&["--resume"], ["no unfinished transfer to resume", "send again with a ticket"]),
        (&["--resume=12"], ["no unfinished transfer to resume", "send again with a ticket"]),
    ] {
        let said = folder.run(&[&["send"], arguments].concat());
        let own: Vec<_> = said.err.lines().filter(|line| line.starts_with("ciphermeter: ")).collect();
        assert_eq!((said.code, own.len(), said.out.as_str()), (Some(2), 1, ""), "{arguments:?}: {said:?}");
        for word in words {
            assert!(own[0].contains(word), "{arguments:?}: no {word:?} in {}", own[0]);
        }
    }
}

#[test]
fn invalid_options_are_refused() {
    let folder = TestFolder::new();
    folder.write("file", "text");
    let ticket = ticket();
    for (arguments, words) in [
        (&["send"][..], ["<FILE>", ""]),
        (&["send", "file", &ticket, "--cipher", "rot13"], ["rot13", "aes-256-gcm"]),
        (&["recv", "--cipher", "null"], ["null", "chacha20-poly1305"]),
        (&["recv", "--cipher", "aes-128-gcm"], ["aes-128-gcm", "chacha20-poly1305"]),
        (&["send", "file", &ticket, "--limit", "1KiB"], ["--limit", "the least is 16KiB"]),
        (&["send", "file", &ticket, "--limit", "fast"], ["--limit", "`fast` is not a size"]),
        (&["send", "file", &ticket, "--streams", "0"], ["--streams", "1..=16"]),
        (&["send", "file", &ticket, "--streams", "17"], ["--streams", "1..=16"]),
        (&["send", "file", &ticket, "--patience", "0s"], ["`0s` is not a time", ""]),
        (&["send", "file", "--resume"], ["cannot be used with", "--resume"]),
        (&["send", "file", &ticket, "--to", "host:1"], ["cannot be used with", "--to"]),
        (&["recv", "--discard", "--resume"], ["cannot be used with", ""]),
        (&["recv", "--listen", "localhost"], ["--listen", "write it like `192.168.1.5`"]),
    ] {
        let said = folder.run(arguments);
        says(&said, 2, &words);
    }
}

#[test]
fn recv_refuses_invalid_input() {
    let folder = TestFolder::new();
    folder.write("file", "text");
    folder.write("taken.ticket", "");
    for (arguments, words) in [
        (&[][..], ["without a terminal", "use --yes"]),
        (&["--yes", "--into", "file"], ["file is there, and not a folder", "name another folder"]),
        (&["--yes", "--into", "no/folder"], ["the folder around it does not exist", "create that one first"]),
        (&["--yes", "--host", "a b"], ["'a b'", "--host files.example"]),
        (&["--yes", "--listen", "192.0.2.1"], ["cannot listen on", "--listen"]),
        (&["--yes", "--resume"], ["no unfinished transfer in .", "without --resume"]),
        (
            &["--yes", "--ticket-file", "taken.ticket"],
            ["cannot write the ticket to taken.ticket", "does not exist yet"],
        ),
        (&["--yes", "--ticket-file", "no/folder"], ["cannot write the ticket to no/folder", "give a file"]),
    ] {
        // Output before the failure is a note.
        let said = folder.run(&[&["recv", "--quiet"], arguments].concat());
        says(&said, 2, &words);
    }
}

#[test]
fn missing_receiver_is_reported_with_what_to_check() {
    let folder = TestFolder::new();
    folder.write("file", "text");
    let said = folder.run(&["send", "--quiet", "file", &ticket()]);
    says(&said, 5, &["cannot connect to 127.0.0.1:1", "is still running"]);
    assert!(!said.err.contains("--resume"), "there is nothing to go on with: {}", said.err);
}

#[test]
fn file_is_transferred() {
    let folder = TestFolder::new();
    let content = bytes(1, 3_000_000);
    folder.write("big.iso", &content);
    fs::create_dir(folder.path("into")).expect("a folder");
    let (receiver, ticket) = End::receiver(&folder, "recv", &["--into", "into"]);
    let sent = folder.run(&["send", "big.iso", &ticket]);
    let received = receiver.ended();
    assert_eq!((sent.code, received.code), (Some(0), Some(0)), "{sent:?} {received:?}");
    assert!(sent.out.starts_with("sent 1 file, 3.00 MB in "), "{}", sent.out);
    assert!(unwrapped(&received).starts_with("received 1 file, 3.00 MB into /"), "{}", received.out);
    assert!(sent.err.contains("every user of this machine can read the ticket"), "{}", sent.err);
    assert!(received.err.contains("Receiving \"big.iso\", 3.00 MB"), "{}", received.err);
    assert!(fs::read(folder.path("into/big.iso")).expect("the file") == content);
    assert_eq!(names(&folder.path("into")), ["big.iso"]);
    assert!(names(&folder.path("state/ciphermeter/sending")).is_empty());
    // The ticket was for one transfer. Another test's receiver may have the port by now, with
    // another key.
    let again = folder.run(&["send", "--quiet", "big.iso", &ticket]);
    assert_eq!((again.code, again.out.as_str()), (Some(5), ""), "{again:?}");
}

#[test]
fn ticket_is_read_from_a_file_or_standard_input() {
    let folder = TestFolder::new();
    folder.write("file", "text");
    let (receiver, _) = End::receiver(&folder, "recv", &["--discard"]);
    let sent = folder.run(&["send", "file", "--ticket-file", "recv.ticket"]);
    assert_eq!((sent.code, sent.err.as_str()), (Some(0), ""), "{sent:?}");
    assert!(receiver.ended().out.starts_with("received and discarded 1 file, 4 B in "));
    let (receiver, ticket) = End::receiver(&folder, "again", &["--discard"]);
    let mut command = assert_cmd::Command::from_std(folder.ciphermeter(&["send", "file"]));
    let sent = CommandOutput::of(command.write_stdin(format!("{ticket}\n")).output().expect("its output"));
    assert_eq!((sent.code, receiver.ended().code), (Some(0), Some(0)), "{sent:?}");
}

#[test]
fn conflicting_cipher_options_are_reported_on_both_ends() {
    let folder = TestFolder::new();
    folder.write("file", "text");
    let (receiver, ticket) = End::receiver(&folder, "recv", &["--discard", "--quiet", "--cipher", "aes-256-gcm"]);
    let sent = folder.run(&["send", "--quiet", "file", &ticket, "--cipher", "chacha20-poly1305"]);
    says(&sent, 5, &["both ends' users ask for different suites", "leave --cipher away on one of them"]);
    says(&receiver.ended(), 5, &["both ends' users ask for different suites"]);
    let (receiver, ticket) = End::receiver(&folder, "again", &["--discard", "--cipher", "chacha20-poly1305"]);
    let sent = folder.run(&["send", "--quiet", "--explain", "file", &ticket]);
    assert!(unwrapped(&sent).contains("chacha20-poly1305 was used, because \"it was asked for\"."), "{sent:?}");
    assert_eq!(receiver.ended().code, Some(0));
}

#[test]
fn existing_file_is_not_overwritten() {
    let folder = TestFolder::new();
    folder.write("file", "text");
    folder.write("into/file", "mine");
    let (receiver, ticket) = End::receiver(&folder, "recv", &["--into", "into", "--quiet"]);
    let sent = folder.run(&["send", "--quiet", "file", &ticket]);
    says(&sent, 5, &["file exists in the receiving folder and is not overwritten", "move it away"]);
    says(&receiver.ended(), 5, &["file exists in the receiving folder"]);
    assert_eq!(fs::read_to_string(folder.path("into/file")).expect("the file"), "mine");
    assert_eq!(names(&folder.path("into")), ["file"]);
}

/// Under a mask the sender's rates are measured anew, because rates are stored for each mask separately.
#[test]
#[cfg(target_arch = "x86_64")]
fn without_aes_instructions_on_one_end_chacha20_is_chosen() {
    let folder = TestFolder::new();
    folder.write("file", bytes(1, 1_000_000));
    let without = |command: &mut std::process::Command| {
        command.env("OPENSSL_ia32cap", "~0x200000200000000:~0x60000000000");
    };
    for masked in ["send", "recv"] {
        let mut receive = folder.ciphermeter(&["recv", "--yes", "--discard", "--explain", "--ticket-file", masked]);
        if masked == "recv" {
            without(&mut receive);
        }
        let receiver = End::start(&folder, "said", receive);
        wait_until("the ticket", || fs::read_to_string(folder.path(masked)).is_ok_and(|text| text.ends_with('\n')));
        let mut send = folder.ciphermeter(&["send", "--explain", "file", "--ticket-file", masked]);
        if masked == "send" {
            without(&mut send);
        }
        let sent = CommandOutput::of(send.output().expect("its output"));
        let received = receiver.ended();
        for said in [&sent, &received] {
            assert_eq!(said.code, Some(0), "{masked}: {said:?}");
            assert!(
                unwrapped(said).contains("chacha20-poly1305 was used, because \"the slower end does "),
                "{masked}: {said:?}"
            );
            let taken = said.out.lines().find(|line| line.ends_with("  taken")).expect("a table");
            assert!(taken.starts_with("chacha20-poly1305 "), "{taken}");
        }
        let table = |said: &CommandOutput| {
            said.out.lines().skip_while(|line| !line.starts_with("MB/s")).take(3).collect::<String>()
        };
        assert_eq!(table(&sent), table(&received), "both ends show both ends' figures");
    }
}

#[test]
fn what_changes_or_goes_while_sent_is_reported_on_both_ends_with_exit_code_5() {
    let folder = TestFolder::new();
    let content = bytes(1, 2 << 20);
    folder.write("big", &content);
    folder.write("small", "text");
    (1..=7).for_each(|number| folder.write(&format!("gone/{number}"), "text"));
    fs::create_dir(folder.path("into")).expect("a folder");
    let (receiver, ticket) = End::receiver(&folder, "recv", &["--into", "into", "--quiet", "--no-folder"]);
    let send = folder.ciphermeter(&["send", "--quiet", "--limit", "512KiB", "big", "gone", "small", &ticket]);
    let sender = End::start(&folder, "send", send);
    let part = || state(&folder.path("into")).is_some_and(|folder| folder.join("0.part").exists());
    wait_until("its first bytes are there", part);
    fs::File::options().append(true).open(folder.path("big")).expect("the file").write_all(b"more").expect("room");
    fs::remove_dir_all(folder.path("gone")).expect("the folder");
    let (sent, received) = (sender.ended(), receiver.ended());
    let gone = "7 entries: gone/1, gone/2, gone/3, gone/4, gone/5, …: it is no longer there";
    for (said, words) in [
        (sent, ["NOT sent: big: it changed while it was being sent", &format!("NOT sent: {gone}")]),
        (
            received,
            ["NOT received: big: it changed while it was being sent", &format!("NOT received: {gone} at the sender")],
        ),
    ] {
        assert_eq!((said.code, said.err.as_str()), (Some(5), ""), "{said:?}");
        for word in words {
            assert!(unwrapped(&said).contains(word), "no {word:?} in {}", said.out);
        }
    }
    assert_eq!(names(&folder.path("into")), ["gone", "small"]);
}

/// A folder with a hidden one, and a receiver's folder that has it already.
fn tree() -> TestFolder {
    let folder = TestFolder::new();
    folder.write("tree/.secret/id", "secret");
    folder.write("tree/photos/raw/1", "raw");
    folder.write("tree/notes", "words");
    folder
}

#[test]
fn excluded_folders_are_not_made() {
    let folder = tree();
    let arguments = ["--into", "in", "--exclude", ".secret", "--exclude", "photos/raw", "--exclude", "/notes"];
    let (receiver, ticket) = End::receiver(&folder, "recv", &arguments);
    assert_eq!(folder.run(&["send", "tree", &ticket]).code, Some(5), "not all was wanted");
    let said = receiver.ended();
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(names(&folder.path("in/tree")), ["notes", "photos"]);
    assert!(names(&folder.path("in/tree/photos")).is_empty());
    assert!(said.err.contains("--exclude \"/notes\" matches nothing"), "{said:?}");
    let sent = folder.run(&["send", "--exclude", "photo", "tree", "cm1.wrong"]);
    assert!(sent.err.contains("--exclude \"photo\" matches nothing"), "{sent:?}");
}

/// What is hidden at the top is refused only where it would come.
#[test]
fn excluded_hidden_name_needs_no_leave() {
    let folder = TestFolder::new();
    folder.write(".ssh/key", "secret");
    folder.write("notes", "words");
    let arguments = ["--into", "in", "--no-folder", "--exclude", ".ssh"];
    let (receiver, ticket) = End::receiver(&folder, "recv", &arguments);
    folder.run(&["send", ".ssh", "notes", &ticket]);
    assert_eq!(receiver.ended().code, Some(0));
    assert_eq!(names(&folder.path("in")), ["notes"]);
}

#[test]
fn choice_about_taken_names_is_about_names_in_a_folder_that_is_there() {
    let folder = tree();
    for (files, equal) in [(3, 0), (0, 3)] {
        let arguments = ["--into", "in", "--existing", "compare", "--json"];
        let (receiver, ticket) = End::receiver(&folder, "recv", &arguments);
        assert_eq!(folder.run(&["send", "tree", &ticket]).code, Some(0));
        let said = receiver.ended();
        assert!(said.out.contains(&format!("\"files\":{files},")), "{said:?}");
        assert_eq!(said.out.matches("\"why\":\"equal\"").count(), equal, "{said:?}");
    }
    assert_eq!(names(&folder.path("in")), ["tree"]);
}

#[test]
fn folder_that_was_made_is_removed_if_nothing_came() {
    let folder = TestFolder::new();
    folder.write(".hidden", "text");
    let (receiver, ticket) = End::receiver(&folder, "recv", &["--into", "in"]);
    assert!(folder.path("in").is_dir());
    assert_eq!(folder.run(&["send", ".hidden", &ticket]).code, Some(5));
    let said = receiver.ended();
    assert!(said.code == Some(5) && said.err.contains("--hidden"), "{said:?}");
    assert!(!folder.path("in").exists());
    assert!(!folder.path("recv.ticket").exists(), "a ticket that is no longer good");
}

/// Slips come to light before anyone copies a ticket.
#[test]
fn missing_file_is_reported_before_the_ticket_is_asked_for() {
    let folder = TestFolder::new();
    says(&folder.run(&["send", "missing"]), 2, &["cannot read \"missing\"", "check the name"]);
    folder.write("file", "text");
    says(&folder.run(&["send", "file"]), 2, &["no ticket"]);
    let mut command = assert_cmd::Command::from_std(folder.ciphermeter(&["send", "file"]));
    says(&CommandOutput::of(command.write_stdin("\n").output().expect("its output")), 2, &["no ticket was given"]);
}

#[test]
fn what_the_sender_could_not_send_is_known_at_the_receiver() {
    let folder = TestFolder::new();
    folder.write("tree/a", "text");
    folder.write("tree/two\nlines", "text");
    let (receiver, ticket) = End::receiver(&folder, "recv", &["--into", "in", "--json"]);
    assert_eq!(folder.run(&["send", "tree", &ticket]).code, Some(5));
    let said = receiver.ended();
    assert_eq!(said.code, Some(5), "{said:?}");
    assert!(said.out.contains("\"sender_left_out\":1"), "{said:?}");
}

#[test]
fn tip_leads_to_no_option_that_removes() {
    let said = TestFolder::new().run(&["recv", "--force"]);
    assert!(said.code == Some(2) && !said.err.contains("forget"), "{said:?}");
}
