use ciphermeter_core::CellId;

use super::*;
use crate::built_in::{all, find};
use crate::fixtures;
use crate::run::MeasuredRun;
use crate::study::Measure;

fn text(page: &[Block]) -> String {
    let line = |block: &Block| match block {
        Block::Paragraph(paragraph) => format!("{}{}\n", paragraph.lead, paragraph.text),
        Block::Table(ratios) => ratios.rows.iter().map(|row| row.join(" | ") + "\n").collect(),
    };
    page.iter().map(line).collect()
}

fn unmeasured(study: &Study) -> String {
    text(&Measured { study, runs: study.measures.iter().map(|_| Vec::new()).collect(), store: None }.page())
}

#[test]
fn unmeasured_study_says_what_to_do_and_what_the_study_printed() {
    let page = unmeasured(&find("python-sizes").unwrap().unwrap());
    assert!(page.contains("6 claims: 5 not measured yet, 1 not tested here."), "{page}");
    assert!(page.contains("Nothing is measured yet: ciphermeter study run python-sizes"), "{page}");
    assert!(page.contains("As published it needs a board"), "{page}");
    assert!(
        page.contains("Unlike in the study: seeded keys and data, no psutil or pandas, a finer clock.\n"),
        "{page}"
    );
    assert!(page.contains("10 MB | AES | 0.011 s | not measured"), "{page}");
    assert!(page.contains("1 KB: printed 0.614 MB; from the other columns follows 0.00195 to 0.00586 MB"), "{page}");
    assert!(page.contains("10 MB | 2.62 to 2.87× | not measured | –"), "{page}");
}

#[test]
fn what_study_it_is_stands_before_the_details_and_what_both_ways_need_once() {
    let page = unmeasured(&find("esp32").unwrap().unwrap());
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}: {page}"));
    assert!(place("As published: as the study compared. Like for like: ") < place("\nThe study: D. D. M. Angelina"));
    assert!(place("\nThe study: ") < place("\nNot tested here: "), "{page}");
    assert!(!page.contains("Like for like it needs an ESP32: `ciphermeter run iot --device PORT`.\nLike for like: not tested here. The same message on both sides, from the same library; time of"), "{page}");
    assert!(page.contains("Tables 2 to 6, expected: the throughput in kbit/s is the message divided by the time; not so in 2 of 2 rows."), "{page}");
}

/// By hand from the printed digits: the least numerator by the greatest denominator, and the other way round.
#[test]
fn published_ratios_follow_from_the_printed_digits() {
    for (name, row) in [
        ("tcp-sockets", "10 KB | 1.74× | not measured"),         // 126.04 ÷ 72.37
        ("tcp-sockets", "200 MB | 1.47× | no counterpart"),      // 1519.77 ÷ 1035.26
        ("esp32", "throughput | 2.45× | not tested"),            // 260678.94 ÷ 106567.82
        ("python-sizes", "1 MB | 1.60 to 2.67× | not measured"), // 4.0005 ÷ 2.5 to 4.0015 ÷ 1.5
        ("python-sizes", "100 KB | 1.99 to 2.01× | not measured"), // 0.3915 ÷ 0.1965 to 0.3925 ÷ 0.1955
        ("languages", "encrypt | 0.76× | not measured"),         // 0.103866 ÷ 0.136823
        ("languages", "16 B | 1.42× | not measured"),            // 188432.20 ÷ 132472.96
        ("parallel", "Intel | 22.7 to 22.9× | not tested"),      // 3489.5 ÷ 153.5 to 3490.5 ÷ 152.5
    ] {
        let page = unmeasured(&find(name).unwrap().unwrap());
        assert!(page.contains(&format!("{row} | –\n")), "{name}: {row}: {page}");
    }
    let languages = unmeasured(&find("languages").unwrap().unwrap());
    assert!(languages.contains("The study's own numbers contradict it in 2 of 2 published ratios."), "{languages}");
}

