//! The first screen of devices: which cipher for a message of these sizes on each, at which size the answer flips, what it costs and takes.

mod alone;
mod answer;
mod asides;
mod besides;
mod choice;
mod drawn;
mod missing;
mod several;
mod words;

use std::cmp::Reverse;
use std::collections::BTreeSet;

use ciphermeter_answer::basis;
use ciphermeter_core::{Record, Run, RunStatus, escaped, lost_why};
use ciphermeter_stats::LEAST_FORKS;

use super::{frame, left_out};
use crate::device::{Board, boards, is_on_device, of_this_machine};
use crate::styled_line::{Style, StyledLine};
use answer::{Answer, sentences};
use choice::comparisons;
use ciphermeter_answer::words::listed;
use ciphermeter_answer::words::size;
pub(crate) use drawn::{Drawn, drawn};

/// What there is room for.
#[derive(Clone, Copy)]
struct Room {
    blanks: bool,
    /// The next cipher's factor below each device's row.
    factors: bool,
    /// Short names in sentences.
    is_brief: bool,
    /// Sizes of a device that is alone.
    sizes: usize,
    /// Devices that have a row of what they take besides.
    besides: usize,
    /// Sentences, and rows, of devices.
    devices: usize,
    /// How much below the tables must have room; of what may be lacking, as much is said as fits.
    least: Need,
}

/// How much it matters that something below the tables is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    /// What is as one would think.
    Expected,
    /// What changes the answer for some.
    Other,
    /// What a reader would be misled without.
    Must,
}

const MOST: Room =
    Room { blanks: true, factors: true, is_brief: false, sizes: 8, besides: 8, devices: 8, least: Need::Expected };
const SHORT: Room = Room { factors: false, is_brief: true, least: Need::Other, ..MOST };
const DENSE: Room = Room { blanks: false, sizes: 5, least: Need::Must, ..SHORT };
/// From the most to the least.
const ROOMS: [Room; 9] = [
    MOST,
    Room { factors: false, ..MOST },
    Room { factors: false, least: Need::Other, ..MOST },
    Room { sizes: 6, ..SHORT },
    Room { least: Need::Other, ..DENSE },
    DENSE,
    Room { sizes: 4, besides: 4, ..DENSE },
    Room { sizes: 4, besides: 2, devices: 5, ..DENSE },
    Room { sizes: 3, besides: 0, devices: 3, ..DENSE },
];

/// A paragraph below the tables.
struct Aside {
    need: Need,
    /// In full, then in fewer words.
    ways: Vec<String>,
}

/// The screen of a run in which anything is on a device, within so many lines where it can be, and whether it has an answer.
pub(super) fn lines(run: &Run, records: &[Record], most: usize, width: usize) -> Option<(Vec<StyledLine>, bool)> {
    records.iter().find(|record| is_on_device(record))?;
    let boards = boards(records);
    let comparisons = comparisons(&boards);
    let answers: Vec<Answer> = boards.iter().map(|board| Answer::of(board, comparisons)).collect();
    let is_answered = answers.iter().any(|answer| answer.course.is_answered());
    let page = Page::of(run, records, &answers, comparisons);
    let mut lines = Vec::new();
    for room in ROOMS {
        lines = page.lines(room, is_answered, most, width);
        if lines.len() <= most {
            break;
        }
    }
    Some((lines, is_answered))
}

/// The answers in words, for advice; empty where a run has no device.
pub(crate) fn device_advice(records: &[Record]) -> Vec<String> {
    let boards = boards(records);
    let comparisons = comparisons(&boards);
    let answers: Vec<Answer> = boards.iter().map(|board| Answer::of(board, comparisons)).collect();
    let mut said = match answers.as_slice() {
        [] => return Vec::new(),
        [only] => {
            sentences(&answers, false, 1).iter().map(|sentence| format!("{}: {sentence}", only.board.name)).collect()
        }
        all => sentences(all, false, all.len()),
    };
    said.extend(asides::usual(&answers, false));
    let (differ, same) = asides::questions(&answers, comparisons, false);
    said.extend(differ.into_iter().chain(same));
    said.extend(asides::emulated(&answers, false));
    said
}

/// What is on the screen, before anything is cut.
struct Page<'a> {
    run: &'a Run,
    records: &'a [Record],
    answers: &'a [Answer<'a>],
    comparisons: usize,
    /// What the libraries of this machine come to.
    here: Option<String>,
}

