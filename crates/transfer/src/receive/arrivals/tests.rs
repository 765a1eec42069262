use super::*;
use crate::receive::Offer;
use crate::receive::samples::file;

fn arrivals(size: u64) -> Arrivals {
    with(size, Ranges::default())
}

/// For one file, of which `have` is here.
fn with(size: u64, have: Ranges) -> Arrivals {
    let offer = Offer { files: vec![file("file", size)], ..Offer::default() };
    let have = if have.bytes() == 0 { HashMap::new() } else { HashMap::from([(0, have)]) };
    Arrivals::new(Arc::new(Accepted::new(offer, &HashMap::new())), None, Arc::default(), &have, Arc::default())
}

/// In a file of 100 times the shortest piece; offsets and lengths are multiples of it.
#[test]
fn impossible_pieces_are_refused() {
    let arrivals = arrivals(100 * MIN_PIECE);
    let begin = |file, offset, length| {
        (&arrivals).begin(&Piece { file, offset: offset * MIN_PIECE, length: length * MIN_PIECE }).is_ok()
    };
    assert!(begin(0, 10, 20));
    assert!(!begin(0, 10, 20) && !begin(0, 29, 2) && !begin(0, 0, 11), "it is here already");
    assert!(!begin(0, 99, 2) && !begin(0, 101, 0) && !begin(1, 0, 1), "no such range or file");
    assert!(!begin(0, 40, 0), "an empty piece of a file that is not empty");
    assert!(begin(0, 30, 70) && begin(0, 0, 10));
}

#[test]
fn hole_is_a_piece_that_is_there_at_once() {
    let arrivals = arrivals(3 * MIN_PIECE);
    let piece = |number| Piece { file: 0, offset: number * MIN_PIECE, length: MIN_PIECE };
    (&arrivals).hole(&piece(1)).unwrap();
    assert!((&arrivals).hole(&piece(1)).is_err() && (&arrivals).begin(&piece(1)).is_err(), "it is here already");
    assert!((&arrivals).hole(&Piece { file: 0, offset: 0, length: 4 * MIN_PIECE }).is_err(), "beyond the end");
    for number in [0, 2] {
        (&arrivals).hole(&piece(number)).unwrap();
    }
    assert!(arrivals.is_complete(0));
    assert_eq!((arrivals.progress.done(), arrivals.progress.holes()), (3 * MIN_PIECE, 3 * MIN_PIECE));
}

#[test]
fn short_piece_is_accepted_only_before_an_end() {
    let size = 10 * MIN_PIECE + 5;
    let mut have = Ranges::default();
    have.add(4 * MIN_PIECE + 1, 6).unwrap();
    let arrivals = with(size, have);
    let begin = |offset, length| (&arrivals).begin(&Piece { file: 0, offset, length }).is_ok();
    assert!(!begin(0, 1) && !begin(MIN_PIECE, MIN_PIECE - 1));
    assert!(begin(4 * MIN_PIECE, 1), "up to what is here");
    assert!(!begin(4 * MIN_PIECE - 1, 1), "up to what has just begun");
    assert!(begin(size - 3, 3) && !begin(size - 4, 1));
}

#[test]
fn file_is_complete_once_all_its_pieces_are() {
    let arrivals = arrivals(3 * MIN_PIECE);
    let piece = |number| Piece { file: 0, offset: number * MIN_PIECE, length: MIN_PIECE };
    for number in [2, 0, 1] {
        assert!(!arrivals.is_complete(0));
        let sink = (&arrivals).begin(&piece(number)).unwrap();
        (&arrivals).end(&piece(number), sink).unwrap();
    }
    assert!(arrivals.is_complete(0) && !arrivals.is_complete(1));
    assert!((&arrivals).begin(&piece(1)).is_err(), "it came before");
    let inner = arrivals.inner();
    assert!(inner.begun.is_empty() && inner.ranges == 0, "nothing more is remembered of it");
}

#[test]
fn number_of_separate_ranges_is_limited_over_all_files() {
    let arrivals = arrivals(3 * MIN_PIECE * MAX_RANGES as u64);
    let begin =
        |number: usize| (&arrivals).begin(&Piece { file: 0, offset: 2 * number as u64 * MIN_PIECE, length: MIN_PIECE });
    arrivals.inner().ranges = MAX_RANGES - 2;
    assert!(begin(0).is_ok() && begin(1).is_ok());
    assert!(matches!(begin(2).map(drop), Err(Error::Piece("more separate ranges than a receiver remembers"))));
}

#[test]
fn empty_file_has_one_piece() {
    let arrivals = arrivals(0);
    let begin = || (&arrivals).begin(&Piece { file: 0, offset: 0, length: 0 }).is_ok();
    assert!(begin() && !begin());
}

#[test]
fn no_piece_begins_or_ends_after_the_end_of_an_attempt() {
    let arrivals = arrivals(2 * MIN_PIECE);
    let piece = |number| Piece { file: 0, offset: number * MIN_PIECE, length: MIN_PIECE };
    let sink = (&arrivals).begin(&piece(0)).unwrap();
    arrivals.close();
    assert!((&arrivals).begin(&piece(1)).is_err());
    assert!((&arrivals).end(&piece(0), sink).is_err());
    assert!(arrivals.take_unsynced().is_empty());
}
