//! The first screen, in as many lines as there are.

use ciphermeter_answer::Answer;
use ciphermeter_answer::words::width as columns;
use ciphermeter_core::{Record, Run};

use super::{frame, left_out};
use crate::kinds::{self, Drawing};
use crate::styled_line::{Style, StyledLine, TableOptions};
use ciphermeter_answer::program::{Program, program};
use ciphermeter_answer::regression::Stored;

/// The lines of a terminal that is [`PAGE`] columns wide.
const LINES: usize = 24;
const PAGE: usize = 80;

/// So many lines hold a first screen: in a narrower terminal the same text takes more.
pub(crate) fn most_lines(width: usize) -> usize {
    LINES * PAGE / width.clamp(1, PAGE)
}

const ROWS: usize = 8;

/// What a run comes to, on one screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screen {
    /// Its lines, each ended by a newline.
    pub text: String,
    /// Whether the run answers its own question.
    pub is_answered: bool,
}

/// Where blank lines stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Blanks {
    None,
    BeforeTables,
    All,
}

/// The first screen of a run.
pub fn screen(run: &Run, records: &[Record], options: TableOptions) -> Screen {
    screen_above(run, records, options, 0)
}

/// The same, with room for so many lines below it.
pub fn screen_above(run: &Run, records: &[Record], options: TableOptions, below: usize) -> Screen {
    let (width, of) = (options.columns(), Stored { run, records });
    let answer = ciphermeter_answer::answer(run, records);
    let most = most_lines(width).saturating_sub(below);
    let lines = kinds::of(run, records).screen(of, &answer, (most, width));
    let lines = lines.unwrap_or_else(|| fitting(of, &answer, (most, width)));
    Screen { text: options.print(&lines), is_answered: answer.answered }
}

/// What does not fit is cut from blank lines and the picture first, then from the table; sentences
/// and commands are never cut.
fn fitting(of: Stored, answer: &Answer, (most, width): (usize, usize)) -> Vec<StyledLine> {
    let pictures = kinds::of(of.run, of.records).pictures(of, answer);
    let steps = [
        (ROWS, 8, Blanks::All),
        (ROWS, 6, Blanks::All),
        (ROWS, 6, Blanks::BeforeTables),
        (ROWS, 4, Blanks::BeforeTables),
        (ROWS, 3, Blanks::BeforeTables),
        (ROWS, 2, Blanks::BeforeTables),
        (6, 4, Blanks::BeforeTables),
        (6, 3, Blanks::BeforeTables),
        (5, 2, Blanks::BeforeTables),
        (5, 2, Blanks::None),
        (4, 0, Blanks::None),
        (3, 0, Blanks::None),
    ];
    let config = shortened(of.run, &answer.config, width);
    for (rows, bars, blanks) in steps {
        let lines = assembled((of, answer), pictures(rows, bars, width), width, blanks, &config);
        if lines.len() <= most {
            return lines;
        }
    }
    // A busy machine has more to say than any other: then a program's lines are where the command says.
    let elsewhere: Vec<String> = program(&of.run.scenario.name).map(elsewhere).into_iter().collect();
    assembled((of, answer), pictures(3, 0, width), width, Blanks::None, &elsewhere)
}

/// The most lines for a program beside all else.
const CONFIG: usize = 6;

/// The lines for a program, or where those are too many or too long for a screen, the command that prints them.
pub(crate) fn shortened(run: &Run, config: &[String], width: usize) -> Vec<String> {
    let is_long = config.len() > CONFIG || config.iter().any(|line| columns(line) > width);
    match program(&run.scenario.name).filter(|_| is_long) {
        Some(program) => vec![elsewhere(program)],
        None => config.to_vec(),
    }
}

/// The command that prints a program's lines.
fn elsewhere(program: &Program) -> String {
    format!("Lines for {}: ciphermeter advise --for {}", program.title, program.name)
}

fn assembled(
    (of, answer): (Stored, &Answer),
    drawing: Drawing,
    width: usize,
    blanks: Blanks,
    config: &[String],
) -> Vec<StyledLine> {
    let Stored { run, records } = of;
    let kind = kinds::of(run, records);
    let blank = |least: Blanks| (blanks >= least).then(StyledLine::default);
    let mut lines = frame::head(run, &answer.question, width);
    lines.extend(blank(Blanks::All));
    lines.extend(left_out::wrong(run, records, width));
    let style = if answer.answered { Style::Bold } else { Style::Yellow };
    for (place, sentence) in answer.sentences.iter().filter(|sentence| !sentence.is_empty()).enumerate() {
        let style = if place == 0 { style } else { Style::Plain };
        lines.extend(StyledLine::wrapped(sentence, width, 0, style));
    }
    for line in config {
        match columns(line) > width {
            true => lines.extend(StyledLine::wrapped(line, width, 2, Style::Plain)),
            // Its blanks count.
            false => lines.push(StyledLine::new(line.clone(), Style::Plain)),
        }
    }
    lines.extend(left_out::others(run, records, kind.names_refused(), width));
    let has_intervals = drawing.table.iter().any(|line| line.text(width, false).contains('±'));
    for block in [drawing.table, drawing.picture] {
        if !block.is_empty() {
            lines.extend(blank(Blanks::BeforeTables));
            lines.extend(block);
        }
    }
    lines.extend(blank(Blanks::All));
    lines.extend(answer.notes.iter().flat_map(|note| StyledLine::wrapped(note, width, 2, Style::Plain)));
    let basis = answer.rests_on.sentence(if has_intervals { drawing.comparisons } else { (0, 0) });
    if !basis.is_empty() {
        lines.extend(StyledLine::wrapped(&basis, width, 2, Style::Dim));
    }
    let more = kind.more(of, answer.answered);
    lines.extend(frame::next(of, more, answer.answered, width));
    lines
}

#[cfg(test)]
mod tests {
    use ciphermeter_answer::fixtures;

    use super::*;

    #[test]
    fn lines_for_a_program_give_way_to_what_a_busy_machine_has_to_say() {
        let (mut run, records) = fixtures::run();
        run.scenario.name = "nginx".into();
        let screen = |below: usize| screen_above(&run, &records, TableOptions::default(), below).text;
        assert!(screen(0).contains("ssl_protocols"), "{}", screen(0));
        let short = screen(8);
        assert!(short.contains("ciphermeter advise --for nginx") && short.lines().count() <= LINES - 8, "{short}");
    }
}
