//! Bytes from the other side of a link: no line panics, every valid line writes and reads back equal, and nothing
//! longer than a line is ever stored.
#![no_main]

use std::io::BufReader;

use ciphermeter_fuzz::stretched;
use ciphermeter_protocol::{JsonLine, MAX_LINE, Reply, Request, read_line};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = stretched(data);
    // Small pieces, so that lines come in several of them.
    let mut input = BufReader::with_capacity(1 + data.len() * 7, &text[..]);
    let mut buffer = Vec::new();
    let mut whole = text.split(|byte| *byte == b'\n');
    loop {
        let read = read_line(&mut input, &mut buffer);
        assert!(buffer.capacity() <= 2 * MAX_LINE, "{} bytes are held", buffer.capacity());
        let line = match read {
            Ok(false) => break,
            Ok(true) => whole.next().expect("a line for each newline"),
            Err(_) => {
                assert!(whole.next().is_some_and(|line| line.len() >= MAX_LINE));
                continue;
            }
        };
        assert_eq!(buffer, line);
        if let Ok(line) = JsonLine::parse(line) {
            reads_back(&line);
        }
    }
    assert!(whole.all(<[u8]>::is_empty), "lines were lost");
});

fn reads_back(line: &JsonLine) {
    assert_eq!(again(line).as_ref(), Some(line));
    if let Ok(request) = Request::read(line)
        && let Some(line) = again(&request.line())
    {
        assert_eq!(Request::read(&line), Ok(request));
    }
    if let Ok(reply) = Reply::read(line)
        && let Some(line) = again(&reply.line())
    {
        assert_eq!(Reply::read(&line), Ok(reply));
    }
}

/// Written and read; `None` if it no longer fits, because absent keys are spelled out.
fn again(line: &JsonLine) -> Option<JsonLine> {
    let text = line.write();
    let text = text.strip_suffix('\n').expect("a newline at the end");
    assert!(!text.contains('\n'));
    (text.len() < MAX_LINE).then(|| JsonLine::parse(text.as_bytes()).expect("what is written reads back"))
}
