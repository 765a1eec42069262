//! Runs go in once, and come out as they were.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::common::engine::{each, sqlite};
use crate::common::{Server, agent, export, link, on, run};

#[test]
fn pushed_run_is_stored_once_and_comes_back_as_it_was() {
    each(|engine| {
        let server = Server::start(engine, &[]);
        let sent = export(&run("2026-11-21T12:00:00Z"));
        let (status, taken) = server.push("?machine=web-1", &sent);
        assert_eq!(
            (status, &taken["is_new"], &taken["machine"]),
            (201, &json!(true), &json!("web-1")),
            "{}",
            engine.name
        );
        let (status, again) = server.push("?machine=other", &sent);
        assert_eq!((status, &again["is_new"], &again["run"]), (200, &json!(false), &taken["run"]));
        let runs = server.json("/api/runs");
        assert_eq!(runs.as_array().unwrap().len(), 1);
        assert_eq!(
            (&runs[0]["machine"], &runs[0]["scenario"], &runs[0]["status"]),
            (&json!("web-1"), &json!("messages"), &json!("complete"))
        );
        let digest = taken["run"].as_str().unwrap();
        let mut back = server.get(&format!("/api/runs/{}/export", &digest[..12]));
        assert_eq!(back.body_mut().read_to_vec().unwrap(), sent, "the export is as it came");
        let upper = server.json(&format!("/api/runs/{}", digest[..12].to_uppercase()));
        assert_eq!(upper["digest"], taken["run"], "{}", engine.name);
        let answer = server.json(&format!("/api/runs/{digest}/answer"));
        assert_eq!(answer["sentences"][0], taken["answer"]);
    });
}

#[test]
fn machines_have_their_latest_run_and_one_answer_for_all() {
    each(|engine| {
        let server = Server::start(engine, &[]);
        for (machine, started) in
            [("b", "2026-11-20T12:00:00Z"), ("a", "2026-11-21T12:00:00Z"), ("a", "2026-11-22T12:00:00Z")]
        {
            assert_eq!(server.push(&format!("?machine={machine}"), &export(&run(started))).0, 201);
        }
        let all = server.json("/api/machines");
        let seen: Vec<(&Value, &Value)> =
            all["machines"].as_array().unwrap().iter().map(|run| (&run["machine"], &run["started"])).collect();
        assert_eq!(
            seen,
            [(&json!("a"), &json!("2026-11-22T12:00:00Z")), (&json!("b"), &json!("2026-11-20T12:00:00Z"))]
        );
        assert_eq!(all["serves_all"], "aes-256-gcm");
        assert!(
            all["sentences"][0].as_str().unwrap().contains("Use AES-256-GCM: the slowest of 2 machines does"),
            "{all}"
        );
        let cell = run("2026-11-20T12:00:00Z").1[0].cell.to_string();
        let path = format!("/api/cells?machine=a&cell={}", link(&cell));
        let moments = server.json(&path);
        let began: Vec<&Value> = moments.as_array().unwrap().iter().map(|moment| &moment["started"]).collect();
        assert_eq!(began, ["2026-11-22T12:00:00Z", "2026-11-21T12:00:00Z"], "{path}");
        let measured = run("2026-11-20T12:00:00Z").1[0].summary.as_ref().unwrap().range.mid;
        assert_eq!(moments[0]["ns"].as_f64(), Some(measured));
    });
}

#[test]
fn machine_without_a_name_is_called_what_it_is() {
    let engine = sqlite();
    let server = Server::start(&engine, &[]);
    let (_, taken) = server.push("", &export(&on("Example Phone 3", run("2026-11-21T12:00:00Z"))));
    assert_eq!(taken["machine"], "Example Phone 3");
}

#[test]
fn export_that_gzip_compressed_is_taken() {
    let engine = sqlite();
    let server = Server::start(&engine, &[]);
    let mut sent = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    sent.write_all(&export(&run("2026-11-21T12:00:00Z"))).unwrap();
    let request = agent().post(format!("{}/api/runs", server.url)).header("content-encoding", "gzip");
    assert_eq!(request.send(&sent.finish().unwrap()[..]).unwrap().status(), 201);
}

