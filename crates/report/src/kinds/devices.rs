//! Boards and emulated cores.

use ciphermeter_answer::devices::DevicesAnswer;
use ciphermeter_answer::{About, Answer};
use ciphermeter_core::{Record, Run};

use super::kind::{Pictures, ShownKind};
use super::messages;
use crate::screen::device;
use crate::styled_line::StyledLine;

/// Devices.
pub(crate) struct Devices;

impl ShownKind for Devices {
    fn answer(&self, run: &Run, records: &[Record]) -> Answer {
        let devices = DevicesAnswer::of(records);
        let answered = devices.as_ref().is_some_and(DevicesAnswer::is_answered);
        let open = Answer::open(run, records, "Which cipher on which device?".into(), answered);
        let sentences = devices.as_ref().map(DevicesAnswer::sentences).unwrap_or_default();
        Answer { sentences, about: devices.map(|devices| About::Devices(Box::new(devices))), ..open }
    }

    fn pictures<'a>(&self, run: &'a Run, records: &'a [Record], answer: &'a Answer) -> Pictures<'a> {
        messages::pictures(run, records, answer)
    }

    fn screen(
        &self,
        run: &Run,
        records: &[Record],
        answer: &Answer,
        (lines, width): (usize, usize),
    ) -> Option<Vec<StyledLine>> {
        let Some(About::Devices(devices)) = &answer.about else { return None };
        Some(device::lines(run, records, devices, lines, width))
    }

    fn basis(&self, _answer: &Answer) -> String {
        String::new()
    }
}
