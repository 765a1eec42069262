//! The page: charts of throughput, frequency, temperature and power over time, the levels, and what they come to.

use ciphermeter_core::{Cell, Record, Run, escaped};
use ciphermeter_stats::LEAST_STEPS;

use super::chart::Grid;
use crate::layout::{LEFT, RIGHT, TableColumn, TableLayout, TableRow};
use crate::styled_line::{Style, StyledLine};
use ciphermeter_answer::sustained::{Fall, Finding, Quantity, Step, course, mean, range, rate_unit, reason};
use ciphermeter_answer::words::{heading as group_heading, number, percent, size};

/// The figure of some steps, as it is printed.
type Figure = fn(&[Step]) -> Option<String>;

/// The table's rows. Where files move, the worker's process is the sender.
fn figures(cell: &Cell, steps: &[Step]) -> [(String, Figure); 10] {
    let [process, memory] = match has_receiver(steps) {
        true => ["CPU time of the sender", "memory of the sender, MB"],
        false => ["CPU time of the worker", "memory of the worker, MB"],
    };
    let throughput = throughput(cell);
    let power = power_title(steps);
    let figures: [(&str, Figure); 10] = [
        (&throughput, |steps| Some(number(range(steps, |step| Some(step.rate))?.mid))),
        ("frequency, GHz", |steps| Some(format!("{:.2}", range(steps, |step| step.gigahertz)?.mid))),
        ("temperature, °C", |steps| Some(format!("{:.0}", range(steps, |step| step.degrees)?.mid))),
        (&power, |steps| mean(steps, Step::watts).map(number)),
        (process, |steps| mean(steps, |step| step.sender).map(percent)),
        ("CPU time of the receiver", |steps| mean(steps, |step| step.receiver).map(percent)),
        ("taken by the hypervisor", |steps| mean(steps, |step| step.steal).map(percent)),
        ("CPU time of everything else", |steps| mean(steps, |step| step.others).map(percent)),
        (memory, |steps| Some(number(range(steps, |step| step.sender_rss)?.mid))),
        ("memory of the receiver, MB", |steps| Some(number(range(steps, |step| step.receiver_rss)?.mid))),
    ];
    figures.map(|(title, figure)| (title.to_owned(), figure))
}

/// `power of the CPU, W`
fn power_title(steps: &[Step]) -> String {
    let of = steps.iter().find_map(|step| step.power).map_or("", |(of, _)| of);
    format!("power of the {of}, W")
}

/// Whether files moved from one process to another.
fn has_receiver(steps: &[Step]) -> bool {
    steps.iter().any(|step| step.receiver.is_some())
}

fn throughput(cell: &Cell) -> String {
    format!("throughput, {}", rate_unit(cell))
}

/// The lines of a record below the run's title.
pub(crate) fn page(run: &Run, record: &Record, width: usize) -> Vec<StyledLine> {
    let steps = course(record);
    let finding = Finding::of(&steps);
    let mut lines = vec![StyledLine::default()];
    lines.extend(StyledLine::wrapped(&heading(record, &steps), width, 0, Style::Bold));
    if !steps.is_empty() {
        charts(run, &record.cell, &steps, finding.fall(), width, &mut lines);
        lines.extend(table(&record.cell, &steps, finding.fall(), width));
    }
    lines.push(StyledLine::default());
    if steps.len() >= LEAST_STEPS {
        lines.extend(StyledLine::wrapped(
            "In brackets: where 90 % of the seconds lay. 100 % of CPU time is one CPU.",
            width,
            0,
            Style::Dim,
        ));
    }
    lines
}

fn heading(record: &Record, steps: &[Step]) -> String {
    let (cell, provider) = (&record.cell, escaped(&record.cell.provider));
    let what = match has_receiver(steps) {
        true => format!("files of {} one after another by {provider}", size(cell.parameters.message())),
        false => format!("{} by {provider}", group_heading(&cell.group())),
    };
    format!("{}: {what}, for {:.0} s", cell.algorithm, steps.last().map_or(0.0, |step| step.end))
}

fn charts(run: &Run, cell: &Cell, steps: &[Step], fall: Option<&Fall>, width: usize, lines: &mut Vec<StyledLine>) {
    let grid = Grid::new(steps.len(), width);
    let mut chart = |title: String, quantity: Quantity, floor: f64, height: usize, label: fn(f64) -> String| {
        lines.extend([StyledLine::default(), StyledLine::new(title, Style::Plain)]);
        let values: Vec<Option<f64>> = steps.iter().map(quantity).collect();
        let rows = grid.draw(&values, floor, height, label);
        lines.extend(rows.into_iter().map(|row| StyledLine::new(row, Style::Plain)));
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
    if steps.iter().any(|step| step.power.is_some()) {
        chart(power_title(steps), Step::watts, 0.0, 3, number);
    }
    lines.push(StyledLine::new(grid.time(steps.last().map_or(0.0, |step| step.end)), Style::Dim));
    if let Some(fall) = fall {
        lines.push(StyledLine::new(grid.marks(&[(fall.place, fall.seconds[0])]), Style::Yellow));
    }
    // A fall's own sentences say so already.
    for sentence in absent.iter().filter(|_| fall.is_none()) {
        lines.extend(StyledLine::wrapped(sentence, width, 0, Style::Dim));
    }
}

fn table(cell: &Cell, steps: &[Step], fall: Option<&Fall>, width: usize) -> Vec<StyledLine> {
    let parts: Vec<(&str, &[Step])> = match fall {
        None => vec![("all", steps)],
        Some(fall) => vec![("before", &steps[..fall.place]), ("after", &steps[fall.place..fall.next(steps.len())])],
    };
    let parts: Vec<_> = match fall.filter(|fall| fall.end.is_some()) {
        Some(fall) => parts.into_iter().chain([("at the end", &steps[fall.last..])]).collect(),
        None => parts,
    };
    let titles = std::iter::once("").chain(parts.iter().map(|(title, _)| *title));
    let mut rows = vec![TableRow::Line(StyledLine::default()), TableRow::titles("", titles)];
    for (title, value) in figures(cell, steps) {
        let values: Vec<Option<String>> = parts.iter().map(|(_, steps)| value(steps)).collect();
        if values.iter().any(Option::is_some) {
            let values = values.into_iter().map(|value| value.unwrap_or("–".into()));
            rows.push(TableRow::plain(std::iter::once(title).chain(values)));
        }
    }
    let title = if width < 60 { 26 } else { 32 };
    let mut columns = vec![TableColumn { least: title, most: title, ..LEFT }];
    columns.resize(1 + parts.len(), TableColumn { least: 8, ..RIGHT });
    TableLayout::plan(&columns, &[], &rows, width).lines(&rows)
}

/// The first screen's part of a load: what it comes to, whether that is known, and the picture of it.
pub(crate) fn summary(record: &Record, width: usize) -> Vec<StyledLine> {
    let steps = course(record);
    let finding = Finding::of(&steps);
    let mut lines = StyledLine::wrapped(&heading(record, &steps), width, 2, Style::Plain);
    if !steps.is_empty() {
        let values: Vec<Option<f64>> = steps.iter().map(|step| Some(step.rate)).collect();
        lines.push(StyledLine::new(throughput(&record.cell), Style::Plain));
        let rows = Grid::new(steps.len(), width).draw(&values, 0.0, 5, number);
        lines.extend(rows.into_iter().map(|row| StyledLine::new(row, Style::Plain)));
        lines.extend(table(&record.cell, &steps, finding.fall(), width).into_iter().skip(1).take(7));
    }
    lines
}
