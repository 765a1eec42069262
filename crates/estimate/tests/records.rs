//! From made-up records to summaries: no process, no clock.

use ciphermeter_core::{
    Algorithm, Cell, CellId, Fork, Form, METHOD, Metric, Operation, Outcome, Parameters, PartPlan, Peers, Record,
    RunPlan, Sample, Scenario, Summary,
};
use ciphermeter_estimate::{Counted, Ratio, between, counted, fill, fork_counts, fork_times, logs, most, ratio_at};

const ROUNDS: u32 = 25;

/// One sample of a cell: nanoseconds a call, and what the contention probe said.
type Moment = (f64, Option<u64>);

/// A machine whose speed drifts by a third within each fork.
fn drift(round: u32) -> f64 {
    1.0 + f64::from(round) / f64::from(ROUNDS) / 3.0
}

/// Noise of up to a percent, the same each time (the finalizer of SplitMix64).
fn noise(cell: u32, fork: u32, round: u32) -> f64 {
    let mut mixed =
        (u64::from(cell) << 32 | u64::from(fork) << 16 | u64::from(round)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    1.0 + ((mixed >> 40) as f64 / f64::from(1 << 24) - 0.5) / 50.0
}

fn record(id: u32, operation: Operation, forks: u32, moment: impl Fn(u32, u32) -> Moment) -> Record {
    let sample = |fork: u32, round: u32| {
        let (each, probe) = moment(fork, round);
        let ns = (each * drift(round) * noise(id, fork, round) * 1000.0) as u64;
        let counts = [(Metric::NS, ns)].into_iter().chain(probe.map(|reading| (Metric::PROBE, reading)));
        Sample {
            cell: CellId(id),
            after: None,
            turn: id,
            iterations: 1000,
            counts: counts.collect(),
            series: Vec::new(),
        }
    };
    let fork = |number: u32| Fork {
        number,
        short: false,
        rounds: (0..ROUNDS).collect(),
        samples: (0..ROUNDS).map(|round| sample(number, round)).collect(),
    };
    Record {
        id: CellId(id),
        cell: Cell {
            provider: format!("provider-{id}"),
            algorithm: Algorithm::Aes256Gcm,
            operation,
            form: Form::InPlace,
            parameters: Parameters::message_cell(1024, 0, 1),
        },
        provenance: None,
        outcome: Outcome::Measured,
        forks: (0..forks).map(fork).collect(),
        summary: None,
        latency: Vec::new(),
        memory: Vec::new(),
    }
}

fn scenario(precision: &str) -> Scenario {
    let text = format!(
        "name = 't'\ntitle = 't'\nbudget = '1s'\nprecision = '{precision}'\n[[cells]]\nalgorithms = ['aes-256-gcm']\n\
         operations = ['seal', 'open']\nmessages = ['1KiB']\n"
    );
    Scenario::parse(&text).unwrap()
}

/// The plan of a run whose cells are all in one group, with cell 0 as their reference.
fn plan(cells: u32) -> RunPlan {
    let group = Peers { cells: (0..cells).map(CellId).collect(), reference: CellId(0) };
    RunPlan { parts: vec![PartPlan { groups: vec![group], ..PartPlan::default() }], ..RunPlan::default() }
}

fn summed_up(precision: &str, plan: &RunPlan, mut records: Vec<Record>) -> Vec<Record> {
    fill(&scenario(precision), false, plan, &mut records);
    records
}

fn summary(record: &Record) -> &Summary {
    record.summary.as_ref().unwrap()
}

fn steady(id: u32, each: f64) -> Record {
    record(id, Operation::Seal, 8, |_, _| (each, None))
}

#[test]
fn drift_cancels_in_the_ratio_and_shows_in_the_range() {
    let records = summed_up("1%", &plan(2), vec![steady(0, 100.0), steady(1, 130.0)]);
    let (ratio, range) = (summary(&records[1]).ratio.unwrap(), summary(&records[1]).range);
    assert!((ratio.mid - 1.3).abs() < 0.005 && ratio.low < 1.3 && ratio.high > 1.3, "{ratio:?}");
    assert!(range.high / range.low > 1.25, "{range:?}");
    assert!(summary(&records[1]).converged && summary(&records[1]).warnings.is_empty());
}

#[test]
fn samples_without_a_time_leave_the_times_as_they_are() {
    let alone = summed_up("1%", &plan(2), vec![steady(0, 100.0), steady(1, 130.0)]);
    let mut records = vec![steady(0, 100.0), steady(1, 130.0)];
    for record in &mut records {
        // A fork of another kind, which counts something else of the same cell.
        let mut other = record.forks[0].clone();
        other.number = 8;
        other.samples.iter_mut().for_each(|sample| sample.counts = vec![(Metric::BYTES, 7)]);
        record.forks.push(other);
    }
    let records = summed_up("1%", &plan(2), records);
    assert_eq!(summary(&records[1]), summary(&alone[1]));
    assert_eq!(fork_times(&records[1]).len(), 8);
}

#[test]
fn a_fork_with_too_few_undisturbed_samples_has_no_time() {
    let probe = |fork, round| if fork == 3 && round > 1 { 320_000 } else { 200_000 };
    let mut disturbed = record(1, Operation::Seal, 8, |fork, round| (100.0, Some(probe(fork, round))));
    disturbed.forks[5].short = true;
    let records = summed_up("1%", &plan(2), vec![steady(0, 100.0), disturbed]);
    let times = fork_times(&records[1]);
    assert_eq!(times.len(), 6, "neither the disturbed nor the short one");
    assert!(times.iter().all(|time| time.iterations == 25_000 && (90.0..140.0).contains(&time.ns)), "{times:?}");
}

#[test]
fn disturbed_samples_are_excluded_from_ratios() {
    // Half of the rounds are shared: one cell then takes half as long again, the other hardly longer.
    let shared = |each: f64, slower: f64| {
        move |_, round| match round % 2 {
            0 => (each, Some(200_000)),
            _ => (each * slower, Some(320_000)),
        }
    };
    let busy = record(0, Operation::Seal, 8, shared(100.0, 1.5));
    let idle = record(1, Operation::Seal, 8, shared(130.0, 1.05));
    let records = summed_up("1%", &plan(2), vec![busy, idle]);
    let ratio = summary(&records[1]).ratio.unwrap();
    assert!((ratio.mid - 1.3).abs() < 0.005, "{ratio:?}");
    let limit = summary(&records[1]).undisturbed_limit;
    assert!(limit > Some(200_000) && limit < Some(320_000), "{limit:?}");
}

#[test]
fn a_fork_with_too_few_undisturbed_pairs_does_not_count() {
    // In the last fork only two rounds are undisturbed, and the ratio is another one there.
    let odd = |each: f64, last: f64| {
        move |fork, round| match (fork, round) {
            (7, 0 | 1) => (last, Some(200_000)),
            (7, _) => (last, Some(320_000)),
            _ => (each, Some(200_000)),
        }
    };
    let records =
        vec![record(0, Operation::Seal, 8, odd(100.0, 100.0)), record(1, Operation::Seal, 8, odd(130.0, 500.0))];
    let records = summed_up("1%", &plan(2), records);
    assert_eq!(summary(&records[1]).forks, 7);
    assert!((summary(&records[1]).ratio.unwrap().mid - 1.3).abs() < 0.005);
}

#[test]
fn a_single_undisturbed_pair_counts_where_no_fork_has_many() {
    let busy = |each: f64| move |_, round| (each, Some(if round == 0 { 200_000 } else { 320_000 }));
    let records = vec![record(0, Operation::Seal, 8, busy(100.0)), record(1, Operation::Seal, 8, busy(130.0))];
    let records = summed_up("1%", &plan(2), records);
    assert_eq!(summary(&records[1]).forks, 8);
    assert!((summary(&records[1]).ratio.unwrap().mid - 1.3).abs() < 0.005);
    assert_eq!(fork_times(&records[1]).len(), 8);
}

#[test]
fn age_of_a_process_and_faults_of_pages_are_reasons() {
    let mut records = vec![
        steady(0, 100.0),
        record(1, Operation::Seal, 24, |fork, _| (if fork % 2 == 0 { 150.0 } else { 120.0 }, None)),
    ];
    records[0] = record(0, Operation::Seal, 24, |_, _| (100.0, None));
    records.iter_mut().for_each(|record| record.cell.form = Form::Fresh);
    let warnings = |records: &[Record], message| {
        let mut records = records.to_vec();
        records.iter_mut().for_each(|record| record.cell.parameters = Parameters::message_cell(message, 0, 1));
        summary(&summed_up("1%", &plan(2), records)[1]).warnings.join("; ")
    };
    let said = warnings(&records, 1 << 20);
    assert!(said.contains("slower in a process that has just started"), "{said}");
    assert!(!said.contains("two levels"), "what has a reason is said once: {said}");
    assert!(!warnings(&records, 1024).contains("just started"), "small outputs do not depend on it");
    for fork in &mut records[1].forks {
        let faults = if fork.number % 2 == 0 { 256_000 } else { 0 };
        fork.samples.iter_mut().for_each(|sample| sample.counts.push((Metric::FAULTS, faults)));
    }
    let said = warnings(&records, 1024);
    assert!(said.contains("whose calls fault in 256 pages each"), "{said}");
}

/// Forks that follow each other are alike, so the intervals rest on fewer degrees of freedom than forks.
#[test]
fn interval_of_another_confidence_is_that_which_is_drawn_anew() {
    let state = |fork: u32| 1.0 + 0.05 * (f64::from(fork) / 3.0).sin();
    let slower = |id: u32| move |fork: u32, _| (100.0 * if id == 0 { 1.0 } else { state(fork) }, None);
    let made = (0..8).map(|id| record(id, Operation::Seal, 24, slower(id))).collect();
    let records = summed_up("1%", &plan(8), made);
    let (cell, reference) = (&records[1], &records[0]);
    assert!(cell.correlation() > 0.5, "{}", cell.correlation());
    for confidence in [0.9, 0.95, 0.999] {
        let anew = Ratio::from_logs(&logs(cell, reference), confidence).unwrap().range().unwrap();
        let summed_up = ratio_at(cell, reference, confidence).unwrap().range().unwrap();
        assert!((anew.0 - summed_up.0).abs() < 1e-6 && (anew.1 - summed_up.1).abs() < 1e-6, "{anew:?} {summed_up:?}");
    }
}

#[test]
fn two_levels_are_reported() {
    let bimodal = record(1, Operation::Seal, 8, |fork, round| {
        let upper = (fork * 31 + round * 17) % 10 < 4;
        (if upper { 137.8 } else { 130.0 }, None)
    });
    let records = summed_up("1%", &plan(2), vec![steady(0, 100.0), bimodal]);
    let warnings = summary(&records[1]).warnings.join("; ");
    assert!(warnings.contains("two levels 6.") || warnings.contains("two levels 5."), "{warnings}");
    assert!(summary(&records[0]).warnings.is_empty());
}

/// Three libraries, each with AES and ChaCha20 in a process of its own, over so many forks; what `slower` says moves a cell's whole fork.
fn libraries(forks: u32, slower: impl Fn(&str, Algorithm, u32) -> f64) -> Vec<Record> {
    let cell = |id: u32| {
        let (provider, algorithm) =
            (format!("library-{}", id / 2), [Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305][id as usize % 2]);
        let each = |fork, _| (100.0 * slower(&provider, algorithm, fork), None);
        let record = record(id, Operation::Seal, forks, each);
        Record { cell: Cell { provider: provider.clone(), algorithm, ..record.cell.clone() }, ..record }
    };
    (0..6).map(cell).collect()
}

fn by_process(records: &[Record]) -> Vec<String> {
    let said =
        |record: &Record| summary(record).warnings.iter().find(|warning| warning.contains("by process")).cloned();
    records.iter().filter_map(said).collect()
}

/// Which forks are slower: about three in ten.
fn is_hit(fork: u32) -> bool {
    fork * 7 % 10 < 3
}

#[test]
fn forks_that_a_neighbour_hits_do_not_move_what_is_typical() {
    for forks in [10, 15, 16, 20, 30, 50] {
        let slower = |_: &str, algorithm, fork| {
            if algorithm == Algorithm::Aes256Gcm && is_hit(fork) { 1.26 } else { 1.0 }
        };
        let records = summed_up("2%", &plan(6), libraries(forks, slower));
        for library in records.chunks(2) {
            let ratio = between(&library[0], &library[1]).unwrap();
            assert!((ratio.mid - 1.0).abs() < 0.005, "{forks} forks: AES takes {ratio:?} times as long");
        }
        let said = by_process(&records);
        let is_machine = |said: &String| said.ends_with("the machine differed");
        assert!(said.iter().all(is_machine) && said.is_empty() == (forks < 20), "{forks}: {said:?}");
    }
}

#[test]
fn level_of_one_library_is_its_own() {
    let slower = |provider: &str, _, fork| if provider == "library-1" && is_hit(fork) { 1.12 } else { 1.0 };
    let records = summed_up("2%", &plan(6), libraries(30, slower));
    let said = by_process(&records[2..4]);
    let is_own = |said: &String| said.ends_with(" % apart by process: 9 of 30 are slower");
    assert!(said.len() == 2 && said.iter().all(is_own), "{said:?}");
}

#[test]
fn nobody_knows_which_of_two_libraries_has_a_level() {
    let slower = |provider: &str, _, fork| if provider == "library-1" && is_hit(fork) { 1.12 } else { 1.0 };
    let mut records = libraries(30, slower);
    records.truncate(4);
    let said = by_process(&summed_up("2%", &plan(4), records));
    assert!(said.len() >= 2 && said.iter().all(|said| said.ends_with("may be the library or the machine")), "{said:?}");
}

#[test]
fn what_is_typical_does_not_depend_on_the_number_of_forks() {
    // One process in four of one library is slower by a tenth; the typical one is not.
    let slower = |provider: &str, algorithm, fork| {
        if provider == "library-0" && algorithm == Algorithm::Aes256Gcm && fork % 4 == 3 { 1.1 } else { 1.0 }
    };
    for forks in 6..=60 {
        let records = summed_up("2%", &plan(6), libraries(forks, slower));
        let ratio = between(&records[0], &records[1]).unwrap();
        assert!((0.99..1.01).contains(&ratio.mid), "{forks} forks: {ratio:?}");
    }
}

#[test]
fn forks_that_differ_do_not_converge() {
    let wild = record(1, Operation::Seal, 8, |fork, _| (130.0 * (1.0 + f64::from(fork % 4) / 40.0), None));
    let records = summed_up("1%", &plan(2), vec![steady(0, 100.0), wild]);
    let Summary { converged, warnings, .. } = summary(&records[1]);
    assert!(!converged && warnings[0].starts_with("precision ±"), "{warnings:?}");
    let few = summed_up("50%", &plan(2), vec![steady(0, 100.0), record(1, Operation::Seal, 2, |_, _| (130.0, None))]);
    assert!(summary(&few[1]).warnings[0].starts_with("rests on 2 whole forks"), "{:?}", summary(&few[1]).warnings);
}

#[test]
fn short_forks_widen_the_range_and_do_not_count() {
    let mut cut = steady(1, 130.0);
    cut.forks[3].short = true;
    let records = summed_up("1%", &plan(2), vec![steady(0, 100.0), cut]);
    assert_eq!((summary(&records[1]).forks, summary(&records[1]).rounds), (7, 7 * ROUNDS));
}

#[test]
fn a_reference_that_fell_out_gives_way() {
    let mut fallen = record(0, Operation::Seal, 1, |_, _| (100.0, None));
    fallen.outcome = Outcome::Failed { why: "its worker ended".into() };
    let records = summed_up("1%", &plan(3), vec![fallen, steady(1, 130.0), steady(2, 169.0)]);
    let Summary { reference, ratio, .. } = summary(&records[1]);
    assert_eq!(*reference, CellId(2));
    assert!((ratio.unwrap().mid * 1.3 - 1.0).abs() < 0.005);
}

#[test]
fn a_run_without_a_stored_plan_takes_the_fastest_as_reference() {
    let records = summed_up("1%", &RunPlan::default(), vec![steady(0, 130.0), steady(1, 100.0)]);
    assert_eq!(summary(&records[0]).reference, CellId(1));
    assert!((summary(&records[0]).ratio.unwrap().mid - 1.3).abs() < 0.005);
}

#[test]
fn stored_summaries_stay_as_they_are_unless_an_older_method_wrote_them() {
    let today = RunPlan { method: METHOD, ..plan(2) };
    let once = summed_up("1%", &today, vec![steady(0, 100.0), steady(1, 130.0)]);
    let mut changed = once.clone();
    changed[1].summary.as_mut().unwrap().rounds = 1;
    assert_eq!(summed_up("1%", &today, changed.clone()), changed);
    assert_eq!(summed_up("1%", &RunPlan { method: METHOD - 1, ..plan(2) }, changed), once);
    let mut cleared = once.clone();
    cleared.iter_mut().for_each(|record| record.summary = None);
    assert_eq!(summed_up("1%", &today, cleared), once, "a summary is a cache");
}

#[test]
fn cells_of_two_groups_have_a_ratio() {
    let open = record(1, Operation::Open, 8, |_, _| (130.0, None));
    let ratio = between(&open, &steady(0, 100.0)).unwrap();
    let (low, high) = ratio.range().unwrap();
    assert!((ratio.mid - 1.3).abs() < 0.005 && low < 1.3 && high > 1.3, "{ratio:?}");
}

#[test]
fn samples_without_times_have_no_summary() {
    let mut counted = steady(0, 100.0);
    for sample in counted.forks.iter_mut().flat_map(|fork| &mut fork.samples) {
        sample.counts.clear();
    }
    assert_eq!(summed_up("1%", &RunPlan::default(), vec![counted])[0].summary, None);
}

/// Two forks that counted instructions and no time, the second so much more of them.
fn counting(more: u64) -> Record {
    let mut record = record(0, Operation::Seal, 2, |_, _| (100.0, None));
    for (number, fork) in (0..).zip(&mut record.forks) {
        for sample in &mut fork.samples {
            let count = (4012 + more * number) * sample.iterations;
            sample.counts = vec![(Metric::INSTRUCTIONS, count), (Metric::STACK, 300 + number)];
        }
    }
    record
}

#[test]
fn forks_that_counted_the_same_are_exact() {
    let counts = counted(&counting(0), Metric::INSTRUCTIONS).unwrap();
    assert_eq!(counts, Counted { low: 4012.0, mid: 4012.0, high: 4012.0, forks: 2 });
    assert_eq!(counts.spread(), 0.0);
    assert_eq!(counted(&counting(0), Metric::CYCLES), None);
}

#[test]
fn forks_that_counted_differently_span_a_range() {
    let record = counting(8);
    let counts = counted(&record, Metric::INSTRUCTIONS).unwrap();
    assert_eq!((counts.low, counts.mid, counts.high), (4012.0, 4016.0, 4020.0));
    assert!((counts.spread() - 8.0 / 4012.0).abs() < 1e-12);
    assert_eq!(
        fork_counts(&record, Metric::INSTRUCTIONS).iter().map(|fork| fork.count).collect::<Vec<_>>(),
        [4012.0, 4020.0]
    );
    assert_eq!(most(&record, Metric::STACK), Some(301));
}

#[test]
fn short_fork_counts_nothing() {
    let mut record = counting(8);
    record.forks[1].short = true;
    assert_eq!(counted(&record, Metric::INSTRUCTIONS).unwrap().high, 4012.0);
    record.forks[0].short = true;
    assert_eq!(counted(&record, Metric::INSTRUCTIONS), None);
}

#[test]
fn counts_get_no_summary() {
    let records = summed_up("2%", &RunPlan::default(), vec![counting(0)]);
    assert_eq!(records[0].summary, None);
}
