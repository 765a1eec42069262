//! What a self-check came to: one library under many names, whose ratios' truth is 1, and once slowed by a known share.

use std::collections::BTreeMap;

use ciphermeter_core::{Family, Group, Interval, Record, Run};
use ciphermeter_stats::median;

use crate::text::heading;

/// One group of a self-check.
#[derive(Debug, Clone, PartialEq)]
pub struct SelfCheck {
    /// Which cells, as a heading.
    pub group: String,
    /// How many ratios, the reference's own not counted.
    pub ratios: usize,
    /// Root of the mean square of (ratio − 1).
    pub rms: f64,
    /// How many of the intervals contain 1.
    pub held: usize,
    /// Median half-width of the intervals.
    pub half_width: f64,
    /// The slowed copy: the planted ratio, and what was found.
    pub slowed: Option<(f64, Interval)>,
}

/// Every group of a run whose scenario has copies, in the order of the cells' numbers.
pub fn self_check(run: &Run, records: &[Record]) -> Vec<SelfCheck> {
    let Some(copies) = run.scenario.copies else { return Vec::new() };
    let mut groups = BTreeMap::<Group, Vec<&Record>>::new();
    // Cells of several threads are compared with one thread of their own, not against another copy.
    let copy =
        |record: &&Record| record.cell.algorithm.family() != Family::Ceiling && record.cell.parameters.cpus().is_none();
    for record in records.iter().filter(copy) {
        groups.entry(record.cell.group()).or_default().push(record);
    }
    let truth = 1.0 + copies.slowed.map_or(0.0, |share| share.0);
    groups.iter().filter_map(|(group, records)| check(group, records, truth)).collect()
}

fn check(group: &Group, records: &[&Record], truth: f64) -> Option<SelfCheck> {
    let (mut ratios, mut slowed) = (Vec::new(), None);
    for record in records {
        let Some(summary) = &record.summary else { continue };
        match summary.ratio {
            Some(ratio) if record.cell.provider.ends_with(".slowed") => slowed = Some((truth, ratio)),
            Some(ratio) if summary.reference != record.id => ratios.push(ratio),
            _ => {}
        }
    }
    let mut half_widths: Vec<f64> = ratios.iter().map(|ratio| (ratio.high - ratio.low) / 2.0).collect();
    let squares: f64 = ratios.iter().map(|ratio| (ratio.mid - 1.0).powi(2)).sum();
    Some(SelfCheck {
        group: heading(group),
        ratios: ratios.len(),
        rms: (squares / ratios.len() as f64).sqrt(),
        held: ratios.iter().filter(|ratio| ratio.low <= 1.0 && 1.0 <= ratio.high).count(),
        half_width: median(&mut half_widths)?,
        slowed,
    })
}

impl SelfCheck {
    /// What all groups come to: how many intervals contain the truth, of which 95 % are due, and whether the slowed copy was found.
    pub fn sum(checks: &[Self]) -> String {
        let (held, ratios) =
            checks.iter().fold((0, 0), |(held, ratios), check| (held + check.held, ratios + check.ratios));
        if ratios == 0 {
            return "No answer yet: too few whole forks; try a longer --budget.".into();
        }
        let share = 100.0 * held as f64 / ratios as f64;
        let mut said = format!(
            "{held} of {ratios} intervals contain 1, the ratio of a library to itself: {share:.1} %; 95 % are due."
        );
        let slowed: Vec<_> = checks.iter().filter_map(|check| check.slowed).collect();
        if !slowed.is_empty() {
            let found = slowed.iter().filter(|(_, found)| found.low > 1.0).count();
            let right = slowed.iter().filter(|(truth, found)| found.low <= *truth && *truth <= found.high).count();
            let all = slowed.len();
            said += &format!(
                " The slowed copy was surely slower in {found} of {all} groups, and its interval contains the planted share in {right}."
            );
        }
        said
    }
}

impl std::fmt::Display for SelfCheck {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { group, ratios, rms, held, half_width, slowed } = self;
        write!(
            f,
            "{group}: rms error {:.3} %, {held} of {ratios} intervals contain 1, half-width {:.3} %",
            rms * 100.0,
            half_width * 100.0
        )?;
        match slowed {
            Some((truth, found)) => write!(
                f,
                "; planted {:+.2} %, found {:+.2} % ({:+.2} to {:+.2})",
                (truth - 1.0) * 100.0,
                (found.mid - 1.0) * 100.0,
                (found.low - 1.0) * 100.0,
                (found.high - 1.0) * 100.0
            ),
            None => Ok(()),
        }
    }
}
