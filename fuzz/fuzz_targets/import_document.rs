//! Exports of runs: no text panics, what is wrong is one line without control characters, and what is
//! accepted is within a store's limits: records in their order, scenarios that could be run, no cells
//! but those that exist, and no text that hides anything.
#![no_main]

use ciphermeter_core::{MAX_INTEGER, escaped};
use ciphermeter_import::import;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|document: &[u8]| {
    let (run, records) = match import(document) {
        Ok(imported) => imported,
        Err(error) => {
            let error = error.to_string();
            assert!(!error.is_empty() && escaped(&error) == error, "{error:?}");
            return;
        }
    };
    run.scenario.check().expect("an imported scenario is within the limits");
    let texts = run.notes.iter().map(ToString::to_string).chain([run.started, run.version]);
    let providers = records.iter().map(|record| record.cell.provider.clone());
    let reasons = records.iter().filter_map(|record| record.outcome.why());
    for text in texts.chain(providers).chain(reasons) {
        assert_eq!(escaped(&text), text);
    }
    for (place, record) in records.iter().enumerate() {
        assert_eq!(record.id.index(), place);
        assert!(record.summary.as_ref().is_none_or(|summary| summary.reference.index() < records.len()));
        for fork in &record.forks {
            assert_eq!(fork.rounds.len(), fork.samples.len());
            for sample in &fork.samples {
                assert_eq!(sample.cell, record.id);
                assert!((1..=MAX_INTEGER).contains(&sample.iterations));
                assert!(sample.after.is_none_or(|after| after.index() < records.len()));
            }
        }
    }
});
