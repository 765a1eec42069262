//! A panel that stands by itself, for a page that lays panels out as wide as its reader's screen is: its marks in groups, so that a script
//! can hide a line, and a place for each point that says what it is.

use maud::{Markup, PreEscaped, html};

use crate::canvas::{AXIS, Anchor, Drawn, INK, fragment};
use crate::font::Font;
use crate::lines::{self, Frame, Placed};
use crate::rows;
use crate::sheet::{Lines, Point, Rows, Series, Sheet};
use crate::style::SeriesStyle;
use crate::words::{point_words, row_words};

/// Widths in units: of lines, as a phone shows them, and of rows with their names.
const OF_LINES: i32 = 1440;
const OF_ROWS: i32 = 1720;
/// Beside them.
const EDGE: i32 = 8;
/// From a panel's top to the bottom of its lines.
const TOP: i32 = 28;
const BOTTOM: i32 = 900;
const RIGHT: i32 = OF_LINES - 16;
/// Half of the square in which a point without a marker answers.
const REACH: i32 = 34;

/// Where a marker is drawn to be moved to its point: beyond the page's edge its marks would be cut.
const MARKER_AT: i32 = 100;

/// What a page's panels refer to: each style's marker once, rather than at each of thousands of points.
pub fn markers(styles: impl Iterator<Item = SeriesStyle>) -> Drawn<Markup> {
    let marker = |style: SeriesStyle| Ok((style, fragment(|canvas| canvas.marker((MARKER_AT, MARKER_AT), style))?));
    let all = styles.map(marker).collect::<Drawn<Vec<_>>>()?;
    Ok(html! {
        svg.markers width="0" height="0" aria-hidden="true" {
            defs { @for (style, marks) in all { g id={ "m" (style.id()) } { g transform={ "translate(-" (MARKER_AT) " -" (MARKER_AT) ")" } { (PreEscaped(marks)) } } } }
        }
    })
}

/// How much a panel's points tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Points {
    /// Each has a marker, and words for whoever points at it.
    Named,
    /// Each has a marker; its words are those of the same point in another panel.
    Marked,
}

/// A panel of lines as an `svg` element.
pub fn of_lines(sheet: &Sheet, panel: &Lines, points: Points) -> Drawn<String> {
    let font = Font::new();
    let left = EDGE + lines::room_for_y(&font, std::slice::from_ref(panel));
    let title = EDGE + lines::TITLE_MIDDLE;
    let frame = Frame { left, top: TOP, right: RIGHT, bottom: BOTTOM, title, has_x: true, has_y: true };
    let placed = Placed::new(&font, panel, &frame);
    let below = BOTTOM + lines::LABEL_ROOM + AXIS / 2;
    let ground = fragment(|canvas| {
        lines::ground(canvas, &font, &placed)?;
        canvas.text(&panel.x.title, ((left + RIGHT) / 2, below), AXIS, Anchor::Center, INK)
    })?;
    let drawn = |series| -> Drawn<(String, String)> {
        let spread = fragment(|canvas| lines::spread(canvas, series, &placed))?;
        Ok((spread, fragment(|canvas| lines::line(canvas, series, &placed))?))
    };
    let drawn = panel.series.iter().map(drawn).collect::<Drawn<Vec<_>>>()?;
    let marks = html! {
        (PreEscaped(ground))
        @for (series, (spread, line)) in panel.series.iter().zip(drawn) {
            g data-s=(series.style.id()) {
                (PreEscaped(spread))
                g stroke-dasharray=[dashes(series.style).filter(|_| series.has_markers)] { (PreEscaped(line)) }
                @for point in &series.points {
                    (mark(panel, series, point, placed.at(point.x, point.y), points))
                }
            }
        }
    };
    let label = labelled(sheet, &panel.heading, &panel.y.title);
    Ok(svg("panel", (OF_LINES, below + AXIS), &label, &marks))
}

fn svg(class: &str, (width, height): (i32, i32), label: &str, marks: &Markup) -> String {
    let svg = html! {
        svg class=(class) viewBox={ "0 0 " (width) " " (height) } role="application" aria-roledescription="chart" aria-label=(label) tabindex="0" { (marks) }
    };
    svg.into_string()
}

/// What a screen reader says of a panel: its heading, the quantity, what was measured, and how its points are read.
fn labelled(sheet: &Sheet, heading: &str, title: &str) -> String {
    let parts = [heading, title, &sheet.subtitle].into_iter().filter(|part| !part.is_empty());
    let what = parts.collect::<Vec<_>>().join("; ");
    format!("{what}. Arrow keys read its points; the same values stand in a table below.")
}

/// The dashes of a style, for an element around its solid line.
pub fn dashes(style: SeriesStyle) -> Option<String> {
    style.dash().map(|(dash, gap)| format!("{dash} {gap}"))
}

fn mark(panel: &Lines, series: &Series, point: &Point, (x, y): (i32, i32), points: Points) -> Markup {
    let words = html! { @if points == Points::Named { title { (point_words(panel, series, point)) } } };
    html! {
        @if series.has_markers {
            use.p href={ "#m" (series.style.id()) } x=(x) y=(y) { (words) }
        } @else {
            rect.p x=(x - REACH) y=(y - REACH) width=(2 * REACH) height=(2 * REACH) { (words) }
        }
    }
}

/// A panel of rows as an `svg` element.
pub fn of_rows(sheet: &Sheet, panel: &Rows) -> Drawn<String> {
    let font = Font::new();
    let margins = (EDGE, OF_ROWS - EDGE);
    let layout = rows::Layout::of(panel, &font, margins);
    let drawn = fragment(|canvas| rows::draw(canvas, &font, panel, 0, margins))?;
    let marks = html! {
        (PreEscaped(drawn))
        @for (place, row) in panel.rows.iter().enumerate() {
            @let (top, pitch) = layout.row(place);
            rect.p x="0" y=(top) width=(OF_ROWS) height=(pitch) { title { (row_words(panel, row)) } }
        }
    };
    let label = labelled(sheet, &panel.heading, &panel.x.title);
    Ok(svg("panel rows", (OF_ROWS, layout.height(panel)), &label, &marks))
}
