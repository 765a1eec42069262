//! What the server does under load: 100 pushes at once and 50 readers, on a database of 5,000 runs. Prints figures, and fails where a run
//! is lost or stored twice.
//!
//! ```text
//! ciphermeter run && ciphermeter export --format json --output run.json
//! cargo bench --manifest-path serve/Cargo.toml --bench load -- run.json [postgres://USER@HOST/EMPTY_DATABASE]
//! ```

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use sqlx::{AnyConnection, Connection};

const CELL_COLUMNS: &str = "cell, version, ns, reference, ratio, ratio_low, ratio_high, library, program, is_ceiling";
const RUNS: u32 = 5000;
const MACHINES: u32 = 50;
const PUSHES: u32 = 100;
const READERS: u32 = 50;
/// How long a reader looks at a page before the next one.
const READS: Duration = Duration::from_secs(1);
/// How long readers are alone, before the pushes and after them.
const ALONE: Duration = Duration::from_secs(20);
/// As many seconds as `push` itself waits.
const PATIENCE: Duration = Duration::from_secs(60);

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let Some(export) = words.first().map(|file| std::fs::read_to_string(file).expect("an export of a run")) else {
        println!("name an export: ciphermeter export --format json --output run.json");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let own = format!("sqlite:{}?mode=rwc", folder.path().join("team.db").display());
    let url = words.get(1).unwrap_or(&own);
    let token = token(url);
    let server = Server::start(url);
    let run = Run::of(&export);
    let (status, took) = server.push(&run.at(0), 0, &token);
    println!("one push of {} KB: {status}, {} ms", export.len() / 1000, took.as_millis());
    let cells = tokio::runtime::Runtime::new().unwrap().block_on(filled(url));
    println!("{RUNS} runs of {cells} cells by {MACHINES} machines: {} MB", size(url) / 1_000_000);
    let pages = server.pages(&token);
    let (alone, _) = load(&server, &token, &pages, None);
    print("pages, readers alone", alone);
    let (beside, pushes) = load(&server, &token, &pages, Some(&run));
    print("pages, beside 100 pushes", beside);
    let again: u32 = pushes.iter().map(|(tries, _)| u32::from(*tries) - 1).sum();
    let pushes = pushes.into_iter().map(|(_, time)| (201, time)).collect();
    print("pushes", BTreeMap::from([("push".to_owned(), pushes)]));
    println!("  {again} were sent again, as the server had too much to do");
    let stored = tokio::runtime::Runtime::new().unwrap().block_on(pushed(url));
    assert_eq!(stored, i64::from(PUSHES), "each pushed run is there, once");
    println!("{stored} of {PUSHES} pushed runs are there, once");
}

/// An export whose run began at another second each time.
struct Run {
    before: String,
    after: String,
}

impl Run {
    fn of(export: &str) -> Self {
        let at = export.find("\"started\":").expect("an export says when its run began");
        let from = at + export[at..].find('2').unwrap();
        let to = from + export[from..].find('"').unwrap();
        Self { before: export[..from].into(), after: export[to..].into() }
    }

    fn at(&self, second: u32) -> Vec<u8> {
        let moment = format!("2026-10-01T{:02}:{:02}:{:02}Z", second / 3600, second / 60 % 60, second % 60);
        zstd::encode_all(format!("{}{moment}{}", self.before, self.after).as_bytes(), 0).unwrap()
    }
}

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ciphermeter-serve"));
    command.env_clear().env("HOME", "/nowhere").env("PATH", "/nowhere").stdin(Stdio::null());
    command
}

fn token(url: &str) -> String {
    let words = ["serve", "token", "add", "load", "--scope", "admin", "--database", url];
    let made = program().args(words).output().unwrap();
    format!("Bearer {}", String::from_utf8(made.stdout).unwrap().trim())
}

struct Server {
    child: Child,
    url: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// Behind a proxy, as far as it knows, so that each reader is another client.
    fn start(url: &str) -> Self {
        let mut command = program();
        command.args(["serve", "--listen", "127.0.0.1:0", "--behind-proxy", "--database", url]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, url: line.trim().into() }
    }

