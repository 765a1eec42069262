//! NSS's functions that are used, as its headers declare them.

use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};
use std::ptr;
use std::sync::OnceLock;

use ciphermeter_native::library::{File, LibraryLocation, Opened, text};

/// `CK_MECHANISM_TYPE`.
pub type Mechanism = c_ulong;

/// `SECItem` of util/seccomon.h; its type is `siBuffer`.
#[repr(C)]
pub struct Item {
    kind: c_uint,
    data: *mut c_void,
    len: c_uint,
}

impl Item {
    /// Bytes that live as long as the item is used; the library only reads them.
    pub fn of(data: *const c_void, len: usize) -> Self {
        Self { kind: 0, data: data.cast_mut(), len: len as c_uint }
    }
}

/// Key, mechanism, its parameters, out, its length, room, input, its length; 0 if done.
pub type Crypt =
    unsafe extern "C" fn(*mut c_void, Mechanism, *const Item, *mut u8, *mut c_uint, c_uint, *const u8, c_uint) -> c_int;

/// The library.
pub struct Nss {
    slot: unsafe extern "C" fn() -> *mut c_void,
    free_slot: unsafe extern "C" fn(*mut c_void),
    import: unsafe extern "C" fn(*mut c_void, Mechanism, c_int, c_ulong, *const Item, *mut c_void) -> *mut c_void,
    pub free_key: unsafe extern "C" fn(*mut c_void),
    pub new_context: unsafe extern "C" fn(Mechanism, c_ulong, *mut c_void, *const Item) -> *mut c_void,
    pub free_context: unsafe extern "C" fn(*mut c_void, c_int),
    /// Context, how nonces are made and their fixed bits, nonce and length, aad and length, out,
    /// its length, room, tag and length, input and length; 0 if done.
    pub aead: unsafe extern "C" fn(
        *mut c_void,
        c_ulong,
        c_int,
        *mut u8,
        c_int,
        *const u8,
        c_int,
        *mut u8,
        *mut c_int,
        c_int,
        *mut u8,
        c_int,
        *const u8,
        c_int,
    ) -> c_int,
    pub encrypt: Crypt,
    pub decrypt: Crypt,
    pub version: String,
    pub file: File,
}

/// `PK11_OriginUnwrap` of pk11wrap/secmodt.h.
const UNWRAPPED: c_int = 4;

impl Nss {
    /// Opens it once for the life of the process.
    pub fn open() -> Result<&'static Self, String> {
        static OPENED: OnceLock<Result<Nss, String>> = OnceLock::new();
        OPENED.get_or_init(open).as_ref().map_err(Clone::clone)
    }

    /// A raw key in the library's own slot, for that use; null if it refuses.
    pub fn imported(&self, mechanism: Mechanism, usage: c_ulong, key: &[u8]) -> *mut c_void {
        let key = Item::of(key.as_ptr().cast(), key.len());
        // SAFETY: the slot is checked; the item and its bytes live during the call, which copies them.
        unsafe {
            let slot = (self.slot)();
            if slot.is_null() {
                return slot;
            }
            let imported = (self.import)(slot, mechanism, UNWRAPPED, usage, &key, ptr::null_mut());
            (self.free_slot)(slot);
            imported
        }
    }
}

fn open() -> Result<Nss, String> {
    let location = LibraryLocation::named("libnss3", "nss3", &[], "CIPHERMETER_NSS", ["libnss3", "nss"]);
    // Its name has no version, and is `nss3` on every system.
    let name = if cfg!(target_os = "macos") { "/opt/homebrew/opt/nss/lib/libnss3.dylib" } else { "libnss3.so" };
    let opened = Opened::open(&LibraryLocation { names: vec![name.into()], ..location })?;
    // SAFETY: the types are those of the headers of 3.87, the same since 3.52, which has PK11_AEADOp first.
    unsafe {
        let version: unsafe extern "C" fn() -> *const c_char = opened.symbol("NSS_GetVersion")?;
        let init: unsafe extern "C" fn(*const c_char) -> c_int = opened.symbol("NSS_NoDB_Init")?;
        let is_fips: unsafe extern "C" fn() -> c_int = opened.symbol("PK11_IsFIPS")?;
        let aead = opened.symbol("PK11_AEADOp")?;
        if init(ptr::null()) != 0 {
            return Err(opened.refused("cannot be initialised: its softoken or freebl is missing or damaged"));
        }
        if is_fips() != 0 {
            return Err("libnss3 is in FIPS mode and takes no raw keys; measure it where the system has none".into());
        }
        Ok(Nss {
            slot: opened.symbol("PK11_GetInternalSlot")?,
            free_slot: opened.symbol("PK11_FreeSlot")?,
            import: opened.symbol("PK11_ImportSymKey")?,
            free_key: opened.symbol("PK11_FreeSymKey")?,
            new_context: opened.symbol("PK11_CreateContextBySymKey")?,
            free_context: opened.symbol("PK11_DestroyContext")?,
            aead,
            encrypt: opened.symbol("PK11_Encrypt")?,
            decrypt: opened.symbol("PK11_Decrypt")?,
            version: text(version()),
            file: freebl().map_or_else(|| opened.file(init as usize), Ok)?,
        })
    }
}

/// The file that has the ciphers, which NSS has loaded by now; `None` where it has another name.
fn freebl() -> Option<File> {
    let (what, names) = ("libfreeblpriv3", vec!["libfreeblpriv3.so".into()]);
    let location = LibraryLocation { what, names, variable: "CIPHERMETER_FREEBL", packages: String::new() };
    let opened = Opened::open(&location).ok()?;
    // SAFETY: the address is not dereferenced.
    let vector = unsafe { opened.find::<*const u8>("FREEBL_GetVector") }?;
    opened.file(vector as usize).ok()
}
