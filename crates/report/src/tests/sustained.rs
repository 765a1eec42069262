//! Loads for minutes: what a phone, a quiet machine and one that is stolen from come to, on a page and in the exports.

use ciphermeter_core::{
    Algorithm, Cell, CellId, Fact, Fork, Form, Metric, Operation, Outcome, Parameters, Record, Run, Sample, Scenario,
};
use serde_json::Value;

use super::schema::check;
use crate::{TableOptions, answer, notes, table, write_csv, write_json};
use ciphermeter_answer::fixtures;

/// A second of a course.
#[derive(Clone, Copy)]
pub(crate) struct Second {
    /// 10⁶ bytes.
    pub(crate) rate: u64,
    pub(crate) megahertz: Option<u64>,
    pub(crate) degrees: Option<u64>,
    /// Of 2 CPUs, in percent of one.
    pub(crate) own: u64,
    pub(crate) steal: u64,
    pub(crate) others: u64,
    /// Of the CPU.
    pub(crate) watts: Option<u64>,
}

pub(crate) const CALM: Second =
    Second { rate: 1520, megahertz: None, degrees: None, own: 180, steal: 1, others: 3, watts: None };

pub(crate) fn run(facts: &[Fact]) -> Run {
    let scenario = "name = 'sustained'\nkind = 'sustained'\ntitle = 't'\nbudget = '5min'\nprecision = '5%'\n[[cells]]\n\
                    algorithms = ['aes-256-gcm']\noperations = ['transfer']\nmessages = ['500MiB']\nforms = ['discard']\n";
    let host = [Fact::present("cpu", "Example EPYC 9")].into_iter().chain(facts.iter().cloned()).collect();
    Run { scenario: Scenario::parse(scenario).unwrap(), host, ..fixtures::head() }
}

fn untold() -> Run {
    run(&[Fact::absent("frequency", "there is no cpufreq"), Fact::absent("temperature", "no sensor is the CPU's")])
}

/// A course that wavers by a hundredth or two.
pub(crate) fn record(seconds: u32, at: impl Fn(u32) -> Second) -> Record {
    let sample = |k: u32| {
        let second = at(k);
        let waver = 1_000_000 + u64::from(k * 7919 % 31) * 600;
        let (ns, percent) = (1_000_000_000 + u64::from(k % 3) * 40_000, 10_000_000);
        let told = [
            (Metric::FREQUENCY, second.megahertz.map(|mhz| mhz * 1000)),
            (Metric::TEMPERATURE, second.degrees.map(|c| c * 1000)),
            (Metric::ENERGY_CPU, second.watts.map(|watts| watts * 1_000_000)),
        ];
        let counts = [
            (Metric::NS, ns),
            (Metric::BYTES, second.rate * waver),
            (Metric::CPU_NS, second.own * percent * 6 / 10),
            (Metric::PEER_CPU_NS, second.own * percent * 4 / 10),
            (Metric::RSS, 21_000_000),
            (Metric::PEER_RSS, 14_500_000),
            (Metric::STEAL, second.steal * percent),
            (Metric::OTHERS, second.others * percent),
        ];
        let counts =
            counts.into_iter().chain(told.into_iter().filter_map(|(metric, count)| Some((metric, count?)))).collect();
        Sample { cell: CellId(0), after: None, turn: 0, iterations: 1, counts, series: Vec::new() }
    };
    let fork =
        Fork { number: 0, short: false, rounds: (0..seconds).collect(), samples: (0..seconds).map(sample).collect() };
    Record {
        id: CellId(0),
        cell: Cell {
            provider: "ciphermeter".into(),
            algorithm: Algorithm::Aes256Gcm,
            operation: Operation::Transfer,
            form: Form::Discard,
            parameters: Parameters::transfer_cell(500 << 20, 2),
        },
        provenance: None,
        outcome: Outcome::Measured,
        forks: vec![fork],
        summary: None,
        latency: Vec::new(),
        memory: Vec::new(),
    }
}

/// The study's phone: 178 MB/s, from the sixth second on 33, as it grows hot.
pub(super) fn phone() -> (Run, Record) {
    let run = run(&[Fact::present("frequency", "0.30 to 2.00 GHz"), Fact::present("temperature", "41 °C (cpu-0-0)")]);
    let record = record(30, |k| {
        let (rate, megahertz) = if k < 6 { (178, 2000) } else { (33, 710) };
        let degrees = Some((41 + 8 * u64::from(k)).min(88));
        Second { rate, megahertz: Some(megahertz), degrees, own: 190, steal: 0, others: 5, watts: None }
    });
    (run, record)
}

fn said(run: &Run, record: &Record) -> String {
    let text = table(run, std::slice::from_ref(record), TableOptions::default());
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(!text.lines().any(|line| line.ends_with(' ')), "{text}");
    text
}

/// What it comes to.
fn words(run: &Run, record: &Record) -> String {
    answer(run, std::slice::from_ref(record)).sentences.join(" ")
}

#[test]
fn a_phone_that_grows_hot() {
    let (run, record) = phone();
    insta::assert_snapshot!("sustained_phone", said(&run, &record));
    let narrow = table(&run, &[record], TableOptions { width: 50, color: false });
    assert!(narrow.lines().all(|line| line.chars().count() <= 50), "{narrow}");
}

#[test]
fn a_quiet_machine() {
    insta::assert_snapshot!("sustained_steady", said(&untold(), &record(300, |_| CALM)));
}

