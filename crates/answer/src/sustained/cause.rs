//! Why a rate fell, as far as frequency, temperature, the hypervisor and other processes tell. Nothing is claimed of what was not seen.

use super::course::{Quantity, Step, mean, most, range};

/// The least fall of the frequency that counts, as a fraction.
const SLOWER: f64 = 0.05;
/// What explains so large a share of the fall is its reason.
const MOST_OF_IT: f64 = 0.5;
/// A rise of the temperature by so many degrees is one that a load makes.
const WARMER: f64 = 10.0;

/// A quantity before and after.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    pub before: f64,
    pub after: f64,
}

/// What went on before and after.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Causes {
    /// Medians, in GHz.
    pub frequency: Option<Change>,
    /// How much of the fall (on the scale of logarithms) the frequency alone would make.
    pub by_frequency: f64,
    /// In the first step, and the highest until half a minute after the fall.
    pub temperature: Option<Change>,
    /// The hypervisor's part of the CPU time that was asked for, means.
    pub stolen: Option<Change>,
    /// How much of the fall that alone would make.
    pub by_steal: f64,
    /// CPU time of all other processes, means; 1 is one CPU.
    pub others: Option<Change>,
    /// How much of the CPU time that the transfer lost went to them; 0 if it lost none.
    pub by_others: f64,
}

impl Causes {
    /// The clock became slower.
    pub fn is_slower(&self) -> bool {
        self.frequency.is_some_and(|change| change.after < change.before * (1.0 - SLOWER))
    }

    /// The CPU became as warm as a load makes it.
    pub fn is_warmer(&self) -> bool {
        self.temperature.is_some_and(|change| change.after >= change.before + WARMER)
    }

    /// The hypervisor gave the time to other guests.
    pub fn is_stolen(&self) -> bool {
        self.by_steal >= MOST_OF_IT
    }

    /// Other processes of this machine had the time.
    pub fn is_taken(&self) -> bool {
        self.by_others >= MOST_OF_IT
    }

    /// The clock explains most of it.
    pub fn is_mostly_clock(&self) -> bool {
        self.by_frequency >= MOST_OF_IT
    }
}

/// `None` without rates.
pub fn causes(before: &[Step], after: &[Step]) -> Option<Causes> {
    let change = |of: fn(&[Step], Quantity) -> Option<f64>, quantity: Quantity| {
        Some(Change { before: of(before, quantity)?, after: of(after, quantity)? })
    };
    let middle: fn(&[Step], Quantity) -> Option<f64> = |steps, quantity| range(steps, quantity).map(|range| range.mid);
    let rate = change(middle, |step| Some(step.rate))?;
    let fall = (rate.before / rate.after.max(rate.before / 1e3)).ln();
    let explains = |ratio: f64| if ratio > 1.0 && fall > 0.0 { ratio.ln() / fall } else { 0.0 };
    let frequency = change(middle, |step| step.gigahertz);
    let stolen = change(mean, Step::stolen);
    let others = change(mean, |step| step.others);
    let lost = change(mean, Step::own).map_or(0.0, |own| own.before - own.after);
    let thirty = after.iter().take_while(|step| step.end <= before.last().map_or(0.0, |last| last.end) + 30.0).count();
    let hottest = most(before, |step| step.degrees).zip(most(&after[..thirty], |step| step.degrees));
    let first = before.iter().find_map(|step| step.degrees);
    Some(Causes {
        frequency,
        by_frequency: frequency.map_or(0.0, |change| explains(change.before / change.after.max(1e-9))),
        temperature: first.zip(hottest).map(|(first, (a, b))| Change { before: first, after: a.max(b) }),
        stolen,
        by_steal: stolen.map_or(0.0, |change| explains((1.0 - change.before) / (1.0 - change.after).max(1e-3))),
        others,
        // What is lost is more than a load's own ups and downs.
        by_others: others.filter(|_| lost > 0.05).map_or(0.0, |change| (change.after - change.before).max(0.0) / lost),
    })
}
