//! A study's figures as values: the numbers of its tables that its claims rest on, and what was measured here beside each.
//!
//! Promises: a table says by itself which figure it makes: over an axis of sizes where each row has one, else a bar for each number,
//! and one figure for each kind of unit. A column is drawn if a claim's `published` or its own `here` names it; the others are there for
//! checks. Published numbers and ours are in one unit; what is not measured is absent, with the reason.

use ciphermeter_core::{Record, escaped};

use crate::cited::Cited;
use crate::measured::Measured;
use crate::run::MeasuredRun;
use crate::table::Table;
use crate::unit::{Amount, sized};
use crate::words::several;

/// A figure of a study.
pub struct StudyFigure<'a> {
    /// A name for its file: that of its table, and of its column where the table has several figures.
    pub name: String,
    /// The table.
    pub table: &'a Table,
    /// What its values are.
    pub amount: Amount<'a>,
    /// Whether its values lie over an axis of sizes, rather than in a bar each.
    pub is_by_size: bool,
    /// The published ones first.
    pub values: Vec<Value<'a>>,
    /// The runs that ours are of, each with the records that are drawn.
    pub runs: Vec<(&'a MeasuredRun, Vec<&'a Record>)>,
    /// Why none is ours, and what to do, if so.
    pub lacks: Option<String>,
}

/// A value of a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Value<'a> {
    /// The panel of a line; empty where there is one.
    pub panel: &'a str,
    /// The line, or what the bar is one of.
    pub series: &'a str,
    /// The place of that among all.
    pub place: usize,
    /// The name of a bar.
    pub label: String,
    /// The size in bytes, along that axis.
    pub size: Option<u64>,
    /// Whether it was published, rather than measured here.
    pub is_published: bool,
    /// The value.
    pub mid: f64,
    /// Of samples, the range in which 90 % lay; of memory, that of the processes.
    pub range: Option<(f64, f64)>,
}

impl<'a> Measured<'a> {
    /// All figures, in the order of the tables.
    pub fn figures(&'a self) -> Vec<StudyFigure<'a>> {
        let judged = self.judged();
        let of_table = |table| {
            let cited = Cited::of(self, table, &judged);
            kinds(table, &cited).into_iter().map(|kind| self.figure(kind, &cited)).collect::<Vec<_>>()
        };
        self.study.tables.iter().flat_map(of_table).collect()
    }

    fn figure(&self, Kind { name, table, amount, columns }: Kind<'a>, cited: &[Cited<'a>]) -> StudyFigure<'a> {
        let mut cited: Vec<&Cited> = cited.iter().filter(|one| columns.contains(&one.column)).collect();
        cited.sort_by_key(|one| (one.row, one.column));
        let layout = Layout::of(table, columns, &cited);
        let mut values = layout.published();
        let mut runs: Vec<(&MeasuredRun, Vec<&Record>)> = Vec::new();
        for one in &cited {
            let Some((run, records)) = one.records(layout.is_by_size) else { continue };
            let is_only = records.len() == 1;
            for record in records {
                let Some(value) = layout.measured(one, record, is_only, amount) else { continue };
                // Several claims name it, or, over sizes, several cells are like it: the first stands for them.
                if values.iter().any(|known| layout.is_same(known, &value)) {
                    continue;
                }
                values.push(value);
                match runs.iter_mut().find(|(known, _)| known.run.id == run.run.id) {
                    Some((_, records)) => records.push(record),
                    None => runs.push((run, vec![record])),
                }
            }
        }
        let lacks = runs.is_empty().then(|| self.lacks(amount, &cited));
        StudyFigure { name, table, amount, is_by_size: layout.is_by_size, values, runs, lacks }
    }

    /// Why nothing of ours stands beside a table.
    fn lacks(&self, amount: Amount<'_>, cited: &[&Cited<'_>]) -> String {
        let is_measurable = |one: &&&Cited| one.pick.is_some() && !matches!(amount, Amount::Printed(..));
        let needs: Vec<_> = cited.iter().filter(is_measurable).map(|one| one.needs).collect();
        let ran = cited.iter().filter_map(|one| one.records(true)).find(|(_, records)| !records.is_empty());
        match (needs.first(), needs.iter().flatten().next(), ran) {
            (None, ..) => "Nothing is measured beside it.".into(),
            (_, _, Some((MeasuredRun { run, .. }, _))) => {
                let show = run.command(&format!("show {} --all", run.id));
                format!("Run {} has no figure of it; `{show}` says why.", run.id)
            }
            (_, Some(needs_it), None) if !needs.contains(&None) => {
                format!("Not measured here: it needs {}.", escaped(needs_it))
            }
            _ => format!("Not measured here yet: {}", self.command(&format!("study run {}", self.study.typed()))),
        }
    }
}

/// Columns of a table whose numbers share an axis.
struct Kind<'a> {
    name: String,
    table: &'a Table,
    amount: Amount<'a>,
    columns: Vec<usize>,
}

