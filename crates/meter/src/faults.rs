//! What happens when a worker breaks.
//!
//! One that ends, hangs or answers nonsense costs the cell that was being asked for; its process is replaced, and its other cells go on.
//! Three breaks and the source is out for the run: then something is wrong with all of it. A device costs no cell: boards are reset, and
//! cables move, so it is started again and asked the same again. At its third break, or when it is not there any more, its part of the
//! run is over: cells of a board that have samples keep them, all others have failed. What breaks once the user has ended the run is
//! held against nothing: a worker that was waited for no longer is no broken one.

use std::time::Duration;

use ciphermeter_core::{CellId, Metric, Note, Outcome};
use ciphermeter_protocol::LinkError;

use crate::pool::{MOST_BREAKS, Pool};
use crate::roster::FORGOTTEN;
use crate::worker::Fault;
use crate::{Batch, SinkError};

impl Pool<'_> {
    /// A sample of a cell, or the cell's end: `None` if its worker broke, or could not be started again before.
    pub fn sample(
        &mut self,
        id: CellId,
        warmup_ns: u64,
        iterations: u64,
        expected: Duration,
    ) -> Result<Option<Batch>, SinkError> {
        let layout = self.layout.filter(|_| self.moves(id));
        loop {
            let Some((source, worker)) = self.worker(id) else { return Ok(None) };
            match worker.sample(id, warmup_ns, iterations, layout, expected) {
                Ok(mut batch) => {
                    batch.counts.extend(layout.map(|layout| (Metric::LAYOUT, layout.packed())));
                    self.was_sampled(self.surveyed[source].background);
                    return Ok(Some(batch));
                }
                Err(error) => {
                    let is_asked_again = self.is_lost(id, &error) && !self.must_stop();
                    self.fault(id, error)?;
                    if !is_asked_again {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Whether a device has lost a cell, which costs the cell nothing.
    pub fn is_lost(&self, id: CellId, error: &LinkError) -> bool {
        self.plan.get(id).source.is_some_and(|source| self.is_reset(source, error))
    }

    /// Whether a source is on a device that was reset, or whose line broke.
    pub fn is_reset(&self, source: usize, error: &LinkError) -> bool {
        let is_reset = match error {
            LinkError::Reported(why) => why.contains(FORGOTTEN),
            _ => true,
        };
        is_reset && self.surveyed[source].source.device.is_some()
    }

    /// A cell's worker gave no usable answer: the cell is out, and unless the worker itself said why, its process is replaced. A device
    /// is started again, and the cell stays.
    pub fn fault(&mut self, id: CellId, error: LinkError) -> Result<(), SinkError> {
        match (error, self.plan.get(id).source) {
            (error, Some(source)) if self.is_reset(source, &error) => {
                self.note_break(source, &Fault::new(None, error))?;
                self.start(source)
            }
            (LinkError::Reported(why), _) => self.fall_out(id, Outcome::Failed { why }),
            (error, Some(source)) => {
                self.note_break(source, &Fault::new(Some(id), error))?;
                self.start(source)
            }
            (_, None) => Ok(()),
        }
    }

    /// Counts a break; the source's last takes all its cells out. A device that can't be started counts for all that it has.
    pub fn note_break(&mut self, source: usize, fault: &Fault) -> Result<(), SinkError> {
        if self.stop.is_interrupted() {
            self.workers[source] = None;
            return Ok(());
        }
        let device = self.surveyed[source].source.device.as_ref().filter(|_| fault.is_at_start).cloned();
        let shares = |other: &usize| {
            let other = &self.surveyed[*other].source;
            other.is_on_line() && device.is_some() && other.device == device
        };
        let mut sources: Vec<usize> = (0..self.surveyed.len()).filter(shares).collect();
        if !sources.contains(&source) {
            sources.push(source);
        }
        for source in sources {
            self.workers[source] = None;
            self.breaks[source] += 1;
            self.count_break(source, fault)?;
        }
        Ok(())
    }

    fn count_break(&mut self, source: usize, fault: &Fault) -> Result<(), SinkError> {
        let name = self.surveyed[source].source.name.clone();
        let is_device = self.surveyed[source].source.device.is_some();
        if let Some(id) = fault.cell.filter(|_| !is_device) {
            let why = format!("the worker of {name} failed: {}", fault.error);
            self.fall_out(id, Outcome::Failed { why })?;
        }
        let is_on_line = self.surveyed[source].source.is_on_line();
        let why = if is_on_line { fault.error.on_device() } else { fault.error.to_string() };
        if self.breaks[source] >= MOST_BREAKS {
            self.take_out(source, &why)?;
        } else if is_device && !fault.is_at_start {
            let why = match &fault.error {
                LinkError::Reported(why) if why.contains(FORGOTTEN) => "it had been reset".into(),
                _ => why,
            };
            self.sink
                .note(Note::other(format!("{name} is started again in mid-run, and keeps what was measured: {why}")))?;
        }
        Ok(())
    }

    /// Ends a source's part of the run. What a board has measured is as right as before its cable went; of a process that breaks
    /// again and again, nothing is.
    fn take_out(&mut self, source: usize, why: &str) -> Result<(), SinkError> {
        let name = self.surveyed[source].source.name.clone();
        let is_on_line = self.surveyed[source].source.is_on_line();
        let cells = self.plan.of_source(source);
        let (kept, lost): (Vec<CellId>, Vec<CellId>) =
            cells.into_iter().partition(|id| is_on_line && self.has_samples(*id));
        for id in lost {
            let why = format!("the worker of {name} failed {MOST_BREAKS} times, the last time: {why}");
            self.fall_out(id, Outcome::Failed { why })?;
        }
        if !is_on_line {
            return Ok(());
        }
        self.part.cells.retain(|id| !kept.contains(id));
        self.cut_short = true;
        self.sink.note(Note::lost(&name, why))
    }
}
