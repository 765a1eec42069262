//! OpenSSL: the system's libcrypto, by EVP, with everything fetched beforehand that allows it.

use ciphermeter_core::{Algorithm, Family, Form, Operation, Setup};

use super::installed::refuse;
use super::opened::{File, hashed};
use super::trial::{self, Trial};
use super::{LoopParameters, Offered, Provider, Unsupported};
use crate::timed_loop::{TimedLoop, key_setup_loop, writing_loop};

mod complaints;
mod context;
pub(crate) mod library;
mod path;
mod then_hmac;

use context::{Again, Context};
use library::{Cipher, LibCrypto};
use then_hmac::ThenHmac;

/// A cipher of the library.
struct Supported {
    algorithm: Algorithm,
    cipher: Cipher,
    again: Again,
    trial: Trial,
}

struct OpenSsl {
    library: &'static LibCrypto,
    supported: Vec<Supported>,
    missing: Vec<String>,
    file: File,
}

/// The library's names.
const NAMES: &[(Algorithm, &str)] = &[
    (Algorithm::Aes128Gcm, "aes-128-gcm"),
    (Algorithm::Aes256Gcm, "aes-256-gcm"),
    (Algorithm::Aes256GcmSiv, "aes-256-gcm-siv"),
    (Algorithm::Aes256Siv, "aes-256-siv"),
    (Algorithm::Aes256Ocb, "aes-256-ocb"),
    (Algorithm::Sm4Gcm, "sm4-gcm"),
    (Algorithm::Aes128Ccm, "aes-128-ccm"),
    (Algorithm::Aes256Ccm, "aes-256-ccm"),
    (Algorithm::Aes128Ccm8, "aes-128-ccm"),
    (Algorithm::Aes256Ccm8, "aes-256-ccm"),
    (Algorithm::Aes128Ccm4, "aes-128-ccm"),
    (Algorithm::Aes128CbcHs256, "aes-128-cbc"),
    (Algorithm::Aes256CbcHs512, "aes-256-cbc"),
    (Algorithm::Aes256CbcHs256, "aes-256-cbc"),
    (Algorithm::Aes256CtrHs256, "aes-256-ctr"),
    (Algorithm::ChaCha20Poly1305, "chacha20-poly1305"),
    (Algorithm::Aes256Ctr, "aes-256-ctr"),
    (Algorithm::Aes256Cbc, "aes-256-cbc"),
    (Algorithm::Aes128Xts, "aes-128-xts"),
    (Algorithm::Aes256Xts, "aes-256-xts"),
    (Algorithm::ChaCha20, "chacha20"),
];

pub fn open() -> Result<Box<dyn Provider>, String> {
    let library = LibCrypto::open()?;
    let file = hashed(library.path.clone())?;
    let (mut supported, mut missing, mut lacks) = (Vec::new(), Vec::new(), Vec::new());
    for &(algorithm, name) in NAMES {
        if algorithm.has_hmac() && library.hmac.is_none() {
            missing.push(format!("{algorithm}: {} has no HMAC_CTX_new or another function of HMAC", library.path));
            continue;
        }
        let Some(cipher) = library.cipher(name) else {
            lacks.push((algorithm, library.complaint()));
            continue;
        };
        // Only the SIV modes need a trial.
        let siv = matches!(algorithm, Algorithm::Aes256Siv | Algorithm::Aes256GcmSiv);
        let run_trial =
            |again| Some((again, trial::run(&|parameters| timed_loop(library, cipher, again, parameters), algorithm)?));
        let found = match siv {
            true => [Again::Nothing, Again::Key, Again::All].into_iter().find_map(run_trial),
            false => Some((Again::Nothing, Trial::SOUND)),
        };
        match found {
            Some((again, trial)) => supported.push(Supported { algorithm, cipher, again, trial }),
            None => missing.push(format!("{algorithm}: libcrypto {} gets it wrong", library.version())),
        }
    }
    // Versions differ in the SIV modes and SM4-GCM alone.
    lacks.retain(|(algorithm, _)| {
        !matches!(algorithm, Algorithm::Aes256Siv | Algorithm::Aes256GcmSiv | Algorithm::Sm4Gcm)
    });
    if supported.is_empty() {
        let why = lacks.first().map(|(_, why)| why.as_str()).unwrap_or_default();
        return Err(format!("{} has no cipher as it is configured: {why}", library.path));
    }
    missing.extend(lacks.into_iter().map(|(algorithm, why)| format!("{algorithm}: {} lacks it: {why}", library.path)));
    Ok(Box::new(OpenSsl { library, supported, missing, file }))
}

