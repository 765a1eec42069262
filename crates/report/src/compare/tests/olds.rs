//! A run against an older library, in the same rounds.

use ciphermeter_core::{Against, Algorithm, Outcome, Record, Share};

use super::{at_80, records, run, seal, unwrapped};
use ciphermeter_estimate::Side;

use crate::compare::against;
use ciphermeter_answer::fixtures::{self, Made};
use ciphermeter_answer::regression::{Finding, Verdict};

const GCM: Algorithm = Algorithm::Aes256Gcm;
const CHACHA: Algorithm = Algorithm::ChaCha20Poly1305;

/// Each (algorithm, size, old ns, new ns) as a cell of `openssl` and one of `openssl@old`, and others beside them.
fn pairs(cells: &[(Algorithm, u64, f64, f64)]) -> Vec<Made> {
    let both = |(algorithm, message, old, new): &(Algorithm, u64, f64, f64)| {
        [seal("openssl", *algorithm, *message, *new), seal("openssl@old", *algorithm, *message, *old)]
    };
    let mut made: Vec<_> = cells.iter().flat_map(both).collect();
    made.extend([seal("ring", GCM, 16, 40.0), seal("ceiling", Algorithm::Memcpy, 16, 4.0)]);
    made
}

fn judged(records: &[Record]) -> (String, Verdict) {
    let mut run = run(7);
    run.against = Some(Against { old: "libcrypto.so.3".into(), threshold: Share(0.05), may_hide: None });
    let text = at_80(|look| against(&run, records, None, look).unwrap().0);
    (text, against(&run, records, None, crate::TableOptions::default()).unwrap().1)
}

#[test]
fn a_regression_is_found_and_stands_first() {
    let cells =
        [(GCM, 16, 100.0, 100.0), (GCM, 1024, 300.0, 324.0), (CHACHA, 16, 200.0, 180.0), (CHACHA, 1024, 500.0, 510.0)];
    let (text, verdict) = judged(&records(&pairs(&cells)));
    assert_eq!((verdict.slower, verdict.faster, verdict.finding()), (1, 1, Finding::Slower));
    let calls: Vec<_> = verdict.cells.iter().map(|compared| compared.comparison.faster()).collect();
    assert_eq!(calls, [Some(Side::First), None, None, Some(Side::Second)]);
    assert!((verdict.cells[0].ratio.mid - 1.08).abs() < 0.002);
    insta::assert_snapshot!(text);
}

#[test]
fn markdown_has_the_code_of_both_sides() {
    let mut run = run(7);
    run.against = Some(Against { old: "libcrypto.so.3".into(), threshold: Share(0.05), may_hide: None });
    let mut records = records(&pairs(&[(GCM, 1024, 300.0, 360.0)]));
    for record in &mut records {
        let from = record.provenance.as_mut().expect("its code");
        from.sha256 = Some("0123456789abcdef".repeat(4));
        from.version = if record.cell.provider.ends_with("@old") { "3.0.1".into() } else { "3.0.2".into() };
    }
    let mut out = Vec::new();
    crate::write_markdown(&mut out, &run, &records).unwrap();
    let text = String::from_utf8(out).unwrap();
    let line = "\nopenssl: new 3.0.2, library 0123456789ab; old 3.0.1, library 0123456789ab.\n";
    assert!(text.contains(line) && !text.contains("ring: new"), "{text}");
}

#[test]
fn narrow_screen_names_the_cell() {
    let mut run = run(7);
    run.against = Some(Against { old: "libcrypto.so.3".into(), threshold: Share(0.05), may_hide: None });
    let records = records(&pairs(&[(GCM, 1024, 300.0, 360.0)]));
    let text = against(&run, &records, None, crate::TableOptions { width: 40, color: false }).unwrap().0;
    assert!(text.starts_with("Is the new one slower?") && text.contains("The only cell is surely slower"), "{text}");
    let lines: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("SLOWER")).collect();
    assert!(lines[0].contains("+20.0 %  +19.") && lines[1] == "  openssl aes-256-gcm seal 1 KiB", "{text}");
}

#[test]
fn a_calm_run_says_what_it_rules_out() {
    let (text, verdict) = judged(&records(&pairs(&[(GCM, 16, 100.0, 101.0), (CHACHA, 16, 200.0, 198.0)])));
    assert_eq!((verdict.slower, verdict.faster, verdict.finding()), (0, 0, Finding::Fine));
    insta::assert_snapshot!(text);
}

#[test]
fn what_may_hide_is_said_where_the_intervals_are_wide() {
    let mut records = records(&pairs(&[(GCM, 16, 100.0, 101.0)]));
    for (k, fork) in records[0].forks.iter_mut().enumerate() {
        for sample in &mut fork.samples {
            sample.counts[0].1 += sample.counts[0].1 * k as u64 / 25;
        }
    }
    let (text, verdict) = judged(&records);
    assert_eq!(verdict.finding(), Finding::Partial);
    assert!(unwrapped(&text).contains("A slowdown of up to 22 % could hide (openssl aes-256-gcm"), "{text}");
}

#[test]
fn what_a_guard_may_leave_open_is_not_inconclusive() {
    let records = records(&pairs(&[(GCM, 16, 100.0, 101.0)]));
    for (may_hide, finding) in [(None, Finding::Partial), (Some(0.009), Finding::Partial), (Some(0.05), Finding::Fine)]
    {
        let mut run = run(7);
        run.against =
            Some(Against { old: "libcrypto.so.3".into(), threshold: Share(0.0099), may_hide: may_hide.map(Share) });
        let (text, verdict) = against(&run, &records, None, crate::TableOptions::default()).unwrap();
        assert_eq!(verdict.finding(), finding, "{text}");
        assert_eq!(text.contains("Inconclusive"), finding == Finding::Partial, "{text}");
    }
}

