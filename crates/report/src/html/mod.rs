//! Runs as one page that needs nothing else: it opens from disk, asks no network, prints, and can be read on a phone, in the dark, by
//! keyboard and by a screen reader.
//!
//! The answer stands on top, then the figures with their values as tables, then every cell, the machine and the method. Names, versions and
//! reasons may come from anyone's worker or store: `maud` escapes all text, and control characters are taken out before.

mod answer;
mod cells;
mod facts;
mod style;

use std::collections::BTreeSet;

use maud::{DOCTYPE, Markup, PreEscaped, html as markup};

use ciphermeter_core::{Record, Run, Share, escaped};

use crate::chart::{self, Figure, Undrawable, figures};
use crate::compare::{Stored, compare, sentences};
use crate::device::{cost, is_on_device};
use crate::measured::measured;
use crate::screen::machine;
use crate::styled_line::TableOptions;
use answer::Answer;

/// A slowdown beyond this share is one, as `compare` has it without a threshold.
const SLOWER: Share = Share(0.05);

/// What a page may load: nothing but what it holds.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

/// The page of one run, or of several side by side.
///
/// # Errors
/// A run has nothing measured, or runs have no cell in common.
pub fn html(runs: &[Stored]) -> Result<String, Undrawable> {
    let both: Vec<(&Run, &[Record])> = runs.iter().map(|stored| (stored.run, stored.records)).collect();
    if runs.len() > 1 && !chart::have_common_cells(&both) {
        let names: Vec<String> = runs.iter().map(|stored| stored.run.id.to_string()).collect();
        let names = crate::phrases::listed(&names);
        return Err(Undrawable(format!(
            "runs {names} have no cell in common, so there is nothing to show side by side: report each alone"
        )));
    }
    let side_by_side = if runs.len() > 1 { chart::beside(&both) } else { None };
    let beside = side_by_side.map(|figure| figure.html("beside", &mut BTreeSet::new())).transpose()?;
    let sections =
        (1..).zip(runs).map(|(place, stored)| Section::of((place, *stored))).collect::<Result<Vec<_>, _>>()?;
    if let Some(Section { stored, .. }) = sections.iter().find(|section| section.is_empty()) {
        return Err(chart::nothing(stored.run, stored.records));
    }
    let together = beside.map(|figure| Together { judged: judged(runs), figure });
    Ok(page(&sections, together.as_ref(), &chart::markers()?).into_string())
}

/// Runs side by side.
struct Together {
    /// Of two runs, what became slower or faster, or why they cannot be compared.
    judged: Vec<String>,
    figure: Markup,
}

/// What `compare` says of two runs, in the order in which they were made.
fn judged(runs: &[Stored]) -> Vec<String> {
    let [first, second] = runs else { return Vec::new() };
    let (before, after) = if first.run.started <= second.run.started { (first, second) } else { (second, first) };
    let (_, verdict) = compare(*before, *after, SLOWER, TableOptions::default());
    let title = format!("Run {} compared with run {}, the earlier one:", after.run.id, before.run.id);
    std::iter::once(title).chain(sentences(&verdict)).collect()
}

/// A run's part of the page.
struct Section<'a> {
    id: String,
    stored: Stored<'a>,
    answer: Answer,
    figures: Vec<(String, Figure, Markup)>,
}

impl<'a> Section<'a> {
    /// The run in that place, which begins the ids of its elements: two stores may have the same number.
    fn of((place, stored): (usize, Stored<'a>)) -> Result<Self, Undrawable> {
        let Stored { run, records } = stored;
        let mut captions = BTreeSet::new();
        let drawn = |figure: Figure| {
            let id = format!("run{place}-{}", figure.name);
            let html = figure.html(&id, &mut captions)?;
            Ok((id, figure, html))
        };
        let figures = figures(run, records).into_iter().map(drawn).collect::<Result<_, Undrawable>>()?;
        Ok(Self { id: format!("run{place}"), stored, answer: Answer::of(run, records), figures })
    }

    /// Whether nothing at all was measured.
    fn is_empty(&self) -> bool {
        let has_figure =
            |record: &Record| measured(record).is_some() || (is_on_device(record) && cost(record).is_some());
        self.figures.is_empty() && !self.stored.records.iter().any(has_figure)
    }

    fn title(&self) -> String {
        let run = self.stored.run;
        format!("Run {}: {}", run.id, escaped(&run.scenario.name))
    }
}

fn page(sections: &[Section], together: Option<&Together>, markers: &Markup) -> Markup {
    let title = sections.iter().map(Section::title).collect::<Vec<_>>().join(", ");
    markup! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="generator" content="Ciphermeter";
                title { (title) }
                style { (PreEscaped(style::css())) }
            }
            body {
                (markers)
                header {
                    @for section in sections { (head(section, sections.len() > 1)) }
                }
                nav aria-label="Contents" { (contents(sections, together.is_some())) }
                main {
                    @if let Some(Together { judged, figure }) = together {
                        section {
                            h2 { "Side by side" }
                            @for sentence in judged { p { (sentence) } }
                            (figure)
                        }
                    }
                    @for section in sections { (body(section, sections.len() > 1)) }
                }
                p #said role="status" aria-live="polite" {}
                script { (PreEscaped(style::SCRIPT)) }
            }
        }
    }
}

/// The answer, which everything below it explains.
fn head(section: &Section, is_one_of_several: bool) -> Markup {
    let Section { answer, stored: Stored { run, .. }, .. } = section;
    markup! {
        div.answer.unanswered[!answer.is_answered] {
            h1 { @if is_one_of_several { (section.title()) ". " } (answer.question) }
            @for sentence in &answer.sentences { p { (sentence) } }
            p.origin {
                (section.title()) (crate::screen::status(run)) ", " (escaped(&run.started)) ", on " (machine(run)) ". " (answer.basis)
            }
        }
    }
}

fn contents(sections: &[Section], has_beside: bool) -> Markup {
    markup! {
        ul {
            @if has_beside { li { a href="#beside" { "Side by side" } } }
            @for section in sections {
                @for (id, figure, _) in &section.figures {
                    li { a href={ "#" (id) } { @if sections.len() > 1 { "Run " (section.stored.run.id) ": " } (figure.title()) @let about = figure.about(); @if !about.is_empty() { " (" (about) ")" } } }
                }
                li { a href={ "#" (section.id) "-cells" } { @if sections.len() > 1 { "Run " (section.stored.run.id) ": " } "All cells" } }
                li { a href={ "#" (section.id) "-machine" } { @if sections.len() > 1 { "Run " (section.stored.run.id) ": " } "Machine and method" } }
            }
        }
    }
}

fn body(section: &Section, is_one_of_several: bool) -> Markup {
    let Stored { run, records } = section.stored;
    markup! {
        section {
            @if is_one_of_several { h2 { (section.title()) } }
            @if !section.answer.further.is_empty() {
                ul.further { @for sentence in &section.answer.further { li { (sentence) } } }
            }
            @for (_, _, figure) in &section.figures { (figure) }
            (cells::table(&section.id, run, records))
            (facts::facts(&section.id, run, records))
        }
    }
}
