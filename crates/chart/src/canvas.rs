//! The page in units of a quarter of a CSS pixel: lines, markers and text, which plotters writes as SVG.

use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use ciphermeter_core::escaped;

use crate::font::FAMILIES;
use crate::style::{Marker, SeriesStyle};

/// Units of one CSS pixel.
pub const UNITS: u32 = 4;
/// Width of a figure across a page in units.
pub const WIDTH: i32 = 2560;

/// How wide a figure is on paper. Its letters are as large in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigureWidth {
    /// Across the page: 160 mm.
    Page,
    /// Across one column of two: 84 mm.
    Column,
}

impl FigureWidth {
    /// In units.
    pub fn units(self) -> i32 {
        match self {
            Self::Page => WIDTH,
            Self::Column => 1344,
        }
    }
}

/// Height of letters in an axis's title and in its labels.
pub const AXIS: i32 = 42;
pub const TICK: i32 = 40;

/// What drawing ends in. Writing to memory does not fail, but the library's signatures say so.
pub type Drawn<T = ()> = Result<T, DrawingAreaErrorKind<std::io::Error>>;

/// A page while it is drawn.
pub struct Canvas<'a> {
    /// Whether a line's dashes are its element's, rather than marks of their own.
    is_part: bool,
    area: DrawingArea<SVGBackend<'a>, plotters::coord::Shift>,
}

/// On which side of its place a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    Left,
    Center,
    Right,
}

/// Shades of ink.
pub const INK: RGBColor = RGBColor(0, 0, 0);
pub const SOFT: RGBColor = RGBColor(70, 70, 70);
pub const GRID: RGBColor = RGBColor(222, 222, 222);

/// Draws a page of that width and height in units: comes back with its SVG.
pub fn draw((width, height): (i32, i32), page: impl FnOnce(&Canvas) -> Drawn) -> Drawn<String> {
    // Whole CSS pixels, so that nothing is stretched.
    let size = (width as u32, (height.max(1) as u32).next_multiple_of(UNITS));
    let svg = drawn(size, false, |canvas| {
        canvas.area.fill(&WHITE)?;
        page(canvas)
    })?;
    // The library gives the page its units' size; viewers take it in CSS pixels.
    let [units, pixels] = [1, UNITS].map(|each| format!("width=\"{}\" height=\"{}\"", size.0 / each, size.1 / each));
    Ok(svg.replacen(&units, &pixels, 1))
}

/// Draws a part of a page: comes back with its marks alone, to be put into an element of one's own. Lines are solid: an element's
/// `stroke-dasharray` takes a hundredth of the bytes.
pub fn fragment(page: impl FnOnce(&Canvas) -> Drawn) -> Drawn<String> {
    let svg = drawn((WIDTH as u32, WIDTH as u32), true, page)?;
    let marks = svg.split_once('>').map_or("", |(_, marks)| marks);
    // What is so by default, on every mark.
    Ok(marks.trim().trim_end_matches("</svg>").replace(" opacity=\"1\"", ""))
}

fn drawn(size: (u32, u32), is_part: bool, page: impl FnOnce(&Canvas) -> Drawn) -> Drawn<String> {
    let mut svg = String::new();
    let canvas = Canvas { is_part, area: SVGBackend::with_string(&mut svg, size).into_drawing_area() };
    page(&canvas)?;
    canvas.area.present()?;
    drop(canvas);
    Ok(svg)
}

pub fn rgb(style: SeriesStyle) -> RGBColor {
    let (red, green, blue) = style.color();
    RGBColor(red, green, blue)
}

