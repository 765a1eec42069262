//! `study`: published claims beside what was measured here.

use std::collections::BTreeMap;
use std::fs;

use ciphermeter_core::{
    Algorithm, Cell, CellId, Fact, Form, Interval, METHOD, Operation, Outcome, Parameters, Run, RunPlan, RunStatus,
    SampleRange, Scenario, Summary,
};
use ciphermeter_store::Store;
use serde_json::Value;

use crate::common::{TestFolder, planted};

const PAPERS: &[&str] = &["esp32", "languages", "parallel", "python-sizes", "tcp-sockets"];
const CONTRADICTIONS: &[&str] = &[
    "adiantum", "aegis-x2", "gcm-siv", "go-chacha", "openssl-speed", "ssh-ciphers", "transfer-encryption",
    "wasm-webcrypto", "wireguard-openvpn", "zfs-ccm",
];

/// All of them.
fn names() -> Vec<&'static str> {
    let mut names = [PAPERS, CONTRADICTIONS].concat();
    names.sort_unstable();
    names
}

#[test]
fn studies_are_listed_before_anything_is_measured() {
    let folder = TestFolder::new();
    let said = folder.run(&["study", "list"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    for name in names() {
        assert!(said.out.lines().any(|line| line == name), "{name}: {said:?}");
    }
    assert!(said.out.contains("not measured yet"), "{said:?}");
    assert!(said.out.lines().all(|line| line.chars().count() <= 80), "{said:?}");
}

#[test]
fn contradictions_are_listed_apart_from_papers_with_both_sides_on_their_page() {
    let folder = TestFolder::new();
    for arguments in [&["study", "list"][..], &["study", "show", "--all"]] {
        let said = folder.run(arguments);
        let (_, listed) = said.out.split_once("Papers, measured again:\n").expect("a heading");
        let (papers, contradictions) = listed.split_once("Contradictions in public:\n").expect("another");
        let is_listed = |part: &str, name: &str| part.lines().any(|line| line == name);
        assert!(PAPERS.iter().all(|name| is_listed(papers, name) && !is_listed(contradictions, name)), "{said:?}");
        assert!(
            CONTRADICTIONS.iter().all(|name| is_listed(contradictions, name) && !is_listed(papers, name)),
            "{said:?}"
        );
    }
    let said = folder.run(&["study", "show", "aegis-x2", "--all"]);
    let text = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let sides = ["pull/34): on a cloud server AEGIS-128X2 does", "issues/16): on an i3-7130U", "What decides it: AES"];
    assert!(sides.iter().all(|words| text.contains(words)), "{text}");
    let study = folder.run(&["study", "show", "aegis-x2", "--json"]).json()["studies"][0].clone();
    assert_eq!((&study["group"], study["sides"].as_array().map(Vec::len)), (&Value::from("contradictions"), Some(2)));
}

#[test]
fn study_without_a_run_says_how_to_measure_and_what_is_wrong_in_the_paper() {
    let folder = TestFolder::new();
    for name in names() {
        let said = folder.run(&["study", "show", name, "--all"]);
        assert_eq!(said.code, Some(5), "nothing is decided: {said:?}");
        let text = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(&format!("ciphermeter study run {name}")), "{text}");
        assert!(text.contains("Inconsistencies and limits of the study:"), "{text}");
        assert!(said.out.lines().all(|line| line.chars().count() <= 80), "{said:?}");
    }
}

/// Whatever is stored: nothing, a run of another machine, newer ones that give no answer, wrong output.
#[test]
fn a_study_is_one_screen_which_ends_with_the_verdicts_and_says_how_to_see_more() {
    let folder = TestFolder::new();
    store_run(&folder, "here.db", ciphermeter_host::facts());
    store_run(&folder, "other.db", another_machine());
    store_flawed_newer(&folder, "wrong.db", Flaw::WrongOutput);
    store_flawed_newer(&folder, "short.db", Flaw::FiveForks);
    for name in names() {
        for store in ["none.db", "here.db", "other.db", "wrong.db", "short.db"] {
            let said = folder.run(&["study", "show", name, "--store", store]);
            let lines: Vec<&str> = said.out.lines().collect();
            assert!(lines.len() <= 23, "{name}, {store}: {} lines: {}", lines.len(), said.out);
            assert!(lines.iter().all(|line| line.chars().count() <= 80), "{}", said.out);
            let end = lines[lines.len() - 3..].join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
            let published = if PAPERS.contains(&name) { "the paper's own numbers" } else { "what each side says" };
            let more = format!("Ratios, notes and {published}: ciphermeter study show {name} --all");
            assert!(end.contains(&more), "{}", said.out);
            let whole = folder.run(&["study", "show", name, "--all", "--store", store]);
            assert!(whole.out.lines().count() > 24 && whole.code == said.code, "{name}, {store}: {whole:?}");
        }
    }
}

#[test]
fn first_screen_has_the_verdict_on_each_claim() {
    let folder = TestFolder::new();
    for study in ciphermeter_study::all().expect("the studies") {
        let said = folder.run(&["study", "show", &study.name]);
        let screen: Vec<&str> = said.out.lines().take(24).collect();
        let verdicts = screen
            .iter()
            .filter(|line| ["not measured  ", "not tested  ", "n/a  "].iter().any(|word| line.starts_with(word)));
        assert_eq!(verdicts.count(), study.claims.len(), "{}", said.out);
        let words = screen.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(study.claims.iter().all(|claim| words.contains(&claim.says)), "{}", said.out);
    }
}

/// Stores a run of `iot` on a machine with these facts, in which ChaCha20-Poly1305 takes twice the time of AES-256-GCM.
fn store_run(folder: &TestFolder, name: &str, host: Vec<Fact>) {
    let (aes, chacha) = (Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305);
    // Both are divided by ChaCha20-Poly1305.
    store_cells(folder, name, host, &[(chacha, 64, 1.0), (aes, 32, 0.25), (aes, 64, 0.5)]);
}

/// Stores a run of `iot` with these messages and their times ÷ that of the first.
pub fn store_cells(folder: &TestFolder, name: &str, host: Vec<Fact>, cells: &[(Algorithm, u64, f64)]) {
    store_ended(folder, name, host, cells, RunStatus::Complete);
}

/// The same of a run that ended so.
fn store_ended(folder: &TestFolder, name: &str, host: Vec<Fact>, cells: &[(Algorithm, u64, f64)], status: RunStatus) {
    store_flawed(folder, name, host, cells, status, None);
}

/// What is wrong with a run's last cell.
#[derive(Clone, Copy, PartialEq)]
enum Flaw {
    WrongOutput,
    FiveForks,
}

/// The same of a run with a flaw.
fn store_flawed(
    folder: &TestFolder,
    name: &str,
    host: Vec<Fact>,
    cells: &[(Algorithm, u64, f64)],
    status: RunStatus,
    flaw: Option<Flaw>,
) {
    let text = "name = \"iot\"\ntitle = \"t\"\nbudget = \"1s\"\nprecision = \"2%\"\n[[cells]]\n\
                algorithms = [\"aes-256-gcm\"]\noperations = [\"seal\"]\nmessages = [\"64\"]\n";
    let run = Run {
        plan: RunPlan { method: METHOD, ..RunPlan::default() },
        ..planted::head(Scenario::parse(text).expect("a scenario"), host)
    };
    let cell = |&(algorithm, message, _): &(Algorithm, u64, f64)| Cell {
        provider: "rustcrypto".into(),
        algorithm,
        operation: Operation::Seal,
        form: Form::InPlace,
        parameters: Parameters::message_cell(message, 0, 1),
    };
    let store = Store::open(&folder.path(name)).expect("a store");
    let id = store.begin(&run, &cells.iter().map(cell).collect::<Vec<_>>()).expect("a run");
    for (place, (.., ratio)) in (0..).zip(cells) {
        let flaw = flaw.filter(|_| place as usize == cells.len() - 1);
        let outcome = match flaw {
            Some(Flaw::WrongOutput) => Outcome::WrongOutput { why: "a byte".into() },
            _ => Outcome::Measured,
        };
        store.set_outcome(id, CellId(place), &outcome).expect("a cell");
        let forks = if flaw == Some(Flaw::FiveForks) { 5 } else { 6 };
        store.set_summaries(id, &[(CellId(place), Summary { forks, ..summary(*ratio) })]).expect("a cell");
    }
    store.finish(id, status, &[]).expect("a run");
}

fn summary(ratio: f64) -> Summary {
    Summary {
        reference: CellId(0),
        ratio: Some(Interval { mid: ratio, low: ratio * 0.99, high: ratio * 1.01 }),
        range: SampleRange { low: 90.0, mid: 100.0, high: 110.0 },
        converged: true,
        undisturbed_limit: None,
        undisturbed_limits: BTreeMap::default(),
        correlation: 0.0,
        forks: 6,
        rounds: 60,
        warnings: Vec::new(),
    }
}

fn another_machine() -> Vec<Fact> {
    vec![Fact::present("cpu", "Example EPYC 9")]
}

#[test]
fn studies_as_json_fit_their_schema() {
    let folder = TestFolder::new();
    store_run(&folder, "runs.db", another_machine());
    let list = folder.run(&["study", "list", "--json"]);
    assert_eq!(list.code, Some(0), "{list:?}");
    let listed: Vec<_> =
        list.json()["studies"].as_array().expect("studies").iter().map(|one| one["name"].clone()).collect();
    let all: Vec<_> = names().into_iter().map(Value::from).collect();
    assert_eq!((listed, &list.json()["factors"]), (all, &Value::Null));
    let one = folder.run(&["study", "show", "esp32", "--json"]);
    let run = &one.json()["studies"][0]["measures"][0]["runs"][0];
    assert_eq!((one.code, &run["id"], &run["cpu"]), (Some(0), &Value::from(1), &Value::from("Example EPYC 9")));
    assert!(run["elsewhere"].as_str().is_some_and(|why| why.contains("cpu Example EPYC 9 ≠")), "{run}");
    let all = folder.run(&["study", "show", "--all", "--json"]);
    assert_eq!(all.json()["factors"].as_array().map(Vec::len), Some(7), "{all:?}");
    for document in [list, one, all] {
        folder.fits_the_schema_of("study", &document.json());
    }
}

#[test]
fn run_of_another_machine_answers_only_where_this_one_has_none_and_says_so() {
    let folder = TestFolder::new();
    store_run(&folder, "runs.db", another_machine());
    for arguments in [&["study", "show", "esp32"][..], &["study", "list"], &["study", "show", "--all"]] {
        let said = folder.run(arguments);
        assert!(said.out.contains("On another machine or by another method: run 1"), "{said:?}");
    }
    let said = folder.run(&["study", "show", "esp32"]);
    let text = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("run 1 on Example EPYC 9 (other host: cpu Example EPYC 9 ≠"), "{text}");
    assert!(!text.contains("Here: "), "{text}");
}

