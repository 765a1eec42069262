//! Offered files for tests.

use crate::message::OfferedFile;
use crate::name::Name;
use crate::source::Version;

/// A file of data alone, which its owner may read and write.
pub fn file(name: &str, size: u64) -> OfferedFile {
    OfferedFile {
        name: Name::parse(name).unwrap(),
        size,
        data: None,
        link: None,
        stream: false,
        mode: 0o600,
        modified: 0,
        nanoseconds: 0,
        version: Version([1; 16]),
    }
}
