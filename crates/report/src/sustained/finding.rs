//! What a course comes to: too short, steady, or fallen at some moment for a reason.

use ciphermeter_core::SampleRange;
use ciphermeter_estimate::falls_of;
use ciphermeter_stats::LEAST_STEPS;

use super::cause::{Causes, causes};
use super::course::{Step, range};

/// Where and by how much it fell.
#[derive(Debug)]
pub(crate) struct Fall {
    /// The step with which the lower level begins.
    pub(crate) place: usize,
    /// Seconds from the start to there, and to each further fall.
    pub(crate) seconds: Vec<f64>,
    /// The step of the next fall, if there is one, and of the last.
    next: Option<usize>,
    pub(crate) last: usize,
    /// Rates before it, and from it to the next fall or the end.
    pub(crate) before: SampleRange,
    pub(crate) after: SampleRange,
    /// Rates from the last fall on, where there are several.
    pub(crate) end: Option<SampleRange>,
    pub(crate) causes: Causes,
}

impl Fall {
    /// Where the level after it ends: at the next fall, or at the end of so many steps.
    pub(crate) fn next(&self, steps: usize) -> usize {
        self.next.unwrap_or(steps)
    }
}

#[derive(Debug)]
pub(crate) enum Finding {
    /// Fewer than [`LEAST_STEPS`].
    Short,
    /// No fall for good; rates of the whole course.
    Steady(SampleRange),
    Fell(Box<Fall>),
}

impl Finding {
    pub(crate) fn of(steps: &[Step]) -> Self {
        let whole = match range(steps, |step| Some(step.rate)) {
            Some(whole) if steps.len() >= LEAST_STEPS => whole,
            _ => return Self::Short,
        };
        let places = falls_of(&steps.iter().map(|step| step.rate).collect::<Vec<_>>());
        fall(steps, &places).map_or(Self::Steady(whole), |fall| Self::Fell(Box::new(fall)))
    }

    /// The fall, if it fell.
    pub(crate) fn fall(&self) -> Option<&Fall> {
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
