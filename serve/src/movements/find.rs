//! Looks for movements in the runs of one machine, scenario and identity.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::Result;
use ciphermeter_answer::movement::{Code, Figure, Movement, Series, Visit, movements};
use ciphermeter_core::Fact;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::FAMILY;
use super::notes::NoteKind;
use crate::database::Database;
use crate::runs::ratio;
use crate::state::Server;
use crate::trouble;

/// The latest runs in which movements are looked for; what was found before them stays.
const RUNS: usize = 100;
/// How long after a run it is looked for others.
const PAUSE: Duration = Duration::from_secs(1);
const POLL: Duration = Duration::from_secs(5);
/// So many of the latest runs' oldest have no new movement: what was found when they were later stays.
const SETTLED: usize = 20;

/// Looks through the runs that came, whenever some have, until the server ends.
pub async fn look(server: Server) {
    loop {
        if let Err(error) = server.look_all().await {
            trouble::tell(&error.context("cannot look for movements; a run that comes later starts that anew"));
        }
        // Commands for operators, and other servers, change the database without a word.
        let _ = tokio::time::timeout(POLL, server.has_come.notified()).await;
        // Runs often come in numbers.
        tokio::time::sleep(PAUSE).await;
    }
}

/// The runs that are compared with the run $1.
fn of_family() -> String {
    format!("SELECT other.digest FROM {FAMILY} WHERE own.digest = $1")
}

/// The runs of one machine, and their cells by cell and reference.
struct Family {
    digests: Vec<String>,
    visits: Vec<Visit>,
    names: Vec<(String, String)>,
    series: Vec<Series>,
}

impl Server {
    async fn look_all(&self) -> Result<()> {
        while let Some(digest) = self.database.not_looked().await? {
            let began = Instant::now();
            self.find_movements(&digest).await?;
            // Half of a CPU at most, so that pages and pushes go on meanwhile.
            tokio::time::sleep(began.elapsed()).await;
        }
        Ok(())
    }

    /// Looks for movements in the runs to which this one belongs.
    pub async fn find_movements(&self, digest: &str) -> Result<()> {
        // One at a time: what is read last is kept last.
        let _turn = self.looks.lock().await;
        self.database.begin_to_look(digest).await?;
        let family = self.database.family(digest).await?;
        // There is one such work at a time, so it takes nobody's turn.
        let found = tokio::task::spawn_blocking(move || {
            let found = movements(&family.visits, &family.series);
            (family, found)
        });
        let (family, found) = found.await?;
        self.database.keep(&family, &found, digest).await
    }
}

impl Database {
    /// A run in which no movement was looked for.
    async fn not_looked(&self) -> Result<Option<String>> {
        let row = sqlx::query_scalar("SELECT digest FROM run WHERE looked <> 1 ORDER BY looked, started DESC LIMIT 1");
        Ok(row.fetch_optional(&self.pool).await?)
    }

    /// Marks all runs of a family before they are read, so that what changes meanwhile is looked for again.
    async fn begin_to_look(&self, digest: &str) -> Result<()> {
        let _turn = self.writes.acquire().await?;
        let sql = format!("UPDATE run SET looked = 2 WHERE digest = $1 OR digest IN ({})", of_family());
        sqlx::query(sqlx::AssertSqlSafe(sql)).bind(digest).execute(&self.pool).await?;
        Ok(())
    }

    async fn family(&self, digest: &str) -> Result<Family> {
        // Of a run that is compared with no other, there is none.
        let sql = format!(
            "SELECT other.digest AS digest, other.machine AS machine, other.started AS started, other.method AS method, \
             other.state AS state FROM {FAMILY} WHERE own.digest = $1 AND own.identity <> '' ORDER BY other.started DESC, other.digest LIMIT {RUNS}"
        );
        let mut rows: Vec<AnyRow> = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(digest).fetch_all(&self.pool).await?;
        rows.reverse();
        let machine: String = rows.first().map_or(Ok(String::new()), |row| row.try_get("machine"))?;
        let mut changes: Vec<(String, String)> = self
            .notes(Some(&machine))
            .await?
            .into_iter()
            .filter(|note| note.kind == NoteKind::Changed)
            .map(|note| (note.moment, note.words))
            .collect();
        changes.sort();
        let (mut digests, mut visits) = (Vec::new(), Vec::new());
        let mut since = String::new();
        for row in &rows {
            let started: String = row.try_get("started")?;
            let at_it = |moment: &str| !digests.is_empty() && moment > since.as_str() && moment <= started.as_str();
            let marks = changes.iter().filter(|(moment, _)| at_it(moment)).map(|(_, words)| words.clone()).collect();
            digests.push(row.try_get("digest")?);
            let host: Vec<Fact> = serde_json::from_str(row.try_get("state")?).unwrap_or_default();
            visits.push(Visit { method: u32::try_from(row.try_get::<i64, _>("method")?)?, host, marks });
            since = started;
        }
        let (names, series) = self.series(&digests).await?;
        Ok(Family { digests, visits, names, series })
    }

