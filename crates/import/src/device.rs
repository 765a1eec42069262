//! The device that a record was measured on. What it takes there is computed from samples, so it is
//! not read.

use ciphermeter_core::{CodeIn, Counts, Device};
use serde::Deserialize;

use crate::error::Wrong;
use crate::values::{Integer, Text, Word};

/// What a record says of its device, null where the device does not.
#[derive(Deserialize)]
pub(crate) struct Board {
    name: Option<Text>,
    board: Option<Text>,
    counts: Option<Word<Counts>>,
    emulated: Option<bool>,
    clock_hz: Option<Integer>,
    code_in: Option<Word<CodeIn>>,
}

impl Board {
    /// The device; `None` where it never answered: no more than its name is known then.
    pub(crate) fn device(self) -> Result<Option<Device>, Wrong> {
        let Self { name, board, counts, emulated, clock_hz, code_in } = self;
        let (counts, code_in) = (counts.map(|Word(counts)| counts), code_in.map(|Word(memory)| memory));
        let clock_hz = clock_hz.map(Integer::get);
        match (name, board, emulated) {
            (Some(Text(name)), Some(Text(board)), Some(emulated)) => {
                Ok(Some(Device { name, board, counts, emulated, clock_hz, code_in }))
            }
            (_, None, None) if (counts, clock_hz, code_in) == (None, None, None) => Ok(None),
            _ => Err(Wrong::new("", "has some of `name`, `board` and `emulated`, and lacks others")),
        }
    }
}
