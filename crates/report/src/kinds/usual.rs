//! Kinds that are shown as is usual, but for one thing each.

use ciphermeter_answer::group::Standing;
use ciphermeter_answer::regression::Stored;
use ciphermeter_answer::{About, Answer};
use ciphermeter_stats::LEAST_FORKS;

use super::kind::ShownKind;
use crate::legend::Legend;
use crate::screen::device;
use crate::styled_line::StyledLine;
use crate::transfer::transfer_blocks;

pub(crate) struct Messages;

impl ShownKind for Messages {}

/// Copies of one library: what the instrument finds where the truth is known.
pub(crate) struct SelfChecks;

impl ShownKind for SelfChecks {
    fn basis(&self, _answer: &Answer) -> String {
        format!("A figure takes {LEAST_FORKS} undisturbed forks.")
    }
}

/// Boards and emulated cores.
pub(crate) struct Devices;

impl ShownKind for Devices {
    fn screen(&self, of: Stored, answer: &Answer, (lines, width): (usize, usize)) -> Option<Vec<StyledLine>> {
        let Some(About::Devices(devices)) = &answer.about else { return None };
        Some(device::lines(of, devices, lines, width))
    }

    fn basis(&self, _answer: &Answer) -> String {
        String::new()
    }
}

/// Files that moved: AES or ChaCha20, and by which program.
pub(crate) struct Transfers;

impl ShownKind for Transfers {
    fn unranked(&self) -> Option<&'static str> {
        Some("moved files")
    }

    fn blocks(&self, of: Stored, standings: &[Standing], width: usize, legend: &mut Legend) -> Vec<StyledLine> {
        transfer_blocks(standings, of.run.scenario.precision.0, width, legend)
    }
}
