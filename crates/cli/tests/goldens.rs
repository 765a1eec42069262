//! The output and exports of stored runs: a change of the code must not change them unnoticed.
//!
//! `goldens/runs.db` holds fourteen runs of one machine, two CPUs and a noisy neighbour; `goldens/README.md` says how each was made. Read
//! the difference before you accept a new snapshot.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use crate::common::{CommandOutput, STORE, TestFolder};
use ciphermeter_core::{Record, Run, RunStatus, Summary};
use ciphermeter_estimate::{anew, fill};
use ciphermeter_import::import;
use ciphermeter_report::write_json;
use ciphermeter_store::Store;
use insta::assert_snapshot;
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

/// The complete output of a command.
fn text(said: &CommandOutput) -> String {
    let mut text = rounded(&said.out);
    if !said.err.is_empty() {
        let _ = write!(text, "--- standard error\n{}", said.err);
    }
    if said.code != Some(0) {
        let _ = writeln!(text, "--- exit code {:?}", said.code);
    }
    text
}

/// The columns of all forks, as the count and sum of their numbers: raw samples are too many to read.
fn summed_up(forks: &Value) -> Value {
    let mut columns: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
    for (name, value) in forks.as_array().into_iter().flatten().flat_map(|fork| fork.as_object().expect("columns")) {
        let (count, sum) = columns.entry(name).or_default();
        let numbers = numbers(value);
        *count += numbers.len();
        *sum += numbers.iter().sum::<f64>();
    }
    columns
        .into_iter()
        .map(|(name, (count, sum))| (name.to_owned(), Value::from(format!("{count} numbers, sum {sum}"))))
        .collect()
}

/// All numbers in a value, however deep.
fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(all) => all.iter().flat_map(numbers).collect(),
        Value::Object(all) => all.values().flat_map(numbers).collect(),
        Value::Bool(is) => vec![f64::from(u8::from(*is))],
        value => value.as_f64().into_iter().collect(),
    }
}

/// The JSON export, a line a record.
fn json(said: &CommandOutput) -> String {
    let mut document = said.json();
    let mut records = document["records"].take();
    let mut text = format!("{document:#}\n");
    for record in records.as_array_mut().expect("records") {
        for raw in ["samples", "latency"] {
            record[raw] = summed_up(&record[raw]);
        }
        let _ = writeln!(text, "{record}");
    }
    rounded(&text)
}

/// Numbers to nine digits: the last ones are those of this machine's logarithms.
fn rounded(text: &str) -> String {
    let is_number = |character: char| character.is_ascii_digit() || character == '.';
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_number) {
        let (before, number) = rest.split_at(start);
        let end = number.find(|character| !is_number(character)).unwrap_or(number.len());
        out.push_str(before);
        match number[..end].parse::<f64>() {
            Ok(value) if end > 10 && number[..end].contains('.') => {
                let digits = 8 - value.abs().log10().floor().max(-9.0) as i32;
                let shown = format!("{value:.*}", digits.max(1) as usize);
                out.push_str(shown.trim_end_matches('0').trim_end_matches('.'));
            }
            _ => out.push_str(&number[..end]),
        }
        rest = &number[end..];
    }
    out + rest
}

#[track_caller]
fn run_reads_as_before(number: u32, name: &str) {
    let folder = TestFolder::with_runs();
    let number = number.to_string();
    let first = folder.run(&["show", &number]);
    assert!(first.out.lines().count() <= 24 && first.out.lines().all(|line| line.width() <= 80), "{}", first.out);
    assert_snapshot!(format!("{name}-screen"), text(&first));
    assert_snapshot!(format!("{name}-show"), text(&folder.run(&["show", &number, "--all", "--verbose"])));
    assert_snapshot!(format!("{name}-json"), json(&folder.run(&["export", &number])));
    for format in ["csv", "benchstat", "bmf"] {
        let said = folder.run(&["export", &number, "--format", format]);
        assert_snapshot!(format!("{name}-{format}"), text(&said));
    }
    assert_snapshot!(format!("{name}-rank"), text(&folder.run(&["rank", &number])));
    let kept = fs::read(folder.path("runs.db")).expect("the store");
    assert!(kept == STORE, "reading changes nothing");
}

/// One test a run, so that they run in parallel.
macro_rules! runs {
    ($($number:literal $name:ident)*) => {$(
        #[test]
        fn $name() {
            run_reads_as_before($number, stringify!($name));
        }
    )*};
}

runs! {
    1 complete
    2 killed
    3 threads
    4 latency
    5 memory
    6 transfers
    7 sustained
    8 fewer_cells
    9 against
    10 interrupted
    11 wrong_output
    12 killed_with_threads
    13 killed_at_once
    14 masked
}

/// Every scenario that comes with Ciphermeter, measured once: `goldens/README.md` says how.
const SCENARIOS: [(&[u8], usize); 2] =
    [(include_bytes!("goldens/scenarios.db"), 12), (include_bytes!("goldens/parallel.db"), 1)];

#[test]
fn each_scenario_keeps_to_one_screen_and_answers_or_says_that_it_cannot() {
    let mut screens = String::new();
    for (store, number) in SCENARIOS {
        let folder = TestFolder::new();
        folder.write("runs.db", store);
        let runs = Store::open_read_only(&folder.path("runs.db")).expect("the store").list().expect("runs");
        for run in &runs {
            let said = folder.run(&["show", &run.id.to_string()]);
            assert_eq!(said.code, Some(0), "{said:?}");
            assert!(said.out.lines().count() <= 24, "{}", said.out);
            assert!(said.out.lines().all(|line| line.width() <= 80), "{}", said.out);
            let answers = ["Use ", "is faster", "fastest", "equal", "No answer yet", "No lasting drop", "falls"];
            assert!(answers.iter().any(|answer| said.out.contains(answer)), "{}", said.out);
            let _ = writeln!(screens, "{}", rounded(&said.out));
        }
        assert_eq!(runs.len(), number);
    }
    assert_snapshot!("scenarios", screens);
}

