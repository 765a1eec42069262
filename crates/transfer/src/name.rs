//! Names as they travel: relative paths beneath the receiving folder, checked on arrival.
//!
//! Promises: a [`Name`] joined to a folder stays beneath it, never reaches into the folders in which transfers keep
//! their state, and contains nothing that moves the cursor or reverses the text. It is shown to people through
//! [`ciphermeter_core::quoted`], like everything else from outside.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The longest name in bytes.
pub const MAX_NAME: usize = 4096;
/// The longest part of a name in bytes: what file systems commonly take.
pub const MAX_PART: usize = 255;
/// The most parts of a name; walking a tree keeps one folder open for each.
pub const MAX_PARTS: usize = 64;
/// The prefix of every state folder's name ([`crate::Parts`]).
pub const STATE_PREFIX: &str = ".ciphermeter-";

/// A relative path, its parts separated by `/`.
///
/// A backslash is an ordinary character, as in every file name here: it has no effect on a terminal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

/// Why a text is not a valid name. The text itself is not repeated: the caller has it and shows it escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// Empty.
    #[error("the name is empty; give the file a name")]
    Empty,
    /// More than [`MAX_NAME`] bytes.
    #[error("the name is longer than {MAX_NAME} bytes; shorten it, or send an inner folder")]
    TooLong,
    /// More than [`MAX_PARTS`] parts.
    #[error("the name has more than {MAX_PARTS} parts; send an inner folder")]
    TooDeep,
    /// Begins with `/`.
    #[error("the name is absolute; use one relative to the receiving folder")]
    Absolute,
    /// Two slashes in a row, or one at the end.
    #[error("a part of the name is empty; put one `/` between two parts and none at the end")]
    EmptyPart,
    /// A part of more than [`MAX_PART`] bytes.
    #[error("a part of the name is longer than {MAX_PART} bytes; shorten it")]
    PartTooLong,
    /// `.` or `..`.
    #[error("a part of the name is `.` or `..`; rename it")]
    Dots,
    /// A control character, a line or paragraph separator, or one that changes the direction of writing.
    #[error("the name contains U+{:04X}, which a terminal interprets instead of showing it; rename it",
        u32::from(*.0))]
    Unshowable(char),
    /// A part that begins with [`STATE_PREFIX`].
    #[error("a part of the name begins with `{STATE_PREFIX}`, which is reserved for the state of transfers; rename it")]
    State,
}

