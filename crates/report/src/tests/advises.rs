//! What to use: the records decide, with their weights and intervals, and nothing else does.

mod entries;
mod mixes;
mod programs;
mod verdicts;

use ciphermeter_core::{Algorithm, Fact, Metric, Operation, Record, Run, Scenario, SizeCounts};
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use super::schema::fits;
use super::screened;
use crate::{
    ADVICE_SCHEMA, Advice, Evidence, PROGRAMS, Program, Question, Screen, TableOptions, advice_json, advice_screen,
    advise, whole_schema,
};
use ciphermeter_answer::fixtures::{self, Made, cell};

const AES: Algorithm = Algorithm::Aes256Gcm;
const CHACHA20: Algorithm = Algorithm::ChaCha20Poly1305;

/// Both operations at one size.
fn both(provider: &'static str, algorithm: Algorithm, message: u64, ns: f64) -> [Made; 2] {
    let operations = match algorithm.is_of_sectors() {
        true => [Operation::Encrypt, Operation::Decrypt],
        false => [Operation::Seal, Operation::Open],
    };
    operations.map(|operation| cell(provider, algorithm, operation, message, ns))
}

/// Cells of (provider, algorithm, message, nanoseconds), in so many forks.
fn records(cells: &[(&'static str, Algorithm, u64, f64)], forks: u32) -> Vec<Record> {
    let made: Vec<Made> =
        cells.iter().flat_map(|(provider, algorithm, message, ns)| both(provider, *algorithm, *message, *ns)).collect();
    fixtures::records(&made, forks)
}

/// AES and ChaCha20 of one library, the two times at each of these sizes.
fn pair(times: &[(u64, f64, f64)]) -> Vec<Record> {
    let cells: Vec<_> = times
        .iter()
        .flat_map(|(message, aes, chacha20)| {
            [("openssl", AES, *message, *aes), ("openssl", CHACHA20, *message, *chacha20)]
        })
        .collect();
    records(&cells, 8)
}

/// Another time of a cipher in every other fork: by so large a factor, up and down.
fn waver(records: &mut [Record], algorithm: Algorithm, factor: f64) {
    for fork in
        records.iter_mut().filter(|record| record.cell.algorithm == algorithm).flat_map(|record| &mut record.forks)
    {
        let factor = if fork.number % 2 == 0 { factor } else { 1.0 / factor };
        for (_, count) in fork.samples.iter_mut().flat_map(|sample| &mut sample.counts) {
            *count = (*count as f64 * factor) as u64;
        }
    }
}

fn question<'a>(
    workload: Option<&'a str>,
    mix: Option<&'a SizeCounts>,
    program: Option<&'static Program>,
) -> Question<'a> {
    let (measure, again_without_aes) = ("ciphermeter run tls", "ciphermeter advise tls --cpu no-aes");
    let again = "ciphermeter advise tls";
    Question { workload, mix, program, scenario: None, measure, again, again_without_aes, mask: None }
}

/// The screen as one line, and the JSON document, which fits its schema.
fn told(advice: &Advice) -> (String, Value) {
    let Screen { text, is_answered } = advice_screen(advice, true, TableOptions::default());
    assert_eq!(is_answered, advice.is_answered());
    let document: Value = serde_json::from_str(&advice_json(advice)).unwrap();
    fits(&whole_schema(ADVICE_SCHEMA), &document).unwrap();
    let why = document["answer"]["about"]["undecided"].as_array().unwrap();
    assert_eq!((document["answer"]["answered"] == true, why.is_empty()), (is_answered, is_answered), "{document}");
    (text.split_whitespace().collect::<Vec<_>>().join(" "), document)
}

#[track_caller]
pub(super) fn advised(records: &[Record], mix: Option<&str>, program: Option<&str>) -> (String, Value) {
    let run = fixtures::head();
    let mix = mix.map(|mix| mix.parse::<SizeCounts>().unwrap());
    let program = program.map(|name| crate::program(name).unwrap());
    let evidence = Evidence::of(&run, records);
    told(&advise(question(Some("messages").filter(|_| mix.is_none()), mix.as_ref(), program), evidence))
}

/// A scenario of these sizes and aads, sealing and opening with AES and ChaCha20.
fn scenario(messages: &[u64], aad: u64) -> Scenario {
    let messages: Vec<String> = messages.iter().map(|size| format!("\"{size}\"")).collect();
    let text = format!(
        "name = \"messages\"\ntitle = \"t\"\nbudget = \"60s\"\nprecision = \"2%\"\n[[cells]]\n\
         algorithms = [\"aes-256-gcm\", \"chacha20-poly1305\"]\noperations = [\"seal\", \"open\"]\n\
         messages = [{}]\naad = [\"{aad}\"]\n",
        messages.join(", ")
    );
    Scenario::parse(&text).unwrap()
}

