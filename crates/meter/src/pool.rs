//! The live workers of a run, and what happens when one breaks.
//!
//! A worker that ends, hangs or answers nonsense costs the cell that was being asked for; its process is replaced, and its other
//! cells go on. Three breaks and the source is out for the run: then something is wrong with all of it.

use std::rc::Rc;
use std::time::Duration;

use ciphermeter_core::{CellId, Outcome};
use ciphermeter_host::energy::Meters;
use ciphermeter_protocol::{Link, LinkError};

use crate::compile::{self, Settled};
use crate::options::Options;
use crate::part::Part;
use crate::plan::Plan;
use crate::probe::Probe;
use crate::stop::Stop;
use crate::survey::Surveyed;
use crate::worker::Fault;
use crate::{Affinity, Batch, Clock, Launch, Progress, Sink, SinkError, Worker};

/// So many breaks and a source is out.
const MOST_BREAKS: u32 = 3;

/// The workers of a run, its plan, and where what is measured goes.
pub struct Pool<'a> {
    /// Starts them.
    pub launch: &'a mut dyn Launch,
    /// Tells the time.
    pub clock: Rc<dyn Clock>,
    /// Takes what is measured.
    pub sink: &'a mut dyn Sink,
    /// When to stop although there is more to do.
    pub stop: Stop<'a>,
    /// The counters of energy; none where a run needs none.
    pub meters: Meters,
    /// What is set beside the scenario.
    pub options: &'a Options,
    /// Draws orders and offsets.
    pub random: fastrand::Rng,
    /// What each source said of itself.
    pub surveyed: Vec<Surveyed>,
    /// The cells.
    pub plan: Plan,
    /// By source; `None`: not running.
    pub workers: Vec<Option<Worker>>,
    /// Which part of the run is on.
    pub part: Part,
    /// Where in the arena buffers lie in this fork.
    pub offset: u64,
    /// How long it took last to start a process of every source.
    pub starting: Duration,
    /// When the part before this ended.
    pub measured_until: Duration,
    /// Something ended before its time, though no cell fell out: a sustained load, or the preparations of too small a budget.
    pub cut_short: bool,
    breaks: Vec<u32>,
    /// By source: how warming each of its processes up ended, where the runtime compiles while it runs.
    settled: Vec<Vec<Settled>>,
    /// The contention probe, where a source has one.
    probe: Option<Probe>,
}

impl<'a> Pool<'a> {
    /// A pool of the workers that were surveyed, which live.
    pub fn new(
        (launch, clock, sink): (&'a mut dyn Launch, Rc<dyn Clock>, &'a mut dyn Sink),
        stop: Stop<'a>,
        meters: Meters,
        options: &'a Options,
        here: Vec<(Surveyed, Worker)>,
        plan: Plan,
    ) -> Self {
        let (surveyed, workers): (Vec<_>, Vec<_>) =
            here.into_iter().map(|(found, worker)| (found, Some(worker))).unzip();
        Self {
            launch,
            clock,
            sink,
            stop,
            meters,
            options,
            random: fastrand::Rng::with_seed(options.seed),
            breaks: vec![0; surveyed.len()],
            settled: vec![Vec::new(); surveyed.len()],
            probe: Probe::find(&surveyed),
            surveyed,
            plan,
            workers,
            part: Part::default(),
            offset: 0,
            starting: Duration::ZERO,
            measured_until: Duration::ZERO,
            cut_short: false,
        }
    }
}

