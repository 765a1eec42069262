//! A hundred machines push at once while others read: no run is lost, and none is stored twice.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::common::engine::each;
use crate::common::{Server, agent, export, run, token};

const PUSHES: u32 = 100;
const READERS: u32 = 50;

#[test]
#[ignore = "deep: a hundred pushes and fifty readers at once"]
fn hundred_pushes_at_once_are_all_stored_once() {
    each(|engine| {
        let token = format!("Bearer {}", token(engine, &["me", "--scope", "admin"]));
        // Behind a proxy, each client has an address of its own.
        let server = Server::start(engine, &["--behind-proxy"]);
        let read = |path: &str, client: u32| {
            let request = agent().get(format!("{}{path}", server.url)).header("authorization", &token);
            let mut answer = request.header("x-forwarded-for", format!("198.51.100.{client}")).call().unwrap();
            (answer.status().as_u16(), answer.body_mut().read_to_string().unwrap())
        };
        // The first of each pair sends, too: the same run comes twice.
        let push = |number: u32| {
            let sent = export(&run(&format!("2026-11-21T12:{:02}:00Z", number / 2)));
            let request = agent().post(format!("{}/api/runs?machine=a", server.url)).header("authorization", &token);
            let answer = request.header("x-forwarded-for", format!("192.0.2.{number}")).send(&sent[..]).unwrap();
            answer.status().as_u16()
        };
        let ends = AtomicBool::new(false);
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            for reader in 0..READERS {
                let (ends, read) = (&ends, &read);
                scope.spawn(move || {
                    while !ends.load(Ordering::Relaxed) {
                        for path in ["/", "/machines/a", "/api/runs", "/api/machines"] {
                            let (status, text) = read(path, reader);
                            let is_empty_machine = path == "/machines/a" && status == 404;
                            assert!(status == 200 || status == 429 || is_empty_machine, "{path}: {status} {text}");
                        }
                    }
                });
            }
            let pushes: Vec<_> = (0..PUSHES).map(|number| scope.spawn(move || push(number))).collect();
            let statuses = pushes.into_iter().map(|push| push.join());
            let statuses: Vec<_> = statuses.collect();
            ends.store(true, Ordering::Relaxed);
            statuses.into_iter().map(|status| status.unwrap()).collect()
        });
        let count = |wanted: u16| statuses.iter().filter(|status| **status == wanted).count();
        assert_eq!((count(201), count(200)), (50, 50), "{}: {statuses:?}", engine.name);
        let runs: serde_json::Value = serde_json::from_str(&read("/api/runs", 200).1).unwrap();
        let mut digests: Vec<&str> =
            runs.as_array().unwrap().iter().map(|run| run["digest"].as_str().unwrap()).collect();
        digests.sort_unstable();
        digests.dedup();
        assert_eq!(digests.len(), 50);
    });
}
