//! `study`: published studies, measured again and judged.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use ciphermeter_core::{Seconds, escaped, in_quotes, shell_word};
use ciphermeter_report::{LEFT, TableColumn, plain_table, study_figures, study_html};
use ciphermeter_study::{
    Block, Document, Effect, Factors, Group, Judged, Measure, Measured, MeasuredRun, Paragraph, Ratios, Study, Verdict,
    all, factors, find, is_answered, why_they_disagree, write_csv,
};
use ciphermeter_terminal::{Exit, output};

use crate::args::{PageOptions, StoreOption, StudyCommand, WorkersOption};
use crate::command::measuring::{Ended, NOTHING, measure as measure_into};
use crate::command::report::write;
use crate::command::study_file;
use crate::command::study_runs::{runs, unfinished};
use crate::folders;
use crate::scenarios::is_file;

pub fn study(command: &StudyCommand, store: &StoreOption) -> Result<Exit> {
    match command {
        StudyCommand::List { json: false } => list(store),
        StudyCommand::List { json: true } => print_all(store, false),
        StudyCommand::Show { name: Some(name), csv: true, .. } => print_csv(&[named(name)?], store),
        StudyCommand::Show { name: None, csv: true, .. } => print_csv(&all()?, store),
        StudyCommand::Show { name: Some(name), json: false, all, .. } => show_one(&named(name)?, *all, store),
        StudyCommand::Show { name: Some(name), json: true, .. } => print_one(&named(name)?, store),
        StudyCommand::Show { name: None, json: false, .. } => show_all(store),
        StudyCommand::Show { name: None, json: true, .. } => print_all(store, true),
        StudyCommand::Report { name, page } => report(&named(name)?, page, store),
        StudyCommand::Run { name: Some(name), budget, all, openssl, workers } => {
            let study = named(name)?;
            if !openssl.is_empty() && !study.measures.iter().any(Measure::takes_libcryptos) {
                bail!("the study {} compares no libcryptos of yours: remove --openssl", in_quotes(name));
            }
            run(&study.measures, *budget, &Given { openssl, workers }, store)?;
            show_one(&study, *all, store)
        }
        StudyCommand::Run { name: None, budget, openssl, workers, .. } => {
            run(&all_measures()?, *budget, &Given { openssl, workers }, store)?;
            show_all(store)
        }
    }
}

/// The built-in study of that name, or the one in that file.
fn named(name: &str) -> Result<Study> {
    if is_file(name) {
        return study_file::read(Path::new(name));
    }
    if let Some(study) = find(name)? {
        return Ok(study);
    }
    let names: Vec<_> = all()?.into_iter().map(|study| study.name).collect();
    bail!("there is no study {}; there are {}, or give a file like ./mine.toml", in_quotes(name), names.join(", "))
}

fn list(option: &StoreOption) -> Result<Exit> {
    let store = folders::store_words(option);
    let studies = all()?;
    let measured = all_measured(&studies, option)?;
    let is_any = measured.iter().flat_map(|measured| &measured.runs).any(|runs| !runs.is_empty());
    let mut text = listed(&measured);
    text += &match is_any {
        true => format!(
            "\nWhy they disagree: ciphermeter study show --all{store}\nMore: ciphermeter study show NAME{store}\nMeasure again: \
             ciphermeter study run NAME{store}\n"
        ),
        false => format!(
            "\nNothing is measured yet. One: ciphermeter study run NAME{store}\nAll, in about {:.0} minutes: ciphermeter study run \
             --all{store}\n",
            all_measures()?
                .iter()
                .filter(|measure| measure.needs.is_none())
                .map(|measure| measure.budget.0)
                .sum::<f64>()
                / 60.0
        ),
    };
    output::print(&text).map(|()| Exit::Fine)
}

