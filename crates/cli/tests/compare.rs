//! `compare`, `rank` and `machines` on stores made by hand: their output, and the exit code that scripts use.

use crate::common::{CommandOutput, TestFolder, planted, refuses};
use ciphermeter_core::{
    Algorithm, Cell, CellId, Copies, Fact, Form, Metric, Operation, Outcome, Parameters, Provenance, Run, RunStatus,
    Sample, Scenario, Setup,
};
use ciphermeter_store::Store;
use serde_json::json;

const FORKS: u32 = 6;
const ROUNDS: u32 = 15;

/// A cell to create: its provider and algorithm, how long a call takes, and which code it is.
#[derive(Clone)]
struct Made {
    provider: &'static str,
    algorithm: Algorithm,
    message: u64,
    ns: f64,
    version: &'static str,
    outcome: Outcome,
}

fn seal(provider: &'static str, algorithm: Algorithm, message: u64, ns: f64) -> Made {
    Made { provider, algorithm, message, ns, version: "1.0", outcome: Outcome::Measured }
}

/// One size of two libraries and a ceiling; `new` is what changed.
fn cells(openssl: f64, version: &'static str) -> Vec<Made> {
    let new = |algorithm, ns| Made { version, ..seal("openssl", algorithm, 1024, ns) };
    vec![
        seal("aws-lc", Algorithm::Aes256Gcm, 1024, 200.0),
        seal("aws-lc", Algorithm::ChaCha20Poly1305, 1024, 500.0),
        new(Algorithm::Aes256Gcm, openssl),
        new(Algorithm::ChaCha20Poly1305, 520.0),
        seal("ceiling", Algorithm::Memcpy, 1024, 20.0),
    ]
}

fn head(cpu: &str) -> Run {
    let scenario = "name = \"made\"\ntitle = \"t\"\nbudget = \"1s\"\nprecision = \"2%\"\n[[cells]]\n\
                    algorithms = [\"aes-256-gcm\"]\noperations = [\"seal\"]\nmessages = [\"1KiB\"]\n";
    planted::head(
        Scenario::parse(scenario).expect("a scenario"),
        vec![Fact::present("cpu", cpu), Fact::present("kernel", "Linux 6.18.1")],
    )
}

/// Stores a run in which every cell was sampled in every round, on a machine whose speed wanders.
fn store(folder: &TestFolder, run: &Run, cells: &[Made]) {
    let store = Store::open(&folder.path("runs.db")).expect("a store");
    let all: Vec<Cell> = cells.iter().map(cell).collect();
    let seed = store.list().expect("runs").len() as u64;
    let id = store.begin(&Run { seed, ..run.clone() }, &all).expect("a run");
    for fork in 0..FORKS {
        store.begin_fork(id, fork, 0).expect("a fork");
        for round in 0..ROUNDS {
            let samples: Vec<Sample> = (0u32..).zip(cells).map(|(k, made)| sample(k, made, fork, round)).collect();
            store.commit_round(id, fork, round, &samples).expect("a round");
        }
        store.end_fork(id, fork, true).expect("a fork");
    }
    for (k, made) in (0u32..).zip(cells) {
        store.set_outcome(id, CellId(k), &made.outcome).expect("a cell");
        store.set_provenance(id, CellId(k), &provenance(made)).expect("a cell");
        store.set_summaries(id, &[(CellId(k), planted::summary(made.ns, FORKS, FORKS * ROUNDS))]).expect("a cell");
    }
    store.finish(id, RunStatus::Complete, &[]).expect("a run");
}

fn cell(made: &Made) -> Cell {
    Cell {
        provider: made.provider.into(),
        algorithm: made.algorithm,
        operation: Operation::Seal,
        form: Form::InPlace,
        parameters: Parameters::message_cell(made.message, 0, 1),
    }
}

fn provenance(made: &Made) -> Provenance {
    Provenance {
        worker: "native".into(),
        runtime: "rust".into(),
        language: None,
        version: made.version.into(),
        path: "unknown".into(),
        setup: Setup::Outside,
        library: None,
        sha256: None,
        program: Some("5f".repeat(32)),
        device: None,
    }
}

fn sample(k: u32, made: &Made, fork: u32, round: u32) -> Sample {
    let speed = 1.0 + f64::from((round * 7 + fork) % 11) / 30.0;
    // Each cell is slightly off in each fork, by up to a thousandth.
    let own = 1.0 + f64::from((k + 1) * (fork + 3) % 7) / 7000.0;
    let count = (made.ns * speed * own * 1000.0) as u64;
    Sample {
        cell: CellId(k),
        after: None,
        turn: k,
        iterations: 1000,
        counts: vec![(Metric::NS, count)],
        series: vec![],
    }
}

/// A folder with one run and then another.
fn two(before: &[Made], after: &[Made]) -> TestFolder {
    let folder = TestFolder::new();
    store(&folder, &head("Example EPYC 9"), before);
    store(&folder, &head("Example EPYC 9"), after);
    folder
}