    fn push(&self, body: &[u8], client: u32, token: &str) -> (u16, Duration) {
        let request = agent().post(format!("{}/api/runs?machine=pushed", self.url)).header("authorization", token);
        let request = request.header("content-encoding", "zstd").header("x-forwarded-for", address(client));
        let began = Instant::now();
        let status = request.send(body).map_or(0, |answer| answer.status().as_u16());
        (status, began.elapsed())
    }

    fn get(&self, agent: &ureq::Agent, path: &str, client: u32, token: &str) -> (u16, String) {
        let request = agent.get(format!("{}{path}", self.url)).header("authorization", token);
        match request.header("x-forwarded-for", address(client)).call() {
            Ok(mut answer) => {
                let text = answer.body_mut().with_config().limit(64 << 20).read_to_string();
                (answer.status().as_u16(), text.unwrap_or_default())
            }
            Err(_) => (0, String::new()),
        }
    }

    /// What readers open, by kind: paths of several machines, runs and cells.
    fn pages(&self, token: &str) -> Vec<(&'static str, Vec<String>)> {
        let agent = agent();
        let json =
            |path: &str| -> serde_json::Value { serde_json::from_str(&self.get(&agent, path, 0, token).1).unwrap() };
        let runs = json("/api/runs");
        let digests: Vec<String> =
            runs.as_array().unwrap().iter().map(|run| run["digest"].as_str().unwrap().to_owned()).collect();
        let real = json("/api/runs?machine=pushed")[0]["digest"].as_str().unwrap().to_owned();
        let page = self.get(&agent, &format!("/runs/{real}"), 0, token).1;
        let cells: Vec<String> = page
            .split("href=\"/cell?")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap().replace("&amp;", "&"))
            .collect();
        assert!(!cells.is_empty(), "a run's page leads to its cells");
        let machines = (0..MACHINES).map(|number| format!("/machines/machine-{number:02}")).collect();
        vec![
            ("machines", vec!["/".into()]),
            ("machine", machines),
            ("run", digests.iter().map(|digest| format!("/runs/{digest}")).collect()),
            ("cell", cells.iter().map(|cell| format!("/cell?{cell}")).collect()),
            ("cell of a machine", cells.iter().map(|cell| format!("/cell?{cell}&machine=machine-07")).collect()),
            ("report", vec![format!("/runs/{real}/report")]),
            ("api/runs", vec!["/api/runs".into()]),
        ]
    }
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(PATIENCE)).build().into()
}

fn address(client: u32) -> String {
    format!("198.18.{}.{}", client / 250, client % 250 + 1)
}

type Times = BTreeMap<String, Vec<(u16, Duration)>>;

/// Readers for a while, and pushes among them.
fn load(
    server: &Server,
    token: &str,
    pages: &[(&str, Vec<String>)],
    run: Option<&Run>,
) -> (Times, Vec<(u16, Duration)>) {
    let ends = Arc::new(AtomicBool::new(false));
    thread::scope(|scope| {
        let readers: Vec<_> = (0..READERS)
            .map(|reader| {
                let ends = ends.clone();
                scope.spawn(move || {
                    let agent = agent();
                    let mut times = Times::new();
                    thread::sleep(READS.mul_f64(rand::random()));
                    while !ends.load(Ordering::Relaxed) {
                        let (kind, paths) = &pages[rand::random_range(0..pages.len())];
                        let path = &paths[rand::random_range(0..paths.len())];
                        let began = Instant::now();
                        let (status, _) = server.get(&agent, path, reader, token);
                        times.entry((*kind).to_owned()).or_default().push((status, began.elapsed()));
                        thread::sleep(READS);
                    }
                    times
                })
            })
            .collect();
        let pushes = run.map(|run| {
            let (bodies, start) = ((1..=PUSHES).map(|second| run.at(second)), Barrier::new(PUSHES as usize));
            let (bodies, start): (Vec<_>, _) = (bodies.collect(), &start);
            thread::scope(|scope| {
                let all = (0..).zip(&bodies).map(|(number, body)| {
                    scope.spawn(move || {
                        start.wait();
                        let began = Instant::now();
                        let mut tries = 1;
                        // What does not arrive waits in the client's queue until it is sent again.
                        while !matches!(server.push(body, 100 + number, token).0, 200 | 201) {
                            assert!(tries < 100, "push {number} never arrives");
                            tries += 1;
                            thread::sleep(READS);
                        }
                        (tries, began.elapsed())
                    })
                });
                let all: Vec<_> = all.collect();
                all.into_iter().map(|push| push.join().unwrap()).collect()
            })
        });
        if run.is_none() {
            thread::sleep(ALONE);
        }
        ends.store(true, Ordering::Relaxed);
        let mut times = Times::new();
        for reader in readers {
            for (kind, own) in reader.join().unwrap() {
                times.entry(kind).or_default().extend(own);
            }
        }
        (times, pushes.unwrap_or_default())
    })
}

