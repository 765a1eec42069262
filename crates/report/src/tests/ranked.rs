//! The ranking: shared places, and everybody who is left out told with the reason.

use ciphermeter_core::{Algorithm, Bytes, Form, Operation, Outcome, Record};
use unicode_width::UnicodeWidthStr;

use crate::{TableOptions, ranking};
use ciphermeter_answer::fixtures::{self, Made, cell};

const GCM: Algorithm = Algorithm::Aes256Gcm;

fn both(provider: &'static str, message: u64, ns: f64) -> [Made; 2] {
    [Operation::Seal, Operation::Open].map(|operation| cell(provider, GCM, operation, message, ns))
}

/// The ranking at 80 columns; every width is checked on the way.
fn at_80(records: &[Record]) -> String {
    for width in [0, 40, 50, 79, 80, 120] {
        for line in ranking(&fixtures::head(), records, TableOptions { width, color: false }).unwrap().text.lines() {
            assert!(line.width() <= width.max(40), "{width}: {line}");
        }
    }
    ranking(&fixtures::head(), records, TableOptions::default()).unwrap().text
}

#[test]
fn over_all_sizes_and_by_class() {
    insta::assert_snapshot!(at_80(&fixtures::run().1));
}

#[test]
fn first_place_is_shared_and_none_is_left_out_silently() {
    let mut cells: Vec<Made> = [16, 32, 64].into_iter().flat_map(|n| both("a", n, 50.0)).collect();
    cells.extend([16, 32, 64].into_iter().flat_map(|n| both("b", n, 50.01)));
    cells.extend([16, 32, 64].into_iter().flat_map(|n| both("c", n, 80.0)));
    cells.extend(both("broken", 16, 1.0));
    cells.extend(both("fresh", 16, 1.0));
    cells.extend(both("elsewhen", 16, 1.0));
    cells.extend([32, 64].into_iter().flat_map(|n| both("elsewhen", n, 1.0)));
    cells.push(cell("sealer", GCM, Operation::Seal, 16, 1.0));
    cells.extend(both("several", 16, 1.0));
    let mut records = fixtures::records(&cells, 6);
    for record in &mut records {
        match record.cell.provider.as_str() {
            "broken" => record.outcome = Outcome::WrongOutput { why: "expected 00".into() },
            "fresh" => record.cell.form = Form::Fresh,
            "elsewhen" => record.forks.iter_mut().for_each(|fork| fork.number += 6),
            "several" => record.cell.parameters = record.cell.parameters.clone().on_cpus(2),
            _ => {}
        }
    }
    let text = at_80(&records);
    assert!(!text.contains("several"), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn narrow_ranking_keeps_its_ratios() {
    let cells: Vec<Made> = both("a", 16, 20.0).into_iter().chain(both("long-provider", 16, 90.0)).collect();
    let records = fixtures::records(&cells, 8);
    for width in [40, 50, 60] {
        let text = ranking(&fixtures::head(), &records, TableOptions { width, color: false }).unwrap().text;
        assert!(text.contains("1.00×") && text.contains("4.50×"), "{width}: {text}");
    }
}

#[test]
fn contender_without_enough_forks_anywhere_is_named() {
    let mut cells: Vec<Made> = both("a", 16, 20.0).into_iter().chain(both("b", 16, 90.0)).collect();
    cells.extend(both("hardly", 64, 5.0));
    let mut records = fixtures::records(&cells, 8);
    let hardly = records.iter_mut().filter(|record| record.cell.provider == "hardly");
    hardly.filter_map(|record| record.summary.as_mut()).for_each(|summary| summary.forks = 2);
    let text = at_80(&records);
    assert!(text.contains("AES-256-GCM by hardly: has no cell with 6 undisturbed forks"), "{text}");
}

#[test]
fn fewer_than_six_forks_are_no_ranking() {
    let cells: Vec<Made> = both("a", 16, 20.0).into_iter().chain(both("b", 16, 90.0)).collect();
    for forks in [1, 5, 6] {
        let screen = ranking(&fixtures::head(), &fixtures::records(&cells, forks), TableOptions::default()).unwrap();
        assert_eq!(screen.is_answered, forks == 6, "{}", screen.text);
        assert_eq!(screen.text.contains("No ranking yet: a comparison needs six"), forks < 6, "{}", screen.text);
        assert_eq!(screen.text.contains("4.5"), forks == 6, "{}", screen.text);
        let narrow = TableOptions { width: 40, color: false };
        let narrow = ranking(&fixtures::head(), &fixtures::records(&cells, forks), narrow).unwrap().text;
        assert_eq!(narrow.contains("undisturbed samples."), forks < 6, "{narrow}");
    }
}

#[test]
fn size_that_a_cipher_cannot_have_does_not_keep_it_from_its_place() {
    let of = |algorithm, message, ns| cell("openssl", algorithm, Operation::Encrypt, message, ns);
    let (ctr, xts) = (Algorithm::Aes256Ctr, Algorithm::Aes256Xts);
    let text = at_80(&fixtures::records(&[of(ctr, 100, 50.0), of(ctr, 512, 60.0), of(xts, 512, 120.0)], 8));
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("2 aes-256-xts openssl 2.00×") && !text.contains("not ranked"), "{text}");
}

/// As in a run that ended soon after its question was answered.
#[test]
fn groups_that_have_hardly_begun_do_not_keep_others_from_their_places() {
    let cells: Vec<Made> = both("a", 16, 20.0).into_iter().chain(both("b", 16, 90.0)).collect();
    let mut records = fixtures::records(&cells, 8);
    for (place, record) in records.iter_mut().enumerate().filter(|(_, record)| record.cell.operation == Operation::Open)
    {
        // One has a fork, the other another.
        record.forks.retain(|fork| fork.number == place as u32 / 2);
        record.summary.as_mut().unwrap().forks = 1;
    }
    let screen = ranking(&fixtures::head(), &records, TableOptions::default()).unwrap();
    assert!(screen.is_answered && screen.text.contains("4.5"), "{}", screen.text);
}

#[test]
fn ranking_rests_on_the_forks_of_those_that_it_places() {
    let cells: Vec<Made> =
        [("a", 50.0), ("few", 60.0), ("b", 80.0)].iter().flat_map(|(name, ns)| both(name, 16, *ns)).collect();
    let mut records = fixtures::records(&cells, 6);
    let few = records.iter_mut().filter(|record| record.cell.provider == "few");
    few.for_each(|record| record.forks.truncate(4));
    let text = at_80(&records);
    assert!(text.contains("6 forks") && !text.contains("4 forks"), "{text}");
}

#[test]
fn a_lone_contender_has_nothing_to_rank_against() {
    let why = ranking(&fixtures::head(), &[], TableOptions::default()).unwrap_err();
    assert!(why.starts_with("run 7 has nothing to rank: a comparison needs 6 forks"), "{why}");
    let alone = at_80(&fixtures::records(&both("a", 16, 20.0), 6));
    assert!(alone.contains("There is nothing to rank it against."), "{alone}");
    let alone = at_80(&fixtures::records(&both("a", 16, 20.0), 5));
    assert!(alone.contains("No ranking yet: a comparison needs six forks"), "{alone}");
}

/// `a` is the fastest of messages from a cache, `b` of those out of a working set.
#[test]
fn what_calls_go_round_is_ranked_apart() {
    let cold = |made: Made| Made {
        parameters: made.parameters.clone().with_working_set(Bytes(64 << 20)).with_keys(9),
        ..made
    };
    let at = |provider, ns| cell(provider, GCM, Operation::Seal, 1024, ns);
    let cells = [at("a", 100.0), at("b", 120.0), cold(at("a", 300.0)), cold(at("b", 200.0))];
    let records = fixtures::records(&cells, 8);
    let text = at_80(&records);
    let [hot, cold] = ["\nAll sizes: 1 cell each", "\nAll sizes, 64 MiB working set, 9 keys: 1 cell each"]
        .map(|heading| text.find(heading).unwrap_or_else(|| panic!("{heading}: {text}")));
    let first =
        |from: usize, to: usize| text[from..to].lines().find(|line| line.starts_with("    1  ")).unwrap().to_owned();
    assert!(hot < cold && first(hot, cold).contains(" a ") && first(cold, text.len()).contains(" b "), "{text}");
}