fn listed(studies: &[Measured<'_>]) -> String {
    let width = output::terminal_width();
    let mut text = String::new();
    for group in Group::ALL {
        let own: Vec<_> = studies.iter().filter(|measured| measured.study.group == group).collect();
        if own.is_empty() {
            continue;
        }
        text += &format!("{}{}:\n\n", if text.is_empty() { "" } else { "\n" }, group.title());
        for measured in own {
            text += &format!("{}\n", measured.study.name);
            text += &output::hanging(2, "", &format!("{}.", measured.study.title), width);
            text += &output::hanging(2, "", &measured.counted(""), width);
            let cautions = measured.cautions();
            text += &cautions.iter().map(|sentence| output::hanging(2, "", sentence, width)).collect::<String>();
        }
    }
    text
}

fn show_all(option: &StoreOption) -> Result<Exit> {
    let (factors, width) = (factors()?, output::terminal_width());
    say_unfinished(&all_measures()?, option)?;
    let runs = of_factors(&factors, option)?;
    let page = why_they_disagree(&factors, &runs);
    let studies = all()?;
    let listed = listed(&all_measured(&studies, option)?);
    output::print(&format!("{}\nHow the claims of each stand:\n{listed}", laid_out(&page, width)))?;
    Ok(answered(&factors, &runs))
}

fn measured<'a>(study: &'a Study, option: &StoreOption) -> Result<Measured<'a>> {
    let suffice = |measure: &Measure, runs: &[MeasuredRun]| is_answered(study, measure, runs);
    let runs = runs(&study.measures, &suffice, option)?;
    Ok(Measured { study, runs, store: folders::typed_store(option) })
}

fn all_measured<'a>(studies: &'a [Study], option: &StoreOption) -> Result<Vec<Measured<'a>>> {
    studies.iter().map(|study| measured(study, option)).collect()
}

fn of_factors(factors: &Factors, option: &StoreOption) -> Result<Vec<Vec<MeasuredRun>>> {
    let suffice = |measure: &Measure, runs: &[MeasuredRun]| factors.is_answered(measure, runs);
    runs(&factors.measures, &suffice, option)
}

fn answered(factors: &Factors, runs: &[Vec<MeasuredRun>]) -> Exit {
    let effects = factors.effects(runs);
    exit(effects.contains(&Effect::WrongOutput), effects.contains(&Effect::NotMeasured))
}

/// What of the user's `study run` measures with.
struct Given<'a> {
    openssl: &'a [PathBuf],
    workers: &'a WorkersOption,
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
                // One run measures both.
                unite(&mut known.messages, measure.messages);
                unite(&mut known.providers, measure.providers);
            }
        }
    }
    Ok(measures)
}

/// Both lists as one; an empty one stands for all that the scenario has.
fn unite<T: PartialEq>(known: &mut Vec<T>, more: Vec<T>) {
    if known.is_empty() || more.is_empty() {
        known.clear();
        return;
    }
    for one in more {
        if !known.contains(&one) {
            known.push(one);
        }
    }
}

fn show_one(study: &Study, whole: bool, option: &StoreOption) -> Result<Exit> {
    let measured = measured(study, option)?;
    say_unfinished(&study.measures, option)?;
    let page = if whole { measured.page() } else { measured.screen() };
    output::print(&laid_out(&page, output::terminal_width()))?;
    Ok(decided(&measured))
}

fn say_unfinished(measures: &[Measure], option: &StoreOption) -> Result<()> {
    if let Some(note) = unfinished(measures, option)? {
        output::tell(&note);
    }
    Ok(())
}

/// The study as a page, and its figures.
fn report(study: &Study, options: &PageOptions, option: &StoreOption) -> Result<Exit> {
    let measured = measured(study, option)?;
    say_unfinished(&study.measures, option)?;
    let figures = || {
        let figures = study_figures(&measured);
        if figures.is_empty() {
            bail!("{} has nothing to draw: no claim names a number of its tables", escaped(&study.name));
        }
        Ok(figures.into_iter().map(|figure| (format!("{}-{}", study.name, figure.name), figure)).collect())
    };
    write(options, &study.name, || Ok(study_html(&measured)?), figures)
}

/// The same as data.
fn print_one(study: &Study, option: &StoreOption) -> Result<Exit> {
    let measured = [measured(study, option)?];
    print(&Document::new(&measured, None))?;
    Ok(decided(&measured[0]))
}

