//! The result of a cell: raw integer samples and their summary.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::word::words;
use crate::{Cell, CellId, Device, Latency, Limits, Memory, Outcome, Sample};

words! {
    /// Whether the key is set up before the timed calls or inside each of them.
    Setup, "setup" {
        /// Once, before the timed calls.
        Outside = "outside",
        /// Inside every timed call, because the library cannot separate it.
        Inside = "inside",
    }
}

/// The code behind the figures (method, point 15).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The worker's name.
    pub worker: String,
    /// The worker's language runtime and version.
    pub runtime: String,
    /// The language whose programs call it; `None` in runs of earlier versions, and where its worker has no manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The library's version, as the library reports it.
    pub version: String,
    /// Code path on this CPU, `unknown` if the library does not report it.
    pub path: String,
    /// Key set-up outside or inside the timed calls.
    pub setup: Setup,
    /// The file of a library opened at run time.
    pub library: Option<String>,
    /// That file's SHA-256, lower-case hex.
    pub sha256: Option<String>,
    /// SHA-256 of the worker's program, lower-case hex; `None` where it has no file of its own.
    #[serde(default)]
    pub program: Option<String>,
    /// The device that it ran on; `None`: this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<Device>,
}

/// A code path that a worker named; `None` where it says that it does not know.
pub fn known_path(path: &str) -> Option<&str> {
    (path != "unknown").then_some(path)
}

/// The samples of one cell in one fork; `samples[k]` was taken in round `rounds[k]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fork {
    /// The fork's number, from 0.
    pub number: u32,
    /// Whether it was cut off, by an interrupt or by the end of its process: its samples are kept, estimates exclude
    /// it.
    pub short: bool,
    /// Round numbers within the fork, never descending.
    pub rounds: Vec<u32>,
    /// The samples in the order in which they were taken; a reference may have several in one round.
    pub samples: Vec<Sample>,
}

impl Fork {
    /// Whether the processes of the fork of that number have served for a while before its first round, where a cell's time depends on that
    /// ([`crate::Cell::depends_on_age`]): those of every other one have.
    pub fn has_served(number: u32) -> bool {
        number % 2 == 1
    }

    /// The samples around which the machine was undisturbed, each with its round.
    pub fn undisturbed(&self, limits: &Limits) -> impl Iterator<Item = (u32, &Sample)> + use<'_> {
        self.by_disturbance(limits, false)
    }

    /// The others, each with its round.
    pub fn disturbed(&self, limits: &Limits) -> impl Iterator<Item = (u32, &Sample)> + use<'_> {
        self.by_disturbance(limits, true)
    }

    fn by_disturbance(&self, limits: &Limits, is_disturbed: bool) -> impl Iterator<Item = (u32, &Sample)> + use<'_> {
        let limit = limits.of(self.number);
        let all = self.rounds.iter().copied().zip(&self.samples);
        all.filter(move |(_, sample)| sample.is_undisturbed(limit) != is_disturbed)
    }
}

/// An estimate and its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The estimate.
    pub mid: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Where single samples lay. Unlike a ratio's interval, it includes the changes of the machine's speed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SampleRange {
    /// The 5 % quantile.
    pub low: f64,
    /// The median.
    pub mid: f64,
    /// The 95 % quantile.
    pub high: f64,
}

/// A summary of samples; always recomputable from them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The cell that this one was paired with, the same for its whole group.
    pub reference: CellId,
    /// Time of this cell ÷ time of the reference; `None` with fewer than two forks.
    pub ratio: Option<Interval>,
    /// Nanoseconds per iteration.
    pub range: SampleRange,
    /// Whether the ratio reached the requested precision.
    pub converged: bool,
    /// The probe's reading above which a sample was excluded, in picoseconds; `None` without a probe.
    #[serde(default)]
    pub undisturbed_limit: Option<u64>,
    /// The same of forks in which it was another, by their numbers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub undisturbed_limits: BTreeMap<u32, u64>,
    /// How far forks that follow each other are alike, over all cells of the run: the correlation, 0 where it may be chance. Intervals are
    /// wider by it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub correlation: f64,
    /// Whole forks with enough undisturbed samples of the cell and its reference to be counted.
    pub forks: u32,
    /// Undisturbed pairs of samples in those forks.
    pub rounds: u32,
    /// What a reader should know before trusting the figure, each as a plain sentence.
    pub warnings: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

impl Summary {
    /// Which samples count as disturbed.
    pub fn limits(&self) -> Limits {
        Limits { usual: self.undisturbed_limit, of_forks: self.undisturbed_limits.clone() }
    }
}

/// The result of a cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Its number within the run.
    pub id: CellId,
    /// The measured cell.
    pub cell: Cell,
    /// The code behind the figures; `None` if the provider never reported it.
    pub provenance: Option<Provenance>,
    /// How it ended.
    pub outcome: Outcome,
    /// Raw samples by fork and round.
    pub forks: Vec<Fork>,
    /// Their summary; `None` without samples.
    pub summary: Option<Summary>,
    /// Single calls by fork; empty where none were timed.
    pub latency: Vec<Latency>,
    /// Its memory, by process; empty where it was not measured.
    pub memory: Vec<Memory>,
}

impl Record {
    /// Whether a page in a browser measured it.
    pub fn is_of_page(&self) -> bool {
        self.provenance.as_ref().is_some_and(|from| from.worker == "page")
    }

    /// Why there is no figure, in a sentence without its full stop; `None` where there may be one.
    pub fn why(&self) -> Option<String> {
        match &self.outcome {
            Outcome::LeftOut(reason) if self.is_of_page() => Some(reason.on_page()),
            outcome => outcome.why(),
        }
    }

    /// The same with what became of it in front: `failed: the worker exited`.
    pub fn in_words(&self) -> Option<String> {
        let word = match &self.outcome {
            Outcome::Measured => return None,
            Outcome::WrongOutput { .. } => "WRONG OUTPUT",
            Outcome::LeftOut(_) => "left out",
            outcome => outcome.word(),
        };
        Some(format!("{word}: {}", self.why()?))
    }

    /// How far forks that follow each other are alike; 0 without a summary.
    pub fn correlation(&self) -> f64 {
        self.summary.as_ref().map_or(0.0, |summary| summary.correlation)
    }

    /// Which of its samples count as disturbed; none does without a summary.
    pub fn limits(&self) -> Limits {
        self.summary.as_ref().map(Summary::limits).unwrap_or_default()
    }
}
