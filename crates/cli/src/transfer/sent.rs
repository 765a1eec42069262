//! The end of a send that succeeded, at least in part.

use anyhow::Result;
use ciphermeter_transfer::{Listing, Report, Skipped};

use super::summary::{End, print};
use crate::args::LinkOptions;
use crate::exit::Exit;

/// Prints the summary. What the receiver did not want counts as not sent, unless it has it.
pub fn sent(report: &Report, listing: &Listing, options: &LinkOptions) -> Result<Exit> {
    print(report, End::Sent, &listing.left_out, options)?;
    let unwanted = report.skipped.iter().any(|skipped| skipped.why != Skipped::Equal);
    let is_whole = report.failed.is_empty() && !unwanted && listing.left_out.is_empty();
    Ok(if is_whole { Exit::Fine } else { Exit::Partial })
}
