//! libmbedcrypto, opened at run time, and its contexts.
//!
//! Its contexts are structs whose sizes it does not report. From the headers, on 64-bit systems, in bytes: 2.28.3 and
//! 3.6.5 both have gcm 424, aes 288, XTS 576, chachapoly 240, chacha20 136, cipher 96; gcm is 4264 in a 3.6 built with
//! MBEDTLS_GCM_LARGE_TABLE. Each gets [`ROOM`], nearly twice the largest. Whatever the version, its own `free` clears
//! what it wrote.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

use super::super::memory::Memory;
use super::super::opened::{File, LibraryLocation, Opened};

/// Bytes for a context of any kind.
const ROOM: usize = 8192;

/// MBEDTLS_CIPHER_ID_AES, MBEDTLS_PADDING_PKCS7, MBEDTLS_ENCRYPT and MBEDTLS_DECRYPT of mbedtls/cipher.h, the same in 2.28
/// and 3.6.
const AES: c_int = 2;
const PKCS7: c_int = 0;
const ENCRYPT: c_int = 1;
const DECRYPT: c_int = 0;

type Plain = unsafe extern "C" fn(*mut c_void);
type SetKey = unsafe extern "C" fn(*mut c_void, *const u8) -> c_int;

/// Those of CCM, which a build may leave out.
pub struct Ccm {
    both: [Plain; 2],
    setkey: unsafe extern "C" fn(*mut c_void, c_int, *const u8, c_uint) -> c_int,
    /// Context, length, iv and length, ad and length, input, output, tag and length.
    pub seal: unsafe extern "C" fn(
        *mut c_void,
        usize,
        *const u8,
        usize,
        *const u8,
        usize,
        *const u8,
        *mut u8,
        *mut u8,
        usize,
    ) -> c_int,
    /// The same, with a tag that is compared.
    pub open: unsafe extern "C" fn(
        *mut c_void,
        usize,
        *const u8,
        usize,
        *const u8,
        usize,
        *const u8,
        *mut u8,
        *const u8,
        usize,
    ) -> c_int,
}

/// Those of XTS, likewise.
pub struct Xts {
    both: [Plain; 2],
    /// To encrypt, and to decrypt.
    setkey: [unsafe extern "C" fn(*mut c_void, *const u8, c_uint) -> c_int; 2],
    /// Context, mode, length, data unit, input, output.
    crypt: unsafe extern "C" fn(*mut c_void, c_int, usize, *const u8, *const u8, *mut u8) -> c_int,
}

