//! What arrives in an attempt: for a folder, or for a pipe.

use std::io::Read;

use super::arrivals::Arrivals;
use super::pipe::PipeArrivals;
use super::stream;
use crate::Error;
use crate::arrived::Spared;
use crate::key::StreamKeys;
use crate::piece::Piece;
use crate::spent::Spent;
use crate::suite::Suite;

/// Where the pieces of an attempt go.
pub(super) enum Incoming {
    /// Into files, or nowhere.
    Files(Box<Arrivals>),
    /// To a pipe.
    Pipe(PipeArrivals),
}

impl Incoming {
    /// Receives a data connection to its end.
    pub(super) fn run(&self, from: impl Read, suite: Suite, keys: &StreamKeys) -> Result<Spent, Error> {
        match self {
            Self::Files(arrivals) => stream::run(from, suite, keys, &&**arrivals),
            Self::Pipe(arrivals) => stream::run(from, suite, keys, &arrivals),
        }
    }

    /// Whether it goes to a pipe.
    pub(super) const fn is_pipe(&self) -> bool {
        matches!(self, Self::Pipe(_))
    }

    /// Whether it is as slow as what produces it.
    pub(super) const fn is_stream(&self) -> bool {
        match self {
            Self::Files(_) => false,
            Self::Pipe(arrivals) => arrivals.is_stream(),
        }
    }

    /// From now on no piece begins or ends.
    pub(super) fn close(&self) {
        match self {
            Self::Files(arrivals) => arrivals.close(),
            Self::Pipe(arrivals) => arrivals.close(),
        }
    }

    /// What was written since the last call and is to be synced.
    pub(super) fn take_unsynced(&self) -> Vec<Piece> {
        match self {
            Self::Files(arrivals) => arrivals.take_unsynced(),
            Self::Pipe(_) => Vec::new(),
        }
    }

    /// What was not on the wire, by the numbers of accepted files.
    pub(super) fn take_spared(&self) -> Spared {
        match self {
            Self::Files(arrivals) => arrivals.take_spared(),
            Self::Pipe(arrivals) => arrivals.spared(),
        }
    }

    /// Whether a file of the attempt's offer misses no byte, once all data connections have ended.
    pub(super) fn is_complete(&self, number: u32) -> bool {
        match self {
            Self::Files(arrivals) => arrivals.is_complete(number),
            Self::Pipe(arrivals) => arrivals.is_complete(number),
        }
    }
}