#[test]
fn claim_is_judged_by_the_newest_run_of_this_machine() {
    let folder = TestFolder::new();
    store_run(&folder, "other.db", ciphermeter_host::facts());
    // A newer run of another machine does not take its place.
    store_run(&folder, "other.db", another_machine());
    assert!(folder.run(&["study", "show", "esp32"]).out.contains("Nothing is measured yet"));
    let said = folder.run(&["study", "show", "esp32", "--all", "--store", "other.db"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("Here: run 1 on ") && !said.out.contains("another machine"), "{said:?}");
    // By the byte: 32 bytes take half of what 64 bytes take with AES, and these half of what ChaCha20 takes.
    let rows = said
        .out
        .lines()
        .filter(|line| line.trim_start().starts_with("rustcrypto, 64 B ") || line.contains("    rustcrypto "));
    let rows: Vec<Vec<&str>> = rows.map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["rustcrypto", "–", "0.50×", "±1", "%", "contradicted"], "{said:?}");
    assert_eq!(rows[1][4..], ["0.50×", "±1", "%", "contradicted"], "{said:?}");
}

/// A smaller run that came later leaves the claims that it says nothing of to the run before.
#[test]
fn newest_run_that_has_the_cells_decides() {
    let folder = TestFolder::new();
    store_run(&folder, "runs.db", ciphermeter_host::facts());
    store_cells(&folder, "runs.db", ciphermeter_host::facts(), &[(Algorithm::Aes256Gcm, 64, 1.0)]);
    let said = folder.run(&["study", "show", "esp32", "--all"]);
    assert!(said.out.contains("Here: run 1 on ") && said.out.contains("As published, run 1"), "{said:?}");
}

