//! A run's JSON export, read back: the run and its records, as a store has them.
//!
//! The document may be anyone's. Its size, its lists and its numbers are checked against the limits
//! that a store has, its texts are escaped and cut as a store's are, and what is wrong with it is a
//! sentence that names the place. Nothing here reads files, so that a server and a page in a browser
//! can read exports, too.

mod device;
mod error;
mod forks;
mod latency;
mod memory;
mod objects;
mod outline;
mod part;
mod place;
mod record;
mod run;
mod samples;
mod schema;
mod summary;
mod values;

use std::collections::BTreeMap;

use ciphermeter_core::{Record, Run, most};
use ciphermeter_estimate::anew;

use serde::Deserialize;
use serde_json::value::RawValue;

use error::Wrong;
pub use error::{Damage, ImportError};
use outline::Outline;
use record::Known;
pub use schema::SCHEMA;

/// The same with the summaries that the samples have, whatever the document says of them: for runs from elsewhere.
///
/// # Errors
/// Those of [`import`].
pub fn import_samples(document: &[u8]) -> Result<(Run, Vec<Record>), ImportError> {
    let (run, mut records) = import(document)?;
    anew(&run.scenario, run.against.is_some(), &run.plan, &mut records);
    Ok((run, records))
}

/// The exports in the document of a guard (`ciphermeter guard --json`): one, or two after an alarm. `None` of any other document.
pub fn measurements(document: &[u8]) -> Option<Vec<&[u8]>> {
    fn all<'a, T: Deserialize<'a> + IntoIterator<Item = &'a RawValue>>(text: &'a str) -> Option<Vec<&'a [u8]>> {
        let guard: Guard<T> = serde_json::from_str(text).ok()?;
        Some(guard.measurements.into_iter().map(|export| export.get().as_bytes()).collect())
    }
    let text = std::str::from_utf8(document).ok()?;
    all::<[&RawValue; 1]>(text).or_else(|| all::<[&RawValue; 2]>(text))
}

/// Arrays of a known length alone: a list from outside may have any.
#[derive(Deserialize)]
struct Guard<T> {
    measurements: T,
}

/// The run and the records of an export (`ciphermeter export --format json`, `run --json`).
///
/// All that the document holds is taken: the head with scenario and notes, the host's facts with
/// reasons, and of each record the cell, its provenance with the device, the outcome, the summary,
/// raw samples, single calls and memory. What is computed from these for an export (the answer,
/// rates, percentiles, the courses of loads) is not read, but computed again.
///
/// The document does not hold all of a run. These have their defaults:
/// - [`Run::store`] and [`Run::is_measuring`]: the run is in no store, and nothing measures it;
/// - the parts of [`Run::plan`], of which only the method and the metrics are exported.
///
/// What notes are about is found from their sentences, as for stores of earlier versions. Metrics
/// that this build does not know are kept until the process ends, and there may be 256 of them
/// ([`ciphermeter_core::Metric::described`]).
///
/// # Errors
/// The document is too long, no JSON, no export of a run, of another schema, or breaks a rule.
pub fn import(document: &[u8]) -> Result<(Run, Vec<Record>), ImportError> {
    let outline = Outline::of(document)?;
    let run = run::run(&outline)?;
    let texts = outline.records()?;
    let known = Known { cells: texts.len(), metrics: run.plan.counted() };
    let (mut records, mut samples) = (Vec::with_capacity(texts.len()), 0);
    let (mut cells, mut cut_off) = (BTreeMap::new(), BTreeMap::new());
    for (place, text) in texts.into_iter().enumerate() {
        let mut taken = || {
            let record = record::record(text, place, &known)?;
            samples += record.forks.iter().map(|fork| fork.samples.len()).sum::<usize>();
            if samples > most::SAMPLES {
                return Err(Wrong::new("samples", format!("has a sample beyond {}, the most of a run", most::SAMPLES)));
            }
            forks::agree(&record, &mut cut_off)?;
            if let Some(other) = cells.insert(record.cell.to_string(), place) {
                return Err(Wrong::new("", format!("has the cell of record {other}")));
            }
            Ok(record)
        };
        records.push(taken().map_err(|wrong: Wrong| wrong.of_record(place))?);
    }
    Ok((run, records))
}
