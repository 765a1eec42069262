//! Lines of a control channel, as either end reads them: no line panics or is stored beyond the limit; a valid message
//! is written within the limit and reads back equal, or is refused and leaves nothing behind.
//!
//! A byte 0xff stands for 8 KiB of spaces.
#![no_main]

use std::fmt::Debug;
use std::io::BufReader;

use ciphermeter_fuzz::stretched;
use ciphermeter_transfer::{FromReceiver, FromSender, MAX_MESSAGE, parse_message, read_line, write_message};
use libfuzzer_sys::fuzz_target;
use serde::Serialize;
use serde::de::DeserializeOwned;

fuzz_target!(|data: &[u8]| {
    let text = stretched(data);
    // Small pieces, so that lines come in several of them.
    let mut input = BufReader::with_capacity(1 + data.len() * 7, &text[..]);
    let mut line = Vec::new();
    let mut whole = text.split_inclusive(|byte| *byte == b'\n');
    loop {
        let heard = read_line(&mut input, &mut line);
        assert!(line.capacity() <= 2 * MAX_MESSAGE, "{} bytes are held", line.capacity());
        let due = whole.next().unwrap_or_default();
        if let Err(error) = heard {
            // A connection ends with the first line that is too long or truncated.
            assert!(due.len() > MAX_MESSAGE || !due.ends_with(b"\n"), "{error}");
            break;
        }
        assert_eq!(line, due);
        reads_back::<FromSender>(&line);
        reads_back::<FromReceiver>(&line);
    }
});

fn reads_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(line: &[u8]) {
    let message: T = match parse_message(line) {
        Ok(message) => message,
        Err(error) => return assert!(!error.to_string().contains(char::is_control), "{error}"),
    };
    assert!(line.starts_with(b"{"), "every message is an object");
    let mut due = b"before".to_vec();
    if write_message(&message, &mut due).is_err() {
        return assert_eq!(due, b"before");
    }
    let again = due.strip_prefix(b"before").expect("what was due stays");
    assert!(again.len() <= MAX_MESSAGE && again.iter().position(|byte| *byte == b'\n') == Some(again.len() - 1));
    assert_eq!(parse_message::<T>(again).expect("it reads back"), message);
}
