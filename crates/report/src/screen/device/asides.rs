//! What stands below the tables of devices: opening and key set-up where they change the answer, what emulation leaves out, what no meter
//! measured, and this machine beside the devices.

use std::collections::BTreeSet;

use ciphermeter_core::{Counts, Record, escaped};
use ciphermeter_estimate::{Side, Thresholds, counted};

use super::answer::{Answer, by_words};
use super::besides::{Known, middle};
use super::choice::{Best, Candidate, Question, choices};
use super::words::Course;
use crate::device::{Besides, Board, Unit};
use ciphermeter_answer::measured::measured;
use ciphermeter_answer::pair::{PairAnswer, reach};
use ciphermeter_answer::words::{Figures, capital};
use ciphermeter_answer::words::{bytes, digits};
use ciphermeter_answer::words::{listed, percent};

/// Opening, and a key for one message only: a line for each that has another answer, and one for those that have the same.
pub(super) fn questions(answers: &[Answer], comparisons: usize, is_brief: bool) -> (Vec<String>, Option<String>) {
    let asked = [(Question::Read, "opening"), (Question::Once, "a key used once (key-setup + seal)")];
    let (mut alike, mut lines) = (Vec::new(), Vec::new());
    for (question, title) in asked {
        let courses: Vec<(&Answer, Course)> = answers
            .iter()
            .map(|answer| (answer, Course::of(&choices(answer.board, question, |_| true, comparisons))))
            .filter(|(answer, course)| !course.stretches.is_empty() && !answer.choices.is_empty())
            .collect();
        let differ = |(answer, course): &(&Answer, Course)| differs(&answer.course, course);
        let (others, agree): (Vec<_>, Vec<_>) = courses.into_iter().partition(differ);
        match (others.is_empty(), agree.is_empty()) {
            (true, true) => {}
            (true, false) => alike.push(title.to_owned()),
            (false, is_all) => {
                let rest = if is_all { "" } else { "; else the same" };
                lines.push(format!("{}: {}{rest}.", capital(title), by_device(&others, answers.len(), is_brief)));
            }
        }
    }
    let same = (!alike.is_empty()).then(|| format!("The answer is the same for {}.", listed(&alike)));
    (lines, same)
}

/// AES and ChaCha20 alone on several devices, where another cipher wins on some.
pub(super) fn usual(answers: &[Answer], is_brief: bool) -> Option<String> {
    let with = |answer| Some((answer, Answer::usual(answer)?));
    let courses: Vec<(&Answer, Course)> = answers.iter().filter_map(with).collect();
    let which = if is_brief { "AES or ChaCha" } else { "Of AES and ChaCha20 alone" };
    let rest = if courses.len() < answers.len() && !is_brief { "; elsewhere as above" } else { "" };
    let said = || format!("{which}: {}{rest}.", by_device(&courses, answers.len(), is_brief));
    (answers.len() > 1 && !courses.is_empty()).then(said)
}

/// `on rv32imc and lx106 AES at 16 B, ChaCha from 32 B on; on avr AES at every size`; where all agree, without their names.
fn by_device(courses: &[(&Answer, Course)], devices: usize, is_brief: bool) -> String {
    let each = courses.iter().map(|(answer, course)| (answer.board.name.clone(), course.said(&answer.names(is_brief))));
    let said = by_words(each);
    let each = said.iter().map(|(words, names)| match names.len() {
        all if all == devices => words.clone(),
        _ => format!("on {} {words}", listed(names)),
    });
    each.collect::<Vec<_>>().join("; ")
}

/// A size without an answer contradicts none.
fn differs(one: &Course, other: &Course) -> bool {
    let at = |course: &Course, point| {
        let stretch = course.stretches.iter().find(|stretch| stretch.points.contains(point));
        stretch.map(|stretch| stretch.best.clone()).filter(|best| *best != Best::Unknown)
    };
    let points = other.stretches.iter().flat_map(|stretch| &stretch.points);
    points.into_iter().any(|point| match (at(one, point), at(other, point)) {
        (Some(one), Some(other)) => one != other,
        _ => false,
    })
}

