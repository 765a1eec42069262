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
use ciphermeter_answer::devices::DevicesAnswer;
use ciphermeter_answer::libraries::{LibrariesAnswer, question};
use ciphermeter_answer::machine::takes_aes;
use ciphermeter_answer::pair::PairAnswer;
use ciphermeter_answer::parallel::{ParallelAnswer, SplitMessage};
use ciphermeter_answer::{About, Answer};
use ciphermeter_core::{Algorithm, Kind, Operation, Record, Run};

use crate::advise::program;
use crate::other_metrics::metric_blocks;
use crate::styled_line::{Style, StyledLine, TableOptions};
use crate::sustained;
pub(crate) use chosen::{Chosen, Library, chosen, is_alike, machine};
use ciphermeter_answer::measured::{measured, trusted};
use ciphermeter_answer::rank::competes;
use ciphermeter_answer::sustained::ExportedCourse;
use ciphermeter_answer::words::width as columns;
pub(crate) use device::{Drawn, drawn};
pub(crate) use frame::head;
pub use leader::leader;

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

/// What stands below the sentences, as large as there is room for.
enum Pictures<'a> {
    /// A table and bars of what the answer is about.
    About,
    Parallel(Vec<SplitMessage<'a>>),
    /// A picture that fits.
    Fixed(Vec<StyledLine>),
    /// A row for each cell.
    Cells,
}

/// What was drawn.
#[derive(Default)]
struct Drawing {
    table: Vec<StyledLine>,
    picture: Vec<StyledLine>,
    /// How many comparisons the intervals hold for, and how many of them are shown.
    comparisons: (usize, usize),
}

/// The first screen of a run.
pub fn screen(run: &Run, records: &[Record], options: TableOptions) -> Screen {
    let width = options.columns();
    let (answer, pictures) = decided(run, records, width);
    if let Some(About::Devices(devices)) = &answer.about {
        let mut lines = device::lines(run, records, devices, LINES, width);
        lines.truncate(LINES);
        return Screen { text: options.print(&lines), is_answered: answer.answered };
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
        let drawing = pictures.draw(run, records, &answer, (rows, bars), width);
        last = assembled(run, records, &answer, drawing, width, blanks);
        if last.len() <= LINES {
            return Screen { text: options.print(&last), is_answered: answer.answered };
        }
    }
    last.truncate(LINES);
    Screen { text: options.print(&last), is_answered: false }
}

/// What a run decides.
pub(crate) fn answer(run: &Run, records: &[Record]) -> Answer {
    decided(run, records, 80).0
}

fn decided<'a>(run: &Run, records: &'a [Record], width: usize) -> (Answer, Pictures<'a>) {
    if let Some(devices) = DevicesAnswer::of(records) {
        let answer = blank(run, records, "Which cipher on which device?".into(), devices.is_answered());
        let (sentences, about) = (devices.sentences(), Some(About::Devices(Box::new(devices))));
        return (Answer { sentences, about, ..answer }, Pictures::About);
    }
    match run.scenario.kind {
        Kind::Parallel => {
            let messages = ParallelAnswer::messages(run, records);
            let question = "One long message: how fast on all cores?".into();
            let answer = Answer {
                sentences: ParallelAnswer::sentences(run, records, &messages),
                notes: ParallelAnswer::notes(run, records, &messages),
                about: Some(About::Parallel(ParallelAnswer::of(&messages))),
                ..blank(run, records, question, ParallelAnswer::is_answered(&messages))
            };
            (answer, Pictures::Parallel(messages))
        }
        Kind::Sustained => {
            let mut answer = blank(run, records, "Does it keep its speed?".into(), false);
            let summary = records.first().map(|record| sustained::summary(run, record, width));
            let Some((sentence, is_answered, picture)) = summary else { return (answer, Pictures::Cells) };
            answer.about = records.first().map(|record| About::Sustained(ExportedCourse::of(run, record)));
            (answer.sentences, answer.answered) = (vec![sentence], is_answered);
            (answer, Pictures::Fixed(picture))
        }
        Kind::Message | Kind::Transfer => of_messages(run, records, width),
    }
}

/// An answer that has yet to be given.
pub(crate) fn blank(run: &Run, records: &[Record], question: String, answered: bool) -> Answer {
    let most = most_forks(records);
    Answer {
        question,
        answered,
        sentences: Vec::new(),
        config: Vec::new(),
        about: None,
        rests_on: Basis::of(records, (most, most)),
        notes: Vec::new(),
        left_out: ciphermeter_answer::left_out(records),
        next: ciphermeter_answer::next(run, records, answered),
    }
}

