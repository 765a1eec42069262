//! Scenarios made on the spot: lists from the command line, in place of a scenario's own.

use anyhow::{Context, Result, bail};
use ciphermeter_core::{
    Algorithm, Bytes, Cell, Form, Kind, Nonces, Operation, Parameters, Scenario, Seconds, Selection, Share, Threads,
    escaped,
};
use ciphermeter_host::cpus::allowed;
use ciphermeter_native::PROVIDERS;
use ciphermeter_terminal::output::joined;

use crate::args::{SpotOptions, WorkersOption};
use crate::workers::{self, Foreign};
use crate::{scenarios, sustained};

/// The name of a scenario that is nothing but lists.
pub const NAME: &str = "on-the-spot";
/// The title of a scenario whose lists were given.
pub const LISTS: &str = "lists from the command line";
/// What stands for every provider that is here.
pub const ALL_PROVIDERS: &str = "all";

impl SpotOptions {
    pub fn is_given(&self) -> bool {
        *self != Self::default()
    }

    /// Each list that is given takes the place of the block's own.
    fn replace(&self, block: &mut Selection) {
        fn list<T: Clone>(given: &[T], own: &mut Vec<T>) {
            if !given.is_empty() {
                *own = given.to_vec();
            }
        }
        // Taken apart, so that none is forgotten here.
        let Self {
            algorithm,
            provider,
            operation,
            message,
            aad,
            form,
            threads,
            key,
            working_set,
            keys,
            latency,
            memory,
        } = self;
        list(algorithm, &mut block.algorithms);
        match provider.iter().any(|name| name == ALL_PROVIDERS) {
            true => block.providers.clear(),
            false => list(provider, &mut block.providers),
        }
        list(operation, &mut block.operations);
        list(message, &mut block.messages);
        list(aad, &mut block.aad);
        list(form, &mut block.forms);
        list(threads, &mut block.threads);
        list(key, &mut block.keys);
        list(working_set, &mut block.working_sets);
        list(keys, &mut block.key_counts);
        block.latency |= latency;
        block.memory |= memory;
    }
}

/// The named scenario with the lists that are given in place of its own; without a name, one made on the spot. All
/// providers that it may name are in the workers `here`, if those are given: others say what they host only when asked.
pub fn scenario(named: Option<&str>, spot: &SpotOptions, here: Option<&WorkersOption>) -> Result<Scenario> {
    if !spot.is_given() {
        return scenarios::find(named);
    }
    let mut scenario = match named {
        Some(named) => Scenario { title: LISTS.into(), ..scenarios::find(Some(named))? },
        None => on_the_spot(&spot.algorithm)?,
    };
    scenario.cells.iter_mut().for_each(|block| spot.replace(block));
    if scenario.kind == Kind::Sustained {
        sustained::adapt(&mut scenario, spot);
    }
    let known = check_providers(&spot.provider, here)?;
    for name in scenario.cells.iter_mut().flat_map(|block| &mut block.providers) {
        // In whatever case it was typed.
        *name = known.iter().find(|known| known.eq_ignore_ascii_case(name)).unwrap_or(name).clone();
    }
    check_cells(&scenario)?;
    check_key(&scenario, spot)?;
    if named.is_none() {
        scenario.budget = budget(&scenario);
    }
    Ok(scenario)
}

/// The scenario whose lists others stand in the place of; `None` if it isn't known here.
pub fn usual(name: &str) -> Option<Scenario> {
    if name == NAME { on_the_spot(&[]).ok() } else { scenarios::find(Some(name)).ok() }
}

/// What is measured where neither a scenario nor a list says so: with the algorithms and providers of the default scenario, and those
/// of `xor`, and with the operations of bare ciphers, too, so that naming one is enough. For a cipher that the default scenario hasn't,
/// every built-in provider is asked.
fn on_the_spot(asked: &[Algorithm]) -> Result<Scenario> {
    let usual = scenarios::find(None)?.cells.into_iter().next();
    let (algorithms, mut providers) = usual.map(|block| (block.algorithms, block.providers)).unwrap_or_default();
    if asked.iter().any(|algorithm| algorithm.is_cipher() && !algorithms.contains(algorithm)) {
        let further = PROVIDERS.iter().filter(|name| **name != "ceiling" && !providers.iter().any(|own| own == *name));
        providers.extend(further.map(ToString::to_string).collect::<Vec<_>>());
    }
    let block = Selection {
        algorithms,
        operations: vec![Operation::Seal, Operation::Open, Operation::Encrypt, Operation::Decrypt],
        messages: [16, 1 << 10, 16 << 10, 1 << 20].map(Bytes).into(),
        aad: vec![Bytes(0)],
        forms: vec![Form::InPlace],
        threads: vec![Threads::Count(1)],
        keys: vec![Bytes(Parameters::USUAL_KEY)],
        working_sets: vec![Bytes(0)],
        key_counts: vec![1],
        latency: false,
        memory: false,
        providers: providers.into_iter().chain(["ceiling".into()]).collect(),
    };
    Ok(Scenario {
        name: NAME.into(),
        kind: Kind::Message,
        title: LISTS.into(),
        subject: None,
        premise: None,
        nonces: Nonces::default(),
        budget: Seconds(0.0),
        precision: Share(0.02),
        copies: None,
        cells: vec![block],
    })
}

