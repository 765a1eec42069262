//! Which databases the server takes: those that it made, under the name that it was given. What is of others stays as it is.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use sqlx::{AnyConnection, AssertSqlSafe, Connection, Executor, Row};

use crate::common::engine::{each, postgres, sqlite};
use crate::common::program;

/// `serve token list` on this database.
fn list(url: &str) -> (Option<i32>, String) {
    let home = tempfile::tempdir().unwrap();
    let output = program(home.path()).args(["serve", "token", "list", "--database", url]).output().unwrap();
    (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

fn sql(url: &str, statements: &str) {
    sqlx::any::install_default_drivers();
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let mut database = AnyConnection::connect(url).await.unwrap();
        database.execute(AssertSqlSafe(statements)).await.unwrap();
        database.close().await.unwrap();
    });
}

/// What lies in a folder: the files' names, modes and contents.
fn contents(folder: &Path) -> BTreeMap<String, (u32, Vec<u8>)> {
    let all = fs::read_dir(folder).unwrap().map(|entry| {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        (entry.file_name().into_string().unwrap(), (mode, fs::read(entry.path()).unwrap()))
    });
    all.collect()
}

/// A refusal is one line that says what to do.
fn is_refused(url: &str, why: &str) {
    let (code, said) = list(url);
    assert!(code == Some(2) && said.lines().count() == 1, "{code:?} {said}");
    assert!(said.contains(why) && said.contains("name another"), "{said}");
}

#[test]
fn database_of_a_later_version_is_refused() {
    each(|engine| {
        assert_eq!(list(&engine.url).0, Some(0));
        let later = "INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) \
                     SELECT 9999, 'later', installed_on, success, checksum, execution_time FROM _sqlx_migrations WHERE version = 1";
        sql(&engine.url, later);
        is_refused(&engine.url, "a later version of ciphermeter-serve wrote it: use that version");
    });
}

#[test]
fn file_of_another_program_is_refused_and_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let url = |name: &str| format!("sqlite:{}", folder.path().join(name).display());
    let made = |name: &str, statements: &str| sql(&format!("{}?mode=rwc", url(name)), statements);
    let wal = "PRAGMA journal_mode = WAL;";
    made("runs.db", &format!("{wal} PRAGMA application_id = 1129336146; CREATE TABLE run (id INTEGER PRIMARY KEY)"));
    made("app.db", &format!("{wal} PRAGMA application_id = 7; CREATE TABLE own (id INTEGER PRIMARY KEY)"));
    made("notes.db", "CREATE TABLE note (words TEXT)");
    made("half.db", "CREATE TABLE run (id INTEGER); CREATE TABLE _sqlx_migrations (version BIGINT, checksum BLOB)");
    made(
        "other.db",
        "CREATE TABLE _sqlx_migrations (version BIGINT, checksum BLOB); INSERT INTO _sqlx_migrations VALUES (1, x'00')",
    );
    made("odd.db", "CREATE TABLE _sqlx_migrations (own INTEGER)");
    fs::write(folder.path().join("text.db"), "no database").unwrap();
    let before = contents(folder.path());
    for (name, why) in [
        ("runs.db", "the store into which `ciphermeter run` measures"),
        ("app.db", "another program's"),
        ("notes.db", "it has \"note\""),
        ("half.db", "it has \"run\""),
        ("other.db", "_sqlx_migrations is another program's"),
        ("odd.db", "_sqlx_migrations is not this server's"),
        ("text.db", "no file of SQLite"),
    ] {
        is_refused(&url(name), why);
    }
    assert_eq!(contents(folder.path()), before);
}

