//! What a run has to say besides its records: each note is a sentence, and what it is about is data.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Record;

/// What a note is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Topic {
    /// How the meter worked: clocks, warm-up, disturbance.
    Method,
    /// Forms that a provider lacks.
    Forms,
    /// Algorithms of a provider that are measured by another code path under `--cpu`.
    Masked,
    /// Cells, or providers, that the run leaves out for what they are.
    Excluded,
    /// Providers, or a device, of which nothing is measured.
    NotMeasured,
    /// A provider that was lost in mid-run: what it has measured is kept, and the run is partial.
    Lost,
    /// A provider that was lost, and is measured again in a resumed run.
    Back,
    /// Anything else.
    Other,
}

/// A sentence about a run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "Stored")]
pub struct Note {
    /// What it is about.
    pub topic: Topic,
    /// The providers that it is about, where it is about some.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub providers: Vec<String>,
    /// What it says; of a provider that is not measured or was lost, why.
    pub text: String,
}

impl Note {
    /// About anything that no one looks for.
    pub fn other(text: impl Into<String>) -> Self {
        Self { topic: Topic::Other, providers: Vec::new(), text: text.into() }
    }

    /// About how the meter worked.
    pub fn method(text: impl Into<String>) -> Self {
        Self { topic: Topic::Method, ..Self::other(text) }
    }

    /// Why these providers are not measured; without any, why a device is not.
    pub fn not_measured(providers: &[&str], why: impl Into<String>) -> Self {
        let providers = providers.iter().map(ToString::to_string).collect();
        Self { topic: Topic::NotMeasured, providers, text: why.into() }
    }

    /// Which forms a provider lacks.
    pub fn forms(provider: &str, text: impl Into<String>) -> Self {
        Self { topic: Topic::Forms, providers: vec![provider.into()], text: text.into() }
    }

    /// How a provider does without instructions under `--cpu`.
    pub fn masked(provider: &str, text: impl Into<String>) -> Self {
        Self { topic: Topic::Masked, providers: vec![provider.into()], text: text.into() }
    }

    /// What the run leaves out of these providers, or without any, of all that it measures, and why.
    pub fn excluded(providers: &[&str], text: impl Into<String>) -> Self {
        Self { topic: Topic::Excluded, ..Self::not_measured(providers, text) }
    }

    /// Why a provider was lost in mid-run.
    pub fn lost(provider: &str, why: impl Into<String>) -> Self {
        Self { topic: Topic::Lost, providers: vec![provider.into()], text: why.into() }
    }

    /// The note of which this is the sentence, as exports have it, and stores of earlier versions.
    pub fn of_sentence(text: String) -> Self {
        earlier(text)
    }

    /// That a provider that was lost is measured again.
    pub fn back(provider: &str) -> Self {
        Self { topic: Topic::Back, providers: vec![provider.into()], text: String::new() }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (names, text) = (self.providers.join(", "), &self.text);
        match (self.topic, self.providers.len()) {
            (Topic::NotMeasured, 0) => write!(f, "{NOT_MEASURED}{text}"),
            (Topic::NotMeasured, 1) => write!(f, "{names}{IS_NOT_MEASURED}{text}"),
            (Topic::NotMeasured, _) => write!(f, "{names}{ARE_NOT_MEASURED}{text}"),
            (Topic::Lost, _) => write!(f, "{names}{WAS_LOST}{text}"),
            (Topic::Back, _) => write!(f, "{names}{IS_BACK}"),
            (Topic::Method | Topic::Forms | Topic::Masked | Topic::Excluded | Topic::Other, _) => f.write_str(text),
        }
    }
}

const NOT_MEASURED: &str = "not measured: ";
const IS_NOT_MEASURED: &str = " is not measured: ";
const ARE_NOT_MEASURED: &str = " are not measured: ";
const WAS_LOST: &str = " was lost in mid-run, and its cells keep what was measured: ";
const EXCLUDED: &str = " excluded under --cpu ";
const LEFT_OUT: &str = " left out: ";
const IS_BACK: &str = " is there again, and is measured further";

/// Why a provider was lost, by the notes of its run; `None` if it never was, or came back.
pub fn lost_why<'a>(notes: &'a [Note], provider: &str) -> Option<&'a str> {
    let is_its = |note: &&Note| {
        matches!(note.topic, Topic::Lost | Topic::Back) && note.providers.iter().any(|name| name == provider)
    };
    notes.iter().rev().find(is_its).filter(|note| note.topic == Topic::Lost).map(|note| note.text.as_str())
}

/// The providers of these records that were lost, and did not come back.
pub fn all_lost(notes: &[Note], records: &[Record]) -> BTreeSet<String> {
    let providers = records.iter().map(|record| &record.cell.provider);
    providers.filter(|provider| lost_why(notes, provider).is_some()).cloned().collect()
}