/// 10 s, and a quarter of a second for each cell, where four providers stand for all that there may be; at most 5 minutes.
/// Before each sample, all texts of a working set are set up: ten samples in each of six forks. Measuring ends before that
/// where the precision is reached.
fn budget(scenario: &Scenario) -> Seconds {
    let providers =
        scenario.cells.iter().map(|block| block.providers.len()).max().filter(|named| *named > 0).unwrap_or(4);
    let set_up = |cell: &Cell| {
        let texts = cell.parameters.rotation(cell.algorithm, cell.operation).texts as f64;
        60.0 * cell.parameters.working_set().map_or(0.0, |set| set.0 as f64 / SET_UP + texts * SET_UP_EACH)
    };
    let each: f64 = cells(scenario).iter().map(|cell| 0.25 + set_up(cell)).sum();
    let seconds = (10.0 + each * providers as f64).min(300.0);
    Seconds((seconds * 10.0).round() / 10.0)
}

/// Bytes of texts that are set up in a second, and seconds that each text takes beside.
const SET_UP: f64 = 2e9;
const SET_UP_EACH: f64 = 2e-7;

/// Cells of one provider that has all algorithms.
fn cells(scenario: &Scenario) -> Vec<Cell> {
    let own = |algorithm: &Algorithm| {
        let provider = scenario.cells.iter().find_map(|block| block.providers.first()).map_or("any", String::as_str);
        scenario.cells_for(provider, *algorithm, cpus())
    };
    Algorithm::ALL.iter().filter(|algorithm| algorithm.key_bytes() > 0).flat_map(own).collect()
}

fn cpus() -> u32 {
    u32::try_from(allowed().len()).unwrap_or(1)
}

/// Sees that the lists come to something; else says which of them don't go together.
fn check_cells(scenario: &Scenario) -> Result<()> {
    let is_possible = |block: &Selection| {
        block.algorithms.iter().any(|algorithm| block.operations.iter().any(|operation| algorithm.has(*operation)))
    };
    if let (Some(block), false) = (scenario.cells.first(), scenario.cells.iter().any(is_possible)) {
        let (algorithms, operations) = (joined(&block.algorithms), joined(&block.operations));
        let have = "AEADs have seal, open and key-setup, bare ciphers encrypt, decrypt and key-setup";
        bail!("nothing to measure: {algorithms} with {operations}; {have} (xor has no key-setup)");
    }
    scenario.check().context(LISTS)?;
    let cells = cells(scenario);
    let refused: Option<Vec<String>> = cells.iter().map(Cell::refused).collect();
    if let Some(why) = refused.and_then(|all| all.into_iter().next()) {
        bail!("nothing to measure: {why}");
    }
    if !cells.is_empty() {
        return Ok(());
    }
    let fits = |threads: &Threads| threads.on(cpus()).iter().any(|threads| *threads <= cpus());
    if scenario.cells.iter().flat_map(|block| &block.threads).any(fits) {
        if scenario.kind == Kind::Parallel {
            bail!(
                "nothing to measure: a message is split in aes-256-ctr and xor alone, and `dynamic` takes two threads; change --algorithm, --form or --threads"
            );
        }
        bail!("nothing to measure: key-setup has one thread; add --threads 1, or another --operation");
    }
    bail!("nothing to measure: there are {} CPUs for --threads; give fewer, or `all`", cpus())
}

/// Sees that a cell has the key whose length is given.
fn check_key(scenario: &Scenario, spot: &SpotOptions) -> Result<()> {
    let has_key = |block: &Selection| {
        block.algorithms.contains(&Algorithm::Xor) && block.forms.iter().any(|form| form.is_split())
    };
    if spot.key.is_empty() || scenario.cells.iter().any(has_key) {
        return Ok(());
    }
    bail!("{} splits no message with xor, so --key has nothing to do: remove --key", scenario.name)
}

/// The providers of this machine that are built in, or that a worker's manifest names, each once.
pub fn known_providers(foreign: &[Foreign]) -> Vec<String> {
    let built_in = PROVIDERS.iter().chain(ciphermeter_transfer_worker::PROVIDERS).map(ToString::to_string);
    let mut known: Vec<String> = Vec::new();
    for provider in built_in.chain(foreign.iter().flat_map(|worker| worker.manifest.providers.clone())) {
        if !known.contains(&provider) {
            known.push(provider);
        }
    }
    known
}

/// A provider's name without what says which of several of that name it is, behind a dot or an `@`.
pub fn own_name(name: &str) -> &str {
    name.split(['.', '@']).next().unwrap_or_default()
}

/// A scenario's file may name providers that are elsewhere; on the command line that is a slip. Comes back with those that are known.
fn check_providers(named: &[String], here: Option<&WorkersOption>) -> Result<Vec<String>> {
    let Some(workers) = here.filter(|_| !named.is_empty()) else { return Ok(Vec::new()) };
    let foreign = workers::find(workers)?;
    let known = known_providers(&foreign);
    let is_known = |name: &&String| known.iter().any(|known| known.eq_ignore_ascii_case(own_name(name)));
    let unknown = named.iter().find(|name| !is_known(name) && *name != ALL_PROVIDERS);
    let shown = unknown.map(|name| escaped(name)).unwrap_or_default();
    match unknown {
        Some(_) if foreign.is_empty() => {
            bail!("there is no provider `{shown}`; there are {}, or `all`; {}", known.join(", "), workers::none_found())
        }
        Some(name) => match foreign.iter().find(|worker| worker.manifest.name == *name) {
            Some(worker) => {
                bail!(
                    "`{shown}` is a worker, no provider: name what it hosts, {}",
                    worker.manifest.providers.join(" or ")
                )
            }
            None => bail!("there is no provider `{shown}`; there are {}, or `all`", known.join(", ")),
        },
        None => Ok(known),
    }
}
