//! Pages hold what the API says, and no name from outside becomes markup.

use ciphermeter_core::{Algorithm, Record, Run};
use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::common::engine::{each, sqlite};
use crate::common::{Server, export, link, of_ciphers, on, run};

#[test]
fn pages_lead_from_all_machines_to_a_cell() {
    let engine = sqlite();
    let server = Server::start(&engine, &[]);
    assert!(server.page("/").contains("There is no run here yet"));
    let (_, first) = server.push("?machine=web%201", &export(&run("2026-11-21T12:00:00Z")));
    let (_, second) = server.push("?machine=web%201", &export(&run("2026-11-22T12:00:00Z")));
    let (first, second) = (first["run"].as_str().unwrap(), second["run"].as_str().unwrap());
    let home = server.page("/");
    assert!(home.contains("Use AES-256-GCM: this machine does") && home.contains("/machines/web%201"), "{home}");
    assert!(server.page("/machines/web%201").contains(first));
    let page = server.page(&format!("/runs/{second}"));
    assert!(page.contains("AES-256-GCM") && page.contains("/cell?cell="), "{page}");
    assert!(server.page(&format!("/runs/{second}/report")).contains("<svg"));
    let both = server.page(&format!("/compare?a={first}&b={second}"));
    assert!(both.contains("compared with") && both.contains("B: web 1, 2026-11-22, Example EPYC 9"), "{both}");
    assert_eq!(server.page(&format!("/compare?a={first}&b={second}")), both, "it is kept");
    assert!(server.page(&format!("/runs/{second}")).contains("<h2>seal in-place, 16 KiB message</h2>"));
    let cell = link(&run("2026-11-20T12:00:00Z").1[0].cell.to_string());
    assert!(server.page(&format!("/cell?cell={cell}")).contains("2026-11-22 12:00"));
    for by in ["name", "answer", "measured", "aes", "chacha20"] {
        assert!(server.page(&format!("/?sort={by}")).contains("aria-sort"));
    }
}

#[test]
fn machines_of_different_names_are_not_judged_as_one() {
    let engine = sqlite();
    let server = Server::start(&engine, &[]);
    // Machines of a cloud are alike in all their facts.
    let pushed = ["web1", "web2"].map(|name| {
        let day = if name == "web1" { 21 } else { 22 };
        let (_, taken) = server.push(&format!("?machine={name}"), &export(&run(&format!("2026-11-{day}T12:00:00Z"))));
        taken["run"].as_str().unwrap().to_owned()
    });
    let both = server.page(&format!("/compare?a={}&b={}", pushed[0], pushed[1]));
    assert!(both.contains("A and B are of different machines, web1 and web2"), "{both}");
    assert!(!both.contains("compared with A"), "{both}");
}

#[test]
fn names_from_outside_are_text() {
    let engine = sqlite();
    let server = Server::start(&engine, &[]);
    server.push("?machine=%3Cscript%3Ealert(1)%3C/script%3E", &export(&on("<b>CPU</b>", run("2026-11-21T12:00:00Z"))));
    let home = server.page("/");
    assert!(home.contains("&lt;script&gt;") && !home.contains("<script>") && !home.contains("<b>CPU"), "{home}");
}

#[test]
fn what_is_not_there_is_said_on_a_page() {
    let engine = sqlite();
    let server = Server::start(&engine, &[]);
    for path in ["/machines/none", "/runs/0123456789ab", "/cell?cell=none", "/nothing"] {
        let mut answer = server.get(path);
        assert_eq!(answer.status(), 404, "{path}");
        assert!(answer.body_mut().read_to_string().unwrap().contains("there is no such"), "{path}");
    }
}

