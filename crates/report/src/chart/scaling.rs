//! One long message by number of threads: a panel for each cipher at its largest size, a line for each library, and above them the limit,
//! the nearest limit that was measured with as many threads.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Form, Record, Run};

use super::caption::{self, clean};
use super::cell::{extent, rate};
use super::sizes::{columns, ends};
use ciphermeter_answer::measured::has_enough_forks;
use ciphermeter_answer::parallel::{SplitMessage, Way, is_way, largest, messages, provider};
use ciphermeter_answer::words::size;
use ciphermeter_chart::scale::Scale;
use ciphermeter_chart::sheet::{Axis, Key, KeySample, Lines, Point, Series, Sheet};
use ciphermeter_chart::style::{STYLES, SeriesStyle};

/// The style of the limit, and how many are left for libraries.
const LIMIT: SeriesStyle = SeriesStyle(STYLES - 1);
const LIBRARIES: usize = STYLES - 1;
/// The most panels.
const PANELS: usize = 6;

/// `None` where no cipher has figures of two numbers of threads.
pub(super) fn scaling(run: &Run, records: &[Record]) -> Option<Sheet> {
    let mut messages = messages(run, records);
    let is_static = |way: &Way| way.record.cell.form == Form::Static && has_enough_forks(way.record);
    messages.iter_mut().for_each(|message| message.ways.retain(is_static));
    messages.retain(|message| counts(message).len() > 1);
    let shown: Vec<&SplitMessage> = largest(&messages).into_iter().take(PANELS).collect();
    let ways = || shown.iter().flat_map(|message| &message.ways);
    // The fastest way of all orders them.
    let mut best = BTreeMap::<String, f64>::new();
    for way in ways() {
        let own = best.entry(provider(&way.record.cell)).or_default();
        *own = own.max(way.rate);
    }
    let mut libraries: Vec<(String, f64)> = best.into_iter().collect();
    libraries.sort_by(|a, b| b.1.total_cmp(&a.1));
    let libraries: Vec<String> = libraries.into_iter().map(|(name, _)| name).collect();
    let styled: Vec<(&String, SeriesStyle)> = libraries.iter().take(LIBRARIES).zip((0..).map(SeriesStyle)).collect();
    let panels: Vec<(String, Vec<Series>)> = shown.iter().map(|message| panel(message, &styled)).collect();
    let points = || panels.iter().flat_map(|(_, all)| all).flat_map(|series| &series.points);
    let threads: Vec<u64> = ways().map(|way| way.record.cell.parameters.threads()).collect();
    let x = Axis { title: "threads".into(), scale: Scale::of_counts(&threads) };
    let y = Axis {
        title: "all threads, GB/s".into(),
        scale: Scale::from_zero(extent(points()).into_iter().fold(0.0, f64::max)),
    };
    let mut keys: Vec<Key> =
        styled.iter().map(|(name, style)| Key { name: clean(name), style: *style, sample: KeySample::Line }).collect();
    keys.push(Key { name: "nearest limit".into(), style: LIMIT, sample: KeySample::Line });
    let mut caption =
        vec![format!("{} The limit is the lowest ceiling that was measured with as many threads.", caption::SAMPLES)];
    caption.extend(caption::more(libraries.len().saturating_sub(LIBRARIES), "libraries, slower than these"));
    let is_own = |record: &&Record| is_way(record) && record.cell.form == Form::Static;
    caption.extend(ends(run, ways().map(|way| way.record), records.iter().filter(is_own)));
    (!panels.is_empty()).then(|| Sheet {
        title: "Does it scale with threads?".into(),
        subtitle: "Throughput of one long message, split into a slice a thread, at the largest size of each cipher"
            .into(),
        keys,
        columns: columns(panels.len()),
        lines: Lines::all(panels, &x, &y),
        rows: Vec::new(),
        caption,
    })
}

fn counts(message: &SplitMessage) -> BTreeSet<u64> {
    message.ways.iter().map(|way| way.record.cell.parameters.threads()).collect()
}

fn panel(message: &SplitMessage, styled: &[(&String, SeriesStyle)]) -> (String, Vec<Series>) {
    let line = |(name, style): &(&String, SeriesStyle)| {
        let own = message.ways.iter().filter(|way| provider(&way.record.cell) == **name);
        let points = own.filter_map(|way| rate(way.record, way.record.cell.parameters.threads() as f64)).collect();
        Series { style: *style, points, has_markers: true }
    };
    // All ways of as many threads have the same ceilings; the fastest knows them best.
    let limit = counts(message).into_iter().filter_map(|threads| {
        let own = message.ways.iter().filter(|way| way.record.cell.parameters.threads() == threads);
        let limit = own.filter_map(|way| way.bound.map(|bound| way.rate / bound.share)).next()?;
        Some(Point { x: threads as f64, y: limit, range: None }).filter(|point| point.y.is_finite())
    });
    let mut series: Vec<Series> = styled.iter().map(line).collect();
    series.iter_mut().for_each(|series| series.points.sort_by(|a, b| a.x.total_cmp(&b.x)));
    series.push(Series { style: LIMIT, points: limit.collect(), has_markers: true });
    (format!("{}, {}", message.title(), size(message.bytes)), series)
}
