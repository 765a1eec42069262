//! Passes the version of aws-lc-rs to the build: the library does not report it, and stored rates are valid for one
//! version.

#[path = "../native/locked.rs"]
mod locked;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    locked::tell(&locked::lock_file("../../Cargo.lock"), "aws-lc-rs");
}
