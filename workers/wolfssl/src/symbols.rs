//! wolfCrypt's functions that are used, as the headers of 5.5 and 5.9 declare them alike. Each returns 0 if done.

use std::ffi::{c_char, c_int, c_void};
use std::sync::OnceLock;

use ciphermeter_native::library::{File, LibraryLocation, Opened, text};

use crate::path;

type Object = *mut c_void;
/// Object, output, input, length.
pub type Blocks = unsafe extern "C" fn(Object, *mut u8, *const u8, u32) -> c_int;
/// Object, key and its length.
pub type SetKey = unsafe extern "C" fn(Object, *const u8, u32) -> c_int;
/// Object, output, input, length, nonce and length, tag and length, aad and length; to open, the tag is compared.
pub type Sealed =
    unsafe extern "C" fn(Object, *mut u8, *const u8, u32, *const u8, u32, *mut u8, u32, *const u8, u32) -> c_int;
/// Object, output, input, length, tweak and its length.
pub type Sector = unsafe extern "C" fn(Object, *mut u8, *const u8, u32, *const u8, u32) -> c_int;
/// Output, its room, input and length, aad and length, nonce and length, key and length; the tag follows the text.
pub type XChaCha = unsafe extern "C" fn(
    *mut u8,
    usize,
    *const u8,
    usize,
    *const u8,
    usize,
    *const u8,
    usize,
    *const u8,
    usize,
) -> c_int;
/// Key and length, aad and length, nonce and length, input and length, tag, output.
pub type Siv =
    unsafe extern "C" fn(*const u8, u32, *const u8, u32, *const u8, u32, *const u8, u32, *mut u8, *mut u8) -> c_int;
/// Key and length, nonce and length, aad and length, input and length, output, tag and length.
pub type GcmSiv = unsafe extern "C" fn(
    *const u8,
    u32,
    *const u8,
    u32,
    *const u8,
    u32,
    *const u8,
    u32,
    *mut u8,
    *mut u8,
    u32,
) -> c_int;

/// What an AEAD's object needs: its key, and both directions.
#[derive(Clone, Copy)]
pub struct Aead {
    pub set_key: SetKey,
    pub seal: Sealed,
    pub open: Sealed,
}

/// XTS's object, which is another.
#[derive(Clone, Copy)]
pub struct Xts {
    /// Object, key and length, direction, heap, device.
    pub set_key: unsafe extern "C" fn(Object, *const u8, u32, c_int, *mut c_void, c_int) -> c_int,
    pub both: [Sector; 2],
    pub free: unsafe extern "C" fn(Object) -> c_int,
}

/// Ascon's object, which takes the key anew for each message.
#[derive(Clone, Copy)]
pub struct Ascon {
    pub init: unsafe extern "C" fn(Object) -> c_int,
    pub set_key: unsafe extern "C" fn(Object, *const u8) -> c_int,
    pub set_nonce: unsafe extern "C" fn(Object, *const u8) -> c_int,
    pub set_aad: SetKey,
    pub update: [Blocks; 2],
    pub last: [unsafe extern "C" fn(Object, *mut u8) -> c_int; 2],
}

/// The library. What a build may leave out is optional.
pub struct Wolf {
    /// Object, heap, device.
    pub init: unsafe extern "C" fn(Object, *mut c_void, c_int) -> c_int,
    pub free: unsafe extern "C" fn(Object),
    /// Object, key and length, nonce or null, direction.
    pub set_key: unsafe extern "C" fn(Object, *const u8, u32, *const u8, c_int) -> c_int,
    pub set_nonce: unsafe extern "C" fn(Object, *const u8) -> c_int,
    pub gcm: Option<Aead>,
    pub ccm: Option<Aead>,
    pub cbc: Option<[Blocks; 2]>,
    pub ctr: Option<Blocks>,
    pub xts: Option<Xts>,
    pub siv: Option<[Siv; 2]>,
    pub gcm_siv: Option<[GcmSiv; 2]>,
    /// Key, nonce, aad and length, input and length, output, tag.
    pub chacha_seal:
        unsafe extern "C" fn(*const u8, *const u8, *const u8, u32, *const u8, u32, *mut u8, *mut u8) -> c_int,
    /// Key, nonce, aad and length, input and length, tag, output.
    pub chacha_open:
        unsafe extern "C" fn(*const u8, *const u8, *const u8, u32, *const u8, u32, *const u8, *mut u8) -> c_int,
    pub xchacha: Option<[XChaCha; 2]>,
    pub chacha_key: SetKey,
    /// Object, nonce, block counter.
    pub chacha_nonce: unsafe extern "C" fn(Object, *const u8, u32) -> c_int,
    pub chacha: Blocks,
    pub ascon: Option<Ascon>,
    pub version: String,
    pub file: File,
    /// Whether it is the one that was built here, whose code is known.
    pub is_own: bool,
}

