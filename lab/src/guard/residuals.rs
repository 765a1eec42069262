//! What is kept of a pair: each cell's log-ratio in each fork, a JSON line a pair.

use std::fs::{self, File as OsFile};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ciphermeter_core::{Against, Cell, Record};
use ciphermeter_estimate::{medians, pairs};
use serde::{Deserialize, Serialize};

/// What the two sides are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Copies of the system's libcrypto.
    Libcrypto,
    /// Copies of this ciphermeter, with one provider.
    Ciphermeter,
    /// Commands of a worker, which are not copied before an alarm is confirmed.
    Worker,
}

/// A pair that was measured.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Line {
    /// What its sides are.
    pub kind: Kind,
    /// By what the new side was slowed; `None`: nothing changed.
    pub planted: Option<String>,
    /// The guard's exit code; `None`: it was ended after its time.
    pub code: Option<i32>,
    /// How long it took.
    pub seconds: f64,
    /// What became of each alarm of the first measurement.
    pub alarms: Vec<Raised>,
    /// The first measurement.
    pub first: Option<Forks>,
}

/// An alarm.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Raised {
    /// The cell.
    pub cell: String,
    /// Its algorithm.
    pub algorithm: String,
    /// The guard's word: `confirmed`, or why not.
    pub standing: String,
}

/// A measurement: the cells' log-ratios by fork. Forks of all cells are drawn together, so that what moved all of them stays together.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Forks {
    /// The cells of the new side.
    pub cells: Vec<String>,
    /// A row for each fork: each cell's ln(new ÷ old), null where the fork lacks it.
    pub logs: Vec<Vec<Option<f64>>>,
    /// How far forks that follow each other were alike.
    pub correlation: f64,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Libcrypto, Self::Ciphermeter, Self::Worker];

    /// All kinds take turns.
    pub fn of(number: usize) -> Self {
        Self::ALL[number % Self::ALL.len()]
    }
}

impl Line {
    /// `worker, 61 s, exit code 0: no alarm`.
    pub fn in_words(&self) -> String {
        let kind = format!("{:?}", self.kind).to_lowercase();
        let code = self.code.map_or("ended after its time".into(), |code| format!("exit code {code}"));
        let confirmed = self.confirmed().count();
        let alarms = match self.alarms.len() {
            0 => "no alarm".into(),
            alarms => format!("{alarms} cells raised an alarm, {confirmed} confirmed"),
        };
        format!("{kind}, {:.0} s, {code}: {alarms}", self.seconds)
    }

    /// Alarms that stand.
    pub fn confirmed(&self) -> impl Iterator<Item = &Raised> {
        self.alarms.iter().filter(|alarm| alarm.standing == "confirmed")
    }
}

impl Forks {
    /// From the records of a measurement.
    pub fn of(records: &[Record]) -> Self {
        let old = |new: &Record| {
            let cell = Cell { provider: Against::old(&new.cell.provider), ..new.cell.clone() };
            records.iter().find(|record| record.cell == cell)
        };
        let is_new = |record: &&Record| !record.cell.provider.contains('@') && !record.cell.algorithm.is_ceiling();
        let both: Vec<_> = records.iter().filter(is_new).filter_map(|new| Some((new, old(new)?))).collect();
        let logs: Vec<_> =
            both.iter().map(|(new, old)| medians(&pairs(&new.forks, &old.forks, &new.limits()))).collect();
        let most = logs.iter().filter_map(|own| own.keys().max()).max().map_or(0, |last| last + 1);
        Self {
            cells: both.iter().map(|(new, _)| new.cell.to_string()).collect(),
            logs: (0..most).map(|fork| logs.iter().map(|own| own.get(&fork).copied()).collect()).collect(),
            correlation: both.first().map_or(0.0, |(new, _)| new.correlation()),
        }
    }
}

/// The file, and what is in it.
pub struct File {
    path: PathBuf,
    pub lines: Vec<Line>,
}

impl File {
    /// Reads what an earlier call left; a line that was cut off is measured again.
    pub fn open(path: &Path) -> Result<Self> {
        let path = std::path::absolute(path)?;
        let text = if path.exists() { fs::read_to_string(&path) } else { Ok(String::new()) };
        let text = text.with_context(|| format!("cannot read the residuals {}", path.display()))?;
        let lines = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Ok(Self { path, lines })
    }

    /// Appends a pair, and has it on disk.
    pub fn append(&mut self, line: Line) -> Result<()> {
        let cannot = || format!("cannot append to the residuals {}", self.path.display());
        let is_cut = fs::read(&self.path).is_ok_and(|text| !text.is_empty() && !text.ends_with(b"\n"));
        let mut out = OsFile::options().append(true).create(true).open(&self.path).with_context(cannot)?;
        let text = format!("{}{}\n", if is_cut { "\n" } else { "" }, serde_json::to_string(&line)?);
        out.write_all(text.as_bytes()).and_then(|()| out.sync_all()).with_context(cannot)?;
        self.lines.push(line);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(code: i32) -> Line {
        let first = Forks { cells: vec!["c".into()], logs: vec![vec![Some(0.1)], vec![None]], correlation: 0.0 };
        let kind = Kind::Worker;
        Line { kind, planted: None, code: Some(code), seconds: 61.0, alarms: Vec::new(), first: Some(first) }
    }

    #[test]
    fn line_that_was_cut_off_is_measured_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.jsonl");
        File::open(&path).unwrap().append(line(0)).unwrap();
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{whole}{}", &whole[..40])).unwrap();
        let mut again = File::open(&path).unwrap();
        assert_eq!(again.lines.len(), 1);
        again.append(line(1)).unwrap();
        let codes: Vec<_> = File::open(&path).unwrap().lines.iter().map(|line| line.code).collect();
        assert_eq!(codes, [Some(0), Some(1)]);
    }

    #[test]
    fn kinds_take_turns() {
        assert_eq!([0, 1, 2, 3].map(Kind::of), [Kind::Libcrypto, Kind::Ciphermeter, Kind::Worker, Kind::Libcrypto]);
    }
}
