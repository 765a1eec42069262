//! Servers, databases and clients are killed while runs are pushed: every run that was acknowledged is there, and in the end every run
//! is, once, with all its cells.
//!
//! The moments are random, except those at fault points (`src/fault.rs`), and every outcome must keep these promises.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use sqlx::{AnyConnection, Connection, Row};

use crate::common::Server;
use crate::common::engine::{Cluster, Engine, sqlite};
use crate::common::relay::Relay;
use crate::common::sender::{Sender, ended};

/// A push that takes longer than this hangs.
const HUNG: Duration = Duration::from_secs(120);

/// Where a kill strikes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Strike {
    /// The server, at some moment of a push.
    Server,
    /// The server, between a write and its commit.
    ServerBeforeCommit,
    /// The server, when a run is committed and its sender does not know.
    ServerAfterCommit,
    /// The database, at some moment of a push.
    Database,
    /// The database, between a write and its commit.
    DatabaseBeforeCommit,
    /// The client, at a point of its queue.
    Client(&'static str),
    /// The client, at some moment.
    ClientAnytime,
}

/// How many of each, in a shuffled order.
fn shuffled(all: &[(Strike, usize)]) -> Vec<Strike> {
    let mut strikes: Vec<Strike> =
        all.iter().flat_map(|(strike, times)| std::iter::repeat_n(*strike, *times)).collect();
    for place in (1..strikes.len()).rev() {
        strikes.swap(place, rand::random_range(0..=place));
    }
    strikes
}

/// A sender, a server and a database, of which some get killed.
struct Lab<'a> {
    engine: &'a Engine,
    cluster: Option<&'a mut Cluster>,
    sender: Sender,
    relay: Relay,
    server: Option<Server>,
    /// What an undisturbed push takes.
    usual: Duration,
    /// The digests of the runs that a push said the server has.
    acknowledged: BTreeSet<String>,
    hold: PathBuf,
    _folder: tempfile::TempDir,
}

impl<'a> Lab<'a> {
    fn new(engine: &'a Engine, cluster: Option<&'a mut Cluster>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let hold = folder.path().join("hold");
        let (sender, relay, usual) = (Sender::new(), Relay::new(), Duration::ZERO);
        let mut lab = Self {
            engine,
            cluster,
            sender,
            relay,
            server: None,
            usual,
            acknowledged: BTreeSet::new(),
            hold,
            _folder: folder,
        };
        lab.serve("");
        let began = Instant::now();
        let push = lab.push_one(&[]);
        lab.wait(push);
        lab.usual = began.elapsed();
        assert_eq!(lab.acknowledged.len(), 1, "an undisturbed push arrives");
        lab
    }

    /// Starts a server with this fault.
    fn serve(&mut self, fault: &str) {
        self.server = None;
        let server = Server::with(self.engine, &[], &[("CIPHERMETER_FAULT", fault)]);
        self.relay.point_to(&server.url);
        self.server = Some(server);
    }

    fn push_one(&mut self, variables: &[(&str, &str)]) -> Child {
        let run = self.sender.measure().to_string();
        self.sender.start(&[&run, "--to", &self.relay.url, "--machine", "a"], variables)
    }

    /// Waits for a push, which sent everything, or says that something waits, or was killed. What it says comes back.
    fn wait(&mut self, push: Child) -> (Option<i32>, String) {
        let (code, said) = ended(push.wait_with_output().unwrap());
        assert!(matches!(code, Some(0 | 5) | None), "push ended with {code:?}: {said}");
        assert!(code != Some(5) || said.contains("`ciphermeter push` sends what waits"), "{said}");
        let acknowledged = said.split("/runs/").skip(1).filter_map(|rest| rest.split_once(" has the run"));
        self.acknowledged.extend(acknowledged.map(|(digest, _)| digest.to_owned()));
        (code, said)
    }

    fn strike(&mut self, strike: Strike) {
        let moment = self.usual.mul_f64(rand::random_range(0.0..1.2));
        match strike {
            Strike::Server => {
                let push = self.push_one(&[]);
                thread::sleep(moment);
                self.server.take().unwrap().kill();
                self.relay.point_to_nothing();
                self.wait(push);
                self.serve("");
            }
            Strike::ServerBeforeCommit => self.server_at("before-commit 1 kill"),
            Strike::ServerAfterCommit => self.server_at("after-commit 1 kill"),
            Strike::Database => {
                let push = self.push_one(&[]);
                thread::sleep(moment);
                self.restart_database();
                self.wait(push);
            }
            Strike::DatabaseBeforeCommit => {
                self.serve(&format!("before-commit 1 {}", self.hold.display()));
                let push = self.push_one(&[]);
                let began = Instant::now();
                while !self.hold.exists() {
                    assert!(began.elapsed() < HUNG, "the server never came to its commit");
                    thread::sleep(Duration::from_millis(2));
                }
                self.restart_database();
                std::fs::remove_file(&self.hold).unwrap();
                self.wait(push);
            }
            Strike::Client(point) => {
                let push = self.push_one(&[("CIPHERMETER_FAULT", &format!("{point} 1 kill"))]);
                let (code, said) = self.wait(push);
                assert_eq!(code, None, "{point}: it was never there: {said}");
            }
            Strike::ClientAnytime => {
                let mut push = self.push_one(&[]);
                thread::sleep(moment);
                push.kill().unwrap();
                self.wait(push);
            }
        }
        self.acknowledged_are_there();
    }

