//! `study`: published studies, measured again and judged.

use anyhow::{Result, bail};
use ciphermeter_core::Bytes;
use ciphermeter_report::{LEFT, TableColumn, plain_table};
use ciphermeter_study::{Block, Measure, Measured, Paragraph, Ratios, Study, all, factors, find, why_they_disagree};
use unicode_width::UnicodeWidthStr;

use crate::args::{StoreOption, StudyCommand};
use crate::command::study_run::run;
use crate::command::study_runs::runs;
use crate::exit::Exit;
use crate::output;

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
    let width = output::terminal_width();
    output::print(&laid_out(&measured.page(), width))?;
    let is_decided = measured.judged().iter().any(|judged| judged.verdict().is_decided());
    Ok(if is_decided { Exit::Fine } else { Exit::Partial })
}

fn laid_out(page: &[Block], width: usize) -> String {
    let block = |block: &Block| match block {
        Block::Paragraph(Paragraph { indent, lead, text }) => hanging(*indent, lead, text, width),
        Block::Table(ratios) => table(ratios),
    };
    page.iter().map(block).collect()
}

fn table(Ratios { indent, titles, rows }: &Ratios) -> String {
    let [what, published, here, verdict] = *titles;
    let apart = TableColumn { gap: 2, ..LEFT };
    let columns =
        [(what, TableColumn { least: 16, most: 24, ..LEFT }), (published, apart), (here, apart), (verdict, apart)];
    let lines = plain_table(columns, rows.iter().cloned());
    lines.lines().map(|line| format!("{:indent$}{}\n", "", line.trim_end())).collect()
}

fn indented(indent: usize, text: &str, width: usize) -> String {
    hanging(indent, "", text, width)
}

/// Text behind something that only its first line has before it.
fn hanging(indent: usize, lead: &str, text: &str, width: usize) -> String {
    let column = indent + lead.width();
    let wrapped = output::wrapped(text, width.saturating_sub(column).max(20));
    let before = |number| if number == 0 { format!("{:indent$}{lead}", "") } else { " ".repeat(column) };
    wrapped.lines().enumerate().map(|(number, line)| format!("{}{line}\n", before(number))).collect()
}
