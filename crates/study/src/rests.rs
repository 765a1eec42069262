//! What a page rests on: the runs that answer, newer ones that do not, and wrong output.
//!
//! Promises: a run that is newer than an answer and measured its cells is named with the reason why it gave none; wrong output is named
//! with its cells.

use ciphermeter_core::{Cell, Outcome};

use crate::judge::{Missing, Pair};
use crate::run::{MeasuredRun, PassedOver};
use crate::words::{ELSEWHERE, OTHERS, named, passed_over, run_numbers};

/// The most cells with wrong output that are named for a run.
const MOST_CELLS: usize = 2;
/// The most characters of a reason on the first screen.
const MOST_REASON: usize = 80;

/// What answers of a page rest on, each run once.
#[derive(Default)]
pub(crate) struct Rests<'a> {
    pub(crate) used: Vec<&'a MeasuredRun>,
    passed_over: Vec<PassedOver>,
    wrong: Vec<(i64, Vec<&'a Cell>)>,
}

impl<'a> Rests<'a> {
    /// Adds an answer: the run that it rests on, its pairs, and the runs that were passed over for it.
    pub(crate) fn add(&mut self, run: &'a MeasuredRun, pairs: &[Pair], passed_over: &[PassedOver]) {
        if self.used.iter().all(|known| known.run.id != run.run.id) {
            self.used.push(run);
            self.used.sort_by_key(|run| run.run.id);
        }
        for one in passed_over {
            if self.passed_over.iter().all(|known| known.run != one.run) {
                self.passed_over.push(*one);
                self.passed_over.sort_by_key(|one| std::cmp::Reverse(one.run));
            }
        }
        let is_wrong = |cell: &Cell| {
            let wrong = pairs.iter().filter(|pair| pair.missing == Some(Missing::WrongOutput));
            wrong.flat_map(|pair| [&pair.left, &pair.right]).any(|known| known == cell)
        };
        let wrong = run.records.iter().filter(|record| matches!(record.outcome, Outcome::WrongOutput { .. }));
        for cell in wrong.map(|record| &record.cell).filter(|cell| is_wrong(cell)) {
            match self.wrong.iter_mut().find(|(id, _)| *id == run.run.id) {
                Some((_, cells)) if cells.contains(&cell) => {}
                Some((_, cells)) => cells.push(cell),
                None => self.wrong.push((run.run.id, vec![cell])),
            }
        }
    }

    /// Whether there is a run, and all are of this machine, measured as this build does.
    pub(crate) fn is_here(&self) -> bool {
        !self.used.is_empty() && self.used.iter().all(|run| run.elsewhere.is_none())
    }

    /// All of it, a sentence each.
    pub(crate) fn sentences(&self) -> Vec<String> {
        let (here, elsewhere): (Vec<_>, Vec<_>) = self.used.iter().copied().partition(|run| run.elsewhere.is_none());
        let mut lines = Vec::new();
        lines.extend(here.first().map(|first| format!("Here: {} on {}.", run_numbers(&ids(&here)), cpu(first))));
        lines.extend(self.newer());
        let reason = |run: &MeasuredRun| brief(run.elsewhere.as_deref().unwrap_or_default());
        for others in elsewhere.chunk_by(|a, b| (cpu(a), reason(a)) == (cpu(b), reason(b))) {
            let (numbers, cpu, reason) = (run_numbers(&ids(others)), cpu(others[0]), reason(others[0]));
            lines.push(format!("{ELSEWHERE} {OTHERS}: {numbers} on {cpu} ({reason})."));
        }
        lines.extend(self.wrong());
        lines
    }

    /// The same in brief: what a reader must know of the verdicts, a sentence each.
    pub(crate) fn cautions(&self) -> Vec<String> {
        let elsewhere: Vec<_> = self.used.iter().copied().filter(|run| run.elsewhere.is_some()).collect();
        let others = (!elsewhere.is_empty()).then(|| format!("{OTHERS}: {}.", run_numbers(&ids(&elsewhere))));
        others.into_iter().chain(self.newer()).chain(self.wrong()).collect()
    }

    /// `Newer, but incomplete: run 2 (fewer than 6 undisturbed forks).`
    fn newer(&self) -> Option<String> {
        let each: Vec<_> = self.passed_over.iter().map(passed_over).collect();
        (!each.is_empty()).then(|| format!("Newer, but incomplete: {}.", each.join(", ")))
    }

    /// `Wrong output in run 2: openssl aes-256-gcm seal 1 KiB. Older runs do not answer instead.`
    fn wrong(&self) -> impl Iterator<Item = String> {
        self.wrong.iter().map(|(run, cells)| {
            let first: Vec<_> = cells.iter().take(MOST_CELLS).map(|cell| named(cell)).collect();
            let more = match cells.len().saturating_sub(MOST_CELLS) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("Wrong output in run {run}: {}{more}. Older runs do not answer instead.", first.join(", "))
        })
    }
}

/// The first of several reasons, and no more of a long one than a line holds: a CPU's features are hundreds of words.
fn brief(why: &str) -> String {
    let first = why.split("; ").next().unwrap_or(why);
    let start: String = first.chars().take(MOST_REASON).collect();
    if start.len() < first.len() { start + "…" } else { start }
}

fn ids(runs: &[&MeasuredRun]) -> Vec<i64> {
    runs.iter().map(|run| run.run.id).collect()
}

fn cpu(run: &MeasuredRun) -> &str {
    run.run.fact("cpu").unwrap_or("an unknown CPU")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_reason_takes_no_screen() {
        let long = format!("other host: features {}", "aes ".repeat(100));
        assert_eq!(brief(&long).chars().count(), MOST_REASON + 1);
        assert_eq!(brief("other host: cpu A ≠ B; features C ≠ D"), "other host: cpu A ≠ B");
    }
}