#[test]
fn file_that_would_act_by_itself_is_refused() {
    for statement in [
        "CREATE TRIGGER more AFTER INSERT ON token BEGIN UPDATE token SET scope = 'admin'; END",
        "CREATE VIEW more AS SELECT * FROM token",
        "CREATE VIRTUAL TABLE more USING fts5(words)",
    ] {
        let engine = sqlite();
        assert_eq!(list(&engine.url).0, Some(0));
        sql(&engine.url, "CREATE INDEX own ON run (bytes)");
        assert_eq!(list(&engine.url).0, Some(0), "an index does nothing");
        sql(&engine.url, statement);
        is_refused(&engine.url, " more, which would act where this server reads or writes");
    }
}

#[test]
fn database_of_postgres_with_tables_of_these_names_is_refused_and_stays_as_it_is() {
    let engine = match postgres() {
        Ok(engine) => engine,
        Err(why) => return println!("skipped: {why}"),
    };
    // Others' tables do not matter as long as they have names of their own.
    sql(&engine.url, "CREATE TABLE orders (id INTEGER)");
    let (code, said) = list(&engine.url);
    assert_eq!(code, Some(0), "{said}");
    let engine = postgres().unwrap();
    sql(&engine.url, "CREATE TABLE token (id INTEGER)");
    is_refused(&engine.url, "it has \"token\"");
    let names = tokio::runtime::Runtime::new().unwrap().block_on(async {
        let mut database = AnyConnection::connect(&engine.url).await.unwrap();
        let own = "SELECT CAST(tablename AS TEXT) AS name FROM pg_tables WHERE schemaname = 'public'";
        let rows = sqlx::query(own).fetch_all(&mut database).await.unwrap();
        rows.iter().map(|row| row.get::<String, _>("name")).collect::<Vec<_>>()
    });
    assert_eq!(names, ["token"]);
}

#[test]
fn faults_of_postgres_are_said_once_with_what_to_do() {
    let is_said = |url: &str, why: &str, remedy: &str| {
        let (code, said) = list(url);
        assert!(code == Some(2) && said.lines().count() == 1, "{code:?} {said}");
        assert!(said.matches(why).count() == 1 && said.contains(remedy) && !said.contains("at line"), "{said}");
    };
    is_said("postgres://me@127.0.0.1:1/team", "refused", "start PostgreSQL there");
    let engine = match postgres() {
        Ok(engine) => engine,
        Err(why) => return println!("skipped: {why}"),
    };
    let role = engine.url.replace("://postgres@", "://nobody_here@");
    is_said(&role, "role \"nobody_here\" does not exist", "name a role that may use it");
    let none = engine.url.replace("localhost/team", "localhost/none");
    is_said(&none, "\" does not exist", "make it with `createdb NAME`");
}

#[test]
fn file_has_the_name_that_was_given_and_is_this_users_alone() {
    let home = tempfile::tempdir().unwrap();
    let run = |words: &[&str]| {
        let data = home.path().join("d%41?x");
        let mut command = program(home.path());
        let output = command.env("XDG_DATA_HOME", data).current_dir(home.path()).args(words).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    for name in ["a%41.db", "a?b#c.db", "file:x.db", "sqlite:x.db"] {
        run(&["serve", "token", "list", "--database", &format!("sqlite:{name}")]);
    }
    let own = |name: &str| (name.to_owned(), 0o600);
    assert_eq!(databases(home.path()), ["a%41.db", "a?b#c.db", "file:x.db", "sqlite:x.db"].map(own));
    run(&["serve", "token", "list"]);
    assert_eq!(databases(&home.path().join("d%41?x/ciphermeter")), [own("team.db")]);
    assert_eq!(databases(home.path()).len(), 4, "nothing lies beside it");
}

/// The databases in a folder with their modes, without what SQLite has beside each.
fn databases(folder: &Path) -> Vec<(String, u32)> {
    let files = fs::read_dir(folder).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file());
    let files = files.map(|entry| {
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        (entry.file_name().into_string().unwrap(), mode)
    });
    let is_beside = |name: &str| name.ends_with("-wal") || name.ends_with("-shm");
    let mut files: Vec<_> = files.filter(|(name, _)| !is_beside(name)).collect();
    files.sort();
    files
}
