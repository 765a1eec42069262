//! The table for a terminal: group by group, fastest first, everything beside what it is compared with.

use std::collections::BTreeMap;

use ciphermeter_core::{Outcome, Record, Run, RunStatus, escaped};

use crate::device_block::device_blocks;
use crate::kinds::{self, ShownKind};
use crate::legend::Legend;
use crate::memory_block::memory_blocks;
use crate::other_metrics::metric_blocks;
use crate::single_calls::single_calls;
use crate::styled_line::{Style, StyledLine, TableOptions};
use ciphermeter_answer::group::{Standing, standings};
use ciphermeter_answer::left_out::cells_in_words;
use ciphermeter_answer::regression::Stored;
use ciphermeter_answer::words::masked;

/// The run's table, each line ended by a newline.
pub fn table(run: &Run, records: &[Record], options: TableOptions) -> String {
    let width = options.columns();
    // Devices have blocks of their own: their counts are no rates.
    let (on_devices, standings): (Vec<Standing>, Vec<Standing>) =
        standings(records).into_iter().partition(|standing| standing.group.parameters.device().is_some());
    let mut lines = title(run, width);
    let kind = kinds::of(run, records);
    let mut legend = Legend::default();
    // What was asked for with --device stands before the hundreds of rows of this machine.
    let devices = device_blocks(records, width, &mut legend);
    let has_devices = !devices.is_empty();
    lines.extend(devices);
    let blocks = kind.blocks(Stored { run, records }, &standings, width, &mut legend);
    let others = metric_blocks(run, records, width);
    if standings.is_empty() && blocks.is_empty() && !has_devices && others.is_empty() {
        lines.extend([StyledLine::default(), StyledLine::new("Nothing was measured.", Style::Plain)]);
    }
    lines.extend(blocks);
    lines.extend(single_calls(&standings, width, &mut legend));
    lines.extend(single_calls(&on_devices, width, &mut legend));
    lines.extend(memory_blocks(&standings, width, &mut legend));
    lines.extend(others);
    lines.extend(left_out(run, records, width));
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

/// What has no row, with the reason. Cells of one algorithm with the same reason are one line, and so are cells of several providers
/// that were refused for the same reason.
fn left_out(run: &Run, records: &[Record], width: usize) -> Vec<StyledLine> {
    let kind = kinds::of(run, records);
    let unsampled = without_samples(run, kind);
    let mut reasons = BTreeMap::<_, Vec<&Record>>::new();
    for record in records.iter().filter(|record| !kind.has_row(run, record)) {
        let rank = match &record.outcome {
            Outcome::WrongOutput { .. } => 0,
            Outcome::Failed { .. } => 1,
            Outcome::Unsupported { .. } => 2,
            Outcome::LeftOut(_) => 3,
            Outcome::Measured => 4,
        };
        let why = record.in_words().unwrap_or_else(|| format!("no sample: {unsampled}"));
        let own = (rank < 2).then_some((&record.cell.provider, record.cell.algorithm));
        reasons.entry((rank, own, why)).or_default().push(record);
    }
    let mut lines = Vec::new();
    if !reasons.is_empty() {
        lines.extend([StyledLine::default(), StyledLine::new("not measured", Style::Bold)]);
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|((rank, ..), of)| (*rank, of[0].id));
    for ((rank, _, why), of) in reasons {
        let (word, why) = why.split_once(": ").unwrap_or_default();
        let text = format!("{word}: {}: {}", cells_in_words(&of, usize::MAX), escaped(why));
        let style = if rank == 0 { Style::Red } else { Style::Plain };
        lines.extend(StyledLine::wrapped(&text, width, 4, style));
    }
    lines
}

fn without_samples(run: &Run, kind: &dyn ShownKind) -> String {
    match run.status {
        RunStatus::Complete | RunStatus::Partial => {
            let export = run.command(&format!("export {}", run.id));
            format!("nothing of it can be shown here; `{export}` writes what there is")
        }
        _ => kind.too_early(run),
    }
}
