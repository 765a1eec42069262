//! A named workload: a TOML file that expands to cells.
//!
//! A scenario file is text from outside: its size, its lists and the number of cells are bounded before anything is
//! built from them. Every error quotes the file's own word and names what would be valid.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::rotation::{LINE, MAX_KEYS, MAX_TEXTS, MAX_WORKING_SET, text_stride};
use crate::word::words;
use crate::{
    Algorithm, Bytes, Cell, Copies, Form, Operation, Parameters, Seconds, Selection, Share, Threads, escaped,
    toml_error,
};

/// The most bytes of a scenario file.
pub const MAX_FILE: usize = 64 * 1024;
/// The largest message, in bytes.
const MAX_MESSAGE: u64 = 1 << 30;
/// The longest message that is split among threads, in bytes.
const MAX_SPLIT: u64 = 1 << 40;
/// The longest key of XOR, in bytes.
const MAX_KEY: u64 = 1 << 20;
/// The longest aad, in bytes.
const MAX_AAD: u64 = 1 << 20;
/// The most cells of a scenario for one provider.
const MAX_CELLS: usize = 4096;

words! {
    /// The kind of measurement that a scenario requests.
    Kind, "kind" {
        /// Calls on messages in memory.
        Message = "message",
        /// Files transferred from one process to another.
        Transfer = "transfer",
        /// One long message, split among threads or encrypted by a graphics card.
        Parallel = "parallel",
        /// One cell for minutes, a step of about a second after the other.
        Sustained = "sustained",
    }
}

words! {
    /// Who counts a workload's nonces, whose limits on keys then hold.
    #[derive(Default)]
    Nonces, "nonces" {
        /// Your own code.
        #[default]
        Own = "own",
        /// TLS 1.3, and 1.2 beside it.
        Tls = "tls",
        /// TLS 1.2 alone.
        Tls12 = "tls-1.2",
        /// QUIC.
        Quic = "quic",
        /// SSH.
        Ssh = "ssh",
        /// A tool that moves files.
        Transfer = "transfer",
    }
}

/// Why a scenario is invalid.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// Not TOML, an unknown key, or an invalid word or size.
    #[error("{0}")]
    Syntax(String),
    /// A size beyond what can be measured.
    #[error("{what} of {size} is too large; the most is {most}")]
    TooLarge {
        /// `a message`, `a key`, `a working set` or `aad`.
        what: &'static str,
        /// As written.
        size: Bytes,
        /// The limit.
        most: Bytes,
    },
    /// More than [`MAX_CELLS`].
    #[error("it has {0} cells per provider; the most is {MAX_CELLS}; remove sizes or split the scenario")]
    TooManyCells(usize),
    /// Nothing to measure.
    #[error("it has no cells: {0}")]
    Empty(&'static str),
}

/// A named workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Its name, as given to `run`.
    pub name: String,
    /// The kind of measurement.
    #[serde(default = "message_kind")]
    pub kind: Kind,
    /// Its purpose, in one line.
    pub title: String,
    /// What its messages are, in a few words, where the name does not say that: `disk sectors`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// What is usual for it and not measured, or measured elsewhere, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub premise: Option<String>,
    /// Who counts its nonces.
    #[serde(default, skip_serializing_if = "Nonces::is_own")]
    pub nonces: Nonces,
    /// The most time that measuring may take.
    pub budget: Seconds,
    /// Half-width of a ratio's interval at which measuring may stop.
    pub precision: Share,
    /// Measure copies of each provider instead of the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<Copies>,
    /// What to measure.
    pub cells: Vec<Selection>,
}

fn message_kind() -> Kind {
    Kind::Message
}

impl Nonces {
    fn is_own(&self) -> bool {
        *self == Self::Own
    }
}

