//! The runs of this machine, asked from the binary, which alone reads the store.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use ciphermeter_terminal::{own_folders, subcommand};
use serde::Deserialize;

#[derive(Deserialize)]
struct List {
    runs: Vec<LocalRun>,
}

/// A run in the local store.
#[derive(Debug, Deserialize)]
pub struct LocalRun {
    /// Its number there.
    pub run: i64,
    /// When it began.
    pub started: String,
    /// `complete`, `partial`, …
    pub status: String,
    /// Whether another machine measured it.
    pub imported: bool,
}

impl LocalRun {
    /// Whether nothing will be added to it.
    pub fn has_ended(&self) -> bool {
        self.status != "open"
    }
}

/// The runs of this user's store; none where there is no store yet.
pub fn runs_if_any() -> Result<Vec<LocalRun>> {
    let is_there = own_folders::data().is_some_and(|data| data.join("runs.db").exists());
    if is_there { runs(&[]) } else { Ok(Vec::new()) }
}

/// The runs of the store, the first first.
pub fn runs(store: &[String]) -> Result<Vec<LocalRun>> {
    let json = asked(&[&["list".into(), "--json".into()], store].concat())?;
    Ok(serde_json::from_slice::<List>(&json).context("cannot read what `ciphermeter list --json` printed")?.runs)
}

/// A run's export.
pub fn export(run: i64, store: &[String]) -> Result<Vec<u8>> {
    let words = ["export", &run.to_string(), "--format", "json", "--output", "-"].map(String::from);
    asked(&[&words, store].concat())
}

fn asked(words: &[String]) -> Result<Vec<u8>> {
    let Some(binary) = subcommand::find("ciphermeter") else {
        bail!("cannot find the program ciphermeter: put it beside ciphermeter-serve, or into a folder of PATH");
    };
    // What it says on standard error is for this command's user.
    let output = Command::new(&binary).args(words).stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("cannot start {}", binary.display()))?;
    // 2 is also what it says of a store that is not there, with the remedy.
    if !output.status.success() && output.stdout.is_empty() {
        bail!("`ciphermeter {}` did not give the runs", words.join(" "));
    }
    Ok(output.stdout)
}

/// This machine's name.
pub fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
