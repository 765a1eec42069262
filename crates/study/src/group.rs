//! The two sorts of studies, and what the sides of a contradiction say.

use serde::{Deserialize, Serialize};

/// What a study is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// A paper, measured again.
    #[default]
    Papers,
    /// Public statements that cannot both hold, or only under different conditions.
    Contradictions,
}

/// What one side of a contradiction says, in our words.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Standpoint {
    /// Where it says so, with the date.
    pub source: String,
    /// The page.
    pub url: String,
    /// What it says.
    pub says: String,
}

impl Group {
    /// In the order in which they are listed.
    pub const ALL: [Self; 2] = [Self::Papers, Self::Contradictions];

    /// The heading of its studies.
    pub fn title(self) -> &'static str {
        match self {
            Self::Papers => "Papers, measured again",
            Self::Contradictions => "Contradictions in public",
        }
    }

    /// What one of them is.
    pub(crate) fn one(self) -> &'static str {
        match self {
            Self::Papers => "The study",
            Self::Contradictions => "The threads",
        }
    }

    /// What its file cites, beside which our figures stand.
    pub(crate) fn published(self) -> &'static str {
        match self {
            Self::Papers => "the paper's own numbers",
            Self::Contradictions => "what each side says",
        }
    }

    /// What a study of this group lacks, or has that belongs to the other.
    pub(crate) fn error(self, sides: &[Standpoint], decides: Option<&str>) -> Option<&'static str> {
        let is_empty = |text: &str| text.trim().is_empty();
        match self {
            Self::Papers if !sides.is_empty() || decides.is_some() => {
                Some("`sides` and `decides` are of contradictions: give group = \"contradictions\", or leave them out")
            }
            Self::Papers => None,
            Self::Contradictions if sides.len() < 2 => {
                Some("a contradiction has two `sides` at least, each with source, url and says")
            }
            Self::Contradictions if decides.is_none_or(is_empty) => {
                Some("a contradiction says what it depends on: give `decides`")
            }
            Self::Contradictions => {
                let lacks = |side: &Standpoint| {
                    let is_address =
                        side.url.starts_with("https://") && !side.url.contains([' ', '(', ')', '[', ']', '<', '>']);
                    is_empty(&side.source) || is_empty(&side.says) || !is_address
                };
                let why =
                    "a side has source and says, and a url that begins with https:// and has no spaces or brackets";
                sides.iter().any(lacks).then_some(why)
            }
        }
    }
}

#[cfg(test)]
mod tests;
