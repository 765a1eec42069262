use std::collections::HashMap;
use std::sync::mpsc::{Sender, channel};

use proptest::prelude::*;

use super::*;
use crate::message::OfferedFile;
use crate::name::Name;
use crate::receive::samples;

fn file(size: u64, stream: bool) -> OfferedFile {
    OfferedFile { stream, ..samples::file("d/file", size) }
}

/// Hands on what is written.
struct Written(Sender<Vec<u8>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(bytes.to_vec()).map_err(|_| ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Receives these pieces of a file of that size, or of a stream; each has its number as its bytes.
fn receive(size: Option<u64>, pieces: &[Piece]) -> (Vec<bool>, bool, Vec<u8>) {
    let (to, written) = channel();
    let offer = Offer { files: vec![file(size.unwrap_or(0), size.is_none())], ..Offer::default() };
    let accepted = Accepted::new(offer, &HashMap::new());
    let pipe = Arc::new(Pipe::new(Written(to)));
    let arrivals = PipeArrivals::new(&accepted, pipe, Arc::default());
    let receive = |(number, piece): (usize, &Piece)| -> Result<(), Error> {
        let mut sink = (&arrivals).begin(piece)?;
        sink.write(&vec![number as u8; piece.length as usize], piece.offset)?;
        (&arrivals).end(piece, sink)
    };
    let taken = pieces.iter().enumerate().map(|piece| receive(piece).is_ok()).collect();
    let is_complete = arrivals.is_complete(0);
    drop(arrivals);
    (taken, is_complete, written.iter().flatten().collect())
}

proptest! {
    /// Whatever comes, what is written is the run of pieces that follow each other from 0.
    #[test]
    fn only_the_next_piece_is_written(
        pieces in prop::collection::vec((0..2_u32, 0..6_u64, 0..4_u64), 0..12), size in prop::option::of(0..9_u64),
    ) {
        let pieces: Vec<_> = pieces.into_iter().map(|(file, offset, length)| Piece { file, offset, length }).collect();
        let (taken, is_complete, written) = receive(size, &pieces);
        let mut due = Vec::new();
        for (number, (piece, taken)) in pieces.iter().zip(taken).enumerate() {
            if taken {
                prop_assert_eq!((piece.file, piece.offset), (0, due.len() as u64));
                due.extend(vec![number as u8; piece.length as usize]);
            } else if size.is_none() {
                prop_assert!((piece.file, piece.offset) != (0, due.len() as u64), "the next one of a stream is taken");
            }
        }
        prop_assert_eq!(is_complete, size.is_none_or(|size| size == due.len() as u64));
        prop_assert!(size.is_none_or(|size| due.len() as u64 <= size));
        prop_assert_eq!(written, due);
    }
}

#[test]
fn offer_goes_where_it_can() {
    let offer = |files: &[&OfferedFile]| Offer { files: files.iter().copied().cloned().collect(), ..Offer::default() };
    let (stream, plain) = (file(0, true), file(5, false));
    let link = OfferedFile { link: Some("other".to_owned().try_into().unwrap()), ..file(0, false) };
    let folder = Offer { folders: vec![(Name::parse("d").unwrap(), 0o700)], ..offer(&[&plain]) };
    assert!(check_offer(&offer(&[&stream]), true).is_ok() && check_offer(&offer(&[&plain]), true).is_ok());
    for refused in [&offer(&[]), &offer(&[&plain, &stream]), &offer(&[&link]), &folder] {
        assert!(check_offer(refused, true).is_err(), "{refused:?}");
    }
    assert!(check_offer(&offer(&[&plain, &link]), false).is_ok() && check_offer(&folder, false).is_ok());
    assert!(check_offer(&offer(&[&plain, &stream]), false).is_err());
}

#[test]
fn stream_has_no_size() {
    assert!(file(0, true).is_possible() && !file(1, true).is_possible());
    let data = OfferedFile { data: Some(0), ..file(0, true) };
    let link = OfferedFile { mode: 0, link: Some("other".to_owned().try_into().unwrap()), ..file(0, true) };
    assert!(!data.is_possible() && !link.is_possible());
}
