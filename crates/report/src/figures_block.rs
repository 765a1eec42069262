//! Rows of figures below a group's heading, in columns that have the same widths in all groups.

use crate::layout::{LEFT, RIGHT, TableCell, TableColumn, TableLayout, TableRow, UNCUT};
use crate::legend::Legend;
use crate::styled_line::{Style, StyledLine};

/// Stands where a figure isn't known.
pub(crate) const ABSENT: &str = "–";
/// No figure is wider, nor a provider of our own that stands in a figure's place.
const WIDEST: usize = 11;
/// Of the figures, the first are worth more than whole names.
const LEAST: usize = 2;
/// The columns in front of the figures: algorithm and provider.
const NAMES: usize = 2;

pub(crate) struct CellFigures {
    pub(crate) algorithm: String,
    pub(crate) provider: String,
    /// By column; `None` where it isn't known, empty where there is none to know.
    pub(crate) figures: Vec<Option<String>>,
    pub(crate) style: Style,
}

pub(crate) struct FiguresBlock {
    pub(crate) heading: String,
    pub(crate) cells: Vec<CellFigures>,
}

impl FiguresBlock {
    fn rows(&self, columns: &[(&str, &str)]) -> Vec<TableRow> {
        let titles = [""; NAMES].into_iter().chain(columns.iter().map(|(title, _)| *title));
        // What has no heading belongs to the block before it.
        let blank = (!self.heading.is_empty()).then(|| TableRow::Line(StyledLine::default()));
        let mut rows: Vec<TableRow> = blank.into_iter().chain([TableRow::titles(&self.heading, titles)]).collect();
        rows.extend(self.cells.iter().map(CellFigures::row));
        rows
    }
}

impl CellFigures {
    fn row(&self) -> TableRow {
        let names = if self.style == Style::Green { Style::Plain } else { self.style };
        let names = [&self.algorithm, &self.provider].map(|name| TableCell::new(name, names));
        let figures = self.figures.iter().map(|figure| figure.as_deref().unwrap_or(ABSENT));
        TableRow::Cells(names.into_iter().chain(figures.map(|figure| TableCell::new(figure, self.style))).collect())
    }
}

/// The lines of each block below the titles of its columns, whose meanings go to the legend, and of each column whether it
/// is there and lacks a figure. Where there is no room, first providers' names are cut, then the last columns go, then both names are cut.
pub(crate) fn laid_out(
    blocks: &[FiguresBlock],
    columns: &[(&str, &str)],
    most: usize,
    legend: &mut Legend,
) -> (Vec<Vec<StyledLine>>, Vec<bool>) {
    let figures = columns.len();
    let step = |algorithm: usize, provider: usize, shown: usize| {
        [vec![algorithm, provider], vec![UNCUT; shown], vec![0; figures - shown]].concat()
    };
    let cut = [24, 12, 11, 10, 8].map(|provider| step(UNCUT, provider, figures));
    let fewer = (LEAST.min(figures)..figures).rev();
    let fewer = fewer.flat_map(|shown| [12, 8].map(|provider| step(UNCUT, provider, shown)));
    let least = (1..=LEAST.min(figures)).rev().flat_map(|shown| [(14, 8), (10, 6)].map(|names| (names, shown)));
    let least = least.map(|((algorithm, provider), shown)| step(algorithm, provider, shown));
    let steps: Vec<_> = cut.into_iter().chain(fewer).chain(least).collect();
    let laid_out = [vec![LEFT; NAMES], vec![TableColumn { most: WIDEST, ..RIGHT }; figures]].concat();
    let rows: Vec<_> = blocks.iter().map(|block| block.rows(columns)).collect();
    let layout = TableLayout::plan(&laid_out, &steps, &rows.concat(), most);
    let shown = |place: &usize| layout.shows(NAMES + place);
    let meanings = (0..figures).filter(shown).map(|place| columns[place].1).filter(|meaning| !meaning.is_empty());
    legend.mark(meanings.collect::<Vec<_>>().join("; "));
    let lacks = |place: usize| blocks.iter().flat_map(|block| &block.cells).any(|cell| cell.figures[place].is_none());
    let lacking = (0..figures).map(|place| shown(&place) && lacks(place)).collect();
    (rows.iter().map(|rows| layout.lines(rows)).collect(), lacking)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_before_the_first_figures_go() {
        let texts = ["2", "10.9", "1.11×"].map(|text| Some(text.to_owned())).to_vec();
        let [algorithm, provider] = ["a-way-of-twenty-cols", "a-library"].map(String::from);
        let cells = vec![CellFigures { algorithm, provider, figures: texts, style: Style::Plain }];
        let blocks = [FiguresBlock { heading: String::new(), cells }];
        let columns = [("threads", ""), ("GB/s", ""), ("speed-up", "")];
        let row = |most| laid_out(&blocks, &columns, most, &mut Legend::default()).0[0][1].text(UNCUT, false);
        assert_eq!(row(60), "a-way-of-twenty-cols a-library       2 10.9    1.11×");
        assert_eq!(row(40), "a-way-of-twen… a-libra…       2 10.9");
    }
}
