//! A panel of lines: grid and axes, whiskers, lines, markers, and the moments that are marked.

use crate::axis::{LABEL_GAP, draw_below};
use crate::canvas::{AXIS, Anchor, Canvas, Drawn, GRID, INK, SOFT, TICK, rgb};
use crate::font::Font;
use crate::scale::{Tick, thinned};
use crate::sheet::{Lines, Mark, Point, Series, Spread};

/// Room for the y axis's title, and its middle.
const TITLE_ROOM: i32 = 64;
pub const TITLE_MIDDLE: i32 = TITLE_ROOM / 2 - 8;
/// Room for the x axis's labels.
pub const LABEL_ROOM: i32 = 76;

/// Where a panel's axes stand, and which of them have labels.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    pub left: i32,
    pub top: i32,
    pub right: i32,
    pub bottom: i32,
    /// Where the y axis's title stands.
    pub title: i32,
    pub has_x: bool,
    pub has_y: bool,
}

pub fn draw(canvas: &Canvas, font: &Font, panel: &Lines, frame: &Frame) -> Drawn {
    let heading = font.fit(&panel.heading, AXIS, frame.right - frame.left);
    canvas.text(&heading, (frame.left, frame.top - AXIS + 6), AXIS, Anchor::Left, INK)?;
    let placed = Placed::new(font, panel, frame);
    ground(canvas, font, &placed)?;
    for series in &panel.series {
        spread(canvas, series, &placed)?;
        line(canvas, series, &placed)?;
    }
    // Markers last, so that no line hides them.
    for series in panel.series.iter().filter(|series| series.has_markers) {
        for point in &series.points {
            canvas.marker(placed.at(point.x, point.y), series.style)?;
        }
    }
    Ok(())
}

/// What lies below the lines: grid, axes, and the moments that are marked.
pub fn ground(canvas: &Canvas, font: &Font, placed: &Placed) -> Drawn {
    grid(canvas, font, placed)?;
    let Placed { panel, frame, .. } = *placed;
    if let Some(level) = panel.level.filter(|level| panel.y.scale.holds(*level)) {
        let y = panel.y.scale.place(level, (frame.bottom, frame.top));
        canvas.line(&[(frame.left, y), (frame.right, y)], SOFT, 5)?;
    }
    placed.panel.marks.iter().try_for_each(|mark| moment(canvas, font, mark, placed))
}

/// The room that the y axis takes, with its labels and title.
pub fn room_for_y(font: &Font, panels: &[Lines]) -> i32 {
    let labels = panels.iter().flat_map(|panel| &panel.y.scale.ticks).map(|tick| font.width(&tick.label, TICK));
    TITLE_ROOM + labels.max().unwrap_or(0) + LABEL_GAP
}

/// How far a label may reach beyond its panel.
const BEYOND: i32 = 4;

impl Frame {
    /// The ends of the x scale: within the frame, as far as its outermost labels need.
    fn inset(&self, font: &Font, panel: &Lines) -> (i32, i32) {
        let reach = |tick: &Tick| {
            let x = panel.x.scale.place(tick.at, (self.left, self.right));
            (x, font.width(&tick.label, TICK) / 2)
        };
        let ticks = &panel.x.scale.ticks;
        let left = ticks.first().map(reach).map_or(0, |(x, half)| self.left - BEYOND - (x - half));
        let right = ticks.last().map(reach).map_or(0, |(x, half)| x + half - BEYOND - self.right);
        (self.left + left.max(0), self.right - right.max(0))
    }
}

/// A panel in its place.
pub struct Placed<'a> {
    pub panel: &'a Lines,
    frame: &'a Frame,
    /// The ends of the x scale.
    ends: (i32, i32),
}

impl<'a> Placed<'a> {
    pub fn new(font: &Font, panel: &'a Lines, frame: &'a Frame) -> Self {
        Self { panel, frame, ends: frame.inset(font, panel) }
    }

    pub fn at(&self, x: f64, y: f64) -> (i32, i32) {
        let (panel, frame) = (self.panel, self.frame);
        (panel.x.scale.place(x, self.ends), panel.y.scale.place(y, (frame.bottom, frame.top)))
    }
}

fn grid(canvas: &Canvas, font: &Font, placed: &Placed) -> Drawn {
    let Placed { panel, frame, ends } = *placed;
    let Frame { left, top, right, bottom, .. } = *frame;
    draw_below(canvas, font, &panel.x.scale, (ends, (top, bottom)), frame.has_x)?;
    let ys = &panel.y.scale.ticks;
    let rows: Vec<i32> = ys.iter().map(|tick| panel.y.scale.place(tick.at, (bottom, top))).collect();
    for place in thinned(&rows, &vec![TICK; rows.len()], 12) {
        let y = rows[place];
        canvas.line(&[(left, y), (right, y)], GRID, 3)?;
        canvas.line(&[(left - 12, y), (left, y)], INK, 4)?;
        if frame.has_y {
            canvas.text(&ys[place].label, (left - LABEL_GAP, y), TICK, Anchor::Right, INK)?;
        }
    }
    canvas.line(&[(left, top), (left, bottom), (right, bottom)], INK, 4)?;
    if frame.has_y {
        let title = font.fit(&panel.y.title, AXIS, bottom - top + 40);
        canvas.text_upwards(&title, (frame.title, (top + bottom) / 2), AXIS, INK)?;
    }
    Ok(())
}

