//! The end of a transfer that succeeded, at least in part.

use anyhow::Result;
use ciphermeter_transfer::{Existing, Listing, Report, Skipped};

use super::summary::{End, print};
use crate::args::LinkOptions;
use crate::exit::Exit;

/// Prints the summary. What the receiver did not want counts as not sent, unless it has it, or this end's user chose so.
pub fn sent(report: &Report, listing: &Listing, chosen: Option<Existing>, options: &LinkOptions) -> Result<Exit> {
    print(report, End::Sent, &listing.left_out, options)?;
    let is_fine = |why| match why {
        Skipped::Equal => true,
        Skipped::Exists => chosen == Some(Existing::Skip),
        Skipped::Declined | Skipped::Unknown => false,
    };
    let unwanted = report.skipped.iter().any(|skipped| !is_fine(skipped.why));
    let is_whole = report.failed.is_empty() && !unwanted && listing.left_out.is_empty();
    Ok(if is_whole { Exit::Fine } else { Exit::Partial })
}

/// How a receiver ends: what its user left out is fine, what could not come is not.
pub fn received(report: &Report) -> Exit {
    if report.failed.is_empty() && report.left_out == 0 { Exit::Fine } else { Exit::Partial }
}
