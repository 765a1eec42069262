//! Runs in the database: put in once, listed, read back.

use anyhow::Result;
use ciphermeter_answer::fleet::Choice;
use serde::Serialize;
use sqlx::any::AnyRow;
use sqlx::{FromRow, Row};
use utoipa::ToSchema;

use crate::conditions::Conditions;
use crate::database::Database;
use crate::received::{CellRow, Received};
use crate::{fault, judge, resumed};

/// The version whose words a run's columns are.
pub const JUDGED_BY: &str = env!("CARGO_PKG_VERSION");
/// Rows of one list.
pub const MOST: i64 = 1000;

const COLUMNS: &str = "digest, machine, started, received, scenario, status, version, cells, measured_on, question, \
                       answered, answer, choice, sides, bytes";

/// Of each machine, the run that stands for it comes first: the latest of the kind $1, else the latest of another kind, else the latest.
pub const STANDING_FIRST: &str = "PARTITION BY machine ORDER BY CASE WHEN kind = $1 THEN 0 WHEN kind <> '' THEN 1 ELSE 2 END, \
                                  started DESC, digest";

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
    /// The code of both sides, where something is compared with an older one; else empty.
    pub sides: String,
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
            sides: row.try_get("sides")?,
            bytes: row.try_get("bytes")?,
        })
    }
}

/// Of the run that stands for a machine, what the answer for all machines needs.
#[derive(Debug, sqlx::FromRow)]
pub struct Standing {
    pub machine: String,
    pub digest: String,
    pub started: String,
    /// JSON of a [`Choice`].
    choice: Option<String>,
}

impl Standing {
    /// What it recommends; `None` where it compares nothing.
    pub fn choice(&self) -> Option<Choice> {
        self.choice.as_ref().and_then(|json| serde_json::from_str(json).ok())
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
    /// Runs with the same one are compared with each other; empty where a run is compared with none.
    #[serde(skip)]
    pub series: String,
}

/// A cell's ratio with its interval, if it has one.
pub fn ratio(row: &AnyRow) -> sqlx::Result<Option<[f64; 3]>> {
    let ratio: [Option<f64>; 3] = [row.try_get("ratio")?, row.try_get("ratio_low")?, row.try_get("ratio_high")?];
    Ok(match ratio {
        [Some(mid), Some(low), Some(high)] => Some([mid, low, high]),
        _ => None,
    })
}

impl FromRow<'_, AnyRow> for Moment {
    fn from_row(row: &AnyRow) -> sqlx::Result<Self> {
        Ok(Self {
            run: row.try_get("run")?,
            machine: row.try_get("machine")?,
            started: row.try_get("started")?,
            version: row.try_get("version")?,
            ns: row.try_get("ns")?,
            reference: row.try_get("reference")?,
            series: row.try_get("series")?,
            ratio: ratio(row)?,
        })
    }
}

/// Which runs are listed; without a condition, all.
#[derive(Debug)]
pub struct Wanted<'a> {
    /// Of this machine alone.
    pub machine: Option<&'a str>,
    /// That began before this moment.
    pub before: Option<&'a str>,
    /// And those that began then, with a digest that comes after this one.
    pub after: Option<&'a str>,
    /// So many at most.
    pub most: i64,
}

impl Default for Wanted<'_> {
    fn default() -> Self {
        Self { machine: None, before: None, after: None, most: MOST }
    }
}

/// From whom a run came, and when.
#[derive(Debug, Clone, Copy)]
pub struct Sender<'a> {
    /// The machine's name.
    pub machine: &'a str,
    /// The moment, RFC 3339, UTC.
    pub received: &'a str,
    /// Whether it came through a link to join.
    pub joined: bool,
}

/// What became of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Put {
    New,
    /// New, and in the place of this run, which was interrupted and resumed.
    InPlaceOf(String),
    /// It was there.
    There,
    /// It was interrupted, and this run is there, as which it was resumed.
    Within(String),
    /// The machine has runs that came through no link, so a link's are not taken.
    OfOther,
}

