//! wolfSSL's wolfCrypt, opened at run time, by the loops of the built-in worker.
//!
//! Its AEADs take input and output at the same place in its own tests, but for two that read the
//! ciphertext after they have overwritten it: XChaCha20-Poly1305 and Ascon. Those without an object
//! set the key up in each call.

mod calls;
mod objects;
mod path;
mod symbols;

use std::ffi::c_void;
use std::process::ExitCode;

use ciphermeter_core::{Algorithm, Form, Operation, Setup};
use ciphermeter_native::library::{
    CallArguments, Failed, File, Library, LoopParameters, Provider, Supported, TimedLoop, Unsupported, installed,
    key_setup_loop, writing_loop,
};
use zeroize::Zeroizing;

use objects::{Kind, Object};
use symbols::{Aead, Wolf};

type Loop = Result<Box<dyn TimedLoop>, Unsupported>;

fn open() -> Result<Box<dyn Provider>, String> {
    Wolf::open().map(installed::provider)
}

impl Library for Wolf {
    fn version(&self) -> String {
        self.version.clone()
    }

    fn file(&self) -> File {
        self.file.clone()
    }

    fn supported(&'static self) -> Vec<Supported> {
        use Algorithm as A;
        let has = |algorithm: &A| match algorithm {
            A::Aes128Gcm | A::Aes256Gcm => self.gcm.is_some(),
            A::Aes256Ctr => self.ctr.is_some(),
            A::Aes256Cbc => self.cbc.is_some(),
            A::Aes128Xts | A::Aes256Xts => self.xts.is_some(),
            A::Aes256Siv => self.siv.is_some(),
            A::Aes256GcmSiv => self.gcm_siv.is_some(),
            A::ChaCha20Poly1305 | A::ChaCha20 => true,
            A::XChaCha20Poly1305 => self.xchacha.is_some(),
            A::AsconAead128 => self.ascon.is_some(),
            other => other.is_ccm() && self.ccm.is_some(),
        };
        let supported = |algorithm| Supported {
            algorithm,
            forms: match algorithm {
                A::XChaCha20Poly1305 | A::AsconAead128 => &[Form::Into],
                _ => &[Form::InPlace, Form::Into],
            },
            setup: match algorithm {
                A::Aes256Siv | A::Aes256GcmSiv | A::ChaCha20Poly1305 | A::XChaCha20Poly1305 | A::AsconAead128 => {
                    Setup::Inside
                }
                _ => Setup::Outside,
            },
            path: if self.is_own { path::path(algorithm) } else { "unknown" },
        };
        A::ALL.iter().copied().filter(has).map(supported).collect()
    }

