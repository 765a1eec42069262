//! Files that moved: AES or ChaCha20, and by which program.

use ciphermeter_answer::group::Standing;
use ciphermeter_core::{Record, Run};

use super::kind::ShownKind;
use crate::legend::Legend;
use crate::styled_line::StyledLine;
use crate::transfer::transfer_blocks;

/// File transfers.
pub(crate) struct Transfers;

impl ShownKind for Transfers {
    fn blocks(
        &self,
        run: &Run,
        _records: &[Record],
        standings: &[Standing],
        width: usize,
        legend: &mut Legend,
    ) -> Vec<StyledLine> {
        transfer_blocks(standings, run.scenario.precision.0, width, legend)
    }
}
