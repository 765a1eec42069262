//! What moved from run to run is found, put down to its cause, shown, and noted.

use ciphermeter_core::{Against, Fact, Outcome, Record, Run, Share};
use serde_json::{Value, json};

use crate::common::engine::{each, sqlite};
use crate::common::{Server, agent, export, link, run};

const CELL: &str = "ring aes-256-gcm seal";
const RUNS: usize = 14;
const STEP: usize = 9;

/// The run of a day, in which the cell takes `change` times as long.
fn of_day(day: usize, change: f64) -> (Run, Vec<Record>) {
    let (run, mut records) = run(&format!("2026-11-{:02}T12:00:00Z", day + 1));
    for (place, record) in records.iter_mut().enumerate() {
        let is_it = is_it(record);
        // What differs from run to run, within the intervals.
        let noise = 1.0 + 0.0001 * (((day + place) * 7 % 5) as f64 - 2.0);
        let factor = noise * if is_it { change } else { 1.0 };
        for sample in record.forks.iter_mut().flat_map(|fork| &mut fork.samples) {
            sample.counts.iter_mut().for_each(|(_, count)| *count = (*count as f64 * factor).round() as u64);
        }
    }
    (run, records)
}

fn is_it(record: &Record) -> bool {
    record.cell.to_string().starts_with(CELL) && record.cell.parameters.message() == 1024
}

/// Pushes a series that steps by 5 %; `changed` is done to each run from the step on.
fn push(server: &Server, machine: &str, changed: impl Fn(&mut (Run, Vec<Record>))) {
    for day in 0..RUNS {
        let mut made = of_day(day, if day < STEP { 1.0 } else { 1.05 });
        if day >= STEP {
            changed(&mut made);
        }
        // Else it would be the same run as another machine's.
        made.0.seed = machine.len() as u64;
        let (status, answer) = server.push(&format!("?machine={machine}"), &export(&made));
        assert_eq!(status, 201, "{answer}");
    }
}

