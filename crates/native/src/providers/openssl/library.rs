//! The system's libcrypto, opened at run time.

use std::ffi::{CString, OsString, c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::sync::OnceLock;

use super::super::opened::{LibraryLocation, Opened, named, text};
use super::complaints::Complaints;
use crate::libcryptos;

/// The environment variable with the path of another libcrypto, or of a folder that has one.
const OVERRIDE: &str = "CIPHERMETER_OPENSSL";

/// Tried in this order. On macOS the unversioned name would end the process; on Android it is the system's BoringSSL, so
/// Termux's own comes first.
const CANDIDATES: &[&str] = if cfg!(target_os = "macos") {
    &[
        "libcrypto.3.dylib",
        "/opt/homebrew/opt/openssl@3/lib/libcrypto.3.dylib",
        "/usr/local/opt/openssl@3/lib/libcrypto.3.dylib",
        "libcrypto.1.1.dylib",
    ]
} else if cfg!(target_os = "android") {
    &["libcrypto.so.3", "/data/data/com.termux/files/usr/lib/libcrypto.so.3", "libcrypto.so"]
} else {
    &["libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.so"]
};

/// `EVP_CIPHER_CTX *` and `EVP_CIPHER *`: opaque.
pub type Context = *mut c_void;
pub type Cipher = *const c_void;
type Init = unsafe extern "C" fn(Context, Cipher, *mut c_void, *const u8, *const u8) -> c_int;
type Update = unsafe extern "C" fn(Context, *mut u8, *mut c_int, *const u8, c_int) -> c_int;
type Final = unsafe extern "C" fn(Context, *mut u8, *mut c_int) -> c_int;

/// The three steps of a message in one direction.
#[derive(Clone, Copy)]
pub struct Steps {
    pub init: Init,
    pub update: Update,
    pub last: Final,
}

/// HMAC by the functions that every version has.
pub struct HmacFunctions {
    pub new: unsafe extern "C" fn() -> Context,
    /// Key and hash function; null keeps those that are set, and begins anew.
    pub init: unsafe extern "C" fn(Context, *const u8, c_int, *const c_void, *mut c_void) -> c_int,
    pub update: unsafe extern "C" fn(Context, *const u8, usize) -> c_int,
    pub last: unsafe extern "C" fn(Context, *mut u8, *mut c_uint) -> c_int,
    pub free: unsafe extern "C" fn(Context),
    pub sha256: unsafe extern "C" fn() -> *const c_void,
    pub sha512: unsafe extern "C" fn() -> *const c_void,
    /// 0 where both texts are equal, in constant time.
    pub compare: unsafe extern "C" fn(*const u8, *const u8, usize) -> c_int,
}

/// The functions that are used, as their manual pages declare them.
pub struct LibCrypto {
    pub seal: Steps,
    pub open: Steps,
    /// Like `init`, with the direction as the last argument: -1 leaves it unchanged.
    pub reinit: unsafe extern "C" fn(Context, Cipher, *mut c_void, *const u8, *const u8, c_int) -> c_int,
    pub new: unsafe extern "C" fn() -> Context,
    pub free: unsafe extern "C" fn(Context),
    /// Not every library that calls itself a libcrypto has it.
    pub reset: Option<unsafe extern "C" fn(Context) -> c_int>,
    pub ctrl: unsafe extern "C" fn(Context, c_int, c_int, *mut c_void) -> c_int,
    pub set_padding: unsafe extern "C" fn(Context, c_int) -> c_int,
    /// A wrapper may lack them.
    pub hmac: Option<HmacFunctions>,
    by_name: unsafe extern "C" fn(*const c_char) -> Cipher,
    /// From version 3.0 on.
    fetch: Option<unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> Cipher>,
    info: Option<unsafe extern "C" fn(c_int) -> *const c_char>,
    version: unsafe extern "C" fn(c_int) -> *const c_char,
    complaints: Complaints,
    /// The file that was opened.
    pub path: String,
}

impl LibCrypto {
    /// Opens it once for the life of the process; the error states why it cannot be used and what to do.
    pub fn open() -> Result<&'static Self, String> {
        static OPENED: OnceLock<Result<LibCrypto, String>> = OnceLock::new();
        OPENED.get_or_init(open).as_ref().map_err(Clone::clone)
    }

    /// `3.0.19`, or the whole text if it is not OpenSSL's.
    pub fn version(&self) -> String {
        // SAFETY: 0 is OPENSSL_VERSION; it returns a constant string.
        let text = unsafe { text((self.version)(0)) };
        match text.strip_prefix("OpenSSL ") {
            // BoringSSL, Android's own libcrypto, reports `OpenSSL 1.1.1 (compatible; BoringSSL)`.
            Some(rest) if !rest.contains("compatible") => rest.split_whitespace().next().unwrap_or(rest).to_string(),
            _ => text,
        }
    }

    /// The CPU features that it detected, masks included: `CPUINFO: OPENSSL_ia32cap=0x…:0x…`.
    pub fn cpu_settings(&self) -> String {
        const OPENSSL_INFO_CPU_SETTINGS: c_int = 1008;
        // SAFETY: takes any number and returns a constant string or null.
        self.info.map(|info| unsafe { text(info(OPENSSL_INFO_CPU_SETTINGS)) }).unwrap_or_default()
    }

    /// The cipher of that name, if the library has it; it is kept for the life of the process.
    pub fn cipher(&self, name: &str) -> Option<Cipher> {
        let name = CString::new(name).ok()?;
        // SAFETY: the name ends in a zero; null stands for the default context and properties.
        let cipher = unsafe {
            match self.fetch {
                Some(fetch) => fetch(std::ptr::null_mut(), name.as_ptr(), std::ptr::null()),
                None => (self.by_name)(name.as_ptr()),
            }
        };
        (!cipher.is_null()).then_some(cipher)
    }

    /// Why it lacks what it should have, in its own words, and the file that configures it.
    pub fn complaint(&self) -> String {
        self.complaints.all()
    }
}

