//! Writing a run as it is measured.

use ciphermeter_core::{
    Cell, CellId, Latency, Mask, Memory, Note, Outcome, Provenance, Run, RunPlan, RunStatus, Sample, Summary,
};
use rusqlite::{Connection, params};
use serde::Serialize;

use crate::{Result, Store, StoreError, latency, round};

impl Store {
    /// Stores a new run and its cells, numbered in their order, and returns the run's number. `run.id` is ignored.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn begin(&self, run: &Run, cells: &[Cell]) -> Result<i64> {
        self.transaction(|connection| insert_run(connection, run, cells))
    }

    /// Stores what the run has planned so far.
    ///
    /// # Errors
    /// The store can't be written.
    pub fn set_plan(&self, run: i64, plan: &RunPlan) -> Result<()> {
        let update = || self.connection.execute("UPDATE run SET plan = ? WHERE id = ?", params![json(plan)?, run]);
        self.sql(update()).map(drop)
    }

    /// Opens a fork whose workers move their buffers by `offset` bytes.
    ///
    /// # Errors
    /// The store cannot be written, or the fork exists already.
    pub fn begin_fork(&self, run: i64, number: u32, offset: u64) -> Result<()> {
        let sql = "INSERT INTO fork (run, number, offset, state) VALUES (?, ?, ?, 'open')";
        let insert = || self.connection.execute(sql, params![run, number, integer(offset)?]);
        self.sql(insert()).map(drop)
    }

    /// Commits one round with the series recorded in it. Once this returns, the round survives a killed process. Rounds
    /// count through the fork, over all groups.
    ///
    /// # Errors
    /// The store cannot be written, or the fork does not exist, or has that round already.
    pub fn commit_round(&self, run: i64, fork: u32, number: u32, samples: &[Sample]) -> Result<()> {
        self.transaction(|connection| insert_round(connection, (run, fork, number), samples))
    }

    /// Commits the single calls of some cells in a fork: all so far, replacing earlier ones.
    ///
    /// # Errors
    /// The store cannot be written, or there is no such fork; then none is stored.
    pub fn commit_latency(&self, run: i64, cells: &[(CellId, Latency)]) -> Result<()> {
        self.transaction(|connection| {
            cells.iter().try_for_each(|(cell, calls)| insert_latency(connection, run, *cell, calls))
        })
    }

    /// Commits the memory of a cell. Once this returns, it survives a killed process.
    ///
    /// # Errors
    /// The store cannot be written, or there is no such fork, or it has that cell's memory already.
    pub fn commit_memory(&self, run: i64, cell: CellId, memory: &Memory) -> Result<()> {
        self.sql(insert_memory(&self.connection, run, cell, memory))
    }

    /// Closes a fork: `whole` if it ran to its end.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn end_fork(&self, run: i64, number: u32, whole: bool) -> Result<()> {
        let state = if whole { "whole" } else { "short" };
        let sql = "UPDATE fork SET state = ? WHERE run = ? AND number = ?";
        self.sql(self.connection.execute(sql, params![state, run, number])).map(drop)
    }

    /// Marks forks that a killed process left open as short, and returns how many there were.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn close_broken_forks(&self, run: i64) -> Result<usize> {
        let sql = "UPDATE fork SET state = 'short' WHERE run = ? AND state = 'open'";
        self.sql(self.connection.execute(sql, [run]))
    }

    /// Stores how a cell ended.
    ///
    /// # Errors
    /// The store cannot be written, or there is no such cell.
    pub fn set_outcome(&self, run: i64, cell: CellId, outcome: &Outcome) -> Result<()> {
        self.set_in_cell("outcome", run, [(cell, outcome)])
    }

    /// Stores the provenance of a cell's figures.
    ///
    /// # Errors
    /// The store cannot be written, or there is no such cell.
    pub fn set_provenance(&self, run: i64, cell: CellId, provenance: &Provenance) -> Result<()> {
        self.set_in_cell("provenance", run, [(cell, provenance)])
    }

    /// Stores the summaries of many cells at once.
    ///
    /// # Errors
    /// The store cannot be written, or there is no such cell; then none is stored.
    pub fn set_summaries(&self, run: i64, summaries: &[(CellId, Summary)]) -> Result<()> {
        self.set_in_cell("summary", run, summaries.iter().map(|(cell, summary)| (*cell, summary)))
    }

    /// Ends a run; `notes` replace its earlier ones.
    ///
    /// # Errors
    /// The store cannot be written, or there is no such run.
    pub fn finish(&self, run: i64, status: RunStatus, notes: &[Note]) -> Result<()> {
        let sql = "UPDATE run SET status = ?, notes = ? WHERE id = ?";
        let finish = || self.connection.execute(sql, params![status.as_str(), json(&notes)?, run]);
        match self.sql(finish())? {
            0 => Err(StoreError::NoRun { path: self.path().into(), id: run }),
            _ => Ok(()),
        }
    }

    /// `column` is one of this file's constants.
    fn set_in_cell<'a, T: Serialize + 'a>(
        &self,
        column: &'static str,
        run: i64,
        values: impl IntoIterator<Item = (CellId, &'a T)>,
    ) -> Result<()> {
        let transaction = self.sql(self.connection.unchecked_transaction())?;
        self.update_cells(column, run, values)?;
        self.sql(transaction.commit())
    }

    /// `column` is a constant.
    pub(crate) fn update_cells<'a, T: Serialize + 'a>(
        &self,
        column: &'static str,
        run: i64,
        values: impl IntoIterator<Item = (CellId, &'a T)>,
    ) -> Result<()> {
        let sql = format!("UPDATE cell SET {column} = ? WHERE run = ? AND id = ?");
        for (cell, value) in values {
            let set = || self.connection.prepare_cached(&sql)?.execute(params![json(value)?, run, cell.0]);
            if self.sql(set())? == 0 {
                return Err(StoreError::NoCell { path: self.path().into(), id: run, cell: cell.0 });
            }
        }
        Ok(())
    }

    fn transaction<T>(&self, write: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        let all = || {
            let transaction = self.connection.unchecked_transaction()?;
            let written = write(&transaction)?;
            transaction.commit()?;
            Ok(written)
        };
        self.sql(all())
    }
}

/// `round`: the run, the fork and the round's number.
pub(crate) fn insert_round(
    connection: &Connection,
    round: (i64, u32, u32),
    samples: &[Sample],
) -> rusqlite::Result<()> {
    let (run, fork, number) = round;
    let text = json(&round::Text(samples))?;
    let sql = "INSERT INTO round (run, fork, number, samples) VALUES (?, ?, ?, ?)";
    connection.prepare_cached(sql)?.execute(params![run, fork, number, text])?;
    let sql = "INSERT INTO series (run, fork, round, turn, series, entries) VALUES (?, ?, ?, ?, ?, ?)";
    for sample in samples {
        for (series, entries) in &sample.series {
            let values = params![run, fork, number, sample.turn, series.as_str(), json(entries)?];
            connection.prepare_cached(sql)?.execute(values)?;
        }
    }
    Ok(())
}

pub(crate) fn insert_latency(
    connection: &Connection,
    run: i64,
    cell: CellId,
    latency: &Latency,
) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO latency (run, fork, cell, clock_ns, histogram) VALUES (?, ?, ?, ?, ?)";
    let text = latency::to_text(&latency.calls).map_err(unwritable)?;
    let values = params![run, latency.fork, cell.0, integer(latency.clock_ns)?, text];
    connection.prepare_cached(sql)?.execute(values).map(drop)
}

