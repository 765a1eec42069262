//! A verdict in plain sentences that claim no more than was found.

use std::collections::BTreeMap;

use ciphermeter_core::{Against, Cell, escaped};
use ciphermeter_stats::FAMILY_ERROR;

use super::verdict::{Compared, Unmatched, Verdict};
use crate::words::{counted, heading, percent};

/// A cell in full: `openssl aes-256-gcm seal in-place, 16 B message`.
pub fn name(cell: &Cell) -> String {
    format!("{} {} {}", escaped(&cell.provider), cell.algorithm, heading(&cell.group()))
}

/// What a verdict comes to.
pub fn sentences(verdict: &Verdict) -> Vec<String> {
    if let Some(why) = &verdict.refused {
        return vec![format!("Not comparable: {}.", escaped(why))];
    }
    let mut sentences: Vec<String> = wrong(verdict).into_iter().chain(counts(verdict)).collect();
    sentences.extend(match verdict.cells.len() {
        // Of counts alone, there is nothing to say of times.
        0 if !verdict.counts.is_empty() && verdict.same.is_empty() => None,
        0 => Some(nothing(verdict)),
        _ => Some(found(verdict)),
    });
    sentences.extend(same(verdict));
    sentences.extend(verdict.notes.iter().map(|note| escaped(note)));
    sentences
}

/// Which outputs are wrong now.
fn wrong(verdict: &Verdict) -> Option<String> {
    let lost = verdict.lost.iter().filter(|lost| lost.wrong_output).map(|lost| (&lost.cell, &lost.why));
    let both = verdict.unmatched.iter().filter(|other| other.wrong_output).map(|other| (&other.cell, &other.why));
    let wrong: Vec<_> = lost.chain(both).collect();
    let (cell, why) = wrong.first()?;
    let (cells, name, why) = (counted(wrong.len(), "cell"), name(cell), escaped(why));
    Some(format!("Wrong output in {cells}, so these are not compared. {name}: {why}."))
}

/// What the counts of devices come to: `3 of 55 counts differ, 1 of them by more than 5 % upwards; …`
fn counts(verdict: &Verdict) -> Option<String> {
    let all = verdict.counts.len();
    let number = |test: fn(&Compared) -> bool| verdict.counts.iter().filter(|compared| test(compared)).count();
    let changed = number(|compared| !compared.is_same());
    let (dearer, cheaper) = (number(Compared::is_slower), number(Compared::is_faster));
    let threshold = percent(verdict.threshold.0);
    match (all, changed) {
        (0, _) => None,
        (1, 0) => Some("The one count on a device is the same to the last digit.".into()),
        (_, 0) => Some(format!("All {all} counts on devices are the same to the last digit.")),
        _ => Some(format!(
            "{changed} of {} differ{}: {dearer} by more than {threshold} upwards, {cheaper} downwards.",
            if all == 1 { "1 count on a device".into() } else { format!("{all} counts on devices") },
            if changed == 1 { "s" } else { "" },
        )),
    }
}

/// Why nothing is compared.
pub fn nothing(verdict: &Verdict) -> String {
    if verdict.has_nothing_in_common() {
        let sides: Vec<_> = gaps(&verdict.unmatched)
            .iter()
            .map(|gap| format!("; {} {}", counted(gap.cells, "cell"), gap.why))
            .collect();
        return format!("Not comparable: there is no cell in both{}.", sides.concat());
    }
    if !verdict.same.is_empty() {
        return "No change found: every cell that was compared has the same code in both runs.".into();
    }
    if !verdict.lost.is_empty() {
        return "Nothing is left to compare: what was measured before is lost.".into();
    }
    // What should have been compared tells more than what only one side has.
    let main = gaps(&verdict.unmatched).into_iter().max_by_key(|gap| (gap.missed, gap.cells));
    format!("Not comparable: {}.", main.map_or_else(String::new, |gap| gap.why))
}