    fn timed_loop(&'static self, parameters: &LoopParameters<'_>) -> Loop {
        use Algorithm as A;
        let absent = || Unsupported::algorithm(parameters.algorithm);
        let seals = parameters.seals();
        let at = usize::from(!seals);
        match parameters.algorithm {
            A::Aes128Gcm | A::Aes256Gcm => self.aead(self.gcm.ok_or_else(absent)?, parameters),
            A::Aes256Ctr => {
                let ctr = self.ctr.ok_or_else(absent)?;
                let kind = Kind::Mode { encrypts: true };
                self.keyed(kind, parameters, move |object, call| self.ctr(ctr, object, call))
            }
            A::Aes256Cbc => {
                let cbc = self.cbc.ok_or_else(absent)?;
                // Of the key's set-up, that for encryption.
                match parameters.operation == Operation::Decrypt {
                    false => self.keyed(Kind::Mode { encrypts: true }, parameters, move |object, call| {
                        self.cbc_encrypted(cbc[0], object, call)
                    }),
                    true => self.keyed(Kind::Mode { encrypts: false }, parameters, move |object, call| {
                        self.cbc_decrypted(cbc[1], object, call)
                    }),
                }
            }
            A::Aes128Xts | A::Aes256Xts => {
                let functions = self.xts.ok_or_else(absent)?;
                let kind = Kind::Xts { functions, encrypts: parameters.operation != Operation::Decrypt };
                self.keyed(kind, parameters, move |object, call| calls::xts(functions.both[at], object, call))
            }
            A::Aes256Siv => {
                let (crypt, key) = (self.siv.ok_or_else(absent)?[at], raw::<64>(parameters)?);
                Ok(writing_loop(move |call| calls::siv(crypt, seals, &key, call)))
            }
            A::Aes256GcmSiv => {
                let (crypt, key) = (self.gcm_siv.ok_or_else(absent)?[at], raw::<32>(parameters)?);
                Ok(writing_loop(move |call| calls::gcm_siv(crypt, seals, &key, call)))
            }
            A::ChaCha20Poly1305 => {
                let key = raw::<32>(parameters)?;
                Ok(match seals {
                    true => writing_loop(move |call| self.chacha_sealed(&key, call)),
                    false => writing_loop(move |call| self.chacha_opened(&key, call)),
                })
            }
            A::XChaCha20Poly1305 => {
                let (crypt, key) = (self.xchacha.ok_or_else(absent)?[at], raw::<32>(parameters)?);
                Ok(writing_loop(move |call| calls::xchacha(crypt, seals, &key, call)))
            }
            A::ChaCha20 => self.keyed(Kind::ChaCha, parameters, move |object, call| self.chacha(object, call)),
            A::AsconAead128 => {
                let (ascon, key) = (self.ascon.ok_or_else(absent)?, raw::<16>(parameters)?);
                let object = Object::new(self, Kind::Keyless).ok_or_else(no_memory)?;
                Ok(writing_loop(move |call| calls::ascon(&ascon, seals, object.as_ptr(), &key, call)))
            }
            other if other.is_ccm() => self.aead(self.ccm.ok_or_else(absent)?, parameters),
            _ => Err(absent()),
        }
    }
}

impl Wolf {
    /// The loop of an object of that kind: its key's set-up, or that call.
    fn keyed<F>(&'static self, kind: Kind, parameters: &LoopParameters<'_>, call: F) -> Loop
    where
        F: Fn(*mut c_void, CallArguments<'_>) -> Result<usize, Failed> + 'static,
    {
        let bytes = parameters.algorithm.key_bytes();
        let object = Object::new(self, kind).ok_or_else(no_memory)?;
        if parameters.operation == Operation::KeySetup {
            return Ok(key_setup_loop(move |key| (key.len() == bytes).then(|| object.key_setup(key)).flatten()));
        }
        let object = (parameters.key.len() == bytes).then(|| object.with_key(parameters.key)).flatten();
        let object = object.ok_or_else(|| bad_key(parameters))?;
        Ok(writing_loop(move |arguments| call(object.as_ptr(), arguments)))
    }

    fn aead(&'static self, aead: Aead, parameters: &LoopParameters<'_>) -> Loop {
        let (kind, seals) = (Kind::Aead(aead.set_key), parameters.seals());
        let crypt = if seals { aead.seal } else { aead.open };
        self.keyed(kind, parameters, move |object, call| calls::aead(crypt, seals, object, call))
    }
}

/// A raw key of that length.
fn raw<const N: usize>(parameters: &LoopParameters<'_>) -> Result<Zeroizing<[u8; N]>, Unsupported> {
    parameters.key.try_into().map(Zeroizing::new).map_err(|_| bad_key(parameters))
}

fn bad_key(parameters: &LoopParameters<'_>) -> Unsupported {
    Unsupported(format!("the library refused a key of {} bytes", parameters.key.len()))
}

fn no_memory() -> Unsupported {
    Unsupported("no memory".into())
}

fn main() -> ExitCode {
    match ciphermeter_native::serve_library("wolfssl", open) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("wolfssl: {error}");
            ExitCode::FAILURE
        }
    }
}
