//! `compare`: two stored runs, compared with each other.

use anyhow::{Result, bail};
use ciphermeter_core::{Share, escaped};
use ciphermeter_report::Stored;
use ciphermeter_terminal::{Exit, output};

use crate::args::{LookOptions, StoreOption};
use crate::command::show::stored;
use crate::{folders, run_output};

/// Prints what became slower or faster from run `a` to run `b`, as far as they can be compared.
pub fn compare(a: i64, b: i64, threshold: Share, json: bool, store: &StoreOption, look: &LookOptions) -> Result<Exit> {
    if a == b {
        let store = folders::store_words(store);
        bail!("run {a} cannot be compared with itself: give two numbers; `ciphermeter list{store}` shows them");
    }
    let (before, after) = (stored(Some(a), store)?, stored(Some(b), store)?);
    let before = Stored { run: &before.0, records: &before.1 };
    let after = Stored { run: &after.0, records: &after.1 };
    let (text, verdict) = match json {
        true => ciphermeter_report::compare_json(before, after, threshold),
        false => ciphermeter_report::compare(before, after, threshold, run_output::table_options(look)),
    };
    output::print(&text)?;
    if verdict.has_nothing_in_common() {
        let [one, other] = [&before, &after].map(|stored| escaped(&stored.run.scenario.name));
        let store = folders::store_words(store);
        output::tell(&format!(
            "Give two runs that measured the same cells: run {a} measured {one}, run {b} {other}; `ciphermeter list{store}` shows \
             all. Its numbers of cells include ceilings, which are not compared."
        ));
    }
    Ok(run_output::exit(verdict.finding()))
}
