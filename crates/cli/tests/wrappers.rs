//! A libcrypto that is told what to do: one that another library wraps, and one whose configuration
//! leaves it without ciphers.

use std::path::Path;
use std::process::Command;

use crate::common::{CommandOutput, ONE_MODE_OF_OPENSSL, TestFolder, libcrypto};

/// A library that has these functions of its own, and calls the next library's.
pub fn wrapper(folder: &TestFolder, name: &str, functions: &str, libcrypto: &Path) -> bool {
    folder.write("wrapper.c", format!("#define _GNU_SOURCE\n#include <dlfcn.h>\n{functions}"));
    let mut command = Command::new("cc");
    command.args(["-shared", "-fPIC", "-Wl,--no-as-needed", "-o"]).arg(folder.path(name)).arg(folder.path("wrapper.c"));
    command.arg(libcrypto).arg("-ldl").status().expect("a C compiler").success()
}

/// With `--openssl`, and what it measured.
fn measured(folder: &TestFolder, name: &str) -> CommandOutput {
    folder.run(&["run", "one.toml", "--quiet", "--json", "-", "--openssl", name])
}

/// The file of the library that `--openssl` adds to the system's.
fn library(folder: &TestFolder, name: &str) -> String {
    let said = measured(folder, name);
    let document = said.json();
    let records = document["records"].as_array().expect("records");
    let added =
        records.iter().find(|record| record["provider"].as_str().is_some_and(|name| name.starts_with("openssl@")));
    added.and_then(|record| record["library"].as_str()).unwrap_or_else(|| panic!("{said:?}")).to_owned()
}

fn whole(folder: &TestFolder, name: &str) -> String {
    folder.path(name).canonicalize().expect("a file").display().to_string()
}

const ENCRYPT: &str = "int EVP_EncryptUpdate(void *c, void *o, int *l, const void *i, int n) {
    int (*next)(void *, void *, int *, const void *, int) = dlsym(RTLD_NEXT, \"EVP_EncryptUpdate\");
    return next(c, o, l, i, n);
}\n";

#[test]
fn library_that_does_not_load_is_waited_for_as_long_as_patience_says() {
    let Some(libcrypto) = libcrypto() else { return };
    let folder = TestFolder::new();
    folder.write("one.toml", ONE_MODE_OF_OPENSSL);
    let waits = "#include <unistd.h>\n__attribute__((constructor)) static void wait_long(void) { sleep(600); }\n";
    assert!(wrapper(&folder, "slow.so", waits, &libcrypto), "the library compiles");
    let said = folder.run(&["run", "one.toml", "--openssl", "slow.so", "--patience", "2s"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("slow.so cannot be measured") && said.err.contains("no reply within 2.0 s"), "{said:?}");
}

#[test]
fn wrapper_with_any_function_of_its_own_is_measured() {
    let Some(libcrypto) = libcrypto() else { return };
    let folder = TestFolder::new();
    folder.write("one.toml", ONE_MODE_OF_OPENSSL);
    for (name, functions) in [
        ("libwrapper.so", ENCRYPT),
        // Made up for this test.
        (
            "libdecrypt.so",
            "int EVP_DecryptUpdate(void *c, void *o, int *l, const void *i, int n) {
                int (*next)(void *, void *, int *, const void *, int) = dlsym(RTLD_NEXT, \"EVP_DecryptUpdate\");
                return next(c, o, l, i, n);
            }\n",
        ),
        (
            "libfree.so",
            "void EVP_CIPHER_CTX_free(void *c) {
                void (*next)(void *) = dlsym(RTLD_NEXT, \"EVP_CIPHER_CTX_free\");
                next(c);
            }\n",
        ),
        (
            "libctrl.so",
            "int EVP_CIPHER_CTX_ctrl(void *c, int t, int a, void *p) {
                int (*next)(void *, int, int, void *) = dlsym(RTLD_NEXT, \"EVP_CIPHER_CTX_ctrl\");
                return next(c, t, a, p);
            }\n",
        ),
        (
            "libnew.so",
            "void *EVP_CIPHER_CTX_new(void) {
                void *(*next)(void) = dlsym(RTLD_NEXT, \"EVP_CIPHER_CTX_new\");
                return next();
            }\n",
        ),
    ] {
        assert!(wrapper(&folder, name, functions, &libcrypto), "{name}");
        assert_eq!(library(&folder, name), whole(&folder, name));
    }
    std::os::unix::fs::symlink("libwrapper.so", folder.path("link.so")).expect("a link");
    assert_eq!(library(&folder, "link.so"), whole(&folder, "libwrapper.so"));
    assert!(wrapper(&folder, "libnone.so", "int nothing(void) { return 0; }\n", &libcrypto));
    let said = measured(&folder, "libnone.so");
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("is no libcrypto, but needs one: give "), "{said:?}");
}

#[test]
fn library_without_ciphers_says_why_and_names_its_configuration() {
    let Some(libcrypto) = libcrypto() else { return };
    let folder = TestFolder::new();
    folder.write("one.toml", ONE_MODE_OF_OPENSSL);
    let only = |provider: &str| {
        format!("openssl_conf = all\n[all]\nproviders = some\n[some]\n{provider} = its\n[its]\nactivate = 1\n")
    };
    for (name, text) in [
        ("fips.cnf", only("fips")),
        // Made up for this test.
        ("legacy.cnf", only("legacy")),
        ("null.cnf", only("null")),
        ("nowhere.cnf", only("nowhere")),
        ("base.cnf", only("base")),
        ("property.cnf", "openssl_conf = all\n[all]\nalg_section = its\n[its]\ndefault_properties = fips=yes\n".into()),
    ] {
        folder.write(name, text);
        let mut command = folder.ciphermeter(&["run", "one.toml", "--quiet"]);
        let said = CommandOutput::of(command.env("OPENSSL_CONF", folder.path(name)).output().expect("its end"));
        assert_eq!(said.code, Some(4), "{name}: {said:?}");
        let file = folder.path(name).display().to_string();
        for words in [libcrypto.to_str().expect("UTF-8"), "unsupported", &file, "OPENSSL_CONF"] {
            assert!(said.err.contains(words), "{name}, {words}: {said:?}");
        }
    }
}
