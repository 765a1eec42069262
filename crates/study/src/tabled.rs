//! A study's table beside what was measured here, number by number: the published ones as printed, ours in the same unit.
//!
//! Promises: a number of ours is that of the newest run that has any of the table; where none has it, it is absent.

use ciphermeter_answer::measured::{has_enough_forks, measured};
use ciphermeter_core::{Record, SampleRange};
use serde::Serialize;

use crate::question::Pick;
use crate::run::MeasuredRun;
use crate::study::Study;
use crate::table::{Quantity, Table};

/// A number of a table, and ours.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Tabled<'a> {
    row: &'a str,
    column: &'a str,
    unit: &'a str,
    /// As printed.
    published: &'a str,
    /// In the same unit, to as many places as the column has.
    here: Option<String>,
}

impl<'a> Tabled<'a> {
    /// Row and column, the published number and ours.
    pub(crate) fn cells(&self) -> [String; 4] {
        let with_unit = |number: &str| format!("{number} {}", self.unit).trim_end().to_owned();
        let here = self.here.as_deref().map_or("not measured".into(), with_unit);
        [self.row.into(), self.column.into(), with_unit(self.published), here]
    }

    /// The numbers of a table that have a counterpart here, with the run that ours are of.
    pub(crate) fn of(
        study: &Study,
        table: &'a Table,
        runs: &'a [Vec<MeasuredRun>],
    ) -> (Vec<Self>, Option<&'a MeasuredRun>) {
        let Some(beside) = &table.here else { return (Vec::new(), None) };
        let run = run_beside(study, table, runs);
        let mut numbers = Vec::new();
        for (place, row) in table.names().enumerate() {
            for (column, at) in table.columns.iter().zip(0..) {
                let (Some(pick), Some(printed)) = (&column.here, table.number(place, at)) else { continue };
                let sized =
                    Pick { messages: beside.messages.get(place).copied().into_iter().collect(), ..pick.clone() };
                let record = run.and_then(|run| run.records.iter().find(|record| sized.takes(record)));
                let ours = record.and_then(|record| beside.quantity.of(record)).map(|range| range.mid / beside.unit);
                numbers.push(Self {
                    row,
                    column: &column.name,
                    unit: &column.unit,
                    published: table.rows[place][at + 1].as_str(),
                    here: ours.map(|ours| format!("{ours:.*}", table.places(at).max(printed.places()))),
                });
            }
        }
        (numbers, run)
    }
}

/// The newest run that has any number of a table with a counterpart here.
pub(crate) fn run_beside<'a>(study: &Study, table: &Table, runs: &'a [Vec<MeasuredRun>]) -> Option<&'a MeasuredRun> {
    let beside = table.here.as_ref()?;
    let of_scenario =
        study.measures.iter().zip(runs).filter(|(one, _)| one.scenario == beside.scenario && one.cpu.is_none());
    let mut all = of_scenario.flat_map(|(_, runs)| runs);
    let has_any = |run: &&MeasuredRun, pick: &Pick| {
        run.records.iter().any(|record| pick.takes(record) && beside.quantity.of(record).is_some())
    };
    all.find(|run| table.columns.iter().filter_map(|one| one.here.as_ref()).any(|pick| has_any(run, pick)))
}

impl Quantity {
    /// What a record has of it: nanoseconds of a call, of as many forks as any figure takes; or bytes, the most of any process.
    pub(crate) fn of(self, record: &Record) -> Option<SampleRange> {
        match self {
            Self::Time => measured(record).filter(|_| has_enough_forks(record)).map(|summary| summary.range),
            Self::PeakMemory => {
                let peaks = || record.memory.iter().filter_map(|memory| memory.peak_heap);
                let (low, high) = (peaks().min()? as f64, peaks().max()? as f64);
                Some(SampleRange { low, mid: high, high })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::built_in::{all, find};
    use crate::fixtures;
    use crate::question::Way;

    #[test]
    fn table_of_memory_stands_beside_ours_in_its_own_unit() {
        let study = find("python-sizes").unwrap().unwrap();
        let claim = study.claims.iter().find(|claim| claim.id == "half-the-memory").unwrap();
        let mut measured = fixtures::measured(&study, claim, Way::AsPublished, 2.0);
        for record in measured.runs.iter_mut().flatten().flat_map(|run| &mut run.records) {
            let copies = if record.cell.algorithm == ciphermeter_core::Algorithm::Aes256Cbc { 4 } else { 2 };
            let peak = copies * record.cell.parameters.message() + 400;
            record.memory.iter_mut().for_each(|memory| memory.peak_heap = Some(peak));
        }
        let table = study.table("memory").unwrap();
        let (numbers, run) = Tabled::of(&study, table, &measured.runs);
        assert_eq!((numbers.len(), run.map(|run| run.run.id)), (10, Some(1)));
        let cells: Vec<_> = numbers.iter().map(Tabled::cells).collect();
        for expected in [
            ["1 KB", "AES", "0.614 MB", "not measured"],
            ["100 KB", "AES", "0.392 MB", "0.391 MB"],
            ["100 KB", "ChaCha20", "0.196 MB", "0.196 MB"],
            ["10 MB", "AES", "40.001 MB", "40.000 MB"],
            ["10 MB", "ChaCha20", "20 MB", "20.000 MB"],
        ] {
            assert!(cells.iter().any(|cells| *cells == expected), "{expected:?}: {cells:?}");
        }
    }

    #[test]
    fn table_without_a_counterpart_has_no_numbers_and_one_without_a_run_no_figures() {
        for study in all().unwrap() {
            for table in &study.tables {
                let (numbers, run) = Tabled::of(&study, table, &[]);
                assert_eq!(
                    (numbers.is_empty(), run.is_none()),
                    (table.here.is_none(), true),
                    "{} {}",
                    study.name,
                    table.id
                );
                assert!(numbers.iter().all(|number| number.here.is_none()));
            }
        }
    }
}