/// A note as this version stores it, or, of an earlier one, its sentence.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Sentence(String),
    Note {
        topic: Topic,
        #[serde(default)]
        providers: Vec<String>,
        text: String,
    },
}

impl From<Stored> for Note {
    fn from(stored: Stored) -> Self {
        match stored {
            // Earlier versions had one topic for both.
            Stored::Note { topic: Topic::Masked, text, .. } if text.contains(EXCLUDED) => Self::of_sentence(text),
            Stored::Note { topic, providers, text } => Self { topic, providers, text },
            Stored::Sentence(text) => Self::of_sentence(text),
        }
    }
}

/// How earlier versions wrote of the meter's own work, wherever in the note it stands.
const OF_METHOD: [&str; 7] = [
    "coarsest clock of all workers", "warm-up ", "the harness used ", "of the samples were disturbed",
    "used the same physical core", "carry-over left after warm-up", " compiles while it runs: ",
];

fn earlier(text: String) -> Note {
    let of = |topic, names: &str, text: &str| Note {
        topic,
        providers: names.split(", ").filter(|name| !name.is_empty()).map(String::from).collect(),
        text: text.into(),
    };
    let frames = [
        (Topic::Lost, WAS_LOST),
        (Topic::Back, IS_BACK),
        (Topic::NotMeasured, IS_NOT_MEASURED),
        (Topic::NotMeasured, ARE_NOT_MEASURED),
    ];
    if let Some(why) = text.strip_prefix(NOT_MEASURED) {
        return of(Topic::NotMeasured, "", why);
    }
    for (topic, words) in frames {
        // Names of several words are none of a provider.
        if let Some((names, why)) = text.split_once(words).filter(|(names, _)| !names.replace(", ", "").contains(' ')) {
            return of(topic, names, why);
        }
    }
    match () {
        () if OF_METHOD.iter().any(|words| text.contains(words)) => Note::method(text),
        () if text.contains(" has no ") && text.contains(" form of ") => {
            let provider = text.split(' ').next().unwrap_or_default().to_owned();
            Note::forms(&provider, text)
        }
        () if text.starts_with("cells of more than ") => Note::excluded(&[], text),
        () => match (text.split_once(" does without "), text.split_once(": "), text.split_once(LEFT_OUT)) {
            (Some((name, _)), ..) => Note::masked(name, text.clone()),
            (_, Some((name, _)), _) if text.contains(EXCLUDED) => Note::excluded(&[name], text.clone()),
            // Behind the names stands `is` or `are`, before one what of it is left out.
            (.., Some((what, _))) => {
                let names = what.rsplit_once(' ').unwrap_or_default().0.split(", ");
                let names: Vec<&str> = names.filter_map(|name| name.split(' ').next_back()).collect();
                Note::excluded(&names, text.clone())
            }
            _ => Note::other(text),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Note> {
        vec![
            Note::other("the worker's library is a copy"),
            Note::method("warm-up before each sample: 20 µs"),
            Note::forms("ring", "ring has no into form of aes-256-gcm"),
            Note::masked("ring", "ring does without AVX-512: aes-256-gcm went from vaes to aesni"),
            Note::excluded(&["ring"], "ring: aes-256-gcm excluded under --cpu no-aes: it has no switch"),
            Note::excluded(&["ring@old"], "ring@old is left out: there is no newer counterpart here"),
            Note::excluded(
                &["go@old", "ring@old"],
                "go@old, ring@old are left out: there is no newer counterpart here",
            ),
            Note::excluded(&[], "cells of more than 2 threads are left out: only 2 CPUs may be used"),
            Note::not_measured(&[], "no board on /dev/ttyACM0"),
            Note::not_measured(&["graviola"], "this CPU lacks ADX"),
            Note::not_measured(&["go", "tink-go"], "the worker go is not built"),
            Note::lost("bearssl@board", "the line is gone"),
            Note::back("bearssl@board"),
        ]
    }

    #[test]
    fn notes_are_stored_and_read_as_they_are() {
        for note in all() {
            let stored = serde_json::to_string(&note).unwrap();
            assert_eq!(serde_json::from_str::<Note>(&stored).unwrap(), note, "{stored}");
        }
    }

    #[test]
    fn sentences_of_earlier_versions_are_notes_again() {
        for note in all() {
            let sentence = serde_json::to_string(&note.to_string()).unwrap();
            assert_eq!(serde_json::from_str::<Note>(&sentence).unwrap(), note, "{sentence}");
        }
    }

    #[test]
    fn lost_provider_gives_its_reason_until_it_is_back() {
        let mut notes = vec![Note::other("another"), Note::lost("bearssl@board", "the line is gone")];
        assert_eq!(lost_why(&notes, "bearssl@board"), Some("the line is gone"));
        assert_eq!(lost_why(&notes, "bearssl"), None);
        notes.push(Note::back("bearssl@board"));
        assert_eq!(lost_why(&notes, "bearssl@board"), None);
    }
}
