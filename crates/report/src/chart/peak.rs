//! Peak memory by size, in the panels of [`Matrix`](super::matrix).

use ciphermeter_core::{Memory, Record, Run};

use super::matrix::{Libraries, Matrix, Question, done_here};
use ciphermeter_answer::measured::measured;
use ciphermeter_answer::memory::Medians;
use ciphermeter_chart::sheet::{Point, Sheet};

const MIB: f64 = 1_048_576.0;
const PEAK: Question = Question {
    title: "How much memory does it take, by size?",
    what: "Peak memory of",
    axis: "peak memory, MiB",
    words: "The most resident above the idle process, median over processes. Bands: all processes.",
};

/// A figure for each operation and form with a name for its file, those of most cells first.
pub(super) fn peaks(run: &Run, records: &[Record], most: usize) -> Vec<(String, Sheet)> {
    let has_figure: fn(&Record) -> bool = |record| measured(record).is_some() && Medians::of(record).is_some();
    let libraries = Libraries::of(records);
    let value = |record: &Record, x: f64| {
        let mid = Medians::of(record)?.peak_rss? as f64 / MIB;
        let all =
            || record.memory.iter().filter_map(|Memory { peak_rss, .. }| *peak_rss).map(|bytes| bytes as f64 / MIB);
        let range = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
        Some(Point { x, y: mid, range: Some(range) })
    };
    let figure = |(operation, form)| {
        let sheet = Matrix::of(records, &libraries, (operation, form), has_figure).sheet(run, &PEAK, &value)?;
        Some((format!("memory-{operation}-{form}"), sheet))
    };
    done_here(records, has_figure).into_iter().take(most).filter_map(figure).collect()
}
