//! The answer in words: which cipher on which device, devices with the same answer in one sentence.

use std::collections::BTreeSet;

use ciphermeter_core::Algorithm;

use super::choice::{Choice, Question, choices};
use super::words::{Course, Names, is_usual};
use crate::device::Board;
use ciphermeter_answer::words::{capital, listed};

/// More names than that are counted where they are all.
const MOST_NAMED: usize = 2;

/// A device and what it comes to.
pub(super) struct Answer<'a> {
    pub(super) board: &'a Board<'a>,
    pub(super) choices: Vec<Choice<'a>>,
    pub(super) course: Course,
    /// AES and ChaCha20 alone, where another cipher wins somewhere.
    usual: Option<Course>,
}

impl<'a> Answer<'a> {
    pub(super) fn of(board: &'a Board<'a>, comparisons: usize) -> Self {
        let of = |takes: fn(_) -> bool| choices(board, Question::Protect, takes, comparisons);
        let all = of(|_| true);
        let course = Course::of(&all);
        let usual = course.names_other_than(is_usual).then(|| Course::of(&of(is_usual)));
        Self { board, choices: all, course, usual: usual.filter(Course::compares) }
    }

    /// `AES-256-GCM at 16 B, ChaCha20-Poly1305 from 32 B on; it flips between 16 B and 32 B`; with short names without the flips, which
    /// the sizes on both sides say as well.
    fn said(&self, is_brief: bool) -> String {
        if self.choices.is_empty() {
            return if self.has_samples() { "no answer yet" } else { "nothing was measured" }.into();
        }
        let flips = self.course.flips().filter(|_| !is_brief).map(|flips| format!("; it flips {flips}"));
        format!("{}{}", self.course.said(&self.names(is_brief)), flips.unwrap_or_default())
    }

    /// Whether anything was measured of a message.
    pub(super) fn has_samples(&self) -> bool {
        self.board.records.iter().any(|record| {
            record.cell.parameters.message() > 0 && record.forks.iter().any(|fork| !fork.samples.is_empty())
        })
    }

    /// AES and ChaCha20 alone, where another cipher wins somewhere.
    pub(super) fn usual(&self) -> Option<Course> {
        self.usual.clone()
    }

    pub(super) fn names(&self, is_brief: bool) -> Names {
        if is_brief { Names::Short(self.ciphers()) } else { Names::Full }
    }

    /// All ciphers that have a figure on the device.
    pub(super) fn ciphers(&self) -> Vec<Algorithm> {
        let all = self.choices.iter().flat_map(|choice| choice.offers.iter().map(|offer| offer.algorithm));
        all.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// A sentence for each answer, with the devices that it is of, in the order of the first of each; at most so many.
pub(super) fn sentences(answers: &[Answer], is_brief: bool, most: usize) -> Vec<String> {
    if let [only] = answers {
        return alone(only);
    }
    let each = answers.iter().map(|answer| (answer.board.name.clone(), answer.said(is_brief)));
    let same = by_words(each);
    let all = same.len() == 1 && answers.len() > MOST_NAMED;
    let whose = |names: &[String]| if all { format!("All {}", answers.len()) } else { listed(names) };
    let mut said: Vec<String> =
        same.iter().take(most).map(|(said, names)| format!("{}: {said}.", whose(names))).collect();
    let left = same.iter().skip(most).map(|(_, names)| names.len()).sum::<usize>();
    let plural = if left == 1 { "" } else { "s" };
    said.extend((left > 0).then(|| format!("{left} more device{plural}: see the table.")));
    said
}

/// Devices with the same words together, in the order of the first of each.
pub(super) fn by_words(each: impl Iterator<Item = (String, String)>) -> Vec<(String, Vec<String>)> {
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    for (name, words) in each {
        match all.iter_mut().find(|(other, _)| *other == words) {
            Some((_, names)) => names.push(name),
            None => all.push((words, vec![name])),
        }
    }
    all
}

/// Of a single device there is room for sentences.
fn alone(answer: &Answer) -> Vec<String> {
    let course = &answer.course;
    if !course.is_answered() {
        return vec![if answer.has_samples() { "No answer yet." } else { "No answer: nothing was measured." }.into()];
    }
    let flips = course.flips().map(|flips| format!(" It flips {flips}.")).unwrap_or_default();
    let said = course.said(&Names::Full);
    let said = if course.recommends() { format!("Use {said}") } else { capital(&said) };
    let usual = answer.usual.as_ref().map(|course| format!("Of AES and ChaCha20: {}.", course.said(&Names::Full)));
    [Some(format!("{said}.{flips}")), usual].into_iter().flatten().collect()
}
