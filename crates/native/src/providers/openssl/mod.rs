//! OpenSSL: the system's libcrypto, by EVP, with everything fetched beforehand that allows it.

use ciphermeter_core::{Algorithm, Form, Operation, Setup};

use super::installed::refuse;
use super::opened::{File, hashed};
use super::trial::{self, Trial};
use super::{Offered, Provider, Unsupported, Want};
use crate::task::{Task, each, key_setup};

mod context;
pub(crate) mod library;
mod path;

use context::Context;
use library::{Cipher, LibCrypto};

/// A cipher of the library.
struct Has {
    algorithm: Algorithm,
    cipher: Cipher,
    /// The key must be set again for each message, as 3.0's SIV modes require.
    rekeys: bool,
    trial: Trial,
}

struct OpenSsl {
    library: &'static LibCrypto,
    has: Vec<Has>,
    lacks: Vec<String>,
    file: File,
}

/// The library's names.
const NAMES: [(Algorithm, &str); 8] = [
    (Algorithm::Aes128Gcm, "aes-128-gcm"),
    (Algorithm::Aes256Gcm, "aes-256-gcm"),
    (Algorithm::Aes256GcmSiv, "aes-256-gcm-siv"),
    (Algorithm::Aes256Siv, "aes-256-siv"),
    (Algorithm::ChaCha20Poly1305, "chacha20-poly1305"),
    (Algorithm::Aes256Ctr, "aes-256-ctr"),
    (Algorithm::Aes256Cbc, "aes-256-cbc"),
    (Algorithm::ChaCha20, "chacha20"),
];

pub fn open() -> Result<Box<dyn Provider>, String> {
    let library = LibCrypto::open()?;
    let file = hashed(library.path.clone())?;
    let (mut has, mut lacks) = (Vec::new(), Vec::new());
    for (algorithm, name) in NAMES {
        let Some(cipher) = library.cipher(name) else { continue };
        // Only the SIV modes need a trial.
        let siv = matches!(algorithm, Algorithm::Aes256Siv | Algorithm::Aes256GcmSiv);
        let tried = |rekeys| Some((rekeys, trial::of(&|want| task(library, cipher, rekeys, want), algorithm)?));
        let found = if siv { tried(false).or_else(|| tried(true)) } else { Some((false, Trial::SOUND)) };
        match found {
            Some((rekeys, trial)) => has.push(Has { algorithm, cipher, rekeys, trial }),
            None => lacks.push(format!("{algorithm}: libcrypto {} gets it wrong", library.version())),
        }
    }
    Ok(Box::new(OpenSsl { library, has, lacks, file }))
}

impl Provider for OpenSsl {
    fn offers(&self) -> Vec<Offered> {
        let (version, settings) = (self.library.version(), self.library.cpu_settings());
        let offered = |has: &Has| Offered {
            algorithm: has.algorithm,
            version: version.clone(),
            forms: &[Form::InPlace, Form::Into],
            path: path::path(has.algorithm, &version, &settings),
            setup: if has.rekeys { Setup::Inside } else { Setup::Outside },
        };
        self.has.iter().map(offered).collect()
    }

    fn task(&self, want: &Want<'_>) -> Result<Box<dyn Task>, Unsupported> {
        let has = self.has.iter().find(|has| has.algorithm == want.algorithm);
        let has = has.ok_or_else(|| Unsupported::algorithm(want.algorithm))?;
        refuse(has.trial, want, || format!("libcrypto {}", self.library.version()))?;
        task(self.library, has.cipher, has.rekeys, want)
    }

    fn absences(&self) -> Vec<String> {
        self.lacks.clone()
    }

    fn file(&self) -> Option<File> {
        Some(self.file.clone())
    }
}

/// The loop of one cipher, with or without setting the key for each message.
fn task(
    library: &'static LibCrypto,
    cipher: Cipher,
    rekeys: bool,
    want: &Want<'_>,
) -> Result<Box<dyn Task>, Unsupported> {
    let bytes = want.algorithm.key_bytes();
    if want.operation == Operation::KeySetup {
        let make = move |key: &[u8]| Context::new(library, cipher, key, true, false);
        return Ok(key_setup(move |key| (key.len() == bytes).then(|| make(key)).flatten()));
    }
    let context = (want.key.len() == bytes).then(|| Context::new(library, cipher, want.key, want.seals(), rekeys));
    let mut context = context.flatten().ok_or_else(|| Unsupported(format!("key of {} bytes", want.key.len())))?;
    Ok(match want.algorithm {
        Algorithm::Aes256Siv => each(move |call| context.siv(call)),
        Algorithm::Aes256Ctr | Algorithm::Aes256Cbc | Algorithm::ChaCha20 => each(move |call| context.bare(call)),
        _ => each(move |call| context.aead::<12>(call)),
    })
}
