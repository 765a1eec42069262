//! Pages hold what the API says, and no name from outside becomes markup.

use crate::common::engine::{each, sqlite};
use crate::common::{Server, export, on, run};

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
    let cell = run("2026-11-20T12:00:00Z").1[0].cell.to_string().replace(' ', "%20");
    assert!(server.page(&format!("/cell?cell={cell}")).contains("2026-11-22 12:00"));
    for by in ["name", "answer", "measured", "aes", "chacha20"] {
        assert!(server.page(&format!("/?sort={by}")).contains("aria-sort"));
    }
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
        assert!(page.contains("Not measured for 7 days: old.") && page.contains("2020-11-21 12:00"), "{page}");
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