fn of_messages<'a>(run: &Run, records: &'a [Record], width: usize) -> (Answer, Pictures<'a>) {
    if let Some(pair) = PairAnswer::of(records) {
        return (of_pair(run, records, pair), Pictures::About);
    }
    if let Some(libraries) = LibrariesAnswer::of(&trusted(records)) {
        let sentences = libraries.sentences(run, records).into_iter().chain(libraries.warning()).collect();
        let answer = Answer {
            sentences,
            notes: asides(records, false),
            about: Some(About::Libraries(libraries.clone())),
            ..blank(run, records, libraries.question(), libraries.is_answered())
        };
        return (answer, Pictures::About);
    }
    (of_cells(run, records, width), Pictures::Cells)
}

fn of_pair(run: &Run, records: &[Record], pair: PairAnswer) -> Answer {
    let mut sentences = pair.sentences();
    if pair.lacks() {
        sentences.push(no_answer(run, records, pair.forks().1));
    }
    let config = pair.recommended.map(|winner| config(run, winner.algorithm, &pair.usual().provider));
    let place = if run.fact("peer").is_none() { " All of it went over loopback, on this machine." } else { "" };
    let programs = pair.programs_sentence().map(|sentence| sentence + place);
    let has_key_set_up = records.iter().any(|record| record.cell.operation == Operation::KeySetup);
    let fastest = pair.fastest.as_ref();
    let question = if pair.pair().moves_files() { "Files: AES or ChaCha20?" } else { "AES or ChaCha20?" };
    let notes = premise(run)
        .into_iter()
        .chain(run.mask.map(|_| MASKED.to_owned()))
        .chain(fastest.and_then(|fastest| languages::versions(fastest, pair.pair())))
        .chain(pair.unsettled_sentence().filter(|_| pair.is_answered()))
        .chain(programs)
        .chain(pair.exception_sentences())
        .chain(pair.keyed_sentence().filter(|_| has_key_set_up))
        .chain(pair.reading_sentence())
        .chain(asides(records, pair.has_memory()))
        .collect();
    Answer {
        sentences,
        notes,
        config: config.unwrap_or_default(),
        rests_on: Basis::of(records, pair.forks()),
        about: Some(About::Ciphers(Box::new(pair.clone()))),
        ..blank(run, records, question.into(), pair.is_answered())
    }
}

/// What is neither a choice between ciphers nor between libraries: the figures of its cells.
fn of_cells(run: &Run, records: &[Record], width: usize) -> Answer {
    let table = cells_table(run, records, ROWS, width);
    let cells = records.iter().filter(|record| measured(record).is_some());
    let contenders: BTreeSet<_> = records
        .iter()
        .filter(|record| competes(record))
        .map(|record| (record.cell.algorithm, &record.cell.provider))
        .collect();
    let most = most_forks(records);
    let no_answer = || no_answer(run, records, most);
    if contenders.len() > 1 {
        // They share no whole fork.
        let algorithms = contenders.iter().map(|(algorithm, _)| *algorithm);
        let sentences = vec!["No answer yet.".into(), no_answer()];
        return Answer { sentences, ..blank(run, records, question(algorithms.collect()), false) };
    }
    // What no one chooses, such as `xor`, needs no answer.
    let is_cipher = |record: &Record| measured(record).is_some() && record.cell.algorithm.is_cipher();
    let is_early = most < ciphermeter_stats::LEAST_FORKS && records.iter().any(is_cipher);
    let has_threads = records.iter().any(|record| record.cell.parameters.cpus().is_some());
    let sentences = match cells.count() {
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
    let answered = !table.is_empty() && !is_early;
    Answer { sentences, notes: asides(records, false), ..blank(run, records, "How fast is it?".into(), answered) }
}

fn cells_table(run: &Run, records: &[Record], rows: usize, width: usize) -> Vec<StyledLine> {
    let mut table = plain::table(records, rows, width);
    table.extend(metric_blocks(run, records, width).into_iter().take(rows));
    table
}

impl Pictures<'_> {
    /// In so many rows and bars.
    fn draw(
        &self,
        run: &Run,
        records: &[Record],
        answer: &Answer,
        (rows, bars): (usize, usize),
        width: usize,
    ) -> Drawing {
        match (self, &answer.about) {
            (Self::Parallel(messages), _) => Drawing {
                table: parallel::table(messages, rows.min(WAYS), width),
                picture: parallel::bars(messages, bars, width),
                ..Drawing::default()
            },
            (Self::Fixed(picture), _) => Drawing { picture: picture.clone(), ..Drawing::default() },
            (Self::About, Some(About::Ciphers(pair))) => of_ciphers(pair, rows, bars, width),
            (Self::About, Some(About::Libraries(libraries))) => {
                Drawing { table: libraries::table(libraries, rows + bars, width), ..Drawing::default() }
            }
            _ => Drawing { table: cells_table(run, records, rows + bars, width), ..Drawing::default() },
        }
    }
}

