//! What stands below the sentences of the first screen, as large as there is room for.

use ciphermeter_answer::pair::PairAnswer;
use ciphermeter_answer::regression::Stored;
use ciphermeter_answer::{About, Answer};

use crate::other_metrics::metric_blocks;
use crate::screen::{bars, languages, libraries, pair, plain, versions};
use crate::styled_line::StyledLine;

/// What stands below the sentences of the first screen.
#[derive(Default)]
pub(crate) struct Drawing {
    pub(crate) table: Vec<StyledLine>,
    pub(crate) picture: Vec<StyledLine>,
    /// How many comparisons the intervals hold for, and how many of them are shown.
    pub(crate) comparisons: (usize, usize),
}

/// Draws it in so many rows, bars and columns.
pub(crate) type Pictures<'a> = Box<dyn Fn(usize, usize, usize) -> Drawing + 'a>;

/// A table and bars of what the answer is about, or a row for each cell.
pub(super) fn pictures<'a>(of: Stored<'a>, answer: &'a Answer) -> Pictures<'a> {
    Box::new(move |rows, bars, width| match &answer.about {
        Some(About::Ciphers(pair)) => of_ciphers(pair, rows, bars, width),
        Some(About::Libraries(answer)) => {
            Drawing { table: libraries::table(answer, rows + bars, width), ..Drawing::default() }
        }
        Some(About::Versions(answer)) => {
            let (table, shown) = versions::table(answer, rows + bars, width);
            Drawing { table, comparisons: (answer.comparisons, shown), ..Drawing::default() }
        }
        _ => Drawing { table: cells_table(of, rows + bars, width), ..Drawing::default() },
    })
}

fn cells_table(of: Stored, rows: usize, width: usize) -> Vec<StyledLine> {
    let mut table = plain::table(of.records, rows, width);
    table.extend(metric_blocks(of.run, of.records, width).into_iter().take(rows));
    table
}

fn of_ciphers(answer: &PairAnswer, rows: usize, bars: usize, width: usize) -> Drawing {
    let fastest = answer.fastest.as_ref().filter(|_| bars > 0);
    let picture = fastest.map(|fastest| match languages::languages(fastest, answer.pair(), width) {
        lines if lines.is_empty() => bars::bars(fastest, answer.pair(), bars, width),
        lines => lines,
    });
    Drawing {
        table: pair::table(answer, rows, width),
        picture: picture.unwrap_or_default(),
        comparisons: (answer.comparisons(), pair::shown(answer.usual(), rows).len()),
    }
}
