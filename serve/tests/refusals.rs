//! Whatever is refused, and by whatever part of the server: programs get a sentence as JSON, people get a page.

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::common::engine::sqlite;
use crate::common::{Server, agent, token};

#[test]
fn every_refusal_is_a_sentence() {
    let engine = sqlite();
    let server = Server::start(&engine, &["--host", "team.example"]);
    let ask = |method: &str, path: &str, headers: &[(&str, &str)]| {
        let mut request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", server.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = if method == "GET" { "" } else { "{}" };
        let mut answer = agent().run(request.body(body).unwrap()).unwrap();
        let kind = answer.headers()["content-type"].to_str().unwrap().to_owned();
        let policy = answer.headers().contains_key("content-security-policy");
        (
            answer.status().as_u16(),
            kind,
            policy,
            String::from_utf8_lossy(&answer.body_mut().read_to_vec().unwrap()).into_owned(),
        )
    };
    for (method, path, headers, status, why) in [
        ("GET", "/api/cells", &[][..], 400, "missing field `cell`"),
        ("GET", "/api/cells", &[("accept-encoding", "gzip")], 400, ""),
        (
            "GET",
            "/api/runs?machne=v2",
            &[],
            400,
            "unknown field `machne`, expected one of `machine`, `before`, `after`",
        ),
        ("POST", "/api/runs?machne=v2", &[], 400, "unknown field `machne`"),
        ("GET", "/api/runs?before=yesterday", &[], 400, "`before` is no moment"),
        ("GET", "/api/runs?after=0123456789ab", &[], 400, "beside its `started` as `before`"),
        ("GET", "/api/runs?before=2026-11-30T23:02:18Z&after=x", &[], 400, "`after` is the digest"),
        ("GET", "/api/machines?machine=v2", &[], 400, "unknown field `machine`"),
        ("GET", "/api/cells?cell=x&machne=v2", &[], 400, "unknown field `machne`"),
        ("GET", "/api/movements?machne=v2", &[], 400, "unknown field `machne`"),
        ("GET", "/api/notes?machne=v2", &[], 400, "unknown field `machne`"),
        ("DELETE", "/api/runs", &[], 405, "this path does not take DELETE"),
        ("GET", "/api/nothing", &[], 404, "there is no such"),
        ("POST", "/api/runs", &[("content-encoding", "br")], 415, "Content-Encoding zstd or gzip"),
        ("GET", "/api/runs/%FF", &[], 400, "cannot read the request"),
        ("GET", "/compare", &[], 400, "missing field `a`"),
        ("GET", "/?sort=none", &[], 400, "unknown variant"),
        ("GET", "/machines/%FF", &[], 400, "cannot read the request"),
        ("DELETE", "/", &[], 405, "this path does not take DELETE"),
        ("POST", "/token", &[("content-type", "application/json")], 415, "cannot read the request"),
        ("GET", "/nothing", &[], 404, "there is no such page here"),
        ("GET", "/", &[("host", "evil.example")], 421, "--host NAME"),
        ("GET", "/api/runs", &[("host", "evil.example")], 421, "--host NAME"),
        ("GET", "/api/nothing", &[("host", "team.example")], 404, "there is no such"),
    ] {
        let (was, kind, has_policy, text) = ask(method, path, headers);
        assert_eq!(was, status, "{method} {path}: {text}");
        let wanted = if path.starts_with("/api/") { "application/json" } else { "text/html" };
        assert!(kind.starts_with(wanted) && has_policy, "{method} {path}: {kind}");
        // What is compressed is not looked into here.
        if !why.is_empty() {
            let text = text.replace("&lt;", "<").replace("&gt;", ">");
            assert!(text.contains(why), "{method} {path}: {text}");
        }
        if wanted == "application/json" && !why.is_empty() {
            let problem: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert!(problem["error"].is_string(), "{text}");
        }
    }
}

/// Of so many requests in one connection, how many were refused for their number.
fn refused(server: &Server, requests: usize, headers: &str) -> (usize, String) {
    let address = server.url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).unwrap();
    let one = format!("GET /api/nothing HTTP/1.1\r\nHost: {address}\r\n{headers}\r\n");
    let last = format!("GET /api/nothing HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\r\n");
    let all = one.repeat(requests - 1) + &last;
    let mut reader = stream.try_clone().unwrap();
    let read = std::thread::spawn(move || {
        let mut answers = String::new();
        reader.read_to_string(&mut answers).unwrap();
        let why = answers.split('"').find(|part| part.contains("too many requests")).unwrap_or_default().to_owned();
        (answers.matches("HTTP/1.1 429").count(), why)
    });
    stream.write_all(all.as_bytes()).unwrap();
    read.join().unwrap()
}

#[test]
fn clients_behind_a_proxy_are_counted_apart() {
    let engine = sqlite();
    token(&engine, &["me", "--scope", "read"]);
    let server = Server::start(&engine, &["--behind-proxy"]);
    // The first entry is what the client claims.
    let many = refused(&server, 3000, "X-Forwarded-For: 192.0.2.1, 198.51.100.7\r\n");
    assert!(many.0 > 0 && many.1.contains("wait "), "{many:?}");
    assert_eq!(refused(&server, 100, "X-Forwarded-For: 198.51.100.7, 198.51.100.8\r\n").0, 0, "another client");
    assert!(refused(&server, 3000, "").0 > 0, "without the header, the proxy itself is the client");
}
