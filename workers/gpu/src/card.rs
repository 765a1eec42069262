//! What a provider implements: a card that prepares jobs, and messages that lie on it or go through it.

use ciphermeter_core::{Algorithm, Form};

use crate::text::Text;

/// A provider, and how to open its card: the error says why there is none and what to do.
pub struct Provider {
    /// Its name.
    pub name: &'static str,
    /// Opens the card.
    pub open: fn() -> Result<Box<dyn Card>, String>,
}

/// What is done to each message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    /// AES-256 in counter mode, under this key.
    Ctr([u8; 32]),
    /// XOR with this key, repeated; not empty.
    Xor(Vec<u8>),
    /// Every byte is inverted.
    Invert,
    /// On the card it is copied to a second buffer, otherwise to the card and back.
    Copy,
    /// It is copied to the card.
    CopyIn,
    /// As many bytes are copied back.
    CopyOut,
}

impl Work {
    /// The work of an algorithm under a key; `None` for algorithms that no card does.
    pub fn new(algorithm: Algorithm, key: Vec<u8>) -> Result<Self, Refused> {
        Ok(match algorithm {
            Algorithm::Aes256Ctr => Self::Ctr(
                key.try_into().map_err(|key: Vec<u8>| Refused::Unsupported(format!("key of {} bytes", key.len())))?,
            ),
            Algorithm::Xor if key.is_empty() => return Err(Refused::Unsupported("key of 0 bytes".into())),
            Algorithm::Xor => Self::Xor(key),
            Algorithm::ReadModifyWrite => Self::Invert,
            Algorithm::Memcpy => Self::Copy,
            Algorithm::CopyIn => Self::CopyIn,
            Algorithm::CopyOut => Self::CopyOut,
            _ => return Err(Refused::Unsupported(format!("a card has no {algorithm}"))),
        })
    }

    /// Whether a kernel runs over the message.
    pub fn has_kernel(&self) -> bool {
        matches!(self, Self::Ctr(_) | Self::Xor(_) | Self::Invert)
    }

    /// Whether the message goes to the card.
    pub fn copies_in(&self) -> bool {
        !matches!(self, Self::CopyOut)
    }

    /// Whether it comes back.
    pub fn copies_out(&self) -> bool {
        !matches!(self, Self::CopyIn)
    }
}

/// What a cell is to do.
#[derive(Debug, Clone)]
pub struct Job {
    /// To each message.
    pub work: Work,
    /// One of a card's forms.
    pub form: Form,
    /// Bytes of the message.
    pub bytes: u64,
    /// Whether it has other buffers than cells, so that what the latest sample left stays: for vectors.
    pub apart: bool,
}

/// Why something is not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// It cannot be, here.
    Unsupported(String),
    /// It failed: what, and what to do.
    Failed(String),
}

/// What a process takes before it can encrypt, in nanoseconds.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cold {
    /// Opening the driver, the card and a context on it.
    pub context_ns: u64,
    /// Compiling the kernels.
    pub compile_ns: u64,
}

/// A card that is open.
pub trait Card {
    /// Library, driver and card.
    fn version(&self) -> String;

    /// The code path of an algorithm.
    fn path(&self, algorithm: Algorithm) -> String;

    /// What opening took.
    fn cold(&self) -> Cold;

    /// Makes a job ready. The buffers are the card's: all cells share them, and they belong to the one that was set up
    /// last. So do all vectors theirs.
    fn prepare(&self, job: Job) -> Result<Box<dyn Message>, Refused>;

    /// A number that changes when buffers of cells are replaced, so that what lay in them is lost.
    fn generation(&self) -> u64;
}

/// A message and what is done to it. Errors say what failed and what to do.
pub trait Message {
    /// Sets the buffers up.
    fn set_up(&mut self, text: &Text) -> Result<(), String>;

    /// Does one iteration for each initial counter block, each on what the previous one left, and returns when the last
    /// is done. The blocks matter to [`Work::Ctr`] only.
    fn run(&mut self, counters: &mut dyn Iterator<Item = u128>) -> Result<(), String>;

    /// Reads what the last iteration left from byte `at` on; not beyond the message.
    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<(), String>;

    /// What allocating and pinning the host's memory took, in nanoseconds.
    fn pin_ns(&self) -> u64;
}