#[test]
fn machines_say_since_when_and_what_is_stale() {
    each(|engine| {
        let server = Server::start(engine, &["--stale-after", "7"]);
        for started in ["2020-11-21T12:00:00Z", "2020-11-22T12:00:00Z"] {
            server.push("?machine=old", &export(&run(started)));
        }
        let machines = server.json("/api/machines");
        assert_eq!(machines["since"]["old"], "2020-11-21T12:00:00Z", "{machines}");
        assert_eq!(machines["stale"][0], "old");
        let page = server.page("/");
        assert!(page.contains("Measured more than 7 days ago: old.") && page.contains("2020-11-21 12:00"), "{page}");
    });
}

#[test]
fn machine_is_stale_by_the_run_that_stands_for_it() {
    each(|engine| {
        let server = Server::start(engine, &["--stale-after", "7"]);
        let now = OffsetDateTime::now_utc().replace_nanosecond(0).unwrap().format(&Rfc3339).unwrap();
        server.push("?machine=old", &export(&run("2020-11-21T12:00:00Z")));
        server.push("?machine=new", &export(&on("Another CPU", run(&now))));
        server.push("?machine=old", &export(&of_ciphers(DISKS, 4096, &now)));
        let machines = server.json("/api/machines");
        assert_eq!(machines["stale"], serde_json::json!(["old"]), "{}: {machines}", engine.name);
    });
}

#[test]
fn runs_before_what_is_no_moment_are_refused() {
    let engine = sqlite();
    let server = Server::start(&engine, &[]);
    server.push("?machine=vm", &export(&run("2026-11-21T12:00:00Z")));
    assert_eq!(server.get("/machines/vm?before=yesterday").status(), 400);
    assert_eq!(
        server.get("/machines/vm?before=2026-11-22T12:00:00Z&from=chat").status(),
        200,
        "links get words of others"
    );
}

#[test]
fn runs_under_other_conditions_are_not_set_beside_the_others() {
    each(|engine| {
        let server = Server::start(engine, &[]);
        let with = |aad: u64, (run, mut records): (Run, Vec<Record>)| {
            for record in &mut records {
                record.cell.parameters.0.insert("aad".into(), aad);
            }
            (run, records)
        };
        server.push("?machine=vm", &export(&run("2026-11-21T12:00:00Z")));
        server.push("?machine=web1", &export(&on("Another CPU", run("2026-11-22T12:00:00Z"))));
        server.push("?machine=web3", &export(&on("A fourth CPU", run("2026-11-22T12:00:00Z"))));
        server.push("?machine=vm", &export(&with(13, run("2026-11-23T12:00:00Z"))));
        server.push("?machine=web2", &export(&with(13, on("A third CPU", run("2026-11-24T12:00:00Z")))));
        let all = server.json("/api/machines");
        let said = all["sentences"].to_string();
        assert!(
            said.contains("Use AES-256-GCM: the slowest of the 3 machines counted does"),
            "{}: {said}",
            engine.name
        );
        let because = "Not counted: web2 (seal, 16 KiB message, 13 B aad). No run of theirs";
        assert!(said.contains(because), "{said}");
        assert_eq!(all["machines"][2]["choice"]["conditions"], "seal, 16 KiB message, 13 B aad");
        let page = server.page("/");
        assert!(page.contains("seal, 16 KiB message, 13 B aad</small>"), "{page}");
    });
}

/// What disks are encrypted with.
const DISKS: [Algorithm; 2] = [Algorithm::Aes256Xts, Algorithm::Adiantum];