/// The points of a line that are joined, one part after the other.
fn parts<'a>(series: &'a Series, placed: &'a Placed) -> impl Iterator<Item = &'a [Point]> {
    series.points.chunk_by(|a, b| !is_missing_between(series, placed.panel, a.x, b.x))
}

/// The intervals of a line's points.
pub fn spread(canvas: &Canvas, series: &Series, placed: &Placed) -> Drawn {
    match placed.panel.spread {
        Spread::Whiskers => whiskers(canvas, &series.points, series, placed),
        Spread::Bands => parts(series, placed).try_for_each(|joined| band(canvas, joined, series, placed)),
    }
}

/// The line itself.
pub fn line(canvas: &Canvas, series: &Series, placed: &Placed) -> Drawn {
    for joined in parts(series, placed) {
        let places: Vec<_> = joined.iter().map(|point| placed.at(point.x, point.y)).collect();
        match series.has_markers {
            true => canvas.series(&places, series.style)?,
            false => canvas.line(&places, rgb(series.style), 7)?,
        }
    }
    Ok(())
}

fn whiskers(canvas: &Canvas, points: &[Point], series: &Series, placed: &Placed) -> Drawn {
    for point in points {
        if let Some((low, high)) = point.range {
            let scale = &placed.panel.y.scale;
            let has_caps = (scale.holds(low), scale.holds(high));
            let [low, high] = [low, high].map(|end| placed.at(point.x, end));
            canvas.whisker((low, high), has_caps, rgb(series.style))?;
        }
    }
    Ok(())
}

/// The intervals of points that are joined, as areas that end where a point has none; of a point alone a whisker.
fn band(canvas: &Canvas, joined: &[Point], series: &Series, placed: &Placed) -> Drawn {
    for known in joined.chunk_by(|a, b| a.range.is_some() && b.range.is_some()) {
        let ends = || known.iter().filter_map(|point| Some((point.x, point.range?)));
        if known.len() < 2 {
            whiskers(canvas, known, series, placed)?;
            continue;
        }
        let above = ends().map(|(x, (_, high))| placed.at(x, high));
        let below = ends().rev().map(|(x, (low, _))| placed.at(x, low));
        canvas.band(&above.chain(below).collect::<Vec<_>>(), rgb(series.style))?;
    }
    Ok(())
}

/// Whether another line of the panel has a point where this one has none: a line across would draw what was not measured. What was
/// published has sizes of its own.
fn is_missing_between(series: &Series, panel: &Lines, low: f64, high: f64) -> bool {
    let alike = panel.series.iter().filter(|other| other.style.is_published() == series.style.is_published());
    series.has_markers && alike.flat_map(|other| &other.points).any(|point| low < point.x && point.x < high)
}

/// A dashed line with its words on the side that has room.
fn moment(canvas: &Canvas, font: &Font, mark: &Mark, placed: &Placed) -> Drawn {
    let frame = placed.frame;
    let (x, _) = placed.at(mark.x, 0.0);
    canvas.dashed(&[(x, frame.top), (x, frame.bottom)], SOFT, 5, (20, 14))?;
    let (right, left) = (frame.right - x - 20, x - frame.left - 20);
    let (anchor, place, room) = match right >= left {
        true => (Anchor::Left, x + 16, right),
        false => (Anchor::Right, x - 16, left),
    };
    let text = font.fit(&mark.text, TICK, room);
    canvas.text(&text, (place, frame.bottom - TICK), TICK, anchor, INK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::Scale;
    use crate::sheet::Axis;
    use crate::style::SeriesStyle;

    #[test]
    fn line_ends_before_a_size_that_it_lacks() {
        let series = |xs: &[f64], has_markers| Series {
            name: String::new(),
            style: SeriesStyle::new(0),
            points: xs.iter().map(|x| Point { x: *x, y: 1.0, range: None }).collect(),
            has_markers,
        };
        let axis = || Axis { title: String::new(), scale: Scale::of_counts(&[1, 2, 3]) };
        let (whole, gapped) = (series(&[1.0, 2.0, 3.0], true), series(&[1.0, 3.0], true));
        let all = vec![whole, gapped, series(&[1.0, 3.0], false)];
        let panel = Lines {
            heading: String::new(),
            x: axis(),
            y: axis(),
            series: all,
            marks: Vec::new(),
            level: None,
            spread: Spread::Whiskers,
        };
        let missing = |place: usize, low, high| is_missing_between(&panel.series[place], &panel, low, high);
        assert!(missing(1, 1.0, 3.0));
        assert!(!missing(0, 1.0, 2.0) && !missing(0, 2.0, 3.0));
        assert!(!missing(2, 1.0, 3.0), "a course has steps of its own");
    }
}
