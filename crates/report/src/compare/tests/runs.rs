//! Two stored runs, through a reference.

use ciphermeter_core::{Algorithm, Copies, Fact, Mask, Outcome, Record, Run, Share};

use super::{at_80, records, run, seal, unwrapped};
use crate::compare::compare;
use ciphermeter_answer::fixtures::Made;
use ciphermeter_answer::regression::{Finding, Stored, Verdict};

const GCM: Algorithm = Algorithm::Aes256Gcm;
const CHACHA: Algorithm = Algorithm::ChaCha20Poly1305;

/// Two sizes; `openssl` changed, on a machine that is a third slower in the second run.
fn cells(machine: f64, openssl: f64) -> Vec<Made> {
    let of = |message: u64| {
        let ns = machine * (50.0 + message as f64 / 5.0);
        [
            seal("aws-lc", GCM, message, ns),
            seal("aws-lc", CHACHA, message, 2.0 * ns),
            seal("openssl", GCM, message, openssl * ns),
            seal("openssl", CHACHA, message, 2.5 * ns),
            seal("ceiling", Algorithm::Memcpy, message, 0.1 * ns),
        ]
    };
    [16, 1024].into_iter().flat_map(of).collect()
}

/// Run 3 with OpenSSL 3.0.17, run 4 with 3.5.0.
fn upgraded(openssl: f64) -> [(Run, Vec<Record>); 2] {
    [(3, "3.0.17", "aa", 1.0, 1.2), (4, "3.5.0", "bb", 1.33, openssl)].map(|(id, version, hash, machine, openssl)| {
        let mut records = records(&cells(machine, openssl));
        of(&mut records, "openssl", |record| {
            let provenance = record.provenance.as_mut().unwrap();
            (provenance.version, provenance.sha256) = (version.into(), Some(hash.repeat(32)));
        });
        (run(id), records)
    })
}

fn of(records: &mut [Record], provider: &str, edit: impl Fn(&mut Record)) {
    records.iter_mut().filter(|record| record.cell.provider == provider).for_each(edit);
}

fn judged(runs: &[(Run, Vec<Record>); 2]) -> (String, Verdict) {
    let [before, after] = runs.each_ref().map(|(run, records)| Stored { run, records });
    let text = at_80(|look| compare(before, after, Share(0.05), look).0);
    (text, compare(before, after, Share(0.05), crate::TableOptions::default()).1)
}

#[test]
fn a_slower_machine_is_no_regression_and_a_slower_library_is() {
    let (text, verdict) = judged(&upgraded(1.2));
    assert_eq!((verdict.slower, verdict.cells.len(), verdict.finding()), (0, 4, Finding::Fine));
    assert_eq!(
        (verdict.same.len(), verdict.unmatched.len()),
        (2, 0),
        "the references themselves, and ceilings, have no line"
    );
    assert!(
        verdict.same.iter().all(|same| same.cell.algorithm == CHACHA),
        "the first by name among equals is the reference"
    );
    assert!(text.contains("both runs: aws-lc aes-256-gcm in 2 groups"), "{text}");
    let (text, verdict) = judged(&upgraded(1.32));
    assert_eq!((verdict.slower, verdict.finding()), (2, Finding::Slower));
    assert!((verdict.cells[0].ratio.mid - 1.1).abs() < 0.003, "{verdict:?}");
    insta::assert_snapshot!(text);
}

#[test]
fn the_reference_has_the_most_quiet_samples_and_a_ceiling_comes_last() {
    let mut runs = upgraded(1.2);
    for (_, records) in &mut runs {
        for record in records
            .iter_mut()
            .filter(|record| (record.cell.provider.as_str(), record.cell.algorithm) == ("aws-lc", GCM))
        {
            record.forks.iter_mut().for_each(|fork| {
                fork.samples.pop();
                fork.rounds.pop();
            });
        }
    }
    assert!(judged(&runs).0.contains("both runs: aws-lc chacha20-poly1305 in 2 groups"));
    for (_, records) in &mut runs {
        of(records, "aws-lc", |record| record.outcome = Outcome::Failed { why: "gone".into() });
    }
    assert!(judged(&runs).0.contains("both runs: ceiling memcpy in 2 groups"));
}

#[test]
fn without_a_common_reference_the_candidates_are_named() {
    let mut runs = upgraded(1.2);
    for provider in ["aws-lc", "ceiling"] {
        of(&mut runs[1].1, provider, |record| record.provenance.as_mut().unwrap().program = Some("60".repeat(32)));
    }
    let (text, verdict) = judged(&runs);
    assert_eq!(verdict.finding(), Finding::Nothing);
    insta::assert_snapshot!(text);
    for (_, records) in &mut runs {
        of(records, "aws-lc", |record| record.provenance.as_mut().unwrap().program = None);
    }
    let (text, _) = judged(&runs);
    let why = "aws-lc: neither its library nor its program has a hash";
    assert!(unwrapped(&text).contains(why), "{text}");
}