fn of_ciphers(answer: &PairAnswer, rows: usize, bars: usize, width: usize) -> Drawing {
    let fastest = answer.fastest.as_ref().filter(|_| bars > 0);
    let picture = fastest.map(|fastest| match languages::languages(fastest, answer.pair(), width) {
        lines if lines.is_empty() => bars::bars(fastest, answer.pair(), bars, width),
        lines => lines,
    });
    Drawing {
        table: pair::table(answer, rows, width),
        picture: picture.unwrap_or_default(),
        comparisons: (answer.comparisons(), pair::shown(answer.usual(), rows).len()),
    }
}

/// What is usual for a workload and not measured here.
pub(crate) const XTS: &str = "Most disks use AES-XTS, which is not measured here: cryptsetup benchmark";

fn premise(run: &Run) -> Option<String> {
    (run.scenario.name == "disk").then(|| XTS.into())
}

/// What a run with instructions disabled does not say.
const MASKED: &str = "This says which is faster on such a CPU, not by how much: another chip has other speeds.";

/// The most lines for a program beside all else.
const CONFIG: usize = 6;

/// The lines for the program that a scenario is named after, where it has a choice: those of `advise --for` it.
fn config(run: &Run, algorithm: Algorithm, provider: &str) -> Vec<String> {
    let Some(program) = program(&run.scenario.name) else { return Vec::new() };
    let sections =
        program.setting(algorithm, provider, takes_aes(run)).into_iter().flat_map(|setting| setting.sections);
    sections.flat_map(|section| [vec![section.heading()], section.warning(), section.lines].concat()).collect()
}

/// The same, or where those are too many or too long for a screen, the command that prints them.
pub(crate) fn shortened(run: &Run, config: &[String], width: usize) -> Vec<String> {
    let is_long = config.len() > CONFIG || config.iter().any(|line| columns(line) > width);
    match program(&run.scenario.name).filter(|_| is_long) {
        Some(program) => vec![format!("Lines for {}: ciphermeter advise --for {}", program.title, program.name)],
        None => config.to_vec(),
    }
}

fn assembled(
    run: &Run,
    records: &[Record],
    answer: &Answer,
    drawing: Drawing,
    width: usize,
    blanks: Blanks,
) -> Vec<StyledLine> {
    let blank = |least: Blanks| (blanks >= least).then(StyledLine::default);
    let mut lines = frame::head(run, &answer.question, width);
    lines.extend(blank(Blanks::All));
    lines.extend(left_out::wrong(run, records, width));
    let style = if answer.answered { Style::Bold } else { Style::Yellow };
    for (place, sentence) in answer.sentences.iter().filter(|sentence| !sentence.is_empty()).enumerate() {
        let style = if place == 0 { style } else { Style::Plain };
        lines.extend(StyledLine::wrapped(sentence, width, 0, style));
    }
    lines.extend(shortened(run, &answer.config, width).iter().map(|line| StyledLine::new(line, Style::Plain)));
    lines.extend(left_out::others(run, records, width));
    let has_intervals = drawing.table.iter().any(|line| line.text(width, false).contains('±'));
    for block in [drawing.table, drawing.picture] {
        if !block.is_empty() {
            lines.extend(blank(Blanks::BeforeTables));
            lines.extend(block);
        }
    }
    lines.extend(blank(Blanks::All));
    lines.extend(answer.notes.iter().flat_map(|note| StyledLine::wrapped(note, width, 2, Style::Plain)));
    let basis = answer.rests_on.sentence(if has_intervals { drawing.comparisons } else { (0, 0) });
    if !basis.is_empty() {
        lines.extend(StyledLine::wrapped(&basis, width, 2, Style::Dim));
    }
    lines.extend(frame::next(run, records, answer.answered, width));
    lines
}
