//! The older library, worker or ciphermeter that `run --against` names, and its sources.
//!
//! Its providers are measured under their names with [`Against::MARK`] appended. The named file or command is started
//! or opened, so it is only ever taken from the command line or from the user's own configuration, never from a
//! scenario or a store.

use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::time::Duration;

use anyhow::{Context, Error, Result, bail};
use ciphermeter_core::{Against, escaped, quoted_path};
use ciphermeter_meter::Source;
use ciphermeter_native::libcryptos;
use ciphermeter_protocol::Command;

use crate::built_in::{openssl, worker};
use crate::own_worker::{self, command};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Old {
    Library(PathBuf),
    /// Another ciphermeter; its built-in providers are measured.
    Ciphermeter(PathBuf),
    Worker(Command),
}

impl Old {
    /// Determines what a text names: a folder stands for its libcrypto, a file named like a library is a library, and a program that identifies itself as
    /// a ciphermeter is a ciphermeter; everything else is a worker's command, split into words as a shell does.
    pub fn read(text: &str) -> Result<Self> {
        let path = Path::new(text);
        if path.is_dir() {
            return libcryptos::only(path).map(Self::Library).map_err(|why| Error::msg(format!("--against: {why}")));
        }
        if path.is_file() {
            let path = path.canonicalize().with_context(|| format!("cannot read {}", escaped(text)))?;
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.contains(".so") || name.ends_with(".dylib") {
                return Ok(Self::Library(path));
            }
            if says_ciphermeter(&path) {
                return Ok(Self::Ciphermeter(path));
            }
            return Ok(Self::Worker(Command::new(path, Vec::new())));
        }
        let shown = escaped(text);
        let Some(command) = command(text) else {
            bail!("--against `{shown}` names nothing; it needs a libcrypto, a worker command or a ciphermeter binary");
        };
        if text.contains(".so") && command.arguments.is_empty() {
            bail!("there is no library {shown}; give the path of its file");
        }
        Ok(Self::Worker(command))
    }

    /// Whether the built-in worker hosts it, this binary's or another's.
    pub fn is_native(&self) -> bool {
        matches!(self, Self::Library(_) | Self::Ciphermeter(_))
    }

    /// The older side's providers, each as a source; a worker has so long to describe itself.
    pub fn sources(&self, patience: Duration) -> Result<Vec<Source>> {
        let named = |provider: String, command| Source::new(format!("{provider}{}", Against::MARK), provider, command);
        match self {
            Self::Library(file) => Ok(openssl(file, patience)?
                .command()
                .cloned()
                .map(|of| named("openssl".into(), of))
                .into_iter()
                .collect()),
            Self::Ciphermeter(binary) => {
                let list = process::Command::new(binary).args(["worker", "native", "--list"]).output();
                let list = list.with_context(|| format!("{} did not start", quoted_path(binary)))?;
                let providers = String::from_utf8_lossy(&list.stdout).into_owned();
                let built_in = |provider: &str| named(provider.into(), worker(binary.clone(), "native", provider));
                Ok(providers.lines().filter(|provider| *provider != "ceiling").map(built_in).collect())
            }
            Self::Worker(command) => {
                let give = "give a libcrypto, a worker command or a ciphermeter binary";
                let own = own_worker::ask(command.clone(), patience, give).context("--against")?;
                Ok(own.providers.into_iter().map(|provider| named(provider, command.clone())).collect())
            }
        }
    }
}

fn says_ciphermeter(program: &Path) -> bool {
    let said = process::Command::new(program).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output();
    said.is_ok_and(|said| said.status.success() && said.stdout.starts_with(b"ciphermeter "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_recognised_as_library_ciphermeter_or_worker() {
        let folder = tempfile::tempdir().unwrap();
        let library = folder.path().join("libcrypto.so.3");
        std::fs::write(&library, "").unwrap();
        let library = library.canonicalize().unwrap();
        assert_eq!(Old::read(&library.display().to_string()).unwrap(), Old::Library(library.clone()));
        assert_eq!(Old::read(&folder.path().display().to_string()).unwrap(), Old::Library(library));
        let worker = Command::new("python3".into(), vec!["my worker.py".into()]);
        assert_eq!(Old::read("python3 'my worker.py'").unwrap(), Old::Worker(worker));
    }

    #[test]
    fn text_that_names_nothing_is_refused() {
        for (text, why) in [("", "names nothing"), ("it's", "names nothing"), ("./libx.so.9", "there is no library")] {
            let error = Old::read(text).unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
        let error = format!("{:#}", Old::read("no-such-program-here").unwrap().sources(Duration::ZERO).unwrap_err());
        assert!(error.starts_with("--against: no-such-program-here did not start: "), "{error}");
        assert!(error.ends_with("; give a libcrypto, a worker command or a ciphermeter binary"), "{error}");
    }
}
