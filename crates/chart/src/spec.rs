//! A figure as a question and its values. [`Spec::sheet`] decides the rest: scales, what there is
//! room for, and the sentences that count what there is none for.

use std::collections::BTreeSet;

use crate::scale::Scale;
use crate::sheet::{Axis, Base, Lines, Row, Rows, Series, Sheet, Spread, places};
use crate::style::SeriesStyle;

/// A figure before any scale is chosen.
pub struct Spec {
    /// The question.
    pub title: String,
    /// What is drawn: the quantity, the operation, the sizes.
    pub subtitle: String,
    /// The quantity and its unit: `throughput, GB/s`.
    pub quantity: String,
    /// The values.
    pub panels: Panels,
    /// Sentences on what the values are, of which one may have nothing to say.
    pub caption: Vec<Option<String>>,
    /// Sentences below those on what there is no room for.
    pub ends: Vec<Option<String>>,
}

/// Values in panels, of which each has a heading.
pub enum Panels {
    /// Over an axis.
    Lines(LinePanels),
    /// A name for each.
    Rows(RowPanels),
}

/// Lines over the same axis.
pub struct LinePanels {
    /// The axis below. Of sizes, a figure takes two.
    pub x: Axis,
    /// A heading and its lines. A line has room if its style has.
    pub panels: Vec<(String, Vec<Series>)>,
    /// The most panels.
    pub most: Most,
    /// What the lines are called for which there is no room.
    pub others: &'static str,
    /// How intervals are drawn.
    pub spread: Spread,
    /// The value that parts those above from those below.
    pub level: Option<f64>,
}

/// Rows along an axis.
pub struct RowPanels {
    /// A heading and its rows, from above.
    pub panels: Vec<(String, Vec<Row>)>,
    /// The most panels.
    pub most: Most,
    /// The most rows of a panel.
    pub most_rows: Most,
    /// Where rows begin.
    pub base: Base,
    /// What the marks of bounds are, for the legend.
    pub bound: &'static str,
    /// What the figures at the right are, where it is not the axis's unit.
    pub unit: Option<&'static str>,
    /// Whether the axis has its title below each panel, rather than below the last one alone.
    pub has_titles: bool,
}

