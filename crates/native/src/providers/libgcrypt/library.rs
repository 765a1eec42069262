//! libgcrypt's functions as gcrypt.h declares them, and its initialisation.

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::ptr;

use super::super::opened::{File, LibraryLocation, Opened, text};

/// Libgcrypt's names of CPU features that it must not use: it has no variable of its own for that.
pub const WITHOUT: &str = "CIPHERMETER_CPU_WITHOUT";

pub type Handle = *mut c_void;
/// `gcry_error_t`: the source above, the code in the lower 16 bits.
pub type Code = c_uint;
pub type Crypt = unsafe extern "C" fn(Handle, *mut u8, usize, *const u8, usize) -> Code;
pub type Give = unsafe extern "C" fn(Handle, *const u8, usize) -> Code;

/// Commands of gcrypt.h.
const DISABLE_SECMEM: c_int = 37;
const INITIALIZATION_FINISHED: c_int = 38;
const DISABLE_HWF: c_int = 63;

/// The functions that are used, as gcrypt.h declares them.
pub struct Gcrypt {
    pub open: unsafe extern "C" fn(*mut Handle, c_int, c_int, c_uint) -> Code,
    pub close: unsafe extern "C" fn(Handle),
    pub ctl: unsafe extern "C" fn(Handle, c_int, *mut c_void, usize) -> Code,
    pub setkey: Give,
    pub setiv: Give,
    pub setctr: Give,
    pub authenticate: Give,
    pub encrypt: Crypt,
    pub decrypt: Crypt,
    pub gettag: unsafe extern "C" fn(Handle, *mut u8, usize) -> Code,
    pub checktag: Give,
    pub version: String,
    /// Features of the CPU that it uses: `hwflist:intel-cpu:intel-aesni:…:`.
    pub features: String,
    pub file: File,
}

/// Opens and initialises it.
pub fn gcrypt() -> Result<Gcrypt, String> {
    let packages = ["libgcrypt20", "libgcrypt"];
    let opened =
        Opened::open(&LibraryLocation::named("libgcrypt", "gcrypt", &["20"], "CIPHERMETER_LIBGCRYPT", packages))?;
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

/// In the order that the manual requires: the disabled CPU features, the version, no locked memory (it is small, and
/// these keys are public), finished.
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
            // A name unknown to this version is a feature that it does not use.
            control(DISABLE_HWF, name.as_ptr(), ptr::null::<c_char>());
        }
        let version = text(check(ptr::null()));
        if version.is_empty() || control(DISABLE_SECMEM, 0) != 0 || control(INITIALIZATION_FINISHED, 0) != 0 {
            return Err(opened.refused("cannot be initialised"));
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
