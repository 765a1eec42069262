//! Reading runs back. The file may be anyone's: every word, number and length is checked, and an invalid one gives
//! [`StoreError::Damaged`] with its place.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use ciphermeter_core::{
    Against, Cell, CellId, Fact, Fork, Kind, Latency, LeftOut, MAX_INTEGER, Mask, Memory, Outcome, Parameters,
    Provenance, Record, Run, RunPlan, RunStatus, Scenario, Series, most,
};
use rusqlite::Row;

use crate::column::{Checked, json, maybe, maybe_number, maybe_text, maybe_word, number, numbers, text, word};
use crate::{Result, Store, StoreError, latency, round, series};

/// Series by fork, round and turn of their sample.
type Followed = BTreeMap<(u32, u32, u32), Vec<(Series, Vec<u64>)>>;

/// A run as listed by `ciphermeter list`.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedRun {
    /// The run's number.
    pub id: i64,
    /// When it began, RFC 3339, UTC.
    pub started: String,
    /// What was requested; `None` if that is damaged.
    pub scenario: Option<Scenario>,
    /// What it is compared with.
    pub against: Option<Against>,
    /// The CPU's instructions that were disabled in providers.
    pub mask: Option<Mask>,
    /// Whether it was imported.
    pub is_imported: bool,
    /// How far it came.
    pub status: RunStatus,
    /// Cells in it, measured or not.
    pub cells: u64,
    /// Forks that ran to their end and have rounds.
    pub forks: u64,
    /// Rounds committed, over all forks.
    pub rounds: u64,
}

/// How far a fork came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForkState {
    /// It runs now, or its process was killed.
    Open,
    /// It ran to its end.
    Whole,
    /// It was cut off; its rounds are kept.
    Short,
}

/// A fork of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedFork {
    /// Its number, from 0.
    pub number: u32,
    /// Bytes by which the workers' buffers were shifted.
    pub offset: u64,
    /// How far it came.
    pub state: ForkState,
    /// Rounds committed.
    pub rounds: u64,
}

impl ListedFork {
    fn is_whole(&self) -> bool {
        self.state == ForkState::Whole
    }
}

