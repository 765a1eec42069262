//! A study as one page: how its claims stand, its figures with what was measured here, each claim's ratios, and the machine.

use ciphermeter_core::escaped;
use ciphermeter_study::{Block, Judged, Measured, Paragraph, Ratios, WAYS};
use maud::{Markup, html};

use super::{facts, shell};
use crate::chart::{self, Undrawable, Written, study_figures};
use ciphermeter_answer::words::unbroken;

/// The page of a study.
///
/// # Errors
/// A figure cannot be drawn.
pub fn study_html(measured: &Measured<'_>) -> Result<String, Undrawable> {
    let mut written = Written::default();
    let figures = study_figures(measured);
    let drawn = figures.iter().map(|figure| figure.html(&figure.name, &mut written)).collect::<Result<Vec<_>, _>>()?;
    let (study, judged, used) = (measured.study, measured.judged(), measured.used());
    let title = escaped(&study.title);
    let body = html! {
        header {
            div.answer.unanswered[used.is_empty()] {
                h1 { (title) }
                @for sentence in measured.rests_on() { p { (unbroken(&escaped(&sentence))) } }
            }
        }
        nav aria-label="Contents" {
            ul {
                @for figure in &figures { li { a href={ "#" (figure.name) } { (figure.title()) " (" (figure.name) ")" } } }
                li { a href="#claims" { "Claims" } }
                @for run in &used { li { a href={ "#run" (run.run.id) "-machine" } { "Machine and method of run " (run.run.id) } } }
            }
        }
        main {
            (verdicts(&judged))
            @if let Some(text) = study.differs() { p.caption { (unbroken(&text)) } }
            @if !drawn.is_empty() {
                h2 { "Figures" }
                (shell::hint())
                @for figure in &drawn { (figure) }
            }
            h2 #claims { "Claims, ratios and numbers" }
            @for block in measured.details() { (part(&block)) }
            @for run in &used {
                h2 { "Run " (run.run.id) }
                (facts::facts(&format!("run{}", run.run.id), &run.run, &run.records, None))
            }
        }
    };
    Ok(shell::page(&title, &chart::markers_of_pairs()?, &body).into_string())
}

fn verdicts(judged: &[Judged<'_>]) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label="Claims" {
            table.facts {
                thead { tr { @for title in ["as published", "like for like", "claim"] { th scope="col" { (title) } } } }
                tbody {
                    @for judged in judged {
                        tr { @for word in judged.words() { td { (word) } } td { (unbroken(&escaped(&judged.claim.says))) } }
                    }
                }
            }
        }
        p.caption { (WAYS) }
    }
}

fn part(block: &Block) -> Markup {
    match block {
        Block::Paragraph(Paragraph { text, .. }) if text.is_empty() => html! { hr; },
        Block::Paragraph(Paragraph { indent: 0, text, .. }) => html! { p { b { (unbroken(text)) } } },
        Block::Paragraph(Paragraph { text, .. }) => html! { p { (unbroken(text)) } },
        Block::Table(Ratios { titles, rows, .. }) => html! {
            div.scroll tabindex="0" role="group" aria-label="Ratios" {
                table {
                    thead { tr { @for title in titles { th scope="col" { (title) } } } }
                    tbody { @for row in rows { tr { @for cell in row { td { (cell) } } } } }
                }
            }
        },
    }
}
