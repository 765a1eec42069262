//! The pilot: how many calls a sample holds, and which cell is the reference of each group.
//!
//! A sample is long enough that the clock's error stays below a thousandth of it.

use std::collections::BTreeMap;
use std::time::Duration;

use ciphermeter_core::{Cell, CellId, Form, LeftOut, Outcome, Parameters, PartPlan, Peers};
use ciphermeter_estimate::Reference;
use ciphermeter_protocol::LinkError;

use super::claims;
use super::least;
use super::sampling::{self, Sampling};
use super::setting::Setting;
use crate::options::WARMUP;
use crate::plan::Planned;
use crate::pool::Pool;
use crate::stop::LEAST_PREPARATIONS;
use crate::{Ruler, SinkError, Surveyed};

/// What a call allocates is collected in some later one: a sample shall hold several collections and not fall between two.
const FRESH_LONGER: u32 = 8;
/// A batch this long, in nanoseconds, is not repeated: what interrupts it is a small part of it.
const LONG_TRIAL: f64 = 2e8;
/// Of calls this long no two are sampled to learn what an empty request takes.
const LONG_PAIR: Duration = Duration::from_millis(20);
/// The pilot expects that no cell is set up so many times as fast as another of the same worker that rotates alike.
const FASTER: u32 = 4;
/// The most calls of a sample (PROTOCOL.md).
const MOST_CALLS: u64 = u32::MAX as u64;

/// What the pilot found out.
#[derive(Debug, Clone)]
pub struct Pilot {
    /// By cell; `None` for cells that are out.
    pub settings: Vec<Option<Setting>>,
    /// The cells that are in, by group, with the group's reference.
    pub plan: PartPlan,
    /// The coarsest clock of all workers.
    pub ruler: Ruler,
    /// When the part's time is over.
    pub deadline: Duration,
}

/// Runs the pilot in fresh processes; `None` if no cell is left.
pub fn pilot(pool: &mut Pool<'_>, sampling: &mut dyn Sampling, deadline: Duration) -> Result<Option<Pilot>, SinkError> {
    let budget = deadline.saturating_sub(pool.clock.now());
    Piloting { pool, sampling, deadline, budget, set_up: BTreeMap::new() }.run()
}

/// A pilot under way.
struct Piloting<'p, 'a> {
    pool: &'p mut Pool<'a>,
    sampling: &'p mut dyn Sampling,
    deadline: Duration,
    budget: Duration,
    /// The shortest first sample of a source's cells that rotate alike.
    set_up: BTreeMap<(Option<usize>, Parameters), Duration>,
}

impl Piloting<'_, '_> {
    fn run(mut self) -> Result<Option<Pilot>, SinkError> {
        let began = self.pool.clock.now();
        self.pool.start_all()?;
        self.pool.size_probe()?;
        let (mut settings, mut calibrated) = (Vec::new(), 0);
        for id in self.pool.plan.ids() {
            if self.pool.must_stop() {
                return self.cut_off(began, calibrated).map(|()| None);
            }
            if !self.pool.part.cells.contains(&id) {
                settings.push(None);
                continue;
            }
            if id.0 % 8 == 0 {
                let share = f64::from(id.0) / self.pool.plan.cells.len() as f64;
                let what = self.pool.name(id);
                self.pool.tell("pilot", what, (0, 0), 0.05 + 0.05 * share);
            }
            settings.push(self.calibrate(id)?);
            calibrated += 1;
        }
        self.pool.witnesses.clear();
        let deadline = self.sampling.keep_what_fits(self.pool, &mut settings, self.budget, self.deadline)?;
        let ruler = self.coarsest();
        let warmup_ns = settings.iter().flatten().map(|setting: &Setting| setting.warmup_ns).max().unwrap_or_default();
        let plan = PartPlan { warmup_ns, ..PartPlan::default() };
        let mut pilot = Pilot { settings, plan, ruler, deadline };
        for Peers { mut cells, reference } in self.pool.plan.peers.clone() {
            cells.retain(|id| self.pool.is_on(*id) && pilot.settings[id.index()].is_some());
            let reference = match reference {
                Reference::Fixed(id) if cells.contains(&id) => Some(id),
                _ => self.reference(&cells, &pilot.settings),
            };
            pilot.plan.groups.extend(reference.map(|reference| Peers { cells, reference }));
        }
        Ok((!pilot.plan.groups.is_empty()).then_some(pilot))
    }