/// The functions that are used, as the headers of 2.28 and 3.6 declare them alike.
pub struct Mbed {
    gcm: [Plain; 2],
    aes: [Plain; 2],
    chachapoly: [Plain; 2],
    chacha20: [Plain; 2],
    cipher: [Plain; 2],
    gcm_setkey: unsafe extern "C" fn(*mut c_void, c_int, *const u8, c_uint) -> c_int,
    aes_setkey: unsafe extern "C" fn(*mut c_void, *const u8, c_uint) -> c_int,
    chachapoly_setkey: SetKey,
    chacha20_setkey: SetKey,
    cipher_info: unsafe extern "C" fn(*const c_char) -> *const c_void,
    cipher_setup: unsafe extern "C" fn(*mut c_void, *const c_void) -> c_int,
    cipher_setkey: unsafe extern "C" fn(*mut c_void, *const u8, c_int, c_int) -> c_int,
    cipher_padding: unsafe extern "C" fn(*mut c_void, c_int) -> c_int,
    /// Context, mode, length, iv and length, add and length, input, output, tag's length, tag.
    pub gcm_seal: unsafe extern "C" fn(
        *mut c_void,
        c_int,
        usize,
        *const u8,
        usize,
        *const u8,
        usize,
        *const u8,
        *mut u8,
        usize,
        *mut u8,
    ) -> c_int,
    /// Context, length, iv and length, add and length, tag and length, input, output.
    pub gcm_open: unsafe extern "C" fn(
        *mut c_void,
        usize,
        *const u8,
        usize,
        *const u8,
        usize,
        *const u8,
        usize,
        *const u8,
        *mut u8,
    ) -> c_int,
    pub ccm: Option<Ccm>,
    pub xts: Option<Xts>,
    /// Context, length, nonce, aad and length, input, output, tag.
    pub chachapoly_seal:
        unsafe extern "C" fn(*mut c_void, usize, *const u8, *const u8, usize, *const u8, *mut u8, *mut u8) -> c_int,
    /// Context, length, nonce, aad and length, tag, input, output.
    pub chachapoly_open:
        unsafe extern "C" fn(*mut c_void, usize, *const u8, *const u8, usize, *const u8, *const u8, *mut u8) -> c_int,
    /// Context, length, offset in the stream's block, counter, stream's block, input, output.
    pub aes_ctr: unsafe extern "C" fn(*mut c_void, usize, *mut usize, *mut u8, *mut u8, *const u8, *mut u8) -> c_int,
    /// Context, nonce, counter.
    pub chacha20_starts: unsafe extern "C" fn(*mut c_void, *const u8, u32) -> c_int,
    /// Context, length, input, output.
    pub chacha20_update: unsafe extern "C" fn(*mut c_void, usize, *const u8, *mut u8) -> c_int,
    /// Context, iv and length, input and length, output, its length.
    pub cipher_crypt:
        unsafe extern "C" fn(*mut c_void, *const u8, usize, *const u8, usize, *mut u8, *mut usize) -> c_int,
    /// The features that its code for x86 detected; missing in builds without that code, or with nothing else.
    pub aesni: Option<unsafe extern "C" fn(c_uint) -> c_int>,
    /// The features that its code for Arm detected; since 3.5, on Linux.
    pub aesce: Option<unsafe extern "C" fn() -> c_int>,
    /// Major, minor and patch.
    pub version: [u32; 3],
    pub file: File,
}

/// The kinds of context, one for each part of the library in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextKind {
    Gcm,
    /// Where the library has it.
    Ccm,
    /// Likewise.
    Xts,
    /// AES for encryption, which is all that CTR needs.
    Aes,
    ChachaPoly,
    ChaCha20,
    /// CBC by the layer that adds padding.
    Cbc,
}

impl Mbed {
    /// Opens it once for the life of the process.
    pub fn open() -> Result<&'static Self, String> {
        static OPENED: OnceLock<Result<Mbed, String>> = OnceLock::new();
        OPENED.get_or_init(open).as_ref().map_err(Clone::clone)
    }

    /// Only for what has been found to be there: `supported` asks.
    #[inline(always)]
    pub fn ccm(&self) -> &Ccm {
        self.ccm.as_ref().expect("it is supported")
    }

    /// As [`Mbed::ccm`].
    #[inline(always)]
    fn xts(&self) -> &Xts {
        self.xts.as_ref().expect("it is supported")
    }

    fn init_and_free(&self, kind: ContextKind) -> [Plain; 2] {
        match kind {
            ContextKind::Gcm => self.gcm,
            ContextKind::Ccm => self.ccm().both,
            ContextKind::Xts => self.xts().both,
            ContextKind::Aes => self.aes,
            ContextKind::ChachaPoly => self.chachapoly,
            ContextKind::ChaCha20 => self.chacha20,
            ContextKind::Cbc => self.cipher,
        }
    }

    /// Sets the key of an initialised context.
    ///
    /// # Safety
    /// `context` must be of that kind.
    unsafe fn set_key(&self, kind: ContextKind, context: *mut c_void, key: &[u8], seals: bool) -> bool {
        let bits = key.len() as u32 * 8;
        let is_known = match kind {
            ContextKind::Gcm | ContextKind::Ccm => matches!(bits, 128 | 256),
            ContextKind::Xts => matches!(bits, 256 | 512),
            _ => bits == 256,
        };
        if !is_known {
            return false;
        }
        // SAFETY: the caller's promise; the key has the length that each reads or is told.
        let failed = unsafe {
            match kind {
                ContextKind::Gcm => (self.gcm_setkey)(context, AES, key.as_ptr(), bits),
                ContextKind::Ccm => (self.ccm().setkey)(context, AES, key.as_ptr(), bits),
                ContextKind::Xts => (self.xts().setkey[usize::from(!seals)])(context, key.as_ptr(), bits),
                ContextKind::Aes => (self.aes_setkey)(context, key.as_ptr(), bits),
                ContextKind::ChachaPoly => (self.chachapoly_setkey)(context, key.as_ptr()),
                ContextKind::ChaCha20 => (self.chacha20_setkey)(context, key.as_ptr()),
                ContextKind::Cbc => {
                    let info = (self.cipher_info)(c"AES-256-CBC".as_ptr());
                    if info.is_null() || (self.cipher_setup)(context, info) != 0 {
                        return false;
                    }
                    let direction = if seals { ENCRYPT } else { DECRYPT };
                    // 2.28 pads by default, 3.6 does not.
                    if (self.cipher_padding)(context, PKCS7) != 0 {
                        return false;
                    }
                    (self.cipher_setkey)(context, key.as_ptr(), bits as c_int, direction)
                }
            }
        };
        failed == 0
    }
}

