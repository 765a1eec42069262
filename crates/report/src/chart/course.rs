//! A sustained load: throughput over time, frequency, temperature and power below it where the machine tells, and the moment of a fall.

use ciphermeter_core::{Record, Run};

use super::caption::{self, clean};
use super::cell::full_name;
use super::look::Look;
use super::scale::Scale;
use super::sheet::{Axis, Lines, Mark, Point, Series, Sheet};
use crate::sustained::{Finding, Quantity, Step, course, rate_unit, statement};

/// The most points of a line; of more steps, so many are put together.
const POINTS: usize = 480;

/// The first record's course; `None` without steps.
pub(super) fn course_of(run: &Run, records: &[Record]) -> Option<Sheet> {
    let record = records.iter().find(|record| !course(record).is_empty())?;
    let steps = course(record);
    let finding = Finding::of(&steps);
    let end = steps.last()?.end;
    let power = steps.iter().find_map(|step| step.power).map_or("", |(of, _)| of);
    let quantities: [(String, Quantity, bool); 4] = [
        (format!("throughput, {}", rate_unit(&record.cell)), |step| Some(step.rate), true),
        ("frequency, GHz".into(), |step| step.gigahertz, true),
        ("temperature, °C".into(), |step| step.degrees, false),
        (format!("power of the {power}, W"), Step::watts, true),
    ];
    let panels = quantities.into_iter().enumerate().filter_map(|(place, (title, quantity, from_zero))| {
        let points = points(&steps, quantity);
        let (low, high) =
            points.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), point| (low.min(point.y), high.max(point.y)));
        let scale = if from_zero { Scale::from_zero(high) } else { Scale::linear(low, high) };
        (!points.is_empty()).then(|| Lines {
            heading: String::new(),
            x: Axis { title: "time, s".into(), scale: Scale::of_seconds(end) },
            y: Axis { title, scale },
            series: vec![Series { look: Look([0, 2, 1, 3][place]), points, has_markers: false }],
            marks: marks(&finding, place == 0),
        })
    });
    let lines: Vec<Lines> = panels.collect();
    let mut caption = vec![clean_words(&statement(run, &record.cell, &steps, &finding))];
    caption.push(match steps.len() > POINTS {
        true => format!("Each point is the mean of {} steps of about a second.", steps.len().div_ceil(POINTS)),
        false => "Each point is a step of about a second.".into(),
    });
    caption.extend(caption::versions([record]));
    caption.push(caption::origin(run));
    Some(Sheet {
        title: "Does it keep its speed?".into(),
        subtitle: format!("{}, for {end:.0} s", full_name(&record.cell)),
        keys: Vec::new(),
        lines,
        columns: 1,
        rows: Vec::new(),
        caption,
    })
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
