//! Fixed-length data of a data connection: headers of frames, heads of pieces, hellos. Each is refused or encodes to
//! the same bytes that it was read from, and lengths are bounded before memory is allocated for them.
#![no_main]

use ciphermeter_transfer::{CHUNK, FrameKind, HEADER, HELLO, Header, Hello, Piece};
use libfuzzer_sys::fuzz_target;

const TAG: usize = 16;
/// The longest piece that WIRE.md allows.
const MAX_PIECE: u64 = 1 << 30;

fuzz_target!(|data: &[u8]| {
    if let Some(bytes) = data.first_chunk() {
        header(bytes);
    }
    piece(data);
    if let Some(bytes) = data.first_chunk::<HELLO>() {
        match Hello::decode(bytes) {
            Some(hello) => assert_eq!(&hello.encode(), bytes),
            None => assert!(!bytes.starts_with(b"cmD3")),
        }
    }
});

fn header(bytes: &[u8; HEADER]) {
    let sealed = u32::from_be_bytes([bytes[1], bytes[2], bytes[3], bytes[4]]) as usize;
    let sound = (1..=4).contains(&bytes[0]) && (TAG..=CHUNK + TAG).contains(&sealed);
    match Header::decode(*bytes) {
        Ok(header) => {
            assert!(sound, "{header:?}");
            assert_eq!(&header.encode(), bytes);
            assert_eq!((header.sealed(), header.plain()), (sealed, sealed - TAG));
            assert_eq!(Header::new(header.kind(), header.plain()), header);
            let kinds = [FrameKind::Piece, FrameKind::Data, FrameKind::End, FrameKind::Hole];
            assert_eq!(header.kind(), kinds[usize::from(bytes[0]) - 1]);
        }
        Err(error) => assert!(!sound, "{error}"),
    }
}

fn piece(bytes: &[u8]) {
    if let Ok(hole) = Piece::decode_hole(bytes) {
        assert_eq!(hole.encode(), bytes);
        assert!(hole.offset.checked_add(hole.length).is_some());
    }
    let Ok(piece) = Piece::decode(bytes) else { return };
    assert_eq!(piece.encode(), bytes);
    assert!(piece.length <= MAX_PIECE && piece.offset.checked_add(piece.length).is_some());
    // All chunks are full but the last, and together they make up the piece.
    let chunks = piece.chunks();
    assert!((1..=MAX_PIECE / CHUNK as u64).contains(&chunks));
    assert!((0..chunks - 1).all(|number| piece.chunk(number) == CHUNK) && piece.chunk(chunks) == 0);
    assert_eq!((chunks - 1) * CHUNK as u64 + piece.chunk(chunks - 1) as u64, piece.length);
}
