//! The live workers of a run.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use ciphermeter_core::{CellId, Layout, MAX_INTEGER, Metric, Note, Outcome, Sample};
use ciphermeter_host::energy::{MeterReading, Meters, by_kind};
use ciphermeter_protocol::{Link, LinkError};

use crate::compile::{self, Settled};
use crate::layouts::{INSTANCES, Layouts};
use crate::offsets::Offsets;
use crate::options::Options;
use crate::part::Part;
use crate::plan::Plan;
use crate::probe::{Probe, Reading};
use crate::roster::Roster;
use crate::stop::Stop;
use crate::survey::Surveyed;
use crate::worker::Fault;
use crate::{Affinity, Clock, Launch, Progress, Sink, SinkError, Worker};

/// So many breaks and a source is out.
pub const MOST_BREAKS: u32 = 3;

/// What is prepared on each board, by its number: all that are on it share its memory.
type Boards = BTreeMap<u64, Rc<RefCell<Roster>>>;

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
    /// The cells of this part of which an earlier life of the run has whole forks.
    pub held: BTreeSet<CellId>,
    /// Where in the arena buffers lie in this fork.
    pub offset: u64,
    /// Where they may lie in the next ones.
    offsets: Offsets,
    /// Where stack, buffers and keys lie in this round, of workers that move them; `None` outside rounds.
    pub layout: Option<Layout>,
    /// Where they may lie in the next ones.
    layouts: Layouts,
    /// By source: how long it took last to start its process and prepare its cells.
    starts: Vec<Duration>,
    /// When the part before this ended.
    pub measured_until: Duration,
    /// When the time of all parts is over.
    pub ends: Duration,
    /// How long devices have taken beside the budget: what is exact takes what it takes, and a slow line is no fault of a cell's.
    pub beside: Duration,
    /// Something ended before its time, though no cell fell out: a sustained load, or the preparations of too small a budget.
    pub cut_short: bool,
    /// The cells of which this life of the run or an earlier one has a sample.
    sampled: BTreeSet<CellId>,
    /// The counters of energy of which it was said that they failed.
    failed_meters: BTreeSet<String>,
    /// How often the worker of each source broke.
    pub(crate) breaks: Vec<u32>,
    /// By source: a process that has timed nothing, which makes outputs anew where no other provider does. It ends before rounds begin.
    pub(crate) witnesses: BTreeMap<usize, Worker>,
    boards: Boards,
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
        let numbers = here.iter().filter_map(|(found, _)| Some(found.source.device.as_ref()?.number));
        let boards = numbers.map(|number| (number, Rc::default())).collect();
        let live = |(found, worker): (Surveyed, Worker)| {
            let worker = placed(worker, &found, &boards);
            (found, Some(worker))
        };
        let (surveyed, workers): (Vec<_>, Vec<_>) = here.into_iter().map(live).unzip();
        Self {
            launch,
            clock,
            sink,
            stop,
            meters,
            options,
            random: fastrand::Rng::with_seed(options.seed),
            breaks: vec![0; surveyed.len()],
            starts: vec![Duration::ZERO; surveyed.len()],
            witnesses: BTreeMap::new(),
            boards,
            settled: vec![Vec::new(); surveyed.len()],
            probe: Probe::find(&surveyed),
            surveyed,
            plan,
            workers,
            part: Part::default(),
            held: BTreeSet::new(),
            offset: 0,
            offsets: Offsets::default(),
            layout: None,
            layouts: Layouts::new(options.seed),
            measured_until: Duration::ZERO,
            ends: Duration::ZERO,
            beside: Duration::ZERO,
            cut_short: false,
            sampled: BTreeSet::new(),
            failed_meters: BTreeSet::new(),
        }
    }
}

