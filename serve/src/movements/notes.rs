//! What people note: remarks on a movement, that it is known, and when a machine was changed.

use anyhow::Result;
use rand::RngExt;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use sqlx::{FromRow, Row};
use utoipa::ToSchema;

use crate::database::Database;

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

    fn of(word: &str) -> Self {
        match word {
            "acknowledged" => Self::Acknowledged,
            "changed" => Self::Changed,
            _ => Self::Remark,
        }
    }
}

/// A note on a machine.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Note {
    /// Its name.
    pub id: String,
    /// The machine's name.
    pub machine: String,
    /// The start of the run at which something moved, or when the machine was changed: RFC 3339, UTC.
    pub moment: String,
    /// What it is.
    pub kind: NoteKind,
    /// The name of its author.
    pub author: String,
    /// When it was written.
    pub written: String,
    /// Its words.
    pub words: String,
}

impl FromRow<'_, AnyRow> for Note {
    fn from_row(row: &AnyRow) -> sqlx::Result<Self> {
        Ok(Self {
            id: row.try_get("id")?,
            machine: row.try_get("machine")?,
            moment: row.try_get("moment")?,
            kind: NoteKind::of(row.try_get("kind")?),
            author: row.try_get("author")?,
            written: row.try_get("written")?,
            words: row.try_get("words")?,
        })
    }
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
        if machine.is_some_and(|machine| machine.contains('\0')) {
            return Ok(Vec::new());
        }
        let sql = format!(
            "SELECT id, machine, moment, kind, author, written, words FROM note WHERE ($1 = '' OR machine = $1) \
             ORDER BY written DESC, id LIMIT {MOST}"
        );
        Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(machine.unwrap_or("")).fetch_all(&self.pool).await?)
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
        if id.contains('\0') {
            return Ok(None);
        }
        let _turn = self.writes.acquire().await?;
        let mut transaction = self.pool.begin().await?;
        let note: Option<Note> =
            sqlx::query_as("SELECT id, machine, moment, kind, author, written, words FROM note WHERE id = $1")
                .bind(id)
                .fetch_optional(&mut *transaction)
                .await?;
        if let Some(note) = &note {
            sqlx::query("DELETE FROM note WHERE id = $1").bind(id).execute(&mut *transaction).await?;
            look_again(&mut transaction, &note.machine, note.kind).await?;
        }
        transaction.commit().await?;
        Ok(note)
    }
}

async fn look_again(transaction: &mut sqlx::AnyConnection, machine: &str, kind: NoteKind) -> Result<()> {
    if kind == NoteKind::Changed {
        sqlx::query("UPDATE run SET looked = 0 WHERE machine = $1").bind(machine).execute(transaction).await?;
    }
    Ok(())
}
