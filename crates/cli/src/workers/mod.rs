//! Workers in other languages: folders with a `worker.toml` that defines how to check, build and run them.
//!
//! They are commands, so they are only ever looked for where the user or an installation put them: beside the binary
//! (`workers/`), under XDG data, in `lib/ciphermeter/workers` of the folder whose `bin` has the binary, or in the one
//! folder that an option names. Never in the current folder.
//!
//! A worker is built in its own folder; an installed one in a copy of it under XDG data, unless it came built.

mod age;
mod build;
mod copy;
mod manifest;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use ciphermeter_core::{Mask, escaped, quoted, quoted_path, shell_word};
use ciphermeter_host::{lock, private};
use ciphermeter_protocol::{Command, Describe, LinkError, PipeLink, describe};
use ciphermeter_terminal::{Exit, WithExit, own_folders};
use rustix::fs::Mode;
use rustix::process::umask;

use crate::args::WorkersOption;
use crate::folders;
use copy::Copy;
pub use manifest::EmulatedDevice;
use manifest::Manifest;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    /// Where it is built and run.
    folder: PathBuf,
    /// Of an installed one: `folder` is the copy.
    copy: Option<Copy>,
    pub manifest: Manifest,
}

struct Place {
    folder: PathBuf,
    kind: PlaceKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PlaceKind {
    /// Named by an option, or beside the binary.
    Given,
    /// Under XDG data.
    Own,
    /// In an installation.
    Installed,
}

/// What to do where no worker is found.
pub fn none_found() -> String {
    let or = |data: PathBuf| {
        format!(", or link it to {} (the source has it as `workers`)", quoted_path(&data.join("workers")))
    };
    let link = own_folders::data().map(or).unwrap_or_default();
    format!(
        "no workers of other languages are here: give their folder with --workers{link}, and `ciphermeter workers build NAME` builds one (python, say)"
    )
}

/// All workers, by name. A name that occurs twice is taken from the first place.
pub fn find(option: &WorkersOption) -> Result<Vec<Foreign>> {
    let mut found: Vec<Foreign> = Vec::new();
    for place in places(option) {
        let Ok(entries) = fs::read_dir(&place.folder) else {
            if option.workers.is_some() {
                bail!("cannot read the workers' folder {}; give another with --workers", quoted_path(&place.folder));
            }
            continue;
        };
        let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        folders.retain(|folder| folder.join("worker.toml").is_file());
        folders.sort();
        for folder in folders {
            let check = |within: &str| match place.kind {
                PlaceKind::Own => check_own(&place.folder, &folder.join(within)),
                PlaceKind::Given | PlaceKind::Installed => Ok(()),
            };
            check("worker.toml")?;
            let worker = Foreign::read(&folder, place.kind == PlaceKind::Installed)?;
            check(&worker.manifest.built)?;
            if found.iter().all(|known| known.manifest.name != worker.manifest.name) {
                found.push(worker);
            }
        }
    }
    Ok(found)
}

fn places(option: &WorkersOption) -> Vec<Place> {
    if let Some(folder) = &option.workers {
        return vec![Place { folder: folder.clone(), kind: PlaceKind::Given }];
    }
    let places = [
        (folders::workers_beside(), PlaceKind::Given),
        (own_folders::data().map(|data| data.join("workers")), PlaceKind::Own),
        (folders::installed_workers(), PlaceKind::Installed),
    ];
    places.into_iter().filter_map(|(folder, kind)| Some(Place { folder: folder?, kind })).collect()
}

/// Sees that no other user can have changed a file of a worker under XDG data; `workers` is the folder of all.
fn check_own(workers: &Path, file: &Path) -> Result<()> {
    let data = workers.parent().unwrap_or(workers);
    if file.exists() { own_folders::check_own(data, file, "choose other workers with --workers") } else { Ok(()) }
}

impl Foreign {
    fn read(folder: &Path, installed: bool) -> Result<Self> {
        let manifest = Manifest::read(folder)?;
        // The folder is where the worker's commands run, so its path must stay valid whatever the current folder is.
        let folder =
            folder.canonicalize().with_context(|| format!("cannot read the folder {}", quoted_path(folder)))?;
        let worker = Self { folder, copy: None, manifest };
        let data = own_folders::data().filter(|_| installed && !worker.is_built());
        Ok(data.map_or(worker.clone(), |data| worker.copied_below(&data.join("built"))))
    }

    /// The same worker, built in a copy in that folder.
    fn copied_below(self, folder: &Path) -> Self {
        let to = folder.join(self.folder.file_name().unwrap_or_default());
        let copy = Copy { from: self.folder, to: to.clone() };
        Self { folder: to, copy: Some(copy), manifest: self.manifest }
    }

    pub fn build_command(&self) -> String {
        format!("ciphermeter workers build {}", shell_word(&self.manifest.name))
    }

