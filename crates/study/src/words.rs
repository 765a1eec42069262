//! Cells, ratios and comparisons in words.

use std::collections::BTreeSet;

use ciphermeter_answer::words::{capital, number, ratio_columns, size};
use ciphermeter_core::{Cell, Form, IN_BATCHES, escaped};
use ciphermeter_estimate::{LEAST_FORKS, Ratio};

use crate::judge::{Missing, Pair};
use crate::published::PrintedRatio;
use crate::question::{ANY, Expectation, Pick, Question};
use crate::run::{Gap, PassedOver};

/// Before the numbers of runs that are not of this machine as this build measures it.
pub(crate) const OTHERS: &str = "On another machine or by another method";

/// Decimals of a ratio, at most.
const MOST_DECIMALS: usize = 4;

/// Words that begin a source and are no names.
const ORDINARY: [&str; 13] = [
    "all", "both", "chapter", "figure", "figures", "its", "page", "pages", "section", "sections", "table", "tables",
    "the",
];

/// Behind a verdict of such a run.
pub(crate) const ELSEWHERE: &str = "*";

/// `run 4`, `runs 4, 5`.
pub(crate) fn run_numbers(ids: &[i64]) -> String {
    let numbers: Vec<_> = ids.iter().map(i64::to_string).collect();
    format!("{} {}", if ids.len() == 1 { "run" } else { "runs" }, numbers.join(", "))
}

/// `1.92× ±1 %`; of a wide one `1.40× to 3.10×`.
pub(crate) fn interval(ratio: Ratio) -> String {
    let (figure, range) = ratio_columns(ratio);
    format!("{figure} {}", if range.is_empty() { "(one fork)" } else { &range })
}

/// What printed digits allow: `2.62 to 2.87×`.
pub(crate) fn printed(ratio: PrintedRatio) -> String {
    let (low, high) = (number(ratio.range.0), number(ratio.range.1));
    if low == high { format!("{low}×") } else { format!("{low} to {high}×") }
}

/// What supports a claim: `supported from 2.19 to 3.43×, which is 2.74× within 25 %`. All have as many digits as the published one, so that
/// they fit each other.
pub(crate) fn supports(expect: Expectation) -> String {
    let (least, most) = expect.bounds();
    match expect.stated() {
        None => format!("supported above {}×", number(least)),
        Some((published, tolerance)) => {
            let stated = published.to_string();
            let decimals = stated.split_once('.').map_or(0, |(_, decimals)| decimals.len().min(MOST_DECIMALS));
            let is_rounded = number(published).parse() != Ok(published);
            let said = |ratio: f64| if is_rounded { format!("{ratio:.decimals$}") } else { number(ratio) };
            format!(
                "supported from {} to {}×, which is {}× within {:.0} %",
                said(least),
                said(most),
                said(published),
                tolerance * 100.0
            )
        }
    }
}

/// Where a line begins with a source: a name stays as its study writes it.
pub(crate) fn leading(source: &str) -> String {
    let first = source.split([' ', ',']).next().unwrap_or_default();
    if ORDINARY.contains(&first) { capital(source) } else { source.to_owned() }
}

/// Why a pair has no figure: `2 of 6 forks`.
pub(crate) fn why_missing(missing: Missing) -> String {
    match missing {
        Missing::Forks(forks) => format!("{forks} of {LEAST_FORKS} forks"),
        Missing::Unsupported => "not in the library".into(),
        Missing::LeftOut => "left out: too long".into(),
        Missing::Unmeasured => "not reached".into(),
        Missing::WrongOutput => "wrong output".into(),
    }
}

/// A newer run that is not the answer, and why: `run 2 (cells are missing)`.
pub(crate) fn passed_over(one: &PassedOver) -> String {
    let why = match one.why {
        Gap::Forks => format!("fewer than {LEAST_FORKS} undisturbed forks"),
        Gap::Cells => "cells are missing".into(),
    };
    format!("run {} ({why})", one.run)
}

