//! `list`: the stored runs, a line each.

use anyhow::Result;
use ciphermeter_store::Store;

use crate::args::StoreOption;
use crate::exit::Exit;
use crate::{folders, output};

/// Prints them.
pub fn list(option: &StoreOption) -> Result<Exit> {
    let runs = Store::open_read_only(&folders::store(option)?)?.list()?;
    let mut text = format!(
        "{:>5}  {:<20}  {:<14} {:<11} {:>6} {:>8} {:>7}\n",
        "run", "started (UTC)", "scenario", "status", "cells", "sittings", "rounds"
    );
    for run in runs {
        text += &format!(
            "{:>5}  {:<20}  {:<14} {:<11} {:>6} {:>8} {:>7}\n",
            run.id,
            run.started,
            column(&run.scenario, 14),
            run.status,
            run.cells,
            run.sittings,
            run.rounds
        );
    }
    output::print(&text).map(|()| Exit::Fine)
}

/// What fits into a column; a scenario's name is text from outside.
fn column(text: &str, width: usize) -> String {
    let mut fits: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(width).collect();
    if text.chars().count() > width {
        fits.pop();
        fits.push('…');
    }
    fits
}
