//! What moved on a machine: looked for when a run has come, kept, and listed with what people note about it.

mod find;
mod notes;

use anyhow::Result;
use serde::Serialize;
use sqlx::any::AnyRow;
use sqlx::{FromRow, Row};
use utoipa::ToSchema;

use crate::conditions::Conditions;
use crate::database::Database;

pub use find::look;
pub use notes::{MOST_OF_MACHINE, Note, NoteKind};

/// A run, `own`, and those that it is compared with, itself among them.
pub const FAMILY: &str = "run AS own JOIN run AS other ON other.machine = own.machine AND other.scenario = own.scenario \
                          AND other.identity = own.identity";
/// Rows of one list.
pub const MOST: i64 = 5000;

/// A cell that moved.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Moved {
    /// The machine's name.
    pub machine: String,
    /// The scenario's name.
    pub scenario: String,
    /// The first run after it.
    pub run: String,
    /// When that began.
    pub started: String,
    /// The last run before it.
    pub before: String,
    /// The cell.
    pub cell: String,
    /// The cell that its time is divided by.
    pub reference: String,
    /// Time after ÷ time before, both to the reference: estimate, lower and upper end of its 95 % interval.
    pub change: [f64; 3],
    /// Standard errors that it is away from no change.
    pub errors: f64,
    /// Runs that show the level after it; with one, it has to be confirmed.
    pub runs: i64,
    /// `method`, `library`, `machine` or `unexplained`.
    pub cause: String,
    /// That in words.
    pub reason: String,
}

impl FromRow<'_, AnyRow> for Moved {
    fn from_row(row: &AnyRow) -> sqlx::Result<Self> {
        Ok(Self {
            machine: row.try_get("machine")?,
            scenario: row.try_get("scenario")?,
            run: row.try_get("run")?,
            started: row.try_get("started")?,
            before: row.try_get("before")?,
            cell: row.try_get("cell")?,
            reference: row.try_get("reference")?,
            change: [row.try_get("change")?, row.try_get("change_low")?, row.try_get("change_high")?],
            errors: row.try_get("errors")?,
            runs: row.try_get("runs")?,
            cause: row.try_get("cause")?,
            reason: row.try_get("reason")?,
        })
    }
}

impl Database {
    /// Machines with runs of several CPUs, microcodes or hypervisors, which are not compared with each other.
    pub async fn several(&self) -> Result<Vec<String>> {
        let rows = sqlx::query_scalar(
            "SELECT machine FROM run WHERE identity <> '' GROUP BY machine HAVING COUNT(DISTINCT identity) > 1",
        );
        let mut machines: Vec<String> = rows.fetch_all(&self.pool).await?;
        machines.sort();
        Ok(machines)
    }

    /// What moved, the latest first, and at one moment the surest first: of one machine, of one cell, or all.
    pub async fn moved(&self, machine: Option<&str>, cell: Option<&str>) -> Result<Vec<Moved>> {
        let select = "SELECT machine, scenario, movement.run AS run, started, before, cell, reference, change, change_low, \
                      change_high, errors, runs, cause, reason FROM movement JOIN run ON run.digest = movement.run";
        let conditions = Conditions::default().equal("machine", machine).equal("cell", cell);
        let order = format!("ORDER BY started DESC, movement.run, errors DESC, cell LIMIT {MOST}");
        conditions.rows(select, &order, &self.pool).await
    }
}
