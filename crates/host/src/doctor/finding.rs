//! The findings about a machine, and the facts they rest on.

use crate::cpus::Pinning;
use crate::switches::Switch;
use crate::tree::Tree;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// As it should be.
    Good,
    /// Throughputs (GB/s) change with it or cannot be compared between machines; ratios are not affected.
    Note,
    /// Intervals grow wide or figures mislead: apply the remedy before you measure.
    Bad,
}

/// One thing that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How much it matters.
    pub verdict: Verdict,
    /// What was checked: `governor`, `load`, …
    pub about: String,
    /// A sentence with the observed figure.
    pub what: String,
    /// What you can do, `None` where nothing is wrong.
    pub remedy: Option<String>,
}

/// The remedy where nothing needs to be done.
pub(super) const NOTHING: &str = "nothing to do: the paired method tolerates it";

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
pub(super) struct Machine<'a> {
    pub(super) tree: &'a Tree,
    /// The CPUs that this process may use.
    pub(super) allowed: &'a [usize],
    pub(super) pinning: Option<Pinning>,
    /// The kernel's release, as `uname -r`.
    pub(super) release: &'a str,
    /// An emulator runs this program.
    pub(super) emulated: bool,
    /// What is set from outside and changes which code libraries run.
    pub(super) switches: &'a [Switch],
}

impl Machine<'_> {
    pub(super) fn worker(&self) -> usize {
        self.pinning.map_or(0, |pinning| pinning.worker)
    }
}
