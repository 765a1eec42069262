//! A library that has both AEADs: what sets the two apart, and its processes from each other.

use crate::model::Model;
use crate::models::Models;

/// The two AEADs of a library that has them: what sets ChaCha20 apart from AES.
#[derive(Debug, Clone, Copy)]
pub struct Ciphers {
    /// How many times as long a call takes.
    pub slower: f64,
    /// The same of setting a key up.
    pub slower_key: f64,
    /// How many times as long AES's calls take beside somebody else on the core, over what the model's `shared` says.
    pub shared: f64,
    pub processes: Processes,
}

/// How processes differ in each of the two, beside the model's spread.
#[derive(Debug, Clone, Copy)]
pub enum Processes {
    Alike,
    /// So many of a hundred take so many times as long.
    Levels(u32, f64),
    /// Each is like the one before: the correlation is 0.8, and the standard deviation of the logarithm this.
    Correlated(f64),
}

impl Models {
    /// How many times as long the calls of a cipher take in the process that starts.
    pub(super) fn process(&mut self, model: &Model, cipher: usize) -> f64 {
        match model.ciphers.map_or(Processes::Alike, |ciphers| ciphers.processes) {
            Processes::Alike => 1.0,
            Processes::Levels(share, times) if self.machine.uniform() * 100.0 < f64::from(share) => times,
            Processes::Levels(..) => 1.0,
            Processes::Correlated(deviation) => {
                let new = self.machine.normal();
                let state = self.states.entry((model.name.clone(), cipher)).or_insert(new);
                *state = 0.8 * *state + 0.6 * self.machine.normal();
                (deviation * *state).exp()
            }
        }
    }
}