/// Room for a context, with an initialised context in it.
pub struct Context {
    pub library: &'static Mbed,
    kind: ContextKind,
    memory: Memory,
}

impl Context {
    /// A new, initialised context; `None` without memory.
    pub fn new(library: &'static Mbed, kind: ContextKind) -> Option<Self> {
        let context = Self { library, kind, memory: Memory::new(ROOM)? };
        context.init();
        Some(context)
    }

    fn init(&self) {
        // SAFETY: there is room for it.
        unsafe { self.library.init_and_free(self.kind)[0](self.as_ptr()) }
    }

    fn free(&self) {
        // SAFETY: it is initialised; this clears the key.
        unsafe { self.library.init_and_free(self.kind)[1](self.as_ptr()) }
    }

    /// Sets its key; false if the library refuses it.
    pub fn set_key(&mut self, key: &[u8], seals: bool) -> bool {
        // SAFETY: it is of its kind, and initialised.
        unsafe { self.library.set_key(self.kind, self.as_ptr(), key, seals) }
    }

    /// A user's steps for a key: initialise, set, free, in a variable that costs nothing.
    pub fn key_setup(&mut self, key: &[u8]) -> bool {
        self.free();
        self.init();
        self.set_key(key, true)
    }

    /// A sector by XTS: whether the library did it.
    ///
    /// # Safety
    /// The context is of XTS and has a key of the direction; the tweak has 16 bytes, input and output have `len`.
    #[inline(always)]
    pub unsafe fn sector(&self, seals: bool, len: usize, tweak: *const u8, from: *const u8, to: *mut u8) -> bool {
        let mode = if seals { ENCRYPT } else { DECRYPT };
        // SAFETY: the caller's promise.
        unsafe { (self.library.xts().crypt)(self.as_ptr(), mode, len, tweak, from, to) == 0 }
    }

    #[inline(always)]
    pub fn as_ptr(&self) -> *mut c_void {
        self.memory.as_ptr()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.free();
    }
}

fn open() -> Result<Mbed, String> {
    let opened = Opened::open(&LibraryLocation::named(
        "libmbedcrypto",
        "mbedcrypto",
        &["16", "15", "14", "13", "12", "11", "10", "9", "8", "7"],
        "CIPHERMETER_MBEDTLS",
        ["libmbedcrypto7", "mbedtls@3"],
    ))?;
    // SAFETY: the type has not changed since 1.3.
    let number = unsafe { opened.symbol::<unsafe extern "C" fn() -> c_uint>("mbedtls_version_get_number")?() };
    let version = [number >> 24, number >> 16 & 0xff, number >> 8 & 0xff];
    if !(2..=3).contains(&version[0]) || version < [2, 16, 0] {
        return Err(opened.refused(format!("{}.{} has another interface", version[0], version[1])));
    }
    // SAFETY: the types are those of the headers of such versions.
    unsafe { resolve(&opened, version) }
}

