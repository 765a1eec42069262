//! Foreign names and foreign pages get nothing.

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::common::engine::sqlite;
use crate::common::{Server, agent, export, run};

#[test]
fn request_with_two_hosts_is_refused() {
    let engine = sqlite();
    let server = Server::start(&engine, &["--host", "team.example"]);
    let mut stream = TcpStream::connect(server.url.trim_start_matches("http://")).unwrap();
    let hosts = "Host: team.example\r\nHost: evil.example";
    write!(stream, "GET /api/runs HTTP/1.1\r\n{hosts}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("several Host headers"), "{answer}");
}

#[test]
fn foreign_page_cannot_push() {
    let engine = sqlite();
    let server = Server::start(&engine, &[]);
    let push = |origin: &str| {
        let request = agent().post(format!("{}/api/runs", server.url)).header("origin", origin);
        request.send(&export(&run("2026-11-21T12:00:00Z"))[..]).unwrap().status().as_u16()
    };
    assert_eq!((push("https://evil.example"), push("null"), push(&server.url)), (403, 403, 201));
}

#[test]
fn every_answer_has_the_headers_of_safety() {
    let engine = sqlite();
    let server = Server::start(&engine, &[]);
    let (_, taken) = server.push("?machine=a", &export(&run("2026-11-21T12:00:00Z")));
    let report = format!("/runs/{}/report", taken["run"].as_str().unwrap());
    for path in ["/", "/api/runs", "/nothing", &report] {
        let answer = server.get(path);
        let header = |name: &str| answer.headers().get(name).map_or("", |value| value.to_str().unwrap());
        let policy = header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!((header("x-content-type-options"), header("referrer-policy")), ("nosniff", "same-origin"), "{path}");
    }
}
