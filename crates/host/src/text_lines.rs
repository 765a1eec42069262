//! Lines of text from another program or device, of which none is longer than its reader wants.

use std::io::{BufRead, BufReader, Read};

/// Where a line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The first one, which may be the end of a line.
    First,
    Later,
}

/// Hands each line to `take`, without blanks around it, until they end. What follows on a beginning
/// of `most` bytes is left out.
pub(crate) fn each_line(source: impl Read, most: u64, mut take: impl FnMut(&str, Place)) {
    let mut source = BufReader::new(source);
    let (mut line, mut is_whole, mut place) = (Vec::new(), true, Place::First);
    while let Ok(1..) = (&mut source).take(most).read_until(b'\n', &mut line) {
        if is_whole {
            take(String::from_utf8_lossy(&line).trim(), place);
        }
        place = Place::Later;
        is_whole = line.ends_with(b"\n");
        line.clear();
    }
}