impl Store {
    /// All runs, oldest first.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn list(&self) -> Result<Vec<ListedRun>> {
        let sql = "SELECT id, started, scenario, status, against, mask,
                          (SELECT count(*) FROM cell WHERE run = run.id),
                          (SELECT count(*) FROM fork WHERE run = run.id AND state = 'whole'
                              AND EXISTS (SELECT 1 FROM round WHERE run = fork.run AND fork = fork.number)),
                          (SELECT count(*) FROM round WHERE run = run.id), plan
                   FROM run ORDER BY id";
        let lines = self.rows(sql, (), |row| {
            Ok(ListedRun {
                id: number(row, 0)?,
                started: text(row, 1)?,
                // One damaged run does not hide the others.
                scenario: json(row, 2).ok(),
                status: word(row, 3)?,
                against: maybe(row, 4)?,
                mask: maybe_word(row, 5)?,
                cells: number(row, 6)?,
                forks: number(row, 7)?,
                rounds: number(row, 8)?,
                is_imported: maybe::<RunPlan>(row, 9)?.is_some_and(|plan| plan.is_imported),
            })
        })?;
        lines.into_iter().map(|line| line.map_err(|what| self.damaged(format!("its list of runs: {what}")))).collect()
    }

    /// A run without its records.
    ///
    /// # Errors
    /// There is no such run, or the store cannot be read or is damaged.
    pub fn head(&self, run: i64) -> Result<Run> {
        self.run(run)?.map_err(|what| self.damaged(format!("run {run}: {what}")))
    }

    /// The number of the latest run.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn latest(&self) -> Result<Option<i64>> {
        self.sql(self.connection.query_row("SELECT max(id) FROM run", (), |row| row.get(0)))
    }

    /// The run that `--resume` continues: the latest that is open or interrupted. A sustained load cannot be continued, nor an
    /// imported run.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn last_open(&self) -> Result<Option<i64>> {
        let sql = "SELECT id, scenario, plan FROM run WHERE status IN ('open', 'interrupted') ORDER BY id DESC";
        let mut found = None;
        self.each(sql, (), |row| {
            // Without the other limits of a scenario: what is damaged is said when the run is loaded.
            let scenario = json::<Scenario>(row, 1);
            let is_imported = maybe::<RunPlan>(row, 2).is_ok_and(|plan| plan.is_some_and(|plan| plan.is_imported));
            if is_imported || scenario.is_ok_and(|scenario| scenario.kind == Kind::Sustained) {
                return Ok(ControlFlow::Continue(()));
            }
            found = Some(self.step(row.get(0))?);
            Ok(ControlFlow::Break(()))
        })?;
        Ok(found)
    }

    /// The forks of a run, in their order.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn forks(&self, run: i64) -> Result<Vec<ListedFork>> {
        let sql = "SELECT number, offset, state,
                          (SELECT count(*) FROM round WHERE run = fork.run AND round.fork = fork.number)
                   FROM fork WHERE run = ? ORDER BY number";
        let lines = self.rows(sql, [run], |row| {
            let state = match text(row, 2)?.as_str() {
                "open" => ForkState::Open,
                "whole" => ForkState::Whole,
                "short" => ForkState::Short,
                _ => return Err("unknown state".to_string()),
            };
            Ok(ListedFork { number: number(row, 0)?, offset: number(row, 1)?, state, rounds: number(row, 3)? })
        })?;
        lines.into_iter().map(|line| line.map_err(|what| self.damaged(format!("run {run}, a fork: {what}")))).collect()
    }

    /// The number of the next fork.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn next_fork(&self, run: i64) -> Result<u32> {
        let sql = "SELECT coalesce(max(number), -1) + 1 FROM fork WHERE run = ?";
        self.sql(self.connection.query_row(sql, [run], |row| row.get(0)))
    }

    /// A run with its records, in the order of its cells. Their forks are those in which they have samples, and count
    /// as short unless they ran to their end. A cell whose outcome was never stored counts as measured if it has
    /// samples, or if the run can be resumed and it may still get some; otherwise as failed.
    ///
    /// # Errors
    /// There is no such run, or the store cannot be read or is damaged.
    pub fn load(&self, run: i64) -> Result<(Run, Vec<Record>)> {
        // One snapshot, so that cells and rounds match while another process writes.
        let snapshot = self.sql(self.connection.unchecked_transaction())?;
        let loaded = self.load_in_transaction(run)?;
        self.sql(snapshot.commit())?;
        Ok(loaded)
    }

    pub(crate) fn load_in_transaction(&self, run: i64) -> Result<(Run, Vec<Record>)> {
        let damaged = |what: String| self.damaged(format!("run {run}: {what}"));
        let head = self.run(run)?.map_err(damaged)?;
        let mut records = Vec::new();
        let mut outcomes = Vec::new();
        let sql = "SELECT id, provider, algorithm, operation, form, parameters, provenance, outcome, summary
                   FROM cell WHERE run = ? ORDER BY id LIMIT ?";
        for cell in self.rows(sql, (run, most::CELLS as i64 + 1), record)? {
            let (record, outcome) = cell.map_err(|what| damaged(format!("cell {}: {what}", records.len())))?;
            if record.id.index() != records.len() || records.len() == most::CELLS {
                return Err(damaged(format!("cell {} is missing or too many", records.len())));
            }
            records.push(record);
            outcomes.push(outcome);
        }
        let followed = self.followed(run)?;
        self.add_samples(&head, &mut records, followed)?;
        self.add_latency(run, &mut records)?;
        self.add_memory(run, &mut records)?;
        let goes_on = matches!(head.status, RunStatus::Open | RunStatus::Interrupted);
        for (record, outcome) in records.iter_mut().zip(outcomes) {
            record.outcome = outcome.unwrap_or_else(|| undecided(record, goes_on));
        }
        let cells = records.len();
        let references = records.iter().filter_map(|record| record.summary.as_ref()).map(|summary| summary.reference);
        if let Some(cell) = references.chain(head.plan.cells()).find(|cell| cell.index() >= cells) {
            return Err(damaged(format!("there is no cell {} to be compared with", cell.0)));
        }
        Ok((head, records))
    }

    fn run(&self, id: i64) -> Result<Checked<Run>> {
        let sql = "SELECT id, started, version, seed, scenario, host, status, notes, against, mask, plan FROM run WHERE id = ?";
        self.rows(sql, [id], |row| {
            let run = Run {
                id: number(row, 0)?,
                store: None,
                is_measuring: false,
                started: text(row, 1)?,
                version: text(row, 2)?,
                seed: number(row, 3)?,
                scenario: json(row, 4)?,
                against: maybe(row, 8)?,
                mask: maybe_word::<Mask>(row, 9)?,
                plan: maybe::<RunPlan>(row, 10)?.unwrap_or_default(),
                host: json::<Vec<Fact>>(row, 5)?,
                status: word(row, 6)?,
                notes: json(row, 7)?,
            };
            run.scenario.check().map_err(|error| error.to_string())?;
            if run.plan.twice().is_some() {
                return Err("its plan names a metric twice".into());
            }
            Ok(run)
        })?
        .pop()
        .ok_or_else(|| StoreError::NoRun { path: self.path().into(), id })
    }

    /// The series recorded with the samples of a run.
    fn followed(&self, run: i64) -> Result<Followed> {
        let sql = "SELECT fork, round, turn, series, entries FROM series
                   WHERE run = ? ORDER BY fork, round, turn, rowid";
        let mut followed = Followed::new();
        for row in self.rows(sql, [run], |row| {
            let place = (number(row, 0)?, number(row, 1)?, number(row, 2)?);
            Ok((place, (word(row, 3)?, series::from_text(&numbers(row, 4)?)?)))
        })? {
            let (place, one) = row.map_err(|what: String| self.damaged(format!("run {run}, a series: {what}")))?;
            followed.entry(place).or_default().push(one);
        }
        Ok(followed)
    }

    fn add_samples(&self, head: &Run, records: &mut [Record], mut followed: Followed) -> Result<()> {
        let (run, metrics) = (head.id, head.plan.counted());
        let whole: BTreeSet<u32> =
            self.forks(run)?.iter().filter(|line| line.is_whole()).map(|line| line.number).collect();
        let sql = "SELECT fork, number, samples FROM round WHERE run = ? ORDER BY fork, number";
        let mut total = 0usize;
        self.each(sql, [run], |row| {
            let samples = || {
                let (fork, number) = (number::<u32>(row, 0)?, number::<u32>(row, 1)?);
                Ok((fork, number, round::from_text(&numbers(row, 2)?, records.len(), &metrics)?))
            };
            let (fork, number, samples) =
                samples().map_err(|what: String| self.damaged(format!("run {run}, a round: {what}")))?;
            total += samples.len();
            if total > most::SAMPLES {
                return Err(self.damaged(format!("run {run} has more than {} samples", most::SAMPLES)));
            }
            for mut sample in samples {
                sample.series = followed.remove(&(fork, number, sample.turn)).unwrap_or_default();
                let forks = &mut records[sample.cell.index()].forks;
                if forks.last().is_none_or(|last| last.number != fork) {
                    forks.push(Fork { number: fork, short: !whole.contains(&fork), ..Fork::default() });
                }
                if let Some(last) = forks.last_mut() {
                    last.rounds.push(number);
                    last.samples.push(sample);
                }
            }
            Ok(ControlFlow::Continue(()))
        })?;
        match followed.is_empty() {
            true => Ok(()),
            false => Err(self.damaged(format!("run {run} has a series of no sample"))),
        }
    }

    fn add_latency(&self, run: i64, records: &mut [Record]) -> Result<()> {
        let sql = "SELECT cell, fork, clock_ns, histogram,
                          (SELECT state FROM fork WHERE run = latency.run AND number = latency.fork)
                   FROM latency WHERE run = ? ORDER BY cell, fork";
        let rows = self.rows(sql, [run], |row| {
            let short = text(row, 4)? != "whole";
            let calls = latency::from_text(&numbers(row, 3)?)?;
            Ok((number::<u32>(row, 0)?, Latency { fork: number(row, 1)?, short, clock_ns: number(row, 2)?, calls }))
        })?;
        for row in rows {
            let in_place = row.and_then(|(cell, latency)| {
                let record = records.get_mut(cell as usize).ok_or_else(|| format!("there is no cell {cell}"))?;
                record.latency.push(latency);
                Ok(())
            });
            in_place.map_err(|what: String| self.damaged(format!("run {run}, a latency record: {what}")))?;
        }
        Ok(())
    }

    fn add_memory(&self, run: i64, records: &mut [Record]) -> Result<()> {
        let sql = "SELECT cell, fork, iterations, idle_rss, peak_rss, peak_heap, allocated, counter
                   FROM memory WHERE run = ? ORDER BY cell, fork";
        for row in self.rows(sql, [run], |row| Ok((number::<u32>(row, 0)?, memory(row)?)))? {
            let in_place = row.and_then(|(cell, memory)| {
                let record = records.get_mut(cell as usize).ok_or_else(|| format!("there is no cell {cell}"))?;
                record.memory.push(memory);
                Ok(())
            });
            in_place.map_err(|what: String| self.damaged(format!("run {run}, a memory record: {what}")))?;
        }
        Ok(())
    }
}

