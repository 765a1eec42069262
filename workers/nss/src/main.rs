//! NSS, opened at run time, by the loops of the built-in worker.
//!
//! AEADs by `PK11_AEADOp` on a context of messages, as Firefox's TLS has them (lib/ssl/tls13con.c);
//! other ciphers by `PK11_Encrypt` and `PK11_Decrypt`, whose calls set up the key's schedule each
//! time. PKCS #11 lets input and output be the same place (version 3.0, 5.8 to 5.14), and TLS seals
//! so.

mod context;
mod path;
mod symbols;

use std::process::ExitCode;

use ciphermeter_core::{Algorithm, Form, Operation, Setup};
use ciphermeter_native::library::{
    File, Library, LoopParameters, Provider, Supported, TimedLoop, Unsupported, installed, key_setup_loop, writing_loop,
};

use context::{AeadContext, Key, Params};
use symbols::Nss;

/// Softoken keeps sessions and keys in lists that it looks through with every call, so the time to set keys up grows with their square:
/// 0.4 s for these, 13 s for four times as many, and as long to free them (3.87, Intel Xeon guest, 2.8 GHz).
const MOST_KEYS: u64 = 4096;

fn open() -> Result<Box<dyn Provider>, String> {
    Nss::open().map(installed::provider)
}

impl Library for Nss {
    fn version(&self) -> String {
        self.version.clone()
    }

    fn file(&self) -> File {
        self.file.clone()
    }

    fn supported(&'static self) -> Vec<Supported> {
        use Algorithm as A;
        [A::Aes128Gcm, A::Aes256Gcm, A::ChaCha20Poly1305, A::Aes256Ctr, A::Aes256Cbc, A::ChaCha20]
            .map(|algorithm| Supported {
                algorithm,
                forms: &[Form::InPlace, Form::Into],
                setup: if is_aead(algorithm) { Setup::Outside } else { Setup::Inside },
                path: path::path(algorithm, &self.version),
            })
            .into()
    }

    fn refuses_keys(&self, keys: u64) -> Option<String> {
        let why = || format!("NSS takes minutes to set up {keys} keys; give --keys up to {MOST_KEYS}");
        (keys > MOST_KEYS).then(why)
    }

    fn timed_loop(&'static self, parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
        let algorithm = parameters.algorithm;
        let mechanism = mechanism(algorithm).ok_or_else(|| Unsupported::algorithm(algorithm))?;
        if parameters.operation == Operation::KeySetup {
            let bytes = algorithm.key_bytes();
            return Ok(key_setup_loop(move |key| {
                (key.len() == bytes).then(|| AeadContext::new(self, mechanism, key, true)).flatten()
            }));
        }
        let refused = || Unsupported(format!("the library refused a key of {} bytes", parameters.key.len()));
        if parameters.key.len() != algorithm.key_bytes() {
            return Err(refused());
        }
        let seals = parameters.seals();
        if is_aead(algorithm) {
            let context = AeadContext::new(self, mechanism, parameters.key, seals).ok_or_else(refused)?;
            return Ok(match seals {
                true => writing_loop(move |call| context.seal(call)),
                false => writing_loop(move |call| context.open(call)),
            });
        }
        let key = Key::new(self, mechanism, parameters.key, seals).ok_or_else(refused)?;
        let params = match algorithm {
            Algorithm::Aes256Ctr => Params::Counter,
            Algorithm::Aes256Cbc => Params::Block,
            _ => Params::ChaCha,
        };
        Ok(match seals {
            true => writing_loop(move |call| key.encrypt(params, call)),
            false => writing_loop(move |call| key.decrypt(params, call)),
        })
    }
}

fn is_aead(algorithm: Algorithm) -> bool {
    algorithm.tag_bytes() > 0
}

/// `CKM_…` of util/pkcs11t.h, and `CKM_NSS_CHACHA20_CTR` of util/pkcs11n.h.
fn mechanism(algorithm: Algorithm) -> Option<symbols::Mechanism> {
    match algorithm {
        Algorithm::Aes128Gcm | Algorithm::Aes256Gcm => Some(0x1087),
        Algorithm::ChaCha20Poly1305 => Some(0x4021),
        Algorithm::Aes256Ctr => Some(0x1086),
        Algorithm::Aes256Cbc => Some(0x1085),
        Algorithm::ChaCha20 => Some(0x8000_0000 | (0x4e53_4350 + 33)),
        _ => None,
    }
}

fn main() -> ExitCode {
    match ciphermeter_native::serve_library("nss", open) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("nss: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_keys_than_can_be_set_up_in_time_are_refused() {
        let Ok(nss) = Nss::open() else { return eprintln!("skipped: libnss3 is not installed") };
        assert_eq!(nss.refuses_keys(MOST_KEYS), None);
        assert!(nss.refuses_keys(MOST_KEYS + 1).is_some_and(|why| why.ends_with("give --keys up to 4096")));
    }
}
