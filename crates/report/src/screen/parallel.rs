//! The first screen of split messages: the fastest way of each cipher and size, what it gains over one thread, and what binds it.

use std::collections::BTreeSet;

use ciphermeter_core::{Family, Record, Run};

use super::bars::mark;
use super::frame;
use super::rate::has_enough_forks;
use crate::figure::{decimals, percent, plus_minus, times};
use crate::gb_per_s;
use crate::layout::{LEFT, RIGHT, TableCell, TableColumn, TableLayout, TableRow};
use crate::measured::measured;
use crate::parallel::{Contest, Way, contests, limit, name, strategy};
use crate::phrases::listed;
use crate::styled_line::{Style, StyledLine};
use crate::text::size;

/// What its screen says.
#[derive(Default)]
pub(super) struct Brief {
    pub(super) question: String,
    pub(super) answer: Vec<String>,
    pub(super) is_answered: bool,
    pub(super) table: Vec<StyledLine>,
    pub(super) picture: Vec<StyledLine>,
    pub(super) asides: Vec<String>,
}

/// Of so many rows and bars.
pub(super) fn brief(run: &Run, records: &[Record], rows: usize, bars: usize, width: usize) -> Brief {
    let mut contests = contests(records);
    let most = frame::most_forks(records);
    // What has too few forks has no figure.
    contests.iter_mut().for_each(|contest| contest.ways.retain(|way| has_enough_forks(way.record)));
    contests.retain(|contest| !contest.ways.is_empty());
    let question = "One long message: how fast on all cores?".to_owned();
    let Some(largest) = contests.iter().map(|contest| contest.bytes).max() else {
        let answer = vec!["No answer yet.".into(), frame::no_answer(run, records, most)];
        return Brief { question, answer, ..Brief::default() };
    };
    // Of each cipher the largest message that was measured.
    let larger = |contest: &Contest, other: &Contest| other.title() == contest.title() && other.bytes > contest.bytes;
    let last = |contest: &&Contest| !contests.iter().any(|other| larger(contest, other));
    Brief {
        question,
        answer: contests.iter().filter(last).map(sentence).collect(),
        is_answered: true,
        table: table(&contests, rows, width),
        picture: contests.iter().find(last).map(|contest| picture(contest, bars, width)).unwrap_or_default(),
        asides: allowed(records, largest).into_iter().collect(),
    }
}

/// `AES-256-CTR: 5.68 GB/s for 1 GB by aws-lc, 2 threads, 1.97× ±1.2% one thread.`
fn sentence(contest: &Contest) -> String {
    let Some(best) = contest.ways.first() else { return String::new() };
    let gain = best.gain.as_ref().map(|gain| {
        let around = gain.speed_up.range.map(|range| format!(" {}", plus_minus(gain.speed_up.mid, range)));
        format!(", {}{} one thread", times(gain.speed_up.mid), around.unwrap_or_default())
    });
    format!(
        "{}: {} GB/s for {} by {}{}.",
        contest.title(),
        figure(best.rate),
        size(contest.bytes),
        name(best.record),
        gain.unwrap_or_default()
    )
}

/// The fastest way of each size and cipher; of many, the largest sizes.
fn table(contests: &[Contest], most: usize, width: usize) -> Vec<StyledLine> {
    let shown = &contests[contests.len().saturating_sub(most)..];
    let titles = ["size", "cipher", "fastest way", "GB/s", "speed-up, eff.", "nearest limit"];
    let mut rows = vec![TableRow::Cells(titles.map(|title| TableCell::new(title, Style::Dim)).into())];
    for contest in shown {
        let Some(Way { record, rate, gain, bound }) = contest.ways.first() else { continue };
        let gain = gain.as_ref();
        let texts = [
            size(contest.bytes),
            contest.title(),
            name(record),
            figure(*rate),
            gain.map(|gain| format!("{} {:>4}", times(gain.speed_up.mid), percent(gain.efficiency.mid)))
                .unwrap_or_default(),
            bound.map_or("–".into(), |bound| format!("{} of {}", percent(bound.share), bound.what)),
        ];
        rows.push(TableRow::Cells(texts.iter().map(|text| TableCell::new(text, Style::Plain)).collect()));
    }
    let left = TableColumn { gap: 2, ..LEFT };
    let right = TableColumn { gap: 2, ..RIGHT };
    let columns = [LEFT, left, TableColumn { most: 22, ..left }, right, right, left];
    TableLayout::plan(&columns, &[], &rows, width).lines(&rows)
}

/// The best of each strategy, each with a bar.
fn picture(contest: &Contest, most: usize, width: usize) -> Vec<StyledLine> {
    let mut seen = BTreeSet::new();
    let best: Vec<&Way> =
        contest.ways.iter().filter(|way| seen.insert(strategy(&way.record.cell))).take(most).collect();
    let Some(first) = best.first().filter(|_| best.len() > 1) else { return Vec::new() };
    let mut marks = BTreeSet::new();
    let mut rows = Vec::new();
    for way in &best {
        let mark = if way.record.id == first.record.id { None } else { mark(way.record, first.record) };
        marks.extend(mark);
        let sign = mark.map_or(String::new(), |(sign, _)| format!(" {sign}"));
        rows.push(TableRow::Cells(vec![
            TableCell::new(format!("  {}", strategy(&way.record.cell)), Style::Plain),
            TableCell::new(format!("{}{sign}", name(way.record)), Style::Plain),
            TableCell::new(figure(way.rate), Style::Plain),
            TableCell::bar(Some(way.rate / first.rate), Style::Green),
        ]));
    }
    let marks: Vec<_> = marks.into_iter().map(|(sign, meaning)| format!("{sign} {meaning}")).collect();
    let heading = format!("{}, {}", contest.title(), size(contest.bytes));
    rows.insert(0, TableRow::titles(&heading, ["", &marks.join(", "), "GB/s", ""]));
    let columns = [
        LEFT,
        TableColumn { gap: 2, most: 28, ..LEFT },
        TableColumn { gap: 2, ..RIGHT },
        TableColumn { least: 4, most: 24, fills: true, gap: 2, ..LEFT },
    ];
    TableLayout::plan(&columns, &[], &rows, width).lines(&rows)
}

/// `This machine allows, at 1 GB with 2 threads: memory, in place 41.2 GB/s; AES units 9.07 GB/s.`
fn allowed(records: &[Record], bytes: u64) -> Option<String> {
    let ceilings = || {
        records.iter().filter(|record| {
            let cell = &record.cell;
            cell.algorithm.family() == Family::Ceiling
                && cell.parameters.message() == bytes
                && !cell.form.is_of_card()
                && has_enough_forks(record)
        })
    };
    let threads = ceilings().map(|record| record.cell.parameters.threads()).max()?;
    let text = |record: &Record| {
        let rate = gb_per_s(&record.cell, measured(record)?.range)?.mid;
        Some(format!("{} {} GB/s", limit(&record.cell), figure(rate)))
    };
    let all: Vec<String> =
        ceilings().filter(|record| record.cell.parameters.threads() == threads).filter_map(text).collect();
    let plural = if threads == 1 { "" } else { "s" };
    Some(format!("The machine allows at {}, {threads} thread{plural}: {}.", size(bytes), listed(&all)))
}

fn figure(figure: f64) -> String {
    format!("{figure:.*}", decimals(figure))
}
