//! What is compared with an older one, and that older one: a libcrypto, workers or a ciphermeter, recognized by what a user names.
//!
//! `run --against` and `guard` take them. What is named is started or opened, so it only ever comes from the command line or from the
//! user's own configuration, never from a scenario or a store.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use ciphermeter_core::escaped;
use ciphermeter_meter::Source;
use ciphermeter_native::libcryptos;
use ciphermeter_protocol::Command;

use crate::args::WorkersOption;
use crate::built_in::{openssl, worker};
use crate::other_ciphermeter::{is_ciphermeter, providers};
use crate::own_worker::{self, command};
use crate::workers;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Side {
    Library(PathBuf),
    /// Another ciphermeter; its built-in providers are measured.
    Ciphermeter(PathBuf),
    /// A folder with a folder for each worker, which are built.
    Workers(PathBuf),
    Worker(Command),
}

/// What may be named.
const GIVE: &str = "give a libcrypto, a worker command, a folder of workers or a ciphermeter binary";

/// Whether a file is called as shared libraries are: `libcrypto.so`, `libcrypto.so.3`, `libcrypto.dylib`.
fn is_library(name: &str) -> bool {
    let is_version =
        |version: &str| version.starts_with('.') && version[1..].starts_with(|first: char| first.is_ascii_digit());
    let after = name.rsplit_once(".so").map(|(_, after)| after);
    name.ends_with(".dylib") || after.is_some_and(|after| after.is_empty() || is_version(after))
}

impl Side {
    /// Determines what a text names: a folder stands for its libcrypto or its workers, a file named like a library is a library, and a
    /// program that identifies itself as a ciphermeter is a ciphermeter; everything else is a worker's command, split into words as a
    /// shell does. `what` names the argument in errors.
    pub fn read(text: &str, what: &str) -> Result<Self> {
        let path = Path::new(text);
        if path.is_dir() {
            return Self::of_folder(path, what);
        }
        let shown = escaped(text);
        if path.is_file() {
            let path = path.canonicalize().with_context(|| format!("cannot read {shown}"))?;
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if is_library(&name) {
                return Ok(Self::Library(path));
            }
            if is_ciphermeter(&path) {
                return Ok(Self::Ciphermeter(path));
            }
            return Ok(Self::Worker(Command::new(path, Vec::new())));
        }
        if path.exists() {
            bail!("{what}: {shown} is a device, pipe or socket; {GIVE}");
        }
        let Some(command) = command(text) else {
            bail!("{what} `{shown}` names nothing; {GIVE}");
        };
        if is_library(text) && command.arguments.is_empty() {
            bail!("{what}: there is no library {shown}; give the path of its file");
        }
        Ok(Self::Worker(command))
    }

    fn of_folder(path: &Path, what: &str) -> Result<Self> {
        let folder = || WorkersOption { workers: Some(path.to_owned()) };
        match libcryptos::files(path) {
            Ok(_) => match libcryptos::only(path) {
                Ok(file) => Ok(Self::Library(file)),
                Err(why) => bail!("{what}: {why}"),
            },
            Err(_) if workers::find(&folder()).is_ok_and(|found| !found.is_empty()) => {
                Ok(Self::Workers(path.canonicalize()?))
            }
            Err(why) => bail!("{what}: {why}, or a folder of workers, each in a folder with its worker.toml"),
        }
    }

    /// Whether the built-in worker hosts it, this binary's or another's.
    pub fn is_native(&self) -> bool {
        matches!(self, Self::Library(_) | Self::Ciphermeter(_))
    }