#[test]
fn power_and_energy_stand_with_and_without_what_the_idle_machine_draws() {
    let drawn = record(60, |_| Second { watts: Some(10), ..CALM });
    let text = words(&untold(), &drawn);
    assert!(text.contains("of the CPU time in any second). The CPU drew 10.00 W, 6.52 J/GB."), "{text}");
    let text = said(&untold(), &drawn);
    assert!(
        text.contains("power of the CPU, W\n") && text.contains("power of the CPU, W                 10.00"),
        "{text}"
    );
    let run = run(&[Fact::present("idle power of the CPU", "2.000 W ± 0.010 (powercap: package-0)")]);
    let text = words(&run, &drawn);
    assert!(text.contains("6.52 J/GB; above the 2.00 W of the idle CPU, 5.22 J/GB."), "{text}");
    let mut csv = Vec::new();
    write_csv(&mut csv, &run, &[drawn]).unwrap();
    let csv = String::from_utf8(csv).unwrap();
    let place = csv.lines().next().unwrap().split(',').position(|name| name == "power_W").unwrap();
    assert_eq!(csv.lines().nth(1).unwrap().split(',').nth(place), Some("10.000"));
    assert!(!said(&run, &record(60, |_| CALM)).contains("power"), "nothing is estimated");
}

#[test]
fn energy_is_that_of_the_steps_in_which_it_was_counted() {
    let drawn = record(60, |k| Second { watts: Some(10).filter(|_| k % 10 > 0), ..CALM });
    let text = words(&untold(), &drawn);
    assert!(text.contains("The CPU drew 10.00 W in the 54 of 60 steps in which that is known, 6.52 J/GB."), "{text}");
}

#[test]
fn a_neighbour_who_steals() {
    let stolen = |k| if k < 180 { CALM } else { Second { rate: 890, own: 105, steal: 80, others: 3, ..CALM } };
    insta::assert_snapshot!("sustained_stolen", said(&untold(), &record(300, stolen)));
}

#[test]
fn only_what_was_seen_is_claimed() {
    let taken = |k| if k < 60 { CALM } else { Second { rate: 800, own: 95, others: 100, ..CALM } };
    let text = words(&untold(), &record(120, taken));
    assert!(
        text.starts_with("Throughput fell for good 60 s after") && text.contains("they are the cause, not heat"),
        "{text}"
    );
    let slower = |k| if k < 60 { CALM } else { Second { rate: 1100, ..CALM } };
    let text = words(&untold(), &record(120, slower));
    assert!(
        text.contains("The cause is unknown: the hypervisor took")
            && text.contains("frequency isn't known here (there is no"),
        "{text}"
    );
    let stays = |k| Second { megahertz: Some(3000), ..slower(k) };
    let text = words(&run(&[]), &record(120, stays));
    assert!(text.contains("The frequency stayed at 3.00 GHz") && text.contains("The cause is unknown"), "{text}");
    let warm = |k: u32| Second { degrees: Some(40 + u64::from(k.min(50))), ..slower(k) };
    let text = words(&run(&[]), &record(120, warm));
    assert!(text.starts_with("Throttling began 60 s") && text.contains("reached 90 °C, 40 °C at the start"), "{text}");
    let both = |k| match k {
        0..60 => Second { megahertz: Some(3000), ..CALM },
        _ => Second { rate: 800, own: 105, steal: 80, megahertz: Some(2700), ..CALM },
    };
    let text = words(&run(&[]), &record(120, both));
    assert!(text.contains("it was the neighbour") && text.contains("which alone would make a smaller drop"), "{text}");
    assert!(text.starts_with("Throughput fell"), "{text}");
}

#[test]
fn in_several_steps() {
    let steps = |k| Second { rate: [1500, 1200, 900][(k / 100) as usize], ..CALM };
    let text = words(&untold(), &record(300, steps));
    assert!(
        text.contains("100 s after the start: from 15") && text.contains("It fell further at 200 s, to 9"),
        "{text}"
    );
}

#[test]
fn too_short_and_nothing() {
    let text = words(&untold(), &record(7, |_| CALM));
    assert!(text.starts_with("Too short to distinguish a fall from noise: 7 of at least 10 seconds"), "{text}");
    let nothing = Record { forks: Vec::new(), ..record(1, |_| CALM) };
    assert!(words(&untold(), &nothing).contains("Too short"));
    let still = record(20, |_| Second { rate: 0, ..CALM });
    assert!(words(&untold(), &still).contains("No lasting drop"));
}

#[test]
fn exports_have_the_course() {
    let (run, record) = phone();
    let mut out = Vec::new();
    write_json(&mut out, &run, std::slice::from_ref(&record)).unwrap();
    let document: Value = serde_json::from_slice(&out).unwrap();
    check(&document).unwrap();
    let told = &document["records"][0]["course"];
    assert!((told["falls_s"][0].as_f64().unwrap() - 6.0).abs() < 0.1, "{told}");
    assert!(told["statement"].as_str().unwrap().starts_with("Throttling began 6 s"), "{told}");
    assert_eq!(document["records"][0]["samples"][0]["temperature_mc"][0], 41_000);
    let mut out = Vec::new();
    write_csv(&mut out, &run, std::slice::from_ref(&record)).unwrap();
    let csv = String::from_utf8(out).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 1 + 30);
    assert_eq!(lines[1], "1.000,1.000,178.000,2000,41.0,1.1400,0.7600,0.0000,0.0500,21.000,14.500,0,");
    assert!(lines[7].ends_with(",1,") && lines[6].ends_with(",0,"), "{csv}");
    let records = [record];
    assert!(notes(&run, &records, true).is_empty());
}
