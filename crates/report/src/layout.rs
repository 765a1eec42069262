//! Rows and columns that fit a width: which columns there is room for, how wide each is, and the lines they make.

use crate::text::{fit, left, right, width};

/// The longest bar, in columns.
const LONGEST_BAR: usize = 40;

/// How a stretch of text looks where color is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Bold,
    Dim,
    Green,
    Red,
    Yellow,
}

impl Style {
    const fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Bold => "\u{1b}[1m",
            Self::Dim => "\u{1b}[2m",
            Self::Green => "\u{1b}[32m",
            Self::Red => "\u{1b}[31m",
            Self::Yellow => "\u{1b}[33m",
        }
    }
}

/// One line of output in the making.
#[derive(Debug, Clone, Default)]
pub(crate) struct Line(Vec<(String, Style)>);

impl Line {
    pub(crate) fn of(text: impl Into<String>, style: Style) -> Self {
        Self(vec![(text.into(), style)])
    }

    pub(crate) fn add(&mut self, text: impl Into<String>, style: Style) {
        self.0.push((text.into(), style));
    }

    /// As text of at most `most` columns, without blanks at its end.
    pub(crate) fn text(&self, most: usize, color: bool) -> String {
        let full: usize = self.0.iter().map(|(text, _)| width(text)).sum();
        let mut room = full.min(most);
        let mut parts = Vec::new();
        for (text, style) in &self.0 {
            let text = fit(text, room);
            room -= width(&text);
            parts.push((text, *style));
        }
        while parts.last().is_some_and(|(text, _)| text.trim().is_empty()) {
            parts.pop();
        }
        let last = parts.len().saturating_sub(1);
        let mut line = String::new();
        for (k, (text, style)) in parts.iter().enumerate() {
            let text = if k == last { text.trim_end() } else { text };
            match color && *style != Style::Plain && !text.is_empty() {
                true => line.extend([style.code(), text, "\u{1b}[0m"]),
                false => line.push_str(text),
            }
        }
        line
    }
}

/// One row's texts; an empty one leaves its column blank.
#[derive(Debug, Clone, Default)]
pub(crate) struct Row {
    pub(crate) algorithm: String,
    pub(crate) provider: String,
    pub(crate) value: String,
    pub(crate) range: String,
    pub(crate) ratio: String,
    pub(crate) interval: String,
    pub(crate) share: String,
    /// Speed as a fraction of the best's.
    pub(crate) bar: Option<f64>,
    pub(crate) path: String,
}

/// At most so wide, step by step: provider, path, range, bar, share, interval, ratio.
pub(crate) type Steps = [[usize; 7]; 9];

/// For cells that take turns on one CPU: first providers' names and code paths are cut, then the range goes, then bars, code
/// paths, shares and intervals.
pub(crate) const IN_TURN: Steps = [
    [24, 24, 40, 4, 8, 8, 9],
    [12, 24, 40, 4, 8, 8, 9],
    [12, 11, 40, 3, 8, 8, 9],
    [12, 10, 40, 4, 8, 8, 9],
    [12, 12, 0, 4, 8, 8, 9],
    [12, 8, 0, 0, 8, 8, 9],
    [10, 0, 0, 0, 8, 8, 9],
    [10, 0, 0, 0, 0, 8, 9],
    [10, 0, 0, 0, 0, 0, 9],
];

/// For cells of several threads, where the range's place holds the speed-up and the share's the efficiency: they are what
/// the cells are there for, so bars, code paths, the ratio's interval and the ratio go first.
pub(crate) const SEVERAL: Steps = [
    [24, 24, 16, 4, 16, 8, 9],
    [12, 24, 16, 4, 16, 8, 9],
    [12, 11, 16, 0, 16, 8, 9],
    [10, 8, 16, 0, 16, 8, 9],
    [10, 0, 16, 0, 16, 8, 9],
    [10, 0, 16, 0, 16, 0, 9],
    [10, 0, 16, 0, 16, 0, 0],
    [10, 0, 16, 0, 0, 0, 0],
    [10, 0, 0, 0, 0, 0, 9],
];

/// The columns' widths; 0: left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Columns {
    algorithm: usize,
    provider: usize,
    value: usize,
    pub(crate) range: usize,
    ratio: usize,
    interval: usize,
    pub(crate) share: usize,
    bar: usize,
    path: usize,
}

