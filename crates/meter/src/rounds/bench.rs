//! One fork: fresh processes, rounds until its time is over, and a last look at what the timed calls put out.

use std::collections::BTreeSet;
use std::time::Duration;

use ciphermeter_core::{CellId, Fork, Metric, Sample};
use ciphermeter_estimate::{Measured, Part};
use ciphermeter_host::usage;
use ciphermeter_stats::LEAST_FORKS;

use super::claims;
use super::division::{Costs, Seen, forks};
use super::least::LEAST_WISHED;
use super::pilot::{Pilot, no_time};
use super::question::Question;
use super::sampling::Sampling;
use super::schedule::{self, Lineup};
use super::setting::Setting;
use super::speeds::Speeds;
use crate::pool::Pool;
use crate::{Batch, SinkError};

/// After these shares of the time, a run ends if it is precise enough. Each look is one more chance to stop at an interval that came out
/// short: with these two, at least 93 % of intervals hold the truth (crates/stats/tests/coverage.rs).
const LOOKS: [f64; 2] = [0.25, 0.75];
/// Of so many forks each is summed up at once, of more each time that their number has grown by the same share: each time all samples are
/// looked at.
const SUMMED_AT_ONCE: u32 = 12;
/// A process has served for a while once a cell has allocated so many bytes: four times what a Go heap has room for before it is first
/// collected. A slow cell does less, as its time is short.
const SERVED_BYTES: u64 = 16 << 20;
const SERVED_NS: f64 = 2e7;
/// The share of undisturbed samples that a run reckons with at least: with fewer, groups that join every round would not be enough either.
const LEAST_UNDISTURBED: f64 = 0.05;

/// How long measuring may take.
#[derive(Debug, Clone, Copy)]
pub struct Time {
    /// When it is over.
    pub deadline: Duration,
    /// Into how many forks it is divided at least.
    pub fewest: u32,
}

/// Where rounds are held.
pub struct Bench<'b, 'a> {
    pub(super) pool: &'b mut Pool<'a>,
    pub(super) sampling: &'b mut dyn Sampling,
    pub(super) pilot: Pilot,
    /// By cell.
    samples: Vec<Vec<Fork>>,
    precision: f64,
    pub(super) began: Duration,
    pub(super) deadline: Duration,
    /// Into how many forks the time is divided at least.
    fewest: u32,
    /// How long the next fork is.
    allotted: Duration,
    pub(super) seen: Seen,
    held: u32,
    rounds: u32,
    /// Samples taken, and the CPU time that the harness spent on them.
    pub(super) harness: (u64, Duration),
    converged: bool,
    /// Forks held when they were summed up last.
    summed: u32,
    /// How many of LOOKS have passed.
    pub(super) looked: usize,
    pub(super) speeds: Speeds,
    pub(super) question: Question,
    /// The cells that the question is not about, where they join when it has had its time.
    pub(super) later: BTreeSet<CellId>,
    /// Whether they have yet to join.
    pub(super) are_waiting: bool,
    /// How long an interval for all cells takes.
    pub(super) least_of_all: Duration,
    /// Whether the question is answered.
    pub(super) is_answered: bool,
    /// When looks began to count: all cells have joined.
    pub(super) looks_from: Duration,
    /// The share of samples that were undisturbed so far.
    undisturbed: f64,
}

impl<'b, 'a> Bench<'b, 'a> {
    /// A bench with whatever earlier forks there are.
    pub fn new(
        pool: &'b mut Pool<'a>,
        sampling: &'b mut dyn Sampling,
        pilot: Pilot,
        samples: Vec<Vec<Fork>>,
        precision: f64,
        time: Time,
    ) -> Self {
        let Time { deadline, fewest } = time;
        let began = pool.clock.now();
        let left = deadline.saturating_sub(began);
        let harness = (0, Duration::ZERO);
        let question = Question::of(pool);
        let mut bench = Self {
            pool,
            sampling,
            pilot,
            samples,
            precision,
            began,
            deadline,
            fewest,
            allotted: left / fewest,
            seen: Seen::default(),
            held: 0,
            rounds: 0,
            harness,
            converged: false,
            summed: 0,
            looked: 0,
            speeds: Speeds::of_worker(),
            question,
            later: BTreeSet::new(),
            are_waiting: false,
            least_of_all: Duration::ZERO,
            is_answered: false,
            looks_from: began,
            undisturbed: 1.0,
        };
        bench.begin_with_question();
        bench.divide();
        bench
    }

