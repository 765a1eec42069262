//! Two runs of the same devices: counts are compared exactly.

use ciphermeter_core::{Fact, Outcome, Record, Run, Share};

use super::made::{Core, cores, counted};
use super::screened::run;
use crate::{Finding, Stored, TableOptions, Verdict, compare};
use ciphermeter_answer::fixtures;

fn compared(before: (&Run, &[Record]), after: (&Run, &[Record])) -> (String, Verdict) {
    let [before, after] = [before, after].map(|(run, records)| Stored { run, records });
    compare(before, after, Share(0.05), TableOptions::default())
}

/// The same with the counts of one cipher multiplied.
fn with(share: f64) -> Vec<Core> {
    let mut cores = cores();
    for offer in cores.iter_mut().flat_map(|core| &mut core.offers).filter(|offer| offer.provider == "ascon-c") {
        offer.seal = offer.seal.map(|count| (count as f64 * share).round() as u64);
    }
    cores
}

fn runs() -> (Run, Run) {
    (Run { id: 7, ..run() }, Run { id: 8, ..run() })
}

#[test]
fn equal_counts_are_said_to_be_equal() {
    let ((a, b), records) = (runs(), counted(&cores()));
    let (text, verdict) = compared((&a, &records), (&b, &records));
    assert_eq!(verdict.finding(), Finding::Fine);
    assert!(text.contains("All 231 counts on devices are the same to the last digit."), "{text}");
}

#[test]
fn count_that_grew_beyond_the_threshold_is_a_regression() {
    let ((a, b), before, after) = (runs(), counted(&cores()), counted(&with(1.1)));
    let (text, verdict) = compared((&a, &before), (&b, &after));
    assert_eq!(verdict.finding(), Finding::Slower);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("50 of 231 counts on devices differ: 50 by more than 5 % upwards, 0 downwards."), "{text}");
    assert!(text.lines().any(|line| line.starts_with("MORE ") && line.contains(" +10.0 % ")), "{text}");
}

#[test]
fn small_difference_is_shown_and_no_regression() {
    let ((a, b), before, after) = (runs(), counted(&cores()), counted(&with(1.001)));
    let (text, verdict) = compared((&a, &before), (&b, &after));
    assert_eq!(verdict.finding(), Finding::Fine);
    assert!(text.contains("0 by more than 5 % upwards") && text.contains("+0.1"), "{text}");
}

#[test]
fn number_of_a_device_and_the_machine_do_not_matter() {
    let (mut a, b) = runs();
    a.host = vec![Fact::present("cpu", "Another")];
    let (before, after) = (counted(&cores()), counted(&cores().into_iter().rev().collect::<Vec<_>>()));
    let (text, verdict) = compared((&a, &before), (&b, &after));
    assert_eq!((verdict.finding(), verdict.refused), (Finding::Fine, None), "{text}");
    assert!(text.contains("the same to the last digit"), "{text}");
}

#[test]
fn times_of_another_machine_are_refused_beside_counts() {
    let (mut a, b) = runs();
    a.host = vec![Fact::present("cpu", "Another")];
    let mut records = counted(&cores());
    records.extend(fixtures::run().1);
    let (text, _) = compared((&a, &records), (&b, &records));
    assert!(
        text.contains("the same to the last digit") && text.contains("Times are not compared: other host"),
        "{text}"
    );
}

#[test]
fn wrong_output_on_a_device_is_lost() {
    let ((a, b), before, mut after) = (runs(), counted(&cores()), counted(&cores()));
    after[1].outcome = Outcome::WrongOutput { why: "expected 00, came 01".into() };
    let (text, verdict) = compared((&a, &before), (&b, &after));
    assert_eq!(verdict.finding(), Finding::WrongOutput);
    assert!(text.contains("LOST"), "{text}");
}
