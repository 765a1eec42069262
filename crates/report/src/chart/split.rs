//! One long message, at the largest size of each cipher: a panel for each cipher, with a bar for
//! each way of encrypting it, for its throughput or what it takes in energy, or with a line for
//! each library by number of threads.

use std::collections::BTreeSet;

use ciphermeter_core::{Cell, Form, Record, Run};

use super::caption::{self, clean, ends};
use super::cell::{by_least, rate};
use ciphermeter_answer::measured::has_enough_forks;
use ciphermeter_answer::parallel::{SplitMessage, Way, is_way, largest, messages, name, provider};
use ciphermeter_answer::words::size;
use ciphermeter_chart::scale::Scale;
use ciphermeter_chart::sheet::{Axis, Point, Row, Series, Sheet};
use ciphermeter_chart::spec::{LinePanels, Most, Panels, RowPanels, Spec};
use ciphermeter_chart::style::{STYLES, SeriesStyle};

const MOST: usize = 12;
const MOST_ENERGIES: usize = 16;
/// The style of the limit, behind those of libraries.
const LIMIT: usize = STYLES - 1;

/// Throughput, the fastest way first; `None` where no way has a figure.
pub(super) fn throughput(run: &Run, records: &[Record]) -> Option<Sheet> {
    let messages = with_ways(run, records, |way| has_enough_forks(way.record));
    let shown = largest(&messages);
    let row = |way: &Way| {
        // The rate at which it would reach its nearest limit.
        let bound = way.bound.map(|bound| way.rate / bound.share).filter(|limit| limit.is_finite());
        let (series, style) = sort(&way.record.cell);
        Some(Row { bound, series: series.into(), ..Row::new(name(way.record), style, rate(way.record)?) })
    };
    let drawn = shown.iter().flat_map(|message| message.ways.iter().take(MOST)).map(|way| way.record);
    Spec {
        title: "One long message: how fast on all cores?".into(),
        subtitle: "Throughput of each way, at the largest size of each cipher".into(),
        quantity: "throughput, GB/s".into(),
        panels: panels(&shown, Most(MOST, "ways, slower than these"), "nearest limit", row),
        caption: vec![Some(
            "Bars: medians of all samples. Whiskers: the range in which 90 % of the samples lay; one without an end goes further. Dashed: \
             the lowest limit that was measured in the same rounds."
                .into(),
        )],
        ends: ends(run, drawn, records.iter().filter(|record| is_way(record))),
    }
    .sheet()
}

/// Joules, where a counter or a meter was read, the least first; `None` where no way has an energy.
pub(super) fn energy(run: &Run, records: &[Record]) -> Option<Sheet> {
    let mut messages = with_ways(run, records, |way| way.energy.is_some() && has_enough_forks(way.record));
    let joules = |way: &Way| way.energy.as_ref().map_or(f64::INFINITY, |energy| energy.joules);
    messages.iter_mut().for_each(|message| message.ways.sort_by(|a, b| joules(a).total_cmp(&joules(b))));
    let shown = largest(&messages);
    let covers = &shown.first()?.ways.first()?.energy.as_ref()?.covers;
    let row = |way: &Way| {
        let energy = way.energy.as_ref()?;
        let row = Row::new(name(way.record), SeriesStyle::new(0), Point::new(energy.joules, energy.range));
        Some(Row { bound: energy.above_idle.filter(|joules| *joules > 0.0), ..row })
    };
    let drawn = shown.iter().flat_map(|message| &message.ways).map(|way| way.record);
    Spec {
        title: "What does a gigabyte take in energy?".into(),
        subtitle: "Joules for 10⁹ bytes, at the largest size of each cipher".into(),
        quantity: "energy, J/GB".into(),
        panels: panels(&shown, Most(MOST_ENERGIES, "ways, which take more"), "", row),
        caption: vec![Some(format!(
            "Bars: the mean power while it ran ÷ its rate, counted by the {covers}. Whiskers: the 95 % interval of both. Dashed: without \
             what the machine draws at rest."
        ))],
        ends: ends(run, drawn, records.iter().filter(|record| is_way(record) && has_enough_forks(record))),
    }
    .sheet()
}

