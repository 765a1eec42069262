//! The workers in other languages: from each `worker.toml`, what it takes to run the worker and its plain program.
//!
//! docs/writing-a-worker.md describes the complete file; the binary checks it, so other keys are ignored here.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ciphermeter_protocol::Command;
use serde::Deserialize;

/// Placeholder for a provider's name in a command.
const PROVIDER: &str = "{provider}";

/// A worker and its folder.
#[derive(Debug, Deserialize)]
pub struct Foreign {
    #[serde(skip)]
    folder: PathBuf,
    /// The providers that it hosts on this machine; none where it runs on devices.
    #[serde(default)]
    pub providers: Vec<String>,
    /// A file in its folder that exists once it is built.
    built: String,
    #[serde(default)]
    run: Vec<String>,
    #[serde(default)]
    plain: Vec<String>,
    /// It replaces a built-in provider on CPUs that lack these instructions.
    #[serde(default)]
    stands_in: Option<String>,
}

/// The workers in a folder that are built and have providers of their own, by name.
pub fn built(folder: &Path) -> Result<Vec<Foreign>> {
    let entries = fs::read_dir(folder);
    let entries = entries.with_context(|| {
        format!("cannot read the workers' folder {}; give another with --workers", folder.display())
    })?;
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    folders.retain(|folder| folder.join("worker.toml").is_file());
    folders.sort();
    let all = folders.iter().map(|folder| read(folder)).collect::<Result<Vec<_>>>()?;
    Ok(all.into_iter().filter(|worker| worker.stands_in.is_none() && worker.is_built()).collect())
}

fn read(folder: &Path) -> Result<Foreign> {
    let file = folder.join("worker.toml");
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let worker: Foreign = toml::from_str(&text).with_context(|| format!("{} is wrong", file.display()))?;
    if worker.run.is_empty() && !worker.providers.is_empty() {
        bail!("{}: `run` names no program", file.display());
    }
    Ok(Foreign { folder: folder.canonicalize()?, ..worker })
}

impl Foreign {
    /// How to run it for one provider.
    pub fn command(&self, provider: &str) -> Command {
        self.words(&self.run, provider)
    }

    /// Its first provider, and how to run the plain program that calls the same library, if there is one.
    pub fn plain(&self) -> Option<(&str, Command)> {
        let provider = self.providers.first().filter(|_| !self.plain.is_empty())?;
        Some((provider, self.words(&self.plain, provider)))
    }

    fn is_built(&self) -> bool {
        self.folder.join(&self.built).is_file()
    }

    /// A program with a slash is the worker's own; one without is looked for in PATH.
    fn words(&self, words: &[String], provider: &str) -> Command {
        let mut words = words.iter().map(|word| word.replace(PROVIDER, provider));
        let program = words.next().unwrap_or_default();
        let program = match program.contains('/') {
            true => self.folder.join(program.trim_start_matches("./")),
            false => program.into(),
        };
        Command { program, arguments: words.collect(), folder: Some(self.folder.clone()), environment: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SNAKE: &str = r#"
        name = "snake"
        language = "Python"
        providers = ["one", "two"]
        built = "worker.toml"
        run = ["python3", "worker.py", "{provider}"]
        plain = ["./build/plain"]
    "#;

    /// A folder of workers with this one.
    fn folder(text: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("snake")).unwrap();
        fs::write(folder.path().join("snake/worker.toml"), text).unwrap();
        folder
    }

    #[test]
    fn command_is_for_one_provider() {
        let folder = folder(SNAKE);
        let workers = built(folder.path()).unwrap();
        let [worker] = &workers[..] else { panic!("{workers:?}") };
        assert_eq!(worker.providers, ["one", "two"]);
        let (run, (first, plain)) = (worker.command("two"), worker.plain().unwrap());
        assert_eq!((run.program, run.arguments), ("python3".into(), vec!["worker.py".into(), "two".into()]));
        assert!(first == "one" && plain.program.ends_with("snake/build/plain"), "{plain:?}");
        assert_eq!(plain.folder, Some(folder.path().join("snake").canonicalize().unwrap()));
    }

    #[test]
    fn worker_that_is_not_built_or_stands_in_is_omitted() {
        for text in [SNAKE.replace("\"worker.toml\"", "\"build/worker\""), format!("{SNAKE}stands_in = \"aes\"")] {
            assert!(built(folder(&text).path()).unwrap().is_empty(), "{text}");
        }
        let without = SNAKE.lines().filter(|line| !line.contains("plain")).collect::<Vec<_>>().join("\n");
        assert_eq!(built(folder(&without).path()).unwrap()[0].plain(), None);
    }

    #[test]
    fn wrong_file_is_named() {
        for (text, words) in [
            ("built = 7", "worker.toml is wrong"),
            (&SNAKE.replace("\"python3\", \"worker.py\", \"{provider}\"", ""), "`run` names no program"),
        ] {
            let error = format!("{:#}", built(folder(text).path()).unwrap_err());
            assert!(error.contains(words), "{error}");
        }
        let error = built(Path::new("no/such/folder")).unwrap_err().to_string();
        assert!(error.contains("give another with --workers"), "{error}");
    }

    /// Every worker.toml of the repository is valid.
    #[test]
    fn reads_every_worker_of_the_repository() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../workers");
        for entry in fs::read_dir(folder).unwrap().flatten().filter(|entry| entry.path().join("worker.toml").is_file())
        {
            let worker = read(&entry.path()).unwrap();
            assert_eq!(worker.providers.is_empty(), worker.run.is_empty(), "{worker:?}");
        }
    }
}
