//! The libraries of this machine, in a run that measured devices, too.

use ciphermeter_core::{Record, escaped};
use ciphermeter_estimate::{Comparison, Side};

use crate::pair::PairAnswer;
use crate::words::{reach, span};

/// What they come to, in one sentence; `None` where nothing of this machine was measured.
pub fn this_machine(records: &[Record]) -> Option<String> {
    if records.is_empty() {
        return None;
    }
    let Some(answer) = PairAnswer::of(records).filter(PairAnswer::is_answered) else {
        return Some("This machine: no answer yet.".into());
    };
    let (library, tally) = (answer.usual(), answer.tally());
    let (one, other) = (answer.first.title(), answer.second.title());
    let provider = escaped(&library.provider);
    Some(match answer.recommended {
        Some(winner) => {
            let side = if answer.first == winner { Side::First } else { Side::Second };
            let own = library.rows.iter().map(|row| row.comparison).filter(|own| own.faster() == Some(side));
            let ratios = span(reach(own.filter_map(Comparison::ratio)));
            format!("This machine, of {one} and {other}: {}, {ratios} with {provider}.", winner.title())
        }
        None if tally.first + tally.second == 0 => format!("This machine: {one} and {other} are equal."),
        None if tally.first == 0 || tally.second == 0 => {
            format!("This machine, with {provider}: {}.", library.sentence(answer.pair()))
        }
        None => "This machine: it depends on the library and the size.".into(),
    })
}