fn asked(records: &[Record], scenario: &Scenario, mix: Option<&str>) -> (String, Value) {
    let run = fixtures::head();
    let mix = mix.map(|mix| mix.parse::<SizeCounts>().unwrap());
    let question = Question { scenario: Some(scenario), ..question(None, mix.as_ref(), None) };
    told(&advise(question, Evidence::of(&run, records)))
}

/// A run whose scenario is that one, with records for all libraries that a test has.
fn measured(scenario: Scenario) -> (Run, Vec<Record>) {
    let mut records = screened::records(&scenario, 6);
    // Half of a transfer's CPU time is the other end's.
    for sample in records.iter_mut().flat_map(|record| &mut record.forks).flat_map(|fork| &mut fork.samples) {
        let cpu = sample.count(Metric::CPU_NS).unwrap_or(0);
        sample.counts.push((Metric::PEER_CPU_NS, cpu));
    }
    (Run { scenario, ..fixtures::head() }, records)
}

#[test]
fn each_workload_is_answered() {
    let mut screens = String::new();
    for name in ["tls", "packet", "iot", "disk", "transfer", "bulk", "messages"] {
        let scenario = screened::scenarios().into_iter().find(|scenario| scenario.name == name).unwrap();
        let (run, records) = measured(scenario);
        let evidence = Evidence::of(&run, &records);
        let question = Question { scenario: Some(&run.scenario), ..question(Some(name), None, None) };
        let advice = advise(question, evidence);
        let best = if name == "disk" { "Use AES-256-XTS" } else { "Use AES-256-GCM" };
        assert!(told(&advice).0.contains(best), "{}", told(&advice).0);
        screens += &format!("{}\n", advice_screen(&advice, true, TableOptions::default()).text);
    }
    insta::assert_snapshot!(screens);
}

#[test]
fn each_program_has_one_screen_for_either_answer() {
    let mut screens = String::new();
    let host = vec![Fact::present("cpu", "Example EPYC 9"), Fact::present("features", "aes vaes")];
    let run = Run { id: 12, store: Some("a/longer/name/of/runs.db".into()), host, ..fixtures::head() };
    let changed =
        ["kernel Linux 6.1.0-28-amd64 ≠ Linux 6.1.0-31-amd64".to_owned(), "governor powersave ≠ performance".into()];
    for program in PROGRAMS.iter() {
        let asked = question(None, None, Some(program));
        if let Some(advice) = Advice::without_measuring(asked, None) {
            assert!(advice.is_answered());
            told(&advice);
            screens += &one_screen(&advice);
            continue;
        }
        let [first, second] = match &program.algorithms[..] {
            [first, second] => [*first, *second],
            _ => [AES, CHACHA20],
        };
        let [small, large] = if first.is_of_sectors() { [512, 4096] } else { [64, 16_385] };
        for times in [[100.0, 300.0], [300.0, 100.0]] {
            let of = |provider: &'static str, n: u64, at: f64| {
                let rate = n as f64 / small as f64;
                [
                    (provider, first, n, times[0] * at * rate),
                    (provider, second, n, times[1] * at * rate),
                    (provider, Algorithm::Aes128Gcm, n, 90.0 * at * rate),
                ]
            };
            let own = || program.providers.iter().map(String::as_str).collect();
            let providers: Vec<&'static str> = if program.providers.is_empty() { vec!["openssl", "go"] } else { own() };
            let cells: Vec<_> = providers
                .iter()
                .zip([1.0, 1.2])
                .flat_map(|(name, at)| [of(name, small, at), of(name, large, at)].concat())
                .collect();
            let records = records(&cells, 8);
            let masked = Evidence::of(&run, &records);
            let evidence = Evidence { changed: &changed, without_aes: Some(&masked), ..masked };
            let advice = advise(asked, evidence);
            told(&advice);
            screens += &one_screen(&advice);
        }
    }
    insta::assert_snapshot!(screens);
}

/// 24 lines of 80 columns, but for lines that are copied whole; and all notes where the whole answer is asked for.
#[track_caller]
fn one_screen(advice: &Advice) -> String {
    let text = advice_screen(advice, false, TableOptions::default()).text;
    assert!(text.lines().map(|line| line.width().div_ceil(80).max(1)).sum::<usize>() <= 24, "{text}");
    let copied = ["--tls-cipher-list=", "ssl-default-bind", "ssl_tls13_ciphers", "https://"];
    let is_copied = |line: &str| copied.iter().any(|word| line.contains(word));
    assert!(text.lines().all(|line| line.width() <= 80 || is_copied(line)), "{text}");
    let (said, document) = told(advice);
    let setting = &document["setting"];
    for command in [setting["check"].as_str(), setting["links"].as_str()].into_iter().flatten() {
        assert!(text.lines().any(|line| line.contains(command)), "`{command}` is broken: {text}");
    }
    for note in document["notes"].as_array().unwrap() {
        assert!(said.contains(note["text"].as_str().unwrap()), "{note} is not in {said}");
    }
    format!("{text}\n")
}
