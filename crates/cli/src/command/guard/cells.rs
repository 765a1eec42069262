//! Which cells a guard measures: those that are named, else few that most programs call.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use ciphermeter_core::{Against, Algorithm, Bytes, Cell, Form, Kind, Operation, Scenario, Selection};
use ciphermeter_meter::Surveyed;

use crate::args::{GuardOptions, SpotOptions};
use crate::built_in::surveyed;
use crate::sources::Sources;
use crate::spot;

/// Sizes where none are named: a short message, a packet, a record of TLS.
const MESSAGES: [u64; 3] = [64, 1350, 16 << 10];
/// The most algorithms where none are named.
const MOST: usize = 2;

/// The first measurement's scenario.
pub fn scenario(options: &GuardOptions, sources: &Sources) -> Result<Scenario> {
    for (given, option) in [(options.spot.latency, "--latency"), (options.spot.memory, "--memory")] {
        if given {
            bail!("guard compares the time of calls only: remove {option}");
        }
    }
    let mut lists = options.spot.clone();
    if options.cells.is_none() {
        settle(&mut lists, sources, options)?;
    }
    let mut scenario = spot::scenario(options.cells.as_deref(), &lists, None)?;
    if scenario.kind != Kind::Message || scenario.copies.is_some() {
        bail!(
            "guard compares calls on messages only; for {name}, use `ciphermeter run {name} --against OLD`",
            name = scenario.name
        );
    }
    scenario.budget = options.budget;
    for block in &mut scenario.cells {
        // Both sides are all that is measured, and calls are all that is compared.
        block.providers.clear();
        (block.latency, block.memory) = (false, false);
    }
    scenario.check()?;
    Ok(scenario)
}

/// The same of the alarms alone.
pub fn of_alarms(first: &Scenario, id: i64, cells: &[Cell]) -> Scenario {
    let blocks = cells.iter().map(Selection::of).collect();
    Scenario { title: format!("alarms of run {id}, measured again"), cells: blocks, ..first.clone() }
}

/// Fills the lists that are empty with what OLD has, so that what NEW lacks is lost.
fn settle(lists: &mut SpotOptions, sources: &Sources, options: &GuardOptions) -> Result<()> {
    if lists.message.is_empty() {
        lists.message = MESSAGES.map(Bytes).into();
    }
    if !(lists.algorithm.is_empty() || lists.form.is_empty()) {
        return Ok(());
    }
    let (here, missing) = surveyed(&sources.sources, options.patience.duration())?;
    let is_side = |survey: &&Surveyed| survey.source.provider != "ceiling";
    let offers = |old: bool| {
        let own = here.iter().filter(is_side).filter(move |survey| Against::is_old(&survey.source.name) == old);
        own.flat_map(|survey| &survey.offers)
    };
    let offered = |old: bool| offers(old).map(|offer| offer.algorithm).collect::<BTreeSet<_>>();
    let both: BTreeSet<Algorithm> = offered(false).intersection(&offered(true)).copied().collect();
    if let (true, Some(missing)) = (both.is_empty(), missing.first()) {
        bail!("{} cannot be measured: {}", missing.name, missing.why);
    }
    if lists.algorithm.is_empty() {
        lists.algorithm = usual(&offered(true));
        if lists.operation.is_empty() {
            lists.operation = vec![Operation::Seal, Operation::Open, Operation::Encrypt, Operation::Decrypt];
        }
    }
    if lists.form.is_empty() {
        let chosen = || offers(true).filter(|offer| lists.algorithm.contains(&offer.algorithm));
        let has = |form: &Form| chosen().any(|offer| offer.forms.contains(form));
        lists.form = Form::ALL.iter().copied().find(has).into_iter().collect();
    }
    Ok(())
}

/// The two that most programs choose between, or the first that there are, AEADs before bare ciphers.
fn usual(offered: &BTreeSet<Algorithm>) -> Vec<Algorithm> {
    let usual: Vec<Algorithm> = Algorithm::USUAL.into_iter().filter(|algorithm| offered.contains(algorithm)).collect();
    if !usual.is_empty() {
        return usual;
    }
    let mut all: Vec<Algorithm> =
        Algorithm::ALL.iter().copied().filter(|algorithm| offered.contains(algorithm)).collect();
    all.sort_by_key(|algorithm| algorithm.tag_bytes() == 0);
    all.truncate(MOST);
    all
}
