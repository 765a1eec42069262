//! Several machines, a row each, below what serves all of them best: the screen and the document of `machines`.

use std::collections::BTreeMap;

use ciphermeter_core::{Algorithm, Record, Run};
use serde::Serialize;

use crate::document::written;
use crate::layout::{LEFT, RIGHT, TableCell, TableColumn, TableLayout, TableRow, UNCUT};
use crate::screen::Screen;
use crate::styled_line::{Style, StyledLine, TableOptions};
use ciphermeter_answer::answer;
use ciphermeter_answer::fleet::{Choice, Compared, FleetAnswer, for_all, usual};
use ciphermeter_answer::words::{capital, counted};

const COLUMNS: [TableColumn; 6] = [
    TableColumn { most: 32, ..LEFT },
    TableColumn { gap: 2, least: 9, ..LEFT },
    TableColumn { gap: 2, ..RIGHT },
    TableColumn { gap: 2, ..RIGHT },
    TableColumn { gap: 2, ..LEFT },
    RIGHT,
];

/// Names are cut first, then the time goes: the rates are what decides.
const STEPS: [[usize; 6]; 4] = [
    [UNCUT; 6],
    [16, UNCUT, UNCUT, UNCUT, UNCUT, UNCUT],
    [16, UNCUT, UNCUT, UNCUT, 0, UNCUT],
    [8, UNCUT, UNCUT, UNCUT, 0, 0],
];

/// A machine's run, as far as it says something of the machine.
#[derive(Debug, Clone, Serialize)]
pub struct MachineRow {
    /// The machine's name.
    pub machine: String,
    pub(crate) run: i64,
    pub(crate) started: String,
    pub(crate) measured_on: String,
    ciphermeter: String,
    pub(crate) choice: Option<Choice>,
}

impl MachineRow {
    /// The row of a run. A machine without a name is called what it was measured on.
    pub fn of(name: Option<&str>, run: &Run, records: &[Record]) -> Self {
        let answer = answer(run, records);
        let choice = Choice::of_answer(run, records, &answer);
        let measured_on = answer.measured_on;
        Self {
            machine: name.unwrap_or(&measured_on).to_owned(),
            run: run.id,
            started: run.started.clone(),
            measured_on,
            ciphermeter: run.version.clone(),
            choice,
        }
    }

    fn cells(&self, answer: &FleetAnswer) -> TableRow {
        let choice = self.choice.as_ref();
        let used = choice.map_or("not counted", |choice| choice.recommended.map_or("not known", Algorithm::title));
        let rate = |cipher: usize| {
            let Some(choice) = choice else { return String::new() };
            let name = answer.named(cipher, choice.ciphers[cipher]).map(|name| format!("{name} ")).unwrap_or_default();
            format!("{name}{:.2}", choice.gb_per_s[cipher])
        };
        // To the minute, as people read it.
        let started = self.started.get(..16).unwrap_or(&self.started).replace('T', " ");
        let texts = [self.machine.clone(), used.into(), rate(0), rate(1), started, self.run.to_string()];
        TableRow::Cells(texts.into_iter().map(|text| TableCell::new(text, Style::Plain)).collect())
    }
}

/// The sentences on all machines, then a row for each.
pub fn machines(rows: &[MachineRow], options: TableOptions) -> Screen {
    let (answer, most) = (of(rows), options.columns());
    let style = |place: usize| if place == 0 { Style::Bold } else { Style::Plain };
    let sentences = answer.sentences.iter().enumerate();
    let mut lines: Vec<StyledLine> =
        sentences.flat_map(|(place, sentence)| StyledLine::wrapped(sentence, most, 2, style(place))).collect();
    lines.push(StyledLine::default());
    let [aes, other] = answer.columns();
    let titles = TableRow::titles("", ["machine", "use", &aes, &other, "measured (UTC)", "run"]);
    let table: Vec<TableRow> = std::iter::once(titles).chain(rows.iter().map(|row| row.cells(&answer))).collect();
    lines.extend(TableLayout::plan(&COLUMNS, &STEPS.map(Vec::from), &table, most).lines(&table));
    Screen { text: options.print(&lines), is_answered: is_answered(&answer, rows) }
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    #[serde(flatten)]
    answer: FleetAnswer,
    machines: &'a [MachineRow],
}

