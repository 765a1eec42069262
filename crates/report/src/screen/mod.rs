//! The first screen of a run: what to use, in words; one picture of it; what it rests on; and where more is to be found.
//!
//! It holds in 24 lines of 80 columns whatever the run measured. What the run does not decide it says, without a figure: a cell with
//! fewer than six forks has none.

mod bars;
mod chosen;
mod device;
mod frame;
mod languages;
mod leader;
mod left_out;
mod libraries;
mod pair;
mod parallel;
mod plain;
mod rate;

use std::collections::BTreeSet;

use ciphermeter_answer::asides::asides;
use ciphermeter_answer::basis::{Basis, most_forks, no_answer};
use ciphermeter_answer::machine::takes_aes;
use ciphermeter_answer::pair::PairAnswer;
use ciphermeter_core::{Algorithm, Kind, Operation, Record, Run};

use crate::advise::program;
use crate::other_metrics::metric_blocks;
use crate::styled_line::{Style, StyledLine, TableOptions};
use crate::sustained;
pub(crate) use chosen::{Chosen, Library, chosen, is_alike, machine};
use ciphermeter_answer::measured::{measured, trusted};
use ciphermeter_answer::rank::competes;
use ciphermeter_answer::words::width as columns;
pub(crate) use device::{Drawn, device_advice, drawn};
pub(crate) use frame::head;
pub use leader::leader;
use libraries::Libraries;
pub(crate) use libraries::question;
use parallel::Brief;

/// The lines of a terminal.
pub(crate) const LINES: usize = 24;
/// The most rows of a table.
const ROWS: usize = 8;
/// The most rows of one of split messages, beside which the picture of the ways says more.
const WAYS: usize = 7;

/// What a run comes to, on one screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screen {
    /// Its lines, each ended by a newline.
    pub text: String,
    /// Whether the run answers its own question.
    pub is_answered: bool,
}

/// Where blank lines stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Blanks {
    None,
    BeforeTables,
    All,
}

/// The parts of a screen, in their order.
#[derive(Default)]
struct Parts {
    question: String,
    answer: Vec<String>,
    /// Lines for the program that the run is about.
    config: Vec<String>,
    is_answered: bool,
    table: Vec<StyledLine>,
    picture: Vec<StyledLine>,
    asides: Vec<String>,
    /// How many rows the intervals hold for, and how many of them are shown.
    rows: (usize, usize),
    /// The fewest and the most forks that the comparisons rest on; `None`: those of all cells.
    forks: Option<(usize, usize)>,
}

/// The first screen of a run.
pub fn screen(run: &Run, records: &[Record], options: TableOptions) -> Screen {
    let width = options.columns();
    if let Some((mut lines, is_answered)) = device::lines(run, records, LINES, width) {
        lines.truncate(LINES);
        return Screen { text: options.print(&lines), is_answered };
    }
    let mut last = Vec::new();
    // What does not fit is cut from blank lines and the picture first, then from the table.
    let steps = [
        (ROWS, 8, Blanks::All),
        (ROWS, 6, Blanks::All),
        (ROWS, 6, Blanks::BeforeTables),
        (ROWS, 4, Blanks::BeforeTables),
        (ROWS, 3, Blanks::BeforeTables),
        (ROWS, 2, Blanks::BeforeTables),
        (6, 4, Blanks::BeforeTables),
        (6, 3, Blanks::BeforeTables),
        (5, 2, Blanks::BeforeTables),
        (5, 2, Blanks::None),
        (4, 0, Blanks::None),
        (3, 0, Blanks::None),
    ];
    for (rows, bars, blanks) in steps {
        let parts = parts(run, records, rows, bars, width);
        let is_answered = parts.is_answered;
        last = assembled(run, records, parts, width, blanks);
        if last.len() <= LINES {
            return Screen { text: options.print(&last), is_answered };
        }
    }
    last.truncate(LINES);
    Screen { text: options.print(&last), is_answered: false }
}

/// What a run comes to in words, for where there is room for whole sentences.
pub(crate) struct Said {
    pub(crate) question: String,
    pub(crate) sentences: Vec<String>,
    /// Lines for the program that the run is about.
    pub(crate) config: Vec<String>,
    pub(crate) is_answered: bool,
    /// What it rests on.
    pub(crate) basis: String,
    /// What else a reader should know.
    pub(crate) asides: Vec<String>,
}

