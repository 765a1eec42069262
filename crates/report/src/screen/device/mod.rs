//! The first screen of devices: which cipher for a message of these sizes on each, at which size the answer flips, what it costs and takes.

mod alone;
mod several;
mod shown;

use std::cmp::Reverse;

use super::{frame, left_out};
use crate::styled_line::{Style, StyledLine};
use ciphermeter_answer::devices::{DeviceAnswer, DevicesAnswer, Need, Paragraph};
use ciphermeter_answer::regression::Stored;
use ciphermeter_answer::words::listed;

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

/// The screen of a run in which anything is on a device, within so many lines where it can be.
pub(crate) fn lines(of: Stored, answer: &DevicesAnswer, most: usize, width: usize) -> Vec<StyledLine> {
    let page = Page { of, answer };
    let mut lines = Vec::new();
    for room in ROOMS {
        lines = page.lines(room, most, width);
        if lines.len() <= most {
            break;
        }
    }
    lines
}

struct Page<'a> {
    of: Stored<'a>,
    answer: &'a DevicesAnswer,
}

impl Page<'_> {
    fn lines(&self, room: Room, most: usize, width: usize) -> Vec<StyledLine> {
        let Stored { run, records } = self.of;
        let (devices, is_answered) = (&self.answer.devices, self.answer.is_answered());
        let mut lines = frame::asked(run, &self.answer.question(), &on(devices), width);
        let blank = || room.blanks.then(StyledLine::default);
        lines.extend(blank());
        let style = if is_answered { Style::Bold } else { Style::Yellow };
        let said = self.answer.answers(room.is_brief, room.devices);
        lines.extend(left_out::wrong(run, records, width));
        lines.extend(said.iter().flat_map(|said| StyledLine::wrapped(said, width, 2, style)));
        let lacks = self.answer.lacks(run, records);
        lines.extend(lacks.iter().flat_map(|why| StyledLine::wrapped(why, width, 2, Style::Plain)));
        lines.extend(left_out::others(run, records, false, width));
        for table in self.tables(room, width) {
            lines.extend(blank());
            lines.extend(table);
        }
        lines.extend(blank());
        let next = frame::continuing(run).into_iter().chain([frame::all_rows(run, records, is_answered)]);
        let next: Vec<StyledLine> = next.flat_map(|line| StyledLine::wrapped(&line, width, 2, Style::Dim)).collect();
        let left = most.saturating_sub(lines.len() + next.len());
        lines.extend(self.below(room, left, width));
        lines.extend(next);
        lines
    }

    /// All paragraphs that are needed, and of the others those that fit, in their order.
    fn below(&self, room: Room, most: usize, width: usize) -> Vec<StyledLine> {
        let wrapped = |text: &String| StyledLine::wrapped(text, width, 2, Style::Plain);
        let mut paragraphs: Vec<(usize, Paragraph)> =
            self.paragraphs(room.is_brief, width).into_iter().enumerate().collect();
        // The needed first; then each that still fits, in full or with a command that says it.
        paragraphs.sort_by_key(|(place, paragraph)| (Reverse(paragraph.need), *place));
        let (mut taken, mut all) = (0, Vec::new());
        for (place, paragraph) in paragraphs {
            let mut ways = std::iter::once(&paragraph.text).chain(&paragraph.brief).map(wrapped);
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

    /// Below the tables; where a table has one provider a column, first the ciphers and providers that have none.
    fn paragraphs(&self, is_brief: bool, width: usize) -> Vec<Paragraph> {
        let (others, libraries) = match &self.answer.devices[..] {
            [only] => {
                let others = [alone::without_column(only, width), alone::other_providers(only)];
                (others, alone::libraries(only, width))
            }
            _ => ([None, None], None),
        };
        let others = others.into_iter().flatten().map(|text| Paragraph::of(Need::Other, text));
        let own = self.answer.paragraphs(self.of.run, self.of.records, is_brief);
        others.chain(own).chain(libraries).collect()
    }

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
