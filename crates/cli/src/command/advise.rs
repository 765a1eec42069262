//! `advise`: which cipher and which library to use here, and the lines for a program's configuration.

use std::fs;
use std::path::Path;

use anyhow::{Result, bail};
use ciphermeter_core::{Fact, Mask, escaped, quoted_path};
use ciphermeter_report::{AND_THEN, Advice, Evidence, Question, changed_since, joules};
use ciphermeter_terminal::{Exit, WithExit, output};

use crate::args::AdviseOptions;
use crate::command::advise_available::{available, replaced};
use crate::command::advise_machine;
use crate::command::advise_run::{Found, Stored, newest, sustained, unlike};
use crate::command::advise_told::told;
use crate::command::advise_wanted::Wanted;
use crate::command::measuring::{Ended, NOTHING, measure};
use crate::sources::{Wish, gather};
use crate::workers::Foreign;
use crate::{folders, run_output, switches, workers};

/// Answers, from a stored run or after measuring one.
pub fn advise(options: &AdviseOptions) -> Result<Exit> {
    let wanted = Wanted::read(options)?;
    if let Some(to) = &options.json {
        // Better now than after a minute of measuring.
        run_output::check_writable(to, &options.store)?;
        check_is_not_the_mix(to, options)?;
    }
    if let Some(machine) = &options.machine {
        return advise_machine::advise(machine, &wanted, options);
    }
    let store = folders::store_words(&options.store);
    let measure = wanted.command(options.cpu, &store);
    let [again, again_without_aes] = [options.cpu, Some(Mask::NoAes)].map(|mask| wanted.again(options, mask, &store));
    let question = Question {
        workload: wanted.workload.as_deref(),
        mix: wanted.mix.as_ref(),
        program: wanted.program,
        scenario: Some(&wanted.scenario),
        measure: &measure,
        again: &again,
        again_without_aes: &again_without_aes,
        mask: options.cpu,
    };
    let now = ciphermeter_host::facts_of_machine();
    if wanted.program.is_some_and(|program| !program.leaves_a_choice()) {
        return without_a_choice(&wanted, question, &now, options);
    }
    let stored = stored(&wanted, question, &now, options)?;
    let masked = match options.cpu {
        None => newest(&wanted, question, Some(Mask::NoAes), &now, &options.store)?.stored,
        Some(_) => None,
    };
    let masked = masked.as_ref().map(Stored::evidence);
    let available = available(&wanted.scenario, &stored, &options.workers);
    let evidence = Evidence {
        changed: &[changed_since(&stored.run, &now), replaced(&stored.records)].concat(),
        set_here: &switches::set_here(&stored.run, &stored.records),
        available: &available,
        without_aes: masked.as_ref(),
        ..stored.evidence()
    };
    let mut advice = ciphermeter_report::advise(question, evidence);
    let energy = match advice.recommended() {
        Some((algorithm, provider)) => sustained(algorithm, provider, options.cpu, &now, &options.store)?,
        None => None,
    };
    advice.joules = energy.and_then(|(run, record)| joules(&run, &record));
    told(&advice, options)
}

/// A program without a choice is answered at once. What its cipher costs is that of a stored run, or the command that measures it.
fn without_a_choice(wanted: &Wanted, question: Question, now: &[Fact], options: &AdviseOptions) -> Result<Exit> {
    let own = newest(wanted, question, options.cpu, now, &options.store)?.stored;
    let build = match &own {
        None if !is_here(wanted, options)? => Some(unbuilt(wanted, options)?),
        _ => None,
    };
    let budget = options.budget.filter(|_| options.is_budget_typed);
    let budget = budget.map(|budget| format!(" --budget {budget}")).unwrap_or_default();
    let commands = build.iter().flatten().cloned().chain([format!("{}{budget}", question.measure)]);
    let measure = commands.collect::<Vec<_>>().join(AND_THEN);
    let question = Question { measure: &measure, ..question };
    let advice = Advice::without_measuring(question, own.as_ref().map(Stored::evidence));
    let exit = told(&advice.unwrap_or_default(), options)?;
    if build == Some(None) {
        output::tell(&workers::none_found());
    }
    Ok(exit)
}

