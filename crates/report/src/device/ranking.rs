//! The ranking on each device that counts: by the geometric mean of counts over the cells that all contenders have, exact.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Algorithm, Cell, Family, Group, Operation, Record};

use crate::layout::{LEFT, RIGHT, TableCell, TableColumn, TableLayout, TableRow};
use crate::styled_line::{Style, StyledLine};
use ciphermeter_answer::devices::{Board, Unit, boards, cost, provider};

const COLUMNS: [TableColumn; 4] = [
    RIGHT,
    TableColumn { gap: 2, ..LEFT },
    TableColumn { most: 24, ..LEFT },
    TableColumn { gap: 2, least: 6, ..RIGHT },
];

/// An algorithm by a provider: its counts by group.
type Contenders = BTreeMap<(Algorithm, String), BTreeMap<Group, f64>>;

/// A block for each device that counts; nothing where there is none.
pub(crate) fn ranking_blocks(records: &[Record], width: usize) -> Vec<StyledLine> {
    let boards = boards(records);
    boards.iter().filter(|board| !board.unit.is_time()).flat_map(|board| block(board, width)).collect()
}

fn block(board: &Board, width: usize) -> Vec<StyledLine> {
    let contenders = contenders(board);
    let all: BTreeSet<&Group> = contenders.values().flat_map(BTreeMap::keys).collect();
    let most = contenders.values().map(BTreeMap::len).max().unwrap_or(0);
    // One that lacks cells would leave all others fewer to be compared on.
    let (whole, apart): (Vec<_>, Vec<_>) = contenders.iter().partition(|(_, cells)| cells.len() == most);
    let ground: Vec<&Group> =
        all.iter().copied().filter(|group| whole.iter().all(|(_, cells)| cells.contains_key(group))).collect();
    let mut lines = vec![StyledLine::default()];
    let unit = match board.unit {
        Unit::Count(counts) => counts.as_str(),
        Unit::Time(_) => "time",
    };
    let varies = |record: &&Record| cost(record).is_some_and(|cost| cost.low < cost.high);
    let exact = if board.records.iter().any(varies) { "the middle of its forks" } else { "exact" };
    let heading = format!("{}: {unit}, {} of {} cells each, {exact}", board.name, ground.len(), all.len());
    lines.extend(StyledLine::wrapped(&heading, width, 2, Style::Bold));
    if whole.is_empty() || ground.is_empty() {
        lines.push(StyledLine::new("No ranking: no two ciphers have a cell in common.", Style::Yellow));
        return lines;
    }
    let mean = |cells: &BTreeMap<Group, f64>| {
        let logs: f64 = ground.iter().filter_map(|group| cells.get(*group)).map(|count| count.ln()).sum();
        logs / ground.len() as f64
    };
    let mut order: Vec<_> = whole.iter().map(|(name, cells)| (mean(cells), *name)).collect();
    order.sort_by(|(a, x), (b, y)| a.total_cmp(b).then(x.cmp(y)));
    let least = order.first().map_or(0.0, |(first, _)| *first);
    let mut rows = vec![TableRow::titles("", ["place", "algorithm", "provider", "ratio"])];
    rows.extend(order.iter().map(|(log, (algorithm, provider))| {
        // Equal counts share a place.
        let place = 1 + order.iter().filter(|(other, _)| other < log).count();
        let style = if place == 1 { Style::Green } else { Style::Plain };
        let ratio = format!("{:.3}×", (log - least).exp());
        let texts = [algorithm.to_string(), provider.clone(), ratio].map(|text| TableCell::new(text, Style::Plain));
        TableRow::Cells([TableCell::new(place.to_string(), style)].into_iter().chain(texts).collect())
    }));
    lines.extend(TableLayout::plan(&COLUMNS, &[], &rows, width).lines(&rows));
    let lacking = apart.iter().map(|((algorithm, provider), cells)| {
        format!("not ranked: {} by {provider} has only {} of {} cells", algorithm.title(), cells.len(), all.len())
    });
    lines.extend(lacking.flat_map(|text| StyledLine::wrapped(&text, width, 4, Style::Plain)));
    lines
}

fn contenders(board: &Board) -> Contenders {
    let family = |record: &Record| record.cell.algorithm.family();
    let has_aead = board.records.iter().any(|record| family(record) == Family::Aead && cost(record).is_some());
    let wanted = if has_aead { Family::Aead } else { Family::Bare };
    let usual = board.usual_form();
    let mut all = Contenders::new();
    for record in board.records.iter().filter(|record| family(record) == wanted) {
        let Cell { algorithm, operation, .. } = record.cell;
        let Some(cost) = cost(record).filter(|_| algorithm != Algorithm::Xor && operation != Operation::KeySetup)
        else {
            continue;
        };
        if !board.compares(&record.cell, usual) {
            continue;
        }
        // A provider's only form stands among the others'.
        let group = Cell { form: usual, ..record.cell.clone() }.group();
        all.entry((algorithm, provider(record))).or_default().insert(group, cost.mid);
    }
    all
}