#[track_caller]
fn says(said: &CommandOutput, code: i32, what: &str) {
    let text = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.code == Some(code) && text.contains(what), "wanted {code} and {what}: {said:?}");
    assert!(said.out.lines().all(|line| line.chars().count() <= 80), "{}", said.out);
}

#[test]
fn regression_is_found_and_ends_with_1() {
    let folder = two(&cells(260.0, "3.0.17"), &cells(286.0, "3.5.0"));
    let said = folder.run(&["compare", "1", "2"]);
    says(&said, 1, "1 of 2 cells is surely slower by more than 5 % (family-wise error 5 %)");
    says(&said, 1, "SLOWER +10.0 %");
    says(&said, 1, "both runs: aws-lc aes-256-gcm in 1 group");
    says(&folder.run(&["compare", "1", "2", "--threshold", "20%"]), 0, "Nothing is surely slower by more than 20 %");
    says(&folder.run(&["compare", "2", "1"]), 0, "Nothing is surely slower by more than 5 %, 1 surely faster");
}

#[test]
fn no_regression_ends_with_0_and_names_what_is_ruled_out() {
    let folder = two(&cells(260.0, "3.0.17"), &cells(261.0, "3.5.0"));
    says(&folder.run(&["compare", "1", "2"]), 0, "is ruled out, at the same confidence");
}

#[test]
fn incomparable_runs_end_with_4_and_a_reason() {
    let mut other = cells(260.0, "3.0.17");
    other.iter_mut().for_each(|made| made.version = "9.9");
    let folder = two(&cells(260.0, "3.0.17"), &other);
    let why = "Not comparable: no common reference (aws-lc: version 1.0 ≠ 9.9; ceiling: version 1.0 ≠ 9.9; openssl: version \
               3.0.17 ≠ 9.9)";
    says(&folder.run(&["compare", "1", "2"]), 4, why);

    store(&folder, &head("Example Xeon"), &other);
    let why = "Not comparable: other host: cpu Example EPYC 9 ≠ Example Xeon";
    says(&folder.run(&["compare", "1", "3"]), 4, why);

    let mut check = head("Example EPYC 9");
    check.scenario.copies = Some(Copies { names: 2, ..Default::default() });
    store(&folder, &check, &other);
    says(&folder.run(&["compare", "1", "4"]), 4, "Not comparable: run 4 is one library under many names");

    let longer: Vec<Made> = cells(1.0, "1.0").into_iter().map(|made| Made { message: 4096, ..made }).collect();
    store(&folder, &head("Example EPYC 9"), &longer);
    says(&folder.run(&["compare", "1", "5"]), 4, "only in run 1");
}

#[test]
fn lost_cell_is_not_fine() {
    let mut lost = cells(260.0, "3.5.0");
    lost[2].outcome = Outcome::Failed { why: "ended with signal 4".into() };
    let folder = two(&cells(260.0, "3.0.17"), &lost);
    says(&folder.run(&["compare", "1", "2"]), 5, "LOST openssl aes-256-gcm seal in-place, 1 KiB message: failed");
    lost[2].outcome = Outcome::WrongOutput { why: "expected 00, came 01".into() };
    store(&folder, &head("Example EPYC 9"), &lost);
    says(&folder.run(&["compare", "1", "3"]), 3, "WRONG OUTPUT: expected 00, came 01");
}

#[test]
fn missing_run_is_refused() {
    let folder = TestFolder::new();
    for command in [&["compare", "1", "2"][..], &["rank"], &["rank", "1"]] {
        let said = folder.run(command);
        assert!(said.code == Some(2) && said.err.contains("there is no store"), "{said:?}");
    }
    store(&folder, &head("Example EPYC 9"), &cells(260.0, "3.0.17"));
    for command in [&["compare", "1", "7"][..], &["compare", "7", "1"], &["rank", "7"]] {
        let said = folder.run(command);
        assert!(said.code == Some(2) && said.err.contains("there is no run 7"), "{said:?}");
    }
    let said = folder.run(&["compare", "1", "1"]);
    assert!(
        said.code == Some(2) && said.err.contains("run 1 cannot be compared with itself: give two numbers"),
        "{said:?}"
    );
    let said = folder.run(&["compare", "1", "2", "--threshold", "5"]);
    assert!(said.code == Some(2) && said.err.contains("`5` is not a share"), "{said:?}");
}

