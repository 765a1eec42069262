//! A verdict as text for a terminal: what it comes to, what is lost, then a row for each cell, worst first.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Cell, Form, escaped};
use ciphermeter_estimate::Side;

use crate::layout::{LEFT, RIGHT, TableCell, TableColumn, TableLayout, TableRow, UNCUT};
use crate::styled_line::{Style, StyledLine};
use ciphermeter_answer::regression::{Compared, Finding, Verdict, gaps, name, nothing, sentences};
use ciphermeter_answer::words::{change, counted, fit, heading, longer, size, wrap};

/// The word in front, as wide as the widest.
const WORD: usize = 6;
/// The word, the change, its interval, the cell.
const COLUMNS: [TableColumn; 4] = [
    TableColumn { least: WORD, ..LEFT },
    TableColumn { least: 8, ..RIGHT },
    TableColumn { gap: 2, ..LEFT },
    TableColumn { gap: 2, least: LEAST_NAME, fills: true, ..LEFT },
];
/// The narrowest name of a cell that tells it from others.
const LEAST_NAME: usize = 20;
/// The place of the cell's name; in fewer columns, it stands in a line of its own.
const NAME: usize = 3;
const NARROW: usize = 60;
/// The interval goes where there is no room for the name.
const STEPS: [[usize; 4]; 2] = [[UNCUT; 4], [UNCUT, UNCUT, 0, UNCUT]];

/// A verdict as it is shown: with its sentences, and what it comes to.
pub(super) struct Shown<'a> {
    pub verdict: &'a Verdict,
    pub sentences: Vec<String>,
    pub finding: Finding,
}

impl<'a> Shown<'a> {
    pub fn of(verdict: &'a Verdict) -> Self {
        Self { verdict, sentences: sentences(verdict), finding: verdict.finding() }
    }

    fn style(&self) -> Style {
        match self.finding {
            Finding::WrongOutput | Finding::Slower => Style::Red,
            Finding::Nothing | Finding::Partial => Style::Yellow,
            Finding::Fine => Style::Bold,
        }
    }
}

/// The answer, then what it rests on: a row for each cell, at most so many, and what is not compared.
pub(super) fn lines(shown: &Shown, most_rows: usize, width: usize) -> Vec<StyledLine> {
    let verdict = shown.verdict;
    if verdict.has_nothing_in_common() {
        return StyledLine::wrapped(&nothing(verdict), width, 2, shown.style());
    }
    let common = Common::of(verdict);
    let mut lines = Vec::new();
    for (place, sentence) in shown.sentences.iter().enumerate() {
        let style = if place == 0 { shown.style() } else { Style::Plain };
        lines.extend(StyledLine::wrapped(sentence, width, 0, style));
    }
    lines.extend(lost(verdict, width));
    let title = StyledLine::wrapped(&(escaped(&verdict.title) + &common.words()), width, 2, Style::Bold);
    let tables = table(verdict, &common, most_rows, width).into_iter().chain(counts(verdict, &common, width));
    let below: Vec<StyledLine> = tables.chain(not_compared(verdict, width)).collect();
    if !below.is_empty() {
        lines.push(StyledLine::default());
        lines.extend(title.into_iter().chain(below));
    }
    lines
}

/// The same within so many lines; where rows or reasons do not fit, `more` names the command that has them.
pub(super) fn within(shown: &Shown, most_lines: usize, more: &str, width: usize) -> Vec<StyledLine> {
    let rows = shown.verdict.cells.len() + shown.verdict.same.len();
    let fits = |lines: &Vec<StyledLine>| lines.len() <= most_lines;
    let all = lines(shown, rows, width);
    if fits(&all) {
        return all;
    }
    let more = StyledLine::wrapped(more, width, 2, Style::Dim);
    let fewer =
        (1..rows.min(most_lines)).rev().map(|rows| [lines(shown, rows, width), more.clone()].concat()).find(fits);
    fewer.unwrap_or_else(|| {
        let mut cut = lines(shown, 1, width);
        cut.truncate(most_lines.saturating_sub(more.len()));
        [cut, more].concat()
    })
}

