//! Taking in a run that was measured elsewhere.

use std::collections::BTreeMap;

use ciphermeter_core::{Cell, Record, Run, RunPlan, Sample, digest, escaped};
use rusqlite::params;

use crate::write::{insert_latency, insert_memory, insert_round, insert_run};
use crate::{Result, Store, StoreError};

impl Store {
    /// Stores a run of an export with its records, all or nothing, and returns its number here; `run.id` is ignored.
    ///
    /// # Errors
    /// The store can't be written, or the run could not be read back from it.
    pub fn add(&self, run: &Run, records: &[Record]) -> Result<i64> {
        let transaction = self.sql(self.connection.unchecked_transaction())?;
        let id = self.insert(run, records)?;
        // What is within the limits of a document may be beyond those of a store, such as a round too long to be read.
        let (stored, as_stored) = self.load_in_transaction(id).map_err(|error| self.not_kept(error))?;
        if digest(&stored, &as_stored) != digest(run, records) {
            return Err(self.not_kept("its samples are not in the order of their turns"));
        }
        self.sql(transaction.commit())?;
        Ok(id)
    }

    /// The number of a stored run of the same [`digest`]; `None` without one.
    ///
    /// # Errors
    /// The store can't be read.
    pub fn find(&self, run: &Run, records: &[Record]) -> Result<Option<i64>> {
        let sql = "SELECT id FROM run WHERE started = ? AND seed = ? ORDER BY id";
        let mut ids = self.sql(self.connection.prepare(sql))?;
        let ids = self.sql(ids.query_map(params![run.started, run.seed.cast_signed()], |row| row.get(0)))?;
        let ids = self.sql(ids.collect::<rusqlite::Result<Vec<i64>>>())?;
        let wanted = digest(run, records);
        // A damaged run is none of those.
        Ok(ids.into_iter().find(|id| self.load(*id).is_ok_and(|(run, records)| digest(&run, &records) == wanted)))
    }

    fn insert(&self, run: &Run, records: &[Record]) -> Result<i64> {
        let plan = RunPlan { is_imported: true, ..run.plan.clone() };
        let cells: Vec<Cell> = records.iter().map(|record| record.cell.clone()).collect();
        let id = self.sql(insert_run(&self.connection, &Run { plan, ..run.clone() }, &cells))?;
        for (number, is_short) in forks(records) {
            self.begin_fork(id, number, 0)?;
            self.end_fork(id, number, !is_short)?;
        }
        for ((fork, number), mut samples) in rounds(records) {
            samples.sort_by_key(|sample| sample.turn);
            let samples: Vec<Sample> = samples.into_iter().cloned().collect();
            self.sql(insert_round(&self.connection, (id, fork, number), &samples))?;
        }
        for record in records {
            for latency in &record.latency {
                self.sql(insert_latency(&self.connection, id, record.id, latency))?;
            }
            for memory in &record.memory {
                self.sql(insert_memory(&self.connection, id, record.id, memory))?;
            }
        }
        self.update_cells("outcome", id, records.iter().map(|record| (record.id, &record.outcome)))?;
        let provenances = records.iter().filter_map(|record| Some((record.id, record.provenance.as_ref()?)));
        self.update_cells("provenance", id, provenances)?;
        let summaries = records.iter().filter_map(|record| Some((record.id, record.summary.as_ref()?)));
        self.update_cells("summary", id, summaries)?;
        Ok(id)
    }

    fn not_kept(&self, why: impl ToString) -> StoreError {
        let why = escaped(&why.to_string());
        StoreError::NotKept { path: self.path().into(), why }
    }
}

/// The forks of all records, and whether each was cut off.
fn forks(records: &[Record]) -> BTreeMap<u32, bool> {
    let memory = records.iter().flat_map(|record| &record.memory).map(|memory| (memory.fork, false));
    let calls = records.iter().flat_map(|record| &record.latency).map(|calls| (calls.fork, calls.short));
    let samples = records.iter().flat_map(|record| &record.forks).map(|fork| (fork.number, fork.short));
    // What says it comes after what doesn't.
    memory.chain(calls).chain(samples).collect()
}

/// The samples of each round, by fork and number.
fn rounds(records: &[Record]) -> BTreeMap<(u32, u32), Vec<&Sample>> {
    let mut rounds = BTreeMap::<_, Vec<&Sample>>::new();
    for fork in records.iter().flat_map(|record| &record.forks) {
        for (round, sample) in fork.rounds.iter().zip(&fork.samples) {
            rounds.entry((fork.number, *round)).or_default().push(sample);
        }
    }
    rounds
}
