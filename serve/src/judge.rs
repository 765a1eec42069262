//! What another version said of stored runs is said anew.

use anyhow::Result;
use sqlx::AnyConnection;

use crate::database::Database;
use crate::movements::FAMILY;
use crate::received::Judged;
use crate::runs::{JUDGED_BY, put_cells};

impl Database {
    /// The digest of a run whose columns are the words of another version.
    pub async fn outdated(&self) -> Result<Option<String>> {
        let row = sqlx::query_scalar("SELECT digest FROM run WHERE judged_by <> $1 LIMIT 1");
        Ok(row.bind(JUDGED_BY).fetch_optional(&self.pool).await?)
    }

    /// Puts what this version reads in a run in the place of what another one read.
    pub async fn judge(&self, digest: &str, judged: &Judged) -> Result<()> {
        let _turn = self.writes.acquire().await?;
        let mut transaction = self.pool.begin().await?;
        write_judged(&mut transaction, digest, judged).await?;
        Ok(transaction.commit().await?)
    }
}

/// Writes what this version decides of a run that is there with its export.
pub async fn write_judged(transaction: &mut AnyConnection, digest: &str, judged: &Judged) -> Result<()> {
    leave_family(transaction, digest, &judged.series.identity).await?;
    sqlx::query(
        "UPDATE run SET judged_by = $1, measured_on = $2, question = $3, answered = $4, answer = $5, choice = $6, \
         identity = $7, state = $8, recommended = $9, kind = $10, sides = $11, seed = $12, samples = $13, cells = $14, \
         looked = 0 WHERE digest = $15",
    )
    .bind(JUDGED_BY)
    .bind(&judged.measured_on)
    .bind(&judged.question)
    .bind(i64::from(judged.is_answered))
    .bind(&judged.answer)
    .bind(judged.choice.as_deref())
    .bind(&judged.series.identity)
    .bind(&judged.series.state)
    .bind(&judged.recommended)
    .bind(&judged.kind)
    .bind(&judged.sides)
    .bind(&judged.seed)
    .bind(judged.samples)
    .bind(i64::try_from(judged.cells.len())?)
    .bind(digest)
    .execute(&mut *transaction)
    .await?;
    let shown = sqlx::query("UPDATE export SET shown = $1 WHERE run = $2").bind(judged.shown.as_slice()).bind(digest);
    shown.execute(&mut *transaction).await?;
    sqlx::query("DELETE FROM cell WHERE run = $1").bind(digest).execute(&mut *transaction).await?;
    put_cells(transaction, digest, &judged.cells).await
}

/// Has the runs looked through anew with which a run was compared that has another identity now.
async fn leave_family(transaction: &mut AnyConnection, digest: &str, identity: &str) -> Result<()> {
    let others = format!(
        "UPDATE run SET looked = 0 WHERE digest IN (SELECT other.digest FROM {FAMILY} \
         WHERE own.digest = $1 AND own.identity <> '' AND own.identity <> $2)"
    );
    sqlx::query(sqlx::AssertSqlSafe(others)).bind(digest).bind(identity).execute(transaction).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use ciphermeter_answer::fixtures;
    use ciphermeter_core::{Against, Run, Share};

    use super::*;
    use crate::received::Received;
    use crate::runs::{Put, Sender, Wanted};
    use crate::state::Server;

    const NOW: &str = "2026-11-30T00:00:00Z";

    /// Puts a run in, and returns what was received.
    async fn put(database: &Database, run: &Run) -> Received {
        let mut export = Vec::new();
        ciphermeter_report::write_json(&mut export, run, &fixtures::run().1).unwrap();
        let received = Received::of(&export, NOW).unwrap();
        let sender = Sender { machine: "a", received: NOW, joined: false };
        assert_eq!(database.put(sender, &received).await.unwrap(), Put::New);
        received
    }

    async fn changed(database: &Database, sql: &str, bound: [&str; 2]) {
        let query = sqlx::query(sqlx::AssertSqlSafe(sql.to_owned())).bind(bound[0].to_owned());
        query.bind(bound[1].to_owned()).execute(&database.pool).await.unwrap();
    }

    #[tokio::test]
    async fn words_of_another_version_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open_file(&folder.path().join("team.db")).await.unwrap();
        let received = put(&database, &fixtures::head()).await;
        assert_eq!(database.outdated().await.unwrap(), None);
        let cells = database.runs(&Wanted::default()).await.unwrap()[0].cells;
        assert!(cells > 0);
        changed(&database, "UPDATE run SET judged_by = $1, answer = $2, cells = 0", ["0.0.1", "other words"]).await;
        Server::new(database.clone(), Vec::new(), false, false).judge_again().await.unwrap();
        assert_eq!(database.outdated().await.unwrap(), None);
        let run = database.runs(&Wanted::default()).await.unwrap().remove(0);
        assert_eq!((run.answer, run.cells), (received.judged.answer, cells));
    }

    #[tokio::test]
    async fn movement_of_a_run_that_is_compared_with_no_other_any_more_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open_file(&folder.path().join("team.db")).await.unwrap();
        let plain = put(&database, &fixtures::head()).await;
        let against = Some(Against { old: "libcrypto.so.3".into(), threshold: Share(0.003), may_hide: None });
        let guard = put(&database, &Run { started: "2026-11-22T12:00:00Z".into(), against, ..fixtures::head() }).await;
        // As an earlier version had them.
        let family = plain.judged.series.identity.as_str();
        changed(&database, "UPDATE run SET judged_by = $1, identity = $2, looked = 1", ["0.0.1", family]).await;
        let movement = "INSERT INTO movement (run, before, cell, reference, change, change_low, change_high, errors, runs, cause, reason) \
                        VALUES ($1, $2, 'c', 'r', 1.2, 1.1, 1.3, 9.0, 1, 'library', 'r')";
        changed(&database, movement, [&guard.digest, &plain.digest]).await;
        let server = Server::new(database.clone(), Vec::new(), false, false);
        server.judge_again().await.unwrap();
        server.find_movements(&guard.digest).await.unwrap();
        assert!(database.moved(None, None).await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn runs_that_one_was_compared_with_are_looked_through_without_it() {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open_file(&folder.path().join("team.db")).await.unwrap();
        let plain = put(&database, &fixtures::head()).await;
        let mut other = put(&database, &Run { started: "2026-11-22T12:00:00Z".into(), ..fixtures::head() }).await;
        let looked = "UPDATE run SET looked = 1 WHERE digest IN ($1, $2)";
        changed(&database, looked, [&plain.digest, &other.digest]).await;
        other.judged.series.identity = String::new();
        database.judge(&other.digest, &other.judged).await.unwrap();
        let of_plain = sqlx::query_scalar::<_, i64>("SELECT looked FROM run WHERE digest = $1").bind(&plain.digest);
        assert_eq!(of_plain.fetch_one(&database.pool).await.unwrap(), 0);
    }
}
