//! Cells that were measured side by side, summed up.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use ciphermeter_core::{
    CellId, Fork, Interval, Limits, MEASURE_LONGER, Metric, PartPlan, Peers, Sample, SampleRange, Summary,
};
use ciphermeter_stats::{
    CONFIDENCE, Estimate, Stop, Timed, Warning, cpu_apart, median, two_levels, unclaimed, undisturbed_limit,
    undisturbed_limits,
};

use crate::comparison::{Thresholds, is_known};
use crate::correlation::fork_correlation;
use crate::figures::range_of;
use crate::levels::{by_age, by_faults, by_layout, by_process};
use crate::logs::Logs;
use crate::measured::Measured;
use crate::paired::Paired;
use crate::pairs::{medians, pairs};

/// Cells that were measured side by side, under one limit of disturbance.
#[derive(Debug)]
pub struct Part<'a> {
    cells: Vec<Measured<'a>>,
    plan: PartPlan,
    limits: Limits,
    /// How far forks that follow each other are alike, once it was asked for.
    correlation: OnceCell<f64>,
}

impl<'a> Part<'a> {
    /// From the cells, and how they are compared.
    pub fn new(cells: Vec<Measured<'a>>, plan: PartPlan) -> Self {
        let limits = limits(&cells);
        Self { cells, plan, limits, correlation: OnceCell::new() }
    }

    /// The summary of each cell that has samples; `precision` is the half-width that is asked for, 0.02 for ±2 %.
    pub fn summaries(&self, precision: f64) -> Vec<(CellId, Summary)> {
        let mut all = Vec::new();
        let correlation = self.correlation();
        for peers in &self.plan.groups {
            let reference = self.reference(peers);
            let measured: Vec<&Measured<'_>> = peers.cells.iter().filter_map(|id| self.get(*id)).collect();
            let mut processes = by_process(&measured, &self.limits);
            if measured.len() == 2 {
                // What the one says of the other, this says of the one.
                processes.remove(&reference);
            }
            let stop = Stop { precision };
            all.extend(measured.into_iter().filter_map(|cell| {
                Some((cell.id, self.summary(cell, reference, processes.remove(&cell.id), correlation, stop)?))
            }));
        }
        all
    }

    /// Whether each cell that anyone waits for has the precision: the third digit of a limit such as a ceiling is of no use.
    pub fn is_enough(&self, summaries: &[(CellId, Summary)]) -> bool {
        let waited_for =
            |id: CellId| self.get(id).is_some_and(|measured| measured.is_in && !measured.cell.algorithm.is_ceiling());
        summaries.iter().all(|(id, summary)| summary.converged || !waited_for(*id))
    }

    /// Whether the ratio of each two is known as precisely as an answer wants it, all at once.
    pub fn are_known(&self, both: &[[CellId; 2]], thresholds: Thresholds) -> bool {
        let correlation = self.correlation();
        let logs = |[first, second]: [CellId; 2]| Logs::located(&medians(&self.paired(second, first)));
        both.iter().all(|both| is_known(&logs(*both).correlated(correlation), thresholds))
    }

    /// The share of samples that were disturbed; `None` if that is hardly any.
    pub fn disturbed(&self) -> Option<f64> {
        let forks = || self.cells.iter().flat_map(|measured| measured.forks);
        let undisturbed = forks().flat_map(|fork| fork.undisturbed(&self.limits)).count();
        let share = 1.0 - undisturbed as f64 / samples(&self.cells).count().max(1) as f64;
        (share >= 0.01).then_some(share)
    }