impl Canvas<'_> {
    /// A line through places.
    pub fn line(&self, places: &[(i32, i32)], color: RGBColor, width: u32) -> Drawn {
        self.area.draw(&PathElement::new(places, color.stroke_width(width)))
    }

    /// The same with dashes and gaps of so many units.
    pub fn dashed(&self, places: &[(i32, i32)], color: RGBColor, width: u32, (dash, gap): (i32, i32)) -> Drawn {
        let style = color.stroke_width(width);
        self.area.draw(&DashedPathElement::new(places.iter().copied(), dash, gap, style))
    }

    /// An area between two lines, through which others show.
    pub fn band(&self, outline: &[(i32, i32)], color: RGBColor) -> Drawn {
        self.area.draw(&Polygon::new(outline.to_vec(), color.mix(0.18).filled()))
    }

    /// A filled rectangle between two corners.
    pub fn bar(&self, corner: (i32, i32), other: (i32, i32), color: RGBColor) -> Drawn {
        self.area.draw(&Rectangle::new([corner, other], color.filled()))
    }

    /// A bar of a style, hollow where its marks are.
    pub fn styled_bar(&self, (left, top): (i32, i32), (right, bottom): (i32, i32), style: SeriesStyle) -> Drawn {
        const EDGE: i32 = 6;
        self.bar((left, top), (right, bottom), rgb(style))?;
        match style.is_published() && right - left > 2 * EDGE {
            true => self.bar((left + EDGE, top + EDGE), (right - EDGE, bottom - EDGE), WHITE),
            false => Ok(()),
        }
    }

    /// A line's style between places.
    pub fn series(&self, places: &[(i32, i32)], style: SeriesStyle) -> Drawn {
        match style.dash() {
            Some(dash) if !self.is_part => self.dashed(places, rgb(style), 7, dash),
            _ => self.line(places, rgb(style), 7),
        }
    }

    /// A whisker, upright or lying, with a cap at each end that the axis does not cut off.
    pub fn whisker(&self, (from, to): ((i32, i32), (i32, i32)), has_caps: (bool, bool), color: RGBColor) -> Drawn {
        // Shorter than it is thick, it would be a blot.
        if (to.0 - from.0).abs() + (to.1 - from.1).abs() < 8 {
            return Ok(());
        }
        let cap = if from.0 == to.0 { (9, 0) } else { (0, 9) };
        self.line(&[from, to], color, 4)?;
        for ((x, y), _) in [(from, has_caps.0), (to, has_caps.1)].into_iter().filter(|(_, has_cap)| *has_cap) {
            self.line(&[(x - cap.0, y - cap.1), (x + cap.0, y + cap.1)], color, 4)?;
        }
        Ok(())
    }

    /// A style's marker. That of a published value is a ring, which hides no other.
    pub fn marker(&self, (x, y): (i32, i32), style: SeriesStyle) -> Drawn {
        let r = if style.is_published() { 24 } else { 16 };
        let outline: Vec<(i32, i32)> = match style.marker() {
            Marker::Circle if style.is_published() => {
                return self.area.draw(&Circle::new((x, y), r, rgb(style).stroke_width(6)));
            }
            Marker::Circle => return self.area.draw(&Circle::new((x, y), r, rgb(style).filled())),
            Marker::Cross => {
                self.line(&[(x - r, y - r), (x + r, y + r)], rgb(style), 7)?;
                return self.line(&[(x - r, y + r), (x + r, y - r)], rgb(style), 7);
            }
            Marker::Bar => vec![(x - r / 3, y - r), (x + r / 3, y - r), (x + r / 3, y + r), (x - r / 3, y + r)],
            Marker::Square => {
                let r = r - 2;
                vec![(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)]
            }
            Marker::Up => vec![(x, y - r - 2), (x + r, y + r - 4), (x - r, y + r - 4)],
            Marker::Down => vec![(x, y + r + 2), (x + r, y - r + 4), (x - r, y - r + 4)],
            Marker::Diamond => vec![(x, y - r - 4), (x + r, y), (x, y + r + 4), (x - r, y)],
        };
        if !style.is_published() {
            let fill = if style.is_filled() { rgb(style) } else { WHITE };
            self.area.draw(&Polygon::new(outline.clone(), fill.filled()))?;
        }
        let closed: Vec<_> = outline.iter().chain(outline.iter().take(2)).copied().collect();
        self.line(&closed, rgb(style), 6)
    }

    /// A line of text, upright, whose middle is at the place's height.
    pub fn text(&self, text: &str, place: (i32, i32), height: i32, anchor: Anchor, color: RGBColor) -> Drawn {
        // Half of an x is what the backend lowers text by; half of a capital is more.
        let place = (place.0, place.1 + height / 10);
        self.written(text, place, height, anchor, color, FontTransform::None)
    }

    /// The same from below to above, centered at the place.
    pub fn text_upwards(&self, text: &str, place: (i32, i32), height: i32, color: RGBColor) -> Drawn {
        let place = (place.0 + height / 10, place.1);
        self.written(text, place, height, Anchor::Center, color, FontTransform::Rotate270)
    }

    fn written(
        &self,
        text: &str,
        place: (i32, i32),
        height: i32,
        anchor: Anchor,
        color: RGBColor,
        turned: FontTransform,
    ) -> Drawn {
        if text.is_empty() {
            return Ok(());
        }
        let horizontal = match anchor {
            Anchor::Left => HPos::Left,
            Anchor::Center => HPos::Center,
            Anchor::Right => HPos::Right,
        };
        // The backend divides sizes by this.
        let font = FontDesc::new(FontFamily::Name(FAMILIES), f64::from(height) * 1.24, FontStyle::Normal);
        let style = TextStyle::from(font.transform(turned)).color(&color).pos(Pos::new(horizontal, VPos::Center));
        self.area.draw_text(&escaped(text), &style, place)
    }
}
