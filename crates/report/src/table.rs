//! The table for a terminal: group by group, fastest first, everything beside what it is compared with.

use std::collections::BTreeMap;

use ciphermeter_core::{Kind, Outcome, Record, Run, Share, escaped};
use ciphermeter_estimate::figures;

use crate::block::Block;
use crate::group::{Standing, standings};
use crate::layout::{Columns, IN_TURN, Line, SEVERAL, Style};
use crate::legend::Legend;
use crate::measured::measured;
use crate::memory_block::memory_blocks;
use crate::other_metrics::{metric_blocks, other_metrics};
use crate::single_calls::single_calls;
use crate::sustained::page;
use crate::text::{heading, masked, wrap};
use crate::transfer::transfer_blocks;

/// How a table may look.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// Columns of the terminal; no line is longer. Less than 40 is taken as 40.
    pub width: usize,
    /// Whether ANSI colors are wanted.
    pub color: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self { width: 80, color: false }
    }
}

/// The run's table, each line ended by a newline.
pub fn table(run: &Run, records: &[Record], look: Look) -> String {
    let width = look.width.max(40);
    let standings = standings(records);
    let mut lines = title(run, width);
    if run.scenario.kind == Kind::Sustained {
        lines.extend(records.iter().flat_map(|record| page(run, record, width)));
        lines.extend(left_out(records.iter().filter(|record| record.outcome != Outcome::Measured), width));
        return lines.iter().map(|line| line.text(width, look.color) + "\n").collect();
    }
    let mut legend = Legend::default();
    lines.extend(match run.scenario.kind {
        Kind::Message => call_blocks(&standings, run.scenario.precision, width, &mut legend),
        Kind::Transfer | Kind::Sustained => transfer_blocks(&standings, run.scenario.precision.0, width, &mut legend),
    });
    let others = metric_blocks(run, records, width);
    if standings.is_empty() && others.is_empty() {
        lines.extend([Line::default(), Line::of("Nothing was measured.", Style::Plain)]);
    }
    lines.extend(single_calls(&standings, width, &mut legend));
    lines.extend(memory_blocks(&standings, width, &mut legend));
    lines.extend(others);
    let has_figures = |record: &&Record| {
        measured(record).is_some() || other_metrics(run).any(|metric| figures(record, metric).is_some())
    };
    lines.extend(left_out(records.iter().filter(|record| !has_figures(record)), width));
    lines.extend(legend.lines(width));
    lines.iter().map(|line| line.text(width, look.color) + "\n").collect()
}

/// The lines of all groups of calls, and what explains them to the legend.
fn call_blocks(standings: &[Standing], precision: Share, width: usize, legend: &mut Legend) -> Vec<Line> {
    let blocks = standings.iter().map(|standing| Block::of(standing, precision.0));
    let (several, in_turn): (Vec<_>, Vec<_>) = blocks.partition(|block| block.several);
    let mut lines = Vec::new();
    for (blocks, steps) in [(in_turn, &IN_TURN), (several, &SEVERAL)] {
        let columns = Columns::plan(blocks.iter().flat_map(Block::all_rows), width, steps);
        for block in &blocks {
            lines.push(Line::default());
            block.write(&mut lines, columns);
        }
        legend.explain(&blocks, columns, precision);
    }
    lines
}

fn title(run: &Run, width: usize) -> Vec<Line> {
    let cpu = run.host.iter().find(|fact| fact.name == "cpu").and_then(|fact| fact.value.as_deref());
    let on = cpu.map(|cpu| format!(", on {}", escaped(cpu))).unwrap_or_default();
    let (name, started) = (escaped(&run.scenario.name), escaped(&run.started));
    let title = format!("run {}: {name}, {started}, {}{on}{}", run.id, run.status, masked(run));
    wrap(&title, width, 2).into_iter().map(|line| Line::of(line, Style::Plain)).collect()
}

/// What has no row, with the reason; cells of one algorithm with the same reason are one line.
fn left_out<'a>(records: impl Iterator<Item = &'a Record>, width: usize) -> Vec<Line> {
    let mut reasons = BTreeMap::<_, (&Record, usize)>::new();
    for record in records {
        let (rank, word, why) = match &record.outcome {
            Outcome::WrongOutput { why } => (0, "WRONG OUTPUT", why.as_str()),
            Outcome::Failed { why } => (1, "failed", why.as_str()),
            Outcome::Unsupported { why } => (2, "unsupported", why.as_str()),
            Outcome::Measured => {
                (3, "no sample", "the run ended before its first round; `ciphermeter run --resume` goes on")
            }
        };
        let key = (rank, word, &record.cell.provider, record.cell.algorithm, why);
        reasons.entry(key).or_insert((record, 0)).1 += 1;
    }
    let mut lines = Vec::new();
    if !reasons.is_empty() {
        lines.extend([Line::default(), Line::of("not measured", Style::Bold)]);
    }
    for ((rank, word, provider, algorithm, why), (first, cells)) in reasons {
        let place = match cells {
            1 => heading(&first.cell.group()),
            cells => format!("{cells} cells"),
        };
        let text = format!("{word}: {} {algorithm}, {place}: {}", escaped(provider), escaped(why));
        let style = if rank == 0 { Style::Red } else { Style::Plain };
        lines.extend(wrap(&text, width, 4).into_iter().map(|line| Line::of(line, style)));
    }
    lines
}
