//! Links the C code: `libfirmware.a` (objects.py) from the folder FIRMWARE, and from LIBGCC what its compiler calls and the
//! chip's ROM lacks. image.sh sets both. Memory functions and divisions of 64 bits are the ROM's, as in any program
//! for this chip: esp-hal's linker script says where they are.

use std::env;

fn main() {
    for variable in ["FIRMWARE", "LIBGCC"] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    let (Ok(firmware), Ok(libgcc)) = (env::var("FIRMWARE"), env::var("LIBGCC")) else {
        println!("cargo:error=FIRMWARE and LIBGCC are not set: build with image.sh");
        return;
    };
    // For `image.sh ram`: esp-hal's linker script then includes the files there.
    println!("cargo:rustc-link-search=native={}/ram", env::var("CARGO_MANIFEST_DIR").unwrap_or_default());
    println!("cargo:rerun-if-changed={firmware}/libfirmware.a");
    println!("cargo:rustc-link-search=native={firmware}");
    println!("cargo:rustc-link-search=native={libgcc}");
    println!("cargo:rustc-link-lib=static:+verbatim=libfirmware.a");
    println!("cargo:rustc-link-lib=static:+verbatim=libgcc.a");
}
