//! What the instrument is compared with itself by: providers that are one and the same, so that the truth is known.

use serde::{Deserialize, Deserializer, Serialize};

use crate::Share;

/// The most names of one kind.
const MOST: u32 = 99;
/// The most planted shares.
const MOST_PLANTED: usize = 9;

/// Each provider of a scenario under many names, whose true ratio is 1, and under some whose ratio is known otherwise.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Copies {
    /// The number of names, 2 to 99. A library that is linked in is the same file under all of them.
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

    /// The provider and what the copy is, by its name.
    pub fn read(name: &str) -> (&str, Self) {
        let Some((provider, copy)) = name.split_once('.') else { return (name, Self::Same) };
        if let Some(share) = copy.strip_prefix(Self::SLOWED).and_then(|share| share.parse().ok()) {
            return (provider, Self::Slowed(share));
        }
        (provider, if copy.starts_with(Self::FIXED) { Self::Fixed } else { Self::Same })
    }
}

impl Copies {
    /// What is wrong with the numbers, if anything is.
    pub(crate) fn wrong(&self) -> Option<&'static str> {
        if !(2..=MOST).contains(&self.names) {
            return Some("`copies.names` must be from 2 to 99");
        }
        if self.files == 1 || self.files > MOST || self.fixed > MOST {
            return Some("`copies.files` must be 0, or from 2 to 99, and `copies.fixed` at most 99");
        }
        (self.slowed.len() > MOST_PLANTED).then_some("`copies.slowed` has at most 9 shares")
    }
}

fn is_none(number: &u32) -> bool {
    *number == 0
}

/// A share, several, or none.
fn one_or_several<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Share>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Slowed {
        One(Share),
        Several(Vec<Share>),
    }
    Ok(match Option::<Slowed>::deserialize(deserializer)? {
        None => Vec::new(),
        Some(Slowed::One(share)) => vec![share],
        Some(Slowed::Several(shares)) => shares,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_a_copy_is() {
        for copy in [Copy::Same, Copy::Fixed, Copy::Slowed(Share(0.005))] {
            let name = copy.name("aws-lc", 7);
            assert_eq!(Copy::read(&name), ("aws-lc", copy), "{name}");
        }
        assert_eq!(Copy::Slowed(Share(0.005)).name("aws-lc", 0), "aws-lc.slowed-0.5%");
        assert_eq!(Copy::read("aws-lc"), ("aws-lc", Copy::Same));
    }

    #[test]
    fn one_share_is_read_as_several_are() {
        let read = |slowed: &str| toml::from_str::<Copies>(&format!("names = 2\n{slowed}")).unwrap().slowed;
        assert_eq!(read("slowed = '1%'"), [Share(0.01)]);
        assert_eq!(read("slowed = ['0.5%', '3%']"), [Share(0.005), Share(0.03)]);
        assert_eq!(read(""), []);
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
            Copies { files: 1, ..fine.clone() },
            Copies { fixed: 100, ..fine.clone() },
            Copies { slowed: vec![Share(0.01); 10], ..fine },
        ] {
            assert!(!fits(wrong));
        }
    }
}
