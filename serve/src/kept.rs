//! Which runs are kept, and under which machine's name.

use anyhow::Result;
use ciphermeter_core::RunStatus;

use crate::database::Database;
use crate::resumed;

impl Database {
    /// Removes runs that began and came in before a moment, and returns how many.
    pub async fn remove_before(&self, moment: &str) -> Result<u64> {
        let removed = sqlx::query("DELETE FROM run WHERE started < $1 AND received < $1").bind(moment);
        Ok(removed.execute(&self.pool).await?.rows_affected())
    }

    /// When the last run came in.
    pub async fn latest_received(&self) -> Result<Option<String>> {
        Ok(sqlx::query_scalar("SELECT MAX(received) FROM run").fetch_one(&self.pool).await?)
    }

    /// Removes a run, and remembers that, so that it is not taken in again unless it is pushed.
    pub async fn remove(&self, digest: &str, now: &str) -> Result<()> {
        let mut transaction = self.pool.begin().await?;
        let remembered = "INSERT INTO removed (digest, machine, started, removed) \
                          SELECT digest, machine, started, $1 FROM run WHERE digest = $2 ON CONFLICT (digest) DO NOTHING";
        sqlx::query(remembered).bind(now).bind(digest).execute(&mut *transaction).await?;
        let again = "UPDATE run SET looked = 0 WHERE machine = (SELECT machine FROM run WHERE digest = $1)";
        sqlx::query(again).bind(digest).execute(&mut *transaction).await?;
        sqlx::query("DELETE FROM run WHERE digest = $1").bind(digest).execute(&mut *transaction).await?;
        Ok(transaction.commit().await?)
    }

    /// Gives a machine another name. Returns how many runs it had, and how many were removed then, as they are there as they were
    /// resumed.
    pub async fn rename(&self, old: &str, new: &str) -> Result<[u64; 2]> {
        let mut transaction = self.pool.begin().await?;
        // Two machines that become one are looked through for movements anew.
        let renamed = sqlx::query("UPDATE run SET machine = $1, looked = 0 WHERE machine = $2").bind(new).bind(old);
        let renamed = renamed.execute(&mut *transaction).await?.rows_affected();
        sqlx::query("UPDATE note SET machine = $1 WHERE machine = $2")
            .bind(new)
            .bind(old)
            .execute(&mut *transaction)
            .await?;
        let removed = resumed::leave_longest(&mut transaction, new).await?;
        transaction.commit().await?;
        Ok([renamed, removed])
    }

    /// Whether a machine's run that began at this moment is there and has ended for good, or was removed. One that was interrupted may have
    /// been resumed.
    pub async fn has_whole(&self, machine: &str, started: &str) -> Result<bool> {
        let row = sqlx::query(
            "SELECT digest FROM run WHERE started = $1 AND machine = $2 AND status <> $3 UNION ALL \
             SELECT digest FROM removed WHERE started = $1 AND machine = $2 LIMIT 1",
        );
        let row = row.bind(started).bind(machine).bind(RunStatus::Interrupted.to_string());
        Ok(row.fetch_optional(&self.pool).await?.is_some())
    }
}

#[cfg(test)]
mod tests {
    use ciphermeter_answer::fixtures;

    use super::*;
    use crate::received::Received;
    use crate::runs::Sender;

    #[tokio::test]
    async fn old_run_that_came_in_lately_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open_file(&folder.path().join("team.db")).await.unwrap();
        let (run, records) = fixtures::run();
        let mut export = Vec::new();
        ciphermeter_report::write_json(&mut export, &run, &records).unwrap();
        let [came, later] = ["2127-01-01T00:00:00Z", "2127-01-01T00:00:01Z"];
        let received = Received::of(&export, came).unwrap();
        database.put(Sender { machine: "a", received: came, joined: false }, &received).await.unwrap();
        assert_eq!(database.remove_before(came).await.unwrap(), 0);
        assert_eq!(database.remove_before(later).await.unwrap(), 1);
    }
}