impl Columns {
    /// The most that fits `most` columns, by steps that give up more and more.
    pub(crate) fn plan<'a>(rows: impl Iterator<Item = &'a Row> + Clone, most: usize, steps: &Steps) -> Self {
        let widest = |pick: fn(&Row) -> &str| rows.clone().map(|row| width(pick(row))).max().unwrap_or(0);
        let natural = Self {
            algorithm: widest(|row| &row.algorithm),
            provider: widest(|row| &row.provider),
            value: widest(|row| &row.value),
            range: widest(|row| &row.range),
            ratio: widest(|row| &row.ratio),
            interval: widest(|row| &row.interval),
            share: widest(|row| &row.share),
            bar: LONGEST_BAR,
            path: widest(|row| &row.path),
        };
        let step = |[provider, path, range, bar, share, interval, ratio]: [usize; 7]| Self {
            provider: natural.provider.min(provider),
            path: natural.path.min(path),
            range: natural.range.min(range),
            bar: natural.bar.min(bar),
            share: natural.share.min(share),
            interval: natural.interval.min(interval),
            ratio: natural.ratio.min(ratio),
            ..natural
        };
        let last = step(steps[steps.len() - 1]);
        let mut plan = steps.iter().map(|caps| step(*caps)).find(|plan| plan.total() <= most).unwrap_or(last);
        if plan.bar > 0 {
            plan.bar = (plan.bar + most - plan.total()).min(LONGEST_BAR);
        }
        plan
    }

    fn total(self) -> usize {
        let all = [self.algorithm, self.provider, self.value, self.range, self.ratio, self.interval, self.share];
        let shown = all.into_iter().chain([self.bar, self.path]).filter(|width| *width > 0);
        shown.clone().sum::<usize>() + shown.count().saturating_sub(1)
    }

    /// A row as a line; `style` is for its numbers, `names` for its names.
    pub(crate) fn line(self, row: &Row, names: Style, style: Style) -> Line {
        let mut line = Line::of(left(&row.algorithm, self.algorithm), names);
        line.add(" ", Style::Plain);
        line.add(left(&row.provider, self.provider), names);
        line.add(" ", Style::Plain);
        line.add(right(&row.value, self.value), style);
        self.add_rest(&mut line, row, style);
        line
    }

    /// A group's heading with the columns' names in the same line, or above it where it is too long for that.
    pub(crate) fn heading(self, heading: &str, names: &Row) -> Vec<Line> {
        let room = (self.algorithm + self.provider + self.value + 1).saturating_sub(width(&names.value));
        let fits = width(heading) <= room;
        let mut line = Line::of(left(if fits { heading } else { "" }, room), Style::Bold);
        line.add(" ", Style::Plain);
        line.add(names.value.as_str(), Style::Dim);
        self.add_rest(&mut line, names, Style::Dim);
        if fits { vec![line] } else { vec![Line::of(heading, Style::Bold), line] }
    }

    /// What follows the value.
    fn add_rest(self, line: &mut Line, row: &Row, style: Style) {
        let quiet = if style == Style::Green { Style::Plain } else { style };
        let ratio = if row.ratio.starts_with('~') { Style::Yellow } else { style };
        let mut add = |text: String, columns: usize, style| {
            if columns > 0 {
                line.add(" ", Style::Plain);
                line.add(text, style);
            }
        };
        add(right(&row.range, self.range), self.range, Style::Dim);
        add(right(&row.ratio, self.ratio), self.ratio, ratio);
        add(right(&row.interval, self.interval), self.interval, Style::Dim);
        add(right(&row.share, self.share), self.share, quiet);
        add(left(&bar(row.bar, self.bar), self.bar), self.bar, style);
        add(left(&row.path, self.path), self.path, Style::Dim);
    }
}

/// A bar of eighth blocks, at least one of them.
fn bar(fraction: Option<f64>, columns: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let Some(fraction) = fraction.filter(|fraction| fraction.is_finite()) else { return String::new() };
    let eighths = ((fraction.clamp(0.0, 1.0) * columns as f64 * 8.0).round() as usize).max(1);
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_have_eighths() {
        assert_eq!(bar(Some(1.0), 3), "███");
        assert_eq!(bar(Some(0.5), 3), "█▌");
        assert_eq!(bar(Some(0.0001), 3), "▏");
        assert_eq!(bar(Some(7.0), 3), "███");
        assert_eq!(bar(Some(f64::NAN), 3), "");
        assert_eq!(bar(None, 3), "");
    }

    #[test]
    fn a_line_is_cut_without_its_color_codes() {
        let mut line = Line::of("abcdef", Style::Bold);
        line.add("ghi   ", Style::Dim);
        assert_eq!(line.text(20, false), "abcdefghi");
        assert_eq!(line.text(4, true), "\u{1b}[1mabc…\u{1b}[0m");
        assert_eq!(line.text(20, true), "\u{1b}[1mabcdef\u{1b}[0m\u{1b}[2mghi\u{1b}[0m");
    }
}
