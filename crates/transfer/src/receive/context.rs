//! What the attempts at a transfer work with, and what they may have in common.

use std::cell::Cell;
use std::sync::Arc;

use super::destination::Destination;
use super::door::Door;
use super::options::ReceiveOptions;
use super::user::User;
use crate::Error;
use crate::progress::Progress;
use crate::timed::Times;

/// What an attempt works with.
pub(super) struct AttemptContext<'a> {
    pub(super) door: &'a Door,
    pub(super) destination: &'a Destination,
    pub(super) options: &'a ReceiveOptions,
    /// The times of the options, within the user's patience.
    pub(super) times: Times,
    pub(super) user: &'a dyn User,
    pub(super) progress: &'a Arc<Progress>,
    /// Whether the user was asked since this was last read. The answer may take any time and is no delay of either end.
    pub(super) asked: Cell<bool>,
    /// How many attempts ended with damaged bytes.
    pub(super) damaged: Cell<u32>,
}

/// After so many attempts that ended with damaged bytes, the next one ends the transfer. Each has keys of its own, so an
/// attacker has as many guesses at a tag, and no more.
const MOST_DAMAGED: u32 = 3;

impl AttemptContext<'_> {
    /// Whether the sender may come back after an attempt that ended so.
    pub(super) fn forgives(&self, error: &Error) -> bool {
        let is_passing = error.is_lost() || error.is_damage() && self.damaged.get() < MOST_DAMAGED;
        is_passing && !self.destination.is_pipe()
    }
}
