//! Ratios that a study's printed numbers give: two cells of its tables, and beside which pairs measured here the ratio stands.

use ciphermeter_core::Bytes;
use serde::Deserialize;

use crate::question::{Expectation, Pick, Question};
use crate::table::Table;

/// A ratio that follows from two printed numbers.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// What it is the ratio of, as the study names it: `10 MB`.
    pub what: String,
    /// The table's id.
    pub table: String,
    /// Row and column of the left side's number.
    pub left: (String, String),
    /// Row and column of the right side's number.
    pub right: (String, String),
    /// The pairs that it stands beside, those whose cells are both so; absent: nothing here is measured like it.
    #[serde(default)]
    pub here: Option<Pick>,
}

/// What printed digits allow of a ratio: what the right one needs ÷ what the left one needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrintedRatio {
    /// Of the numbers as printed.
    pub mid: f64,
    /// The least and the greatest that they stand for.
    pub range: (f64, f64),
}

/// How far a stated ratio may be off what its cells print, as a share: it is rounded itself.
const STATED: f64 = 0.02;

impl Published {
    /// The ratio; an error says which cell is not there.
    pub(crate) fn ratio(&self, tables: &[Table]) -> Result<PrintedRatio, String> {
        let table = tables.iter().find(|table| table.id == self.table);
        let table = table.ok_or_else(|| format!("there is no table `{}`", self.table))?;
        let number = |(row, column): &(String, String)| {
            let missing = || format!("table `{}` has no number in row `{row}`, column `{column}`", self.table);
            let place = table.column(column).ok_or_else(missing)?;
            let row = table.names().position(|name| name == row).ok_or_else(missing)?;
            let printed = table.number(row, place).ok_or_else(missing)?;
            Ok::<_, String>((printed, &table.columns[place]))
        };
        let ((left, left_column), (right, right_column)) = (number(&self.left)?, number(&self.right)?);
        if left.range().0 <= 0.0 || right.range().0 <= 0.0 {
            return Err("a number that rounds to 0 or less gives no ratio".into());
        }
        if left_column.unit != right_column.unit || left_column.is_rate != right_column.is_rate {
            return Err("its two numbers have different units".into());
        }
        // A rate is the inverse of what a byte needs.
        let (over, under) = if left_column.is_rate { (left, right) } else { (right, left) };
        let range = (over.range().0 / under.range().1, over.range().1 / under.range().0);
        Ok(PrintedRatio { mid: over.value() / under.value(), range })
    }

    /// Its numbers as printed, in the order in which they are divided, and their unit: `0.011`, `0.00401`, `s`.
    pub(crate) fn numbers<'a>(&self, tables: &'a [Table]) -> Option<(&'a str, &'a str, &'a str)> {
        let table = tables.iter().find(|table| table.id == self.table)?;
        let cell = |(row, column): &(String, String)| {
            let place = table.column(column)?;
            let row = table.rows.iter().find(|cells| cells.first() == Some(row))?;
            Some((row.get(place + 1)?.as_str(), &table.columns[place]))
        };
        let ((left, column), (right, _)) = (cell(&self.left)?, cell(&self.right)?);
        let (over, under) = if column.is_rate { (left, right) } else { (right, left) };
        Some((over, under, &column.unit))
    }

    /// What is wrong with it in a claim, if anything. `sizes` are those of the measure that decides the claim, if it names any.
    pub(crate) fn error(&self, tables: &[Table], question: Option<Question<'_>>, sizes: &[Bytes]) -> Option<String> {
        let ratio = match self.ratio(tables) {
            Ok(ratio) => ratio,
            Err(why) => return Some(why),
        };
        let stated = question.and_then(|question| question.expect.published());
        let is_stated =
            |stated: f64| ratio.range.0 * (1.0 - STATED) <= stated && stated <= ratio.range.1 * (1.0 + STATED);
        if let Some(stated) = stated.filter(|stated| !is_stated(*stated)) {
            let (low, high) = ratio.range;
            return Some(format!("from {low:.3} to {high:.3} follows from its cells, not {stated:?}"));
        }
        let Some(here) = &self.here else { return None };
        let Some(question) = question else { return Some("the claim names no records to set it beside".into()) };
        let of_sides =
            |size: &Bytes| [question.left, question.right].iter().all(|pick| sizes_of(pick, sizes).contains(size));
        if let Some(size) = here.messages.iter().find(|size| !of_sides(size)) {
            return Some(format!("no pair of the claim has messages of {size}: name that size in left and right"));
        }
        if ![question.left, question.right].iter().all(|pick| here.agrees(pick)) {
            return Some("no pair of the claim is like its `here`".into());
        }
        let has_several = |pick: &&Pick| sizes_of(pick, sizes).len() > 1;
        let is_guessed = here.messages.is_empty() && [question.left, question.right].iter().any(has_several);
        is_guessed.then(|| "the claim has several sizes: say in `here` which it stands beside".into())
    }
}

/// The sizes of a side of a claim: its own, or those that are measured. Without any list, nobody knows here what a scenario has.
fn sizes_of<'a>(pick: &'a Pick, measured: &'a [Bytes]) -> &'a [Bytes] {
    if pick.messages.is_empty() { measured } else { &pick.messages }
}

impl PrintedRatio {
    /// Whether no number that the digits stand for supports the claim.
    pub fn contradicts(self, expect: Expectation) -> bool {
        let (least, most) = expect.bounds();
        self.range.1 < least || self.range.0 > most
    }
}
