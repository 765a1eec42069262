//! The table of AES and ChaCha20 by one library: a row for each size.

use std::collections::BTreeSet;

use ciphermeter_answer::pair::{Library, PairAnswer, Row};
use ciphermeter_answer::point::{Point, Points, spread};
use ciphermeter_answer::words::{Figures, bytes};
use ciphermeter_estimate::{Comparison, Side};

use super::rate::{rate_in, unit};
use crate::layout::{LEFT, RIGHT, TableCell, TableColumn, TableLayout, TableRow, UNCUT};
use crate::styled_line::{Style, StyledLine};

/// In fewer columns, the ciphers have their short names.
const WIDE: usize = 60;

/// Of the library that most people run.
pub(crate) fn table(answer: &PairAnswer, most_rows: usize, width: usize) -> Vec<StyledLine> {
    let rows = shown(answer.usual(), most_rows);
    let points = Points(rows.iter().map(|row| row.point).collect());
    let (first, second) = (answer.first.title(), answer.second.title());
    let kinds = answer.pair().names();
    let memory = answer.has_memory();
    // Two columns more, long labels, or a narrow terminal leave no room for whole names, and a part of one is another cipher's.
    let is_narrow = memory || width < WIDE || points.rotate();
    let [first, second] = if is_narrow { kinds } else { [first, second] };
    let mut titles = vec!["", first, second, "faster", "", ""];
    let second_peak = format!("({second})");
    if memory {
        titles.extend(["peak memory", &second_peak]);
    }
    let wide = TableColumn { gap: 2, ..RIGHT };
    let mut columns = vec![LEFT, wide, wide, TableColumn { gap: 3, ..LEFT }, RIGHT, TableColumn { gap: 2, ..LEFT }];
    columns.resize(titles.len(), wide);
    let unit = unit(answer.pair().moves_files());
    let mut lines = vec![TableRow::titles(&format!("{}, {unit}", answer.usual().titled()), titles)];
    let moves_files = answer.pair().moves_files();
    lines.extend(rows.iter().map(|row| {
        let mut cells = vec![TableCell::new(format!("  {}", points.label(row.point)), Style::Plain)];
        cells.extend(compared(row, kinds, moves_files));
        if memory {
            let text = |peak: Option<u64>| TableCell::new(peak.map_or("–".into(), bytes), Style::Plain);
            cells.extend(row.figures.iter().map(|figure| text(figure.peak_bytes)));
        }
        TableRow::Cells(cells)
    }));
    // The interval goes first, then memory, then the rates: which is faster, and by how much, stays.
    let without = |gone: &[usize]| -> Vec<usize> {
        (0..columns.len()).map(|place| if gone.contains(&place) { 0 } else { UNCUT }).collect()
    };
    let steps = [&[][..], &[5], &[5, 6, 7], &[1, 2, 5, 6, 7]].map(without);
    TableLayout::plan(&columns, &steps, &lines, width).lines(&lines)
}

/// Both rates, the faster, and by how much.
fn compared(row: &Row, kinds: [&str; 2], moves_files: bool) -> Vec<TableCell> {
    let (figure, interval) = row.comparison.columns();
    let (styles, faster) = match row.comparison {
        Comparison::First(_) => ([Style::Green, Style::Plain], kinds[0]),
        Comparison::Second(_) => ([Style::Plain, Style::Green], kinds[1]),
        Comparison::Equal(_) | Comparison::Unknown(_) => ([Style::Plain; 2], ""),
    };
    let rates = row.figures.iter().zip(styles);
    rates
        .map(|(figure, style)| TableCell::new(rate_in(figure.gb_per_s, moves_files), style))
        .chain(
            [(faster.to_owned(), Style::Plain), (figure, Style::Plain), (interval, Style::Dim)]
                .map(|(text, style)| TableCell::new(text, style)),
        )
        .collect()
}

