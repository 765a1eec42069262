//! Split messages on the simulated machine: speed-up over one thread, one size after the other, and whatever comes out wrong.

use ciphermeter_core::{Form, Outcome, Record, RunStatus};
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
    let reason = |record: &Record| match &record.outcome {
        Outcome::Unsupported { why } => why.clone(),
        _ => String::new(),
    };
    for record in &kept.records {
        let large = record.cell.parameters.message() > 1 << 20;
        assert_eq!(reason(record).contains("six forks of one message of each cell take"), large, "{}", reason(record));
    }
}

#[test]
fn messages_beyond_the_memory_are_left_out_with_the_reason() {
    let (end, kept) = Trial { messages: r#""1024GiB""#, ..trial([Model::new("a", 100.0)]) }.run();
    assert!(!end.unwrap().measured);
    for record in &kept.records {
        let Outcome::Unsupported { why } = &record.outcome else { panic!("{record:?}") };
        assert!(why.contains("of memory are free; choose a smaller --message"), "{why}");
    }
}

#[test]
fn forms_of_other_kinds_are_refused() {
    let (end, _) = Trial { lines: r#"forms = ["device"]"#, ..trial([Model::new("a", 100.0)]) }.run();
    let Err(MeterError::Nothing(why)) = end else { panic!("{end:?}") };
    assert!(why.iter().any(|why| why.contains("in the form in-place, into, static, dynamic")), "{why:?}");
}
