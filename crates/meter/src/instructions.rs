//! Instructions of a call on a machine without counters: valgrind's callgrind counts those of two processes, of which one makes twice as
//! many calls, and the difference is the calls' own. What the process does besides is the same in both.
//!
//! Valgrind emulates a CPU of its own: version 3.19 has neither AVX-512 nor VAES nor ADX, so a library may take another code path there
//! than where it is timed: the path that was counted is returned, too.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ciphermeter_core::{Cell, CellId, excerpt};
use ciphermeter_protocol::{Command, Link, PipeLink};

use crate::clock::SystemClock;
use crate::launch::Source;
use crate::worker::Worker;

/// Callgrind runs programs about fifty times slower, and its start takes seconds.
const PATIENCE: Duration = Duration::from_secs(60);
/// Native time of the calls of the shorter process.
const CALLS_NS: f64 = 20e6;
/// The fewest and the most calls of it.
const CALLS: [f64; 2] = [4.0, 10_000.0];
/// The runtimes of workers that are nothing but machine code.
const COMPILERS: [&str; 8] = ["rust", "c", "c++", "cc", "gcc", "g++", "clang", "zig"];
/// Bytes of a file of callgrind's that are read: the totals stand at its end.
const MOST: u64 = 64 << 20;

/// What a call of a cell takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallCount {
    /// Instructions, rounded to whole ones.
    pub instructions: u64,
    /// The code path that the library took under valgrind.
    pub path: String,
}

/// Valgrind on this machine.
#[derive(Debug, Clone)]
pub struct Callgrind {
    program: PathBuf,
    interrupted: Arc<AtomicBool>,
}

/// Why there is no count after that.
const INTERRUPTED: &str = "you ended the run before they were";

impl Callgrind {
    /// That of the program `valgrind`.
    pub fn new(program: PathBuf) -> Self {
        Self { program, interrupted: Arc::default() }
    }

    /// The same until the user sets this: what is under way is cut off, and nothing is counted any more.
    #[must_use]
    pub fn interruptible(self, interrupted: Arc<AtomicBool>) -> Self {
        Self { interrupted, ..self }
    }

    /// Counts the instructions of a call of `cell`, which takes about `call_ns` nanoseconds. Inputs come from `seed`, so that two libraries
    /// get the same.
    ///
    /// # Errors
    /// In words: the worker is on a device or is not machine code, it or valgrind failed, or the user ended the run.
    pub fn count(&self, source: &Source, cell: &Cell, call_ns: f64, seed: u64) -> Result<CallCount, String> {
        let command = source.command().filter(|_| source.device.is_none());
        let command = command.ok_or("only workers of this machine are counted")?;
        let calls = (CALLS_NS / call_ns.max(1.0)).clamp(CALLS[0], CALLS[1]) as u64;
        let folder = tempfile::tempdir().map_err(|why| format!("cannot make a folder: {why}"))?;
        let once = self.total(command, source, cell, (calls, seed), &folder.path().join("once"))?;
        let twice = self.total(command, source, cell, (2 * calls, seed), &folder.path().join("twice"))?;
        let more =
            twice.instructions.checked_sub(once.instructions).ok_or("twice as many calls took fewer instructions")?;
        match more.saturating_add(calls / 2) / calls {
            0 => Err("valgrind counted none".into()),
            instructions => Ok(CallCount { instructions, path: once.path }),
        }
    }

    /// The instructions of a process that makes so many calls.
    fn total(
        &self,
        command: &Command,
        source: &Source,
        cell: &Cell,
        (calls, seed): (u64, u64),
        folder: &Path,
    ) -> Result<CallCount, String> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(INTERRUPTED.into());
        }
        fs::create_dir(folder).map_err(|why| format!("cannot make a folder: {why}"))?;
        let link =
            self.start(command, folder).map_err(|why| format!("cannot start {}: {why}", self.program.display()))?;
        let path = sampled(link, source, cell, calls, seed);
        // Its end was not waited for, so that whatever it left is not whole.
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(INTERRUPTED.into());
        }
        let instructions = totals(folder).map_err(|why| format!("cannot read valgrind's count: {why}"));
        path.and_then(|path| Ok(CallCount { instructions: instructions?, path }))
    }

    fn start(&self, command: &Command, folder: &Path) -> io::Result<Box<dyn Link>> {
        let mut arguments = vec![
            // No options of the current folder, the user or the environment.
            "--command-line-only=yes".into(),
            "--tool=callgrind".into(),
            "--quiet".into(),
            // A worker may be started by a script.
            "--trace-children=yes".into(),
            format!("--callgrind-out-file={}/%p", folder.display()),
            command.program.display().to_string(),
        ];
        arguments.extend(command.arguments.iter().cloned());
        let under = Command { program: self.program.clone(), arguments, ..command.clone() };
        let link = PipeLink::start(&under, |command| command.spawn())?.ends_within(PATIENCE);
        Ok(Box::new(link.interruptible(self.interrupted.clone())))
    }
}