/// What fell out, cells of one algorithm with the same reason in one line.
fn lost(verdict: &Verdict, most: usize) -> Vec<StyledLine> {
    let mut reasons = BTreeMap::<_, (&Cell, usize)>::new();
    for lost in &verdict.lost {
        let key = (!lost.wrong_output, &lost.cell.provider, lost.cell.algorithm, &lost.why);
        reasons.entry(key).or_insert((&lost.cell, 0)).1 += 1;
    }
    let mut lines = if reasons.is_empty() { Vec::new() } else { vec![StyledLine::default()] };
    for ((_, provider, algorithm, why), (first, cells)) in reasons {
        let which = match cells {
            1 => name(first),
            cells => format!("{} {algorithm}, {cells} cells", escaped(provider)),
        };
        let text = wrap(&format!("{which}: {}", escaped(why)), most.saturating_sub(WORD + 1), 0);
        let words = std::iter::once("LOST").chain(std::iter::repeat(""));
        let lost = words.zip(text).map(|(word, line)| format!("{word:WORD$} {line}"));
        lines.extend(lost.map(|line| StyledLine::new(line, Style::Red)));
    }
    lines
}

/// A row for each cell; those that did not change stand apart.
fn table(verdict: &Verdict, common: &Common, most_rows: usize, most: usize) -> Vec<StyledLine> {
    if verdict.cells.is_empty() && verdict.same.is_empty() {
        return Vec::new();
    }
    let mut rows = vec![TableRow::titles("", ["", "change", "interval", "cell"])];
    let changed = verdict.cells.iter().map(|compared| row(compared, false, common, most));
    let all = changed.chain(verdict.same.iter().map(|compared| row(compared, true, common, most)));
    rows.extend(all.take(most_rows).flatten());
    rows.extend(left_out(verdict, most_rows).map(|text| TableRow::Line(StyledLine::new(text, Style::Dim))));
    let mut lines = laid_out(&rows, most);
    let family = match (verdict.cells.len(), verdict.same.len()) {
        (1, _) | (0, 1) => "change: of the time that a call takes; interval: 95 %",
        _ => "change: of the time that a call takes; interval: 95 % for all at once",
    };
    let same = if verdict.same.is_empty() { "" } else { "; same: the same code in both, a family of its own" };
    let one_sided = if verdict.cells.iter().any(|cell| is_within(cell, verdict.threshold.0)) { ONE_SIDED } else { "" };
    lines.extend(StyledLine::wrapped(&format!("{family}{same}{one_sided}"), most, 2, Style::Dim));
    lines
}

/// Why a cell is called slower or faster whose interval reaches within the threshold.
const ONE_SIDED: &str = "; SLOWER and faster: beyond the threshold by one-sided tests (Holm's, 5 % for all cells), which take less \
                         than these intervals";

/// Whether a cell is called slower or faster though its interval reaches within the threshold.
fn is_within(compared: &Compared, threshold: f64) -> bool {
    let least = compared.comparison.ratio().and_then(|ratio| ratio.range()).map(|(low, _)| low);
    least.is_some_and(|least| least <= 1.0 + threshold)
}

/// A row for each count that differs; a count has no interval unless forks counted differently.
fn counts(verdict: &Verdict, common: &Common, most: usize) -> Vec<StyledLine> {
    let changed: Vec<&Compared> = verdict.counts.iter().filter(|compared| !compared.is_same()).collect();
    if changed.is_empty() {
        return Vec::new();
    }
    let row = |compared: &&Compared| {
        let (word, style) = match compared.comparison.faster() {
            Some(Side::First) => ("MORE", Style::Red),
            Some(Side::Second) => ("less", Style::Green),
            None => ("–", Style::Plain),
        };
        let is_exact = compared.ratio.range().is_none_or(|(low, high)| low == high);
        let range = if is_exact { String::new() } else { longer(compared.ratio).1 };
        cells((word, style), (exactly(compared.ratio.mid), range), compared, common, most)
    };
    let mut rows = vec![TableRow::titles("", ["", "change", "", "cell"])];
    rows.extend(changed.iter().flat_map(row));
    let mut lines = laid_out(&rows, most);
    let legend = "change: of the count of a call on the device, exact";
    lines.extend(StyledLine::wrapped(legend, most, 2, Style::Dim));
    lines
}

/// How much more is counted, with a digit that shows that it is not nothing: `+8.1 %`, `+0.025 %`.
fn exactly(ratio: f64) -> String {
    match (ratio - 1.0) * 100.0 {
        percent if percent.abs() < 0.1 => format!("{percent:+.3} %"),
        _ => change(ratio),
    }
}