impl Database {
    /// Puts a run in, all or nothing.
    pub async fn put(&self, sender: Sender<'_>, run: &Received) -> Result<Put> {
        let Sender { machine, received, joined } = sender;
        let _turn = self.writes.acquire().await?;
        let mut transaction = self.pool.begin().await?;
        if joined && is_of_other(&mut transaction, machine, &run.digest).await? {
            return Ok(Put::OfOther);
        }
        // What this version decides of the run is written below.
        let put = sqlx::query(
            "INSERT INTO run (digest, machine, started, received, scenario, status, version, method, bytes, joined, cells, judged_by, \
             measured_on, question, answered, answer) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, '', '', '', 0, '') \
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
        .bind(run.bytes)
        .bind(i64::from(joined))
        .execute(&mut *transaction)
        .await?;
        if put.rows_affected() == 0 {
            if resumed::has_ended(&mut transaction, run, joined).await? {
                judge::write_judged(&mut transaction, &run.digest, &run.judged).await?;
                transaction.commit().await?;
            }
            return Ok(Put::There);
        }
        if !self.is_sqlite {
            resumed::alone(&mut transaction, machine, run).await?;
        }
        // Dropped, the transaction comes to nothing.
        if let Some(longer) = resumed::longer(&mut transaction, machine, run).await? {
            return Ok(Put::Within(longer));
        }
        let replaced = resumed::replace(&mut transaction, machine, run).await?;
        sqlx::query("INSERT INTO export (run, document) VALUES ($1, $2)")
            .bind(&run.digest)
            .bind(run.document.as_slice())
            .execute(&mut *transaction)
            .await?;
        judge::write_judged(&mut transaction, &run.digest, &run.judged).await?;
        fault::point("before-commit");
        transaction.commit().await?;
        fault::point("after-commit");
        Ok(replaced.map_or(Put::New, Put::InPlaceOf))
    }

    /// Runs, the latest first.
    pub async fn runs(&self, wanted: &Wanted<'_>) -> Result<Vec<StoredRun>> {
        let Wanted { machine, before, after, most } = *wanted;
        let conditions = Conditions::default().equal("machine", machine).behind(before, after);
        let order = format!("ORDER BY started DESC, digest LIMIT {most}");
        conditions.rows(&format!("SELECT {COLUMNS} FROM run"), &order, &self.pool).await
    }

    /// The run that stands for each machine, where others of this kind stand beside it: machines in the order of names.
    pub async fn standing(&self, kind: &str) -> Result<Vec<Standing>> {
        // Which they are comes from an index alone: rows are long.
        let sql = format!(
            "SELECT machine, digest, started, choice FROM run WHERE digest IN (SELECT digest FROM (SELECT digest, \
             ROW_NUMBER() OVER ({STANDING_FIRST}) AS place FROM run) AS latest WHERE place = 1)"
        );
        let mut standing: Vec<Standing> =
            sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(kind).fetch_all(&self.pool).await?;
        // PostgreSQL orders names by its locale.
        standing.sort_by(|a, b| a.machine.cmp(&b.machine));
        Ok(standing)
    }

    /// The runs of these digests, in the order of their machines' names.
    pub async fn runs_of(&self, digests: &[&str]) -> Result<Vec<StoredRun>> {
        if digests.is_empty() {
            return Ok(Vec::new());
        }
        let sql = format!("SELECT {COLUMNS} FROM run WHERE digest IN {}", places(1, digests.len()));
        let mut rows = sqlx::query_as(sqlx::AssertSqlSafe(sql));
        for digest in digests {
            rows = rows.bind(*digest);
        }
        let mut runs: Vec<StoredRun> = rows.fetch_all(&self.pool).await?;
        runs.sort_by(|a, b| a.machine.cmp(&b.machine));
        Ok(runs)
    }

    /// The run whose digest begins with these hex digits; `None` where none does, or several do.
    pub async fn run(&self, digits: &str) -> Result<Option<StoredRun>> {
        let first = digits.to_ascii_lowercase();
        let sql = format!("SELECT {COLUMNS} FROM run WHERE digest >= $1 AND digest < $2 LIMIT 2");
        let rows = sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(&first).bind(format!("{first}g"));
        let mut found: Vec<StoredRun> = rows.fetch_all(&self.pool).await?;
        Ok(found.pop().filter(|_| found.is_empty()))
    }

    /// A run's document, compressed.
    pub async fn document(&self, digest: &str) -> Result<Option<Vec<u8>>> {
        let row = sqlx::query_scalar("SELECT document FROM export WHERE run = $1");
        Ok(row.bind(digest).fetch_optional(&self.pool).await?)
    }

    /// What a run's page shows, as it is stored; `None` where an earlier version stored the run.
    pub async fn shown(&self, digest: &str) -> Result<Option<Vec<u8>>> {
        let row = sqlx::query_scalar("SELECT shown FROM export WHERE run = $1");
        Ok(row.bind(digest).fetch_optional(&self.pool).await?.flatten())
    }

    /// A cell's figures, the latest first, [`MOST`] of them.
    pub async fn moments(&self, cell: &str, machine: Option<&str>) -> Result<Vec<Moment>> {
        let select = "SELECT run.digest AS run, machine, started, cell.version AS version, ns, reference, ratio, ratio_low, \
                      ratio_high, CASE WHEN identity = '' THEN '' ELSE scenario || ' ' || identity END AS series \
                      FROM cell JOIN run ON run.digest = cell.run";
        let conditions = Conditions::default().equal("cell", Some(cell)).equal("machine", machine);
        conditions.rows(select, &format!("ORDER BY started DESC, run.digest LIMIT {MOST}"), &self.pool).await
    }
}

/// Cells that one statement puts in: each takes its way to the database and back, and neither engine takes more than 32,766 values.
const CELLS_AT_ONCE: usize = 256;
const CELL_COLUMNS: [&str; 11] = [
    "run", "cell", "version", "ns", "reference", "ratio", "ratio_low", "ratio_high", "library", "program", "is_ceiling",
];

/// Whether a machine has runs that came through no link, besides this one.
async fn is_of_other(transaction: &mut sqlx::AnyConnection, machine: &str, digest: &str) -> Result<bool> {
    let row = sqlx::query("SELECT digest FROM run WHERE machine = $1 AND joined = 0 AND digest <> $2 LIMIT 1");
    Ok(row.bind(machine).bind(digest).fetch_optional(transaction).await?.is_some())
}

/// Puts the cells of a run in.
pub async fn put_cells(transaction: &mut sqlx::AnyConnection, digest: &str, rows: &[CellRow]) -> Result<()> {
    for rows in rows.chunks(CELLS_AT_ONCE) {
        let (columns, places) = (CELL_COLUMNS.join(", "), places(rows.len(), CELL_COLUMNS.len()));
        let sql = format!("INSERT INTO cell ({columns}) VALUES {places}");
        let mut put = sqlx::query(sqlx::AssertSqlSafe(sql));
        for row in rows {
            let ratio = |place: usize| row.ratio.map(|ratio| ratio[place]);
            put = put.bind(digest).bind(&row.cell).bind(&row.version).bind(row.ns).bind(&row.reference);
            put = put.bind(ratio(0)).bind(ratio(1)).bind(ratio(2));
            put = put.bind(&row.code.library).bind(&row.code.program).bind(i64::from(row.is_ceiling));
        }
        put.execute(&mut *transaction).await?;
    }
    Ok(())
}

/// Where the values of so many rows stand in a statement: `($1, $2), ($3, $4)`.
fn places(rows: usize, columns: usize) -> String {
    let row = |row: usize| {
        let values: Vec<String> = (1..=columns).map(|column| format!("${}", row * columns + column)).collect();
        format!("({})", values.join(", "))
    };
    (0..rows).map(row).collect::<Vec<_>>().join(", ")
}
