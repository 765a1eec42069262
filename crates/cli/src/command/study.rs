//! `study`: published studies, measured again and judged.

use anyhow::{Result, bail};
use ciphermeter_core::Bytes;
use ciphermeter_study::{Document, Measure, Measured, Study, all, factors, find, why_they_disagree};

use crate::args::{StoreOption, StudyCommand};
use crate::command::study_run::run;
use crate::command::study_runs::runs;
use crate::command::study_text::{indented, laid_out};
use crate::exit::Exit;
use crate::output;

/// Lists, shows or measures.
pub fn study(command: &StudyCommand, store: &StoreOption) -> Result<Exit> {
    match command {
        StudyCommand::List { json: false } => list(store),
        StudyCommand::List { json: true } => print_all(store, false),
        StudyCommand::Show { name: Some(name), json: false, .. } => show_one(&named(name)?, store),
        StudyCommand::Show { name: Some(name), json: true, .. } => print_one(&named(name)?, store),
        StudyCommand::Show { name: None, json: false, .. } => show_all(store),
        StudyCommand::Show { name: None, json: true, .. } => print_all(store, true),
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
        text += &measured.of_other_machines().map_or(String::new(), |sentence| indented(2, &sentence, width));
    }
    Ok(text)
}

/// All studies in brief, and why they disagree.
fn show_all(option: &StoreOption) -> Result<Exit> {
    let (factors, width) = (factors()?, output::terminal_width());
    let runs = runs(&factors.measures, option)?;
    let page = why_they_disagree(&factors, &runs);
    output::print(&format!("{}\n{}", listed(option)?, laid_out(&page, width)))?;
    Ok(if runs.iter().all(Option::is_some) { Exit::Fine } else { Exit::Partial })
}

/// What measures all studies and factors, each once.
fn all_measures() -> Result<Vec<Measure>> {
    let mut measures: Vec<Measure> = Vec::new();
    let every = all()?.into_iter().flat_map(|study| study.measures).chain(factors()?.measures);
    for measure in every {
        match measures.iter_mut().find(|known| known.scenario == measure.scenario && known.cpu == measure.cpu) {
            None => measures.push(measure),
            Some(known) => {
                known.budget.0 = known.budget.0.max(measure.budget.0);
                // Both sizes are measured by one run; no size stands for all of the scenario's.
                if known.messages.is_empty() || measure.messages.is_empty() {
                    known.messages.clear();
                }
                let is_new = |size: &Bytes| !known.messages.is_empty() && !known.messages.contains(size);
                let more: Vec<_> = measure.messages.into_iter().filter(is_new).collect();
                known.messages.extend(more);
            }
        }
    }
    Ok(measures)
}

fn show_one(study: &Study, option: &StoreOption) -> Result<Exit> {
    let measured = Measured { runs: runs(&study.measures, option)?, study };
    output::print(&laid_out(&measured.page(), output::terminal_width()))?;
    Ok(decided(&measured))
}

/// The same as data.
fn print_one(study: &Study, option: &StoreOption) -> Result<Exit> {
    let measured = [Measured { runs: runs(&study.measures, option)?, study }];
    print(&Document::new(&measured, None))?;
    Ok(decided(&measured[0]))
}

/// All studies as data; with the factors, why they disagree, too.
fn print_all(option: &StoreOption, with_factors: bool) -> Result<Exit> {
    let (studies, factors) = (all()?, factors()?);
    let mut measured = Vec::new();
    for study in &studies {
        measured.push(Measured { runs: runs(&study.measures, option)?, study });
    }
    if !with_factors {
        return print(&Document::new(&measured, None)).map(|()| Exit::Fine);
    }
    let runs = runs(&factors.measures, option)?;
    print(&Document::new(&measured, Some((&factors, &runs))))?;
    Ok(if runs.iter().all(Option::is_some) { Exit::Fine } else { Exit::Partial })
}

fn print(document: &Document<'_>) -> Result<()> {
    output::print(&format!("{}\n", serde_json::to_string(document)?))
}

fn decided(measured: &Measured<'_>) -> Exit {
    let is_decided = measured.judged().iter().any(|judged| judged.verdict().is_decided());
    if is_decided { Exit::Fine } else { Exit::Partial }
}
