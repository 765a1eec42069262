//! Lines that are not requests: each gets exactly one `error`, blank ones get nothing, and the worker continues.

use std::io;

use serde_json::json;

use crate::facts::Facts;
use crate::report::Check;
use crate::suite::Suite;
use crate::worker::Worker;

/// Garbage, limits and blanks.
pub fn check(suite: &mut Suite) -> io::Result<()> {
    let facts = suite.facts();
    for (what, line) in garbage(&facts) {
        suite.check(&format!("line: {what} is an error"), |worker| refused(worker, &line, &["error"]))?;
    }
    for (what, line) in odd(&facts) {
        suite.check(&format!("line: {what} gets one answer"), |worker| refused(worker, &line, &["error", "clock"]))?;
    }
    suite.check("line: as long as the limit allows gets its answer", |worker| {
        worker.ask_bytes(&padded(facts.max_line))?.expect("clock").map(drop)
    })?;
    suite.check("line: a worker lives on after each of many errors", many)?;
    suite.check("line: blank lines get no answer", |worker| {
        worker.send(b"\n\n\n")?;
        alive(worker)
    })?;
    suite.check("line: requests that arrive in pieces or together", pieces)?;
    suite.check("line: unknown and null keys are ignored", |worker| {
        let line = br#"{"colour":"blue","list":[1,2],"nothing":null,"do":"clock","cell":null}"#;
        worker.ask_bytes(line)?.expect("clock").map(drop)
    })
}

/// A `clock` request that is `bytes` long with its newline.
fn padded(bytes: usize) -> Vec<u8> {
    let around = json!({"do": "clock", "pad": ""}).to_string().len() + 1;
    json!({"do": "clock", "pad": "a".repeat(bytes - around)}).to_string().into_bytes()
}

/// A megabyte takes a device a minute or more.
fn garbage(facts: &Facts) -> Vec<(&'static str, Vec<u8>)> {
    let limit = facts.max_line;
    let much = if facts.is_device { 4 * limit } else { 1 << 20 };
    vec![
        ("a word", b"hello".to_vec()),
        ("cut JSON", br#"{"do":"clock""#.to_vec()),
        ("something after the object", br#"{"do":"clock"} x"#.to_vec()),
        ("two objects", br#"{"do":"clock"}{"do":"clock"}"#.to_vec()),
        ("an array", br#"["do","clock"]"#.to_vec()),
        ("a number", b"7".to_vec()),
        ("null", b"null".to_vec()),
        ("an empty object", b"{}".to_vec()),
        ("do null", br#"{"do":null}"#.to_vec()),
        ("do as a number", br#"{"do":1}"#.to_vec()),
        ("do as an object", br#"{"do":{"do":"clock"}}"#.to_vec()),
        ("an unknown do", br#"{"do":"dance"}"#.to_vec()),
        ("bytes that are not UTF-8", b"{\"do\":\"clock\xff\xfe\"}".to_vec()),
        ("zero bytes", vec![0; 16]),
        ("half the limit of brackets", vec![b'['; limit / 2]),
        ("a byte over the limit", padded(limit + 1)),
        ("a line far over the limit", padded(much)),
        ("brackets far over the limit", vec![b'['; much]),
    ]
}

/// Forbidden by the protocol, under a key that no request has: refusing and ignoring are both valid.
fn odd(facts: &Facts) -> Vec<(&'static str, Vec<u8>)> {
    let depth = facts.max_line / 3;
    let deep = [br#"{"do":"clock","x":"#.as_slice(), &vec![b'['; depth], &vec![b']'; depth], b"}"].concat();
    vec![
        ("an unknown key that nests", br#"{"do":"clock","x":{"y":1}}"#.to_vec()),
        ("an unknown key of deep brackets", deep),
        ("an unknown float", br#"{"do":"clock","x":1.5}"#.to_vec()),
        ("an unknown boolean", br#"{"do":"clock","x":true}"#.to_vec()),
        ("an unknown integer of 40 digits", format!("{{\"do\":\"clock\",\"x\":{}}}", "9".repeat(40)).into_bytes()),
        ("a key twice", br#"{"do":"clock","do":"clock"}"#.to_vec()),
    ]
}

/// One answer of these kinds, after which the worker still answers.
fn refused(worker: &mut Worker, line: &[u8], kinds: &[&str]) -> Check {
    worker.ask_bytes(line)?.expect_one_of(kinds)?;
    alive(worker)
}

/// Another kind than `error`, so that a second error for the previous line would show.
fn alive(worker: &mut Worker) -> Check {
    worker.ask(&json!({"do": "clock"}))?.expect("clock").map(drop)
}

fn many(worker: &mut Worker) -> Check {
    for _ in 0..200 {
        worker.ask_bytes(b"again")?.expect("error")?;
    }
    alive(worker)
}

fn pieces(worker: &mut Worker) -> Check {
    for piece in [r#"{"do":"#, r#""clo"#, r#"ck"}"#] {
        worker.send(piece.as_bytes())?;
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    worker.send(b"\n")?;
    worker.read()?.expect("clock")?;
    worker.send(b"{\"do\":\"clock\"}\n{\"do\":\"memory\"}\n{\"do\":\"clock\"}\n")?;
    for kind in ["clock", "memory", "clock"] {
        worker.read()?.expect(kind)?;
    }
    Ok(())
}