    /// The folder in which its files are now: an installed worker is copied when it is built.
    pub fn folder(&self) -> &Path {
        match &self.copy {
            Some(copy) if !copy.is_current() => &copy.from,
            _ => &self.folder,
        }
    }

    /// The CPU for which it replaces a built-in provider.
    pub fn stands_in(&self) -> Option<Mask> {
        self.manifest.stands_in.map(|feature| feature.0)
    }

    /// How to run it for one provider: libraries that are not measured must not be in the process.
    pub fn command(&self, provider: &str) -> Command {
        self.run(Manifest::for_provider(&self.manifest.run, provider))
    }

    fn run(&self, words: Vec<String>) -> Command {
        let mut words = words.into_iter();
        let program = program(&self.folder, &words.next().unwrap_or_default());
        Command { folder: Some(self.folder.clone()), ..Command::new(program, words.collect()) }
    }

    /// How to run one of its devices for one provider.
    pub fn emulator(&self, device: &EmulatedDevice, provider: &str) -> Command {
        self.run(Manifest::for_provider(&device.run, provider))
    }

    /// What the emulator of a device runs for one provider; `None` where it is not built.
    pub fn image(&self, device: &EmulatedDevice, provider: &str) -> Option<PathBuf> {
        let image = self.folder.join(Manifest::text_for_provider(&device.image, provider));
        Some(image).filter(|image| image.is_file() && self.copy.as_ref().is_none_or(Copy::is_current))
    }

    pub fn is_built(&self) -> bool {
        self.folder.join(&self.manifest.built).is_file() && self.copy.as_ref().is_none_or(Copy::is_current)
    }

    /// What to do about it where it was built from other sources than are there now.
    pub fn rebuild(&self) -> Option<String> {
        // A copy that is not current counts as not built.
        let is_old = self.copy.is_none() && age::is_of_other_sources(&self.folder, &self.manifest.built);
        is_old
            .then(|| format!("built from other sources than are there now: `{}` builds it again", self.build_command()))
    }

    /// The first line of its toolchain's output if it is installed and new enough, otherwise the reason, and what to install.
    pub fn toolchain(&self) -> Result<String, String> {
        let check = &self.manifest.check;
        let lacking = |why: String| format!("{why}; it needs {}", self.manifest.needs);
        let output = self.process(check).output();
        let output = output.map_err(|_| lacking(format!("there is no `{}`", escaped(&check[0]))))?;
        let line = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
            escaped(line)
        };
        match (output.status, line(&output.stderr)) {
            (status, _) if status.success() => Ok(line(&output.stdout)),
            (status, why) if why.is_empty() => Err(lacking(format!("`{}` ended with {status}", typed(check)))),
            (_, why) => Err(lacking(why)),
        }
    }

    /// What its check says on standard error: behind `DEVICE: ` or `DEVICE, PROVIDER: `, why it cannot build or run that.
    fn said(&self) -> Vec<String> {
        let checked = self.process(&self.manifest.check).output();
        checked.map(|output| escaped_lines(&output.stderr)).unwrap_or_default()
    }

    /// Why no emulator of a device runs here, by its check; `None` where the first image runs, or the check knows no reason.
    pub fn why_not_emulated(&self, device: &EmulatedDevice) -> Option<String> {
        let built = device.providers.iter().find(|provider| self.image(device, provider).is_some())?;
        match ask(&self.emulator(device, built), true) {
            Err(LinkError::Ended { .. } | LinkError::System(_)) => {
                self.said().iter().find_map(|line| line.strip_prefix(&format!("{}: ", device.name)).map(String::from))
            }
            _ => None,
        }
    }

    /// What to do about images of a device that are not built, by what there is to do.
    pub fn remedies(&self, device: &str, providers: &[&str]) -> Vec<(Vec<String>, String)> {
        let said = self.said();
        let why = |provider: &&str| {
            let of = [format!("{device}, {provider}: "), format!("{device}: ")];
            said.iter().find_map(|line| of.iter().find_map(|of| line.strip_prefix(of.as_str())))
        };
        let mut found: Vec<(Vec<String>, String)> = Vec::new();
        for provider in providers {
            let remedy = why(provider).map_or_else(|| self.remedy(), String::from);
            match found.iter_mut().find(|(_, known)| *known == remedy) {
                Some((names, _)) => names.push(provider.to_string()),
                None => found.push((vec![provider.to_string()], remedy)),
            }
        }
        found
    }

    /// What to do about it where it is not built.
    pub fn remedy(&self) -> String {
        match self.toolchain() {
            Ok(_) => format!("`{}` builds it", self.build_command()),
            Err(why) => format!("its toolchain is missing or too old: {why}"),
        }
    }

