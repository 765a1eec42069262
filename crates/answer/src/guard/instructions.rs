//! Instructions of a call on both sides. They explain a slowdown, and decide nothing: what takes more time and no more instructions is
//! another layout of the same code, or memory.

use ciphermeter_core::{Cell, Metric, Record, thousands};
use serde::Serialize;

use crate::regression::old_of;

/// Counts that are higher by less are not: what a call shares with others is divided among them.
const NO_MORE: f64 = 0.001;

/// What explains an alarm, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Explained {
    /// Instructions were counted.
    Counted(Instructions),
    /// They were not, and why.
    Unknown(String),
}

/// Instructions of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Instructions {
    /// What counted them.
    pub by: By,
    /// Those of the old side.
    pub old: u64,
    /// Those of the new side.
    pub new: u64,
    /// The code paths that were counted and timed, where these are different ones: then the counts explain nothing.
    pub paths: Option<[String; 2]>,
}

/// What counts instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// The CPU's own counters, in the samples that were timed.
    Counters,
    /// Valgrind's callgrind, which emulates a CPU, in processes of their own.
    Callgrind,
}

impl Instructions {
    /// Those of a cell and its old side by the CPU's counters; `None` without these.
    pub fn of_counters(cell: &Cell, records: &[Record]) -> Option<Self> {
        let call = |provider: &str| {
            let wanted = Cell { provider: provider.into(), ..cell.clone() };
            let record = records.iter().find(|record| record.cell == wanted)?;
            let samples = || record.forks.iter().flat_map(|fork| &fork.samples);
            let counted: Option<u64> = samples().map(|sample| sample.count(Metric::INSTRUCTIONS)).sum();
            let calls: u64 = samples().map(|sample| sample.iterations).sum();
            (calls > 0).then_some(counted?.checked_add(calls / 2)? / calls.max(1))
        };
        let (old, new) = (call(&old_of(&cell.provider))?, call(&cell.provider)?);
        Some(Self { by: By::Counters, old, new, paths: None })
    }

    fn are_no_more(&self) -> bool {
        self.new as f64 <= (1.0 + NO_MORE) * self.old as f64
    }

    /// `+0 instructions a call (44,092 → 44,092, by callgrind): layout or caches`.
    pub(super) fn in_words(&self) -> String {
        let by = match self.by {
            By::Counters => "by the CPU's counters",
            By::Callgrind => "by callgrind",
        };
        let more = if self.new < self.old { "−" } else { "+" };
        let more = format!("{more}{}", thousands(self.old.abs_diff(self.new)));
        let counts = format!("{more} instructions a call ({} → {}, {by})", thousands(self.old), thousands(self.new));
        match &self.paths {
            Some([counted, timed]) => {
                format!("{counts}, but on the code path {counted}, and {timed} was timed: that explains nothing")
            }
            None if self.are_no_more() => format!("{counts}: layout or caches"),
            None => counts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(old: u64, new: u64, paths: Option<[&str; 2]>) -> String {
        let paths = paths.map(|paths| paths.map(String::from));
        Instructions { by: By::Callgrind, old, new, paths }.in_words()
    }

    #[test]
    fn counts_that_are_no_higher_leave_layout_and_caches() {
        assert_eq!(
            words(44_092, 44_092, None),
            "+0 instructions a call (44,092 → 44,092, by callgrind): layout or caches"
        );
        assert_eq!(words(44_092, 44_904, None), "+812 instructions a call (44,092 → 44,904, by callgrind)");
        assert_eq!(words(1000, 990, None), "−10 instructions a call (1,000 → 990, by callgrind): layout or caches");
    }

    #[test]
    fn counts_of_another_code_path_explain_nothing() {
        let said = words(500, 500, Some(["aesni-avx", "vaes-avx512"]));
        assert!(
            said.ends_with("on the code path aesni-avx, and vaes-avx512 was timed: that explains nothing"),
            "{said}"
        );
    }
}
