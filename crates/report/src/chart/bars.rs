//! A bar for each cipher of each library: of messages of one size, of files that moved, and of peak
//! memory.

use std::collections::BTreeMap;

use ciphermeter_core::{Algorithm, Group, Record, Run};

use super::caption::{self, ends};
use super::cell::{Speed, done, form, is_cipher, name, names, rate};
use super::styles::CipherStyles;
use crate::screen::{Chosen, is_alike};
use ciphermeter_answer::group::{Entry, Standing, standings};
use ciphermeter_answer::measured::{has_enough_forks, measured};
use ciphermeter_answer::memory::peak;
use ciphermeter_answer::transfers::bounds;
use ciphermeter_answer::words::{duration, rotation, size};
use ciphermeter_chart::scale::unit_of_memory;
use ciphermeter_chart::sheet::{Point, Row, Rows, Sheet};
use ciphermeter_chart::spec::{Most, Panels, RowPanels, Spec, not_drawn};

const MOST: usize = 24;
const MOST_MEMORY: usize = 16;

const BOUND: &str = "Dashed mark: the bound, 1 ÷ (1 ÷ TCP without a cipher + 1 ÷ sealing alone), in the same rounds; a program that sends while it seals may pass it.";
const MEMORY: &str =
    "Memory: the most resident above the idle process, median over processes; whiskers: all processes.";

/// One size, by algorithm and then the fastest first: the cells of one group, and of the groups of
/// other families that do the same.
pub(super) fn bars(run: &Run, records: &[Record], chosen: Option<&Chosen>) -> Option<Sheet> {
    let group = group(records, chosen)?;
    let speed = Speed::of(&group);
    let is_here = |record: &&Record| is_cipher(record) && is_beside(record, &group);
    let scope: Vec<&Record> = records.iter().filter(is_here).collect();
    let enough = scope.iter().copied().filter(|record| has_enough_forks(record));
    let mut drawn: Vec<(&Record, Point)> = enough.filter_map(|record| Some((record, speed.point(record)?))).collect();
    let styles = CipherStyles::new(drawn.iter().map(|(record, _)| record.cell.algorithm));
    let order = |(record, point): &(&Record, Point)| (styles.place(record.cell.algorithm), speed.order(*point));
    drawn.sort_by(|a, b| order(a).0.cmp(&order(b).0).then(order(a).1.total_cmp(&order(b).1)));
    let slower = thin(&mut drawn);
    let cells: Vec<_> =
        drawn.iter().map(|(record, _)| (record.cell.algorithm, record.cell.provider.as_str())).collect();
    let (names, algorithm) = names(&cells);
    let is_time = speed == Speed::Time;
    let row = |((record, point), label): (&(&Record, Point), String)| {
        let cipher = record.cell.algorithm;
        let row = Row::new(label, styles.of(cipher), *point);
        let figure = if is_time { duration(point.y) } else { row.figure.clone() };
        Row { figure, series: if algorithm.is_empty() { cipher.title().into() } else { String::new() }, ..row }
    };
    let rows = drawn.iter().zip(names).map(row).collect();
    let shown = drawn.iter().map(|(record, _)| *record);
    Spec {
        title: chosen.map_or_else(|| "How fast is it?".into(), Chosen::question),
        subtitle: subtitle(&group, is_time, &algorithm),
        quantity: speed.quantity().into(),
        panels: Panels::Rows(RowPanels {
            unit: is_time.then_some("a call"),
            ..RowPanels::bars([(String::new(), rows)])
        }),
        caption: vec![Some(caption::SAMPLES.into()), not_drawn(slower, "cells, slower ones of the same ciphers")],
        ends: match chosen {
            Some(_) => ends(run, shown, scope.iter().copied()),
            // Where two ciphers could not be compared, all that is missing matters.
            None => ends(run, shown, records.iter().filter(|record| is_cipher(record))),
        },
    }
    .sheet()
}

/// That of the two ciphers; else the one that has most figures.
fn group(records: &[Record], chosen: Option<&Chosen>) -> Option<Group> {
    let of_pair = || Some(chosen?.libraries.first()?.sizes.last()?[0].cell.group());
    let has_figure = |entry: &&Entry| has_enough_forks(entry.record) && is_cipher(entry.record);
    let figures = |standing: &Standing| standing.entries.iter().filter(has_figure).count();
    let most = || {
        let all = standings(records).into_iter().rev().filter(|standing| figures(standing) > 0);
        all.max_by_key(figures).map(|standing| standing.group)
    };
    of_pair().or_else(most)
}

/// Keeps the fastest of each algorithm; comes back with how many it dropped.
fn thin(drawn: &mut Vec<(&Record, Point)>) -> usize {
    let before = drawn.len();
    for most in (1..=MOST).rev() {
        if drawn.len() <= MOST {
            break;
        }
        let mut counts = BTreeMap::<Algorithm, usize>::new();
        drawn.retain(|(record, _)| {
            let count = counts.entry(record.cell.algorithm).or_default();
            *count += 1;
            *count <= most
        });
    }
    before - drawn.len()
}

fn subtitle(group: &Group, is_time: bool, algorithm: &str) -> String {
    let (message, aad) = (group.parameters.message(), group.parameters.aad());
    let what = if is_time { "Time of a call" } else { "Throughput" };
    let mut text = format!("{what} of {}{algorithm}", done((group.operation, group.form)));
    if message > 0 {
        text += &format!(", messages of {}", size(message));
    }
    if aad > 0 {
        text += &format!(", {} of aad", size(aad));
    }
    text + &rotation(&group.parameters)
}

