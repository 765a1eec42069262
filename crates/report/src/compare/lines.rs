//! A verdict as text for a terminal: what is lost, a line for each cell, worst first, then what it comes to.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Cell, Form, Interval, escaped};

use super::sentences::{gaps, name, plural, sentences};
use super::verdict::{Call, Compared, Verdict};
use crate::Look;
use crate::layout::{Line, Style};
use crate::text::{fit, heading, left, right, size, width, wrap};

/// The columns of the word in front, and of the change.
const WORD: usize = 6;
const CHANGE: usize = 7;

/// The whole text, each line ended by a newline.
pub(super) fn text(verdict: &Verdict, look: Look) -> String {
    let most = look.width.max(40);
    let common = Common::of(verdict);
    let mut lines = wrapped(&(escaped(&verdict.title) + &common.words()), most, 2, Style::Bold);
    lines.extend(lost(verdict, most));
    lines.extend(rows(verdict, &common, most));
    for sentence in sentences(verdict) {
        lines.push(Line::default());
        lines.extend(wrapped(&sentence, most, 0, Style::Plain));
    }
    lines.extend(not_compared(verdict, most));
    lines.iter().map(|line| line.text(most, look.color) + "\n").collect()
}

fn wrapped(text: &str, most: usize, indent: usize, style: Style) -> Vec<Line> {
    wrap(text, most, indent).into_iter().map(|line| Line::of(line, style)).collect()
}

/// What fell out, cells of one algorithm with the same reason in one line.
fn lost(verdict: &Verdict, most: usize) -> Vec<Line> {
    let mut reasons = BTreeMap::<_, (&Cell, usize)>::new();
    for lost in &verdict.lost {
        let key = (!lost.wrong_output, &lost.cell.provider, lost.cell.algorithm, &lost.why);
        reasons.entry(key).or_insert((&lost.cell, 0)).1 += 1;
    }
    let mut lines = if reasons.is_empty() { Vec::new() } else { vec![Line::default()] };
    for ((_, provider, algorithm, why), (first, cells)) in reasons {
        let which = match cells {
            1 => name(first),
            cells => format!("{} {algorithm}, {cells} cells", escaped(provider)),
        };
        let text = wrap(&format!("{which}: {}", escaped(why)), most.saturating_sub(WORD + 1), 0);
        let first = std::iter::once("LOST").chain(std::iter::repeat(""));
        lines.extend(first.zip(text).map(|(word, text)| Line::of(format!("{} {text}", left(word, WORD)), Style::Red)));
    }
    lines
}

/// A line for each cell; those that did not change stand apart.
fn rows(verdict: &Verdict, common: &Common, most: usize) -> Vec<Line> {
    let all = || verdict.cells.iter().chain(&verdict.same);
    let Some(interval) = all().map(|compared| width(&range(compared.ratio))).max() else { return Vec::new() };
    let room = most.saturating_sub(WORD + 1 + CHANGE + 2 + interval + 2);
    let row = |word: &str, style: Style, compared: &Compared| {
        let mut line = Line::of(left(word, WORD), style);
        line.add(format!(" {}", right(&change(compared.ratio.mid), CHANGE)), style);
        line.add(format!("  {}", left(&range(compared.ratio), interval)), Style::Dim);
        line.add(format!("  {}", common.short(&compared.cell, room)), Style::Plain);
        line
    };
    let header = format!("{} {}  {}  cell", left("", WORD), right("change", CHANGE), left("interval", interval));
    let mut lines = vec![Line::default(), Line::of(header, Style::Dim)];
    lines.extend(verdict.cells.iter().map(|compared| match compared.call {
        Call::Slower => row("SLOWER", Style::Red, compared),
        Call::Faster => row("faster", Style::Green, compared),
        Call::Unsure => row("–", Style::Plain, compared),
    }));
    lines.extend(verdict.same.iter().map(|compared| match compared.call {
        Call::Unsure => row("same", Style::Dim, compared),
        _ => row("OFF", Style::Yellow, compared),
    }));
    let family = match (verdict.cells.len(), verdict.same.len()) {
        (1, _) | (0, 1) => "change: of the time that a call takes; interval: 95 %",
        _ => "change: of the time that a call takes; interval: 95 % for all at once",
    };
    let same = if verdict.same.is_empty() { "" } else { "; same: the same code in both, a family of its own" };
    lines.extend(wrapped(&format!("{family}{same}"), most, 2, Style::Dim));
    lines
}