    /// Its providers, each as a source with `mark` behind its name; a worker has so long to describe itself. `what` names the argument.
    pub fn sources(&self, mark: &str, what: &str, patience: Duration) -> Result<Vec<Source>> {
        let named = |provider: String, command| Source::new(format!("{provider}{mark}"), provider, command);
        match self {
            Self::Library(file) => {
                let library = openssl(file, patience)?;
                Ok(library.command().cloned().map(|of| named("openssl".into(), of)).into_iter().collect())
            }
            Self::Ciphermeter(binary) => {
                let providers = providers(binary, patience).context(what.to_owned())?;
                let built_in = |provider: String| {
                    let command = worker(binary.clone(), "native", &provider);
                    named(provider, command)
                };
                Ok(providers.into_iter().filter(|provider| provider != "ceiling").map(built_in).collect())
            }
            Self::Workers(folder) => {
                let mut sources = Vec::new();
                for worker in workers::find(&WorkersOption { workers: Some(folder.clone()) })? {
                    // One that stands in for a lesser CPU is no provider of its own.
                    if worker.stands_in().is_some() {
                        continue;
                    }
                    if !worker.is_built() {
                        bail!("{what}: the worker {} is not built: {}", worker.manifest.name, worker.remedy());
                    }
                    let language = Some(worker.manifest.language.clone());
                    let source = |provider: &String| Source {
                        language: language.clone(),
                        ..named(provider.clone(), worker.command(provider))
                    };
                    sources.extend(worker.manifest.providers.iter().map(source));
                }
                Ok(sources)
            }
            Self::Worker(command) => {
                let own = own_worker::ask(command.clone(), patience, GIVE).context(what.to_owned())?;
                Ok(own.providers.into_iter().map(|provider| named(provider, command.clone())).collect())
            }
        }
    }
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
        assert_eq!(Side::read(&library.display().to_string(), "OLD").unwrap(), Side::Library(library.clone()));
        assert_eq!(Side::read(&folder.path().display().to_string(), "OLD").unwrap(), Side::Library(library));
        let worker = Command::new("python3".into(), vec!["my worker.py".into()]);
        assert_eq!(Side::read("python3 'my worker.py'", "OLD").unwrap(), Side::Worker(worker));
    }

    #[test]
    fn text_that_names_nothing_is_refused() {
        for (text, why) in [("", "names nothing"), ("it's", "names nothing"), ("./libx.so.9", "there is no library")] {
            let error = Side::read(text, "--against").unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
        let error = format!(
            "{:#}",
            Side::read("no-such-program-here", "--against")
                .unwrap()
                .sources("@old", "--against", Duration::ZERO)
                .unwrap_err()
        );
        assert!(error.starts_with("--against: no-such-program-here did not start: "), "{error}");
        assert!(
            error.ends_with("; give a libcrypto, a worker command, a folder of workers or a ciphermeter binary"),
            "{error}"
        );
    }

    #[test]
    fn folder_stands_for_its_libcrypto_or_its_workers() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().display().to_string();
        let error = Side::read(&text, "NEW").unwrap_err().to_string();
        assert!(error.starts_with("NEW: there is no libcrypto in ") && error.contains("worker.toml"), "{error}");
        let manifest = "name = \"mine\"\nlanguage = \"C\"\nproviders = [\"mine\"]\nneeds = \"a compiler\"\ncheck = [\"true\"]\nbuild = [\"true\"]\nrun = [\"./worker\"]\nbuilt = \"worker\"\n";
        std::fs::create_dir(folder.path().join("mine")).unwrap();
        std::fs::write(folder.path().join("mine/worker.toml"), manifest).unwrap();
        assert_eq!(Side::read(&text, "NEW").unwrap(), Side::Workers(folder.path().to_owned()));
        std::fs::write(folder.path().join("libcrypto.so.3"), "").unwrap();
        assert!(matches!(Side::read(&text, "NEW").unwrap(), Side::Library(_)), "a library is what most name");
    }

    #[test]
    fn what_is_no_file_is_refused() {
        let error = Side::read("/dev/zero", "NEW").unwrap_err().to_string();
        assert!(error.starts_with("NEW: /dev/zero is a device, pipe or socket; give a libcrypto"), "{error}");
    }
}
