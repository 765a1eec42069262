//! Rows of figures below a group's heading, in columns that have the same widths in all groups.

use crate::layout::{Line, Style};
use crate::text::{left, right, width};

/// Stands where nobody tells.
pub(crate) const ABSENT: &str = "–";
/// No figure is wider, nor a provider of our own that stands in a figure's place.
const WIDEST: usize = 11;

/// One cell's texts.
pub(crate) struct Row {
    pub(crate) algorithm: String,
    pub(crate) provider: String,
    /// By column; `None` where nobody tells, empty where there is nothing to tell.
    pub(crate) figures: Vec<Option<String>>,
    pub(crate) style: Style,
}

/// The cells of one group.
pub(crate) struct Block {
    pub(crate) heading: String,
    pub(crate) rows: Vec<Row>,
}

/// The columns' widths; as many columns as there is room for.
pub(crate) struct Grid<'a> {
    columns: Vec<&'a str>,
    algorithm: usize,
    provider: usize,
    figures: Vec<usize>,
}

impl<'a> Grid<'a> {
    /// The most that fits `most` columns of the screen: first providers' names are cut, then the last figures go.
    pub(crate) fn plan(rows: &[&Row], columns: Vec<&'a str>, most: usize) -> Self {
        let widest = |pick: &dyn Fn(&Row) -> &str| rows.iter().map(|row| width(pick(row))).max().unwrap_or(0);
        let figure = |(place, name): (usize, &&str)| {
            widest(&|row| row.figures[place].as_deref().unwrap_or(ABSENT)).max(width(name)).min(WIDEST)
        };
        let natural = |provider: usize, shown: usize| Self {
            algorithm: widest(&|row| &row.algorithm),
            provider: widest(&|row| &row.provider).min(provider),
            figures: columns.iter().enumerate().take(shown).map(figure).collect(),
            columns: columns.iter().take(shown).copied().collect(),
        };
        let all = columns.len();
        let cut = [24, 12, 11, 10, 8].map(|provider| natural(provider, all));
        let fewer = (1..all).rev().flat_map(|shown| [12, 8].map(|provider| natural(provider, shown)));
        let fits = |grid: &Self| grid.total() <= most;
        cut.into_iter().chain(fewer).find(fits).unwrap_or_else(|| natural(8, 1))
    }

    /// How many columns of figures there is room for.
    pub(crate) fn shown(&self) -> usize {
        self.figures.len()
    }

    fn total(&self) -> usize {
        self.algorithm + 1 + self.provider + self.figures.iter().map(|width| 1 + width).sum::<usize>()
    }

    /// The heading, with the columns' names beside it where there is room, and the rows.
    pub(crate) fn lines(&self, block: &Block) -> Vec<Line> {
        let room = self.algorithm + 1 + self.provider;
        let fits = width(&block.heading) <= room;
        let mut lines = Vec::new();
        if !fits {
            lines.push(Line::of(block.heading.as_str(), Style::Bold));
        }
        let mut header = Line::of(left(if fits { &block.heading } else { "" }, room), Style::Bold);
        self.add(&mut header, self.columns.iter().copied(), Style::Dim);
        lines.push(header);
        for row in &block.rows {
            let names = if row.style == Style::Green { Style::Plain } else { row.style };
            let mut line = Line::of(left(&row.algorithm, self.algorithm), names);
            line.add(" ", Style::Plain);
            line.add(left(&row.provider, self.provider), names);
            self.add(&mut line, row.figures.iter().map(|figure| figure.as_deref().unwrap_or(ABSENT)), row.style);
            lines.push(line);
        }
        lines
    }

    fn add<'t>(&self, line: &mut Line, figures: impl Iterator<Item = &'t str>, style: Style) {
        for (figure, width) in figures.zip(&self.figures) {
            line.add(format!(" {}", right(figure, *width)), style);
        }
    }
}