/// `Emulated: instructions (cycles on avr) are not microseconds, …`, in brief on one line.
pub(super) fn emulated(answers: &[Answer], is_brief: bool) -> Option<String> {
    let counting: Vec<(&Board, Counts)> = answers
        .iter()
        .filter_map(|answer| match answer.board.unit {
            Unit::Count(counts) => Some((answer.board, counts)),
            Unit::Time(_) => None,
        })
        .collect();
    let all: Vec<&Board> = answers.iter().map(|answer| answer.board).filter(|board| board.is_emulated()).collect();
    let timed: Vec<String> = all.iter().filter(|board| board.unit.is_time()).map(|board| board.name.clone()).collect();
    if all.is_empty() {
        return None;
    }
    if is_brief && timed.is_empty() {
        return Some("Emulated: counts are not µs, and say nothing of wait states, accelerators or charge.".into());
    }
    let names = |wanted: Counts| -> Vec<String> {
        counting.iter().filter(|(_, counts)| *counts == wanted).map(|(board, _)| board.name.clone()).collect()
    };
    let (instructions, cycles) = (names(Counts::Instructions), names(Counts::Cycles));
    let what = match (instructions.is_empty(), cycles.is_empty()) {
        (false, false) => format!("instructions (cycles on {}) are", listed(&cycles)),
        (false, true) => "instructions are".into(),
        (true, false) => "cycles are".into(),
        (true, true) => format!("times on {} are", listed(&timed)),
    };
    let no = if counting.is_empty() { "not a board's" } else { "not microseconds" };
    Some(format!("Emulated: {what} {no}, and say nothing about flash wait states, accelerators or charge."))
}

/// How often was counted, and how far forks lay apart.
pub(super) fn basis(answers: &[Answer]) -> Option<String> {
    let offers = || {
        answers
            .iter()
            .flat_map(|answer| answer.choices.iter().flat_map(|choice| &choice.offers))
            .map(|offer| offer.record())
    };
    let all: Vec<_> = offers()
        .filter_map(|record| match Unit::of(record) {
            Unit::Count(counts) => counted(record, counts.metric()),
            Unit::Time(_) => None,
        })
        .collect();
    let forks = all.iter().map(|counted| counted.forks).min()?;
    let apart = all.iter().map(|counted| counted.spread()).fold(0.0, f64::max);
    let counted = match (forks, apart) {
        (1, _) => "Counted in one fork: nothing shows whether another would count the same.".into(),
        (forks, apart) if apart > 0.0 => format!("Counted in {forks} forks, which lie up to {} apart.", percent(apart)),
        (forks, _) => format!("Counted in {forks} forks of the same keys and messages, which agree to the last digit."),
    };
    let has_equals = |answer: &Answer| {
        !answer.board.unit.is_time() && answer.choices.iter().any(|choice| matches!(choice.best, Best::Equal(_)))
    };
    let equal = format!(" Equal: at most {} apart.", percent(Thresholds::EQUAL));
    Some(if answers.iter().any(has_equals) { counted + &equal } else { counted })
}

/// How often was timed, and what the verdicts on times hold for.
pub(super) fn timed(answers: &[Answer], comparisons: usize) -> Option<String> {
    let timed = answers.iter().filter(|answer| answer.board.unit.is_time());
    let records =
        timed.flat_map(|answer| answer.choices.iter().flat_map(|choice| &choice.offers)).map(|offer| offer.record());
    let forks: Vec<u32> = records.filter_map(|record| Some(measured(record)?.forks)).collect();
    let (least, most) = (forks.iter().min()?, forks.iter().max()?);
    let forks = if least < most { format!("{least} to {most}") } else { most.to_string() };
    let hold = match comparisons {
        1 => String::new(),
        2 => " for both comparisons at once".into(),
        all => format!(" for all {all} comparisons at once"),
    };
    Some(format!("Timed in {forks} forks; intervals of 95 %{hold}."))
}

