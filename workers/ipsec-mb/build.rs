//! Compiles the functions that fill the library's structures, by the header that is installed.

fn main() {
    println!("cargo:rerun-if-changed=src/jobs.c");
    // The library's own Makefile defines it: it aligns the header's structures.
    cc::Build::new().file("src/jobs.c").define("LINUX", None).warnings_into_errors(true).compile("jobs");
}