impl Name {
    /// Checks a text.
    pub fn parse(text: &str) -> Result<Self, BadName> {
        match text.as_bytes() {
            [] => return Err(BadName::Empty),
            [b'/', ..] => return Err(BadName::Absolute),
            bytes if bytes.len() > MAX_NAME => return Err(BadName::TooLong),
            _ => {}
        }
        if let Some(character) = text.chars().find(|&character| is_unshowable(character)) {
            return Err(BadName::Unshowable(character));
        }
        for (index, part) in text.split('/').enumerate() {
            match part {
                _ if index >= MAX_PARTS => return Err(BadName::TooDeep),
                "" => return Err(BadName::EmptyPart),
                "." | ".." => return Err(BadName::Dots),
                _ if part.len() > MAX_PART => return Err(BadName::PartTooLong),
                _ if is_state(part) => return Err(BadName::State),
                _ => {}
            }
        }
        Ok(Self(text.into()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The parts, from the outermost folder to the file.
    pub fn parts(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// The first part: the entry in the receiving folder itself.
    pub fn top(&self) -> &str {
        self.0.split('/').next().unwrap_or_default()
    }

    /// Whether a part begins with a dot, which most programs omit from their lists.
    pub fn is_hidden(&self) -> bool {
        self.parts().any(|part| part.starts_with('.'))
    }

    /// The folders that contain it, the innermost first.
    pub fn outer(&self) -> impl Iterator<Item = &str> {
        std::iter::successors(self.split().0, |outer| Some(outer.rsplit_once('/')?.0))
    }

    /// The folder that contains it (`None`: the receiving folder itself), and its last part.
    pub fn split(&self) -> (Option<&str>, &str) {
        match self.0.rsplit_once('/') {
            Some((folder, last)) => (Some(folder), last),
            None => (None, &self.0),
        }
    }
}

/// Whether a part is, or could pass for, the name of a state folder.
///
/// Checked for every part, not just the first: a later `recv` into that inner folder would take it for its own
/// unfinished transfer. Some file systems fold case and skip invisible characters, so both are ignored.
pub(crate) fn is_state(part: &str) -> bool {
    let mut visible = part.chars().filter(char::is_ascii).map(|character| character.to_ascii_lowercase());
    STATE_PREFIX.chars().all(|character| visible.next() == Some(character))
}

pub(crate) fn is_unshowable(character: char) -> bool {
    character.is_control()
        || matches!(character,
            // All of Unicode's Bidi_Control.
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            // Line and paragraph separator.
            | '\u{2028}' | '\u{2029}')
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl TryFrom<String> for Name {
    type Error = BadName;

    fn try_from(text: String) -> Result<Self, BadName> {
        Self::parse(&text)
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::path::{Component, Path};

    #[test]
    fn plain_names_are_accepted() {
        for text in ["a", "a/b", "...", ".hidden/..x", "-rf", "a b", "back\\slash", "größe", "日本/語", ".ciphermeter"]
        {
            assert_eq!(Name::parse(text).unwrap().as_str(), text);
        }
        assert_eq!(Name::parse("a/b/c").unwrap().split(), (Some("a/b"), "c"));
        assert_eq!(Name::parse("c").unwrap().split(), (None, "c"));
        assert_eq!(Name::parse("a/b").unwrap().parts().collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn bad_names_are_rejected() {
        use BadName::*;
        let cases = [
            ("", Empty),
            ("/", Absolute),
            ("/etc/passwd", Absolute),
            ("a//b", EmptyPart),
            ("a/", EmptyPart),
            (".", Dots),
            ("..", Dots),
            ("a/../b", Dots),
            ("a/.", Dots),
            ("a\0b", Unshowable('\0')),
            ("a\nb", Unshowable('\n')),
            ("\x1b[2J", Unshowable('\x1b')),
            ("a\x7f", Unshowable('\x7f')),
            ("a\u{9b}b", Unshowable('\u{9b}')),
            ("exe\u{202e}gpj", Unshowable('\u{202e}')),
            ("a\u{2066}", Unshowable('\u{2066}')),
            ("a\u{200f}", Unshowable('\u{200f}')),
            ("a\u{2028}", Unshowable('\u{2028}')),
            (".ciphermeter-", State),
            ("a/.ciphermeter-0/state.json", State),
            (".Ciphermeter-0", State),
            (".cipher\u{200d}meter-0", State),
        ];
        for (text, why) in cases {
            assert_eq!(Name::parse(text), Err(why), "{text:?}");
        }
    }

    #[test]
    fn limits_are_exact() {
        assert!(Name::parse(&"x".repeat(MAX_PART)).is_ok());
        assert_eq!(Name::parse(&"x".repeat(MAX_PART + 1)), Err(BadName::PartTooLong));
        assert!(Name::parse(&["x"; MAX_PARTS].join("/")).is_ok());
        assert_eq!(Name::parse(&["x"; MAX_PARTS + 1].join("/")), Err(BadName::TooDeep));
        let longest = ["x".repeat(MAX_PART).as_str(); 16].join("/") + "/";
        assert_eq!(Name::parse(&(longest.clone() + "y")), Err(BadName::TooLong));
        assert!(Name::parse(&longest[..MAX_NAME - 1]).is_ok());
    }

    #[test]
    fn serde_checks() {
        assert_eq!(serde_json::from_str::<Name>(r#""a/b""#).unwrap().as_str(), "a/b");
        assert!(serde_json::from_str::<Name>(r#""a/../b""#).is_err());
        assert_eq!(serde_json::to_string(&Name::parse("a/b").unwrap()).unwrap(), r#""a/b""#);
    }

    proptest! {
        #[test]
        fn accepted_names_stay_beneath(text in "(/|\\.|\\.\\.|[a-c]|\\\\|\\PC|.){0,12}") {
            if let Ok(name) = Name::parse(&text) {
                let joined = Path::new("/folder").join(name.as_str());
                let rest = joined.strip_prefix("/folder").unwrap();
                prop_assert!(rest.components().all(|part| matches!(part, Component::Normal(_))));
                prop_assert_eq!(rest.components().count(), name.parts().count());
                prop_assert_eq!(rest.to_str().unwrap(), name.as_str());
            }
        }

        #[test]
        fn no_text_panics(text in any::<String>()) {
            let _ = Name::parse(&text);
        }
    }
}