/// The same as one JSON document.
pub fn machines_json(rows: &[MachineRow]) -> Screen {
    let answer = of(rows);
    let is_answered = is_answered(&answer, rows);
    Screen { text: written(&Document { schema: 1, answer, machines: rows }), is_answered }
}

/// How many machines answer how, in a sentence: `AES-256-GCM on 3 machines, not known on 1.`
pub(crate) fn in_numbers<'a>(rows: impl Iterator<Item = &'a MachineRow>) -> String {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut unknown = 0;
    for row in rows {
        match row.choice.as_ref().and_then(|choice| choice.recommended) {
            Some(cipher) => *numbers.entry(cipher.title()).or_default() += 1,
            None => unknown += 1,
        }
    }
    let mut numbers: Vec<(&str, usize)> = numbers.into_iter().collect();
    numbers.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
    let unknown = (unknown > 0).then_some(("not known", unknown));
    let all = numbers.into_iter().chain(unknown).enumerate();
    let part = |(place, (what, number)): (usize, (&str, usize))| match place {
        0 => format!("{what} on {}", counted(number, "machine")),
        _ => format!("{what} on {number}"),
    };
    capital(&format!("{}.", all.map(part).collect::<Vec<_>>().join(", ")))
}

/// Whether one cipher serves all, by at least half of them.
fn is_answered(answer: &FleetAnswer, rows: &[MachineRow]) -> bool {
    answer.serves_all.is_some() && 2 * answer.not_counted.len() <= rows.len()
}

fn of(rows: &[MachineRow]) -> FleetAnswer {
    let compared = |row: &MachineRow| {
        let (machine, started) = (row.machine.clone(), row.started.clone());
        Some(Compared { machine, kind: row.choice.as_ref()?.kind(), started })
    };
    let compared: Vec<Compared> = rows.iter().filter_map(compared).collect();
    let machines: Vec<_> = rows.iter().map(|row| (row.machine.clone(), row.choice.clone())).collect();
    for_all(&machines, usual(&compared))
}

#[cfg(test)]
mod tests {
    use ciphermeter_answer::fixtures::{cell, head, records};
    use ciphermeter_core::Operation;

    use super::*;

    /// A machine's run of two ciphers, of which a message takes so many nanoseconds.
    fn row(name: &str, day: u32, [aes, other]: [Algorithm; 2], message: u64) -> MachineRow {
        let run = Run { started: format!("2026-11-{day:02}T12:00:00Z"), ..head() };
        let operation = if aes.has(Operation::Seal) { Operation::Seal } else { Operation::Encrypt };
        let made = [(aes, 8.0), (other, 2.0)]
            .map(|(cipher, rate)| cell("openssl", cipher, operation, message, message as f64 / rate));
        MachineRow::of(Some(name), &run, &records(&made, 6))
    }

    #[test]
    fn ciphers_that_are_not_those_of_the_columns_are_named_beside_their_rates() {
        let disk = [Algorithm::Aes256Xts, Algorithm::Adiantum];
        let rows =
            [row("a", 1, Algorithm::USUAL, 16_384), row("b", 2, Algorithm::USUAL, 16_384), row("disk", 9, disk, 4096)];
        let wide = TableOptions { width: 120, color: false };
        let text = machines(&rows, wide).text;
        assert!(text.contains("Not counted: disk (AES-256-XTS and Adiantum)."), "{text}");
        assert!(text.contains("AES, GB/s") && text.contains("ChaCha20, GB/s"), "{text}");
        assert!(text.contains("AES-256-XTS 7.84") && text.contains("Adiantum 1.96"), "{text}");
        let of_disks = machines(&rows[2..], wide).text;
        assert!(of_disks.contains("AES-256-XTS, GB/s  Adiantum, GB/s"), "{of_disks}");
    }
}