#[test]
fn ranking_fits_a_terminal() {
    let folder = two(&cells(260.0, "3.0.17"), &cells(200.0, "3.5.0"));
    let said = folder.run(&["rank", "1"]);
    says(&said, 0, "1 aes-256-gcm aws-lc 1.00× 2 aes-256-gcm openssl 1.30× ±0.1 %");
    says(&said, 0, "3 chacha20-poly1305 aws-lc 2.50×");
    let said = folder.run(&["rank"]);
    assert_eq!(said.out.matches("\n    1  ").count(), 2, "two share the first place: {}", said.out);
    let wrong = Outcome::WrongOutput { why: "expected 00".into() };
    let none: Vec<Made> = cells(1.0, "1.0").into_iter().map(|made| Made { outcome: wrong.clone(), ..made }).collect();
    store(&folder, &head("Example EPYC 9"), &none);
    let said = folder.run(&["rank"]);
    let why = "run 3 has nothing to rank: no cell is left: the output was wrong: expected 00; `ciphermeter show 3`";
    assert!(said.code == Some(4) && said.err.contains(why), "{said:?}");
}

#[test]
fn lists_comparisons_and_rankings_are_data_too() {
    let folder = two(&cells(260.0, "3.0.17"), &cells(200.0, "3.5.0"));
    let [list, compare, rank] = [&["list"][..], &["compare", "1", "2"], &["rank", "1"]].map(|command| {
        let (text, data) = (folder.run(command), folder.run(&[command, &["--json"]].concat()));
        assert_eq!((data.code, &data.err), (text.code, &text.err));
        folder.fits_the_schema_of(command[0], &data.json());
        data.json()
    });
    let [_, second] = &list["runs"].as_array().expect("runs")[..] else { panic!("{list}") };
    assert_eq!((&second["run"], &second["what"], &second["forks"]), (&json!(2), &json!("made"), &json!(FORKS)));
    let cell = &compare["about"]["cells"][1];
    assert_eq!((&compare["runs"], &cell["comparison"]["is"]), (&json!([1, 2]), &json!("second")), "{compare}");
    assert_eq!((&cell["provider"], &cell["algorithm"]), (&json!("openssl"), &json!("aes-256-gcm")));
    let order = rank["machines"][0]["rankings"][0]["order"].as_array().expect("places");
    let places: Vec<_> = order.iter().map(|own| (&own["place"], &own["algorithm"], &own["provider"])).collect();
    let aes = &json!("aes-256-gcm");
    assert_eq!(places[..2], [(&json!(1), aes, &json!("aws-lc")), (&json!(2), aes, &json!("openssl"))], "{rank}");
    let ratio = order[1]["ratio"]["mid"].as_f64().expect("a ratio");
    assert!((ratio - 1.3).abs() < 0.01, "{rank}");
}

#[test]
fn slowest_of_several_machines_decides() {
    let folder = two(&cells(260.0, "3.0.17"), &cells(260.0, "3.0.17"));
    let router =
        [seal("aws-lc", Algorithm::Aes256Gcm, 1024, 4000.0), seal("aws-lc", Algorithm::ChaCha20Poly1305, 1024, 1500.0)];
    store(&folder, &head("Example Atom"), &router);
    let said = folder.run(&["machines", "web=1", "router=3"]);
    says(&said, 0, "Use ChaCha20-Poly1305: the slowest of 2 machines does 0.59 GB/s");
    says(&said, 0, "AES-256-GCM is faster on web.");
    says(&said, 0, "web AES-256-GCM 4.39 1.76");
    says(&said, 0, "router ChaCha20-Poly1305 0.22 0.59");
    let data = folder.run(&["machines", "web=1", "router=3", "--json"]).json();
    folder.fits_the_schema_of("machines", &data);
    assert_eq!((&data["serves_all"], &data["wrong_on"]), (&json!("chacha20-poly1305"), &json!(["web"])), "{data}");
    let said = folder.run(&["machines", "web=1", "web=2"]);
    refuses(&said, &["two runs are of \"web\": name one of each machine, as NAME=RUN"]);
    let again = format!("other={}:1", folder.path("runs.db").display());
    refuses(&folder.run(&["machines", "web=1", &again]), &["the runs of \"web\" and \"other\" are one measurement"]);
    let named = format!("other={}:3", folder.path("runs.db").display());
    assert_eq!(folder.run(&["machines", "1", &named]).code, Some(0), "a run without a name has its machine's");
}

#[test]
fn split_messages_are_not_ranked() {
    let folder = TestFolder::new();
    let scenario = "name = \"split\"\nkind = \"parallel\"\ntitle = \"t\"\nbudget = \"1s\"\nprecision = \"2%\"\n[[cells]]\n\
                    algorithms = [\"aes-256-ctr\"]\noperations = [\"encrypt\"]\nmessages = [\"1KiB\"]\nforms = [\"static\"]\n";
    let run = Run { scenario: Scenario::parse(scenario).expect("a scenario"), ..head("Example EPYC 9") };
    store(&folder, &run, &[seal("openssl", Algorithm::Aes256Ctr, 1024, 200.0)]);
    let said = folder.run(&["rank"]);
    let why = "run 1 split messages, which is not ranked; `ciphermeter show 1` has its figures";
    assert!(said.code == Some(4) && said.err.contains(why) && said.out.is_empty(), "{said:?}");
    assert_eq!(said.err.lines().count(), 1, "{}", said.err);
}
