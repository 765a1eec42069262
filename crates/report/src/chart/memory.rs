//! Peak memory of the largest message: a bar for each cipher of each library.

use ciphermeter_core::{Group, Memory, Record, Run};

use super::cell::{done, is_cipher, name};
use super::sizes::ends;
use super::styles::CipherStyles;
use crate::screen::is_alike;
use ciphermeter_answer::measured::measured;
use ciphermeter_answer::memory::Medians;
use ciphermeter_answer::words::decimals;
use ciphermeter_answer::words::size;
use ciphermeter_chart::scale::Scale;
use ciphermeter_chart::sheet::{Axis, Base, Row, Rows, Sheet};

/// The most bars.
const MOST: usize = 16;

/// What the whiskers and bars are.
const WORDS: &str = "Memory: the most resident above the idle process, median over processes; whiskers: all processes.";

/// A figure of nothing but memory; `None` where none was measured.
pub(super) fn memory(run: &Run, records: &[Record]) -> Option<Sheet> {
    let panel = panel(records)?;
    let shown = seen(records)?;
    let mut caption = Vec::new();
    caption.extend(ends(run, shown.iter().map(|(record, _)| *record), []));
    let mut sheet = Sheet {
        title: "How much memory does it take?".into(),
        subtitle: panel.heading.clone(),
        keys: Vec::new(),
        lines: Vec::new(),
        columns: 1,
        rows: Vec::new(),
        caption,
    };
    add(&mut sheet, Rows { heading: String::new(), ..panel });
    Some(sheet)
}

/// Puts memory below a figure of something else.
pub(super) fn add(sheet: &mut Sheet, panel: Rows) {
    sheet.rows.push(panel);
    let place = usize::from(!sheet.lines.is_empty() || sheet.rows.len() > 1).min(sheet.caption.len());
    sheet.caption.insert(place, WORDS.into());
}

/// The panel of memory, least first.
pub(super) fn panel(records: &[Record]) -> Option<Rows> {
    let mut seen = seen(records)?;
    seen.sort_by_key(|(record, peak)| (*peak, record.id));
    let dropped = seen.len().saturating_sub(MOST);
    seen.truncate(MOST);
    let group = seen.first()?.0.cell.group();
    let (scale, unit, word) = Scale::of_memory(seen.iter().map(|(_, peak)| *peak).max()?);
    let styles = CipherStyles::new(seen.iter().map(|(record, _)| record.cell.algorithm));
    let row = |(record, peak): &(&Record, u64)| {
        let processes =
            || record.memory.iter().filter_map(|memory: &Memory| memory.peak_rss).map(|bytes| bytes as f64 / unit);
        let (low, high) =
            processes().fold((f64::INFINITY, 0.0_f64), |(low, high), peak| (low.min(peak), high.max(peak)));
        Row {
            label: name(&record.cell.provider, record.cell.algorithm),
            style: styles.of(record.cell.algorithm),
            value: *peak as f64 / unit,
            range: (low < high).then_some((low, high)),
            bound: None,
            figure: format!("{:.*}", decimals(*peak as f64 / unit), *peak as f64 / unit),
        }
    };
    let more = if dropped > 0 { format!(", the {MOST} that take least") } else { String::new() };
    let message = size(group.parameters.message());
    Some(Rows {
        heading: format!("Peak memory to {}, messages of {message}{more}", done(group.operation, group.form)),
        x: Axis { title: format!("peak memory, {word}"), scale },
        has_title: true,
        base: Base::Zero,
        unit: word.into(),
        rows: seen.iter().map(row).collect(),
    })
}

/// The cells of the largest message for which most libraries tell.
fn seen(records: &[Record]) -> Option<Vec<(&Record, u64)>> {
    let peak = |record: &Record| Medians::of(record)?.peak_rss;
    let told = |record: &&Record| is_cipher(record) && measured(record).is_some() && peak(record).is_some();
    let all: Vec<&Record> = records.iter().filter(told).collect();
    let is_alike = |record: &Record, group: &Group| {
        let own = record.cell.group();
        own.parameters == group.parameters && own.form == group.form && is_alike(own.operation, group.operation)
    };
    let count = |group: &Group| all.iter().filter(|other| is_alike(other, group)).count();
    let largest = all.iter().max_by_key(|record| {
        let reads = record.cell.operation.consumes_sealed();
        (record.cell.parameters.message(), !reads, count(&record.cell.group()), std::cmp::Reverse(record.id))
    });
    let group = largest?.cell.group();
    let here = all.iter().filter(|record| is_alike(record, &group));
    let here: Vec<_> = here.filter_map(|record| Some((*record, peak(record)?))).collect();
    (!here.is_empty()).then_some(here)
}
