//! The ranking as text: who shares the first place, how far behind the others are, and who is not ranked and why.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Algorithm, Family, Operation, Record, Run, escaped};

use crate::device::{boards, of_this_machine, ranking_blocks};
use crate::layout::{LEFT, RIGHT, TableCell, TableColumn, TableLayout, TableRow, UNCUT};
use crate::screen::Screen;
use crate::styled_line::{Style, StyledLine, TableOptions};
use ciphermeter_answer::measured::measured;
use ciphermeter_answer::rank::{Class, Contender, Ranking, competes, family, rank};
use ciphermeter_answer::words::{listed, masked, plus_minus, size, times};
use ciphermeter_estimate::LEAST_FORKS;

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

/// What stands in place of a ranking without any interval.
const NO_RANKING: &str = "No ranking yet: a comparison needs six forks with enough undisturbed samples.";

/// The ranking of a run over all sizes, then by class of sizes; `None` if there is nothing to rank. It is answered where any contender
/// has enough forks beside the best. Each device has a ranking of its own, of a device that counts by its counts.
pub fn ranking(run: &Run, records: &[Record], options: TableOptions) -> Option<Screen> {
    let most = options.columns();
    let counted = ranking_blocks(records, most);
    let here = of_this_machine(records);
    let timed: Vec<(String, Vec<Record>)> = boards(records)
        .iter()
        .filter(|board| board.unit.is_time())
        .map(|board| (board.name.clone(), board.records.iter().map(|record| (*record).clone()).collect()))
        .collect();
    let devices = timed.iter().filter_map(|(name, records)| Section::of(Some(name), records, most));
    // Without a device there is nothing to tell this machine from.
    let own = (here.len() < records.len()).then_some("this machine");
    let sections: Vec<Section> = devices.chain(Section::of(own, &here, most)).collect();
    if sections.is_empty() && counted.is_empty() {
        return None;
    }
    let (name, started) = (escaped(&run.scenario.name), escaped(&run.started));
    let mut lines =
        StyledLine::wrapped(&format!("run {}: {name}, {started}{}", run.id, masked(run)), most, 2, Style::Plain);
    let is_answered = !counted.is_empty() || sections.iter().any(|section| section.is_answered);
    lines.extend(counted);
    lines.extend(sections.iter().flat_map(|section| section.lines.clone()));
    let mut legend: Vec<&String> = Vec::new();
    for sentence in sections.iter().flat_map(|section| &section.legend) {
        if !legend.contains(&sentence) {
            legend.push(sentence);
        }
    }
    let why = if is_answered { Vec::new() } else { ciphermeter_answer::answer(run, records).sentences };
    legend.extend(why.iter().skip(1));
    lines.extend((!legend.is_empty()).then(StyledLine::default));
    lines.extend(legend.iter().flat_map(|line| StyledLine::wrapped(line, most, 2, Style::Plain)));
    Some(Screen { text: options.print(&lines), is_answered })
}

/// What took turns on one machine or board.
struct Section {
    lines: Vec<StyledLine>,
    legend: Vec<String>,
    is_answered: bool,
}

impl Section {
    fn of(whose: Option<&str>, records: &[Record], most: usize) -> Option<Self> {
        let family = family(records);
        let main = Class::main(records);
        let overall = rank(records, family, &main)?;
        let parts = Class::parts(records);
        let classes = parts.iter().filter_map(|class| Some((class.title.as_str(), rank(records, family, class)?)));
        let classes: Vec<_> = classes.filter(|(_, ranking)| ranking.ground != overall.ground).collect();
        let title = |class: &str| whose.map_or(class.to_owned(), |whose| format!("{whose}, {}", lower(class)));
        let mut lines = block(&title(&main.title), &overall, most);
        classes.iter().for_each(|(class, ranking)| lines.extend(block(&title(class), ranking, most)));
        lines.extend(not_ranked(&overall, &classes, family, records, most));
        let all: Vec<_> = std::iter::once(&overall).chain(classes.iter().map(|(_, ranking)| ranking)).collect();
        let is_answered = all.iter().any(|ranking| ranking.is_settled());
        Some(Self { lines, legend: legend(&all), is_answered })
    }
}

