//! The `ciphermeter` binary, started as by a user, but always under the same conditions.
//!
//! Measurements of the instrument must mean the same everywhere. So the binary gets none of the user's settings: no
//! `CIPHERMETER_*`, no configuration in the XDG folders, and no `ciphermeter.toml` in the current folder.

use std::ffi::OsStr;
use std::path::{Path, PathBuf, absolute};
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, Result, bail};
use ciphermeter_core::{Record, Run};
use ciphermeter_store::Store;
use tempfile::TempDir;

use crate::worker;

/// Exit codes after which there is a run to read: success, a regression, a missing part.
const MEASURED: [i32; 3] = [0, 1, 5];

/// The binary, its workers, and its store.
pub struct Ciphermeter {
    binary: PathBuf,
    workers: PathBuf,
    store: PathBuf,
    /// The current folder of the started processes, with empty XDG folders; removed when this is dropped.
    folder: TempDir,
}

impl Ciphermeter {
    /// The named binary, or the one beside this program. Without `store`, runs are stored in a temporary folder.
    pub fn new(binary: Option<&Path>, workers: &Path, store: Option<&Path>) -> Result<Self> {
        let binary = match binary {
            Some(file) => file.to_owned(),
            None => {
                std::env::current_exe().context("cannot find this program's own file")?.with_file_name("ciphermeter")
            }
        };
        if !binary.is_file() {
            bail!("there is no binary {}; build it with `make`, or choose another with --binary", binary.display());
        }
        let folder = tempfile::Builder::new().prefix("ciphermeter-lab-").tempdir();
        let folder = folder.context("cannot create a temporary folder; choose another place with TMPDIR")?;
        let store = store.map_or_else(|| Ok(folder.path().join("runs.db")), absolute)?;
        Ok(Self { binary: absolute(binary)?, workers: absolute(workers)?, store, folder })
    }

    /// Its file.
    pub fn binary(&self) -> &Path {
        &self.binary
    }

    /// The folder with the workers in other languages.
    pub fn workers(&self) -> &Path {
        &self.workers
    }

    /// Bytes of its store; 0 before the first run.
    pub fn stored(&self) -> u64 {
        std::fs::metadata(&self.store).map_or(0, |file| file.len())
    }

    /// A path in the temporary folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// An example of the workspace, where cargo puts it beside the binary.
    pub fn example(&self, name: &str) -> PathBuf {
        self.binary.with_file_name("examples").join(name)
    }

    /// The command of its built-in worker: `native` or `transfer`, with one provider.
    pub fn worker(&self, worker: &str, provider: &str) -> ciphermeter_protocol::Command {
        worker::command(self.binary.clone(), ["worker", worker, "--provider", provider].map(String::from).into())
    }

    /// Starts it without any of the user's settings.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.binary);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("CIPHERMETER_") {
                command.env_remove(name);
            }
        }
        for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
            command.env(name, self.path(name));
        }
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        command
    }

    /// Measures with `run` and these arguments; progress and errors go to standard error.
    pub fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Result<(Run, Vec<Record>)> {
        let mut command = self.command();
        command.arg("run").args(arguments).arg("--workers").arg(&self.workers).arg("--store").arg(&self.store);
        let status = command.stdout(Stdio::null()).status();
        let status = status.with_context(|| format!("{} did not start", self.binary.display()))?;
        check(status)?;
        let store = Store::open_read_only(&self.store)?;
        let last = store.latest()?.context("the run left nothing in its store")?;
        Ok(store.load(last)?)
    }
}

fn check(status: ExitStatus) -> Result<()> {
    match status.code() {
        Some(code) if MEASURED.contains(&code) => Ok(()),
        _ => bail!("`ciphermeter run` ended with {status}"),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    fn ciphermeter(binary: &str) -> Result<Ciphermeter> {
        Ciphermeter::new(Some(Path::new(binary)), Path::new("workers"), None)
    }

    #[test]
    fn missing_binary_is_named() {
        let error = ciphermeter("no/such/file").err().expect("an error").to_string();
        assert!(error.contains("no/such/file") && error.contains("--binary"), "{error}");
    }

    #[test]
    fn failed_run_is_an_error() {
        let error = ciphermeter("/bin/false").unwrap().run::<&str>(&[]).unwrap_err().to_string();
        // `false` ends with 1, as a regression does, but there is no store to read.
        assert!(error.contains("store"), "{error}");
        let error = check(ExitStatusExt::from_raw(2 << 8)).unwrap_err().to_string();
        assert!(error.contains("exit status: 2"), "{error}");
    }

    #[test]
    fn started_process_gets_no_user_settings() {
        let ciphermeter = ciphermeter("/bin/sh").unwrap();
        let command = ciphermeter.command();
        let config = command.get_envs().find(|(name, _)| *name == "XDG_CONFIG_HOME").and_then(|(_, value)| value);
        assert!(Path::new(config.unwrap()).starts_with(ciphermeter.path("")), "{command:?}");
        assert_eq!(command.get_current_dir(), Some(ciphermeter.path("").as_path()));
    }
}
