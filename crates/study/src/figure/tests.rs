use std::collections::BTreeSet;

use super::*;
use crate::built_in::{all, find};
use crate::fixtures;
use crate::question::Way;
use crate::study::Study;

fn unmeasured(study: &Study) -> Measured<'_> {
    Measured { study, runs: Vec::new(), store: None }
}

/// A study in which a claim is measured as published, of cells that take a microsecond and half of that again.
fn measured<'a>(study: &'a Study, claim: &str) -> Measured<'a> {
    let claim = study.claims.iter().find(|one| one.id == claim).unwrap();
    let mut measured = fixtures::measured(study, claim, Way::AsPublished, 2.0);
    for (place, record) in (1..).zip(measured.runs.iter_mut().flatten().flat_map(|run| &mut run.records)) {
        let range = &mut record.summary.as_mut().unwrap().range;
        (range.low, range.mid, range.high) = (900.0, 1000.0 * f64::from(place), 9000.0);
    }
    measured
}

#[test]
fn axes_of_a_table_decide_its_figure() {
    for (name, expected) in [
        ("python-sizes", &[("memory", true, 2), ("encrypt-time", true, 2), ("decrypt-time", true, 2)][..]),
        ("tcp-sockets", &[("m4", true, 2), ("a70", true, 2)]),
        ("languages", &[("seconds", false, 4), ("siv", false, 2), ("openssl", true, 2)]),
        ("parallel", &[("ten", false, 1), ("energy", false, 1), ("scaling", false, 2)]),
        ("esp32", &[("time", false, 1), ("rate", false, 1), ("memory", false, 1), ("current", false, 1)]),
    ] {
        let study = find(name).unwrap().unwrap();
        let measured = unmeasured(&study);
        let series = |figure: &StudyFigure| figure.values.iter().map(|value| value.place).max().unwrap() + 1;
        let figures = measured.figures();
        let found: Vec<_> = figures
            .iter()
            .map(|figure| (figure.name.trim_start_matches("summary-"), figure.is_by_size, series(figure)))
            .collect();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn unmeasured_figure_has_the_published_values_and_says_why_it_has_no_others() {
    for study in all().unwrap() {
        for figure in unmeasured(&study).figures() {
            assert!(figure.values.iter().all(|value| value.is_published && value.range.is_none()), "{}", figure.name);
            assert!(figure.runs.is_empty() && figure.lacks.is_some() && !figure.values.is_empty(), "{}", figure.name);
        }
    }
    let lacks = |study: &str, figure: &str| {
        let study = find(study).unwrap().unwrap();
        let measured = unmeasured(&study);
        measured.figures().into_iter().find(|one| one.name == figure).unwrap().lacks.unwrap()
    };
    assert_eq!(lacks("tcp-sockets", "m4"), "Not measured here yet: ciphermeter study run tcp-sockets");
    assert_eq!(lacks("tcp-sockets", "a70"), "Nothing is measured beside it.");
    assert_eq!(lacks("esp32", "summary-current"), "Nothing is measured beside it.");
    let board = "Not measured here: it needs an ESP32: `ciphermeter run iot --device PORT`.";
    assert_eq!(lacks("esp32", "summary-memory"), board);
}

#[test]
fn values_of_both_are_in_one_unit_along_one_axis() {
    let study = find("tcp-sockets").unwrap().unwrap();
    let measured = measured(&study, "aes-faster");
    let figures = measured.figures();
    let figure = &figures[0];
    assert_eq!((figure.amount, figure.values.len(), figure.lacks.is_none()), (Amount::Rate, 16, true));
    let aes = |is_published| {
        let own = figure.values.iter().filter(move |value| value.series == "AES-256-GCM");
        own.filter(move |value| value.is_published == is_published).collect::<Vec<_>>()
    };
    // 706.46 MB/s; the file sets 1 MiB beside 1 MB, and nothing beside 500 MB.
    let published: Vec<_> = aes(true).iter().map(|value| (value.size.unwrap(), value.mid)).collect();
    assert_eq!((published[1].0, published[4].0), (1 << 20, 500_000_000));
    assert!((published[1].1 - 0.70646).abs() < 1e-9, "{published:?}");
    // The third record, 3 µs, is of the second pair: 1 MiB with AES.
    let here = aes(false)[1];
    assert_eq!(
        (here.size, here.mid, here.range.unwrap().1),
        (Some(1 << 20), 1_048_576.0 / 3000.0, 1_048_576.0 / 900.0)
    );
    assert_eq!(figure.runs.iter().map(|(run, records)| (run.run.id, records.len())).collect::<Vec<_>>(), [(1, 6)]);
}

#[test]
fn bars_of_cells_that_no_number_stands_beside_have_their_own_names() {
    let study = find("parallel").unwrap().unwrap();
    let measured = measured(&study, "xor-gains");
    let ten = &measured.figures()[0];
    let ours: Vec<_> =
        ten.values.iter().filter(|value| !value.is_published).map(|value| value.label.as_str()).collect();
    assert_eq!(
        ours,
        [
            "built-in xor encrypt 4 KiB, 1 thread, in equal parts",
            "built-in xor encrypt 4 KiB, 2 threads, in equal parts"
        ]
    );
    let study = find("languages").unwrap().unwrap();
    let measured = self::measured(&study, "rust");
    let ours: Vec<_> = measured.figures()[0].values.iter().filter(|value| !value.is_published).cloned().collect();
    assert_eq!(
        ours.iter().map(|value| value.label.as_str()).collect::<Vec<_>>(),
        ["Rust, AES-256-GCM encrypt", "Rust, ChaCha20-Poly1305 encrypt"]
    );
}

#[test]
fn line_has_all_sizes_that_its_claim_asks_for() {
    let study = find("python-sizes").unwrap().unwrap();
    let measured = measured(&study, "encrypts-faster");
    let time = &measured.figures()[1];
    let ours = time.values.iter().filter(|value| !value.is_published && value.series == "AES");
    let sizes: BTreeSet<_> = ours.map(|value| value.size.unwrap() >> 10).collect();
    assert_eq!(sizes, BTreeSet::from([1, 100, 1024, 5120, 10240]));
}

/// The paper's 1 MB is 1,024 KB: a number of it lies above ours of the same file, not beside it.
#[test]
fn published_number_lies_at_the_size_that_its_file_sets_beside_it() {
    let study = find("python-sizes").unwrap().unwrap();
    let measured = unmeasured(&study);
    let time = &measured.figures()[1];
    let sizes = time.values.iter().filter(|value| value.series == "AES").map(|value| value.size);
    assert_eq!(sizes.collect::<Vec<_>>(), [Some(1 << 20), Some(10 << 20)]);
}

/// As elsewhere, a time takes six forks; what memory takes is counted.
#[test]
fn time_of_too_few_forks_is_not_drawn() {
    let study = find("tcp-sockets").unwrap().unwrap();
    let mut measured = measured(&study, "aes-faster");
    measured.runs[0][0].records[0].summary.as_mut().unwrap().forks = 5;
    assert_eq!(measured.figures()[0].values.len(), 15);
    measured.runs[0][0].records.iter_mut().for_each(|record| record.summary.as_mut().unwrap().forks = 5);
    let lacks = measured.figures()[0].lacks.clone().unwrap();
    assert_eq!(lacks, "Run 1 has no figure of it; `ciphermeter show 1 --all` says why.");
}
