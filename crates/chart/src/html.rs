//! A figure for a page: title, legend and caption as text that wraps and can be searched, its panels beside or below each other as the
//! screen allows, and below them the same values as a table.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, PreEscaped, html};

use crate::canvas::{Drawn, fragment};
use crate::page::{sample, width_of_sample};
use crate::panel::{self, Points, dashes};
use crate::sheet::{Axis, Key, KeySample, Lines, Rows, Sheet, places};
use crate::words::in_cell;
use ciphermeter_answer::words::unbroken;

/// What the figures of a page have in common, from the first to the last.
#[derive(Default)]
pub struct Written {
    /// Sentences on libraries and runs, which one caption has for all.
    said: BTreeSet<String>,
    /// Bytes of panels and tables.
    bytes: usize,
}

/// The most bytes of figures that a browser draws before the page is open. What follows is one text to it, which the script makes a figure
/// when it has time or is asked for it: ten thousand markers would delay the first sentence.
const AT_ONCE: usize = 500_000;

impl Written {
    /// A part of a figure: as it is, or as a text that only browsers without scripts read at once.
    fn add(&mut self, part: Markup) -> Markup {
        self.bytes += part.0.len();
        if self.bytes > AT_ONCE {
            html! { noscript { (part) } }
        } else {
            part
        }
    }
}

/// The figure as an element that links lead to by `id`. The libraries' versions and the run are left out of its caption where the page has
/// them already.
pub fn figure(id: &str, sheet: &Sheet, page: &mut Written) -> Drawn<Markup> {
    let thinned = thin(sheet);
    let sheet = thinned.as_ref().unwrap_or(sheet);
    let is_common = |sentence: &str| ["Libraries: ", "Run "].iter().any(|begin| sentence.starts_with(begin));
    let mut is_new = |sentence: &String| !is_common(sentence) || page.said.insert(sentence.clone());
    let caption: Vec<&String> = sheet.caption.iter().filter(|sentence| is_new(sentence)).collect();
    let keys = sheet.keys.iter().map(sample_of).collect::<Drawn<Vec<_>>>()?;
    let panels = sheet.lines.iter().map(|panel| panels(sheet, panel)).collect::<Drawn<Vec<_>>>()?;
    let rows = sheet.rows.iter().map(|rows| panel::of_rows(sheet, rows)).collect::<Drawn<Vec<_>>>()?;
    let is_other_logarithmic = panels.iter().find_map(|(_, other)| other.as_ref()).map(|(is_it, _)| *is_it);
    let other = is_other_logarithmic.map(|is_it| if is_it { (LOGARITHMIC, LINEAR) } else { (LINEAR, LOGARITHMIC) });
    let drawn = html! {
        div.panels {
            @for (panel, (svg, other)) in sheet.lines.iter().zip(&panels) {
                div {
                    @if !panel.heading.is_empty() { h4 { (panel.heading) } }
                    div.usual { (PreEscaped(svg)) }
                    @if let Some((_, svg)) = other { div.other hidden { template { (PreEscaped(svg)) } } }
                }
            }
            @for svg in &rows { div.wide { (PreEscaped(svg)) } }
        }
    };
    let tables = html! {
        @for panel in &sheet.lines { (table_of_lines(panel)) }
        @for panel in &sheet.rows { (table_of_rows(sheet, panel)) }
    };
    let (drawn, tables) = (page.add(drawn), page.add(tables));
    Ok(html! {
        section.figure id=(id) {
            h3 { (unbroken(&sheet.title)) }
            p.subtitle { (unbroken(&sheet.subtitle)) }
            @if !keys.is_empty() {
                ul.keys {
                    @for (key, sample) in sheet.keys.iter().zip(&keys) {
                        li {
                            @if key.sample == KeySample::Line {
                                button type="button" aria-pressed="true" data-s=(key.style.id()) { (sample) (key.name) }
                            } @else {
                                span { (sample) (key.name) }
                            }
                        }
                    }
                }
            }
            @if let Some((name, usual)) = other {
                button.scale type="button" data-other=(usual) { (name) }
            }
            (drawn)
            @for sentence in caption { p.caption { (unbroken(sentence)) } }
            details {
                summary { "The same as a table" }
                (tables)
            }
        }
    })
}

/// Whether it is in logarithms, and the panel.
type Respaced = (bool, String);

const LOGARITHMIC: &str = "Show a logarithmic axis";
const LINEAR: &str = "Show a linear axis";

/// The most points of a figure on a page, so that the page of a large run opens at once.
const MOST_POINTS: usize = 1000;
const MOST_RESPACED: usize = 12;

