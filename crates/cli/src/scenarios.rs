//! Curated scenarios, built in, and scenario files.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use ciphermeter_core::Scenario;

/// The files of `scenarios/`: name and text.
const CURATED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/scenarios.rs"));

/// What `run` measures unless told otherwise.
pub const DEFAULT: &str = "messages";

/// No scenario file may be longer; one byte more is read to see it.
const MOST: u64 = 64 * 1024 + 1;

/// The scenario of that name or in that file.
pub fn find(named: Option<&str>) -> Result<Scenario> {
    let named = named.unwrap_or(DEFAULT);
    if is_file(named) {
        return read(Path::new(named));
    }
    match CURATED.iter().find(|(name, _)| *name == named) {
        Some((name, text)) => curated(name, text),
        None => bail!("there is no scenario `{named}`; there are {}, or give a file like ./{named}.toml", names()),
    }
}

/// Every curated scenario.
pub fn all() -> Result<Vec<Scenario>> {
    CURATED.iter().map(|(name, text)| curated(name, text)).collect()
}

/// Whether a scenario is named by its file.
pub fn is_file(named: &str) -> bool {
    named.contains('/') || named.ends_with(".toml")
}

/// Sees that a name is a curated scenario's; a file may come to be later.
pub fn check_name(named: &str) -> Result<()> {
    if is_file(named) { Ok(()) } else { find(Some(named)).map(drop) }
}

fn curated(name: &str, text: &str) -> Result<Scenario> {
    Scenario::parse(text).with_context(|| format!("the curated scenario `{name}`"))
}

fn names() -> String {
    CURATED.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

fn read(file: &Path) -> Result<Scenario> {
    let mut text = String::new();
    File::open(file).and_then(|opened| opened.take(MOST).read_to_string(&mut text)).with_context(|| {
        format!("cannot read the scenario {}; give a TOML file, or one of {}", file.display(), names())
    })?;
    Scenario::parse(&text).with_context(|| format!("the scenario {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_curated_scenario_parses_and_is_named_as_its_file() {
        assert!(CURATED.len() >= 2);
        for (name, text) in CURATED {
            assert_eq!(Scenario::parse(text).unwrap_or_else(|error| panic!("{name}: {error}")).name, *name);
        }
    }

    #[test]
    fn an_unknown_name_lists_the_known() {
        let error = find(Some("tea")).unwrap_err().to_string();
        assert!(error.starts_with("there is no scenario `tea`; there are "), "{error}");
        assert!(error.contains("messages, "), "{error}");
    }
}
