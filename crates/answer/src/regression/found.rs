//! What a cell that is in both comes to: an effect, or why there is none.

use ciphermeter_core::Record;
use ciphermeter_stats::{Effect, LEAST_FORKS};

use super::verdict::{Lost, Unmatched, Verdict};

/// What a cell comes to.
pub(super) enum Found {
    Effect(Effect),
    Lost(String),
    /// Why, and whether both were measured.
    Unmatched(String, bool),
}

impl Found {
    /// The effect, where there are enough forks; these are of each run where there are two.
    pub(super) fn of(effect: Option<Effect>, forks: &[usize]) -> Self {
        match effect.filter(Effect::is_enough) {
            Some(effect) => Self::Effect(effect),
            None => Self::Unmatched(few(forks), true),
        }
    }

    /// What it is where either was not measured; the words say that neither was, and that only the one of now was.
    pub(super) fn unmeasured(before: &Record, now: &Record, [neither, only_now]: [&str; 2]) -> Option<Self> {
        match (now.in_words(), before.in_words()) {
            (Some(why), None) => Some(Self::Lost(why)),
            (Some(why), Some(other)) if why == other => Some(Self::Unmatched(format!("{neither}: {why}"), false)),
            (Some(why), Some(other)) => Some(Self::Unmatched(format!("{neither}: {why}; before: {other}"), false)),
            (None, Some(why)) => Some(Self::Unmatched(format!("{only_now}: {why}"), false)),
            (None, None) => None,
        }
    }
}

/// The words for two runs.
pub(super) const RUNS: [&str; 2] = ["measured in neither run", "not measured in the earlier run"];

impl Verdict {
    /// The effect of a cell; one without is among the lost or unmatched from here on. Where two sides differ and nothing says which is
    /// right, both are wrong, unless one failed before that.
    pub(super) fn take(&mut self, [before, now]: [&Record; 2], found: Found) -> Option<Effect> {
        let is_wrong = now.outcome.is_wrong() || (now.in_words().is_some() && before.outcome.is_wrong());
        match found {
            Found::Effect(effect) => return Some(effect),
            Found::Lost(why) => self.lost.push(Lost::new(now, why)),
            Found::Unmatched(why, missed) => {
                self.unmatched.push(Unmatched { wrong_output: is_wrong, ..Unmatched::new(now, why, missed) })
            }
        }
        None
    }
}

fn few(forks: &[usize]) -> String {
    let counts = match forks {
        [before, now] => format!("{before} whole forks with both in the earlier run, {now} in the later one"),
        _ => format!("{} whole forks with both", forks.iter().sum::<usize>()),
    };
    format!("{counts}; a comparison needs {LEAST_FORKS}: use a longer --budget")
}
