//! For build scripts: the versions of libraries in Cargo.lock.

use std::path::Path;
use std::{env, fs};

/// A lock file, by its path from the manifest; the build script runs again when it changes.
pub fn lock_file(path: &str) -> String {
    let path = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join(path);
    println!("cargo::rerun-if-changed={}", path.display());
    fs::read_to_string(path).unwrap_or_default()
}

/// Makes `env!("VERSION_<LIBRARY>")` available to the code.
pub fn tell(lock: &str, library: &str) {
    let name = library.to_uppercase().replace('-', "_");
    println!("cargo::rustc-env=VERSION_{name}={}", version(lock, library).unwrap_or("unknown"));
}

/// The version under a package's name.
fn version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let rest = lock.split_once(&format!("name = \"{package}\"\nversion = \""))?.1;
    rest.split('"').next()
}
