//! One size: a bar for each cell, by algorithm and then the fastest first.

use ciphermeter_core::{Algorithm, Group, Operation, Record, Run};

use super::caption;
use super::cell::{done, extent, is_cipher, names, rate, time};
use super::sizes::ends;
use super::styles::CipherStyles;
use crate::screen::{Chosen, is_alike};
use ciphermeter_answer::group::{Entry, Standing, standings};
use ciphermeter_answer::measured::has_enough_forks;
use ciphermeter_answer::words::{decimals, duration};
use ciphermeter_answer::words::{rotation, size};
use ciphermeter_chart::scale::Scale;
use ciphermeter_chart::sheet::{Axis, Base, Point, Row, Rows, Sheet};

/// The most bars.
const MOST: usize = 24;

/// What stands in the figure.
struct Bars<'a> {
    /// All cells that belong there.
    scope: Vec<&'a Record>,
    /// Those that are drawn, in their order.
    drawn: Vec<(&'a Record, Point)>,
    dropped: usize,
    styles: CipherStyles,
    /// Whether calls move bytes: the bars are rates then, else times.
    moves: bool,
}

/// The cells of one group, and of the groups of other families that do the same.
pub(super) fn bars(run: &Run, records: &[Record], chosen: Option<&Chosen>) -> Option<Sheet> {
    let group = group(records, chosen)?;
    let bars = Bars::of(records, &group);
    let keys = Some(bars.styles.keys()).filter(|keys| keys.len() > 1).unwrap_or_default();
    let mut caption = vec![caption::SAMPLES.to_owned()];
    caption.extend(caption::more(bars.dropped, "cells, slower ones of the same ciphers"));
    let drawn = bars.drawn.iter().map(|(record, _)| *record);
    match chosen {
        Some(_) => caption.extend(ends(run, drawn, bars.scope.iter().copied())),
        // Where two ciphers could not be compared, all that is missing matters.
        None => caption.extend(ends(run, drawn, records.iter().filter(|record| is_cipher(record)))),
    }
    let (panel, algorithm) = bars.panel();
    (!bars.drawn.is_empty()).then(|| Sheet {
        title: if chosen.is_some() { "AES or ChaCha20?" } else { "How fast is it?" }.into(),
        subtitle: subtitle(&group, bars.moves, &algorithm),
        keys,
        lines: Vec::new(),
        columns: 1,
        rows: vec![panel],
        caption,
    })
}

impl<'a> Bars<'a> {
    fn of(records: &'a [Record], group: &Group) -> Self {
        let is_here = |record: &&Record| {
            let own = record.cell.group();
            own.parameters == group.parameters && own.form == group.form && is_alike(own.operation, group.operation)
        };
        let scope: Vec<&Record> = records.iter().filter(is_here).filter(|record| is_cipher(record)).collect();
        let moves = group.parameters.message() > 0 && group.operation != Operation::KeySetup;
        let of = |record: &Record| if moves { rate(record, 0.0) } else { time(record) };
        let enough = scope.iter().copied().filter(|record| has_enough_forks(record));
        let mut drawn: Vec<(&Record, Point)> = enough.filter_map(|record| Some((record, of(record)?))).collect();
        let styles = CipherStyles::new(drawn.iter().map(|(record, _)| record.cell.algorithm));
        let order = |record: &Record| styles.place(record.cell.algorithm);
        // Rates fall and times rise from the best on.
        let speed = |point: &Point| if moves { -point.y } else { point.y };
        drawn.sort_by(|(a, at), (b, bt)| order(a).cmp(&order(b)).then(speed(at).total_cmp(&speed(bt))));
        let dropped = thin(&mut drawn);
        Self { scope, drawn, dropped, styles, moves }
    }

    /// The panel, and for the subtitle the algorithm, where all have the same.
    fn panel(&self) -> (Rows, String) {
        let cells: Vec<_> =
            self.drawn.iter().map(|(record, _)| (record.cell.algorithm, record.cell.provider.as_str())).collect();
        let (names, algorithm) = names(&cells);
        let row = |((record, point), label): (&(&Record, Point), String)| Row {
            label,
            style: self.styles.of(record.cell.algorithm),
            value: point.y,
            range: point.range,
            bound: None,
            figure: if self.moves { format!("{:.*}", decimals(point.y), point.y) } else { duration(point.y) },
        };
        let rows: Vec<Row> = self.drawn.iter().zip(names).map(row).collect();
        let high = extent(self.drawn.iter().map(|(_, point)| point)).into_iter().fold(0.0, f64::max);
        let (title, unit) = if self.moves { ("throughput, GB/s", "GB/s") } else { ("time of a call, ns", "a call") };
        let x = Axis { title: title.into(), scale: Scale::of_bars(high) };
        let panel = Rows { heading: String::new(), x, has_title: true, base: Base::Zero, unit: unit.into(), rows };
        (panel, algorithm)
    }
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
        let mut counts = std::collections::BTreeMap::<Algorithm, usize>::new();
        drawn.retain(|(record, _)| {
            let count = counts.entry(record.cell.algorithm).or_default();
            *count += 1;
            *count <= most
        });
    }
    before - drawn.len()
}

fn subtitle(group: &Group, moves: bool, algorithm: &str) -> String {
    let (message, aad) = (group.parameters.message(), group.parameters.aad());
    let what = if moves { "Throughput" } else { "Time of a call" };
    let mut text = format!("{what} of {}{algorithm}", done(group.operation, group.form));
    if message > 0 {
        text += &format!(", messages of {}", size(message));
    }
    if aad > 0 {
        text += &format!(", {} of aad", size(aad));
    }
    text + &rotation(&group.parameters)
}
