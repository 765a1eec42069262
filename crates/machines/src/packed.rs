//! Exports in gzip's format. What comes out of one has the limit of any export: a small file may hold a very long one.

use std::io::{Error, ErrorKind, Read, Result, Write};

use ciphermeter_core::most;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

/// How every file in gzip's format begins (RFC 1952).
const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The most bytes of what comes out for each that goes in: samples come to six, and a bomb to a thousand.
const MOST_FOR_EACH: u64 = 100;
const MIB: u64 = 1 << 20;

/// A document as it was before it was packed, or as it is.
///
/// # Errors
/// It is broken off, damaged, or a bomb.
pub fn unpack(document: Vec<u8>) -> Result<Vec<u8>> {
    if !document.starts_with(&MAGIC) {
        return Ok(document);
    }
    let most = (document.len() as u64).saturating_mul(MOST_FOR_EACH).min(most::DOCUMENT as u64);
    unpacked_within(&document, most)
}

/// What is in a packed document, of at most so many bytes.
pub(crate) fn unpacked_within(document: &[u8], most: u64) -> Result<Vec<u8>> {
    let wrong = |why: String| Error::new(ErrorKind::InvalidData, why);
    if !document.starts_with(&MAGIC) {
        return Err(wrong("it is not packed by gzip: write it with `ciphermeter export --share`".into()));
    }
    let mut plain = Vec::new();
    let read = MultiGzDecoder::new(document).take(most + 1).read_to_end(&mut plain);
    read.map_err(|error| wrong(format!("it is not a whole gzip file ({error}): copy or write it again")))?;
    if plain.len() as u64 > most {
        let most = if most < MIB { format!("{most} B") } else { format!("{} MiB", most / MIB) };
        let remedy = "export the run again, or measure it with a shorter --budget";
        return Err(wrong(format!("it is longer than {most} when it is unpacked: {remedy}")));
    }
    Ok(plain)
}

/// Packs a document, without a name or a moment.
///
/// # Errors
/// None: memory is written.
pub fn pack(document: &[u8]) -> Result<Vec<u8>> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(document)?;
    packed.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_packed_and_unpacked() {
        let document = b"{\"schema\":2}".repeat(100);
        let packed = pack(&document).unwrap();
        assert!(packed.len() < 100 && packed[4..8] == [0; 4], "no moment in it");
        assert_eq!(unpack(packed.clone()).unwrap(), document);
        assert_eq!(unpack(document.clone()).unwrap(), document, "as it is");
        let why = unpack(packed[..packed.len() - 9].to_vec()).unwrap_err().to_string();
        assert!(why.starts_with("it is not a whole gzip file"), "{why}");
    }

    #[test]
    fn long_document_is_not_taken_in_whole() {
        let packed = pack(&vec![b' '; 1 << 20]).unwrap();
        assert!(unpack(packed.clone()).unwrap_err().to_string().contains("longer than"), "a bomb");
        let why = unpacked_within(&packed, 99).unwrap_err().to_string();
        assert!(why.contains("longer than 99 B when") && why.contains("export the run again"), "{why}");
        let why = unpacked_within(&pack(&vec![b' '; 3 << 20]).unwrap(), (2 << 20) + 7).unwrap_err().to_string();
        assert!(why.contains("longer than 2 MiB when"), "{why}");
        assert!(unpacked_within(b"{}", 99).unwrap_err().to_string().contains("not packed"));
    }
}
