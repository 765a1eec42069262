//! The layout of every text table: which columns there is room for, how wide each is, and the lines that its rows make.
//!
//! A column is as wide as its widest text, within its own limits. Where the table is then too wide, its steps cut columns and
//! leave them out: the first step that fits is taken, else the last. Text from outside is escaped, and all is measured
//! in columns of the terminal.

use ciphermeter_core::escaped;

use crate::styled_line::{Style, StyledLine};
use ciphermeter_answer::words::{fit, left, right, width};

/// In a step, a column that keeps its width.
pub(crate) const UNCUT: usize = usize::MAX;

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub struct TableColumn {
    /// Whether its texts end below each other; otherwise they begin there.
    pub is_right: bool,
    /// The blanks before it, unless it is the first.
    pub gap: usize,
    /// It is never narrower, unless a step cuts it.
    pub least: usize,
    /// It is never wider.
    pub most: usize,
    /// It begins with its least width, whatever it holds, and takes what the others leave.
    pub fills: bool,
}

/// A column as wide as its texts, which begin below each other.
pub const LEFT: TableColumn = TableColumn { is_right: false, gap: 1, least: 0, most: UNCUT, fills: false };
/// A column as wide as its texts, which end below each other.
pub const RIGHT: TableColumn = TableColumn { is_right: true, ..LEFT };

/// What a cell holds.
#[derive(Debug, Clone)]
enum Content {
    Text(String),
    /// A name, and what follows it; the name is cut first.
    Named(String, String),
    /// A bar of this fraction of the column.
    Bar(Option<f64>),
}

#[derive(Debug, Clone)]
pub(crate) struct TableCell {
    content: Content,
    style: Style,
}

impl TableCell {
    pub(crate) fn new(text: impl AsRef<str>, style: Style) -> Self {
        Self { content: Content::Text(escaped(text.as_ref())), style }
    }

    /// A name, and what tells cells apart where the name is cut.
    pub(crate) fn named(name: &str, rest: &str, style: Style) -> Self {
        Self { content: Content::Named(escaped(name), escaped(rest)), style }
    }

    pub(crate) fn bar(fraction: Option<f64>, style: Style) -> Self {
        Self { content: Content::Bar(fraction), style }
    }

    fn width(&self) -> usize {
        match &self.content {
            Content::Text(text) => width(text),
            // In columns that fill.
            Content::Named(..) | Content::Bar(_) => 0,
        }
    }

    /// Its text, of about so many columns.
    fn text(&self, columns: usize) -> String {
        match &self.content {
            Content::Text(text) => text.clone(),
            Content::Named(name, rest) => {
                let room = columns.saturating_sub(1 + width(rest)).max(4);
                format!("{} {rest}", fit(name, room))
            }
            Content::Bar(fraction) => bar(*fraction, columns),
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) enum TableRow {
    /// A cell for each column.
    Cells(Vec<TableCell>),
    /// A heading, and the columns' titles behind it where that leaves them room, else below.
    Titles(String, Vec<TableCell>),
    /// A line across all columns.
    Line(StyledLine),
}

impl TableRow {
    pub(crate) fn plain<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::Cells(texts.into_iter().map(|text| TableCell::new(text, Style::Plain)).collect())
    }

    pub(crate) fn titles<T: AsRef<str>>(heading: &str, titles: impl IntoIterator<Item = T>) -> Self {
        Self::Titles(heading.into(), titles.into_iter().map(|title| TableCell::new(title, Style::Dim)).collect())
    }

    fn cells(&self) -> &[TableCell] {
        match self {
            Self::Cells(cells) | Self::Titles(_, cells) => cells,
            Self::Line(_) => &[],
        }
    }
}

/// A table's columns with their widths, 0: left out; and the room that there is.
#[derive(Debug)]
pub(crate) struct TableLayout {
    columns: Vec<(TableColumn, usize)>,
    most: usize,
}

impl TableLayout {
    /// The layout of rows within `most` columns. A step has a limit for each column.
    pub(crate) fn plan(columns: &[TableColumn], steps: &[Vec<usize>], rows: &[TableRow], most: usize) -> Self {
        let mut widest = vec![0; columns.len()];
        for row in rows {
            widest.iter_mut().zip(row.cells()).for_each(|(widest, cell)| *widest = cell.width().max(*widest));
        }
        let wished = |(column, widest): (&TableColumn, &usize)| match column.fills {
            true => (*column, column.least),
            false => (*column, (*widest).clamp(column.least, column.most)),
        };
        let uncut = Self { columns: columns.iter().zip(&widest).map(wished).collect(), most };
        let mut cut = steps.iter().map(|step| uncut.cut(step));
        let last = steps.last().map(|step| uncut.cut(step));
        let mut layout = cut.find(|layout| layout.width() <= most).or(last).unwrap_or(uncut);
        let rest = most.saturating_sub(layout.width());
        if let Some((column, width)) = layout.columns.iter_mut().find(|(column, width)| column.fills && *width > 0) {
            *width = (*width + rest).min(column.most);
        }
        layout
    }

    fn cut(&self, step: &[usize]) -> Self {
        let columns = self.columns.iter().zip(step).map(|((column, width), most)| (*column, *width.min(most)));
        Self { columns: columns.collect(), ..*self }
    }

    fn width(&self) -> usize {
        let shown = self.columns.iter().filter(|(_, width)| *width > 0);
        let gap = shown.clone().next().map_or(0, |(first, _)| first.gap);
        shown.map(|(column, width)| column.gap + width).sum::<usize>() - gap
    }

    /// Whether there is room for a column.
    pub(crate) fn shows(&self, place: usize) -> bool {
        self.columns[place].1 > 0
    }

