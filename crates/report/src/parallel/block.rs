//! The table of how a long message scales: for each size and cipher every way, and below it what the machine allows.

use ciphermeter_core::{Family, Metric, Record};
use ciphermeter_estimate::range_of;

use super::bound::limit;
use super::way::{Contest, Way, contests, is_software, strategy};
use crate::figure::{decimals, percent, plus_minus, times};
use crate::figures_block::{ABSENT, CellFigures, FiguresBlock, laid_out};
use crate::gb_per_s;
use crate::legend::Legend;
use crate::measured::measured;
use crate::styled_line::{Style, StyledLine};
use crate::text::size;

/// Where there is no room, the last columns go.
const COLUMNS: [(&str, &str); 8] = [
    ("threads", ""),
    ("GB/s", "GB/s: 10⁹ bytes of message a second, median over samples"),
    ("speed-up", "speed-up: one thread's time of the same provider ÷ time, in the same rounds, ± its 95 % interval"),
    ("", ""),
    ("effic.", "effic.: speed-up ÷ threads"),
    ("share", "share: of the nearest limit, the ceiling that leaves it least room"),
    ("limit", ""),
    ("cold", "cold: opening the card, compiling the kernels and pinning memory, in ms; not in GB/s"),
];

/// The lines of all blocks, and what explains them to the legend.
pub(crate) fn parallel_blocks(records: &[Record], most: usize, legend: &mut Legend) -> Vec<StyledLine> {
    let contests = contests(records);
    if contests.is_empty() {
        return Vec::new();
    }
    let is_cold = contests.iter().flat_map(|contest| &contest.ways).any(|way| cold(way.record).is_some());
    let columns = &COLUMNS[..COLUMNS.len() - usize::from(!is_cold)];
    let mut blocks: Vec<FiguresBlock> = Vec::new();
    for (place, contest) in contests.iter().enumerate() {
        blocks.push(block(contest, columns.len()));
        // The ceilings stand once for each size, after its last cipher.
        if contests.get(place + 1).is_none_or(|next| next.bytes != contest.bytes) {
            blocks.extend(ceilings(records, contest.bytes, columns.len()));
        }
    }
    let (lines, lacking) = laid_out(&blocks, columns, most, legend);
    if lacking.contains(&true) {
        legend.mark(format!("{ABSENT} not known, or not measured"));
    }
    lines.into_iter().flat_map(|lines| [vec![StyledLine::default()], lines].concat()).collect()
}

fn block(contest: &Contest, columns: usize) -> FiguresBlock {
    let styles = std::iter::once(Style::Green).chain(std::iter::repeat(Style::Plain));
    let cells = contest.ways.iter().zip(styles).map(|(way, style)| row(way, columns, style)).collect();
    FiguresBlock { heading: format!("{}, {}", contest.title(), size(contest.bytes)), cells }
}

fn row(way: &Way, columns: usize, style: Style) -> CellFigures {
    let (cell, gain) = (&way.record.cell, way.gain.as_ref());
    let of_card = cell.form.is_of_card();
    let speed_up = gain.map(|gain| gain.speed_up);
    // One thread is what others are compared with, and a card has no threads.
    let none = || (of_card || cell.parameters.threads() == 1).then(String::new);
    let figures = vec![
        Some(if of_card { String::new() } else { cell.parameters.threads().to_string() }),
        Some(figure(way.rate)),
        speed_up.map(|speed_up| times(speed_up.mid)).or_else(none),
        speed_up.and_then(|speed_up| Some(plus_minus(speed_up.mid, speed_up.range?))).or_else(|| Some(String::new())),
        gain.map(|gain| percent(gain.efficiency.mid)).or_else(none),
        way.bound.map(|bound| percent(bound.share)),
        way.bound.map(|bound| bound.what.into()),
        cold(way.record).map(figure).or_else(|| Some(String::new())),
    ];
    let figures = figures.into_iter().take(columns).collect();
    let strategy =
        if is_software(way.record) { format!("{}: software", strategy(cell)) } else { strategy(cell).into() };
    CellFigures { algorithm: strategy, provider: cell.provider.clone(), figures, style }
}

/// What was measured beside the ciphers of that size.
fn ceilings(records: &[Record], bytes: u64, columns: usize) -> Option<FiguresBlock> {
    let of_size = |record: &&Record| {
        record.cell.algorithm.family() == Family::Ceiling && record.cell.parameters.message() == bytes
    };
    let mut found: Vec<(&Record, f64)> = records
        .iter()
        .filter(of_size)
        .filter_map(|record| Some((record, gb_per_s(&record.cell, measured(record)?.range)?.mid)))
        .collect();
    found.sort_by_key(|(record, _)| {
        (record.cell.form, record.cell.algorithm, record.cell.parameters.threads(), record.id)
    });
    let row = |(record, rate): (&Record, f64)| {
        let threads =
            if record.cell.form.is_of_card() { String::new() } else { record.cell.parameters.threads().to_string() };
        let figures = [Some(threads), Some(figure(rate))].into_iter();
        CellFigures {
            algorithm: format!("  {}", limit(&record.cell)),
            provider: record.cell.provider.clone(),
            figures: figures.chain(std::iter::repeat(Some(String::new()))).take(columns).collect(),
            style: Style::Dim,
        }
    };
    let heading = format!("what the machine allows, {}", size(bytes));
    (!found.is_empty()).then(|| FiguresBlock { heading, cells: found.into_iter().map(row).collect() })
}

/// Milliseconds before the first byte; `None` where nothing has to be opened.
pub(super) fn cold(record: &Record) -> Option<f64> {
    let parts = [Metric::CONTEXT, Metric::COMPILE, Metric::PIN];
    let each = |metric| range_of(&record.forks, None, |sample| sample.count(metric).map(|ns| ns as f64));
    let known: Vec<f64> = parts.into_iter().filter_map(each).map(|range| range.mid).collect();
    (!known.is_empty()).then(|| known.iter().sum::<f64>() / 1e6)
}

fn figure(figure: f64) -> String {
    format!("{figure:.*}", decimals(figure))
}
