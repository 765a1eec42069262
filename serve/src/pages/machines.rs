//! All machines, a row each, and one machine's runs.

use axum::extract::{Path, Query, State};
use ciphermeter_answer::fleet::FleetAnswer;
use ciphermeter_core::Algorithm;
use maud::{Markup, html};
use serde::Deserialize;

use super::shell::{minute, page, path, table};
use crate::fleet::Fleet;
use crate::local;
use crate::problem::Problem;
use crate::queries::moment;
use crate::runs::{StoredRun, Wanted};
use crate::state::Server;

/// The column by which machines are sorted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Sort {
    #[default]
    Name,
    Answer,
    Measured,
    Aes,
    Chacha20,
}

#[derive(Deserialize)]
pub struct Sorted {
    #[serde(default)]
    sort: Sort,
}

pub async fn machines(State(server): State<Server>, Query(sorted): Query<Sorted>) -> Result<Markup, Problem> {
    let fleet = server.fleet().await?;
    let is_under_way = server.live.is_some() && local::is_measuring();
    Ok(shown(fleet, sorted.sort, &others(is_under_way, server.site.is_some())))
}

/// Links to what is no machine.
fn others(is_under_way: bool, may_join: bool) -> Markup {
    html! {
        @if is_under_way { p { a href="/live" { "A run is under way on this machine: watch it" } } }
        @if may_join { p { a href="/join-code" { "Let a phone join" } } }
    }
}

fn shown(fleet: Fleet, sort: Sort, others: &Markup) -> Markup {
    let Fleet { mut machines, count, answer, since, stale } = fleet;
    if machines.is_empty() {
        let body = html! {
            p { "There is no run here yet. Measure, and push what was measured:" }
            pre { "ciphermeter run\nciphermeter push --to URL-OF-THIS-PAGE" }
            (others)
        };
        return page("Machines", &body);
    }
    order(&mut machines, sort, &answer.not_counted);
    let head = |by: Sort, name: &str, link: &str| {
        html! {
            th.number[matches!(by, Sort::Aes | Sort::Chacha20)] scope="col" aria-sort=[(by == sort).then_some("ascending")] { a href=(format!("/?sort={link}")) { (name) } }
        }
    };
    let rates = answer.columns();
    let body = html! {
        @for (place, sentence) in answer.sentences.iter().enumerate() {
            p.answer[place == 0] { (sentence) }
        }
        form.stacked action="/compare" method="get" {
        div.wide tabindex="0" role="region" aria-label="Machines" {
            table {
                thead {
                    tr {
                        (head(Sort::Name, "machine", "name"))
                        (head(Sort::Answer, "use", "answer"))
                        (head(Sort::Aes, &rates[0], "aes"))
                        (head(Sort::Chacha20, &rates[1], "chacha20"))
                        (head(Sort::Measured, "measured", "measured"))
                        th scope="col" { "same since" }
                        @if machines.len() > 1 { th scope="col" { "A" } th scope="col" { "B" } }
                    }
                }
                tbody {
                    @for (place, run) in machines.iter().enumerate() {
                        tr {
                            (row(run, &answer, since.get(&run.machine), stale.contains(&run.machine)))
                            @if machines.len() > 1 { (chosen(run, &run.machine, [place == 0, place == 1])) }
                        }
                    }
                }
            }
        }
        @if machines.len() > 1 { button type="submit" { "Show A and B side by side" } }
        }
        @if count > machines.len() {
            p.hint { "The first " (machines.len()) " machines by name; the sentences above are of all " (count) "." }
        }
        p.hint {
            "Rates are those of the fastest library there, with messages of this size. Each row is the machine's latest run of the two \
             ciphers that most machines compare, under the same conditions; of a machine without one, its latest run that compares others, or \
             its latest. \
             Since the moment under \"same since\", such runs give the same answer."
        }
        (others)
    };
    page("Machines", &body)
}

