//! What moved, the latest first: each movement with its cause, what it is in figures, and what people note about it.

use std::collections::BTreeMap;

use axum::extract::{Extension, Query, State};
use ciphermeter_answer::words::listed;
use maud::{Markup, html};
use serde::Deserialize;

use super::notes::{self, form};
use super::shell::{minute, page, path, table};
use crate::movements::{Moved, Note, NoteKind};
use crate::problem::Problem;
use crate::runs::Wanted;
use crate::state::Server;
use crate::tokens::Scope;

/// Movements of one page.
const MOST: usize = 100;
/// Reasons of a movement that are shown.
const MOST_REASONS: usize = 3;

#[derive(Deserialize)]
pub struct Which {
    machine: Option<String>,
}

pub async fn movements(
    State(server): State<Server>,
    Extension(scope): Extension<Option<Scope>>,
    Query(which): Query<Which>,
) -> Result<Markup, Problem> {
    let may_write = !server.needs_token || scope == Some(Scope::Admin);
    let machine = which.machine.as_deref();
    if machine.is_some() && server.database.runs(&Wanted { machine, most: 1, ..Wanted::default() }).await?.is_empty() {
        return Err(Problem::missing("machine"));
    }
    let moved = server.database.moved(machine, None).await?;
    let notes = server.database.notes(machine).await?;
    let all = Movement::of(&moved, &notes);
    let mut several = server.database.several().await?;
    several.retain(|name| machine.is_none_or(|machine| machine == name));
    let (known, new): (Vec<&Movement>, Vec<&Movement>) = all.iter().partition(|movement| movement.is_acknowledged());
    let title = machine.map_or_else(|| "Movements".into(), |machine| format!("Movements of {machine}"));
    let body = html! {
        p.answer { (sentence(&new)) }
        p {
            "A cell moved where its time ÷ that of the reference, measured in the same rounds, stepped to another level. By chance, "
            "that happens to one cell of a hundred within a hundred runs. With fewer than six runs, few steps can be found. Times are in UTC."
        }
        @if !several.is_empty() {
            p {
                "Runs of another CPU, microcode, hypervisor or set of instructions begin a series of their own, and no movement is found "
                "between them. There are several of: " (listed(&several)) "."
            }
        }
        @for movement in new.iter().take(MOST) { (movement.shown(may_write)) }
        @if !known.is_empty() {
            details {
                summary { (known.len()) " acknowledged" }
                @for movement in known.iter().take(MOST) { (movement.shown(may_write)) }
            }
        }
        @if new.len().max(known.len()) > MOST { p.hint { "Older movements are in " code { "/api/movements" } "." } }
        @if let Some(machine) = machine { (notes::changes(machine, &notes, may_write)) }
    };
    Ok(page(&title, &body))
}

/// What moved, in one sentence.
fn sentence(new: &[&Movement]) -> String {
    let Some(latest) = new.first() else { return "Nothing new has moved.".into() };
    let mut causes: BTreeMap<&str, usize> = BTreeMap::new();
    for movement in new {
        *causes.entry(&movement.first().cause).or_default() += 1;
    }
    let by = |cause: &str| match cause {
        "library" => "by a library",
        "machine" => "by the machine",
        "method" => "by the method",
        _ => "unexplained",
    };
    let causes: Vec<String> = causes.iter().map(|(cause, count)| format!("{count} {}", by(cause))).collect();
    let (count, first) = (new.len(), latest.first());
    let noun = if count == 1 { "movement" } else { "movements" };
    format!("{count} {noun}, the latest on {} at {}: {}.", first.machine, minute(&first.started), causes.join(", "))
}

/// Cells that moved at one run, by one cause; the surest first, at least one.
struct Movement<'a> {
    cells: Vec<&'a Moved>,
    notes: Vec<&'a Note>,
}