/// The words of the first screen.
pub(crate) fn said(run: &Run, records: &[Record]) -> Said {
    if let Some((_, is_answered)) = device::lines(run, records, LINES, 80) {
        let question = "Which cipher on which device?".into();
        return Said {
            question,
            sentences: device_advice(records),
            config: Vec::new(),
            is_answered,
            basis: String::new(),
            asides: Vec::new(),
        };
    }
    let Parts { question, answer, config, is_answered, asides, forks, .. } = parts(run, records, ROWS, 8, 80);
    let most = most_forks(records);
    Said {
        question,
        sentences: answer.into_iter().filter(|sentence| !sentence.is_empty()).collect(),
        config,
        is_answered,
        // The intervals of its table are not shown here.
        basis: Basis::of(records, forks.unwrap_or((most, most))).sentence((0, 0)),
        asides,
    }
}

fn parts(run: &Run, records: &[Record], rows: usize, bars: usize, width: usize) -> Parts {
    if run.scenario.kind == Kind::Parallel {
        let Brief { question, answer, is_answered, table, picture, asides } =
            parallel::brief(run, records, rows.min(WAYS), bars, width);
        return Parts { question, answer, is_answered, table, picture, asides, ..Parts::default() };
    }
    if run.scenario.kind == Kind::Sustained {
        return load(run, records, width);
    }
    if let Some(pair) = PairAnswer::of(records) {
        return of_pair(run, records, &pair, rows, bars, width);
    }
    if let Some(libraries) = Libraries::find(&trusted(records)) {
        return Parts {
            question: libraries.question(),
            answer: libraries.answer(run).into_iter().chain(libraries.warning()).collect(),
            is_answered: libraries.is_answered(),
            table: libraries.table(rows + bars, width),
            asides: asides(records, false),
            ..Parts::default()
        };
    }
    plain(run, records, rows + bars, width)
}

/// What is neither a choice between ciphers nor between libraries: the figures of its cells.
fn plain(run: &Run, records: &[Record], rows: usize, width: usize) -> Parts {
    let mut table = plain::table(records, rows, width);
    table.extend(metric_blocks(run, records, width).into_iter().take(rows));
    let cells = records.iter().filter(|record| measured(record).is_some());
    let contenders: BTreeSet<_> = records
        .iter()
        .filter(|record| competes(record))
        .map(|record| (record.cell.algorithm, &record.cell.provider))
        .collect();
    if contenders.len() > 1 {
        // They share no whole fork.
        let answer = vec!["No answer yet.".into(), no_answer(run, records, most_forks(records))];
        let algorithms = contenders.iter().map(|(algorithm, _)| *algorithm);
        return Parts { question: question(algorithms.collect()), answer, table, ..Parts::default() };
    }
    let most = most_forks(records);
    let no_answer = || no_answer(run, records, most);
    // What no one chooses, such as `xor`, needs no answer.
    let is_cipher = |record: &Record| measured(record).is_some() && record.cell.algorithm.is_cipher();
    let is_early = most < ciphermeter_stats::LEAST_FORKS && records.iter().any(is_cipher);
    let has_threads = records.iter().any(|record| record.cell.parameters.cpus().is_some());
    let answer = match cells.count() {
        0 if table.is_empty() => vec!["No answer: nothing was measured.".into(), no_answer()],
        0 => Vec::new(),
        _ if is_early => vec!["No answer yet.".into(), no_answer()],
        1 => vec!["One cell was measured, so there is nothing to compare it with.".into()],
        cells if has_threads => {
            vec![format!(
                "{cells} cells were measured, each of several threads compared with one thread of the same library."
            )]
        }
        cells => vec![format!("{cells} cells were measured. There are no two ciphers among them to choose between.")],
    };
    Parts {
        question: "How fast is it?".into(),
        answer,
        is_answered: !table.is_empty() && !is_early,
        table,
        asides: asides(records, false),
        ..Parts::default()
    }
}

