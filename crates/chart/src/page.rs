//! Where everything of a figure stands: title, legend, panels and caption from top to bottom, each as high as it needs.
//!
//! Whatever is written was measured first, so no two texts overlap and none leaves the page.

use crate::canvas::{self, AXIS, Anchor, Canvas, Drawn, FigureWidth, INK, SOFT, TICK, rgb};
use crate::font::Font;
use crate::lines::{self, Frame};
use crate::rows;
use crate::sheet::{Key, KeySample, Sheet};

/// Heights of letters.
const TITLE: i32 = 58;
const SUBTITLE: i32 = 44;
const LEGEND: i32 = 44;
const CAPTION: i32 = 36;
/// Around the page, and between its parts.
const MARGIN: i32 = 48;
const GAP: i32 = 44;
/// The most lines of a sentence of the caption, by the figure's width.
fn most_lines(width: FigureWidth) -> usize {
    match width {
        FigureWidth::Page => 7,
        FigureWidth::Column => 14,
    }
}

/// A paragraph: its lines, the height of their letters, and where the first one's middle stands.
struct Paragraph {
    lines: Vec<String>,
    height: i32,
    top: i32,
}

/// A whole page.
struct Plan<'a> {
    above: Vec<Paragraph>,
    keys: Vec<(&'a Key, i32, i32)>,
    frames: Vec<Frame>,
    /// The x axis's title, below the panels of lines.
    x_title: Option<(i32, i32)>,
    rows: Vec<i32>,
    below: Vec<Paragraph>,
    height: i32,
}

/// The figure as SVG.
pub fn draw(sheet: &Sheet, width: FigureWidth) -> Drawn<String> {
    let font = Font::new();
    let plan = plan(sheet, &font, width);
    let right = width.units() - MARGIN;
    canvas::draw((width.units(), plan.height), |canvas| {
        for (place, paragraph) in plan.above.iter().enumerate() {
            written(canvas, paragraph, if place == 0 { INK } else { SOFT })?;
        }
        for (key, x, y) in &plan.keys {
            sample(canvas, key, (*x, *y))?;
            let left = x + width_of_sample(key) + 20;
            canvas.text(&font.fit(&key.name, LEGEND, right - left), (left, *y), LEGEND, Anchor::Left, INK)?;
        }
        for (panel, frame) in sheet.lines.iter().zip(&plan.frames) {
            lines::draw(canvas, &font, panel, frame)?;
        }
        if let (Some(place), Some(panel)) = (plan.x_title, sheet.lines.first()) {
            canvas.text(&panel.x.title, place, AXIS, Anchor::Center, INK)?;
        }
        for (panel, top) in sheet.rows.iter().zip(&plan.rows) {
            rows::draw(canvas, &font, panel, *top, (MARGIN, right))?;
        }
        plan.below.iter().try_for_each(|paragraph| written(canvas, paragraph, SOFT))
    })
}

fn plan<'a>(sheet: &'a Sheet, font: &Font, width: FigureWidth) -> Plan<'a> {
    let mut y = MARGIN;
    let mut above = Vec::new();
    for (text, height) in [(&sheet.title, TITLE), (&sheet.subtitle, SUBTITLE)] {
        above.push(paragraph(font, text, height, width, &mut y));
        y += 8;
    }
    let keys = keys(&sheet.keys, font, width, &mut y);
    y += 24;
    let (frames, x_title) = frames(sheet, font, width, &mut y);
    let mut tops = Vec::new();
    for panel in &sheet.rows {
        tops.push(y);
        let layout = rows::Layout::of(panel, font, (MARGIN, width.units() - MARGIN));
        y += layout.height(panel) + if panel.has_title { GAP } else { 0 };
    }
    let mut below = Vec::new();
    for sentence in &sheet.caption {
        below.push(paragraph(font, sentence, CAPTION, width, &mut y));
        y += 10;
    }
    Plan { above, keys, frames, x_title, rows: tops, below, height: y + MARGIN - 10 }
}

fn paragraph(font: &Font, text: &str, height: i32, width: FigureWidth, y: &mut i32) -> Paragraph {
    let (room, most) = (width.units() - 2 * MARGIN, most_lines(width));
    let mut lines = font.wrap(text, height, room);
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            *last = font.fit(&format!("{last} …"), height, room);
        }
    }
    let paragraph = Paragraph { top: *y + pitch(height) / 2, height, lines };
    *y += paragraph.lines.len() as i32 * pitch(height);
    paragraph
}