impl Pool<'_> {
    /// The cells of this part that one source has.
    pub fn cells_of(&self, source: usize) -> Vec<CellId> {
        let mut cells = self.plan.of_source(source);
        cells.retain(|id| self.part.cells.contains(id));
        cells
    }

    /// The cells of this part that are in, source by source.
    pub fn cells(&self) -> Vec<CellId> {
        (0..self.surveyed.len()).flat_map(|source| self.cells_of(source)).collect()
    }

    /// A cell's name for progress and messages.
    pub fn name(&self, id: CellId) -> String {
        self.plan.get(id).cell.to_string()
    }

    /// Whether what is on must end, done or not. Looked at before each sample, so that Ctrl-C is heard however many cells there are.
    pub fn must_stop(&self) -> bool {
        self.stop.is_due(self.clock.now())
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
        let probes = self.probe_of(source).is_some();
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
        let affinity = if compiles { Affinity::AllCpus } else { self.part.affinity };
        let link = match self.launch.launch(&survey.source, affinity) {
            Ok(link) => link,
            Err(error) => return Ok(Err(Fault { cell: None, error: error.into() })),
        };
        let mut worker = self.known(survey, link);
        let provider = survey.source.provider.clone();
        for id in self.cells_of(source) {
            if self.must_stop() {
                // Every loop of samples looks, too, so none comes to a cell that isn't prepared.
                break;
            }
            let prepared = worker.prepare(id, &self.plan.get(id).cell, &provider, self.options.seed, self.offset);
            match prepared {
                Ok(Ok(())) => {}
                Ok(Err(why)) => self.fall_out(id, Outcome::Unsupported { why })?,
                Err(LinkError::Reported(why)) => self.fall_out(id, Outcome::Failed { why })?,
                Err(error) => return Ok(Err(Fault { cell: Some(id), error })),
            }
        }
        if let Some(probe) = self.probe_of(source)
            && let Err(error) = probe.prepare(&mut worker, &provider)
        {
            return Ok(Err(Fault { cell: None, error }));
        }
        if compiles && let Err(fault) = self.settle(source, &mut worker) {
            return Ok(Err(fault));
        }
        Ok(Ok(worker))
    }

    /// The contention probe, if this source has it and this part is probed.
    fn probe_of(&self, source: usize) -> Option<&Probe> {
        self.probe.as_ref().filter(|probe| self.part.probed && probe.source == source)
    }

    /// Calls a fresh process's cells until compilation stands still, and pins the process.
    fn settle(&mut self, source: usize, worker: &mut Worker) -> Result<(), Fault> {
        let cells = self.cells_of(source);
        if cells.is_empty() {
            return Ok(());
        }
        let what = format!("{} until it stands still", self.surveyed[source].source.name);
        let tell = |left| {
            let what = what.clone();
            self.sink.progress(&Progress { stage: "compiling", what, fork: 0, rounds: 0, done: 0.05, left });
        };
        let settled = compile::settle(worker, &cells, &*self.clock, &self.stop, tell)?;
        self.settled[source].push(settled);
        if self.part.affinity == Affinity::OneCpu
            && let Some(process) = worker.process()
        {
            self.launch.pin(process).map_err(|error| Fault { cell: None, error: error.into() })?;
        }
        Ok(())
    }

    /// How it was judged that compilation stands still, one sentence a source, about all processes since it was last asked.
    pub fn compilations(&mut self) -> Vec<String> {
        let settled = self.surveyed.iter().zip(&mut self.settled).filter(|(_, settled)| !settled.is_empty());
        let sentence = |(survey, settled): (&Surveyed, &mut Vec<_>)| {
            compile::sentence(&survey.source.name, &std::mem::take(settled))
        };
        settled.map(sentence).collect()
    }

    /// A sample of a cell, or the cell's end: `None` if its worker broke, or could not be started again before.
    pub fn sample(
        &mut self,
        id: CellId,
        warmup_ns: u64,
        iterations: u64,
        expected: Duration,
    ) -> Result<Option<Batch>, SinkError> {
        let Some((_, worker)) = self.worker(id) else { return Ok(None) };
        match worker.sample(id, warmup_ns, iterations, expected) {
            Ok(batch) => Ok(Some(batch)),
            Err(error) => self.fault(id, error).map(|()| None),
        }
    }

    /// A look at the contention probe: picoseconds of one call, `None` where there is none, or none any more.
    pub fn look(&mut self) -> Result<Option<u64>, SinkError> {
        let Some(probe) = self.probe.as_ref().filter(|_| self.part.probed) else { return Ok(None) };
        let source = probe.source;
        let Some(worker) = self.workers[source].as_mut() else { return Ok(None) };
        match probe.look(worker) {
            Ok(each) => Ok(Some(each)),
            Err(error) => {
                self.note_break(source, &Fault { cell: None, error })?;
                self.start(source)?;
                Ok(None)
            }
        }
    }

    /// Learns how many calls a look takes.
    pub fn size_probe(&mut self) -> Result<(), SinkError> {
        for _ in 0..8 {
            let Some(each) = self.look()? else { return Ok(()) };
            if let Some(probe) = &mut self.probe {
                probe.size(each);
            }
        }
        Ok(())
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
        for worker in self.workers.iter_mut().flatten().filter(|_| self.part.released) {
            for id in worker.prepared() {
                // One that can't is about to end in any case.
                let _ = worker.release(id);
            }
        }
        self.workers.iter_mut().for_each(|worker| *worker = None);
    }
}
