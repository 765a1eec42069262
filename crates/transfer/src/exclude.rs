//! Names that the user leaves out, by patterns as shells have them.
//!
//! A pattern without a slash matches the last part of a name; one with a slash its last parts, at any depth; one that
//! begins with a slash the whole name as it travels. `*` and `?` stay within a part, `**` crosses parts. A folder that
//! matches is left out with all that it contains. All this is as in rsync.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

/// The longest pattern in bytes.
const MAX_PATTERN: usize = 4096;
/// The most patterns.
const MAX_PATTERNS: usize = 1000;

/// The patterns of a command line.
#[derive(Debug, Clone, Default)]
pub struct Excludes {
    /// Those without a slash.
    parts: Globs,
    /// The others.
    names: Globs,
    patterns: Vec<String>,
    /// Which have matched something; shared by clones.
    matched: Arc<[AtomicBool]>,
}

/// Some of the patterns.
#[derive(Debug, Clone, Default)]
struct Globs {
    set: GlobSet,
    /// Their numbers among all patterns.
    numbers: Vec<usize>,
}

impl Globs {
    fn new(globs: Vec<(usize, Glob)>) -> Result<Self, BadPattern> {
        let mut set = GlobSetBuilder::new();
        for (_, glob) in &globs {
            set.add(glob.clone());
        }
        let numbers = globs.into_iter().map(|(number, _)| number).collect();
        Ok(Self { set: set.build().map_err(syntax)?, numbers })
    }
}

fn syntax(error: globset::Error) -> BadPattern {
    BadPattern::Syntax(error.to_string())
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
        let (mut parts, mut names) = (Vec::new(), Vec::new());
        for (number, pattern) in patterns.iter().enumerate() {
            if pattern.trim_matches('/').is_empty() || pattern.len() > MAX_PATTERN {
                return Err(BadPattern::Syntax(format!("a pattern has 1 to {MAX_PATTERN} bytes, not slashes alone")));
            }
            // `build/` means the folder of that name.
            let bare = pattern.strip_suffix('/').unwrap_or(pattern);
            let glob = |text: &str| GlobBuilder::new(text).literal_separator(true).build().map_err(syntax);
            let (globs, glob) = match bare.strip_prefix('/') {
                Some(whole) => (&mut names, glob(whole)?),
                None if bare.contains('/') => (&mut names, glob(&format!("**/{bare}"))?),
                None => (&mut parts, glob(bare)?),
            };
            globs.push((number, glob));
        }
        Ok(Self {
            parts: Globs::new(parts)?,
            names: Globs::new(names)?,
            patterns: patterns.to_vec(),
            matched: patterns.iter().map(|_| AtomicBool::new(false)).collect(),
        })
    }

    /// The patterns as given.
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// Whether an entry of that name is left out itself; the folders that contain it are asked about before.
    pub fn matches(&self, name: &Path) -> bool {
        if self.patterns.is_empty() {
            return false;
        }
        let mut is_match = self.found(&self.names, name);
        if let Some(last) = name.file_name() {
            is_match |= self.found(&self.parts, Path::new(last));
        }
        is_match
    }

    fn found(&self, globs: &Globs, text: &Path) -> bool {
        let matching = globs.set.matches(text);
        for &of_set in &matching {
            self.matched[globs.numbers[of_set]].store(true, Ordering::Relaxed);
        }
        !matching.is_empty()
    }

    /// The patterns that have matched nothing yet: slips, perhaps.
    pub fn unmatched(&self) -> impl Iterator<Item = &str> {
        let is_unmatched = |(_, matched): &(&String, &AtomicBool)| !matched.load(Ordering::Relaxed);
        self.patterns.iter().zip(&*self.matched).filter(is_unmatched).map(|(pattern, _)| pattern.as_str())
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
            ("e/f", "d/e/f", true),
            ("e/**", "d/e/f/g", true),
            ("e/f", "d/ee/f", false),
            ("/d/e", "d/e", true),
            ("/e", "e", true),
            ("/e", "d/e", false),
        ] {
            assert_eq!(excludes(&[pattern]).matches(Path::new(name)), matches, "{pattern} {name}");
        }
        assert!(excludes(&["e"]).covers(Path::new("d/e/a")) && !excludes(&["e"]).matches(Path::new("d/e/a")));
        assert!(!excludes(&[]).covers(Path::new("a")));
    }

    #[test]
    fn pattern_without_effect_is_known() {
        let excludes = excludes(&["*.tmp", "raw/*", "/a"]);
        assert!(excludes.covers(Path::new("d/raw/x.tmp")) && !excludes.clone().covers(Path::new("d/a")));
        assert_eq!(excludes.unmatched().collect::<Vec<_>>(), ["/a"]);
    }

    #[test]
    fn unusable_pattern_is_an_error() {
        for pattern in ["", "/", "[a", "a{b", &"x".repeat(MAX_PATTERN + 1)] {
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
