//! A database of each earlier version is brought up to date, with what lies in it.

use std::path::Path;

use sqlx::migrate::{Migration, Migrator};
use sqlx::{AnyConnection, AssertSqlSafe, Connection};

use crate::common::engine::{Engine, each};
use crate::common::{Server, export, link, run};

const STARTED: &str = "2026-11-21T12:00:00Z";

/// All migrations, the first first.
async fn migrations() -> Vec<Migration> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    let all: Vec<Migration> = Migrator::new(folder).await.unwrap().iter().cloned().collect();
    assert_eq!(all.first().unwrap().version, 1);
    all
}

/// The first version whose documents stand in a table of their own.
const EXPORTS: usize = 4;

/// A database as the first so many migrations left it, with a run that its version stored.
async fn earlier(url: &str, migrations: &[Migration]) {
    sqlx::any::install_default_drivers();
    let mut database = AnyConnection::connect(url).await.unwrap();
    Migrator::with_migrations(migrations.to_vec()).run(&mut database).await.unwrap();
    let (run, records) = run(STARTED);
    let document = export(&(run.clone(), records.clone()));
    // What the first version stored; what later ones add has a value for such rows.
    let columns = "digest, machine, started, received, scenario, status, version, method, cells, judged_by, measured_on, question, \
                   answered, answer, choice, bytes";
    let values = "$1, 'web-1', $2, $2, 'messages', 'complete', '0.0.9', 1, 1, '0.0.9', 'a CPU', 'which?', 0, 'older words', NULL, $3";
    let digest = "0123456789abcdef".repeat(4);
    let compressed = zstd::encode_all(&document[..], 3).unwrap();
    let has_exports = migrations.len() >= EXPORTS;
    let put = match has_exports {
        true => format!("INSERT INTO run ({columns}) VALUES ({values})"),
        false => format!("INSERT INTO run ({columns}, document) VALUES ({values}, $4)"),
    };
    let mut put = sqlx::query(AssertSqlSafe(put)).bind(&digest).bind(STARTED).bind(document.len() as i64);
    if !has_exports {
        put = put.bind(&compressed);
    }
    put.execute(&mut database).await.unwrap();
    if has_exports {
        let put = sqlx::query("INSERT INTO export (run, document) VALUES ($1, $2)").bind(&digest).bind(&compressed);
        put.execute(&mut database).await.unwrap();
    }
    let cell = "INSERT INTO cell (run, cell, version, ns, reference, ratio, ratio_low, ratio_high) \
                VALUES ($1, $2, '1.2.3', 10.5, $2, 1.0, 1.0, 1.0)";
    sqlx::query(cell).bind(&digest).bind(records[0].cell.to_string()).execute(&mut database).await.unwrap();
    let token = "INSERT INTO token (name, scope, hash, created, expires) VALUES ('ci', 'push', 'x', '2026-01-01T00:00:00Z', NULL)";
    sqlx::query(token).execute(&mut database).await.unwrap();
    database.close().await.unwrap();
}

fn is_whole(engine: &Engine) {
    let server = Server::start(engine, &[]);
    let runs = server.json("/api/runs");
    assert_eq!((runs.as_array().unwrap().len(), runs[0]["machine"].as_str().unwrap()), (1, "web-1"), "{runs}");
    let digest = runs[0]["digest"].as_str().unwrap();
    assert!(server.page(&format!("/runs/{digest}")).contains("AES-256-GCM"));
    let cell = link(&run(STARTED).1[0].cell.to_string());
    assert_eq!(server.json(&format!("/api/cells?cell={cell}"))[0]["machine"], "web-1");
    assert!(server.page(&format!("/cell?cell={cell}")).contains("web-1"));
    assert!(server.page("/").contains("web-1"));
    assert_eq!(server.push("?machine=web-2", &export(&run("2026-11-22T12:00:00Z"))).0, 201);
    // What this version says of a stored run replaces what the earlier one said.
    while server.json("/api/runs")[1]["answer"] == "older words" {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_ne!(server.json(&format!("/api/cells?cell={cell}"))[1]["ns"], 10.5, "its cells are read anew, too");
}

#[test]
fn database_of_each_earlier_version_is_brought_up_to_date() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let all = runtime.block_on(migrations());
    for count in 1..=all.len() {
        each(|engine| {
            runtime.block_on(earlier(&engine.url, &all[..count]));
            is_whole(engine);
        });
    }
}

#[test]
fn servers_that_start_at_once_on_a_new_database_both_serve() {
    each(|engine| {
        let start = || Server::start(engine, &[]);
        let servers: Vec<Server> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..4).map(|_| scope.spawn(start)).collect();
            all.into_iter().map(|server| server.join().unwrap()).collect()
        });
        // Each run is pushed to two servers at once.
        let answers: Vec<bool> = std::thread::scope(|scope| {
            let push = |number: usize| {
                let sent = export(&run(&format!("2026-11-21T12:00:{:02}Z", number / 2)));
                let (status, taken) = servers[number % 4].push("?machine=a", &sent);
                assert!(status == 200 || status == 201, "{}: {status} {taken}", engine.name);
                taken["is_new"].as_bool().unwrap()
            };
            let all: Vec<_> = (0..24).map(|number| scope.spawn(move || push(number))).collect();
            all.into_iter().map(|push| push.join().unwrap()).collect()
        });
        assert_eq!(answers.iter().filter(|is_new| **is_new).count(), 12, "one of two stores it");
        for server in &servers {
            assert_eq!(server.count(), 12, "each server sees what the others took");
        }
    });
}
