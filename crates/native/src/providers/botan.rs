//! Botan, by its C interface. It works through a buffer of its own and treats a text and its tag as one: both are
//! adjacent in the cell's buffers, so no further copy is needed. Its manual does not say that input and output may be
//! the same memory, so it is offered from buffer to buffer only.

use std::ffi::{CStr, c_int, c_void};
use std::ptr::{self, NonNull};
use std::sync::OnceLock;

use ciphermeter_core::{Algorithm, Family, Form, Operation, Setup};

use super::installed::{self, Library, Supported};
use super::opened::{File, LibraryLocation, Opened};
use super::{LoopParameters, Provider, Unsupported};
use crate::cpu::{arm, first_of, x86};
use crate::loop_buffers::{CallArguments, TAG};
use crate::timed_loop::{Failed, TimedLoop, key_setup_loop, writing_loop};

/// BOTAN_CIPHER_INIT_FLAG_DECRYPT, BOTAN_CIPHER_UPDATE_FLAG_FINAL and BOTAN_FFI_ERROR_BAD_MAC of botan/ffi.h.
const DECRYPT: u32 = 1;
const FINAL: u32 = 1;
const BAD_MAC: c_int = -2;

/// The library's names.
const NAMES: &[(Algorithm, &CStr)] = &[
    (Algorithm::Aes128Gcm, c"AES-128/GCM"),
    (Algorithm::Aes256Gcm, c"AES-256/GCM"),
    (Algorithm::Aes256Siv, c"AES-256/SIV"),
    (Algorithm::Aes256Ocb, c"AES-256/OCB"),
    (Algorithm::Sm4Gcm, c"SM4/GCM"),
    // Bytes of the tag, and of the length.
    (Algorithm::Aes128Ccm, c"AES-128/CCM(16,3)"),
    (Algorithm::Aes256Ccm, c"AES-256/CCM(16,3)"),
    (Algorithm::Aes128Ccm8, c"AES-128/CCM(8,3)"),
    (Algorithm::Aes256Ccm8, c"AES-256/CCM(8,3)"),
    (Algorithm::Aes128Ccm4, c"AES-128/CCM(4,2)"),
    (Algorithm::ChaCha20Poly1305, c"ChaCha20Poly1305"),
    (Algorithm::XChaCha20Poly1305, c"ChaCha20Poly1305"),
    (Algorithm::Aes256Ctr, c"CTR-BE(AES-256)"),
    (Algorithm::Aes256Cbc, c"AES-256/CBC/PKCS7"),
    (Algorithm::Aes128Xts, c"AES-128/XTS"),
    (Algorithm::Aes256Xts, c"AES-256/XTS"),
    (Algorithm::ChaCha20, c"ChaCha(20)"),
];

/// Disables features of the CPU, in version 3.1 and later.
const SWITCH: &str = "BOTAN_CLEAR_CPUID";
const SWITCHABLE: [u32; 3] = [3, 1, 0];

type Object = *mut c_void;
type SetBytes = unsafe extern "C" fn(Object, *const u8, usize) -> c_int;

/// The functions that are used, as ffi.h declares them.
struct Botan {
    init: unsafe extern "C" fn(*mut Object, *const std::ffi::c_char, u32) -> c_int,
    destroy: unsafe extern "C" fn(Object) -> c_int,
    set_key: SetBytes,
    set_aad: SetBytes,
    start: SetBytes,
    /// Object, flags, output and its size, how much was written, input and its size, how much was read.
    update: unsafe extern "C" fn(Object, u32, *mut u8, usize, *mut usize, *const u8, usize, *mut usize) -> c_int,
    /// Major, minor and patch.
    version: [u32; 3],
    /// Which CPU-specific code it was built with.
    built: Built,
    file: File,
}

/// Parts of a build that are chosen when the library is built. It does not report them, but version 2 exports their
/// functions.
#[derive(Debug, Clone, Copy)]
struct Built {
    aes: bool,
    aes_by_permutes: bool,
    ghash: bool,
    chacha_avx2: bool,
    chacha_simd: bool,
}

pub fn open() -> Result<Box<dyn Provider>, String> {
    static OPENED: OnceLock<Result<Botan, String>> = OnceLock::new();
    OPENED.get_or_init(botan).as_ref().map(installed::provider).map_err(Clone::clone)
}