/// The rows of a table that has room for so many. Where aad varies at several messages, those of the largest; the least and the greatest
/// ratio of the cipher that is faster more often, which sentences name, are among them, and so is what has no answer.
pub(crate) fn shown(library: &Library, most: usize) -> Vec<&Row> {
    let points = || library.rows.iter().map(|row| row.point);
    let messages: BTreeSet<u64> = points().map(|point| point.message).collect();
    let sizes: BTreeSet<(u64, u64)> = points().map(|point| (point.message, point.aad)).collect();
    let kept: Vec<Point> = match messages.last() {
        Some(largest) if library.rows.len() > most && messages.len() * 2 < sizes.len() => {
            points().filter(|point| point.message == *largest).collect()
        }
        _ => points().collect(),
    };
    let mut shown = spread(kept.clone(), most);
    let open = library.rows.iter().filter(|row| matches!(row.comparison, Comparison::Unknown(_)));
    let open = open.map(|row| row.point).filter(|point| kept.contains(point));
    let named: Vec<Point> = extremes(library, &kept).into_iter().chain(open).collect();
    for point in &named {
        // The smallest and the largest stay.
        let far = |other: &&mut Point| {
            kept.iter().filter(|at| (**other).min(*point) < **at && **at <= (**other).max(*point)).count()
        };
        let ends = shown.len().saturating_sub(2);
        let is_shown = shown.contains(point);
        let others = shown.iter_mut().skip(1).take(ends).filter(|other| !is_shown && !named.contains(other));
        if let Some(nearest) = others.min_by_key(far) {
            *nearest = *point;
        }
    }
    let kept = shown;
    library.rows.iter().filter(|row| kept.contains(&row.point)).collect()
}

/// Where the cipher that is faster more often is so by the least, and by the most.
fn extremes(library: &Library, points: &[Point]) -> Vec<Point> {
    let of = |side: Side| -> Vec<(&Row, f64)> {
        let rows =
            library.rows.iter().filter(|row| points.contains(&row.point) && row.comparison.faster() == Some(side));
        rows.filter_map(|row| Some((row, row.comparison.ratio()?.mid))).collect()
    };
    let (first, second) = (of(Side::First), of(Side::Second));
    let faster = if second.len() > first.len() { second } else { first };
    let least = faster.iter().min_by(|(_, one), (_, other)| one.total_cmp(other));
    let most = faster.iter().max_by(|(_, one), (_, other)| one.total_cmp(other));
    least.into_iter().chain(most).map(|(row, _)| row.point).collect()
}

#[cfg(test)]
mod tests {
    use ciphermeter_answer::words::times;
    use ciphermeter_core::{Algorithm, Operation};

    use super::*;
    use ciphermeter_answer::fixtures::{self, cell};

    #[test]
    fn table_has_the_least_and_the_greatest_ratio() {
        let sizes: Vec<u64> = (4..16).map(|exponent| 1 << exponent).collect();
        let ratio = |size: u64| match size {
            64 => 1.5,
            8192 => 3.5,
            _ => 2.5,
        };
        let cells = sizes.iter().flat_map(|size| {
            let of = |algorithm, ns| cell("openssl", algorithm, Operation::Seal, *size, ns);
            [of(Algorithm::Aes256Gcm, 1000.0), of(Algorithm::ChaCha20Poly1305, 1000.0 * ratio(*size))]
        });
        let records = fixtures::records(&cells.collect::<Vec<_>>(), 6);
        let answer = PairAnswer::of(&records).unwrap();
        let rows = shown(answer.usual(), 5);
        let shown: Vec<u64> = rows.iter().map(|row| row.point.message).collect();
        assert_eq!((shown.len(), shown[0], shown[4]), (5, 16, 1 << 15), "{shown:?}");
        assert!(shown.contains(&64) && shown.contains(&8192), "{shown:?}");
        let least = rows.iter().filter_map(|row| row.comparison.ratio()).map(|ratio| ratio.mid);
        assert_eq!(times(least.fold(f64::INFINITY, f64::min)), times(1.5));
    }
}
