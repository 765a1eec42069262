//! Passes the compiler's version and those of the libraries to the build: most of them do not report them at run time,
//! and they are part of each figure.

#[path = "locked.rs"]
mod locked;

use std::path::Path;
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(aes_backend, values(\"soft\"))");
    println!("cargo::rustc-check-cfg=cfg(chacha20_backend, values(\"soft\"))");
    let lock = locked::lock_file("../../Cargo.lock");
    let manifest = fs::read_to_string("Cargo.toml").unwrap_or_default();
    println!("cargo::rerun-if-changed=Cargo.toml");
    for library in dependencies(&manifest) {
        locked::tell(&lock, library);
    }
    build_counter();
    println!("cargo::rustc-env=VERSION_RUSTC={}", compiler().unwrap_or_else(|| "unknown".into()));
}

/// The counter of allocations, a shared object embedded in the worker; empty where there is no glibc.
fn build_counter() {
    println!("cargo::rerun-if-changed=counter/counter.c");
    let object = Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join("counter.so");
    let target = |what: &str| env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    if target("OS") != "linux" || target("ENV") != "gnu" {
        fs::write(&object, []).expect("the build's own folder can be written");
        return;
    }
    let mut compiler = cc::Build::new().opt_level(2).warnings(true).get_compiler().to_command();
    // -fno-builtin: otherwise the compiler would treat these functions as the standard ones.
    let flags = ["-shared", "-fPIC", "-std=c11", "-fno-builtin", "-s", "counter/counter.c", "-o"];
    let status = compiler.args(flags).arg(&object).status();
    assert!(status.is_ok_and(|status| status.success()), "counter/counter.c does not compile; is there a C compiler?");
}

/// The names under `[dependencies]`: any of them may be a provider's library.
fn dependencies(manifest: &str) -> impl Iterator<Item = &str> {
    let section = manifest.split_once("[dependencies]\n").map_or("", |(_, rest)| rest);
    let lines = section.lines().take_while(|line| !line.starts_with('['));
    lines
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| !name.is_empty() && !name.starts_with('#'))
}

/// `rustc 1.95.0 (59807616e 2026-04-14)` gives `1.95.0`.
fn compiler() -> Option<String> {
    let output = Command::new(env::var_os("RUSTC")?).arg("--version").output().ok()?;
    String::from_utf8(output.stdout).ok()?.split_whitespace().nth(1).map(String::from)
}
