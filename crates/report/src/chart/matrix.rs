//! Every library and every algorithm by size: a panel for each algorithm with a line for each library, or, where libraries are more than
//! styles, a panel for each library with a line for each algorithm.

use ciphermeter_core::{Algorithm, Record, Run};

use super::caption::{clean, ends};
use super::cell::{OperationForm, done, operation_form};
use super::size_axis::SizeAxis;
use super::styles::{Libraries, takes_turns};
use ciphermeter_chart::sheet::{Point, Series, Sheet, Spread};
use ciphermeter_chart::spec::{LinePanels, Most, Panels, Spec};
use ciphermeter_chart::style::SeriesStyle;

/// The cells in which the same is done.
pub(super) struct Matrix<'a> {
    what: OperationForm,
    axis: SizeAxis,
    /// Those that have a figure, and those that have none.
    drawn: Vec<&'a Record>,
    left_out: Vec<&'a Record>,
    libraries: &'a Libraries<'a>,
}

/// What a figure answers.
pub(super) struct Question {
    pub(super) title: &'static str,
    /// The quantity, as the subtitle begins: `Throughput of`.
    pub(super) what: &'static str,
    /// Its axis: `throughput, GB/s`.
    pub(super) axis: &'static str,
    /// What points and bands are.
    pub(super) words: &'static str,
}

/// What a figure shows of each cell.
pub(super) type Value<'a> = &'a dyn Fn(&Record) -> Option<Point>;

impl<'a> Matrix<'a> {
    /// Those of the records that have a figure.
    pub(super) fn of(
        records: &'a [Record],
        libraries: &'a Libraries<'a>,
        what: OperationForm,
        has_figure: fn(&Record) -> bool,
    ) -> Self {
        let is_own = |record: &&Record| operation_form(record) == what && takes_turns(record);
        let (drawn, left_out): (Vec<&Record>, _) = records.iter().filter(is_own).partition(|record| has_figure(record));
        Self { what, axis: SizeAxis::of(drawn.iter().copied()), drawn, left_out, libraries }
    }

    /// The figure of one value; `None` where fewer than two sizes have it.
    pub(super) fn sheet(&self, run: &Run, question: &Question, value: Value) -> Option<Sheet> {
        let (algorithms, libraries) = (&self.libraries.ciphers.0, || self.libraries.styled());
        let of_algorithm = |(algorithm, _): &(Algorithm, _)| {
            let line = |(provider, style)| self.line(value, (provider, *algorithm), clean(provider), style);
            (algorithm.title().to_owned(), libraries().map(line).collect())
        };
        let of_library = |(provider, _): (&str, _)| {
            let line = |(algorithm, style): &(Algorithm, _)| {
                self.line(value, (provider, *algorithm), algorithm.title().into(), *style)
            };
            (clean(provider), algorithms.iter().map(line).collect())
        };
        let panels: Vec<_> = match self.libraries.are_many() {
            false => algorithms.iter().map(of_algorithm).collect(),
            true => libraries().map(of_library).collect(),
        };
        let panels = LinePanels {
            most: Most(24, "panels"),
            others: "algorithms",
            spread: Spread::Bands,
            ..LinePanels::new(self.axis.axis(), panels)
        };
        let scope = self.drawn.iter().chain(&self.left_out).copied();
        Spec {
            title: question.title.into(),
            subtitle: format!("{} {}, {}", question.what, done(self.what), self.axis.words()),
            quantity: question.axis.into(),
            panels: Panels::Lines(panels),
            caption: vec![Some(question.words.into()), self.axis.listed(), self.axis.others(scope)],
            ends: ends(run, self.drawn.iter().copied(), self.left_out.iter().copied()),
        }
        .sheet()
    }

    fn line(&self, value: Value, of: (&str, Algorithm), name: String, style: SeriesStyle) -> Series {
        let is_own = |record: &&Record| (record.cell.provider.as_str(), record.cell.algorithm) == of;
        Series::new(name, style, self.axis.points(self.drawn.iter().copied().filter(is_own), value))
    }
}
