//! Copies of one library under several names, each a file and a process of its own: every ratio's truth is 1.
//!
//! The installed file has lain in memory since the machine started, page by page where there was room, and is compared with the fresh
//! copies on a line of its own.
//!
//! `still` asks one worker under forty names. These copies differ in what forty names of one file share: where the loader
//! puts them, and which of their processes is lucky.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Result};
use ciphermeter_core::{Algorithm, Group, Record, Run, Seconds};
use ciphermeter_estimate::ratio;
use ciphermeter_meter::{Clock, Processes, Source, SystemClock, survey};

use crate::binary::Ciphermeter;
use crate::output::{print, print_line};

/// The provider whose library is copied.
const PROVIDER: &str = "openssl";
const PATIENCE: Duration = Duration::from_secs(20);
/// The arguments of each run, without the copies and the budget.
const RUN: [&str; 6] = [
    "--algorithm=aes-256-gcm,chacha20-poly1305",
    "--operation=seal,open",
    "--message=16,1KiB,16KiB,1MiB",
    "--form=in-place",
    // More than the budget allows, so that it is spent.
    "--precision=0.01%",
    "--quiet",
];
/// A cell that is off by more is named.
const OFF: f64 = 0.01;
/// The part of a run's note on other work of the machine by which it is known.
const DISTURBED: &str = "were disturbed";

/// What is compared with the installed file and with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Files {
    /// Copies, whose pages lie where there was room for each.
    Copies,
    /// Names of one copy: their pages are the same.
    Links,
}

/// The ratio of a copy to the reference of its group.
struct Off {
    cell: String,
    message: u64,
    mid: f64,
    /// Whether its interval contains 1; `None` without an interval.
    held: Option<bool>,
    /// Whether it is the installed file's.
    installed: bool,
}

/// Names of a libcrypto under which it can be measured as several providers.
pub struct Names {
    /// What was put beside the installed file.
    files: Vec<PathBuf>,
    /// In words.
    pub what: String,
}

impl Names {
    /// Puts `number` − 1 files beside the installed one.
    pub fn put(kind: Files, number: u32, ciphermeter: &Ciphermeter) -> Result<Self> {
        let library = library(ciphermeter)?;
        let files = (2..=number).map(|copy| file(ciphermeter, copy)).collect::<Vec<_>>();
        for (copy, file) in files.iter().enumerate() {
            let from = if copy > 0 && kind == Files::Links { &files[0] } else { &library };
            put(from, file, from != &library)?;
        }
        let what = match kind {
            Files::Copies => format!("{number} copies of {}", library.display()),
            Files::Links => format!("{} and {} names of one copy", library.display(), number - 1),
        };
        Ok(Self { files, what })
    }

    /// Measures all of them once, and prints how much of the run was disturbed.
    pub fn run(&self, number: u32, budget: Seconds, ciphermeter: &Ciphermeter) -> Result<Vec<Record>> {
        let (meant, records) = ciphermeter.run(&arguments(&self.files, budget))?;
        print_line(&format!("run {number}: {}", disturbed(&meant)))?;
        Ok(records)
    }
}

/// Prints a line for each size of each run, then all runs together.
pub fn copies(kind: Files, number: u32, runs: u32, budget: Seconds, ciphermeter: &Ciphermeter) -> Result<()> {
    let names = Names::put(kind, number, ciphermeter)?;
    print_line(&format!("{}, {runs} runs of {budget}; every ratio's truth is 1", names.what))?;
    let mut all = Vec::new();
    for run in 1..=runs {
        let found = offs(&names.run(run, budget, ciphermeter)?);
        print_sizes(&found)?;
        all.extend(found);
    }
    if runs > 1 {
        print_line("all runs")?;
        print_sizes(&all)?;
    }
    Ok(())
}

/// The libcrypto that the built-in worker loads.
fn library(ciphermeter: &Ciphermeter) -> Result<PathBuf> {
    let source = Source::new(PROVIDER, PROVIDER, ciphermeter.worker("native", PROVIDER));
    let clock: Rc<dyn Clock> = Rc::new(SystemClock::start());
    let (here, _) = survey(&[source], &mut Processes::pinned()?, &clock, PATIENCE);
    let offer = here.first().and_then(|(surveyed, _)| surveyed.offer(Algorithm::Aes256Gcm));
    let file = offer.and_then(|offer| offer.library.as_ref()).map(PathBuf::from);
    file.context("this system has no libcrypto to copy; `apt install libssl3`")
}

/// Where a copy lies, in a folder of its own within the temporary one.
fn file(ciphermeter: &Ciphermeter, copy: u32) -> PathBuf {
    ciphermeter.path(&format!("copy-{copy}")).join("libcrypto.so.3")
}

