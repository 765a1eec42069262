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

use crate::{links, ours};

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
        if let Some(name) = url.strip_prefix("sqlite:") {
            return Self::open_file(named(name).with_context(|| format!("cannot open {url}"))?).await;
        }
        if !url.starts_with("postgres:") && !url.starts_with("postgresql:") {
            bail!("{} is no database: write sqlite:FILE or postgres://USER@HOST/NAME", shown(url));
        }
        Self::connect(url, &shown(url), false).await
    }

    /// The same of a file of SQLite.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub async fn open_file(file: &Path) -> Result<Self> {
        // No absolute name is one of SQLite's own, as `:memory:` and `file:…` are.
        let file = std::path::absolute(file)?;
        let name = file.to_str().with_context(|| format!("the database's name {} is not UTF-8", file.display()))?;
        match file.exists() {
            true => ours::check_file(&file).with_context(|| format!("cannot use {name} as the database"))?,
            false => private::make_file(&file).with_context(|| format!("cannot make the database {name}"))?,
        }
        // Each byte of the name stands for itself, whatever it means in a URL.
        Self::connect(&format!("{}?mode=rw", links::path("sqlite:", name)), name, true).await
    }

    async fn connect(url: &str, shown: &str, is_sqlite: bool) -> Result<Self> {
        sqlx::any::install_default_drivers();
        let options = AnyConnectOptions::from_str(url).with_context(|| format!("cannot read {shown}"))?;
        // A pool would try again and again, and then not say why.
        let alone = AnyConnection::connect_with(&options).await;
        let mut alone = alone.with_context(|| format!("cannot open the database {shown}"))?;
        let checked = ours::check(&mut alone, is_sqlite, &MIGRATIONS).await;
        alone.close().await?;
        checked.with_context(|| format!("cannot use {shown} as the database"))?;
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
            .with_context(|| format!("cannot open the database {shown}"))?;
        prepare(&pool).await.with_context(|| format!("cannot prepare the database {shown}"))?;
        let writers = if is_sqlite { 1 } else { CONNECTIONS };
        Ok(Self { pool, writes: Arc::new(Semaphore::new(writers as usize)), is_sqlite })
    }
}

/// Brings the tables up to date. PostgreSQL lets one server at a time do so; with SQLite, another one may have done a step just before
/// this one tries it, which then finds it done.
async fn prepare(pool: &AnyPool) -> Result<()> {
    let mut tries = 1;
    while let Err(why) = MIGRATIONS.run(pool).await {
        if matches!(why, MigrateError::VersionMissing(_)) {
            bail!("a later version of ciphermeter-serve wrote it: use that version, or name another database");
        }
        if tries == TRIES || !matches!(why, MigrateError::ExecuteMigration(..) | MigrateError::Execute(_)) {
            return Err(why.into());
        }
        tries += 1;
        tokio::time::sleep(BETWEEN_TRIES).await;
    }
    Ok(())
}

/// The file that a URL names behind `sqlite:`: by its name as it is, with no escapes.
fn named(name: &str) -> Result<&Path> {
    let name = name.strip_prefix("//").unwrap_or(name);
    // What sqlx's own URLs say of a file that is made where it is missing.
    let name = name.strip_suffix("?mode=rwc").unwrap_or(name);
    if name.is_empty() || name.starts_with(":memory:") {
        bail!("it would be gone when the server ends: name a file, sqlite:FILE");
    }
    if name.rsplit_once('?').is_some_and(|(_, parameters)| parameters.contains('=')) {
        bail!("a database has no parameters here: write sqlite:FILE alone");
    }
    Ok(Path::new(name))
}

/// The URL without a password, which may also stand among its parameters.
fn shown(url: &str) -> String {
    let before = url.split('?').next().unwrap_or_default();
    match (before.find("://"), before.rfind('@')) {
        (Some(scheme), Some(at)) if scheme + 3 < at => {
            let user = before[scheme + 3..at].split(':').next().unwrap_or_default();
            format!("{}{user}{}", &before[..scheme + 3], &before[at..])
        }
        // The `?` may be one of the password's.
        (Some(scheme), None) if url.contains('@') => format!("{}…", &before[..scheme + 3]),
        _ => before.into(),
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
        assert_eq!(shown("postgres://db/team?password=secret"), "postgres://db/team");
        assert_eq!(shown("postgres://me:secret@db/team?sslmode=require"), "postgres://me@db/team");
        assert_eq!(shown("postgres://me:se?cret@db/team"), "postgres://…");
    }

    #[test]
    fn file_is_named_by_its_name_as_it_is() {
        for (name, file) in [
            ("a%41.db", "a%41.db"),
            ("///x/d?x/team.db?mode=rwc", "/x/d?x/team.db"),
            ("//team.db", "team.db"),
            ("file:team.db", "file:team.db"),
        ] {
            assert_eq!(named(name).unwrap(), Path::new(file));
        }
        for odd in ["", "//", ":memory:", ":memory:?cache=shared", "team.db?mode=ro", "?mode=memory"] {
            named(odd).unwrap_err();
        }
    }
}
