//! The machine, fact by fact, and the method in so many words as a reader needs to defend a figure.

use ciphermeter_core::{Record, Run, method};
use ciphermeter_stats::LEAST_FORKS;
use maud::{Markup, html};

use crate::notes;
use ciphermeter_answer::devices::{Board, boards};
use ciphermeter_answer::words::{fit, percent, short};

/// The most columns of a text from outside.
const MOST: usize = 600;

/// What another program says, which the screen explains; without that it would seem a fact of the machine.
const OPENSSL_SPEED: &str = "openssl-speed-";

/// What a device is, and which compiler made what it runs.
fn said(board: &Board) -> String {
    let runtime = board.records.iter().find_map(|record| Some(short(&record.provenance.as_ref()?.runtime, MOST)));
    let parts = [Some(board.what()), runtime].into_iter().flatten().filter(|part| !part.is_empty());
    match parts.collect::<Vec<_>>().join("; ") {
        said if said.is_empty() => "not known: it did not answer".into(),
        said => said,
    }
}

/// What the figures were measured on, and how.
pub(super) fn facts(id: &str, run: &Run, records: &[Record], file: Option<&str>) -> Markup {
    let scenario = &run.scenario;
    let notes = notes(run, records, true);
    html! {
        section.facts id={ (id) "-machine" } {
            @let boards = boards(records);
            @if !boards.is_empty() {
                h3 { "Devices" }
                div.scroll tabindex="0" role="group" aria-label="Devices" { table { tbody {
                    @for board in &boards { tr { th scope="row" { (short(&board.name, MOST)) } td { (said(board)) } } }
                } } }
            }
            h3 { @if boards.is_empty() { "Machine" } @else { "The machine that they were measured from" } }
            div.scroll tabindex="0" role="group" aria-label="Machine" {
                table {
                    tbody {
                        @for fact in run.host.iter().filter(|fact| !fact.name.starts_with(OPENSSL_SPEED)) {
                            tr {
                                th scope="row" { (short(&fact.name, MOST)) }
                                @match (&fact.value, &fact.why) {
                                    (Some(value), _) => { td { (short(value, MOST)) } }
                                    (None, Some(why)) => { td.absent { "not known: " (short(why, MOST)) } }
                                    (None, None) => { td.absent { "not known" } }
                                }
                            }
                        }
                        @if let Some(mask) = run.mask { tr { th scope="row" { "instructions kept from providers" } td { (mask.instructions()) } } }
                    }
                }
            }
            h3 { "Method" }
            p {
                "A cell is one thing measured: an operation of an algorithm by a provider, at one size. A sample is a batch of its calls, timed; a fork is \
                 one life of the processes that make them. Every provider's output is verified before it is timed. What is compared was measured in the same rounds, in an order drawn \
                 at random, in processes that were started anew for each fork; samples during which other work ran on the CPU are excluded. \
                 A ratio is the geometric mean over forks, its interval Student's t at 95 %, for all comparisons of a table together; with fewer \
                 than " (LEAST_FORKS) " undisturbed forks there is no figure. Ciphermeter's METHODOLOGY.md has the reasons."
            }
            p {
                "Scenario " (short(&scenario.name, MOST)) ", budget " (scenario.budget.duration().as_secs_f64()) " s, precision "
                (percent(scenario.precision.0)) ", seed " (run.seed) "; measured by " (method(run.plan.method)) ", Ciphermeter " (short(&run.version, MOST))
                ". The raw samples: "
                @match file {
                    Some(file) => { a href=(file) { (file) } ", which " code { "ciphermeter import" } " reads." }
                    None => code { (run.command(&format!("export {} --format json", run.id))) }
                }
            }
            @if !notes.is_empty() {
                details {
                    summary { "Notes of the run (" (notes.len()) ")" }
                    ul { @for note in &notes { li { (fit(note, MOST)) } } }
                }
            }
        }
    }
}
