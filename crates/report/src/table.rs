//! The table for a terminal: group by group, fastest first, everything beside what it is compared with.

use std::collections::BTreeMap;

use ciphermeter_core::{Kind, Outcome, Record, Run, RunStatus, escaped};
use ciphermeter_estimate::figures;

use crate::block::call_blocks;
use crate::group::standings;
use crate::legend::Legend;
use crate::measured::measured;
use crate::memory_block::memory_blocks;
use crate::other_metrics::{metric_blocks, other_metrics};
use crate::parallel::parallel_blocks;
use crate::single_calls::single_calls;
use crate::styled_line::{Style, StyledLine, TableOptions};
use crate::sustained::page;
use crate::text::{heading, masked};
use crate::transfer::transfer_blocks;

/// The run's table, each line ended by a newline.
pub fn table(run: &Run, records: &[Record], options: TableOptions) -> String {
    let width = options.columns();
    let standings = standings(records);
    let mut lines = title(run, width);
    if run.scenario.kind == Kind::Sustained {
        lines.extend(records.iter().flat_map(|record| page(run, record, width)));
        lines.extend(metric_blocks(run, records, width));
        lines.extend(left_out(run, records.iter().filter(|record| record.outcome != Outcome::Measured), width));
        return options.print(&lines);
    }
    let mut legend = Legend::default();
    lines.extend(match run.scenario.kind {
        Kind::Parallel => parallel_blocks(records, width, &mut legend),
        Kind::Transfer => transfer_blocks(&standings, run.scenario.precision.0, width, &mut legend),
        _ => call_blocks(&standings, run.scenario.precision, width, &mut legend),
    });
    let others = metric_blocks(run, records, width);
    if standings.is_empty() && others.is_empty() {
        lines.extend([StyledLine::default(), StyledLine::new("Nothing was measured.", Style::Plain)]);
    }
    lines.extend(single_calls(&standings, width, &mut legend));
    lines.extend(memory_blocks(&standings, width, &mut legend));
    lines.extend(others);
    let is_shown = |record: &&Record| {
        measured(record).is_some() || other_metrics(run).any(|metric| figures(record, metric).is_some())
    };
    lines.extend(left_out(run, records.iter().filter(|record| !is_shown(record)), width));
    lines.extend(legend.lines(width));
    options.print(&lines)
}

fn title(run: &Run, width: usize) -> Vec<StyledLine> {
    let cpu = run.fact("cpu");
    let on = cpu.map(|cpu| format!(", on {}", escaped(cpu))).unwrap_or_default();
    let (name, started) = (escaped(&run.scenario.name), escaped(&run.started));
    let title = format!("run {}: {name}, {started}, {}{on}{}", run.id, run.status, masked(run));
    StyledLine::wrapped(&title, width, 2, Style::Plain)
}

/// What has no row, with the reason; cells of one algorithm with the same reason are one line.
fn left_out<'a>(run: &Run, records: impl Iterator<Item = &'a Record>, width: usize) -> Vec<StyledLine> {
    let mut reasons = BTreeMap::<_, (&Record, usize)>::new();
    for record in records {
        let (rank, word, why) = match &record.outcome {
            Outcome::WrongOutput { why } => (0, "WRONG OUTPUT", why.as_str()),
            Outcome::Failed { why } => (1, "failed", why.as_str()),
            Outcome::Unsupported { why } => (2, "unsupported", why.as_str()),
            Outcome::Measured => (3, "no sample", without_samples(run)),
        };
        let key = (rank, word, &record.cell.provider, record.cell.algorithm, why);
        reasons.entry(key).or_insert((record, 0)).1 += 1;
    }
    let mut lines = Vec::new();
    if !reasons.is_empty() {
        lines.extend([StyledLine::default(), StyledLine::new("not measured", Style::Bold)]);
    }
    for ((rank, word, provider, algorithm, why), (first, cells)) in reasons {
        let place = match cells {
            1 => heading(&first.cell.group()),
            cells => format!("{cells} cells"),
        };
        let text = format!("{word}: {} {algorithm}, {place}: {}", escaped(provider), escaped(why));
        let style = if rank == 0 { Style::Red } else { Style::Plain };
        lines.extend(StyledLine::wrapped(&text, width, 4, style));
    }
    lines
}

fn without_samples(run: &Run) -> &'static str {
    match (run.status, run.scenario.kind) {
        (RunStatus::Complete | RunStatus::Partial, _) => {
            "nothing of it can be shown here; `ciphermeter export` writes what there is"
        }
        (_, Kind::Sustained) => "the run ended before its first step",
        _ => "the run ended before its first round; `ciphermeter run --resume` continues it",
    }
}
