//! Workers in other languages: folders with a `worker.toml` that defines how to check, build and run them.
//!
//! They are commands, so they are only ever looked for where the user put them: beside the binary, under XDG data, or
//! in the folder that an option names. Never in the current folder.

mod manifest;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use ciphermeter_core::{Mask, escaped};
use ciphermeter_protocol::Command;

use crate::args::WorkersOption;
use crate::folders;
use manifest::Manifest;

/// A worker in another language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    folder: PathBuf,
    manifest: Manifest,
}

/// All workers, by name. A name that occurs twice is taken from the first place.
pub fn find(option: &WorkersOption) -> Result<Vec<Foreign>> {
    let mut found: Vec<Foreign> = Vec::new();
    for place in places(option) {
        let Ok(entries) = fs::read_dir(&place) else {
            if option.workers.is_some() {
                bail!("cannot read the workers' folder {}; give another with --workers", place.display());
            }
            continue;
        };
        let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        folders.retain(|folder| folder.join("worker.toml").is_file());
        folders.sort();
        for folder in folders {
            let worker = Foreign::read(&folder)?;
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
    fn read(folder: &Path) -> Result<Self> {
        let manifest = Manifest::read(folder)?;
        // The folder is where the worker's commands run, so its path must stay valid whatever the current folder is.
        let folder = folder.canonicalize().with_context(|| format!("cannot read the folder {}", folder.display()))?;
        Ok(Self { folder, manifest })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.manifest.name
    }

    /// The language whose users call these libraries.
    pub fn language(&self) -> &str {
        &self.manifest.language
    }

    /// The providers that it hosts.
    pub fn providers(&self) -> &[String] {
        &self.manifest.providers
    }

    /// What to install where its toolchain is missing.
    pub fn needs(&self) -> &str {
        &self.manifest.needs
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The CPU for which it replaces a built-in provider.
    pub fn stands_in(&self) -> Option<Mask> {
        self.manifest.stands_in.map(|feature| feature.0)
    }

    /// The environment that disables the mask's instructions in a provider, or why there is none.
    pub fn switch(&self, provider: &str, mask: Mask) -> Result<Vec<(String, String)>, String> {
        self.manifest.switch(provider, mask)
    }

    /// How to run it for one provider: libraries that are not measured must not be in the process.
    pub fn command(&self, provider: &str) -> Command {
        self.run(Manifest::for_provider(&self.manifest.run, provider))
    }

    fn run(&self, words: Vec<String>) -> Command {
        let mut words = words.into_iter();
        let program = self.program(&words.next().unwrap_or_default());
        Command { program, arguments: words.collect(), folder: Some(self.folder.clone()), environment: Vec::new() }
    }

    /// A program with a slash is the worker's own; one without is looked for in PATH.
    fn program(&self, word: &str) -> PathBuf {
        if word.contains('/') { self.folder.join(word.trim_start_matches("./")) } else { word.into() }
    }

    /// Whether it is built.
    pub fn is_built(&self) -> bool {
        self.folder.join(&self.manifest.built).is_file()
    }

    /// The first line of its toolchain's output if it is installed and new enough, otherwise the reason.
    pub fn toolchain(&self) -> Result<String, String> {
        let program = &self.manifest.check[0];
        let output = self.process(&self.manifest.check).output().map_err(|_| format!("there is no `{program}`"))?;
        let line = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
            escaped(line)
        };
        match output.status.success() {
            true => Ok(line(&output.stdout)),
            false => Err(Some(line(&output.stderr))
                .filter(|why| !why.is_empty())
                .unwrap_or_else(|| format!("`{}` ended with {}", self.manifest.check.join(" "), output.status))),
        }
    }

    /// Builds it; its compiler's messages go to standard error.
    pub fn build(&self) -> Result<()> {
        let line = self.manifest.build.join(" ");
        let status = self.process(&self.manifest.build).status();
        let status = status.with_context(|| format!("`{line}` did not start in {}", self.folder.display()))?;
        if !status.success() {
            bail!("`{line}` failed in {} with {status}", self.folder.display());
        }
        if !self.is_built() {
            bail!("`{line}` succeeded in {}, but did not create {}", self.folder.display(), self.manifest.built);
        }
        Ok(())
    }

    fn process(&self, words: &[String]) -> std::process::Command {
        let mut process = std::process::Command::new(self.program(&words[0]));
        process.args(&words[1..]).current_dir(&self.folder).stdin(Stdio::null());
        process
    }
}
