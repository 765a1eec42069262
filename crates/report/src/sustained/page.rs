//! The page: charts of throughput, frequency and temperature over time, the levels, and what they come to.

use ciphermeter_core::{Cell, Record, Run, escaped};
use ciphermeter_stats::LEAST_STEPS;

use super::chart::Grid;
use super::course::{Quantity, Step, course, mean, range, rate_unit};
use super::finding::{Fall, Finding};
use super::words::{percent, reason, statement};
use crate::layout::{Line, Style};
use crate::text::{heading as group_heading, left, number, right, size, wrap};

/// The figure of some steps, as it is printed.
type Figure = fn(&[Step]) -> Option<String>;

/// The table's lines. Where files move, the worker's process is the sender.
fn rows(cell: &Cell, steps: &[Step]) -> [(String, Figure); 9] {
    let [process, memory] = match has_receiver(steps) {
        true => ["CPU time of the sender", "memory of the sender, MB"],
        false => ["CPU time of the worker", "memory of the worker, MB"],
    };
    let rows: [(&str, Figure); 9] = [
        ("", |steps| Some(number(range(steps, |step| Some(step.rate))?.mid))),
        ("frequency, GHz", |steps| Some(format!("{:.2}", range(steps, |step| step.gigahertz)?.mid))),
        ("temperature, °C", |steps| Some(format!("{:.0}", range(steps, |step| step.degrees)?.mid))),
        (process, |steps| mean(steps, |step| step.sender).map(percent)),
        ("CPU time of the receiver", |steps| mean(steps, |step| step.receiver).map(percent)),
        ("taken by the hypervisor", |steps| mean(steps, |step| step.steal).map(percent)),
        ("CPU time of everything else", |steps| mean(steps, |step| step.others).map(percent)),
        (memory, |steps| Some(number(range(steps, |step| step.sender_rss)?.mid))),
        ("memory of the receiver, MB", |steps| Some(number(range(steps, |step| step.receiver_rss)?.mid))),
    ];
    let title = |title: &str| if title.is_empty() { throughput(cell) } else { title.to_owned() };
    rows.map(|(name, value)| (title(name), value))
}

/// Whether files moved from one process to another.
fn has_receiver(steps: &[Step]) -> bool {
    steps.iter().any(|step| step.receiver.is_some())
}

fn throughput(cell: &Cell) -> String {
    format!("throughput, {}", rate_unit(cell))
}

/// The lines of a record below the run's title.
pub(crate) fn page(run: &Run, record: &Record, width: usize) -> Vec<Line> {
    let steps = course(record);
    let finding = Finding::of(&steps);
    let mut lines = vec![Line::default()];
    lines.extend(wrapped(&heading(record, &steps), width, Style::Bold));
    if !steps.is_empty() {
        charts(run, &record.cell, &steps, finding.fall(), width, &mut lines);
        table(&record.cell, &steps, finding.fall(), width, &mut lines);
    }
    lines.push(Line::default());
    let style = if finding.fall().is_some() { Style::Yellow } else { Style::Plain };
    lines.extend(wrapped(&statement(run, &record.cell, &steps, &finding), width, style));
    if steps.len() >= LEAST_STEPS {
        lines.extend(wrapped(
            "In brackets: nine of ten seconds. CPU time is of one CPU, 200 % are two.",
            width,
            Style::Dim,
        ));
    }
    lines
}

fn wrapped(text: &str, width: usize, style: Style) -> Vec<Line> {
    wrap(text, width, 0).into_iter().map(|line| Line::of(line, style)).collect()
}

fn heading(record: &Record, steps: &[Step]) -> String {
    let (cell, provider) = (&record.cell, escaped(&record.cell.provider));
    let what = match has_receiver(steps) {
        true => format!("files of {} one after another by {provider}", size(cell.parameters.message())),
        false => format!("{} by {provider}", group_heading(&cell.group())),
    };
    format!("{}: {what}, for {:.0} s", cell.algorithm, steps.last().map_or(0.0, |step| step.end))
}

fn charts(run: &Run, cell: &Cell, steps: &[Step], fall: Option<&Fall>, width: usize, lines: &mut Vec<Line>) {
    let grid = Grid::new(steps.len(), width);
    let mut chart = |title: String, quantity: Quantity, floor: f64, height: usize, label: fn(f64) -> String| {
        lines.extend([Line::default(), Line::of(title, Style::Plain)]);
        let values: Vec<Option<f64>> = steps.iter().map(quantity).collect();
        let rows = grid.draw(&values, floor, height, label);
        lines.extend(rows.into_iter().map(|row| Line::of(row, Style::Plain)));
    };
    chart(throughput(cell), |step| Some(step.rate), 0.0, 8, number);
    let coolest = steps.iter().filter_map(|step| step.degrees).min_by(f64::total_cmp);
    let mut absent = Vec::new();
    match steps.iter().any(|step| step.gigahertz.is_some()) {
        true => {
            chart("frequency, GHz, mean of the CPUs".into(), |step| step.gigahertz, 0.0, 3, |ghz| format!("{ghz:.2}"))
        }
        false => absent.push(format!("The frequency isn't known here{}.", reason(run, "frequency"))),
    }
    match coolest {
        Some(coolest) => {
            let floor = (coolest / 10.0 - 0.1).floor() * 10.0;
            chart("temperature, °C".into(), |step| step.degrees, floor, 3, |degrees| format!("{degrees:.0}"));
        }
        None => absent.push(format!("The temperature isn't known here{}.", reason(run, "temperature"))),
    }
    lines.push(Line::of(grid.time(steps.last().map_or(0.0, |step| step.end)), Style::Dim));
    if let Some(fall) = fall {
        lines.push(Line::of(grid.marks(&[(fall.place, fall.seconds[0])]), Style::Yellow));
    }
    // A fall's own sentences say so already.
    for sentence in absent.iter().filter(|_| fall.is_none()) {
        lines.extend(wrapped(sentence, width, Style::Dim));
    }
}

fn table(cell: &Cell, steps: &[Step], fall: Option<&Fall>, width: usize, lines: &mut Vec<Line>) {
    let name = if width < 60 { 26 } else { 32 };
    let parts: Vec<(&str, &[Step])> = match fall {
        None => vec![("all", steps)],
        Some(fall) => vec![("before", &steps[..fall.place]), ("after", &steps[fall.place..fall.next(steps.len())])],
    };
    let parts: Vec<_> = match fall.filter(|fall| fall.end.is_some()) {
        Some(fall) => parts.into_iter().chain([("at last", &steps[fall.last..])]).collect(),
        None => parts,
    };
    let heads: String = parts.iter().map(|(head, _)| right(head, 9)).collect();
    lines.extend([Line::default(), Line::of(left("", name) + &heads, Style::Dim)]);
    for (title, value) in rows(cell, steps) {
        let values: Vec<Option<String>> = parts.iter().map(|(_, steps)| value(steps)).collect();
        if values.iter().any(Option::is_some) {
            let values: String = values.iter().map(|value| right(value.as_deref().unwrap_or("–"), 9)).collect();
            lines.push(Line::of(left(&title, name) + &values, Style::Plain));
        }
    }
}