#[test]
fn published_and_measured_ratios_stand_side_by_side_with_both_verdicts() {
    let study = find("python-sizes").unwrap().unwrap();
    let page = |way, ratio| text(&fixtures::measured(&study, &study.claims[2], way, ratio).page());
    let as_published = page(Way::AsPublished, 2.7);
    assert!(as_published.contains("10 MiB (10 MB) | 2.62 to 2.87× | 2.70× ±1 % | supported"), "{as_published}");
    assert!(as_published.contains("supported      not measured   at 10 MB"), "{as_published}");
    assert!(as_published.contains("Here: run 1 on Example EPYC 9."), "{as_published}");
    assert!(
        as_published.contains("Measure what is missing here: ciphermeter study run python-sizes"),
        "{as_published}"
    );
    let proper = page(Way::Proper, 0.4);
    assert!(proper.contains("10 MiB | – | 0.40× ±1 % | contradicted"), "{proper}");
    assert!(
        proper
            .contains("Like for like, run 2: contradicted. With its padding and set-up in each call, as a caller must"),
        "{proper}"
    );
    assert!(proper.contains("contradicted\nBelow 1.00×, aes-256-cbc encrypt is faster: 2.50× as fast.\n"), "{proper}");
    assert!(!as_published.contains("Below 1.00×"), "{as_published}");
}

#[test]
fn run_of_another_machine_does_not_answer_silently() {
    let study = find("python-sizes").unwrap().unwrap();
    let mut measured = fixtures::measured(&study, &study.claims[2], Way::AsPublished, 2.7);
    measured.runs[0][0].elsewhere = Some("other host: cpu A ≠ B".into());
    let page = text(&measured.page());
    assert!(!page.contains("Here: "), "{page}");
    assert!(
        page.contains("On another machine or by another method: run 1 on Example EPYC 9 (other host: cpu A ≠ B)."),
        "{page}"
    );
    assert!(page.contains("As published, run 1 of another machine or method: time of"), "{page}");
}

#[test]
fn reasons_of_other_machines_take_no_screen() {
    let study = find("tcp-sockets").unwrap().unwrap();
    let other = |(measure, id): (&Measure, i64)| {
        let why = format!("other host: cpu A ≠ B; features {} ≠ none", "aes ".repeat(100));
        let asked = study.claims.iter().flat_map(|claim| Way::ALL.map(|way| (claim.question(way), way)));
        let own = asked.filter_map(|(question, way)| question.filter(|one| study.measure(one, way) == Some(measure)));
        let records = own.flat_map(|question| fixtures::planted_for(&question, 2.0)).collect();
        vec![MeasuredRun { elsewhere: Some(why), ..fixtures::run(id, &measure.scenario, records) }]
    };
    let page = text(
        &Measured { study: &study, runs: study.measures.iter().zip(1..).map(other).collect(), store: None }.page(),
    );
    assert!(page.contains("method: runs 1, 2, 3, 4 on Example EPYC 9 (other host: cpu A ≠ B)."), "{page}");
}

#[test]
fn of_many_pairs_the_extremes_are_shown_and_the_rest_is_counted() {
    let study = find("esp32").unwrap().unwrap();
    let (claim, way) = (study.claims.last().unwrap(), Way::AsPublished);
    let mut measured = fixtures::measured(&study, claim, way, 2.0);
    let records = &mut measured.runs[0][0].records;
    *records = (0..20_u32)
        .flat_map(|number| {
            let mut pair = fixtures::planted_for(&claim.question(way).unwrap(), 2.0 + f64::from(number) / 100.0);
            for (place, record) in (0..).zip(&mut pair) {
                (record.id, record.cell.provider) = (CellId(2 * number + place), format!("library{number:02}"));
                record.summary.as_mut().unwrap().reference = CellId(2 * number);
            }
            pair
        })
        .collect();
    let page = text(&measured.page());
    assert!(page.contains("and 9 more; --csv and --json have all"), "{page}");
    assert!(page.contains("library00") && page.contains("library19") && !page.contains("library10"), "{page}");
}