impl<'a> Movement<'a> {
    /// All, in the order of their first cells.
    fn of(moved: &'a [Moved], notes: &'a [Note]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for cell in moved {
            let is_same = |own: &&mut Self| own.first().run == cell.run && own.first().cause == cell.cause;
            match all.iter_mut().find(is_same) {
                Some(movement) => movement.cells.push(cell),
                None => {
                    let of_it = |note: &&Note| note.machine == cell.machine && note.moment == cell.started;
                    all.push(Self { cells: vec![cell], notes: notes.iter().filter(of_it).collect() });
                }
            }
        }
        all
    }

    fn first(&self) -> &'a Moved {
        self.cells[0]
    }

    fn is_acknowledged(&self) -> bool {
        self.notes.iter().any(|note| note.kind == NoteKind::Acknowledged)
    }

    fn shown(&self, may_write: bool) -> Markup {
        let first = self.first();
        html! {
            section.movement {
                h2 {
                    (minute(&first.started)) " · "
                    a href=(path("/machines/", &first.machine)) { (first.machine) }
                    " · " (first.cause)
                }
                p { (self.in_words()) }
                @for reason in self.reasons() { p { (reason) } }
                p {
                    a href=(path("/runs/", &first.run)) { "the run" } " · "
                    a href=(format!("{}{}", path("/compare?a=", &first.before), path("&b=", &first.run))) {
                        "both reports side by side"
                    }
                }
                details {
                    summary { "Cells" }
                    (table("Cells", &["cell", "time", "95 % interval", "reference", "runs since"], self.cells.iter().map(|cell| row(cell))))
                }
                @for note in &self.notes { (notes::shown(note, may_write)) }
                @if may_write { (form(&first.machine, &first.started, self.is_acknowledged())) }
            }
        }
    }

    /// How many cells became slower and faster, and by how much.
    fn in_words(&self) -> String {
        let part = |is_slower: bool, word: &str| {
            let own = self.cells.iter().filter(|cell| (cell.change[0] > 1.0) == is_slower);
            let sizes: Vec<f64> = own.map(|cell| (cell.change[0] - 1.0).abs() * 100.0).collect();
            let (least, most) = sizes.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), x| (a.min(*x), b.max(*x)));
            let noun = if sizes.len() == 1 { "cell takes" } else { "cells take" };
            let range = if sizes.len() == 1 { format!("{most:.1} %") } else { format!("{least:.1} to {most:.1} %") };
            (!sizes.is_empty()).then(|| format!("{} {noun} {range} {word} time", sizes.len()))
        };
        if let [only] = self.cells[..] {
            let (size, word) =
                ((only.change[0] - 1.0).abs() * 100.0, if only.change[0] > 1.0 { "more" } else { "less" });
            return format!("{} takes {size:.1} % {word} time.", only.cell);
        }
        let parts: Vec<String> = [part(true, "more"), part(false, "less")].into_iter().flatten().collect();
        parts.join(", ") + "."
    }

    fn reasons(&self) -> Vec<String> {
        let mut all: Vec<&str> = Vec::new();
        for cell in &self.cells {
            if !all.contains(&cell.reason.as_str()) {
                all.push(&cell.reason);
            }
        }
        let more = all.len().saturating_sub(MOST_REASONS);
        let mut shown: Vec<String> =
            all.iter().take(MOST_REASONS).map(|reason| capital(&format!("{reason}."))).collect();
        if more > 0 {
            shown.push(format!("And {more} more reasons: /api/movements has them."));
        }
        shown
    }
}

/// A sentence begins with a capital letter.
fn capital(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn row(moved: &Moved) -> Markup {
    let percent = |ratio: f64| format!("{:+.1} %", (ratio - 1.0) * 100.0);
    let [mid, low, high] = moved.change;
    let cell = format!("{}{}", path("/cell?cell=", &moved.cell), path("&machine=", &moved.machine));
    html! {
        tr {
            th scope="row" { a href=(cell) { (moved.cell) } }
            td.number { (percent(mid)) }
            td.number { (percent(low)) " to " (percent(high)) }
            td.name { (moved.reference) }
            td.number { (moved.runs) }
        }
    }
}
