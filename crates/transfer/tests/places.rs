//! Files go beneath the receiving folder and over no existing file, whatever names a sender gives them and whatever
//! gets in the way.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::common::tampering_proxy::TamperingProxy;
use crate::common::{
    bytes, names, receive_options, receiving, receiving_for, resume_receiver, send_options, send_paths, test_ends,
};
use ciphermeter_transfer::{Decision, Error, Question, Receiver, SendOptions, User};
use serde_json::{Value, json};

/// A receiver's answers to an offer of these lines, until there are no more, and how it ended.
fn offered(to: &Path, lines: &[Value]) -> (Vec<Value>, Result<ciphermeter_transfer::Report, Error>) {
    let receiving = receiving(receive_options(Some(to)), true);
    let mut sender = test_ends::sender(receiving.address);
    sender.send(&test_ends::hello(&receiving.ticket)).unwrap();
    assert_eq!(sender.receive().unwrap()["is"], "welcome");
    for line in lines {
        // A sender that is refused midway need not read the rest.
        let _ = sender.send(line);
    }
    let mut said = Vec::new();
    while let Some(line) = sender.receive() {
        if line["is"] == "ready" {
            break;
        }
        said.push(line);
    }
    drop(sender);
    (said, receiving.ended())
}

/// Refused with a reason, and nothing was created, neither in the folder nor beside it.
#[track_caller]
fn refuses(lines: &[Value], words: &str) {
    let outer = tempfile::tempdir().unwrap();
    let to = outer.path().join("to");
    fs::create_dir(&to).unwrap();
    let (said, ended) = offered(&to, lines);
    let error = ended.unwrap_err().to_string();
    assert!(error.contains(words) && !error.contains(char::is_control), "{lines:?}: {error:?}");
    // If lines are left unread, the system may drop the answer along with the connection.
    assert!(said.iter().all(|line| ["refused", "broke-off"].contains(&line["is"].as_str().unwrap())), "{said:?}");
    assert_eq!((names(outer.path()), names(&to)), (vec!["to".to_owned()], vec![]));
}

#[test]
fn name_outside_the_folder_is_refused() {
    for (name, words) in [
        ("../up", "'.' or '..'"),
        ("a/../../up", "'.' or '..'"),
        ("..", "'.' or '..'"),
        ("./here", "'.' or '..'"),
        ("/etc/absolute", "absolute"),
        ("a//b", "empty"),
        ("a/", "empty"),
        ("", "empty"),
        ("a\0b", "U+0000"),
        ("a\nb", "U+000A"),
        ("\u{1b}[2J", "U+001B"),
        ("exe\u{202e}gpj", "U+202E"),
        (".ciphermeter-0/state.json", "reserved for the state of transfers"),
        (".Ciphermeter-0", "reserved for the state of transfers"),
    ] {
        refuses(&[test_ends::file(name, 1), test_ends::offered(1, 1)], words);
        refuses(&[json!({"is": "folder", "name": name, "mode": 0o755}), test_ends::offered(0, 0)], words);
    }
    refuses(&[test_ends::file(&"x".repeat(256), 1), test_ends::offered(1, 1)], "longer than 255 bytes");
    refuses(&[test_ends::file(&["x"; 65].join("/"), 1), test_ends::offered(1, 1)], "more than 64 parts");
}

#[test]
fn impossible_offer_is_refused() {
    let file = |name| test_ends::file(name, 1);
    let folder = |name: &str| json!({"is": "folder", "name": name, "mode": 0o755});
    refuses(&[file("a"), file("a"), test_ends::offered(2, 2)], "have the same name");
    refuses(&[file("a"), folder("a"), test_ends::offered(1, 1)], "have the same name");
    refuses(&[file("a"), test_ends::offered(2, 1)], "do not match the offer");
    refuses(&[file("a"), test_ends::offered(1, 2)], "do not match the offer");
    refuses(
        &[test_ends::file("a", u64::MAX), test_ends::file("b", 2), test_ends::offered(2, 1)],
        "do not match the offer",
    );
    refuses(&[test_ends::file("a", 1 << 60), test_ends::offered(1, 1 << 60)], "free some");
    refuses(&[json!({"is": "bye"})], "before the end of the offer");
    let mut odd = file("a");
    odd["mode"] = json!(0o4755);
    refuses(&[odd, test_ends::offered(1, 1)], "impossible metadata");
    let mut odd = file("a");
    odd["size"] = json!(-1);
    refuses(&[odd, test_ends::offered(1, 1)], "invalid value");
    refuses(&[json!({"is": "offered"})], "missing field");
    refuses(&[json!([])], "invalid message");
}

