//! docs/regressions.md is what docs/regressions.py writes of its table and of what was measured.

use std::process::Command;

use crate::common::{CommandOutput, DOCS, TestFolder, page_made_by};

#[test]
fn page_of_regressions_is_made_of_what_was_measured() {
    page_made_by("regressions");
}

/// A version is no beginning of another one's: 3.3.1 and 3.3.10.
#[test]
fn libcrypto_of_exactly_one_version_is_compared() {
    let folder = TestFolder::new();
    for file in ["3.3.10/libcrypto.so.3", "3.3.1/libcrypto.so.3", "debian-3.0.2-1~deb12u2/usr/lib/x/libcrypto.so.3"] {
        folder.write(file, "");
    }
    let found = |version: &str| {
        let script = "import pathlib, sys, regressions as own; own.LIBCRYPTOS = pathlib.Path(); print(own.libcrypto(sys.argv[1]))";
        let mut python = Command::new("python3");
        python.args(["-B", "-c", script, version]).env("PYTHONPATH", DOCS).current_dir(folder.path(""));
        CommandOutput::of(python.output().expect("python3"))
    };
    assert_eq!(found("3.3.1").out, "3.3.1/libcrypto.so.3\n");
    assert_eq!(found("debian-3.0.2").out, "debian-3.0.2-1~deb12u2/usr/lib/x/libcrypto.so.3\n");
    let missing = found("3.3");
    assert!(missing.code == Some(1) && missing.err.contains("there is no libcrypto 3.3 in"), "{missing:?}");
}
