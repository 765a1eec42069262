//! The first screen of devices: which cipher for a message of these sizes on each, at which size the answer flips, what it costs and takes.

mod alone;
mod drawn;
mod several;
mod shown;

use std::cmp::Reverse;
use std::collections::BTreeSet;

use ciphermeter_answer::basis;
use ciphermeter_core::{Record, Run, RunStatus, escaped, lost_why};
use ciphermeter_stats::LEAST_FORKS;

use super::{frame, left_out};
use crate::device::of_this_machine;
use crate::styled_line::{Style, StyledLine};
use ciphermeter_answer::devices::{Board, DeviceAnswer, DevicesAnswer, boards, this_machine};
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
    /// Devices that have a row of what their ciphers take of the memory.
    footprints: usize,
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
    Room { blanks: true, factors: true, is_brief: false, sizes: 8, footprints: 8, devices: 8, least: Need::Expected };
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
    Room { sizes: 4, footprints: 4, ..DENSE },
    Room { sizes: 4, footprints: 2, devices: 5, ..DENSE },
    Room { sizes: 3, footprints: 0, devices: 3, ..DENSE },
];

/// A paragraph below the tables.
struct Paragraph {
    need: Need,
    /// In full, then in fewer words.
    ways: Vec<String>,
}

/// The screen of a run in which anything is on a device, within so many lines where it can be.
pub(crate) fn lines(
    run: &Run,
    records: &[Record],
    answer: &DevicesAnswer,
    most: usize,
    width: usize,
) -> Vec<StyledLine> {
    let boards = boards(records);
    let page = Page { run, records, boards: &boards, answer, here: this_machine(&of_this_machine(records)) };
    let mut lines = Vec::new();
    for room in ROOMS {
        lines = page.lines(room, most, width);
        if lines.len() <= most {
            break;
        }
    }
    lines
}

/// What is on the screen, before anything is cut.
struct Page<'a> {
    run: &'a Run,
    records: &'a [Record],
    boards: &'a [Board<'a>],
    answer: &'a DevicesAnswer,
    /// What the libraries of this machine come to.
    here: Option<String>,
}