/// The environment variable that names another libwolfssl.
const VARIABLE: &str = "CIPHERMETER_WOLFSSL";

impl Wolf {
    /// Opens it once for the life of the process.
    pub fn open() -> Result<&'static Self, String> {
        static OPENED: OnceLock<Result<Wolf, String>> = OnceLock::new();
        OPENED.get_or_init(open).as_ref().map_err(Clone::clone)
    }
}

fn open() -> Result<Wolf, String> {
    let opened = Opened::open(&LibraryLocation {
        what: "libwolfssl",
        names: vec![env!("WOLFSSL").into()],
        variable: VARIABLE,
        packages: "by `ciphermeter workers build wolfssl`; Debian's is libwolfssl35".into(),
    })?;
    let is_own = std::env::var_os(VARIABLE).is_none_or(|named| named.is_empty());
    // SAFETY: the types are those of the headers.
    unsafe {
        if is_own {
            path::mask(opened.find("cpuid_select_flags"))?;
        }
        resolve(&opened, is_own)
    }
}

/// # Safety
/// `opened` must be a libwolfssl.
unsafe fn resolve(opened: &Opened, is_own: bool) -> Result<Wolf, String> {
    // SAFETY: the caller's promise; each type is that of its field.
    unsafe {
        let init: unsafe extern "C" fn(Object, *mut c_void, c_int) -> c_int = opened.symbol("wc_AesInit")?;
        let version: Option<unsafe extern "C" fn() -> *const c_char> = opened.find("wolfSSL_lib_version");
        let version = version.map_or_else(|| env!("VERSION_WOLFSSL").into(), |version| text(version()));
        let aead = |name: &str| {
            Some(Aead {
                set_key: opened.find(&format!("wc_Aes{name}SetKey"))?,
                seal: opened.find(&format!("wc_Aes{name}Encrypt"))?,
                open: opened.find(&format!("wc_Aes{name}Decrypt"))?,
            })
        };
        let xts = || {
            Some(Xts {
                set_key: opened.find("wc_AesXtsSetKey")?,
                both: pair(opened, "wc_AesXts")?,
                free: opened.find("wc_AesXtsFree")?,
            })
        };
        let ascon = || {
            let named = |step: &str| format!("wc_AsconAEAD128_{step}");
            Some(Ascon {
                init: opened.find(&named("Init"))?,
                set_key: opened.find(&named("SetKey"))?,
                set_nonce: opened.find(&named("SetNonce"))?,
                set_aad: opened.find(&named("SetAD"))?,
                update: [opened.find(&named("EncryptUpdate"))?, opened.find(&named("DecryptUpdate"))?],
                last: [opened.find(&named("EncryptFinal"))?, opened.find(&named("DecryptFinal"))?],
            })
        };
        Ok(Wolf {
            init,
            free: opened.symbol("wc_AesFree")?,
            set_key: opened.symbol("wc_AesSetKey")?,
            set_nonce: opened.symbol("wc_AesSetIV")?,
            gcm: aead("Gcm"),
            ccm: aead("Ccm"),
            cbc: pair(opened, "wc_AesCbc"),
            ctr: opened.find("wc_AesCtrEncrypt"),
            xts: xts(),
            siv: pair(opened, "wc_AesSiv"),
            gcm_siv: pair(opened, "wc_AesGcmSiv"),
            chacha_seal: opened.symbol("wc_ChaCha20Poly1305_Encrypt")?,
            chacha_open: opened.symbol("wc_ChaCha20Poly1305_Decrypt")?,
            xchacha: pair(opened, "wc_XChaCha20Poly1305_"),
            chacha_key: opened.symbol("wc_Chacha_SetKey")?,
            chacha_nonce: opened.symbol("wc_Chacha_SetIV")?,
            chacha: opened.symbol("wc_Chacha_Process")?,
            ascon: ascon(),
            version,
            file: opened.file(init as usize)?,
            is_own,
        })
    }
}

/// The functions of both directions.
///
/// # Safety
/// As for [`Opened::find`].
unsafe fn pair<T: Copy>(opened: &Opened, name: &str) -> Option<[T; 2]> {
    // SAFETY: the caller's promise.
    unsafe { Some([opened.find(&format!("{name}Encrypt"))?, opened.find(&format!("{name}Decrypt"))?]) }
}
