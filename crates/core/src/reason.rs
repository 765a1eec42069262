//! How the measurement of a cell ended, and why a cell was left out: as data, so that nothing looks for a reason in words.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Bytes;

/// How the measurement of a cell ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case", from = "Stored")]
pub enum Outcome {
    /// It has samples, or, in a run that has not ended, may still get some.
    Measured,
    /// The run left it out.
    LeftOut(LeftOut),
    /// The provider refuses this cell.
    Unsupported {
        /// The reason, in the worker's words.
        why: String,
    },
    /// The provider's output was wrong, so it was not timed, or its times do not count.
    WrongOutput {
        /// What was expected and what was returned.
        why: String,
    },
    /// The worker or the link broke; samples taken before that are kept.
    Failed {
        /// What failed.
        why: String,
    },
}

/// Why a run left a cell out that its provider has. Times are in milliseconds, budgets in seconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum LeftOut {
    /// The run ended before its turn.
    NotReached,
    /// The worker's clock is so coarse that a sample takes too long.
    CoarseClock {
        /// What a sample takes.
        sample_ms: u64,
        /// The budget that is enough.
        budget_s: u64,
    },
    /// Setting up its messages takes too long.
    SlowSetUp {
        /// What that takes for each sample.
        sample_ms: u64,
        /// Whether it was timed; else it is known of a cell like it.
        timed: bool,
        /// The budget that is enough.
        budget_s: u64,
    },
    /// One sample takes too long.
    SlowSample {
        /// What it takes.
        sample_ms: u64,
        /// What is left of the budget.
        left_ms: u64,
    },
    /// The forks of all cells of its size take too long.
    SlowForks {
        /// What is done once in each fork: a `message` or a `transfer`.
        call: String,
        /// What six forks take.
        forks_ms: u64,
        /// What is left of the budget for the size.
        left_ms: u64,
        /// The budget that is enough, where that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        budget_s: Option<u64>,
    },
    /// The messages of all providers do not fit into memory together.
    NoMemory {
        /// Bytes that they take.
        needed: Bytes,
        /// Bytes that are free.
        free: Bytes,
        /// Whether fewer providers would help.
        several: bool,
    },
    /// A processor stands in for a graphics card, and takes the time of all others.
    EmulatedCard {
        /// The longest message that such a card gets.
        most: Bytes,
    },
    /// What an earlier version stored: a sentence.
    Earlier {
        /// Whether a longer budget helps.
        by_budget: bool,
        /// The sentence.
        sentence: String,
    },
}

