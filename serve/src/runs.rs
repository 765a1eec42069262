//! Runs in the database: put in once, listed, read back.

use anyhow::Result;
use ciphermeter_answer::fleet::Choice;
use serde::Serialize;
use sqlx::any::AnyRow;
use sqlx::{FromRow, Row};
use utoipa::ToSchema;

use crate::database::Database;
use crate::received::{CellRow, Judged, Received, SeriesKey};

/// The version whose words a run's columns are.
pub const JUDGED_BY: &str = env!("CARGO_PKG_VERSION");
/// Rows of one list.
pub const MOST: i64 = 1000;

const COLUMNS: &str = "digest, machine, started, received, scenario, status, version, cells, measured_on, question, \
                       answered, answer, choice, bytes";

/// A stored run, without its records.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct StoredRun {
    /// SHA-256 of what was measured, in hex: the run's name.
    pub digest: String,
    /// The machine's name.
    pub machine: String,
    /// When it began, RFC 3339, UTC.
    pub started: String,
    /// When it came in.
    pub received: String,
    /// The scenario's name.
    pub scenario: String,
    /// `complete`, `partial` or `interrupted`.
    pub status: String,
    /// The version of Ciphermeter that measured.
    pub version: String,
    /// How many cells have a figure.
    pub cells: i64,
    /// The machine in words.
    pub measured_on: String,
    /// What the run asks.
    pub question: String,
    /// Whether that is answered.
    pub answered: bool,
    /// The answer's first sentence.
    pub answer: String,
    /// AES and ChaCha20 there; `null` where the run does not compare them.
    #[schema(value_type = Object)]
    pub choice: Option<Choice>,
    /// Bytes of the export.
    pub bytes: i64,
}

impl FromRow<'_, AnyRow> for StoredRun {
    fn from_row(row: &AnyRow) -> sqlx::Result<Self> {
        Ok(Self {
            digest: row.try_get("digest")?,
            machine: row.try_get("machine")?,
            started: row.try_get("started")?,
            received: row.try_get("received")?,
            scenario: row.try_get("scenario")?,
            status: row.try_get("status")?,
            version: row.try_get("version")?,
            cells: row.try_get("cells")?,
            measured_on: row.try_get("measured_on")?,
            question: row.try_get("question")?,
            answered: row.try_get::<i64, _>("answered")? != 0,
            answer: row.try_get("answer")?,
            choice: row.try_get::<Option<String>, _>("choice")?.and_then(|json| serde_json::from_str(&json).ok()),
            bytes: row.try_get("bytes")?,
        })
    }
}

/// A figure of a cell at one moment.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Moment {
    /// The run's digest.
    pub run: String,
    /// The machine's name.
    pub machine: String,
    /// When the run began.
    pub started: String,
    /// The library's version.
    pub version: String,
    /// Median nanoseconds of an iteration.
    pub ns: f64,
    /// The cell that the ratio is to.
    pub reference: String,
    /// Time ÷ time of the reference: estimate, lower and upper end of its 95 % interval.
    pub ratio: Option<[f64; 3]>,
}

impl FromRow<'_, AnyRow> for Moment {
    fn from_row(row: &AnyRow) -> sqlx::Result<Self> {
        let ratio: [Option<f64>; 3] = [row.try_get("ratio")?, row.try_get("ratio_low")?, row.try_get("ratio_high")?];
        Ok(Self {
            run: row.try_get("run")?,
            machine: row.try_get("machine")?,
            started: row.try_get("started")?,
            version: row.try_get("version")?,
            ns: row.try_get("ns")?,
            reference: row.try_get("reference")?,
            ratio: match ratio {
                [Some(mid), Some(low), Some(high)] => Some([mid, low, high]),
                _ => None,
            },
        })
    }
}

/// Which runs are listed; without a condition, all.
#[derive(Debug, Default)]
pub struct Wanted<'a> {
    /// Of this machine alone.
    pub machine: Option<&'a str>,
    /// That began before this moment.
    pub before: Option<&'a str>,
}