    /// The budget ended among the calibrations, or the user ended the run.
    fn cut_off(&mut self, began: Duration, calibrated: usize) -> Result<(), SinkError> {
        let took = self.pool.clock.now() - began;
        let whole = took.mul_f64(self.pool.part.cells.len() as f64 / calibrated.max(1) as f64);
        self.pool.dismiss();
        let preparing = began.saturating_sub(self.pool.measured_until) + if calibrated == 0 { took } else { whole };
        least::announce(self.pool, preparing)
    }

    fn warmup_ns(&self) -> u64 {
        let warmup = if self.sampling.shares_a_core() { self.pool.options.warmup } else { WARMUP };
        u64::try_from(warmup.as_nanos()).unwrap_or(u64::MAX)
    }

    fn coarsest(&self) -> Ruler {
        let has_cells = |(source, _): &(usize, &Surveyed)| !self.pool.cells_of(*source).is_empty();
        let here = self.pool.surveyed.iter().enumerate().filter(has_cells);
        here.map(|(_, survey)| survey.ruler).max_by_key(|ruler| ruler.step_ns + ruler.call_ns).unwrap_or_default()
    }

    /// A sample lasts a thousand times what the worker's clock may be off by.
    fn least_by_clock(&self, id: CellId) -> Duration {
        let source = self.pool.plan.get(id).source;
        let ruler = source.map(|source| self.pool.surveyed[source].ruler).unwrap_or_default();
        Duration::from_nanos(1000 * (ruler.step_ns + ruler.call_ns))
    }

    /// How long a sample lasts at least, in nanoseconds.
    fn least_sample(&self, id: CellId) -> f64 {
        let cell = &self.pool.plan.get(id).cell;
        let mut sample = self.pool.options.sample * self.sampling.length();
        if cell.form == Form::Fresh {
            sample *= FRESH_LONGER;
        }
        sample.max(self.least_by_clock(id)).as_nanos() as f64
    }

    /// Finds how many calls make a sample, and confirms their output.
    fn calibrate(&mut self, id: CellId) -> Result<Option<Setting>, SinkError> {
        if !self.pool.is_on(id) {
            return Ok(None);
        }
        let by_clock = self.least_by_clock(id);
        // Preparations may leave nothing of a small budget.
        if sampling::is_too_long(by_clock, self.budget.max(LEAST_PREPARATIONS)) {
            let budget_s = sampling::budget_for(by_clock).as_secs_f64().round() as u64;
            let reason = LeftOut::CoarseClock { sample_ms: super::sampling::in_ms(by_clock), budget_s };
            self.pool.leave_out(id, Outcome::LeftOut(reason))?;
            return Ok(None);
        }
        let target = self.least_sample(id);
        let Cell { algorithm, operation, form, parameters, .. } = &self.pool.plan.get(id).cell;
        let form = *form;
        let rotation = parameters.rotation(*algorithm, *operation);
        // A batch that lacks messages takes as long as a full one in some libraries.
        let whole_calls = |iterations: u64| iterations.next_multiple_of(form.messages_a_call());
        if rotation.is_any()
            && let Some(least) = self.least_set_up(id)
        {
            self.leave_out_slow(id, least, false)?;
            return Ok(None);
        }
        let (mut iterations, mut is_second, mut one) = (1, false, None);
        loop {
            let Some(batch) = self.pool.sample(id, 0, iterations, Duration::from_secs_f64(target / 1e9))? else {
                return Ok(None);
            };
            if rotation.is_any() && sampling::is_too_long(batch.elapsed, self.budget) {
                // The first sample touches its memory for the first time, and one may be interrupted.
                if !std::mem::replace(&mut is_second, true) {
                    continue;
                }
                // Not even the search for its length fits then.
                self.leave_out_slow(id, batch.elapsed, true)?;
                return Ok(None);
            }
            let one = *one.get_or_insert(batch.elapsed);
            let beside = self.sampling.beside_ns(&batch);
            let ns = (batch.ns() + beside).max(1) as f64;
            let is_short = ns < target / 2.0 && iterations < u64::from(u32::MAX) / 64;
            if is_short || iterations != whole_calls(iterations) {
                iterations = whole_calls((iterations as f64 * (target / ns).clamp(2.0, 64.0)) as u64);
                continue;
            }
            let set_up = batch.elapsed.as_nanos() as f64 - ns;
            self.sampling.confirm(self.pool, id, &batch)?;
            let empty = self.empty_request(id, one, (iterations, batch.elapsed))?;
            let (ns, beside) = self.shortest(id, iterations, (ns, beside))?;
            let whole = ns / iterations as f64;
            let beside = beside as f64 / iterations as f64;
            let iterations = whole_calls(((target / whole).round() as u64).clamp(1, MOST_CALLS));
            let warmup_ns = if whole > self.sampling.longest_warmed(target) { 0 } else { self.warmup_ns() };
            let before = if rotation.is_any() { set_up.max(0.0) + rotation.keys as f64 * whole } else { 0.0 };
            let setting = Setting { iterations, warmup_ns, each: whole - beside, beside, before, empty };
            return Ok(self.pool.is_on(id).then_some(setting));
        }
    }

