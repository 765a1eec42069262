//! Libraries opened at run time: no headers, no linking, any installed version.
//!
//! A library is opened by its name on this system, or as the file that an environment variable names; its symbols then
//! see only those of their own library (`RTLD_LOCAL`). Its version, its file and that file's hash are reported.

use std::ffi::{CStr, OsString, c_char};
use std::fs;
use std::path::Path;

use ciphermeter_host::{architecture, file};
use libloading::Library;

use crate::code_pages;

/// Where to look for a library.
pub struct LibraryLocation {
    /// Its name in errors: `libsodium`.
    pub what: &'static str,
    /// Tried in this order.
    pub names: Vec<String>,
    /// The environment variable that may name another file.
    pub variable: &'static str,
    /// The packages that contain it: `Debian: libsodium23; Homebrew: libsodium`.
    pub packages: String,
}

impl LibraryLocation {
    /// The usual names of a library: `stem` is `sodium` for `libsodium.so.23`; `versions` are those of its ABI, the
    /// newest first; `debian` and `homebrew` are the packages that contain it.
    pub fn named(
        what: &'static str,
        stem: &str,
        versions: &[&str],
        variable: &'static str,
        [debian, homebrew]: [&str; 2],
    ) -> Self {
        let names = if cfg!(target_os = "macos") {
            let homes =
                ["".into(), format!("/opt/homebrew/opt/{homebrew}/lib/"), format!("/usr/local/opt/{homebrew}/lib/")];
            let everywhere = |version| homes.iter().map(move |home| format!("{home}lib{stem}.{version}.dylib"));
            versions.iter().flat_map(everywhere).collect()
        } else if cfg!(target_os = "android") {
            // Termux's libraries have no versions in their names.
            vec![format!("lib{stem}.so"), format!("/data/data/com.termux/files/usr/lib/lib{stem}.so")]
        } else {
            versions.iter().map(|version| format!("lib{stem}.so.{version}")).collect()
        };
        Self { what, names, variable, packages: format!("Debian: {debian}; Homebrew: {homebrew}") }
    }

    fn remedy(&self) -> String {
        format!("install it ({}), or name a file in ${}", self.packages, self.variable)
    }
}

/// An open library; it stays open for the life of the process, because references to its functions and constants are
/// kept.
pub struct Opened {
    library: &'static Library,
    name: String,
    /// Whether a variable named it.
    named: bool,
    what: &'static str,
    remedy: String,
}

/// What a variable names; an empty one counts as unset.
pub fn named(variable: &str) -> Option<OsString> {
    std::env::var_os(variable).filter(|path| !path.is_empty())
}

/// A library's file, and that file's SHA-256 in hex.
pub type File = (String, String);

impl Opened {
    /// Opens the file that the variable names, or the installed library; the error states that there is none, or the loader's reason,
    /// and what to do.
    pub fn open(location: &LibraryLocation) -> Result<Self, String> {
        Self::open_named(location, named(location.variable))
    }

    /// The same with the file that the variable names in the end.
    pub fn open_named(location: &LibraryLocation, named: Option<OsString>) -> Result<Self, String> {
        let is_named = named.is_some();
        let (library, name, remedy) = match named {
            Some(path) => {
                let (file, name) = (Path::new(&path), path.to_string_lossy().into_owned());
                let failed = |why: String| {
                    let why = why.strip_prefix(&format!("{name}: ")).unwrap_or(&why);
                    format!("opening {name} failed: {why}; correct ${} or unset it", location.variable)
                };
                // The loader would wait for a pipe's other end. What is not there it may find elsewhere.
                if file.exists() {
                    file::open(file).map_err(|error| failed(error.to_string()))?;
                }
                // SAFETY: opening a library runs its constructors; the user named this one.
                let opened = unsafe { Library::new(&path) };
                let why = |error| architecture::other(file).unwrap_or_else(|| cause(&error));
                let opened = opened.map_err(|error| failed(why(error)))?;
                let other = "give another file, or measure another library with a worker of your own (--worker)";
                (opened, name, other.to_string())
            }
            None => {
                // SAFETY: opening a library runs its constructors; these names are this library's.
                let open = |name: &String| unsafe { Library::new(name) }.ok().map(|it| (it, name.clone()));
                let found = location.names.iter().find_map(open);
                let none = || format!("{} is not installed; {}", location.what, location.remedy());
                let (library, name) = found.ok_or_else(none)?;
                (library, name, location.remedy())
            }
        };
        Ok(Self { library: Box::leak(Box::new(library)), name, named: is_named, what: location.what, remedy })
    }

    /// A symbol, or why the library cannot be used without it.
    ///
    /// # Safety
    /// `T` must be the type of that symbol's address, as the library documents it.
    pub unsafe fn symbol<T: Copy>(&self, name: &'static str) -> Result<T, String> {
        // SAFETY: the caller's promise.
        unsafe { self.find(name) }.ok_or_else(|| {
            format!("{} is not a usable {}, because it lacks {name}; {}", self.name, self.what, self.remedy)
        })
    }

    /// A symbol that not every version has.
    ///
    /// # Safety
    /// As for [`Self::symbol`].
    pub unsafe fn find<T: Copy>(&self, name: &str) -> Option<T> {
        // SAFETY: the caller's promise.
        unsafe { self.library.get::<T>(name.as_bytes()) }.ok().map(|symbol| *symbol)
    }