#[test]
fn obstacle_is_reported_before_anything_is_sent() {
    let to = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    symlink(outside.path(), to.path().join("link")).unwrap();
    symlink("nowhere", to.path().join("dangling")).unwrap();
    fs::write(to.path().join("file"), "mine").unwrap();
    fs::create_dir(to.path().join("folder")).unwrap();
    let folder = |name: &str| json!({"is": "folder", "name": name, "mode": 0o755});
    for (line, words) in [
        (test_ends::file("link/file", 1), "is in the way"),
        (test_ends::file("link", 1), "exists"),
        (test_ends::file("dangling", 1), "exists"),
        (test_ends::file("file", 1), "exists"),
        (test_ends::file("file/inner", 1), "is in the way"),
        (test_ends::file("folder", 1), "exists"),
        (folder("link"), "is in the way"),
        (folder("link/inner"), "is in the way"),
        (folder("file"), "is in the way"),
    ] {
        let files = u32::from(line["is"] == "file");
        let (said, ended) = offered(to.path(), &[line.clone(), test_ends::offered(files, files.into())]);
        assert_eq!((said.len(), &said[0]["is"]), (1, &json!("refused")), "{line}: {said:?}");
        assert!(said[0]["why"].as_str().unwrap().contains(words), "{said:?}");
        assert!(ended.unwrap_err().to_string().contains(words));
    }
    assert_eq!(names(to.path()), ["dangling", "file", "folder", "link"]);
    assert_eq!(
        (fs::read_to_string(to.path().join("file")).unwrap().as_str(), names(outside.path()).len()),
        ("mine", 0)
    );
}

/// Accepts, after something has happened.
struct AcceptsAfter<F>(F);

impl<F: Fn() + Send> User for AcceptsAfter<F> {
    fn accepts(&self, _: &Question<'_>) -> Result<Decision, Error> {
        self.0();
        Ok(Decision { fills: true, ..Decision::default() })
    }

    fn lost(&self, _: &Error) {}
}

fn tree() -> (tempfile::TempDir, PathBuf) {
    let from = tempfile::tempdir().unwrap();
    let tree = from.path().join("tree");
    fs::create_dir_all(tree.join("inner")).unwrap();
    fs::write(tree.join("inner/file"), bytes(300_000)).unwrap();
    fs::write(tree.join("other"), bytes(1000)).unwrap();
    (from, tree)
}

