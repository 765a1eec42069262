//! Graphics cards as a worker (PROTOCOL.md, Split messages). `gpu cuda` and `gpu wgpu` serve one provider each on
//! standard input and output.

use std::io;
use std::process::ExitCode;

use gpu::{PROVIDERS, Worker};

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    let Some(provider) = PROVIDERS.iter().find(|provider| provider.name == name) else {
        let known: Vec<_> = PROVIDERS.iter().map(|provider| provider.name).collect();
        eprintln!("gpu: no provider `{}`; give one of {}", name.escape_debug(), known.join(", "));
        return ExitCode::from(2);
    };
    match ciphermeter_protocol::serve(&mut Worker::new(provider), io::stdin().lock(), io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gpu: {error}");
            ExitCode::FAILURE
        }
    }
}
