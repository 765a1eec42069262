//! One invocation: its records' common facts.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::word::words;
use crate::{Mask, Note, RunPlan, Scenario, Share, escaped, option_words};

/// A fact about the host: a value, or the reason why there is none. Never a guess.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// What it describes: `cpu`, `kernel`, `governor`, …
    pub name: String,
    /// The value with its unit, `None` where the machine does not report it.
    pub value: Option<String>,
    /// Why there is no value.
    pub why: Option<String>,
}

impl Fact {
    /// A fact with a value.
    pub fn present(name: &str, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: Some(escaped(&value.into())), why: None }
    }

    /// A fact without a value, and the reason.
    pub fn absent(name: &str, why: impl Into<String>) -> Self {
        Self { name: name.into(), value: None, why: Some(escaped(&why.into())) }
    }
}

/// The fact of what is set from outside and changes which code libraries run.
pub const SWITCHES: &str = "switches";
/// Its value where nothing known is. Runs older than the fact have none.
pub const NO_SWITCHES: &str = "none";

/// What is set by these facts; `None`: nothing known.
pub fn switches(host: &[Fact]) -> Option<&str> {
    let fact = host.iter().find(|fact| fact.name == SWITCHES)?;
    fact.value.as_deref().filter(|value| *value != NO_SWITCHES)
}

words! {
    /// How far a run came.
    RunStatus, "status" {
        /// Not ended yet, or its process was killed: `run --resume` continues it.
        Open = "open",
        /// Ended, every cell measured.
        Complete = "complete",
        /// Ended; some cells or workers failed.
        Partial = "partial",
        /// Ended by the user; what was measured is kept.
        Interrupted = "interrupted",
    }
}

/// What a run is compared with: an older library or worker, measured in the same rounds under `<provider>@old`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Against {
    /// As the user gave it: a library's file, a worker's command, a ciphermeter binary.
    pub old: String,
    /// A cell that is slower by more than this share is a regression.
    pub threshold: Share,
    /// Of a guard, which may leave smaller slowdowns open: a larger one must be ruled out. Elsewhere that is the threshold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub may_hide: Option<Share>,
}

impl Against {
    /// Appended to the names of old providers.
    pub const MARK: &'static str = "@old";
    /// The same of a second copy of what is old, which is compared with the first: whatever they differ by, no change caused.
    pub const CONTROL: &'static str = "@control";

    /// The name of a provider without the suffix that distinguishes its copies.
    pub fn base(provider: &str) -> &str {
        provider.split('@').next().unwrap_or(provider)
    }

    /// The old side of a provider: of `openssl`, and of a second source `openssl@2`, it is `openssl@old`.
    pub fn old(provider: &str) -> String {
        Self::base(provider).to_owned() + Self::MARK
    }

    /// The second copy of that.
    pub fn control(provider: &str) -> String {
        Self::base(provider).to_owned() + Self::CONTROL
    }

    /// Whether a provider is the old side of another.
    pub fn is_old(provider: &str) -> bool {
        provider.ends_with(Self::MARK)
    }

    /// Whether it is a second copy of an old side.
    pub fn is_control(provider: &str) -> bool {
        provider.ends_with(Self::CONTROL)
    }
}

/// One invocation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Its number in the store, from 1; 0 before it is stored.
    pub id: i64,
    /// The store's file, where it isn't the default one.
    #[serde(skip)]
    pub store: Option<PathBuf>,
    /// Whether a process measures it now; an open run that none measures was cut off.
    #[serde(skip)]
    pub is_measuring: bool,
    /// When it began, RFC 3339, UTC.
    pub started: String,
    /// Version of Ciphermeter that measured.
    pub version: String,
    /// Seed of everything drawn at random, and of keys and messages.
    pub seed: u64,
    /// What was requested.
    pub scenario: Scenario,
    /// What it is compared with.
    #[serde(default)]
    pub against: Option<Against>,
    /// The CPU's instructions that were disabled in providers.
    #[serde(default)]
    pub mask: Option<Mask>,
    /// What its samples count, and what was measured side by side; empty in runs older than that.
    #[serde(default)]
    pub plan: RunPlan,
    /// The machine.
    pub host: Vec<Fact>,
    /// How far it came.
    pub status: RunStatus,
    /// What a reader should know of the whole run: missing workers, the warm-up, …
    pub notes: Vec<Note>,
}

impl Run {
    /// A command on this run, as a user types it: `ciphermeter show 3 --all --store runs.db` of `show 3 --all`.
    pub fn command(&self, arguments: &str) -> String {
        let store = self.store.as_ref().map_or(String::new(), |file| format!(" {}", option_words("--store", file)));
        format!("ciphermeter {arguments}{store}")
    }

    /// Every option that a resumed run wants again, with its value.
    pub fn named_again(&self) -> Vec<(&str, &str)> {
        let facts = [("--input", "input"), ("--device", "devices")];
        let facts = facts.into_iter().filter_map(|(option, fact)| Some((option, self.fact(fact)?)));
        // A ticket is a secret, so no store has it.
        let peer = self.fact("peer").map(|_| ("--peer", "TICKET"));
        let against = self.against.as_ref().map(|against| ("--against", against.old.as_str()));
        let named = self.plan.named.iter().map(|named| (named.option.as_str(), named.value.as_str()));
        facts.chain(peer).chain(against).chain(named).collect()
    }

    /// The command that resumes the run, without the store: `run --resume=3 --device=qemu:m4`.
    pub fn resume_words(&self) -> Vec<String> {
        let again = self.named_again().into_iter().map(|(option, value)| format!("{option}={value}"));
        ["run".to_owned(), format!("--resume={}", self.id)].into_iter().chain(again).collect()
    }

    /// The same as a user types it.
    pub fn resume(&self) -> String {
        let again = self.named_again().into_iter().map(|(option, value)| format!(" {}", option_words(option, value)));
        self.command(&format!("run --resume={}{}", self.id, again.collect::<String>()))
    }

    /// The command that measures the same again with such options, without the store; `None` where
    /// it is not known what was typed.
    pub fn again_words(&self, options: &str) -> Option<Vec<String>> {
        let asked = Some(&self.plan.asked).filter(|asked| !asked.is_empty())?;
        Some(asked.iter().cloned().chain(options.split(' ').map(String::from)).collect())
    }

    /// Whether `guard` asked for it, which measures a pair anew and resumes nothing.
    pub fn is_of_guard(&self) -> bool {
        self.plan.asked.first().is_some_and(|command| command == "guard")
    }

    /// The value of a fact about the host; `None` where the machine does not report it.
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.host.iter().find(|fact| fact.name == name)?.value.as_deref()
    }

    /// What was set from outside and changes which code libraries run; `None` where nothing known
    /// was.
    pub fn switches(&self) -> Option<&str> {
        switches(&self.host)
    }

    /// Whether the CPU has AES instructions; `None` where the system does not say what the CPU has.
    pub fn has_aes(&self) -> Option<bool> {
        Some(self.fact("features")?.split(' ').any(|feature| feature == "aes"))
    }
}
