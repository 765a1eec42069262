//! What a libcrypto says of its errors, and which file configures it: a file that activates no
//! default provider leaves it without ciphers.

use std::ffi::{c_char, c_int, c_ulong};

use ciphermeter_core::escaped;

use super::super::opened::{Opened, text};

/// So many errors are told: the first ones are the cause.
const MOST: usize = 3;
/// So many are taken off its list at the most.
const TAKEN: usize = 64;
/// The most characters of one.
const CHARACTERS: usize = 160;

/// `ERR_get_error_all`: the number, and where it happened, with what.
type All =
    unsafe extern "C" fn(*mut *const c_char, *mut c_int, *mut *const c_char, *mut *const c_char, *mut c_int) -> c_ulong;

/// The functions that tell; none of them is there in every version.
pub struct Complaints {
    /// From version 3.0 on.
    all: Option<All>,
    reason: Option<unsafe extern "C" fn(c_ulong) -> *const c_char>,
    configuration: Option<unsafe extern "C" fn() -> *mut c_char>,
}

impl Complaints {
    /// # Safety
    /// `opened` must be a libcrypto.
    pub unsafe fn of(opened: &Opened) -> Self {
        // SAFETY: the caller's promise; the types are those of the manual pages.
        unsafe {
            Self {
                all: opened.find("ERR_get_error_all"),
                reason: opened.find("ERR_reason_error_string"),
                configuration: opened.find("CONF_get1_default_config_file"),
            }
        }
    }

    /// What went wrong since it was last asked, the first first, and the file that configures it.
    pub fn all(&self) -> String {
        let mut all: Vec<String> = (0..TAKEN).map_while(|_| self.next()).collect();
        all.dedup();
        all.truncate(MOST);
        let said = if all.is_empty() { "it does not say why".into() } else { all.join("; ") };
        match self.file() {
            Some(file) => format!("{said}; its configuration is {file}: correct it, or name another with OPENSSL_CONF"),
            None => said,
        }
    }

    /// The oldest error, which is taken off the list.
    fn next(&self) -> Option<String> {
        let (mut file, mut function, mut data) = (std::ptr::null(), std::ptr::null(), std::ptr::null());
        let (mut line, mut flags) = (0, 0);
        let get = self.all?;
        // SAFETY: it writes a pointer or a number into each, to constant strings, or those of the
        // error that live until the next.
        let code = unsafe { get(&raw mut file, &raw mut line, &raw mut function, &raw mut data, &raw mut flags) };
        if code == 0 {
            return None;
        }
        // SAFETY: it takes any number and returns a constant string or null; the data are a string,
        // or null.
        let (reason, data) = unsafe { (self.reason.map(|reason| text(reason(code))).unwrap_or_default(), text(data)) };
        let said = [reason, data].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
        Some(escaped(&said.chars().take(CHARACTERS).collect::<String>()))
    }

    /// The file, whether it is there or not.
    fn file(&self) -> Option<String> {
        let get = self.configuration?;
        // SAFETY: it returns a string of its own, or null. It is not given back, as its free is a
        // macro; it is asked a few times at most.
        let file = unsafe { text(get().cast_const()) };
        (!file.is_empty()).then(|| escaped(&file))
    }
}