impl Database {
    /// Puts a run in, all or nothing; `false`: it was there.
    pub async fn put(&self, machine: &str, received: &str, run: &Received) -> Result<bool> {
        let mut transaction = self.pool.begin().await?;
        let Judged { measured_on, question, is_answered, answer, choice } = &run.judged;
        let put = sqlx::query(
            "INSERT INTO run (digest, machine, started, received, scenario, status, version, method, cells, judged_by, \
             measured_on, question, answered, answer, choice, bytes, document, identity, state) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) \
             ON CONFLICT (digest) DO NOTHING",
        )
        .bind(&run.digest)
        .bind(machine)
        .bind(&run.started)
        .bind(received)
        .bind(&run.scenario)
        .bind(&run.status)
        .bind(&run.version)
        .bind(run.method)
        .bind(i64::try_from(run.cells.len())?)
        .bind(JUDGED_BY)
        .bind(measured_on)
        .bind(question)
        .bind(i64::from(*is_answered))
        .bind(answer)
        .bind(choice.as_deref())
        .bind(run.bytes)
        .bind(run.document.as_slice())
        .bind(&run.series.identity)
        .bind(&run.series.state)
        .execute(&mut *transaction)
        .await?;
        if put.rows_affected() == 0 {
            return Ok(false);
        }
        for cell in &run.cells {
            put_cell(&mut transaction, &run.digest, cell).await?;
        }
        transaction.commit().await?;
        Ok(true)
    }

    /// Runs, the latest first, [`MOST`] of them.
    pub async fn runs(&self, wanted: &Wanted<'_>) -> Result<Vec<StoredRun>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM run WHERE ($1 = '' OR machine = $1) AND ($2 = '' OR started < $2) \
             ORDER BY started DESC, digest LIMIT {MOST}"
        );
        // No name has it, and PostgreSQL takes none.
        if [wanted.machine, wanted.before].iter().flatten().any(|text| text.contains('\0')) {
            return Ok(Vec::new());
        }
        let rows = sqlx::query_as(sqlx::AssertSqlSafe(sql));
        Ok(rows.bind(wanted.machine.unwrap_or("")).bind(wanted.before.unwrap_or("")).fetch_all(&self.pool).await?)
    }

    /// The latest run of each machine that compares AES and ChaCha20, else its latest run; machines in the order of names.
    pub async fn machines(&self) -> Result<Vec<StoredRun>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY machine ORDER BY \
             CASE WHEN choice IS NULL THEN 1 ELSE 0 END, started DESC, digest) AS place FROM run) AS latest \
             WHERE place = 1 ORDER BY machine LIMIT {MOST}"
        );
        Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql)).fetch_all(&self.pool).await?)
    }

    /// The run whose digest begins with these hex digits; `None` where none does, or several do.
    pub async fn run(&self, digits: &str) -> Result<Option<StoredRun>> {
        let sql = format!("SELECT {COLUMNS} FROM run WHERE digest LIKE $1 LIMIT 2");
        let rows = sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(format!("{digits}%"));
        let mut found: Vec<StoredRun> = rows.fetch_all(&self.pool).await?;
        Ok(found.pop().filter(|_| found.is_empty()))
    }

    /// A run's document, compressed.
    pub async fn document(&self, digest: &str) -> Result<Option<Vec<u8>>> {
        let row = sqlx::query_scalar("SELECT document FROM run WHERE digest = $1");
        Ok(row.bind(digest).fetch_optional(&self.pool).await?)
    }

    /// A cell's figures, the latest first, [`MOST`] of them.
    pub async fn moments(&self, cell: &str, machine: Option<&str>) -> Result<Vec<Moment>> {
        let sql = format!(
            "SELECT run.digest AS run, machine, started, cell.version AS version, ns, reference, ratio, ratio_low, ratio_high \
             FROM cell JOIN run ON run.digest = cell.run WHERE cell = $1 AND ($2 = '' OR machine = $2) \
             ORDER BY started DESC, run.digest LIMIT {MOST}"
        );
        if [Some(cell), machine].iter().flatten().any(|text| text.contains('\0')) {
            return Ok(Vec::new());
        }
        let rows = sqlx::query_as(sqlx::AssertSqlSafe(sql));
        Ok(rows.bind(cell).bind(machine.unwrap_or("")).fetch_all(&self.pool).await?)
    }

    /// The digest of a run whose columns are the words of another version.
    pub async fn outdated(&self) -> Result<Option<String>> {
        let row = sqlx::query_scalar("SELECT digest FROM run WHERE judged_by <> $1 LIMIT 1").bind(JUDGED_BY);
        Ok(row.fetch_optional(&self.pool).await?)
    }

    /// Puts what this version reads in a run in the place of what another one read.
    pub async fn judge(&self, digest: &str, judged: &Judged, series: &SeriesKey, cells: &[CellRow]) -> Result<()> {
        let mut transaction = self.pool.begin().await?;
        sqlx::query(
            "UPDATE run SET judged_by = $1, measured_on = $2, question = $3, answered = $4, answer = $5, choice = $6, \
             identity = $7, state = $8, looked = 0 WHERE digest = $9",
        )
        .bind(JUDGED_BY)
        .bind(&judged.measured_on)
        .bind(&judged.question)
        .bind(i64::from(judged.is_answered))
        .bind(&judged.answer)
        .bind(judged.choice.as_deref())
        .bind(&series.identity)
        .bind(&series.state)
        .bind(digest)
        .execute(&mut *transaction)
        .await?;
        sqlx::query("DELETE FROM cell WHERE run = $1").bind(digest).execute(&mut *transaction).await?;
        for cell in cells {
            put_cell(&mut transaction, digest, cell).await?;
        }
        Ok(transaction.commit().await?)
    }

    /// Removes runs that began before a moment, and returns how many.
    pub async fn remove_before(&self, moment: &str) -> Result<u64> {
        Ok(sqlx::query("DELETE FROM run WHERE started < $1").bind(moment).execute(&self.pool).await?.rows_affected())
    }

    /// Whether a run that began at this moment is there, of this machine or of any.
    pub async fn has(&self, machine: Option<&str>, started: &str) -> Result<bool> {
        let row = sqlx::query("SELECT digest FROM run WHERE started = $1 AND ($2 = '' OR machine = $2) LIMIT 1");
        Ok(row.bind(started).bind(machine.unwrap_or("")).fetch_optional(&self.pool).await?.is_some())
    }
}

