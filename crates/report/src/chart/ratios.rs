//! Ratios beside 1: each new cell ÷ its old one, or copies of one library by pairs.

use ciphermeter_core::{Algorithm, Copy, Record, Run};

use super::caption::{self, ends};
use super::cell::{full_name, is_cipher};
use ciphermeter_answer::measured::has_enough_forks;
use ciphermeter_answer::regression;
use ciphermeter_answer::self_check::{Beside, besides};
use ciphermeter_answer::words::counted;
use ciphermeter_chart::sheet::{Point, Row, Sheet};
use ciphermeter_chart::spec::{Most, Panels, RowPanels, Spec};
use ciphermeter_chart::style::SeriesStyle;
use ciphermeter_estimate::Side;

const MOST: usize = 40;
/// Circle, square and triangle.
const NEITHER: SeriesStyle = SeriesStyle::new(0);
const SLOWER: SeriesStyle = SeriesStyle::new(1);
const OTHER: SeriesStyle = SeriesStyle::new(2);

/// A run against something older; `None` where it is none, or nothing could be compared.
pub(super) fn against(run: &Run, records: &[Record]) -> Option<Sheet> {
    let verdict = regression::against(run, records)?;
    let rows = verdict.cells.iter().map(|compared| {
        let style = match compared.comparison.faster() {
            Some(Side::First) => SLOWER,
            Some(Side::Second) => OTHER,
            None => NEITHER,
        };
        let ratio = compared.ratio;
        row(full_name(&compared.cell), style, ratio.mid, ratio.range().unwrap_or((ratio.mid, ratio.mid)))
    });
    let (rows, nearer) = farthest(rows.collect());
    let threshold = verdict.threshold.0 * 100.0;
    let words = format!(
        "Points: time of the new ÷ time of the old, the geometric mean over forks; whiskers: intervals that hold for all cells at once, \
         95 %. Circle: not surely beyond {threshold:.0} %; square: surely slower; triangle: surely faster."
    );
    let not = verdict.lost.len() + verdict.unmatched.len();
    let not_compared = (not > 0).then(|| format!("Not compared: {}.", counted(not, "cell")));
    Spec {
        title: "Did it become slower?".into(),
        subtitle: caption::clean(&verdict.title),
        quantity: "time, new ÷ old".into(),
        panels: panels(rows),
        caption: vec![Some(words), nearer, not_compared],
        ends: ends(run, records.iter().filter(|record| is_cipher(record)), []),
    }
    .sheet()
}

/// Copies of one library; `None` where the run has none.
pub(super) fn self_check(run: &Run, records: &[Record]) -> Option<Sheet> {
    run.scenario.copies.as_ref()?;
    let besides = besides(records).into_iter().filter(|beside| has_enough_forks(beside.record));
    let rows = besides.map(|Beside { record, copy, ratio, .. }| {
        let (style, bound) = match copy {
            Copy::Same => (NEITHER, None),
            Copy::Fixed => (OTHER, None),
            Copy::Slowed(share) => (SLOWER, Some(1.0 + share.0)),
        };
        Row { bound, ..row(full_name(&record.cell), style, ratio.mid, ratio.range().unwrap_or((ratio.mid, ratio.mid))) }
    });
    let (rows, nearer) = farthest(rows.collect());
    let copies = || records.iter().filter(|record| is_cipher(record) || record.cell.algorithm == Algorithm::Xor);
    Spec {
        title: "Does the instrument find what is true?".into(),
        subtitle: "Copies of a library".into(),
        quantity: "time, copy ÷ copy".into(),
        panels: panels(rows),
        caption: vec![
            Some(
                "Points: time of a copy ÷ time of another copy of the same library, whose true ratio is 1; whiskers: 95 % confidence \
                 intervals. Dashed mark: the true ratio of a copy that was slowed by a known share. Triangle: a copy whose layout in \
                 memory is fixed."
                    .into(),
            ),
            nearer,
        ],
        ends: ends(run, copies().take(1), copies()),
    }
    .sheet()
}

fn row(label: String, style: SeriesStyle, mid: f64, (low, high): (f64, f64)) -> Row {
    let figure = format!("{:.3} ({:.3} to {:.3})", mid.min(999.0), low.min(999.0), high.min(999.0));
    Row { figure, ..Row::new(label, style, Point::new(mid, Some((low, high)))) }
}

fn panels(rows: Vec<Row>) -> Panels {
    Panels::Rows(RowPanels::ratios(rows, Most::ALL, "ratio (interval)"))
}

/// The farthest from 1 where there is no room for all, in the order in which they came; and how
/// many are not drawn.
fn farthest(mut rows: Vec<Row>) -> (Vec<Row>, Option<String>) {
    let nearer = rows.len().saturating_sub(MOST);
    if nearer == 0 {
        return (rows, None);
    }
    let far = |row: &Row| row.value.max(1e-9).ln().abs();
    let mut all: Vec<f64> = rows.iter().map(far).collect();
    all.sort_by(f64::total_cmp);
    rows.retain(|row| far(row) >= all[nearer]);
    rows.truncate(MOST);
    (rows, Some(format!("Not drawn: {} nearer to 1.", counted(nearer, "cell"))))
}
