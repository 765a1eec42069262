//! A harness that sends arbitrary bytes: the worker never panics, answers each line that is not blank once, in order,
//! with lines of the protocol, and continues to the end of its input.
#![no_main]

use ciphermeter_fuzz::stretched;
use ciphermeter_protocol::{Describe, JsonLine, MAX_LINE, Reply, Request, Serve, serve};
use libfuzzer_sys::fuzz_target;

struct Echo;

impl Serve for Echo {
    fn describe(&mut self) -> Describe {
        Describe { worker: "echo".into(), runtime: "none".into(), ..Describe::default() }
    }

    fn answer(&mut self, request: Request) -> Reply {
        match request {
            Request::Check(check) => Reply::Output(check.input),
            Request::Prepare(prepare) => Reply::Ready { cell: prepare.cell },
            Request::Release { cell } => Reply::Released { cell },
            Request::Sample { .. } | Request::Latency { .. } | Request::Digest { .. } => Reply::Rejected,
            Request::Verify { cell, .. } => Reply::Verified { cell, crc32: 0 },
            Request::Peek { cell, bytes, .. } => {
                Reply::Bytes { cell, bytes: vec![0; usize::try_from(bytes).expect("at most 16 KiB")] }
            }
            Request::Describe | Request::Clock | Request::Memory { .. } | Request::Compilation | Request::Current => {
                Reply::Unsupported(format!("{request:?}"))
            }
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let text = stretched(data);
    let mut output = Vec::new();
    serve(&mut Echo, &text[..], &mut output).expect("reading and writing memory");

    let blank = |line: &&[u8]| line.len() < MAX_LINE && line.iter().all(u8::is_ascii_whitespace);
    let asked = text.split(|byte| *byte == b'\n').filter(|line| !blank(line));
    let mut answers = output.split_inclusive(|byte| *byte == b'\n');
    let mut answer = || JsonLine::parse(answers.next().expect("an answer")).expect("a line of the protocol");
    for line in asked {
        let first = answer();
        let is = first.need_text("is").expect("`is`");
        match JsonLine::parse(line).and_then(|line| Request::read(&line)) {
            Ok(Request::Describe) => {
                assert_eq!(is, "worker");
                assert_eq!(answer().need_text("is"), Ok("end"));
            }
            Ok(_) => assert_ne!(is, "error"),
            Err(_) => assert_eq!(is, "error"),
        }
    }
    assert!(answers.next().is_none(), "more answers than lines");
});