    fn restart_database(&mut self) {
        let cluster = self.cluster.as_mut().unwrap();
        cluster.kill();
        cluster.again();
    }

    /// The server kills itself at a point.
    fn server_at(&mut self, fault: &str) {
        self.serve(fault);
        let push = self.push_one(&[]);
        let (_, said) = self.wait(push);
        assert_eq!(self.server.as_mut().unwrap().ended_by(), Some(9), "{fault}: it was never there: {said}");
        self.serve("");
    }

    fn acknowledged_are_there(&self) {
        let stored: BTreeSet<String> = self.stored("digest").into_iter().collect();
        let lost: Vec<_> = self.acknowledged.difference(&stored).collect();
        assert!(lost.is_empty(), "acknowledged, and not there: {lost:?}");
    }

    /// Something of each stored run.
    fn stored(&self, what: &str) -> Vec<String> {
        let runs = self.server.as_ref().unwrap().json("/api/runs");
        runs.as_array().unwrap().iter().map(|run| run[what].as_str().unwrap().to_owned()).collect()
    }

    /// Sends what still waits, and again what a killed client never queued: then every run is there, once and whole.
    fn end(&mut self) {
        let url = self.relay.url.clone();
        let (code, said) = self.sender.push(&[]);
        assert_eq!(code, Some(0), "{said}");
        let stored = self.stored("started");
        let missing: Vec<String> = (1..=self.sender.runs())
            .filter(|run| !stored.contains(&self.sender.started(*run)))
            .map(|run| run.to_string())
            .collect();
        if !missing.is_empty() {
            let words: Vec<&str> = missing.iter().map(String::as_str).chain(["--to", &url, "--machine", "a"]).collect();
            let (code, said) = self.sender.push(&words);
            assert_eq!(code, Some(0), "{said}");
        }
        let waiting = self.sender.waiting();
        let left: Vec<_> = waiting.iter().filter(|folder| !folder.to_string_lossy().contains("/new-")).collect();
        assert!(left.is_empty(), "nothing waits any more: {left:?}");
        let mut stored = self.stored("started");
        stored.sort();
        let all: Vec<String> = (1..=self.sender.runs()).map(|run| self.sender.started(run)).collect();
        assert_eq!(stored, all, "each run is there, once");
        let cells = crate::common::run(&all[0]).1.len() as i64;
        let counts = cells_of_runs(&self.engine.url);
        assert_eq!(counts.len(), all.len(), "no cell is without its run");
        assert!(counts.iter().all(|count| *count == cells), "each run has its {cells} cells: {counts:?}");
    }
}

/// How many cells the table has of each run.
fn cells_of_runs(url: &str) -> Vec<i64> {
    sqlx::any::install_default_drivers();
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let mut database = AnyConnection::connect(url).await.unwrap();
        let rows = sqlx::query("SELECT run, COUNT(*) AS cells FROM cell GROUP BY run").fetch_all(&mut database).await;
        rows.unwrap().iter().map(|row| row.get("cells")).collect()
    })
}

fn all_are_kept(engine: &Engine, cluster: Option<&mut Cluster>, strikes: &[(Strike, usize)]) {
    let mut lab = Lab::new(engine, cluster);
    let killed = shuffled(strikes);
    for strike in &killed {
        lab.strike(*strike);
    }
    let (kills, runs, acknowledged) = (killed.len(), lab.sender.runs(), lab.acknowledged.len());
    println!("{}: {kills} kills; {acknowledged} of {runs} runs were acknowledged before the last", engine.name);
    lab.end();
}

#[test]
#[ignore = "deep: a hundred kills of servers on SQLite"]
fn killed_servers_lose_no_run_on_sqlite() {
    let strikes = [(Strike::Server, 55), (Strike::ServerBeforeCommit, 30), (Strike::ServerAfterCommit, 15)];
    all_are_kept(&sqlite(), None, &strikes);
}

#[test]
#[ignore = "deep: a hundred kills of servers and of PostgreSQL"]
fn killed_servers_and_databases_lose_no_run_on_postgres() {
    let mut cluster = match Cluster::start() {
        Ok(cluster) => cluster,
        Err(why) => return println!("skipped: {why}"),
    };
    let engine = cluster.database(&[]);
    let strikes = [
        (Strike::Server, 25),
        (Strike::ServerBeforeCommit, 15),
        (Strike::ServerAfterCommit, 10),
        (Strike::Database, 30),
        (Strike::DatabaseBeforeCommit, 20),
    ];
    all_are_kept(&engine, Some(&mut cluster), &strikes);
}

#[test]
#[ignore = "deep: sixty kills of clients"]
fn killed_clients_lose_no_run_and_send_none_twice() {
    let points = ["before-queued", "taken", "removal"].map(|point| (Strike::Client(point), 10));
    let strikes: Vec<_> = points.into_iter().chain([(Strike::ClientAnytime, 30)]).collect();
    all_are_kept(&sqlite(), None, &strikes);
}
