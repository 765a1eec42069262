//! The ranking as text: who shares the first place, how far behind the others are, and who is not ranked and why.

use ciphermeter_core::{Record, Run, escaped};
use serde::Serialize;

use crate::document::written;
use crate::kinds;
use crate::layout::{LEFT, RIGHT, TableCell, TableColumn, TableLayout, TableRow, UNCUT};
use crate::screen::Screen;
use crate::styled_line::{Style, StyledLine, TableOptions};
use ciphermeter_answer::devices::CountedRanking;
use ciphermeter_answer::rank::Ranking;
use ciphermeter_answer::ranked::{Machine, Ranked, Rankings, machines};
use ciphermeter_answer::words::{listed, masked, ratio_columns, size, times};

const COLUMNS: [TableColumn; 5] = [
    RIGHT,
    TableColumn { gap: 2, ..LEFT },
    TableColumn { most: 24, ..LEFT },
    TableColumn { gap: 2, least: 6, ..RIGHT },
    TableColumn { gap: 2, ..LEFT },
];

/// The interval goes first where there is no room, then parts of names: the ratio is what a ranking is for.
const STEPS: [[usize; 5]; 5] = [
    [UNCUT; 5],
    [UNCUT, UNCUT, UNCUT, UNCUT, 0],
    [UNCUT, 16, 10, UNCUT, 0],
    [0, 16, 10, UNCUT, 0],
    [0, 12, 6, UNCUT, 0],
];

const COUNTED: [TableColumn; 4] = [
    RIGHT,
    TableColumn { gap: 2, ..LEFT },
    TableColumn { most: 24, ..LEFT },
    TableColumn { gap: 2, least: 6, ..RIGHT },
];

/// What stands in place of a ranking without any interval.
const NO_RANKING: &str = "No ranking yet: a comparison needs six forks with enough undisturbed samples.";

/// The ranking of a run over all sizes, then by class of sizes. It is answered where any contender has enough forks beside the best.
/// Each device has a ranking of its own, of a device that counts by its counts.
///
/// # Errors
/// Why there is nothing to rank.
pub fn ranking(run: &Run, records: &[Record], options: TableOptions) -> Result<Screen, String> {
    let most = options.columns();
    let machines = machines(records);
    let Rankings { answered, machines, devices } = rankings(run, records, &machines)?;
    let (name, started) = (escaped(&run.scenario.name), escaped(&run.started));
    let mut lines =
        StyledLine::wrapped(&format!("run {}: {name}, {started}{}", run.id, masked(run)), most, 2, Style::Plain);
    lines.extend(devices.iter().flat_map(|ranking| counted(ranking, most)));
    let mut legend: Vec<String> = Vec::new();
    for Ranked { on, rankings, not_ranked } in &machines {
        lines.extend(rankings.iter().flat_map(|ranking| block(*on, ranking, most)));
        if !not_ranked.is_empty() {
            lines.extend([StyledLine::default(), StyledLine::new("not ranked", Style::Bold)]);
            lines.extend(not_ranked.iter().flat_map(|reason| StyledLine::wrapped(reason, most, 4, Style::Plain)));
        }
        for sentence in self::legend(rankings) {
            if !legend.contains(&sentence) {
                legend.push(sentence);
            }
        }
    }
    let why = if answered { Vec::new() } else { ciphermeter_answer::answer(run, records).sentences };
    legend.extend(why.into_iter().skip(1));
    lines.extend((!legend.is_empty()).then(StyledLine::default));
    lines.extend(legend.iter().flat_map(|line| StyledLine::wrapped(line, most, 2, Style::Plain)));
    Ok(Screen { text: options.print(&lines), is_answered: answered })
}