/// Copies the file there, or gives it that name, too.
fn put(from: &Path, file: &Path, as_link: bool) -> Result<()> {
    let folder = file.parent().map_or(Ok(()), fs::create_dir_all);
    let put = || if as_link { fs::hard_link(from, file) } else { fs::copy(from, file).map(drop) };
    let failed = || format!("cannot put {} at {}; is there room for it?", from.display(), file.display());
    folder.and_then(|()| put()).with_context(failed)
}

fn arguments(files: &[PathBuf], budget: Seconds) -> Vec<String> {
    let names = (2..files.len() + 2).map(|copy| format!("openssl@{copy}"));
    let names: Vec<String> = ["openssl".to_owned()].into_iter().chain(names).collect();
    let mut arguments: Vec<String> = RUN.map(String::from).into();
    arguments.extend([format!("--budget={budget}"), format!("--provider={}", names.join(","))]);
    arguments.extend(files.iter().map(|file| format!("--openssl={}", file.display())));
    arguments
}

/// The cells that do the same, by group and algorithm.
pub fn equals(records: &[Record]) -> Vec<Vec<&Record>> {
    let mut equals = BTreeMap::<(Group, String), Vec<&Record>>::new();
    for record in records {
        equals.entry((record.cell.group(), record.cell.algorithm.to_string())).or_default().push(record);
    }
    equals.into_values().collect()
}

/// Whether a cell is the installed file's.
pub fn is_installed(record: &Record) -> bool {
    record.cell.provider == PROVIDER
}

/// The ratios of each algorithm to its own copies. The group's reference may be of another algorithm, so the first fresh copy stands in
/// for it.
fn offs(records: &[Record]) -> Vec<Off> {
    let off = |first: &Record, copy: &&Record| {
        let ratio = ratio(copy, first)?;
        let cell = &copy.cell;
        Some(Off {
            cell: format!("{} {} {}", cell.provider, cell.algorithm, cell.operation),
            message: cell.parameters.message(),
            mid: ratio.mid,
            held: ratio.range().map(|_| !ratio.excludes_one()),
            installed: is_installed(copy),
        })
    };
    let of_copies = |copies: &Vec<&Record>| {
        let first = copies.iter().find(|copy| !is_installed(copy))?;
        let others = copies.iter().filter(|copy| copy.id != first.id);
        Some(others.filter_map(|copy| off(first, copy)).collect::<Vec<_>>())
    };
    equals(records).iter().filter_map(of_copies).flatten().collect()
}

fn print_sizes(offs: &[Off]) -> Result<()> {
    for installed in [false, true] {
        let mut sizes = BTreeMap::<u64, Vec<&Off>>::new();
        for off in offs.iter().filter(|off| off.installed == installed) {
            sizes.entry(off.message).or_default().push(off);
        }
        if installed {
            print_line("  the installed file, compared with a copy")?;
        }
        sizes.iter().try_for_each(|(message, offs)| print(&line(*message, offs)))?;
    }
    Ok(())
}

fn line(message: u64, offs: &[&Off]) -> String {
    let rms = 100.0 * (offs.iter().map(|off| (off.mid - 1.0).powi(2)).sum::<f64>() / offs.len() as f64).sqrt();
    let (held, known) =
        offs.iter().filter_map(|off| off.held).fold((0, 0), |(held, n), holds| (held + u32::from(holds), n + 1));
    let far = offs.iter().filter(|off| (off.mid - 1.0).abs() > OFF).count();
    let mut line = format!(
        "  {message:>8} B  rms {rms:>6.3} %  {held} of {known} hold  {far} of {} off by over 1 %\n",
        offs.len()
    );
    let worst = offs.iter().max_by(|a, b| (a.mid - 1.0).abs().total_cmp(&(b.mid - 1.0).abs()));
    if let Some(worst) = worst.filter(|_| far > 0) {
        line += &format!("              worst {:.4} {}\n", worst.mid, worst.cell);
    }
    line
}

fn disturbed(run: &Run) -> &str {
    let note = run.notes.iter().find(|note| note.text.contains(DISTURBED));
    note.map_or("hardly a sample was disturbed", |note| note.text.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_counts_what_is_off_and_what_holds() {
        let off =
            |mid, held| Off { cell: "openssl@2 aes-256-gcm open".into(), message: 16, mid, held, installed: false };
        let all = [off(1.003, Some(true)), off(0.996, Some(false)), off(1.12, None)];
        let text = line(16, &all.iter().collect::<Vec<_>>());
        assert_eq!(
            text,
            "        16 B  rms  6.934 %  1 of 2 hold  1 of 3 off by over 1 %\n              \
             worst 1.1200 openssl@2 aes-256-gcm open\n"
        );
        assert!(!line(16, &[&all[0]]).contains("worst"));
    }

    #[test]
    fn each_copy_has_a_name_and_a_file() {
        let arguments = arguments(&["a".into(), "b".into()], "60s".parse().unwrap());
        for argument in ["--budget=60s", "--provider=openssl,openssl@2,openssl@3", "--openssl=a", "--openssl=b"] {
            assert!(arguments.iter().any(|given| given == argument), "{arguments:?}");
        }
    }
}
