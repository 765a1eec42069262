//! Cells of several threads are compared with their own provider's cell of one, in rounds of their own.

use ciphermeter_core::{Record, RunStatus};

use crate::model::Model;
use crate::trial::{Kept, Trial};

fn trial(lines: &'static str) -> Kept {
    let slow = Model { contended: 1.25, ..Model::new("slow", 150.0) };
    let mut trial = Trial::new([Model { contended: 1.1, ..Model::new("fast", 100.0) }, slow]);
    (trial.lines, trial.cpus, trial.habits.drift) = (lines, 4, 0.2);
    let (end, kept) = trial.run();
    assert_eq!(end.unwrap().status, RunStatus::Complete);
    kept
}

fn find_record<'a>(kept: &'a Kept, provider: &str, threads: u64, cpus: Option<u64>) -> &'a Record {
    let is_wanted = |record: &&Record| {
        let parameters = &record.cell.parameters;
        record.cell.provider == provider && parameters.threads() == threads && parameters.cpus() == cpus
    };
    kept.records.iter().find(is_wanted).unwrap()
}

#[test]
fn what_threads_cost_each_other_is_found() {
    let kept = trial("threads = [1, 2]");
    for (provider, truth) in [("fast", 1.1), ("slow", 1.25)] {
        let (one, two) = (find_record(&kept, provider, 1, Some(4)), find_record(&kept, provider, 2, Some(4)));
        let summary = two.summary.as_ref().unwrap();
        assert_eq!(summary.reference, one.id, "its own provider's");
        let ratio = summary.ratio.unwrap();
        assert!((ratio.mid / truth - 1.0).abs() < 0.01 && ratio.low < truth && truth < ratio.high * 1.002, "{ratio:?}");
    }
    let mid = find_record(&kept, "slow", 1, None).summary.as_ref().unwrap().ratio.unwrap().mid;
    assert!((mid / 1.5 - 1.0).abs() < 0.01, "in turns on one CPU, providers are compared with each other: {mid}");
}

#[test]
fn phases_share_no_fork() {
    let kept = trial("threads = [1, 4]");
    let forks = |record: &Record| -> Vec<u32> {
        record.forks.iter().filter(|fork| !fork.samples.is_empty()).map(|fork| fork.number).collect()
    };
    let (turns, threads) = (forks(find_record(&kept, "fast", 1, None)), forks(find_record(&kept, "fast", 4, Some(4))));
    assert!(turns.len() >= 6 && threads.len() >= 6, "{turns:?} {threads:?}");
    assert!(turns.last() < threads.first(), "{turns:?} {threads:?}");
}

#[test]
fn threads_without_cpus_are_left_out_with_a_note() {
    let mut trial = Trial::new([Model::new("a", 100.0)]);
    (trial.lines, trial.cpus) = ("threads = [1, 8]", 2);
    let (_, kept) = trial.run();
    assert_eq!(kept.records.len(), 1);
    assert!(kept.notes.iter().any(|note| note.contains("more than 2 threads are left out")), "{:?}", kept.notes);
}