impl LeftOut {
    /// Its word in files: `not-reached`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::NotReached => "not-reached",
            Self::CoarseClock { .. } => "coarse-clock",
            Self::SlowSetUp { .. } => "slow-set-up",
            Self::SlowSample { .. } => "slow-sample",
            Self::SlowForks { .. } => "slow-forks",
            Self::NoMemory { .. } => "no-memory",
            Self::EmulatedCard { .. } => "emulated-card",
            Self::Earlier { .. } => "earlier",
        }
    }

    /// Whether a longer budget helps.
    pub fn is_for_time(&self) -> bool {
        match self {
            Self::NoMemory { .. } | Self::EmulatedCard { .. } => false,
            Self::Earlier { by_budget, .. } => *by_budget,
            _ => true,
        }
    }

    /// The budget in seconds that is enough, where one helps and that is known.
    pub fn enough_s(&self) -> Option<u64> {
        match self {
            Self::CoarseClock { budget_s, .. } | Self::SlowSetUp { budget_s, .. } => Some(*budget_s),
            Self::SlowForks { budget_s, .. } => *budget_s,
            _ => None,
        }
    }

    /// Whether shorter messages help.
    pub fn is_for_memory(&self) -> bool {
        matches!(self, Self::NoMemory { .. } | Self::Earlier { by_budget: false, .. })
    }

    /// What was wrong.
    fn cause(&self) -> String {
        let seconds = |ms: &u64| *ms as f64 / 1e3;
        match self {
            Self::NotReached => "the run ended before it was measured".into(),
            Self::CoarseClock { sample_ms, .. } => {
                format!("its worker's clock is so coarse that a sample takes {:.3} s", seconds(sample_ms))
            }
            Self::SlowSetUp { sample_ms, timed, .. } => {
                let how = if *timed { "takes about" } else { "probably takes over" };
                format!("setting its messages up {how} {:.3} s a sample", seconds(sample_ms))
            }
            Self::SlowSample { sample_ms, left_ms } => format!(
                "one sample takes {:.3} s, and six must fit into a fifth of the remaining {:.3} s",
                seconds(sample_ms),
                seconds(left_ms)
            ),
            Self::SlowForks { call, forks_ms, left_ms, .. } => format!(
                "six forks of one {call} of each cell take {:.0} s, and only {:.0} s of the budget remain for this size",
                seconds(forks_ms).ceil(),
                seconds(left_ms)
            ),
            Self::NoMemory { needed, free, .. } => {
                format!("the messages of all providers together take {needed}, and {free} of memory are free")
            }
            Self::EmulatedCard { most } => format!(
                "a processor stands in for this card; messages of over {most} would take the time of all others"
            ),
            Self::Earlier { sentence, .. } => sentence.clone(),
        }
    }

    /// Why, and what to do about it on a page, which has a button and no options.
    pub fn on_page(&self) -> String {
        let remedy = if self.is_for_time() { format!("; use {MEASURE_LONGER}") } else { String::new() };
        self.cause() + &remedy
    }

    /// What to do about it.
    fn remedy(&self) -> Option<String> {
        match self {
            Self::NotReached | Self::SlowSample { .. } | Self::SlowForks { budget_s: None, .. } => {
                Some("use a longer --budget".into())
            }
            Self::CoarseClock { budget_s, .. } | Self::SlowForks { budget_s: Some(budget_s), .. } => {
                Some(format!("use {}", budget_option(*budget_s as f64)))
            }
            Self::SlowSetUp { budget_s, .. } => {
                Some(format!("use a smaller --working-set, or {}", budget_option(*budget_s as f64)))
            }
            Self::NoMemory { several: true, .. } => {
                Some("name fewer with --provider, or choose a smaller --message".into())
            }
            Self::NoMemory { several: false, .. } => Some("choose a smaller --message".into()),
            Self::EmulatedCard { .. } => Some("name its provider alone to measure them".into()),
            Self::Earlier { .. } => None,
        }
    }
}

/// How to measure longer on a page.
pub const MEASURE_LONGER: &str = "\"Measure longer\" on the page";

/// The option that gives a run so many seconds: `--budget 90s`, beyond ten minutes `--budget 12min`, rounded up.
pub fn budget_option(seconds: f64) -> String {
    match seconds.ceil() {
        seconds if seconds > 600.0 => format!("--budget {}min", (seconds / 60.0).ceil()),
        seconds => format!("--budget {seconds}s"),
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.remedy() {
            Some(remedy) => write!(f, "{}; {remedy}", self.cause()),
            None => f.write_str(&self.cause()),
        }
    }
}

impl Outcome {
    /// Why there is no figure, in a sentence without its full stop; `None` where there may be one.
    pub fn why(&self) -> Option<String> {
        match self {
            Self::Measured => None,
            Self::LeftOut(reason) => Some(reason.to_string()),
            Self::Unsupported { why } | Self::WrongOutput { why } | Self::Failed { why } => Some(why.clone()),
        }
    }

    /// Its word in files: `left-out`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::LeftOut(_) => "left-out",
            Self::Unsupported { .. } => "unsupported",
            Self::WrongOutput { .. } => "wrong-output",
            Self::Failed { .. } => "failed",
        }
    }

    /// The budget in seconds that is enough, where one helps and that is known.
    pub fn enough_s(&self) -> Option<u64> {
        match self {
            Self::LeftOut(reason) => reason.enough_s(),
            _ => None,
        }
    }

    /// Whether the output was wrong.
    pub fn is_wrong(&self) -> bool {
        matches!(self, Self::WrongOutput { .. })
    }

    /// Whether the run had no time for it.
    pub fn is_not_reached(&self) -> bool {
        *self == Self::LeftOut(LeftOut::NotReached)
    }
}

