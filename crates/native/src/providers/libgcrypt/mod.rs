//! libgcrypt: one handle for each key, a separate tag, in place as well as from buffer to buffer.
//!
//! Its CBC takes whole blocks: its users add the padding, and so does this provider.

use std::ffi::c_int;
use std::sync::OnceLock;

use ciphermeter_core::{Algorithm, Form, Operation, Setup};

use super::installed::{self, Library, Supported};
use super::opened::File;
use super::{LoopParameters, Provider, Unsupported};
use crate::timed_loop::{TimedLoop, key_setup_loop, writing_loop};

mod key;
mod library;
mod path;

use key::{FINALIZE, Key, SET_CCM_LENGTHS};
use library::{Gcrypt, gcrypt};
use path::path;

/// GCRY_CIPHER_MODE_CCM of gcrypt.h.
const CCM: c_int = 8;

/// Its numbers of ciphers and modes (gcrypt.h).
const MODES: &[(Algorithm, c_int, c_int)] = &[
    (Algorithm::Aes128Gcm, 7, 9),
    (Algorithm::Aes256Gcm, 9, 9),
    (Algorithm::Aes256GcmSiv, 9, 16),
    (Algorithm::Aes256Siv, 9, 15),
    (Algorithm::Aes256Ocb, 9, 11),
    (Algorithm::Sm4Gcm, 318, 9),
    (Algorithm::Aes128Ccm, 7, CCM),
    (Algorithm::Aes256Ccm, 9, CCM),
    (Algorithm::Aes128Ccm8, 7, CCM),
    (Algorithm::Aes256Ccm8, 9, CCM),
    (Algorithm::Aes128Ccm4, 7, CCM),
    (Algorithm::ChaCha20Poly1305, 316, 10),
    (Algorithm::Aes256Ctr, 9, 6),
    (Algorithm::Aes256Cbc, 9, 3),
    (Algorithm::Aes128Xts, 7, 13),
    (Algorithm::Aes256Xts, 9, 13),
    (Algorithm::ChaCha20, 316, 4),
];

pub fn open() -> Result<Box<dyn Provider>, String> {
    static OPENED: OnceLock<Result<Gcrypt, String>> = OnceLock::new();
    OPENED.get_or_init(gcrypt).as_ref().map(installed::provider).map_err(Clone::clone)
}

impl Library for Gcrypt {
    fn version(&self) -> String {
        self.version.clone()
    }

    fn file(&self) -> File {
        self.file.clone()
    }

    fn supported(&'static self) -> Vec<Supported> {
        let supported = |algorithm| Supported {
            algorithm,
            forms: &[Form::InPlace, Form::Into],
            setup: Setup::Outside,
            path: path(algorithm, &self.version, &self.features),
        };
        // The SIV modes came with 1.10.
        let known = MODES.iter().filter(|(_, cipher, mode)| Key::open(self, *cipher, *mode).is_some());
        known.map(|(algorithm, ..)| supported(*algorithm)).collect()
    }

    fn timed_loop(&'static self, parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
        let known = MODES.iter().find(|(algorithm, ..)| *algorithm == parameters.algorithm);
        let (algorithm, cipher, mode) = *known.ok_or_else(|| Unsupported::algorithm(parameters.algorithm))?;
        let bytes = algorithm.key_bytes();
        // The library would accept shorter keys, too.
        let make = move |key: &[u8]| Key::open(self, cipher, mode).filter(|_| key.len() == bytes)?.set(key);
        if parameters.operation == Operation::KeySetup {
            return Ok(key_setup_loop(make));
        }
        let mut key =
            make(parameters.key).ok_or_else(|| Unsupported(format!("key of {} bytes", parameters.key.len())))?;
        let is_ccm = mode == CCM;
        Ok(match (algorithm, parameters.seals()) {
            (Algorithm::Aes256Siv, true) => writing_loop(move |call| key.siv_sealed(call)),
            (Algorithm::Aes256Siv, false) => writing_loop(move |call| key.siv_opened(call)),
            (Algorithm::Aes256GcmSiv, true) => writing_loop(move |call| key.gcm_siv_sealed(call)),
            (Algorithm::Aes256GcmSiv, false) => writing_loop(move |call| key.gcm_siv_opened(call)),
            (Algorithm::Aes256Ocb, true) => writing_loop(move |call| key.sealed_told::<FINALIZE>(call)),
            (Algorithm::Aes256Ocb, false) => writing_loop(move |call| key.opened_told::<FINALIZE>(call)),
            (_, true) if is_ccm => writing_loop(move |call| key.sealed_told::<SET_CCM_LENGTHS>(call)),
            (_, false) if is_ccm => writing_loop(move |call| key.opened_told::<SET_CCM_LENGTHS>(call)),
            (Algorithm::Aes256Cbc, true) => writing_loop(move |call| key.cbc_encrypted(call)),
            (Algorithm::Aes256Cbc, false) => writing_loop(move |call| key.cbc_decrypted(call)),
            // Both directions are the same.
            (Algorithm::Aes256Ctr, _) => writing_loop(move |call| key.ctr(call)),
            (Algorithm::ChaCha20, _) | (Algorithm::Aes128Xts | Algorithm::Aes256Xts, true) => {
                writing_loop(move |call| key.encrypted(call))
            }
            (Algorithm::Aes128Xts | Algorithm::Aes256Xts, false) => writing_loop(move |call| key.decrypted(call)),
            (_, true) => writing_loop(move |call| key.sealed(call)),
            (_, false) => writing_loop(move |call| key.opened(call)),
        })
    }
}
