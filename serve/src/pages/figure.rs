//! A cell over time on one machine, as a picture: its ratio to the reference in each run, and where it stepped.

use axum::extract::{Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use ciphermeter_chart::FigureWidth;
use ciphermeter_chart::scale::Scale;
use ciphermeter_chart::sheet::{Axis, Lines, Mark, Point, Series, Sheet, Spread};
use ciphermeter_chart::style::SeriesStyle;
use serde::Deserialize;

use super::shell::minute;
use crate::clock;
use crate::movements::Moved;
use crate::problem::Problem;
use crate::runs::Moment;
use crate::state::Server;

/// Runs of one figure, the latest.
const MOST: usize = 200;
const HOUR: f64 = 3600.0;
const DAY: f64 = 24.0 * HOUR;

#[derive(Deserialize)]
pub struct Which {
    cell: String,
    machine: String,
    /// Whether it is for a phone's screen.
    #[serde(default)]
    narrow: bool,
}

pub async fn figure(
    State(server): State<Server>,
    Query(Which { cell, machine, narrow }): Query<Which>,
) -> Result<impl IntoResponse, Problem> {
    let moments = server.database.moments(&cell, Some(&machine)).await?;
    let moved = server.database.moved(Some(&machine), Some(&cell)).await?;
    let width = if narrow { FigureWidth::Column } else { FigureWidth::Page };
    let drawn = move || sheet(&cell, &machine, &moments, &moved).map(|sheet| ciphermeter_chart::draw(&sheet, width));
    match server.busy(drawn).await? {
        Some(Ok(svg)) => Ok(([(CONTENT_TYPE, "image/svg+xml")], svg)),
        Some(Err(why)) => Err(Problem::of(&anyhow::anyhow!("{why}").context("cannot draw a cell over time"))),
        None => Err(Problem::missing("figure")),
    }
}

/// The runs in which a cell's movements are looked for: those that are compared with the latest one, the latest first.
pub fn compared<'a>(moments: &'a [Moment], machine: &str) -> Vec<&'a Moment> {
    let of_it = || moments.iter().filter(|moment| moment.machine == machine && !moment.series.is_empty());
    let key = |moment: &Moment| (moment.series.clone(), moment.reference.clone());
    let latest = of_it().find(|moment| moment.ratio.is_some()).map(key);
    of_it().filter(|moment| moment.ratio.is_some() && latest.as_ref() == Some(&key(moment))).collect()
}

/// `None` without a ratio.
fn sheet(cell: &str, machine: &str, moments: &[Moment], moved: &[Moved]) -> Option<Sheet> {
    let of_it = compared(moments, machine);
    let reference = of_it.first()?.reference.clone();
    let all: Vec<(f64, &Moment, [f64; 3])> = of_it
        .into_iter()
        .take(MOST)
        .filter_map(|moment| Some((seconds(&moment.started)?, moment, moment.ratio?)))
        .collect();
    let (first, last) = (all.last()?.0, all.first()?.0);
    let (unit, name) = if last - first > 3.0 * DAY { (DAY, "days") } else { (HOUR, "hours") };
    let since = |moment: f64| (moment - first) / unit;
    let points =
        all.iter().map(|(at, _, ratio)| Point { x: since(*at), y: ratio[0], range: Some((ratio[1], ratio[2])) });
    let steps = moved.iter().filter(|step| step.reference == reference);
    let marks = steps.filter_map(|step| Some((seconds(&step.started)?, step)));
    let marks = marks.filter(|(at, _)| *at >= first).map(|(at, step)| Mark {
        x: since(at),
        text: format!("{:+.1} %, {}", (step.change[0] - 1.0) * 100.0, step.cause),
    });
    let ends = all.iter().flat_map(|(.., ratio)| [ratio[1], ratio[2]]);
    let (low, high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), end| (low.min(end), high.max(end)));
    let oldest = all.last().map(|(_, moment, _)| minute(&moment.started)).unwrap_or_default();
    let lines = Lines {
        heading: String::new(),
        x: Axis { title: format!("since {oldest}, {name}"), scale: Scale::linear(0.0, since(last).max(1.0)) },
        y: Axis { title: "time ÷ reference".into(), scale: Scale::linear(low, high) },
        series: vec![Series::new("", SeriesStyle::new(0), points)],
        marks: marks.collect(),
        level: None,
        spread: Spread::Whiskers,
    };
    let caption = vec![
        format!("Reference: {reference}. Whiskers: 95 % intervals of each run. Runs: {}.", all.len()),
        "Dashed lines: where it stepped to another level, and what that is put down to.".into(),
    ];
    Some(Sheet {
        title: format!("Did it move on {machine}?"),
        subtitle: cell.into(),
        keys: Vec::new(),
        lines: vec![lines],
        rows: Vec::new(),
        caption,
    })
}

fn seconds(moment: &str) -> Option<f64> {
    Some(clock::moment(moment)?.unix_timestamp() as f64)
}