impl Kind {
    /// Transfers and calls are measured under different conditions, so a scenario has one or the other. A transfer has
    /// a file and no other parameters.
    fn check(self, selection: &Selection) -> Result<(), ScenarioError> {
        let wrong = |what: &str| Err(ScenarioError::Syntax(what.into()));
        let moves = |operation: &Operation| *operation == Operation::Transfer;
        let (moving, lists) = (selection.operations.iter().any(moves), selection.lists());
        let splits = selection.forms.iter().find(|form| form.is_split());
        match (self, splits) {
            (Self::Parallel, _) if !selection.forms.iter().all(|form| form.is_split()) => {
                return wrong(&format!(
                    "a scenario of kind `parallel` splits a message: give `forms` of {}",
                    Form::SPLIT.iter().map(|form| format!("\"{form}\"")).collect::<Vec<_>>().join(", ")
                ));
            }
            (Self::Message | Self::Transfer, Some(form)) => {
                return wrong(&format!(
                    "the form `{form}` needs a scenario of kind `parallel`, such as `ciphermeter run parallel`"
                ));
            }
            (_, Some(_)) if selection.operations.iter().any(|operation| *operation != Operation::Encrypt) => {
                return wrong("a message is split to `encrypt` it: remove the other `operations`");
            }
            (_, Some(_)) if selection.aad != [Bytes(0)] || selection.latency || selection.memory => {
                return wrong(
                    "a split message has no `aad`, and neither `latency` nor `memory` is measured: remove them",
                );
            }
            (_, Some(_)) if selection.messages.contains(&Bytes(0)) => {
                return wrong("a split message of 0 bytes has no speed: remove the 0 from `messages`");
            }
            (_, Some(_)) if selection.keys.contains(&Bytes(0)) => {
                return wrong("a key of XOR has at least 1 byte: remove the 0 from `keys`");
            }
            (_, None) if selection.keys != [Bytes(Parameters::USUAL_KEY)] => {
                return wrong("`keys` are lengths of XOR's key in split messages: use a scenario of kind `parallel`");
            }
            _ => {}
        }
        if selection.rotates() {
            if self != Self::Message || selection.threads != [Threads::Count(1)] {
                return wrong(
                    "working sets and numbers of keys are for calls on messages by one thread: leave `threads` out, and use a scenario of kind `message`",
                );
            }
            if selection.forms.contains(&Form::Batch) {
                return wrong(
                    "the messages of a batch have memory of their own and one key: leave `working_sets` and `key_counts` out",
                );
            }
            check_rotations(selection)?;
        }
        if selection.latency && selection.forms.iter().all(|form| form.messages_a_call() > 1) {
            return wrong(
                "a message of a batch has no call of its own to time: leave `latency` out, or add another of `forms`",
            );
        }
        match self {
            Self::Message if selection.operations.iter().any(moves) => wrong(
                "the operation `transfer` needs a scenario of kind `transfer`, such as `ciphermeter run transfer`",
            ),
            Self::Transfer if !selection.operations.iter().all(moves) => wrong(
                "a scenario of kind `transfer` has no operation but `transfer`: put others into one of kind `message`",
            ),
            Self::Sustained if lists.iter().any(|(_, entries)| *entries > 1) => {
                let several = lists.iter().find(|(_, entries)| *entries > 1);
                wrong(&format!(
                    "a sustained load is one cell: give one of `{}`",
                    several.map_or("cells", |(name, _)| name)
                ))
            }
            Self::Sustained if selection.latency || selection.memory => {
                wrong("a sustained load is timed as a whole: leave `latency` and `memory` out")
            }
            Self::Sustained if moving && selection.forms != [Form::Discard] => wrong(
                "a sustained transfer writes no file, because that would measure the disk: use `forms = [\"discard\"]`",
            ),
            Self::Transfer | Self::Sustained
                if moving && (selection.aad != [Bytes(0)] || selection.threads != [Threads::Count(1)]) =>
            {
                wrong("a transfer has neither `aad` nor `threads`: remove them")
            }
            _ => Ok(()),
        }
    }
}

