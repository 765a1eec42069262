//! Compiles wolfCrypt's ciphers into a shared object with the switches that wolfSSL's `./configure
//! --enable-intelasm` or `--enable-armasm` sets, and passes on where it lies and which version it
//! is.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Files of wolfcrypt/src.
const C: &[&str] = &[
    "aes", "ascon", "chacha", "chacha20_poly1305", "cmac", "cpuid", "error", "logging", "memory", "misc", "poly1305",
    "wc_port",
];
const X86_64: &[&str] = &["aes_asm", "aes_gcm_asm", "aes_x86_64_asm", "aes_xts_asm", "chacha_asm", "poly1305_asm"];
const AARCH64: &[&str] = &["port/arm/armv8-aes-asm", "port/arm/armv8-chacha-asm", "port/arm/armv8-poly1305-asm"];

/// What is in, and, where `NO_`, out.
const DEFINITIONS: &[&str] = &[
    "BUILDING_WOLFSSL", "GCM_TABLE_4BIT", "HAVE_AESCCM", "HAVE_AESGCM", "HAVE_AES_DECRYPT", "HAVE_AES_ECB",
    "HAVE_ASCON", "HAVE_CHACHA", "HAVE_POLY1305", "HAVE_THREAD_LS", "HAVE_XCHACHA", "NO_ASN", "NO_DES3", "NO_DH",
    "NO_DSA", "NO_HMAC", "NO_MD4", "NO_MD5", "NO_PWDBASED", "NO_RC4", "NO_RSA", "NO_SHA", "NO_SHA256", "WC_NO_RNG",
    "WOLFCRYPT_ONLY", "WOLFSSL_AESGCM_SIV", "WOLFSSL_AES_COUNTER", "WOLFSSL_AES_DIRECT", "WOLFSSL_AES_SIV",
    "WOLFSSL_AES_XTS", "WOLFSSL_CMAC", "WOLFSSL_EXPERIMENTAL_SETTINGS", "WOLFSSL_IGNORE_FILE_WARN",
    "WOLFSSL_USE_ALIGN", "_POSIX_THREADS",
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=Cargo.lock");
    let sources = sources();
    let version = fs::read_to_string(sources.join("wolfssl/version.h")).expect("wolfSSL has a version.h");
    let version = version.split("LIBWOLFSSL_VERSION_STRING \"").nth(1).and_then(|rest| rest.split('"').next());
    let out = Path::new(&env::var_os("OUT_DIR").expect("Cargo sets it")).join("libwolfssl.so");
    link(&sources, &out);
    println!("cargo::rustc-env=VERSION_WOLFSSL={}", version.expect("version.h has the version"));
    println!("cargo::rustc-env=WOLFSSL={}", out.display());
}

/// Where Cargo has unpacked the crate's C sources.
fn sources() -> PathBuf {
    let cargo = env::var_os("CARGO").expect("Cargo sets it");
    let asked =
        Command::new(cargo).args(["metadata", "--format-version", "1", "--locked"]).output().expect("Cargo runs");
    let said = String::from_utf8_lossy(&asked.stdout);
    let manifests = said.split("\"manifest_path\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    let manifest = manifests.map(Path::new).find(|path| {
        path.parent().is_some_and(|folder| {
            folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with("wolfssl-sys-"))
        })
    });
    let why = || panic!("Cargo does not say where wolfssl-sys lies: {}", String::from_utf8_lossy(&asked.stderr));
    manifest.unwrap_or_else(why).with_file_name("wolfssl-src")
}

fn link(sources: &Path, out: &Path) {
    let mut build = cc::Build::new();
    // wolfSSL's own level (`OPTIMIZE_FAST_CFLAGS` of its configure.ac).
    build
        .opt_level(2)
        .pic(true)
        .warnings(false)
        .include(sources)
        .flag("-fvisibility=hidden")
        .define("HAVE_VISIBILITY", "1");
    for definition in DEFINITIONS {
        build.define(definition, None);
    }
    let assembly = match env::var("CARGO_CFG_TARGET_ARCH").as_deref() {
        Ok("x86_64") => {
            build.define("USE_INTEL_SPEEDUP", None).define("WOLFSSL_AESNI", None).define("WOLFSSL_X86_64_BUILD", None);
            build.flag("-maes");
            X86_64
        }
        Ok("aarch64") => {
            build.define("WOLFSSL_ARMASM", None).define("WOLFSSL_AARCH64_BUILD", None).flag("-march=armv8-a+crypto");
            AARCH64
        }
        _ => &[],
    };
    let source = |name: &&str, end: &str| sources.join("wolfcrypt/src").join(format!("{name}.{end}"));
    build.files(C.iter().map(|name| source(name, "c"))).files(assembly.iter().map(|name| source(name, "S")));
    let objects = build.compile_intermediates();
    let status = build.get_compiler().to_command().arg("-shared").args(objects).arg("-o").arg(out).status();
    assert!(status.is_ok_and(|status| status.success()), "linking wolfCrypt failed; is there a C compiler?");
}