/// Stores a run in which all is well, then a newer one with this flaw in AES's 32 bytes.
fn store_flawed_newer(folder: &TestFolder, name: &str, flaw: Flaw) {
    let here = ciphermeter_host::facts;
    store_run(folder, name, here());
    let (aes, chacha) = (Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305);
    let cells = [(chacha, 64, 1.0), (aes, 64, 0.5), (aes, 32, 2.0)];
    store_flawed(folder, name, here(), &cells, RunStatus::Complete, Some(flaw));
}

#[test]
fn wrong_output_of_the_newest_run_is_not_passed_over() {
    let folder = TestFolder::new();
    store_flawed_newer(&folder, "runs.db", Flaw::WrongOutput);
    let said = folder.run(&["study", "show", "esp32"]);
    assert_eq!(said.code, Some(3), "{said:?}");
    let text = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("1 wrong output") && text.contains("Here: run 2 on "), "{text}");
    let wrong = "Wrong output in run 2: rustcrypto aes-256-gcm seal 32 B. Older runs do not answer instead.";
    assert!(text.contains(wrong), "{text}");
    assert!(folder.run(&["study", "list"]).out.contains("Wrong output in run 2: "));
    let document = folder.run(&["study", "show", "esp32", "--json"]).json();
    folder.fits_the_schema_of("study", &document);
    let claims = document["studies"][0]["claims"].as_array().expect("claims");
    assert!(claims.iter().any(|claim| claim["verdict"] == "wrong-output"), "{document}");
}

