//! One way of transferring the file, and its turns.

use anyhow::{Context, Result};

use super::mover::{Mover, Span, To, Took};
use super::place::Place;

/// One way of transferring the file, and its turns.
pub struct Entry<'a> {
    pub name: String,
    pub to: To,
    pub span: Span,
    pub mover: Box<dyn Mover + 'a>,
    pub turns: Vec<Took>,
}

impl Entry<'_> {
    /// Transfers the file once more.
    pub fn turn(&mut self, place: &Place) -> Result<()> {
        let took = self.mover.move_file(place, self.to);
        self.turns.push(took.with_context(|| format!("{}, {}", self.name, self.to))?);
        Ok(())
    }

    /// The turns in seconds.
    pub fn seconds(&self) -> Vec<f64> {
        self.turns.iter().map(|took| took.time.as_secs_f64()).collect()
    }
}
