//! What is asked of records: which cells are compared, and what is expected of each pair.

use ciphermeter_core::{Algorithm, Bytes, Cell, Form, Mask, Operation, Provenance, Record};
use serde::{Deserialize, Serialize};

/// A way to compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// As the study did, with its faults.
    AsPublished,
    /// As it should be done.
    Proper,
}

impl Way {
    /// Both.
    pub const ALL: [Self; 2] = [Self::AsPublished, Self::Proper];

    /// Its word in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AsPublished => "as-published",
            Self::Proper => "proper",
        }
    }
}

/// What decides a claim in one way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Question<'a> {
    /// The scenario that measures it.
    pub scenario: &'a str,
    /// The CPU's instructions that are disabled for it.
    pub cpu: Option<Mask>,
    /// Cells of the first kind.
    pub left: &'a Pick,
    /// Cells of the second kind.
    pub right: &'a Pick,
    /// What is expected of each pair.
    pub expect: Expectation,
}

/// Which cells.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pick {
    /// The library, [`ANY`] for all of them; absent: both sides have the same.
    #[serde(default)]
    pub provider: Option<String>,
    /// A word of what the board is, [`ANY`] for all boards; absent: this machine itself. An emulated core is neither.
    #[serde(default)]
    pub board: Option<String>,
    /// The algorithm; absent: any.
    #[serde(default)]
    pub algorithm: Option<Algorithm>,
    /// The operation; absent: any.
    #[serde(default)]
    pub operation: Option<Operation>,
    /// Where the output goes; absent: any. A graphics card that a processor plays is none.
    #[serde(default)]
    pub form: Option<Form>,
    /// The sizes of messages; empty: all.
    #[serde(default)]
    pub messages: Vec<Bytes>,
    /// How many threads; absent: any.
    #[serde(default)]
    pub threads: Option<u64>,
}

/// Stands for all libraries, or all boards.
pub const ANY: &str = "*";

/// The parameters of the cells that studies are about.
const PARAMETERS: [&str; 5] = ["message", "aad", "threads", "cpus", "device"];

/// What is expected of each pair of cells.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(tag = "is", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Expectation {
    /// The left one takes less time.
    Faster,
    /// The left one has the higher throughput: it takes less time a byte. Differs from [`Self::Faster`] where messages differ.
    MoreThroughput,
    /// The right one takes so many times the left one's time.
    TimeRatio {
        /// The published ratio.
        published: f64,
        /// How far a measured ratio may be off, as a share of it: ×(1 + tolerance) or ÷(1 + tolerance).
        tolerance: f64,
    },
    /// The right one needs so many times the left one's memory at its peak.
    MemoryRatio {
        /// The published ratio.
        published: f64,
        /// As above.
        tolerance: f64,
    },
    /// The board draws so many times the current while the right one's calls run.
    CurrentRatio {
        /// The published ratio.
        published: f64,
        /// As above.
        tolerance: f64,
    },
    /// Of a sustained load, each cell by itself: its throughput falls by this factor at least.
    Falls {
        /// Throughput before ÷ throughput at the end.
        least: f64,
    },
}

impl Pick {
    /// Whether a cell can be of both, sizes aside.
    pub(crate) fn agrees(&self, other: &Self) -> bool {
        fn agree<T: PartialEq>(one: &Option<T>, other: &Option<T>) -> bool {
            one.is_none() || other.is_none() || one == other
        }
        agree(&self.library(), &other.library())
            && agree(&self.board, &other.board)
            && agree(&self.algorithm, &other.algorithm)
            && agree(&self.operation, &other.operation)
            && agree(&self.form, &other.form)
            && agree(&self.threads, &other.threads)
    }

    /// The library, if it is a certain one.
    pub(crate) fn library(&self) -> Option<&str> {
        self.provider.as_deref().filter(|provider| *provider != ANY)
    }

    /// What both of them take, where the one does not say: of a claim's side, the cells that a published ratio stands beside.
    pub fn beside(&self, here: &Self) -> Self {
        let messages = if here.messages.is_empty() { &self.messages } else { &here.messages };
        Self {
            provider: self.library().or(here.library()).map(String::from).or_else(|| self.provider.clone()),
            board: self.board.clone().or_else(|| here.board.clone()),
            algorithm: self.algorithm.or(here.algorithm),
            operation: self.operation.or(here.operation),
            form: self.form.or(here.form),
            messages: messages.clone(),
            threads: self.threads.or(here.threads),
        }
    }

    /// Whether a record is of such a cell, and measured there.
    pub(crate) fn takes(&self, record: &Record) -> bool {
        let is_played = |provenance: &Provenance| record.cell.form.is_played_by(&provenance.path);
        self.is_like(&record.cell) && self.is_there(record) && !record.provenance.as_ref().is_some_and(is_played)
    }

    fn is_there(&self, record: &Record) -> bool {
        let device = record.provenance.as_ref().and_then(|provenance| provenance.device.as_ref());
        match (&self.board, device) {
            (None, None) => record.cell.parameters.device().is_none(),
            (Some(word), Some(device)) => {
                let is_called = || device.board.to_lowercase().contains(&word.to_lowercase());
                !device.emulated && (word == ANY || is_called())
            }
            _ => false,
        }
    }

    /// Whether a cell is such a one, wherever it was measured. A run may have more than its scenario asks for, other working sets, say:
    /// no study is about them.
    pub fn is_like(&self, cell: &Cell) -> bool {
        let is_plain = cell.parameters.0.keys().all(|name| PARAMETERS.contains(&name.as_str()));
        // Behind the `@` stands the device.
        let library = if cell.device().is_some() { cell.provider.split('@').next() } else { Some(&cell.provider[..]) };
        is_plain
            && self.library().is_none_or(|own| Some(own) == library)
            && self.algorithm.is_none_or(|algorithm| algorithm == cell.algorithm)
            && self.operation.is_none_or(|operation| operation == cell.operation)
            && self.form.is_none_or(|form| form == cell.form)
            && (self.messages.is_empty() || self.messages.iter().any(|size| size.0 == cell.parameters.message()))
            && self.threads.is_none_or(|threads| threads == cell.parameters.threads())
    }
}

impl Expectation {
    /// Least and greatest ratio (what the right one needs ÷ what the left one needs) that support it.
    pub fn bounds(self) -> (f64, f64) {
        match self {
            Self::Faster | Self::MoreThroughput => (1.0, f64::INFINITY),
            Self::Falls { least } => (least, f64::INFINITY),
            Self::TimeRatio { published, tolerance }
            | Self::MemoryRatio { published, tolerance }
            | Self::CurrentRatio { published, tolerance } => {
                (published / (1.0 + tolerance), published * (1.0 + tolerance))
            }
        }
    }

    /// The ratio that the study states.
    pub fn published(self) -> Option<f64> {
        self.stated().map(|(published, _)| published)
    }

    /// The ratio that the study states, and the tolerance of a measured one.
    pub fn stated(self) -> Option<(f64, f64)> {
        match self {
            Self::Faster | Self::MoreThroughput | Self::Falls { .. } => None,
            Self::TimeRatio { published, tolerance }
            | Self::MemoryRatio { published, tolerance }
            | Self::CurrentRatio { published, tolerance } => Some((published, tolerance)),
        }
    }
}