/// In whatever place `--store` stands.
#[test]
fn newer_run_of_too_few_forks_is_named() {
    let folder = TestFolder::new();
    store_flawed_newer(&folder, "other.db", Flaw::FiveForks);
    for arguments in [
        ["study", "--store", "other.db", "show", "esp32"],
        ["study", "show", "--store", "other.db", "esp32"],
        ["study", "show", "esp32", "--store", "other.db"],
    ] {
        let said = folder.run(&arguments);
        assert!(said.out.contains("1 contradicted") && said.out.contains("Here: runs 1, 2 on "), "{said:?}");
        assert!(said.out.contains("\nNewer, but incomplete: run 2 (fewer than 6 undisturbed forks).\n"), "{said:?}");
    }
    let document = folder.run(&["study", "--store", "other.db", "show", "esp32", "--json"]).json();
    folder.fits_the_schema_of("study", &document);
    let claim = document["studies"][0]["claims"].as_array().and_then(|claims| claims.last()).expect("claims");
    let passed_over = serde_json::json!([{"run": 2, "why": "forks"}]);
    assert_eq!((&claim["as_published"]["run"], &claim["as_published"]["passed_over"]), (&Value::from(1), &passed_over));
}

#[test]
fn run_that_has_not_ended_is_named() {
    let folder = TestFolder::new();
    store_run(&folder, "runs.db", ciphermeter_host::facts());
    assert_eq!(folder.run(&["study", "show", "esp32"]).err, "");
    let cells = [(Algorithm::Aes256Gcm, 64, 1.0)];
    store_ended(&folder, "runs.db", ciphermeter_host::facts(), &cells, RunStatus::Interrupted);
    let said = folder.run(&["study", "show", "esp32"]);
    assert!(said.out.contains("Here: run 1 on "), "{said:?}");
    assert!(said.err.contains("note: run 2 was cut off, so it does not count; `ciphermeter run"), "{said:?}");
    let all = folder.run(&["study", "show", "--all"]);
    assert!(all.err.contains("note: run 2 was cut off"), "{all:?}");
    store_ended(&folder, "runs.db", ciphermeter_host::facts(), &cells, RunStatus::Open);
    assert!(folder.run(&["study", "show", "esp32"]).err.contains("note: run 3 was cut off"));
    let lock = fs::File::create(folder.path("runs.db.lock")).expect("the lock of a store");
    lock.lock().expect("nobody else measures");
    let said = folder.run(&["study", "show", "esp32"]);
    assert!(said.err.contains("note: run 3 is being measured; it counts when it has ended"), "{said:?}");
}

