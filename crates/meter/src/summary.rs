//! From raw samples to summaries, after every sitting.

use ciphermeter_core::{CellId, Family, Interval, Level, Metric, Sample, Sitting, Summary};
use ciphermeter_stats::{
    Estimate, LEAST_PAIRS, Timed, Turn, Warning, carry_over, cpu_apart, median, pairs, quantile, quiet_limit, rounds,
    two_levels,
};

use crate::SinkError;
use crate::sitting::Bench;

/// A paired log-ratio and the cell that ran before it.
struct Paired {
    log: f64,
    after: Option<CellId>,
}

impl Bench<'_, '_> {
    /// Sums up every cell that has samples, hands the summaries on, and sees whether that is enough.
    pub fn sum_up(&mut self) -> Result<(), SinkError> {
        let all = self.cells().flat_map(|id| &self.samples[id.index()]).flat_map(|sitting| &sitting.samples);
        self.quiet_limit = quiet_limit(all.filter_map(|sample| sample.count(Metric::Witness)));
        let mut summaries = Vec::new();
        for (cells, anchor) in &self.pilot.groups {
            let anchor = self.anchor_with_samples(cells, *anchor);
            let measured =
                cells.iter().filter(|id| self.samples[id.index()].iter().any(|sitting| !sitting.samples.is_empty()));
            summaries.extend(measured.filter_map(|id| Some((*id, self.summary(*id, anchor)?))));
        }
        // A ceiling is a limit to look up to: nobody waits for its third digit.
        let waited_for = |id: &CellId| {
            self.crew.plan.is_in(*id) && self.crew.plan.get(*id).cell.algorithm.family() != Family::Ceiling
        };
        self.converged = summaries.iter().all(|(id, summary)| summary.converged || !waited_for(id));
        self.crew.sink.summaries(&summaries)
    }

    /// The group's anchor, or, where that fell out before it had enough, the cell that has the most.
    fn anchor_with_samples(&self, cells: &[CellId], anchor: CellId) -> CellId {
        let taken = |id: CellId| self.samples[id.index()].iter().map(|sitting| sitting.samples.len()).sum::<usize>();
        if self.crew.plan.is_in(anchor) {
            return anchor;
        }
        cells.iter().copied().filter(|id| self.crew.plan.is_in(*id)).max_by_key(|id| taken(*id)).unwrap_or(anchor)
    }

    fn summary(&self, id: CellId, anchor: CellId) -> Option<Summary> {
        let own = &self.samples[id.index()];
        let sittings: Vec<Vec<Paired>> = self.paired(id, anchor);
        let mut medians: Vec<f64> = sittings
            .iter()
            .filter_map(|sitting| median(&mut sitting.iter().map(|pair| pair.log).collect::<Vec<_>>()))
            .collect();
        if id == anchor {
            medians.fill(0.0);
        }
        let estimate = self.stop.estimate(&medians);
        let converged = self.stop.enough(&medians);
        let mut warnings = self.warnings(id, &sittings);
        if !converged {
            let half_width = estimate.map(|estimate| estimate.half_width()).filter(|half| *half > self.stop.precision);
            let few = Warning::Few { sittings: medians.len() };
            let wide = half_width.map(|half_width| Warning::Wide { half_width, asked: self.stop.precision });
            warnings.insert(0, wide.unwrap_or(few));
        }
        Some(Summary {
            anchor,
            ratio: estimate.map(|estimate| ratio(&estimate)),
            level: level(own, self.quiet_limit)?,
            quiet_limit: self.quiet_limit,
            converged,
            sittings: medians.len() as u32,
            rounds: sittings.iter().map(Vec::len).sum::<usize>() as u32,
            warnings: warnings.iter().map(ToString::to_string).collect(),
        })
    }

    /// By whole sitting: the cell's log-ratios to its anchor.
    fn paired(&self, id: CellId, anchor: CellId) -> Vec<Vec<Paired>> {
        let (own, others) = (&self.samples[id.index()], &self.samples[anchor.index()]);
        let of = |sitting: &Sitting| {
            let other = others.iter().find(|other| other.number == sitting.number)?;
            let pairs = paired_sitting(sitting, other, self.quiet_limit);
            // A few quiet moments of a loud sitting are too few for its median; without pairs it says nothing at all.
            let least = LEAST_PAIRS.min(sitting.samples.len()).max(1);
            (pairs.len() >= least).then_some(pairs)
        };
        own.iter().filter(|sitting| !sitting.short).filter_map(of).collect()
    }

