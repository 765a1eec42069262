//! One long message: a panel for each cipher at its largest size, a bar for each way, the fastest first, and a mark where its nearest
//! limit lies.

use ciphermeter_core::{Cell, Record, Run};

use super::caption;
use super::cell::{extent, rate};
use super::sizes::ends;
use ciphermeter_answer::measured::has_enough_forks;
use ciphermeter_answer::parallel::{SplitMessage, Way, is_way, largest, messages, name};
use ciphermeter_answer::words::digits;
use ciphermeter_answer::words::size;
use ciphermeter_chart::scale::Scale;
use ciphermeter_chart::sheet::{Axis, Base, Key, KeySample, Row, Rows, Sheet};
use ciphermeter_chart::style::SeriesStyle;

/// The most bars of a panel.
const MOST: usize = 12;
const SEVERAL: SeriesStyle = SeriesStyle(0);
const ONE: SeriesStyle = SeriesStyle(1);
const CARD: SeriesStyle = SeriesStyle(2);

/// `None` where no way has a figure.
pub(super) fn split(run: &Run, records: &[Record]) -> Option<Sheet> {
    let mut messages = messages(run, records);
    messages.iter_mut().for_each(|message| message.ways.retain(|way| has_enough_forks(way.record)));
    messages.retain(|message| !message.ways.is_empty());
    let shown = largest(&messages);
    let drawn = || shown.iter().flat_map(|message| message.ways.iter().take(MOST));
    let dropped: usize = shown.iter().map(|message| message.ways.len().saturating_sub(MOST)).sum();
    let mut caption = vec![
        "Bars: medians of all samples. Whiskers: the range in which 90 % of the samples lay; one without an end goes further. Dashed: \
         the lowest limit that was measured in the same rounds."
            .to_owned(),
    ];
    caption.extend(caption::more(dropped, "ways, slower than these"));
    caption.extend(ends(run, drawn().map(|way| way.record), records.iter().filter(|record| is_way(record))));
    let keys = [("several threads", SEVERAL), ("one thread", ONE), ("card", CARD)];
    let is_drawn = |style: SeriesStyle| drawn().any(|way| self::style(&way.record.cell) == style);
    let keys = keys.into_iter().filter(|(_, style)| is_drawn(*style));
    let bound = Key { name: "nearest limit".into(), style: SEVERAL, sample: KeySample::Bound };
    (!shown.is_empty()).then(|| Sheet {
        title: "One long message: how fast on all cores?".into(),
        subtitle: "Throughput of each way, at the largest size of each cipher".into(),
        keys: keys
            .map(|(name, style)| Key { name: name.into(), style, sample: KeySample::Bar })
            .chain([bound])
            .collect(),
        lines: Vec::new(),
        columns: 1,
        rows: shown.iter().map(|message| panel(message)).collect(),
        caption,
    })
}

fn panel(message: &SplitMessage) -> Rows {
    let ways = || message.ways.iter().take(MOST);
    let points: Vec<_> = ways().filter_map(|way| rate(way.record, 0.0)).collect();
    let limits = ways().filter_map(limit);
    let high = extent(&points).into_iter().chain(limits).fold(0.0, f64::max);
    Rows {
        heading: format!("{}, {}", message.title(), size(message.bytes)),
        x: Axis { title: "throughput, GB/s".into(), scale: Scale::of_bars(high) },
        has_title: true,
        base: Base::Zero,
        unit: "GB/s".into(),
        rows: ways().map(row).collect(),
    }
}

fn row(way: &Way) -> Row {
    let cell = &way.record.cell;
    Row {
        label: name(way.record),
        style: style(cell),
        value: way.rate,
        range: rate(way.record, 0.0).and_then(|point| point.range),
        bound: limit(way),
        figure: digits(way.rate),
    }
}

/// The rate at which a way would reach its nearest limit.
fn limit(way: &Way) -> Option<f64> {
    way.bound.map(|bound| way.rate / bound.share).filter(|limit| limit.is_finite())
}

fn style(cell: &Cell) -> SeriesStyle {
    match cell.parameters.threads() {
        _ if cell.form.is_of_card() => CARD,
        1 => ONE,
        _ => SEVERAL,
    }
}
