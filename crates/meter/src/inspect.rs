//! Was the output of the timed calls themselves right?
//!
//! After a sample the worker hashes what its last timed call left in the buffer; a sibling, another provider of the same algorithm, makes
//! the same iteration anew. A call that silently failed, was skipped or came from a cache shows here, and only here.
//! These samples run apart from the rounds and are not counted: hashing in between would disturb whoever comes next.

use std::time::Duration;

use ciphermeter_core::{CellId, Family, Operation, Outcome};
use ciphermeter_protocol::LinkError;

use crate::crew::Crew;
use crate::{Batch, SinkError};

impl Crew<'_> {
    /// Samples a cell once and has its output confirmed; a wrong one takes the cell out.
    pub(crate) fn inspect(&mut self, id: CellId, iterations: u64, expected: Duration) -> Result<(), SinkError> {
        let Some((_, worker)) = self.worker(id) else { return Ok(()) };
        match worker.sample(id, 0, iterations, expected) {
            Ok(batch) => self.confirm(id, &batch),
            Err(error) => self.fault(id, error),
        }
    }

    /// Has the output of the sample that a cell's worker ran last confirmed.
    pub(crate) fn confirm(&mut self, id: CellId, batch: &Batch) -> Result<(), SinkError> {
        let cell = &self.plan.get(id).cell;
        if cell.operation == Operation::KeySetup || cell.algorithm.family() == Family::Ceiling {
            return Ok(());
        }
        let Some((source, worker)) = self.worker(id) else { return Ok(()) };
        let left = match worker.digest(id, batch.first, batch.last) {
            Ok(Ok(digest)) => digest,
            Ok(Err(why)) => {
                let why = format!("it does not say what its timed calls put out: {why}");
                return self.fall_out(id, Outcome::WrongOutput { why });
            }
            Err(error) => return self.fault(id, error),
        };
        match self.made_anew(id, source, batch)? {
            Some((by, right)) if right != left => {
                let why = format!(
                    "the timed loop left an output that hashes to {}…, where {by} makes {}… of iteration {}",
                    hex::encode(&left[..4]),
                    hex::encode(&right[..4]),
                    batch.last
                );
                self.fall_out(id, Outcome::WrongOutput { why })
            }
            _ => Ok(()),
        }
    }

    /// The same output from somebody else, with a name for who made it: a sibling in the group, or a fresh process of the same
    /// provider where there is none.
    fn made_anew(&mut self, id: CellId, source: usize, batch: &Batch) -> Result<Option<(String, [u8; 32])>, SinkError> {
        for sibling in self.siblings(id, source) {
            let Some((other, worker)) = self.worker(sibling) else { continue };
            match worker.digest(sibling, batch.first, batch.last) {
                Ok(Ok(digest)) => return Ok(Some((self.surveyed[other].source.name.clone(), digest))),
                Ok(Err(_)) => {}
                Err(error) => self.fault(sibling, error)?,
            }
        }
        match self.in_fresh_process(id, source, batch) {
            Ok(digest) => Ok(digest.map(|digest| ("a fresh process of its own".into(), digest))),
            Err(error) => self.fault(id, error).map(|()| None),
        }
    }

    fn siblings(&self, id: CellId, source: usize) -> Vec<CellId> {
        let cell = &self.plan.get(id).cell;
        let twin = |other: &CellId| {
            let planned = self.plan.get(*other);
            planned.source != Some(source)
                && planned.cell.algorithm == cell.algorithm
                && planned.cell.operation == cell.operation
                && planned.cell.form == cell.form
                && planned.cell.parameters == cell.parameters
                && self.plan.is_in(*other)
        };
        self.plan.ids().filter(twin).collect()
    }

    fn in_fresh_process(&mut self, id: CellId, source: usize, batch: &Batch) -> Result<Option<[u8; 32]>, LinkError> {
        let survey = &self.surveyed[source];
        let link = self.launch.launch(&survey.source)?;
        let mut worker = self.known(survey, link);
        let cell = &self.plan.get(id).cell;
        match worker.prepare(id, cell, &survey.source.provider, self.options.seed, self.offset)? {
            Ok(()) => worker.digest(id, batch.first, batch.last).map(Result::ok),
            Err(_) => Ok(None),
        }
    }
}