    fn get(&self, id: CellId) -> Option<&Measured<'a>> {
        self.cells.iter().find(|measured| measured.id == id)
    }

    fn forks(&self, id: CellId) -> &'a [Fork] {
        self.get(id).map_or(&[], |measured| measured.forks)
    }

    /// The group's reference, or, where that was given up before it had enough, the cell that has the most.
    fn reference(&self, peers: &Peers) -> CellId {
        let is_in = |id: &CellId| self.get(*id).is_some_and(|measured| measured.is_in);
        if is_in(&peers.reference) {
            return peers.reference;
        }
        let taken = |id: CellId| self.forks(id).iter().map(|fork| fork.samples.len()).sum::<usize>();
        peers.cells.iter().copied().filter(is_in).max_by_key(|id| taken(*id)).unwrap_or(peers.reference)
    }

    fn summary(
        &self,
        measured: &Measured,
        reference: CellId,
        by_process: Option<Warning>,
        correlation: f64,
        stop: Stop,
    ) -> Option<Summary> {
        let forks = self.paired(measured.id, reference);
        let mut medians = medians(&forks);
        let by_age = by_age(measured.cell, &medians);
        if measured.id == reference {
            medians.values_mut().for_each(|log| *log = 0.0);
        }
        let logs = Logs::located(&medians).correlated(correlation);
        let effect = logs.effect();
        let estimate = effect.map(|effect| effect.interval(CONFIDENCE));
        let converged = effect.is_some_and(|effect| stop.enough(&effect));
        let forks: Vec<Vec<Paired>> = forks.into_values().collect();
        let mut warnings = self.warnings(measured, &forks, by_age, by_process);
        if !converged {
            let half_width = estimate.map(|estimate| estimate.half_width()).filter(|half| *half > stop.precision);
            let few = Warning::Few { forks: logs.forks() };
            let wide = half_width.map(|half_width| Warning::Wide { half_width, asked: stop.precision });
            warnings.insert(0, wide.unwrap_or(few));
        }
        Some(Summary {
            reference,
            ratio: estimate.map(|estimate| ratio(&estimate)),
            range: range(measured.forks, &self.limits)?,
            undisturbed_limit: self.limits.usual,
            undisturbed_limits: self.limits.of_forks.clone(),
            converged,
            correlation,
            forks: logs.forks() as u32,
            rounds: forks.iter().map(Vec::len).sum::<usize>() as u32,
            warnings: warnings.iter().map(|warning| with_remedy(warning, measured.is_of_page)).collect(),
        })
    }

    /// How far forks that follow each other are alike.
    fn correlation(&self) -> f64 {
        let of_group = |peers: &Peers| {
            let reference = self.reference(peers);
            let others = peers.cells.iter().filter(move |id| **id != reference);
            others.map(|id| Logs::located(&medians(&self.paired(*id, reference)))).collect::<Vec<_>>()
        };
        let all = || self.plan.groups.iter().flat_map(of_group).collect::<Vec<Logs>>();
        *self.correlation.get_or_init(|| fork_correlation(&all()))
    }

    /// By whole fork: the cell's log-ratios to its reference.
    fn paired(&self, id: CellId, reference: CellId) -> BTreeMap<u32, Vec<Paired>> {
        pairs(self.forks(id), self.forks(reference), &self.limits)
    }

    fn warnings(
        &self,
        measured: &Measured,
        forks: &[Vec<Paired>],
        by_age: Option<Warning>,
        by_process: Option<Warning>,
    ) -> Vec<Warning> {
        let levels = centred(forks);
        // Each thread should have a CPU of its own all the time; the end of a transfer waits for the other.
        let threads = measured.cell.parameters.threads();
        let cpu: Vec<(u64, u64)> = samples(std::slice::from_ref(measured))
            .filter(|_| !measured.cell.is_transfer())
            .filter_map(|sample| Some((sample.ns().saturating_mul(threads), sample.count(Metric::CPU_NS)?)))
            .collect();
        let by_layout = by_layout(measured.forks, &self.limits);
        let by_faults = by_faults(measured.forks, &self.limits);
        // A level that has a reason is not reported a second time without it.
        let has_reason = [by_layout, by_faults, by_age].iter().any(Option::is_some);
        let levels = if has_reason { None } else { two_levels(&levels) };
        let by_process = if by_faults.is_some() || by_age.is_some() { None } else { by_process };
        [self.unclaimed(measured), by_age, by_faults, by_process, by_layout, levels, cpu_apart(&cpu)]
            .into_iter()
            .flatten()
            .collect()
    }

    /// Whether the cell's worker claims far less than what passed. Only where the probe looked is that known.
    fn unclaimed(&self, measured: &Measured) -> Option<Warning> {
        let looked = samples(std::slice::from_ref(measured)).filter(|sample| sample.count(Metric::PROBE).is_some());
        unclaimed(&looked.map(|sample| (sample.ns(), sample.count(Metric::ELAPSED))).collect::<Vec<_>>())
    }
}

