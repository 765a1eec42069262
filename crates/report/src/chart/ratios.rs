//! Ratios beside 1: each new cell ÷ its old one, or copies of one library by pairs.

use ciphermeter_core::{Algorithm, Copy, Interval, Record, Run};

use super::caption;
use super::cell::full_name;
use ciphermeter_answer::regression;
use ciphermeter_answer::self_check::{Beside, besides};
use ciphermeter_chart::scale::Scale;
use ciphermeter_chart::sheet::{Axis, Base, Row, Rows, Sheet};
use ciphermeter_chart::style::SeriesStyle;
use ciphermeter_estimate::Side;
use ciphermeter_stats::median;

/// The most rows.
const MOST: usize = 40;

/// A run against something older; `None` where it is none, or nothing could be compared.
pub(super) fn against(run: &Run, records: &[Record]) -> Option<Sheet> {
    let verdict = regression::against(run, records)?;
    let rows: Vec<(Row, Interval)> = verdict
        .cells
        .iter()
        .map(|compared| {
            let style = match compared.comparison.faster() {
                Some(Side::First) => SeriesStyle(1),
                Some(Side::Second) => SeriesStyle(2),
                None => SeriesStyle(0),
            };
            let mid = compared.ratio.mid;
            let (low, high) = compared.ratio.range().unwrap_or((mid, mid));
            let ratio = Interval { mid, low, high };
            (row(full_name(&compared.cell), style, ratio), ratio)
        })
        .collect();
    let not = verdict.lost.len() + verdict.unmatched.len();
    let threshold = verdict.threshold.0 * 100.0;
    let mut caption = vec![format!(
        "Points: time of the new ÷ time of the old, the geometric mean over forks; whiskers: intervals that hold for all cells at once, \
         95 %. Circle: not surely beyond {threshold:.0} %; square: surely slower; triangle: surely faster."
    )];
    caption.extend((not > 0).then(|| format!("Not compared: {}.", caption::cells(not))));
    caption.extend(super::sizes::ends(run, records.iter().filter(|record| super::cell::is_cipher(record)), []));
    sheet("Did it become slower?".into(), caption::clean(&verdict.title), "time, new ÷ old", rows, caption)
}

/// Copies of one library; `None` where the run has none.
pub(super) fn self_check(run: &Run, records: &[Record]) -> Option<Sheet> {
    run.scenario.copies.as_ref()?;
    let mut rows = Vec::new();
    for Beside { record, copy, ratio, .. } in besides(records) {
        if !ciphermeter_answer::measured::has_enough_forks(record) {
            continue;
        }
        let (style, bound) = match copy {
            Copy::Same => (SeriesStyle(0), None),
            Copy::Fixed => (SeriesStyle(2), None),
            Copy::Slowed(share) => (SeriesStyle(1), Some(1.0 + share.0)),
        };
        rows.push((Row { bound, ..row(full_name(&record.cell), style, ratio) }, ratio));
    }
    let mut caption = vec![
        "Points: time of a copy ÷ time of another copy of the same library, whose true ratio is 1; whiskers: 95 % confidence intervals. \
         Dashed mark: the true ratio of a copy that was slowed by a known share. Triangle: a copy whose layout in memory is fixed."
            .to_owned(),
    ];
    let copies =
        || records.iter().filter(|record| super::cell::is_cipher(record) || record.cell.algorithm == Algorithm::Xor);
    caption.extend(super::sizes::ends(run, copies().take(1), copies()));
    sheet(
        "Does the instrument find what is true?".into(),
        "Copies of a library".into(),
        "time, copy ÷ copy",
        rows,
        caption,
    )
}

fn row(label: String, style: SeriesStyle, ratio: Interval) -> Row {
    let figure = format!("{:.3} ({:.3} to {:.3})", ratio.mid.min(999.0), ratio.low.min(999.0), ratio.high.min(999.0));
    Row { label, style, value: ratio.mid, range: Some((ratio.low, ratio.high)), bound: None, figure }
}

/// The farthest from 1 are drawn where not all can be, in the order in which they came.
fn sheet(
    title: String,
    subtitle: String,
    axis: &str,
    mut rows: Vec<(Row, Interval)>,
    mut caption: Vec<String>,
) -> Option<Sheet> {
    let far = |ratio: &Interval| ratio.mid.max(1e-9).ln().abs();
    if let Some(nearer) = rows.len().checked_sub(MOST).filter(|nearer| *nearer > 0) {
        let mut all: Vec<f64> = rows.iter().map(|(_, ratio)| far(ratio)).collect();
        all.sort_by(f64::total_cmp);
        rows.retain(|(_, ratio)| far(ratio) >= all[nearer]);
        rows.truncate(MOST);
        caption.insert(1, format!("Not drawn: {} nearer to 1.", caption::cells(nearer)));
    }
    // An interval that says nothing must not squeeze all others.
    let farthest = rows.iter().map(|(_, ratio)| (ratio.mid - 1.0).abs()).fold(0.005, f64::max);
    let usual = median(&mut rows.iter().map(|(_, ratio)| ratio.high - ratio.low).collect::<Vec<_>>()).unwrap_or(0.0);
    let most = (4.0 * farthest).max(2.0 * usual);
    let limit = |end: f64| end.clamp(1.0 - most, 1.0 + most);
    if rows.iter().any(|(_, ratio)| ratio.low < 1.0 - most || ratio.high > 1.0 + most) {
        caption.insert(1, "An uncapped whisker extends beyond the plot.".into());
    }
    let ends =
        rows.iter().flat_map(|(row, ratio)| [Some(limit(ratio.low)), Some(limit(ratio.high)), row.bound, Some(1.0)]);
    let (low, high) =
        ends.flatten().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), end| (low.min(end), high.max(end)));
    let rows: Vec<Row> = rows.into_iter().map(|(row, _)| row).collect();
    (!rows.is_empty()).then(|| Sheet {
        title,
        subtitle,
        keys: Vec::new(),
        lines: Vec::new(),
        columns: 1,
        rows: vec![Rows {
            heading: String::new(),
            x: Axis { title: axis.into(), scale: Scale::linear(low, high) },
            has_title: true,
            base: Base::One,
            unit: "ratio (interval)".into(),
            rows,
        }],
        caption,
    })
}
