//! BoringSSL, by the loops of the built-in worker.

#[path = "../../../crates/native/src/providers/aws_lc/evp.rs"]
mod evp;
mod path;

use std::process::ExitCode;

use boring_sys as sys;
use ciphermeter_native::library::{self, LoopParameters, Offered, Provider, TimedLoop, Unsupported};

struct BoringSsl;

impl Provider for BoringSsl {
    fn offers(&self) -> Vec<Offered> {
        let offered = |algorithm| {
            evp::offered(algorithm, env!("VERSION_BORING_SYS").into(), path::path(algorithm, &path::detected()))
        };
        evp::ALGORITHMS.map(offered).into()
    }

    fn timed_loop(&self, parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
        evp::timed_loop(parameters)
    }
}

fn main() -> ExitCode {
    match ciphermeter_native::serve_library("boringssl", || Ok(Box::new(BoringSsl))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("boringssl: {error}");
            ExitCode::FAILURE
        }
    }
}