#[test]
fn another_host_is_refused_and_another_kernel_told() {
    let mut runs = upgraded(1.2);
    runs[1].0.host[4] = Fact::present("kernel", "Linux 6.19.0");
    runs[1].0.host[3] = Fact::present("memory", "23.5 GiB in all, 1.0 GiB available");
    runs[1].0.host[5] = Fact::present("load", "7.00 over 1 min");
    let (text, verdict) = judged(&runs);
    assert_eq!(verdict.finding(), Finding::Fine);
    assert!(unwrapped(&text).contains("more than the code: kernel Linux 6.18.1 ≠ Linux 6.19.0"), "{text}");
    assert!(!text.contains("memory") && !text.contains("load"), "{text}");
    runs[1].0.host[0] = Fact::present("cpu", "Example Xeon");
    runs[1].0.host[1] = Fact::absent("microcode", "not told");
    let (text, verdict) = judged(&runs);
    assert_eq!(verdict.finding(), Finding::Nothing);
    let why = "Not comparable: other host: cpu Example EPYC 9 ≠ Example Xeon; microcode 0x1 ≠ unknown";
    assert!(unwrapped(&text).contains(why), "{text}");
    runs[0].0.host.clear();
    assert!(judged(&runs).0.contains("Not comparable: a run doesn't say on which CPU it was made"));
}

#[test]
fn pages_in_the_same_browser_are_compared_and_in_another_refused() {
    let mut runs = upgraded(1.2);
    for (run, _) in &mut runs {
        run.host =
            vec![Fact::absent("cpu", "browsers do not tell it"), Fact::present("browser", "Firefox 153 on Linux")];
    }
    assert_eq!(judged(&runs).1.finding(), Finding::Fine);
    runs[1].0.host[1] = Fact::present("browser", "Chromium 156 on Android");
    let why = "Not comparable: other host: browser Firefox 153 on Linux ≠ Chromium 156 on Android";
    assert!(unwrapped(&judged(&runs).0).contains(why));
}

#[test]
fn runs_on_other_instructions_are_refused() {
    let mut runs = upgraded(1.2);
    runs.iter_mut().for_each(|(run, _)| run.mask = Some(Mask::NoVaes));
    assert_eq!(judged(&runs).1.finding(), Finding::Fine);
    runs[0].0.mask = None;
    let (text, verdict) = judged(&runs);
    assert_eq!(verdict.finding(), Finding::Nothing);
    let why = "Not comparable: run 3 was made with all instructions of the CPU, run 4 was made as on a CPU without VAES and \
               VPCLMULQDQ (--cpu no-vaes)";
    assert!(unwrapped(&text).contains(why), "{text}");
}

#[test]
fn runs_of_two_methods_are_refused() {
    let mut runs = upgraded(1.2);
    runs.iter_mut().for_each(|(run, _)| run.plan.method = 2);
    assert_eq!(judged(&runs).1.finding(), Finding::Fine);
    runs[0].0.plan.method = 0;
    let (text, verdict) = judged(&runs);
    assert_eq!(verdict.finding(), Finding::Nothing);
    let why = "Not comparable: run 3 was measured by a method without a number, run 4 was measured by method 2: measure both \
               anew";
    assert!(unwrapped(&text).contains(why), "{text}");
}

#[test]
fn one_measurement_that_was_taken_in_twice_is_refused() {
    let mut runs = upgraded(1.2);
    assert_eq!(judged(&runs).1.finding(), Finding::Fine);
    runs[1].0.seed = runs[0].0.seed;
    let (text, verdict) = judged(&runs);
    assert_eq!(verdict.finding(), Finding::Nothing);
    assert!(unwrapped(&text).contains("Not comparable: runs 3 and 4 are one measurement, taken in twice"), "{text}");
}

#[test]
fn a_self_check_is_refused() {
    let mut runs = upgraded(1.2);
    runs[0].0.scenario.copies = Some(Copies { names: 40, ..Default::default() });
    let (text, verdict) = judged(&runs);
    assert_eq!(verdict.finding(), Finding::Nothing);
    assert!(text.contains("Not comparable: run 3 is one library under many names"), "{text}");
}

