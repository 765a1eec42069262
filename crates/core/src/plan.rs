//! What a run's figures rest on beside its samples: which metrics it counts, and which cells it measured side by side.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{CellId, Metric, Named};

/// Cells that are compared with each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peers<R = CellId> {
    /// All of them.
    pub cells: Vec<CellId>,
    /// The one that the others are divided by.
    pub reference: R,
}

/// Cells that are measured side by side, in the same rounds and under one limit of disturbance.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartPlan {
    /// Its groups.
    pub groups: Vec<Peers>,
    /// For so many nanoseconds each of its cells is called before each sample, unless one call takes longer than 50 ms; 0 in runs older
    /// than method 4, whose cells had warm-ups of their own.
    #[serde(default)]
    pub warmup_ns: u64,
    /// The least time in ns for as many forks as an interval takes, and all that comes before them; 0 in runs older than that.
    #[serde(default)]
    pub least_ns: u64,
}

/// The number of the method by which this build measures: METHODOLOGY.md lists them. It counts changes after which the same library
/// on the same machine may get another figure.
pub const METHOD: u32 = 4;

/// A method in words.
pub fn method(number: u32) -> String {
    match number {
        0 => "a method without a number".into(),
        number => format!("method {number}"),
    }
}

/// What a run measures, beside its cells.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunPlan {
    /// The number of the method; 0 in runs that are older than these numbers.
    #[serde(default)]
    pub method: u32,
    /// What its samples count, each once.
    pub metrics: Vec<Metric>,
    /// Its parts, each from the moment on when its pilot has found the references.
    pub parts: Vec<PartPlan>,
    /// The words of the command that asked for it, without those on its time and its output; empty
    /// in runs older than that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<String>,
    /// Where its providers and meters are, as the user named them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<Named>,
    /// Whether it was imported: it cannot be resumed here, and says nothing of this machine.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_imported: bool,
}

impl PartPlan {
    /// Its cells, group by group.
    pub fn cells(&self) -> impl Iterator<Item = CellId> {
        self.groups.iter().flat_map(|peers| &peers.cells).copied()
    }
}

impl RunPlan {
    /// Takes a part in. A resumed run has a pilot of its own, which may find other references, and fewer cells: those that only the
    /// earlier pilot had stay in their groups.
    pub fn take(&mut self, mut part: PartPlan) {
        let cells: BTreeSet<CellId> = part.cells().collect();
        // A part without cells says only what it would have taken to come to some.
        let shares = |other: &PartPlan| other.groups.is_empty() || other.cells().any(|id| cells.contains(&id));
        for earlier in self.parts.extract_if(.., |other| shares(other)) {
            for peers in earlier.groups {
                let same = part.groups.iter_mut().find(|now| now.cells.iter().any(|id| peers.cells.contains(id)));
                match same {
                    Some(now) => now.cells.extend(peers.cells.into_iter().filter(|id| !cells.contains(id))),
                    None => part.groups.push(peers),
                }
            }
        }
        self.parts.push(part);
    }

    /// What its samples may count: those metrics that this build knows, and others that it describes.
    pub fn counted(&self) -> Vec<Metric> {
        Metric::ALL.iter().chain(self.metrics.iter().filter(|metric| !metric.is_known())).copied().collect()
    }

    /// A metric that it describes twice, which no run does.
    pub fn twice(&self) -> Option<Metric> {
        let mut names = BTreeSet::new();
        self.metrics.iter().copied().find(|metric| !names.insert(metric.name()))
    }

    /// Every cell that it names.
    pub fn cells(&self) -> impl Iterator<Item = CellId> {
        let named = |part: &PartPlan| {
            let references = part.groups.iter().map(|peers| peers.reference);
            part.cells().chain(references).collect::<Vec<_>>()
        };
        self.parts.iter().flat_map(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(groups: &[(&[u32], u32)]) -> PartPlan {
        let peers = |(cells, reference): &(&[u32], u32)| Peers {
            cells: cells.iter().copied().map(CellId).collect(),
            reference: CellId(*reference),
        };
        PartPlan { groups: groups.iter().map(peers).collect(), warmup_ns: 0, least_ns: 0 }
    }

    #[test]
    fn a_later_pilot_takes_the_place_of_an_earlier_one() {
        let mut plan = RunPlan::default();
        plan.take(part(&[(&[0, 1, 2], 0), (&[3], 3)]));
        plan.take(part(&[(&[7, 8], 7)]));
        plan.take(part(&[(&[1, 0], 1)]));
        assert_eq!(plan.parts, [part(&[(&[7, 8], 7)]), part(&[(&[1, 0, 2], 1), (&[3], 3)])]);
    }
}
