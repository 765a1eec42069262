//! Transfers: a bar for each cipher of each program, with the mark of what TCP and the cipher allow; a panel for each size and form.

use ciphermeter_core::{Algorithm, Record, Run};

use super::caption;
use super::cell::{extent, form, is_cipher, name, rate};
use super::sizes::ends;
use super::styles::CipherStyles;
use crate::transfer::bounds;
use ciphermeter_answer::group::{Standing, standings};
use ciphermeter_answer::measured::has_enough_forks;
use ciphermeter_answer::words::decimals;
use ciphermeter_answer::words::size;
use ciphermeter_chart::scale::Scale;
use ciphermeter_chart::sheet::{Axis, Base, Key, KeySample, Point, Row, Rows, Sheet};
use ciphermeter_chart::style::SeriesStyle;

/// The most panels and, in each, bars.
const PANELS: usize = 4;
const MOST: usize = 16;

const WORDS: &str = "Dashed mark: the bound, 1 ÷ (1 ÷ TCP without a cipher + 1 ÷ sealing alone), in the same rounds; a program that sends while it seals may pass it.";

/// Files that moved; `None` where no cell has a figure.
pub(super) fn moved(run: &Run, records: &[Record]) -> Option<Sheet> {
    let standings = standings(records);
    let styles = CipherStyles::new(
        standings.iter().flat_map(|standing| &standing.entries).map(|entry| entry.record.cell.algorithm),
    );
    let panels: Vec<Rows> = standings.iter().filter_map(|standing| panel(standing, &styles)).collect();
    let further = panels.len().saturating_sub(PANELS);
    let is_bounded = panels.iter().flat_map(|panel| &panel.rows).any(|row| row.bound.is_some());
    let mut rows: Vec<Rows> = panels.into_iter().take(PANELS).collect();
    // All have the same axis: the last names it.
    let (_, before) = rows.split_last_mut()?;
    before.iter_mut().for_each(|panel| panel.has_title = false);
    let mut keys = styles.keys();
    keys.extend(is_bounded.then(|| Key { name: "bound".into(), style: SeriesStyle::AES, sample: KeySample::Bound }));
    let mut caption = vec![caption::SAMPLES.to_owned()];
    caption.extend(is_bounded.then(|| WORDS.to_owned()));
    caption.extend(caption::more(further, "sizes and forms"));
    let entries = || standings.iter().flat_map(|standing| &standing.entries).map(|entry| entry.record);
    caption.extend(ends(
        run,
        entries().filter(|record| has_enough_forks(record)),
        records.iter().filter(|record| is_cipher(record)),
    ));
    Some(Sheet {
        title: "Files: AES or ChaCha20?".into(),
        subtitle: "Throughput of a transfer from one process to another over TCP, from the first byte to the receipt"
            .into(),
        keys,
        lines: Vec::new(),
        columns: 1,
        rows,
        caption,
    })
}

fn panel(standing: &Standing, styles: &CipherStyles) -> Option<Rows> {
    let enough = standing.entries.iter().map(|entry| entry.record).filter(|record| has_enough_forks(record));
    let mut drawn: Vec<(&Record, Point)> = enough.filter_map(|record| Some((record, rate(record, 0.0)?))).collect();
    drawn.sort_by(|(_, a), (_, b)| b.y.total_cmp(&a.y));
    drawn.truncate(MOST);
    let bytes = standing.group.parameters.message() as f64;
    let bounds = bounds(standing);
    let bound = |algorithm: Algorithm| {
        let own = bounds.iter().find(|bound| bound.algorithm == algorithm)?;
        (own.ns > 0.0).then(|| bytes * 1e3 / own.ns)
    };
    let row = |(record, point): &(&Record, Point)| {
        let algorithm = record.cell.algorithm;
        Row {
            label: name(&record.cell.provider, algorithm),
            style: styles.of(algorithm),
            value: point.y,
            range: point.range,
            bound: bound(algorithm),
            figure: format!("{:.*}", decimals(point.y), point.y),
        }
    };
    let rows: Vec<Row> = drawn.iter().map(row).collect();
    let bounds = rows.iter().filter_map(|row| row.bound);
    let high = extent(drawn.iter().map(|(_, point)| point)).into_iter().chain(bounds).fold(0.0, f64::max);
    (!rows.is_empty()).then(|| Rows {
        heading: format!("Files of {}, {}", size(standing.group.parameters.message()), form(standing.group.form)),
        x: Axis { title: "throughput, MB/s".into(), scale: Scale::of_bars(high) },
        has_title: true,
        base: Base::Zero,
        unit: "MB/s".into(),
        rows,
    })
}
