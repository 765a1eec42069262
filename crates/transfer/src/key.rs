//! From the control channel's secrets to the keys of frames. Every sequence of frames has its own key.
//!
//! All keys come from the TLS exporter (RFC 8446, section 7.5) of this attempt, so nothing sealed in one attempt
//! reveals anything about another. HKDF-SHA256 (RFC 5869) takes the exporter's output with the salt that a data
//! connection drew for itself. Its info names what the key is for, down to the piece, and includes the hash of all that
//! both ends said before: versions, suites and rates of both, the choice, every file's name and size. If a word of that
//! is altered, no frame opens.

use aws_lc_rs::{digest, hkdf, hmac};
use zeroize::Zeroizing;

use crate::hello::{Attempt, Salt, Stream, TransferId};
use crate::piece::Piece;
use crate::secret::Secret;
use crate::suite::KEY;

/// The key of one sequence of frames.
pub type FrameKey = Secret<KEY>;
/// The output of the TLS exporter.
pub(crate) type Exported = Secret<32>;

/// The exporter's label for data; the context is transfer ‖ attempt. The sender seals them, whichever end listens.
pub(crate) const DATA_LABEL: &[u8] = b"EXPORTER-ciphermeter-3 data sender";

/// The end that opens the data connections and says their hellos.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opener {
    /// The receiver listens.
    Sender,
    /// The sender listens.
    Receiver,
}

impl Opener {
    /// The exporter's label for the key of the hellos: what one end says cannot be reflected to it.
    pub(crate) const fn hello_label(self) -> &'static [u8] {
        match self {
            Self::Sender => b"EXPORTER-ciphermeter-3 hello sender",
            Self::Receiver => b"EXPORTER-ciphermeter-3 hello receiver",
        }
    }
}

/// The SHA-256 of the control channel's lines up to `ready`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transcript(pub(crate) [u8; 32]);

/// A running hash of lines.
pub(crate) struct Transcribing(digest::Context);

impl Transcribing {
    pub(crate) fn new() -> Self {
        Self(digest::Context::new(&digest::SHA256))
    }

    pub(crate) fn add(&mut self, line: &[u8]) {
        self.0.update(line);
    }

    pub(crate) fn finish(self) -> Transcript {
        Transcript(self.0.finish().as_ref().try_into().expect("SHA-256 has 32 bytes"))
    }
}

/// Secrets of an attempt, known only to its two ends. The exporter's context names transfer and attempt, so the keys
/// do, too.
#[derive(Clone)]
pub struct AttemptKeys {
    pub(crate) transfer: TransferId,
    pub(crate) attempt: Attempt,
    pub(crate) data: Exported,
    pub(crate) hello: Exported,
}

impl AttemptKeys {
    /// The context of the exporter: transfer ‖ attempt.
    pub(crate) fn context(transfer: TransferId, attempt: Attempt) -> [u8; 20] {
        let mut context = [0; 20];
        context[..16].copy_from_slice(&transfer.0);
        context[16..].copy_from_slice(&attempt.0.to_be_bytes());
        context
    }

    /// The key of the hello's MAC.
    pub(crate) fn hello_key(&self) -> hmac::Key {
        hmac::Key::new(hmac::HMAC_SHA256, self.hello.expose())
    }

    /// The keys of one data connection.
    pub(crate) fn stream(&self, transcript: Transcript, stream: Stream, salt: &Salt) -> StreamKeys {
        let secret = hkdf::Salt::new(hkdf::HKDF_SHA256, salt).extract(self.data.expose());
        let mut info = [0; 54];
        info[..32].copy_from_slice(&transcript.0);
        info[32..52].copy_from_slice(&Self::context(self.transfer, self.attempt));
        info[52..].copy_from_slice(&stream.0.to_be_bytes());
        StreamKeys { secret, info }
    }
}

/// The inputs from which the keys of a data connection derive.
pub struct StreamKeys {
    secret: hkdf::Prk,
    /// transcript ‖ transfer ‖ attempt ‖ stream
    info: [u8; 54],
}

impl StreamKeys {
    /// The key of the connection's own frames: heads of pieces, and the end.
    pub(crate) fn own(&self) -> FrameKey {
        self.derive(b"ciphermeter-3 stream", &[])
    }

    /// The key of a piece's chunks.
    pub(crate) fn piece(&self, piece: &Piece) -> FrameKey {
        self.derive(b"ciphermeter-3 piece", &piece.encode())
    }

    fn derive(&self, label: &[u8], of: &[u8]) -> FrameKey {
        let info = [label, &self.info, of];
        let mut key = Zeroizing::new([0; KEY]);
        let derived = self.secret.expand(&info, hkdf::HKDF_SHA256).and_then(|okm| okm.fill(&mut *key));
        derived.expect("HKDF-SHA256 gives 32 bytes");
        FrameKey::new(*key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(data: u8) -> AttemptKeys {
        AttemptKeys {
            transfer: TransferId([1; 16]),
            attempt: Attempt(1),
            data: Exported::new([data; 32]),
            hello: Exported::new([3; 32]),
        }
    }

    /// Computed with another implementation (Python's hmac, RFC 5869 of info = label ‖ info ‖ piece), as WIRE.md says.
    #[test]
    fn keys_are_what_wire_md_says() {
        let stream = keys(2).stream(Transcript([5; 32]), Stream(7), &[4; 16]);
        let piece = Piece { file: 1, offset: 2, length: 3 };
        assert_eq!(*stream.own().to_hex(), "5563060ebb6eb21b55276f6e8becb1fc79a41d1cec4c9e84b3747ce8aa03b482");
        assert_eq!(*stream.piece(&piece).to_hex(), "665159201c341a6d1740cc6c530c18dfd3680cc3af577e76a944e2fa43d8b59d");
    }

    #[test]
    fn any_difference_gives_another_key() {
        let piece = Piece { file: 0, offset: 0, length: 10 };
        let key = |keys: AttemptKeys, transcript, stream, salt, piece: &Piece| {
            keys.stream(Transcript([transcript; 32]), Stream(stream), &[salt; 16]).piece(piece).to_hex().to_string()
        };
        let mut second = keys(2);
        second.attempt = Attempt(2);
        let mut all = vec![
            key(keys(2), 5, 0, 4, &piece),
            key(keys(9), 5, 0, 4, &piece),
            key(second, 5, 0, 4, &piece),
            key(keys(2), 6, 0, 4, &piece),
            key(keys(2), 5, 1, 4, &piece),
            key(keys(2), 5, 0, 5, &piece),
            key(keys(2), 5, 0, 4, &Piece { file: 1, ..piece }),
            key(keys(2), 5, 0, 4, &Piece { offset: 1, ..piece }),
            key(keys(2), 5, 0, 4, &Piece { length: 11, ..piece }),
            keys(2).stream(Transcript([5; 32]), Stream(0), &[4; 16]).own().to_hex().to_string(),
        ];
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 10);
    }
}