/// Whether a library of a program is here.
fn is_here(wanted: &Wanted, options: &AdviseOptions) -> Result<bool> {
    let (scenario, workers) = (Some(&wanted.scenario), options.workers.clone());
    let found = gather(&Wish { scenario, workers, mask: options.cpu, ..Wish::default() })?;
    Ok(found.sources.iter().any(|source| source.name != "ceiling"))
}

/// The command that builds the worker of a program's library.
fn unbuilt(wanted: &Wanted, options: &AdviseOptions) -> Result<Option<String>> {
    let is_its = |worker: &Foreign| worker.manifest.providers.iter().any(|name| wanted.scenario.takes_provider(name));
    let mut workers = workers::find(&options.workers)?.into_iter().filter(is_its);
    Ok(workers.find(|worker| worker.stands_in().is_none() && !worker.is_built()).map(|worker| worker.build_command()))
}

/// The file of a histogram is not written over.
fn check_is_not_the_mix(to: &Path, options: &AdviseOptions) -> Result<()> {
    let from =
        options.mix.as_deref().and_then(|mix| mix.strip_prefix('@')).and_then(|from| fs::canonicalize(from).ok());
    if from.is_some_and(|from| fs::canonicalize(to).is_ok_and(|to| to == from)) {
        bail!("{} is the file of --mix: give another one with --json", quoted_path(to));
    }
    Ok(())
}

/// The stored run that answers. Where there is none, one that is measured now; so, too, where none decides and a budget was typed.
fn stored(wanted: &Wanted, question: Question, now: &[Fact], options: &AdviseOptions) -> Result<Stored> {
    let find = || newest(wanted, question, options.cpu, now, &options.store);
    let found = find()?;
    let why = match &found.stored {
        None => why_none(&found, wanted, options)?,
        // Measuring longer than that run did may decide.
        Some(stored)
            if options.is_budget_typed
                && ciphermeter_report::advise(question, stored.evidence()).is_helped_by_time() =>
        {
            format!("run {} does not decide this", stored.run.id)
        }
        Some(_) => String::new(),
    };
    if let Some(stored) = found.stored.filter(|_| options.stored || why.is_empty()) {
        return Ok(stored);
    }
    let command = question.measure;
    if options.stored {
        bail!("{why}; measure it with `{command}`, or leave --stored out");
    }
    let most = Some(options.budget.unwrap_or(wanted.scenario.budget)).filter(|most| most.0 > 0.0);
    let most = most.map(|most| format!(", for at most {most}")).unwrap_or_default();
    output::tell(&format!("{why}, so it is measured now{most}: `{command}`"));
    let mut arguments = wanted.arguments.clone();
    arguments.extend(options.cpu.iter().flat_map(|mask| ["--cpu".to_owned(), mask.to_string()]));
    arguments.extend(options.budget.iter().flat_map(|budget| ["--budget".to_owned(), budget.to_string()]));
    if let Some(folder) = &options.workers.workers {
        arguments.extend(["--workers".to_owned(), folder.display().to_string()]);
    }
    let nothing = |message: String| WithExit { exit: Exit::Nothing, message }.into();
    if measure(&arguments, &options.store, command)? == Ended::Nothing {
        return Err(nothing(NOTHING.into()));
    }
    find()?.stored.ok_or_else(|| nothing(format!("nothing was measured that answers this; `{command}` shows why")))
}

fn why_none(found: &Found, wanted: &Wanted, options: &AdviseOptions) -> Result<String> {
    let store = folders::store(&options.store)?;
    let store = quoted_path(&store);
    Ok(match found.passed_over.first() {
        // A CPU's features alone are hundreds of words.
        Some(newest) => {
            let first = newest.split("; ").next().unwrap_or(newest);
            format!("no stored run of this is of this machine as it is ({})", escaped(first))
        }
        None => match unlike(wanted, options.cpu, &options.store)? {
            Some(newest) => format!("no run in {store} has measured this ({newest})"),
            None => format!("no run in {store} has measured this"),
        },
    })
}
