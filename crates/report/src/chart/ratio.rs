//! By how much one of two ciphers is faster: a line for each library by size, or a row for each at one size.

use std::collections::BTreeSet;

use ciphermeter_core::{Record, Run};
use ciphermeter_estimate::between;

use super::along::Along;
use super::caption::clean;
use super::cell::{done, extent, span};
use super::matrix::Libraries;
use super::sizes::ends;
use crate::screen::{Chosen, Library};
use ciphermeter_answer::words::times;
use ciphermeter_chart::scale::Scale;
use ciphermeter_chart::sheet::{Axis, Base, Key, KeySample, Lines, Point, Row, Rows, Series, Sheet, Spread};
use ciphermeter_chart::style::{STYLES, SeriesStyle};

/// The most rows.
const MOST: usize = 24;

/// `None` where no library has both.
pub(super) fn ratio(run: &Run, chosen: &Chosen, libraries: &Libraries) -> Option<Sheet> {
    let all = || chosen.libraries.iter().flat_map(|library| library.sizes.iter().flatten().copied());
    let along = Along::of(all());
    let sizes = along.sizes();
    let (first, second) = (chosen.first.title(), chosen.second.title());
    let axis = "ratio of times".to_owned();
    let mut caption = vec![format!(
        "Above 1, {first} is faster. Geometric means over forks, both ciphers in the same rounds; bands and whiskers: 95 % confidence \
         intervals of each."
    )];
    caption.extend(ends(run, all(), []));
    let mut sheet = Sheet {
        title: "By how much?".into(),
        subtitle: format!(
            "Time of {second} ÷ time of {first}, {}, {} of {}{}",
            done(chosen.first.operation, chosen.form),
            along.what(),
            span(&sizes),
            along.fixed()
        ),
        keys: Vec::new(),
        lines: Vec::new(),
        columns: 1,
        rows: Vec::new(),
        caption,
    };
    // In the order in which other figures have them.
    let mut ordered: Vec<&Library> = chosen.libraries.iter().collect();
    ordered.sort_by_key(|library| libraries.place(library.provider));
    let lines: Vec<(String, Series)> = ordered
        .into_iter()
        .map(|library| (library, points(library, &along)))
        .filter(|(_, points)| !points.is_empty())
        .enumerate()
        .map(|(place, (library, points))| {
            let style = libraries.style(library.provider).unwrap_or(SeriesStyle::of_library(place));
            (clean(library.provider), Series { style, points, has_markers: true })
        })
        .collect();
    let places: BTreeSet<u64> =
        lines.iter().flat_map(|(_, series)| &series.points).map(|point| point.x.to_bits()).collect();
    match places.len() {
        0 => return None,
        1 => sheet.rows.push(rows(lines, axis)),
        _ => {
            let key = |(name, series): &(String, Series)| Key {
                name: name.clone(),
                style: series.style,
                sample: KeySample::Line,
            };
            let lines = &lines[..lines.len().min(STYLES)];
            sheet.keys = lines.iter().map(key).collect();
            let series: Vec<Series> = lines.iter().map(|(_, series)| series.clone()).collect();
            let x = Axis { title: along.title().into(), scale: Scale::of_sizes(&sizes) };
            let y =
                Axis { title: axis, scale: Scale::of_amounts(extent(series.iter().flat_map(|series| &series.points))) };
            sheet.lines = Lines::all([(String::new(), series)], &x, &y);
            sheet.lines.iter_mut().for_each(|panel| (panel.spread, panel.level) = (Spread::Bands, Some(1.0)));
        }
    }
    Some(sheet)
}

fn points(library: &Library, along: &Along) -> Vec<Point> {
    let sizes = along.sizes();
    let point = |[first, second]: &[&Record; 2]| {
        let ratio = between(second, first)?;
        Some(Point { x: Scale::size(along.size(first)?, &sizes), y: ratio.mid, range: ratio.range() })
    };
    let mut points: Vec<Point> = library.sizes.iter().filter_map(point).collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    points
}

fn rows(lines: Vec<(String, Series)>, title: String) -> Rows {
    let row = |(label, series): (String, Series)| {
        let point = series.points.first()?;
        let figure = times(point.y);
        Some(Row { label, style: SeriesStyle::AES, value: point.y, range: point.range, bound: None, figure })
    };
    let mut rows: Vec<Row> = lines.into_iter().filter_map(row).collect();
    rows.sort_by(|a, b| b.value.total_cmp(&a.value));
    rows.truncate(MOST);
    let ends = || {
        rows.iter().flat_map(|row| [row.value, row.range.map_or(row.value, |(_, high)| high.min(2.0 * row.value)), 1.0])
    };
    let low = ends().chain(rows.iter().filter_map(|row| Some(row.range?.0))).fold(1.0, f64::min);
    let x = Axis { title, scale: Scale::linear(low, ends().fold(1.0, f64::max)) };
    Rows { heading: String::new(), x, has_title: true, base: Base::One, unit: "ratio".into(), rows }
}
