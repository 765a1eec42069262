//! Files with options: `./ciphermeter.toml`, and `ciphermeter/config.toml` in the XDG config folder.
//!
//! Their keys are named like the flags, and their values become the command line's defaults, so flags and environment
//! variables take precedence. A folder from elsewhere chooses what is measured and how it is shown. It never chooses what is run
//! or loaded, nor where anything is written, nor what is read beyond it: the user's own file may, unless other users may write it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use ciphermeter_core::{Seconds, Share, line_at, toml_error};
use ciphermeter_terminal::own_folders;
use clap::Command;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toml::de::DeTable;

use crate::args::Color;
use crate::{outside, scenarios};

const HERE: &str = "./ciphermeter.toml";

/// A variable of this program's own: where it is set, files say where things are and how they look, and nothing of what is measured.
pub const ONLY_PLACES: &str = "CIPHERMETER_ONLY_PLACES";
/// The keys that say what is measured, and for how long.
const MEASURED: [&str; 7] = ["scenario", "budget", "precision", "threshold", "worker", "openssl", "against"];

/// The keys whose values are paths.
const PATHS: [&str; 3] = ["store", "workers", "openssl"];

/// The keys that a file may have. What applies to one run only (a seed, lists of what to measure, where to write) is
/// missing: lists belong in a scenario's file.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct ConfigOptions {
    scenario: Option<ScenarioName>,
    budget: Option<Seconds>,
    precision: Option<Share>,
    patience: Option<Seconds>,
    threshold: Option<Share>,
    color: Option<Color>,
    quiet: Option<bool>,
    store: Option<ConfigPath>,
    workers: Option<ConfigPath>,
    worker: Option<Vec<String>>,
    openssl: Option<Vec<ConfigPath>>,
    against: Option<String>,
}

/// An existing scenario: a curated one, or a file.
#[derive(Debug, Deserialize, Serialize)]
#[serde(try_from = "String")]
struct ScenarioName(String);

impl TryFrom<String> for ScenarioName {
    type Error = anyhow::Error;

    fn try_from(name: String) -> Result<Self> {
        scenarios::check_name(&name).map(|()| Self(name))
    }
}

/// A path; a relative one starts at the file's folder.
#[derive(Debug, Deserialize, Serialize)]
#[serde(try_from = "String")]
struct ConfigPath(String);

impl TryFrom<String> for ConfigPath {
    type Error = &'static str;

    fn try_from(path: String) -> Result<Self, &'static str> {
        if path.is_empty() { Err("an empty path; give a path, or remove the line") } else { Ok(Self(path)) }
    }
}

type Defaults = BTreeMap<String, Vec<OsString>>;

/// The command with the files' values as its defaults.
pub fn apply(command: Command) -> Result<Command> {
    let own = own_folders::config().map(|folder| folder.join("config.toml"));
    let mut command = command;
    if let Some((file, folder)) = own.as_ref().and_then(|file| Some((file, file.parent()?))) {
        if file.exists() {
            own_folders::check_own(folder, file, "choose another folder with XDG_CONFIG_HOME")?;
        }
        if let Some(text) = read(file)? {
            command = with_defaults(command, &parsed(file, &text)?.defaults(Some(folder))?);
        }
    }
    let here = Path::new(HERE);
    if !outside::stays_here(here) {
        bail!(
            "cannot read {HERE}: it is a link that leads out of the current folder; copy the file, or remove the link"
        );
    }
    if let Some(text) = read(here)? {
        // First: what must not be there is not to be corrected.
        check_stays_here(&text, own.as_deref())?;
        command = with_defaults(command, &parsed(here, &text)?.defaults(None)?);
    }
    Ok(command)
}

fn with_defaults(command: Command, defaults: &Defaults) -> Command {
    let set = |arg: clap::Arg| match defaults.get(arg.get_id().as_str()) {
        Some(values) => arg.default_values(values),
        None => arg,
    };
    command.mut_args(set).mut_subcommands(|inner| with_defaults(inner, defaults))
}

fn read(file: &Path) -> Result<Option<String>> {
    match outside::options(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => bail!("cannot read {}: {error}; correct the file, or remove it", file.display()),
    }
}

fn parsed(file: &Path, text: &str) -> Result<ConfigOptions> {
    toml::from_str(text)
        .map_err(|error| anyhow!("{}, {}; correct it, or remove the line", file.display(), toml_error(&error, text)))
}

/// Refuses keys that would run a program, load code, write somewhere, or read what is not in the current
/// folder, whatever they hold. What is no TOML has none of them.
fn check_stays_here(text: &str, own: Option<&Path>) -> Result<()> {
    const RUNS: &str = "names programs to run or code to load";
    let Ok(table) = DeTable::parse(text) else { return Ok(()) };
    let leads_out = |name: &str| scenarios::is_file(name) && !outside::stays_here(Path::new(name));
    for (key, value) in table.get_ref() {
        let name: &str = key.get_ref();
        let what = match name {
            "store" => "names a file to write",
            "workers" | "worker" | "openssl" | "against" => RUNS,
            "scenario" if value.get_ref().as_str().is_some_and(leads_out) => "leads out of the current folder",
            _ => continue,
        };
        let instead = match name {
            "scenario" => "name the file with `ciphermeter run FILE`".into(),
            "store" => "set CIPHERMETER_STORE, or give --store".into(),
            _ => {
                let own = own.map_or("ciphermeter/config.toml in the XDG config folder".into(), Path::to_string_lossy);
                format!("put it into {own}, or give --{name}")
            }
        };
        bail!(
            "{HERE}, line {}: `{name}` {what}, which the configuration of the current folder must not do; remove the line, \
             and {instead}",
            line_at(text, key.span().start)
        )
    }
    Ok(())
}

impl ConfigOptions {
    /// The arguments' defaults; relative paths start in `folder`, or in the current folder.
    fn defaults(&self, folder: Option<&Path>) -> Result<Defaults> {
        let default = |key: &str, value: Value| {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let is_path = PATHS.contains(&key) || key == "scenario" && scenarios::is_file(&text);
            match folder.filter(|_| is_path) {
                Some(folder) => folder.join(text).into_os_string(),
                None => text.into(),
            }
        };
        let defaults = |(key, value): (String, Value)| {
            let values = if let Value::Array(all) = value { all } else { vec![value] };
            let values = values.into_iter().map(|value| default(&key, value)).collect();
            (key, values)
        };
        let only_places = std::env::var_os(ONLY_PLACES).is_some();
        let is_skipped = |key: &str| only_places && MEASURED.contains(&key);
        let mut all: BTreeMap<String, Value> = serde_json::from_value(serde_json::to_value(self)?)?;
        all.retain(|key, value| !value.is_null() && !is_skipped(key));
        Ok(all.into_iter().map(defaults).collect())
    }
}
