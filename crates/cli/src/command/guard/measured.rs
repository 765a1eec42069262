//! One of a guard's two measurements: as `run --against` measures, of a pair.

use std::path::absolute;

use anyhow::Result;
use ciphermeter_core::{Against, Note, Record, Run, RunStatus, Scenario};
use ciphermeter_meter::End;
use ciphermeter_native::OwnFiles;
use ciphermeter_report::Stored;
use ciphermeter_store::Store;

use crate::args::GuardOptions;
use crate::command::run::{Way, measured_so};
use crate::command::show;
use crate::sources::Sources;
use crate::{request, switches};

/// A measurement, and how it ended.
pub struct Measured {
    pub run: Run,
    pub records: Vec<Record>,
    pub end: End,
}

impl Measured {
    pub fn stored(&self) -> Stored<'_> {
        Stored { run: &self.run, records: &self.records }
    }

    pub fn is_interrupted(&self) -> bool {
        self.end.status == RunStatus::Interrupted
    }
}

/// Measures a pair into the store, which the caller has locked.
pub fn measured(
    options: &GuardOptions,
    store: &Store,
    (scenario, seed): (Scenario, Option<u64>),
    sources: Sources,
) -> Result<Measured> {
    let mut run = request::begin(scenario, seed);
    request::compare(
        &mut run,
        Against { old: named(&options.old), threshold: options.threshold, may_hide: Some(options.may_hide) },
        None,
    );
    run.plan.asked.clone_from(&options.asked);
    switches::settle(&mut run, &sources.sources);
    run.notes.push(Note::other(format!("NEW is {}", named(&options.new))));
    let files = OwnFiles::default();
    let (quiet, patience) = (options.quiet, options.patience.duration());
    let way = Way { quiet, patience, store: &options.store, files: &files, meter: None };
    let (id, end) = measured_so((run, None, sources), &way, store)?;
    let (run, records) = show::load(store, id, &options.store)?;
    Ok(Measured { run, records, end })
}

/// A file with its whole path, a command as it is.
fn named(side: &str) -> String {
    let whole = absolute(side).ok().filter(|whole| whole.exists());
    whole.and_then(|whole| whole.to_str().map(String::from)).unwrap_or_else(|| side.to_owned())
}
