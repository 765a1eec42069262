//! Whether a database is one of this server's. It is looked at before anything is written: what another program made stays as it is.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use ciphermeter_core::{escaped, in_quotes, shortened};
use ciphermeter_host::file;
use sqlx::migrate::Migrator;
use sqlx::{AnyConnection, Row};

/// Where a file of SQLite says what it is: <https://sqlite.org/fileformat2.html#the_database_header>.
const HEAD: u64 = 100;
const MAGIC: &[u8] = b"SQLite format 3\0";
const APPLICATION: std::ops::Range<usize> = 68..72;
/// What stands there in the store into which `ciphermeter run` measures.
const STORE: &[u8] = b"CPMR";
/// sqlx's table of the migrations that were done.
const HISTORY: &str = "_sqlx_migrations";
const ANOTHER: &str = "name another database, sqlite:FILE or postgres://USER@HOST/NAME";

/// Sees that a file is one of SQLite's, or empty, and says it is of no other program.
///
/// # Errors
/// It is not, or cannot be read.
pub fn check_file(path: &Path) -> Result<()> {
    let mut head = Vec::new();
    file::open(path)?.take(HEAD).read_to_end(&mut head)?;
    if head.is_empty() {
        return Ok(());
    }
    if !head.starts_with(MAGIC) {
        bail!("it is no file of SQLite: {ANOTHER}");
    }
    match head.get(APPLICATION) {
        Some([0, 0, 0, 0]) => Ok(()),
        Some(STORE) => bail!(
            "it is the store into which `ciphermeter run` measures; a server without --database takes its runs in, and \
             `ciphermeter push` sends them: name another file, sqlite:FILE"
        ),
        _ => bail!("it is another program's: {ANOTHER}"),
    }
}

/// Sees that a database is empty, or was made by these migrations. PostgreSQL's may have other tables, of other names.
///
/// # Errors
/// It is another program's, or cannot be read.
pub async fn check(connection: &mut AnyConnection, is_sqlite: bool, migrations: &Migrator) -> Result<()> {
    let (names, own) = (names(connection, is_sqlite).await?, own(migrations));
    if is_sqlite && let Some(odd) = odd(connection).await? {
        bail!("it has a {}, which would act where this server reads or writes: {ANOTHER}", shortened(&escaped(&odd)));
    }
    let first = if names.contains(HISTORY) { first(connection).await? } else { None };
    match (first, migrations.iter().next()) {
        (Some(first), Some(own)) if first == (own.version, own.checksum.to_vec()) => return Ok(()),
        (Some(_), _) => bail!("its table {HISTORY} is another program's: {ANOTHER}"),
        (None, _) => {}
    }
    let is_foreign = |name: &&String| name.as_str() != HISTORY && (is_sqlite || own.contains(name.as_str()));
    match names.iter().find(is_foreign) {
        Some(name) => bail!("it has {}, which this server did not make: {ANOTHER}", shortened(&in_quotes(name))),
        None => Ok(()),
    }
}

/// A trigger, a view or a virtual table of a file: whoever sends the file chooses what it does. It is known by its text, as SQLite goes
/// by that; what is without one is an index of a key.
async fn odd(connection: &mut AnyConnection) -> Result<Option<String>> {
    let odd = "SELECT type || ' ' || name AS odd FROM sqlite_schema WHERE sql IS NOT NULL AND NOT (sql LIKE 'CREATE TABLE %' \
               OR sql LIKE 'CREATE INDEX %' OR sql LIKE 'CREATE UNIQUE INDEX %') LIMIT 1";
    Ok(sqlx::query_scalar(odd).fetch_optional(connection).await?)
}

/// The names that a new table or index cannot have.
async fn names(connection: &mut AnyConnection, is_sqlite: bool) -> Result<BTreeSet<String>> {
    let sql = match is_sqlite {
        true => "SELECT name FROM sqlite_schema",
        false => {
            "SELECT CAST(relname AS TEXT) AS name FROM pg_catalog.pg_class WHERE relnamespace = \
             (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema())"
        }
    };
    let names: Vec<String> = sqlx::query_scalar(sql).fetch_all(connection).await?;
    // SQLite makes such by itself, and nobody else can.
    Ok(names.into_iter().filter(|name| !is_sqlite || !name.starts_with("sqlite_")).collect())
}

/// The tables and indexes that migrations make.
fn own(migrations: &Migrator) -> BTreeSet<&str> {
    let lines = migrations.iter().flat_map(|migration| migration.sql.as_str().lines());
    let name = |line| {
        let name: &str = ["CREATE TABLE ", "CREATE INDEX "].iter().find_map(|made| str::strip_prefix(line, made))?;
        name.split(' ').next()
    };
    lines.filter_map(name).collect()
}

/// The first migration that was done, with its checksum.
async fn first(connection: &mut AnyConnection) -> Result<Option<(i64, Vec<u8>)>> {
    let row = sqlx::query("SELECT version, checksum FROM _sqlx_migrations ORDER BY version LIMIT 1");
    let read = async {
        let row = row.fetch_optional(connection).await?;
        row.map(|row| Ok((row.try_get("version")?, row.try_get("checksum")?))).transpose()
    };
    let read: sqlx::Result<_> = read.await;
    read.with_context(|| format!("its table {HISTORY} is not this server's: {ANOTHER}"))
}