impl Provider for OpenSsl {
    fn offers(&self) -> Vec<Offered> {
        let (version, settings) = (self.library.version(), self.library.cpu_settings());
        let offered = |supported: &Supported| Offered {
            algorithm: supported.algorithm,
            version: version.clone(),
            forms: &[Form::InPlace, Form::Into],
            path: path::path(supported.algorithm, &version, &settings),
            setup: if supported.again == Again::Nothing { Setup::Outside } else { Setup::Inside },
        };
        self.supported.iter().map(offered).collect()
    }

    fn timed_loop(&self, parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
        let supported = self.supported.iter().find(|supported| supported.algorithm == parameters.algorithm);
        let supported = supported.ok_or_else(|| Unsupported::algorithm(parameters.algorithm))?;
        refuse(supported.trial, parameters, || format!("libcrypto {}", self.library.version()))?;
        timed_loop(self.library, supported.cipher, supported.again, parameters)
    }

    fn absences(&self) -> Vec<String> {
        self.missing.clone()
    }

    fn file(&self) -> Option<File> {
        Some(self.file.clone())
    }
}

/// The loop of one cipher, which is told so much again for each message.
fn timed_loop(
    library: &'static LibCrypto,
    cipher: Cipher,
    again: Again,
    parameters: &LoopParameters<'_>,
) -> Result<Box<dyn TimedLoop>, Unsupported> {
    let algorithm = parameters.algorithm;
    if algorithm.has_hmac() {
        return composed_loop(library, cipher, parameters);
    }
    let bytes = algorithm.key_bytes();
    let new = move |key: &[u8], seals, again| match algorithm {
        ccm if ccm.is_ccm() => Context::of_ccm(library, cipher, [ccm.nonce_bytes(), ccm.tag_bytes()], key, seals),
        _ => Context::new(library, cipher, key, seals, again),
    };
    if parameters.operation == Operation::KeySetup {
        let make = move |key: &[u8]| new(key, true, Again::Nothing);
        return Ok(key_setup_loop(move |key| (key.len() == bytes).then(|| make(key)).flatten()));
    }
    let context = (parameters.key.len() == bytes).then(|| new(parameters.key, parameters.seals(), again));
    let mut context = context.flatten().ok_or_else(|| Unsupported(format!("key of {} bytes", parameters.key.len())))?;
    Ok(match parameters.algorithm {
        Algorithm::Aes256Siv => writing_loop(move |call| context.siv(call)),
        bare if bare.family() == Family::Bare => writing_loop(move |call| context.bare(call)),
        ccm if ccm.is_ccm() => writing_loop(move |call| context.ccm(call, ccm.nonce_bytes())),
        _ => writing_loop(move |call| context.aead::<12>(call)),
    })
}

/// The loop of a cipher and an HMAC.
fn composed_loop(
    library: &'static LibCrypto,
    cipher: Cipher,
    parameters: &LoopParameters<'_>,
) -> Result<Box<dyn TimedLoop>, Unsupported> {
    let algorithm = parameters.algorithm;
    let new = move |key: &[u8], seals| {
        (key.len() == algorithm.key_bytes()).then(|| ThenHmac::new(library, cipher, algorithm, key, seals)).flatten()
    };
    if parameters.operation == Operation::KeySetup {
        return Ok(key_setup_loop(move |key| new(key, true)));
    }
    let both = new(parameters.key, parameters.seals());
    let mut both = both.ok_or_else(|| {
        Unsupported(match parameters.key.len() {
            length if length == algorithm.key_bytes() => "libcrypto sets up no key of HMAC or of AES".into(),
            length => format!("key of {length} bytes"),
        })
    })?;
    Ok(match parameters.seals() {
        true => writing_loop(move |call| both.sealed(call)),
        false => writing_loop(move |call| both.opened(call)),
    })
}
