//! What a kind of measurement decides about how it is shown.

use std::io::{self, Write};

use ciphermeter_answer::Answer;
use ciphermeter_answer::group::Standing;
use ciphermeter_answer::measured::measured;
use ciphermeter_answer::regression::Stored;
use ciphermeter_answer::sustained::ExportedCourse;
use ciphermeter_core::{Record, Run};
use ciphermeter_estimate::figures;

use super::pictures::{Pictures, pictures};
use crate::block::call_blocks;
use crate::csv::write_cells;
use crate::legend::Legend;
use crate::other_metrics::other_metrics;
use crate::screen::all_rows;
use crate::styled_line::StyledLine;
use ciphermeter_answer::devices::cost;

/// A kind of measurement, as it is shown.
pub(crate) trait ShownKind {
    /// What stands below its sentences.
    fn pictures<'a>(&self, of: Stored<'a>, answer: &'a Answer) -> Pictures<'a> {
        pictures(of, answer)
    }

    /// The whole first screen in so many lines and columns, where it has a layout of its own.
    fn screen(&self, _of: Stored, _answer: &Answer, _room: (usize, usize)) -> Option<Vec<StyledLine>> {
        None
    }

    /// The blocks of its table.
    fn blocks(&self, of: Stored, standings: &[Standing], width: usize, legend: &mut Legend) -> Vec<StyledLine> {
        call_blocks(standings, of.run.scenario.precision, width, legend)
    }

    /// Whether a record has a row in its table.
    fn has_row(&self, run: &Run, record: &Record) -> bool {
        measured(record).is_some()
            || cost(record).is_some()
            || other_metrics(run).any(|metric| figures(record, metric).is_some())
    }

    /// Why a record of a run that was cut off has no sample.
    fn too_early(&self, run: &Run) -> String {
        format!("the run ended before its first round; `{}` continues it", run.resume())
    }

    /// The command that shows more than the first screen.
    fn more(&self, of: Stored, is_answered: bool) -> String {
        all_rows(of.run, of.records, is_answered)
    }

    /// Whether cells that a provider refuses are named on the first screen.
    fn names_refused(&self) -> bool {
        false
    }

    /// What it measured, where that is not ranked.
    fn unranked(&self) -> Option<&'static str> {
        None
    }

    /// What it rests on, below the sentences of a page.
    fn basis(&self, answer: &Answer) -> String {
        answer.rests_on.sentence(answer.comparisons())
    }

    /// Its rows as CSV.
    ///
    /// # Errors
    /// Those of `out`.
    fn write_csv(&self, out: &mut dyn Write, run: &Run, records: &[Record]) -> io::Result<()> {
        write_cells(out, run, records)
    }

    /// The course of a record that has one.
    fn course(&self, _run: &Run, _record: &Record) -> Option<ExportedCourse> {
        None
    }
}