/// With a small first letter, to follow a name.
fn lower(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

fn block(class: &str, ranking: &Ranking, most: usize) -> Vec<StyledLine> {
    let mut lines = vec![StyledLine::default()];
    lines.extend(StyledLine::wrapped(&format!("{class}: {}", ground(ranking)), most, 2, Style::Bold));
    if !ranking.is_settled() {
        lines.push(StyledLine::new(NO_RANKING, Style::Yellow));
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
    // The winner's ratio to itself is 1 by definition.
    let interval = behind.and_then(|ratio| Some((ratio, ratio.range()?))).filter(|_| k > 0);
    let interval = interval.map(|(ratio, range)| match place {
        Some(_) => plus_minus(ratio.mid, range),
        None => "too wide".into(),
    });
    let behind = behind.filter(|_| place.is_some());
    TableRow::Cells(vec![
        TableCell::new(place.map_or("?".into(), |place| place.to_string()), style),
        TableCell::new(contender.algorithm.as_str(), Style::Plain),
        TableCell::new(contender.provider, Style::Plain),
        TableCell::new(behind.map(|ratio| times(ratio.mid)).unwrap_or_default(), style),
        TableCell::new(interval.unwrap_or_default(), Style::Dim),
    ])
}

/// What it rests on: `4 of 6 cells each (in-place seal and open of 64 B and 1 KiB), 6 forks`.
fn ground(ranking: &Ranking) -> String {
    let operations: BTreeSet<Operation> = ranking.ground.iter().map(|group| group.operation).collect();
    let operations: Vec<_> = operations.iter().map(ToString::to_string).collect();
    let sizes: BTreeSet<u64> = ranking.ground.iter().map(|group| group.parameters.message()).collect();
    let sizes: Vec<_> = sizes.into_iter().map(size).collect();
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

fn legend(rankings: &[&Ranking]) -> Vec<String> {
    let settled: Vec<_> = rankings.iter().filter(|ranking| ranking.is_settled()).collect();
    if settled.is_empty() {
        return Vec::new();
    }
    if settled.iter().all(|ranking| ranking.order.len() < 2) {
        return vec!["There is nothing to rank it against.".into()];
    }
    let mut legend = vec![
        "ratio: geometric mean of the times ÷ the best's in the same rounds, over the same cells; interval: 95 % for \
         all comparisons with the best at once. The first place is shared by all that no other is surely faster than; \
         places below are in the order of the ratios."
            .to_string(),
    ];
    if settled.iter().any(|ranking| (1..ranking.order.len()).any(|k| ranking.place(k).is_none())) {
        legend.push("?: fewer than six forks in common with the best, or too wide an interval.".into());
    }
    legend
}

fn name(contender: &Contender) -> String {
    format!("{} by {}", contender.algorithm.title(), escaped(contender.provider))
}

/// Who is left out of a ranking, each with the reason.
fn not_ranked(
    overall: &Ranking,
    classes: &[(&str, Ranking)],
    family: Family,
    records: &[Record],
    most: usize,
) -> Vec<StyledLine> {
    let mut reasons = Vec::new();
    for (class, ranking) in
        std::iter::once(("", overall)).chain(classes.iter().map(|(class, ranking)| (*class, ranking)))
    {
        let at = if class.is_empty() { String::new() } else { format!("{class}: ") };
        let most = ranking.order.iter().map(|contender| contender.cells()).min().unwrap_or(0);
        let is_new = |one: &&Contender| class.is_empty() || !overall.apart.iter().any(|other| name(other) == name(one));
        for contender in ranking.apart.iter().filter(is_new) {
            let why = match contender.cells() {
                0 => format!("has no cell with {LEAST_FORKS} undisturbed forks"),
                cells if cells < most => format!("has only {cells} of {} cells", ranking.groups),
                _ => "shares no whole fork with the others".into(),
            };
            reasons.push(format!("{at}{}: {why}", name(contender)));
        }
    }
    for contender in &overall.elsewhere {
        let forms: Vec<_> = contender.forms().iter().map(ToString::to_string).collect();
        let why = format!("only measured {}; ratios are drawn within one form, here {}", listed(&forms), overall.form);
        reasons.push(format!("{}: {why}", name(contender)));
    }
    reasons.extend(unmeasured(family, records));
    reasons.extend(without_tag(family, records));
    if reasons.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![StyledLine::default(), StyledLine::new("not ranked", Style::Bold)];
    lines.extend(reasons.iter().flat_map(|reason| StyledLine::wrapped(reason, most, 4, Style::Plain)));
    lines
}

/// Bare ciphers of a run that is about AEADs.
fn without_tag(family: Family, records: &[Record]) -> Option<String> {
    let other = |record: &&Record| competes(record) && record.cell.algorithm.family() != family;
    let bare: BTreeSet<&str> = records.iter().filter(other).map(|record| record.cell.algorithm.title()).collect();
    let bare = listed(&bare.into_iter().map(str::to_owned).collect::<Vec<_>>());
    (!bare.is_empty()).then(|| format!("{bare}: no tag, so not ranked beside ciphers that have one"))
}

/// Those of which nothing at all was measured, with the first reason.
fn unmeasured(family: Family, records: &[Record]) -> Vec<String> {
    let mut reasons = BTreeMap::<(Algorithm, &str), Option<String>>::new();
    let ranked = |record: &&Record| {
        let cell = &record.cell;
        cell.algorithm.family() == family && cell.algorithm != Algorithm::Xor && cell.operation != Operation::KeySetup
    };
    for record in records.iter().filter(ranked).filter(|record| record.cell.parameters.cpus().is_none()) {
        let why = record.outcome.in_words().unwrap_or_else(|| "the run ended before its first round".into());
        let entry = reasons.entry((record.cell.algorithm, &record.cell.provider)).or_insert(Some(why));
        // One measured cell is enough to be ranked, or named elsewhere.
        if measured(record).is_some() {
            *entry = None;
        }
    }
    let sentence = |((algorithm, provider), why): ((Algorithm, &str), Option<String>)| {
        why.map(|why| format!("{} by {}: {}", algorithm.title(), escaped(provider), escaped(&why)))
    };
    reasons.into_iter().filter_map(sentence).collect()
}
