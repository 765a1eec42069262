//! Files arrive as they were sent.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::common::{bytes, receive_options, receiving, send_options, send_paths};
use ciphermeter_transfer::{CHUNK, Suite};

#[test]
fn files_of_awkward_lengths_arrive_complete() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let lengths =
        [0, 1, 15, 16, 17, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 5, (16 << 20) - 1, 16 << 20, (16 << 20) + 1];
    let mut paths = Vec::new();
    for length in lengths {
        let path = from.path().join(format!("{length}"));
        fs::write(&path, bytes(length)).unwrap();
        paths.push(path);
    }
    for suite in Suite::ALL {
        let into = to.path().join(suite.to_string());
        fs::create_dir(&into).unwrap();
        let receiving = receiving(receive_options(Some(&into)), true);
        let options = ciphermeter_transfer::SendOptions { wanted: Some(suite), streams: 3, ..send_options() };
        let sent = send_paths(&receiving.ticket, &paths, &options).unwrap();
        let received = receiving.ended().unwrap();
        assert_eq!((sent.files, received.files), (12, 12));
        assert_eq!((sent.suite, received.suite, sent.streams), (suite, suite, 3));
        assert!(sent.failed.is_empty() && received.failed.is_empty());
        for length in lengths {
            assert!(fs::read(into.join(format!("{length}"))).unwrap() == bytes(length), "{length}");
        }
        assert_eq!(fs::read_dir(&into).unwrap().count(), 12, "nothing else is left");
    }
}

#[test]
fn folder_arrives_with_permissions_exact_times_and_empty_folders() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let tree = from.path().join("tree");
    fs::create_dir_all(tree.join("deep/er")).unwrap();
    fs::create_dir_all(tree.join("empty")).unwrap();
    fs::write(tree.join("deep/er/script"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(tree.join("deep/er/script"), fs::Permissions::from_mode(0o755)).unwrap();
    for (folder, mode) in [("deep/er", 0o500), ("deep", 0o700), ("empty", 0o750)] {
        fs::set_permissions(tree.join(folder), fs::Permissions::from_mode(mode)).unwrap();
    }
    fs::write(tree.join("plain"), "text").unwrap();
    let receiving = receiving(receive_options(Some(to.path())), true);
    send_paths(&receiving.ticket, std::slice::from_ref(&tree), &send_options()).unwrap();
    receiving.ended().unwrap();
    let there = to.path().join("tree");
    assert_eq!(fs::read_to_string(there.join("plain")).unwrap(), "text");
    assert!(there.join("empty").is_dir());
    let (old, new) =
        (fs::metadata(tree.join("deep/er/script")).unwrap(), fs::metadata(there.join("deep/er/script")).unwrap());
    assert_eq!(new.permissions().mode() & 0o700, 0o700);
    assert_eq!(new.modified().unwrap(), old.modified().unwrap(), "to the nanosecond");
    let modes = ["deep/er", "deep", "empty"].map(|name| fs::metadata(there.join(name)).unwrap().permissions().mode());
    // The owner's bits are always set, because files were yet to come; the user's umask applies to the rest.
    assert_eq!(modes.map(|mode| mode & 0o777), [0o700, 0o700, 0o750]);
    fs::set_permissions(tree.join("deep/er"), fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn discarded_files_are_authenticated() {
    let from = tempfile::tempdir().unwrap();
    let path = from.path().join("file");
    fs::write(&path, bytes(5 * CHUNK)).unwrap();
    let receiving = receiving(receive_options(None), true);
    let sent = send_paths(&receiving.ticket, &[path], &send_options()).unwrap();
    let received = receiving.ended().unwrap();
    assert_eq!((sent.files, received.bytes), (1, 5 * CHUNK as u64));
    assert!(sent.discarded && received.discarded, "the sender must not say that it is on disk");
    assert_eq!((sent.spent_there, received.spent_there), (Some(received.spent), Some(sent.spent)));
    assert!(sent.authenticated <= sent.durable && !sent.spent.cipher.is_zero() && !received.spent.cipher.is_zero());
}

#[test]
fn thousand_small_files_arrive() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let tree = from.path().join("tree");
    fs::create_dir(&tree).unwrap();
    for number in 0..1000 {
        fs::write(tree.join(format!("{number}")), &bytes(10_240 + number)[number..]).unwrap();
    }
    let receiving = receiving(receive_options(Some(to.path())), true);
    let sent = send_paths(&receiving.ticket, &[tree], &send_options()).unwrap();
    receiving.ended().unwrap();
    assert_eq!(sent.files, 1000);
    for number in [0, 1, 499, 999] {
        assert!(fs::read(to.path().join(format!("tree/{number}"))).unwrap() == bytes(10_240 + number)[number..]);
    }
}
