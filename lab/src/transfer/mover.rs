//! A way of transferring the file: its turn, and the meaning of its time.

use std::fmt;
use std::time::Duration;

use anyhow::Result;

use super::place::Place;

/// How long a worker may take for one request.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// Where bytes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum To {
    Nowhere,
    File,
}

impl fmt::Display for To {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nowhere => "thrown away",
            Self::File => "to a file",
        })
    }
}

/// What a mover's time covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// From the start of the sending process to the receipt; for programs without a receipt, to the end of both
    /// processes.
    Processes,
    /// Between running processes, from when data may flow to the receipt, without the handshake.
    Bytes,
}

/// How long a turn took.
#[derive(Debug, Clone, Copy)]
pub struct Took {
    pub time: Duration,
    /// Of that, inside the sender's cipher, where it is known.
    pub seal: Option<Duration>,
}

impl From<Duration> for Took {
    fn from(time: Duration) -> Self {
        Self { time, seal: None }
    }
}

/// A way of transferring the file.
pub trait Mover {
    /// Transfers it once.
    fn move_file(&mut self, place: &Place, to: To) -> Result<Took>;
}

/// A mover, or why there is none.
pub struct Found<'a> {
    pub name: String,
    pub span: Span,
    pub mover: Result<Box<dyn Mover + 'a>>,
}

impl<'a> Found<'a> {
    pub fn new(name: &str, span: Span, mover: Result<impl Mover + 'a>) -> Self {
        Self { name: name.into(), span, mover: mover.map(|mover| Box::new(mover) as Box<dyn Mover + 'a>) }
    }
}
