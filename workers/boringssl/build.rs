//! Passes on the version of the crate that contains BoringSSL, which has none itself.

#[path = "../../crates/native/locked.rs"]
mod locked;

fn main() {
    locked::tell(&locked::lock_file("Cargo.lock"), "boring-sys");
}