#[test]
fn ratios_are_printed_as_csv() {
    let folder = TestFolder::new();
    store_run(&folder, "runs.db", ciphermeter_host::facts());
    let said = folder.run(&["study", "show", "esp32", "--csv"]);
    assert!(
        said.out.starts_with("study,claim,says,source,way,claim_verdict,run,elsewhere,passed_over,left,right,"),
        "{said:?}"
    );
    let has = |words: &[&str]| said.out.lines().any(|line| words.iter().all(|word| line.contains(word)));
    assert!(
        has(&["esp32,aes-instructions,", ",contradicted,1,,,rustcrypto chacha20-poly1305 seal in-place,", ",0.5,"]),
        "{said:?}"
    );
    assert!(
        has(&[
            "esp32,faster,ChaCha20-Poly1305 takes less time a message,Tables 2 to 6,as-published,not tested here,,",
            ",176.65,119.24,ms,"
        ]),
        "{said:?}"
    );
    assert_eq!(folder.run(&["study", "show", "esp32", "--csv", "--json"]).code, Some(2));
    let all = folder.run(&["study", "show", "--all", "--csv"]);
    assert_eq!(all.out.lines().filter(|line| line.starts_with("study,")).count(), 1, "{all:?}");
    assert!(names().iter().all(|name| all.out.contains(&format!("\n{name},"))), "{all:?}");
}

/// A run that says of itself where it was made is recognised there.
#[test]
fn run_of_this_machine_is_recognised() {
    let folder = TestFolder::new();
    let scenario = r#"
        name = "iot"
        title = "the message of a study"
        budget = "1s"
        precision = "50%"
        [[cells]]
        algorithms = ["aes-256-gcm"]
        operations = ["seal"]
        messages = ["64"]
        providers = ["rustcrypto"]
    "#;
    folder.write("iot.toml", scenario);
    let run = folder.run(&["run", "./iot.toml", "--quiet"]);
    assert!(matches!(run.code, Some(0 | 5)), "{run:?}");
    let said = folder.run(&["study", "show", "esp32"]);
    assert!(said.out.contains("Here: run 1 on ") && !said.out.contains("another machine"), "{said:?}");
}

#[test]
fn unknown_study_is_named_with_those_that_exist() {
    let said = TestFolder::new().run(&["study", "show", "<b>"]);
    assert_eq!((said.code, said.err.lines().count()), (Some(2), 1), "{said:?}");
    assert!(said.err.contains("python-sizes, ssh-ciphers, tcp-sockets"), "{said:?}");
}

#[test]
fn all_studies_begin_with_why_they_disagree() {
    let folder = TestFolder::new();
    let said = folder.run(&["study", "show", "--all"]);
    assert_eq!(said.code, Some(5), "nothing is measured: {said:?}");
    let (why, studies) = said.out.split_once("How the claims of each stand:").expect("a page over all");
    assert!(names().iter().all(|name| studies.contains(name)), "{said:?}");
    let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(why.starts_with("Why the studies disagree: one factor at a time Not measured yet: "), "{why}");
    assert_eq!(why.matches(": not measured yet.").count(), 17, "{why}");
    for wrong in [&["study", "show"][..], &["study", "run"], &["study", "list", "--all"]] {
        assert_eq!(folder.run(wrong).code, Some(2));
    }
}

/// Of this machine or another: no more than one with `--cpu`.
#[test]
fn run_with_a_switch_is_no_evidence() {
    // Made up for this test, but for the first.
    for set in ["OPENSSL_ia32cap=~0x200000200000000", "GODEBUG=cpu.aes=off; LD_PRELOAD=x.so", "OPENSSL_CONF=/f.cnf"] {
        for mut host in [ciphermeter_host::facts(), another_machine()] {
            let folder = TestFolder::new();
            host.retain(|fact| fact.name != "switches");
            host.push(Fact::present("switches", set));
            store_run(&folder, "runs.db", host);
            let said = folder.run(&["study", "show", "esp32"]);
            assert!(said.code == Some(5) && said.out.contains("Nothing is measured yet"), "{set}: {said:?}");
        }
    }
}
