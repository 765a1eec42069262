//! The table of transfers: for each size what moving a file takes beside what TCP and the cipher allow, and below it what it costs
//! either side.

use std::collections::BTreeMap;

use ciphermeter_core::{Form, Metric, Record};

use crate::block::doubt;
use crate::figures_block::{ABSENT, CellFigures, FiguresBlock, laid_out};
use crate::legend::Legend;
use crate::styled_line::{Style, StyledLine};
use ciphermeter_answer::group::{Entry, Standing};
use ciphermeter_answer::transfers::{Bound, bounds, cpu_share, each, mb_per_s, over_samples};
use ciphermeter_answer::words::{digits, heading, percent, ratio_columns, times};
use ciphermeter_estimate::most as most_of;

/// How fast it is. Where there is no room, the last columns go.
const SPEED: [(&str, &str); 6] = [
    ("ms", "ms: of one transfer, from its first byte to the receiver's authenticated receipt, median over samples"),
    ("MB/s", "MB/s: 10⁶ bytes of file a second"),
    ("ratio", "ratio: time ÷ the best's in the same rounds; ±: 95 % for all rows of a block at once"),
    ("", ""),
    (
        "bound",
        "bound: 1 ÷ (1 ÷ tcp-plain + 1 ÷ seal), TCP without a cipher and the suite's fastest sealing one after the other, and each \
         one's share of it in the same rounds; its own row names who seals fastest",
    ),
    ("shake", "shake: from connecting until ready to send, in ms; not in the time"),
];

const COST: [(&str, &str); 7] = [
    ("sendCPU", "sendCPU, recvCPU: CPU time of the sender and of the receiver ÷ time, 100 % is one CPU"),
    ("recvCPU", ""),
    ("sendMiB", "sendMiB, recvMiB: the most that was resident in either"),
    ("recvMiB", ""),
    ("seal", "seal, open: GB/s inside the cipher's calls alone"),
    ("open", ""),
    ("durable", "durable: from the first byte until the receiver has synced the file, in ms"),
];

/// The lines of all blocks, and what explains them to the legend.
pub(crate) fn transfer_blocks(
    standings: &[Standing],
    precision: f64,
    most: usize,
    legend: &mut Legend,
) -> Vec<StyledLine> {
    if standings.is_empty() {
        return Vec::new();
    }
    // Without a file there is nothing to sync.
    let written = standings.iter().any(|standing| standing.group.form == Form::File);
    let costs_shown = COST.len() - usize::from(!written);
    let speeds: Vec<FiguresBlock> = standings.iter().map(|standing| speeds(standing, precision)).collect();
    let costs: Vec<FiguresBlock> = standings.iter().map(costs).collect();
    let (speed_lines, speeds_lacking) = laid_out(&speeds, &SPEED, most, legend);
    let (cost_lines, costs_lacking) = laid_out(&costs, &COST[..costs_shown], most, legend);
    if standings.iter().any(|standing| standing.group.form == Form::Disk) {
        legend.mark("disk: ms is for writing it and reading it back, seal for the writes, open for the reads".into());
    }
    let is_doubted = |cell: &CellFigures| cell.figures.iter().flatten().any(|figure| figure.starts_with('~'));
    if speeds.iter().flat_map(|block| &block.cells).any(is_doubted) {
        legend.mark(format!(
            "~ not settled to ±{} within the time: take its ratio with its interval",
            percent(precision)
        ));
    }
    if [speeds_lacking, costs_lacking].concat().contains(&true) {
        legend.mark(format!("{ABSENT} not known: the worker doesn't report it"));
    }
    speed_lines.into_iter().zip(cost_lines).flat_map(|(speed, cost)| [speed, cost].concat()).collect()
}

/// The cells of a group, the best green and the limits dim.
fn styled<'a>(standing: &'a Standing<'a>) -> impl Iterator<Item = (&'a Entry<'a>, Style)> {
    let styles = std::iter::once(Style::Green).chain(std::iter::repeat(Style::Plain));
    standing.entries.iter().zip(styles).chain(standing.limits.iter().map(|entry| (entry, Style::Dim)))
}

