//! Tells the worker which compiler and which versions of its libraries it was built with: most of them don't say so
//! at run time, and what a figure was made with is part of the figure.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// The linked libraries whose version comes from the lock file.
const LIBRARIES: [&str; 11] = [
    "aes",
    "aes-gcm",
    "aes-gcm-siv",
    "aes-siv",
    "aws-lc-sys",
    "cbc",
    "chacha20",
    "chacha20poly1305",
    "ctr",
    "graviola",
    "ring",
];

fn main() {
    let lock = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../../Cargo.lock");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(aes_backend, values(\"soft\"))");
    println!("cargo::rustc-check-cfg=cfg(chacha20_backend, values(\"soft\"))");
    println!("cargo::rerun-if-changed={}", lock.display());
    let text = fs::read_to_string(&lock).unwrap_or_default();
    for library in LIBRARIES {
        let name = library.to_uppercase().replace('-', "_");
        println!("cargo::rustc-env=VERSION_{name}={}", locked_version(&text, library).unwrap_or("unknown"));
    }
    println!("cargo::rustc-env=VERSION_RUSTC={}", compiler().unwrap_or_else(|| "unknown".into()));
}

/// The version that stands under a package's name in a lock file.
fn locked_version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let rest = lock.split_once(&format!("name = \"{package}\"\nversion = \""))?.1;
    rest.split('"').next()
}

/// `rustc 1.95.0 (59807616e 2026-04-14)` gives `1.95.0`.
fn compiler() -> Option<String> {
    let output = Command::new(env::var_os("RUSTC")?).arg("--version").output().ok()?;
    String::from_utf8(output.stdout).ok()?.split_whitespace().nth(1).map(String::from)
}