impl<'a> Page<'a> {
    fn of(run: &'a Run, records: &'a [Record], answers: &'a [Answer<'a>], comparisons: usize) -> Self {
        let here = asides::this_machine(&of_this_machine(records));
        Self { run, records, answers, comparisons, here }
    }

    fn lines(&self, room: Room, is_answered: bool, most: usize, width: usize) -> Vec<StyledLine> {
        let mut lines = frame::asked(self.run, &question(self.answers), &on(self.answers), width);
        let blank = || room.blanks.then(StyledLine::default);
        lines.extend(blank());
        let style = if is_answered { Style::Bold } else { Style::Yellow };
        let said = sentences(self.answers, room.is_brief, room.devices);
        lines.extend(left_out::wrong(self.run, self.records, width));
        lines.extend(said.iter().flat_map(|said| StyledLine::wrapped(said, width, 2, style)));
        lines.extend(self.lack().iter().flat_map(|why| StyledLine::wrapped(why, width, 2, Style::Plain)));
        lines.extend(left_out::others(self.run, self.records, width));
        for table in self.tables(room, width) {
            lines.extend(blank());
            lines.extend(table);
        }
        lines.extend(blank());
        let next =
            frame::continuing(self.run).into_iter().chain([frame::all_rows(self.run, self.records, is_answered)]);
        let next: Vec<StyledLine> = next.flat_map(|line| StyledLine::wrapped(&line, width, 2, Style::Dim)).collect();
        let left = most.saturating_sub(lines.len() + next.len());
        lines.extend(self.below(room, left, width));
        lines.extend(next);
        lines
    }

    /// All asides that are needed, and of the others those that fit, in their order.
    fn below(&self, room: Room, most: usize, width: usize) -> Vec<StyledLine> {
        let wrapped = |text: &String| StyledLine::wrapped(text, width, 2, Style::Plain);
        let mut asides: Vec<(usize, Aside)> = self.asides(room.is_brief).into_iter().enumerate().collect();
        // The needed first; then each that still fits, in full or with a command that says it.
        asides.sort_by_key(|(place, aside)| (Reverse(aside.need), *place));
        let (mut taken, mut all) = (0, Vec::new());
        for (place, aside) in asides {
            let mut ways = aside.ways.iter().map(wrapped);
            let is_needed = aside.need >= room.least;
            let lines = if is_needed { ways.next() } else { ways.find(|lines| taken + lines.len() <= most) };
            if let Some(lines) = lines {
                taken += lines.len();
                all.push((place, lines));
            }
        }
        all.sort_by_key(|(place, _)| *place);
        all.into_iter().flat_map(|(_, lines)| lines).collect()
    }

    /// Below the tables: what changes the answer, then what is not known.
    fn asides(&self, is_brief: bool) -> Vec<Aside> {
        let answers = self.answers;
        let alone: [fn(&Answer) -> Option<String>; 3] = [alone::other_providers, asides::other_form, asides::least];
        let alone = alone.into_iter().filter_map(|said| match answers {
            [only] => said(only),
            _ => None,
        });
        let more = self.run.command(&format!("show {} --all", self.run.id));
        let (differ, same) = asides::questions(answers, self.comparisons, is_brief);
        let differ = differ.into_iter().map(|text| {
            let title = text.split(": ").next().unwrap_or_default();
            let short = format!("{title}: another answer; {more}");
            Aside { need: Need::Other, ways: vec![text, short] }
        });
        let one = |need: Need| move |text: String| Aside { need, ways: vec![text] };
        let same = same.map(one(Need::Expected));
        let other = alone.chain(asides::usual(answers, is_brief)).map(one(Need::Other));
        let unsaid = [missing::refused(answers), missing::unsaid(answers)].into_iter().flatten().map(one(Need::Other));
        let must = [
            missing::absent(answers),
            asides::currents(answers),
            asides::no_meter(answers),
            asides::emulated(answers, is_brief),
        ]
        .into_iter()
        .flatten();
        let basis = [asides::timed(answers, self.comparisons), asides::basis(answers)].into_iter().flatten();
        let basis = basis.map(one(Need::Expected));
        let here = self.here.clone().map(one(Need::Must));
        same.into_iter()
            .chain(other)
            .chain(differ)
            .chain(unsaid)
            .chain(must.map(one(Need::Must)))
            .chain(basis)
            .chain(here)
            .collect()
    }

    /// The tables that hold anything.
    fn tables(&self, room: Room, width: usize) -> Vec<Vec<StyledLine>> {
        if self.answers.iter().all(|answer| answer.choices.is_empty()) {
            return Vec::new();
        }
        match self.answers {
            [only] => vec![alone::table(only, room.sizes, room.besides > 0, width)],
            several => {
                let costs = several::costs(several, room.devices, room.factors, room.is_brief, width);
                let besides =
                    if room.besides > 0 { several::besides(several, room.besides, width) } else { Vec::new() };
                [costs, besides].into_iter().filter(|table| !table.is_empty()).collect()
            }
        }
    }

    /// Why boards with a clock have no answer at some size, and what to try.
    fn lack(&self) -> Vec<String> {
        let (mut said, mut stayed) = (Vec::new(), Vec::new());
        for answer in self.answers {
            match lost(self.run, answer.board) {
                Some(why) => said.push(why),
                None => stayed.push(answer),
            }
        }
        let lacking = stayed.iter().filter(|answer| answer.course.lacks() && answer.board.unit.is_time());
        let records: Vec<Record> =
            lacking.flat_map(|answer| &answer.board.records).map(|record| (*record).clone()).collect();
        let lacks = (!records.is_empty()).then(|| basis::no_answer(self.run, &records, basis::most_forks(&records)));
        let counting = stayed.iter().filter(|answer| answer.choices.is_empty() && !answer.board.unit.is_time());
        let refused = counting.filter_map(|answer| {
            let is_message = |record: &&&Record| record.cell.parameters.message() > 0;
            let records: Vec<Record> =
                answer.board.records.iter().filter(is_message).map(|record| (*record).clone()).collect();
            let is_cut_off = matches!(self.run.status, RunStatus::Open | RunStatus::Interrupted);
            let too_early = || "The run ended too early: no fork is whole.".into();
            basis::nothing_left(&records).or_else(|| (answer.has_samples() || is_cut_off).then(too_early))
        });
        said.extend(lacks.into_iter().chain(refused));
        said.dedup();
        said
    }
}