#[test]
fn run_of_other_ciphers_or_sizes_takes_no_machine_out_of_the_answer_for_all() {
    each(|engine| {
        let server = Server::start(engine, &[]);
        let push = |machine: &str, sent: &[u8]| assert_eq!(server.push(&format!("?machine={machine}"), sent).0, 201);
        let row = |all: &Value, name: &str| {
            let rows = all["machines"].as_array().unwrap();
            rows.iter().find(|run| run["machine"] == name).unwrap()["started"].as_str().unwrap().to_owned()
        };
        push("vm", &export(&run("2026-11-21T12:00:00Z")));
        push("web1", &export(&on("Another CPU", run("2026-11-22T12:00:00Z"))));
        push("vm", &export(&of_ciphers(DISKS, 4096, "2026-11-23T12:00:00Z")));
        push("vm", &export(&of_ciphers(Algorithm::USUAL, 1350, "2026-11-24T12:00:00Z")));
        let all = server.json("/api/machines");
        let said = all["sentences"].to_string();
        assert!(said.contains("Use AES-256-GCM: the slowest of 2 machines does"), "{}: {said}", engine.name);
        assert!(!said.contains("Not counted"), "{said}");
        assert_eq!(row(&all, "vm"), "2026-11-21T12:00:00Z", "the row is of what is compared");
        push("web2", &export(&on("A third CPU", run("2026-11-22T12:00:00Z"))));
        // A machine without such a run is named, and so are its ciphers beside their rates.
        push("nas", &export(&of_ciphers(DISKS, 4096, "2026-11-25T12:00:00Z")));
        let all = server.json("/api/machines");
        let said = all["sentences"].to_string();
        let because =
            "Not counted: nas (AES-256-XTS and Adiantum). No run of theirs compares AES-256-GCM with ChaCha20-Poly1305";
        assert!(said.contains("the slowest of the 3 machines counted") && said.contains(because), "{said}");
        let page = server.page("/");
        assert!(page.contains("ChaCha20, GB/s") && page.contains("<small>Adiantum, openssl, 4 KiB</small>"), "{page}");
    });
}

#[test]
fn columns_of_rates_are_called_by_the_ciphers_that_they_are_of() {
    let engine = sqlite();
    let server = Server::start(&engine, &[]);
    server.push("?machine=nas", &export(&of_ciphers(DISKS, 4096, "2026-11-25T12:00:00Z")));
    let page = server.page("/");
    assert!(page.contains("AES-256-XTS, GB/s") && page.contains("Adiantum, GB/s"), "{page}");
    assert!(!page.contains("ChaCha20") && page.contains("<small>openssl, 4 KiB</small>"), "{page}");
}

#[test]
fn run_of_other_ciphers_or_sizes_does_not_restart_since_when_an_answer_is_the_same() {
    each(|engine| {
        let server = Server::start(engine, &[]);
        for minute in [2, 4, 6] {
            server.push("?machine=vm", &export(&run(&format!("2026-11-21T22:{minute:02}:00Z"))));
        }
        server.push("?machine=vm", &export(&of_ciphers(DISKS, 4096, "2026-11-21T22:03:00Z")));
        let [aes, chacha20] = Algorithm::USUAL;
        let slower = of_ciphers([chacha20, aes], 1350, "2026-11-21T22:05:00Z");
        server.push("?machine=vm", &export(&slower));
        let machines = server.json("/api/machines");
        assert_eq!(machines["since"]["vm"], "2026-11-21T22:02:00Z", "{}: {machines}", engine.name);
        server.push("?machine=vm", &export(&of_ciphers([chacha20, aes], 16_384, "2026-11-21T22:07:00Z")));
        let machines = server.json("/api/machines");
        assert_eq!(machines["since"]["vm"], "2026-11-21T22:07:00Z", "another answer is one: {machines}");
    });
}

#[test]
fn browser_that_asks_for_an_icon_gets_none() {
    let engine = sqlite();
    assert_eq!(Server::start(&engine, &[]).get("/favicon.ico").status(), 204);
}

#[test]
fn weights_decide_where_they_are_given() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("weights.toml");
    std::fs::write(&file, "a = 10\nnone = 2\n").unwrap();
    let engine = sqlite();
    let server = Server::start(&engine, &["--weights", file.to_str().unwrap()]);
    server.push("?machine=a", &export(&run("2026-11-21T12:00:00Z")));
    let page = server.page("/");
    assert!(page.contains("by weight, a GB takes") && page.contains("have no run here: none."), "{page}");
}