/// How many rows are left out, and what they hold.
fn left_out(verdict: &Verdict, most_rows: usize) -> Option<String> {
    let left: Vec<f64> =
        verdict.cells.iter().chain(&verdict.same).skip(most_rows).map(|compared| compared.ratio.mid).collect();
    let (low, high) = left.iter().fold((f64::MAX, f64::MIN), |(low, high), mid| (low.min(*mid), high.max(*mid)));
    (!left.is_empty())
        .then(|| format!("… and {} from {} to {}", counted(left.len(), "cell"), change(low), change(high)))
}

fn laid_out(rows: &[TableRow], most: usize) -> Vec<StyledLine> {
    let columns = if most < NARROW { &COLUMNS[..NAME] } else { &COLUMNS[..] };
    TableLayout::plan(columns, &STEPS.map(Vec::from), rows, most).lines(rows)
}

fn row(compared: &Compared, is_same: bool, common: &Common, most: usize) -> Vec<TableRow> {
    let (word, style) = match (compared.comparison.faster(), is_same) {
        (Some(Side::First), false) => ("SLOWER", Style::Red),
        (Some(Side::Second), false) => ("faster", Style::Green),
        (None, false) => ("–", Style::Plain),
        (None, true) => ("same", Style::Dim),
        (_, true) => ("OFF", Style::Yellow),
    };
    cells((word, style), longer(compared.ratio), compared, common, most)
}

fn cells(
    word: (&str, Style),
    (change, range): (String, String),
    compared: &Compared,
    common: &Common,
    most: usize,
) -> Vec<TableRow> {
    let (provider, cell) = (&compared.cell.provider, common.without_provider(&compared.cell));
    let row = TableRow::Cells(vec![
        TableCell::new(word.0, word.1),
        TableCell::new(change, word.1),
        TableCell::new(range, Style::Dim),
        TableCell::named(provider, &cell, Style::Plain),
    ]);
    let name = || fit(&format!("  {} {cell}", escaped(provider)), most);
    let below = (most < NARROW).then(|| TableRow::Line(StyledLine::new(name(), Style::Plain)));
    std::iter::once(row).chain(below).collect()
}

/// What all cells share is said once, so that a line has room for what they don't.
#[derive(Default)]
struct Common {
    form: Option<Form>,
    aad: Option<u64>,
}

impl Common {
    fn of(verdict: &Verdict) -> Self {
        let cells = || verdict.cells.iter().chain(&verdict.same).chain(&verdict.counts).map(|compared| &compared.cell);
        let only = |all: BTreeSet<u64>| all.first().copied().filter(|aad| all.len() == 1 && *aad > 0);
        let forms: BTreeSet<Form> = cells().map(|cell| cell.form).collect();
        Self {
            form: forms.first().copied().filter(|_| forms.len() == 1),
            aad: only(cells().map(|cell| cell.parameters.aad()).collect()),
        }
    }

    fn words(&self) -> String {
        let form = self.form.map(|form| format!(", {form}"));
        let aad = self.aad.map(|aad| format!(", {} aad", size(aad)));
        [form, aad].into_iter().flatten().collect()
    }

    /// What tells cells of one provider apart.
    fn without_provider(&self, cell: &Cell) -> String {
        let mut group = heading(&cell.group()).replace(" message", "");
        if let Some(form) = self.form {
            group = group.replace(&format!(" {form},"), "");
        }
        if let Some(aad) = self.aad {
            group = group.replace(&format!(", {} aad", size(aad)), "");
        }
        format!("{} {group}", cell.algorithm)
    }
}

fn not_compared(verdict: &Verdict, most: usize) -> Vec<StyledLine> {
    let gaps = gaps(&verdict.unmatched);
    // Of a verdict that is nothing but one reason, the sentence has it.
    let is_known =
        verdict.cells.is_empty() && verdict.same.is_empty() && verdict.counts.is_empty() && verdict.lost.is_empty();
    if gaps.is_empty() || (gaps.len() == 1 && is_known) {
        return Vec::new();
    }
    let mut lines = vec![StyledLine::default(), StyledLine::new("not compared", Style::Bold)];
    for gap in gaps {
        let which = match gap.providers.iter().next() {
            Some((only, cells)) if gap.providers.len() == 1 => format!("{only}, {}", counted(*cells, "cell")),
            _ => {
                let each: Vec<_> =
                    gap.providers.iter().map(|(provider, cells)| format!("{provider} {cells}")).collect();
                format!("{} ({})", counted(gap.cells, "cell"), each.join(", "))
            }
        };
        let style = if gap.missed { Style::Plain } else { Style::Dim };
        lines.extend(StyledLine::wrapped(&format!("{which}: {}", gap.why), most, 2, style));
    }
    lines
}
