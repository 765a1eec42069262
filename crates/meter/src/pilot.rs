//! The pilot: how many calls a sample holds, how long each cell must warm up, who is the reference of each group.
//!
//! A sample is long enough that the clock's error stays below a thousandth of it. Warm-up is time, and grows until a cell runs as fast
//! right after the neighbour with the widest vectors as after itself: wide vectors lower a core's clock for up to 2 ms.

use std::collections::BTreeSet;
use std::time::Duration;

use ciphermeter_core::{CellId, Family, Form, Outcome};
use ciphermeter_estimate::{Peers, Reference, width};
use ciphermeter_protocol::LinkError;
use ciphermeter_stats::median;

use crate::phase::Phase;
use crate::pool::Pool;
use crate::{Batch, Progress, Ruler, SinkError};

/// A sample this long is bracketed by its reference.
pub const SLOW: Duration = Duration::from_millis(5);
/// Where warm-up starts.
const LEAST_WARMUP: u64 = 60_000;
/// Where it ends: twice what the slowest known clock change takes.
const MOST_WARMUP: u64 = 4_000_000;
/// Difference between the two neighbours that is let pass.
const TOLERANCE: f64 = 0.002;
/// Warm-up after which a cell runs as after itself: longer than the slowest known clock change takes.
const STEADY: u64 = 2_500_000;
/// A sample of several threads is so many times as long: some end a little before the last.
const THREADS_LONGER: u32 = 4;
/// A sample of transfers lasts 20 ms with its handshakes, or one transfer.
const TRANSFERS_LONGER: u32 = 67;
/// What a call allocates is collected in some later one: a sample shall hold several collections and not fall between two.
const FRESH_LONGER: u32 = 8;
/// Trials of each cell at each length of warm-up.
const TRIALS: usize = 5;
/// Share of the budget that the search for warm-ups may take.
const SEARCH: f64 = 0.1;

/// How a cell is sampled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// Calls a sample.
    pub iterations: u64,
    /// Nanoseconds of warm-up.
    pub warmup_ns: u64,
    /// Nanoseconds of one call, as the pilot saw it.
    pub each: f64,
    /// Nanoseconds that it takes beside, which nobody times: a transfer's handshake.
    pub beside: f64,
}

impl Setting {
    /// How long a sample takes with its warm-up.
    pub fn expected(&self) -> Duration {
        // A warm-up is whole calls, so it may take one call more than asked.
        let whole = self.each + self.beside;
        let warmup = if self.warmup_ns == 0 { 0.0 } else { self.warmup_ns as f64 + whole };
        Duration::from_nanos((whole * self.iterations as f64 + warmup) as u64)
    }

    /// Whether a sample is over the length that is bracketed.
    pub fn is_slow(&self) -> bool {
        self.each * self.iterations as f64 > SLOW.as_nanos() as f64
    }
}

/// What the pilot found out.
#[derive(Debug, Clone)]
pub struct Pilot {
    /// By cell; `None` for cells that are out.
    pub settings: Vec<Option<Setting>>,
    /// The cells that are in, by group, with the group's reference.
    pub groups: Vec<Peers>,
    /// The cells after which others may run slower.
    pub wide: BTreeSet<CellId>,
    /// The coarsest clock of all workers.
    pub ruler: Ruler,
}

