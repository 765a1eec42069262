//! What a look at the machine comes to, and what there is to look at.

use crate::cpus::Pinning;
use crate::tree::Tree;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// As it should be.
    Good,
    /// Levels (GB/s) move with it or can't be compared between machines; ratios live with it.
    Note,
    /// Intervals grow wide or figures mislead: worth a remedy before measuring.
    Bad,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How much it matters.
    pub verdict: Verdict,
    /// What was looked at: `governor`, `load`, …
    pub about: String,
    /// A sentence with the figure that was seen.
    pub what: String,
    /// What a person can do, `None` where nothing is wrong.
    pub remedy: Option<String>,
}

/// The remedy where there is none.
pub(super) const NOTHING: &str = "nothing to do: the paired method lives with it";

impl Finding {
    pub(super) fn good(about: &str, what: impl Into<String>) -> Self {
        Self { verdict: Verdict::Good, about: about.into(), what: what.into(), remedy: None }
    }

    pub(super) fn note(about: &str, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { verdict: Verdict::Note, about: about.into(), what: what.into(), remedy: Some(remedy.into()) }
    }

    pub(super) fn bad(about: &str, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { verdict: Verdict::Bad, ..Self::note(about, what, remedy) }
    }
}

/// The machine under examination.
pub(super) struct Patient<'a> {
    pub(super) tree: &'a Tree,
    /// The CPUs that this process may use.
    pub(super) allowed: &'a [usize],
    pub(super) pinning: Option<Pinning>,
    /// The kernel's release, as `uname -r`.
    pub(super) release: &'a str,
    /// An emulator runs this program.
    pub(super) emulated: bool,
}

impl Patient<'_> {
    pub(super) fn worker(&self) -> usize {
        self.pinning.map_or(0, |pinning| pinning.worker)
    }
}