/// Has the calls made, and ends the worker; its code path.
fn sampled(link: Box<dyn Link>, source: &Source, cell: &Cell, calls: u64, seed: u64) -> Result<String, String> {
    let mut worker = Worker::new(link, Rc::new(SystemClock::start()), PATIENCE);
    let described = worker.describe().map_err(|why| why.to_string())?;
    if described.background || described.compiles {
        return Err("the worker's runtime works besides".into());
    }
    refuse_runtime(&described.runtime)?;
    let is_it =
        |offer: &&ciphermeter_protocol::Offer| offer.provider == source.provider && offer.algorithm == cell.algorithm;
    let path = described.offers.iter().find(is_it).map(|offer| offer.path.clone());
    let path = path.ok_or("under valgrind the worker does not offer it")?;
    worker.prepare(CellId(0), cell, &source.provider, seed, 0, 1).map_err(|why| why.to_string())??;
    worker.sample(CellId(0), 0, calls, None, PATIENCE).map_err(|why| why.to_string())?;
    Ok(path)
}

/// Refuses a worker of which more runs than the calls: an interpreter takes minutes under valgrind.
///
/// # Errors
/// In words, after "not counted".
pub fn refuse_runtime(runtime: &str) -> Result<(), String> {
    let name: String = runtime.chars().take_while(|letter| letter.is_alphabetic() || *letter == '+').collect();
    match COMPILERS.contains(&name.to_lowercase().as_str()) {
        true => Ok(()),
        false => Err(format!("only those of machine code are, and the worker's runtime is {}", excerpt(runtime))),
    }
}

/// The instructions of all processes that left a file.
fn totals(folder: &Path) -> io::Result<u64> {
    let mut sum = 0_u64;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.metadata()?.len() > MOST {
            return Err(io::Error::other("it is too long"));
        }
        let text = fs::read_to_string(&path)?;
        let total = |line: &str| line.strip_prefix("totals: ")?.trim().parse::<u64>().ok();
        let total = text.lines().rev().find_map(total).ok_or_else(|| io::Error::other("it has no totals"))?;
        sum = sum.checked_add(total).ok_or_else(|| io::Error::other("its totals are impossible"))?;
    }
    if sum == 0 { Err(io::Error::other("it left none")) } else { Ok(sum) }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use ciphermeter_core::{Algorithm, Form, Operation, Parameters};

    use super::*;

    /// A stand-in for valgrind never answers, nor ends with its input.
    #[test]
    fn count_is_cut_off_when_the_user_ends_the_run() {
        let folder = tempfile::tempdir().unwrap();
        let (program, started) = (folder.path().join("valgrind"), folder.path().join("started"));
        fs::write(&program, format!("#!/bin/sh\ntouch {}\nexec sleep 600\n", started.display())).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let interrupted = Arc::<AtomicBool>::default();
        let callgrind = Callgrind::new(program).interruptible(interrupted.clone());
        let parameters = Parameters::message_cell(64, 0, 1);
        let (algorithm, operation, form) = (Algorithm::Aes256Gcm, Operation::Seal, Form::InPlace);
        let cell = Cell { provider: "mine".into(), algorithm, operation, form, parameters };
        let source = Source::new("mine", "mine", Command::new("true".into(), Vec::new()));
        let count = || callgrind.count(&source, &cell, 1000.0, 7);
        let ended = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !started.exists() {
                    std::thread::sleep(Duration::from_millis(5));
                }
                interrupted.store(true, Ordering::Relaxed);
            });
            count()
        });
        assert_eq!(ended, Err(INTERRUPTED.to_owned()));
        fs::remove_file(&started).unwrap();
        assert_eq!(count(), Err(INTERRUPTED.to_owned()));
        assert!(!started.exists(), "nothing is started any more");
    }

    #[test]
    fn runtimes_of_machine_code_are_known() {
        assert!(["rust 1.95", "gcc 12.2.0", "C", "zig0.17"].into_iter().all(|runtime| refuse_runtime(runtime).is_ok()));
        assert!(
            !["python 3.11", "go1.26", "java 21", "", "clojure"]
                .into_iter()
                .any(|runtime| refuse_runtime(runtime).is_ok())
        );
    }

    #[test]
    fn totals_of_all_processes_are_added() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(totals(folder.path()).unwrap_err().to_string(), "it left none");
        fs::write(folder.path().join("7"), "version: 1\nevents: Ir\nfn=main\n16 100\ntotals: 100\n").unwrap();
        fs::write(folder.path().join("8"), "events: Ir\ntotals: 23\n").unwrap();
        assert_eq!(totals(folder.path()).unwrap(), 123);
        fs::write(folder.path().join("9"), format!("totals: {}\n", u64::MAX)).unwrap();
        assert_eq!(totals(folder.path()).unwrap_err().to_string(), "its totals are impossible");
        fs::write(folder.path().join("9"), "events: Ir\n").unwrap();
        assert_eq!(totals(folder.path()).unwrap_err().to_string(), "it has no totals");
    }
}
