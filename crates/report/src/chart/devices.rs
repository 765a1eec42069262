//! What a message costs on devices by its size: a panel for each device, a line for each cipher by its cheapest provider.
//!
//! All panels have one axis, so all have one unit: that of most devices. A device that counts something else is named, not drawn.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Algorithm, Operation, Record, Run, SampleRange};

use super::caption::{self, clean, left_out, origin, versions};
use super::cell::span;
use super::styles::CipherStyles;
use ciphermeter_answer::devices::{DeviceAnswer, DevicesAnswer, Unit, cost};
use ciphermeter_answer::measured::is_here;
use ciphermeter_answer::words::listed;
use ciphermeter_chart::scale::Scale;
use ciphermeter_chart::sheet::{Axis, Point, Series, Sheet};
use ciphermeter_chart::spec::{LinePanels, Most, Panels, Spec};

/// `None` where fewer than two sizes have figures.
pub(super) fn devices(run: &Run, records: &[Record]) -> Option<Sheet> {
    let answer = DevicesAnswer::of(records)?;
    let all: Vec<Drawn> = answer.devices.iter().filter_map(|device| Drawn::of(device, records)).collect();
    let unit = usual(&all)?;
    let (mut shown, other): (Vec<&Drawn>, Vec<&Drawn>) = all.iter().partition(|device| kind(device.unit) == kind(unit));
    let further = Most(9, "devices").cut(&mut shown);
    let styles = CipherStyles::new(shown.iter().flat_map(|device| device.ciphers.keys().copied()));
    let cells = || shown.iter().flat_map(|device| device.ciphers.values().flatten());
    let sizes: BTreeSet<u64> = cells().map(|(message, ..)| *message).collect();
    let sizes: Vec<u64> = sizes.into_iter().collect();
    let panel = |device: &&Drawn| {
        let line = |(algorithm, line): (&Algorithm, &Vec<_>)| {
            let point = |(message, _, cost): &(u64, &Record, SampleRange)| {
                let range = (cost.low < cost.high).then_some((cost.low, cost.high));
                Point::new(cost.mid, range).at(*message as f64)
            };
            Series::new(algorithm.title(), styles.of(*algorithm), line.iter().map(point))
        };
        (clean(device.name), device.ciphers.iter().map(line).collect())
    };
    let x = Axis { title: "size of the message".into(), scale: Scale::of_sizes(&sizes) };
    let panels = LinePanels::new(x, shown.iter().map(panel));
    let what = if unit.is_time() { "ns" } else { unit.as_str() };
    let operation = shown.first()?.operation;
    let on_devices = || records.iter().filter(|record| !is_here(record));
    Spec {
        title: "Which cipher on which device?".into(),
        subtitle: format!(
            "{what} of a {operation}, messages of {}, each cipher by its cheapest provider",
            span(&sizes)
        ),
        quantity: format!("{what} a message"),
        panels: Panels::Lines(LinePanels { others: "ciphers", ..panels }),
        caption: vec![Some(whiskers(unit)), further],
        // Not those that have no figure because they count.
        ends: [
            vec![not_drawn(&other), left_out(on_devices().filter(|record| cost(record).is_none()))],
            vec![versions(cells().map(|(_, record, _)| *record)), Some(origin(run, on_devices()))],
        ]
        .concat(),
    }
    .sheet()
}

struct Drawn<'a> {
    name: &'a str,
    unit: Unit,
    operation: Operation,
    /// By cipher: bytes of message, the record, and what it costs; smallest first.
    ciphers: BTreeMap<Algorithm, Vec<(u64, &'a Record, SampleRange)>>,
}

impl<'a> Drawn<'a> {
    fn of(device: &'a DeviceAnswer, records: &'a [Record]) -> Option<Self> {
        let operation = device.choices.first()?.offers.first()?.operation;
        let mut ciphers = BTreeMap::<Algorithm, Vec<(u64, &Record, SampleRange)>>::new();
        for choice in &device.choices {
            for offer in choice.ciphers() {
                let line = ciphers.entry(offer.algorithm).or_default();
                let record = records.iter().find(|record| record.id == offer.cell)?;
                // Of several sizes of aad the first.
                if line.last().is_none_or(|(message, ..)| *message < choice.point.message) {
                    line.push((choice.point.message, record, offer.cost));
                }
            }
        }
        Some(Self { name: &device.name, unit: device.unit, operation, ciphers })
    }
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
        Unit::Time(_) => format!("{}, which measures time", clean(device.name)),
        Unit::Count(counts) => format!("{}, which counts {counts}", clean(device.name)),
    });
    let each: Vec<String> = each.collect();
    (!each.is_empty()).then(|| format!("Not drawn: {}; --format csv has all.", listed(&each)))
}
