//! Where everything of a figure stands: title, legend, panels and caption from top to bottom, each as high as it needs.
//!
//! Whatever is written was measured first, so no two texts overlap and none leaves the page.

use plotters::style::RGBColor;

use crate::canvas::{self, AXIS, Anchor, Canvas, Drawn, FigureWidth, INK, SOFT};
use crate::font::Font;
use crate::lines::{self, Frame};
use crate::rows;
use crate::sheet::{Key, KeySample, Lines, Rows, Sheet};

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

/// What is laid out from top to bottom, and drawn when it is known how high the page is.
struct Page<'a> {
    font: &'a Font,
    width: FigureWidth,
    /// Where the next part begins.
    y: i32,
    marks: Vec<Marks<'a>>,
}

/// Draws something in its place.
type Marks<'a> = Box<dyn Fn(&Canvas) -> Drawn + 'a>;

/// The figure as SVG.
pub fn draw(sheet: &Sheet, width: FigureWidth) -> Drawn<String> {
    let font = Font::new();
    let mut page = Page { font: &font, width, y: MARGIN, marks: Vec::new() };
    page.paragraph(&sheet.title, TITLE, INK, 8);
    page.paragraph(&sheet.subtitle, SUBTITLE, SOFT, 8);
    page.legend(&sheet.keys);
    page.lines(&sheet.lines);
    sheet.rows.iter().for_each(|panel| page.rows(panel));
    sheet.caption.iter().for_each(|sentence| page.paragraph(sentence, CAPTION, SOFT, 10));
    canvas::draw((width.units(), page.y + MARGIN - 10), |canvas| page.marks.iter().try_for_each(|mark| mark(canvas)))
}

impl<'a> Page<'a> {
    fn right(&self) -> i32 {
        self.width.units() - MARGIN
    }

    fn paragraph(&mut self, text: &str, height: i32, color: RGBColor, below: i32) {
        let (room, most) = (self.right() - MARGIN, most_lines(self.width));
        let mut lines = self.font.wrap(text, height, room);
        if lines.len() > most {
            lines.truncate(most);
            if let Some(last) = lines.last_mut() {
                *last = self.font.fit(&format!("{last} …"), height, room);
            }
        }
        for line in lines {
            let place = (MARGIN, self.y + pitch(height) / 2);
            self.marks.push(Box::new(move |canvas| canvas.text(&line, place, height, Anchor::Left, color)));
            self.y += pitch(height);
        }
        self.y += below;
    }

    /// The legend's entries from left to right, in as many rows as they need.
    fn legend(&mut self, keys: &'a [Key]) {
        let (right, row) = (self.right(), pitch(LEGEND) + 8);
        let mut x = MARGIN;
        for key in keys {
            let before = width_of_sample(key) + 20;
            let width = before + self.font.width(&key.name, LEGEND);
            if x > MARGIN && x + width > right {
                (x, self.y) = (MARGIN, self.y + row);
            }
            let (x_of_name, y) = (x + before, self.y + row / 2);
            let name = self.font.fit(&key.name, LEGEND, right - x - before);
            self.marks.push(Box::new(move |canvas| {
                sample(canvas, key, (x_of_name - before, y))?;
                canvas.text(&name, (x_of_name, y), LEGEND, Anchor::Left, INK)
            }));
            x += width + 72;
        }
        self.y += 24 + if keys.is_empty() { 0 } else { row };
    }

    fn rows(&mut self, panel: &'a Rows) {
        let (font, top, ends) = (self.font, self.y, (MARGIN, self.right()));
        self.y += rows::Layout::of(panel, font, ends).height(panel) + if panel.has_title { GAP } else { 0 };
        self.marks.push(Box::new(move |canvas| rows::draw(canvas, font, panel, top, ends)));
    }

    /// The panels of lines in their grid, and the x axis's title below all of them.
    fn lines(&mut self, panels: &'a [Lines]) {
        let Some(first) = panels.first() else { return };
        let (font, columns, right) = (self.font, columns(panels, self.width), self.right());
        let left = MARGIN + lines::room_for_y(font, panels);
        let width = (right - 16 - left - (columns as i32 - 1) * GAP) / columns as i32;
        let in_all = panels.len().div_ceil(columns);
        let height = match (self.width, columns, in_all) {
            (FigureWidth::Page, 1, 1) => 1080,
            (FigureWidth::Page, 1, _) => 520,
            (FigureWidth::Page, 2, _) => 760,
            (FigureWidth::Page, ..) => 600,
            (FigureWidth::Column, 1, 1) => 760,
            (FigureWidth::Column, ..) => 480,
        };
        let heading = if panels.iter().any(|panel| !panel.heading.is_empty()) { pitch(AXIS) + 12 } else { 28 };
        for (place, panel) in panels.iter().enumerate() {
            let (row, column) = ((place / columns) as i32, (place % columns) as i32);
            let left = left + column * (width + GAP);
            let top = self.y + row * (heading + height + GAP) + heading;
            let frame = Frame {
                left,
                top,
                right: left + width,
                bottom: top + height,
                title: MARGIN + lines::TITLE_MIDDLE,
                has_x: place + columns >= panels.len(),
                has_y: column == 0,
            };
            self.marks.push(Box::new(move |canvas| lines::draw(canvas, font, panel, &frame)));
        }
        self.y += in_all as i32 * (heading + height + GAP) - GAP + lines::LABEL_ROOM;
        let middle = ((left + right) / 2, self.y + AXIS / 2);
        self.marks.push(Box::new(move |canvas| canvas.text(&first.x.title, middle, AXIS, Anchor::Center, INK)));
        self.y += pitch(AXIS) + GAP;
    }
}

fn pitch(height: i32) -> i32 {
    height * 4 / 3
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
        KeySample::Bar => canvas.styled_bar((x, y - 16), (x + 64, y + 16), key.style),
        KeySample::Bound => rows::bound(canvas, x + 10, y),
    }
}

/// How many panels of lines stand beside each other: in a narrow figure a single one, until there are so many that they were long.
fn columns(panels: &[Lines], page: FigureWidth) -> usize {
    let most = match panels.len() {
        _ if panels.iter().any(|panel| panel.y != panels[0].y) => 1,
        count @ 0..=3 => count,
        4 => 2,
        _ => 3,
    };
    match page {
        FigureWidth::Page => most,
        FigureWidth::Column if panels.len() <= 3 => 1,
        FigureWidth::Column => most.min(2),
    }
}
