//! What a course comes to: too short, steady, or fallen at some moment for a reason.

use ciphermeter_core::SampleRange;
use ciphermeter_estimate::falls_of;
use ciphermeter_stats::LEAST_STEPS;

use super::cause::{Causes, causes};
use super::course::{Step, range};

/// Where and by how much it fell.
#[derive(Debug)]
pub struct Fall {
    /// The step with which the lower level begins.
    pub place: usize,
    /// Seconds from the start to there, and to each further fall.
    pub seconds: Vec<f64>,
    /// The step of the next fall, if there is one.
    next: Option<usize>,
    /// The step of the last fall.
    pub last: usize,
    /// Rates before it.
    pub before: SampleRange,
    /// Rates from it to the next fall or the end.
    pub after: SampleRange,
    /// Rates from the last fall on, where there are several.
    pub end: Option<SampleRange>,
    /// Why, as far as the machine tells.
    pub causes: Causes,
}

impl Fall {
    /// Where the level after it ends: at the next fall, or at the end of so many steps.
    pub fn next(&self, steps: usize) -> usize {
        self.next.unwrap_or(steps)
    }
}

/// What a course comes to.
#[derive(Debug)]
pub enum Finding {
    /// Fewer than [`LEAST_STEPS`].
    Short,
    /// No fall for good; rates of the whole course.
    Steady(SampleRange),
    /// It fell.
    Fell(Box<Fall>),
}

/// Whether so many steps tell a fall from noise.
pub fn is_long_enough(steps: &[Step]) -> bool {
    steps.len() >= LEAST_STEPS
}

impl Finding {
    /// Of these steps.
    pub fn of(steps: &[Step]) -> Self {
        let whole = match range(steps, |step| Some(step.rate)) {
            Some(whole) if is_long_enough(steps) => whole,
            _ => return Self::Short,
        };
        let places = falls_of(&steps.iter().map(|step| step.rate).collect::<Vec<_>>());
        fall(steps, &places).map_or(Self::Steady(whole), |fall| Self::Fell(Box::new(fall)))
    }

    /// The fall, if it fell.
    pub fn fall(&self) -> Option<&Fall> {
        match self {
            Self::Fell(fall) => Some(fall),
            _ => None,
        }
    }
}

fn fall(steps: &[Step], places: &[usize]) -> Option<Fall> {
    let (place, last) = (*places.first()?, *places.last()?);
    let rates = |steps: &[Step]| range(steps, |step| Some(step.rate));
    let (before, after) = (&steps[..place], &steps[place..places.get(1).copied().unwrap_or(steps.len())]);
    Some(Fall {
        place,
        seconds: places.iter().map(|place| steps[place - 1].end).collect(),
        next: places.get(1).copied(),
        last,
        before: rates(before)?,
        after: rates(after)?,
        end: if places.len() > 1 { rates(&steps[last..]) } else { None },
        causes: causes(before, after)?,
    })
}
