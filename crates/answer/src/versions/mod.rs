//! What the version of a library changes: each version beside the oldest, cipher by cipher.

mod answer;
mod sentences;

pub use answer::{BesideOldest, KeySetUp, OfCipher, Version, VersionsAnswer};

use ciphermeter_core::Run;

/// Whether a run asks that: the scenario of that name does.
pub(crate) fn asks(run: &Run) -> bool {
    run.scenario.name == "versions"
}

/// What it asks.
pub(crate) const QUESTION: &str = "What does the version change?";
