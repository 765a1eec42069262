//! A machine of the table: its source and its shared runs.

use std::collections::BTreeSet;

use ciphermeter_core::{Record, Run};

use crate::packed::unpacked_within;
use crate::share::{Shared, share};
use crate::source::{Setting, Source};
use crate::usable::beyond_use;

/// The most bytes of a run's file, as it is packed: half a minute of the default scenario, with a CPU's counters.
const MOST_PACKED: usize = 700_000;
/// The most bytes of what is in it.
const MOST_PLAIN: u64 = 16 << 20;
/// The most characters of a name.
const MOST_NAME: usize = 40;
/// What a run's file is called behind its scenario's name.
const ENDING: &str = ".json.gz";

/// The files of a machine, as they are built in.
struct Files {
    name: &'static str,
    source: &'static str,
    runs: &'static [(&'static str, &'static [u8])],
}

const FILES: &[Files] = include!(concat!(env!("OUT_DIR"), "/machines.rs"));

/// A row of the table.
#[derive(Debug, Clone)]
pub struct Machine {
    /// Its name, as `--machine` takes it.
    pub name: String,
    /// Who measured, when and how.
    pub source: Source,
    /// Its runs, one of each scenario.
    pub runs: Vec<Shared>,
}

/// Why files are no machine of the table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {why}")]
pub struct BadMachine {
    /// The file, from the machine's folder.
    pub file: String,
    /// What is wrong, and what to do.
    pub why: String,
}

/// Whether a machine may have that name: lower-case letters, digits and `-`, so it is no way out of a folder.
pub fn is_name(name: &str) -> bool {
    let may = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    (1..=MOST_NAME).contains(&name.len()) && name.chars().all(may) && !name.starts_with('-') && !name.ends_with('-')
}

impl Machine {
    /// Reads a machine's files: `source.toml`, and runs by their files' names. Nothing of them is believed: a run is taken as it
    /// would be shared here, and refused where that is not what the file holds.
    ///
    /// # Errors
    /// The first file that is not fit, and why.
    pub fn read(name: &str, source: Option<&str>, runs: &[(&str, &[u8])]) -> Result<Self, BadMachine> {
        let bad = |file: &str, why: String| BadMachine { file: file.into(), why };
        if !is_name(name) {
            return Err(bad(".", "a machine's folder is called by 1 to 40 of a-z, 0-9 and -".into()));
        }
        let source =
            source.ok_or_else(|| bad("source.toml", "it is missing: say who measured, when and how".into()))?;
        let source = Source::parse(source).map_err(|why| bad("source.toml", why))?;
        let mut scenarios = BTreeSet::new();
        let mut read = Vec::new();
        for (file, packed) in runs {
            let of = |why: String| bad(file, why);
            let shared = run(packed).map_err(of)?;
            fits(file, &source, &shared).map_err(of)?;
            if !scenarios.insert(shared.run.scenario.name.clone()) {
                return Err(of("another file has a run of the same scenario".into()));
            }
            read.push(shared);
        }
        let Some(first) = read.first() else { return Err(bad(".", "it has no run".into())) };
        let cpu = first.run.fact("cpu");
        if read.iter().any(|other| other.run.fact("cpu") != cpu) {
            return Err(bad(".", "its runs are of several CPUs: give each a folder".into()));
        }
        Ok(Self { name: name.into(), source, runs: read })
    }

    /// Its CPU's name.
    pub fn cpu(&self) -> &str {
        self.runs.first().and_then(|shared| shared.run.fact("cpu")).unwrap_or("unknown")
    }
}

/// The run of a file, as it is shared.
fn run(packed: &[u8]) -> Result<Shared, String> {
    // What is not packed may be long, and needs another remedy.
    let document = unpacked_within(packed, MOST_PLAIN).map_err(|error| error.to_string())?;
    if packed.len() > MOST_PACKED {
        return Err(format!("it has more than {MOST_PACKED} bytes: measure for a shorter time, with --budget"));
    }
    let (run, records): (Run, Vec<Record>) =
        ciphermeter_import::import(&document).map_err(|error| error.to_string())?;
    let shared = share(&run, &records).map_err(|why| why.to_string())?;
    if shared.records.len() != records.len() {
        return Err(format!("it holds {}: write it with `ciphermeter export --share`", shared.left_out.join(", ")));
    }
    match beyond_use(&shared.run, &shared.records) {
        Some(why) => Err(why),
        None => Ok(shared),
    }
}

/// Whether a run is what its name and its source say.
fn fits(file: &str, source: &Source, shared: &Shared) -> Result<(), String> {
    let (run, wrong) = (&shared.run, |why: String| Err(why));
    let scenario = &run.scenario.name;
    if file.strip_suffix(ENDING) != Some(scenario) {
        return wrong(format!("it has a run of {scenario}: call it {scenario}{ENDING}"));
    }
    if run.started.get(..10) != Some(&source.measured) {
        let day = run.started.get(..10).unwrap_or_default();
        let measured = &source.measured;
        return wrong(format!(
            "it was measured on {day}, and source.toml says {measured}: measure all on one day (UTC)"
        ));
    }
    match (source.machine, run.fact("hypervisor")) {
        (Setting::Bare, Some(seen)) if seen != "none seen" => {
            wrong(format!("its hypervisor is: {seen}; and source.toml calls the machine bare"))
        }
        (Setting::Virtual, Some("none seen")) => {
            wrong("no hypervisor was seen, and source.toml calls the machine virtual".into())
        }
        _ => Ok(()),
    }
}

/// The machines that are built in, by their names.
///
/// # Errors
/// The first that cannot be used.
pub fn built_in() -> Result<Vec<Machine>, BadMachine> {
    FILES.iter().map(|files| Machine::read(files.name, Some(files.source), files.runs)).collect()
}

/// The one of that name; `None` if there is none.
///
/// # Errors
/// Its files cannot be used.
pub fn named(name: &str) -> Result<Option<Machine>, BadMachine> {
    let files = FILES.iter().find(|files| files.name == name);
    files.map(|files| Machine::read(files.name, Some(files.source), files.runs)).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All that the table adds to the binary, which has 70 million bytes.
    const MOST_BUILT_IN: usize = 4_000_000;

    #[test]
    fn table_is_small() {
        let bytes: usize = FILES.iter().flat_map(|files| files.runs).map(|(_, run)| run.len()).sum();
        assert!(bytes <= MOST_BUILT_IN, "{bytes} bytes");
    }

    #[test]
    fn name_is_no_way_out_of_a_folder() {
        assert!(is_name("xeon-8481c") && is_name("m3"));
        for name in ["", "-", "..", "../x", "a/b", "A", "a b", "é", ".hidden", &"a".repeat(41)] {
            assert!(!is_name(name), "{name}");
        }
    }

    #[test]
    fn machine_without_a_source_or_a_run_is_refused() {
        let why = Machine::read("a", None, &[]).unwrap_err().to_string();
        assert_eq!(why, "source.toml: it is missing: say who measured, when and how");
        assert!(Machine::read("../a", None, &[]).is_err());
    }
}
