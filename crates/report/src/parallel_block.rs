//! The table of how a long message scales: for each size and cipher every way, and below it what the machine allows.

use std::collections::BTreeSet;

use ciphermeter_core::{Limits, Metric, Record, Run};
use ciphermeter_estimate::range_of;

use crate::figures_block::{ABSENT, CellFigures, FiguresBlock, laid_out};
use crate::legend::Legend;
use crate::styled_line::{Style, StyledLine};
use ciphermeter_answer::parallel::{
    OpenmpPair, SplitMessage, Way, is_software, limit, messages, openmp_pairs, provider, strategy, threads,
};
use ciphermeter_answer::rate::rate;
use ciphermeter_answer::words::{digits, listed, percent, plus_minus, ratio_columns, size};

/// Where there is no room, the last columns go.
const COLUMNS: [(&str, &str); 11] = [
    ("threads", ""),
    ("GB/s", "GB/s: 10⁹ bytes of message a second, median over samples"),
    ("speed-up", "speed-up: one thread's time of the same provider ÷ time, in the same rounds, ± its 95 % interval"),
    ("", ""),
    ("effic.", "effic.: speed-up ÷ threads"),
    (
        "share",
        "share: of the nearest limit, the ceiling that leaves it least room, in the same rounds; over 100 % where the ceiling's own loop was the slower one",
    ),
    ("J/GB", "J/GB: joules for 10⁹ bytes, the mean power while it ran ÷ GB/s, ± the 95 % interval of both"),
    ("", ""),
    ("net", "net: J/GB above what the machine draws at rest"),
    ("limit", ""),
    ("cold", "cold: opening the card, compiling the kernels and pinning memory, in ms; not in GB/s"),
];

/// The lines of all blocks, and what explains them to the legend.
pub(crate) fn parallel_blocks(run: &Run, records: &[Record], most: usize, legend: &mut Legend) -> Vec<StyledLine> {
    let messages = messages(run, records);
    if messages.is_empty() {
        return Vec::new();
    }
    let ways = || messages.iter().flat_map(|message| &message.ways);
    let shown =
        Shown { energy: ways().any(|way| way.energy.is_some()), cold: ways().any(|way| cold(way.record).is_some()) };
    let columns = shown.of(COLUMNS);
    let mut blocks: Vec<FiguresBlock> = Vec::new();
    for (place, message) in messages.iter().enumerate() {
        blocks.push(block(message, shown));
        // The ceilings stand once for each size, after its last cipher.
        if messages.get(place + 1).is_none_or(|next| next.bytes != message.bytes) {
            blocks.extend(ceilings(records, message.bytes, shown));
        }
    }
    let (lines, lacking) = laid_out(&blocks, &columns, most, legend);
    let covers: BTreeSet<&str> = ways().filter_map(|way| Some(way.energy.as_ref()?.covers.as_str())).collect();
    if !covers.is_empty() {
        let covers: Vec<String> = covers.into_iter().map(|covers| format!("the {covers}")).collect();
        legend.mark(format!("energy was counted by {}", listed(&covers)));
    }
    if ways().any(|way| is_software(way.record)) {
        legend.mark(format!("{PLAYED} software emulation, not a graphics card"));
    }
    let beside: Vec<String> = openmp_pairs(records).iter().map(OpenmpPair::in_full).collect();
    if !beside.is_empty() {
        legend.mark(format!("OpenMP's speed ÷ that of threads: {}", beside.join("; ")));
    }
    if ways().any(|way| provider(&way.record.cell) == "built-in") {
        legend.mark("built-in: XOR by this program, from its provider `ceiling`".into());
    }
    if lacking.contains(&true) {
        legend.mark(format!(
            "{ABSENT} not known, not measured, or a limit that the way passes by over 5 %, so that it is none"
        ));
    }
    lines.concat()
}

/// Behind what says nothing of cards.
const PLAYED: &str = "*";

/// Which of the columns that not every machine has are there.
#[derive(Clone, Copy)]
struct Shown {
    energy: bool,
    cold: bool,
}