/// The messages of which any way is wanted, with those ways.
fn with_ways<'a>(run: &Run, records: &'a [Record], is_wanted: fn(&Way) -> bool) -> Vec<SplitMessage<'a>> {
    let mut messages = messages(run, records);
    messages.iter_mut().for_each(|message| message.ways.retain(is_wanted));
    messages.retain(|message| !message.ways.is_empty());
    messages
}

/// `AES-256-CTR, 1 GiB`.
fn heading(message: &SplitMessage) -> String {
    format!("{}, {}", message.title(), size(message.bytes))
}

fn panels(shown: &[&SplitMessage], most_rows: Most, bound: &'static str, row: impl Fn(&Way) -> Option<Row>) -> Panels {
    let panel = |message: &&SplitMessage| (heading(message), message.ways.iter().filter_map(&row).collect());
    Panels::Rows(RowPanels { most_rows, bound, ..RowPanels::bars(shown.iter().map(panel)) })
}

/// What a way runs on, with its style.
fn sort(cell: &Cell) -> (&'static str, SeriesStyle) {
    match cell.parameters.threads() {
        _ if cell.form.is_of_card() => ("card", SeriesStyle::new(2)),
        1 => ("one thread", SeriesStyle::new(1)),
        _ => ("several threads", SeriesStyle::new(0)),
    }
}

/// Throughput by number of threads: a line for each library, and above them the nearest limit that
/// was measured with as many threads. `None` where no cipher has figures of two numbers of threads.
pub(super) fn scaling(run: &Run, records: &[Record]) -> Option<Sheet> {
    let is_static = |record: &Record| record.cell.form == Form::Static;
    let mut messages =
        with_ways(run, records, |way| way.record.cell.form == Form::Static && has_enough_forks(way.record));
    messages.retain(|message| counts(message).len() > 1);
    let mut shown = largest(&messages);
    let further = Most(6, "ciphers").cut(&mut shown);
    let ways = || shown.iter().flat_map(|message| &message.ways);
    // The fastest way of all orders them.
    let libraries = by_least(ways().map(|way| (provider(&way.record.cell), -way.rate)));
    let styles = (0..).filter(|style| *style != LIMIT).map(SeriesStyle::new);
    let styled: Vec<(String, SeriesStyle)> = libraries.into_iter().zip(styles).collect();
    let panel = |message: &&SplitMessage| {
        let line = |(name, style): &(String, SeriesStyle)| {
            let own = message.ways.iter().map(|way| way.record).filter(|record| provider(&record.cell) == *name);
            Series::new(clean(name), *style, own.filter_map(|record| Some(rate(record)?.at(threads(record) as f64))))
        };
        let limit = Series::new("nearest limit", SeriesStyle::new(LIMIT), limits(message));
        (heading(message), styled.iter().map(line).chain([limit]).collect())
    };
    let counts: Vec<u64> = ways().map(|way| threads(way.record)).collect();
    let x = Axis { title: "threads".into(), scale: Scale::of_counts(&counts) };
    let words = format!("{} The limit is the lowest ceiling that was measured with as many threads.", caption::SAMPLES);
    let panels = LinePanels::new(x, shown.iter().map(panel));
    Spec {
        title: "Does it scale with threads?".into(),
        subtitle: "Throughput of one long message, split into a slice a thread, at the largest size of each cipher"
            .into(),
        quantity: "all threads, GB/s".into(),
        panels: Panels::Lines(LinePanels { others: "libraries, slower than these", ..panels }),
        caption: vec![Some(words), further],
        ends: ends(
            run,
            ways().map(|way| way.record),
            records.iter().filter(|record| is_way(record) && is_static(record)),
        ),
    }
    .sheet()
}

fn threads(record: &Record) -> u64 {
    record.cell.parameters.threads()
}

fn counts(message: &SplitMessage) -> BTreeSet<u64> {
    message.ways.iter().map(|way| threads(way.record)).collect()
}

/// The nearest limit of each number of threads. All ways of as many have the same ceilings; the
/// fastest knows them best.
fn limits(message: &SplitMessage) -> Vec<Point> {
    let limit = |count: u64| {
        let own = message.ways.iter().filter(|way| threads(way.record) == count);
        let limit = own.filter_map(|way| way.bound.map(|bound| way.rate / bound.share)).next()?;
        limit.is_finite().then(|| Point::new(limit, None).at(count as f64))
    };
    counts(message).into_iter().filter_map(limit).collect()
}
