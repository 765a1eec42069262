//! The database: SQLite in a file, or PostgreSQL. Both have the same tables and are asked the same questions.

use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use ciphermeter_host::private;
use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::{AnyConnection, AnyPool, Connection, Executor};
use tokio::sync::Semaphore;

/// Forward only; each is tried on what the ones before left.
static MIGRATIONS: Migrator = sqlx::migrate!("./migrations");
/// How long a question waits for a connection, and a writer of SQLite for another one.
const PATIENCE: Duration = Duration::from_secs(10);
const CONNECTIONS: u32 = 16;
/// How often the tables are tried to be brought up to date, beside other servers that start now.
const TRIES: u32 = 10;
const BETWEEN_TRIES: Duration = Duration::from_millis(200);

/// Where the runs are.
#[derive(Clone)]
pub struct Database {
    /// Its connections.
    pub pool: AnyPool,
    /// Turns to put a run in. SQLite has one writer: others would wait in no order, and some beyond its patience.
    pub writes: Arc<Semaphore>,
    /// Whether it is a file of SQLite.
    pub is_sqlite: bool,
}

impl Database {
    /// Opens the database of such a URL, makes it if it is a file that is missing, and brings its tables up to date.
    ///
    /// # Errors
    /// The URL is none, nothing answers there, or its tables are of a later version.
    pub async fn open(url: &str) -> Result<Self> {
        sqlx::any::install_default_drivers();
        let is_sqlite = url.starts_with("sqlite:");
        if !is_sqlite && !url.starts_with("postgres:") && !url.starts_with("postgresql:") {
            bail!("{} is no database: write sqlite:FILE or postgres://USER@HOST/NAME", shown(url));
        }
        let url = if is_sqlite { &made(url)? } else { url };
        let options = AnyConnectOptions::from_str(url).with_context(|| format!("cannot read {}", shown(url)))?;
        // A pool would try again and again, and then not say why.
        let alone = AnyConnection::connect_with(&options).await;
        alone.with_context(|| format!("cannot open the database {}", shown(url)))?.close().await?;
        let pool = AnyPoolOptions::new()
            .max_connections(CONNECTIONS)
            .acquire_timeout(PATIENCE)
            .after_connect(move |connection, _| {
                Box::pin(async move {
                    if is_sqlite {
                        let patience = format!("PRAGMA busy_timeout = {}", PATIENCE.as_millis());
                        connection.execute(sqlx::AssertSqlSafe(patience)).await?;
                        // A run is there for good before its sender is answered.
                        connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL").await?;
                        // Ten times SQLite's own: a cell over time lies on a page for each of thousands of runs.
                        connection.execute("PRAGMA foreign_keys = ON; PRAGMA cache_size = -20000").await?;
                    }
                    Ok(())
                })
            })
            .connect_with(options)
            .await
            .with_context(|| format!("cannot open the database {}", shown(url)))?;
        prepare(&pool).await.with_context(|| format!("cannot prepare the database {}", shown(url)))?;
        let writers = if is_sqlite { 1 } else { CONNECTIONS };
        Ok(Self { pool, writes: Arc::new(Semaphore::new(writers as usize)), is_sqlite })
    }
}

/// Brings the tables up to date. PostgreSQL lets one server at a time do so; with SQLite, another one may have done a step just before
/// this one tries it, which then finds it done.
async fn prepare(pool: &AnyPool) -> Result<()> {
    let mut tries = 1;
    while let Err(why) = MIGRATIONS.run(pool).await {
        if tries == TRIES || !matches!(why, MigrateError::ExecuteMigration(..) | MigrateError::Execute(_)) {
            return Err(why.into());
        }
        tries += 1;
        tokio::time::sleep(BETWEEN_TRIES).await;
    }
    Ok(())
}

/// The URL of SQLite's file, which is made if it is missing, for this user alone.
fn made(url: &str) -> Result<String> {
    let name = url.trim_start_matches("sqlite:").split('?').next().unwrap_or_default();
    if name.is_empty() || name == ":memory:" {
        bail!("{url} is gone when the server ends: name a file, sqlite:FILE");
    }
    let file = Path::new(name.strip_prefix("//").unwrap_or(name));
    if !file.exists() {
        private::make_file(file).with_context(|| format!("cannot make the database {}", file.display()))?;
    }
    Ok(of_file(file))
}

/// The URL of a file.
pub fn of_file(file: &Path) -> String {
    format!("sqlite:{}?mode=rwc", file.display())
}

/// The URL without a password.
fn shown(url: &str) -> String {
    match (url.find("://"), url.rfind('@')) {
        (Some(scheme), Some(at)) if scheme + 3 < at => {
            let user = url[scheme + 3..at].split(':').next().unwrap_or_default();
            format!("{}{user}{}", &url[..scheme + 3], &url[at..])
        }
        _ => url.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn password_is_never_shown() {
        assert_eq!(shown("postgres://me:secret@db:5432/team"), "postgres://me@db:5432/team");
        assert_eq!(shown("postgres://me@db/team"), "postgres://me@db/team");
        assert_eq!(shown("sqlite:/x/team.db"), "sqlite:/x/team.db");
    }
}
