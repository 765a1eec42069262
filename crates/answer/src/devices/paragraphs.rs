//! What there is to know of devices below their answer, each paragraph with how much it matters.

use ciphermeter_core::{Record, Run};

use super::answer::DevicesAnswer;
use super::here::this_machine;
use crate::words::size;

/// How much it matters that something is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// What is as a reader expects.
    Expected,
    /// What changes the answer for some.
    Other,
    /// What a reader would be misled without.
    Must,
}

/// A paragraph.
#[derive(Debug, Clone)]
pub struct Paragraph {
    /// How much it matters.
    pub need: Need,
    /// In full.
    pub text: String,
    /// In fewer words, where there are any.
    pub brief: Option<String>,
}

impl Paragraph {
    /// One that has no fewer words.
    pub fn of(need: Need, text: String) -> Self {
        Self { need, text, brief: None }
    }
}

impl DevicesAnswer {
    /// All paragraphs: what changes the answer, then what is not known, what figures rest on, and what this machine comes to.
    pub fn paragraphs(&self, run: &Run, records: &[Record], is_brief: bool) -> Vec<Paragraph> {
        let alone = match &self.devices[..] {
            [only] => [only.other_form(), only.least()],
            _ => [None, None],
        };
        let (differ, same) = self.questions(is_brief);
        let more = run.command(&format!("show {} --all", run.id));
        let differ = differ.into_iter().map(|text| {
            let title = text.split(": ").next().unwrap_or_default();
            let brief = Some(format!("{title}: another answer; {more}"));
            Paragraph { need: Need::Other, brief, text }
        });
        let each = |need: Need, texts: Vec<Option<String>>| {
            texts.into_iter().flatten().map(move |text| Paragraph::of(need, text)).collect::<Vec<_>>()
        };
        let here: Vec<Record> =
            records.iter().filter(|record| record.cell.parameters.device().is_none()).cloned().collect();
        let must = vec![self.absent(), self.currents(), self.no_meter(), self.emulated(is_brief)];
        std::iter::empty()
            .chain(each(Need::Expected, vec![same]))
            .chain(each(Need::Other, [&alone[..], &[self.usual(is_brief)]].concat()))
            .chain(differ)
            .chain(each(Need::Other, vec![self.refused(), self.unreported()]))
            .chain(each(Need::Must, must))
            .chain(each(Need::Expected, vec![self.timed(), self.counted()]))
            .chain(each(Need::Must, vec![this_machine(&here)]))
            .collect()
    }

    /// `A message of 16 B to 1 KiB on these 5 microcontrollers: which cipher?`
    pub fn question(&self) -> String {
        let sizes = || self.devices.iter().flat_map(|device| device.choices.iter().map(|choice| choice.point.message));
        let sizes = match (sizes().min(), sizes().max()) {
            (Some(least), Some(most)) if least < most => format!("A message of {} to {}", size(least), size(most)),
            (Some(only), _) => format!("A message of {}", size(only)),
            _ => "A small message".into(),
        };
        match &self.devices[..] {
            [only] => format!("{sizes} on {}: which cipher?", only.name),
            several => format!("{sizes} on these {} microcontrollers: which cipher?", several.len()),
        }
    }
}
