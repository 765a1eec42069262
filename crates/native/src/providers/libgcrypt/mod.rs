//! libgcrypt: one handle for each key, the tag apart, in place as well as from buffer to buffer.
//!
//! Its CBC takes whole blocks: the padding around it is what its users do.

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::OnceLock;

use ciphermeter_core::{Algorithm, Form, Operation, Setup};

use super::installed::{self, Has, Library};
use super::opened::{File, Opened, Place, text};
use super::{Provider, Unsupported, Want};
use crate::task::{Task, each, key_setup};

mod key;
mod path;

use key::Key;
use path::path;

/// Names of CPU features, as libgcrypt calls them, that it is not to use: it has no variable of its own for that.
const WITHOUT: &str = "CIPHERMETER_CPU_WITHOUT";

type Handle = *mut c_void;
/// `gcry_error_t`: the source above, the code in the lower 16 bits.
type Code = c_uint;
type Crypt = unsafe extern "C" fn(Handle, *mut u8, usize, *const u8, usize) -> Code;
type Give = unsafe extern "C" fn(Handle, *const u8, usize) -> Code;

/// Commands of gcrypt.h; then its numbers of ciphers and modes.
const DISABLE_SECMEM: c_int = 37;
const INITIALIZATION_FINISHED: c_int = 38;
const DISABLE_HWF: c_int = 63;
const MODES: [(Algorithm, c_int, c_int); 8] = [
    (Algorithm::Aes128Gcm, 7, 9),
    (Algorithm::Aes256Gcm, 9, 9),
    (Algorithm::Aes256GcmSiv, 9, 16),
    (Algorithm::Aes256Siv, 9, 15),
    (Algorithm::ChaCha20Poly1305, 316, 10),
    (Algorithm::Aes256Ctr, 9, 6),
    (Algorithm::Aes256Cbc, 9, 3),
    (Algorithm::ChaCha20, 316, 4),
];

/// The functions that are used, as gcrypt.h declares them.
struct Gcrypt {
    open: unsafe extern "C" fn(*mut Handle, c_int, c_int, c_uint) -> Code,
    close: unsafe extern "C" fn(Handle),
    ctl: unsafe extern "C" fn(Handle, c_int, *mut c_void, usize) -> Code,
    setkey: Give,
    setiv: Give,
    setctr: Give,
    authenticate: Give,
    encrypt: Crypt,
    decrypt: Crypt,
    gettag: unsafe extern "C" fn(Handle, *mut u8, usize) -> Code,
    checktag: Give,
    version: String,
    /// Features of the CPU that it uses: `hwflist:intel-cpu:intel-aesni:…:`.
    features: String,
    file: File,
}

pub fn open() -> Result<Box<dyn Provider>, String> {
    static OPENED: OnceLock<Result<Gcrypt, String>> = OnceLock::new();
    OPENED.get_or_init(gcrypt).as_ref().map(installed::provider).map_err(Clone::clone)
}

fn gcrypt() -> Result<Gcrypt, String> {
    let packages = ["libgcrypt20", "libgcrypt"];
    let opened = Opened::open(&Place::named("libgcrypt", "gcrypt", &["20"], "CIPHERMETER_LIBGCRYPT", packages))?;
    // SAFETY: the types are those of gcrypt.h, whose ABI has been the same since 1.6.
    unsafe {
        let check: unsafe extern "C" fn(*const c_char) -> *const c_char = opened.symbol("gcry_check_version")?;
        Ok(Gcrypt {
            version: initialise(&opened, check)?,
            features: features(&opened),
            open: opened.symbol("gcry_cipher_open")?,
            close: opened.symbol("gcry_cipher_close")?,
            ctl: opened.symbol("gcry_cipher_ctl")?,
            setkey: opened.symbol("gcry_cipher_setkey")?,
            setiv: opened.symbol("gcry_cipher_setiv")?,
            setctr: opened.symbol("gcry_cipher_setctr")?,
            authenticate: opened.symbol("gcry_cipher_authenticate")?,
            encrypt: opened.symbol("gcry_cipher_encrypt")?,
            decrypt: opened.symbol("gcry_cipher_decrypt")?,
            gettag: opened.symbol("gcry_cipher_gettag")?,
            checktag: opened.symbol("gcry_cipher_checktag")?,
            file: opened.file(check as usize)?,
        })
    }
}

