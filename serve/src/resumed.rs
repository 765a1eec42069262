//! A run that was interrupted and resumed is one run, known by its machine, start and seed: the longer one takes the place of what was there
//! of it, so that no list, answer or movement has it twice.

use anyhow::Result;
use ciphermeter_core::RunStatus;
use sqlx::AnyConnection;

use crate::received::Received;

/// Waits until no other transaction puts in a part of the same run, on PostgreSQL; SQLite has one writer. To be called before
/// [`longer`]: what comes in at the same moment would not see the other.
pub async fn alone(database: &mut AnyConnection, machine: &str, run: &Received) -> Result<()> {
    let lock = sqlx::query("SELECT CAST(pg_advisory_xact_lock(hashtextextended($1, 0)) AS TEXT)");
    lock.bind(format!("{machine} {} {}", run.started, run.judged.seed)).execute(database).await?;
    Ok(())
}

const OF_ONE: &str = "SELECT digest FROM run WHERE machine = $1 AND started = $2 AND seed = $3 AND digest <> $4";

/// Of an interrupted run, the one that it was resumed as, if that is there.
pub async fn longer(database: &mut AnyConnection, machine: &str, run: &Received) -> Result<Option<String>> {
    if run.status != RunStatus::Interrupted.to_string() {
        return Ok(None);
    }
    let sql = format!("{OF_ONE} AND samples >= $5 ORDER BY samples DESC, digest LIMIT 1");
    let row = sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).bind(machine).bind(&run.started).bind(&run.judged.seed);
    Ok(row.bind(&run.digest).bind(run.judged.samples).fetch_optional(database).await?)
}

/// Removes what is there of a run from before it was resumed, and returns the digest of that.
pub async fn replace(database: &mut AnyConnection, machine: &str, run: &Received) -> Result<Option<String>> {
    let sql = format!("{OF_ONE} AND samples <= $5 AND status = $6");
    let rows = sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).bind(machine).bind(&run.started).bind(&run.judged.seed);
    let rows = rows.bind(&run.digest).bind(run.judged.samples).bind(RunStatus::Interrupted.to_string());
    let replaced: Vec<String> = rows.fetch_all(&mut *database).await?;
    for digest in &replaced {
        sqlx::query("DELETE FROM run WHERE digest = $1").bind(digest).execute(&mut *database).await?;
    }
    Ok(replaced.into_iter().next())
}
