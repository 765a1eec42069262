//! A device and what it comes to.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, Form, Record};
use serde::Serialize;

use super::board::{Board, boards};
use super::choice::{Choice, Question, choices, comparisons};
use super::cost::Unit;
use super::course::{Course, is_usual};
use super::missing::{Absent, Refused, absent, refused};

/// Which cipher on which device.
#[derive(Debug, Clone, Serialize)]
pub struct DevicesAnswer {
    /// The devices of which anything was asked, in the order of their numbers.
    pub devices: Vec<DeviceAnswer>,
    /// How many comparisons of times hold at once.
    pub comparisons: usize,
}

/// What a device comes to.
#[derive(Debug, Clone, Serialize)]
pub struct DeviceAnswer {
    /// Its name, escaped.
    pub name: String,
    /// What it is, its clock and where its code lies; empty where it does not say.
    pub what: String,
    /// Whether an emulator plays it.
    pub is_emulated: bool,
    /// What its figures are.
    pub unit: Unit,
    /// The form that is compared.
    pub form: Form,
    /// Whether anything was measured of a message.
    pub has_samples: bool,
    /// Sealing, or encrypting, by size.
    pub choices: Vec<Choice>,
    /// Which cipher at which size.
    pub course: Course,
    /// The same of AES and ChaCha20 alone, where another cipher wins somewhere.
    pub usual: Option<Course>,
    /// The same of opening, or decrypting.
    pub opening: Course,
    /// The same of sealing under a key that is set up for one message.
    pub once: Course,
    /// Sizes that it refuses whatever the cipher.
    pub refused: Option<Refused>,
    /// Ciphers that are the cheapest at some size and have no figure at another.
    pub absent: Vec<Absent>,
}

impl DevicesAnswer {
    /// `None` where no record is of a device.
    pub fn of(records: &[Record]) -> Option<Self> {
        let boards = boards(records);
        let comparisons = comparisons(&boards);
        let devices: Vec<_> = boards.iter().map(|board| DeviceAnswer::of(board, comparisons)).collect();
        (!devices.is_empty()).then_some(Self { devices, comparisons })
    }

    /// Whether any device has an answer at any size.
    pub fn is_answered(&self) -> bool {
        self.devices.iter().any(|device| device.course.is_answered())
    }
}

impl DeviceAnswer {
    fn of(board: &Board, comparisons: usize) -> Self {
        let of = |question, takes: fn(_) -> bool| choices(board, question, takes, comparisons);
        let choices = of(Question::Protect, |_| true);
        let course = Course::of(&choices);
        let usual = course.names_other_than(is_usual).then(|| Course::of(&of(Question::Protect, is_usual)));
        let is_sample = |record: &Record| {
            record.cell.parameters.message() > 0 && record.forks.iter().any(|fork| !fork.samples.is_empty())
        };
        Self {
            name: board.name.clone(),
            what: board.what(),
            is_emulated: board.is_emulated(),
            unit: board.unit,
            form: board.usual_form(),
            has_samples: board.records.iter().any(|record| is_sample(record)),
            usual: usual.filter(Course::compares),
            opening: Course::of(&of(Question::Read, |_| true)),
            once: Course::of(&of(Question::Once, |_| true)),
            refused: refused(board).filter(|_| !choices.is_empty()),
            absent: absent(board, &course),
            choices,
            course,
        }
    }

    /// All ciphers that have a figure on the device.
    pub fn ciphers(&self) -> Vec<Algorithm> {
        let all = self.choices.iter().flat_map(|choice| choice.offers.iter().map(|offer| offer.algorithm));
        all.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The choice at the middle one of the sizes: neither the fixed cost of a call nor that of bytes alone.
    pub fn middle(&self) -> Option<&Choice> {
        self.choices.get(self.choices.len().saturating_sub(1) / 2)
    }
}
