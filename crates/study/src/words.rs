//! Cells, ratios and comparisons in words.

use ciphermeter_core::{Bytes, Cell, escaped};
use ciphermeter_estimate::Ratio;

use crate::judge::Comparison;
use crate::published::PrintedRatio;
use crate::question::{Expectation, Pick, Question};

/// Before the numbers of runs that are not of this machine as this build measures it.
pub(crate) const OTHERS: &str = "On another machine or by another method";

/// `run 4`, `runs 4, 5`.
pub(crate) fn run_numbers(ids: &[i64]) -> String {
    let numbers: Vec<_> = ids.iter().map(i64::to_string).collect();
    format!("{} {}", if ids.len() == 1 { "run" } else { "runs" }, numbers.join(", "))
}

pub(crate) fn capital(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map_or(String::new(), |first| first.to_uppercase().chain(characters).collect())
}

/// About three digits.
pub(crate) fn number(value: f64) -> String {
    let places = match value {
        value if value >= 100.0 => 0,
        value if value >= 10.0 => 1,
        _ => 2,
    };
    format!("{value:.places$}")
}

/// `1.92× (1.90 to 1.94)`.
pub(crate) fn interval(ratio: Ratio) -> String {
    let range = |(low, high)| format!("({} to {})", number(low), number(high));
    format!("{}× {}", number(ratio.mid), ratio.range.map_or_else(|| "(one fork)".into(), range))
}

/// What printed digits allow: `2.62 to 2.87×`.
pub(crate) fn printed(ratio: PrintedRatio) -> String {
    let (low, high) = (number(ratio.range.0), number(ratio.range.1));
    if low == high { format!("{low}×") } else { format!("{low} to {high}×") }
}

/// What supports a claim: `2.19 to 3.43× supports it`.
pub(crate) fn supports(expect: Expectation) -> String {
    match expect.bounds() {
        (least, most) if most.is_infinite() => format!("above {} supports it", number(least)),
        (least, most) => format!("{} to {}× supports it", number(least), number(most)),
    }
}

/// What is divided by what: `time of aes-256-cbc encrypt ÷ that of chacha20-poly1305 seal, pyca`.
pub(crate) fn division(question: &Question<'_>) -> String {
    let what = match question.expect {
        Expectation::Faster | Expectation::TimeRatio { .. } => "time",
        Expectation::MoreThroughput => "time per byte",
        Expectation::MemoryRatio { .. } => "memory",
    };
    let (left, right) = (fixed(question.left), fixed(question.right));
    let apart = |words: &[Option<String>; 6], others: &[Option<String>; 6]| {
        let differing = words.iter().zip(others).filter(|(word, other)| word != other);
        differing.filter_map(|(word, _)| word.clone()).collect::<Vec<_>>().join(" ")
    };
    let both = left.iter().zip(&right).filter(|(word, other)| word == other).filter_map(|(word, _)| word.as_deref());
    let both: String = both.map(|word| format!(", {word}")).collect();
    format!("{what} of {} ÷ that of {}{both}", apart(&right, &left), apart(&left, &right))
}

/// What a side of a claim fixes. Several sizes are in the rows.
fn fixed(pick: &Pick) -> [Option<String>; 6] {
    let one_size = match pick.messages[..] {
        [one] => Some(size(one.0)),
        _ => None,
    };
    [
        pick.algorithm.map(|algorithm| algorithm.to_string()),
        pick.operation.map(|operation| operation.to_string()),
        one_size,
        pick.threads.map(threads),
        pick.form.map(|form| format!("form {form}")),
        pick.provider.as_deref().map(escaped),
    ]
}

/// What tells a pair from the others of a question: `pyca, 10MiB`; its form where they have several.
pub(crate) fn label(question: &Question<'_>, pair: &Comparison, several_forms: bool) -> String {
    let (left, right, cell) = (question.left, question.right, &pair.left);
    let is_open = |fixes: fn(&Pick) -> bool| !(fixes(left) && fixes(right));
    let mut words = Vec::new();
    if is_open(|pick| pick.provider.is_some()) {
        words.push(escaped(&cell.provider));
    }
    if pair.left.parameters.message() == pair.right.parameters.message() {
        words.push(size(cell.parameters.message()));
    }
    if is_open(|pick| pick.operation.is_some()) && pair.left.operation == pair.right.operation {
        words.push(cell.operation.to_string());
    }
    if several_forms && pair.left.form == pair.right.form {
        words.push(cell.form.to_string());
    }
    if is_open(|pick| pick.threads.is_some()) && cell.parameters.threads() > 1 {
        words.push(threads(cell.parameters.threads()));
    }
    words.join(", ")
}

fn threads(threads: u64) -> String {
    if threads == 1 { "1 thread".into() } else { format!("{threads} threads") }
}

/// Whose time is longer: `aes-256-cbc takes 1.92× (1.90 to 1.94) the time of chacha20-poly1305, pyca, 10 MiB`.
pub(crate) fn slower(pair: &Comparison) -> String {
    let Some(ratio) = pair.ratio else { return "no figure".into() };
    let (ratio, first, second) = match ratio.mid < 1.0 {
        true => (inverse(ratio), &pair.left, &pair.right),
        false => (ratio, &pair.right, &pair.left),
    };
    let (first_name, second_name) = (names(first, second), names(second, first));
    format!("{first_name} takes {} the time of {second_name}, {}", interval(ratio), shared(first, second))
}

fn inverse(ratio: Ratio) -> Ratio {
    Ratio { mid: 1.0 / ratio.mid, range: ratio.range.map(|(low, high)| (1.0 / high, 1.0 / low)) }
}

/// A size in a sentence.
fn size(bytes: u64) -> String {
    let text = Bytes(bytes).to_string();
    if text.ends_with(|last: char| last.is_ascii_digit()) { text + " B" } else { text }
}

/// What tells a cell from the other one.
fn names(cell: &Cell, other: &Cell) -> String {
    let mut words = Vec::new();
    if cell.form != other.form {
        words.push(format!("form {}", cell.form));
    }
    if cell.algorithm != other.algorithm {
        words.push(cell.algorithm.to_string());
    }
    if cell.provider != other.provider {
        words.push(cell.provider.clone());
    }
    if cell.parameters.message() != other.parameters.message() {
        words.push(size(cell.parameters.message()));
    }
    if cell.parameters.threads() != other.parameters.threads() {
        words.push(threads(cell.parameters.threads()));
    }
    words.join(" ")
}

/// What both have.
fn shared(cell: &Cell, other: &Cell) -> String {
    let mut words = Vec::new();
    if cell.algorithm == other.algorithm {
        words.push(cell.algorithm.to_string());
    }
    if cell.provider == other.provider {
        words.push(cell.provider.clone());
    }
    if cell.parameters.message() == other.parameters.message() {
        words.push(size(cell.parameters.message()));
    }
    if cell.operation == other.operation {
        words.push(cell.operation.to_string());
    }
    words.join(", ")
}
