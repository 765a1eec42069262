//! The versions that offers name: of the crates from the lock file, of Rust from the compiler.

use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-changed=Cargo.lock");
    println!("cargo:rerun-if-changed=build.rs");
    let lock = fs::read_to_string("Cargo.lock").unwrap_or_default();
    let version = lock.split("[[package]]").find(|package| package.contains("\nname = \"wgpu\"\n"));
    let version = version.and_then(|package| package.split("version = \"").nth(1)?.split('"').next());
    println!("cargo:rustc-env=VERSION_WGPU={}", version.unwrap_or("unknown"));
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let told = Command::new(rustc).arg("--version").output().ok().and_then(|told| String::from_utf8(told.stdout).ok());
    let rustc = told.as_deref().and_then(|told| told.split(' ').nth(1)).unwrap_or("unknown");
    println!("cargo:rustc-env=VERSION_RUSTC={rustc}");
}