/// An outcome as this version or an earlier one stored it: those wrote why a cell was left out as what its provider refuses.
#[derive(Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
enum Stored {
    Measured,
    LeftOut(LeftOut),
    Unsupported { why: String },
    WrongOutput { why: String },
    Failed { why: String },
}

impl From<Stored> for Outcome {
    fn from(stored: Stored) -> Self {
        match stored {
            Stored::Measured => Self::Measured,
            Stored::LeftOut(reason) => Self::LeftOut(reason),
            Stored::Unsupported { why } => match earlier(&why) {
                Some(reason) => Self::LeftOut(reason),
                None => Self::Unsupported { why },
            },
            Stored::WrongOutput { why } => Self::WrongOutput { why },
            Stored::Failed { why } => Self::Failed { why },
        }
    }
}

/// The reason that a sentence of an earlier version gives; `None` where it is a worker's.
fn earlier(why: &str) -> Option<LeftOut> {
    let is_of_time =
        why.contains("use a longer --budget") || why.contains("use --budget ") || why.contains(", or --budget ");
    match () {
        () if why == LeftOut::NotReached.to_string() => Some(LeftOut::NotReached),
        () if is_of_time => Some(LeftOut::Earlier { by_budget: true, sentence: why.into() }),
        () if why.ends_with("--message") => Some(LeftOut::Earlier { by_budget: false, sentence: why.into() }),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Outcome {
        serde_json::from_str(json).unwrap()
    }

    fn all() -> Vec<LeftOut> {
        let (sample_ms, left_ms, budget_s) = (1_500, 2_000, 90);
        vec![
            LeftOut::NotReached,
            LeftOut::CoarseClock { sample_ms, budget_s },
            LeftOut::SlowSetUp { sample_ms, timed: true, budget_s },
            LeftOut::SlowSample { sample_ms, left_ms },
            LeftOut::SlowForks { call: "message".into(), forks_ms: 30_100, left_ms, budget_s: Some(480) },
            LeftOut::NoMemory { needed: Bytes(2 << 30), free: Bytes(1 << 30), several: true },
            LeftOut::EmulatedCard { most: Bytes(128 << 20) },
        ]
    }

    #[test]
    fn reasons_keep_their_data_and_have_a_remedy_each() {
        for reason in all() {
            let outcome = Outcome::LeftOut(reason.clone());
            let written = serde_json::to_value(&outcome).unwrap();
            assert_eq!(written["reason"], reason.word());
            assert_eq!(serde_json::from_value::<Outcome>(written).unwrap(), outcome);
            assert!(reason.remedy().is_some(), "{reason}");
            let on_page = reason.on_page();
            assert!(!on_page.contains("--") && on_page.contains(MEASURE_LONGER) == reason.is_for_time(), "{on_page}");
        }
    }

    #[test]
    fn sentences_say_what_was_wrong_and_what_to_do() {
        let said: Vec<String> = all().iter().map(ToString::to_string).collect();
        assert_eq!(said[0], "the run ended before it was measured; use a longer --budget");
        assert_eq!(
            said[4],
            "six forks of one message of each cell take 31 s, and only 2 s of the budget remain for this size; use \
             --budget 480s"
        );
        assert_eq!(
            said[5],
            "the messages of all providers together take 2GiB, and 1GiB of memory are free; name fewer with \
             --provider, or choose a smaller --message"
        );
    }

    #[test]
    fn sentences_of_earlier_versions_are_reasons_again() {
        let of = |why: &str| read(&serde_json::json!({"is": "unsupported", "why": why}).to_string());
        assert!(of("the run ended before it was measured; use a longer --budget").is_not_reached());
        let slow = of(
            "one sample takes 2.000 s, and six must fit into a fifth of the remaining 1.000 s; use a longer --budget",
        );
        assert!(matches!(&slow, Outcome::LeftOut(reason) if reason.is_for_time() && !reason.is_for_memory()));
        let large = of("the messages take 2GiB; choose a smaller --message");
        assert!(matches!(&large, Outcome::LeftOut(reason) if reason.is_for_memory()));
        assert_eq!(of("no AES here"), Outcome::Unsupported { why: "no AES here".into() });
        assert_eq!(slow.why().unwrap().len(), slow.why().unwrap().trim().len());
    }
}
