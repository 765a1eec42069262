//! Notes on movements and machines: shown, written and removed.

use axum::Form;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Redirect;
use ciphermeter_core::escaped;

use maud::{Markup, html};
use serde::Deserialize;
use time::PrimitiveDateTime;

use super::shell::{minute, path};
use crate::clock;
use crate::movements::{MOST_OF_MACHINE, Note, NoteKind};
use crate::problem::Problem;
use crate::runs::Wanted;
use crate::state::Server;

/// Bytes of a note's words, and of its author's name.
const MOST: usize = 2000;
const MOST_OF_NAME: usize = 100;

#[derive(Deserialize)]
pub struct Written {
    machine: String,
    moment: String,
    kind: NoteKind,
    #[serde(default)]
    author: String,
    #[serde(default)]
    words: String,
}

pub async fn write(State(server): State<Server>, Form(written): Form<Written>) -> Result<Redirect, Problem> {
    let refused = |said: &str| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, said);
    let Written { machine, moment, kind, author, words } = written;
    let (author, words) = (escaped(author.trim()), words.trim().replace(['\r', '\n'], " "));
    if words.len() > MOST || author.len() > MOST_OF_NAME || words.contains('\0') {
        return Err(refused("a note has 2000 bytes at most, and its author's name 100"));
    }
    if words.is_empty() && kind != NoteKind::Acknowledged {
        return Err(refused("a note needs words"));
    }
    let moment = whole(&moment).ok_or_else(|| refused("the moment is none: write 2026-11-30T15:00, in UTC"))?;
    let wanted = Wanted { machine: Some(&machine), most: 1, ..Default::default() };
    let Some(latest) = server.database.runs(&wanted).await?.pop() else { return Err(Problem::missing("machine")) };
    if server.database.notes(Some(&machine)).await?.len() >= MOST_OF_MACHINE {
        return Err(refused("this machine has 500 notes: remove some first"));
    }
    let moved = server.database.moved(Some(&machine), None).await?;
    if kind != NoteKind::Changed && !moved.iter().any(|moved| moved.started == moment) {
        return Err(refused("nothing moved there: open the page of movements anew"));
    }
    let note = Note { id: Note::new_id(), machine, moment, kind, author, written: clock::now(), words };
    server.database.add_note(&note).await?;
    if kind == NoteKind::Changed {
        // So that the page that follows shows what it explains.
        server.find_movements(&latest.digest).await?;
    }
    server.has_come.notify_one();
    Ok(Redirect::to(&path("/movements?machine=", &note.machine)))
}

/// A moment as RFC 3339 in UTC, as runs have it, from what a browser's form gives (which is meant in UTC) or from RFC 3339.
fn whole(moment: &str) -> Option<String> {
    let form = time::macros::format_description!("[year]-[month]-[day]T[hour]:[minute]");
    let in_form = PrimitiveDateTime::parse(moment, form).ok().map(PrimitiveDateTime::assume_utc);
    clock::text(in_form.or_else(|| clock::moment(moment))?)
}

#[derive(Deserialize)]
pub struct Removed {
    id: String,
}

pub async fn remove(State(server): State<Server>, Form(removed): Form<Removed>) -> Result<Redirect, Problem> {
    let note = server.database.remove_note(&removed.id).await?.ok_or_else(|| Problem::missing("note"))?;
    server.has_come.notify_one();
    Ok(Redirect::to(&path("/movements?machine=", &note.machine)))
}

/// A note, with a button that removes it.
pub fn shown(note: &Note, may_write: bool) -> Markup {
    let what = match note.kind {
        NoteKind::Remark => "",
        NoteKind::Acknowledged => "acknowledged",
        NoteKind::Changed => "changed",
    };
    html! {
        form.note method="post" action="/notes/remove" {
            input type="hidden" name="id" value=(note.id);
            @if note.kind == NoteKind::Changed { (minute(&note.moment)) ": " }
            (note.words)
            small {
                @if !what.is_empty() { (what) " " }
                @if !note.author.is_empty() { "by " (note.author) ", " }
                (minute(&note.written))
            }
            @if may_write { button type="submit" { "Remove" } }
        }
    }
}

/// Where a note on a movement is written.
pub fn form(machine: &str, moment: &str, is_acknowledged: bool) -> Markup {
    html! {
        details {
            summary { @if is_acknowledged { "Add a remark" } @else { "Acknowledge, or add a remark" } }
            form method="post" action="/notes" {
                input type="hidden" name="machine" value=(machine);
                input type="hidden" name="moment" value=(moment);
                label { "Words" input name="words" maxlength=(MOST); }
                label { "Your name" input name="author" maxlength=(MOST_OF_NAME); }
                @if !is_acknowledged { button type="submit" name="kind" value="acknowledged" { "Acknowledge" } }
                " "
                button type="submit" name="kind" value="remark" { "Add a remark" }
            }
        }
    }
}

/// When a machine was changed, and where that is written.
pub fn changes(machine: &str, notes: &[Note], may_write: bool) -> Markup {
    let changes = notes.iter().filter(|note| note.kind == NoteKind::Changed);
    html! {
        section {
            h2 { "Changes of the machine" }
            p.hint { "If nothing else explains a movement at the first run after a change, the change does." }
            @for note in changes { (shown(note, may_write)) }
            @if may_write {
                form method="post" action="/notes" {
                    input type="hidden" name="machine" value=(machine);
                    input type="hidden" name="kind" value="changed";
                    label { "When, in UTC" input type="datetime-local" name="moment" required; }
                    label { "What changed" input name="words" maxlength=(MOST) required; }
                    label { "Your name" input name="author" maxlength=(MOST_OF_NAME); }
                    button type="submit" { "Add" }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_utc() {
        assert_eq!(whole("2026-11-30T15:00").unwrap(), "2026-11-30T15:00:00Z");
        assert_eq!(whole("2026-11-30T15:00:00.5+09:00").unwrap(), "2026-11-30T06:00:00Z");
        assert_eq!(whole("2026-11-30T12:00:00Z").unwrap(), "2026-11-30T12:00:00Z");
        for none in ["", "30.11.2026", "2026-11-30", "2026-02-30T12:00", "2026-11-30T25:00:00Z"] {
            assert_eq!(whole(none), None, "{none}");
        }
    }
}