    pub(crate) fn lines(&self, rows: &[TableRow]) -> Vec<StyledLine> {
        let lines = |row: &TableRow| match row {
            TableRow::Cells(cells) => vec![self.line(cells)],
            TableRow::Titles(heading, titles) => self.titled(heading, titles),
            TableRow::Line(line) => vec![line.clone()],
        };
        rows.iter().flat_map(lines).collect()
    }

    fn line(&self, cells: &[TableCell]) -> StyledLine {
        let mut line = StyledLine::default();
        let shown = cells.iter().zip(&self.columns).filter(|(_, (_, width))| *width > 0);
        for (place, (cell, (column, width))) in shown.enumerate() {
            let (gap, text) = (if place > 0 { column.gap } else { 0 }, cell.text(*width));
            let text = if column.is_right { right(&text, *width) } else { left(&text, *width) };
            line.add(" ".repeat(gap) + &text, cell.style);
        }
        line
    }

    fn titled(&self, heading: &str, titles: &[TableCell]) -> Vec<StyledLine> {
        let titles = self.line(titles);
        let text = titles.text(UNCUT, false);
        let titles_alone = text.trim_start();
        let room = width(&text) - width(titles_alone);
        if width(heading) >= room {
            let above = StyledLine::wrapped(heading, self.most, 2, Style::Bold);
            return above.into_iter().filter(|_| !heading.is_empty()).chain([titles]).collect();
        }
        let mut line = StyledLine::new(left(heading, room), Style::Bold);
        line.add(titles_alone, Style::Dim);
        vec![line]
    }
}

/// A table with a title for each column, as text of whatever width it needs, each line ended by a newline.
pub fn plain_table<const N: usize>(
    columns: [(&str, TableColumn); N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let titles = TableRow::titles("", columns.map(|(title, _)| title));
    let rows: Vec<TableRow> = std::iter::once(titles).chain(rows.into_iter().map(TableRow::plain)).collect();
    let layout = TableLayout::plan(&columns.map(|(_, column)| column), &[], &rows, UNCUT);
    layout.lines(&rows).iter().map(|line| line.text(UNCUT, false) + "\n").collect()
}

/// A bar of eighth blocks, at least one of them.
fn bar(fraction: Option<f64>, columns: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let Some(fraction) = fraction.filter(|fraction| fraction.is_finite()) else { return String::new() };
    let eighths = ((fraction.clamp(0.0, 1.0) * columns as f64 * 8.0).round() as usize).max(1);
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(layout: &TableLayout, rows: &[TableRow]) -> Vec<String> {
        layout.lines(rows).iter().map(|line| line.text(UNCUT, false)).collect()
    }

    fn row(name: &str, figure: &str) -> TableRow {
        let [name, figure] = [name, figure].map(|text| TableCell::new(text, Style::Plain));
        TableRow::Cells(vec![name, figure, TableCell::bar(Some(0.5), Style::Green)])
    }

    #[test]
    fn steps_cut_and_leave_out() {
        let columns = [LEFT, RIGHT, TableColumn { least: 2, most: 10, fills: true, ..LEFT }];
        let steps = [vec![UNCUT, UNCUT, UNCUT], vec![6, UNCUT, UNCUT], vec![6, UNCUT, 0], vec![6, 0, 0]];
        let rows = [TableRow::titles("heading", ["", "ns", ""]), row("provider", "1234"), row("漢字\n", "5")];
        let at = |most| texts(&TableLayout::plan(&columns, &steps, &rows, most), &rows);
        assert_eq!(at(40), ["heading    ns", "provider 1234 █████", "漢字\\n      5 █████"]);
        assert_eq!(at(16), ["heading    ns", "provider 1234 █", "漢字\\n      5 █"]);
        assert_eq!(at(14), ["heading  ns", "provi… 1234 █", "漢字\\n    5 █"]);
        assert_eq!(at(11), ["heading  ns", "provi… 1234", "漢字\\n    5"]);
        assert_eq!(at(3), ["he…", "", "provi…", "漢字\\n"]);
    }

    #[test]
    fn headings_stand_above_titles_without_room_for_both() {
        let rows = [TableRow::titles("a long heading", ["", "ns"]), row("provider", "1234")];
        let layout = TableLayout::plan(&[LEFT, TableColumn { gap: 2, ..RIGHT }], &[], &rows, 80);
        assert_eq!(texts(&layout, &rows), ["a long heading", "            ns", "provider  1234"]);
        let titles = TableRow::titles("", ["name", "ns"]);
        assert_eq!(texts(&layout, &[titles]), ["name        ns"]);
    }

    #[test]
    fn headings_wider_than_the_terminal_are_wrapped() {
        let rows = [TableRow::titles("a heading that is long", ["", "ns"]), row("provider", "1234")];
        let layout = TableLayout::plan(&[LEFT, TableColumn { gap: 2, ..RIGHT }], &[], &rows, 16);
        assert_eq!(texts(&layout, &rows)[..2], ["a heading that", "  is long"]);
    }

    #[test]
    fn names_are_cut_before_what_tells_cells_apart() {
        let cell = TableCell::named("provider", "gcm", Style::Plain);
        assert_eq!([4, 9, 99].map(|columns| cell.text(columns)), ["pro… gcm", "prov… gcm", "provider gcm"]);
    }

    #[test]
    fn bars_have_eighths() {
        assert_eq!(bar(Some(1.0), 3), "███");
        assert_eq!(bar(Some(0.5), 3), "█▌");
        assert_eq!(bar(Some(0.0001), 3), "▏");
        assert_eq!(bar(Some(7.0), 3), "███");
        assert_eq!(bar(Some(f64::NAN), 3), "");
        assert_eq!(bar(None, 3), "");
    }
}
