//! How the command line names a run of this or another store.

use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A run as a user names it: `3`, of another store's file `laptop.db:3`, or that file's latest, `laptop.db`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedRun {
    pub store: Option<PathBuf>,
    pub id: Option<i64>,
}

impl FromStr for NamedRun {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Ok(id) = text.parse() {
            return Ok(Self { store: None, id: Some(id) });
        }
        let numbered = text.rsplit_once(':').and_then(|(file, id)| Some((file, Some(id.parse().ok()?))));
        let (file, id) = numbered.unwrap_or((text, None));
        let is_file = !file.is_empty() && (file.contains(['/', '.']) || Path::new(file).is_dir());
        let why = "a run has a number; `ciphermeter list` shows them. One of another store is that file, a colon and its number: laptop.db:3";
        if is_file { Ok(Self { store: Some(file.into()), id }) } else { Err(why) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_is_named_by_number_file_or_both() {
        let named = |store: Option<&str>, id| Ok(NamedRun { store: store.map(PathBuf::from), id });
        assert_eq!("3".parse(), named(None, Some(3)));
        assert_eq!("laptop.db:3".parse(), named(Some("laptop.db"), Some(3)));
        assert_eq!("./laptop".parse(), named(Some("./laptop"), None));
        assert_eq!("a:b.db".parse(), named(Some("a:b.db"), None));
        for other in ["", "three", ":3", "a:b:c", "laptop:3"] {
            assert!(other.parse::<NamedRun>().is_err(), "{other}");
        }
    }
}
