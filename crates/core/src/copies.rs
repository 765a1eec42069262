//! What the instrument is compared with itself by: providers that are one and the same, so that the truth is known.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::Share;

/// The most names of one kind.
const MOST: u32 = 98;
/// The most planted shares.
const MOST_PLANTED: usize = 9;

/// Each provider of a scenario under many names, whose true ratio is 1, and under some whose ratio is known otherwise.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Copies {
    /// The number of names, even, 2 to 98. A library that is linked in is the same file under all of them.
    pub names: u32,
    /// So many copies of the file of the system's libcrypto, in place of names; 0: it has names, too.
    #[serde(default, skip_serializing_if = "is_none")]
    pub files: u32,
    /// So many more names of what is linked in, whose stack, buffers and keys stay where they happen to lie.
    #[serde(default, skip_serializing_if = "is_none")]
    pub fixed: u32,
    /// One more name for each share, whose every sample is prolonged by it: a known ratio that the method must find.
    #[serde(default, deserialize_with = "one_or_several", skip_serializing_if = "Vec::is_empty")]
    pub slowed: Vec<Share>,
}

/// What a copy's name says of it: the part behind the provider's dot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Copy {
    /// One of those whose ratio is 1.
    Same,
    /// Its layout is fixed.
    Fixed,
    /// It is slowed by that share.
    Slowed(Share),
}

impl Copy {
    /// What stands before a share in the name of a slowed copy.
    const SLOWED: &str = "slowed-";
    /// What stands before a number in the name of one with a fixed layout.
    const FIXED: &str = "fixed-";

    /// The name of copy `number` of a provider.
    pub fn name(self, provider: &str, number: u32) -> String {
        match self {
            Self::Same => format!("{provider}.{number:02}"),
            Self::Fixed => format!("{provider}.{}{number:02}", Self::FIXED),
            Self::Slowed(share) => format!("{provider}.{}{share}", Self::SLOWED),
        }
    }

    /// The provider and what the copy is, by its name; `None` for what no scenario of today has.
    pub fn read(name: &str) -> Option<(&str, Self)> {
        let Some((provider, copy)) = name.split_once('.') else { return Some((name, Self::Same)) };
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let copy = match copy.strip_prefix(Self::SLOWED) {
            Some(share) => Self::Slowed(share.parse().ok()?),
            None if copy.strip_prefix(Self::FIXED).is_some_and(is_number) => Self::Fixed,
            None if is_number(copy) => Self::Same,
            None => return None,
        };
        Some((provider, copy))
    }
}

impl Copies {
    /// What is wrong with the numbers, if anything is.
    pub(crate) fn wrong(&self) -> Option<&'static str> {
        // Copies are compared by pairs.
        let is_paired = |number: u32| number <= MOST && number.is_multiple_of(2);
        if self.names == 0 || !is_paired(self.names) {
            return Some("`copies.names` must be an even number from 2 to 98");
        }
        if !is_paired(self.files) || self.fixed > MOST {
            return Some("`copies.files` must be an even number from 0 to 98, and `copies.fixed` at most 98");
        }
        let is_twice = |(place, share): (usize, &Share)| self.slowed[..place].contains(share);
        if self.slowed.len() > MOST_PLANTED || self.slowed.iter().enumerate().any(is_twice) {
            return Some("`copies.slowed` has at most 9 shares, each once");
        }
        None
    }
}

fn is_none(number: &u32) -> bool {
    *number == 0
}

/// A share, several, or none. Shares are read from text, so that what is wrong with one is said.
fn one_or_several<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Share>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Slowed {
        One(String),
        Several(Vec<String>),
    }
    let texts = match Option::<Slowed>::deserialize(deserializer)? {
        None => Vec::new(),
        Some(Slowed::One(share)) => vec![share],
        Some(Slowed::Several(shares)) => shares,
    };
    texts.iter().map(|text| text.parse().map_err(D::Error::custom)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_a_copy_is() {
        for copy in [Copy::Same, Copy::Fixed, Copy::Slowed(Share(0.005))] {
            let name = copy.name("aws-lc", 7);
            assert_eq!(Copy::read(&name), Some(("aws-lc", copy)), "{name}");
        }
        assert_eq!(Copy::Slowed(Share(0.005)).name("aws-lc", 0), "aws-lc.slowed-0.5%");
        assert_eq!(Copy::read("aws-lc"), Some(("aws-lc", Copy::Same)));
        for other in ["aws-lc.slowed", "aws-lc.slowed-much", "aws-lc.fixed", "aws-lc."] {
            assert_eq!(Copy::read(other), None, "{other}, as method 2 named a slowed one");
        }
    }

    #[test]
    fn one_share_is_read_as_several_are() {
        let read = |slowed: &str| toml::from_str::<Copies>(&format!("names = 2\n{slowed}")).unwrap().slowed;
        assert_eq!(read("slowed = '1%'"), [Share(0.01)]);
        assert_eq!(read("slowed = ['0.5%', '3%']"), [Share(0.005), Share(0.03)]);
        assert_eq!(read(""), []);
        let error = toml::from_str::<Copies>("names = 2\nslowed = ['0%']").unwrap_err().to_string();
        assert!(error.contains("a share from 0.001 % to 100 %"), "{error}");
        let stored: Copies = serde_json::from_str(r#"{"names":40,"slowed":null}"#).unwrap();
        assert_eq!(stored, Copies { names: 40, ..Copies::default() });
    }

    #[test]
    fn numbers_are_bounded() {
        let fits = |copies: Copies| copies.wrong().is_none();
        let fine = Copies { names: 2, ..Copies::default() };
        assert!(fits(fine.clone()) && fits(Copies { files: 4, fixed: 8, ..fine.clone() }));
        for wrong in [
            Copies { names: 1, ..fine.clone() },
            Copies { names: 3, ..fine.clone() },
            Copies { files: 1, ..fine.clone() },
            Copies { fixed: 100, ..fine.clone() },
            Copies { slowed: vec![Share(0.01); 2], ..fine.clone() },
            Copies { slowed: (1..=10).map(|share| Share(f64::from(share) / 100.0)).collect(), ..fine },
        ] {
            assert!(!fits(wrong));
        }
    }
}