/// What moved on a machine, once the latest run has been looked at.
fn moved(server: &Server, machine: &str, is_done: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    let mut last = Vec::new();
    for _ in 0..600 {
        last = server.json(&format!("/api/movements?machine={machine}")).as_array().unwrap().clone();
        if is_done(&last) {
            return last;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("{machine}: {last:?}");
}

fn runs_since(moved: &[Value]) -> i64 {
    moved.first().map_or(0, |cell| cell["runs"].as_i64().unwrap())
}

#[test]
fn step_is_found_and_put_down_to_what_changed() {
    each(|engine| {
        let server = Server::start(engine, &[]);
        push(&server, "plain", |_| {});
        push(&server, "library", |(_, records)| {
            let own = records.iter_mut().filter(|record| is_it(record));
            own.filter_map(|record| record.provenance.as_mut()).for_each(|from| from.version = "9.9".into());
        });
        push(&server, "kernel", |(run, _)| run.host.push(Fact::present("kernel", "Linux 7")));
        for (machine, cause, reason) in [
            ("plain", "unexplained", "5 runs show it"),
            ("library", "library", "9.9"),
            ("kernel", "machine", "kernel unknown ≠ Linux 7"),
        ] {
            let found = moved(&server, machine, |found| runs_since(found) == (RUNS - STEP) as i64);
            assert_eq!(found.len(), 1, "{}: {found:?}", engine.name);
            let only = &found[0];
            assert!(only["cell"].as_str().unwrap().starts_with(CELL), "{only}");
            assert_eq!((&only["cause"], &only["started"]), (&json!(cause), &json!("2026-11-10T12:00:00Z")));
            assert!(only["reason"].as_str().unwrap().contains(reason), "{only}");
            let [mid, low, high] = [0, 1, 2].map(|place| only["change"][place].as_f64().unwrap());
            assert!((mid - 1.05).abs() < 0.005 && low < mid && mid < high && low > 1.04, "{only}");
        }
        let page = server.page("/movements");
        assert!(
            page.contains("3 movements") && page.contains("1 by a library, 1 by the machine, 1 unexplained"),
            "{page}"
        );
    });
}

#[test]
fn wrong_output_is_no_figure_and_moves_nothing() {
    each(|engine| {
        let server = Server::start(engine, &[]);
        let wrong = Outcome::WrongOutput { why: "expected 00, came 01".into() };
        // A cell that has a reference, and one that others have.
        push(&server, "wrong", |(_, records)| {
            records.iter_mut().for_each(|record| {
                if is_it(record) {
                    record.outcome = wrong.clone();
                }
            })
        });
        push(&server, "reference", |(_, records)| {
            let references: Vec<_> = records
                .iter()
                .filter(|record| is_it(record))
                .map(|record| record.summary.as_ref().unwrap().reference)
                .collect();
            records
                .iter_mut()
                .filter(|record| references.contains(&record.id))
                .for_each(|record| record.outcome = wrong.clone());
        });
        // A sign that movements were looked for.
        push(&server, "undisturbed", |_| {});
        moved(&server, "undisturbed", |found| runs_since(found) == (RUNS - STEP) as i64);
        for machine in ["wrong", "reference"] {
            moved(&server, machine, |found| found.is_empty());
        }
        let (_, records) = of_day(0, 1.0);
        let cell = records.iter().find(|record| is_it(record)).unwrap().cell.to_string().replace(' ', "%20");
        let moments = server.json(&format!("/api/cells?machine=wrong&cell={cell}"));
        assert_eq!(moments.as_array().unwrap().len(), STEP, "runs with the right output alone: {moments}");
        let others = server.json(&format!("/api/cells?machine=reference&cell={cell}"));
        assert_ne!(others[0]["reference"], others[RUNS - 1]["reference"], "{others}");
        let run = server.json("/api/runs?machine=wrong")[0]["digest"].as_str().unwrap().to_owned();
        let page = server.page(&format!("/runs/{run}"));
        let (warned, answered) =
            (page.find("<strong>WRONG OUTPUT: ring aes-256-gcm, seal in-place, 1 KiB"), page.find("Use AES-256-GCM"));
        assert!(warned.is_some() && page.contains("<td colspan=\"2\">WRONG OUTPUT: "), "{page}");
        assert!(answered.is_none_or(|answered| warned.is_some_and(|warned| warned < answered)), "{page}");
    });
}

#[test]
fn run_against_something_older_moves_nothing_and_shows_what_it_compared() {
    each(|engine| {
        let server = Server::start(engine, &[]);
        // The reference is the library of that day's old side, so a step of the ratio is nobody's.
        for day in 0..RUNS {
            let (mut run, mut records) = of_day(day, if day < STEP { 1.0 } else { 1.05 });
            run.started = format!("2026-11-{:02}T12:00:00Z", day + 15);
            run.against = Some(Against { old: "libcrypto.so.3".into(), threshold: Share(0.003), may_hide: None });
            records.iter_mut().filter(|record| record.cell.provider == "rustcrypto").for_each(|record| {
                record.cell.provider = Against::old("ring");
            });
            assert_eq!(server.push("?machine=guarded", &export(&(run, records))).0, 201);
        }
        // Later runs are looked through first.
        push(&server, "plain", |_| {});
        moved(&server, "plain", |found| runs_since(found) == (RUNS - STEP) as i64);
        assert_eq!(server.json("/api/movements?machine=guarded"), json!([]), "{}", engine.name);
        let page = server.page("/machines/guarded");
        assert!(page.contains("ring: new 1.2.3; old 1.2.3."), "{page}");
        assert_eq!(server.json("/api/runs?machine=plain")[0]["sides"], "");
    });
}

#[test]
fn cell_has_a_figure_with_its_step() {
    let engine = sqlite();
    let server = Server::start(&engine, &[]);
    push(&server, "a", |_| {});
    let found = moved(&server, "a", |found| runs_since(found) == (RUNS - STEP) as i64);
    let cell = link(found[0]["cell"].as_str().unwrap());
    let page = server.page(&format!("/cell?cell={cell}"));
    assert!(page.contains("/cell.svg?cell=") && page.contains("% time, unexplained"), "{page}");
    let other = run("2026-11-20T12:00:00Z")
        .1
        .into_iter()
        .find(|record| !is_it(record) && record.summary.as_ref().is_some_and(|summary| summary.reference != record.id));
    let still = server.page(&format!("/cell?cell={}", link(&other.unwrap().cell.to_string())));
    assert!(still.contains(&format!("No step was found on a in {RUNS} runs.")), "{still}");
    let figure = server.page(&format!("/cell.svg?cell={cell}&machine=a"));
    assert!(figure.starts_with("<svg") && figure.contains("Did it move on a?"), "{figure}");
    // On a phone, its letters are as high, and it is narrower.
    let width =
        |figure: &str| figure.split("width=\"").nth(1).unwrap().split('"').next().unwrap().parse::<u32>().unwrap();
    let narrow = server.page(&format!("/cell.svg?cell={cell}&machine=a&narrow=true"));
    assert!(page.contains("&amp;narrow=true") && width(&narrow) < 390 && width(&figure) > 600, "{narrow}");
    assert_eq!(server.get(&format!("/cell.svg?cell={cell}&machine=b")).status(), 404);
}

/// Submits a form, and returns the status.
fn submit(server: &Server, path: &str, fields: &[(&str, &str)]) -> u16 {
    let form = agent().post(format!("{}{path}", server.url)).send_form(fields.iter().copied());
    form.unwrap().status().as_u16()
}

#[test]
fn change_of_the_machine_explains_and_acknowledged_is_set_aside() {
    each(|engine| {
        let server = Server::start(engine, &[]);
        push(&server, "a", |_| {});
        moved(&server, "a", |found| runs_since(found) == (RUNS - STEP) as i64);
        let change =
            [("machine", "a"), ("kind", "changed"), ("moment", "2026-11-10T11:00"), ("words", "new <b>fan</b>")];
        assert_eq!(submit(&server, "/notes", &change), 303);
        let found = moved(&server, "a", |found| found.first().is_some_and(|cell| cell["cause"] == "machine"));
        assert_eq!(found[0]["reason"], "new <b>fan</b>");
        let started = found[0]["started"].as_str().unwrap();
        let known = [("machine", "a"), ("kind", "acknowledged"), ("moment", started), ("author", "Ann")];
        assert_eq!(submit(&server, "/notes", &known), 303);
        let page = server.page("/movements?machine=a");
        assert!(page.contains("Nothing new has moved") && page.contains("1 acknowledged"), "{page}");
        assert!(page.contains("by Ann") && page.contains("new &lt;b&gt;fan&lt;/b&gt;"), "{page}");
        let notes = server.json("/api/notes?machine=a");
        for note in notes.as_array().unwrap() {
            assert_eq!(submit(&server, "/notes/remove", &[("id", note["id"].as_str().unwrap())]), 303);
        }
        moved(&server, "a", |found| found.first().is_some_and(|cell| cell["cause"] == "unexplained"));
    });
}

#[test]
fn notes_that_are_none_are_refused() {
    let engine = sqlite();
    let server = Server::start(&engine, &[]);
    server.push("?machine=a", &export(&of_day(0, 1.0)));
    let long = "x".repeat(2001);
    for (fields, status) in [
        (vec![("machine", "a"), ("kind", "remark"), ("moment", "2026-11-10T00:00"), ("words", "")], 422),
        (vec![("machine", "a"), ("kind", "remark"), ("moment", "soon"), ("words", "w")], 422),
        (vec![("machine", "a"), ("kind", "remark"), ("moment", "2026-11-10T00:00"), ("words", &long)], 422),
        (vec![("machine", "none"), ("kind", "remark"), ("moment", "2026-11-10T00:00"), ("words", "w")], 404),
        (vec![("machine", "a"), ("kind", "acknowledged"), ("moment", "2026-11-10T00:00")], 422),
        (vec![("machine", "a"), ("kind", "other"), ("moment", "2026-11-10T00:00"), ("words", "w")], 422),
    ] {
        assert_eq!(submit(&server, "/notes", &fields), status, "{fields:?}");
    }
    assert_eq!(submit(&server, "/notes/remove", &[("id", "none")]), 404);
    assert!(server.json("/api/notes").as_array().unwrap().is_empty());
}
