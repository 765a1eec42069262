//! The timed loop: it repeats one call, checks the result of each, and does nothing else.
//!
//! A task is created from a closure, and its loop is compiled for that closure alone: it contains no virtual call, no
//! reading of a clock and no allocation except the library's own.

use std::fmt;

use crate::job::{Call, Job};

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failed {
    /// The text did not authenticate, or its padding is wrong.
    Rejected,
    /// The library refused a step that must succeed.
    Library(&'static str),
    /// It produced a wrong number of bytes.
    Length(usize),
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected => f.write_str("the library rejected its own sealed text"),
            Self::Library(step) => write!(f, "the library failed at {step}"),
            Self::Length(given) => write!(f, "the library gave {given} bytes, which is the wrong number"),
        }
    }
}

/// Something to repeat.
pub trait Task {
    /// Does iterations `first` to `first + count - 1`; on an error those after it are not done.
    fn run(&mut self, job: &mut Job<'_>, first: u64, count: u64) -> Result<(), Failed>;
}

/// A task whose call writes into the job's buffers and returns how many bytes it produced, without the tag.
pub fn each<F>(call: F) -> Box<dyn Task>
where
    F: FnMut(Call<'_>) -> Result<usize, Failed> + 'static,
{
    Box::new(Each(call))
}

/// A task whose call allocates its output, the tag included. Outputs are released within the timing: each call releases
/// that of the call before, so the last output stays for the digest.
pub fn fresh<F>(call: F) -> Box<dyn Task>
where
    F: FnMut(Call<'_>) -> Result<Vec<u8>, Failed> + 'static,
{
    Box::new(Fresh(call))
}

/// A task that creates an object from another raw key each time and releases it.
pub fn key_setup<F, T>(make: F) -> Box<dyn Task>
where
    F: Fn(&[u8]) -> Option<T> + 'static,
{
    each(move |call| {
        let object = std::hint::black_box(make(call.nonce));
        object.map(|_| 0).ok_or(Failed::Library("setting up a key"))
    })
}

struct Each<F>(F);

impl<F: FnMut(Call<'_>) -> Result<usize, Failed>> Task for Each<F> {
    #[inline(never)]
    fn run(&mut self, job: &mut Job<'_>, first: u64, count: u64) -> Result<(), Failed> {
        for i in first..first + count {
            let given = self.0(job.call(i))?;
            job.given = given;
            if job.expected.is_some_and(|expected| expected != given) {
                return Err(Failed::Length(given));
            }
        }
        Ok(())
    }
}

struct Fresh<F>(F);

impl<F: FnMut(Call<'_>) -> Result<Vec<u8>, Failed>> Task for Fresh<F> {
    #[inline(never)]
    fn run(&mut self, job: &mut Job<'_>, first: u64, count: u64) -> Result<(), Failed> {
        for i in first..first + count {
            drop(std::mem::take(job.fresh));
            let output = self.0(job.call(i))?;
            job.given = output.len();
            *job.fresh = output;
            if job.expected.is_some_and(|expected| expected != job.given) {
                return Err(Failed::Length(job.given));
            }
        }
        Ok(())
    }
}
