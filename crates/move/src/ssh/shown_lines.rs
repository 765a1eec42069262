//! What ssh and the remote end print on standard error, shown line by line: made safe, with the host in front.

use std::io::{BufRead, BufReader, Read};

use ciphermeter_core::{escaped, quoted};
use ciphermeter_terminal::output;

/// The most bytes that are shown as one line.
const MAX_LINE: u64 = 4096;

pub fn show(from: impl Read, host: &str) {
    let mut from = BufReader::new(from);
    loop {
        let mut line = Vec::new();
        let read = from.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
        tell(&line, host);
        if !matches!(read, Ok(1..)) {
            return;
        }
    }
}

/// In one write, which is not torn apart. A line of progress that stands there is removed and drawn again below.
fn tell(line: &[u8], host: &str) {
    let Some(text) = shown(line, host) else { return };
    match output::moves_cursor() {
        true => output::say_instead(&format!("{text}\n")),
        false => output::say(&format!("{text}\n")),
    }
}

/// The line with its host; nothing of an empty one.
fn shown(line: &[u8], host: &str) -> Option<String> {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end();
    (!text.is_empty()).then(|| format!("{}: {}", quoted(host), escaped(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_is_harmless_and_has_its_host() {
        assert_eq!(shown(b"Welcome\r", "me@host").as_deref(), Some("me@host: Welcome"));
        assert_eq!(shown(b"\x1b[2J\xffa\tb", "host").as_deref(), Some("host: \\u{1b}[2J\u{fffd}a\\tb"));
        assert_eq!(shown(b" \r", "host"), None);
    }
}