/// What boards draw at the middle size, and while they wait: `esp32 draws 81.3 mA at work, 42.0 mA waiting.`
pub(super) fn currents(answers: &[Answer]) -> Option<String> {
    let of = |answer: &Answer| {
        let besides = Besides::of(middle(&answer.choices)?.offers.first()?.record());
        let active = format!("{} draws {} mA at work", answer.board.name, digits(besides.active?));
        Some(match besides.idle {
            Some(idle) => format!("{active}, {} mA waiting.", digits(idle)),
            None => format!("{active}."),
        })
    };
    let said: Vec<String> = answers.iter().filter_map(of).collect();
    (!said.is_empty()).then(|| said.join(" "))
}

/// Why a board has no charge.
pub(super) fn no_meter(answers: &[Answer]) -> Option<String> {
    let boards: Vec<&Answer> =
        answers.iter().filter(|answer| !answer.board.is_emulated() && !answer.choices.is_empty()).collect();
    let known = Known::of(boards.iter().flat_map(|answer| &answer.choices));
    (!boards.is_empty() && !known.charge).then(|| "charge: no meter; --meter DEVICE".into())
}

/// On one device at the middle size, what takes the least RAM and the least flash, where that is not what is cheapest.
pub(super) fn least(answer: &Answer) -> Option<String> {
    let choice = middle(&answer.choices)?;
    let besides = |candidate: &Candidate| Besides::of(candidate.record());
    let least = |of: fn(&Besides) -> Option<u64>| {
        let known = choice.all.iter().filter_map(|candidate| Some((of(&besides(candidate))?, candidate)));
        let (least, candidate) = known.min_by_key(|(bytes, _)| *bytes)?;
        let is_news = choice.offers.iter().all(|offer| of(&besides(offer)).is_none_or(|bytes| bytes > least));
        is_news.then(|| {
            let (cipher, provider) = (candidate.algorithm.title(), answer.board.provider(candidate.record()));
            format!("{}, {cipher} by {provider}", bytes(least))
        })
    };
    let ram = least(Besides::ram).map(|least| format!("least RAM {least}"));
    let flash = least(|besides| besides.code).map(|least| format!("least flash {least}"));
    let said: Vec<String> = ram.into_iter().chain(flash).collect();
    (!said.is_empty()).then(|| format!("{}.", capital(&said.join("; "))))
}

/// Figures of another form than the others have: `Ascon-AEAD128 by wolfssl has the form into, the others in-place.`
pub(super) fn other_form(answer: &Answer) -> Option<String> {
    let usual = answer.board.usual_form();
    let others = answer.choices.iter().flat_map(|choice| &choice.offers).map(Candidate::record);
    let others: Vec<&Record> = others.filter(|record| record.cell.form != usual).collect();
    let form = others.first()?.cell.form;
    let named = |record: &&Record| format!("{} by {}", record.cell.algorithm.title(), answer.board.provider(record));
    let said: BTreeSet<String> = others.iter().map(named).collect();
    let said: Vec<String> = said.into_iter().collect();
    let have = if said.len() == 1 { "has" } else { "have" };
    Some(format!("{} {have} the form {form}, the others {usual}.", listed(&said)))
}

/// One line on the libraries of this machine that were measured beside the devices.
pub(super) fn this_machine(records: &[Record]) -> Option<String> {
    if records.is_empty() {
        return None;
    }
    let Some(answer) = PairAnswer::of(records).filter(PairAnswer::is_answered) else {
        return Some("This machine: no answer yet.".into());
    };
    let (library, tally) = (answer.usual(), answer.tally());
    let (one, other) = (answer.first.title(), answer.second.title());
    let provider = escaped(&library.provider);
    Some(match answer.winner() {
        Some(winner) => {
            let side = if answer.first == winner { Side::First } else { Side::Second };
            let own = library.rows.iter().map(|row| row.comparison).filter(|own| own.faster() == Some(side));
            let ratios = reach(own.filter_map(Figures::said));
            format!("This machine, of {one} and {other}: {}, {ratios} with {provider}.", winner.title())
        }
        None if tally.first + tally.second == 0 => format!("This machine: {one} and {other} are equal."),
        None if tally.first == 0 || tally.second == 0 => {
            format!("This machine, with {provider}: {}.", library.sentence(answer.pair()))
        }
        None => "This machine: it depends on the library and the size.".into(),
    })
}