/// From one line to the next.
fn pitch(height: i32) -> i32 {
    height * 4 / 3
}

fn written(canvas: &Canvas, paragraph: &Paragraph, color: plotters::style::RGBColor) -> Drawn {
    for (row, line) in (0..).zip(&paragraph.lines) {
        let y = paragraph.top + row * pitch(paragraph.height);
        canvas.text(line, (MARGIN, y), paragraph.height, Anchor::Left, color)?;
    }
    Ok(())
}

/// The legend's entries from left to right, in as many rows as they need.
fn keys<'a>(all: &'a [Key], font: &Font, page: FigureWidth, y: &mut i32) -> Vec<(&'a Key, i32, i32)> {
    let (mut x, mut placed) = (MARGIN, Vec::new());
    let row = pitch(LEGEND) + 8;
    for key in all {
        let width = width_of_sample(key) + 20 + font.width(&key.name, LEGEND);
        if x > MARGIN && x + width > page.units() - MARGIN {
            (x, *y) = (MARGIN, *y + row);
        }
        placed.push((key, x, *y + row / 2));
        x += width + 72;
    }
    *y += if all.is_empty() { 0 } else { row };
    placed
}

pub fn width_of_sample(key: &Key) -> i32 {
    match key.sample {
        KeySample::Line => 124,
        KeySample::Bar => 64,
        KeySample::Bound => 20,
    }
}

/// What an entry of the legend shows, from its left end on.
pub fn sample(canvas: &Canvas, key: &Key, (x, y): (i32, i32)) -> Drawn {
    match key.sample {
        KeySample::Line => {
            canvas.series(&[(x, y), (x + 124, y)], key.style)?;
            canvas.marker((x + 62, y), key.style)
        }
        KeySample::Bar => canvas.bar((x, y - 16), (x + 64, y + 16), rgb(key.style)),
        KeySample::Bound => rows::bound(canvas, x + 10, y),
    }
}

/// The panels of lines in their grid, and the place of the title below all of them.
fn frames(sheet: &Sheet, font: &Font, page: FigureWidth, y: &mut i32) -> (Vec<Frame>, Option<(i32, i32)>) {
    let panels = &sheet.lines;
    if panels.is_empty() {
        return (Vec::new(), None);
    }
    let columns = columns(sheet, page);
    let right = page.units() - MARGIN;
    let labels = panels.iter().flat_map(|panel| &panel.y.scale.ticks).map(|tick| font.width(&tick.label, TICK));
    let left = MARGIN + lines::TITLE_ROOM + labels.max().unwrap_or(0) + lines::LABEL_GAP;
    let width = (right - 16 - left - (columns as i32 - 1) * GAP) / columns as i32;
    let in_all = panels.len().div_ceil(columns);
    let height = match (page, columns, in_all) {
        (FigureWidth::Page, 1, 1) => 1080,
        (FigureWidth::Page, 1, _) => 520,
        (FigureWidth::Page, 2, _) => 760,
        (FigureWidth::Page, ..) => 600,
        (FigureWidth::Column, 1, 1) => 760,
        (FigureWidth::Column, ..) => 480,
    };
    let heading = if panels.iter().any(|panel| !panel.heading.is_empty()) { pitch(AXIS) + 12 } else { 28 };
    let frames = panels.iter().enumerate().map(|(place, _)| {
        let (row, column) = ((place / columns) as i32, (place % columns) as i32);
        let left = left + column * (width + GAP);
        let top = *y + row * (heading + height + GAP) + heading;
        Frame {
            left,
            top,
            right: left + width,
            bottom: top + height,
            title: MARGIN + lines::TITLE_ROOM / 2 - 8,
            has_x: place + columns >= panels.len(),
            has_y: column == 0,
        }
    });
    let frames: Vec<Frame> = frames.collect();
    *y += in_all as i32 * (heading + height + GAP) - GAP + lines::LABEL_ROOM;
    let title = ((left + right) / 2, *y + AXIS / 2);
    *y += pitch(AXIS) + GAP;
    (frames, Some(title))
}

/// How many panels of lines stand beside each other: in a narrow figure a single one, until there are so many that they were long.
fn columns(sheet: &Sheet, page: FigureWidth) -> usize {
    let most = match page {
        FigureWidth::Page => sheet.columns,
        FigureWidth::Column if sheet.lines.len() <= 3 => 1,
        FigureWidth::Column => sheet.columns.min(2),
    };
    most.clamp(1, sheet.lines.len())
}