fn kinds<'a>(table: &'a Table, cited: &[Cited<'_>]) -> Vec<Kind<'a>> {
    let mut kinds: Vec<Kind> = Vec::new();
    for (place, column) in table.columns.iter().enumerate() {
        if !cited.iter().any(|one| one.column == place) {
            continue;
        }
        let (amount, _) = Amount::of(table, column);
        match kinds.iter_mut().find(|kind| kind.amount == amount) {
            Some(kind) => kind.columns.push(place),
            None => {
                kinds.push(Kind { name: format!("{}-{}", table.id, column.id), table, amount, columns: vec![place] })
            }
        }
    }
    if let [only] = &mut kinds[..] {
        only.name.clone_from(&table.id);
    }
    kinds
}

/// How a table's rows and columns become panels, lines and bars.
struct Layout<'a> {
    table: &'a Table,
    columns: Vec<usize>,
    is_by_size: bool,
    /// Numbers beside which a file sets messages of a size.
    sizes: Vec<(usize, usize, u64)>,
}

impl<'a> Layout<'a> {
    fn of(table: &'a Table, columns: Vec<usize>, cited: &[&Cited<'_>]) -> Self {
        let sizes = cited.iter().filter_map(|one| Some((one.row, one.column, one.size()?))).collect();
        let mut layout = Self { table, columns, is_by_size: true, sizes };
        let mut all: Vec<Option<u64>> = layout.published().iter().map(|value| value.size).collect();
        all.sort_unstable();
        all.dedup();
        layout.is_by_size = all.len() > 1 && all.iter().all(Option::is_some);
        layout
    }

    fn published(&self) -> Vec<Value<'a>> {
        let numbers = (0..self.table.rows.len()).flat_map(|row| self.columns.iter().map(move |column| (row, *column)));
        let value = |(row, column)| {
            let (_, unit) = Amount::of(self.table, &self.table.columns[column]);
            let mid = self.table.number(row, column)?.value() * unit;
            let size = self.size(row, column).filter(|_| self.is_by_size);
            (mid > 0.0).then(|| Value { size, is_published: true, mid, ..self.place(row, column) })
        };
        numbers.filter_map(value).collect()
    }

    /// Where a record stands that is like a number, perhaps as the only one.
    fn measured(&self, cited: &Cited, record: &Record, is_only: bool, amount: Amount) -> Option<Value<'a>> {
        let range = amount.measured(record)?;
        let place = self.place(cited.row, cited.column);
        let label = match (cited.is_beside, is_only) {
            (true, true) => place.label.clone(),
            (true, false) => format!("{}: {}", place.label, several(&record.cell)),
            (false, _) => several(&record.cell),
        };
        let size = self.is_by_size.then(|| record.cell.parameters.message());
        Some(Value { label, size, mid: range.mid, range: Some((range.low, range.high)), ..place })
    }

    fn is_same(&self, one: &Value, other: &Value) -> bool {
        let place = |value: &Value| (value.is_published, value.size, value.panel.to_owned(), value.place);
        place(one) == place(other) && (self.is_by_size || one.label == other.label)
    }

    /// The size that a number is of: the one that its file sets beside it, else that of its row's name.
    fn size(&self, row: usize, column: usize) -> Option<u64> {
        let beside = self.sizes.iter().find(|(its_row, its_column, _)| (*its_row, *its_column) == (row, column));
        beside.map(|(.., size)| *size).or_else(|| Some(sized(self.name(row))?.1))
    }

    fn name(&self, row: usize) -> &'a str {
        self.table.names().nth(row).unwrap_or_default()
    }

    /// What a row is about, its size aside.
    fn about(&self, row: usize) -> &'a str {
        sized(self.name(row)).map_or(self.name(row), |(about, _)| about)
    }

    /// A number's place in the figure. Over sizes, a line is of a column, and rows about several things have a panel each; of a single
    /// column, a line is of what rows are about.
    fn place(&self, row: usize, column: usize) -> Value<'a> {
        let title = self.table.columns[column].name.as_str();
        let of_column = self.columns.iter().position(|one| *one == column).unwrap_or(0);
        let has_several = self.columns.len() > 1;
        let (panel, series, place) = match (self.is_by_size, has_several) {
            (true, true) => (self.about(row), title, of_column),
            (true, false) => {
                let is_first = |row: &usize| (0..*row).all(|before| self.about(before) != self.about(*row));
                let first = (0..row).find(|before| self.about(*before) == self.about(row)).unwrap_or(row);
                let place = (0..first).filter(is_first).count();
                ("", if self.about(row).is_empty() { title } else { self.about(row) }, place)
            }
            (false, true) => ("", title, of_column),
            (false, false) => ("", "", 0),
        };
        let label = if has_several { format!("{}, {title}", self.name(row)) } else { self.name(row).into() };
        Value { panel, series, place, label, size: None, is_published: false, mid: 0.0, range: None }
    }
}

#[cfg(test)]
mod tests;