    /// Whether it has a symbol of that name.
    pub fn has(&self, name: &str) -> bool {
        // SAFETY: the address is not dereferenced.
        unsafe { self.find::<*const u8>(name) }.is_some()
    }

    /// The error for an unusable version: what is wrong with it, and what to do.
    pub fn refused(&self, why: impl std::fmt::Display) -> String {
        format!("{} {why}; {}", self.what, self.remedy)
    }

    /// The file that contains the code at one of its addresses.
    ///
    /// # Errors
    /// As [`Self::path_of`].
    pub fn path(&self, address: usize) -> Result<String, String> {
        self.path_of(&[address])
    }

    /// The file that contains the code of its functions. A library finds the functions of those that it needs, too: one of its own is
    /// enough where it wraps another. From then on the code has pages of this process's own.
    ///
    /// # Errors
    /// A variable named a file that has none of them itself: a libssl, say, for a libcrypto.
    pub fn path_of(&self, functions: &[usize]) -> Result<String, String> {
        let of = |address: &usize| Some((*address, code_pages::file_of(*address)?));
        let found: Vec<(usize, String)> = functions.iter().filter_map(of).collect();
        let Some((_, first)) = found.first() else { return Ok(self.name.clone()) };
        for (address, _) in &found {
            // Where that cannot be, all processes share the file's pages.
            let _ = code_pages::move_to_own(*address);
        }
        match fs::canonicalize(&self.name) {
            Ok(named) if self.named => {
                let own = found.iter().find(|(_, file)| named == Path::new(file));
                let none = || format!("{} is no {}, but needs one: give {first} itself", self.name, self.what);
                own.map(|(_, file)| file.clone()).ok_or_else(none)
            }
            _ => Ok(first.clone()),
        }
    }

    /// That file and its hash.
    pub fn file(&self, address: usize) -> Result<File, String> {
        hashed(self.path(address)?)
    }
}

/// A file and its hash.
pub fn hashed(path: String) -> Result<File, String> {
    let hash = file::sha256(&path).map_err(|error| format!("{error}; make the file readable"))?;
    Ok((path, hash))
}

/// The loader's reason, where the error has it.
fn cause(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// # Safety
/// `text` is null or a string that ends in a zero and stays.
pub unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// The numbers of a version: `1.10.1-unknown` gives (1, 10, 1); a part that is no number counts as larger than any.
pub fn numbers(version: &str) -> (u32, u32, u32) {
    let digits = |part: &str| {
        let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        part[..end].parse().unwrap_or(u32::MAX)
    };
    let mut parts = version.split('.').map(digits);
    let mut next = || parts.next().unwrap_or(0);
    (next(), next(), next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_library_names_its_packages() {
        let packages = ["libnowhere7", "nowhere"];
        let location = LibraryLocation::named("libnowhere", "nowhere", &["7"], "CIPHERMETER_NOWHERE", packages);
        let why = Opened::open(&location).map(|_| ()).unwrap_err();
        let said =
            "libnowhere is not installed; install it (Debian: libnowhere7; Homebrew: nowhere), or name a file in";
        assert_eq!(why, format!("{said} $CIPHERMETER_NOWHERE"));
    }

    #[test]
    fn what_is_no_regular_file_is_refused_before_it_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let location = LibraryLocation::named("libnowhere", "nowhere", &["7"], "CIPHERMETER_NOWHERE", ["", ""]);
        for file in [&pipe, folder.path(), Path::new("/dev/null")] {
            let why = Opened::open_named(&location, Some(file.into())).map(|_| ()).unwrap_err();
            let said = "it is not a regular file; correct $CIPHERMETER_NOWHERE or unset it";
            assert_eq!(why, format!("opening {} failed: {said}", file.display()));
        }
    }

    #[test]
    fn library_that_only_needs_the_one_looked_for_is_refused() {
        // SAFETY: a library of the system, whose constructors ask for nothing.
        let opened = unsafe { Library::new("libssl.so.3") };
        let Ok(opened) = opened else {
            return eprintln!("skipped: this system has no libssl.so.3");
        };
        let library: &'static Library = Box::leak(Box::new(opened));
        // SAFETY: the address is not dereferenced.
        let address = |name: &str| unsafe { library.get::<*const u8>(name.as_bytes()) }.map(|symbol| *symbol as usize);
        let (ssl, crypto) = (address("SSL_new").unwrap(), address("EVP_CIPHER_CTX_new").unwrap());
        let name = code_pages::file_of(ssl).unwrap();
        let opened = Opened { library, name: name.clone(), named: true, what: "libcrypto", remedy: String::new() };
        assert_eq!(opened.path(ssl), Ok(name.clone()));
        let why = opened.path(crypto).unwrap_err();
        assert!(why.starts_with(&format!("{name} is no libcrypto, but needs one: give ")), "{why}");
        assert!(why.ends_with(" itself") && why.contains("libcrypto.so"), "{why}");
        assert_eq!(opened.path_of(&[crypto, ssl]), Ok(name), "one function of its own");
        assert!(Opened { named: false, ..opened }.path(crypto).is_ok());
    }

    #[test]
    fn versions_are_numbers() {
        assert_eq!(numbers("2.28.3"), (2, 28, 3));
        assert_eq!(numbers("1.10.1-unknown"), (1, 10, 1));
        assert_eq!(numbers("3.8"), (3, 8, 0));
        assert_eq!(numbers("next"), (u32::MAX, 0, 0));
    }
}