fn found(verdict: &Verdict) -> String {
    let (cells, threshold) = (verdict.cells.len(), percent(verdict.threshold.0));
    let faster = match verdict.faster {
        0 => String::new(),
        faster => format!(", {faster} surely faster"),
    };
    let family = format!("(family-wise error {})", percent(FAMILY_ERROR));
    match verdict.slower {
        0 if verdict.must_resolve && verdict.could_hide() > verdict.threshold.0 => format!(
            "Inconclusive: nothing is surely slower by more than {threshold}{faster}, but it could be: {} {family}. {}",
            counted(cells, "cell"),
            resolution(verdict)
        ),
        0 => format!(
            "Nothing is surely slower by more than {threshold}{faster}: {} {family}. {}",
            counted(cells, "cell"),
            resolution(verdict)
        ),
        slower => {
            let which = match (slower, cells) {
                (_, 1) => "The only cell is".into(),
                (1, _) => format!("1 of {cells} cells is"),
                _ => format!("{slower} of {cells} cells are"),
            };
            format!("{which} surely slower by more than {threshold}{faster} {family}. {}", resolution(verdict))
                .trim_end()
                .into()
        }
    }
}

/// What the cells that are not called slower may still hide: the largest upper end of their simultaneous intervals.
fn resolution(verdict: &Verdict) -> String {
    let calm = || verdict.cells.iter().filter(|compared| !compared.is_slower());
    let Some(worst) = calm().max_by(|a, b| a.slower_at_most().total_cmp(&b.slower_at_most())) else {
        return String::new();
    };
    let most = worst.slower_at_most();
    let others = if verdict.slower > 0 { " in the others" } else { "" };
    match most {
        most if most > verdict.threshold.0 => {
            let least = worst.ratio.range().map_or(0.0, |(low, _)| low - 1.0);
            let remedy = match verdict.must_resolve {
                true if least > 0.0 => format!("; at least {}, so --threshold decides", percent(least)),
                true => "; use a longer --budget, or fewer cells".into(),
                false => String::new(),
            };
            format!("A slowdown of up to {} could hide{others} ({}){remedy}.", percent(most), name(&worst.cell))
        }
        most if most > 0.0 => {
            // Rounded up, so that it is true.
            let most = (most * 1000.0).ceil() / 1000.0;
            format!("A slowdown of more than {}{others} is ruled out, at the same confidence.", percent(most))
        }
        _ => "What is not slower is faster, at the same confidence.".into(),
    }
}

/// What the cells that did not change tell of the comparison itself.
fn same(verdict: &Verdict) -> Option<String> {
    let cells = verdict.same.len();
    let off = verdict.same.iter().filter(|compared| compared.differs()).count();
    let apart = verdict.same.iter().map(|compared| (compared.ratio.mid - 1.0).abs()).fold(0.0, f64::max);
    if let Some(control) = control(verdict) {
        return Some(control);
    }
    match (cells, off) {
        (0, _) => None,
        (_, 0) => Some(format!(
            "Check: {} with the same code in both runs {} by {} at most.",
            counted(cells, "cell"),
            if cells == 1 { "differs" } else { "differ" },
            percent(apart)
        )),
        _ => Some(format!(
            "Of {} with the same code in both runs, {off} surely differ{} by more than {}: something else changed there, and \
             nothing is compared.",
            counted(cells, "cell"),
            if off == 1 { "s" } else { "" },
            percent(verdict.threshold.0)
        )),
    }
}

/// What two copies of the old side differ by: `Control: a second copy of the old side differs by 0.2 % at most, in 2 cells.`
fn control(verdict: &Verdict) -> Option<String> {
    verdict.same.iter().find(|compared| Against::is_control(&compared.cell.provider))?;
    let apart = verdict.same.iter().map(|compared| (compared.ratio.mid - 1.0).abs()).fold(0.0, f64::max);
    let cells = counted(verdict.same.len(), "cell");
    Some(format!("Control: a second copy of the old side differs by {} at most, in {cells}.", percent(apart)))
}

/// Cells that are not compared for the same reason.
pub struct Gap {
    /// The reason, escaped.
    pub why: String,
    /// Whether both have them measured.
    pub missed: bool,
    /// How many.
    pub cells: usize,
    /// How many of each provider.
    pub providers: BTreeMap<String, usize>,
}

/// By reason, those that should have been compared first.
pub fn gaps(unmatched: &[Unmatched]) -> Vec<Gap> {
    let mut gaps = BTreeMap::<(bool, &str), Gap>::new();
    for Unmatched { cell, why, missed, .. } in unmatched {
        let new = || Gap { why: escaped(why), missed: *missed, cells: 0, providers: BTreeMap::new() };
        let gap = gaps.entry((!missed, why)).or_insert_with(new);
        gap.cells += 1;
        *gap.providers.entry(escaped(&cell.provider)).or_default() += 1;
    }
    gaps.into_values().collect()
}
