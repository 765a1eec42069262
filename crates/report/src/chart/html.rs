//! A figure for a page: title, legend and caption as text that wraps and can be searched, its panels beside or below each other as the
//! screen allows, and below them the same values as a table.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, PreEscaped, html};

use super::canvas::{Drawn, fragment};
use super::page::{sample, width_of_sample};
use super::panel::{self, Points, dashes};
use super::sheet::{Axis, Key, KeySample, Lines, Rows, Sheet};
use super::words::{in_cell, series_name};

/// The figure as an element that links lead to by `id`. What its caption says below the first sentence is left out where `said` has it.
pub(super) fn figure(id: &str, sheet: &Sheet, said: &mut BTreeSet<String>) -> Drawn<Markup> {
    let mut is_new = |(place, sentence): (usize, &String)| said.insert(sentence.clone()) || place == 0;
    let caption: Vec<&String> =
        sheet.caption.iter().enumerate().filter(|each| is_new(*each)).map(|(_, sentence)| sentence).collect();
    let keys = sheet.keys.iter().map(sample_of).collect::<Drawn<Vec<_>>>()?;
    let panels = sheet.lines.iter().map(|panel| panels(sheet, panel)).collect::<Drawn<Vec<_>>>()?;
    let rows = sheet.rows.iter().map(panel::of_rows).collect::<Drawn<Vec<_>>>()?;
    let other = panels.iter().find_map(|(_, other)| other.as_ref()).map(|(name, _)| *name);
    Ok(html! {
        section.figure id=(id) {
            h3 { (sheet.title) }
            p.subtitle { (sheet.subtitle) }
            @if !keys.is_empty() {
                ul.keys {
                    @for (key, sample) in sheet.keys.iter().zip(&keys) {
                        li {
                            @if key.sample == KeySample::Line {
                                button type="button" aria-pressed="true" data-s=(key.look.0) { (sample) (key.name) }
                            } @else {
                                span { (sample) (key.name) }
                            }
                        }
                    }
                }
            }
            @if let Some(name) = other {
                button.scale type="button" aria-pressed="false" { (name) }
            }
            div.panels {
                @for (panel, (svg, other)) in sheet.lines.iter().zip(&panels) {
                    div {
                        @if !panel.heading.is_empty() { h4 { (panel.heading) } }
                        div.usual { (PreEscaped(svg)) }
                        @if let Some((_, svg)) = other { div.other hidden { (PreEscaped(svg)) } }
                    }
                }
                @for svg in &rows { div.wide { (PreEscaped(svg)) } }
            }
            @for sentence in caption { p.caption { (sentence) } }
            details {
                summary { "The same as a table" }
                @for panel in &sheet.lines { (table_of_lines(sheet, panel)) }
                @for panel in &sheet.rows { (table_of_rows(panel)) }
            }
        }
    })
}

type Respaced = (&'static str, String);

/// More points are drawn as lines without markers, so that the page of a large run opens at once.
const MOST_POINTS: usize = 1500;

/// A panel as it is, and with its amounts spaced the other way, under the name of what that shows.
fn panels(sheet: &Sheet, panel: &Lines) -> Drawn<(String, Option<Respaced>)> {
    let all = sheet.lines.iter().flat_map(|panel| &panel.series).map(|series| series.points.len());
    if all.sum::<usize>() > MOST_POINTS {
        return Ok((panel::of_lines(sheet, panel, Points::None)?, None));
    }
    // Panels beside each other have one axis, so what is least of all decides for each.
    let alike = sheet.lines.iter().filter(|other| other.y.scale == panel.y.scale);
    let values = alike.flat_map(|other| &other.series).flat_map(|series| &series.points).map(|point| point.y);
    let least = values.filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min);
    // Over time, the usual axis is the one that says something.
    let has_markers = panel.series.iter().any(|series| series.has_markers);
    let other = panel.y.scale.respaced(least).filter(|_| has_markers).map(|scale| {
        let name = if scale.is_logarithmic() { "Logarithmic axis" } else { "Linear axis" };
        let panel = Lines { y: Axis { title: panel.y.title.clone(), scale }, ..panel.clone() };
        Ok((name, panel::of_lines(sheet, &panel, Points::Marked)?))
    });
    Ok((panel::of_lines(sheet, panel, Points::Named)?, other.transpose()?))
}

fn sample_of(key: &Key) -> Drawn<Markup> {
    let width = width_of_sample(key);
    let is_line = key.sample == KeySample::Line;
    let marks = fragment(|canvas| match is_line {
        true => canvas.series(&[(0, 30), (width, 30)], key.look),
        false => sample(canvas, key, (0, 30)),
    })?;
    Ok(html! {
        svg.sample viewBox={ "0 0 " (width) " 60" } width=(width / 4) height="15" aria-hidden="true" {
            g stroke-dasharray=[dashes(key.look).filter(|_| is_line)] { (PreEscaped(marks)) }
            @if is_line { use href={ "#m" (key.look.0) } x=(width / 2) y="30"; }
        }
    })
}

/// A row for each place along the axis, a column for each line.
fn table_of_lines(sheet: &Sheet, panel: &Lines) -> Markup {
    let mut rows = BTreeMap::<Ordered, Vec<String>>::new();
    let blank = || vec![String::new(); panel.series.len()];
    for (column, series) in panel.series.iter().enumerate() {
        for point in &series.points {
            rows.entry(Ordered(point.x)).or_insert_with(blank)[column] = in_cell(point.y, point.range);
        }
    }
    html! {
        div.scroll {
            table {
                caption { @if !panel.heading.is_empty() { (panel.heading) ": " } (panel.y.title) }
                thead { tr { th scope="col" { (panel.x.title) } @for series in &panel.series { th scope="col" { (series_name(sheet, series)) } } } }
                tbody {
                    @for (Ordered(x), cells) in &rows {
                        tr { th scope="row" { (panel.x.scale.named(*x)) } @for cell in cells { td { (cell) } } }
                    }
                }
            }
        }
    }
}

fn table_of_rows(panel: &Rows) -> Markup {
    let has_bounds = panel.rows.iter().any(|row| row.bound.is_some());
    html! {
        div.scroll {
            table {
                caption { @if !panel.heading.is_empty() { (panel.heading) ": " } (panel.x.title) }
                thead { tr { th scope="col" {} th scope="col" { (panel.x.title) } @if has_bounds { th scope="col" { "dashed mark" } } } }
                tbody {
                    @for row in &panel.rows {
                        tr {
                            th scope="row" { (row.label) }
                            td { (in_cell(row.value, row.range)) }
                            @if has_bounds { td { @if let Some(bound) = row.bound { (in_cell(bound, None)) } } }
                        }
                    }
                }
            }
        }
    }
}

/// A place along an axis, none of which is NaN.
#[derive(PartialEq)]
struct Ordered(f64);

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}