    /// What a cell takes at least to set up, if that is so long that six samples would not fit, by what other cells of its worker took that
    /// rotate alike: 2^20 texts are seconds in some languages.
    fn least_set_up(&self, id: CellId) -> Option<Duration> {
        let Planned { source, cell, .. } = self.pool.plan.get(id);
        let least = *self.set_up.get(&(*source, cell.parameters.clone()))? / FASTER;
        sampling::is_too_long(least, self.budget).then_some(least)
    }

    /// Leaves a cell out whose samples take so long to set up that six would not fit.
    fn leave_out_slow(&mut self, id: CellId, took: Duration, is_measured: bool) -> Result<(), SinkError> {
        let Planned { source, cell, .. } = self.pool.plan.get(id);
        if is_measured {
            let fastest = self.set_up.entry((*source, cell.parameters.clone())).or_insert(Duration::MAX);
            *fastest = took.min(*fastest);
        }
        // Beside what went before the pilot.
        let enough = sampling::budget_for(took) + self.deadline.saturating_sub(self.budget);
        let budget_s = enough.as_secs_f64().ceil() as u64;
        let reason = LeftOut::SlowSetUp { sample_ms: super::sampling::in_ms(took), timed: is_measured, budget_s };
        self.pool.leave_out(id, Outcome::LeftOut(reason))
    }

    /// What an empty request of a cell takes. Of a cell whose sample is one call, two calls are sampled, too, unless they are long.
    fn empty_request(
        &mut self,
        id: CellId,
        one: Duration,
        many: (u64, Duration),
    ) -> Result<Option<Duration>, SinkError> {
        let many = match many {
            (1, took) if took > LONG_PAIR || self.sampling.has_long_calls() => return Ok(None),
            (1, took) => self.pool.sample(id, 0, 2, took)?.map(|batch| (2, batch.elapsed)),
            many => Some(many),
        };
        Ok(many.map(|many| claims::empty_request(one, many)))
    }

    /// The shortest of as many batches as the kind wants, where they are short enough for that: nanoseconds with what stands beside, and
    /// of that alone.
    fn shortest(&mut self, id: CellId, iterations: u64, first: (f64, u64)) -> Result<(f64, u64), SinkError> {
        let mut shortest = first;
        for _ in 1..self.sampling.trials() {
            if shortest.0 > LONG_TRIAL || self.pool.must_stop() {
                break;
            }
            let expected = Duration::from_nanos(shortest.0 as u64);
            let Some(batch) = self.pool.sample(id, 0, iterations, expected)? else { break };
            let beside = self.sampling.beside_ns(&batch);
            let ns = (batch.ns() + beside).max(1) as f64;
            if ns < shortest.0 {
                shortest = (ns, beside);
            }
        }
        Ok(shortest)
    }

    /// The fastest cell that isn't a ceiling: the ratio that people want is to the best, and the best is mostly this one.
    fn reference(&self, group: &[CellId], settings: &[Option<Setting>]) -> Option<CellId> {
        let each = |id: &CellId| settings[id.index()].map_or(f64::INFINITY, |setting| setting.each);
        let mut ciphers = group.iter().filter(|id| !self.pool.plan.get(**id).cell.algorithm.is_ceiling()).copied();
        if self.pool.plan.copies { ciphers.next() } else { ciphers.min_by(|a, b| each(a).total_cmp(&each(b))) }
    }
}

/// An error that means that a sample in a round cannot be.
pub fn no_time() -> LinkError {
    LinkError::Implausible("it claims that a whole sample took 0 ns".into())
}
