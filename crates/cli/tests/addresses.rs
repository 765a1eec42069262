//! IPv6 addresses, with zones and without: used, or refused with the reason.

use std::fs;
use std::net::TcpListener;

use crate::common::TestFolder;
use crate::common::ends::{End, bytes};

/// A transfer to a receiver that listens there, with the ticket's addresses.
fn moved(listen: &str, more: &[&str]) -> String {
    let folder = TestFolder::new();
    let content = bytes(1, 300_000);
    folder.write("file", &content);
    fs::create_dir(folder.path("into")).expect("a folder");
    let arguments = [&["--quiet", "--into", "into", "--listen", listen], more].concat();
    let (receiver, ticket) = End::receiver(&folder, "recv", &arguments);
    let sent = folder.run(&["send", "--quiet", "--streams", "2", "file", &ticket]);
    assert_eq!((sent.code, receiver.ended().code), (Some(0), Some(0)), "{listen}: {sent:?}");
    assert!(fs::read(folder.path("into/file")).expect("the file") == content);
    ticket.split_once('@').expect("addresses").1.to_owned()
}

fn has_ipv6() -> bool {
    TcpListener::bind("[::1]:0").is_ok()
}

#[test]
fn files_move_over_ipv6() {
    if !has_ipv6() {
        eprintln!("skipped: this machine has no IPv6");
        return;
    }
    for listen in ["::1", "[::1]", "[::1]:0"] {
        let addresses = moved(listen, &[]);
        assert!(addresses.starts_with("[::1]:") && !addresses.contains(','), "{addresses}");
    }
}

#[test]
fn socket_for_both_families_takes_both() {
    if !has_ipv6() {
        eprintln!("skipped: this machine has no IPv6");
        return;
    }
    for host in ["::1", "[::1]", "127.0.0.1", "localhost", "192.0.2.1,::1"] {
        moved("[::]", &["--host", host]);
    }
}

#[test]
fn link_local_address_needs_a_zone_that_exists() {
    let folder = TestFolder::new();
    folder.write("file", "text");
    for (listen, why) in [
        ("fe80::1", "needs the interface that leads to it: write it like `[fe80::1%eth0]`"),
        ("[fe80::1]:4100", "needs the interface that leads to it: write it like `[fe80::1%eth0]`"),
        ("fe80::1%nosuch0", "this machine has no interface `nosuch0`"),
        ("::1%lo", "only a link-local address"),
        ("[::1", "`[fe80::1%eth0]:4100`"),
    ] {
        let said = folder.run(&["recv", "--yes", "--listen", listen]);
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{listen}: {said:?}");
        assert!(said.err.contains("--listen") && said.err.contains(why), "{listen}: {}", said.err);
    }
    let key = "A".repeat(64);
    for (host, why) in [
        ("[fe80::1]", "a link-local address needs the interface"),
        ("[fe80::1%nosuch0]", "this machine has no interface `nosuch0`"),
    ] {
        let said = folder.run(&["send", "--quiet", "file", &format!("cm1.{key}@{host}:1")]);
        assert_eq!(said.code, Some(5), "{said:?}");
        assert!(said.err.contains(&format!("cannot connect to {host}:1: {why}")), "{}", said.err);
    }
}
