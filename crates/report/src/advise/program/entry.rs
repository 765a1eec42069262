//! What is known of a program, and what it is to be told.

use ciphermeter_core::{Algorithm, Form};

/// A program that encrypts.
#[derive(Debug)]
pub struct Program {
    /// Its name for `run` and `advise --for`.
    pub name: &'static str,
    /// Another name for it; it may be the same.
    pub also: &'static str,
    /// As its authors write it.
    pub title: &'static str,
    /// The scenario that has its sizes; `None`: what encrypts for it cannot be measured.
    pub scenario: Option<&'static str>,
    /// The ciphers that it knows; none: those of the scenario.
    pub algorithms: &'static [Algorithm],
    /// The libraries that it links; none: those of the scenario.
    pub providers: &'static [&'static str],
    /// The form of its library's calls, where that has no other.
    pub form: Option<Form>,
    /// The messages that it seals at once, in bytes, where the scenario has others: of its first block alone.
    pub messages: &'static [u64],
    /// The most seconds to measure, where that is longer than the scenario's.
    pub budget: Option<f64>,
    /// What a run can say of it, and what it cannot.
    pub says: &'static str,
    /// A cipher of which it has a slower one of its own than the library's that is measured in its place.
    pub overrated: Option<Overrated>,
    /// What is measured in place of its own ciphers and messages.
    pub stand_in: Option<StandIn>,
    /// Whether you choose its cipher.
    pub choice: Choice,
    /// Where its lines and rules are published.
    pub sources: &'static [&'static str],
}

impl Program {
    /// What an entry leaves to its scenario: ciphers, libraries, form, messages and time.
    pub(super) const LIKE_ITS_SCENARIO: Self = Self {
        name: "",
        also: "",
        title: "",
        scenario: None,
        algorithms: &[],
        providers: &[],
        form: None,
        messages: &[],
        budget: None,
        says: "",
        overrated: None,
        stand_in: None,
        choice: Choice::None(""),
        sources: &[],
    };
}

/// A cipher that a program has in a slower form than the measured one: where that is ahead, by how much is an upper bound, which decides
/// nothing; where it is behind, it is surely so.
#[derive(Debug)]
pub struct Overrated {
    /// The cipher.
    pub algorithm: Algorithm,
    /// What decides instead, in a sentence.
    pub instead: &'static str,
}

/// What is measured in place of a program's own, in words.
#[derive(Debug, Clone, Copy)]
pub struct StandIn {
    /// The ciphers that are measured.
    pub ciphers: &'static str,
    /// The sizes at which they are, where no others are given.
    pub sizes: &'static str,
    /// Whose ciphers are meant.
    pub own: &'static str,
}

/// Whether you choose a program's cipher.
#[derive(Debug)]
pub enum Choice {
    /// You do, so that what is fastest here is what to set.
    Free(fn(Pick) -> Setting),
    /// There is no choice: what it uses.
    None(&'static str),
    /// What encrypts for it is not measured: why, and what to ask instead.
    NotMeasured {
        /// In a sentence.
        why: &'static str,
        /// Commands that say more.
        ask: &'static [&'static str],
        /// What can be set.
        setting: fn() -> Setting,
    },
}

/// What is to be set: a cipher, and where a program links one of several libraries, which.
#[derive(Debug, Clone, Copy)]
pub struct Pick<'a> {
    /// AES-GCM first; otherwise ChaCha20-Poly1305.
    pub prefers_aes: bool,
    /// Whether the CPU is known to have AES instructions, by which some programs choose themselves.
    pub has_aes: bool,
    /// The provider.
    pub provider: &'a str,
}

/// Lines for a program's configuration.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Setting {
    /// What to write where.
    pub sections: Vec<Section>,
    /// The command that checks it; `None` where there is nothing to check.
    pub check: Option<String>,
    /// The command that says which library the program links; `None` where there is but one.
    pub links: Option<&'static str>,
    /// What else there is to know, a sentence each.
    pub remarks: Vec<&'static str>,
}

/// Lines for one place.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Section {
    /// The file, and the versions that take them; it stands behind `For`.
    pub place: String,
    /// What the lines may break.
    pub warning: Option<&'static str>,
    /// To be copied as they are.
    pub lines: Vec<String>,
}

impl Section {
    pub(super) fn new<L: Into<String>>(place: impl Into<String>, lines: impl IntoIterator<Item = L>) -> Self {
        Self { place: place.into(), warning: None, lines: lines.into_iter().map(Into::into).collect() }
    }

    pub(super) fn with_warning(self, warning: &'static str) -> Self {
        Self { warning: Some(warning), ..self }
    }
}

impl Section {
    /// What stands above its lines.
    pub(crate) fn heading(&self) -> String {
        format!("For {}:", self.place)
    }

    /// Between the two, a line or none.
    pub(crate) fn warning(&self) -> Vec<String> {
        self.warning.iter().map(|warning| format!("  {warning}")).collect()
    }
}

impl Program {
    /// Whether it is called that, in whatever case.
    pub fn is_called(&self, name: &str) -> bool {
        [self.name, self.also].iter().any(|own| own.eq_ignore_ascii_case(name))
    }

    /// Whether you choose its cipher by what is measured.
    pub fn leaves_a_choice(&self) -> bool {
        matches!(self.choice, Choice::Free(_))
    }

    /// The lines that set what came out fastest on a CPU with or without AES instructions; `None` where there is nothing to choose, or
    /// `algorithm` is nothing that it has, or that it has in a slower form.
    pub fn setting(&self, algorithm: Algorithm, provider: &str, has_aes: bool) -> Option<Setting> {
        if self.overrated.as_ref().is_some_and(|own| own.algorithm == algorithm) {
            return None;
        }
        let prefers_aes = match algorithm {
            Algorithm::Aes256Gcm => true,
            Algorithm::ChaCha20Poly1305 => false,
            _ => return None,
        };
        match &self.choice {
            Choice::Free(setting) => Some(setting(Pick { prefers_aes, has_aes, provider })),
            Choice::None(_) | Choice::NotMeasured { .. } => None,
        }
    }
}
