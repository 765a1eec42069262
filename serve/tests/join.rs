//! The page for phones, and the links with which they join.

use std::fs;
use std::path::Path;

use ciphermeter_core::{Fact, Record, Run};

use crate::common::engine::{Engine, each, sqlite};
use crate::common::{Server, agent, export, program, run, token};

const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'";

/// A page as `make page` builds it, as far as the server looks at it.
fn built() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let index = format!(
        "<!doctype html><html><head><meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\"></head></html>"
    );
    fs::write(folder.path().join("index.html"), index).unwrap();
    fs::create_dir(folder.path().join("assets")).unwrap();
    fs::write(folder.path().join("assets/index-1a2b.js"), "1").unwrap();
    fs::write(folder.path().join("assets/ciphers-1a2b.wasm"), "\0asm").unwrap();
    folder
}

fn link(engine: &Engine, words: &[&str]) -> (Option<i32>, String, String) {
    let home = tempfile::tempdir().unwrap();
    let mut command = program(home.path());
    let output = command.args(["serve", "join"]).args(words).args(["--database", &engine.url]).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn page_is_isolated_and_keeps_its_own_policy() {
    let page = built();
    let server = Server::start(&sqlite(), &["--page", page.path().to_str().unwrap()]);
    for path in ["/join/", "/join/assets/index-1a2b.js", "/join/assets/ciphers-1a2b.wasm"] {
        let answer = server.get(path);
        let header = |name: &str| answer.headers().get(name).map_or("", |value| value.to_str().unwrap());
        assert_eq!(answer.status(), 200, "{path}");
        assert_eq!(header("content-security-policy"), format!("{POLICY}; frame-ancestors 'none'"), "{path}");
        let isolation = ["cross-origin-opener-policy", "cross-origin-embedder-policy"].map(header);
        assert_eq!(isolation, ["same-origin", "require-corp"], "{path}");
        assert_eq!(header("cache-control").contains("immutable"), path.contains("assets"), "{path}");
    }
    assert_eq!(server.get("/join/assets/ciphers-1a2b.wasm").headers()["content-type"], "application/wasm");
    assert!(server.page("/join/").contains("<meta name=\"ciphermeter-team\" content=\"nothing\">"));
    assert_eq!(server.get("/join").headers()["location"], "/join/");
    for path in ["/join/nothing.js", "/join/..%2findex.html", "/join/assets/../../Cargo.toml"] {
        assert_eq!(server.get(path).status(), 404, "{path}");
    }
}

#[test]
fn without_the_page_one_line_says_what_to_do() {
    let server = Server::start(&sqlite(), &[]);
    for path in ["/join/", "/join-code"] {
        let mut answer = server.get(path);
        assert_eq!(answer.status(), 404, "{path}");
        assert!(answer.body_mut().read_to_string().unwrap().contains("make page"), "{path}");
    }
    let home = tempfile::tempdir().unwrap();
    let empty = tempfile::tempdir().unwrap();
    let mut command = program(home.path());
    let said = command.args(["serve", "--listen", "127.0.0.1:0", "--page"]).arg(empty.path()).output().unwrap();
    let text = String::from_utf8(said.stderr).unwrap();
    assert!(!said.status.success() && text.lines().count() == 1 && text.contains("make page"), "{text}");
}

#[test]
fn link_allows_to_send_and_to_read_nothing_but_the_page() {
    each(|engine| {
        let (code, text, said) = link(engine, &["https://team.example:8787"]);
        assert_eq!(code, Some(0), "{said}");
        let token = text.trim().strip_prefix("https://team.example:8787/join/#join=").unwrap();
        assert!(said.contains("may send runs to https://team.example:8787, and read nothing"), "{said}");
        let page = built();
        let server = Server::start(engine, &["--behind-proxy", "--page", page.path().to_str().unwrap()]);
        let bearer = format!("Bearer {token}");
        let get =
            |path: &str| agent().get(format!("{}{path}", server.url)).header("authorization", &bearer).call().unwrap();
        assert_eq!([get("/api/runs").status(), get("/api/machines").status()], [403, 403]);
        // The page needs none: it is the same for everybody.
        assert!(server.page("/join/").contains("content=\"token\""));
        let push = |name: &str, run: &(Run, Vec<Record>)| {
            let push = agent().post(format!("{}/api/runs?machine={name}", server.url)).header("authorization", &bearer);
            let mut answer = push.send(&export(run)[..]).unwrap();
            (answer.status().as_u16(), answer.body_mut().read_to_string().unwrap())
        };
        let of_page = |started: &str| {
            let (mut run, records) = run(started);
            run.host.push(Fact::present("browser", "Firefox 153"));
            (run, records)
        };
        assert_eq!(push("phone", &of_page("2026-11-21T12:00:00Z")).0, 201);
        assert_eq!(push("phone", &of_page("2026-11-21T13:00:00Z")).0, 201, "again");
        let (status, said) = push("phone", &run("2026-11-21T14:00:00Z"));
        assert!(status == 403 && said.contains("runs of its page alone"), "{status}: {said}");
        // A machine of the team keeps its name to itself.
        let added = crate::common::token(engine, &["ci", "--scope", "push"]);
        let own = agent().post(format!("{}/api/runs?machine=web-1", server.url));
        let own = own.header("authorization", format!("Bearer {added}"));
        assert_eq!(own.send(&export(&run("2026-11-21T15:00:00Z"))[..]).unwrap().status(), 201);
        let (status, said) = push("web-1", &of_page("2026-11-21T16:00:00Z"));
        assert!(status == 422 && said.contains("choose another name"), "{status}: {said}");
    });
}

#[test]
fn only_an_administrator_makes_links_on_the_page() {
    let engine = sqlite();
    let cookie = |name: &str| format!("token={}", token(&engine, &[name, "--scope", name]));
    let (read, push, admin) = (cookie("read"), cookie("push"), cookie("admin"));
    let page = built();
    let server = Server::start(&engine, &["--behind-proxy", "--page", page.path().to_str().unwrap()]);
    let make = |cookie: &str, origin: &str| {
        let request = agent().post(format!("{}/join-code", server.url)).header("cookie", cookie);
        request.header("origin", origin).send_empty().unwrap()
    };
    let own = server.url.as_str();
    assert_eq!([make(&read, own).status(), make(&push, own).status(), make("", own).status()], [403, 403, 401]);
    assert_eq!(make(&admin, "https://evil.example").status(), 403);
    let mut made = make(&admin, own);
    let text = made.body_mut().read_to_string().unwrap();
    assert!(made.status() == 200 && text.contains("/join/#join=ciphermeter_") && text.contains("<svg"), "{text}");
    assert_eq!(made.headers()["cache-control"], "no-store");
    let get = |cookie: &str| {
        let mut answer = agent().get(format!("{own}/join-code")).header("cookie", cookie).call().unwrap();
        answer.body_mut().read_to_string().unwrap()
    };
    assert!(
        get(&admin).contains("<button") && !get(&admin).contains("#join="),
        "a page that is only opened makes none"
    );
    assert!(get(&read).contains("cannot make one"));
}

#[test]
fn links_are_tokens_and_bad_arguments_are_one_line_with_the_remedy() {
    let engine = sqlite();
    for (words, why) in [
        (&["ftp://team.example"][..], "is no server"),
        (&["http://team.example"], "write https://HOST:PORT"),
        (&["https://team.example/x"], "is no server"),
        (&["https://team.example:"], "has no port from 1 to 65535"),
    ] {
        let (code, _, said) = link(&engine, words);
        assert!(code == Some(1) || code == Some(2), "{words:?}: {code:?}");
        assert!(said.contains(why) && said.lines().count() == 1, "{words:?}: {said}");
    }
    assert_eq!(link(&engine, &["https://team.example", "--hours", "25"]).0, Some(2), "no longer than a day");
    let names = |engine: &Engine| {
        let mut command = program(Path::new("/nonexistent"));
        let output = command.args(["serve", "token", "list", "--database", &engine.url]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().lines().filter(|line| line.starts_with("join ")).count()
    };
    link(&engine, &["https://team.example"]);
    link(&engine, &["https://team.example"]);
    assert_eq!(names(&engine), 2);
}
