//! What is special about a run of kind sustained: which cell it takes, and what it cannot be combined with.

use anyhow::{Result, anyhow, bail};
use ciphermeter_core::{Bytes, Fact, Form, Note, Run, Scenario, Selection};
use ciphermeter_host::gauges::Gauges;
use ciphermeter_stats::LEAST_STEPS;
use ciphermeter_transfer::{Choice, Rate, Suite, choose};

use crate::args::SpotOptions;

/// The message of a call, where the scenario has only the size of a file.
const MESSAGE: Bytes = Bytes(16 << 10);

/// Sees that a scenario of this kind can be what is asked for; `given` are the options on the command line.
pub fn check(scenario: &Scenario, transfer: bool, given: &[String]) -> Result<()> {
    // What a file or the environment keeps for other runs is skipped.
    let unfit = ["against", "precision"];
    if let Some(flag) = unfit.iter().find(|flag| given.iter().any(|given| given == *flag)) {
        bail!("a sustained run measures one cell alone: remove --{flag}");
    }
    if transfer && !scenario.moves_files() {
        bail!("--transfer transfers files, but --operation asks for calls: remove one of them");
    }
    let (budget, least) = (scenario.budget, LEAST_STEPS);
    if budget.0 < least as f64 {
        bail!(
            "{budget} is too short to distinguish a fall from noise: use --budget {least}s or more, preferably minutes"
        );
    }
    Ok(())
}

/// Calls instead of the files that the scenario moves, where an operation asks for them: then what fits files alone goes.
pub fn adapt(scenario: &mut Scenario, spot: &SpotOptions) {
    let of_files = |block: &&mut Selection| block.forms == [Form::Discard] && spot.form.is_empty();
    if scenario.moves_files() {
        return;
    }
    for block in scenario.cells.iter_mut().filter(of_files) {
        block.forms = vec![Form::InPlace];
        if spot.message.is_empty() {
            block.messages = vec![MESSAGE];
        }
        if spot.provider.is_empty() {
            block.providers.clear();
        }
    }
}

/// Settles for one of the suites that the scenario names, where files move: the one that `send` and `recv` would take. Says in a note
/// what was taken and why, and why the course has no frequency where it has none.
pub fn settle(run: &mut Run) -> Result<()> {
    if run.scenario.moves_files() {
        let choice = suite(&run.scenario)?;
        run.notes.push(Note::other(format!("{} was chosen because {}", choice.suite, choice.why)));
        run.scenario.cells.iter_mut().for_each(|block| block.algorithms = vec![choice.suite.algorithm()]);
    }
    let is_known = |fact: &Fact| fact.name == "frequency" && fact.why.is_some();
    // A machine may report between which frequencies it moves and not where it is.
    if let Some(why) = Gauges::live().no_frequency.filter(|_| !run.host.iter().any(is_known)) {
        run.notes.push(Note::other(format!("the frequency of each second isn't known: {why}")));
    }
    Ok(())
}

fn suite(scenario: &Scenario) -> Result<Choice> {
    let algorithms = scenario.cells.iter().flat_map(|block| &block.algorithms);
    let listed: Vec<Suite> = algorithms.filter_map(|algorithm| algorithm.as_str().parse().ok()).collect();
    let wanted = if let [one] = listed[..] { Some(one) } else { None };
    let rates: Vec<Rate> = ciphermeter_move::rates()?.into_iter().filter(|rate| listed.contains(&rate.suite)).collect();
    choose(&rates, &rates, wanted).ok_or_else(|| {
        anyhow!("files are transferred with aes-256-gcm or chacha20-poly1305: choose one with --algorithm")
    })
}
