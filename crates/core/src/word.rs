//! Enumerations that are words: each variant has one spelling, used in files, lines, tables and arguments.

/// A spelling that is not among the expected words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} `{found}`; known are {known}")]
pub struct UnknownWord {
    /// The kind of word that was expected: `algorithm`, `operation`, …
    pub what: &'static str,
    /// The word that was found.
    pub found: String,
    /// The valid words, comma-separated.
    pub known: String,
}

/// Declares an enumeration whose variants are words, with `as_str`, `ALL`, `FromStr`, `Display` and serde by spelling.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident, $what:literal { $($(#[$vmeta:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name { $($(#[$vmeta])* #[serde(rename = $word)] $variant),+ }

        impl $name {
            /// Every word of this kind, in the order in which tables show them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The one spelling.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|known| known.as_str() == word).ok_or_else(|| $crate::UnknownWord {
                    what: $what,
                    found: $crate::escaped(&word.chars().take(64).collect::<String>()),
                    known: Self::ALL.iter().map(|known| known.as_str()).collect::<Vec<_>>().join(", "),
                })
            }
        }
    };
}
pub(crate) use words;
