//! Behind a proxy, and elsewhere than on loopback, a token says who may do what.

use std::process::Output;

use crate::common::engine::{Engine, each, sqlite};
use crate::common::{Server, agent, export, program, run, token};

/// `serve token` with these words.
fn tokens(engine: &Engine, words: &[&str]) -> Output {
    let home = tempfile::tempdir().unwrap();
    program(home.path()).args(["serve", "token"]).args(words).args(["--database", &engine.url]).output().unwrap()
}

#[test]
fn token_allows_its_scope_alone() {
    each(|engine| {
        let (push, read, admin) = (
            token(engine, &["ci", "--scope", "push"]),
            token(engine, &["me", "--scope", "read"]),
            token(engine, &["root", "--scope", "admin"]),
        );
        let server = Server::start(engine, &["--behind-proxy"]);
        let bearer = |token: &str| format!("Bearer {token}");
        let reads = |token: &str| {
            let request = agent().get(format!("{}/api/runs", server.url)).header("authorization", bearer(token));
            request.call().unwrap().status().as_u16()
        };
        let pushes = |token: &str| {
            let request = agent().post(format!("{}/api/runs", server.url)).header("authorization", bearer(token));
            request.send(&export(&run("2026-11-21T12:00:00Z"))[..]).unwrap().status().as_u16()
        };
        assert_eq!([reads(&push), reads(&read), reads(&admin), reads("wrong"), reads("")], [403, 200, 200, 401, 401]);
        assert_eq!([pushes("wrong"), pushes(&read), pushes(&push), pushes(&admin)], [401, 403, 201, 200]);
        assert!(tokens(engine, &["remove", "ci"]).status.success());
        assert_eq!(pushes(&push), 401, "it was removed");
    });
}

#[test]
fn page_asks_for_a_token_and_the_browser_keeps_it() {
    let engine = sqlite();
    let read = token(&engine, &["me", "--scope", "read"]);
    let server = Server::start(&engine, &["--behind-proxy"]);
    let away = server.get("/");
    assert_eq!((away.status().as_u16(), away.headers()["location"].to_str().unwrap()), (303, "/token"));
    let enter = |token: &str| agent().post(format!("{}/token", server.url)).send_form([("token", token)]).unwrap();
    assert_eq!(enter("wrong").status(), 401);
    let entered = enter(&read);
    let cookie = entered.headers()["set-cookie"].to_str().unwrap();
    assert!(cookie.contains("HttpOnly; SameSite=Strict") && cookie.contains("Secure"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    assert_eq!(agent().get(&server.url).header("cookie", cookie).call().unwrap().status(), 200);
}

#[test]
fn secrets_are_not_stored_and_not_listed() {
    let engine = sqlite();
    let secret = token(&engine, &["ci", "--scope", "push"]);
    let listed = tokens(&engine, &["list"]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.starts_with("ci push made ") && !listed.contains(&secret), "{listed}");
    let file = engine.url.trim_start_matches("sqlite:").split('?').next().unwrap();
    let bytes = std::fs::read(file).unwrap();
    assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()));
}

#[test]
fn address_is_written_with_its_port() {
    for listen in ["localhost:8787", "8787"] {
        let home = tempfile::tempdir().unwrap();
        let output = program(home.path()).args(["serve", "--listen", listen]).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains("127.0.0.1:8787"), "{said}");
    }
    let engine = sqlite();
    let help = String::from_utf8(tokens(&engine, &["add", "--help"]).stdout).unwrap();
    assert!(help.contains("admin") && !help.contains("join"), "{help}");
}

#[test]
fn address_that_others_reach_wants_a_token_first() {
    let engine = sqlite();
    let home = tempfile::tempdir().unwrap();
    let output =
        program(home.path()).args(["serve", "--listen", "0.0.0.0:0", "--database", &engine.url]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.contains("token add"), "{said}");
}