impl Scenario {
    /// Reads a scenario from TOML text.
    pub fn parse(text: &str) -> Result<Self, ScenarioError> {
        if text.len() > MAX_FILE {
            return Err(ScenarioError::Syntax(format!("it is longer than {}; split it", Bytes(MAX_FILE as u64))));
        }
        let scenario: Self = toml::from_str(text).map_err(|error| ScenarioError::Syntax(toml_error(&error, text)))?;
        scenario.check()?;
        Ok(scenario)
    }

    /// Checks it against the limits, including one from the command line or from a store.
    pub fn check(&self) -> Result<(), ScenarioError> {
        self.check_text()?;
        for selection in &self.cells {
            let lists = [selection.algorithms.len(), selection.operations.len(), selection.forms.len()];
            let sizes = [selection.messages.len(), selection.aad.len(), selection.threads.len(), selection.keys.len()];
            let rotations = [selection.working_sets.len(), selection.key_counts.len()];
            let lists = lists.into_iter().chain(sizes).chain(rotations).chain([selection.providers.len()]);
            if lists.max() > Some(MAX_CELLS) {
                return Err(ScenarioError::Syntax(format!("a list is longer than {MAX_CELLS}; shorten it")));
            }
            self.kind.check(selection)?;
            if self.kind == Kind::Sustained && (self.cells.len() > 1 || self.copies.is_some()) {
                return Err(ScenarioError::Syntax(
                    "a sustained load has one cell: leave one of `[[cells]]`, and no `copies`".into(),
                ));
            }
            let splits = selection.forms.iter().any(|form| form.is_split());
            within("a message", &selection.messages, if splits { MAX_SPLIT } else { MAX_MESSAGE })?;
            within("a key", &selection.keys, MAX_KEY)?;
            within("aad", &selection.aad, MAX_AAD)?;
        }
        if let Some(what) = self.copies.as_ref().and_then(Copies::wrong) {
            return Err(ScenarioError::Syntax(what.into()));
        }
        let sum = |cells: fn(&Selection) -> usize| self.cells.iter().map(cells).fold(0, usize::saturating_add);
        let named = sum(Selection::named);
        if named == 0 {
            let give = match self.kind {
                Kind::Message => "give `[[cells]]` with `algorithms`, `operations` that they have, and `messages`",
                Kind::Transfer => {
                    "give `[[cells]]` with `algorithms` and `messages`, `operations = [\"transfer\"]`, and `forms` of \"discard\" and \"file\""
                }
                Kind::Parallel => {
                    "give `[[cells]]` with `algorithms` \"aes-256-ctr\" and \"xor\", `operations = [\"encrypt\"]`, `messages`, and `forms` such as \"static\""
                }
                Kind::Sustained => {
                    "give one `[[cells]]` with `algorithms`, one of `operations`, one of `messages`, and one of `forms`: \"discard\" where files move"
                }
            };
            return Err(ScenarioError::Empty(give));
        }
        // A ceiling has cells even where the named algorithms have none.
        match named.max(sum(|selection| selection.combinations(Algorithm::Memcpy))) {
            cells if cells > MAX_CELLS => Err(ScenarioError::TooManyCells(cells)),
            _ => Ok(()),
        }
    }

    /// Its texts are printed on terminals and in tables.
    fn check_text(&self) -> Result<(), ScenarioError> {
        let providers = self.cells.iter().flat_map(|selection| &selection.providers);
        let fine = |text: &String| text.len() <= 200 && escaped(text) == *text;
        let own = [&self.name, &self.title].into_iter().chain(&self.subject).chain(&self.premise);
        match own.chain(providers).find(|text| !fine(text)) {
            Some(text) => {
                let start: String = text.chars().take(20).collect();
                let why =
                    "names, title, subject and premise have at most 200 bytes of characters that show as themselves";
                Err(ScenarioError::Syntax(format!("`{}…`: {why}", escaped(&start))))
            }
            None => Ok(()),
        }
    }