/// A figure with as many sizes as that leaves room for, the first and the last among them; `None` where all have room.
fn thin(sheet: &Sheet) -> Option<Sheet> {
    let series = || sheet.lines.iter().flat_map(|panel| &panel.series);
    let points: usize = series().map(|series| series.points.len()).sum();
    let all: Vec<u64> = places(series()).into_iter().collect();
    let room = (MOST_POINTS / series().count().max(1)).max(6);
    let has_sizes = sheet.lines.iter().all(|panel| panel.x.scale.has_sizes());
    if points <= MOST_POINTS || all.len() <= room || !has_sizes {
        return None;
    }
    let kept: BTreeSet<u64> = (0..room).map(|place| all[place * (all.len() - 1) / (room - 1)]).collect();
    let mut thinned = sheet.clone();
    for series in thinned.lines.iter_mut().flat_map(|panel| &mut panel.series) {
        series.points.retain(|point| kept.contains(&point.x.to_bits()));
    }
    thinned.set_keys("");
    let words = "of the sizes that were measured; the figures of ciphermeter report --figures have all";
    thinned.caption.push(format!("Shown here: {} of {} {words}.", kept.len(), all.len()));
    Some(thinned)
}

/// A panel as it is, and with its amounts spaced the other way.
fn panels(sheet: &Sheet, panel: &Lines) -> Drawn<(String, Option<Respaced>)> {
    // Panels beside each other have one axis, so what is least of all decides for each.
    let alike = sheet.lines.iter().filter(|other| other.y.scale == panel.y.scale);
    let values = alike.flat_map(|other| &other.series).flat_map(|series| &series.points).map(|point| point.y);
    let least = values.filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min);
    // Over time, the usual axis is the one that says something.
    let has_markers = panel.series.iter().any(|series| series.has_markers);
    let other =
        panel.y.scale.respaced(least).filter(|_| has_markers && sheet.lines.len() <= MOST_RESPACED).map(|scale| {
            let is_logarithmic = scale.is_logarithmic();
            let panel = Lines { y: Axis { title: panel.y.title.clone(), scale }, ..panel.clone() };
            Ok((is_logarithmic, panel::of_lines(sheet, &panel, Points::Marked)?))
        });
    Ok((panel::of_lines(sheet, panel, Points::Named)?, other.transpose()?))
}

fn sample_of(key: &Key) -> Drawn<Markup> {
    let width = width_of_sample(key);
    let is_line = key.sample == KeySample::Line;
    let marks = fragment(|canvas| match is_line {
        true => canvas.series(&[(0, 30), (width, 30)], key.style),
        false => sample(canvas, key, (0, 30)),
    })?;
    Ok(html! {
        svg.sample viewBox={ "0 0 " (width) " 60" } width=(width / 4) height="15" aria-hidden="true" {
            g stroke-dasharray=[dashes(key.style).filter(|_| is_line)] { (PreEscaped(marks)) }
            @if is_line { use href={ "#m" (key.style.id()) } x=(width / 2) y="30"; }
        }
    })
}

/// A row for each place along the axis, a column for each line.
fn table_of_lines(panel: &Lines) -> Markup {
    let mut rows: BTreeMap<u64, Vec<String>> =
        places(&panel.series).into_iter().map(|x| (x, vec![String::new(); panel.series.len()])).collect();
    for (column, series) in panel.series.iter().enumerate() {
        for point in &series.points {
            rows.entry(point.x.to_bits()).and_modify(|cells| cells[column] = in_cell(point.y, point.range));
        }
    }
    // What a line shows that is the only one, the quantity says.
    let names = panel.series.iter().map(|series| if series.name.is_empty() { &panel.y.title } else { &series.name });
    let rows = rows.into_iter().map(|(x, cells)| (panel.x.scale.named(f64::from_bits(x)), cells));
    table(&panel.heading, &panel.y.title, [&panel.x.title].into_iter().chain(names).cloned(), rows)
}

fn table_of_rows(sheet: &Sheet, panel: &Rows) -> Markup {
    let has_bounds = panel.rows.iter().any(|row| row.bound.is_some());
    // The legend names it.
    let bound = sheet.keys.iter().find(|key| key.sample == KeySample::Bound).map_or("dashed mark", |key| &key.name);
    let titles = ["what", &panel.x.title, bound].map(String::from).into_iter().take(if has_bounds { 3 } else { 2 });
    let rows = panel.rows.iter().map(|row| {
        let bound = row.bound.map(|bound| in_cell(bound, None)).unwrap_or_default();
        let cells = [in_cell(row.value, row.range), bound].into_iter().take(if has_bounds { 2 } else { 1 });
        (row.label.clone(), cells.collect())
    });
    table(&panel.heading, &panel.x.title, titles, rows)
}

/// Titles, and rows of a name and cells.
fn table(
    heading: &str,
    quantity: &str,
    titles: impl Iterator<Item = String>,
    rows: impl Iterator<Item = (String, Vec<String>)>,
) -> Markup {
    // What scrolls within itself is reached by the keyboard, here and below.
    html! {
        div.scroll tabindex="0" role="group" aria-label=(quantity) {
            table {
                caption { @if !heading.is_empty() { (heading) ": " } (quantity) }
                thead { tr { @for title in titles { th scope="col" { (title) } } } }
                tbody {
                    @for (name, cells) in rows {
                        tr { th scope="row" { (name) } @for cell in cells { td { @if cell.is_empty() { "–" } @else { (cell) } } } }
                    }
                }
            }
        }
    }
}
