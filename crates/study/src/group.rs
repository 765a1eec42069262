//! The two sorts of studies, and what the sides of a contradiction say.

use serde::{Deserialize, Serialize};

use crate::study::Study;

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
}

impl Study {
    /// What a study of its group lacks, or has that belongs to the other.
    pub(crate) fn group_error(&self) -> Option<&'static str> {
        let is_empty = |text: &String| text.trim().is_empty();
        match self.group {
            Group::Papers if !self.sides.is_empty() || self.decides.is_some() => {
                Some("`sides` and `decides` are of contradictions: give group = \"contradictions\", or leave them out")
            }
            Group::Papers => None,
            Group::Contradictions if self.sides.len() < 2 => {
                Some("a contradiction has two `sides` at least, each with source, url and says")
            }
            Group::Contradictions if self.decides.as_ref().is_none_or(is_empty) => {
                Some("a contradiction says what it depends on: give `decides`")
            }
            Group::Contradictions => {
                let lacks = |side: &Standpoint| {
                    is_empty(&side.source) || is_empty(&side.says) || !side.url.starts_with("https://")
                };
                self.sides
                    .iter()
                    .any(lacks)
                    .then_some("a side has source and says, and a url that begins with https://")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::built_in::all;

    use super::*;

    #[test]
    fn every_contradiction_names_two_sources() {
        let studies = all().unwrap();
        let contradictions: Vec<_> = studies.iter().filter(|study| study.group == Group::Contradictions).collect();
        assert!(contradictions.len() >= 10, "{}", contradictions.len());
        for study in contradictions {
            let [one, other, ..] = &study.sides[..] else { panic!("{}", study.name) };
            assert!(one.source != other.source && one.says != other.says, "{}", study.name);
            assert!(
                study.claims.iter().any(|claim| claim.scenario.is_some()),
                "{}: records decide nothing",
                study.name
            );
        }
    }

    #[test]
    fn contradiction_without_two_sides_and_what_decides_it_is_refused() {
        let text = include_str!("../../../studies/aegis-x2/study.toml");
        let why = |text: &str| Study::parse(text).unwrap_err().to_string();
        let (head, rest) = text.split_once("[[sides]]").unwrap();
        let (first, rest) = rest.split_once("[[sides]]").unwrap();
        assert!(
            why(&format!("{head}[[sides]]{first}{}", &rest[rest.find("[[measures]]").unwrap()..]))
                .contains("two `sides`")
        );
        assert!(why(&text.replace("url = \"https://", "url = \"http://")).contains("begins with https://"));
        assert!(why(&text.replace("\ndecides = ", "\ndecides = \"\" #")).contains("give `decides`"));
        assert!(why(&text.replace("group = \"contradictions\"", "")).contains("are of contradictions"));
        assert!(why(&text.replace("group = \"contradictions\"", "group = \"talks\"")).contains("unknown variant"));
    }
}
