//! The table of contenders: a row for each, a column for each size, the fastest first.

use ciphermeter_answer::libraries::LibrariesAnswer;
use ciphermeter_answer::point::{Point, Points, spread};

use super::rate::rate_in;
use crate::layout::{LEFT, RIGHT, TableColumn, TableLayout, TableRow};
use crate::styled_line::StyledLine;

/// The most sizes that have a column.
const COLUMNS: usize = 5;

pub(crate) fn table(answer: &LibrariesAnswer, most_rows: usize, width: usize) -> Vec<StyledLine> {
    let all = answer.contenders.first().map(|first| first.gb_per_s.iter().map(|(point, _)| *point).collect());
    let points = spread(all.unwrap_or_default(), COLUMNS);
    let heading = answer.shown.map_or(String::new(), |operation| format!("{operation}, GB/s"));
    let labels = Points(points.clone());
    let titles: Vec<String> = points.iter().map(|point| labels.label(*point)).collect();
    let mut rows = vec![TableRow::titles(&heading, ["".into(), "".into()].into_iter().chain(titles))];
    for contender in answer.contenders.iter().take(most_rows) {
        let rate = |point: &Point| {
            let own = contender.gb_per_s.iter().find(|(at, _)| at == point);
            rate_in(own.and_then(|(_, rate)| *rate), false)
        };
        let names = [format!("  {}", contender.algorithm.title()), contender.provider.clone()];
        rows.push(TableRow::plain(names.into_iter().chain(points.iter().map(rate))));
    }
    let mut columns = vec![LEFT, TableColumn { gap: 2, most: 20, ..LEFT }];
    columns.resize(2 + points.len(), TableColumn { gap: 2, least: 6, ..RIGHT });
    TableLayout::plan(&columns, &[], &rows, width).lines(&rows)
}
