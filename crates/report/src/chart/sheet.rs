//! A figure as data: what is drawn, and nothing of where on the page it stands.

use super::look::Look;
use super::scale::Scale;
use ciphermeter_answer::words::size;

/// A whole figure.
#[derive(Clone)]
pub(super) struct Sheet {
    /// The question.
    pub(super) title: String,
    /// What is drawn: the quantity, the operation, the sizes.
    pub(super) subtitle: String,
    /// What each look stands for; empty where there is nothing to tell apart.
    pub(super) keys: Vec<Key>,
    /// Panels of lines beside each other in so many columns, all with the same x axis; of several columns, with the same y axis, too.
    pub(super) lines: Vec<Lines>,
    pub(super) columns: usize,
    /// Panels of rows, below each other across the whole width.
    pub(super) rows: Vec<Rows>,
    /// Sentences below the figure.
    pub(super) caption: Vec<String>,
}

/// An entry of the legend.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) look: Look,
    pub(super) sample: KeySample,
}

/// What an entry of the legend shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeySample {
    Line,
    Bar,
    Bound,
}

/// An axis.
#[derive(Clone)]
pub(super) struct Axis {
    /// The quantity and its unit.
    pub(super) title: String,
    pub(super) scale: Scale,
}

/// Values over an axis, in lines.
#[derive(Clone)]
pub(super) struct Lines {
    pub(super) heading: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) series: Vec<Series>,
    /// Moments at which something happened.
    pub(super) marks: Vec<Mark>,
    /// The value that parts those above from those below.
    pub(super) level: Option<f64>,
    pub(super) spread: Spread,
}

/// How points' intervals are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spread {
    /// A whisker at each point.
    Whiskers,
    /// A band along the line, where many lines have many points.
    Bands,
}

impl Axis {
    /// What its values are: what precedes the unit.
    pub(super) fn quantity(&self) -> &str {
        self.title.rsplit_once(", ").map_or(&self.title, |(quantity, _)| quantity)
    }

    /// The title of values for programs, which are bytes where they are sizes.
    pub(super) fn exact_title(&self) -> String {
        if self.scale.has_sizes() { format!("{}, bytes", self.title) } else { self.title.clone() }
    }

    /// The unit of its values: what follows the quantity.
    pub(super) fn unit(&self) -> &str {
        self.title.rsplit_once(", ").map_or("", |(_, unit)| unit)
    }
}

impl Lines {
    /// Panels with the same axes, each with its heading.
    pub(super) fn all(panels: impl IntoIterator<Item = (String, Vec<Series>)>, x: &Axis, y: &Axis) -> Vec<Self> {
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
    pub(super) fn by_size(messages: &[u64], x: &Axis, y: &Axis, panels: Vec<Vec<Series>>) -> Vec<Self> {
        let heading = |message: &u64| if messages.len() > 1 { size(*message) } else { String::new() };
        Self::all(messages.iter().map(heading).zip(panels), x, y)
    }
}

/// One line.
#[derive(Clone)]
pub(super) struct Series {
    pub(super) look: Look,
    /// From left to right.
    pub(super) points: Vec<Point>,
    /// Whether each point has a marker.
    pub(super) has_markers: bool,
}

/// A value with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) range: Option<(f64, f64)>,
}

/// A vertical line with a few words.
#[derive(Clone)]
pub(super) struct Mark {
    pub(super) x: f64,
    pub(super) text: String,
}

/// A row for each cell along one axis.
#[derive(Clone)]
pub(super) struct Rows {
    pub(super) heading: String,
    pub(super) x: Axis,
    /// Whether the axis's title stands below it, rather than below a further panel.
    pub(super) has_title: bool,
    pub(super) base: Base,
    /// What the figures at the right are.
    pub(super) unit: String,
    pub(super) rows: Vec<Row>,
}

/// Where a row begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// Bars from 0.
    Zero,
    /// Points beside a line at 1.
    One,
}

/// One cell.
#[derive(Clone)]
pub(super) struct Row {
    pub(super) label: String,
    pub(super) look: Look,
    pub(super) value: f64,
    pub(super) range: Option<(f64, f64)>,
    /// What it could be at best, or what it truly is.
    pub(super) bound: Option<f64>,
    /// The value in print.
    pub(super) figure: String,
}
