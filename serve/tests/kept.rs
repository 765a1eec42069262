//! An operator removes runs, renames machines, and sees which tokens have expired.

use std::process::Output;

use sqlx::{AnyConnection, Connection};

use crate::common::engine::{Engine, each, sqlite};
use crate::common::{Server, export, link, program, run, token};

fn serve(engine: &Engine, words: &[&str]) -> (bool, String) {
    let home = tempfile::tempdir().unwrap();
    let command = program(home.path()).arg("serve").args(words).args(["--database", &engine.url]).output();
    let Output { status, stdout, stderr } = command.unwrap();
    (status.success(), String::from_utf8([stdout, stderr].concat()).unwrap())
}

#[test]
fn removed_run_is_gone_with_its_cells_until_it_is_pushed_again() {
    each(|engine| {
        let server = Server::start(engine, &[]);
        let sent = export(&run("2026-11-21T12:00:00Z"));
        let (_, first) = server.push("?machine=a", &sent);
        let (_, second) = server.push("?machine=a", &export(&run("2026-11-22T12:00:00Z")));
        let (first, second) = (first["run"].as_str().unwrap(), second["run"].as_str().unwrap());
        let (done, said) = serve(engine, &["remove", &first[..8], "00000000"]);
        assert!(!done && said.lines().count() == 1 && said.contains("there is no run \"00000000\""), "{said}");
        assert_eq!(server.count(), 2, "none is removed where one is unknown");
        let (done, said) = serve(engine, &["remove", &first[..8]]);
        assert!(done && said.contains("removed") && said.contains("2026-11-21T12:00:00Z"), "{said}");
        let runs = server.json("/api/runs");
        assert_eq!((runs.as_array().unwrap().len(), &runs[0]["digest"]), (1, &second.into()));
        let cell = link(&run("2026-11-20T12:00:00Z").1[0].cell.to_string());
        assert_eq!(server.json(&format!("/api/cells?cell={cell}")).as_array().unwrap().len(), 1);
        assert_eq!(server.push("?machine=a", &sent).0, 201);
        assert_eq!(server.count(), 2);
    });
}

#[test]
fn renamed_machine_keeps_its_runs() {
    each(|engine| {
        let server = Server::start(engine, &[]);
        for (machine, day) in [("old", 21), ("old", 22), ("new%20name", 23)] {
            let sent = export(&run(&format!("2026-11-{day}T12:00:00Z")));
            assert_eq!(server.push(&format!("?machine={machine}"), &sent).0, 201);
        }
        let (done, said) = serve(engine, &["rename", "old", "new name"]);
        assert!(done && said.contains("renamed 2 runs to new name") && said.contains("--machine 'new name'"), "{said}");
        assert_eq!(server.json("/api/runs?machine=new%20name").as_array().unwrap().len(), 3);
        assert_eq!(server.get("/machines/old").status(), 404);
        for (old, new, why) in [("old", "x", "there is no machine \"old\""), ("new name", "\u{1b}[2J", "printable")] {
            let (done, said) = serve(engine, &["rename", old, new]);
            assert!(!done && said.lines().count() == 1 && said.contains(why), "{said}");
        }
    });
}

#[test]
fn backup_that_fails_leaves_nothing_in_the_way_of_the_next() {
    let engine = sqlite();
    let server = Server::start(&engine, &[]);
    assert_eq!(server.push("?machine=a", &export(&run("2026-11-21T12:00:00Z"))).0, 201);
    let home = tempfile::tempdir().unwrap();
    let copies = tempfile::tempdir_in(home.path()).unwrap();
    let copy = copies.path().join("copy.db");
    let words = ["serve", "backup", copy.to_str().unwrap(), "--database", &engine.url];
    // No file may get longer than 64 KiB, as on a disk that fills up.
    let inside = program(home.path());
    let mut limited = std::process::Command::new("/bin/sh");
    let script = "trap '' XFSZ; ulimit -f 128; exec \"$0\" \"$@\"";
    limited.env_clear().env("HOME", home.path()).args(["-c", script]).arg(inside.get_program()).args(words);
    let failed = limited.output().unwrap();
    let said = String::from_utf8(failed.stderr).unwrap();
    assert!(!failed.status.success() && said.contains("cannot write") && said.lines().count() == 1, "{said}");
    assert_eq!(std::fs::read_dir(copies.path()).unwrap().count(), 0);
    let copied = program(home.path()).args(words).output().unwrap();
    assert!(copied.status.success(), "{}", String::from_utf8_lossy(&copied.stderr));
    let copied = Server::start(&Engine::of(format!("sqlite:{}", copy.display())), &[]);
    assert_eq!(copied.json("/api/runs"), server.json("/api/runs"));
}

#[test]
fn expired_tokens_are_marked() {
    let engine = sqlite();
    for name in ["one", "two"] {
        token(&engine, &[name, "--scope", "read", "--expires", "30"]);
    }
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        sqlx::any::install_default_drivers();
        let mut database = AnyConnection::connect(&engine.url).await.unwrap();
        let past = "UPDATE token SET expires = '2026-01-02T03:04:05Z' WHERE name = 'one'";
        sqlx::query(past).execute(&mut database).await.unwrap();
    });
    let (_, listed) = serve(&engine, &["token", "list"]);
    let lines: Vec<&str> = listed.lines().collect();
    assert!(lines[0].ends_with("expired 2026-01-02T03:04:05Z"), "{listed}");
    assert!(lines[1].contains(" expires 2"), "{listed}");
}

#[test]
fn lists_go_on_where_they_were_cut() {
    each(|engine| {
        let server = Server::start(engine, &[]);
        // Of some moments, there are two runs, which differ by their machine's CPU.
        for minute in 0..110 {
            let started = format!("2026-11-21T{:02}:{:02}:00Z", minute / 60, minute % 60);
            assert_eq!(server.push("?machine=a", &export(&run(&started))).0, 201);
            if minute % 2 == 0 {
                let other = crate::common::on("Another CPU", run(&started));
                assert_eq!(server.push("?machine=a", &export(&other)).0, 201);
            }
        }
        let mut seen = Vec::new();
        let mut path = "/machines/a".to_owned();
        loop {
            let page = server.page(&path);
            let digests = page.split("href=\"/runs/").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned());
            seen.extend(digests);
            let Some(older) = page.split("href=\"").find(|rest| rest.contains("Older runs</a>")) else { break };
            path = older.split('"').next().unwrap().replace("&amp;", "&");
        }
        let all = server.json("/api/runs");
        let all: Vec<&str> = all.as_array().unwrap().iter().map(|run| run["digest"].as_str().unwrap()).collect();
        assert_eq!((seen.len(), seen), (165, all.iter().map(ToString::to_string).collect()), "{}", engine.name);
    });
}
