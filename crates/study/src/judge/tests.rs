use ciphermeter_core::{Algorithm, Bytes, Memory, Operation, Provenance};

use super::*;
use crate::fixtures::{planted_for, record};
use crate::group::Group;

/// Planted records: at each size ChaCha20-Poly1305 is the reference, and CBC takes so many times its time.
fn planted(ratios: &[(u64, [f64; 3])]) -> Vec<Record> {
    let pair = |(number, &(message, ratio)): (u32, &(u64, [f64; 3]))| {
        let reference = 2 * number;
        [
            record(reference, Algorithm::ChaCha20Poly1305, message, reference, Some([1.0; 3])),
            record(reference + 1, Algorithm::Aes256Cbc, message, reference, Some(ratio)),
        ]
    };
    (0..).zip(ratios).flat_map(pair).collect()
}

fn pick(algorithm: Algorithm, operation: Operation) -> Option<Pick> {
    Some(Pick { algorithm: Some(algorithm), operation: Some(operation), ..Pick::default() })
}

fn claim(expect: Expectation) -> Claim {
    Claim {
        id: "faster".into(),
        source: "section 3".into(),
        says: "ChaCha20 is faster".into(),
        note: None,
        given: None,
        inapplicable: None,
        needs: None,
        scenario: Some("python-sizes".into()),
        cpu: None,
        left: pick(Algorithm::ChaCha20Poly1305, Operation::Seal),
        right: pick(Algorithm::Aes256Cbc, Operation::Encrypt),
        expect: Some(expect),
        published: Vec::new(),
        proper: None,
    }
}

fn verdict(expect: Expectation, ratios: &[(u64, [f64; 3])]) -> Verdict {
    judge(&claim(expect), Way::AsPublished, Some(&planted(ratios))).verdict
}

#[test]
fn planted_records_decide_who_is_faster() {
    let says = |ratios: &[(u64, [f64; 3])]| verdict(Expectation::Faster, ratios);
    assert_eq!(says(&[(1024, [1.9, 2.0, 2.1]), (4096, [1.2, 1.3, 1.4])]), Verdict::Supported);
    assert_eq!(says(&[(1024, [1.9, 2.0, 2.1]), (4096, [0.7, 0.8, 0.9])]), Verdict::Contradicted);
    assert_eq!(says(&[(1024, [1.9, 2.0, 2.1]), (4096, [0.9, 1.0, 1.1])]), Verdict::Inconclusive);
    assert_eq!(says(&[]), Verdict::NotMeasured);
}

#[test]
fn sure_difference_within_what_is_equal_decides_nothing() {
    for ratio in [1.01, 0.99] {
        let near = [(64, [ratio * 0.999, ratio, ratio * 1.001])];
        assert_eq!(verdict(Expectation::Faster, &near), Verdict::Inconclusive, "{ratio}");
    }
}

#[test]
fn planted_records_decide_a_ratio_within_its_tolerance() {
    let expect = Expectation::TimeRatio { published: 2.0, tolerance: 0.25 };
    let says = |ratio| verdict(expect, &[(1024, ratio)]);
    assert_eq!(says([1.9, 2.0, 2.1]), Verdict::Supported);
    assert_eq!(says([2.4, 2.45, 2.6]), Verdict::Inconclusive);
    assert_eq!(says([2.6, 2.7, 2.8]), Verdict::Contradicted);
    assert_eq!(says([1.0, 1.1, 1.2]), Verdict::Contradicted);
}

#[test]
fn planted_memory_decides_a_ratio_of_memory() {
    let expect = Expectation::MemoryRatio { published: 2.0, tolerance: 0.1 };
    let with = |cbc: u64| {
        let mut records = planted(&[(1024, [1.0; 3])]);
        for (record, peak) in records.iter_mut().zip([1000, cbc]) {
            record.memory = vec![Memory { iterations: 1, peak_heap: Some(peak), ..Memory::default() }];
        }
        judge(&claim(expect), Way::AsPublished, Some(&records)).verdict
    };
    assert_eq!((with(2000), with(1000)), (Verdict::Supported, Verdict::Contradicted));
    assert_eq!(
        judge(&claim(expect), Way::AsPublished, Some(&planted(&[(1024, [1.0; 3])]))).verdict,
        Verdict::NotMeasured
    );
}

#[test]
fn claim_about_one_size_against_another_pairs_them() {
    let sized = |message| Some(Pick { messages: vec![Bytes(message)], ..Pick::default() });
    let claim = Claim { left: sized(1024), right: sized(4096), ..claim(Expectation::Faster) };
    let mut records = planted(&[(1024, [1.0; 3]), (4096, [1.0; 3])]);
    // Both sizes of one algorithm, compared with each other.
    records[2].summary = record(2, Algorithm::ChaCha20Poly1305, 4096, 0, Some([3.0, 4.0, 5.0])).summary;
    records[3].summary = record(3, Algorithm::Aes256Cbc, 4096, 1, Some([3.0, 4.0, 5.0])).summary;
    let judgement = judge(&claim, Way::AsPublished, Some(&records));
    assert_eq!((judgement.verdict, judgement.pairs.len()), (Verdict::Supported, 2));
}