/// A cell in a sentence: `openssl aes-256-gcm seal 1 KiB`.
pub(crate) fn named(cell: &Cell) -> String {
    let library = if cell.provider == "ceiling" { "built-in".into() } else { escaped(&cell.provider) };
    format!("{library} {} {} {}", cell.algorithm, cell.operation, size(cell.parameters.message()))
}

/// The same with its threads and form, where there are several: `built-in xor encrypt 95.4 MiB, 2 threads, in equal parts`.
pub(crate) fn several(cell: &Cell) -> String {
    let count = cell.parameters.threads();
    let more = match cell.form {
        own if own.is_of_card() => format!(", {}", form(own)),
        Form::Static | Form::Dynamic => format!(", {}, {}", threads(count), form(cell.form)),
        _ => String::new(),
    };
    named(cell) + &more
}

/// What is divided by what: `time of aes-256-cbc encrypt ÷ that of chacha20-poly1305 seal, pyca`.
pub(crate) fn division(question: &Question<'_>) -> String {
    let what = match question.expect {
        Expectation::Falls { .. } => return "throughput of a sustained load at the start ÷ that at the end".into(),
        Expectation::Faster | Expectation::TimeRatio { .. } => "time",
        Expectation::MoreThroughput => "time per byte",
        Expectation::MemoryRatio { .. } if question.left.board.is_some() => "state and stack",
        Expectation::MemoryRatio { .. } => "peak heap, else resident memory,",
        Expectation::CurrentRatio { .. } => "current during calls",
    };
    let (left, right) = (fixed(question.left), fixed(question.right));
    let both = left.iter().zip(&right).filter(|(word, other)| word == other).filter_map(|(word, _)| word.as_deref());
    let both: String = both.map(|word| format!(", {word}")).collect();
    format!("{what} of {} ÷ that of {}{both}", apart(&right, &left), apart(&left, &right))
}

/// How far ahead the right side is where it is surely faster, so that no reader has to invert a ratio below 1:
/// `Below 1.00×, aes-256-gcm is faster: 1.26 to 1.75× as fast.`
pub(crate) fn right_is_faster(question: &Question<'_>, pairs: &[Pair]) -> Option<String> {
    let is_of_times = matches!(question.expect, Expectation::Faster | Expectation::TimeRatio { .. });
    // A shorter message is no faster for it.
    let is_of_one_size = |pair: &&Pair| pair.left.parameters.message() == pair.right.parameters.message();
    let of_pairs = pairs.iter().filter(|_| is_of_times).filter(is_of_one_size).filter_map(|pair| pair.ratio);
    let below = of_pairs.filter(|ratio| ratio.is_between(0.0, 1.0) == Some(true));
    let mut times: Vec<f64> = below.map(|ratio| ratio.inverse().mid).collect();
    times.sort_by(f64::total_cmp);
    let (least, most) = (number(*times.first()?), number(*times.last()?));
    let range = if least == most { least } else { format!("{least} to {most}") };
    let right = apart(&fixed(question.right), &fixed(question.left));
    Some(format!("Below 1.00×, {right} is faster: {range}× as fast."))
}

/// What of a side the other one does not share.
fn apart(words: &[Option<String>; 7], others: &[Option<String>; 7]) -> String {
    let differing = words.iter().zip(others).filter(|(word, other)| word != other);
    differing.filter_map(|(word, _)| word.clone()).collect::<Vec<_>>().join(" ")
}

/// What a side of a claim fixes. Several sizes are in the rows.
fn fixed(pick: &Pick) -> [Option<String>; 7] {
    let one_size = match pick.messages[..] {
        [one] => Some(size(one.0)),
        _ => None,
    };
    [
        pick.algorithm.map(|algorithm| algorithm.to_string()),
        pick.operation.map(|operation| operation.to_string()),
        one_size,
        pick.threads.map(threads),
        pick.form.map(form),
        pick.library().map(library),
        pick.board.as_deref().map(|board| if board == ANY { "a board".into() } else { escaped(board) }),
    ]
}

