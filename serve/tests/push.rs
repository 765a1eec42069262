//! What does not arrive waits, and arrives once.

use std::fs;
use std::io::{Read, Write};

use crate::common::engine::sqlite;
use crate::common::sender::{Sender, ended};
use crate::common::{Server, run};

#[test]
fn run_waits_while_the_server_is_away_and_is_stored_once() {
    let mut sender = Sender::new();
    sender.measure();
    // A port that was free a moment ago, and that nobody listens on.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (code, said) = sender.push(&["--to", &format!("http://{free}"), "--machine", "web-1"]);
    assert_eq!(code, Some(5), "{said}");
    assert!(said.contains("nothing listens there") && said.contains("`ciphermeter push` sends what waits"), "{said}");
    let engine = sqlite();
    let server = Server::start(&engine, &[]);
    let waits = sender.waiting();
    assert_eq!(waits.len(), 1);
    let envelope =
        fs::read_to_string(waits[0].join("to.json")).unwrap().replace(&format!("http://{free}"), &server.url);
    fs::write(waits[0].join("to.json"), envelope).unwrap();
    let (code, said) = sender.push(&[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(sender.waiting().is_empty());
    let (code, said) = sender.push(&["1", "--to", &server.url]);
    assert!(code == Some(0) && said.contains("has the run already, of web-1, whose name it keeps"), "{said}");
    assert_eq!(server.count(), 1);
    assert_eq!(server.json("/api/runs")[0]["machine"], "web-1");
}

#[test]
fn pushes_at_once_send_every_run() {
    let engine = sqlite();
    let server = Server::start(&engine, &[]);
    let mut sender = Sender::new();
    for round in 1..=3 {
        let runs: Vec<String> = (0..6).map(|_| sender.measure().to_string()).collect();
        let all: Vec<_> = runs.iter().map(|run| sender.start(&[run, "--to", &server.url], &[])).collect();
        for push in all {
            let (code, said) = ended(push.wait_with_output().unwrap());
            assert_eq!(code, Some(0), "{said}");
        }
        assert!(sender.waiting().is_empty());
        assert_eq!(server.count(), round * 6);
    }
}

/// An address that answers one request with this head.
fn answers(head: &'static str) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut asked = Vec::new();
        let mut part = [0; 4096];
        while !asked.windows(4).any(|end| end == b"\r\n\r\n") {
            let length = stream.read(&mut part).unwrap();
            asked.extend_from_slice(&part[..length]);
        }
        write!(stream, "HTTP/1.1 {head}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").unwrap();
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = stream.read_to_end(&mut asked);
    });
    url
}

#[test]
fn server_that_sends_elsewhere_is_said_with_what_to_do() {
    for (head, remedy) in [
        (
            "307 Temporary Redirect\r\nlocation: https://team.example/api/runs?machine=a",
            "it sends you to https://team.example; if you trust that server, `ciphermeter push --to https://team.example`",
        ),
        ("302 Found\r\nlocation: /login", "it sends you to /login, which is no server: write in --to"),
    ] {
        let mut sender = Sender::new();
        let run = sender.measure().to_string();
        let (code, said) = sender.push(&[&run, "--to", &answers(head)]);
        assert!(code == Some(5) && said.contains(remedy) && said.lines().count() == 2, "{code:?} {said}");
        assert_eq!(sender.waiting().len(), 1);
    }
}

#[test]
fn refused_run_is_named_and_what_is_no_run_holds_up_no_other() {
    let engine = sqlite();
    let server = Server::start(&engine, &[]);
    let mut sender = Sender::new();
    // The fixture's own number, as the export has it.
    let number = run("2026-11-31T12:00:00Z").0.id;
    let (bad, good) = (sender.measure_at("2026-11-31T12:00:00Z").to_string(), sender.measure().to_string());
    let (code, said) = sender.push(&[&bad, "--to", &server.url]);
    let refused = format!("refuses run {number} of 2026-11-31T12:00:00Z, which stays in the store alone");
    assert!(code == Some(5) && said.contains(&refused), "{code:?} {said}");
    let [stray, empty] = ["stray", "empty"].map(|name| sender.queue().join(name));
    fs::write(&stray, "").unwrap();
    fs::create_dir(&empty).unwrap();
    let (code, said) = sender.push(&[&good, "--to", &server.url]);
    assert!(code == Some(5) && said.contains("has the run"), "{code:?} {said}");
    for odd in [stray, empty] {
        let remedy = format!("{} is no run that waits to be sent: remove it", odd.display());
        assert!(said.contains(&remedy), "{said}");
    }
}

#[test]
fn bad_arguments_are_one_line_with_the_remedy() {
    let mut sender = Sender::new();
    sender.measure();
    for (words, why) in [
        (&["1"][..], "to which server?"),
        (&["--to", "ftp://x"], "is no server"),
        (&["--to", "http://x/path"], "is no server"),
        (&["--to", "http://127.0.0.1:99999"], "has no port from 1 to 65535"),
        (&["9", "--to", "http://127.0.0.1:1"], "there is no run 9"),
    ] {
        let (code, said) = sender.push(words);
        assert!(code == Some(2) && said.contains(why) && said.lines().count() == 1, "{words:?}: {code:?} {said}");
    }
}

#[test]
fn token_goes_to_no_server_for_which_it_was_not_set() {
    let mut sender = Sender::new();
    sender.measure();
    let [first, second] = [0, 1].map(|_| std::net::TcpListener::bind("127.0.0.1:0").unwrap());
    let address = |listener: &std::net::TcpListener| format!("http://{}", listener.local_addr().unwrap());
    let with_token = |words: &[&str], token: &str| {
        sender.start(words, &[("CIPHERMETER_TOKEN", token)]).wait_with_output().unwrap();
    };
    // Each answers one request with 503, so that the run waits, and says whether it saw a token.
    let answer = |listener: std::net::TcpListener| {
        std::thread::spawn(move || {
            let mut seen = Vec::new();
            for _ in 0..2 {
                let (mut stream, _) = listener.accept().unwrap();
                let mut head = vec![0; 4096];
                let length = stream.read(&mut head).unwrap();
                seen.push(String::from_utf8_lossy(&head[..length]).to_lowercase());
                let _ = stream
                    .write_all(b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            }
            seen
        })
    };
    let (one, two) = (address(&first), address(&second));
    let (first, second) = (answer(first), answer(second));
    with_token(&["--to", &one], "ciphermeter_a");
    with_token(&["--to", &two], "ciphermeter_b");
    // Without a server, all that waits is sent.
    with_token(&[], "ciphermeter_b");
    for (seen, own, other) in [
        (first.join().unwrap(), "ciphermeter_a", "ciphermeter_b"),
        (second.join().unwrap(), "ciphermeter_b", "ciphermeter_a"),
    ] {
        assert!(seen[0].contains(own), "{}", seen[0]);
        assert!(seen.iter().all(|head| !head.contains(other)), "{seen:?}");
    }
}
