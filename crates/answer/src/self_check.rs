//! What a self-check came to: copies of a library, whose ratios' truth is 1, names whose layout is fixed, and known slowdowns.

use std::collections::BTreeMap;
use std::fmt;

use ciphermeter_core::{Copy, Group, Record, Run, Share};
use ciphermeter_estimate::{CONFIDENCE, Ratio, ratio};
use ciphermeter_stats::{chance_of_at_most, median};
use serde::Serialize;

use crate::basis::{most_forks, no_answer};
use crate::words::{heading, listed};

/// One group of a self-check.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SelfCheck {
    /// Which cells, as a heading.
    pub group: String,
    /// The copies of each library.
    pub alike: Vec<Alike>,
    /// The names whose layout is fixed, of each library, beside a name whose layout is drawn.
    pub fixed: Vec<Alike>,
    /// The slowed names: the planted ratio, and what was found.
    pub slowed: Vec<(f64, Ratio)>,
}

/// Copies of one library, each beside another copy of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Alike {
    /// The library.
    pub provider: String,
    /// How many ratios.
    pub ratios: usize,
    /// Root of the mean square of (ratio − 1).
    pub rms: f64,
    /// The largest |ratio − 1|.
    pub worst: f64,
    /// How many of the intervals contain 1.
    pub held: usize,
    /// Median half-width of the intervals, of the logarithm.
    pub half_width: f64,
}

/// A copy beside another one of its library.
pub struct Beside<'a> {
    /// The copy's record.
    pub record: &'a Record,
    /// The library.
    pub provider: &'a str,
    /// Which sort of copy it is.
    pub copy: Copy,
    /// Its time ÷ the other's.
    pub ratio: Ratio,
}

/// Every group of a run whose scenario has copies, in the order of the cells' numbers.
pub fn self_check(run: &Run, records: &[Record]) -> Vec<SelfCheck> {
    if run.scenario.copies.is_none() {
        return Vec::new();
    }
    let mut groups = BTreeMap::<Group, Vec<Beside>>::new();
    for beside in besides(records) {
        groups.entry(beside.record.cell.group()).or_default().push(beside);
    }
    groups.iter().map(|(group, besides)| check(group, besides)).filter(|check| !check.alike.is_empty()).collect()
}

/// Copies that are alike by pairs, so that no two ratios share a copy: one that came out slow would spoil all that it is the reference
/// of, and intervals would miss together or not at all. Those that differ in something known stand beside one of these each.
pub fn besides(records: &[Record]) -> Vec<Beside<'_>> {
    // Cells of several threads are compared with one thread of their own, not against another copy.
    let is_copy = |record: &&Record| !record.cell.algorithm.is_ceiling() && record.cell.parameters.cpus().is_none();
    let mut libraries = BTreeMap::<(Group, &str), (Vec<&Record>, Vec<(&Record, Copy)>)>::new();
    for record in records.iter().filter(is_copy) {
        let Some((provider, copy)) = Copy::read(&record.cell.provider) else { continue };
        let (alike, others) = libraries.entry((record.cell.group(), provider)).or_default();
        match copy {
            Copy::Same => alike.push(record),
            copy => others.push((record, copy)),
        }
    }
    let mut besides = Vec::new();
    for ((_, provider), (alike, others)) in libraries {
        let pairs = alike.chunks_exact(2).map(|pair| (pair[1], Copy::Same, pair[0]));
        let others = others.into_iter().zip(alike.iter().cycle()).map(|((record, copy), other)| (record, copy, *other));
        for (record, copy, other) in pairs.chain(others) {
            if let Some(ratio) = ratio(record, other).filter(|ratio| ratio.range().is_some()) {
                besides.push(Beside { record, provider, copy, ratio });
            }
        }
    }
    besides
}

fn check(group: &Group, besides: &[Beside]) -> SelfCheck {
    let mut providers: Vec<&str> = besides.iter().map(|beside| beside.provider).collect();
    providers.dedup();
    let of = |copy: Copy| {
        let own = |provider: &&str| {
            let own = besides.iter().filter(|beside| beside.provider == *provider && beside.copy == copy);
            Alike::of(provider, &own.map(|beside| beside.ratio).collect::<Vec<_>>())
        };
        providers.iter().filter_map(own).collect()
    };
    let slowed = besides.iter().filter_map(|beside| match beside.copy {
        Copy::Slowed(share) => Some((1.0 + share.0, beside.ratio)),
        _ => None,
    });
    SelfCheck { group: heading(group), alike: of(Copy::Same), fixed: of(Copy::Fixed), slowed: slowed.collect() }
}

impl Alike {
    fn of(provider: &str, ratios: &[Ratio]) -> Option<Self> {
        let squares: f64 = ratios.iter().map(|ratio| (ratio.mid - 1.0).powi(2)).sum();
        let mut half_widths: Vec<f64> = ratios.iter().filter_map(Ratio::half_width).collect();
        Some(Self {
            provider: provider.into(),
            ratios: ratios.len(),
            rms: (squares / ratios.len() as f64).sqrt(),
            worst: ratios.iter().map(|ratio| (ratio.mid - 1.0).abs()).fold(0.0, f64::max),
            held: ratios.iter().filter(|ratio| ratio.contains(1.0)).count(),
            half_width: median(&mut half_widths)?,
        })
    }
}

