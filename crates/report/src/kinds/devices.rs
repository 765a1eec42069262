//! Boards and emulated cores.

use ciphermeter_answer::{About, Answer};
use ciphermeter_core::{Record, Run};

use super::kind::ShownKind;
use crate::screen::device;
use crate::styled_line::StyledLine;

/// Devices.
pub(crate) struct Devices;

impl ShownKind for Devices {
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
