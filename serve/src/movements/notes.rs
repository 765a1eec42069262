//! What people note: remarks on a movement, that it is known, and when a machine was changed.

use anyhow::Result;
use rand::RngExt;
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::conditions::Conditions;
use crate::database::Database;

const SELECT: &str = "SELECT id, machine, moment, kind, author, written, words FROM note";
/// Notes of one list, and of one machine.
const MOST: i64 = 100_000;
pub const MOST_OF_MACHINE: usize = 500;

/// What a note is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum NoteKind {
    /// Words, and no more.
    Remark,
    /// What moved at this moment is known, and no longer listed among what is new.
    Acknowledged,
    /// The machine was changed at this moment: what moves at the next run is put down to it.
    Changed,
}

impl NoteKind {
    fn word(self) -> &'static str {
        match self {
            Self::Remark => "remark",
            Self::Acknowledged => "acknowledged",
            Self::Changed => "changed",
        }
    }
}

impl From<String> for NoteKind {
    fn from(word: String) -> Self {
        match word.as_str() {
            "acknowledged" => Self::Acknowledged,
            "changed" => Self::Changed,
            _ => Self::Remark,
        }
    }
}

/// A note on a machine.
#[derive(Debug, Clone, Serialize, ToSchema, FromRow)]
pub struct Note {
    /// Its name.
    pub id: String,
    /// The machine's name.
    pub machine: String,
    /// The start of the run at which something moved, or when the machine was changed: RFC 3339, UTC.
    pub moment: String,
    /// What it is.
    #[sqlx(try_from = "String")]
    pub kind: NoteKind,
    /// The name of its author.
    pub author: String,
    /// When it was written.
    pub written: String,
    /// Its words.
    pub words: String,
}

impl Note {
    /// A name for a new one.
    pub fn new_id() -> String {
        format!("{:016x}", rand::rng().random::<u64>())
    }
}

impl Database {
    /// Notes on a machine, or on all, the latest first.
    pub async fn notes(&self, machine: Option<&str>) -> Result<Vec<Note>> {
        let conditions = Conditions::default().equal("machine", machine);
        conditions.rows(SELECT, &format!("ORDER BY written DESC, id LIMIT {MOST}"), &self.pool).await
    }

    /// Puts a note in. One that says when its machine was changed has its runs looked through again.
    pub async fn add_note(&self, note: &Note) -> Result<()> {
        let _turn = self.writes.acquire().await?;
        let mut transaction = self.pool.begin().await?;
        sqlx::query(
            "INSERT INTO note (id, machine, moment, kind, author, written, words) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        )
        .bind(&note.id)
        .bind(&note.machine)
        .bind(&note.moment)
        .bind(note.kind.word())
        .bind(&note.author)
        .bind(&note.written)
        .bind(&note.words)
        .execute(&mut *transaction)
        .await?;
        look_again(&mut transaction, &note.machine, note.kind).await?;
        Ok(transaction.commit().await?)
    }

    /// Removes a note, and returns it; `None` where there is none of that name.
    pub async fn remove_note(&self, id: &str) -> Result<Option<Note>> {
        let Some(note): Option<Note> =
            Conditions::default().equal("id", Some(id)).rows(SELECT, "", &self.pool).await?.pop()
        else {
            return Ok(None);
        };
        let _turn = self.writes.acquire().await?;
        let mut transaction = self.pool.begin().await?;
        sqlx::query("DELETE FROM note WHERE id = $1").bind(id).execute(&mut *transaction).await?;
        look_again(&mut transaction, &note.machine, note.kind).await?;
        transaction.commit().await?;
        Ok(Some(note))
    }
}

async fn look_again(transaction: &mut sqlx::AnyConnection, machine: &str, kind: NoteKind) -> Result<()> {
    if kind == NoteKind::Changed {
        sqlx::query("UPDATE run SET looked = 0 WHERE machine = $1").bind(machine).execute(transaction).await?;
    }
    Ok(())
}
