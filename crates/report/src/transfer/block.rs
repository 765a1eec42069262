//! The table of transfers: for each size what moving a file takes beside what TCP and the cipher allow, and below it what it costs
//! either side.

use std::collections::BTreeMap;

use ciphermeter_core::{Form, Metric, Record, escaped};

use super::bound::{Bound, bounds};
use super::figures::{cpu_share, each, mb_per_s, most, over_samples};
use crate::block::doubt;
use crate::figure::{decimals, percent, plus_minus, times};
use crate::grid::{ABSENT, Block, Grid, Row};
use crate::group::{Entry, Standing};
use crate::layout::{Line, Style};
use crate::legend::Legend;
use crate::text::heading;

/// How fast it is. Where there is no room, the last columns go.
const SPEED: [(&str, &str); 6] = [
    ("ms", "ms: of one transfer, from its first byte to the receiver's authenticated receipt, median over samples"),
    ("MB/s", "MB/s: 10⁶ bytes of file a second"),
    ("ratio", "ratio: time ÷ the best's in the same rounds, ± its 95 % interval"),
    ("", ""),
    (
        "bound",
        "bound: 1 ÷ (1 ÷ tcp-plain + 1 ÷ seal), TCP without a cipher and the suite's fastest sealing one after the other, and each \
         one's share of it in the same rounds; its own row names who seals fastest",
    ),
    ("shake", "shake: from connecting until ready to send, in ms; not in the time"),
];

/// What it costs.
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
pub(crate) fn transfer_blocks(standings: &[Standing], precision: f64, most: usize, legend: &mut Legend) -> Vec<Line> {
    let blocks: Vec<(Block, Block)> = standings.iter().map(|standing| of(standing, precision)).collect();
    let speeds: Vec<&Row> = blocks.iter().flat_map(|(speed, _)| &speed.rows).collect();
    let costs: Vec<&Row> = blocks.iter().flat_map(|(_, cost)| &cost.rows).collect();
    if speeds.is_empty() {
        return Vec::new();
    }
    // Without a file there is nothing to sync.
    let written = standings.iter().any(|standing| standing.group.form == Form::File);
    let costs_shown = COST.len() - usize::from(!written);
    let speed = Grid::plan(&speeds, SPEED.map(|(name, _)| name).into(), most);
    let cost = Grid::plan(&costs, COST.iter().take(costs_shown).map(|(name, _)| *name).collect(), most);
    for (meanings, shown) in [(&SPEED[..], speed.shown()), (&COST[..], cost.shown())] {
        let said: Vec<_> = meanings.iter().take(shown).map(|(_, said)| *said).filter(|said| !said.is_empty()).collect();
        legend.mark(said.join("; "));
    }
    if speeds.iter().any(|row| row.figures.iter().flatten().any(|figure| figure.starts_with('~'))) {
        legend.mark(format!(
            "~ not settled to ±{:.0}% within the time: take its ratio with its interval",
            precision * 100.0
        ));
    }
    let absent =
        |rows: &[&Row], shown: usize| rows.iter().flat_map(|row| row.figures.iter().take(shown)).any(Option::is_none);
    if absent(&speeds, speed.shown()) || absent(&costs, cost.shown()) {
        legend.mark(format!("{ABSENT} not known: the worker doesn't report it"));
    }
    let lines = |(of_speed, of_cost): &(Block, Block)| {
        [vec![Line::default()], speed.lines(of_speed), cost.lines(of_cost)].concat()
    };
    blocks.iter().flat_map(lines).collect()
}

fn of(standing: &Standing, precision: f64) -> (Block, Block) {
    let all: BTreeMap<_, _> = bounds(standing).into_iter().map(|bound| (bound.algorithm, bound)).collect();
    let best = standing.entries.first().map(|entry| entry.record.id);
    let style = |entry: &Entry| if Some(entry.record.id) == best { Style::Green } else { Style::Plain };
    let bytes = standing.group.parameters.message();
    let mut speed: Vec<Row> = standing
        .entries
        .iter()
        .map(|entry| speed_row(entry, all.get(&entry.record.cell.algorithm), precision, style(entry)))
        .collect();
    speed.extend(standing.limits.iter().map(|entry| as_limit(speed_row(entry, None, precision, Style::Dim))));
    speed.extend(all.values().map(|bound| as_limit(bound_row(bound, bytes))));
    let mut cost: Vec<Row> = standing.entries.iter().map(|entry| cost_row(entry.record, style(entry))).collect();
    cost.extend(standing.limits.iter().map(|entry| as_limit(cost_row(entry.record, Style::Dim))));
    (Block { heading: heading(&standing.group), rows: speed }, Block { heading: String::new(), rows: cost })
}

fn speed_row(entry: &Entry, bound: Option<&Bound>, precision: f64, style: Style) -> Row {
    let (record, ns) = (entry.record, entry.summary.range.mid);
    let limit = style == Style::Dim;
    let ratio = entry.ratio.map(|ratio| times(ratio.mid)).unwrap_or_default();
    let doubt = if limit { String::new() } else { doubt(entry, precision) };
    let interval = entry.ratio.and_then(|ratio| Some(plus_minus(ratio.mid, ratio.range?))).filter(|_| !limit);
    Row {
        figures: vec![
            Some(figure(ns / 1e6)),
            Some(mb_per_s(record.cell.parameters.message(), ns).map(figure).unwrap_or_default()),
            Some(doubt + &ratio),
            Some(interval.unwrap_or_default()),
            Some(bound.and_then(|bound| bound.share(record)).map(|share| percent(share.mid)).unwrap_or_default()),
            each(record, Metric::HANDSHAKE).map(|ns| figure(ns / 1e6)),
        ],
        ..names(record, style)
    }
}

fn bound_row(bound: &Bound, bytes: u64) -> Row {
    let rate = mb_per_s(bytes, bound.ns).map(figure).unwrap_or_default();
    // Whose sealing it is may differ from block to block, and with it what is compared with.
    let figures = [figure(bound.ns / 1e6), rate, String::new(), String::new(), escaped(bound.sealer()), String::new()];
    Row {
        algorithm: bound.algorithm.to_string(),
        provider: "bound".into(),
        figures: figures.map(Some).into(),
        style: Style::Dim,
    }
}

fn cost_row(record: &Record, style: Style) -> Row {
    let cpu =
        |metric| over_samples(record, |sample| cpu_share(sample, metric)).map(|share| format!("{:.0}%", share * 100.0));
    let mib = |metric| most(record, metric).map(|bytes| figure(bytes as f64 / f64::from(1 << 20)));
    let bytes = record.cell.parameters.message();
    let rate = |metric| {
        let rate =
            each(record, metric).map(|ns| mb_per_s(bytes, ns).map(|rate| figure(rate / 1e3)).unwrap_or_default());
        // A ceiling seals nothing.
        if style == Style::Dim { rate.or_else(|| Some(String::new())) } else { rate }
    };
    let durable = each(record, Metric::DURABLE).map(|ns| figure(ns / 1e6));
    let discards = record.cell.form == Form::Discard;
    Row {
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

fn names(record: &Record, style: Style) -> Row {
    let (algorithm, provider) = (record.cell.algorithm.to_string(), escaped(&record.cell.provider));
    Row { algorithm, provider, figures: Vec::new(), style }
}

/// What nobody can beat stands apart.
fn as_limit(row: Row) -> Row {
    Row { algorithm: format!("  {}", row.algorithm), ..row }
}

fn figure(figure: f64) -> String {
    format!("{figure:.*}", decimals(figure))
}
