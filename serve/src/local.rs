//! The runs of this machine, asked from the binary, which alone reads the store.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use ciphermeter_core::{escaped, shortened};
use ciphermeter_host::{cpus, lock};
use ciphermeter_terminal::{own_folders, subcommand};
use rustix::process::{Pid, setpriority_process};
use serde::Deserialize;

/// The lowest priority of a process.
const LOWEST: i32 = 19;

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
    let is_there = own_folders::data().is_some_and(|data| data.join(own_folders::STORE).exists());
    if is_there { runs(&[], Asked::Plainly) } else { Ok(Vec::new()) }
}

/// How the binary is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// For this command's user, who sees its remarks.
    Plainly,
    /// While a run may be under way: by a process of the lowest priority, whose remarks would be repeated at each look.
    Gently,
}

/// The runs of the store, the first first.
pub fn runs(store: &[String], how: Asked) -> Result<Vec<LocalRun>> {
    let json = asked(&[&["list".into(), "--json".into()], store].concat(), how)?;
    Ok(serde_json::from_slice::<List>(&json).context("cannot read what `ciphermeter list --json` printed")?.runs)
}

/// A run's export.
pub fn export(run: i64, store: &[String], how: Asked) -> Result<Vec<u8>> {
    let words = ["export", &run.to_string(), "--format", "json", "--output", "-"].map(String::from);
    asked(&[&words, store].concat(), how)
}

fn binary() -> Result<PathBuf> {
    match subcommand::find("ciphermeter") {
        Some(binary) => Ok(binary),
        None => bail!("cannot find the program ciphermeter: put it beside ciphermeter-serve, or into a folder of PATH"),
    }
}

fn asked(words: &[String], how: Asked) -> Result<Vec<u8>> {
    let binary = binary()?;
    let mut command = Command::new(&binary);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::piped());
    command.stderr(if how == Asked::Gently { Stdio::piped() } else { Stdio::inherit() });
    let child = command.spawn().with_context(|| format!("cannot start {}", binary.display()))?;
    if how == Asked::Gently {
        // That fails where the process has ended already.
        let _ = i32::try_from(child.id()).map(|id| setpriority_process(Pid::from_raw(id), LOWEST));
    }
    let output = child.wait_with_output()?;
    // 2 is also what it says of a store that is not there, with the remedy.
    if !output.status.success() && output.stdout.is_empty() {
        let why = String::from_utf8_lossy(&output.stderr);
        let why = if why.is_empty() { String::new() } else { format!(": {}", shortened(&escaped(why.trim()))) };
        bail!("`ciphermeter {}` did not give the runs{why}", words.join(" "));
    }
    Ok(output.stdout)
}

/// Whether a run is under way into this user's store. Looking starts no process.
pub fn is_measuring() -> bool {
    let lock = [own_folders::STORE, own_folders::LOCK].concat();
    own_folders::data().is_some_and(|data| lock::is_taken(&data.join(lock)))
}

/// Does work that a run under way is not to feel: on other CPUs than that of its workers, and than that of its harness if there are more.
///
/// # Errors
/// Those of the work, or the CPUs cannot be chosen.
pub fn beside_a_run<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    match cpus::pinning().map(|run| others(&cpus::allowed(), run)).filter(|cpus| !cpus.is_empty()) {
        Some(cpus) => cpus::with_mask(&cpus, work).context("cannot leave the CPU that is measured")?,
        None => work(),
    }
}

fn others(allowed: &[usize], run: cpus::Pinning) -> Vec<usize> {
    let without =
        |used: &[usize]| -> Vec<usize> { allowed.iter().copied().filter(|cpu| !used.contains(cpu)).collect() };
    Some(without(&[run.worker, run.harness])).filter(|cpus| !cpus.is_empty()).unwrap_or_else(|| without(&[run.worker]))
}

/// This machine's name.
pub fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_run_on_no_cpu_of_the_run_if_others_are_left() {
        let run = cpus::Pinning { worker: 3, harness: 0, shared: false, siblings: false };
        assert_eq!(others(&[0, 1, 2, 3], run), [1, 2]);
        assert_eq!(others(&[0, 3], run), [0]);
        assert_eq!(others(&[3], cpus::Pinning { harness: 3, shared: true, ..run }), [0; 0]);
    }
}
