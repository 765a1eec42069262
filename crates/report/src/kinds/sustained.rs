//! A load for minutes.

use std::io::{self, Write};

use ciphermeter_answer::Answer;
use ciphermeter_answer::group::Standing;
use ciphermeter_answer::regression::Stored;
use ciphermeter_answer::sustained::ExportedCourse;
use ciphermeter_core::{Outcome, Record, Run};

use super::kind::ShownKind;
use super::pictures::{Drawing, Pictures, pictures};
use crate::legend::Legend;
use crate::styled_line::StyledLine;
use crate::sustained::{page, summary, write_course_csv};

pub(crate) struct Sustained;

impl ShownKind for Sustained {
    fn pictures<'a>(&self, of: Stored<'a>, answer: &'a Answer) -> Pictures<'a> {
        match of.records.first() {
            Some(record) => {
                Box::new(move |_, _, width| Drawing { picture: summary(record, width), ..Drawing::default() })
            }
            None => pictures(of, answer),
        }
    }

    fn blocks(&self, of: Stored, _standings: &[Standing], width: usize, _legend: &mut Legend) -> Vec<StyledLine> {
        of.records.iter().flat_map(|record| page(of.run, record, width)).collect()
    }

    fn has_row(&self, _run: &Run, record: &Record) -> bool {
        record.outcome == Outcome::Measured
    }

    fn too_early(&self, _run: &Run) -> String {
        "the run ended before its first step".into()
    }

    fn unranked(&self) -> Option<&'static str> {
        Some("measured one load over time")
    }

    fn more(&self, Stored { run, .. }: Stored, _is_answered: bool) -> String {
        let (all, steps) = (format!("show {} --all", run.id), format!("export {} --format csv", run.id));
        format!("Temperature and frequency, too: {}; each step: {}", run.command(&all), run.command(&steps))
    }

    fn write_csv(&self, out: &mut dyn Write, run: &Run, records: &[Record]) -> io::Result<()> {
        write_course_csv(out, run, records)
    }

    fn course(&self, run: &Run, record: &Record) -> Option<ExportedCourse> {
        Some(ExportedCourse::of(run, record))
    }
}
