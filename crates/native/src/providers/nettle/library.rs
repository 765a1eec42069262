//! nettle's functions and descriptors as its headers declare them.

use std::ffi::{c_char, c_int, c_uint, c_void};

use super::super::opened::{File, LibraryLocation, Opened};

/// Overrides the detected CPU features, in builds that choose by them.
pub const SWITCH: &str = "NETTLE_FAT_OVERRIDE";

pub type Bytes = unsafe extern "C" fn(*mut c_void, *const u8);
pub type Absorb = unsafe extern "C" fn(*mut c_void, usize, *const u8);
pub type Crypt = unsafe extern "C" fn(*mut c_void, usize, *mut u8, *const u8);
pub type Equal = unsafe extern "C" fn(*const c_void, *const c_void, usize) -> c_int;
pub type Digest = unsafe extern "C" fn(*mut c_void, usize, *mut u8);
/// Context, nonce's length and nonce, aad's length and aad, output's length (encrypting) or the message's, output, input.
pub type Message =
    unsafe extern "C" fn(*const c_void, usize, *const u8, usize, *const u8, usize, *mut u8, *const u8) -> c_int;
/// Context, tweak, length, output, input.
pub type Sector = unsafe extern "C" fn(*const c_void, *const u8, usize, *mut u8, *const u8);
/// Context, function of the block cipher, block's size, nonce, length, output, input.
pub type Blocks = unsafe extern "C" fn(*const c_void, Crypt, usize, *mut u8, usize, *mut u8, *const u8);

/// `struct nettle_aead` of nettle-meta.h.
#[repr(C)]
pub struct Aead {
    pub name: *const c_char,
    pub context_size: c_uint,
    pub block_size: c_uint,
    pub key_size: c_uint,
    pub nonce_size: c_uint,
    pub digest_size: c_uint,
    pub set_encrypt_key: Bytes,
    pub set_decrypt_key: Bytes,
    pub set_nonce: Bytes,
    pub update: Absorb,
    pub encrypt: Crypt,
    pub decrypt: Crypt,
    pub digest: Digest,
}

/// `struct nettle_cipher` of nettle-meta.h.
#[repr(C)]
pub struct Cipher {
    pub name: *const c_char,
    pub context_size: c_uint,
    pub block_size: c_uint,
    pub key_size: c_uint,
    pub set_encrypt_key: Bytes,
    pub set_decrypt_key: Bytes,
    pub encrypt: Crypt,
    pub decrypt: Crypt,
}

/// CCM of one key size, by the functions of ccm.h.
pub struct Ccm {
    pub set_key: Bytes,
    /// Context, nonce's length and nonce, lengths of aad, message and tag.
    pub set_nonce: unsafe extern "C" fn(*mut c_void, usize, *const u8, usize, usize, usize),
    pub update: Absorb,
    pub encrypt: Crypt,
    pub decrypt: Crypt,
    pub digest: Digest,
}

/// That of so many bits; to be used where the types of its symbols are known to be those above.
macro_rules! ccm {
    ($opened:ident, $bits:literal) => {
        Ccm {
            set_key: $opened.symbol(concat!("nettle_ccm_aes", $bits, "_set_key"))?,
            set_nonce: $opened.symbol(concat!("nettle_ccm_aes", $bits, "_set_nonce"))?,
            update: $opened.symbol(concat!("nettle_ccm_aes", $bits, "_update"))?,
            encrypt: $opened.symbol(concat!("nettle_ccm_aes", $bits, "_encrypt"))?,
            decrypt: $opened.symbol(concat!("nettle_ccm_aes", $bits, "_decrypt"))?,
            digest: $opened.symbol(concat!("nettle_ccm_aes", $bits, "_digest"))?,
        }
    };
}

/// XTS of one key size, by the functions of xts.h.
pub struct Xts {
    pub set_encrypt_key: Bytes,
    pub set_decrypt_key: Bytes,
    pub encrypt: Sector,
    pub decrypt: Sector,
}