/// # Safety
/// `opened` must be a libmbedcrypto of that version.
unsafe fn resolve(opened: &Opened, version: [u32; 3]) -> Result<Mbed, String> {
    // SAFETY: the caller's promise; each type is that of its field.
    unsafe {
        let gcm_setkey: unsafe extern "C" fn(*mut c_void, c_int, *const u8, c_uint) -> c_int =
            opened.symbol("mbedtls_gcm_setkey")?;
        Ok(Mbed {
            gcm: [opened.symbol("mbedtls_gcm_init")?, opened.symbol("mbedtls_gcm_free")?],
            aes: [opened.symbol("mbedtls_aes_init")?, opened.symbol("mbedtls_aes_free")?],
            chachapoly: [opened.symbol("mbedtls_chachapoly_init")?, opened.symbol("mbedtls_chachapoly_free")?],
            chacha20: [opened.symbol("mbedtls_chacha20_init")?, opened.symbol("mbedtls_chacha20_free")?],
            cipher: [opened.symbol("mbedtls_cipher_init")?, opened.symbol("mbedtls_cipher_free")?],
            gcm_setkey,
            aes_setkey: opened.symbol("mbedtls_aes_setkey_enc")?,
            chachapoly_setkey: opened.symbol("mbedtls_chachapoly_setkey")?,
            chacha20_setkey: opened.symbol("mbedtls_chacha20_setkey")?,
            cipher_info: opened.symbol("mbedtls_cipher_info_from_string")?,
            cipher_setup: opened.symbol("mbedtls_cipher_setup")?,
            cipher_setkey: opened.symbol("mbedtls_cipher_setkey")?,
            cipher_padding: opened.symbol("mbedtls_cipher_set_padding_mode")?,
            gcm_seal: opened.symbol("mbedtls_gcm_crypt_and_tag")?,
            gcm_open: opened.symbol("mbedtls_gcm_auth_decrypt")?,
            ccm: ccm(opened),
            xts: xts(opened),
            chachapoly_seal: opened.symbol("mbedtls_chachapoly_encrypt_and_tag")?,
            chachapoly_open: opened.symbol("mbedtls_chachapoly_auth_decrypt")?,
            aes_ctr: opened.symbol("mbedtls_aes_crypt_ctr")?,
            chacha20_starts: opened.symbol("mbedtls_chacha20_starts")?,
            chacha20_update: opened.symbol("mbedtls_chacha20_update")?,
            cipher_crypt: opened.symbol("mbedtls_cipher_crypt")?,
            aesni: opened.find("mbedtls_aesni_has_support"),
            aesce: opened.find("mbedtls_aesce_has_support_impl"),
            version,
            file: opened.file(gcm_setkey as usize)?,
        })
    }
}

/// # Safety
/// `opened` must be a libmbedcrypto.
unsafe fn ccm(opened: &Opened) -> Option<Ccm> {
    // SAFETY: the caller's promise; each type is that of its field.
    unsafe {
        Some(Ccm {
            both: [opened.find("mbedtls_ccm_init")?, opened.find("mbedtls_ccm_free")?],
            setkey: opened.find("mbedtls_ccm_setkey")?,
            seal: opened.find("mbedtls_ccm_encrypt_and_tag")?,
            open: opened.find("mbedtls_ccm_auth_decrypt")?,
        })
    }
}

/// # Safety
/// `opened` must be a libmbedcrypto.
unsafe fn xts(opened: &Opened) -> Option<Xts> {
    // SAFETY: the caller's promise; each type is that of its field.
    unsafe {
        Some(Xts {
            both: [opened.find("mbedtls_aes_xts_init")?, opened.find("mbedtls_aes_xts_free")?],
            setkey: [opened.find("mbedtls_aes_xts_setkey_enc")?, opened.find("mbedtls_aes_xts_setkey_dec")?],
            crypt: opened.find("mbedtls_aes_crypt_xts")?,
        })
    }
}
