//! The first screen of split messages: the fastest way of each cipher and size, what it gains over one thread, and what binds it.

mod asides;
mod fastest;

use std::collections::BTreeSet;

use ciphermeter_answer::basis;
use ciphermeter_core::{Record, Run};

use super::bars::sign;
use crate::layout::{LEFT, RIGHT, TableCell, TableColumn, TableLayout, TableRow, UNCUT};
use crate::parallel::{SplitMessage, Way, is_on_card, is_software, largest, messages, name, strategy};
use crate::styled_line::{Style, StyledLine};
use ciphermeter_answer::measured::has_enough_forks;
use ciphermeter_answer::words::size;
use ciphermeter_answer::words::{digits, percent};
use fastest::{Fastest, gained_in_short};

/// What its screen says.
pub(super) struct ParallelAnswer<'a> {
    pub(super) question: String,
    pub(super) answer: Vec<String>,
    pub(super) is_answered: bool,
    pub(super) asides: Vec<String>,
    messages: Vec<SplitMessage<'a>>,
}

impl<'a> ParallelAnswer<'a> {
    pub(super) fn of(run: &Run, records: &'a [Record]) -> Self {
        let mut messages = messages(run, records);
        // What has too few forks has no figure.
        messages.iter_mut().for_each(|message| message.ways.retain(|way| has_enough_forks(way.record)));
        messages.retain(|message| !message.ways.is_empty());
        let question = "One long message: how fast on all cores?".to_owned();
        let Some(most_bytes) = messages.iter().map(|message| message.bytes).max() else {
            let most = basis::most_forks(records);
            let answer = vec!["No answer yet.".into(), basis::no_answer(run, records, most)];
            return Self { question, answer, is_answered: false, asides: Vec::new(), messages };
        };
        let all: Vec<Fastest> = largest(&messages).into_iter().filter_map(Fastest::of).collect();
        // On a busy machine, more time is no remedy.
        let advice = asides::busy(records).or_else(|| fastest::advice(run, &all));
        Self {
            question,
            answer: all.iter().map(Fastest::sentence).chain(advice).collect(),
            is_answered: all.iter().any(Fastest::is_answered),
            asides: asides::asides(run, &messages, records, most_bytes),
            messages,
        }
    }

    /// The fastest way of each size and cipher; of many, the largest sizes.
    pub(super) fn table(&self, most: usize, width: usize) -> Vec<StyledLine> {
        if self.messages.is_empty() { Vec::new() } else { table(&self.messages, most, width) }
    }

    /// The ways of the largest size as bars, at most so many.
    pub(super) fn picture(&self, bars: usize, width: usize) -> Vec<StyledLine> {
        let fastest = largest(&self.messages).into_iter().find_map(Fastest::of);
        fastest.map(|fastest| picture(&fastest, bars, width)).unwrap_or_default()
    }
}

fn table(messages: &[SplitMessage], most: usize, width: usize) -> Vec<StyledLine> {
    let shown = &messages[messages.len().saturating_sub(most)..];
    let titles = ["size", "cipher", "fastest way", "GB/s", "speed-up", "eff.", "nearest limit"];
    let mut rows = vec![TableRow::Cells(titles.map(|title| TableCell::new(title, Style::Dim)).into())];
    for fastest in shown.iter().filter_map(Fastest::of) {
        let Way { record, rate, gain, bound, .. } = fastest.best();
        // Of a wide interval, the middle says little; where no way is known to be the fastest, no gain is known, either.
        let gain = gain.as_ref().filter(|_| fastest.is_answered());
        let close = gain.filter(|gain| !gain.speed_up.is_wide());
        let sign = if fastest.is_answered() { "" } else { " ?" };
        let texts = [
            size(fastest.message.bytes),
            fastest.message.title(),
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
fn picture(fastest: &Fastest, most: usize, width: usize) -> Vec<StyledLine> {
    let message = fastest.message;
    let mut seen = BTreeSet::new();
    let comparable =
        |way: &&Way| is_software(way.record) || is_on_card(&way.record.cell) == is_on_card(&fastest.best().record.cell);
    let ways = message.ways.iter().filter(comparable);
    let best: Vec<&Way> = ways.filter(|way| seen.insert(strategy(&way.record.cell))).take(most).collect();
    let Some(first) = best.first().filter(|_| best.len() > 1) else { return Vec::new() };
    let mut marks = BTreeSet::new();
    let mut rows = Vec::new();
    for way in &best {
        let mark = fastest.verdict(way).and_then(sign);
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
    let heading = format!("{}, {}", message.title(), size(message.bytes));
    rows.insert(0, TableRow::titles(&heading, ["", &marks.join(", "), "GB/s", ""]));
    let columns = [
        LEFT,
        TableColumn { gap: 2, most: 28, ..LEFT },
        TableColumn { gap: 2, ..RIGHT },
        TableColumn { least: 4, most: 24, fills: true, gap: 2, ..LEFT },
    ];
    TableLayout::plan(&columns, &[], &rows, width).lines(&rows)
}