    /// Divides the time that is left into forks, by what starting, rounds and last looks have cost so far.
    fn divide(&mut self) {
        let left = self.deadline.saturating_sub(self.pool.clock.now());
        self.allotted = left / forks(left, self.fewest, self.whole_forks(), self.costs(), self.sampling.is_disturbed());
    }

    pub(super) fn costs(&self) -> Costs {
        self.seen.costs(self.pool.starting(), self.round_cost())
    }

    /// The least time in which each cell has an interval: six forks of few rounds.
    pub(super) fn least(&self) -> Duration {
        (self.pool.starting() + Duration::from_secs_f64(LEAST_WISHED * self.round_cost())) * LEAST_FORKS as u32
    }

    /// Hands on how its cells are compared, and the least time that this takes.
    pub fn announce(&mut self) -> Result<(), SinkError> {
        let least = self.began.saturating_sub(self.pool.measured_until) + self.least();
        self.pilot.plan.least_ns = u64::try_from(least.as_nanos()).unwrap_or(u64::MAX);
        self.pool.sink.part(&self.pilot.plan)
    }

    /// Whether another fork is wanted and fits.
    pub fn goes_on(&mut self) -> bool {
        if self.pool.must_stop() {
            return false;
        }
        let now = self.pool.clock.now();
        // A fork may end a little after its time; half of one must still fit.
        let fits = match self.held {
            0 => self.pool.stop.leaves(now, self.shortest()),
            _ => now + self.allotted / 2 < self.deadline,
        };
        let enough = self.whole_forks() as usize >= LEAST_FORKS;
        let fits = fits || (self.sampling.insists() && !enough);
        fits && !(self.converged && enough) && self.lineups().iter().any(|lineup| !lineup.turns.is_empty())
    }

    /// The most whole forks of any cell that time is divided for, those of earlier sessions among them.
    fn whole_forks(&self) -> u32 {
        let is_late = |id: &CellId| self.later.contains(id) && self.pool.is_on(*id);
        let has_late = self.cells().any(is_late);
        let counts = |id: &&CellId| is_late(id) || !has_late;
        let whole = |id: &CellId| self.samples[id.index()].iter().filter(|fork| !fork.short).count();
        self.cells().filter(counts).map(whole).max().unwrap_or(0) as u32
    }

    /// How long a fork takes at least: a round, and a last look at each cell.
    fn shortest(&self) -> Duration {
        self.pool.starting() + Duration::from_secs_f64(2.0 * self.round_cost())
    }

    /// The cells of this bench, whether they are still in or not.
    pub fn cells(&self) -> impl Iterator<Item = &CellId> {
        self.pilot.plan.groups.iter().flat_map(|peers| &peers.cells)
    }