fn of_pair(run: &Run, records: &[Record], answer: &PairAnswer, rows: usize, bars: usize, width: usize) -> Parts {
    let pair = answer.pair();
    let fastest = answer.fastest.as_ref().filter(|_| bars > 0);
    let unsettled = answer.unsettled_sentence().filter(|_| fastest.is_some() && answer.is_answered());
    let mut versions = None;
    let picture = fastest.map(|fastest| match languages::languages(fastest, pair, width) {
        lines if lines.is_empty() => bars::bars(fastest, pair, bars, width),
        lines => {
            versions = languages::versions(fastest, pair);
            lines
        }
    });
    let mut sentences = answer.sentences();
    if answer.lacks() {
        sentences.push(no_answer(run, records, answer.most_forks()));
    }
    let config = answer.winner().map(|winner| config(run, winner.algorithm, &answer.usual().provider, width));
    let place = if run.fact("peer").is_none() { " All of it went over loopback, on this machine." } else { "" };
    let programs = answer.programs_sentence().map(|sentence| sentence + place);
    let has_key_set_up = records.iter().any(|record| record.cell.operation == Operation::KeySetup);
    Parts {
        question: if pair.moves_files() { "Files: AES or ChaCha20?" } else { "AES or ChaCha20?" }.into(),
        answer: sentences,
        config: config.unwrap_or_default(),
        is_answered: answer.is_answered(),
        table: pair::table(answer, rows, width),
        picture: picture.unwrap_or_default(),
        asides: premise(run)
            .into_iter()
            .chain(versions)
            .chain(unsettled)
            .chain(programs)
            .chain(answer.exception_sentences())
            .chain(answer.keyed_sentence().filter(|_| has_key_set_up))
            .chain(answer.reading_sentence())
            .chain(asides(records, answer.has_memory()))
            .collect(),
        rows: (answer.usual().rows.len(), pair::shown(answer.usual(), rows).len()),
        forks: Some(answer.forks()),
    }
}

/// What is usual for a workload and not measured here.
pub(crate) const XTS: &str = "Most disks use AES-XTS, which is not measured here: cryptsetup benchmark";

fn premise(run: &Run) -> Option<String> {
    (run.scenario.name == "disk").then(|| XTS.into())
}

/// The most lines for a program beside all else.
const CONFIG: usize = 6;

/// The lines for the program that a scenario is named after, where it has a choice: those of `advise --for` it, or where that has too
/// many of them, or too long ones, the command.
fn config(run: &Run, algorithm: Algorithm, provider: &str, width: usize) -> Vec<String> {
    let Some(program) = program(&run.scenario.name) else { return Vec::new() };
    let sections =
        program.setting(algorithm, provider, takes_aes(run)).into_iter().flat_map(|setting| setting.sections);
    let lines: Vec<String> =
        sections.flat_map(|section| [vec![section.heading()], section.warning(), section.lines].concat()).collect();
    match lines.len() > CONFIG || lines.iter().any(|line| columns(line) > width) {
        true => vec![format!("Lines for {}: ciphermeter advise --for {}", program.title, program.name)],
        false => lines,
    }
}

fn load(run: &Run, records: &[Record], width: usize) -> Parts {
    let Some(record) = records.first() else { return Parts::default() };
    let (answer, is_answered, picture) = sustained::brief(run, record, width);
    Parts { question: "Does it keep its speed?".into(), answer: vec![answer], is_answered, picture, ..Parts::default() }
}

fn assembled(run: &Run, records: &[Record], parts: Parts, width: usize, blanks: Blanks) -> Vec<StyledLine> {
    let blank = |least: Blanks| (blanks >= least).then(StyledLine::default);
    let mut lines = frame::head(run, &parts.question, width);
    lines.extend(blank(Blanks::All));
    lines.extend(left_out::wrong(run, records, width));
    let style = if parts.is_answered { Style::Bold } else { Style::Yellow };
    for (place, sentence) in parts.answer.iter().filter(|sentence| !sentence.is_empty()).enumerate() {
        let style = if place == 0 { style } else { Style::Plain };
        lines.extend(StyledLine::wrapped(sentence, width, 0, style));
    }
    lines.extend(parts.config.iter().map(|line| StyledLine::new(line, Style::Plain)));
    lines.extend(left_out::others(run, records, width));
    for block in [&parts.table, &parts.picture] {
        if !block.is_empty() {
            lines.extend(blank(Blanks::BeforeTables));
            lines.extend(block.iter().cloned());
        }
    }
    lines.extend(blank(Blanks::All));
    lines.extend(parts.asides.iter().flat_map(|aside| StyledLine::wrapped(aside, width, 2, Style::Plain)));
    let has_intervals = parts.table.iter().any(|line| line.text(width, false).contains('±'));
    let rows = if has_intervals { parts.rows } else { (0, 0) };
    let most = most_forks(records);
    let basis = Basis::of(records, parts.forks.unwrap_or((most, most))).sentence(rows);
    if !basis.is_empty() {
        lines.extend(StyledLine::wrapped(&basis, width, 2, Style::Dim));
    }
    lines.extend(frame::next(run, records, parts.is_answered, width));
    lines
}
