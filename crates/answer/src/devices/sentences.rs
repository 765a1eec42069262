//! The answer in words: which cipher on which device, devices with the same answer in one sentence.

use super::answer::{DeviceAnswer, DevicesAnswer};
use super::course::{Course, Names};
use crate::words::{capital, counted, listed};

/// More names than that are counted where they are all.
const MOST_NAMED: usize = 2;

impl DevicesAnswer {
    /// The answers in full, as advice gives them.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = self.answers(false, self.devices.len());
        if let [only] = &self.devices[..] {
            sentences.iter_mut().for_each(|sentence| *sentence = format!("{}: {sentence}", only.name));
        }
        let (differ, same) = self.questions(false);
        sentences.into_iter().chain(self.usual(false)).chain(differ).chain(same).chain(self.emulated(false)).collect()
    }

    /// A sentence for each answer, with the devices that it is of, in the order of the first of each; at most so many.
    pub fn answers(&self, is_brief: bool, most: usize) -> Vec<String> {
        if let [only] = &self.devices[..] {
            return only.sentences();
        }
        let each = self.devices.iter().map(|device| (device.name.clone(), device.in_words(is_brief)));
        let same = by_words(each);
        let all = same.len() == 1 && self.devices.len() > MOST_NAMED;
        let whose = |names: &[String]| if all { format!("All {}", self.devices.len()) } else { listed(names) };
        let mut sentences: Vec<String> =
            same.iter().take(most).map(|(words, names)| format!("{}: {words}.", whose(names))).collect();
        let left = same.iter().skip(most).map(|(_, names)| names.len()).sum::<usize>();
        sentences.extend((left > 0).then(|| format!("{}: see the table.", counted(left, "more device"))));
        sentences
    }

    /// `on rv32imc and lx106 AES at 16 B, ChaCha from 32 B on; on avr AES at every size`; where all agree, without their names.
    pub(super) fn by_device(&self, courses: &[(&DeviceAnswer, &Course)], is_brief: bool) -> String {
        let each =
            courses.iter().map(|(device, course)| (device.name.clone(), course.in_words(&device.names(is_brief))));
        let each = by_words(each).into_iter().map(|(words, names)| match names.len() {
            all if all == self.devices.len() => words,
            _ => format!("on {} {words}", listed(&names)),
        });
        each.collect::<Vec<_>>().join("; ")
    }
}

impl DeviceAnswer {
    /// `AES-256-GCM at 16 B, ChaCha20-Poly1305 from 32 B on; it flips between 16 B and 32 B`; with short names without the flips, which
    /// the sizes on both sides say as well.
    fn in_words(&self, is_brief: bool) -> String {
        if self.choices.is_empty() {
            return if self.has_samples { "no answer yet" } else { "nothing was measured" }.into();
        }
        let flips = self.course.flips().filter(|_| !is_brief).map(|flips| format!("; it flips {flips}"));
        format!("{}{}", self.course.in_words(&self.names(is_brief)), flips.unwrap_or_default())
    }

    /// Of a single device there is room for sentences.
    fn sentences(&self) -> Vec<String> {
        let course = &self.course;
        if !course.is_answered() {
            return vec![if self.has_samples { "No answer yet." } else { "No answer: nothing was measured." }.into()];
        }
        let flips = course.flips().map(|flips| format!(" It flips {flips}.")).unwrap_or_default();
        let words = course.in_words(&Names::Full);
        let words = if course.recommends() { format!("Use {words}") } else { capital(&words) };
        let usual =
            self.usual.as_ref().map(|course| format!("Of AES and ChaCha20: {}.", course.in_words(&Names::Full)));
        [Some(format!("{words}.{flips}")), usual].into_iter().flatten().collect()
    }

    fn names(&self, is_brief: bool) -> Names {
        if is_brief { Names::Short(self.ciphers()) } else { Names::Full }
    }
}

/// Devices with the same words together, in the order of the first of each.
fn by_words(each: impl Iterator<Item = (String, String)>) -> Vec<(String, Vec<String>)> {
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    for (name, words) in each {
        match all.iter_mut().find(|(other, _)| *other == words) {
            Some((_, names)) => names.push(name),
            None => all.push((words, vec![name])),
        }
    }
    all
}
