//! Queries, each within the limits of one statement.

use std::ops::ControlFlow;

use rusqlite::Row;

use crate::bounds::Weight;
use crate::column::Checked;
use crate::{Result, Store};

impl Store {
    /// Runs a query; an unreadable row is returned with its reason, so that the caller can name its place.
    pub(crate) fn rows<T>(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        read: impl Fn(&Row) -> Checked<T>,
    ) -> Result<Vec<Checked<T>>> {
        let mut all = Vec::new();
        self.each(sql, parameters, |row| {
            all.push(read(row));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(all)
    }

    /// Runs a query, row by row until `read` breaks off, within the limits of one statement.
    pub(crate) fn each(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        mut read: impl FnMut(&Row) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let mut statement = self.sql(self.connection.prepare(sql))?;
        let mut rows = self.step(statement.query(parameters))?;
        let mut weight = Weight::default();
        while let Some(row) = self.step(rows.next())? {
            if !self.step(weight.add(row))? {
                return Err(self.damaged("it has more to read than a year of runs".into()));
            }
            if read(row)?.is_break() {
                break;
            }
        }
        self.sql(Ok(()))
    }
}
