//! Long messages that are split.

use ciphermeter_answer::Answer;
use ciphermeter_answer::group::Standing;
use ciphermeter_answer::parallel::ParallelAnswer;
use ciphermeter_answer::regression::Stored;

use super::kind::ShownKind;
use super::pictures::{Drawing, Pictures};
use crate::legend::Legend;
use crate::parallel_block::parallel_blocks;
use crate::screen::parallel;
use crate::styled_line::StyledLine;

/// The most rows of the table, beside which the picture of the ways says more.
const WAYS: usize = 7;

pub(crate) struct Parallel;

impl ShownKind for Parallel {
    fn pictures<'a>(&self, of: Stored<'a>, _answer: &'a Answer) -> Pictures<'a> {
        let messages = ParallelAnswer::messages(of.run, of.records);
        Box::new(move |rows, bars, width| Drawing {
            table: parallel::table(&messages, rows.min(WAYS), width),
            picture: parallel::bars(&messages, bars, width),
            ..Drawing::default()
        })
    }

    fn blocks(&self, of: Stored, _standings: &[Standing], width: usize, legend: &mut Legend) -> Vec<StyledLine> {
        parallel_blocks(of.run, of.records, width, legend)
    }

    fn more(&self, of: Stored, _is_answered: bool) -> String {
        format!("All threads and all ways: {}", of.run.command(&format!("show {} --all", of.run.id)))
    }

    fn unranked(&self) -> Option<&'static str> {
        Some("split messages")
    }

    fn names_refused(&self) -> bool {
        true
    }
}
