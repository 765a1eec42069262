//! The live workers of a run, and what happens when one breaks.
//!
//! A worker that ends, hangs or answers nonsense costs the cell that was being asked for; its process is replaced, and its other
//! cells go on. Three breaks and the source is out for the run: then something is wrong with all of it.

use std::rc::Rc;
use std::time::Duration;

use ciphermeter_core::{CellId, Outcome};
use ciphermeter_protocol::{Link, LinkError};

use crate::compile::Settled;
use crate::phase::Part;
use crate::plan::Plan;
use crate::probe::Probe;
use crate::survey::Surveyed;
use crate::transfer::Contents;
use crate::{Affinity, Clock, Launch, Options, Sink, SinkError, Worker};

/// So many breaks and a source is out.
const MOST_BREAKS: u32 = 3;

/// Everything that the phases of a run share.
pub struct Pool<'a> {
    pub launch: &'a mut dyn Launch,
    pub clock: Rc<dyn Clock>,
    pub sink: &'a mut dyn Sink,
    pub options: &'a Options,
    pub random: fastrand::Rng,
    pub surveyed: Vec<Surveyed>,
    pub plan: Plan,
    /// By source; `None`: not running.
    pub workers: Vec<Option<Worker>>,
    pub breaks: Vec<u32>,
    /// By source: how warming each of its processes up ended, where the runtime compiles while it runs.
    pub settled: Vec<Vec<Settled>>,
    /// How long it took last to start a process of every source.
    pub starting: Duration,
    /// The cells are copies of one library: then none is the best, and the first is as good a reference as any but the slowed.
    pub copies: bool,
    /// The source that has the probe, and how it is sampled once the pilot knows.
    pub probe: Option<Probe>,
    /// Where in the arena buffers lie in this fork.
    pub offset: u64,
    /// Which part of the run is on.
    pub part: Part,
    /// What the files of transfers hash to.
    pub contents: Contents,
}

/// A worker broke while it was asked for a cell, or while it started.
pub struct Fault {
    pub cell: Option<CellId>,
    pub error: LinkError,
}

impl Pool<'_> {
    /// The cells of this part that one source has.
    pub fn cells_of(&self, source: usize) -> Vec<CellId> {
        let mut cells = self.plan.of_source(source);
        cells.retain(|id| self.part.takes(self.plan.get(*id)));
        cells
    }

    /// The live worker of a cell.
    pub fn worker(&mut self, id: CellId) -> Option<(usize, &mut Worker)> {
        let source = self.plan.get(id).source?;
        Some((source, self.workers[source].as_mut()?))
    }

    /// Takes a cell out, with the reason.
    pub fn fall_out(&mut self, id: CellId, outcome: Outcome) -> Result<(), SinkError> {
        self.sink.outcome(id, &outcome)?;
        self.plan.cells[id.index()].outcome = outcome;
        Ok(())
    }

    /// Starts a fresh process for every source.
    pub fn start_all(&mut self) -> Result<(), SinkError> {
        let began = self.clock.now();
        self.dismiss();
        for source in 0..self.surveyed.len() {
            self.start(source)?;
        }
        self.starting = self.clock.now() - began;
        Ok(())
    }

    /// Starts a fresh process for a source and prepares its cells, again and again until all stand or it is out.
    pub fn start(&mut self, source: usize) -> Result<(), SinkError> {
        self.workers[source] = None;
        let probes = self.probe.as_ref().is_some_and(|probe| probe.source == source);
        while self.breaks[source] < MOST_BREAKS && (probes || !self.cells_of(source).is_empty()) {
            match self.try_start(source)? {
                Ok(worker) => {
                    self.workers[source] = Some(worker);
                    return Ok(());
                }
                Err(fault) => self.note_break(source, &fault)?,
            }
        }
        Ok(())
    }

    fn try_start(&mut self, source: usize) -> Result<Result<Worker, Fault>, SinkError> {
        let survey = &self.surveyed[source];
        let compiles = survey.compiles;
        let affinity = if compiles { Affinity::AllCpus } else { self.part.phase.affinity() };
        let link = match self.launch.launch(&survey.source, affinity) {
            Ok(link) => link,
            Err(error) => return Ok(Err(Fault { cell: None, error: error.into() })),
        };
        let mut worker = self.known(survey, link);
        let provider = survey.source.provider.clone();
        for id in self.cells_of(source) {
            let prepared = worker.prepare(id, &self.plan.get(id).cell, &provider, self.options.seed, self.offset);
            match prepared {
                Ok(Ok(())) => {}
                Ok(Err(why)) => self.fall_out(id, Outcome::Unsupported { why })?,
                Err(LinkError::Reported(why)) => self.fall_out(id, Outcome::Failed { why })?,
                Err(error) => return Ok(Err(Fault { cell: Some(id), error })),
            }
        }
        if let Some(probe) = self.probe.as_ref().filter(|probe| probe.source == source)
            && let Err(error) = probe.prepare(&mut worker, &provider)
        {
            return Ok(Err(Fault { cell: None, error }));
        }
        if compiles && let Err(fault) = self.settle(source, &mut worker) {
            return Ok(Err(fault));
        }
        Ok(Ok(worker))
    }

    /// A worker in a fresh process of a source that has been surveyed.
    pub fn known(&self, survey: &Surveyed, link: Box<dyn Link>) -> Worker {
        let mut worker = Worker::new(link, self.clock.clone(), self.options.patience);
        worker.set_ruler(survey.ruler);
        worker.stop_between_requests(survey.background);
        worker
    }

    /// A cell's worker gave no usable answer: the cell is out, and unless the worker itself said why, its process is replaced.
    pub fn fault(&mut self, id: CellId, error: LinkError) -> Result<(), SinkError> {
        match (error, self.plan.get(id).source) {
            (LinkError::Reported(why), _) => self.fall_out(id, Outcome::Failed { why }),
            (error, Some(source)) => {
                self.note_break(source, &Fault { cell: Some(id), error })?;
                self.start(source)
            }
            (_, None) => Ok(()),
        }
    }

    /// Counts a break; the source's last takes all its cells out.
    pub fn note_break(&mut self, source: usize, fault: &Fault) -> Result<(), SinkError> {
        self.workers[source] = None;
        self.breaks[source] += 1;
        let name = self.surveyed[source].source.name.clone();
        if let Some(id) = fault.cell {
            let why = format!("the worker of {name} failed: {}", fault.error);
            self.fall_out(id, Outcome::Failed { why })?;
        }
        if self.breaks[source] >= MOST_BREAKS {
            let why = format!("the worker of {name} failed {MOST_BREAKS} times, the last time: {}", fault.error);
            for id in self.plan.of_source(source) {
                self.fall_out(id, Outcome::Failed { why: why.clone() })?;
            }
        }
        Ok(())
    }

    /// Ends all processes.
    pub fn dismiss(&mut self) {
        self.release_files();
        self.workers.iter_mut().for_each(|worker| *worker = None);
    }
}
