//! Energy: joules for a gigabyte of each way of encrypting a long message, where a counter or a meter was read.

use ciphermeter_core::{Record, Run};

use super::caption;
use super::sizes::ends;
use ciphermeter_answer::measured::has_enough_forks;
use ciphermeter_answer::parallel::{SplitMessage, Way, is_way, largest, messages, name};
use ciphermeter_answer::words::digits;
use ciphermeter_answer::words::size;
use ciphermeter_chart::scale::Scale;
use ciphermeter_chart::sheet::{Axis, Base, Row, Rows, Sheet};
use ciphermeter_chart::style::SeriesStyle;

/// The most bars of a panel.
const MOST: usize = 16;

/// `None` where no way has an energy.
pub(super) fn energy(run: &Run, records: &[Record]) -> Option<Sheet> {
    let mut messages = messages(run, records);
    messages
        .iter_mut()
        .for_each(|message| message.ways.retain(|way| way.energy.is_some() && has_enough_forks(way.record)));
    messages.retain(|message| !message.ways.is_empty());
    let shown = largest(&messages);
    let covers = shown.first()?.ways.first()?.energy.as_ref()?.covers.clone();
    let dropped: usize = shown.iter().map(|message| message.ways.len().saturating_sub(MOST)).sum();
    let mut caption = vec![format!(
        "Bars: the mean power while it ran ÷ its rate, counted by the {covers}. Whiskers: the 95 % interval of both. Dashed: without what \
         the machine draws at rest."
    )];
    caption.extend(caption::more(dropped, "ways, which take more"));
    let drawn = shown.iter().flat_map(|message| message.ways.iter().map(|way| way.record));
    caption.extend(ends(run, drawn, records.iter().filter(|record| is_way(record) && has_enough_forks(record))));
    Some(Sheet {
        title: "What does a gigabyte take in energy?".into(),
        subtitle: "Joules for 10⁹ bytes, at the largest size of each cipher".into(),
        keys: Vec::new(),
        lines: Vec::new(),
        columns: 1,
        rows: shown.iter().map(|message| panel(message)).collect(),
        caption,
    })
}

fn panel(message: &SplitMessage) -> Rows {
    let mut rows: Vec<Row> = message.ways.iter().filter_map(row).collect();
    rows.sort_by(|a, b| a.value.total_cmp(&b.value));
    rows.truncate(MOST);
    let ends = rows.iter().map(|row| row.range.map_or(row.value, |(_, high)| high.min(2.0 * row.value)));
    Rows {
        heading: format!("{}, {}", message.title(), size(message.bytes)),
        x: Axis { title: "energy, J/GB".into(), scale: Scale::of_bars(ends.fold(0.0, f64::max)) },
        has_title: true,
        base: Base::Zero,
        unit: "J/GB".into(),
        rows,
    }
}

fn row(way: &Way) -> Option<Row> {
    let energy = way.energy.as_ref()?;
    Some(Row {
        label: name(way.record),
        style: SeriesStyle(0),
        value: energy.joules,
        range: energy.range,
        bound: energy.above_idle.filter(|joules| *joules > 0.0),
        figure: digits(energy.joules),
    })
}