    /// The cells for one provider's algorithm on a machine with `cpus` CPUs, in the scenario's order, each once.
    /// Ceilings are part of every group, whichever algorithms the scenario names. Cells with more threads than CPUs are
    /// omitted.
    pub fn cells_for(&self, provider: &str, algorithm: Algorithm, cpus: u32) -> Vec<Cell> {
        let mut seen = BTreeSet::new();
        let mut cells: Vec<_> =
            self.cells.iter().flat_map(|selection| selection.cells_for(provider, algorithm, cpus)).collect();
        cells.retain(|cell| seen.insert(cell.clone()));
        if self.kind == Kind::Sustained {
            // A load has neither a ceiling nor one thread beside it.
            let most = cells.iter().map(|cell| cell.parameters.threads()).max();
            cells.retain(|cell| !algorithm.is_ceiling() && Some(cell.parameters.threads()) == most);
        }
        cells
    }

    /// Whether any block takes a provider's cells; the ceilings stand in every group but a sustained load's, which is alone.
    pub fn takes_provider(&self, provider: &str) -> bool {
        (provider == "ceiling" && self.kind != Kind::Sustained)
            || self.cells.iter().any(|selection| selection.takes_provider(provider))
    }

    /// Whether a block names the provider, so that its absence is reported.
    pub fn names_provider(&self, provider: &str) -> bool {
        self.cells.iter().any(|selection| selection.providers.iter().any(|named| named == provider))
    }

    /// Whether files move, which is up to other workers than calls are.
    pub fn moves_files(&self) -> bool {
        self.cells.iter().any(|selection| selection.operations.contains(&Operation::Transfer))
    }

    /// Whether the memory of any cell is looked at.
    pub fn looks_at_memory(&self) -> bool {
        self.cells.iter().any(|selection| selection.memory)
    }

    /// Whether single calls of a cell are timed, too.
    pub fn wants_latency(&self, cell: &Cell) -> bool {
        self.cells.iter().any(|selection| selection.wants_latency(cell))
    }

    /// Whether a cell's memory is measured, too.
    pub fn wants_memory(&self, cell: &Cell) -> bool {
        self.cells.iter().any(|selection| selection.wants_memory(cell))
    }

    /// The most threads that it names as a number; `all` fits everywhere.
    pub fn most_threads(&self) -> u32 {
        let counts = self.cells.iter().flat_map(|selection| &selection.threads).flat_map(|threads| threads.on(1));
        counts.max().unwrap_or(1)
    }
}

/// A cell has a key, and at most so many keys and texts as a worker takes.
fn check_rotations(selection: &Selection) -> Result<(), ScenarioError> {
    let wrong = |what: String| Err(ScenarioError::Syntax(what));
    if let Some(keys) = selection.key_counts.iter().find(|keys| !(1..=MAX_KEYS).contains(&u64::from(**keys))) {
        return wrong(format!("{keys} keys: a cell has from 1 to {MAX_KEYS}"));
    }
    within("a working set", &selection.working_sets, MAX_WORKING_SET)?;
    let (Some(set), Some(message)) = (selection.working_sets.iter().max(), selection.messages.iter().min()) else {
        return Ok(());
    };
    let strides = |message: Bytes| selection.algorithms.iter().map(move |algorithm| text_stride(*algorithm, message.0));
    let least = selection.working_sets.iter().filter(|set| set.0 > 0).min();
    if let (Some(set), Some(message)) = (least, selection.messages.iter().max())
        && strides(*message).any(|stride| set.0 < 2 * stride)
    {
        return wrong(format!(
            "a working set of {set} holds no two messages of {message}: give larger sets, or smaller messages"
        ));
    }
    let most = MAX_TEXTS * strides(*message).min().unwrap_or(LINE);
    match set.0 > most {
        true => wrong(format!(
            "a working set of {set} has more than {MAX_TEXTS} messages of {message}; with these, the most is {}",
            Bytes(most)
        )),
        false => Ok(()),
    }
}

fn within(what: &'static str, sizes: &[Bytes], most: u64) -> Result<(), ScenarioError> {
    match sizes.iter().find(|size| size.0 > most) {
        Some(size) => Err(ScenarioError::TooLarge { what, size: *size, most: Bytes(most) }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
