//! Which providers a run asks: the built-in ones, those of other languages, further libcryptos, older selves, and copies for the
//! self-check.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ciphermeter_core::{Copies, Scenario};
use ciphermeter_meter::Source;
use ciphermeter_native::PROVIDERS;
use ciphermeter_protocol::Command;

use crate::against::Old;
use crate::args::WorkersOption;
use crate::{folders, workers};

/// What a run asks, and sentences on it: who is there but can't be asked, and which file stands behind a name.
#[derive(Default)]
pub struct Sources {
    pub sources: Vec<Source>,
    pub notes: Vec<String>,
}

/// What of this machine a run may ask.
pub struct Wish<'a> {
    pub scenario: &'a Scenario,
    pub workers: &'a WorkersOption,
    /// Further libcryptos.
    pub openssl: &'a [PathBuf],
    /// What they are held against.
    pub against: Option<&'a str>,
}

/// Everything on this machine that is wished for.
pub fn gather(wish: &Wish) -> Result<Sources> {
    if let Some(copies) = wish.scenario.copies {
        let sources = copied(wish.scenario, &native()?, copies);
        return Ok(Sources { sources, notes: Vec::new() });
    }
    let mut all = Sources { sources: native()?, notes: Vec::new() };
    add_foreign(&mut all, wish.workers)?;
    let old = wish.against.map(Old::read).transpose()?;
    if matches!(old, Some(Old::Library(_))) && !wish.openssl.is_empty() {
        // The files that are given are the new ones, and the system's is none of them.
        all.sources.retain(|source| source.name != "openssl");
    }
    for file in wish.openssl {
        add_openssl(&mut all, file)?;
    }
    if let (Some(old), Some(text)) = (old, wish.against) {
        let old = old.sources()?;
        let has = |source: &Source| old.iter().any(|old| old.provider == source.provider);
        if !all.sources.iter().any(has) {
            let names: Vec<_> = old.iter().map(|old| old.provider.as_str()).collect();
            bail!("--against {text} has {}, which nothing here can be held against", names.join(", "));
        }
        // The ceilings' worker stays for its witness.
        all.sources.retain(|source| has(source) || source.provider == "ceiling");
        let (met, alone): (Vec<_>, Vec<_>) =
            old.into_iter().partition(|old| all.sources.iter().any(|source| source.provider == old.provider));
        all.notes.extend(alone.iter().map(|old| format!("{} is left out: there is no newer one here", old.name)));
        all.sources.extend(met);
    }
    Ok(all)
}

fn add_foreign(all: &mut Sources, option: &WorkersOption) -> Result<()> {
    for worker in workers::find(option)? {
        if !worker.is_built() {
            let name = worker.name();
            let how = "its worker is not built; `ciphermeter workers build` does it";
            all.notes.push(format!("{name} is not measured: {how}"));
            continue;
        }
        for provider in worker.providers() {
            let taken = all.sources.iter().any(|source| source.name == *provider);
            let name = if taken { format!("{provider}@{}", worker.name()) } else { provider.clone() };
            all.sources.push(Source { name, provider: provider.clone(), command: worker.command() });
        }
    }
    Ok(())
}

/// The first file that has the place takes the provider's own name, further ones a number.
fn add_openssl(all: &mut Sources, file: &Path) -> Result<()> {
    let source = openssl(file)?;
    let names = (1..).map(|number| if number == 1 { "openssl".into() } else { format!("openssl@{number}") });
    let free = |name: &String| all.sources.iter().all(|source| source.name != *name);
    let name = names.into_iter().find(free).unwrap_or_default();
    all.notes.push(format!("{name} is {}", file.display()));
    all.sources.push(Source { name, ..source });
    Ok(())
}

/// The built-in worker, once for each provider.
pub fn native() -> Result<Vec<Source>> {
    let binary = folders::binary()?;
    let source = |provider: &&str| Source {
        name: (*provider).into(),
        provider: (*provider).into(),
        command: native_command(binary.clone(), provider),
    };
    Ok(PROVIDERS.iter().map(source).collect())
}

/// How a ciphermeter is started as a worker of one provider.
pub fn native_command(binary: PathBuf, provider: &str) -> Command {
    let arguments = ["worker", "native", "--provider", provider].map(String::from).into();
    Command { program: binary, arguments, folder: None, environment: Vec::new() }
}

/// The built-in worker with a libcrypto of that file.
pub fn openssl(file: &Path) -> Result<Source> {
    let path = file.canonicalize().with_context(|| format!("the library {} can't be opened", file.display()))?;
    let Some(path) = path.to_str().filter(|_| path.is_file()) else {
        bail!("the library {} can't be opened: give a file whose path is UTF-8", file.display());
    };
    let mut command = native_command(folders::binary()?, "openssl");
    command.environment.push(("CIPHERMETER_OPENSSL".into(), path.into()));
    Ok(Source { name: "openssl".into(), provider: "openssl".into(), command })
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