/// A cell's row; its outcome separately, because it may be undecided.
fn record(row: &Row) -> Checked<(Record, Option<Outcome>)> {
    let cell = Cell {
        provider: text(row, 1)?,
        algorithm: word(row, 2)?,
        operation: word(row, 3)?,
        form: word(row, 4)?,
        parameters: json::<Parameters>(row, 5)?,
    };
    if cell.parameters.0.values().any(|value| *value > MAX_INTEGER) {
        return Err("a parameter above 2^53-1".into());
    }
    let record = Record {
        id: CellId(number(row, 0)?),
        cell,
        provenance: maybe::<Provenance>(row, 6)?,
        outcome: Outcome::Measured,
        forks: Vec::new(),
        summary: maybe(row, 8)?,
        latency: Vec::new(),
        memory: Vec::new(),
    };
    Ok((record, maybe(row, 7)?))
}

fn memory(row: &Row) -> Checked<Memory> {
    let counter = maybe_text(row, 7)?;
    if counter.as_ref().is_some_and(|counter| counter.chars().count() > most::COUNTER) {
        return Err(format!("a counter's name that is over {} characters long", most::COUNTER));
    }
    Ok(Memory {
        fork: number(row, 1)?,
        iterations: number(row, 2)?,
        idle_rss: maybe_number(row, 3)?,
        peak_rss: maybe_number(row, 4)?,
        peak_heap: maybe_number(row, 5)?,
        allocated: maybe_number(row, 6)?,
        counter,
    })
}

fn undecided(record: &Record, goes_on: bool) -> Outcome {
    match record.forks.is_empty() && !goes_on {
        true => Outcome::LeftOut(LeftOut::NotReached),
        false => Outcome::Measured,
    }
}
