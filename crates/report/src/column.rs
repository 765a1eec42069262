//! CSV by columns: each is one line with its name, what it means, and its value in a row.

use std::io::{self, Write};

use ciphermeter_core::{Run, spreadsheet_safe};
use csv::Writer;

use crate::other_metrics::other_metrics;

/// A column of rows of a type `R`.
pub(crate) struct Column<R: ?Sized> {
    pub(crate) name: &'static str,
    /// What it means, with its unit, for docs/columns.md.
    pub(crate) doc: &'static str,
    pub(crate) value: fn(&R) -> String,
}

/// Columns that only some runs have, behind the others.
pub(crate) struct Further<R: ?Sized> {
    pub(crate) names: Vec<String>,
    /// The values of a row, as many as there are names.
    pub(crate) values: fn(&R) -> Vec<String>,
}

impl<R: ?Sized> Further<R> {
    pub(crate) const NONE: Self = Self { names: Vec::new(), values: |_| Vec::new() };

    /// The metrics of a run that this build does not know.
    pub(crate) fn metrics(run: &Run, values: fn(&R) -> Vec<String>) -> Self {
        Self { names: other_metrics(run).map(|metric| format!("metric_{}", metric.name())).collect(), values }
    }
}

/// Writes a header and the rows.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write<R>(
    out: impl Write,
    columns: &[Column<R>],
    further: &Further<R>,
    rows: impl Iterator<Item = R>,
) -> io::Result<()> {
    let mut writer = Writer::from_writer(out);
    let names = columns.iter().map(|column| column.name).chain(further.names.iter().map(String::as_str));
    writer.write_record(names).map_err(unwrapped)?;
    for row in rows {
        let values =
            columns.iter().map(|column| (column.value)(&row)).chain((further.values)(&row)).map(spreadsheet_safe);
        writer.write_record(values).map_err(unwrapped)?;
    }
    writer.flush()
}

/// The columns as a table in Markdown.
pub(crate) fn documented<R>(columns: &[Column<R>]) -> String {
    let line = |column: &Column<R>| format!("| `{}` | {} |\n", column.name, column.doc);
    format!("| column | meaning |\n| --- | --- |\n{}", columns.iter().map(line).collect::<String>())
}

/// The error beneath, so that a caller who asks for its kind still finds a closed pipe.
fn unwrapped(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}
