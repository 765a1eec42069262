//! Passes the versions of its libraries to the build: the libraries do not report them, and they are a part of each
//! figure.

#[path = "../native/locked.rs"]
mod locked;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let lock = locked::lock_file("../../Cargo.lock");
    for library in ["aws-lc-rs", "rustls"] {
        locked::tell(&lock, library);
    }
}
