//! Secret bytes: wiped when dropped, compared in constant time, never printed.

use std::fmt;

use aws_lc_rs::{constant_time, rand};
use serde::de::{Error as _, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use zeroize::Zeroizing;

use crate::Error;

/// `N` secret bytes. They stay where they are: moved, they would leave a copy behind on the stack.
#[derive(Clone)]
pub struct Secret<const N: usize>(Box<Zeroizing<[u8; N]>>);

/// The token of a ticket: it permits one transfer. 128 bits, so guessing is hopeless however many attempts are allowed.
pub type Token = Secret<16>;

/// The secret with which a sender resumes an interrupted transfer.
pub type ResumeSecret = Secret<16>;

/// Seeds the library's generator now, before a peer waits for us: where AWS-LC collects noise of its own (the build turns
/// that off), it takes some 34 ms once in a process's life.
pub(crate) fn wake_generator() -> Result<(), Error> {
    Secret::<16>::random().map(drop)
}

impl<const N: usize> Secret<N> {
    /// From the system's random generator.
    pub fn random() -> Result<Self, Error> {
        let mut secret = Self::new([0; N]);
        rand::fill(&mut **secret.0).map_err(|_| Error::Randomness)?;
        Ok(secret)
    }

    /// These bytes.
    pub fn new(bytes: [u8; N]) -> Self {
        Self(Box::new(Zeroizing::new(bytes)))
    }

    /// Parses hex, as control messages carry it; `None` for anything but `2N` digits.
    pub fn from_hex(text: &str) -> Option<Self> {
        let mut secret = Self::new([0; N]);
        hex::decode_to_slice(text, &mut **secret.0).ok()?;
        Some(secret)
    }

    /// Lower-case hex; wiped when dropped.
    pub fn to_hex(&self) -> Zeroizing<String> {
        Zeroizing::new(hex::encode(self.expose()))
    }

    /// The bytes, for a key derivation or the wire.
    pub fn expose(&self) -> &[u8; N] {
        &self.0
    }
}

impl<const N: usize> PartialEq for Secret<N> {
    /// In constant time: the duration must not reveal how much of a guess is right.
    fn eq(&self, other: &Self) -> bool {
        constant_time::verify_slices_are_equal(self.expose(), other.expose()).is_ok()
    }
}

impl<const N: usize> fmt::Debug for Secret<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl<const N: usize> Serialize for Secret<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_hex())
    }
}

impl<'de, const N: usize> Deserialize<'de> for Secret<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Hex<const N: usize>;

        impl<const N: usize> Visitor<'_> for Hex<N> {
            type Value = Secret<N>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{} hex digits", 2 * N)
            }

            // The wrong text is not repeated: it may be a secret with one digit too many.
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Secret::from_hex(text).ok_or_else(|| E::custom(format!("a secret has {} hex digits", 2 * N)))
            }
        }

        deserializer.deserialize_str(Hex::<N>).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_is_never_printed() {
        assert_eq!(format!("{:?}", Token::new([7; 16])), "Secret(…)");
    }

    #[test]
    fn hex_of_another_length_is_rejected() {
        let token = Token::random().unwrap();
        assert!(Token::from_hex(&token.to_hex()) == Some(token));
        assert!(Token::from_hex("00").is_none() && Token::from_hex(&"z".repeat(32)).is_none());
        assert!(Token::from_hex(&"0".repeat(34)).is_none());
    }
}