#[test]
fn where_what_did_not_change_differs_nothing_is_compared() {
    let mut runs = upgraded(1.4);
    for sample in runs[1].1[1].forks.iter_mut().flat_map(|fork| &mut fork.samples) {
        sample.counts[0].1 += sample.counts[0].1 / 5;
    }
    let (text, verdict) = judged(&runs);
    assert_eq!((verdict.cells.len(), verdict.slower, verdict.finding()), (2, 1, Finding::Slower));
    assert_eq!(verdict.same.iter().filter(|same| same.is_slower()).count(), 1);
    assert!(verdict.cells.iter().all(|compared| compared.cell.parameters.message() == 1024));
    insta::assert_snapshot!(text);
}

#[test]
fn the_same_code_throughout() {
    let mut runs = upgraded(1.2);
    runs[1].1 = runs[0].1.clone();
    let (text, verdict) = judged(&runs);
    assert_eq!((verdict.cells.len(), verdict.same.len(), verdict.finding()), (0, 6, Finding::Fine));
    assert!(text.contains("No change found"), "{text}");
}

#[test]
fn what_only_one_run_has_is_listed_and_what_is_lost_is_loud() {
    let mut runs = upgraded(1.2);
    runs[1].1.retain(|record| record.cell.parameters.message() == 16);
    runs[1].1[2].outcome = Outcome::Failed { why: "ended with signal 4".into() };
    let (text, verdict) = judged(&runs);
    assert_eq!((verdict.lost.len(), verdict.unmatched.len(), verdict.finding()), (1, 4, Finding::Partial));
    insta::assert_snapshot!(text);
    for (run, why) in [(0, "not measured in the earlier run"), (1, "measured in neither run")] {
        let mut runs = upgraded(1.2);
        runs[..=run].iter_mut().for_each(|(_, records)| records[2].outcome = Outcome::Failed { why: "gone".into() });
        let (text, verdict) = judged(&runs);
        assert_eq!(verdict.finding(), Finding::Fine);
        assert!(text.contains(why), "{text}");
    }
}

#[test]
fn too_few_forks_in_either_are_not_enough() {
    let mut runs = upgraded(1.4);
    runs[0].1.iter_mut().flat_map(|record| record.forks.last_mut()).for_each(|fork| fork.short = true);
    let (text, verdict) = judged(&runs);
    assert_eq!(verdict.finding(), Finding::Nothing);
    let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("5 whole forks with both in the earlier run, 6 in the later one; a comparison needs 6"),
        "{text}"
    );
}

#[test]
fn forms_are_never_mixed() {
    let mut runs = upgraded(1.2);
    runs[1].1.iter_mut().for_each(|record| record.cell.form = ciphermeter_core::Form::Into);
    let (text, verdict) = judged(&runs);
    assert_eq!((verdict.cells.len(), verdict.finding()), (0, Finding::Nothing));
    let text = unwrapped(&text);
    assert!(text.contains("only in run 3") && text.contains("only in run 4"), "{text}");
}

#[test]
fn lone_cipher_is_compared_with_the_ceiling_beside_it() {
    let runs = [(5, 100.0), (6, 120.0)].map(|(id, ns)| {
        let memcpy = seal("ceiling", Algorithm::Memcpy, 16, 10.0);
        let mut records = records(&[seal("openssl", GCM, 16, ns), memcpy]);
        of(&mut records, "openssl", |record| record.provenance.as_mut().unwrap().version = format!("3.{id}"));
        (run(id), records)
    });
    let (text, verdict) = judged(&runs);
    assert_eq!((verdict.cells.len(), verdict.finding()), (1, Finding::Slower), "{text}");
}

#[test]
fn cells_that_are_alone_in_their_groups_are_not_compared_and_the_reason_is_said() {
    let runs = [5, 6].map(|id| (run(id), records(&[seal("openssl", GCM, 16, 100.0)])));
    let (text, verdict) = judged(&runs);
    assert_eq!(verdict.finding(), Finding::Nothing);
    let text = unwrapped(&text);
    assert!(text.contains("Not comparable: each cell is alone in its group, so nothing shows how fast"), "{text}");
}

#[test]
fn runs_with_nothing_in_common_end_in_one_line() {
    let of = |id, algorithm| {
        (run(id), records(&[seal("openssl", algorithm, 16, 100.0), seal("ring", algorithm, 16, 100.0)]))
    };
    let (text, verdict) = judged(&[of(3, GCM), of(4, CHACHA)]);
    assert_eq!(
        unwrapped(&text).trim_end(),
        "Not comparable: there is no cell in both; 2 cells only in run 3; 2 cells only in run 4."
    );
    assert_eq!(verdict.finding(), Finding::Nothing);
}
