//! The table's blocks on devices: a block for each device, operation and size, a row for each cipher of each provider, the cheapest first.

use std::collections::BTreeMap;

use ciphermeter_core::{Group, Metric, Outcome, Record, SampleRange};
use ciphermeter_estimate::{self as estimate, counted, most as most_of};

use crate::figures_block::{CellFigures, FiguresBlock, laid_out};
use crate::legend::Legend;
use crate::styled_line::{Style, StyledLine};
use ciphermeter_answer::devices::{Board, Footprint, Scale, Unit, boards, cost, provider};
use ciphermeter_answer::words::{bytes, heading, percent, ratio_columns, times};

/// The columns in their order, each with what it means; where there is no room, the last go first.
const COLUMNS: [(&str, &str); 9] = [
    ("a call", "a call: of one message, in the heading's unit; of times the median over samples, of counts over forks"),
    ("a byte", "a byte: the same ÷ bytes of message"),
    ("ratio", "ratio: ÷ the cheapest's"),
    ("±", "±: its 95 % interval"),
    ("stack", "stack: the most that the timed calls used"),
    ("state", "state: the library's objects in RAM, without the message"),
    ("flash", "flash: code and constant tables of the algorithm"),
    ("charge", "charge: of a call, by the meter"),
    ("path", "path: the code path"),
];

/// The lines of all devices, and what explains them to the legend.
pub(crate) fn device_blocks(records: &[Record], width: usize, legend: &mut Legend) -> Vec<StyledLine> {
    let boards = boards(records);
    let blocks: Vec<FiguresBlock> = boards.iter().flat_map(blocks_of).collect();
    if blocks.is_empty() {
        return Vec::new();
    }
    let (columns, blocks) = shown(blocks);
    let (lines, _) = laid_out(&blocks, &columns, width, legend);
    explain(&boards, legend);
    lines.concat()
}

/// The columns in which any cell has anything.
fn shown(mut blocks: Vec<FiguresBlock>) -> (Vec<(&'static str, &'static str)>, Vec<FiguresBlock>) {
    let has = |figure: &Option<String>| figure.as_ref().is_some_and(|text| !text.is_empty());
    let cells = || blocks.iter().flat_map(|block| &block.cells);
    let kept: Vec<bool> = (0..COLUMNS.len()).map(|place| cells().any(|cell| has(&cell.figures[place]))).collect();
    for cell in blocks.iter_mut().flat_map(|block| &mut block.cells) {
        let mut places = kept.iter();
        cell.figures.retain(|_| places.next() == Some(&true));
    }
    let columns = COLUMNS.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(column, _)| *column);
    (columns.collect(), blocks)
}

fn blocks_of(board: &Board) -> Vec<FiguresBlock> {
    let mut groups = BTreeMap::<_, Vec<(&Record, SampleRange)>>::new();
    for record in &board.records {
        let Some(cost) = cost(record) else { continue };
        let group = record.cell.group();
        let sizes = (group.parameters.message(), group.parameters.aad());
        groups.entry((group.operation, group.form, sizes, group)).or_default().push((record, cost));
    }
    groups.into_iter().map(|((.., group), members)| block(board, &group, members)).collect()
}

fn block(board: &Board, group: &Group, mut members: Vec<(&Record, SampleRange)>) -> FiguresBlock {
    members.sort_by(|(a, x), (b, y)| x.mid.total_cmp(&y.mid).then(a.id.cmp(&b.id)));
    let is_cipher = |record: &Record| !record.cell.algorithm.is_ceiling();
    let best = members.iter().find(|(record, _)| is_cipher(record)).copied();
    let cells = members.iter().map(|(record, cost)| figures(board, record, *cost, best)).collect();
    FiguresBlock { heading: format!("{}: {}", heading(group), board.unit.as_str()), cells }
}

fn figures(board: &Board, record: &Record, cost: SampleRange, best: Option<(&Record, SampleRange)>) -> CellFigures {
    let (cell, footprint) = (&record.cell, Footprint::of(record));
    let is_best = best.is_some_and(|(best, _)| best.id == record.id);
    // Of counts that differ between forks, the last digits say nothing.
    let mark = if board.unit.is_time() || cost.low == cost.high { "" } else { "~" };
    let ratio = best.filter(|_| !is_best).and_then(|(best, least)| match board.unit {
        Unit::Time(_) => estimate::ratio(record, best).map(ratio_columns),
        Unit::Count(_) => Some((times(cost.mid / least.mid), String::new())),
    });
    let (ratio, interval) = if is_best { (times(1.0), String::new()) } else { ratio.unwrap_or_default() };
    let known = |figure: Option<u64>| Some(figure.map_or("–".into(), bytes));
    CellFigures {
        algorithm: cell.algorithm.to_string(),
        provider: provider(record),
        style: if is_best { Style::Green } else { Style::Plain },
        figures: vec![
            Some(format!("{mark}{}", board.unit.text(cost.mid))),
            Some(board.unit.per_byte(cost.mid, cell.parameters.message()).unwrap_or_default()),
            Some(ratio),
            Some(interval),
            known(footprint.stack),
            known(footprint.state),
            known(footprint.code),
            Some(footprint.charged().unwrap_or_default()),
            Some(record.provenance.as_ref().map(|from| from.path.clone()).unwrap_or_default()),
        ],
    }
}

/// What a device is, where its code lies, and how far its forks lie apart.
fn explain(boards: &[Board], legend: &mut Legend) {
    for board in boards.iter().filter(|board| !board.what().is_empty()) {
        legend.mark(format!("{}: {}", board.name, board.what()));
    }
    let spread = |record: &Record| match Unit::of(record) {
        Unit::Count(counts) => counted(record, counts.metric()).map(|counted| counted.spread()),
        Unit::Time(_) => None,
    };
    let records = || boards.iter().flat_map(|board| &board.records);
    let apart = records().filter_map(|record| spread(record)).fold(0.0, f64::max);
    if apart > 0.0 {
        legend.mark(format!("~ samples counted differently, by up to {}", percent(apart)));
    }
    if records().any(|record| Unit::of(record) != Unit::Time(Scale::Nanoseconds)) {
        legend.mark("counts are not times: they say nothing about wait states, caches or accelerators".into());
    }
    let unsaid = |record: &Record| record.outcome == Outcome::Measured && most_of(record, Metric::STACK).is_none();
    if records().any(|record| cost(record).is_some() && unsaid(record)) {
        legend.mark("– not known: the worker does not report it".into());
    }
}