impl Page<'_> {
    fn lines(&self, room: Room, most: usize, width: usize) -> Vec<StyledLine> {
        let (devices, is_answered) = (&self.answer.devices, self.answer.is_answered());
        let mut lines = frame::asked(self.run, &question(devices), &on(devices), width);
        let blank = || room.blanks.then(StyledLine::default);
        lines.extend(blank());
        let style = if is_answered { Style::Bold } else { Style::Yellow };
        let said = self.answer.answers(room.is_brief, room.devices);
        lines.extend(left_out::wrong(self.run, self.records, width));
        lines.extend(said.iter().flat_map(|said| StyledLine::wrapped(said, width, 2, style)));
        lines.extend(self.lack().iter().flat_map(|why| StyledLine::wrapped(why, width, 2, Style::Plain)));
        lines.extend(left_out::others(self.run, self.records, false, width));
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

    /// All paragraphs that are needed, and of the others those that fit, in their order.
    fn below(&self, room: Room, most: usize, width: usize) -> Vec<StyledLine> {
        let wrapped = |text: &String| StyledLine::wrapped(text, width, 2, Style::Plain);
        let mut paragraphs: Vec<(usize, Paragraph)> = self.paragraphs(room.is_brief).into_iter().enumerate().collect();
        // The needed first; then each that still fits, in full or with a command that says it.
        paragraphs.sort_by_key(|(place, paragraph)| (Reverse(paragraph.need), *place));
        let (mut taken, mut all) = (0, Vec::new());
        for (place, paragraph) in paragraphs {
            let mut ways = paragraph.ways.iter().map(wrapped);
            let is_needed = paragraph.need >= room.least;
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
    fn paragraphs(&self, is_brief: bool) -> Vec<Paragraph> {
        let answer = self.answer;
        let alone: [fn(&DeviceAnswer) -> Option<String>; 3] =
            [alone::other_providers, DeviceAnswer::other_form, DeviceAnswer::least];
        let alone = alone.into_iter().filter_map(|said| match &answer.devices[..] {
            [only] => said(only),
            _ => None,
        });
        let more = self.run.command(&format!("show {} --all", self.run.id));
        let (differ, same) = answer.questions(is_brief);
        let differ = differ.into_iter().map(|text| {
            let title = text.split(": ").next().unwrap_or_default();
            let short = format!("{title}: another answer; {more}");
            Paragraph { need: Need::Other, ways: vec![text, short] }
        });
        let one = |need: Need| move |text: String| Paragraph { need, ways: vec![text] };
        let same = same.map(one(Need::Expected));
        let other = alone.chain(answer.usual(is_brief)).map(one(Need::Other));
        let unsaid = [answer.refused(), answer.unreported()].into_iter().flatten().map(one(Need::Other));
        let must = [answer.absent(), answer.currents(), answer.no_meter(), answer.emulated(is_brief)];
        let must = must.into_iter().flatten();
        let basis = [answer.timed(), answer.counted()].into_iter().flatten();
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
        let devices = &self.answer.devices[..];
        if devices.iter().all(|answer| answer.choices.is_empty()) {
            return Vec::new();
        }
        match devices {
            [only] => vec![alone::table(only, room.sizes, room.footprints > 0, width)],
            several => {
                let costs = several::costs(several, room.devices, room.factors, room.is_brief, width);
                let footprints =
                    if room.footprints > 0 { several::footprints(several, room.footprints, width) } else { Vec::new() };
                [costs, footprints].into_iter().filter(|table| !table.is_empty()).collect()
            }
        }
    }

    /// Why boards with a clock have no answer at some size, and what to try.
    fn lack(&self) -> Vec<String> {
        let (mut said, mut stayed) = (Vec::new(), Vec::new());
        for (answer, board) in self.answer.devices.iter().zip(self.boards) {
            match lost(self.run, board) {
                Some(why) => said.push(why),
                None => stayed.push((answer, board)),
            }
        }
        let lacking = stayed.iter().filter(|(answer, board)| answer.course.lacks() && board.unit.is_time());
        let records: Vec<Record> =
            lacking.flat_map(|(_, board)| &board.records).map(|record| (*record).clone()).collect();
        let lacks = (!records.is_empty()).then(|| basis::no_answer(self.run, &records, basis::most_forks(&records)));
        let counting = stayed.iter().filter(|(answer, board)| answer.choices.is_empty() && !board.unit.is_time());
        let refused = counting.filter_map(|(answer, board)| {
            let is_message = |record: &&&Record| record.cell.parameters.message() > 0;
            let records: Vec<Record> =
                board.records.iter().filter(is_message).map(|record| (*record).clone()).collect();
            let is_cut_off = matches!(self.run.status, RunStatus::Open | RunStatus::Interrupted);
            let too_early = || "The run ended too early: no fork is whole.".into();
            basis::nothing_left(&records).or_else(|| (answer.has_samples || is_cut_off).then(too_early))
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
fn question(answers: &[DeviceAnswer]) -> String {
    let sizes = || answers.iter().flat_map(|answer| answer.choices.iter().map(|choice| choice.point.message));
    let sizes = match (sizes().min(), sizes().max()) {
        (Some(least), Some(most)) if least < most => format!("A message of {} to {}", size(least), size(most)),
        (Some(only), _) => format!("A message of {}", size(only)),
        _ => "A small message".into(),
    };
    match answers {
        [only] => format!("{sizes} on {}: which cipher?", only.name),
        several => format!("{sizes} on these {} microcontrollers: which cipher?", several.len()),
    }
}

/// The devices: of one, what it is; of several, their names, those on boards and those that are emulated apart.
fn on(answers: &[DeviceAnswer]) -> String {
    if let [only] = answers {
        return if only.what.is_empty() { only.name.clone() } else { only.what.clone() };
    }
    let names = |emulated: bool| -> Vec<String> {
        answers.iter().filter(|answer| answer.is_emulated == emulated).map(|answer| answer.name.clone()).collect()
    };
    let (boards, cores) = (names(false), names(true));
    let cores = (!cores.is_empty()).then(|| format!("emulated {}", listed(&cores)));
    let boards = (!boards.is_empty()).then(|| listed(&boards));
    boards.into_iter().chain(cores).collect::<Vec<_>>().join(", and ")
}
