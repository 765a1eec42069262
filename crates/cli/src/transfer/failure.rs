//! The end of the program after a failed transfer.

use ciphermeter_transfer::Error;

use crate::exit::{Exit, WithExit};

/// An error of a transfer, with its exit code and what to do next.
pub fn failed(error: &Error, then: Option<&str>) -> anyhow::Error {
    let message = match then {
        Some(then) if error.may_resume() => format!("{error}; {then}"),
        _ => error.to_string(),
    };
    let exit = match error {
        Error::Interrupted => Exit::Interrupted,
        Error::Listen { .. } => Exit::Usage,
        _ => Exit::Partial,
    };
    WithExit { exit, message }.into()
}