/// Words of scenarios and of the store mean nothing to a reader of studies.
#[test]
fn division_is_said_in_words() {
    let page = unmeasured(&find("parallel").unwrap().unwrap());
    for words in [
        "time of xor by the built-in kernel ÷ that of aes-256-ctr openssl, encrypt, 1 thread, in equal parts",
        "time of 1 thread in equal parts ÷ that of 2 threads in parts that free threads fetch, aes-256-ctr",
        "time of a graphics card, transfers included ÷ that of 1 thread in equal parts openssl, aes-256-ctr",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    for study in all().unwrap() {
        let page = unmeasured(&study);
        assert!(!page.contains(" form ") && !page.contains("ceiling"), "{page}");
    }
}

#[test]
fn single_claim_is_no_claims() {
    let mut study = find("python-sizes").unwrap().unwrap();
    study.claims.truncate(1);
    assert!(unmeasured(&study).contains("\n1 claim: 1 not measured yet.\n"), "{}", unmeasured(&study));
}

/// A file of a study is not trusted with the terminal.
#[test]
fn text_is_escaped() {
    let mut study = find("python-sizes").unwrap().unwrap();
    study.title = "\u{1b}[2J".into();
    study.claims[0].says = "\u{1b}[2J".into();
    study.claims[0].published[0].what = "\u{1b}[2J".into();
    assert!(!unmeasured(&study).contains('\u{1b}'));
}

#[test]
fn every_claim_has_a_line_in_the_list() {
    for study in all().unwrap() {
        let page = unmeasured(&study);
        for claim in &study.claims {
            let verdict = match (&claim.needs, &claim.inapplicable) {
                (_, Some(_)) => "n/a ",
                (Some(_), _) => "not tested ",
                _ => "not measured ",
            };
            let is_of_list = |line: &&str| line.starts_with("n") && line.ends_with(&claim.says);
            let line = page.lines().find(is_of_list);
            assert!(line.is_some_and(|line| line.starts_with(verdict)), "{}: {page}", claim.id);
        }
    }
}

/// A page of the last claim of `esp32` by a run that has its pair with each of these aads, and the same as CSV.
fn with_aads(aads: &[u64]) -> (String, String) {
    let study = find("esp32").unwrap().unwrap();
    let (claim, way) = (study.claims.last().unwrap(), Way::AsPublished);
    let mut measured = fixtures::measured(&study, claim, way, 2.0);
    let pair = |(number, aad): (u32, &u64)| {
        let mut pair = fixtures::planted_for(&claim.question(way).unwrap(), 2.0 + f64::from(number));
        for (place, record) in (0..).zip(&mut pair) {
            record.cell.parameters.0.insert("aad".into(), *aad);
            record.id = CellId(2 * number + place);
            record.summary.as_mut().unwrap().reference = CellId(2 * number);
        }
        pair
    };
    measured.runs[0][0].records = (0..).zip(aads).flat_map(pair).collect();
    let (page, mut csv) = (text(&measured.page()), Vec::new());
    crate::csv::write_csv(&[measured], &mut csv).unwrap();
    (page, String::from_utf8(csv).unwrap())
}

#[test]
fn rows_that_differ_by_aad_say_so() {
    for (aads, labels) in [
        (&[0, 13][..], &["any, 0 B of aad | ", "any, 13 B of aad | "][..]),
        (&[5, 13, 1024], &["any, 5 B of aad | ", "any, 13 B of aad | ", "any, 1 KiB of aad | "]),
        (&[13], &["any | "]),
        (&[0], &["any | "]),
    ] {
        let (page, csv) = with_aads(aads);
        for label in labels {
            assert!(page.lines().any(|line| line.starts_with(label)), "{label}: {page}");
        }
        for aad in aads.iter().filter(|aad| **aad > 0) {
            assert!(csv.contains(&format!(" seal into aad {aad},")), "{csv}");
        }
        assert_eq!(page.contains(" of aad"), aads.len() > 1, "{page}");
    }
}

/// What was left out for want of time is a gap, and says so: a longer run may have it.
#[test]
fn cell_that_was_left_out_says_so() {
    use ciphermeter_core::{LeftOut, Outcome};
    let slow = || LeftOut::SlowForks { call: "transfer".into(), forks_ms: 9000, left_ms: 2000, budget_s: None };
    let study = find("tcp-sockets").unwrap().unwrap();
    for (reason, said, advice) in [
        (slow(), "50 MiB (50 MB) | 1.67× | left out: too long | not measured yet", true),
        (LeftOut::SlowSample { sample_ms: 1, left_ms: 1 }, "1.67× | left out: too long | not measured yet", true),
        (LeftOut::CoarseClock { sample_ms: 1, budget_s: 1 }, "1.67× | left out: too long | not measured yet", true),
        (LeftOut::NotReached, "1.67× | not reached | not measured yet", true),
    ] {
        let claim = study.claims.iter().find(|claim| claim.id == "ratio-at-50-mb").unwrap();
        let mut measured = fixtures::measured(&study, claim, Way::AsPublished, 2.0);
        measured.runs[0][0].records[1].outcome = Outcome::LeftOut(reason.clone());
        let page = text(&measured.page());
        assert!(page.contains(said), "{reason:?}: {page}");
        assert_eq!(page.contains("Measure longer: "), advice, "{reason:?}: {page}");
        assert!(page.lines().any(|line| line.starts_with("not measured   ") && line.ends_with(&claim.says)), "{page}");
    }
    // What a library does not have has a row where the study has a number for it.
    let claim = study.claims.iter().find(|claim| claim.id == "aes-faster").unwrap();
    let mut measured = fixtures::measured(&study, claim, Way::AsPublished, 2.0);
    let lacking = measured.runs[0][0].records.last_mut().unwrap();
    lacking.outcome = Outcome::Unsupported { why: "too large".into() };
    let page = text(&measured.page());
    assert!(page.contains("50 MiB (50 MB) | 1.67× | not in the library | "), "{page}");
}

#[test]
fn runs_that_answer_are_named_in_order() {
    let study = find("python-sizes").unwrap().unwrap();
    let claim = study.claims.iter().find(|claim| claim.id == "time-ratio").unwrap();
    let run = |way, id| {
        let question = claim.question(way).unwrap();
        vec![fixtures::run(id, question.scenario, fixtures::planted_for(&question, 2.7))]
    };
    let runs = vec![run(Way::AsPublished, 31), run(Way::Proper, 2), Vec::new()];
    let page = text(&Measured { study: &study, runs, store: None }.page());
    assert!(page.contains("Here: runs 2, 31 on "), "{page}");
}

/// Whatever was measured, commands are about the store that runs are read from.
#[test]
fn commands_name_the_store() {
    let study = find("python-sizes").unwrap().unwrap();
    let unmeasured = Measured { study: &study, runs: Vec::new(), store: Some("my runs.db".into()) };
    let screen = text(&unmeasured.screen());
    for command in ["run python-sizes", "report python-sizes", "show python-sizes --all"] {
        assert!(screen.contains(&format!(": ciphermeter study {command} --store 'my runs.db'\n")), "{screen}");
    }
}

/// Intel's speed-up is that of its printed times, 67.9 ÷ 12.3 s: no contradiction.
#[test]
fn speed_up_of_intel_follows_from_the_printed_times() {
    let page = unmeasured(&find("parallel").unwrap().unwrap());
    assert!(!page.contains("Intel, 14 threads: printed") && !page.contains("148 MB/s"), "{page}");
    assert!(page.contains("M4 Pro, 14 threads: printed 6.6; from the other columns follows 8.12"), "{page}");
}
