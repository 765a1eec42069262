//! What a message costs on devices by its size: a panel for each device, a line for each cipher by its cheapest provider.
//!
//! All panels have one axis, so all have one unit: that of most devices. A device that counts something else is named, not drawn.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, Record, Run};

use super::caption;
use super::cell::{extent, span};
use super::sizes::{PANELS, columns, ends};
use super::styles::CipherStyles;
use crate::device::Unit;
use crate::screen::{Drawn, drawn};
use ciphermeter_answer::words::listed;
use ciphermeter_chart::scale::Scale;
use ciphermeter_chart::sheet::{Axis, Key, KeySample, Lines, Point, Series, Sheet};
use ciphermeter_chart::style::STYLES;

/// `None` where fewer than two sizes have figures.
pub(super) fn devices(run: &Run, records: &[Record]) -> Option<Sheet> {
    let all = drawn(records);
    let unit = usual(&all)?;
    let (same, other): (Vec<&Drawn>, Vec<&Drawn>) = all.iter().partition(|device| kind(device.unit) == kind(unit));
    let shown = &same[..same.len().min(PANELS)];
    let styles = CipherStyles::new(shown.iter().flat_map(|device| device.ciphers.keys().copied()));
    let sizes: BTreeSet<u64> =
        shown.iter().flat_map(|device| device.ciphers.values().flatten()).map(|(message, ..)| *message).collect();
    let sizes: Vec<u64> = sizes.into_iter().collect();
    if sizes.len() < 2 {
        return None;
    }
    let panels: Vec<(String, Vec<Series>)> =
        shown.iter().map(|device| (caption::clean(&device.name), series(device, &styles, &sizes))).collect();
    let points = || panels.iter().flat_map(|(_, all)| all).flat_map(|series| &series.points);
    let what = if unit.is_time() { "ns" } else { unit.as_str() };
    let x = Axis { title: "size of the message".into(), scale: Scale::of_sizes(&sizes) };
    let y = Axis { title: format!("{what} a message"), scale: Scale::of_amounts(extent(points())) };
    let operation = shown.first()?.operation;
    let key = |(algorithm, style): &(Algorithm, _)| Key {
        name: algorithm.title().into(),
        style: *style,
        sample: KeySample::Line,
    };
    let lines = shown.iter().flat_map(|device| device.ciphers.values().flatten()).map(|(_, record, _)| *record);
    let mut caption = vec![whiskers(unit)];
    caption.extend(caption::more(same.len() - shown.len(), "devices"));
    caption.extend(not_drawn(&other));
    caption.extend(ends(run, lines, records.iter().filter(is_left_out)));
    Some(Sheet {
        title: "Which cipher on which device?".into(),
        subtitle: format!(
            "{what} of a {operation}, messages of {}, each cipher by its cheapest provider",
            span(&sizes)
        ),
        keys: styles.0.iter().take(STYLES).map(key).collect(),
        columns: columns(panels.len()),
        lines: Lines::all(panels, &x, &y),
        rows: Vec::new(),
        caption,
    })
}

fn series(device: &Drawn, styles: &CipherStyles, sizes: &[u64]) -> Vec<Series> {
    let line = |(algorithm, line): (&Algorithm, &Vec<_>)| {
        let point = |(message, _, cost): &(u64, &Record, crate::device::Cost)| Point {
            x: Scale::size(*message, sizes),
            y: cost.mid,
            range: (cost.low < cost.high).then_some((cost.low, cost.high)),
        };
        let style = styles.of(*algorithm);
        (style.0 < STYLES).then(|| Series { style, points: line.iter().map(point).collect(), has_markers: true })
    };
    device.ciphers.iter().filter_map(line).collect()
}

/// The unit that most devices have, the first of several.
fn usual(all: &[Drawn]) -> Option<Unit> {
    let count = |unit: Unit| all.iter().filter(|device| kind(device.unit) == kind(unit)).count();
    all.iter().rev().map(|device| device.unit).max_by_key(|unit| count(*unit))
}

/// Times are one unit, whichever scale people read them in.
fn kind(unit: Unit) -> &'static str {
    if unit.is_time() { "time" } else { unit.as_str() }
}

fn whiskers(unit: Unit) -> String {
    match unit {
        Unit::Time(_) => caption::SAMPLES.into(),
        Unit::Count(counts) => {
            format!(
                "Points: {counts} of a call, counted; they are not times. Whiskers: where samples counted differently."
            )
        }
    }
}

/// Devices with another unit.
fn not_drawn(other: &[&Drawn]) -> Option<String> {
    let each = other.iter().map(|device| match device.unit {
        Unit::Time(_) => format!("{}, which measures time", caption::clean(&device.name)),
        Unit::Count(counts) => format!("{}, which counts {counts}", caption::clean(&device.name)),
    });
    let each: Vec<String> = each.collect();
    (!each.is_empty()).then(|| format!("Not drawn: {}; --format csv has all.", listed(&each)))
}

/// Cells of devices that have no figure for another reason than that they count.
fn is_left_out(record: &&Record) -> bool {
    crate::device::is_on_device(record) && crate::device::cost(record).is_none()
}
