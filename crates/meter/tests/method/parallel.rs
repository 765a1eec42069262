//! Split messages on the simulated machine: speed-up over one thread, one size after the other, and whatever comes out wrong.

use std::time::Duration;

use ciphermeter_core::{CellId, Form, LeftOut, Outcome, Record, RunStatus};
use ciphermeter_estimate::fill;
use ciphermeter_meter::MeterError;

use crate::model::{Model, Vice};
use crate::trial::{Kept, Trial};

/// Two forms on one, two and four threads.
fn trial(models: impl Into<Vec<Model>>) -> Trial {
    Trial {
        kind: "parallel",
        budget: "60s",
        messages: r#""1MiB", "4MiB""#,
        lines: r#"forms = ["static", "dynamic"]
threads = ["doubling"]"#,
        cpus: 4,
        ..Trial::new(models)
    }
}

fn record<'a>(kept: &'a Kept, provider: &str, form: Form, message: u64, threads: u64) -> &'a Record {
    let found = kept.records.iter().find(|record| {
        let cell = &record.cell;
        (cell.provider.as_str(), cell.form) == (provider, form)
            && (cell.parameters.message(), cell.parameters.threads()) == (message, threads)
    });
    found.unwrap_or_else(|| panic!("{provider} {form} {message} {threads}"))
}

#[test]
fn speed_up_over_one_thread_is_found_in_both_forms() {
    let model = |name: &str, each| Model { contended: 1.1, ..Model::new(name, each) };
    let (end, kept) = trial([model("a", 100.0), model("b", 150.0)]).run();
    assert_eq!(end.unwrap().status, RunStatus::Complete);
    assert_eq!(kept.records.len(), 2 * 2 * (3 + 2), "one thread takes no chunks");
    for message in [1 << 20, 4 << 20] {
        let one = record(&kept, "a", Form::Static, message, 1);
        for (form, threads) in [(Form::Static, 2), (Form::Static, 4), (Form::Dynamic, 2), (Form::Dynamic, 4)] {
            let several = record(&kept, "a", form, message, threads);
            let summary = several.summary.as_ref().unwrap();
            assert_eq!(summary.reference, one.id, "{form}, {threads} threads");
            let expected = 1.1_f64.powi(threads as i32 - 1) / threads as f64;
            let ratio = summary.ratio.unwrap().mid;
            assert!((ratio / expected - 1.0).abs() < 0.02, "{form}, {threads} threads: {ratio} for {expected}");
        }
    }
}

#[test]
fn one_size_comes_after_the_other_in_forks_of_its_own() {
    let (_, kept) = trial([Model::new("a", 100.0)]).run();
    let forks = |message| {
        let record = record(&kept, "a", Form::Static, message, 1);
        record.forks.iter().filter(|fork| !fork.samples.is_empty()).map(|fork| fork.number).collect::<Vec<_>>()
    };
    let (small, large) = (forks(1 << 20), forks(4 << 20));
    assert!(small.len() >= 6 && large.len() >= 6, "{small:?} {large:?}");
    assert!(small.last() < large.first());
}

fn why(vice: Vice) -> Vec<(u64, String)> {
    let bad = Model { vice, ..Model::new("bad", 100.0) };
    let (end, kept) = trial([Model::new("good", 100.0), bad]).run();
    assert!(end.unwrap().wrong_output);
    assert!(
        kept.records
            .iter()
            .filter(|record| record.cell.provider == "good")
            .all(|record| record.outcome == Outcome::Measured)
    );
    let why = |record: &Record| match &record.outcome {
        Outcome::WrongOutput { why } => Some((record.cell.parameters.threads(), why.clone())),
        _ => None,
    };
    kept.records.iter().filter_map(why).collect()
}

#[test]
fn wrong_byte_where_slices_meet_is_found_and_named() {
    let wrong = why(Vice::WrongAtSlice);
    let threads: Vec<_> = wrong.iter().filter(|(_, why)| why.contains("differs at byte 524288 of")).collect();
    assert!(!threads.is_empty(), "{wrong:?}");
    assert!(wrong.iter().all(|(threads, _)| *threads > 1), "one thread has no slices: {wrong:?}");
}