#[test]
fn obstacle_that_appears_meanwhile_stays_and_the_file_is_kept() {
    let ((_from, tree), to, outside) = (tree(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::create_dir(to.path().join("tree")).unwrap();
    let (folder, elsewhere) = (to.path().join("tree"), outside.path().to_owned());
    let user = AcceptsAfter(move || {
        fs::write(folder.join("other"), "mine").unwrap();
        symlink(&elsewhere, folder.join("inner")).unwrap();
    });
    let receiving = receiving_for(Receiver::listen(receive_options(Some(to.path()))).unwrap(), user);
    let sent = send_paths(&receiving.ticket, &[tree], &send_options()).unwrap();
    let received = receiving.ended().unwrap();
    assert_eq!((sent.files, received.files), (0, 0));
    // The other end gets the same facts without a path.
    let folder = to.path().to_str().unwrap();
    assert!(sent.failed.iter().zip(&received.failed).all(|(sent, received)| sent.name == received.name));
    assert!(!sent.failed.iter().any(|failed| failed.why.contains(folder)), "{sent:?}");
    assert!(sent.failed[0].why.contains("is in the place of its folder"), "{sent:?}");
    assert!(sent.failed[1].why.contains("a file of that name exists"), "{sent:?}");
    for (name, words, content) in
        [("tree/inner/file", "is in the way", bytes(300_000)), ("tree/other", "is not overwritten", bytes(1000))]
    {
        let failed = received.failed.iter().find(|failed| failed.name == name).unwrap();
        assert!(failed.why.contains(words), "{failed:?}");
        let (_, kept) = failed.why.split_once("; what was received is kept as ").unwrap();
        assert!(fs::read(kept).unwrap() == content, "{kept}");
    }
    assert_eq!(fs::read_to_string(to.path().join("tree/other")).unwrap(), "mine");
    assert!(names(outside.path()).is_empty());
    // Once the obstacle is gone, only names are missing.
    fs::rename(to.path().join("tree"), outside.path().join("moved")).unwrap();
    let rest = resume_receiver(&receive_options(Some(to.path())));
    assert!(rest.lacks_only_names());
    assert_eq!(rest.finish().unwrap(), (2, vec![]));
    assert!(fs::read(to.path().join("tree/inner/file")).unwrap() == bytes(300_000));
    assert_eq!(names(to.path()), ["tree"]);
}

#[test]
fn folder_that_cannot_be_created_is_reported_on_both_ends() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::create_dir_all(from.path().join("tree/empty")).unwrap();
    let folder = to.path().to_owned();
    let user = AcceptsAfter(move || fs::write(folder.join("tree"), "a file").unwrap());
    let receiving = receiving_for(Receiver::listen(receive_options(Some(to.path()))).unwrap(), user);
    let sent = send_paths(&receiving.ticket, &[from.path().join("tree")], &send_options()).unwrap_err();
    let received = receiving.ended().unwrap_err();
    assert!(matches!(&sent, Error::BrokeOff(why) if why.to_string().contains("is in the way")), "{sent}");
    assert!(received.to_string().contains("is in the way"), "{received}");
}

#[test]
fn declined_offer_leaves_nothing() {
    let ((_from, tree), to) = (tree(), tempfile::tempdir().unwrap());
    let receiving = receiving(receive_options(Some(to.path())), false);
    let sent = send_paths(&receiving.ticket, &[tree], &send_options()).unwrap_err();
    assert!(matches!(&sent, Error::Refused(why) if why.to_string() == "\"declined\""), "{sent}");
    assert!(matches!(receiving.ended(), Err(Error::Declined)));
    assert!(names(to.path()).is_empty());
}

#[test]
fn slow_decision_is_waited_for() {
    let ((_from, tree), to) = (tree(), tempfile::tempdir().unwrap());
    let mut options = receive_options(Some(to.path()));
    options.times.reply = Duration::from_secs(3);
    let user = AcceptsAfter(|| thread::sleep(Duration::from_secs(4)));
    let receiving = receiving_for(Receiver::listen(options).unwrap(), user);
    let mut options = SendOptions { patience: Duration::ZERO, ..send_options() };
    options.times.reply = Duration::from_secs(3);
    send_paths(&receiving.ticket, &[tree], &options).unwrap();
    receiving.ended().unwrap();
    assert!(to.path().join("tree/inner/file").exists());
}

/// Foreign files in the state folder are left alone, and files that have their names stay received.
#[test]
fn state_folder_that_cannot_be_removed_is_no_failure() {
    let ((_from, tree), to) = (tree(), tempfile::tempdir().unwrap());
    let receiving = receiving(receive_options(Some(to.path())), true);
    let folder = to.path().to_owned();
    let tampering_proxy = TamperingProxy::before(receiving.address, 1, move |_, _| {
        fs::write(folder.join(&names(&folder)[0]).join("letter"), "not ours").unwrap();
    });
    let mut ticket = receiving.ticket.clone();
    ticket.addresses = vec![tampering_proxy.address.to_string()];
    let sent = send_paths(&ticket, &[tree], &send_options()).unwrap();
    assert_eq!((sent.files, receiving.ended().unwrap().files), (2, 2));
    let there = names(to.path());
    assert_eq!((there.len(), there[1].as_str()), (2, "tree"));
    assert_eq!(names(&to.path().join(&there[0])), ["letter"]);
    assert!(Receiver::resume(receive_options(Some(to.path()))).unwrap().is_none());
}

/// Without exclusive renames, a file has both names for a moment; a receiver that is ended in that moment leaves both.
#[test]
fn file_left_with_two_names_is_placed() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let paths = ["a", "b"].map(|name| from.path().join(name)).to_vec();
    for path in &paths {
        fs::write(path, bytes(1000)).unwrap();
    }
    let [a, b] = ["a", "b"].map(|name| to.path().join(name));
    let in_the_way = [a.clone(), b.clone()];
    // So that something is left to place.
    let user = AcceptsAfter(move || in_the_way.iter().for_each(|path| fs::write(path, "mine").unwrap()));
    let receiving = receiving_for(Receiver::listen(receive_options(Some(to.path()))).unwrap(), user);
    send_paths(&receiving.ticket, &paths, &send_options()).unwrap();
    receiving.ended().unwrap();
    let parts = to.path().join(&names(to.path())[0]);
    fs::remove_file(&a).unwrap();
    fs::remove_file(&b).unwrap();
    fs::hard_link(parts.join("0.part"), &a).unwrap();
    let foreign = to.path().join("foreign");
    fs::hard_link(parts.join("1.part"), &foreign).unwrap();
    let finish = || resume_receiver(&receive_options(Some(to.path()))).finish();
    assert!(finish().unwrap_err().to_string().contains("1.part"), "another name than its own is refused");
    fs::remove_file(&foreign).unwrap();
    assert_eq!(finish().unwrap(), (2, vec![]));
    assert!(fs::read(&a).unwrap() == bytes(1000) && fs::read(&b).unwrap() == bytes(1000));
    assert_eq!(names(to.path()), ["a", "b"]);
}
