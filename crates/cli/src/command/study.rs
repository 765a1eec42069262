//! `study`: published studies, measured again and judged.

use std::process;

use anyhow::{Context, Result, bail};
use ciphermeter_core::RunStatus;
use ciphermeter_store::Store;
use ciphermeter_study::{Measure, Measured, MeasuredRun, Study, all, find};

use crate::args::{StoreOption, StudyCommand};
use crate::command::show;
use crate::exit::{Exit, WithExit};
use crate::{folders, output};

/// Lists, shows or measures.
pub fn study(command: &StudyCommand, store: &StoreOption) -> Result<Exit> {
    match command {
        StudyCommand::List => list(store),
        StudyCommand::Show { name } => show_one(&named(name)?, store),
        StudyCommand::Run { name } => {
            let study = named(name)?;
            run(&study, store)?;
            show_one(&study, store)
        }
    }
}

fn named(name: &str) -> Result<Study> {
    if let Some(study) = find(name)? {
        return Ok(study);
    }
    let names: Vec<_> = all()?.into_iter().map(|study| study.name).collect();
    bail!("there is no study {}; there are {}", ciphermeter_core::in_quotes(name), names.join(", "))
}

fn list(option: &StoreOption) -> Result<Exit> {
    let width = output::terminal_width();
    let mut text = String::new();
    for study in all()? {
        let measured = Measured { runs: runs(&study, option)?, study: &study };
        text += &format!("{}\n", study.name);
        text += &indented(2, &format!("{}.", study.title), width);
        text += &indented(2, &format!("{} claims: {}.", study.claims.len(), measured.tally()), width);
    }
    text += "\nMore: ciphermeter study show NAME; measure again: ciphermeter study run NAME\n";
    output::print(&text).map(|()| Exit::Fine)
}

fn show_one(study: &Study, option: &StoreOption) -> Result<Exit> {
    let measured = Measured { runs: runs(study, option)?, study };
    let width = output::terminal_width();
    let text: String = measured.page().iter().map(|part| indented(part.indent, &part.text, width)).collect();
    output::print(&text)?;
    let is_decided = measured.judgements().iter().any(|(_, judgement)| judgement.verdict.is_decided());
    Ok(if is_decided { Exit::Fine } else { Exit::Partial })
}

fn indented(indent: usize, text: &str, width: usize) -> String {
    let wrapped = output::wrapped(text, width.saturating_sub(indent).max(20));
    wrapped.lines().map(|line| format!("{:indent$}{line}\n", "")).collect()
}

/// The newest run of each measure that has ended.
fn runs(study: &Study, option: &StoreOption) -> Result<Vec<Option<MeasuredRun>>> {
    let path = folders::store(option)?;
    if !path.exists() {
        return Ok(study.measures.iter().map(|_| None).collect());
    }
    let store = Store::open_read_only(&path)?;
    let listed = store.list()?;
    let newest = |measure: &Measure| {
        let is_it = |run: &&ciphermeter_store::ListedRun| {
            run.scenario.as_ref().is_some_and(|scenario| scenario.name == measure.scenario)
                && run.mask == measure.cpu
                && run.against.is_none()
                && matches!(run.status, RunStatus::Complete | RunStatus::Partial)
        };
        listed.iter().filter(is_it).map(|run| run.id).max()
    };
    let load = |id| show::load(&store, id, option).map(|(run, records)| MeasuredRun { run, records });
    study.measures.iter().map(|measure| newest(measure).map(load).transpose()).collect()
}

/// Measures all of a study, each measure as `run` does.
fn run(study: &Study, option: &StoreOption) -> Result<()> {
    let binary = folders::binary()?;
    for (number, measure) in (1..).zip(&study.measures) {
        output::say(&output::wrapped(
            &format!(
                "{} of {}: {}. ciphermeter {}",
                number,
                study.measures.len(),
                measure.why,
                measure.arguments().join(" ")
            ),
            output::terminal_width(),
        ));
        let mut command = process::Command::new(&binary);
        command.args(measure.arguments()).arg("--store").arg(folders::store(option)?);
        // The page below says what it comes to.
        let ended = command.stdout(process::Stdio::null()).status().context("cannot start a measurement")?;
        match ended.code() {
            // What cannot be decided is judged so.
            Some(0 | 1 | 5) => {}
            Some(4) => output::say("nothing of this can be measured here\n"),
            code => {
                let exit = if code == Some(130) { Exit::Interrupted } else { Exit::Partial };
                let message = format!("the measurement of `{}` did not end well; see above", measure.scenario);
                return Err(WithExit { exit, message }.into());
            }
        }
    }
    Ok(())
}