/// How much longer it takes: `+8.1%`.
fn change(ratio: f64) -> String {
    format!("{}%", figure(ratio))
}

fn range(ratio: Interval) -> String {
    format!("{} to {}%", figure(ratio.low), figure(ratio.high))
}

fn figure(ratio: f64) -> String {
    // Adding 0 makes a negative zero a positive one.
    match ((ratio - 1.0) * 1000.0).round() / 10.0 + 0.0 {
        percent if percent.abs() < 99.95 => format!("{percent:+.1}"),
        percent if percent < 9999.5 => format!("{percent:+.0}"),
        _ => ">+9999".into(),
    }
}

/// What all cells share is said once, so that a line has room for what they don't.
#[derive(Default)]
struct Common {
    form: Option<Form>,
    aad: Option<u64>,
}

impl Common {
    fn of(verdict: &Verdict) -> Self {
        let cells = || verdict.cells.iter().chain(&verdict.same).map(|compared| &compared.cell);
        let only = |all: BTreeSet<u64>| all.first().copied().filter(|aad| all.len() == 1 && *aad > 0);
        let forms: BTreeSet<Form> = cells().map(|cell| cell.form).collect();
        Self {
            form: forms.first().copied().filter(|_| forms.len() == 1),
            aad: only(cells().map(|cell| cell.parameters.aad()).collect()),
        }
    }

    fn words(&self) -> String {
        let form = self.form.map(|form| format!(", {form}"));
        let aad = self.aad.map(|aad| format!(", {} aad", size(aad)));
        [form, aad].into_iter().flatten().collect()
    }

    /// A cell in at most `room` columns; its provider's name is cut before anything that tells cells apart.
    fn short(&self, cell: &Cell, room: usize) -> String {
        let mut group = heading(&cell.group()).replace(" message", "");
        if let Some(form) = self.form {
            group = group.replace(&format!(" {form},"), "");
        }
        if let Some(aad) = self.aad {
            group = group.replace(&format!(", {} aad", size(aad)), "");
        }
        let rest = format!("{} {group}", cell.algorithm);
        let provider = fit(&escaped(&cell.provider), room.saturating_sub(width(&rest) + 1).max(4));
        fit(&format!("{provider} {rest}"), room)
    }
}

fn not_compared(verdict: &Verdict, most: usize) -> Vec<Line> {
    let gaps = gaps(&verdict.unmatched);
    // Of a verdict that is nothing but one reason, the sentence has said it.
    let said = verdict.cells.is_empty() && verdict.same.is_empty() && verdict.lost.is_empty();
    if gaps.is_empty() || (gaps.len() == 1 && said) {
        return Vec::new();
    }
    let mut lines = vec![Line::default(), Line::of("not compared", Style::Bold)];
    for gap in gaps {
        let who = match gap.providers.iter().next() {
            Some((only, cells)) if gap.providers.len() == 1 => format!("{only}, {}", plural(*cells)),
            _ => {
                let each: Vec<_> =
                    gap.providers.iter().map(|(provider, cells)| format!("{provider} {cells}")).collect();
                format!("{} ({})", plural(gap.cells), each.join(", "))
            }
        };
        let style = if gap.missed { Style::Plain } else { Style::Dim };
        lines.extend(wrapped(&format!("{who}: {}", gap.why), most, 2, style));
    }
    lines
}
