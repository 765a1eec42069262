//! The system's libcrypto, opened at run time: no headers, no linking, whichever version is there.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fs;
use std::sync::OnceLock;

use libloading::Library;

/// Where a path to another libcrypto may stand.
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

/// `EVP_CIPHER_CTX *` and `EVP_CIPHER *`: never looked into.
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

/// The functions that are used, as their manual pages declare them.
pub struct LibCrypto {
    pub seal: Steps,
    pub open: Steps,
    /// As `init`, the direction by the last argument: -1 leaves it.
    pub reinit: unsafe extern "C" fn(Context, Cipher, *mut c_void, *const u8, *const u8, c_int) -> c_int,
    pub new: unsafe extern "C" fn() -> Context,
    pub free: unsafe extern "C" fn(Context),
    pub ctrl: unsafe extern "C" fn(Context, c_int, c_int, *mut c_void) -> c_int,
    pub set_padding: unsafe extern "C" fn(Context, c_int) -> c_int,
    by_name: unsafe extern "C" fn(*const c_char) -> Cipher,
    /// From version 3.0 on.
    fetch: Option<unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> Cipher>,
    info: Option<unsafe extern "C" fn(c_int) -> *const c_char>,
    version: unsafe extern "C" fn(c_int) -> *const c_char,
    /// The file that was opened.
    pub path: String,
}

impl LibCrypto {
    /// Opens it once for the life of the process; the error says why it can't be used and what to do.
    pub fn open() -> Result<&'static Self, String> {
        static OPENED: OnceLock<Result<LibCrypto, String>> = OnceLock::new();
        OPENED.get_or_init(open).as_ref().map_err(Clone::clone)
    }

    /// `3.0.19`, or the whole text where it isn't OpenSSL's.
    pub fn version(&self) -> String {
        // SAFETY: 0 is OPENSSL_VERSION; it returns a constant string.
        let text = unsafe { text((self.version)(0)) };
        match text.strip_prefix("OpenSSL ") {
            // BoringSSL, Android's own libcrypto, says `OpenSSL 1.1.1 (compatible; BoringSSL)`.
            Some(rest) if !rest.contains("compatible") => rest.split_whitespace().next().unwrap_or(rest).to_string(),
            _ => text,
        }
    }

    /// What it found out about the CPU, masks included: `CPUINFO: OPENSSL_ia32cap=0x…:0x…`.
    pub fn cpu_settings(&self) -> String {
        const OPENSSL_INFO_CPU_SETTINGS: c_int = 1008;
        // SAFETY: takes any number and returns a constant string or null.
        self.info.map(|info| unsafe { text(info(OPENSSL_INFO_CPU_SETTINGS)) }).unwrap_or_default()
    }

    /// The cipher of that name, if it has it; it is kept for the life of the process.
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
}

fn open() -> Result<LibCrypto, String> {
    let remedy = format!("install OpenSSL's libcrypto, or give a libcrypto's path in ${OVERRIDE}");
    let (library, name) = match std::env::var_os(OVERRIDE) {
        Some(path) => {
            let name = path.to_string_lossy().into_owned();
            // SAFETY: opening a library runs its constructors; the user named this one.
            let opened = unsafe { Library::new(&path) };
            let failed = |error| format!("opening {name} failed: {}; correct ${OVERRIDE} or unset it", cause(&error));
            (opened.map_err(failed)?, name)
        }
        None => {
            // SAFETY: opening a library runs its constructors; these names are libcrypto's.
            let found = CANDIDATES.iter().find_map(|name| unsafe { Library::new(*name) }.ok().map(|it| (it, *name)));
            let (library, name) = found.ok_or_else(|| format!("there is no {}; {remedy}", CANDIDATES.join(" or ")))?;
            (library, name.to_string())
        }
    };
    // It stays: ciphers and contexts point into it, and OpenSSL doesn't like to be unloaded.
    let library: &'static Library = Box::leak(Box::new(library));
    // SAFETY: the types are those of the manual pages, which have not changed since version 1.1.0.
    unsafe { resolve(library, name) }.map_err(|symbol| format!("libcrypto lacks {symbol}; {remedy}"))
}

/// What the loader said, where the error carries it.
fn cause(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// # Safety
/// `library` must be a libcrypto.
unsafe fn resolve(library: &'static Library, name: String) -> Result<LibCrypto, &'static str> {
    macro_rules! symbol {
        ($name:literal) => {
            // SAFETY: the caller's promise; the type is that of the field.
            *unsafe { library.get(concat!($name, "\0").as_bytes()) }.map_err(|_| $name)?
        };
    }
    let new: unsafe extern "C" fn() -> Context = symbol!("EVP_CIPHER_CTX_new");
    Ok(LibCrypto {
        seal: Steps {
            init: symbol!("EVP_EncryptInit_ex"),
            update: symbol!("EVP_EncryptUpdate"),
            last: symbol!("EVP_EncryptFinal_ex"),
        },
        open: Steps {
            init: symbol!("EVP_DecryptInit_ex"),
            update: symbol!("EVP_DecryptUpdate"),
            last: symbol!("EVP_DecryptFinal_ex"),
        },
        reinit: symbol!("EVP_CipherInit_ex"),
        new,
        free: symbol!("EVP_CIPHER_CTX_free"),
        ctrl: symbol!("EVP_CIPHER_CTX_ctrl"),
        set_padding: symbol!("EVP_CIPHER_CTX_set_padding"),
        by_name: symbol!("EVP_get_cipherbyname"),
        // SAFETY: as above.
        fetch: unsafe { library.get(b"EVP_CIPHER_fetch\0") }.ok().map(|symbol| *symbol),
        // SAFETY: as above.
        info: unsafe { library.get(b"OPENSSL_info\0") }.ok().map(|symbol| *symbol),
        version: symbol!("OpenSSL_version"),
        path: mapped_file(new as usize).unwrap_or(name),
    })
}

/// The file that an address belongs to, where the system tells (Linux: /proc/self/maps, whose lines read
/// `7f00a000-7f01b000 r-xp 00000000 08:01 1234    /usr/lib/libcrypto.so.3`).
fn mapped_file(address: usize) -> Option<String> {
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let holds = |line: &&str| -> Option<bool> {
        let (low, high) = line.split_whitespace().next()?.split_once('-')?;
        let range = usize::from_str_radix(low, 16).ok()?..usize::from_str_radix(high, 16).ok()?;
        Some(range.contains(&address))
    };
    let line = maps.lines().find(|line| holds(line) == Some(true))?;
    line.find('/').map(|at| line[at..].to_string())
}

/// # Safety
/// `text` is null or a string that ends in a zero and stays.
unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
