//! How a claim stands: the words, and which of them end the search among runs.

use serde::Serialize;

/// How a claim stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It is so here.
    Supported,
    /// It is not so here.
    Contradicted,
    /// The interval straddles what decides it.
    Inconclusive,
    /// A library's output was wrong in a cell that it is about.
    WrongOutput,
    /// Too little or nothing was measured: measure the scenario, or for longer.
    NotMeasured,
    /// It takes what no run here had.
    NotTested,
    /// It is about another sort of machine, or about several.
    NotApplicable,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Supported,
        Self::Contradicted,
        Self::Inconclusive,
        Self::WrongOutput,
        Self::NotMeasured,
        Self::NotTested,
        Self::NotApplicable,
    ];

    /// In a column of a list.
    pub fn short(self) -> &'static str {
        match self {
            Self::NotMeasured => "not measured",
            Self::NotTested => "not tested",
            Self::NotApplicable => "n/a",
            decided => decided.as_str(),
        }
    }

    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::Contradicted => "contradicted",
            Self::Inconclusive => "inconclusive",
            Self::WrongOutput => "wrong output",
            Self::NotMeasured => "not measured yet",
            Self::NotTested => "not tested here",
            Self::NotApplicable => "not applicable",
        }
    }
}