/// Why a device went in mid-run, and how the run continues; `None` if it stayed.
fn lost(run: &Run, board: &Board) -> Option<String> {
    let providers: BTreeSet<&str> = board.records.iter().map(|record| record.cell.provider.as_str()).collect();
    let why = escaped(providers.iter().find_map(|provider| lost_why(&run.notes, provider))?);
    let records: Vec<Record> = board.records.iter().map(|record| (*record).clone()).collect();
    let forks = match (basis::most_forks(&records), LEAST_FORKS) {
        (forks, least) if board.unit.is_time() && forks < least => {
            format!("after {forks} of the {least} forks that a comparison needs")
        }
        _ => "in mid-run".into(),
    };
    Some(format!("{} was lost {forks}: {why}. Continue: {}", board.name, frame::resume(run)))
}

/// `A message of 16 B to 1 KiB on these 5 microcontrollers: which cipher?`
fn question(answers: &[Answer]) -> String {
    let sizes = || answers.iter().flat_map(|answer| answer.choices.iter().map(|choice| choice.point.message));
    let sizes = match (sizes().min(), sizes().max()) {
        (Some(least), Some(most)) if least < most => format!("A message of {} to {}", size(least), size(most)),
        (Some(only), _) => format!("A message of {}", size(only)),
        _ => "A small message".into(),
    };
    match answers {
        [only] => format!("{sizes} on {}: which cipher?", only.board.name),
        several => format!("{sizes} on these {} microcontrollers: which cipher?", several.len()),
    }
}

/// The devices: of one, what it is; of several, their names, those on boards and those that are emulated apart.
fn on(answers: &[Answer]) -> String {
    if let [only] = answers {
        let what = only.board.what();
        return if what.is_empty() { only.board.name.clone() } else { what };
    }
    let names = |emulated: bool| -> Vec<String> {
        let of = |board: &Board| board.is_emulated() == emulated;
        answers.iter().filter(|answer| of(answer.board)).map(|answer| answer.board.name.clone()).collect()
    };
    let (boards, cores) = (names(false), names(true));
    let cores = (!cores.is_empty()).then(|| format!("emulated {}", listed(&cores)));
    let boards = (!boards.is_empty()).then(|| listed(&boards));
    boards.into_iter().chain(cores).collect::<Vec<_>>().join(", and ")
}