fn speeds(standing: &Standing, precision: f64) -> FiguresBlock {
    let bounds: BTreeMap<_, _> = bounds(standing).into_iter().map(|bound| (bound.algorithm, bound)).collect();
    let bound = |entry: &Entry| bounds.get(&entry.record.cell.algorithm);
    let cells = styled(standing).map(|(entry, style)| speed(entry, bound(entry), precision, style));
    let bytes = standing.group.parameters.message();
    let cells = cells.chain(bounds.values().map(|bound| bound_speed(bound, bytes))).collect();
    FiguresBlock { heading: heading(&standing.group), cells }
}

fn costs(standing: &Standing) -> FiguresBlock {
    let cells = styled(standing).map(|(entry, style)| cost(entry.record, style)).collect();
    FiguresBlock { heading: String::new(), cells }
}

fn speed(entry: &Entry, bound: Option<&Bound>, precision: f64, style: Style) -> CellFigures {
    let (record, ns) = (entry.record, entry.summary.range.mid);
    let limit = style == Style::Dim;
    let (ratio, interval) = match entry.ratio {
        Some(ratio) if limit => (times(ratio.mid), String::new()),
        ratio => ratio.map(ratio_columns).unwrap_or_default(),
    };
    let doubt = if limit { "" } else { doubt(entry, precision) };
    CellFigures {
        figures: vec![
            Some(digits(ns / 1e6)),
            Some(mb_per_s(record.cell.parameters.message(), ns).map(digits).unwrap_or_default()),
            Some(format!("{doubt}{ratio}")),
            Some(interval),
            Some(bound.and_then(|bound| bound.share(record)).map(|share| percent(share.mid)).unwrap_or_default()),
            each(record, Metric::HANDSHAKE).map(|ns| digits(ns / 1e6)),
        ],
        ..names(record, style)
    }
}

fn bound_speed(bound: &Bound, bytes: u64) -> CellFigures {
    let rate = mb_per_s(bytes, bound.ns).map(digits).unwrap_or_default();
    // Whose sealing it is may differ from block to block, and with it what is compared with.
    let figures =
        [digits(bound.ns / 1e6), rate, String::new(), String::new(), bound.sealer().to_owned(), String::new()];
    CellFigures {
        algorithm: format!("  {}", bound.algorithm),
        provider: "bound".into(),
        figures: figures.map(Some).into(),
        style: Style::Dim,
    }
}

fn cost(record: &Record, style: Style) -> CellFigures {
    let cpu = |metric| {
        over_samples(record, |sample| cpu_share(sample, metric)).map(|share| format!("{:.0} %", share * 100.0))
    };
    let mib = |metric| most_of(record, metric).map(|bytes| digits(bytes as f64 / f64::from(1 << 20)));
    let bytes = record.cell.parameters.message();
    let rate = |metric| {
        let rate =
            each(record, metric).map(|ns| mb_per_s(bytes, ns).map(|rate| digits(rate / 1e3)).unwrap_or_default());
        // A ceiling seals nothing.
        if style == Style::Dim { rate.or_else(|| Some(String::new())) } else { rate }
    };
    let durable = each(record, Metric::DURABLE).map(|ns| digits(ns / 1e6));
    let discards = record.cell.form == Form::Discard;
    CellFigures {
        figures: vec![
            cpu(Metric::CPU_NS),
            cpu(Metric::PEER_CPU_NS),
            mib(Metric::PEAK_RSS),
            mib(Metric::PEER_PEAK_RSS),
            rate(Metric::SEAL),
            rate(Metric::OPEN),
            if discards { Some(String::new()) } else { durable },
        ],
        ..names(record, style)
    }
}

fn names(record: &Record, style: Style) -> CellFigures {
    // What no provider can beat stands apart.
    let indent = if style == Style::Dim { "  " } else { "" };
    let algorithm = format!("{indent}{}", record.cell.algorithm);
    CellFigures { algorithm, provider: record.cell.provider.clone(), figures: Vec::new(), style }
}
