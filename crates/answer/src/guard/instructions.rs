//! Instructions of a call on both sides. They explain a slowdown, and decide nothing: what takes more time and no more instructions on the
//! same code path has slower ones, another layout, or waits for memory.

use ciphermeter_core::{Against, Cell, Metric, Record, escaped, known_path, thousands};
use serde::Serialize;

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
    pub by: Counter,
    /// Those of the old side.
    pub old: SideCount,
    /// Those of the new side.
    pub new: SideCount,
}

/// What counts instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counter {
    /// The CPU's own counters, in the samples that were timed.
    Counters,
    /// Valgrind's callgrind, which emulates a CPU, in processes of their own.
    Callgrind,
}

/// Instructions of a call of one side, and the code paths that were timed and counted; `None` where the worker does not name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SideCount {
    instructions: u64,
    timed: Option<String>,
    counted: Option<String>,
}

impl SideCount {
    /// Of a timed record, whose call has so many instructions on the code path that was counted.
    pub fn new(timed: &Record, instructions: u64, counted: &str) -> Self {
        let counted = known_path(counted).map(String::from);
        Self { instructions, timed: path(timed), counted }
    }

    /// The paths that were counted and timed, if these are different ones.
    fn other(&self) -> Option<[&str; 2]> {
        let both = [self.counted.as_deref()?, self.timed.as_deref()?];
        (both[0] != both[1]).then_some(both)
    }
}

fn path(record: &Record) -> Option<String> {
    record.provenance.as_ref().and_then(|from| known_path(&from.path)).map(String::from)
}

impl Instructions {
    /// Those of a cell and its old side by the CPU's counters; `None` without these.
    pub fn of_counters(cell: &Cell, records: &[Record]) -> Option<Self> {
        let call = |provider: String| {
            let wanted = Cell { provider, ..cell.clone() };
            let record = records.iter().find(|record| record.cell == wanted)?;
            let samples = || record.forks.iter().flat_map(|fork| &fork.samples);
            let counted: Option<u64> = samples().map(|sample| sample.count(Metric::INSTRUCTIONS)).sum();
            let calls: u64 = samples().map(|sample| sample.iterations).sum();
            let instructions = (calls > 0).then_some(counted?.checked_add(calls / 2)? / calls.max(1))?;
            Some(SideCount { instructions, timed: path(record), counted: path(record) })
        };
        let (old, new) = (call(Against::old(&cell.provider))?, call(cell.provider.clone())?);
        Some(Self { by: Counter::Counters, old, new })
    }

    fn are_no_more(&self) -> bool {
        self.new.instructions as f64 <= (1.0 + NO_MORE) * self.old.instructions as f64
    }

    /// The code paths that were timed, old first, if these are different ones.
    fn changed_path(&self) -> Option<[&str; 2]> {
        let both = [self.old.timed.as_deref()?, self.new.timed.as_deref()?];
        (both[0] != both[1]).then_some(both)
    }

    fn is_known(&self) -> bool {
        [&self.old, &self.new].iter().all(|side| side.timed.is_some() && side.counted.is_some())
    }

    /// `+0 instructions a call (44,092 → 44,092, by callgrind): slower ones, layout or caches`.
    pub(super) fn in_words(&self) -> String {
        let counts = self.counts();
        let other = self.new.other().or_else(|| self.old.other()).map(|both| both.map(escaped));
        match (self.changed_path().map(|both| both.map(escaped)), other) {
            (Some([old, new]), None) => format!("code path {old} → {new}, {counts}"),
            (Some([old, new]), Some([counted, _])) => {
                format!("code path {old} → {new}; {counts}, counted on the code path {counted}, explain nothing")
            }
            (None, Some([counted, timed])) => {
                format!("{counts}, but on the code path {counted}, and {timed} was timed: that explains nothing")
            }
            (None, None) if self.is_known() && self.are_no_more() => format!("{counts}: slower ones, layout or caches"),
            (None, None) if self.are_no_more() => {
                format!("{counts}: slower ones, layout, caches, or another code path, as the worker does not name it")
            }
            (None, None) if self.is_known() || self.by == Counter::Counters => counts,
            (None, None) => format!("{counts}, perhaps on another code path than the timed one: the worker names none"),
        }
    }

    fn counts(&self) -> String {
        let (old, new) = (self.old.instructions, self.new.instructions);
        let by = match self.by {
            Counter::Counters => "by the CPU's counters",
            Counter::Callgrind => "by callgrind",
        };
        let sign = if new < old { "−" } else { "+" };
        let more = thousands(old.abs_diff(new));
        format!("{sign}{more} instructions a call ({} → {}, {by})", thousands(old), thousands(new))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A side with so many instructions, and its paths timed and counted.
    type Given = (u64, Option<&'static str>, Option<&'static str>);

    const AESNI: Option<&str> = Some("aesni");
    const VAES: Option<&str> = Some("vaes-avx512");

    fn words(by: Counter, old: Given, new: Given) -> String {
        let side = |(instructions, timed, counted): Given| SideCount {
            instructions,
            timed: timed.map(String::from),
            counted: counted.map(String::from),
        };
        Instructions { by, old: side(old), new: side(new) }.in_words()
    }

    #[test]
    fn counts_that_are_no_higher_leave_layout_and_caches() {
        let words = |old, new| words(Counter::Callgrind, (old, AESNI, AESNI), (new, AESNI, AESNI));
        assert_eq!(
            words(44_092, 44_092),
            "+0 instructions a call (44,092 → 44,092, by callgrind): slower ones, layout or caches"
        );
        assert_eq!(words(44_092, 44_904), "+812 instructions a call (44,092 → 44,904, by callgrind)");
        assert_eq!(
            words(1000, 990),
            "−10 instructions a call (1,000 → 990, by callgrind): slower ones, layout or caches"
        );
    }

    #[test]
    fn counts_of_another_code_path_explain_nothing() {
        for (old, new) in [((500, VAES, AESNI), (500, VAES, AESNI)), ((500, VAES, AESNI), (500, VAES, VAES))] {
            let said = words(Counter::Callgrind, old, new);
            assert!(
                said.ends_with("on the code path aesni, and vaes-avx512 was timed: that explains nothing"),
                "{said}"
            );
        }
    }

    #[test]
    fn change_of_the_code_path_is_named_before_the_counts() {
        assert_eq!(
            words(Counter::Callgrind, (500, VAES, AESNI), (500, AESNI, AESNI)),
            "code path vaes-avx512 → aesni; +0 instructions a call (500 → 500, by callgrind), counted on the code path aesni, explain nothing"
        );
        assert_eq!(
            words(Counter::Counters, (500, VAES, VAES), (900, AESNI, AESNI)),
            "code path vaes-avx512 → aesni, +400 instructions a call (500 → 900, by the CPU's counters)"
        );
    }

    #[test]
    fn code_paths_that_are_not_named_may_be_different_ones() {
        let equal = words(Counter::Counters, (500, None, None), (500, None, None));
        assert!(equal.ends_with("layout, caches, or another code path, as the worker does not name it"), "{equal}");
        let more = words(Counter::Callgrind, (500, None, None), (600, None, None));
        assert!(more.ends_with("perhaps on another code path than the timed one: the worker names none"), "{more}");
        let counted = words(Counter::Counters, (500, None, None), (600, None, None));
        assert!(counted.ends_with("(500 → 600, by the CPU's counters)"), "{counted}");
    }
}
