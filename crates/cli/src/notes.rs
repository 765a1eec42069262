//! What a reader should know of a whole run, below its answer on standard error: what is missing, and with `--verbose` all else.

use std::io::{self, IsTerminal};

use ciphermeter_core::{Record, Run};
use ciphermeter_terminal::output::{screen, tell, wrapped};

use crate::args::DetailOptions;

/// The most lines that they take of a first screen, and those that are left where a command shows the others.
const MOST: usize = 4;
const BESIDE_COMMAND: usize = 2;

/// Each note, and how many lines of a terminal they take together.
#[derive(Default)]
pub struct Notes {
    notes: Vec<String>,
    lines: usize,
}

impl Notes {
    /// Those of a run: on a terminal that shows its first screen, as many as there is room for.
    pub fn of(run: &Run, records: &[Record], detail: DetailOptions) -> Self {
        let notes = ciphermeter_report::notes(run, records, detail.verbose);
        let is_first = !detail.verbose && !detail.all && !detail.costs && io::stderr().is_terminal();
        if !is_first {
            return Self { notes, lines: 0 };
        }
        let width = screen().width;
        let more = |count: usize| {
            let plural = if count == 1 { "" } else { "s" };
            format!("{count} more note{plural}: {}", run.command(&format!("show {} --verbose", run.id)))
        };
        let notes = within(notes, |note| wrapped(note, width).lines().count(), more);
        let lines = notes.iter().map(|note| wrapped(note, width).lines().count()).sum();
        Self { notes, lines }
    }

    /// The lines that they take of a screen; none where nothing is on it.
    pub const fn lines(&self) -> usize {
        self.lines
    }

    /// Prints them.
    pub fn tell(&self) {
        self.notes.iter().for_each(|note| tell(note));
    }
}

/// As many as fit, and what says how many `more` there are.
fn within(notes: Vec<String>, lines: impl Fn(&str) -> usize, more: impl Fn(usize) -> String) -> Vec<String> {
    let all = notes.len();
    if notes.iter().map(|note| lines(note)).sum::<usize>() <= MOST {
        return notes;
    }
    let mut taken = 0;
    let fits = |note: &String| {
        taken += lines(note);
        taken <= BESIDE_COMMAND
    };
    let mut kept: Vec<String> = notes.into_iter().take_while(fits).collect();
    kept.push(more(all - kept.len()));
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_beyond_four_lines_are_counted() {
        let kept = |lengths: &[usize]| {
            let notes = lengths.iter().map(|lines| "x".repeat(*lines)).collect();
            within(notes, str::len, |more| format!("{more} more"))
        };
        assert_eq!(kept(&[1, 1, 2]), ["x", "x", "xx"]);
        assert_eq!(kept(&[1, 1, 1, 1, 1]), ["x", "x", "3 more"]);
        assert_eq!(kept(&[5]), ["1 more"]);
        assert!(kept(&[]).is_empty());
    }
}