/// Whether a record's cell does to the same messages what a group's cells do.
fn is_beside(record: &Record, group: &Group) -> bool {
    let own = record.cell.group();
    own.parameters == group.parameters && own.form == group.form && is_alike(own.operation, group.operation)
}

fn row(record: &Record, styles: &CipherStyles, point: Point) -> Row {
    let algorithm = record.cell.algorithm;
    Row::new(name(&record.cell.provider, algorithm), styles.of(algorithm), point)
}

/// Files that moved: a panel for each size and form, with the mark of what TCP and the cipher
/// allow; `None` where no cell has a figure.
pub(super) fn transfers(run: &Run, records: &[Record]) -> Option<Sheet> {
    let standings = standings(records);
    let entries = || standings.iter().flat_map(|standing| &standing.entries).map(|entry| entry.record);
    let styles = CipherStyles::new(entries().map(|record| record.cell.algorithm));
    let panels: Vec<_> = standings.iter().map(|standing| panel(standing, &styles)).collect();
    let is_bounded = panels.iter().flat_map(|(_, rows)| rows).any(|row| row.bound.is_some());
    let enough = entries().filter(|record| has_enough_forks(record));
    Spec {
        title: "Files: AES or ChaCha20?".into(),
        subtitle: "Throughput of a transfer from one process to another over TCP, from the first byte to the receipt"
            .into(),
        quantity: "throughput, MB/s".into(),
        panels: Panels::Rows(RowPanels {
            most: Most(4, "sizes and forms"),
            most_rows: Most(16, "cells, slower than these"),
            bound: "bound",
            has_titles: false,
            ..RowPanels::bars(panels)
        }),
        caption: vec![Some(caption::SAMPLES.into()), is_bounded.then(|| BOUND.into())],
        ends: ends(run, enough, records.iter().filter(|record| is_cipher(record))),
    }
    .sheet()
}

/// The fastest first.
fn panel(standing: &Standing, styles: &CipherStyles) -> (String, Vec<Row>) {
    let message = standing.group.parameters.message();
    let bounds = bounds(standing);
    let bar = |record: &Record| {
        let algorithm = record.cell.algorithm;
        let bound = bounds.iter().find(|bound| bound.algorithm == algorithm && bound.ns > 0.0);
        let bound = bound.map(|bound| message as f64 * 1e3 / bound.ns);
        Some(Row { bound, series: algorithm.title().into(), ..row(record, styles, rate(record)?) })
    };
    let enough = standing.entries.iter().map(|entry| entry.record).filter(|record| has_enough_forks(record));
    let mut rows: Vec<Row> = enough.filter_map(bar).collect();
    rows.sort_by(|a, b| b.value.total_cmp(&a.value));
    (format!("Files of {}, {}", size(message), form(standing.group.form)), rows)
}

/// Peak memory of the largest message, the least first; `None` where none was measured.
pub(super) fn memory(run: &Run, records: &[Record]) -> Option<Sheet> {
    let mut seen = seen(records)?;
    seen.sort_by_key(|(record, peak)| (*peak, record.id));
    let ends = ends(run, seen.iter().map(|(record, _)| *record), []);
    let more = if seen.len() > MOST_MEMORY { format!(", the {MOST_MEMORY} that take least") } else { String::new() };
    seen.truncate(MOST_MEMORY);
    let group = seen.first()?.0.cell.group();
    let (unit, word) = unit_of_memory(seen.last()?.1);
    let styles = CipherStyles::new(seen.iter().map(|(record, _)| record.cell.algorithm));
    let bar = |(record, peak): &(&Record, u64)| {
        let range = Some(processes(record)).filter(|(low, high)| low < high);
        row(record, &styles, Point::new(*peak as f64, range).in_unit(unit))
    };
    let message = size(group.parameters.message());
    Spec {
        title: "How much memory does it take?".into(),
        subtitle: format!("Peak memory to {}, messages of {message}{more}", done((group.operation, group.form))),
        quantity: format!("peak memory, {word}"),
        panels: Panels::Rows(RowPanels::bars([(String::new(), seen.iter().map(bar).collect())])),
        caption: vec![Some(MEMORY.into())],
        ends,
    }
    .sheet()
}

/// Puts memory below a figure of something else.
pub(super) fn add_memory(sheet: &mut Sheet, memory: Sheet) {
    sheet.rows.extend(memory.rows.into_iter().map(|panel| Rows { heading: memory.subtitle.clone(), ..panel }));
    sheet.caption.insert(1.min(sheet.caption.len()), MEMORY.into());
}

/// The least and the most bytes of its processes.
pub(super) fn processes(record: &Record) -> (f64, f64) {
    let peaks = || record.memory.iter().filter_map(|memory| memory.peak_rss).map(|bytes| bytes as f64);
    (peaks().fold(f64::INFINITY, f64::min), peaks().fold(0.0, f64::max))
}

/// The cells of the largest message for which most libraries tell.
fn seen(records: &[Record]) -> Option<Vec<(&Record, u64)>> {
    let is_known = |record: &&Record| is_cipher(record) && measured(record).is_some() && peak(record).is_some();
    let all: Vec<&Record> = records.iter().filter(is_known).collect();
    let count = |group: &Group| all.iter().filter(|other| is_beside(other, group)).count();
    let largest = all.iter().max_by_key(|record| {
        let reads = record.cell.operation.consumes_sealed();
        (record.cell.parameters.message(), !reads, count(&record.cell.group()), std::cmp::Reverse(record.id))
    });
    let group = largest?.cell.group();
    let here = all.iter().filter(|record| is_beside(record, &group));
    let here: Vec<_> = here.filter_map(|record| Some((*record, peak(record)?))).collect();
    (!here.is_empty()).then_some(here)
}