#[test]
fn what_is_no_run_is_refused_with_the_reason() {
    let engine = sqlite();
    let server = Server::start(&engine, &[]);
    let (mut open, records) = run("2026-11-21T12:00:00Z");
    open.status = ciphermeter_core::RunStatus::Open;
    let mut fast = run("2026-11-21T12:00:00Z");
    for sample in fast.1[0].forks.iter_mut().flat_map(|fork| &mut fork.samples) {
        sample.iterations *= 1_000_000;
    }
    let mut deep: Value = serde_json::from_slice(&export(&run("2026-11-21T12:00:00Z"))).unwrap();
    deep["run"]["extra"] = json!("here");
    let deep = deep.to_string().replace("\"here\"", &("[".repeat(200) + "x")).into_bytes();
    for (export, why) in [
        (export(&run("2026-11-31T12:00:00Z")), "no moment of the calendar"),
        (b"".to_vec(), "no JSON"),
        (b"{}".to_vec(), "no export"),
        (deep, "…"),
        (export(&(open, records)), "still being measured"),
        (export(&fast), "which no CPU does"),
    ] {
        let (status, problem) = server.push("?machine=a", &export);
        assert_eq!(status, 422, "{why}");
        let said = problem["error"].as_str().unwrap();
        assert!(said.contains(why) && said.len() < 200, "{said}");
    }
    let (status, problem) = server.push("?machine=a", &export(&run("2126-11-21T12:00:00Z")));
    assert!(status == 409 && problem["error"].as_str().unwrap().contains("in the future"), "{status} {problem}");
    for name in ["", "..", "%1B%5B2J", &"x".repeat(101)] {
        assert_eq!(server.push(&format!("?machine={name}"), &export(&run("2026-11-21T12:00:00Z"))).0, 422, "{name}");
    }
    assert_eq!(server.json("/api/runs"), json!([]), "nothing was stored");
}

#[test]
fn figures_come_from_samples_whatever_an_export_says_of_them() {
    let engine = sqlite();
    let server = Server::start(&engine, &[]);
    let plain = run("2026-11-21T12:00:00Z");
    let mut forged = plain.clone();
    for summary in forged.1.iter_mut().filter_map(|record| record.summary.as_mut()) {
        summary.range.mid *= 20.0;
        summary.range.high *= 20.0;
        if let Some(ratio) = &mut summary.ratio {
            ratio.low /= 50.0;
            ratio.mid /= 50.0;
        }
    }
    assert_eq!(server.push("?machine=a", &export(&forged)).0, 201);
    assert_eq!(server.push("?machine=a", &export(&plain)).0, 200, "it is the same run");
    let beside = sqlite();
    let other = Server::start(&beside, &[]);
    assert_eq!(other.push("?machine=a", &export(&plain)).0, 201);
    let cell = link(&plain.1[0].cell.to_string());
    let figures = |server: &Server| server.json(&format!("/api/cells?cell={cell}"))[0].clone();
    assert_eq!(figures(&server)["ratio"], figures(&other)["ratio"]);
    assert_eq!(figures(&server)["ns"], figures(&other)["ns"]);
}

#[test]
fn body_that_unpacks_beyond_the_limit_is_refused() {
    let engine = sqlite();
    let server = Server::start(&engine, &[]);
    let bomb = zstd::encode_all(std::io::repeat(b' ').take(65 << 20), 3).unwrap();
    let request = agent().post(format!("{}/api/runs", server.url)).header("content-encoding", "zstd");
    assert_eq!(request.send(&bomb[..]).unwrap().status(), 413);
    let request = agent().post(format!("{}/api/runs", server.url)).header("content-encoding", "zstd");
    assert_eq!(request.send("plain").unwrap().status(), 400, "it is not what its header says");
}

#[test]
fn bodies_that_come_slowly_keep_nobody_waiting() {
    let engine = sqlite();
    let server = Server::start(&engine, &[]);
    let address = server.url.trim_start_matches("http://");
    let slow: Vec<TcpStream> = (0..32)
        .map(|_| {
            let mut stream = TcpStream::connect(address).unwrap();
            write!(stream, "POST /api/runs HTTP/1.1\r\nHost: {address}\r\nContent-Length: 1000000\r\n\r\n{{").unwrap();
            stream
        })
        .collect();
    // An answer to each of these comes after the slow ones were read from.
    for second in 0..4 {
        let (status, said) = server.push("?machine=a", &export(&run(&format!("2026-11-21T12:00:0{second}Z"))));
        assert_eq!(status, 201, "{said}");
    }
    drop(slow);
}

#[test]
fn description_names_every_path() {
    let engine = sqlite();
    let server = Server::start(&engine, &[]);
    let description = server.json("/api/openapi.json");
    let paths: Vec<&String> = description["paths"].as_object().unwrap().keys().collect();
    assert_eq!(
        paths,
        [
            "/api/cells", "/api/machines", "/api/movements", "/api/notes", "/api/runs", "/api/runs/{run}",
            "/api/runs/{run}/answer", "/api/runs/{run}/export"
        ]
    );
}

#[test]
fn unknown_run_is_missing() {
    let engine = sqlite();
    let server = Server::start(&engine, &[]);
    for run in ["0123456789ab", "0", "%27%20OR%201=1", &"f".repeat(65)] {
        assert_eq!(server.get(&format!("/api/runs/{run}")).status(), 404, "{run}");
    }
}