/// As for CCM.
macro_rules! xts {
    ($opened:ident, $bits:literal) => {
        Xts {
            set_encrypt_key: $opened.symbol(concat!("nettle_xts_aes", $bits, "_set_encrypt_key"))?,
            set_decrypt_key: $opened.symbol(concat!("nettle_xts_aes", $bits, "_set_decrypt_key"))?,
            encrypt: $opened.symbol(concat!("nettle_xts_aes", $bits, "_encrypt_message"))?,
            decrypt: $opened.symbol(concat!("nettle_xts_aes", $bits, "_decrypt_message"))?,
        }
    };
}

/// The functions that are used, as the headers declare them.
pub struct Nettle {
    pub gcm128: &'static Aead,
    pub gcm256: &'static Aead,
    pub chachapoly: &'static Aead,
    pub ccm128: Ccm,
    pub ccm256: Ccm,
    pub xts128: Xts,
    pub xts256: Xts,
    pub aes256: &'static Cipher,
    pub ctr: Blocks,
    pub cbc_decrypt: Blocks,
    pub cbc_encrypt: Blocks,
    /// The faster function, since 3.8: context, nonce, length, output, input.
    pub cbc_aes256_encrypt: Option<unsafe extern "C" fn(*const c_void, *mut u8, usize, *mut u8, *const u8)>,
    pub chacha_set_key: Bytes,
    pub chacha_set_nonce: Bytes,
    pub chacha_crypt: Crypt,
    /// AES-GCM-SIV, since 3.9: encryption returns nothing, decryption whether the tag was right.
    pub gcm_siv: Option<(Message, Message)>,
    pub equal: Equal,
    /// Whether it chooses its code by the CPU, and so was built with assembly.
    pub fat: bool,
    pub version: (c_int, c_int),
    pub file: File,
}

// SAFETY: the pointers lead to constants of the library.
unsafe impl Sync for Nettle {}
// SAFETY: likewise.
unsafe impl Send for Nettle {}

/// Opens it.
pub fn nettle() -> Result<Nettle, String> {
    // Version 4, libnettle.so.9, has other types.
    let opened = Opened::open(&LibraryLocation::named(
        "libnettle",
        "nettle",
        &["8"],
        "CIPHERMETER_NETTLE",
        ["libnettle8", "nettle"],
    ))?;
    // SAFETY: the types are those of the headers of 3.5 to 3.10, which have one ABI; the version is checked first.
    unsafe {
        let major: unsafe extern "C" fn() -> c_int = opened.symbol("nettle_version_major")?;
        let minor: unsafe extern "C" fn() -> c_int = opened.symbol("nettle_version_minor")?;
        let version = (major(), minor());
        if version.0 != 3 {
            return Err(opened.refused(format!("{}.{} has another interface", version.0, version.1)));
        }
        let fat = opened.has("_nettle_aes256_encrypt_aesni") || opened.has("_nettle_aes256_encrypt_arm64");
        if !fat && std::env::var_os(SWITCH).is_some() {
            return Err(format!(
                "this libnettle was built without a switch for the CPU (--enable-fat); unset ${SWITCH}"
            ));
        }
        let gcm_siv = opened.find("nettle_siv_gcm_aes256_encrypt_message");
        Ok(Nettle {
            gcm128: opened.symbol("nettle_gcm_aes128")?,
            gcm256: opened.symbol("nettle_gcm_aes256")?,
            chachapoly: opened.symbol("nettle_chacha_poly1305")?,
            ccm128: ccm!(opened, 128),
            ccm256: ccm!(opened, 256),
            xts128: xts!(opened, 128),
            xts256: xts!(opened, 256),
            aes256: opened.symbol("nettle_aes256")?,
            ctr: opened.symbol("nettle_ctr_crypt")?,
            cbc_decrypt: opened.symbol("nettle_cbc_decrypt")?,
            cbc_encrypt: opened.symbol("nettle_cbc_encrypt")?,
            cbc_aes256_encrypt: opened.find("nettle_cbc_aes256_encrypt"),
            chacha_set_key: opened.symbol("nettle_chacha_set_key")?,
            chacha_set_nonce: opened.symbol("nettle_chacha_set_nonce96")?,
            chacha_crypt: opened.symbol("nettle_chacha_crypt32")?,
            gcm_siv: gcm_siv.zip(opened.find("nettle_siv_gcm_aes256_decrypt_message")),
            equal: opened.symbol("nettle_memeql_sec")?,
            fat,
            version,
            file: opened.file(major as usize)?,
        })
    }
}