async fn put_cell(transaction: &mut sqlx::AnyConnection, digest: &str, row: &CellRow) -> Result<()> {
    let ratio = |place: usize| row.ratio.map(|ratio| ratio[place]);
    sqlx::query(
        "INSERT INTO cell (run, cell, version, ns, reference, ratio, ratio_low, ratio_high, library, program, is_ceiling) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    )
    .bind(digest)
    .bind(&row.cell)
    .bind(&row.version)
    .bind(row.ns)
    .bind(&row.reference)
    .bind(ratio(0))
    .bind(ratio(1))
    .bind(ratio(2))
    .bind(&row.code.library)
    .bind(&row.code.program)
    .bind(i64::from(row.is_ceiling))
    .execute(transaction)
    .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use ciphermeter_answer::fixtures;

    use super::*;
    use crate::database::of_file;
    use crate::state::Server;

    #[tokio::test]
    async fn words_of_another_version_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open(&of_file(&folder.path().join("team.db"))).await.unwrap();
        let (run, records) = fixtures::run();
        let mut export = Vec::new();
        ciphermeter_report::write_json(&mut export, &run, &records).unwrap();
        let received = Received::of(&export, "2026-11-30T00:00:00Z").unwrap();
        assert!(database.put("a", "2026-11-30T00:00:00Z", &received).await.unwrap());
        assert_eq!(database.outdated().await.unwrap(), None);
        let older = "UPDATE run SET judged_by = '0.0.1', answer = 'other words'";
        sqlx::query(older).execute(&database.pool).await.unwrap();
        Server::new(database.clone(), Vec::new(), false, false).judge_again().await.unwrap();
        assert_eq!(database.outdated().await.unwrap(), None);
        assert_eq!(database.runs(&Wanted::default()).await.unwrap()[0].answer, received.judged.answer);
    }
}
