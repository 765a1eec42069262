//! `--openssl`: folders, other architectures, several of one version, and the study that compares versions.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::common::{CommandOutput, ONE_MODE_OF_OPENSSL, TestFolder, libcrypto};

/// A folder with `one.toml`, and the system's libcrypto.
fn with_libcrypto() -> Option<(TestFolder, PathBuf)> {
    let libcrypto = libcrypto()?;
    let folder = TestFolder::new();
    folder.write("one.toml", ONE_MODE_OF_OPENSSL);
    Some((folder, libcrypto))
}

#[test]
fn libcryptos_of_folders_are_named_by_version() {
    let Some((folder, libcrypto)) = with_libcrypto() else { return };
    let name = libcrypto.file_name().expect("a name");
    for place in ["prefix/lib64", "built"] {
        fs::create_dir_all(folder.path(place)).expect("a folder");
        // What follows its sections is no part of a library: each is a file of its own.
        let library = [fs::read(&libcrypto).expect("a library"), place.into()].concat();
        fs::write(folder.path(place).join(name), library).expect("a copy");
    }
    let said = folder.run(&["run", "one.toml", "--quiet", "--json", "-", "--openssl", "prefix", "--openssl", "built"]);
    let document = said.json();
    let records = document["records"].as_array().expect("records");
    let own = records.iter().find(|record| record["provider"] == "openssl");
    let version = own.and_then(|record| record["version"].as_str()).unwrap_or_else(|| panic!("{said:?}"));
    for (provider, place) in
        [(format!("openssl@{version}"), "/prefix/lib64/"), (format!("openssl@{version}-2"), "/built/")]
    {
        let record = records.iter().find(|record| record["provider"] == provider.as_str());
        let library = record.and_then(|record| record["library"].as_str()).unwrap_or_else(|| panic!("{said:?}"));
        assert!(library.contains(place), "{provider}: {library}");
    }
    // The variable takes the same folders, and `--against`, too.
    let words = ["run", "one.toml", "--quiet", "--json", "-", "--against", "built"];
    let said =
        CommandOutput::of(folder.ciphermeter(&words).env("CIPHERMETER_OPENSSL", "prefix").output().expect("a run"));
    for (provider, place) in [("openssl", "/prefix/lib64/"), ("openssl@old", "/built/")] {
        let document = said.json();
        let records = document["records"].as_array().expect("records");
        let record = records.iter().find(|record| record["provider"] == provider);
        let library = record.and_then(|record| record["library"].as_str()).unwrap_or_else(|| panic!("{said:?}"));
        assert!(library.contains(place), "{provider}: {library}");
    }
}

#[test]
fn what_is_no_libcrypto_for_this_machine_is_said_in_one_line() {
    let Some((folder, libcrypto)) = with_libcrypto() else { return };
    let mut other = fs::read(libcrypto).expect("a library");
    // `e_machine` of s390x, which no machine of these tests is.
    other[18..20].copy_from_slice(&[22, 0]);
    fs::create_dir_all(folder.path("other/lib")).expect("a folder");
    fs::create_dir_all(folder.path("static")).expect("a folder");
    fs::write(folder.path("other/lib/libcrypto.so.3"), other).expect("a file");
    folder.write("static/libcrypto.a", "");
    folder.write("text", "no library");
    assert!(Command::new("mkfifo").arg(folder.path("pipe")).status().is_ok_and(|status| status.success()));
    let mut cases = vec![
        (".", "there is no libcrypto in ., nor in its lib64, lib or usr/lib"),
        ("static", "build OpenSSL with `shared`"),
        ("text", "cannot be measured as a libcrypto"),
        ("nowhere", "cannot open the library nowhere"),
        ("pipe", "it is not a regular file; give the file of one"),
    ];
    if cfg!(target_os = "linux") {
        cases.extend([("other", "it is built for "), ("other/lib/libcrypto.so.3", ", and this program for ")]);
    }
    for (named, words) in cases {
        let said = folder.run(&["run", "one.toml", "--openssl", named]);
        assert_eq!((said.code, said.err.lines().count()), (Some(2), 1), "{named}: {said:?}");
        assert!(said.err.contains(words) && said.err.matches("; ").count() <= 1, "{named}: {said:?}");
    }
}

#[test]
fn a_version_that_is_named_and_not_given_is_missed() {
    let Some((folder, _)) = with_libcrypto() else { return };
    let said = folder.run(&["run", "one.toml", "--provider", "openssl,openssl@9.9.9"]);
    assert_eq!(said.code, Some(5), "{said:?}");
    assert!(
        said.err.contains("openssl@9.9.9 is not measured: no --openssl gives a libcrypto of that name"),
        "{said:?}"
    );
}

#[test]
fn a_study_of_versions_says_which_to_give() {
    let folder = TestFolder::new();
    let said = folder.run(&["study", "run", "openssl-speed"]);
    let needs =
        said.err.lines().find(|line| line.contains("left out, it needs ")).unwrap_or_else(|| panic!("{said:?}"));
    assert!(needs.contains("--openssl") && needs.contains("tests/libcryptos 3.3.1 3.4.1"), "{said:?}");
    let said = folder.run(&["study", "run", "python-sizes", "--openssl", "."]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("compares no libcryptos"), "{said:?}");
}

#[test]
fn masks_reach_a_libcrypto_that_is_given() {
    let Some((folder, libcrypto)) = with_libcrypto() else { return };
    if !cfg!(target_arch = "x86_64") {
        return eprintln!("skipped: the mask is tried on x86-64");
    }
    fs::copy(libcrypto, folder.path("copy.so")).expect("a copy");
    let words = ["run", "one.toml", "--quiet", "--cpu", "no-aes", "--openssl", "copy.so", "--openssl", "copy.so"];
    let said = folder.run(&[&words[..], &["--json", "-"]].concat());
    let document = said.json();
    let records = document["records"].as_array().expect("records");
    let path = |provider: &str| {
        let record = records.iter().find(|record| record["provider"] == provider);
        record.map(|record| record["path"].clone()).unwrap_or_else(|| panic!("{provider}: {said:?}"))
    };
    assert_eq!(path("openssl@copy.so"), path("openssl"));
    assert!(records.iter().all(|record| record["provider"] != "openssl@copy.so-2"), "a file is measured once");
}
