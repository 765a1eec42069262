//! The first screen of split messages: the fastest way of each cipher and size, what it gains over one thread, and what binds it.

mod asides;
mod lead;

use std::collections::BTreeSet;

use ciphermeter_answer::basis;
use ciphermeter_core::{Record, Run};

use super::bars::sign;
use crate::layout::{LEFT, RIGHT, TableCell, TableColumn, TableLayout, TableRow, UNCUT};
use crate::parallel::{Contest, Way, contests, is_on_card, is_software, largest, name, strategy};
use crate::styled_line::{Style, StyledLine};
use ciphermeter_answer::measured::has_enough_forks;
use ciphermeter_answer::words::size;
use ciphermeter_answer::words::{digits, percent};
use lead::{Lead, gained_in_short};

/// What its screen says.
pub(super) struct Brief<'a> {
    pub(super) question: String,
    pub(super) answer: Vec<String>,
    pub(super) is_answered: bool,
    pub(super) asides: Vec<String>,
    contests: Vec<Contest<'a>>,
}

impl<'a> Brief<'a> {
    pub(super) fn of(run: &Run, records: &'a [Record]) -> Self {
        let mut contests = contests(run, records);
        // What has too few forks has no figure.
        contests.iter_mut().for_each(|contest| contest.ways.retain(|way| has_enough_forks(way.record)));
        contests.retain(|contest| !contest.ways.is_empty());
        let question = "One long message: how fast on all cores?".to_owned();
        let Some(most_bytes) = contests.iter().map(|contest| contest.bytes).max() else {
            let most = basis::most_forks(records);
            let answer = vec!["No answer yet.".into(), basis::no_answer(run, records, most)];
            return Self { question, answer, is_answered: false, asides: Vec::new(), contests };
        };
        let leads: Vec<Lead> = largest(&contests).into_iter().filter_map(Lead::of).collect();
        // On a busy machine, more time is no remedy.
        let advice = asides::busy(records).or_else(|| lead::advice(run, &leads));
        Self {
            question,
            answer: leads.iter().map(Lead::sentence).chain(advice).collect(),
            is_answered: leads.iter().any(Lead::is_answered),
            asides: asides::asides(run, &contests, records, most_bytes),
            contests,
        }
    }

    /// The fastest way of each size and cipher; of many, the largest sizes.
    pub(super) fn table(&self, most: usize, width: usize) -> Vec<StyledLine> {
        if self.contests.is_empty() { Vec::new() } else { table(&self.contests, most, width) }
    }

    /// The ways of the largest size as bars, at most so many.
    pub(super) fn picture(&self, bars: usize, width: usize) -> Vec<StyledLine> {
        let lead = largest(&self.contests).into_iter().find_map(Lead::of);
        lead.map(|lead| picture(&lead, bars, width)).unwrap_or_default()
    }
}

fn table(contests: &[Contest], most: usize, width: usize) -> Vec<StyledLine> {
    let shown = &contests[contests.len().saturating_sub(most)..];
    let titles = ["size", "cipher", "fastest way", "GB/s", "speed-up", "eff.", "nearest limit"];
    let mut rows = vec![TableRow::Cells(titles.map(|title| TableCell::new(title, Style::Dim)).into())];
    for lead in shown.iter().filter_map(Lead::of) {
        let Way { record, rate, gain, bound, .. } = lead.best();
        // Of a wide interval, the middle says little; where no way is known to be the fastest, no gain is known, either.
        let gain = gain.as_ref().filter(|_| lead.is_answered());
        let close = gain.filter(|gain| !gain.speed_up.is_wide());
        let sign = if lead.is_answered() { "" } else { " ?" };
        let texts = [
            size(lead.contest.bytes),
            lead.contest.title(),
            format!("{}{sign}", name(record)),
            digits(*rate),
            gain.and_then(|gain| gained_in_short(gain.speed_up)).unwrap_or_default(),
            close.map(|gain| percent(gain.efficiency.mid)).unwrap_or_default(),
            bound.map_or("–".into(), |bound| format!("{} of {}", percent(bound.share), bound.what)),
        ];
        rows.push(TableRow::Cells(texts.iter().map(|text| TableCell::new(text, Style::Plain)).collect()));
    }
    let left = TableColumn { gap: 2, ..LEFT };
    let columns = [LEFT, left, left, TableColumn { gap: 2, ..RIGHT }, RIGHT, RIGHT, left];
    // A way's name is cut before its limit.
    let cut = [30, 26, 24, 22, 20, 16].map(|way| vec![UNCUT, UNCUT, way, UNCUT, UNCUT, UNCUT, UNCUT]);
    TableLayout::plan(&columns, &cut, &rows, width).lines(&rows)
}

/// The best of each strategy, each with a bar: without copies a card's would dwarf those that answer the question.
fn picture(lead: &Lead, most: usize, width: usize) -> Vec<StyledLine> {
    let contest = lead.contest;
    let mut seen = BTreeSet::new();
    let comparable =
        |way: &&Way| is_software(way.record) || is_on_card(&way.record.cell) == is_on_card(&lead.best().record.cell);
    let ways = contest.ways.iter().filter(comparable);
    let best: Vec<&Way> = ways.filter(|way| seen.insert(strategy(&way.record.cell))).take(most).collect();
    let Some(first) = best.first().filter(|_| best.len() > 1) else { return Vec::new() };
    let mut marks = BTreeSet::new();
    let mut rows = Vec::new();
    for way in &best {
        let mark = lead.verdict(way).and_then(sign);
        marks.extend(mark);
        let sign = mark.map_or(String::new(), |(sign, _)| format!(" {sign}"));
        rows.push(TableRow::Cells(vec![
            TableCell::new(format!("  {}", strategy(&way.record.cell)), Style::Plain),
            TableCell::new(format!("{}{sign}", name(way.record)), Style::Plain),
            TableCell::new(digits(way.rate), Style::Plain),
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