/// The functions that are called: a wrapper has one of them at least.
const EVP: [&str; 12] = [
    "EVP_CIPHER_CTX_new", "EVP_EncryptInit_ex", "EVP_EncryptUpdate", "EVP_EncryptFinal_ex", "EVP_DecryptInit_ex",
    "EVP_DecryptUpdate", "EVP_DecryptFinal_ex", "EVP_CipherInit_ex", "EVP_CIPHER_CTX_ctrl", "EVP_CIPHER_CTX_free",
    "EVP_CIPHER_CTX_set_padding", "EVP_CIPHER_fetch",
];

fn open() -> Result<LibCrypto, String> {
    let location = LibraryLocation {
        what: "libcrypto",
        names: CANDIDATES.iter().map(ToString::to_string).collect(),
        variable: OVERRIDE,
        packages: "Debian: libssl3; Homebrew: openssl@3".into(),
    };
    let file = |named: OsString| {
        if Path::new(&named).is_dir() { libcryptos::only(Path::new(&named)).map(Into::into) } else { Ok(named) }
    };
    let opened = Opened::open_named(&location, named(OVERRIDE).map(file).transpose()?)?;
    // SAFETY: the types are those of the manual pages, which have not changed since version 1.1.0.
    unsafe { resolve(&opened) }
}

/// # Safety
/// `opened` must be a libcrypto.
unsafe fn resolve(opened: &Opened) -> Result<LibCrypto, String> {
    // SAFETY: the caller's promise; each type is that of its field.
    unsafe {
        let new: unsafe extern "C" fn() -> Context = opened.symbol("EVP_CIPHER_CTX_new")?;
        let path =
            opened.path_of(&EVP.map(|name| opened.find::<*const u8>(name).map_or(0, |symbol| symbol as usize)))?;
        Ok(LibCrypto {
            seal: Steps {
                init: opened.symbol("EVP_EncryptInit_ex")?,
                update: opened.symbol("EVP_EncryptUpdate")?,
                last: opened.symbol("EVP_EncryptFinal_ex")?,
            },
            open: Steps {
                init: opened.symbol("EVP_DecryptInit_ex")?,
                update: opened.symbol("EVP_DecryptUpdate")?,
                last: opened.symbol("EVP_DecryptFinal_ex")?,
            },
            reinit: opened.symbol("EVP_CipherInit_ex")?,
            new,
            free: opened.symbol("EVP_CIPHER_CTX_free")?,
            reset: opened.find("EVP_CIPHER_CTX_reset"),
            ctrl: opened.symbol("EVP_CIPHER_CTX_ctrl")?,
            set_padding: opened.symbol("EVP_CIPHER_CTX_set_padding")?,
            hmac: hmac(opened),
            by_name: opened.symbol("EVP_get_cipherbyname")?,
            fetch: opened.find("EVP_CIPHER_fetch"),
            info: opened.find("OPENSSL_info"),
            version: opened.symbol("OpenSSL_version")?,
            complaints: Complaints::of(opened),
            path,
        })
    }
}

/// # Safety
/// `opened` must be a libcrypto.
unsafe fn hmac(opened: &Opened) -> Option<HmacFunctions> {
    // SAFETY: the caller's promise; each type is that of its field.
    unsafe {
        Some(HmacFunctions {
            new: opened.find("HMAC_CTX_new")?,
            init: opened.find("HMAC_Init_ex")?,
            update: opened.find("HMAC_Update")?,
            last: opened.find("HMAC_Final")?,
            free: opened.find("HMAC_CTX_free")?,
            sha256: opened.find("EVP_sha256")?,
            sha512: opened.find("EVP_sha512")?,
            compare: opened.find("CRYPTO_memcmp")?,
        })
    }
}