fn print(title: &str, times: Times) {
    println!("{title}:");
    let all: Vec<_> = times.values().flatten().copied().collect();
    let several = times.len() > 1;
    for (kind, mut times) in times.into_iter().chain(several.then(|| ("all".to_owned(), all))) {
        times.sort_by_key(|(_, time)| *time);
        let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize].1.as_millis();
        let failed = times.iter().filter(|(status, _)| !(200..300).contains(status)).count();
        let (median, p99, longest) = (at(0.5), at(0.99), at(1.0));
        println!(
            "  {kind:18} {:5} × median {median:5} ms, p99 {p99:5} ms, longest {longest:5} ms, {failed} failed",
            times.len()
        );
    }
}

/// Copies the pushed run, under other digests, moments and machines: what is read does not come from the document's own digest.
async fn filled(url: &str) -> i64 {
    sqlx::any::install_default_drivers();
    let mut database = AnyConnection::connect(url).await.unwrap();
    let columns = "scenario, status, version, method, cells, judged_by, measured_on, question, answered, answer, choice, bytes, identity, state, \
                   recommended, kind, sides, seed, samples";
    let digest: String = sqlx::query_scalar("SELECT digest FROM run").fetch_one(&mut database).await.unwrap();
    for number in 0..RUNS {
        let mut transaction = database.begin().await.unwrap();
        let (own, machine) = (format!("{number:064x}"), format!("machine-{:02}", number % MACHINES));
        let (month, day, hour) = (number / 672 % 8 + 2, number / 24 % 28 + 1, number % 24);
        let moment = format!("2026-{month:02}-{day:02}T{hour:02}:00:{:02}Z", number % MACHINES);
        let copied = format!(
            "INSERT INTO run (digest, machine, started, received, {columns}) SELECT $1, $2, $3, $3, {columns} FROM run WHERE digest = $4"
        );
        let copied = sqlx::query(sqlx::AssertSqlSafe(copied)).bind(&own).bind(machine).bind(&moment).bind(&digest);
        copied.execute(&mut *transaction).await.unwrap();
        for (table, columns) in [("export", "document, shown"), ("cell", CELL_COLUMNS)] {
            let copied =
                format!("INSERT INTO {table} (run, {columns}) SELECT $1, {columns} FROM {table} WHERE run = $2");
            let copied = sqlx::query(sqlx::AssertSqlSafe(copied)).bind(&own).bind(&digest);
            copied.execute(&mut *transaction).await.unwrap();
        }
        transaction.commit().await.unwrap();
    }
    let count = sqlx::query_scalar("SELECT COUNT(*) FROM cell WHERE run = $1").bind(&digest);
    count.fetch_one(&mut database).await.unwrap()
}

/// How many of the pushed runs are there, besides the first.
async fn pushed(url: &str) -> i64 {
    let mut database = AnyConnection::connect(url).await.unwrap();
    let count = "SELECT COUNT(*) FROM run WHERE machine = 'pushed' AND started > '2026-10-01T00:00:00Z'";
    sqlx::query_scalar(count).fetch_one(&mut database).await.unwrap()
}

/// Bytes of SQLite's file; 0 elsewhere.
fn size(url: &str) -> u64 {
    let file = url.strip_prefix("sqlite:").and_then(|file| file.split('?').next());
    file.map_or(0, |file| std::fs::metadata(file).unwrap().len())
}
