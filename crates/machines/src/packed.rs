//! Exports in gzip's format. What comes out of one has the limit of any export: a small file may hold a very long one.

use std::borrow::Cow;
use std::io::{Error, ErrorKind, Read, Result, Write};

use ciphermeter_core::{Bytes, most};
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

/// How every file in gzip's format begins (RFC 1952).
const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// A document as it was before it was packed, or as it is. It has at most one byte more than an export may have.
///
/// # Errors
/// It is broken off or damaged.
pub fn unpack(document: Vec<u8>) -> Result<Vec<u8>> {
    Ok(unpacked(&document, most::DOCUMENT as u64)?.map_or(document, Cow::into_owned))
}

/// The document inside of a packed one; `None` where it is not packed.
pub(crate) fn unpacked(document: &[u8], most: u64) -> Result<Option<Cow<'static, [u8]>>> {
    if !document.starts_with(&MAGIC) {
        return Ok(None);
    }
    let mut plain = Vec::new();
    let read = MultiGzDecoder::new(document).take(most + 1).read_to_end(&mut plain);
    match read {
        Ok(_) => Ok(Some(plain.into())),
        Err(error) => Err(Error::new(error.kind(), format!("it is no gzip file, or not all of it: {error}"))),
    }
}

/// The document of a file of the table, which is much shorter than an export may be.
pub(crate) fn unpacked_within(document: &[u8], most: u64) -> Result<Vec<u8>> {
    let plain = unpacked(document, most)?;
    let plain = plain.ok_or_else(|| Error::new(ErrorKind::InvalidData, "it is not packed by gzip"))?;
    if plain.len() as u64 > most {
        let why = format!("it is longer than {} when it is unpacked", Bytes(most));
        return Err(Error::new(ErrorKind::InvalidData, why));
    }
    Ok(plain.into_owned())
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
        assert!(why.starts_with("it is no gzip file, or not all of it"), "{why}");
    }

    #[test]
    fn long_document_is_not_taken_in_whole() {
        let packed = pack(&vec![b' '; 10_000]).unwrap();
        assert_eq!(unpacked(&packed, 99).unwrap().unwrap().len(), 100);
        let why = unpacked_within(&packed, 99).unwrap_err().to_string();
        assert!(why.contains("longer than 99"), "{why}");
        assert!(unpacked_within(b"{}", 99).unwrap_err().to_string().contains("not packed"));
    }
}