    /// The cells of these runs with a ratio, by cell and reference.
    async fn series(&self, digests: &[String]) -> Result<(Vec<(String, String)>, Vec<Series>)> {
        let mut all: BTreeMap<(String, String), Series> = BTreeMap::new();
        let mut references: Vec<String> = Vec::new();
        for (run, digest) in digests.iter().enumerate() {
            let rows = sqlx::query(
                "SELECT cell, reference, ratio, ratio_low, ratio_high, library, program, is_ceiling FROM cell WHERE run = $1",
            );
            let rows = rows.bind(digest).fetch_all(&self.pool).await?;
            let code = |row: &AnyRow| -> sqlx::Result<Code> {
                Ok(Code { library: row.try_get("library")?, program: row.try_get("program")? })
            };
            let codes: BTreeMap<String, Code> =
                rows.iter().map(|row| Ok((row.try_get("cell")?, code(row)?))).collect::<sqlx::Result<_>>()?;
            for row in &rows {
                let (cell, reference): (String, String) = (row.try_get("cell")?, row.try_get("reference")?);
                let Some([mid, low, high]) = ratio(row)? else { continue };
                if cell == reference || low <= 0.0 || !high.is_finite() {
                    continue;
                }
                let reference_code = codes.get(&reference).cloned().unwrap_or_default();
                let figure = Figure { run, ratio: [mid, low, high], code: code(row)?, reference: reference_code };
                let is_ceiling = row.try_get::<i64, _>("is_ceiling")? != 0;
                let known = references.iter().position(|known| *known == reference);
                let place = known.unwrap_or_else(|| {
                    references.push(reference.clone());
                    references.len() - 1
                });
                let new = || Series { reference: place, is_ceiling, figures: Vec::new() };
                all.entry((cell, reference)).or_insert_with(new).figures.push(figure);
            }
        }
        Ok(all.into_iter().unzip())
    }

    /// Keeps what was found in the place of what was found in these runs before.
    async fn keep(&self, family: &Family, found: &[Movement], looked: &str) -> Result<()> {
        let _turn = self.writes.acquire().await?;
        let mut transaction = self.pool.begin().await?;
        if family.digests.is_empty() {
            // It may have been compared with others by an earlier version.
            let own = sqlx::query("DELETE FROM movement WHERE run = $1 OR before = $1").bind(looked);
            own.execute(&mut *transaction).await?;
        }
        // A step needs runs before it, so the oldest ones show none any more.
        let settled = if family.digests.len() == RUNS { SETTLED } else { 0 };
        for digest in &family.digests[settled..] {
            sqlx::query("DELETE FROM movement WHERE run = $1").bind(digest).execute(&mut *transaction).await?;
        }
        for movement in found.iter().filter(|movement| movement.run >= settled) {
            let (cell, reference) = &family.names[movement.series];
            let [change, low, high] = movement.change;
            sqlx::query(
                "INSERT INTO movement (run, before, cell, reference, change, change_low, change_high, errors, runs, cause, \
                 reason) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING",
            )
            .bind(&family.digests[movement.run])
            .bind(&family.digests[movement.before])
            .bind(cell)
            .bind(reference)
            .bind(change)
            .bind(low)
            .bind(high)
            .bind(movement.errors)
            .bind(i64::try_from(movement.runs)?)
            .bind(movement.cause.word())
            .bind(&movement.reason)
            .execute(&mut *transaction)
            .await?;
        }
        let sql =
            format!("UPDATE run SET looked = 1 WHERE looked = 2 AND (digest = $1 OR digest IN ({}))", of_family());
        sqlx::query(sqlx::AssertSqlSafe(sql)).bind(looked).execute(&mut *transaction).await?;
        Ok(transaction.commit().await?)
    }
}
