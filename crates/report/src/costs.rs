//! `show --costs`: what a call and what a byte cost, a line for each cipher of each library.

use ciphermeter_core::{Record, Run};
use ciphermeter_estimate::Affine;
use ciphermeter_stats::Estimate;

use crate::layout::{LEFT, RIGHT, TableCell, TableColumn, TableLayout, TableRow, UNCUT};
use crate::screen::Screen;
use crate::styled_line::{Style, StyledLine, TableOptions};
use ciphermeter_answer::costs::{Block, Costs, Priced, alignment};
use ciphermeter_answer::words::{digits, percent, plus_minus, size};

/// Algorithm, provider, cost of a call and its interval, cost of a byte and its interval, how far off the line is.
const COLUMNS: [TableColumn; 7] = [
    LEFT,
    LEFT,
    TableColumn { gap: 2, ..RIGHT },
    RIGHT,
    TableColumn { gap: 2, ..RIGHT },
    RIGHT,
    TableColumn { gap: 2, ..RIGHT },
];
const STEPS: [[usize; 7]; 3] =
    [[UNCUT; 7], [UNCUT, 12, UNCUT, UNCUT, UNCUT, UNCUT, UNCUT], [UNCUT, 10, UNCUT, 0, UNCUT, 0, UNCUT]];
/// A line that is further off at some size says nothing of a call or a byte.
const MOST_OFF: f64 = 0.5;

/// The lines of a run; it answers if there are any.
pub fn costs(run: &Run, records: &[Record], options: TableOptions) -> Screen {
    let width = options.columns();
    let all = Costs::of(records);
    let title = format!("run {}: what a call and what a byte cost", run.id);
    let mut lines = StyledLine::wrapped(&title, width, 2, Style::Plain);
    if all.blocks.is_empty() {
        let why = "The cost of a call cannot be told from that of a byte: that takes three message sizes, each with six forks. Measure more with --message and --budget.";
        lines.extend(StyledLine::wrapped(why, width, 2, Style::Yellow));
        lines.extend(StyledLine::wrapped(&alignment(records), width, 2, Style::Plain));
        return Screen { text: options.print(&lines), is_answered: false };
    }
    let rows: Vec<TableRow> = all.blocks.iter().flat_map(|(block, priced)| table(block, priced)).collect();
    lines.extend(TableLayout::plan(&COLUMNS, &STEPS.map(Vec::from), &rows, width).lines(&rows));
    lines.push(StyledLine::default());
    let mut below = all.sentences();
    let legend = format!(
        "time = call + byte × bytes of message, least squares of relative deviations; ±: 95 % interval over forks; off: how far \
         the line is from the size that it fits worst. A line that is off by over {} is not shown.",
        percent(MOST_OFF)
    );
    below.push(legend);
    lines.extend(below.iter().flat_map(|text| StyledLine::wrapped(text, width, 2, Style::Plain)));
    Screen { text: options.print(&lines), is_answered: true }
}

fn table((operation, form, aad, rotation): &Block, priced: &[Priced]) -> Vec<TableRow> {
    let aad = if *aad > 0 { format!(", {} aad", size(*aad)) } else { String::new() };
    let heading = format!("{operation} {form}{aad}{rotation}");
    let titles = ["", "", "call, ns", "", "byte, ns", "", "off"];
    let mut rows = vec![TableRow::Line(StyledLine::default()), TableRow::titles(&heading, titles)];
    rows.extend(priced.iter().map(|priced| {
        let line = Some(&priced.line).filter(|line| line.off <= MOST_OFF);
        let figure = |estimate: Option<Estimate>, text: fn(f64) -> String| match estimate {
            Some(Estimate { mid, low, high }) if mid > 0.0 => (text(mid), plus_minus(mid, (low, high))),
            _ => ("–".into(), String::new()),
        };
        let (call, call_half) = figure(line.and_then(Affine::call), digits);
        let (byte, byte_half) = figure(line.and_then(Affine::byte), |ns| format!("{ns:.3}"));
        let off = percent(priced.line.off);
        let texts = [priced.algorithm.as_str(), priced.provider, &call, &call_half, &byte, &byte_half, &off];
        let style = |place: usize| if matches!(place, 3 | 5 | 6) { Style::Dim } else { Style::Plain };
        TableRow::Cells(texts.iter().enumerate().map(|(place, text)| TableCell::new(text, style(place))).collect())
    }));
    rows
}
