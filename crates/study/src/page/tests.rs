use super::*;
use crate::built_in::{all, find};

fn text(page: &[Block]) -> String {
    let line = |block: &Block| match block {
        Block::Paragraph(paragraph) => format!("{}{}\n", paragraph.lead, paragraph.text),
        Block::Table(ratios) => ratios.rows.iter().map(|row| row.join(" | ") + "\n").collect(),
    };
    page.iter().map(line).collect()
}

fn unmeasured(study: &Study) -> String {
    text(&Measured { study, runs: study.measures.iter().map(|_| None).collect() }.page())
}

#[test]
fn unmeasured_study_says_what_to_do_and_what_the_study_printed() {
    let page = unmeasured(&find("python-sizes").unwrap().unwrap());
    assert!(page.contains("5 claims: 4 not measured yet, 1 not tested here."), "{page}");
    assert!(page.contains("Nothing is measured yet: ciphermeter study run python-sizes"), "{page}");
    assert!(page.contains("As published it needs a small device"), "{page}");
    assert!(page.contains("1 KB: printed 0.614 MB, follows 0.00195 to 0.00586 MB"), "{page}");
    assert!(page.contains("10 MB | 2.62 to 2.87× | – | –"), "{page}");
}

/// By hand from the printed digits: the least numerator by the greatest denominator, and the other way round.
#[test]
fn published_ratios_follow_from_the_printed_digits() {
    for (name, row) in [
        ("tcp-sockets", "10 KB | 1.74× | – | –"),         // 126.04 ÷ 72.37
        ("esp32", "throughput | 2.45× | – | –"),          // 260678.94 ÷ 106567.82
        ("python-sizes", "1 MB | 1.60 to 2.67× | – | –"), // 4.0005 ÷ 2.5 to 4.0015 ÷ 1.5
        ("python-sizes", "1 KB | 245 to 410× | – | –"),   // 0.6135 ÷ 0.0025 to 0.6145 ÷ 0.0015
        ("languages", "encrypt | 0.76× | – | –"),         // 0.103866 ÷ 0.136823
        ("languages", "16 B | 1.42× | – | –"),            // 188432.20 ÷ 132472.96
        ("parallel", "Intel | 22.7 to 22.9× | – | –"),    // 3489.5 ÷ 153.5 to 3490.5 ÷ 152.5
    ] {
        let page = unmeasured(&find(name).unwrap().unwrap());
        assert!(page.contains(&format!("{row}\n")), "{name}: {row}: {page}");
    }
    let languages = unmeasured(&find("languages").unwrap().unwrap());
    assert!(languages.contains("The study's own numbers contradict it in 2 of 2 published ratios."), "{languages}");
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
            let verdict = if claim.needs.is_some() { "not tested  " } else { "not measured" };
            let line = page.lines().find(|line| line.starts_with("not ") && line.ends_with(&claim.says));
            assert!(line.is_some_and(|line| line.starts_with(verdict)), "{}: {page}", claim.id);
        }
    }
}
