//! Messages that are handed over many at a time: samples are full batches, however long a message takes.

use ciphermeter_core::{BATCH, Form, Outcome};

use crate::model::Model;
use crate::trial::Trial;

#[test]
fn samples_are_full_batches() {
    let mut trial = Trial::new([100.0, 150.0].map(|each| Model::new(if each < 120.0 { "a" } else { "b" }, each)));
    let lines = "forms = [\"batch\", \"into\"]\nlatency = true";
    (trial.lines, trial.messages) = (lines, r#""16", "1KiB", "1MiB""#);
    let (end, kept) = trial.run();
    end.unwrap();
    for record in kept.records.iter().filter(|record| record.cell.form == Form::Batch) {
        assert_eq!(record.outcome, Outcome::Measured, "{}", record.cell);
        let mut samples = record.forks.iter().flat_map(|fork| &fork.samples);
        assert!(samples.all(|sample| sample.iterations.is_multiple_of(BATCH)), "{}", record.cell);
        assert!(record.latency.is_empty(), "a message of a batch has no call of its own");
    }
}
