//! Serves one provider on standard input and output, as `ciphermeter worker native --provider NAME` does, so that the
//! conformance suite needs no harness.

use ciphermeter_native::{OwnFiles, Planted};

fn main() -> std::process::ExitCode {
    match ciphermeter_native::serve(
        &std::env::args().nth(1).unwrap_or_default(),
        Planted::default(),
        OwnFiles::default(),
    ) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("worker: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}
