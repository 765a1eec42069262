//! The numbers of a table that a study's claims rest on, or that have cells of their own, and which records stand beside each.

use ciphermeter_core::{Bytes, Record};

use crate::measured::{Judged, Measured};
use crate::question::{Expectation, Pick, Way};
use crate::run::MeasuredRun;
use crate::table::Table;
use crate::tabled::run_beside;

/// A number of a table.
pub(crate) struct Cited<'a> {
    pub(crate) row: usize,
    pub(crate) column: usize,
    /// The cells that are like it.
    pub(crate) pick: Option<Pick>,
    /// All sizes of them.
    messages: Vec<Bytes>,
    /// Whether the file says that they stand beside this very number.
    pub(crate) is_beside: bool,
    run: Option<&'a MeasuredRun>,
    /// What its claim takes that few machines have.
    pub(crate) needs: Option<&'a str>,
}

impl<'a> Cited<'a> {
    /// All of a table.
    pub(crate) fn of(measured: &'a Measured<'a>, table: &Table, judged: &[Judged<'a>]) -> Vec<Self> {
        let mut all: Vec<Self> = judged.iter().flat_map(|judged| Self::by(measured, judged, table)).collect();
        let Some(beside) = &table.here else { return all };
        let run = run_beside(measured.study, table, &measured.runs);
        for (column, pick) in table.columns.iter().enumerate().filter_map(|(at, one)| Some((at, one.here.as_ref()?))) {
            let sized = |size| Some(Pick { messages: vec![size], ..pick.clone() });
            let messages = &beside.messages;
            let number = |(row, size)| {
                let (pick, messages) = (sized(size), messages.clone());
                Self { row, column, pick, messages, is_beside: true, run, needs: None }
            };
            all.extend(beside.messages.iter().copied().enumerate().map(number));
        }
        all
    }

    /// Those of a claim.
    fn by(measured: &'a Measured<'a>, judged: &Judged<'a>, table: &Table) -> Vec<Self> {
        let claim = judged.claim;
        // What few machines have may be lacking on one side alone.
        let run = judged.as_published.run.or_else(|| measured.runs_of(claim, Way::AsPublished).first());
        // Beside a fall stands no single value.
        let is_of_values = !matches!(claim.expect, Some(Expectation::Falls { .. }));
        let mut all = Vec::new();
        for published in claim.published.iter().filter(|published| published.table == table.id) {
            for ((row, column), side) in [(&published.left, &claim.left), (&published.right, &claim.right)] {
                let row = table.names().position(|name| name == row);
                let Some((row, column)) = row.zip(table.column(column)) else { continue };
                let beside = |pick: &Pick| published.here.as_ref().map_or(pick.clone(), |here| pick.beside(here));
                all.push(Self {
                    row,
                    column,
                    pick: side.as_ref().filter(|_| is_of_values).map(beside),
                    messages: side.as_ref().map_or(Vec::new(), |pick| pick.messages.clone()),
                    is_beside: published.here.is_some(),
                    run,
                    needs: claim.needs.as_deref(),
                });
            }
        }
        all
    }

    /// The size of the one message that stands beside it.
    pub(crate) fn size(&self) -> Option<u64> {
        match &self.pick.as_ref()?.messages[..] {
            [one] if self.is_beside => Some(one.0),
            _ => None,
        }
    }

    /// The records that are like it, of its size or of all, and their run.
    pub(crate) fn records(&self, of_all_sizes: bool) -> Option<(&'a MeasuredRun, Vec<&'a Record>)> {
        let (pick, run) = (self.pick.as_ref()?, self.run?);
        let messages = if of_all_sizes { &self.messages } else { &pick.messages };
        let pick = Pick { messages: messages.clone(), ..pick.clone() };
        Some((run, run.records.iter().filter(|record| pick.takes(record)).collect()))
    }
}
