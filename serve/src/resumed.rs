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

/// Removes the interrupted runs of a machine that are there as they were resumed, too: two machines have become one. Returns how many.
pub async fn leave_longest(database: &mut AnyConnection, machine: &str) -> Result<u64> {
    let removed = sqlx::query(
        "DELETE FROM run WHERE machine = $1 AND status = $2 AND EXISTS (SELECT 1 FROM run AS other \
         WHERE other.machine = run.machine AND other.started = run.started AND other.seed = run.seed \
         AND other.digest <> run.digest AND (other.samples > run.samples OR (other.samples = run.samples \
         AND (other.status <> $2 OR other.digest < run.digest))))",
    );
    let removed = removed.bind(machine).bind(RunStatus::Interrupted.to_string());
    Ok(removed.execute(database).await?.rows_affected())
}

/// Takes over the status and the export of a run that has ended and is there as an interrupted one: it was resumed, and no sample came.
/// Returns whether it did. A link to join changes no run that came through none.
pub async fn has_ended(database: &mut AnyConnection, run: &Received, joined: bool) -> Result<bool> {
    let interrupted = RunStatus::Interrupted.to_string();
    if run.status == interrupted {
        return Ok(false);
    }
    let ended = "UPDATE run SET status = $1, bytes = $2 WHERE digest = $3 AND status = $4 AND joined >= $5";
    let ended = sqlx::query(ended).bind(&run.status).bind(run.bytes).bind(&run.digest).bind(interrupted);
    if ended.bind(i64::from(joined)).execute(&mut *database).await?.rows_affected() == 0 {
        return Ok(false);
    }
    let export = sqlx::query("UPDATE export SET document = $1 WHERE run = $2");
    export.bind(run.document.as_slice()).bind(&run.digest).execute(database).await?;
    Ok(true)
}
