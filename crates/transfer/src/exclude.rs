//! Names that the user leaves out, by patterns as shells have them.
//!
//! A pattern without a slash matches the last part of a name, at any depth; one with a slash matches the whole name as it
//! travels. `*` and `?` stay within a part, `**` crosses parts. A folder that matches is left out with all that it
//! contains.

use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// The longest pattern in bytes.
const MAX_PATTERN: usize = 4096;
/// The most patterns.
const MAX_PATTERNS: usize = 1000;

/// The patterns of a command line.
#[derive(Debug, Clone, Default)]
pub struct Excludes {
    parts: GlobSet,
    names: GlobSet,
    patterns: Vec<String>,
}

/// A pattern that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPattern {
    /// Its syntax.
    #[error("{0}; write it like `*.tmp`, `[ab]*` or `photos/raw/**`")]
    Syntax(String),
    /// More than a thousand.
    #[error("more than {MAX_PATTERNS} patterns; use wider ones")]
    TooMany,
}

impl Excludes {
    /// Checks the patterns.
    pub fn new(patterns: &[String]) -> Result<Self, BadPattern> {
        if patterns.len() > MAX_PATTERNS {
            return Err(BadPattern::TooMany);
        }
        let (mut parts, mut names) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        let syntax = |error: globset::Error| BadPattern::Syntax(error.to_string());
        for pattern in patterns {
            if pattern.is_empty() || pattern.len() > MAX_PATTERN {
                return Err(BadPattern::Syntax(format!("a pattern has 1 to {MAX_PATTERN} bytes")));
            }
            // `build/` means the folder of that name.
            let bare = pattern.strip_suffix('/').unwrap_or(pattern);
            let glob = GlobBuilder::new(bare).literal_separator(true).build().map_err(syntax)?;
            if bare.contains('/') {
                names.add(glob)
            } else {
                parts.add(glob)
            };
        }
        Ok(Self {
            parts: parts.build().map_err(syntax)?,
            names: names.build().map_err(syntax)?,
            patterns: patterns.to_vec(),
        })
    }

    /// The patterns as given.
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// Whether an entry of that name is left out itself; the folders that contain it are asked about before.
    pub fn matches(&self, name: &Path) -> bool {
        !self.patterns.is_empty()
            && (self.names.is_match(name) || name.file_name().is_some_and(|last| self.parts.is_match(last)))
    }

    /// Whether an entry of that name is left out, itself or with a folder that contains it.
    pub fn covers(&self, name: &Path) -> bool {
        !self.patterns.is_empty() && name.ancestors().any(|outer| self.matches(outer))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn excludes(patterns: &[&str]) -> Excludes {
        Excludes::new(&patterns.iter().map(|pattern| pattern.to_string()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn pattern_without_a_slash_matches_a_part_at_any_depth() {
        for (pattern, name, matches) in [
            ("*.tmp", "d/e/a.tmp", true),
            ("*.tmp", "a.tmp", true),
            ("*.tmp", "a.tmp.txt", false),
            (".git", "d/.git", true),
            (".git/", "d/.git", true),
            ("?", "d/ab", false),
            ("d/*.tmp", "d/a.tmp", true),
            ("d/*.tmp", "d/e/a.tmp", false),
            ("d/**", "d/e/a.tmp", true),
            ("**/e", "d/e", true),
        ] {
            assert_eq!(excludes(&[pattern]).matches(Path::new(name)), matches, "{pattern} {name}");
        }
        assert!(excludes(&["e"]).covers(Path::new("d/e/a")) && !excludes(&["e"]).matches(Path::new("d/e/a")));
        assert!(!excludes(&[]).covers(Path::new("a")));
    }

    #[test]
    fn unusable_pattern_is_an_error() {
        for pattern in ["", "[a", "a{b", &"x".repeat(MAX_PATTERN + 1)] {
            assert!(matches!(Excludes::new(&[pattern.to_owned()]), Err(BadPattern::Syntax(_))), "{pattern}");
        }
        assert_eq!(Excludes::new(&vec!["a".into(); MAX_PATTERNS + 1]).unwrap_err(), BadPattern::TooMany);
    }

    proptest! {
        #[test]
        fn no_text_panics(pattern in ".{0,40}", name in ".{0,40}") {
            if let Ok(excludes) = Excludes::new(&[pattern]) {
                let _ = excludes.covers(Path::new(&name));
            }
        }
    }
}