/// The cells of a machine.
fn row(run: &StoredRun, answer: &FleetAnswer, since: Option<&String>, is_stale: bool) -> Markup {
    let rates = answer.columns();
    let rate = |cipher: usize| {
        let choice = run.choice.as_ref()?;
        let library = choice.libraries.as_ref().map(|libraries| libraries[cipher].as_str());
        let other = answer.named(cipher, choice.ciphers[cipher]);
        Some(html! {
            (format!("{:.2}", choice.gb_per_s[cipher]))
            small { @if let Some(other) = other { (other) ", " } @if let Some(library) = library { (library) ", " } (choice.at()) }
        })
    };
    let used =
        run.choice.as_ref().map_or("not counted", |choice| choice.recommended.map_or("not known", Algorithm::title));
    html! {
        th scope="row" {
            a href=(path("/machines/", &run.machine)) { (run.machine) }
            @if run.machine != run.measured_on { small { (run.measured_on) } }
        }
        td.whole data-label="use" { a href=(path("/runs/", &run.digest)) { (used) } }
        @for cipher in 0..2 { td.number data-label=(rates[cipher]) { @if let Some(rate) = rate(cipher) { (rate) } } }
        td.moment data-label="measured" { (minute(&run.started)) @if is_stale { small { "stale" } } }
        td.moment data-label="same since" { (since.map(|since| minute(since)).unwrap_or_default()) }
    }
}

/// In the order of a column; the slowest machine stands first in the order of rates, and last those whose rates are of other conditions.
fn order(machines: &mut [StoredRun], sort: Sort, not_counted: &[String]) {
    let mut by_rate = |cipher: usize| {
        let rate = |run: &StoredRun| run.choice.as_ref().map_or(f64::INFINITY, |choice| choice.gb_per_s[cipher]);
        let is_last = |run: &StoredRun| not_counted.contains(&run.machine);
        machines.sort_by(|a, b| is_last(a).cmp(&is_last(b)).then(rate(a).total_cmp(&rate(b))));
    };
    match sort {
        Sort::Aes => by_rate(0),
        Sort::Chacha20 => by_rate(1),
        Sort::Name => machines.sort_by(|a, b| a.machine.cmp(&b.machine)),
        Sort::Answer => machines.sort_by_key(|run| run.choice.as_ref().and_then(|choice| choice.recommended)),
        Sort::Measured => machines.sort_by(|a, b| a.started.cmp(&b.started)),
    }
}

#[derive(Deserialize)]
pub struct Before {
    #[serde(default, deserialize_with = "moment")]
    before: Option<String>,
    after: Option<String>,
}

/// Runs on one page.
const MOST: usize = 150;

pub async fn machine(
    State(server): State<Server>,
    Path(machine): Path<String>,
    Query(page): Query<Before>,
) -> Result<Markup, Problem> {
    let (before, after) = (page.before.as_deref(), page.after.as_deref());
    let wanted = Wanted { machine: Some(&machine), before, after, most: MOST as i64 };
    let runs = server.database.runs(&wanted).await?;
    if runs.is_empty() { Err(Problem::missing("machine")) } else { Ok(of_machine(&machine, &runs)) }
}

fn of_machine(machine: &str, runs: &[StoredRun]) -> Markup {
    let body = html! {
        p { (described(runs)) " · " a href=(path("/movements?machine=", machine)) { "what moved" } }
        form.stacked action="/compare" method="get" {
            (table("Runs", &["began", "scenario", "answer", "A", "B"], runs.iter().enumerate().map(run_row)))
            @if runs.len() == MOST { p { a href=(older(machine, &runs[MOST - 1])) { "Older runs" } } }
            @if runs.len() > 1 { button type="submit" { "Show A and B side by side" } }
        }
    };
    page(machine, &body)
}

/// The machine in words: those of a run on all its instructions, if there is one.
fn described(runs: &[StoredRun]) -> &str {
    &runs.iter().find(|run| run.choice.is_some()).unwrap_or(&runs[0]).measured_on
}

/// Two cells in which a run is chosen as A or B.
fn chosen(run: &StoredRun, name: &str, chosen: [bool; 2]) -> Markup {
    html! {
        @for (side, chosen) in ["a", "b"].into_iter().zip(chosen) {
            td.side data-label=(side.to_uppercase()) {
                input type="radio" name=(side) value=(run.digest) checked[chosen]
                    aria-label=(format!("{name} as {}", side.to_uppercase()));
            }
        }
    }
}

/// Where a list goes on behind its last run.
fn older(machine: &str, last: &StoredRun) -> String {
    format!("{}{}&after={}", path("/machines/", machine), path("?before=", &last.started), last.digest)
}

/// A run that can be chosen as A or B; the two latest are.
fn run_row((place, run): (usize, &StoredRun)) -> Markup {
    html! {
        tr {
            th.moment scope="row" { a href=(path("/runs/", &run.digest)) { (minute(&run.started)) } }
            td { (run.scenario) }
            td.whole { (run.answer) @if !run.sides.is_empty() { small { (run.sides) } } }
            (chosen(run, &minute(&run.started), [place == 1, place == 0]))
        }
    }
}