fn botan() -> Result<Botan, String> {
    let (variable, packages) = ("CIPHERMETER_BOTAN", ["libbotan-2-19", "botan"]);
    // An ABI's number is that of the minor version.
    let versions = ["13", "12", "11", "10", "9", "8", "7", "6", "5", "4", "3", "2", "1", "0"];
    let mut location = LibraryLocation::named("libbotan", "botan-3", &versions, variable, packages);
    location.names.extend(LibraryLocation::named("libbotan", "botan-2", &["19", "18", "17"], variable, packages).names);
    let opened = Opened::open(&location)?;
    // SAFETY: the types are those of ffi.h, which versions 2.8 to 3.13 share.
    unsafe {
        let init = opened.symbol("botan_cipher_init")?;
        let part = |name| opened.symbol::<unsafe extern "C" fn() -> u32>(name).map(|part| part());
        let version = [part("botan_version_major")?, part("botan_version_minor")?, part("botan_version_patch")?];
        if !(2..=3).contains(&version[0]) {
            return Err(opened.refused(format!("{}.{} has another interface", version[0], version[1])));
        }
        if version < SWITCHABLE && std::env::var_os(SWITCH).is_some() {
            let [major, minor, _] = version;
            return Err(format!(
                "libbotan {major}.{minor} has no switch for the CPU; take 3.1 or later, or unset ${SWITCH}"
            ));
        }
        Ok(Botan {
            init,
            destroy: opened.symbol("botan_cipher_destroy")?,
            set_key: opened.symbol("botan_cipher_set_key")?,
            set_aad: opened.symbol("botan_cipher_set_associated_data")?,
            start: opened.symbol("botan_cipher_start")?,
            update: opened.symbol("botan_cipher_update")?,
            version,
            built: Built {
                aes: opened.has("_ZNK5Botan7AES_25616hw_aes_encrypt_nEPKhPhm"),
                aes_by_permutes: opened.has("_ZNK5Botan7AES_25615vperm_encrypt_nEPKhPhm"),
                ghash: opened.has("_ZN5Botan5GHASH18ghash_multiply_cpuEPhPKmPKhm"),
                chacha_avx2: opened.has("_ZN5Botan6ChaCha14chacha_avx2_x8EPhPjm"),
                chacha_simd: opened.has("_ZN5Botan6ChaCha16chacha_simd32_x4EPhPjm"),
            },
            file: opened.file(init as usize)?,
        })
    }
}

impl Library for Botan {
    fn version(&self) -> String {
        self.version.map(|number| number.to_string()).join(".")
    }

    fn file(&self) -> File {
        self.file.clone()
    }

    fn supported(&'static self) -> Vec<Supported> {
        let supported = |algorithm| Supported {
            algorithm,
            forms: &[Form::Into],
            setup: Setup::Outside,
            path: path(algorithm, self.version, self.built),
        };
        let known = NAMES.iter().filter(|(_, name)| Cipher::new(self, name, true).is_some());
        known.map(|(algorithm, _)| supported(*algorithm)).collect()
    }

    fn timed_loop(&'static self, parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
        let known = NAMES.iter().find(|(algorithm, _)| *algorithm == parameters.algorithm);
        let (algorithm, name) = *known.ok_or_else(|| Unsupported::algorithm(parameters.algorithm))?;
        let (bytes, seals) = (algorithm.key_bytes(), parameters.operation == Operation::KeySetup || parameters.seals());
        // The library would accept shorter keys, too.
        let make = move |key: &[u8]| {
            let cipher = Cipher::new(self, name, seals).filter(|_| key.len() == bytes)?;
            cipher.set(self.set_key, key).then_some(cipher)
        };
        if parameters.operation == Operation::KeySetup {
            return Ok(key_setup_loop(make));
        }
        let mut cipher =
            make(parameters.key).ok_or_else(|| Unsupported(format!("key of {} bytes", parameters.key.len())))?;
        Ok(match (algorithm, seals) {
            (Algorithm::Aes256Siv, true) => writing_loop(move |call| cipher.sealed::<TAG>(call)),
            (Algorithm::Aes256Siv, false) => writing_loop(move |call| cipher.opened::<TAG>(call)),
            (_, true) if algorithm.family() == Family::Aead => writing_loop(move |call| cipher.sealed::<0>(call)),
            (_, false) if algorithm.family() == Family::Aead => writing_loop(move |call| cipher.opened::<0>(call)),
            (_, true) => writing_loop(move |call| cipher.bare(call, Failed::Library("botan_cipher_update"))),
            (_, false) => writing_loop(move |call| cipher.bare(call, Failed::Rejected)),
        })
    }
}

/// One direction of a cipher. All uses of it are safe for one reason: it is alive, every pointer comes with its length,
/// and input and output are separate.
struct Cipher {
    library: &'static Botan,
    object: NonNull<c_void>,
}

impl Cipher {
    /// `None` if this version does not have it.
    fn new(library: &'static Botan, name: &CStr, seals: bool) -> Option<Self> {
        let mut object = ptr::null_mut();
        // SAFETY: it writes an object, or leaves null; the name ends in a zero.
        let code = unsafe { (library.init)(&mut object, name.as_ptr(), if seals { 0 } else { DECRYPT }) };
        Some(Self { library, object: NonNull::new(object).filter(|_| code == 0)? })
    }

    #[inline(always)]
    fn set(&self, give: SetBytes, bytes: &[u8]) -> bool {
        // SAFETY: see `Cipher`.
        unsafe { give(self.object.as_ptr(), bytes.as_ptr(), bytes.len()) == 0 }
    }

    /// Begins an AEAD's message. The aad stays set until another is set, so an empty one needs no call except where it
    /// counts.
    #[inline(always)]
    fn begin(&mut self, call: &CallArguments<'_>, counts: bool) -> Result<(), Failed> {
        if (counts || !call.aad.is_empty()) && !self.set(self.library.set_aad, call.aad) {
            return Err(Failed::Library("botan_cipher_set_associated_data"));
        }
        self.start(call.nonce)
    }

