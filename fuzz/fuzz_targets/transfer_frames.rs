//! Frames from bytes that arrive in arbitrary portions: always the frames in the bytes, then the same error or end; no
//! read requests much more than a frame, and nothing is read after a header that was refused.
//!
//! Input: the number of portions (1 byte), their sizes (1 byte each, 0 for a read that is interrupted, from 128 on in
//! steps of 4 KiB), then the bytes, where 0xff stands for 8 KiB.
#![no_main]

use std::io::{self, ErrorKind, Read};

use ciphermeter_fuzz::stretched;
use ciphermeter_transfer::{CHUNK, Error, FrameReader, HEADER, Header};
use libfuzzer_sys::fuzz_target;

/// A full frame, and how far a reader may look beyond it.
const MOST: usize = HEADER + CHUNK + 16 + 32 * 1024;

/// Bytes that arrive in portions, over and over.
struct Portions<'a> {
    bytes: &'a [u8],
    sizes: &'a [u8],
    next: usize,
    interrupted: bool,
    /// The begin and end of the memory that was read into.
    memory: (usize, usize),
}

impl Read for Portions<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        assert!(!into.is_empty(), "a read for nothing");
        let memory = into.as_ptr_range();
        self.memory.0 = self.memory.0.min(memory.start.addr());
        self.memory.1 = self.memory.1.max(memory.end.addr());
        let size = match self.sizes.get(self.next % self.sizes.len().max(1)).copied().map(usize::from) {
            None => usize::MAX,
            Some(0) if !self.interrupted => {
                self.interrupted = true;
                return Err(ErrorKind::Interrupted.into());
            }
            Some(size @ 0..128) => size.max(1),
            Some(size) => (size - 127) * 4096,
        };
        self.next += 1;
        self.interrupted = false;
        let (now, later) = self.bytes.split_at(size.min(into.len()).min(self.bytes.len()));
        into[..now.len()].copy_from_slice(now);
        self.bytes = later;
        Ok(now.len())
    }
}

type Frames<'a> = Vec<(Header, &'a [u8])>;

/// The frames in the bytes, without copying.
fn held(mut bytes: &[u8]) -> (Frames<'_>, Result<(), Error>) {
    let mut frames = Vec::new();
    loop {
        let Some((header, rest)) = bytes.split_first_chunk() else {
            return (frames, if bytes.is_empty() { Ok(()) } else { Err(Error::Cut) });
        };
        let header = match Header::decode(*header) {
            Ok(header) => header,
            Err(error) => return (frames, Err(error)),
        };
        let Some((sealed, rest)) = rest.split_at_checked(header.sealed()) else { return (frames, Err(Error::Cut)) };
        frames.push((header, sealed));
        bytes = rest;
    }
}

/// Takes the frames one by one and compares each with the expected one; also returns their number.
fn take(reader: &mut FrameReader<&mut Portions>, due: &Frames) -> (usize, Result<(), Error>) {
    let mut taken = 0;
    let mut next = || {
        let Some(header) = reader.header()? else { return Ok(false) };
        let sealed = reader.sealed(&header)?;
        assert_eq!((header, &*sealed), due[taken]);
        // As when opening: the caller may change what it gets.
        sealed.fill(0);
        taken += 1;
        Ok(true)
    };
    let end = loop {
        match next() {
            Ok(true) => {}
            Ok(false) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    (taken, end)
}

fuzz_target!(|data: &[u8]| {
    let Some((&count, rest)) = data.split_first() else { return };
    let (sizes, bytes) = rest.split_at(usize::from(count).min(rest.len()));
    let bytes = stretched(bytes);
    let (due, end) = held(&bytes);
    for sizes in [sizes, &[]] {
        let mut from = Portions { bytes: &bytes, sizes, next: 0, interrupted: false, memory: (usize::MAX, 0) };
        let (taken, ended) = take(&mut FrameReader::new(&mut from), &due);
        assert_eq!((taken, format!("{ended:?}")), (due.len(), format!("{end:?}")));
        assert!(from.memory.1 - from.memory.0 <= MOST, "{:?}", from.memory);
        let looked_at = due.iter().map(|(header, _)| HEADER + header.sealed()).sum::<usize>() + MOST;
        assert!(bytes.len() - from.bytes.len() <= looked_at, "it reads on after its end");
    }
});