impl Pool<'_> {
    /// Says what is going on, with what is left of the whole run: a part's own time is over when the next one begins.
    pub fn tell(&mut self, stage: &'static str, what: String, (fork, rounds): (u32, u32), done: f64) {
        let left = Some(self.ends.saturating_sub(self.clock.now()));
        self.sink.progress(&Progress { stage, what, fork, rounds, done, left });
    }

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

    /// What was done since then is no part of the budget.
    pub fn set_beside(&mut self, since: Duration) {
        let took = self.clock.now().saturating_sub(since);
        self.beside += took;
        self.stop.extend(took);
    }

    /// Takes a cell out, with the reason.
    pub fn fall_out(&mut self, id: CellId, outcome: Outcome) -> Result<(), SinkError> {
        self.sink.outcome(id, &outcome)?;
        self.plan.cells[id.index()].outcome = outcome;
        Ok(())
    }

    /// Takes out a cell that does not fit. One that an earlier life of the run measured keeps what it has, and is measured no further.
    pub fn leave_out(&mut self, id: CellId, outcome: Outcome) -> Result<(), SinkError> {
        if !self.held.contains(&id) {
            return self.fall_out(id, outcome);
        }
        self.part.cells.remove(&id);
        self.cut_short = true;
        let provider = &self.plan.get(id).cell.provider;
        let why = outcome.why().unwrap_or_default();
        self.sink.note(Note::other(format!("{provider}: cells keep the forks that they have and get no more: {why}")))
    }

    /// Stores a round of a fork.
    pub fn store(&mut self, fork: u32, round: u32, samples: &[Sample]) -> Result<(), SinkError> {
        self.sink.round(fork, round, samples)?;
        self.sampled.extend(samples.iter().map(|sample| sample.cell));
        Ok(())
    }

    /// Whether anything was stored of a cell.
    pub fn has_samples(&self, id: CellId) -> bool {
        self.sampled.contains(&id) || self.held.contains(&id)
    }

    /// Whether a cell of this part is still measured.
    pub fn is_on(&self, id: CellId) -> bool {
        self.part.cells.contains(&id) && self.plan.is_in(id)
    }

    /// Starts a fresh process for every source.
    pub fn start_all(&mut self) -> Result<(), SinkError> {
        let mut began = self.clock.now();
        self.dismiss();
        for source in 0..self.surveyed.len() {
            self.start(source)?;
            let now = self.clock.now();
            self.starts[source] = now - began;
            began = now;
        }
        Ok(())
    }

    /// How long it takes to start a process of every source that still has cells of this part.
    pub fn starting(&self) -> Duration {
        let is_needed = |source: &usize| self.probe_of(*source).is_some() || !self.cells_of(*source).is_empty();
        (0..self.surveyed.len()).filter(is_needed).map(|source| self.starts[source]).sum()
    }

    /// Starts a fresh process for a source and prepares its cells, again and again until all stand or it is out.
    pub fn start(&mut self, source: usize) -> Result<(), SinkError> {
        self.workers[source] = None;
        let probes = self.probe_of(source).is_some();
        let is_wanted = |pool: &Self| probes || !pool.cells_of(source).is_empty();
        while self.breaks[source] < MOST_BREAKS && is_wanted(self) && !self.stop.is_interrupted() {
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
            Err(error) => return Ok(Err(Fault::at_start(error))),
        };
        let mut worker = self.known(survey, link);
        let provider = survey.source.provider.clone();
        for id in self.cells_of(source) {
            if self.must_stop() {
                // Every loop of samples looks, too, so none comes to a cell that isn't prepared.
                break;
            }
            let cell = &self.plan.get(id).cell;
            // Keys that go round lie in different places as it is.
            let instances = if self.moves(id) && !cell.rotates() { INSTANCES } else { 1 };
            let prepared = worker.prepare(id, cell, &provider, self.options.seed, self.offset, instances);
            match prepared {
                Ok(Ok(())) => {}
                Ok(Err(why)) => self.leave_out(id, Outcome::Unsupported { why })?,
                Err(LinkError::Reported(why)) => self.fall_out(id, Outcome::Failed { why })?,
                Err(error) => return Ok(Err(Fault::new(Some(id), error))),
            }
        }
        if let Some(probe) = self.probe_of(source)
            && let Err(error) = probe.prepare(&mut worker, &provider)
        {
            return Ok(Err(Fault::new(None, error)));
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
            self.sink.progress(&Progress {
                stage: "compiling",
                what,
                fork: 0,
                rounds: 0,
                done: 0.05,
                left: Some(left),
            });
        };
        let settled = compile::settle(worker, &cells, &*self.clock, &self.stop, tell)?;
        self.settled[source].push(settled);
        if self.part.affinity == Affinity::OneCpu
            && let Some(process) = worker.process()
        {
            self.launch.pin(process).map_err(Fault::at_start)?;
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

    /// What was spent since an earlier look at the counters of energy, as counts of a sample. A counter that does not know is absent,
    /// and a note gives the first reason.
    pub fn spent(&mut self, before: &MeterReading, now: &MeterReading) -> Result<Vec<(Metric, u64)>, SinkError> {
        let spent = now.since(before, &self.meters);
        for spent in &spent {
            if let Err(why) = &spent.joules
                && self.failed_meters.insert(spent.name.clone())
            {
                self.sink.note(Note::other(format!("energy is not known for all of the run: {why}")))?;
            }
        }
        Ok(by_kind(&spent).into_iter().map(|(covers, sum)| (covers.metric(), sum.min(MAX_INTEGER))).collect())
    }

    /// A look at the contention probe, `None` where there is none, or none any more.
    pub fn look(&mut self) -> Result<Option<Reading>, SinkError> {
        let Some(probe) = self.probe.as_mut().filter(|_| self.part.probed) else { return Ok(None) };
        let source = probe.source;
        let Some(worker) = self.workers[source].as_mut() else { return Ok(None) };
        match probe.look(worker) {
            Ok(reading) => Ok(Some(reading)),
            Err(error) => {
                self.note_break(source, &Fault::new(None, error))?;
                self.start(source)?;
                Ok(None)
            }
        }
    }

    /// Takes note for the next look that a worker was sampled; `is_stopped` between requests or not.
    pub(crate) fn was_sampled(&mut self, is_stopped: bool) {
        if let Some(probe) = &mut self.probe {
            probe.sampled(is_stopped);
        }
    }

    /// Learns how many calls a look takes.
    pub fn size_probe(&mut self) -> Result<(), SinkError> {
        for _ in 0..8 {
            let Some(Reading { each, .. }) = self.look()? else { return Ok(()) };
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
        worker.set_facts(&survey.facts);
        worker.stop_between_requests(survey.background);
        placed(worker, survey, &self.boards)
    }

    /// Draws where buffers lie in the fork that begins.
    pub fn move_buffers(&mut self) {
        self.offset = self.offsets.draw(&mut self.random);
    }

    /// Draws the layout of the round that begins.
    pub fn move_layout(&mut self) {
        self.layout = Some(self.layouts.draw());
    }

    /// Whether the layout of a cell's samples is moved: its worker can, and it is one thread's single calls.
    pub fn moves(&self, id: CellId) -> bool {
        let planned = self.plan.get(id);
        let can = planned.source.is_some_and(|source| self.surveyed[source].layouts);
        let cell = &planned.cell;
        can && self.part.layouts && cell.parameters.threads() == 1 && !cell.is_split() && !cell.is_transfer()
    }

    /// Ends all processes.
    pub fn dismiss(&mut self) {
        for (survey, worker) in self.surveyed.iter().zip(&mut self.workers) {
            // A board that no line can reset keeps what is prepared there.
            let is_released = self.part.released || survey.source.is_on_line();
            let Some(worker) = worker.as_mut().filter(|_| is_released) else { continue };
            for id in worker.prepared() {
                // One that can't is about to end in any case.
                let _ = worker.release(id);
            }
        }
        self.workers.iter_mut().for_each(|worker| *worker = None);
        self.witnesses.clear();
    }
}

/// A worker where its source is: one on a device has room for few cells, those on one board for few together.
fn placed(worker: Worker, survey: &Surveyed, boards: &Boards) -> Worker {
    match &survey.source.device {
        Some(device) if survey.source.is_on_line() => {
            worker.on_device(boards.get(&device.number).cloned().unwrap_or_default())
        }
        Some(_) => worker.on_device(Rc::default()),
        None => worker,
    }
}
