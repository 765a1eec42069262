//! The timed loop: it repeats one call, checks the result of each, and does nothing else.
//!
//! It is created from a closure and compiled for that closure alone: it contains no virtual call, no reading of a clock
//! and no allocation except the library's own.

use std::fmt;

use crate::loop_buffers::{CallArguments, LoopBuffers};

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failed {
    /// The text did not authenticate, or its padding is wrong.
    Rejected,
    /// The library refused a step that must succeed.
    Library(&'static str),
    /// It produced a wrong number of bytes.
    Length(usize),
    /// A file of a split message: what failed.
    File(String),
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected => f.write_str("the library rejected its own sealed text"),
            Self::Library(step) => write!(f, "the library failed at {step}"),
            Self::File(why) => f.write_str(why),
            Self::Length(produced) => write!(f, "the library gave {produced} bytes, which is the wrong number"),
        }
    }
}

/// A call to repeat.
pub trait TimedLoop {
    /// Does iterations `first` to `first + count - 1`; on an error those after it are not done.
    fn run(&mut self, buffers: &mut LoopBuffers<'_>, first: u64, count: u64) -> Result<(), Failed>;
}

/// A loop whose call writes into the loop's buffers and returns how many bytes it produced, without the tag.
pub fn writing_loop<F>(call: F) -> Box<dyn TimedLoop>
where
    F: FnMut(CallArguments<'_>) -> Result<usize, Failed> + 'static,
{
    Box::new(WritingLoop(call))
}

/// A loop whose call allocates its output, the tag included. Outputs are released within the timing: each call releases
/// that of the call before, so the last output stays for the digest.
pub fn allocating_loop<F>(call: F) -> Box<dyn TimedLoop>
where
    F: FnMut(CallArguments<'_>) -> Result<Vec<u8>, Failed> + 'static,
{
    Box::new(AllocatingLoop(call))
}

/// A loop that creates an object from another raw key each time and releases it.
pub fn key_setup_loop<F, T>(make: F) -> Box<dyn TimedLoop>
where
    F: Fn(&[u8]) -> Option<T> + 'static,
{
    writing_loop(move |call| {
        let object = std::hint::black_box(make(call.nonce));
        object.map(|_| 0).ok_or(Failed::Library("setting up a key"))
    })
}

struct WritingLoop<F>(F);

impl<F: FnMut(CallArguments<'_>) -> Result<usize, Failed>> TimedLoop for WritingLoop<F> {
    #[inline(never)]
    fn run(&mut self, buffers: &mut LoopBuffers<'_>, first: u64, count: u64) -> Result<(), Failed> {
        for i in first..first + count {
            let produced = self.0(buffers.call(i))?;
            buffers.produced = produced;
            if buffers.expected.is_some_and(|expected| expected != produced) {
                return Err(Failed::Length(produced));
            }
        }
        Ok(())
    }
}

struct AllocatingLoop<F>(F);

impl<F: FnMut(CallArguments<'_>) -> Result<Vec<u8>, Failed>> TimedLoop for AllocatingLoop<F> {
    #[inline(never)]
    fn run(&mut self, buffers: &mut LoopBuffers<'_>, first: u64, count: u64) -> Result<(), Failed> {
        for i in first..first + count {
            drop(std::mem::take(buffers.fresh));
            let output = self.0(buffers.call(i))?;
            buffers.produced = output.len();
            *buffers.fresh = output;
            if buffers.expected.is_some_and(|expected| expected != buffers.produced) {
                return Err(Failed::Length(buffers.produced));
            }
        }
        Ok(())
    }
}
