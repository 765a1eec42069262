//! Which providers a run asks: the built-in ones, those of other languages, and copies for the self-check.

use anyhow::Result;
use ciphermeter_core::{Copies, Scenario};
use ciphermeter_meter::Source;
use ciphermeter_native::PROVIDERS;
use ciphermeter_protocol::Command;

use crate::args::WorkersOption;
use crate::{folders, workers};

/// What a run asks, and a sentence for each worker that is there but can't be asked.
pub struct Sources {
    pub sources: Vec<Source>,
    pub notes: Vec<String>,
}

/// Everything on this machine that the scenario may want.
pub fn gather(scenario: &Scenario, option: &WorkersOption) -> Result<Sources> {
    let mut sources = native()?;
    let mut notes = Vec::new();
    if let Some(copies) = scenario.copies {
        return Ok(Sources { sources: copied(scenario, &sources, copies), notes });
    }
    for worker in workers::find(option)? {
        if !worker.is_built() {
            notes.push(format!(
                "{} is not measured: its worker is not built; `ciphermeter workers build` does it",
                worker.name()
            ));
            continue;
        }
        for provider in worker.providers() {
            let taken = sources.iter().any(|source| source.name == *provider);
            let name = if taken { format!("{provider}@{}", worker.name()) } else { provider.clone() };
            sources.push(Source { name, provider: provider.clone(), command: worker.command() });
        }
    }
    Ok(Sources { sources, notes })
}

/// The built-in worker, once for each provider.
pub fn native() -> Result<Vec<Source>> {
    let binary = folders::binary()?;
    let source = |provider: &&str| Source {
        name: (*provider).into(),
        provider: (*provider).into(),
        command: Command {
            program: binary.clone(),
            arguments: ["worker", "native", "--provider", provider].map(String::from).into(),
            folder: None,
            environment: Vec::new(),
        },
    };
    Ok(PROVIDERS.iter().map(source).collect())
}

/// Each provider that the scenario names, again and again under other names, and once with a known slowdown.
fn copied(scenario: &Scenario, sources: &[Source], copies: Copies) -> Vec<Source> {
    let wanted = |source: &&Source| scenario.cells.iter().any(|selection| selection.providers.contains(&source.name));
    // The witness comes from the ceilings' worker.
    let mut copied: Vec<Source> = sources.iter().filter(|source| source.name == "ceiling").cloned().collect();
    for source in sources.iter().filter(wanted) {
        for number in 1..=copies.names {
            copied.push(Source { name: format!("{}.{number:02}", source.name), ..source.clone() });
        }
        if let Some(share) = copies.slowed {
            let mut slowed = Source { name: format!("{}.slowed", source.name), ..source.clone() };
            slowed.command.arguments.extend(["--slowed".into(), share.to_string()]);
            copied.push(slowed);
        }
    }
    copied
}
