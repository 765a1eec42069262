//! Intel's multi-buffer library for IPsec as a worker: the built-in worker's loops around its calls.

mod jobs;
mod library;
mod loops;

use std::process::ExitCode;

fn main() -> ExitCode {
    match ciphermeter_native::serve_library("ipsec-mb", library::open) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ipsec-mb: {error}");
            ExitCode::FAILURE
        }
    }
}