    #[inline(always)]
    fn start(&mut self, nonce: &[u8]) -> Result<(), Failed> {
        let begun = self.set(self.library.start, nonce);
        if begun { Ok(()) } else { Err(Failed::Library("botan_cipher_start")) }
    }

    /// All of a message: how much was written, and the code.
    #[inline(always)]
    fn all(&mut self, to: *mut u8, room: usize, from: *const u8, len: usize) -> (usize, c_int) {
        let (mut written, mut read) = (0, 0);
        let (object, update) = (self.object.as_ptr(), self.library.update);
        // SAFETY: see `Cipher`.
        let code = unsafe { update(object, FINAL, to, room, &mut written, from, len, &mut read) };
        (written, if code == 0 && read != len { c_int::MIN } else { code })
    }

    /// `BEFORE`: bytes of the tag that precede the text. If there are any, an empty aad counts.
    #[inline(always)]
    fn sealed<const BEFORE: usize>(&mut self, call: CallArguments<'_>) -> Result<usize, Failed> {
        self.begin(&call, BEFORE > 0)?;
        let (len, sealed_len, text) = (call.text.len(), call.text.len() + call.tag.len(), call.text);
        // SAFETY: the tag's place is there.
        let (written, code) = self.all(unsafe { text.output().sub(BEFORE) }, sealed_len, text.input(), len);
        if code == 0 && written == sealed_len { Ok(len) } else { Err(Failed::Library("botan_cipher_update")) }
    }

    #[inline(always)]
    fn opened<const BEFORE: usize>(&mut self, call: CallArguments<'_>) -> Result<usize, Failed> {
        self.begin(&call, BEFORE > 0)?;
        let (len, sealed_len, text) = (call.text.len(), call.text.len() + call.tag.len(), call.text);
        // SAFETY: the tag is there.
        match self.all(text.output(), len, unsafe { text.input().sub(BEFORE) }, sealed_len) {
            (written, 0) => Ok(written),
            (_, BAD_MAC) => Err(Failed::Rejected),
            _ => Err(Failed::Library("botan_cipher_update")),
        }
    }

    /// For a bare cipher; a failure caused by the text is `wrong`.
    #[inline(always)]
    fn bare(&mut self, call: CallArguments<'_>, wrong: Failed) -> Result<usize, Failed> {
        self.start(call.nonce)?;
        let text = call.text;
        // The output has room for a block of padding beyond the input.
        match self.all(text.output(), text.len() + 16, text.input(), text.len()) {
            (written, 0) => Ok(written),
            _ => Err(wrong),
        }
    }
}

impl Drop for Cipher {
    fn drop(&mut self) {
        // SAFETY: it lives, and is destroyed once; this clears the key.
        unsafe { (self.library.destroy)(self.object.as_ptr()) };
    }
}

/// Version 2.19's rule, in its src/lib/: block/aes/aes.cpp, utils/ghash/ghash.cpp, stream/chacha/chacha.cpp. Version 3
/// reveals too little of its build.
fn path(algorithm: Algorithm, [major, minor, _]: [u32; 3], built: Built) -> &'static str {
    if major != 2 || !(17..=19).contains(&minor) || algorithm == Algorithm::Sm4Gcm {
        return "unknown";
    }
    let gcm = matches!(algorithm, Algorithm::Aes128Gcm | Algorithm::Aes256Gcm);
    let hardware = built.aes && (built.ghash || !gcm);
    match algorithm {
        Algorithm::ChaCha20 | Algorithm::ChaCha20Poly1305 | Algorithm::XChaCha20Poly1305 => first_of(&[
            (built.chacha_avx2 && x86!("avx2"), "avx2"),
            (built.chacha_simd && x86!("sse2"), "sse2"),
            (built.chacha_simd && arm!("neon"), "neon"),
        ]),
        _ => first_of(&[
            (hardware && x86!("aes", "pclmulqdq"), "aesni"),
            (hardware && arm!("aes", "pmull"), "armv8-aes"),
            (built.aes_by_permutes && x86!("ssse3"), "ssse3"),
            (built.aes_by_permutes && arm!("neon"), "neon"),
        ]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Built = Built { aes: true, aes_by_permutes: true, ghash: true, chacha_avx2: true, chacha_simd: true };

    #[test]
    fn path_follows_the_build_and_the_version() {
        let path_in_2_19 = |algorithm, built| path(algorithm, [2, 19, 3], built);
        let none = Built { aes: false, aes_by_permutes: false, ghash: false, chacha_avx2: false, chacha_simd: false };
        for (algorithm, _) in NAMES.iter().copied() {
            let is_known = algorithm != Algorithm::Sm4Gcm;
            assert_eq!(path_in_2_19(algorithm, ALL) != "unknown", is_known, "{algorithm}");
            assert_eq!(path_in_2_19(algorithm, none) == "soft", is_known, "{algorithm}");
            assert_eq!(path(algorithm, [3, 9, 0], ALL), "unknown");
        }
    }
}
