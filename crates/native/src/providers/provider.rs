//! The worker's interface to a provider.

use ciphermeter_core::{Algorithm, Form, Operation, Setup};

use super::opened;
use crate::split::part::{CounterCipher, PartCipher};
use crate::timed_loop::TimedLoop;

/// A library that implements algorithms.
pub trait Provider {
    /// What it offers on this machine, one entry an algorithm.
    fn offers(&self) -> Vec<Offered>;

    /// Creates the timed loop for one of its offers, from keys and nonces of the right lengths. The error is the reason
    /// why the library does not support it.
    fn timed_loop(&self, parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported>;

    /// Creates what encrypts parts of a split message: in place where the form is `in-place`, otherwise `into`.
    fn part_cipher(&self, parameters: &LoopParameters<'_>) -> Result<Box<dyn PartCipher>, Unsupported> {
        Ok(Box::new(CounterCipher::new(self.timed_loop(parameters)?)))
    }

    /// Why it does not set up so many keys at once, if it cannot within a request's time.
    fn refuses_keys(&self, _keys: u64) -> Option<String> {
        None
    }

    /// Which of its algorithms are missing here, and why.
    fn absences(&self) -> Vec<String> {
        Vec::new()
    }

    /// The file of a library opened at run time, and its SHA-256 in hex.
    fn file(&self) -> Option<opened::File> {
        None
    }
}

/// One algorithm that a provider has.
#[derive(Debug, Clone)]
pub struct Offered {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The version that runs.
    pub version: String,
    /// The forms that the library really has.
    pub forms: &'static [Form],
    /// Code path on this CPU.
    pub path: &'static str,
    /// Whether the key is set up within each call.
    pub setup: Setup,
}

impl Offered {
    /// Whether it has a form, split or not.
    pub fn has_form(&self, form: Form) -> bool {
        self.forms.contains(&form) || self.split_forms().any(|split| split == form)
    }

    /// The split forms that it has: a library that encrypts in place encrypts its slice of a message in place.
    pub fn split_forms(&self) -> impl Iterator<Item = Form> + '_ {
        let is_ceiling = self.algorithm.is_ceiling();
        let has = move |form: &Form| match form {
            Form::Static | Form::Dynamic | Form::Buffered | Form::Direct => {
                is_ceiling || self.forms.contains(&Form::InPlace)
            }
            // Decrypting is done in place.
            Form::Mapped => is_ceiling || [Form::Into, Form::InPlace].iter().all(|form| self.forms.contains(form)),
            _ => false,
        };
        Form::SPLIT.iter().copied().filter(|form| self.algorithm.has_form(*form)).filter(has)
    }

    /// Whether it covers an operation. If the key is set up inside every call, set-up cannot be timed separately. Files
    /// are transferred by another worker.
    pub fn has(&self, operation: Operation) -> bool {
        let calls = self.algorithm.has(operation) && operation != Operation::Transfer;
        calls && (operation != Operation::KeySetup || self.setup == Setup::Outside)
    }
}

/// What a timed loop must do.
#[derive(Debug, Clone, Copy)]
pub struct LoopParameters<'a> {
    /// What is called.
    pub algorithm: Algorithm,
    /// In which direction, or the key's set-up.
    pub operation: Operation,
    /// Where the output goes.
    pub form: Form,
    /// The raw key; empty for `key-setup`, whose calls have their own.
    pub key: &'a [u8],
    /// Message bytes.
    pub message: usize,
    /// Bytes of aad.
    pub aad: usize,
}

impl LoopParameters<'_> {
    /// Whether it seals or encrypts.
    pub fn seals(&self) -> bool {
        matches!(self.operation, Operation::Seal | Operation::Encrypt)
    }
}

/// Why a library does not support something.
#[derive(Debug, Clone)]
pub struct Unsupported(pub String);

impl Unsupported {
    /// The reason for an algorithm that is not offered.
    pub fn algorithm(algorithm: Algorithm) -> Self {
        Self(format!("it has no {algorithm}"))
    }
}

/// The operations of an offer, ceilings' included.
pub fn operations(offered: &Offered) -> impl Iterator<Item = Operation> + '_ {
    Operation::ALL.iter().copied().filter(|operation| offered.has(*operation))
}

/// Whether an algorithm has outputs that can be checked.
pub fn has_output(algorithm: Algorithm) -> bool {
    !algorithm.is_ceiling()
}
