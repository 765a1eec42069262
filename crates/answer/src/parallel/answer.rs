//! The fastest way of each cipher and size.

use ciphermeter_core::{Algorithm, CellId, Record, Run};
use ciphermeter_estimate::{Comparison, Ratio};
use serde::Serialize;

use super::bound::Bound;
use super::fastest::{Fastest, advice, open};
use super::notes::{busy, notes};
use super::way::{SplitMessage, largest, messages, name};
use crate::basis;
use crate::measured::has_enough_forks;

/// Which way of splitting a message is the fastest.
#[derive(Debug, Clone, Serialize)]
pub struct ParallelAnswer {
    /// Of each size and cipher, the smallest size first.
    pub fastest: Vec<FastestWay>,
}

/// The fastest way of encrypting a message.
#[derive(Debug, Clone, Serialize)]
pub struct FastestWay {
    /// Bytes of the message.
    pub message: u64,
    /// The cipher.
    pub algorithm: Algorithm,
    /// Bytes of XOR's key.
    pub key: u64,
    /// Whether it is known what more than one thread is good for.
    pub answered: bool,
    /// The cell that no other surely passes.
    pub cell: CellId,
    /// Its name, for people.
    pub name: String,
    /// GB/s
    pub gb_per_s: f64,
    /// What it gains over one thread.
    pub speed_up: Option<Ratio>,
    /// The nearest limit.
    pub bound: Option<Bound>,
    /// Each other way, with the fastest beside it.
    pub others: Vec<OtherWay>,
}

/// A way that is not the fastest.
#[derive(Debug, Clone, Serialize)]
pub struct OtherWay {
    pub cell: CellId,
    /// The fastest is the first.
    pub behind: Comparison,
}

impl FastestWay {
    fn of(fastest: &Fastest) -> Self {
        let (message, best) = (fastest.message, fastest.best());
        let other = |(way, behind): (&super::way::Way, Comparison)| OtherWay { cell: way.record.id, behind };
        Self {
            message: message.bytes,
            algorithm: message.algorithm,
            key: message.key,
            answered: fastest.is_answered(),
            cell: best.record.id,
            name: name(best.record),
            gb_per_s: best.rate,
            speed_up: best.gain.as_ref().map(|gain| gain.speed_up),
            bound: best.bound,
            others: fastest.others().map(other).collect(),
        }
    }
}

impl ParallelAnswer {
    /// What the messages that have enough forks come to.
    pub fn of(messages: &[SplitMessage]) -> Self {
        Self { fastest: messages.iter().filter_map(Fastest::of).map(|fastest| FastestWay::of(&fastest)).collect() }
    }

    /// The messages of which ways have as many forks as any figure takes.
    pub fn messages<'a>(run: &Run, records: &'a [Record]) -> Vec<SplitMessage<'a>> {
        let mut messages = messages(run, records);
        messages.iter_mut().for_each(|message| message.ways.retain(|way| has_enough_forks(way.record)));
        messages.retain(|message| !message.ways.is_empty());
        messages
    }

    /// The option that measures long enough, where more time may help.
    pub fn budget(run: &Run, records: &[Record], messages: &[SplitMessage]) -> Option<String> {
        let all: Vec<Fastest> = largest(messages).into_iter().filter_map(Fastest::of).collect();
        let open = if messages.is_empty() { records.to_vec() } else { open(&all) };
        // On a busy machine, more time is no remedy.
        let is_helped = !open.is_empty() && (messages.is_empty() || busy(records).is_none());
        basis::budget(run, &open, basis::most_forks(&open)).filter(|_| is_helped)
    }

    /// The answer in sentences, of the largest message of each cipher.
    pub fn sentences(run: &Run, records: &[Record], messages: &[SplitMessage]) -> Vec<String> {
        if messages.is_empty() {
            return vec!["No answer yet.".into(), basis::no_answer(run, records, basis::most_forks(records))];
        }
        let all: Vec<Fastest> = largest(messages).into_iter().filter_map(Fastest::of).collect();
        // On a busy machine, more time is no remedy.
        let advice = busy(records).or_else(|| advice(run, &all));
        all.iter().map(Fastest::sentence).chain(advice).collect()
    }

    /// Whether it is known for any cipher, at its largest message, what more than one thread is good for.
    pub fn is_answered(messages: &[SplitMessage]) -> bool {
        largest(messages).into_iter().filter_map(Fastest::of).any(|fastest| fastest.is_answered())
    }

    /// What else there is to know at the largest size.
    pub fn notes(run: &Run, records: &[Record], messages: &[SplitMessage]) -> Vec<String> {
        let most = messages.iter().map(|message| message.bytes).max();
        most.map(|bytes| notes(run, messages, records, bytes)).unwrap_or_default()
    }
}