#[test]
fn what_is_not_measured_is_not_judged() {
    assert_eq!(judge(&claim(Expectation::Faster), Way::AsPublished, None).verdict, Verdict::NotMeasured);
    let mut failed = planted(&[(1024, [1.9, 2.0, 2.1])]);
    failed[1].outcome = Outcome::Unsupported { why: "no such library".into() };
    let judgement = judge(&claim(Expectation::Faster), Way::AsPublished, Some(&failed));
    assert_eq!((judgement.verdict, judgement.pairs.len()), (Verdict::NotMeasured, 1));
    let mut alone = planted(&[(1024, [1.9, 2.0, 2.1])]);
    alone[1].summary.as_mut().unwrap().ratio = None;
    assert_eq!(judge(&claim(Expectation::Faster), Way::AsPublished, Some(&alone)).verdict, Verdict::NotMeasured);
    let parts = Claim { scenario: None, left: None, right: None, ..claim(Expectation::Faster) };
    let elsewhere = Claim { needs: Some("an ESP32".into()), ..parts };
    assert_eq!(
        judge(&elsewhere, Way::AsPublished, Some(&planted(&[(1024, [1.9, 2.0, 2.1])]))).verdict,
        Verdict::NotTested
    );
}

#[test]
fn verdict_on_each_claim_flips_under_planted_records_in_each_way() {
    for study in crate::built_in::all().unwrap() {
        for claim in &study.claims {
            for way in Way::ALL {
                let Some(question) = claim.question(way) else { continue };
                let (least, most) = question.expect.bounds();
                let holds = if most.is_finite() { (least + most) / 2.0 } else { 2.0 * least };
                let verdict = |ratio| judge(claim, way, Some(&planted_for(&question, ratio))).verdict;
                let name = format!("{}: {}, {}", study.name, claim.id, way.as_str());
                assert_eq!(verdict(holds), Verdict::Supported, "{name}");
                assert_eq!(verdict(least / 1.5), Verdict::Contradicted, "{name}");
                assert!(!most.is_finite() || verdict(most * 1.5) == Verdict::Contradicted, "{name}");
            }
        }
    }
}

/// All but those that compare machines, and those of contradictions about a machine or a program that has no records.
#[test]
fn each_claim_asks_something_of_records() {
    for study in crate::built_in::all().unwrap() {
        for claim in &study.claims {
            let asks = Way::ALL.into_iter().any(|way| claim.question(way).is_some());
            let is_elsewhere = study.group == Group::Contradictions && claim.needs.is_some();
            assert_eq!(asks || is_elsewhere, claim.inapplicable.is_none(), "{}: {}", study.name, claim.id);
        }
    }
}

#[test]
fn figure_of_fewer_than_six_forks_decides_nothing() {
    let mut records = planted(&[(1024, [1.9, 2.0, 2.1])]);
    records[1].summary.as_mut().unwrap().forks = 5;
    let judgement = judge(&claim(Expectation::Faster), Way::AsPublished, Some(&records));
    assert_eq!((judgement.verdict, judgement.pairs[0].missing), (Verdict::NotMeasured, Some(Missing::Forks(5))));
}

#[test]
fn sizes_without_a_figure_leave_every_size_open() {
    let sizes = |algorithm, operation| {
        pick(algorithm, operation).map(|pick| Pick { messages: vec![Bytes(1024), Bytes(4096)], ..pick })
    };
    let claim = Claim {
        left: sizes(Algorithm::ChaCha20Poly1305, Operation::Seal),
        right: sizes(Algorithm::Aes256Cbc, Operation::Encrypt),
        ..claim(Expectation::Faster)
    };
    let verdict = |records: &[Record]| judge(&claim, Way::AsPublished, Some(records)).verdict;
    let both = planted(&[(1024, [1.9, 2.0, 2.1]), (4096, [1.9, 2.0, 2.1])]);
    assert_eq!((verdict(&both), verdict(&both[..2])), (Verdict::Supported, Verdict::NotMeasured));
    let mut broken = both;
    broken[3].outcome = Outcome::Failed { why: "it broke".into() };
    assert_eq!(verdict(&broken), Verdict::NotMeasured);
    broken[3].outcome = Outcome::WrongOutput { why: "a byte".into() };
    assert_eq!(verdict(&broken), Verdict::WrongOutput);
    // It is seen behind a gap, too.
    broken[2].outcome = Outcome::Failed { why: "it broke".into() };
    assert_eq!(verdict(&broken), Verdict::WrongOutput);
    broken[2].outcome = Outcome::Measured;
    // What no library has is no gap.
    broken[3].outcome = Outcome::Unsupported { why: "no such cipher".into() };
    assert_eq!(verdict(&broken), Verdict::Supported);
    // One contradiction is enough.
    assert_eq!(verdict(&planted(&[(1024, [0.7, 0.8, 0.9])])), Verdict::Contradicted);
    let mut contradicting = planted(&[(1024, [0.7, 0.8, 0.9]), (4096, [1.9, 2.0, 2.1])]);
    contradicting[3].outcome = Outcome::WrongOutput { why: "a byte".into() };
    assert_eq!(verdict(&contradicting), Verdict::Contradicted);
}

