//! The results of checks, and the printed lines: `ok`, `FAILED`, `skipped`.

use std::io::{self, Write};

/// Why a check did not pass.
#[derive(Clone, Debug)]
pub enum Fault {
    /// What was expected, and what was received.
    Failed(String),
    /// No answer in time; the rest of the session with this process is void.
    Hung(String),
    /// Why the check does not apply to this worker.
    Skipped(String),
}

/// A check's result: nothing, or a fault.
pub type Check = Result<(), Fault>;

/// Shorthand for a failed check.
pub fn failed<T>(why: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Failed(why.into()))
}

/// Fails with `why` unless `condition` holds.
pub fn ensure(condition: bool, why: impl FnOnce() -> String) -> Check {
    if condition { Ok(()) } else { failed(why()) }
}

/// How many checks passed, failed and were skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Checks that passed.
    pub passed: u32,
    /// Checks that failed.
    pub failed: u32,
    /// Checks that do not apply to this worker.
    pub skipped: u32,
}

impl Tally {
    /// Prints one check's line and counts it.
    pub fn record(&mut self, out: &mut dyn Write, title: &str, result: &Check) -> io::Result<()> {
        match result {
            Ok(()) => {
                self.passed += 1;
                writeln!(out, "ok       {title}")?;
            }
            Err(Fault::Failed(why) | Fault::Hung(why)) => {
                self.failed += 1;
                writeln!(out, "FAILED   {title}: {why}")?;
            }
            Err(Fault::Skipped(why)) => {
                self.skipped += 1;
                writeln!(out, "skipped  {title}: {why}")?;
            }
        }
        out.flush()
    }

    /// Prints the closing line.
    pub fn close(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// The text, cut to the part that a reader needs, with control characters escaped.
pub fn clip(text: &str) -> String {
    const SHOWN: usize = 240;
    let shown: String = text.chars().take(SHOWN).flat_map(char::escape_default).collect();
    let shown = shown.replace("\\\"", "\"").replace("\\'", "'");
    if text.chars().nth(SHOWN).is_some() { format!("{shown}… ({} bytes)", text.len()) } else { shown }
}