/// How many there is room for, and what the others are called.
#[derive(Clone, Copy)]
pub struct Most(pub usize, pub &'static str);

impl Most {
    /// Room for all.
    pub const ALL: Self = Self(usize::MAX, "");

    /// Keeps the first ones; comes back with the sentence that counts the others.
    pub fn cut<T>(self, all: &mut Vec<T>) -> Option<String> {
        let more = all.len().saturating_sub(self.0);
        all.truncate(self.0);
        not_drawn(more, self.1)
    }
}

/// What there is no room for.
pub fn not_drawn(count: usize, what: &str) -> Option<String> {
    (count > 0).then(|| format!("Not drawn: {count} more {what}."))
}

impl LinePanels {
    /// Lines whose points have whiskers.
    pub fn new(x: Axis, panels: impl IntoIterator<Item = (String, Vec<Series>)>) -> Self {
        let panels = panels.into_iter().collect();
        Self { x, panels, most: Most::ALL, others: "lines", spread: Spread::Whiskers, level: None }
    }
}

impl RowPanels {
    /// Bars from 0.
    pub fn bars(panels: impl IntoIterator<Item = (String, Vec<Row>)>) -> Self {
        let panels = panels.into_iter().collect();
        Self {
            panels,
            most: Most::ALL,
            most_rows: Most::ALL,
            base: Base::Zero,
            bound: "",
            unit: None,
            has_titles: true,
        }
    }

    /// Ratios beside 1, in a single panel.
    pub fn ratios(rows: Vec<Row>, most_rows: Most, unit: &'static str) -> Self {
        Self { base: Base::One, most_rows, unit: Some(unit), ..Self::bars([(String::new(), rows)]) }
    }
}

impl Spec {
    /// The figure; `None` where it would show nothing, or a line over a single size.
    pub fn sheet(self) -> Option<Sheet> {
        let Self { title, subtitle, quantity, panels, caption, ends } = self;
        let caption = caption.into_iter().flatten().collect();
        let mut sheet = Sheet { title, subtitle, keys: Vec::new(), lines: Vec::new(), rows: Vec::new(), caption };
        let bound = if let Panels::Rows(rows) = &panels { rows.bound } else { "" };
        match panels {
            Panels::Lines(lines) => lines.place(quantity, &mut sheet)?,
            Panels::Rows(rows) => rows.place(&quantity, &mut sheet)?,
        }
        sheet.set_keys(bound);
        sheet.caption.extend(ends.into_iter().flatten());
        Some(sheet)
    }
}

impl LinePanels {
    fn place(mut self, quantity: String, sheet: &mut Sheet) -> Option<()> {
        let all = self.panels.iter().flat_map(|(_, all)| all).filter(|series| !series.points.is_empty());
        let beyond: BTreeSet<SeriesStyle> = all.map(|series| series.style).filter(|style| !style.has_room()).collect();
        self.panels.iter_mut().for_each(|(_, all)| all.retain(|series| series.style.has_room()));
        self.panels.retain(|(_, all)| all.iter().any(|series| !series.points.is_empty()));
        sheet.caption.extend(self.most.cut(&mut self.panels));
        sheet.caption.extend(not_drawn(beyond.len(), self.others));
        let series = || self.panels.iter().flat_map(|(_, all)| all);
        if places(series()).len() < if self.x.scale.has_sizes() { 2 } else { 1 } {
            return None;
        }
        let points = series().flat_map(|series| &series.points);
        let reached = points.flat_map(|point| reached(point.y, point.range));
        let scale = match self.x.scale.has_counts() {
            true => Scale::from_zero(reached.fold(0.0, f64::max)),
            false => Scale::of_amounts(reached),
        };
        let y = Axis { title: quantity, scale };
        let Self { x, spread, level, .. } = &self;
        let panel = |(heading, series): &(String, Vec<Series>)| Lines {
            heading: heading.clone(),
            x: x.clone(),
            y: y.clone(),
            series: series.clone(),
            marks: Vec::new(),
            level: *level,
            spread: *spread,
        };
        sheet.lines = self.panels.iter().map(panel).collect();
        Some(())
    }
}

impl RowPanels {
    fn place(mut self, quantity: &str, sheet: &mut Sheet) -> Option<()> {
        self.panels.retain(|(_, rows)| !rows.is_empty());
        sheet.caption.extend(self.most.cut(&mut self.panels));
        let more = self.panels.iter().map(|(_, rows)| rows.len().saturating_sub(self.most_rows.0)).sum();
        self.panels.iter_mut().for_each(|(_, rows)| rows.truncate(self.most_rows.0));
        sheet.caption.extend(not_drawn(more, self.most_rows.1));
        let last = self.panels.len().checked_sub(1)?;
        for (place, (heading, rows)) in self.panels.into_iter().enumerate() {
            let (scale, is_cut) = match self.base {
                Base::Zero => (from_zero(&rows), false),
                Base::One => around_one(&rows),
            };
            if is_cut {
                sheet.caption.insert(1.min(sheet.caption.len()), "An uncapped whisker extends beyond the plot.".into());
            }
            let x = Axis { title: quantity.to_owned(), scale };
            let unit = self.unit.unwrap_or(x.unit()).to_owned();
            sheet.rows.push(Rows {
                heading,
                x,
                has_title: self.has_titles || place == last,
                base: self.base,
                unit,
                rows,
            });
        }
        Some(())
    }
}

/// What an axis has to hold: a value, and its whiskers as far as they do not dwarf it.
fn reached(value: f64, range: Option<(f64, f64)>) -> [f64; 3] {
    let (low, high) = range.unwrap_or((value, value));
    [value, low.max(value / 3.0), high.min(value * 2.0)]
}

fn from_zero(rows: &[Row]) -> Scale {
    let values = rows.iter().flat_map(|row| reached(row.value, row.range));
    Scale::of_bars(values.chain(rows.iter().filter_map(|row| row.bound)).fold(0.0, f64::max))
}

/// A scale on both sides of 1, and whether it cuts an interval: one that says nothing must not
/// squeeze all others.
fn around_one(rows: &[Row]) -> (Scale, bool) {
    let range = |row: &Row| row.range.unwrap_or((row.value, row.value));
    let farthest = rows.iter().map(|row| (row.value - 1.0).abs()).fold(0.005, f64::max);
    let mut widths: Vec<f64> = rows.iter().map(|row| range(row).1 - range(row).0).collect();
    widths.sort_by(f64::total_cmp);
    let usual = widths.get(widths.len() / 2).copied().unwrap_or(0.0);
    let (least, most) = (1.0 - (4.0 * farthest).max(2.0 * usual), 1.0 + (4.0 * farthest).max(2.0 * usual));
    let ends = || rows.iter().flat_map(|row| [range(row).0, range(row).1]);
    let shown = ends().map(|end| end.clamp(least, most)).chain(rows.iter().filter_map(|row| row.bound)).chain([1.0]);
    let (low, high) = shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), end| (low.min(end), high.max(end)));
    (Scale::linear(low, high), ends().any(|end| end < least || end > most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sheet::Point;
    use crate::style::STYLES;

    fn spec(panels: Panels) -> Spec {
        let [title, subtitle, quantity] = ["Why?", "of what", "rate, GB/s"].map(String::from);
        Spec {
            title,
            subtitle,
            quantity,
            panels,
            caption: vec![Some("First.".into())],
            ends: vec![Some("Last.".into())],
        }
    }

    fn over_sizes(lines: usize, sizes: &[u64]) -> LinePanels {
        let x = Axis { title: "size".into(), scale: Scale::of_sizes(sizes) };
        let points = || sizes.iter().map(|size| Point::new(1.0, None).at(*size as f64));
        let line = |place| Series::new(format!("{place}"), SeriesStyle::new(place), points());
        let empty = (String::new(), vec![Series::new("empty", SeriesStyle::new(0), [])]);
        LinePanels::new(x, [empty, (String::new(), (0..lines).map(line).collect())])
    }

    fn row(value: f64, range: (f64, f64)) -> Row {
        Row::new(String::new(), SeriesStyle::new(0), Point::new(value, Some(range)))
    }

    #[test]
    fn what_has_no_room_is_counted_between_the_other_sentences() {
        let lines = LinePanels { others: "libraries", ..over_sizes(STYLES + 2, &[16, 64]) };
        let sheet = spec(Panels::Lines(lines)).sheet().unwrap();
        assert_eq!(sheet.caption, ["First.", "Not drawn: 2 more libraries.", "Last."]);
        assert_eq!((sheet.lines.len(), sheet.lines[0].series.len(), sheet.keys.len()), (1, STYLES, STYLES));
        let panels = (0..3).map(|_| (String::new(), (0..4).map(|_| row(1.0, (1.0, 1.0))).collect()));
        let rows = RowPanels { most: Most(2, "forms"), most_rows: Most(3, "bars"), ..RowPanels::bars(panels) };
        let sheet = spec(Panels::Rows(rows)).sheet().unwrap();
        assert_eq!(sheet.caption[1..3], ["Not drawn: 1 more forms.", "Not drawn: 2 more bars."]);
        assert_eq!(sheet.rows.iter().map(|panel| panel.rows.len()).collect::<Vec<_>>(), [3, 3]);
    }

    #[test]
    fn nothing_and_a_line_over_one_size_are_no_figures() {
        assert!(spec(Panels::Lines(over_sizes(1, &[16]))).sheet().is_none());
        assert!(spec(Panels::Rows(RowPanels::bars([(String::new(), Vec::new())]))).sheet().is_none());
        assert!(spec(Panels::Lines(over_sizes(1, &[16, 64]))).sheet().is_some());
    }

    #[test]
    fn legend_has_what_is_drawn() {
        let bar = |series: &str, style, bound| Row {
            series: series.into(),
            style: SeriesStyle::new(style),
            bound,
            ..row(1.0, (0.9, 1.1))
        };
        let names = |bound| {
            let rows = vec![bar("b", 1, None), bar("a", 0, bound), bar("b", 1, None), bar("", 2, None)];
            let rows = RowPanels { bound: "limit", ..RowPanels::bars([(String::new(), rows)]) };
            let sheet = spec(Panels::Rows(rows)).sheet().unwrap();
            sheet.keys.into_iter().map(|key| key.name).collect::<Vec<_>>()
        };
        assert_eq!(
            (names(None), names(Some(2.0))),
            (vec!["a".into(), "b".into()], ["a", "b", "limit"].map(String::from).into())
        );
    }

    #[test]
    fn interval_that_says_nothing_leaves_the_plot() {
        let sheet = |widest| {
            let rows = vec![row(1.0, (0.99, 1.01)), row(1.02, (1.01, 1.03)), row(1.0, (1.0 - widest, 1.0 + widest))];
            spec(Panels::Rows(RowPanels::ratios(rows, Most::ALL, "ratio"))).sheet().unwrap()
        };
        let holds = |sheet: &Sheet, value| sheet.rows[0].x.scale.holds(value);
        let (narrow, wide) = (sheet(0.02), sheet(0.9));
        assert!(
            holds(&narrow, 1.02) && holds(&narrow, 1.0) && !narrow.caption.iter().any(|said| said.contains("uncapped"))
        );
        assert!(
            holds(&wide, 1.03)
                && !holds(&wide, 1.9)
                && wide.caption[1] == "An uncapped whisker extends beyond the plot."
        );
    }
}
