//! Joins the meter to the store: whatever it measures is committed round by round.

use ciphermeter_core::{
    CellId, Latency, Memory, Metric, Note, Outcome, PartPlan, Record, Run, RunStatus, Sample, Summary,
};
use ciphermeter_meter::{Progress, Sink, SinkError};
use ciphermeter_report::leader;
use ciphermeter_store::Store;

use crate::progress::ProgressLine;

pub struct Recorder<'a> {
    store: &'a Store,
    /// Its number is 0 as long as it isn't stored.
    pub run: Run,
    line: &'a ProgressLine,
    /// The cells with what each came to so far, without samples: empty where the progress is hidden.
    cells: Vec<Record>,
}

impl<'a> Recorder<'a> {
    /// A run that is stored when its cells are known; one with a number is in the store already.
    pub fn new(store: &'a Store, run: Run, line: &'a ProgressLine) -> Self {
        Self { store, run, line, cells: Vec::new() }
    }

    pub fn finish(&mut self, status: RunStatus) -> Result<(), SinkError> {
        self.run.status = status;
        Ok(self.store.finish(self.run.id, status, &self.run.notes)?)
    }
}

impl Sink for Recorder<'_> {
    fn planned(&mut self, records: &[Record], metrics: &[Metric]) -> Result<(), SinkError> {
        self.run.plan.metrics = metrics.to_vec();
        let cells: Vec<_> = records.iter().map(|record| record.cell.clone()).collect();
        self.run.id = self.store.begin(&self.run, &cells)?;
        if self.line.is_shown() {
            self.cells = records.to_vec();
        }
        for record in records {
            if let Some(provenance) = &record.provenance {
                self.store.set_provenance(self.run.id, record.id, provenance)?;
            }
        }
        Ok(())
    }

    fn part(&mut self, part: &PartPlan) -> Result<(), SinkError> {
        self.run.plan.take(part.clone());
        Ok(self.store.set_plan(self.run.id, &self.run.plan)?)
    }

    fn fork_begins(&mut self, number: u32, offset: u64) -> Result<(), SinkError> {
        Ok(self.store.begin_fork(self.run.id, number, offset)?)
    }

    fn round(&mut self, fork: u32, round: u32, samples: &[Sample]) -> Result<(), SinkError> {
        Ok(self.store.commit_round(self.run.id, fork, round, samples)?)
    }

    fn latency(&mut self, latencies: &[(CellId, Latency)]) -> Result<(), SinkError> {
        Ok(self.store.commit_latency(self.run.id, latencies)?)
    }

    fn memory(&mut self, id: CellId, memory: &Memory) -> Result<(), SinkError> {
        Ok(self.store.commit_memory(self.run.id, id, memory)?)
    }

    fn fork_ends(&mut self, number: u32, whole: bool) -> Result<(), SinkError> {
        Ok(self.store.end_fork(self.run.id, number, whole)?)
    }

    fn outcome(&mut self, id: CellId, outcome: &Outcome) -> Result<(), SinkError> {
        if let Some(record) = self.cells.get_mut(id.index()) {
            record.outcome = outcome.clone();
        }
        Ok(self.store.set_outcome(self.run.id, id, outcome)?)
    }

    fn summaries(&mut self, summaries: &[(CellId, Summary)]) -> Result<(), SinkError> {
        for (id, summary) in summaries {
            if let Some(record) = self.cells.get_mut(id.index()) {
                record.summary = Some(summary.clone());
            }
        }
        self.line.lead(leader(&self.cells));
        Ok(self.store.set_summaries(self.run.id, summaries)?)
    }

    fn answered(&mut self, is_answered: bool) {
        self.line.answered(is_answered);
    }

    fn note(&mut self, note: Note) -> Result<(), SinkError> {
        if !self.run.notes.contains(&note) {
            self.run.notes.push(note);
        }
        Ok(())
    }

    fn progress(&mut self, progress: &Progress) {
        self.line.show(progress);
    }
}
