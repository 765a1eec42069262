//! A published table.

use ciphermeter_core::Bytes;
use serde::Deserialize;

use crate::number::Printed;
use crate::question::Pick;

/// A table of a study, with the columns that claims and checks need.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Its name within the study.
    pub id: String,
    /// Where it stands in the paper: `Table II`, `section 4.1`.
    pub source: String,
    /// What it is about, in a few words.
    pub title: String,
    /// What the rows are called; the first column.
    pub rows_are: String,
    /// The other columns.
    pub columns: Vec<Column>,
    /// A name and a number for each column; `-` where the paper has none.
    pub rows: Vec<Vec<String>>,
    /// What of this machine stands beside its numbers, in the columns that name their cells.
    #[serde(default)]
    pub here: Option<Beside>,
}

/// What stands beside a table's numbers.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Beside {
    /// The scenario that measures it; a measure of the study has it.
    pub scenario: String,
    /// What of its cells.
    pub quantity: Quantity,
    /// How many nanoseconds, or bytes, the table's unit has.
    pub unit: f64,
    /// The size of each row's messages.
    pub messages: Vec<Bytes>,
}

/// What of a cell stands beside a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Of a call.
    Time,
    /// The most that was allocated at once.
    PeakMemory,
}

/// A column of numbers.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Its name within the table.
    pub id: String,
    /// Its heading.
    pub name: String,
    /// The unit as printed; empty for counts and ratios.
    #[serde(default)]
    pub unit: String,
    /// Whether more is better, as of a throughput: the ratio of what two sides need is the inverse.
    #[serde(default, rename = "rate")]
    pub is_rate: bool,
    /// Its cells here, sizes aside.
    #[serde(default)]
    pub here: Option<Pick>,
}

/// What stands where the paper has no number.
const NONE: &str = "-";

impl Table {
    /// What is wrong with it, if anything.
    pub(crate) fn error(&self) -> Option<String> {
        for (number, row) in self.rows.iter().enumerate() {
            let [name, cells @ ..] = &row[..] else { return Some("a row without cells".into()) };
            if self.names().take(number).any(|before| before == name) {
                return Some(format!("there are two rows `{name}`"));
            }
            if cells.len() != self.columns.len() {
                return Some(format!("row `{name}` has {} numbers for {} columns", cells.len(), self.columns.len()));
            }
            if let Some(cell) = cells.iter().find(|cell| *cell != NONE && Printed::parse(cell).is_none()) {
                return Some(format!("`{cell}` in row `{name}` is no plain number"));
            }
        }
        let beside = self.here.as_ref()?;
        let is_above_0 = beside.unit.is_finite() && beside.unit > 0.0;
        match (is_above_0, beside.messages.len() == self.rows.len()) {
            (false, _) => Some("its `here` has no unit above 0".into()),
            (_, false) => Some(format!("its `here` has {} sizes for {} rows", beside.messages.len(), self.rows.len())),
            _ => None,
        }
    }

    /// The most places behind the point in a column.
    pub(crate) fn places(&self, column: usize) -> usize {
        (0..self.rows.len()).filter_map(|row| self.number(row, column)).map(|number| number.places()).max().unwrap_or(0)
    }

    /// The place of a column, by its id.
    pub(crate) fn column(&self, id: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.id == id)
    }

    /// The names of the rows.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().filter_map(|row| row.first().map(String::as_str))
    }

    /// A number; `None` where the paper has none.
    pub fn number(&self, row: usize, column: usize) -> Option<Printed> {
        Printed::parse(self.rows.get(row)?.get(column + 1)?)
    }
}