pub(crate) fn insert_memory(connection: &Connection, run: i64, cell: CellId, memory: &Memory) -> rusqlite::Result<()> {
    let sql = "INSERT INTO memory (run, fork, cell, iterations, idle_rss, peak_rss, peak_heap, allocated, counter)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
    let bytes = |number: Option<u64>| number.map(integer).transpose();
    let (idle, peak) = (bytes(memory.idle_rss)?, bytes(memory.peak_rss)?);
    let (heap, allocated) = (bytes(memory.peak_heap)?, bytes(memory.allocated)?);
    let calls = integer(memory.iterations)?;
    let values = params![run, memory.fork, cell.0, calls, idle, peak, heap, allocated, memory.counter];
    connection.prepare_cached(sql)?.execute(values).map(drop)
}

pub(crate) fn insert_run(connection: &Connection, run: &Run, cells: &[Cell]) -> rusqlite::Result<i64> {
    let sql = "INSERT INTO run (started, version, seed, scenario, host, status, notes, against, mask, plan)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    let (scenario, host, notes) = (json(&run.scenario)?, json(&run.host)?, json(&run.notes)?);
    let against = run.against.as_ref().map(json).transpose()?;
    let (status, mask) = (run.status.as_str(), run.mask.map(Mask::as_str));
    let plan = json(&run.plan)?;
    connection.execute(
        sql,
        params![run.started, run.version, integer(run.seed)?, scenario, host, status, notes, against, mask, plan],
    )?;
    let id = connection.last_insert_rowid();
    insert_cells(connection, id, cells)?;
    Ok(id)
}

fn insert_cells(connection: &Connection, run: i64, cells: &[Cell]) -> rusqlite::Result<()> {
    let mut insert = connection.prepare(
        "INSERT INTO cell (run, id, provider, algorithm, operation, form, parameters) VALUES (?, ?, ?, ?, ?, ?, ?)",
    )?;
    for (id, cell) in (0i64..).zip(cells) {
        let (algorithm, operation, form) = (cell.algorithm.as_str(), cell.operation.as_str(), cell.form.as_str());
        insert.execute(params![run, id, cell.provider, algorithm, operation, form, json(&cell.parameters)?])?;
    }
    Ok(())
}

fn json<T: Serialize>(value: &T) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(unwritable)
}

fn unwritable(error: serde_json::Error) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(error.into())
}

fn integer(number: u64) -> rusqlite::Result<i64> {
    i64::try_from(number).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ciphermeter_core::Metric;

    #[test]
    fn committed_rounds_survive_a_full_disk() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("runs.db")).unwrap();
        let sql = "INSERT INTO run VALUES (1, '', '', 0, '', '', 'open', '', NULL, NULL, NULL)";
        store.connection.execute(sql, ()).unwrap();
        store.begin_fork(1, 0, 0).unwrap();
        // A limit on the file's pages makes SQLite react as on a full disk.
        store.connection.pragma_update(None, "max_page_count", 30).unwrap();
        let sample = Sample {
            cell: CellId(0),
            after: None,
            turn: 0,
            iterations: 1,
            counts: vec![(Metric::NS, 1)],
            series: vec![],
        };
        let round = vec![sample; 400];
        let (committed, error) =
            (0..).find_map(|number| Some((number, store.commit_round(1, 0, number, &round).err()?))).unwrap();
        assert!(error.to_string().starts_with("no space left for the store"), "{error}");
        assert!(committed > 1);
        assert_eq!(store.forks(1).unwrap()[0].rounds, u64::from(committed));
    }
}
