//! A run that is under way here is seen as it goes on, and is there once it has ended.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use ciphermeter_core::{Run, RunStatus};

use crate::common::engine::sqlite;
use crate::common::{Server, agent, export, run, with_store};

/// A home with a stand-in for the binary, whose store has one run, and the lock that a process which measures holds.
struct Measuring {
    home: tempfile::TempDir,
    lock: Option<File>,
}

impl Measuring {
    fn begun() -> Self {
        let home = tempfile::tempdir().unwrap();
        let data = with_store(home.path());
        let lock = File::create(data.join("runs.db.lock")).unwrap();
        lock.lock().unwrap();
        let file = home.path().join("ciphermeter");
        let script = "#!/bin/sh\necho \"$1\" >>$0.asked\nexec /bin/cat \"$0.$1\"\n";
        fs::write(&file, script).unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(0o700)).unwrap();
        let measuring = Self { home, lock: Some(lock) };
        measuring.holds(RunStatus::Open);
        measuring
    }

    /// What the store has of the run.
    fn holds(&self, status: RunStatus) {
        let list = format!(
            r#"{{"schema":1,"runs":[{{"run":3,"started":"2026-11-21T12:00:00Z","status":"{status}","imported":false}}]}}"#
        );
        let (run, records) = run("2026-11-21T12:00:00Z");
        self.write("ciphermeter.list", list.as_bytes());
        self.write("ciphermeter.export", &export(&(Run { status, ..run }, records)));
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        let part = self.home.path().join("part");
        fs::write(&part, bytes).unwrap();
        fs::rename(part, self.home.path().join(name)).unwrap();
    }

    fn asked(&self) -> Vec<String> {
        let asked = fs::read_to_string(self.home.path().join("ciphermeter.asked")).unwrap_or_default();
        asked.lines().map(String::from).collect()
    }

    fn ends(&mut self, status: RunStatus) {
        self.holds(status);
        self.lock = None;
    }
}

/// The events of the stream, each as JSON.
fn events(server: &Server) -> impl Iterator<Item = serde_json::Value> + use<> {
    let answer = server.get("/live/events");
    assert_eq!(answer.headers()["content-type"], "text/event-stream");
    let lines = BufReader::new(answer.into_body().into_reader()).lines();
    lines.filter_map(|line| serde_json::from_str(line.ok()?.strip_prefix("data:")?).ok())
}

#[test]
fn run_is_seen_while_it_measures_and_is_there_once_it_has_ended() {
    let mut measuring = Measuring::begun();
    let server = Server::own(measuring.home.path());
    assert!(server.page("/").contains("A run is under way on this machine"));
    let page = server.page("/live");
    assert!(page.contains("So far: AES") && page.contains("Run 3"), "{page}");
    assert!(page.contains("comparisons are decided") && page.contains("<noscript>"), "{page}");
    let mut events = events(&server);
    let first = events.next().unwrap();
    assert!(first["lead"].as_str().unwrap().starts_with("So far: AES") && first["has_ended"] == false, "{first}");
    measuring.ends(RunStatus::Complete);
    let last = events.next().unwrap();
    assert_eq!((last["lead"].as_str(), last["has_ended"].as_bool()), (Some("The run has ended."), Some(true)));
    assert!(events.next().is_none(), "the stream ends with the run");
    let link = last["text"].as_str().unwrap().split('"').nth(1).unwrap().to_owned();
    assert!(link.starts_with("/runs/") && server.page(&link).contains("AES-256-GCM"), "{link}");
    assert!(server.page("/live").contains(&link), "how it ended stays to be read");
}

#[test]
fn run_that_was_cut_off_is_said_to_be() {
    let mut measuring = Measuring::begun();
    let server = Server::own(measuring.home.path());
    let mut events = events(&server);
    events.next().unwrap();
    measuring.ends(RunStatus::Open);
    let last = events.next().unwrap();
    assert!(last["text"].as_str().unwrap().contains("ciphermeter run --resume=3"), "{last}");
}

#[test]
fn nothing_is_read_while_nobody_watches_and_one_look_serves_all() {
    let measuring = Measuring::begun();
    // Only what looks at a run asks for exports of one that is open.
    let server = Server::own(measuring.home.path());
    let looks = || measuring.asked().iter().filter(|word| *word == "export").count();
    assert_eq!(looks(), 0);
    let all: Vec<_> = (0..8).map(|_| events(&server)).collect();
    for mut events in all {
        events.next().unwrap();
    }
    assert!((1..8).contains(&looks()), "{} looks for 8 watchers", looks());
}

#[test]
fn watchers_are_bounded_and_make_room_when_they_leave() {
    let measuring = Measuring::begun();
    let server = Server::own(measuring.home.path());
    let watch = || agent().get(format!("{}/live/events", server.url)).call().unwrap();
    let all: Vec<_> = (0..32).map(|_| watch()).collect();
    assert!(all.iter().all(|answer| answer.status() == 200));
    let mut refused = watch();
    assert_eq!(refused.status(), 503);
    assert!(refused.body_mut().read_to_string().unwrap().contains("close a page"));
    drop(all);
    // The server hears of it when it next writes.
    while watch().status() != 200 {
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
}

#[test]
fn run_that_cannot_be_read_is_said_to_be_and_the_server_goes_on() {
    let measuring = Measuring::begun();
    measuring.write("ciphermeter.export", b"{");
    let server = Server::own(measuring.home.path());
    let page = server.page("/live");
    assert!(page.contains("cannot be read"), "{page}");
    assert!(server.page("/").contains("Ciphermeter"));
}

#[test]
fn server_of_another_database_shows_no_run_that_is_under_way() {
    let server = Server::start(&sqlite(), &[]);
    let mut answer = server.get("/live");
    assert_eq!(answer.status(), 404);
    assert!(answer.body_mut().read_to_string().unwrap().contains("database of its own"));
}

#[test]
fn server_that_ends_lets_its_watchers_go() {
    let measuring = Measuring::begun();
    let mut server = Server::own(measuring.home.path());
    let mut answer = agent().get(format!("{}/live/events", server.url)).call().unwrap();
    let mut some = [0; 1];
    answer.body_mut().as_reader().read_exact(&mut some).unwrap();
    let ended = Command::new("/bin/sh").args(["-c", &format!("kill -TERM {}", server.child.id())]).status().unwrap();
    assert!(ended.success() && server.child.wait().unwrap().success());
    let mut rest = Vec::new();
    let _ = answer.body_mut().as_reader().read_to_end(&mut rest);
}