#[test]
fn slowdown_that_is_sure_but_not_beyond_the_threshold_needs_no_longer_budget() {
    let (text, verdict) = judged(&records(&pairs(&[(GCM, 16, 100.0, 105.0)])));
    assert_eq!(verdict.finding(), Finding::Partial);
    let text = unwrapped(&text);
    assert!(text.contains("; at least 4.") && text.contains(" %, so --threshold decides."), "{text}");
    assert!(!text.contains("--budget"), "{text}");
}

#[test]
fn what_is_lost_is_never_fine() {
    let cells = [(GCM, 16, 100.0, 100.0), (GCM, 64, 100.0, 100.0), (CHACHA, 16, 200.0, 200.0), (CHACHA, 64, 1.0, 1.0)];
    let mut records = records(&pairs(&cells));
    records[0].outcome = Outcome::Failed { why: "ended with signal 11".into() };
    records[2].outcome = Outcome::Failed { why: "ended with signal 11".into() };
    records[7].outcome = Outcome::Unsupported { why: "too old".into() };
    let (text, verdict) = judged(&records);
    assert_eq!((verdict.lost.len(), verdict.unmatched.len(), verdict.finding()), (2, 1, Finding::Partial));
    insta::assert_snapshot!(text);
    records[4].outcome = Outcome::WrongOutput { why: "expected 00\u{1b}[2J, came 01".into() };
    let (text, verdict) = judged(&records);
    assert_eq!(verdict.finding(), Finding::WrongOutput);
    assert!(
        text.contains("LOST   openssl chacha20-poly1305 seal in-place, 16 B message: WRONG OUTPUT:\n       expected"),
        "{text}"
    );
}

#[test]
fn what_is_no_longer_offered_is_lost_and_what_is_new_is_not_compared() {
    let mut made = pairs(&[(GCM, 16, 100.0, 100.0)]);
    made.extend([seal("openssl@old", CHACHA, 16, 200.0), seal("openssl", Algorithm::Aes256Siv, 16, 200.0)]);
    let (text, verdict) = judged(&records(&made));
    assert_eq!((verdict.lost.len(), verdict.unmatched.len(), verdict.cells.len()), (1, 1, 1));
    assert_eq!(verdict.finding(), Finding::Partial);
    assert!(unwrapped(&text).contains("nothing new offers it any more"), "{text}");
    assert!(text.contains("openssl, 1 cell: new: openssl@old doesn't have it"), "{text}");
}

#[test]
fn several_new_sources_have_one_old() {
    let mut made = pairs(&[(GCM, 16, 100.0, 100.0)]);
    made.push(seal("openssl@2", GCM, 16, 120.0));
    let (_, verdict) = judged(&records(&made));
    let worst = &verdict.cells[0];
    assert_eq!((verdict.cells.len(), worst.cell.provider.as_str(), worst.is_slower()), (2, "openssl@2", true));
}

#[test]
fn too_few_forks_are_never_sure() {
    let records = fixtures::records(&pairs(&[(GCM, 16, 100.0, 200.0)]), 5);
    let (text, verdict) = judged(&records);
    assert_eq!((verdict.cells.len(), verdict.finding()), (0, Finding::Nothing));
    let why = "Not comparable: 5 whole forks with both; a comparison needs 6: use a longer --budget";
    assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(why), "{text}");
}

/// Whoever forgets to give the new file compares the old one with itself.
#[test]
fn one_file_on_both_sides_is_said() {
    let mut records = fixtures::records(&pairs(&[(GCM, 16, 100.0, 100.0), (GCM, 64, 100.0, 100.0)]), 8);
    let said = |records: &[Record]| {
        let (text, _) = judged(records);
        text.split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .matches("openssl and openssl@old have the same bytes")
            .count()
    };
    assert_eq!(said(&records), 0);
    for from in records.iter_mut().filter_map(|record| record.provenance.as_mut()) {
        (from.library, from.sha256) = (Some("/lib/libcrypto.so.3".into()), Some("aa".into()));
    }
    assert_eq!(said(&records), 1);
}

#[test]
fn without_old_cells_nothing_is_compared() {
    let (text, verdict) = judged(&records(&[seal("openssl", GCM, 16, 100.0)]));
    assert_eq!(verdict.finding(), Finding::Nothing);
    assert!(text.contains("Not comparable: there is no cell in both"), "{text}");
    assert!(against(&run(7), &[], None, crate::TableOptions::default()).is_none());
}

#[test]
fn forty_cells_keep_to_one_screen_unless_all_are_asked_for() {
    let cell = |k: u32| (if k < 20 { GCM } else { CHACHA }, 16 << (k % 20), 100.0, 100.0 + f64::from(k));
    let records = records(&pairs(&(0..40).map(cell).collect::<Vec<_>>()));
    let mut run = run(7);
    run.against = Some(Against { old: "libcrypto.so.3".into(), threshold: Share(0.05), may_hide: None });
    let text = |below| against(&run, &records, below, crate::TableOptions::default()).unwrap().0;
    let (screen, all) = (text(Some(0)), text(None));
    assert!(screen.lines().count() <= 24 && all.lines().count() > 40, "{screen}");
    assert!(screen.contains("34 of 40 cells are surely slower"), "{screen}");
    assert!(screen.contains("… and 2") && screen.contains("All of it: ciphermeter show 7 --all"), "{screen}");
}