impl Shown {
    /// Of all columns, or of a row's figures in them.
    fn of<T>(self, all: [T; COLUMNS.len()]) -> Vec<T> {
        let is_shown = |place: usize| match COLUMNS.len() - place {
            1 => self.cold,
            3..=5 => self.energy,
            _ => true,
        };
        all.into_iter().enumerate().filter(|(place, _)| is_shown(*place)).map(|(_, figure)| figure).collect()
    }
}

fn block(message: &SplitMessage, shown: Shown) -> FiguresBlock {
    let styles = std::iter::once(Style::Green).chain(std::iter::repeat(Style::Plain));
    let cells = message.ways.iter().zip(styles).map(|(way, style)| row(way, shown, style)).collect();
    FiguresBlock { heading: format!("{}, {}", message.title(), size(message.bytes)), cells }
}

fn row(way: &Way, shown: Shown, style: Style) -> CellFigures {
    let (cell, gain) = (&way.record.cell, way.gain.as_ref());
    let of_card = cell.form.is_of_card();
    let speed_up = gain.map(|gain| ratio_columns(gain.speed_up));
    // One thread is what others are compared with, and a card has no threads.
    let none = || (of_card || cell.parameters.threads() == 1).then(String::new);
    let energy = way.energy.as_ref();
    let figures = [
        Some(threads(cell)),
        Some(digits(way.rate)),
        speed_up.clone().map(|(times, _)| times).or_else(none),
        speed_up.map(|(_, interval)| interval).or_else(|| Some(String::new())),
        gain.map(|gain| percent(gain.efficiency.mid)).or_else(none),
        way.bound.map(|bound| percent(bound.share)),
        energy.map(|energy| digits(energy.joules)),
        energy.and_then(|energy| Some(plus_minus(energy.joules, energy.range?))).or_else(|| Some(String::new())),
        energy.and_then(|energy| Some(digits(energy.above_idle?))),
        way.bound.map(|bound| bound.what.into()),
        cold(way.record).map(digits).or_else(|| Some(String::new())),
    ];
    let figures = shown.of(figures);
    let strategy = if is_software(way.record) { format!("{} {PLAYED}", strategy(cell)) } else { strategy(cell).into() };
    CellFigures { algorithm: strategy, provider: provider(cell), figures, style }
}

/// What was measured beside the ciphers of that size.
fn ceilings(records: &[Record], bytes: u64, shown: Shown) -> Option<FiguresBlock> {
    let of_size = |record: &&Record| record.cell.algorithm.is_ceiling() && record.cell.parameters.message() == bytes;
    let mut found: Vec<(&Record, f64)> =
        records.iter().filter(of_size).filter_map(|record| Some((record, rate(record)?))).collect();
    found.sort_by_key(|(record, _)| {
        (record.cell.form, record.cell.algorithm, record.cell.parameters.threads(), record.id)
    });
    let row = |(record, rate): (&Record, f64)| {
        let mut figures = [const { Some(String::new()) }; COLUMNS.len()];
        (figures[0], figures[1]) = (Some(threads(&record.cell)), Some(digits(rate)));
        CellFigures {
            algorithm: format!("  {}", limit(&record.cell)),
            provider: record.cell.provider.clone(),
            figures: shown.of(figures),
            style: Style::Dim,
        }
    };
    let heading = format!("what the machine allows, {}", size(bytes));
    (!found.is_empty()).then(|| FiguresBlock { heading, cells: found.into_iter().map(row).collect() })
}

/// Milliseconds before the first byte; `None` where nothing has to be opened.
pub(super) fn cold(record: &Record) -> Option<f64> {
    let parts = [Metric::CONTEXT, Metric::COMPILE, Metric::PIN];
    let each = |metric| range_of(&record.forks, &Limits::default(), |sample| sample.count(metric).map(|ns| ns as f64));
    let known: Vec<f64> = parts.into_iter().filter_map(each).map(|range| range.mid).collect();
    (!known.is_empty()).then(|| known.iter().sum::<f64>() / 1e6)
}