    /// What was measured so far.
    pub(super) fn part(&self) -> Part<'_> {
        let plan = &self.pool.plan;
        let measured = |id: &CellId| Measured {
            id: *id,
            cell: &plan.get(*id).cell,
            forks: &self.samples[id.index()],
            is_of_page: false,
            is_in: plan.is_in(*id),
        };
        Part::new(self.cells().map(measured).collect(), self.pilot.plan.clone())
    }

    /// Sums up if there is enough that is new, and sees whether that is enough if it is time to look.
    pub fn look(&mut self) -> Result<(), SinkError> {
        let total = self.deadline.saturating_sub(self.looks_from).as_secs_f64();
        let seen = self.pool.clock.now().saturating_sub(self.looks_from).as_secs_f64();
        let passed = LOOKS.iter().filter(|share| seen >= *share * total).count();
        let is_time = !self.are_waiting && (passed > self.looked || !self.sampling.is_disturbed());
        self.looked = passed;
        let is_new = self.are_waiting || self.held >= self.summed + (self.summed / SUMMED_AT_ONCE).max(1);
        let is_enough = (is_time || is_new) && self.sum_up()?;
        self.converged = is_time && is_enough;
        Ok(())
    }

    /// Sums up every cell that has samples, hands the summaries on, and says whether they are precise enough.
    pub(super) fn sum_up(&mut self) -> Result<bool, SinkError> {
        self.summed = self.held;
        let part = self.part();
        let summaries = part.summaries(self.precision);
        let is_enough = part.is_enough(&summaries);
        let undisturbed = 1.0 - part.disturbed().unwrap_or(0.0);
        let is_known = self.question.is_known(&part, |id| self.pool.is_on(id));
        self.undisturbed = undisturbed.max(LEAST_UNDISTURBED);
        self.pool.sink.summaries(&summaries)?;
        self.note_answer(is_known);
        if self.are_waiting {
            self.end_question(is_known);
        }
        Ok(is_enough)
    }

    /// Holds one fork.
    pub fn fork(&mut self, number: u32) -> Result<(), SinkError> {
        self.pool.stop.end_preparations();
        self.divide();
        let end = self.pool.clock.now() + self.allotted;
        self.pool.move_buffers();
        self.pool.sink.fork_begins(number, self.pool.offset)?;
        self.pool.start_all()?;
        if Fork::has_served(number) {
            self.serve()?;
        }
        let mut lineups = self.lineups();
        // Where the start took longer than before, rounds still have half of the time: fewer forks say more than many of one round.
        let end = end.max(self.pool.clock.now() + self.allotted / 2);
        let seconds = end.saturating_sub(self.pool.clock.now()).as_secs_f64();
        let round: f64 = lineups.iter().map(|lineup| lineup.cost).sum();
        let (looking, pace) = (self.seen.looking(round), self.seen.pace());
        // Of calls that take seconds there are fewer, so that there is still time for several forks.
        let fit = (seconds - looking) / (round * pace).max(1e-9);
        let least = (fit as u32).clamp(1, self.sampling.least_rounds());
        // Of a busy machine's visits few count.
        let visits = ((f64::from(least) / self.undisturbed) as u32).clamp(least, (fit as u32).max(least));
        schedule::space_out(&mut lineups, seconds, visits);
        let each = schedule::mean_cost(&lineups);
        let last = end.saturating_sub(Duration::from_secs_f64(looking + each * pace / 2.0));
        let most_spaced = lineups.iter().map(|lineup| lineup.every).max().unwrap_or(1);
        for id in self.cells().copied().filter(|id| self.pool.is_on(*id)).collect::<Vec<_>>() {
            self.samples[id.index()].push(Fork { number, short: true, ..Fork::default() });
        }
        let began = self.pool.clock.now();
        let mut round = 0;
        let is_any_on =
            |pool: &Pool<'_>| lineups.iter().flat_map(|lineup| &lineup.turns).any(|turn| pool.is_on(turn.cell));
        while (round < least.max(most_spaced) || self.pool.clock.now() < last) && is_any_on(self.pool) {
            self.round(number, round, &lineups)?;
            if self.pool.must_stop() {
                return self.pool.sink.fork_ends(number, false);
            }
            round += 1;
        }
        let rounds_ended = self.pool.clock.now();
        for id in lineups.iter().flat_map(|lineup| &lineup.turns).map(|turn| turn.cell) {
            if self.pool.must_stop() {
                return self.pool.sink.fork_ends(number, false);
            }
            if let (true, Some(setting)) = (self.pool.is_on(id), self.pilot.settings[id.index()]) {
                self.sampling.inspect(self.pool, id, setting)?;
            }
        }
        self.pool.witnesses.clear();
        let looking = self.pool.clock.now() - rounds_ended;
        self.seen.fork(rounds_ended - began, f64::from(round) * each, looking);
        let held = self.samples.iter_mut().filter_map(|forks| forks.last_mut());
        held.filter(|fork| fork.number == number).for_each(|fork| fork.short = false);
        self.held += 1;
        self.pool.sink.fork_ends(number, true)
    }

    /// Has the cells whose time depends on what their process did before do it.
    fn serve(&mut self) -> Result<(), SinkError> {
        let depends = |id: &CellId| self.pool.plan.get(*id).cell.depends_on_age() && !self.sampling.has_long_calls();
        let cells: Vec<CellId> = self.cells().copied().filter(depends).collect();
        for id in cells {
            let Some(setting) = self.pilot.settings[id.index()].filter(|_| self.pool.is_on(id)) else { continue };
            let message = self.pool.plan.get(id).cell.parameters.message();
            let fitting = (SERVED_NS / setting.each) as u64;
            let iterations = (SERVED_BYTES / message.max(1)).min(fitting).max(1);
            self.pool.sample(id, 0, iterations, Setting { iterations, ..setting }.expected())?;
        }
        Ok(())
    }

    /// One pass over the cells, committed at its end; what there is of it if the user ends the run.
    fn round(&mut self, fork: u32, number: u32, lineups: &[Lineup]) -> Result<(), SinkError> {
        let stretches = schedule::round(lineups, number, &mut self.pool.random);
        let mut samples: Vec<Sample> = Vec::new();
        self.pool.move_layout();
        let before = usage::thread_cpu();
        let mut seen = self.pool.look()?;
        let mut looks = u64::from(seen.is_some());
        for cells in &stretches {
            if self.pool.must_stop() {
                break;
            }
            let first = samples.len();
            let lengths = self.visit(cells, seen.is_some(), &mut samples)?;
            let seen_after = self.pool.look()?;
            looks += u64::from(seen_after.is_some());
            let around = || seen.iter().chain(&seen_after);
            if let Some(reading) = around().map(|reading| reading.each).max() {
                let waited = around().map(|reading| reading.waited).max().unwrap_or_default();
                for (sample, length) in samples[first..].iter_mut().zip(lengths) {
                    sample.counts.push((Metric::PROBE, reading));
                    claims::note(sample, length, waited);
                }
            }
            seen = seen_after;
        }
        if let (Some(before), Some(after)) = (before, usage::thread_cpu()) {
            self.harness =
                (self.harness.0 + samples.len() as u64 + looks, self.harness.1 + after.saturating_sub(before));
        }
        self.speeds.read();
        self.pool.layout = None;
        self.pool.store(fork, number, &samples)?;
        self.rounds += 1;
        for sample in samples {
            if let Some(fork) = self.samples[sample.cell.index()].last_mut() {
                fork.rounds.push(number);
                fork.samples.push(sample);
            }
        }
        self.tell(fork);
        Ok(())
    }

    /// Samples some cells of one group; `looked`: the probe ran just before. Comes back with how long the calls of each sample may have
    /// taken by the harness's clock.
    fn visit(
        &mut self,
        cells: &[CellId],
        looked: bool,
        samples: &mut Vec<Sample>,
    ) -> Result<Vec<Option<Duration>>, SinkError> {
        let mut lengths = Vec::with_capacity(cells.len());
        let mut after = samples.last().filter(|_| !looked).map(|sample| sample.cell);
        for &id in cells {
            let Some(setting) = self.pilot.settings[id.index()].filter(|_| self.pool.is_on(id)) else { continue };
            let sampled = self.pool.sample(id, setting.warmup_ns, setting.iterations, setting.expected())?;
            let Some(batch) = sampled else { continue };
            if batch.ns() == 0 {
                self.pool.fault(id, no_time())?;
                continue;
            }
            lengths.push(claims::stretch(&setting, &batch));
            let turn = samples.len() as u32;
            let off_cpu = self.off_cpu(id, &batch);
            let Batch { iterations, mut counts, series, .. } = batch;
            counts.extend(off_cpu.map(|ns| (Metric::OFF_CPU, ns)));
            samples.push(Sample { cell: id, after, turn, iterations, counts, series });
            after = Some(id);
        }
        Ok(lengths)
    }

    /// For how long a batch's process did not run, where its CPU time tells. Several threads wait for each other.
    fn off_cpu(&self, id: CellId, batch: &Batch) -> Option<u64> {
        let planned = self.pool.plan.get(id);
        let tells = self.sampling.shares_a_core() && self.pool.surveyed[planned.source?].process_cpu;
        let is_one = planned.cell.parameters.threads() == 1 && !planned.cell.is_transfer();
        let cpu = Some(batch.count(Metric::CPU_NS)).filter(|cpu| *cpu > 0 && tells && is_one)?;
        batch.ns().checked_sub(cpu).filter(|off| *off > 0)
    }

    fn tell(&mut self, fork: u32) {
        let now = self.pool.clock.now();
        let done = (now - self.began).as_secs_f64() / self.deadline.saturating_sub(self.began).as_secs_f64().max(1e-9);
        let what = format!("{} cells", self.pool.part.cells.len());
        self.pool.tell("measuring", what, (fork + 1, self.rounds), 0.1 + 0.9 * done.min(1.0));
    }
}
