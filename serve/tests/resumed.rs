//! A run that was interrupted, and the one that it was resumed as, are one run.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use ciphermeter_core::{Record, Run, RunStatus};
use serde_json::{Value, json};

use crate::common::engine::each;
use crate::common::{Server, export, link, program, run, with_store};

const STARTED: &str = "2026-11-21T12:00:00Z";

/// The run when it had so many forks.
fn after(forks: usize, status: RunStatus) -> (Run, Vec<Record>) {
    let (run, mut records) = run(STARTED);
    records.iter_mut().for_each(|record| record.forks.truncate(forks));
    (Run { status, ..run }, records)
}

#[test]
fn longer_run_takes_the_place_of_the_interrupted_one() {
    each(|engine| {
        let server = Server::start(engine, &[]);
        let push = |run: &(Run, Vec<Record>), machine: &str| server.push(&format!("?machine={machine}"), &export(run));
        let [short, long] = [2, 4].map(|forks| after(forks, RunStatus::Interrupted));
        let whole = after(6, RunStatus::Complete);
        let (status, first) = push(&short, "a");
        assert_eq!((status, &first["in_place_of"]), (201, &Value::Null));
        let other = push(&short, "other");
        assert_eq!(other.0, 200, "it is the same run, and keeps its machine: {}", other.1);
        let (status, second) = push(&long, "a");
        assert_eq!((status, &second["is_new"], &second["in_place_of"]), (201, &json!(true), &first["run"]));
        let (status, third) = push(&whole, "a");
        assert_eq!((status, &third["in_place_of"]), (201, &second["run"]));
        // What is sent again, in any order, changes nothing.
        for run in [&short, &whole, &long, &short] {
            let (status, again) = push(run, "a");
            assert_eq!((status, &again["run"], &again["is_new"]), (200, &third["run"], &json!(false)), "{again}");
        }
        let runs = server.json("/api/runs");
        assert_eq!((runs.as_array().unwrap().len(), &runs[0]["digest"]), (1, &third["run"]), "{}", engine.name);
        let cell = link(&whole.1[0].cell.to_string());
        assert_eq!(server.json(&format!("/api/cells?cell={cell}")).as_array().unwrap().len(), 1);
        // Another run of that second is another one.
        let (mut run, records) = after(3, RunStatus::Interrupted);
        run.seed += 1;
        assert_eq!(push(&(run, records), "a").0, 201);
        assert_eq!(server.count(), 2);
    });
}

#[test]
fn run_that_is_called_interrupted_is_complete_once_that_is_pushed() {
    each(|engine| {
        let server = Server::start(engine, &[]);
        let (interrupted, complete) = (after(6, RunStatus::Interrupted), after(6, RunStatus::Complete));
        let (_, first) = server.push("?machine=a", &export(&interrupted));
        let (status, second) = server.push("?machine=b", &export(&complete));
        assert_eq!((status, &second["run"], &second["machine"]), (200, &first["run"], &json!("a")), "{}", engine.name);
        let statuses = || server.json("/api/runs")[0]["status"].clone();
        assert_eq!(statuses(), "complete");
        let path = format!("/api/runs/{}/export", first["run"].as_str().unwrap());
        assert_eq!(server.get(&path).body_mut().read_to_vec().unwrap(), export(&complete));
        assert_eq!(server.push("?machine=a", &export(&interrupted)).0, 200);
        assert_eq!(statuses(), "complete", "it has ended for good");
    });
}

#[test]
fn machines_that_become_one_have_a_resumed_run_once() {
    each(|engine| {
        let server = Server::start(engine, &[]);
        let parts = [(2, RunStatus::Interrupted), (6, RunStatus::Complete)].map(|(forks, status)| after(forks, status));
        for (machine, part) in ["old", "new"].into_iter().zip(&parts) {
            assert_eq!(server.push(&format!("?machine={machine}"), &export(part)).0, 201);
        }
        let home = tempfile::tempdir().unwrap();
        let words = ["serve", "rename", "old", "new", "--database", &engine.url];
        let said = String::from_utf8(program(home.path()).args(words).output().unwrap().stderr).unwrap();
        assert!(said.contains("renamed 1 run to new, and removed 1 run"), "{said}");
        let runs = server.json("/api/runs");
        assert_eq!((runs.as_array().unwrap().len(), &runs[0]["status"]), (1, &json!("complete")), "{}", engine.name);
    });
}

#[test]
fn parts_of_a_run_that_come_at_the_same_moment_leave_the_longest() {
    each(|engine| {
        let server = Server::start(engine, &[]);
        let parts = [(2, RunStatus::Interrupted), (4, RunStatus::Interrupted), (6, RunStatus::Complete)];
        let parts = parts.map(|(forks, status)| export(&after(forks, status)));
        for machine in ["a", "b", "c", "d"] {
            let path = format!("?machine={machine}");
            // A run of its own: what is the same run keeps its first machine.
            let of_machine =
                |part: &Vec<u8>| String::from_utf8(part.clone()).unwrap().replace(STARTED, &started(machine));
            let sent: Vec<String> = parts.iter().map(of_machine).collect();
            std::thread::scope(|scope| {
                for part in &sent {
                    scope.spawn(|| assert!(matches!(server.push(&path, part.as_bytes()).0, 200 | 201)));
                }
            });
        }
        let runs = server.json("/api/runs");
        let statuses: Vec<&str> = runs.as_array().unwrap().iter().map(|run| run["status"].as_str().unwrap()).collect();
        assert_eq!(statuses, ["complete"; 4], "{}: {runs}", engine.name);
    });
}

/// When a machine's run began.
fn started(machine: &str) -> String {
    STARTED.replace(":00Z", &format!(":{:02}Z", machine.as_bytes()[0] - b'a' + 1))
}

/// A home whose store has this run, for a stand-in for the binary.
fn holds(home: &Path, run: &(Run, Vec<Record>)) {
    let list =
        json!({"schema": 1, "runs": [{"run": 1, "started": STARTED, "status": run.0.status, "imported": false}]});
    fs::write(home.join("ciphermeter.list"), list.to_string()).unwrap();
    fs::write(home.join("ciphermeter.export"), export(run)).unwrap();
}

/// The statuses of the runs that a server of this home has once it has the last one.
fn served(home: &Path, last: &str) -> Vec<String> {
    let server = Server::own(home);
    let statuses = || -> Vec<String> {
        let runs = server.json("/api/runs");
        runs.as_array().unwrap().iter().map(|run| run["status"].as_str().unwrap().to_owned()).collect()
    };
    for _ in 0..600 {
        if statuses().iter().any(|status| status == last) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    statuses()
}

#[test]
fn server_takes_the_resumed_run_of_its_own_machine() {
    let home = tempfile::tempdir().unwrap();
    with_store(home.path());
    let binary = home.path().join("ciphermeter");
    fs::write(&binary, "#!/bin/sh\nexec /bin/cat \"$0.$1\"\n").unwrap();
    fs::set_permissions(binary, fs::Permissions::from_mode(0o700)).unwrap();
    holds(home.path(), &after(2, RunStatus::Interrupted));
    assert_eq!(served(home.path(), "interrupted"), ["interrupted"]);
    holds(home.path(), &after(6, RunStatus::Complete));
    assert_eq!(served(home.path(), "complete"), ["complete"]);
}
