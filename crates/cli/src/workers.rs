//! Workers of other languages: folders with a `worker.toml` that says how to check, build and run them.
//!
//! They are commands, so they are only ever looked for where the user put them: beside the binary, under XDG data, or in
//! the folder that an option names. Never in whatever folder one happens to stand in.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, anyhow, bail};
use ciphermeter_protocol::Command;
use serde::Deserialize;

use crate::args::WorkersOption;
use crate::{folders, outside};

/// A `worker.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    /// The worker's name, that of its folder.
    name: String,
    /// The providers that it hosts.
    providers: Vec<String>,
    /// Succeeds where the toolchain is there.
    check: Vec<String>,
    /// What to install where it isn't.
    needs: String,
    /// Builds it.
    build: Vec<String>,
    /// Runs it; a relative program is looked for in the worker's own folder.
    run: Vec<String>,
}

/// A worker of another language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    folder: PathBuf,
    manifest: Manifest,
}

/// Every worker that is there, by name. One that is found twice is taken from the first place.
pub fn find(option: &WorkersOption) -> Result<Vec<Foreign>> {
    let mut found: Vec<Foreign> = Vec::new();
    for place in places(option) {
        let Ok(entries) = fs::read_dir(&place) else {
            if option.workers.is_some() {
                bail!("the workers' folder {} can't be read: give another with --workers", place.display());
            }
            continue;
        };
        let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        folders.retain(|folder| folder.join("worker.toml").is_file());
        folders.sort();
        for folder in folders {
            let worker = Foreign::read(folder)?;
            if found.iter().all(|known| known.name() != worker.name()) {
                found.push(worker);
            }
        }
    }
    Ok(found)
}

fn places(option: &WorkersOption) -> Vec<PathBuf> {
    if let Some(folder) = &option.workers {
        return vec![folder.clone()];
    }
    let beside = folders::binary().ok().and_then(|binary| Some(binary.parent()?.join("workers")));
    beside.into_iter().chain(folders::data().map(|data| data.join("workers"))).collect()
}

impl Foreign {
    fn read(folder: PathBuf) -> Result<Self> {
        let file = folder.join("worker.toml");
        let context = || format!("{} can't be read: correct it, or take its folder away", file.display());
        let text = outside::read(&file).with_context(context)?;
        let manifest: Manifest = toml::from_str(&text)
            .map_err(|error| anyhow!("{}, {}: correct it", file.display(), outside::one_line(&error, &text)))?;
        if manifest.run.is_empty() || manifest.build.is_empty() || manifest.check.is_empty() {
            bail!("{}: `check`, `build` and `run` must each name a program", file.display());
        }
        // The folder is where the worker's commands run, so its path must stay right whatever the current folder is.
        let folder = folder.canonicalize().with_context(context)?;
        Ok(Self { folder, manifest })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.manifest.name
    }

    /// The providers that it hosts.
    pub fn providers(&self) -> &[String] {
        &self.manifest.providers
    }

    /// What to install where its toolchain is missing.
    pub fn needs(&self) -> &str {
        &self.manifest.needs
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How to run it.
    pub fn command(&self) -> Command {
        Command {
            program: self.program(&self.manifest.run[0]),
            arguments: self.manifest.run[1..].to_vec(),
            folder: Some(self.folder.clone()),
            environment: Vec::new(),
        }
    }

    /// A program with a slash is the worker's own; one without is looked for in PATH.
    fn program(&self, word: &str) -> PathBuf {
        if word.contains('/') { self.folder.join(word.trim_start_matches("./")) } else { word.into() }
    }

    /// Whether its program is there.
    pub fn is_built(&self) -> bool {
        let program = &self.manifest.run[0];
        !program.contains('/') || self.program(program).is_file()
    }

    /// The first line that its toolchain says of itself, if it is there.
    pub fn toolchain(&self) -> Option<String> {
        let output = self.process(&self.manifest.check).stderr(Stdio::null()).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().trim().to_string();
        output.status.success().then_some(text)
    }

    /// Builds it; its compiler's messages go to standard error.
    pub fn build(&self) -> Result<()> {
        let line = self.manifest.build.join(" ");
        let status = self.process(&self.manifest.build).status();
        let status = status.with_context(|| format!("`{line}` does not start in {}", self.folder.display()))?;
        if !status.success() {
            bail!("`{line}` failed in {} with {status}", self.folder.display());
        }
        Ok(())
    }

    fn process(&self, words: &[String]) -> std::process::Command {
        let mut process = std::process::Command::new(self.program(&words[0]));
        process.args(&words[1..]).current_dir(&self.folder).stdin(Stdio::null());
        process
    }
}