#[test]
fn cells_that_no_scenario_of_a_study_has_are_left_alone() {
    for name in ["working_set", "keys", "key"] {
        let mut records = planted(&[(1024, [1.9, 2.0, 2.1])]);
        records[0].cell.parameters.0.insert(name.into(), 1 << 26);
        let judgement = judge(&claim(Expectation::Faster), Way::AsPublished, Some(&records));
        assert_eq!((judgement.verdict, judgement.pairs.len()), (Verdict::NotMeasured, 0), "{name}");
    }
}

#[test]
fn boards_answer_for_boards_and_this_machine_for_itself() {
    let study = crate::built_in::find("esp32").unwrap().unwrap();
    let claim = |id: &str| study.claims.iter().find(|claim| claim.id == id).unwrap();
    let (board, here) = (claim("faster"), claim("aes-instructions"));
    let mut records = planted_for(&board.question(Way::AsPublished).unwrap(), 2.0);
    assert_eq!(judge(board, Way::AsPublished, Some(&records)).verdict, Verdict::Supported);
    assert_eq!(judge(here, Way::AsPublished, Some(&records)).pairs, [], "a board is not this machine");
    records.iter_mut().for_each(|record| record.provenance = Some(crate::fixtures::on_board(true)));
    assert_eq!(
        judge(board, Way::AsPublished, Some(&records)).verdict,
        Verdict::NotTested,
        "an emulated core is no board"
    );
}

/// A software renderer encrypts on the CPU that it would be compared with.
#[test]
fn card_that_a_processor_plays_answers_for_no_card() {
    let study = crate::built_in::find("parallel").unwrap().unwrap();
    let claim = study.claims.iter().find(|claim| claim.id == "cpu-above-gpu").unwrap();
    let records = |path: &str| {
        let mut records = planted_for(&claim.question(Way::AsPublished).unwrap(), 2.0);
        // The provenance of a worker's record, beside whose path nothing matters here.
        let own = Provenance { path: path.into(), device: None, ..crate::fixtures::on_board(false) };
        records.iter_mut().for_each(|record| record.provenance = Some(own.clone()));
        records
    };
    let judged = |path| judge(claim, Way::AsPublished, Some(&records(path)));
    for path in ["vulkan", "metal", "cuda"] {
        assert_eq!(judged(path).verdict, Verdict::Supported, "{path}");
    }
    assert_eq!(judged("vulkan-software"), Judgement::without_pairs(Verdict::NotTested));
}

#[test]
fn heap_is_not_divided_by_resident_memory() {
    let mut records = planted(&[(1024, [1.0; 3])]);
    let counted = |heap, rss| vec![Memory { iterations: 1, peak_heap: heap, peak_rss: rss, ..Memory::default() }];
    (records[0].memory, records[1].memory) = (counted(None, Some(4000)), counted(Some(2000), Some(8000)));
    let claim = claim(Expectation::MemoryRatio { published: 2.0, tolerance: 0.1 });
    let judgement = judge(&claim, Way::AsPublished, Some(&records));
    assert_eq!(judgement.pairs[0].ratio.unwrap().mid, 2.0);
    records[0].memory = counted(None, None);
    assert_eq!(judge(&claim, Way::AsPublished, Some(&records)).verdict, Verdict::NotMeasured);
}

/// A message of twice the size may take up to twice the time.
#[test]
fn throughput_of_different_messages_is_compared_by_the_byte() {
    let sized = |message, algorithm| {
        Some(Pick { messages: vec![Bytes(message)], algorithm: Some(algorithm), ..Pick::default() })
    };
    let left = sized(64, Algorithm::ChaCha20Poly1305);
    let claim = Claim { left, right: sized(32, Algorithm::Aes256Gcm), ..claim(Expectation::MoreThroughput) };
    let verdict = |ratio| {
        let mut records = [
            record(0, Algorithm::ChaCha20Poly1305, 64, 0, Some([1.0; 3])),
            record(1, Algorithm::Aes256Gcm, 32, 0, Some(ratio)),
        ];
        records.iter_mut().for_each(|record| record.cell.operation = Operation::Seal);
        judge(&claim, Way::AsPublished, Some(&records)).verdict
    };
    assert_eq!(verdict([0.55, 0.6, 0.65]), Verdict::Supported);
    assert_eq!(verdict([0.35, 0.4, 0.45]), Verdict::Contradicted);
}
