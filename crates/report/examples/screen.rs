//! The first screen of an export, from a file: `cargo run -p ciphermeter-report --example screen -- run.json`. tests/page compares it with
//! what the page says of the same run.

use std::process::ExitCode;

use ciphermeter_estimate::fill;
use ciphermeter_import::import;
use ciphermeter_report::{TableOptions, screen};

fn main() -> ExitCode {
    let file = std::env::args_os().nth(1).unwrap_or_default();
    let read = std::fs::read(&file).map_err(|error| error.to_string());
    match read.and_then(|document| import(&document).map_err(|error| error.to_string())) {
        Ok((run, mut records)) => {
            fill(&run.scenario, run.against.is_some(), &run.plan, &mut records);
            print!("{}", screen(&run, &records, TableOptions::default()).text);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("cannot read {}: {error}; give an export", file.display());
            ExitCode::from(2)
        }
    }
}