/// In the order that the manual wants: what the CPU is not to be used for, the version, no locked memory (it is small, and
/// these keys are public), done.
///
/// # Safety
/// `opened` must be a libgcrypt, `check` its gcry_check_version.
unsafe fn initialise(
    opened: &Opened,
    check: unsafe extern "C" fn(*const c_char) -> *const c_char,
) -> Result<String, String> {
    // SAFETY: the caller's promise; the arguments are those of each command; the version is a constant.
    unsafe {
        let control: unsafe extern "C" fn(c_int, ...) -> Code = opened.symbol("gcry_control")?;
        let without = std::env::var(WITHOUT).unwrap_or_default();
        for name in without.split(',').filter_map(|name| CString::new(name).ok()) {
            // A name that this version doesn't know is a feature that it doesn't use.
            control(DISABLE_HWF, name.as_ptr(), ptr::null::<c_char>());
        }
        let version = text(check(ptr::null()));
        if version.is_empty() || control(DISABLE_SECMEM, 0) != 0 || control(INITIALIZATION_FINISHED, 0) != 0 {
            return Err(opened.refused("can't be initialised"));
        }
        Ok(version)
    }
}

/// # Safety
/// `opened` must be a libgcrypt that is initialised.
unsafe fn features(opened: &Opened) -> String {
    type Get = unsafe extern "C" fn(c_int, *const c_char) -> *mut c_char;
    type Free = unsafe extern "C" fn(*mut c_void);
    // SAFETY: the caller's promise; the text is the caller's, and the library frees null, too.
    unsafe {
        let (Some(get), Some(free)) = (opened.find::<Get>("gcry_get_config"), opened.find::<Free>("gcry_free")) else {
            return String::new();
        };
        let list = get(0, c"hwflist".as_ptr());
        let features = text(list);
        free(list.cast());
        features
    }
}

impl Library for Gcrypt {
    fn version(&self) -> String {
        self.version.clone()
    }

    fn file(&self) -> File {
        self.file.clone()
    }

    fn has(&'static self) -> Vec<Has> {
        let has = |algorithm| Has {
            algorithm,
            forms: &[Form::InPlace, Form::Into],
            setup: Setup::Outside,
            path: path(algorithm, &self.version, &self.features),
        };
        // The SIV modes came with 1.10.
        let known = MODES.iter().filter(|(_, cipher, mode)| Key::open(self, *cipher, *mode).is_some());
        known.map(|(algorithm, ..)| has(*algorithm)).collect()
    }

    fn task(&'static self, want: &Want<'_>) -> Result<Box<dyn Task>, Unsupported> {
        let known = MODES.iter().find(|(algorithm, ..)| *algorithm == want.algorithm);
        let (algorithm, cipher, mode) = *known.ok_or_else(|| Unsupported::algorithm(want.algorithm))?;
        let bytes = algorithm.key_bytes();
        // It would take shorter keys, too.
        let make = move |key: &[u8]| Key::open(self, cipher, mode).filter(|_| key.len() == bytes)?.set(key);
        if want.operation == Operation::KeySetup {
            return Ok(key_setup(make));
        }
        let mut key = make(want.key).ok_or_else(|| Unsupported(format!("key of {} bytes", want.key.len())))?;
        Ok(match (algorithm, want.seals()) {
            (Algorithm::Aes256Siv, true) => each(move |call| key.siv_sealed(call)),
            (Algorithm::Aes256Siv, false) => each(move |call| key.siv_opened(call)),
            (Algorithm::Aes256GcmSiv, true) => each(move |call| key.gcm_siv_sealed(call)),
            (Algorithm::Aes256GcmSiv, false) => each(move |call| key.gcm_siv_opened(call)),
            (Algorithm::Aes256Cbc, true) => each(move |call| key.cbc_encrypted(call)),
            (Algorithm::Aes256Cbc, false) => each(move |call| key.cbc_decrypted(call)),
            // Both directions are the same.
            (Algorithm::Aes256Ctr, _) => each(move |call| key.ctr(call)),
            (Algorithm::ChaCha20, _) => each(move |call| key.stream(call)),
            (_, true) => each(move |call| key.sealed(call)),
            (_, false) => each(move |call| key.opened(call)),
        })
    }
}