impl Pool<'_> {
    /// Runs the pilot in fresh processes; `None` if no cell is left.
    pub(crate) fn pilot(&mut self, deadline: Duration, budget: Duration) -> Result<Option<Pilot>, SinkError> {
        self.start_all()?;
        self.size_probe()?;
        let mut settings = Vec::new();
        for id in self.plan.ids() {
            if !self.part.takes(self.plan.get(id)) {
                settings.push(None);
                continue;
            }
            if id.0 % 8 == 0 {
                let share = f64::from(id.0) / self.plan.cells.len() as f64;
                self.tell_pilot(self.name(id), 0.05 + 0.05 * share, deadline);
            }
            settings.push(self.calibrate(id, budget)?);
        }
        if self.part.phase == Phase::Transfers {
            self.keep_what_fits(&mut settings, deadline)?;
        }
        let ruler = self.coarsest();
        let mut pilot = Pilot { settings, groups: Vec::new(), wide: BTreeSet::new(), ruler };
        for Peers { mut cells, reference } in self.plan.peers.clone() {
            cells.retain(|id| self.plan.is_in(*id) && pilot.settings[id.index()].is_some());
            let reference = match reference {
                Reference::Fixed(id) if cells.contains(&id) => Some(id),
                _ => self.reference(&cells, &pilot.settings),
            };
            pilot.groups.extend(reference.map(|reference| Peers { cells, reference }));
        }
        if self.part.phase == Phase::Transfers {
            return Ok((!pilot.groups.is_empty()).then_some(pilot));
        }
        // Each group has its own share of the time, so that the last ones aren't left with none.
        let each = budget.mul_f64(SEARCH) / pilot.groups.len().max(1) as u32;
        for group in 0..pilot.groups.len() {
            let until = self.clock.now() + each;
            self.tell_pilot(format!("warm-up, group {} of {}", group + 1, pilot.groups.len()), 0.1, deadline);
            self.search_warmups(&mut pilot, group, until)?;
        }
        Ok((!pilot.groups.is_empty()).then_some(pilot))
    }

    fn tell_pilot(&mut self, what: String, done: f64, deadline: Duration) {
        let left = deadline.saturating_sub(self.clock.now());
        self.sink.progress(&Progress { stage: "pilot", what, fork: 0, rounds: 0, done, left });
    }

    fn coarsest(&self) -> Ruler {
        self.surveyed
            .iter()
            .map(|survey| survey.ruler)
            .max_by_key(|ruler| ruler.step_ns + ruler.call_ns)
            .unwrap_or_default()
    }

    /// A sample lasts a thousand times what the worker's clock may be off by.
    fn least_sample(&self, id: CellId) -> f64 {
        let ruler = self.plan.get(id).source.map(|source| self.surveyed[source].ruler).unwrap_or_default();
        let mut sample = match self.part.phase {
            Phase::Threads => self.options.sample * THREADS_LONGER,
            Phase::Transfers => self.options.sample * TRANSFERS_LONGER,
            Phase::Turns | Phase::Calls | Phase::Memory => self.options.sample,
        };
        if self.plan.get(id).cell.form == Form::Fresh {
            sample *= FRESH_LONGER;
        }
        (sample.as_nanos() as f64).max(1000.0 * (ruler.step_ns + ruler.call_ns) as f64)
    }

    /// Finds how many calls make a sample, confirms their output, and takes the cell out if one call alone is too long for the budget.
    fn calibrate(&mut self, id: CellId, budget: Duration) -> Result<Option<Setting>, SinkError> {
        if !self.plan.is_in(id) {
            return Ok(None);
        }
        let target = self.least_sample(id);
        let mut iterations = 1;
        loop {
            let Some(batch) = self.try_sample(id, 0, iterations, Duration::from_secs_f64(target / 1e9))? else {
                return Ok(None);
            };
            let ns = (batch.ns() + batch.beside_ns()).max(1) as f64;
            if ns < target / 2.0 && iterations < u64::from(u32::MAX) / 64 {
                iterations = (iterations as f64 * (target / ns).clamp(2.0, 64.0)) as u64;
                continue;
            }
            self.confirm(id, &batch)?;
            let whole = ns / iterations as f64;
            let beside = batch.beside_ns() as f64 / iterations as f64;
            let iterations = ((target / whole).round() as u64).max(1);
            let warmup_ns = if whole > self.longest_warmed(target) { 0 } else { LEAST_WARMUP };
            let setting = Setting { iterations, warmup_ns, each: whole - beside, beside };
            let least = setting.expected().mul_f64(6.0);
            if setting.is_slow() && least > budget / 5 && self.part.phase != Phase::Transfers {
                let why = format!(
                    "one sample takes {:.3} s, and six must fit into a fifth of the {:.3} s that are left: raise the budget",
                    setting.expected().as_secs_f64(),
                    budget.as_secs_f64()
                );
                self.fall_out(id, Outcome::Unsupported { why })?;
            }
            return Ok(self.plan.is_in(id).then_some(setting));
        }
    }

    /// A call that takes longer than so many nanoseconds warms itself up.
    fn longest_warmed(&self, target: f64) -> f64 {
        if self.part.phase == Phase::Transfers { target } else { 5e7 }
    }

    /// A sample, or the cell's end.
    pub(crate) fn try_sample(
        &mut self,
        id: CellId,
        warmup_ns: u64,
        iterations: u64,
        expected: Duration,
    ) -> Result<Option<Batch>, SinkError> {
        let Some((_, worker)) = self.worker(id) else {
            // Its worker could not be started again; `start` has said why.
            return Ok(None);
        };
        match worker.sample(id, warmup_ns, iterations, expected) {
            Ok(batch) => Ok(Some(batch)),
            Err(error) => self.fault(id, error).map(|()| None),
        }
    }

    /// The fastest cell that isn't a ceiling: the ratio that people want is to the best, and the best is mostly this one.
    fn reference(&self, group: &[CellId], settings: &[Option<Setting>]) -> Option<CellId> {
        let each = |id: &CellId| settings[id.index()].map_or(f64::INFINITY, |setting| setting.each);
        let mut ciphers =
            group.iter().filter(|id| self.plan.get(**id).cell.algorithm.family() != Family::Ceiling).copied();
        if self.copies { ciphers.next() } else { ciphers.min_by(|a, b| each(a).total_cmp(&each(b))) }
    }

    fn search_warmups(&mut self, pilot: &mut Pilot, group: usize, until: Duration) -> Result<(), SinkError> {
        let cells = pilot.groups[group].cells.clone();
        let Some(wide) = cells.iter().copied().max_by_key(|id| self.width(*id)).filter(|id| self.width(*id) > 0) else {
            return Ok(());
        };
        pilot.wide.insert(wide);
        for id in cells.into_iter().filter(|id| *id != wide) {
            while self.clock.now() < until {
                let (Some(setting), Some(neighbour)) = (pilot.settings[id.index()], pilot.settings[wide.index()])
                else {
                    break;
                };
                if setting.is_slow() || setting.warmup_ns >= MOST_WARMUP {
                    break;
                }
                let Some(differences) = self.trials(id, setting, wide, neighbour)? else { break };
                if agrees(&differences) {
                    break;
                }
                pilot.settings[id.index()] =
                    Some(Setting { warmup_ns: (setting.warmup_ns * 2).min(MOST_WARMUP), ..setting });
            }
        }
        Ok(())
    }

    /// ln(time after the wide neighbour ÷ time after itself), a few times; `None` if a cell fell out meanwhile.
    fn trials(
        &mut self,
        id: CellId,
        setting: Setting,
        wide: CellId,
        neighbour: Setting,
    ) -> Result<Option<Vec<f64>>, SinkError> {
        let mut differences = Vec::with_capacity(TRIALS);
        for _ in 0..TRIALS {
            let mut times = [0.0; 3];
            // Right after the neighbour, and then so long after it that only the cell itself can have left its mark.
            let steady = Setting { warmup_ns: setting.warmup_ns.max(STEADY), ..setting };
            for (time, (id, setting)) in times.iter_mut().zip([(wide, neighbour), (id, setting), (id, steady)]) {
                match self.try_sample(id, setting.warmup_ns, setting.iterations, setting.expected())? {
                    Some(batch) => *time = batch.ns().max(1) as f64,
                    None => return Ok(None),
                }
            }
            differences.push((times[1] / times[2]).ln());
        }
        Ok(Some(differences))
    }

    /// How wide the vectors of a cell's code path are, in bits; 0 where it doesn't tell.
    fn width(&self, id: CellId) -> u32 {
        let planned = self.plan.get(id);
        planned.provenance.as_ref().map_or(0, |provenance| width(&provenance.path))
    }
}

/// Whether the differences are within the tolerance, or within what these few trials can tell.
fn agrees(differences: &[f64]) -> bool {
    let Some(mid) = median(&mut differences.to_vec()) else { return true };
    let mut off: Vec<f64> = differences.iter().map(|difference| (difference - mid).abs()).collect();
    // 1.4826 makes a median deviation a standard deviation, 1.2533 a mean's error a median's, for normal values.
    let error = median(&mut off).unwrap_or(0.0) * 1.4826 * 1.2533 / (differences.len() as f64).sqrt();
    mid.abs() <= TOLERANCE + 2.0 * error
}

/// An error that means that a sample in a round cannot be.
pub(crate) fn no_time() -> LinkError {
    LinkError::Implausible("it claims that a whole sample took 0 ns".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_counts_when_it_is_above_the_noise() {
        assert!(agrees(&[0.001; 7]));
        assert!(!agrees(&[0.01; 7]));
        assert!(!agrees(&[-0.01; 7]));
        assert!(agrees(&[0.05, -0.04, 0.03, -0.05, 0.01, 0.04, -0.03]));
    }
}
