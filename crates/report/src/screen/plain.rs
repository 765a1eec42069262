//! Cells that answer no question, fastest first: a row each.

use ciphermeter_core::{Operation, Record};

use super::rate::{rate_in, unit};
use crate::layout::{LEFT, RIGHT, TableColumn, TableLayout, TableRow};
use crate::styled_line::StyledLine;
use ciphermeter_answer::group::standings;
use ciphermeter_answer::measured::has_enough_forks;
use ciphermeter_answer::rate::rate;
use ciphermeter_answer::words::{duration, heading};

/// At most so many rows; nothing where nothing was measured.
pub(crate) fn table(records: &[Record], most_rows: usize, width: usize) -> Vec<StyledLine> {
    let moves_files = records.iter().any(|record| record.cell.operation == Operation::Transfer);
    let mut rows = vec![TableRow::titles("", ["", unit(moves_files), "a call"])];
    for standing in standings(records) {
        for entry in standing.entries {
            let cell = &entry.record.cell;
            let name = format!("{} by {}, {}", cell.algorithm.title(), cell.provider, heading(&standing.group));
            let settled = has_enough_forks(entry.record);
            let call = if settled { duration(entry.summary.range.mid) } else { "–".into() };
            let rate = rate_in(rate(entry.record).filter(|_| settled), moves_files);
            rows.push(TableRow::plain([name, rate, call]));
        }
    }
    if rows.len() < 2 {
        return Vec::new();
    }
    rows.truncate(1 + most_rows);
    let most = width.saturating_sub(24);
    let columns = [TableColumn { most, ..LEFT }, TableColumn { gap: 2, ..RIGHT }, TableColumn { gap: 2, ..RIGHT }];
    TableLayout::plan(&columns, &[], &rows, width).lines(&rows)
}
