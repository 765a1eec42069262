//! A guarded change in plain sentences.

use ciphermeter_core::escaped;
use ciphermeter_estimate::Ratio;

use super::alarm::{Alarm, Standing};
use super::history::History;
use super::instructions::Explained;
use super::outcome::Guarded;
use crate::regression::{self, begun, name};
use crate::words::{change, counted, longer, percent};

/// The most cells that a sentence names.
const MOST: usize = 5;

/// What both measurements come to, then what the history adds.
pub fn sentences(guarded: &Guarded, history: Option<&History>) -> Vec<String> {
    let mut sentences = regression::sentences(&guarded.verdict);
    let mut own: Vec<String> = confirmed(guarded).into_iter().collect();
    own.extend(guarded.confirmed().filter_map(explained));
    own.extend(guarded.unconfirmed().map(|alarm| unconfirmed(alarm, &percent(guarded.verdict.threshold.0))));
    // Time is no remedy for an alarm that was not measured again.
    let lacks_time = !guarded.alarms.iter().any(|alarm| alarm.unmeasured.is_some());
    own.extend((lacks_time && guarded.hides_too_much()).then(|| {
        let others = if guarded.confirmed().next().is_some() { "In the others, a" } else { "Inconclusive: a" };
        let most = percent(guarded.may_hide.0);
        format!("{others} slowdown of more than {most} could hide; use a longer --budget, or fewer cells.")
    }));
    let first = sentences.len().min(1);
    sentences.splice(first..first, own);
    sentences.extend(history.into_iter().flat_map(of_history));
    sentences
}

/// That two sides have the same bytes, so that nothing was measured.
pub fn identical(hash: &str) -> String {
    let hash = begun(hash);
    format!("OLD and NEW have the same bytes (SHA-256 {hash}…): nothing is slower, and nothing was measured.")
}

fn confirmed(guarded: &Guarded) -> Option<String> {
    let which = match guarded.confirmed().count() {
        0 => return None,
        1 => "It is",
        _ => "They are",
    };
    let how = "slower again in a second measurement, with new seeds and processes, by more than OLD and a second OLD beside it differ";
    Some(format!("{which} confirmed: {how}."))
}

/// What explains a confirmed alarm: `openssl aes-256-gcm seal, 64 B message: +1.9 % time, +0 instructions a call (…)`.
fn explained(alarm: &Alarm) -> Option<String> {
    let (name, time) = (name(&alarm.cell), change(alarm.weighed.again.unwrap_or(alarm.first).mid));
    Some(match alarm.explained.as_ref()? {
        Explained::Counted(counted) => format!("{name}: {time} time, {}.", counted.in_words()),
        Explained::Unknown(why) => format!("{name}: its instructions were not counted: {}.", escaped(why)),
    })
}

fn unconfirmed(alarm: &Alarm, threshold: &str) -> String {
    let seemed = format!("Not confirmed: {} seemed slower by {}", name(&alarm.cell), words(alarm.first));
    let again = alarm.weighed.again.map(words).unwrap_or_default();
    let control = alarm.weighed.control.map(words).unwrap_or_default();
    match alarm.weighed.standing {
        Standing::NotSlower => {
            format!("{seemed}, and not surely by more than {threshold} when measured again: {again}.")
        }
        Standing::ControlDiffers => {
            format!(
                "{seemed}, then by {again}, but OLD and a second OLD differ, too, and may differ by as much: {control}."
            )
        }
        Standing::ControlTooWide => format!(
            "{seemed}, then by {again}, but whether OLD and a second OLD differ by as much is not known: {control}; use a longer --budget."
        ),
        Standing::NotMeasured | Standing::Confirmed => {
            let why = alarm.unmeasured.as_deref().map(escaped).unwrap_or_default();
            format!("{seemed}, and could not be measured again: {why}.")
        }
    }
}

/// `+1.2 % (+0.8 to +1.6 %)`.
fn words(ratio: Ratio) -> String {
    match longer(ratio) {
        (change, range) if range.is_empty() => change,
        (change, range) => format!("{change} ({range})"),
    }
}

/// The first few, and how many more there are.
fn first<T>(all: &[T], words: impl Fn(&T) -> String) -> String {
    let more = all.len().saturating_sub(MOST);
    let named = all.iter().take(MOST).map(words).chain((more > 0).then(|| format!("{more} more")));
    named.collect::<Vec<_>>().join("; ")
}

fn of_history(history: &History) -> Vec<String> {
    let mut sentences = Vec::new();
    let day = escaped(&history.since.chars().take(10).collect::<String>());
    let threshold = percent(history.threshold.0);
    let last = format!("Over the last {} since {day}", counted(history.changes, "change"));
    match history.drifts.len() {
        _ if history.changes < 2 => {}
        0 => sentences.push(format!("{last}, no cell surely became slower by more than {threshold}.")),
        cells => {
            let cells = counted(cells, "cell");
            let named = first(&history.drifts, |drift| format!("{} by {}", name(&drift.cell), words(drift.ratio)));
            sentences.push(format!("{last}, {cells} surely became slower by more than {threshold}: {named}."));
        }
    }
    if !history.unconfirmed.is_empty() {
        let named = first(&history.unconfirmed, |own| format!("{} ({}×)", name(&own.cell), own.times));
        sentences.push(format!("Alarms in these changes that came to nothing: {named}."));
    }
    if history.elsewhere > 0 {
        let changes = counted(history.elsewhere, "recorded change");
        sentences.push(format!("{changes} on other CPUs: not counted."));
    }
    let damaged = history.damaged.iter().take(MOST);
    sentences.extend(
        damaged.map(|(line, why)| format!("Line {line} of the history is damaged and was skipped: {}.", escaped(why))),
    );
    let more = history.damaged.len().saturating_sub(MOST) + history.further_damaged;
    sentences.extend((more > 0).then(|| format!("So are {more} more.")));
    sentences
}