/// What a question's pairs have several of.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Several {
    forms: bool,
    aad: bool,
}

impl Several {
    /// Of these pairs.
    pub(crate) fn of<'a>(pairs: impl Iterator<Item = &'a Pair> + Clone) -> Self {
        let forms: BTreeSet<_> = pairs.clone().map(|pair| pair.left.form).collect();
        let aad: BTreeSet<_> = pairs.map(|pair| pair.left.parameters.aad()).collect();
        Self { forms: forms.len() > 1, aad: aad.len() > 1 }
    }
}

/// What tells a pair from the others of a question: `pyca, 10 MiB`; its form and aad where they have several.
pub(crate) fn label(question: &Question<'_>, pair: &Pair, several: Several) -> String {
    let (left, right, cell) = (question.left, question.right, &pair.left);
    let is_open = |fixes: fn(&Pick) -> bool| !(fixes(left) && fixes(right));
    let mut words = Vec::new();
    match (is_open(|pick| pick.library().is_some()), &pair.right.provider) {
        (false, _) => {}
        (true, other) if *other == cell.provider => words.push(library(&cell.provider)),
        (true, other) => words.push(format!("{} ÷ {}", library(other), library(&cell.provider))),
    }
    if pair.left.parameters.message() == pair.right.parameters.message() {
        words.push(size(cell.parameters.message()));
    }
    if is_open(|pick| pick.operation.is_some()) && pair.left.operation == pair.right.operation {
        words.push(cell.operation.to_string());
    }
    if several.aad {
        words.push(format!("{} of aad", size(cell.parameters.aad())));
    }
    if several.forms && pair.left.form == pair.right.form {
        words.push(form(cell.form));
    }
    if is_open(|pick| pick.threads.is_some()) && cell.parameters.threads() > 1 {
        words.push(threads(cell.parameters.threads()));
    }
    words.join(", ")
}

/// Where the output goes.
fn form(form: Form) -> String {
    match form {
        Form::Fresh => "into new memory".into(),
        Form::Process => "one call in a fresh process".into(),
        Form::Batch => IN_BATCHES.into(),
        Form::Into => "into a second buffer".into(),
        Form::InPlace => "in place".into(),
        Form::Static => "in equal parts".into(),
        Form::Dynamic => "in parts that free threads fetch".into(),
        Form::EndToEnd => "a graphics card, transfers included".into(),
        Form::Discard => "to a receiver that discards".into(),
        Form::Device => "a graphics card without transfers".into(),
        Form::Pageable => "a graphics card, transfers of pageable memory included".into(),
        other => format!("form {other}"),
    }
}

/// A library's name; the provider `ceiling` is a kernel of ours.
fn library(provider: &str) -> String {
    if provider == "ceiling" { "by the built-in kernel".into() } else { escaped(provider) }
}

fn threads(threads: u64) -> String {
    if threads == 1 { "1 thread".into() } else { format!("{threads} threads") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_claim_fit_each_other() {
        let of = |published, tolerance| supports(Expectation::TimeRatio { published, tolerance });
        assert_eq!(of(1.195, 0.1), "supported from 1.086 to 1.315×, which is 1.195× within 10 %");
        assert_eq!(of(2.74, 0.25), "supported from 2.19 to 3.43×, which is 2.74× within 25 %");
        assert_eq!(of(23.3, 0.25), "supported from 18.6 to 29.1×, which is 23.3× within 25 %");
    }

    #[test]
    fn names_keep_their_first_letter() {
        let sources = ["ePrint 2015/102", "openssl #32722", "apps/speed.c", "section 3.1", "figures, all", "Table 2"];
        let leading = sources.map(leading);
        let expected = ["ePrint 2015/102", "openssl #32722", "apps/speed.c", "Section 3.1", "Figures, all", "Table 2"];
        assert_eq!(leading, expected);
    }
}