    /// Builds it, after any other build of it, which `waiting` is told of; its compiler's messages go to standard error.
    pub fn build(&self, waiting: impl FnOnce()) -> Result<()> {
        let _lock = self.lock(waiting);
        if let Some(copy) = &self.copy {
            copy.renew()?;
        }
        let line = typed(&self.manifest.build);
        // What is built in the copy is this user's alone, as the copy is.
        let before = self.copy.as_ref().map(|_| umask(Mode::RWXG | Mode::RWXO));
        let ended = build::run(&self.manifest.name, self.process(&self.manifest.build));
        before.map(umask);
        let ended = ended.with_context(|| format!("`{line}` did not start in {}", quoted_path(&self.folder)))?;
        if ended.is_interrupted {
            let message = format!("interrupted; `{}` goes on with it", self.build_command());
            return Err(WithExit { exit: Exit::Interrupted, message }.into());
        }
        if !ended.status.success() {
            bail!("`{line}` failed in {} with {}", quoted_path(&self.folder), ended.status);
        }
        if !self.is_built() {
            bail!(
                "`{line}` succeeded in {}, but did not create {}",
                quoted_path(&self.folder),
                quoted(&self.manifest.built)
            );
        }
        if self.copy.is_none() {
            // Without it nothing is known of the build's age, as of one by hand.
            let _ = age::keep(&self.folder, &self.manifest.built);
        }
        Ok(())
    }

    /// Keeps other builds out of its folder, or of the copy's. A folder in which nothing can be locked has no other build.
    fn lock(&self, waiting: impl FnOnce()) -> Option<File> {
        let path = match &self.copy {
            Some(copy) => {
                private::make_folder(copy.to.parent().unwrap_or(&copy.to)).ok();
                copy.to.with_file_name(format!(".{}.lock", self.manifest.name))
            }
            None => self.folder.join("worker.toml"),
        };
        let mut waiting = Some(waiting);
        loop {
            match lock::take(&path, 0o600) {
                Ok(None) => waiting.take().map_or((), |waiting| waiting()),
                taken => return taken.ok().flatten(),
            }
            thread::sleep(Duration::from_millis(100));
        }
    }

    fn process(&self, words: &[String]) -> std::process::Command {
        let folder = self.folder();
        let mut process = std::process::Command::new(program(folder, &words[0]));
        process.args(&words[1..]).current_dir(folder).stdin(Stdio::null());
        process
    }
}

/// Starts a worker, or an emulator, and has it describe itself.
pub fn ask(command: &Command, is_emulator: bool) -> Result<Describe, LinkError> {
    let link = PipeLink::start(command, std::process::Command::spawn)?;
    let mut link = if is_emulator { link.killed_at_once() } else { link };
    describe(&mut link, Duration::from_secs(30))
}

fn escaped_lines(bytes: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(bytes).lines().map(escaped).collect()
}

fn typed(words: &[String]) -> String {
    words.iter().map(shell_word).collect::<Vec<_>>().join(" ")
}

/// A program with a slash is the worker's own; one without is looked for in PATH.
fn program(folder: &Path, word: &str) -> PathBuf {
    if word.contains('/') { folder.join(word.trim_start_matches("./")) } else { word.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A worker that is built by a command of its own, in `lib/snake`.
    fn snake(folder: &Path) -> PathBuf {
        let snake = folder.join("lib/snake");
        fs::create_dir_all(&snake).unwrap();
        let manifest = r#"
            name = "snake"
            language = "Shell"
            providers = ["snake"]
            check = ["sh", "-c", "pwd"]
            needs = "a shell"
            build = ["touch", "built"]
            built = "built"
            run = ["./built"]
        "#;
        fs::write(snake.join("worker.toml"), manifest).unwrap();
        snake
    }

    #[test]
    fn installed_worker_is_built_and_run_in_its_copy() {
        let folder = tempfile::tempdir().unwrap();
        let snake = snake(folder.path());
        let worker = Foreign::read(&snake, false).unwrap().copied_below(&folder.path().join("data"));
        assert!(!worker.is_built() && worker.folder().ends_with("lib/snake"));
        assert!(worker.toolchain().unwrap().ends_with("lib/snake"));
        worker.build(|| {}).unwrap();
        assert!(worker.is_built() && worker.folder().ends_with("data/snake"));
        assert!(worker.command("snake").program.ends_with("data/snake/built"));
        assert!(!snake.join("built").exists());
        fs::write(snake.join("worker.py"), "of the next release").unwrap();
        assert!(!worker.is_built());
    }

    #[test]
    fn installed_worker_that_came_built_runs_where_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let snake = snake(folder.path());
        fs::write(snake.join("built"), "").unwrap();
        let worker = Foreign::read(&snake, true).unwrap();
        assert!(worker.is_built() && worker.folder().ends_with("lib/snake"));
        assert!(worker.command("snake").program.ends_with("lib/snake/built"));
    }
}
