//! The first screen of split messages: the fastest way of each cipher and size, what it gains over one thread, and what binds it.

use std::collections::BTreeSet;

use ciphermeter_answer::parallel::{Fastest, SplitMessage, Way, is_on_card, is_software, largest, name, strategy};
use ciphermeter_answer::words::{digits, percent, size, times};

use super::bars::{Picture, sign};
use crate::layout::{LEFT, RIGHT, TableCell, TableColumn, TableLayout, TableRow, UNCUT};
use crate::styled_line::{Style, StyledLine};

/// The ways of the largest size as bars, at most so many.
pub(crate) fn bars(messages: &[SplitMessage], bars: usize, width: usize) -> Vec<StyledLine> {
    let fastest = largest(messages).into_iter().find_map(Fastest::of);
    fastest.map(|fastest| picture(&fastest, bars, width)).unwrap_or_default()
}

/// The fastest way of each size and cipher; of many, the largest sizes.
pub(crate) fn table(messages: &[SplitMessage], most: usize, width: usize) -> Vec<StyledLine> {
    if messages.is_empty() {
        return Vec::new();
    }
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
            // Its sentence has the range, which would take the room of the limit.
            close.map(|gain| times(gain.speed_up.mid)).unwrap_or_default(),
            close.map(|gain| percent(gain.efficiency.mid)).unwrap_or_default(),
            bound.map_or("–".into(), |bound| format!("{} of {}", percent(bound.share), bound.what)),
        ];
        rows.push(TableRow::plain(texts));
    }
    let left = TableColumn { gap: 2, ..LEFT };
    let columns = [LEFT, left, left, TableColumn { gap: 2, ..RIGHT }, RIGHT, RIGHT, left];
    // A way's name is cut before its limit, which goes before the speed-up.
    let mut cut: Vec<_> =
        [30, 26, 24, 22, 20, 16].map(|way| vec![UNCUT, UNCUT, way, UNCUT, UNCUT, UNCUT, UNCUT]).into();
    cut.extend([vec![UNCUT, UNCUT, 16, UNCUT, UNCUT, UNCUT, 0], vec![UNCUT, 11, 12, UNCUT, 0, 0, 0]]);
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
    let mut picture = Picture::default();
    for way in &best {
        let (strategy, mark) = (strategy(&way.record.cell), fastest.verdict(way).and_then(sign));
        picture.add(strategy, [&name(way.record), ""], mark, digits(way.rate), Some(way.rate / first.rate));
    }
    picture.lines(&format!("{}, {}", message.title(), size(message.bytes)), "GB/s", 28, width)
}