impl SelfCheck {
    /// How many intervals of copies contain 1, and how many there are.
    pub fn held(&self) -> (usize, usize) {
        self.alike.iter().fold((0, 0), |(held, all), alike| (held + alike.held, all + alike.ratios))
    }

    /// Whether there is any interval to judge by.
    pub fn is_answered(checks: &[Self]) -> bool {
        checks.iter().any(|check| check.held().1 > 0)
    }

    /// What all groups come to: how many intervals contain the truth, of which 95 % are due, and whether the slowed copies were found.
    pub fn sum(run: &Run, records: &[Record], checks: &[Self]) -> String {
        let (held, ratios) = checks.iter().map(Self::held).fold((0, 0), |sum, (held, all)| (sum.0 + held, sum.1 + all));
        if ratios == 0 {
            return format!("No answer yet. {}", no_answer(run, records, most_forks(records)));
        }
        let share = 100.0 * held as f64 / ratios as f64;
        let is_chance = chance_of_at_most(held, ratios, CONFIDENCE) >= 0.025;
        let judged = if is_chance { "as many as chance allows" } else { "fewer than chance allows" };
        let worst = checks.iter().flat_map(|check| &check.alike).map(|alike| alike.worst).fold(0.0, f64::max);
        let mut said = format!(
            "Copies of a library differ by at most {:.2} %, where the truth is 0. {held} of {ratios} intervals contain it \
             ({share:.1} %, of 95 % expected: {judged}).",
            worst * 100.0
        );
        let slowed: Vec<(f64, Ratio)> = checks.iter().flat_map(|check| check.slowed.iter().copied()).collect();
        let mut truths: Vec<f64> = slowed.iter().map(|(truth, _)| *truth).collect();
        truths.sort_by(f64::total_cmp);
        truths.dedup();
        let found = |truth: &f64| {
            let own: Vec<_> = slowed.iter().filter(|(planted, _)| planted == truth).collect();
            let sure = own.iter().filter(|(_, found)| found.is_above_one()).count();
            format!("{} in {sure} of {}", Share(truth - 1.0), own.len())
        };
        if !truths.is_empty() {
            let right = slowed.iter().filter(|(truth, found)| found.contains(*truth)).count();
            said += &format!(
                " Slowdowns surely found: {}; {right} of {} intervals contain the planted share.",
                listed(&truths.iter().map(found).collect::<Vec<_>>()),
                slowed.len()
            );
        }
        if checks.iter().any(|check| !check.fixed.is_empty()) {
            said += " \"Layout fixed\" does not count: it shows how far off a library is whose stack and buffers stay where they \
                     happen to lie, as in other benchmarks.";
        }
        said
    }
}

impl fmt::Display for Alike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { provider, ratios, rms, held, half_width, .. } = self;
        let [rms, half_width] = [rms, half_width].map(|share| share * 100.0);
        write!(
            f,
            "{provider}: rms error {rms:.3} %, {held} of {ratios} intervals contain 1, half-width {half_width:.3} %"
        )
    }
}

impl fmt::Display for SelfCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.group)?;
        self.alike.iter().try_for_each(|alike| write!(f, "\n- {alike}"))?;
        for Alike { provider, ratios, rms, held, .. } in &self.fixed {
            write!(
                f,
                "\n- {provider}, layout fixed: rms error {:.3} %, {held} of {ratios} intervals contain 1",
                rms * 100.0
            )?;
        }
        for (truth, found) in &self.slowed {
            let (low, high) = found.range().unwrap_or((found.mid, found.mid));
            let [truth, mid, low, high] = [*truth, found.mid, low, high].map(|ratio| (ratio - 1.0) * 100.0);
            write!(f, "\n- planted {truth:+.2} %, found {mid:+.2} % ({low:+.2} to {high:+.2})")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{self, cell};
    use ciphermeter_core::{Algorithm, Copies, Operation, Share};

    #[test]
    fn copies_are_compared_within_their_library() {
        let names = ["a.01", "a.02", "a.03", "a.04", "a.fixed-01", "a.slowed-3%", "b.01", "b.02"];
        let ns = |name: &str| match name {
            "a.fixed-01" => 1050.0,
            "a.slowed-3%" => 1030.0,
            name if name.starts_with('b') => 2000.0,
            _ => 1000.0,
        };
        let cells = names.map(|name| cell(name, Algorithm::Xor, Operation::Encrypt, 4096, ns(name)));
        let mut run = fixtures::head();
        run.scenario.copies = Some(Copies { names: 4, files: 2, fixed: 1, slowed: vec![Share(0.03)] });
        let records = fixtures::records(&cells, 6);
        let checks = self_check(&run, &records);
        let [check] = &checks[..] else { panic!("{checks:?}") };
        let alike: Vec<_> = check.alike.iter().map(|alike| (alike.provider.as_str(), alike.ratios)).collect();
        assert_eq!(alike, [("a", 2), ("b", 1)]);
        assert!(check.alike.iter().all(|alike| alike.rms < 0.01), "{check}");
        assert!((check.fixed[0].rms - 0.05).abs() < 0.01 && check.slowed[0].0 == 1.03, "{check}");
        let sum = SelfCheck::sum(&run, &records, &checks);
        assert!(sum.contains("of 3 intervals contain it") && sum.contains("surely found: 3% in 1 of 1"), "{sum}");
        assert!(check.to_string().contains("\n- a, layout fixed: rms error 5."), "{check}");
    }
}
