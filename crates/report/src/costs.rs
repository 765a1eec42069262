//! What a call and what a byte cost: a line of time over size for each cipher of each library, and where two of them cross.

use std::collections::BTreeMap;

use ciphermeter_core::{Algorithm, Cell, Form, Operation, Record, Run, escaped};
use ciphermeter_estimate::{Affine, unaligned};
use ciphermeter_stats::{Estimate, simultaneous};

use crate::layout::{LEFT, RIGHT, TableCell, TableColumn, TableLayout, TableRow, UNCUT};
use crate::screen::Screen;
use crate::styled_line::{Style, StyledLine, TableOptions};
use ciphermeter_answer::rank::competes;
use ciphermeter_answer::words::{bytes, digits, listed, percent, plus_minus, rotation, size};

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

/// What unaligned texts cost is named from this ratio on, of so many cells at most.
const LEAST_UNALIGNED: f64 = 1.005;
const MOST_UNALIGNED: usize = 4;

/// What shares an operation, a form, a size of aad, and what calls go round.
type Block = (Operation, Form, u64, String);

/// A cipher of a library, and its line.
struct Priced<'a> {
    algorithm: Algorithm,
    provider: &'a str,
    line: Affine,
}

/// The lines of a run; it answers if there are any.
pub fn costs(run: &Run, records: &[Record], options: TableOptions) -> Screen {
    let width = options.columns();
    let blocks = blocks(records);
    let title = format!("run {}: what a call and what a byte cost", run.id);
    let mut lines = StyledLine::wrapped(&title, width, 2, Style::Plain);
    let mut crossings = Vec::new();
    let mut rows = Vec::new();
    for (block, priced) in &blocks {
        rows.extend(table(block, priced));
        crossings.extend(crossed(block, priced));
    }
    if rows.is_empty() {
        let why = "The cost of a call cannot be told from that of a byte: that takes three message sizes, each with six forks. Measure more with --message and --budget.";
        lines.extend(StyledLine::wrapped(why, width, 2, Style::Yellow));
        lines.extend(StyledLine::wrapped(&alignment(records), width, 2, Style::Plain));
        return Screen { text: options.print(&lines), is_answered: false };
    }
    lines.extend(TableLayout::plan(&COLUMNS, &STEPS.map(Vec::from), &rows, width).lines(&rows));
    lines.push(StyledLine::default());
    if crossings.is_empty() {
        crossings.push("No two ciphers of one library cross within the sizes that were measured.".into());
    }
    crossings.push(alignment(records));
    let legend = format!(
        "time = call + byte × bytes of message, least squares of relative deviations; ±: 95 % interval over forks; off: how far \
         the line is from the size that it fits worst. A line that is off by over {} is not shown.",
        percent(MOST_OFF)
    );
    crossings.push(legend);
    lines.extend(crossings.iter().flat_map(|text| StyledLine::wrapped(text, width, 2, Style::Plain)));
    Screen { text: options.print(&lines), is_answered: true }
}

/// What unaligned messages cost: the cells that they surely slow down most, at most what the others, and for how many it isn't known.
fn alignment(records: &[Record]) -> String {
    let competing: Vec<&Record> = records.iter().filter(|record| competes(record)).collect();
    // All intervals hold at once (Bonferroni): the dearest are chosen afterwards.
    let confidence = simultaneous(competing.len());
    let cost = |record| {
        let ratio = unaligned(record, confidence).filter(|ratio| !ratio.is_wide())?;
        Some((record, ratio.mid, ratio.range()?))
    };
    let all = competing.len();
    let mut known: Vec<(&Record, f64, (f64, f64))> = competing.into_iter().filter_map(cost).collect();
    let unknown = all - known.len();
    known.sort_by(|(_, a, _), (_, b, _)| b.total_cmp(a));
    let (slow, others): (Vec<_>, Vec<_>) = known.iter().partition(|(_, _, (low, _))| *low > LEAST_UNALIGNED);
    let (named, further) = slow.split_at(slow.len().min(MOST_UNALIGNED));
    let more = |ratio: f64| percent((ratio - 1.0).max(0.0));
    let cost = |(record, mid, (low, high)): &(&Record, f64, (f64, f64))| {
        let Cell { provider, algorithm, operation, parameters, .. } = &record.cell;
        let at = size(parameters.message()) + &rotation(parameters);
        let by = escaped(provider);
        format!("{} ({} to {}) more for {operation} {algorithm} by {by} at {at}", more(*mid), more(*low), more(*high))
    };
    let most = further.iter().chain(&others).map(|(_, _, (_, high))| *high).reduce(f64::max);
    let rest = known.len() - named.len();
    let other = if named.is_empty() { "" } else { "other " };
    let at_most =
        most.map(|most| format!("at most {} in {rest} {other}cell{}", more(most), if rest == 1 { "" } else { "s" }));
    let said: Vec<String> = named.iter().map(cost).chain(at_most).collect();
    let unknown = if unknown == 0 { String::new() } else { format!(" It is not known for {unknown} of {all} cells.") };
    match said.is_empty() {
        true => "What unaligned messages cost is not known: no cell has six forks with enough samples of both.".into(),
        false => format!("Unaligned messages (not at a multiple of 16 bytes) cost {}.{unknown}", listed(&said)),
    }
}

/// Those that have a line, by block, the cheapest byte first.
fn blocks(records: &[Record]) -> BTreeMap<Block, Vec<Priced<'_>>> {
    let mut sizes = BTreeMap::<Block, BTreeMap<(Algorithm, &str), Vec<&Record>>>::new();
    for record in records.iter().filter(|record| competes(record) && record.cell.parameters.device().is_none()) {
        let cell = &record.cell;
        let block = (cell.operation, cell.form, cell.parameters.aad(), rotation(&cell.parameters));
        let own = sizes.entry(block).or_default().entry((cell.algorithm, cell.provider.as_str())).or_default();
        own.push(record);
    }
    let price = |((algorithm, provider), records): ((Algorithm, _), Vec<&Record>)| {
        Some(Priced { algorithm, provider, line: Affine::of(&records)? })
    };
    let priced = |contenders: BTreeMap<(Algorithm, _), Vec<&Record>>| {
        let mut priced: Vec<Priced> = contenders.into_iter().filter_map(price).collect();
        let byte = |priced: &Priced| priced.line.byte().map_or(f64::INFINITY, |byte| byte.mid);
        priced.sort_by(|a, b| byte(a).total_cmp(&byte(b)));
        priced
    };
    sizes
        .into_iter()
        .map(|(block, contenders)| (block, priced(contenders)))
        .filter(|(_, all)| !all.is_empty())
        .collect()
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

/// Sentences on the ciphers of one library that cross.
fn crossed((operation, .., rotation): &Block, priced: &[Priced]) -> Vec<String> {
    let mut sentences = Vec::new();
    for (place, one) in priced.iter().enumerate() {
        for other in priced[place + 1..].iter().filter(|other| other.provider == one.provider) {
            let Some(Estimate { mid, low, high }) = one.line.crossing(&other.line) else { continue };
            let [mid, low, high] = [mid, low, high].map(|at| bytes(at as u64));
            // The one whose bytes are cheaper stands first.
            sentences.push(format!(
                "{operation} by {}{rotation}: from {mid} on ({low} to {high}) {} is faster, below it {}.",
                escaped(one.provider),
                one.algorithm.title(),
                other.algorithm.title()
            ));
        }
    }
    sentences
}
