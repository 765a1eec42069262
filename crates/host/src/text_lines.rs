//! Lines of text from another program or device, of which none is longer than its reader wants.

use std::io::{BufRead, BufReader, Read};

/// Hands each line to `take`, without blanks around it, until they end. What may be the end of a line is left out: the first one, and
/// what follows on a beginning of `most` bytes.
pub(crate) fn each_line(source: impl Read, most: u64, mut take: impl FnMut(&str)) {
    let mut source = BufReader::new(source);
    let (mut line, mut is_whole) = (Vec::new(), false);
    while let Ok(1..) = (&mut source).take(most).read_until(b'\n', &mut line) {
        if is_whole {
            take(String::from_utf8_lossy(&line).trim());
        }
        is_whole = line.ends_with(b"\n");
        line.clear();
    }
}
