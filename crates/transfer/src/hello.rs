//! How a data connection opens: its stream number within the attempt, and a proof that it belongs there.
//!
//! 54 bytes: `cmD3` (4) ‖ stream (2) ‖ salt (16) ‖ HMAC-SHA256 of all that (32), integers big-endian. The MAC's key
//! comes from the TLS exporter under the sender's label, with transfer and attempt as its context. The key names them,
//! so nothing in clear links the attempts of a transfer. A stranger who finds the port learns nothing and costs one
//! comparison. The salt is drawn anew for each connection and keeps its keys apart.

use std::fmt;

use aws_lc_rs::{hmac, rand};
use serde::{Deserialize, Serialize};

use crate::Error;

/// Bytes of a hello.
pub const HELLO: usize = MACED + 32;
/// Bytes that the MAC covers.
const MACED: usize = 22;
/// The first bytes. TLS begins with 22, so both can share one port.
pub const MARK: [u8; 4] = *b"cmD3";

/// The number of a transfer, drawn by the receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TransferId(pub [u8; 16]);

/// The number of an attempt at a transfer, counted by the receiver from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Attempt(pub u32);

/// The number of a data connection within an attempt, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stream(pub u16);

/// Fresh bytes of a data connection.
pub type Salt = [u8; 16];

impl fmt::Display for TransferId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl TransferId {
    /// The digits by which its user names it.
    pub fn short(self) -> String {
        self.to_string()[..8].into()
    }
}

impl From<TransferId> for String {
    fn from(id: TransferId) -> Self {
        id.to_string()
    }
}

impl TryFrom<String> for TransferId {
    type Error = hex::FromHexError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let mut bytes = [0; 16];
        hex::decode_to_slice(text, &mut bytes).map(|()| Self(bytes))
    }
}

/// A data connection's opening message; its MAC is not checked yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hello {
    /// Which of the attempt's connections.
    pub stream: Stream,
    /// Fresh bytes.
    pub salt: Salt,
    mac: [u8; 32],
}

impl Hello {
    /// A hello with a fresh salt and its MAC.
    pub fn new(stream: Stream, key: &hmac::Key) -> Result<Self, Error> {
        let mut salt = [0; 16];
        rand::fill(&mut salt).map_err(|_| Error::Randomness)?;
        let mut hello = Self { stream, salt, mac: [0; 32] };
        let mac = hmac::sign(key, &hello.encode()[..MACED]);
        hello.mac.copy_from_slice(mac.as_ref());
        Ok(hello)
    }

    /// The bytes on the wire.
    pub fn encode(&self) -> [u8; HELLO] {
        let mut bytes = [0; HELLO];
        bytes[..4].copy_from_slice(&MARK);
        bytes[4..6].copy_from_slice(&self.stream.0.to_be_bytes());
        bytes[6..MACED].copy_from_slice(&self.salt);
        bytes[MACED..].copy_from_slice(&self.mac);
        bytes
    }

    /// Parses the bytes from the wire; `None` if they are no hello.
    pub fn decode(bytes: &[u8; HELLO]) -> Option<Self> {
        (bytes[..4] == MARK).then(|| Self {
            stream: Stream(u16::from_be_bytes([bytes[4], bytes[5]])),
            salt: bytes[6..MACED].try_into().expect("16 bytes"),
            mac: bytes[MACED..].try_into().expect("32 bytes"),
        })
    }

    /// Whether the MAC is right, in constant time.
    pub fn proves(&self, key: &hmac::Key) -> bool {
        hmac::verify(key, &self.encode()[..MACED], &self.mac).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> hmac::Key {
        hmac::Key::new(hmac::HMAC_SHA256, &[byte; 32])
    }

    fn hello() -> Hello {
        Hello::new(Stream(3), &key(7)).unwrap()
    }

    #[test]
    fn hello_is_proved_with_the_right_key() {
        let hello = hello();
        let read = Hello::decode(&hello.encode()).unwrap();
        assert_eq!(read, hello);
        assert!(read.proves(&key(7)) && !read.proves(&key(8)));
    }

    #[test]
    fn flipped_bit_fails_the_proof() {
        let bytes = hello().encode();
        for bit in 0..HELLO * 8 {
            let mut bent = bytes;
            bent[bit / 8] ^= 1 << (bit % 8);
            assert!(!Hello::decode(&bent).is_some_and(|hello| hello.proves(&key(7))), "bit {bit}");
        }
    }

    #[test]
    fn salts_are_fresh() {
        assert_ne!(hello().salt, hello().salt);
    }
}
