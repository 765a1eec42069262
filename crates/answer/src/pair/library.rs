//! What a library has of two ciphers, as data.

use std::collections::BTreeSet;

use ciphermeter_core::{CellId, escaped};
use ciphermeter_estimate::Comparison;
use serde::Serialize;

use crate::point::{Point, Points};

/// What a library has of both ciphers, smallest size first.
#[derive(Debug, Clone, Serialize)]
pub struct Library {
    /// Its name.
    pub provider: String,
    /// The library of each cipher, which is one but for ciphers of sectors.
    #[serde(skip)]
    pub of: [String; 2],
    /// Its version, where it says one.
    pub version: Option<String>,
    /// The numbers of the versions of both ciphers' code, in print.
    #[serde(skip)]
    pub numbers: String,
    /// Sizes at which both have a figure.
    pub rows: Vec<Row>,
    /// Sizes at which one has none.
    pub gaps: Vec<Gap>,
    /// Sizes at which one cipher was asked for and the other was not.
    #[serde(skip)]
    pub alone: [Vec<Point>; 2],
    /// Why the first and the second are never recommended from this library, however fast.
    pub unfit: [Option<Unfit>; 2],
}

/// Both ciphers at one size.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// The size.
    #[serde(flatten)]
    pub point: Point,
    /// The cells of both, by their numbers.
    pub cells: [CellId; 2],
    /// What both come to.
    pub figures: [Figure; 2],
    /// Forks that have both.
    pub forks: usize,
    /// Which is faster, where all comparisons of all libraries are to hold at once.
    pub comparison: Comparison,
}

/// What a cell comes to.
#[derive(Debug, Clone, Serialize)]
pub struct Figure {
    /// GB/s; `None` before there are enough forks for a figure.
    pub gb_per_s: Option<f64>,
    /// Bytes of memory above an idle process, at the peak.
    pub peak_bytes: Option<u64>,
    /// Whether each call sets the key up, because the library cannot separate it.
    pub sets_key_up: bool,
}

/// A size that was asked for and has no comparison.
#[derive(Debug, Clone, Serialize)]
pub struct Gap {
    /// The size.
    #[serde(flatten)]
    pub point: Point,
    /// The cells of both, by their numbers.
    pub cells: [CellId; 2],
    /// Why either lacks one; `None` for the cell that has a figure.
    pub why: [Option<Lack>; 2],
}

/// Why a cell has no figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lack {
    /// Its output was wrong.
    WrongOutput,
    /// Its worker or the link to it failed.
    Failed,
    /// The provider refuses it.
    Unsupported,
    /// The run left it out.
    LeftOut,
    /// It was measured and has no samples yet.
    NoSamples,
}

impl Lack {
    /// In a table.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::WrongOutput => "wrong output",
            Self::Failed => "failed",
            Self::Unsupported => "unsupported",
            Self::LeftOut => "not measured",
            Self::NoSamples => "no samples",
        }
    }
}

/// Why a cipher of a library is never recommended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unfit {
    /// Its output was wrong somewhere in the run.
    WrongOutput,
    /// What it protects could not be read again: every such cell failed.
    Unreadable,
}

impl Library {
    /// All sizes, whether or not they have a figure.
    pub fn points(&self) -> Points {
        let all = self.rows.iter().map(|row| row.point).chain(self.gaps.iter().map(|gap| gap.point));
        let all = all.chain(self.alone.iter().flatten().copied());
        Points(all.collect::<BTreeSet<_>>().into_iter().collect())
    }

    /// Its name and version.
    pub fn titled(&self) -> String {
        format!("{} {}", escaped(&self.provider), self.numbers).trim_end().to_string()
    }
}
