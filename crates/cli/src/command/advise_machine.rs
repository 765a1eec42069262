//! `advise --machine`: an answer for hardware that isn't here, from a run that was measured there. No figure is turned into another
//! CPU's: where that CPU was not measured, the answer is of the one that is most like it, and says so.

use std::path::Path;

use anyhow::{Result, anyhow, bail};
use ciphermeter_core::{CURATED, in_quotes, quoted_path, shell_word};
use ciphermeter_host::facts_of_machine;
use ciphermeter_machines::{Cpu, Machine, Nearest, Shared, beyond_use, built_in, is_name, named, nearest, share};
use ciphermeter_report::{Advice, Evidence, Question, advise as advised};
use ciphermeter_terminal::{Exit, output};

use crate::args::AdviseOptions;
use crate::command::advise_told::told;
use crate::command::advise_wanted::Wanted;
use crate::command::site;
use crate::export_file;

/// What is asked for where this machine's CPU is to be looked up.
const NEAREST: &str = "nearest";

/// Answers from a run of that machine.
pub fn advise(name: &str, wanted: &Wanted, options: &AdviseOptions) -> Result<Exit> {
    let found = find(name)?;
    let command = wanted.command(None, "");
    let measure = format!("on that machine, {command}");
    let again = format!("{} --machine {}", wanted.again(options, None, ""), shell_word(name));
    let question = Question {
        workload: wanted.workload.as_deref(),
        mix: wanted.mix.as_ref(),
        program: wanted.program,
        scenario: Some(&wanted.scenario),
        measure: &measure,
        again: &again,
        again_without_aes: &again,
        mask: None,
    };
    if let Some(advice) = Advice::without_measuring(Question { measure: &command, ..question }, None) {
        output::tell("this answer is the same on any machine");
        return told(&advice, options);
    }
    let Some(Shared { run, records, .. }) =
        found.runs.iter().find(|shared| wanted.lacks(&shared.run.scenario).is_none())
    else {
        let scenario = |shared: &Shared| {
            let own = &shared.run.scenario;
            let is_curated = CURATED.iter().any(|(name, _)| *name == own.name);
            if is_curated { own.name.clone() } else { own.title.clone() }
        };
        let measured: Vec<String> = found.runs.iter().map(scenario).collect();
        bail!(
            "{} has no run that answers this: it has {}; measure `{}` there, and share it with `ciphermeter export --share`",
            in_quotes(name),
            measured.join(", "),
            command
        );
    };
    let evidence = Evidence { elsewhere: Some(&found.said), ..Evidence::of(run, records) };
    told(&advised(question, evidence), options)
}

/// The runs of a machine, and which one it is, in the sentence that stands first.
struct Found {
    said: String,
    runs: Vec<Shared>,
}

fn find(name: &str) -> Result<Found> {
    if is_name(name)
        && let Some(machine) = named(name)?
    {
        return Ok(Found {
            said: format!("Not of this machine: measured on {}.", described(&machine)),
            runs: machine.runs,
        });
    }
    let path = Path::new(name);
    if path.is_dir() {
        let machine = site::machine(path)?;
        let said = format!("Measured on {}, by {}.", described(&machine), quoted_path(path));
        return Ok(Found { said, runs: machine.runs });
    }
    // What looks like a path is one: the nearest machine would answer for another.
    if path.exists() || name.contains('/') || name.ends_with(".json") || name.ends_with(".gz") {
        return of_file(path);
    }
    let here = facts_of_machine();
    let fact = |wanted: &str| here.iter().find(|fact| fact.name == wanted)?.value.as_deref();
    let cpu = match name {
        NEAREST => Cpu::of(fact("cpu").unwrap_or_default(), fact("features")),
        name => Cpu::of(name, None),
    };
    let table = built_in()?;
    let found =
        nearest(&cpu, &table).ok_or_else(|| anyhow!("{}", unknown(if name == NEAREST { cpu.name() } else { name })))?;
    Ok(Found { said: nearest_said(&cpu, &found), runs: found.machine.runs.clone() })
}

fn of_file(file: &Path) -> Result<Found> {
    let (run, records) = export_file::read(file)?;
    let shown = quoted_path(file);
    let shared = share(&run, &records).map_err(|why| anyhow!("{shown} does not answer for its machine: {why}"))?;
    if let Some(why) = beyond_use(&shared.run, &shared.records) {
        bail!("{shown} does not answer for its machine: {why}");
    }
    let (cpu, day) = (shared.run.fact("cpu").unwrap_or("unknown"), shared.run.started.get(..10).unwrap_or_default());
    Ok(Found { said: format!("Measured on {cpu}, {day}, by {shown}."), runs: vec![shared] })
}

/// `xeon-8481c: Intel Xeon …, virtual, 2026-11-30`.
fn described(machine: &Machine) -> String {
    let Machine { name, source, .. } = machine;
    format!("{name} ({}, {}, {})", machine.cpu(), source.machine.as_str(), source.measured)
}

fn nearest_said(cpu: &Cpu, found: &Nearest) -> String {
    let how = match found.same_instructions {
        Some(true) => "the instructions that decide which code runs are the same",
        Some(false) => "some of the instructions that decide which code runs are others",
        None => "by its name alone: if its instructions differ, so may the answer",
    };
    let measured = described(found.machine);
    if cpu.name() == found.machine.cpu() {
        return format!(
            "Not of this machine: measured on {measured}, whose CPU has the same name; {how}. Figures are that machine's."
        );
    }
    format!(
        "Not of {}: the nearest that was measured is {measured}; {how}. Figures are that machine's.",
        in_quotes(cpu.name())
    )
}

fn unknown(name: &str) -> String {
    let known: Vec<String> =
        built_in().iter().flatten().map(|machine| format!("{} ({})", machine.name, machine.cpu())).collect();
    let known = if known.is_empty() { "no machine".into() } else { known.join(", ") };
    format!(
        "no measured machine is called {0} or has a CPU like it; the table has {known}. Give one of these, a file of `export \
         --share` or its folder; for a CPU without AES instructions, measure here with `--cpu no-aes`",
        in_quotes(name)
    )
}