fn rankings<'m>(run: &Run, records: &[Record], machines: &'m [Machine<'m>]) -> Result<Rankings<'m>, String> {
    let show = run.command(&format!("show {}", run.id));
    if let Some(what) = kinds::of(run, records).unranked() {
        return Err(format!("run {} {what}, which is not ranked; `{show}` has its figures", run.id));
    }
    Rankings::of(machines, records).ok_or_else(|| {
        let why = ciphermeter_answer::answer(run, records).sentences.pop().unwrap_or_default();
        let why = lower(why.trim_end_matches('.'));
        format!("run {} has nothing to rank: {why}; `{show}` says more", run.id)
    })
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    run: i64,
    #[serde(flatten)]
    rankings: Rankings<'a>,
}

/// The same as one JSON document.
///
/// # Errors
/// As [`ranking`].
pub fn ranking_json(run: &Run, records: &[Record]) -> Result<Screen, String> {
    let machines = machines(records);
    let rankings = rankings(run, records, &machines)?;
    let is_answered = rankings.answered;
    Ok(Screen { text: written(&Document { schema: 1, run: run.id, rankings }), is_answered })
}

/// The ranking on a device that counts.
fn counted(ranking: &CountedRanking, most: usize) -> Vec<StyledLine> {
    let CountedRanking { on, counts, cells, of_cells, is_exact, order, not_ranked } = ranking;
    let exact = if *is_exact { "exact" } else { "the middle of its forks" };
    let heading = format!("{on}: {}, {cells} of {of_cells} cells each, {exact}", counts.as_str());
    let mut lines = vec![StyledLine::default()];
    lines.extend(StyledLine::wrapped(&heading, most, 2, Style::Bold));
    if order.is_empty() {
        let none = "No ranking: no two ciphers have a cell in common.";
        lines.extend(StyledLine::wrapped(none, most, 2, Style::Yellow));
        return lines;
    }
    let mut rows = vec![TableRow::titles("", ["place", "algorithm", "provider", "ratio"])];
    rows.extend(order.iter().map(|own| {
        let style = if own.place == 1 { Style::Green } else { Style::Plain };
        let texts = [own.algorithm.to_string(), own.provider.clone(), format!("{:.3}×", own.ratio)];
        let texts = texts.map(|text| TableCell::new(text, Style::Plain));
        TableRow::Cells([TableCell::new(own.place.to_string(), style)].into_iter().chain(texts).collect())
    }));
    lines.extend(TableLayout::plan(&COUNTED, &[], &rows, most).lines(&rows));
    let lacking = not_ranked.iter().map(|why| format!("not ranked: {why}"));
    lines.extend(lacking.flat_map(|text| StyledLine::wrapped(&text, most, 4, Style::Plain)));
    lines
}

/// With a small first letter, to follow a name.
fn lower(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

fn block(on: Option<&str>, ranking: &Ranking, most: usize) -> Vec<StyledLine> {
    let class = on.map_or(ranking.class.clone(), |on| format!("{on}, {}", lower(&ranking.class)));
    let mut lines = vec![StyledLine::default()];
    lines.extend(StyledLine::wrapped(&format!("{class}: {}", ground(ranking)), most, 2, Style::Bold));
    if !ranking.is_settled() {
        lines.extend(StyledLine::wrapped(NO_RANKING, most, 2, Style::Yellow));
        return lines;
    }
    let mut rows = vec![TableRow::titles("", ["place", "algorithm", "provider", "ratio", "interval"])];
    rows.extend((0..ranking.order.len()).map(|k| row(ranking, k)));
    lines.extend(TableLayout::plan(&COLUMNS, &STEPS.map(Vec::from), &rows, most).lines(&rows));
    lines
}

fn row(ranking: &Ranking, k: usize) -> TableRow {
    let (contender, place, behind) = (&ranking.order[k], ranking.place(k), ranking.behind(k));
    let style = if place == Some(1) { Style::Green } else { Style::Plain };
    let (ratio, interval) = match (behind, place) {
        // The winner's ratio to itself is 1 by definition.
        (Some(ratio), Some(_)) if k == 0 => (times(ratio.mid), String::new()),
        (Some(ratio), Some(_)) => ratio_columns(ratio),
        (Some(_), None) => (String::new(), "too wide".into()),
        (None, _) => Default::default(),
    };
    TableRow::Cells(vec![
        TableCell::new(place.map_or("?".into(), |place| place.to_string()), style),
        TableCell::new(contender.algorithm.as_str(), Style::Plain),
        TableCell::new(contender.provider, Style::Plain),
        TableCell::new(ratio, style),
        TableCell::new(interval, Style::Dim),
    ])
}

/// What it rests on: `4 of 6 cells each (in-place seal and open of 64 B and 1 KiB), 6 forks`.
fn ground(ranking: &Ranking) -> String {
    let operations: Vec<_> = ranking.operations().iter().map(ToString::to_string).collect();
    let sizes: Vec<_> = ranking.messages().into_iter().map(size).collect();
    let (cells, forks) = (ranking.ground.len(), ranking.forks());
    let of_all = if cells == ranking.groups { String::new() } else { format!(" of {}", ranking.groups) };
    format!(
        "{cells}{of_all} cell{} each ({} {} of {}), {} fork{}",
        if ranking.groups == 1 { "" } else { "s" },
        ranking.form,
        listed(&operations),
        listed(&sizes),
        forks,
        if forks == 1 { "" } else { "s" },
    )
}

fn legend(rankings: &[Ranking]) -> Vec<String> {
    let settled: Vec<_> = rankings.iter().filter(|ranking| ranking.is_settled()).collect();
    if settled.is_empty() {
        return Vec::new();
    }
    if settled.iter().all(|ranking| ranking.order.len() < 2) {
        return vec!["There is nothing to rank it against.".into()];
    }
    let mut legend = vec![
        "ratio: geometric mean of the times ÷ the best's in the same rounds, over the same cells; interval: 95 % for \
         all comparisons with the best at once. The first place is shared by all that are equal to the best, within \
         5 %, or not known to be slower; places below are in the order of the ratios."
            .to_string(),
    ];
    if settled.iter().any(|ranking| (1..ranking.order.len()).any(|k| ranking.place(k).is_none())) {
        legend.push("?: fewer than six forks in common with the best, or too wide an interval.".into());
    }
    legend
}
