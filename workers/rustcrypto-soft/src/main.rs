//! The built-in worker once more, with RustCrypto compiled without AES and carry-less multiplication instructions
//! (`.cargo/config.toml`): what `rustcrypto` is on a CPU that has none.

use std::process::ExitCode;

use ciphermeter_native::{OwnFiles, Planted};

fn main() -> ExitCode {
    match ciphermeter_native::serve("rustcrypto", Planted::default(), OwnFiles::default()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("rustcrypto-soft: {error}");
            ExitCode::FAILURE
        }
    }
}
