//! A sustained load: throughput over time, frequency, temperature and power below it where the machine tells, and the moment of a fall.

use ciphermeter_core::{Record, Run};

use super::caption::{self, clean};
use super::cell::full_name;
use ciphermeter_answer::sustained::{Finding, Quantity, Step, course, rate_unit, statement};
use ciphermeter_chart::scale::Scale;
use ciphermeter_chart::sheet::{Axis, Lines, Mark, Point, Series, Sheet, Spread};
use ciphermeter_chart::style::SeriesStyle;

/// The most points of a line; of more steps, so many are put together.
const POINTS: usize = 480;

/// A quantity over time: its axis, what it is of a step, and whether its axis begins at 0.
type Drawn = (String, Quantity, bool);

/// The first record's course; `None` without steps.
pub(super) fn course_of(run: &Run, records: &[Record]) -> Option<Sheet> {
    let (record, steps) = first(records)?;
    let finding = Finding::of(&steps);
    let power = steps.iter().find_map(|step| step.power).map_or("", |(of, _)| of);
    let quantities: [Drawn; 4] = [
        (format!("throughput, {}", rate_unit(&record.cell)), |step| Some(step.rate), true),
        ("frequency, GHz".into(), |step| step.gigahertz, true),
        ("temperature, °C".into(), |step| step.degrees, false),
        (format!("power of the {power}, W"), Step::watts, true),
    ];
    let mut caption = vec![clean_words(&statement(run, &record.cell, &steps, &finding)), each_point(&steps)];
    caption.extend(caption::versions([record]));
    caption.push(caption::origin(run, [record]));
    sheet("Does it keep its speed?", (record, &steps), quantities, caption)
}

/// What its processes and the rest of the machine took meanwhile; `None` where no step tells.
pub(super) fn processes(run: &Run, records: &[Record]) -> Option<Sheet> {
    let (record, steps) = first(records)?;
    let own = if record.cell.is_transfer() { "sender, CPUs" } else { "load, CPUs" };
    let quantities: [Drawn; 5] = [
        (own.into(), |step| step.sender, true),
        ("receiver, CPUs".into(), |step| step.receiver, true),
        ("other programs, CPUs".into(), |step| step.others, true),
        ("hypervisor, CPUs".into(), |step| step.steal, true),
        ("memory, MB".into(), |step| step.sender_rss, true),
    ];
    let words = "CPU time ÷ time: 1 is one CPU. Memory is what the load had resident.";
    let caption = vec![format!("{words} {}", each_point(&steps)), caption::origin(run, [record])];
    sheet("CPU time and memory during the run", (record, &steps), quantities, caption)
}

fn sheet(
    title: &str,
    (record, steps): (&Record, &[Step]),
    quantities: impl IntoIterator<Item = Drawn>,
    caption: Vec<String>,
) -> Option<Sheet> {
    let end = steps.last().map_or(0.0, |step| step.end);
    let subtitle = format!("{}, for {end:.0} s", full_name(&record.cell));
    let lines = panels(steps, quantities, &Finding::of(steps));
    let (title, keys, rows) = (title.to_owned(), Vec::new(), Vec::new());
    (!lines.is_empty()).then_some(Sheet { title, subtitle, keys, lines, rows, caption })
}

fn first(records: &[Record]) -> Option<(&Record, Vec<Step>)> {
    records.iter().map(|record| (record, course(record))).find(|(_, steps)| !steps.is_empty())
}

fn each_point(steps: &[Step]) -> String {
    match steps.len() > POINTS {
        true => format!("Each point is the mean of {} steps of about a second.", steps.len().div_ceil(POINTS)),
        false => "Each point is a step of about a second.".into(),
    }
}

/// A panel for each quantity that any step has.
fn panels(steps: &[Step], quantities: impl IntoIterator<Item = Drawn>, finding: &Finding) -> Vec<Lines> {
    let end = steps.last().map_or(0.0, |step| step.end);
    let panel = |(place, (title, quantity, from_zero)): (usize, Drawn)| {
        let points = points(steps, quantity);
        let (low, high) =
            points.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), point| (low.min(point.y), high.max(point.y)));
        let scale = if from_zero { Scale::from_zero(high) } else { Scale::linear(low, high) };
        (!points.is_empty()).then(|| Lines {
            heading: String::new(),
            x: Axis { title: "time, s".into(), scale: Scale::of_seconds(end) },
            y: Axis { title, scale },
            series: vec![Series {
                name: String::new(),
                style: SeriesStyle::new([0, 2, 1, 3, 4][place]),
                points,
                has_markers: false,
            }],
            marks: marks(finding, place == 0),
            level: None,
            spread: Spread::Whiskers,
        })
    };
    quantities.into_iter().enumerate().filter_map(panel).collect()
}

/// A statement has reasons from a host's facts in it.
fn clean_words(text: &str) -> String {
    text.split(' ').map(clean).collect::<Vec<_>>().join(" ")
}

fn points(steps: &[Step], quantity: Quantity) -> Vec<Point> {
    let together = steps.len().div_ceil(POINTS).max(1);
    let point = |steps: &[Step]| {
        let values: Vec<f64> = steps.iter().filter_map(quantity).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (!values.is_empty()).then(|| Point { x: steps[steps.len() - 1].end, y: mean, range: None })
    };
    steps.chunks(together).filter_map(point).collect()
}

/// The fall, with its words in the first panel.
fn marks(finding: &Finding, is_first: bool) -> Vec<Mark> {
    let Some(fall) = finding.fall() else { return Vec::new() };
    let Some(seconds) = fall.seconds.first() else { return Vec::new() };
    let drop = (1.0 - fall.after.mid / fall.before.mid.max(1e-9)) * 100.0;
    let text = if is_first { format!("fell by {drop:.0} % at {seconds:.0} s") } else { String::new() };
    vec![Mark { x: *seconds, text }]
}