    fn warnings(&self, id: CellId, sittings: &[Vec<Paired>]) -> Vec<Warning> {
        let levels: Vec<f64> = centred(sittings).iter().map(|pair| pair.log).collect();
        let samples = self.samples[id.index()].iter().flat_map(|sitting| &sitting.samples);
        let cell = &self.crew.plan.get(id).cell;
        // Each thread should have a CPU of its own all the time; the end of a transfer waits for the other.
        let threads = cell.parameters.threads();
        let cpu: Vec<(u64, u64)> = samples
            .filter(|_| !cell.is_transfer())
            .filter_map(|sample| Some((sample.ns().saturating_mul(threads), sample.count(Metric::CpuNs)?)))
            .collect();
        let carried = self.carried(sittings).filter(|by| by.abs() > 0.01).map(|by| Warning::CarryOver { by });
        [two_levels(&levels), cpu_apart(&cpu), carried].into_iter().flatten().collect()
    }

    /// How much slower a cell runs after a wide neighbour than after others.
    fn carried(&self, sittings: &[Vec<Paired>]) -> Option<f64> {
        let (wide, others): (Vec<Paired>, Vec<Paired>) = centred(sittings)
            .into_iter()
            .filter(|pair| pair.after.is_some())
            .partition(|pair| pair.after.is_some_and(|after| self.pilot.wide.contains(&after)));
        let logs = |pairs: Vec<Paired>| pairs.into_iter().map(|pair| pair.log).collect::<Vec<_>>();
        carry_over(&mut logs(wide), &mut logs(others))
    }

    /// The share of samples around which the witness was slow; `None` if that is hardly any.
    pub fn disturbed(&self) -> Option<f64> {
        let samples = || self.cells().flat_map(|id| &self.samples[id.index()]).flat_map(|sitting| &sitting.samples);
        let loud = samples().filter(|sample| !sample.is_quiet(self.quiet_limit)).count();
        let share = loud as f64 / samples().count().max(1) as f64;
        (share >= 0.01).then_some(share)
    }

    /// What warm-up left of carry-over: the median over cells, and the worst with its cell.
    pub fn carry_over(&self) -> Option<(f64, f64, CellId)> {
        let mut all: Vec<(f64, CellId)> = Vec::new();
        for (cells, anchor) in &self.pilot.groups {
            let others = cells.iter().filter(|id| *id != anchor && !self.pilot.wide.contains(id));
            all.extend(others.filter_map(|id| Some((self.carried(&self.paired(*id, *anchor))?, *id))));
        }
        let usual = median(&mut all.iter().map(|(by, _)| *by).collect::<Vec<_>>())?;
        let (worst, id) = all.into_iter().max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()))?;
        Some((usual, worst, id))
    }
}

fn paired_sitting(own: &Sitting, other: &Sitting, limit: Option<u64>) -> Vec<Paired> {
    let turns = |sitting: &Sitting| -> Vec<(u32, Turn)> {
        let turn = |sample: &Sample| Turn {
            turn: sample.turn,
            timed: Timed { ns: sample.ns(), iterations: sample.iterations },
        };
        sitting.rounds.iter().copied().zip(sitting.samples.iter().map(turn)).collect()
    };
    let quiet = |sample: &Sample| sample.is_quiet(limit);
    let anchors: Vec<(u32, Turn)> = turns(other)
        .into_iter()
        .zip(&other.samples)
        .filter(|(_, sample)| quiet(sample))
        .map(|(turn, _)| turn)
        .collect();
    let with_own = |(own, sample): ((u32, Turn), &Sample)| {
        let near = anchors.iter().copied().filter(|(round, _)| *round == own.0);
        let log = pairs(&rounds([own], near)).first().copied()?;
        Some(Paired { log, after: sample.after })
    };
    let own_turns = turns(own).into_iter().zip(&own.samples);
    own_turns.filter(|(_, sample)| quiet(sample)).filter_map(with_own).collect()
}

/// The log-ratios with each sitting's median taken off, so that sittings can be looked at together.
fn centred(sittings: &[Vec<Paired>]) -> Vec<Paired> {
    let of = |sitting: &Vec<Paired>| {
        let mid = median(&mut sitting.iter().map(|pair| pair.log).collect::<Vec<_>>()).unwrap_or(0.0);
        sitting.iter().map(move |pair| Paired { log: pair.log - mid, after: pair.after }).collect::<Vec<_>>()
    };
    sittings.iter().flat_map(of).collect()
}

fn ratio(estimate: &Estimate) -> Interval {
    let Estimate { mid, low, high } = estimate.exp();
    Interval { mid, low, high }
}

/// Nanoseconds of a call: the median of the quiet samples, and the range of all, those of short sittings too.
fn level(sittings: &[Sitting], limit: Option<u64>) -> Option<Level> {
    let each = |sample: &Sample| Timed { ns: sample.ns(), iterations: sample.iterations }.each();
    let samples = || sittings.iter().flat_map(|sitting| &sitting.samples);
    let mut all: Vec<f64> = samples().map(each).collect();
    let mut quiet: Vec<f64> = samples().filter(|sample| sample.is_quiet(limit)).map(each).collect();
    let (low, high) = (quantile(&mut all, 0.05)?, quantile(&mut all, 0.95)?);
    let mid = median(&mut quiet).or_else(|| median(&mut all))?;
    Some(Level { low: low.min(mid), mid, high: high.max(mid) })
}
