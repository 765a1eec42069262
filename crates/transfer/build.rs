//! Tells which version of aws-lc-rs it was built with: the library doesn't say so itself, and kept rates hold for one version.

#[path = "../native/locked.rs"]
mod locked;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    locked::tell(&locked::lock_file(), "aws-lc-rs");
}
