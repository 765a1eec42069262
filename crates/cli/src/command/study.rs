//! `study`: published studies, measured again and judged.

use anyhow::{Result, bail};
use ciphermeter_core::RunStatus;
use ciphermeter_store::Store;
use ciphermeter_study::{Measure, Measured, MeasuredRun, Study, all, factors, find, why_they_disagree};

use crate::args::{StoreOption, StudyCommand};
use crate::command::show;
use crate::command::study_run::run;
use crate::exit::Exit;
use crate::{folders, output};

/// Lists, shows or measures.
pub fn study(command: &StudyCommand, store: &StoreOption) -> Result<Exit> {
    match command {
        StudyCommand::List => list(store),
        StudyCommand::Show { name: Some(name), .. } => show_one(&named(name)?, store),
        StudyCommand::Show { name: None, .. } => show_all(store),
        StudyCommand::Run { name: Some(name), .. } => {
            let study = named(name)?;
            run(&study.measures, store)?;
            show_one(&study, store)
        }
        StudyCommand::Run { name: None, .. } => {
            run(&all_measures()?, store)?;
            show_all(store)
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
    let text = listed(option)? + "\nMore: ciphermeter study show NAME; measure again: ciphermeter study run NAME\n";
    output::print(&text).map(|()| Exit::Fine)
}

fn listed(option: &StoreOption) -> Result<String> {
    let width = output::terminal_width();
    let mut text = String::new();
    for study in all()? {
        let measured = Measured { runs: runs(&study.measures, option)?, study: &study };
        text += &format!("{}\n", study.name);
        text += &indented(2, &format!("{}.", study.title), width);
        text += &indented(2, &format!("{} claims: {}.", study.claims.len(), measured.tally()), width);
    }
    Ok(text)
}

/// All studies in brief, and why they disagree.
fn show_all(option: &StoreOption) -> Result<Exit> {
    let (factors, width) = (factors()?, output::terminal_width());
    let runs = runs(&factors.measures, option)?;
    let page = why_they_disagree(&factors, &runs);
    let text: String = page.iter().map(|part| indented(part.indent, &part.text, width)).collect();
    output::print(&format!("{}\n{text}", listed(option)?))?;
    Ok(if runs.iter().all(Option::is_some) { Exit::Fine } else { Exit::Partial })
}

/// What measures all studies and factors, each once.
fn all_measures() -> Result<Vec<Measure>> {
    let mut measures: Vec<Measure> = Vec::new();
    let every = all()?.into_iter().flat_map(|study| study.measures).chain(factors()?.measures);
    for measure in every {
        match measures.iter_mut().find(|known| known.scenario == measure.scenario && known.cpu == measure.cpu) {
            None => measures.push(measure),
            // Both sizes are measured by one run; no size stands for all of the scenario's.
            Some(known) if known.messages.is_empty() || measure.messages.is_empty() => known.messages.clear(),
            Some(known) => {
                let more: Vec<_> = measure.messages.into_iter().filter(|size| !known.messages.contains(size)).collect();
                known.messages.extend(more);
            }
        }
    }
    Ok(measures)
}

fn show_one(study: &Study, option: &StoreOption) -> Result<Exit> {
    let measured = Measured { runs: runs(&study.measures, option)?, study };
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

/// The newest run of each of these measures that has ended.
fn runs(measures: &[Measure], option: &StoreOption) -> Result<Vec<Option<MeasuredRun>>> {
    let path = folders::store(option)?;
    if !path.exists() {
        return Ok(measures.iter().map(|_| None).collect());
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
    measures.iter().map(|measure| newest(measure).map(load).transpose()).collect()
}