/// That of the run, and those of forks that have another.
fn limits(cells: &[Measured]) -> Limits {
    let mut readings: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for fork in cells.iter().flat_map(|measured| measured.forks) {
        let own = fork.samples.iter().filter_map(|sample| sample.count(Metric::PROBE));
        readings.entry(fork.number).or_default().extend(own);
    }
    let usual = undisturbed_limit(readings.values().flatten().copied());
    let mut of_forks = undisturbed_limits(&readings);
    of_forks.retain(|_, limit| Some(*limit) != usual);
    Limits { usual, of_forks }
}

fn samples<'s>(cells: &'s [Measured]) -> impl Iterator<Item = &'s Sample> {
    cells.iter().flat_map(|measured| measured.forks).flat_map(|fork| &fork.samples)
}

/// A warning, and what more time does about it.
fn with_remedy(warning: &Warning, is_of_page: bool) -> String {
    let longer = if is_of_page { MEASURE_LONGER } else { "a longer --budget" };
    warning.more_time().map_or_else(|| warning.to_string(), |does| format!("{warning}; {longer} {does}"))
}

/// The log-ratios with each fork's median taken off, so that forks can be looked at together.
fn centred(forks: &[Vec<Paired>]) -> Vec<f64> {
    let centre = |fork: &Vec<Paired>| {
        let mut logs: Vec<f64> = fork.iter().map(|pair| pair.log).collect();
        let mid = median(&mut logs).unwrap_or(0.0);
        logs.into_iter().map(move |log| log - mid)
    };
    forks.iter().flat_map(centre).collect()
}

fn ratio(estimate: &Estimate) -> Interval {
    let Estimate { mid, low, high } = estimate.exp();
    Interval { mid, low, high }
}

/// Nanoseconds of a call. Samples that another kind took of the cell, without a time, are none.
pub(crate) fn range(forks: &[Fork], limits: &Limits) -> Option<SampleRange> {
    let timed = |sample: &Sample| sample.ns() > 0 && sample.iterations > 0;
    let each = |sample: &Sample| Timed { ns: sample.ns(), iterations: sample.iterations }.each();
    range_of(forks, limits, |sample| timed(sample).then(|| each(sample)))
}

#[cfg(test)]
mod tests {
    use ciphermeter_stats::LevelCause;

    use super::*;

    #[test]
    fn warnings_of_a_page_name_its_button_and_no_option() {
        let (apart, share) = (0.1, 0.2);
        let warnings = [
            Warning::Wide { half_width: 0.05, asked: 0.02 },
            Warning::Few { forks: 2 },
            Warning::TwoLevels { apart, upper: 0.25 },
            Warning::ByProcess { apart, slower: 2, all: 6, cause: LevelCause::Unknown },
            Warning::ByLayout { apart, stack: 3, unaligned: true },
            Warning::ByFaults { apart, faults: 256.0, share },
            Warning::ByAge { apart, new_is_slower: true },
            Warning::CpuApart { share },
            Warning::Unclaimed { times: 2.0, share },
        ];
        let said = |is_of_page| warnings.map(|warning| with_remedy(&warning, is_of_page)).join("\n");
        let lines = |with: &str, is_of_page| said(is_of_page).lines().filter(|line| line.contains(with)).count();
        assert_eq!((lines("--", true), lines("\"Measure longer\"", true)), (0, 2), "{}", said(true));
        assert_eq!(lines("a longer --budget", false), 2, "{}", said(false));
    }
}
