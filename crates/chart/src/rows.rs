//! A panel of rows: a bar from 0 for each cell, or a point beside a line at 1; its interval as a whisker, its figure at the right. Labels
//! stand before their rows; where one would be cut there, all stand above them.

use plotters::style::{RGBColor, WHITE};

use crate::axis::draw_below;
use crate::canvas::{AXIS, Anchor, Canvas, Drawn, INK, SOFT, TICK, rgb};
use crate::font::Font;
use crate::sheet::{Base, Row, Rows};

/// From one row to the next, with labels before the rows and with labels above them.
const PITCH: i32 = 62;
const PITCH_BELOW_LABEL: i32 = 112;
/// Half of a bar.
const HALF: i32 = 18;
/// Above the first row, and below the last.
const HEADING: i32 = 76;
const TICK_ROOM: i32 = 84;
const TITLE_ROOM: i32 = 66;
/// The widest label that stands before its row.
const WIDEST: i32 = 1100;
/// What half of the axis's first label needs, where nothing stands before the rows.
const FIRST_TICK: i32 = 40;

/// How a panel's rows are laid out between two margins.
pub struct Layout {
    /// Whether labels stand above their rows, rather than before them.
    is_stacked: bool,
    /// The ends of the scale.
    ends: (i32, i32),
    pitch: i32,
}

impl Layout {
    pub fn of(panel: &Rows, font: &Font, (left, right): (i32, i32)) -> Self {
        let widest =
            |texts: &mut dyn Iterator<Item = &str>| texts.map(|text| font.width(text, TICK)).max().unwrap_or(0);
        let labels = widest(&mut panel.rows.iter().map(|row| row.label.as_str()));
        let figures = widest(&mut panel.rows.iter().map(|row| row.figure.as_str()).chain([panel.unit.as_str()]));
        let end = right - figures - 56;
        // More than half of the width is the bars' and figures', and a third of it the bars' own.
        let fits = labels <= WIDEST.min((right - left) * 45 / 100) && end - left - labels - 24 >= (right - left) / 3;
        match fits {
            true => Self { is_stacked: false, ends: (left + labels + 24, end), pitch: PITCH },
            false => Self { is_stacked: true, ends: (left + FIRST_TICK, end), pitch: PITCH_BELOW_LABEL },
        }
    }

    /// How high the panel is.
    pub fn height(&self, panel: &Rows) -> i32 {
        let title = if panel.has_title { TITLE_ROOM } else { 0 };
        HEADING + panel.rows.len() as i32 * self.pitch + TICK_ROOM + title
    }

    /// Where a row stands below the panel's top, and how high it is.
    pub fn row(&self, place: usize) -> (i32, i32) {
        (HEADING + place as i32 * self.pitch, self.pitch)
    }
}

/// Draws a panel between two margins.
pub fn draw(canvas: &Canvas, font: &Font, panel: &Rows, top: i32, (left, right): (i32, i32)) -> Drawn {
    let Layout { is_stacked, ends, pitch } = Layout::of(panel, font, (left, right));
    let heading = font.fit(&panel.heading, AXIS, right - left - font.width(&panel.unit, TICK) - 40);
    canvas.text(&heading, (left, top + HEADING / 2), AXIS, Anchor::Left, INK)?;
    canvas.text(&panel.unit, (right, top + HEADING / 2), TICK, Anchor::Right, SOFT)?;
    let (first, last) = (top + HEADING, top + HEADING + panel.rows.len() as i32 * pitch);
    axis(canvas, font, panel, ((left, right), ends), (first, last))?;
    let x = panel.x.scale.place(if panel.base == Base::One { 1.0 } else { 0.0 }, ends);
    let base = || canvas.line(&[(x, first), (x, last)], INK, 5);
    if panel.base == Base::One {
        base()?;
    }
    for (k, row) in (0..).zip(&panel.rows) {
        let y = first + (k + 1) * pitch - PITCH / 2;
        match is_stacked {
            false => canvas.text(&row.label, (ends.0 - 24, y), TICK, Anchor::Right, INK)?,
            true => {
                // Nothing of the grid runs through its letters.
                let label = font.fit(&row.label, TICK, right - ends.0 - 12);
                let (x, y) = (ends.0 + 12, y - PITCH / 2 - TICK / 2);
                canvas.bar((x, y - TICK / 2), (x + font.width(&label, TICK), y + TICK / 2), WHITE)?;
                canvas.text(&label, (x, y), TICK, Anchor::Left, INK)?;
            }
        }
        canvas.text(&row.figure, (right, y), TICK, Anchor::Right, INK)?;
        value(canvas, panel, row, ends, y)?;
    }
    if panel.base == Base::Zero { base() } else { Ok(()) }
}

/// The axis below the rows: between the margins of the panel and the ends of its scale.
fn axis(
    canvas: &Canvas,
    font: &Font,
    panel: &Rows,
    ((left, right), ends): ((i32, i32), (i32, i32)),
    (first, last): (i32, i32),
) -> Drawn {
    draw_below(canvas, font, &panel.x.scale, (ends, (first, last)), true)?;
    canvas.line(&[(ends.0, last), (ends.1, last)], INK, 4)?;
    if !panel.has_title {
        return Ok(());
    }
    // A long title leaves the middle of a narrow panel, rather than the panel.
    let title = font.fit(&panel.x.title, AXIS, right - left);
    let half = font.width(&title, AXIS) / 2;
    let middle = ((ends.0 + ends.1) / 2).clamp(left + half, (right - half).max(left + half));
    canvas.text(&title, (middle, last + TICK_ROOM + AXIS / 2), AXIS, Anchor::Center, INK)
}

fn value(canvas: &Canvas, panel: &Rows, row: &Row, ends: (i32, i32), y: i32) -> Drawn {
    let place = |value| panel.x.scale.place(value, ends);
    let whisker = |color: RGBColor, halo: bool| match row.range {
        Some((low, high)) => {
            let (from, to) = ((place(low), y), (place(high), y));
            // On its own bar it needs an edge.
            if halo && to.0 - from.0 >= 8 {
                canvas.line(&[from, to], WHITE, 12)?;
            }
            let scale = &panel.x.scale;
            canvas.whisker((from, to), (scale.holds(low), scale.holds(high)), color)
        }
        None => Ok(()),
    };
    match panel.base {
        Base::Zero => {
            canvas.styled_bar((place(0.0), y - HALF), (place(row.value), y + HALF), row.style)?;
            whisker(INK, true)?;
        }
        Base::One => {
            whisker(rgb(row.style), false)?;
            canvas.marker((place(row.value), y), row.style)?;
        }
    }
    row.bound.map_or(Ok(()), |value| bound(canvas, place(value), y))
}

/// The mark of what could be at best.
pub fn bound(canvas: &Canvas, x: i32, y: i32) -> Drawn {
    canvas.line(&[(x, y - HALF - 8), (x, y + HALF + 8)], WHITE, 14)?;
    canvas.dashed(&[(x, y - HALF - 8), (x, y + HALF + 8)], INK, 7, (10, 6))
}