/// All studies as data; with the factors, why they disagree, too.
fn print_all(option: &StoreOption, with_factors: bool) -> Result<Exit> {
    let (studies, factors) = (all()?, factors()?);
    let measured = all_measured(&studies, option)?;
    if !with_factors {
        return print(&Document::new(&measured, None)).map(|()| Exit::Fine);
    }
    let runs = of_factors(&factors, option)?;
    print(&Document::new(&measured, Some((&factors, &runs))))?;
    Ok(answered(&factors, &runs))
}

fn print_csv(studies: &[Study], option: &StoreOption) -> Result<Exit> {
    let measured = all_measured(studies, option)?;
    let mut csv = Vec::new();
    write_csv(&measured, &mut csv)?;
    output::print(&String::from_utf8_lossy(&csv))?;
    let exits: Vec<Exit> = measured.iter().map(decided).collect();
    Ok(exit(exits.contains(&Exit::WrongOutput), exits.contains(&Exit::Partial)))
}

fn print(document: &Document<'_>) -> Result<()> {
    output::print_json(&format!("{}\n", serde_json::to_string(document)?))
}

/// Whether each claim that can be tested here has an answer.
fn decided(measured: &Measured<'_>) -> Exit {
    let verdicts: Vec<_> = measured.judged().iter().map(Judged::verdict).collect();
    exit(verdicts.contains(&Verdict::WrongOutput), verdicts.contains(&Verdict::NotMeasured))
}

fn exit(is_wrong: bool, is_open: bool) -> Exit {
    if is_wrong {
        Exit::WrongOutput
    } else if is_open {
        Exit::Partial
    } else {
        Exit::Fine
    }
}

/// Measures each as `run` does, but for those that need what few machines have; for at most `budget` each, where it is given.
fn run(measures: &[Measure], budget: Option<Seconds>, given: &Given, option: &StoreOption) -> Result<()> {
    let folder = given.workers.workers.as_ref().map(|folder| format!("--workers={}", folder.display()));
    let libcryptos: Vec<String> = given.openssl.iter().map(|path| format!("--openssl={}", path.display())).collect();
    let has = |measure: &Measure| measure.takes_libcryptos() && !libcryptos.is_empty();
    let lacks = |measure: &Measure| measure.needs.clone().filter(|_| !has(measure));
    // What is left goes down from one measurement to the next.
    let seconds = |measure: &Measure| if lacks(measure).is_some() { 0.0 } else { budget.unwrap_or(measure.budget).0 };
    let mut left: f64 = measures.iter().map(seconds).sum();
    for (number, measure) in (1..).zip(measures) {
        if let Some(needs) = lacks(measure) {
            let text = format!("{number} of {}: left out, it needs {}", measures.len(), escaped(&needs));
            output::tell(&text);
            continue;
        }
        let measure = &Measure { budget: budget.unwrap_or(measure.budget), ..measure.clone() };
        let libcryptos = libcryptos.iter().filter(|_| has(measure)).cloned();
        let arguments: Vec<String> = measure.arguments().into_iter().chain(libcryptos).collect();
        output::tell(&format!(
            "{} of {}, at most {} left in all: {}. `ciphermeter {}`",
            number,
            measures.len(),
            minutes(left),
            escaped(&measure.why),
            arguments.iter().map(shell_word).collect::<Vec<_>>().join(" ")
        ));
        left -= measure.budget.0;
        // The page below says what it comes to.
        let arguments: Vec<String> = arguments.into_iter().chain(folder.clone()).collect();
        if measure_into(&arguments, option, &measure.scenario)? == Ended::Nothing {
            output::tell(NOTHING);
        }
    }
    Ok(())
}

/// `90 s`, `6 min`.
fn minutes(seconds: f64) -> String {
    if seconds < 120.0 { format!("{seconds:.0} s") } else { format!("{:.0} min", (seconds / 60.0).ceil()) }
}

/// A page as lines of a terminal, each ended by a newline.
fn laid_out(page: &[Block], width: usize) -> String {
    let block = |block: &Block| match block {
        Block::Paragraph(Paragraph { indent, lead, text }) => output::hanging(*indent, lead, text, width),
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
