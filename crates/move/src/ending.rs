//! How a transfer ends: with a summary or an error, and the exit code.

use anyhow::Result;
use ciphermeter_terminal::{Exit, WithExit};
use ciphermeter_transfer::{Error, Existing, Listing, Report, Skipped};

use crate::options::{LinkOptions, RecvOptions};
use crate::summary::{End, print};

/// A sender's. What the receiver did not want counts as not sent, unless it has it, or this end's
/// user chose so.
pub fn sent(report: &Report, listing: &Listing, chosen: Option<Existing>, options: &LinkOptions) -> Result<Exit> {
    print(report, End::Sent, &listing.left_out, options)?;
    let is_fine = |why| match why {
        Skipped::Equal => true,
        Skipped::Exists => chosen == Some(Existing::Skip),
        Skipped::Declined | Skipped::Beyond | Skipped::Unknown => false,
    };
    let unwanted = report.skipped.iter().any(|skipped| !is_fine(skipped.why));
    let is_whole = report.failed.is_empty() && !unwanted && listing.left_out.is_empty();
    Ok(if is_whole { Exit::Fine } else { Exit::Partial })
}

/// A receiver's: what its user left out is fine, what could not come is not.
pub fn received(report: &Report, options: &RecvOptions) -> Result<Exit> {
    let end = if options.discard { End::Discarded } else { End::Received };
    print(report, end, &[], &options.link)?;
    let is_whole = report.failed.is_empty() && report.left_out == 0;
    Ok(if is_whole { Exit::Fine } else { Exit::Partial })
}

/// An error of a transfer, with its exit code and what to do next.
pub fn failed(error: &Error, remedy: Option<&str>) -> anyhow::Error {
    let message = match remedy {
        Some(remedy) if error.may_resume() => format!("{error}; {remedy}"),
        _ => error.to_string(),
    };
    let exit = match error {
        Error::Interrupted => Exit::Interrupted,
        Error::Listen { .. } => Exit::Usage,
        _ => Exit::Partial,
    };
    WithExit { exit, message }.into()
}
