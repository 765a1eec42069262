//! A figure as data: what is drawn, and nothing of where on the page it stands.

use std::collections::BTreeSet;

use crate::scale::Scale;
use crate::style::SeriesStyle;
use ciphermeter_answer::words::digits;

/// A whole figure.
#[derive(Clone)]
pub struct Sheet {
    /// The question.
    pub title: String,
    /// What is drawn: the quantity, the operation, the sizes.
    pub subtitle: String,
    /// What each style stands for; empty where there is nothing to tell apart.
    pub keys: Vec<Key>,
    /// Panels of lines, all with the same x axis. They stand beside each other if they have the
    /// same y axis, too.
    pub lines: Vec<Lines>,
    /// Panels of rows, below each other across the whole width.
    pub rows: Vec<Rows>,
    /// Sentences below the figure.
    pub caption: Vec<String>,
}

/// An entry of the legend.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// What it stands for.
    pub name: String,
    /// How that is drawn.
    pub style: SeriesStyle,
    /// What the legend shows of it.
    pub sample: KeySample,
}

impl Sheet {
    /// The legend of what is drawn: lines in their order, bars in that of their styles, then the
    /// mark of a bound.
    pub(crate) fn set_keys(&mut self, bound: &str) {
        let lines = || self.lines.iter().flat_map(|panel| &panel.series);
        let is_drawn = |style| lines().any(|series| series.style == style && !series.points.is_empty());
        let rows = || self.rows.iter().flat_map(|panel| &panel.rows);
        let mut bars: Vec<_> = rows().map(|row| (&*row.series, row.style, KeySample::Bar)).collect();
        bars.sort_by_key(|(_, style, _)| *style);
        let bounds = rows().any(|row| row.bound.is_some()).then_some((bound, SeriesStyle::AES, KeySample::Bound));
        let lines = lines().filter(|series| is_drawn(series.style));
        let all = lines.map(|series| (&*series.name, series.style, KeySample::Line)).chain(bars).chain(bounds);
        let mut keys: Vec<Key> = Vec::new();
        for (name, style, sample) in all.filter(|(name, ..)| !name.is_empty()) {
            if !keys.iter().any(|key| (key.style, key.sample) == (style, sample)) {
                keys.push(Key { name: name.into(), style, sample });
            }
        }
        self.keys = keys;
    }
}

/// What an entry of the legend shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeySample {
    /// A line with its marker.
    Line,
    /// A bar.
    Bar,
    /// The mark of a bound.
    Bound,
}

/// An axis.
#[derive(Clone, PartialEq)]
pub struct Axis {
    /// The quantity and its unit.
    pub title: String,
    /// Where values lie on it.
    pub scale: Scale,
}

/// Values over an axis, in lines.
#[derive(Clone)]
pub struct Lines {
    /// What tells it apart; empty for a single panel.
    pub heading: String,
    /// The axis below.
    pub x: Axis,
    /// The axis at the left.
    pub y: Axis,
    /// The lines.
    pub series: Vec<Series>,
    /// Moments at which something happened.
    pub marks: Vec<Mark>,
    /// The value that parts those above from those below.
    pub level: Option<f64>,
    /// How intervals are drawn.
    pub spread: Spread,
}

/// How points' intervals are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spread {
    /// A whisker at each point.
    Whiskers,
    /// A band along the line, where many lines have many points.
    Bands,
}

impl Axis {
    /// What its values are: what precedes the unit.
    pub fn quantity(&self) -> &str {
        self.title.rsplit_once(", ").map_or(&self.title, |(quantity, _)| quantity)
    }

    /// The title of values for programs, which are bytes where they are sizes.
    pub fn exact_title(&self) -> String {
        if self.scale.has_sizes() { format!("{}, bytes", self.title) } else { self.title.clone() }
    }

    /// The unit of its values: what follows the quantity.
    pub fn unit(&self) -> &str {
        self.title.rsplit_once(", ").map_or("", |(_, unit)| unit)
    }
}

/// One line.
#[derive(Clone)]
pub struct Series {
    /// What it shows, for the legend; empty where there is nothing to tell apart.
    pub name: String,
    /// How it is drawn.
    pub style: SeriesStyle,
    /// From left to right.
    pub points: Vec<Point>,
    /// Whether each point has a marker.
    pub has_markers: bool,
}

impl Series {
    /// A line with a marker at each point.
    pub fn new(name: impl Into<String>, style: SeriesStyle, points: impl IntoIterator<Item = Point>) -> Self {
        let mut points: Vec<Point> = points.into_iter().collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        Self { name: name.into(), style, points, has_markers: true }
    }
}

/// The places that any of the lines has a point at, as bits: none is below 0, so they are in order.
pub(crate) fn places<'a>(all: impl IntoIterator<Item = &'a Series>) -> BTreeSet<u64> {
    all.into_iter().flat_map(|series| &series.points).map(|point| point.x.to_bits()).collect()
}

/// A value with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Its place on the axis below.
    pub x: f64,
    /// Its value.
    pub y: f64,
    /// The ends of its interval.
    pub range: Option<(f64, f64)>,
}

impl Point {
    /// A value that has no place along an axis yet.
    pub fn new(y: f64, range: Option<(f64, f64)>) -> Self {
        Self { x: 0.0, y, range }
    }

    /// The same in its place.
    pub fn at(self, x: f64) -> Self {
        Self { x, ..self }
    }

    /// The same in a unit of that size.
    pub fn in_unit(self, unit: f64) -> Self {
        Self { y: self.y / unit, range: self.range.map(|(low, high)| (low / unit, high / unit)), ..self }
    }
}

/// A vertical line with a few words.
#[derive(Clone)]
pub struct Mark {
    /// Its place on the axis below.
    pub x: f64,
    /// The words.
    pub text: String,
}

/// A row for each cell along one axis.
#[derive(Clone)]
pub struct Rows {
    /// What tells it apart; empty for a single panel.
    pub heading: String,
    /// The axis.
    pub x: Axis,
    /// Whether the axis's title stands below it, rather than below a further panel.
    pub has_title: bool,
    /// Where rows begin.
    pub base: Base,
    /// What the figures at the right are.
    pub unit: String,
    /// The rows, from above.
    pub rows: Vec<Row>,
}

/// Where a row begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// Bars from 0.
    Zero,
    /// Points beside a line at 1.
    One,
}

/// One cell.
#[derive(Clone)]
pub struct Row {
    /// The name of the cell.
    pub label: String,
    /// What its style stands for, for the legend; empty where there is nothing to tell apart.
    pub series: String,
    /// How it is drawn.
    pub style: SeriesStyle,
    /// Its value.
    pub value: f64,
    /// The ends of its interval.
    pub range: Option<(f64, f64)>,
    /// What it could be at best, or what it truly is.
    pub bound: Option<f64>,
    /// The value in print.
    pub figure: String,
}

impl Row {
    /// A value without a bound; in print, with as many digits as say something.
    pub fn new(label: String, style: SeriesStyle, Point { y, range, .. }: Point) -> Self {
        Self { label, series: String::new(), style, value: y, range, bound: None, figure: digits(y) }
    }
}
