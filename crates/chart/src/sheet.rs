//! A figure as data: what is drawn, and nothing of where on the page it stands.

use crate::scale::Scale;
use crate::style::SeriesStyle;
use ciphermeter_answer::words::size;

/// A whole figure.
#[derive(Clone)]
pub struct Sheet {
    /// The question.
    pub title: String,
    /// What is drawn: the quantity, the operation, the sizes.
    pub subtitle: String,
    /// What each style stands for; empty where there is nothing to tell apart.
    pub keys: Vec<Key>,
    /// Panels of lines beside each other in so many columns, all with the same x axis; of several columns, with the same y axis, too.
    pub lines: Vec<Lines>,
    /// How many panels of lines stand beside each other.
    pub columns: usize,
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
#[derive(Clone)]
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

impl Lines {
    /// Panels with the same axes, each with its heading.
    pub fn all(panels: impl IntoIterator<Item = (String, Vec<Series>)>, x: &Axis, y: &Axis) -> Vec<Self> {
        let panel = |(heading, series)| Self {
            heading,
            x: x.clone(),
            y: y.clone(),
            series,
            marks: Vec::new(),
            level: None,
            spread: Spread::Whiskers,
        };
        panels.into_iter().map(panel).collect()
    }

    /// A panel for each size of a message; of a single one, without a heading.
    pub fn by_size(messages: &[u64], x: &Axis, y: &Axis, panels: Vec<Vec<Series>>) -> Vec<Self> {
        let heading = |message: &u64| if messages.len() > 1 { size(*message) } else { String::new() };
        Self::all(messages.iter().map(heading).zip(panels), x, y)
    }
}

/// One line.
#[derive(Clone)]
pub struct Series {
    /// How it is drawn.
    pub style: SeriesStyle,
    /// From left to right.
    pub points: Vec<Point>,
    /// Whether each point has a marker.
    pub has_markers: bool,
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