/// All rows of the long message, with OpenMP and a processor that plays the card.
#[test]
fn table_of_split_messages_reads_as_before() {
    let folder = TestFolder::new();
    folder.write("runs.db", SCENARIOS[1].0);
    assert_snapshot!("parallel", text(&folder.run(&["show", "1", "--all"])));
    assert_snapshot!("parallel-csv", text(&folder.run(&["export", "1", "--format", "csv"])));
}

/// The stored runs are of older methods: their samples are summed up by today's, and what that changes lies within the intervals.
#[test]
fn samples_of_older_runs_give_todays_summaries() {
    let folder = TestFolder::with_runs();
    let store = Store::open_read_only(&folder.path("runs.db")).expect("the store");
    let mut compared = 0;
    // A killed run has samples that came after its last summary.
    for stored in store.list().expect("runs").iter().filter(|run| run.status != RunStatus::Open) {
        let (run, records) = store.load(stored.id).expect("a run");
        let mut again = records.clone();
        fill(&run.scenario, run.against.is_some(), &run.plan, &mut again);
        for (again, record) in again.iter().zip(&records) {
            let (Some(now), Some(then)) = (&again.summary, &record.summary) else { continue };
            // What was read from the store may differ in the last digit of a number.
            let [shown, before] = [now, then].map(|summary| {
                let Summary { reference, range, .. } = summary;
                rounded(&format!("{reference:?} {} {}", range.low, range.high))
            });
            // Of a core that was hardly ever undisturbed less counts than did.
            assert!(now.undisturbed_limit <= then.undisturbed_limit, "run {}, {:?}", run.id, record.cell);
            if now.undisturbed_limit == then.undisturbed_limit {
                assert_eq!(shown, before, "run {}, {:?}", run.id, record.cell);
            }
            if let (Some(now), Some(then)) = (now.ratio, then.ratio) {
                let overlap = now.low <= then.high && then.low <= now.high;
                assert!(overlap, "run {}, {:?}: {now:?} and {then:?}", run.id, record.cell);
                compared += 1;
            }
        }
    }
    assert!(compared > 100, "{compared}");
}

/// Of the document, only the answer may differ: the plan is not in it, nor what resumes the run.
#[test]
fn exports_of_all_stored_runs_come_back() {
    let folder = TestFolder::new();
    for (name, store) in [("runs", STORE), ("scenarios", SCENARIOS[0].0), ("parallel", SCENARIOS[1].0)] {
        folder.write("runs.db", store);
        let store = Store::open_read_only(&folder.path("runs.db")).expect("the store");
        let listed = store.list().expect("runs");
        assert!(!listed.is_empty());
        for run in listed {
            let (run, records) = store.load(run.id).expect("a run");
            let first = exported(&run, &records);
            let (imported, back) = import(&first).unwrap_or_else(|error| panic!("{name} {}: {error}", run.id));
            let [first, second] = [first, exported(&imported, &back)].map(without_answer);
            assert!(first == second, "{name} {}", run.id);
        }
    }
}

/// An export has no plan, and need not be believed.
#[test]
fn samples_of_an_export_give_the_summaries_of_its_run() {
    let folder = TestFolder::new();
    for store in [STORE, SCENARIOS[0].0, SCENARIOS[1].0] {
        folder.write("runs.db", store);
        let store = Store::open_read_only(&folder.path("runs.db")).expect("the store");
        for listed in store.list().expect("runs") {
            let (run, mut records) = store.load(listed.id).expect("a run");
            fill(&run.scenario, run.against.is_some(), &run.plan, &mut records);
            let (imported, mut back) = import(&exported(&run, &records)).expect("a run");
            for record in &mut back {
                if let Some(summary) = &mut record.summary {
                    (summary.ratio, summary.range.mid, summary.forks) = (None, 1e9, 7);
                }
            }
            anew(&imported.scenario, imported.against.is_some(), &imported.plan, &mut back);
            for (record, back) in records.iter().zip(&back) {
                let [own, again] = [record, back].map(|record| rounded(&format!("{:?}", record.summary)));
                assert_eq!(again, own, "run {}, {}", run.id, record.cell);
            }
        }
    }
}

fn exported(run: &Run, records: &[Record]) -> Vec<u8> {
    let mut out = Vec::new();
    write_json(&mut out, run, records).expect("a document");
    out
}

fn without_answer(document: Vec<u8>) -> Value {
    let mut document: Value = serde_json::from_slice(&document).expect("JSON");
    document.as_object_mut().expect("a run").remove("answer").expect("an answer");
    document
}

#[test]
fn several_runs_read_as_before() {
    let folder = TestFolder::with_runs();
    assert_snapshot!("list", text(&folder.run(&["list"])));
    assert_snapshot!("compare", text(&folder.run(&["compare", "1", "8"])));
    assert_snapshot!("compare-unlike", text(&folder.run(&["compare", "1", "3"])));
    assert_snapshot!("compare-masked", text(&folder.run(&["compare", "1", "14"])));
    assert_snapshot!("rank-several", text(&folder.run(&["rank", "1", "2", "8"])));
}