#[test]
fn wrong_byte_anywhere_is_found_on_the_way_back() {
    let wrong = why(Vice::WrongSomewhere);
    assert_eq!(wrong.len(), 10);
    assert!(wrong.iter().all(|(_, why)| why.contains("has the CRC-32") && why.contains("where the message has")));
    let wrong = why(Vice::NoWayBack);
    assert!(wrong.iter().all(|(_, why)| why.ends_with("it has no inverse")), "{wrong:?}");
}

#[test]
fn size_for_which_there_is_no_time_is_left_out_with_the_reason() {
    let short = Trial { budget: "60s", messages: r#""1MiB", "32MiB""#, ..trial([Model::new("a", 50_000.0)]) };
    let (end, kept) = short.run();
    assert_eq!(end.unwrap().status, RunStatus::Complete);
    let reason = |record: &Record| record.outcome.why().unwrap_or_default();
    for record in &kept.records {
        let large = record.cell.parameters.message() > 1 << 20;
        assert_eq!(reason(record).contains("six forks of one message of each cell take"), large, "{}", reason(record));
        assert_eq!(reason(record).contains("remain for this size; use --budget "), large, "{}", reason(record));
    }
}

#[test]
fn where_not_all_ways_fit_one_thread_and_all_threads_of_slices_are_kept() {
    let models = [Model::new("a", 50_000.0), Model::new("b", 60_000.0)];
    let measured = |budget| {
        let (_, kept) = Trial { budget, messages: r#""32MiB""#, ..trial(models.clone()) }.run();
        let is_measured = |record: &&Record| record.outcome == Outcome::Measured;
        let ways = kept.records.iter().filter(is_measured).map(|record| {
            let cell = &record.cell;
            (cell.provider.clone(), cell.form, cell.parameters.threads())
        });
        ways.collect::<std::collections::BTreeSet<_>>()
    };
    let way = |provider: &str, threads| (provider.to_owned(), Form::Static, threads);
    let slices = |ways: &[(&str, u64)]| ways.iter().map(|(provider, threads)| way(provider, *threads)).collect();
    assert_eq!(measured("5min").len(), 2 * 5, "all fit");
    assert_eq!(measured("2min"), slices(&[("a", 1), ("a", 4), ("b", 1), ("b", 4)]));
    assert_eq!(measured("90s"), slices(&[("a", 1), ("a", 4)]), "the faster provider is left");
}

#[test]
fn where_not_all_forms_of_files_fit_one_is_kept() {
    let lines = "forms = [\"mapped\", \"buffered\"]\nthreads = [\"doubling\"]";
    let model = Model::new("a", 50_000.0);
    let trial = Trial { budget: "80s", messages: r#""32MiB""#, lines, ..trial([model]) };
    let (_, kept) = trial.run();
    let measured = kept.records.iter().filter(|record| record.outcome == Outcome::Measured);
    let ways: Vec<_> = measured.map(|record| (record.cell.form, record.cell.parameters.threads())).collect();
    assert!(ways.len() == 2 && ways[0].0 == ways[1].0, "{ways:?}");
}

#[test]
fn messages_beyond_the_memory_are_left_out_with_the_reason() {
    let (end, kept) = Trial { messages: r#""1024GiB""#, ..trial([Model::new("a", 100.0)]) }.run();
    assert!(!end.unwrap().measured);
    for record in &kept.records {
        assert!(matches!(record.outcome, Outcome::LeftOut(LeftOut::NoMemory { .. })), "{record:?}");
    }
}

/// Cells without forks beside cells that have some, all of a size for which there is no room when the run is resumed.
fn resumed(again: Trial) {
    let (_, mut kept) = trial([Model::new("a", 100.0)]).run();
    let has_forks = |record: &Record| record.cell.form == Form::Static;
    let message = again.scenario().cells[0].messages[0].0;
    kept.records.retain(|record| record.cell.parameters.message() == 4 << 20);
    kept.plan.parts.clear();
    for (id, record) in (0..).map(CellId).zip(&mut kept.records) {
        record.id = id;
        record.cell.parameters.0.insert("message".into(), message);
        record.summary = None;
        if !has_forks(record) {
            record.forks.clear();
        }
        for sample in record.forks.iter_mut().flat_map(|fork| &mut fork.samples) {
            (sample.cell, sample.after) = (id, None);
        }
    }
    fill(&again.scenario(), false, &kept.plan, &mut kept.records);
    let before = kept.records.clone();
    let (end, kept) = again.resume(kept);
    assert_eq!(end.unwrap().status, RunStatus::Partial);
    for (record, before) in kept.records.iter().zip(&before) {
        match has_forks(record) {
            true => assert_eq!(record, before),
            false => assert!(record.outcome.why().is_some(), "{:?}", record.outcome),
        }
    }
    let why = "a: cells keep the forks that they have and get no more: ";
    assert!(kept.notes.iter().any(|note| note.starts_with(why)), "{:?}", kept.notes);
}

#[test]
fn resumed_run_keeps_the_forks_of_what_no_longer_fits_into_memory() {
    resumed(Trial { messages: r#""1024GiB""#, ..trial([Model::new("a", 100.0)]) });
}

#[test]
fn resumed_run_keeps_the_forks_of_what_its_worker_refuses_now() {
    let refuses = Model { vice: Vice::Refuses((4 << 20) - 1), ..Model::new("a", 100.0) };
    resumed(Trial { messages: r#""4MiB""#, ..trial([refuses]) });
}

#[test]
fn resumed_run_keeps_the_forks_of_what_no_longer_fits_into_the_time() {
    resumed(Trial { messages: r#""4MiB""#, ..trial([Model::new("a", 400_000.0)]) });
}

#[test]
fn forms_of_other_kinds_are_refused() {
    let (end, _) = Trial { lines: r#"forms = ["device"]"#, ..trial([Model::new("a", 100.0)]) }.run();
    let Err(MeterError::Nothing(why)) = end else { panic!("{end:?}") };
    assert!(
        why.iter().any(|why| why.contains("only those have device; `ciphermeter workers build gpu` builds them")),
        "{why:?}"
    );
}

/// The notes on energy of a run of that budget whose windows take so long, and whether it kept to the budget.
fn with_windows_of(seconds: u64, budget: &'static str) -> (Vec<String>, f64) {
    let window = Some(Duration::from_secs(seconds));
    let (end, kept) = Trial { window, budget, ..trial([Model::new("a", 100.0), Model::new("b", 150.0)]) }.run();
    assert_eq!(end.unwrap().status, RunStatus::Complete);
    let samples = kept.records.iter().flat_map(|record| &record.forks).flat_map(|fork| &fork.samples);
    assert!(samples.into_iter().all(|sample| sample.ns() > 0), "no window is kept without energy");
    (kept.notes.into_iter().filter(|note| note.contains("no energy")).collect(), kept.seconds)
}

#[test]
fn window_of_energy_begins_only_if_it_ends_within_the_budget() {
    let (notes, seconds) = with_windows_of(200, "60s");
    assert!(seconds <= 60.0, "{seconds}");
    assert!(
        notes.iter().all(|note| note.ends_with("a window takes 200.0 s or more; use a longer --budget")),
        "{notes:?}"
    );
    assert!(notes[0].starts_with("10 cells, for example a xor encrypt static"), "{notes:?}");
}

#[test]
fn cell_whose_windows_counted_nothing_has_the_reason() {
    let (notes, seconds) = with_windows_of(2, "10min");
    assert!(seconds <= 600.0, "{seconds}");
    assert!(notes.iter().all(|note| note.ends_with("its counter failed, as another note says")), "{notes:?}");
    assert_eq!(notes.len(), 2, "one for each size: {notes:?}");
}
