//! `doctor`: what on this machine spoils measurements, and what is missing.

use std::rc::Rc;
use std::time::Duration;

use anyhow::Result;
use ciphermeter_host::doctor::{Finding, Verdict, spoilers};
use ciphermeter_host::energy::{Absent, Meters};
use ciphermeter_meter::{Clock, Processes, SystemClock, survey};

use crate::args::WorkersOption;
use crate::exit::Exit;
use crate::{built_in, output, workers};

/// Columns of a sentence.
const WIDTH: usize = 78;

/// Prints what it finds.
pub fn doctor(option: &WorkersOption) -> Result<Exit> {
    let mut text = String::from("This machine\n");
    for fact in ciphermeter_host::facts() {
        let value = fact.value.unwrap_or_else(|| format!("– ({})", fact.why.unwrap_or_default()));
        text += &indented(&format!("{:<13} {value}", fact.name), 16);
    }
    text += "\nWhat spoils measurements\n";
    for finding in spoilers() {
        text += &sentence(&finding);
    }
    text += "\nEnergy\n";
    let meters = Meters::find(None);
    for meter in &meters.found {
        text += &indented(
            &format!("ok   {} ({}), updated every {} ms", meter.name(), meter.covers(), meter.period().as_millis()),
            5,
        );
    }
    for Absent { source, why } in &meters.absent {
        text += &indented(&format!("miss {source:<9} {why}"), 15);
    }
    text += "\nBuilt-in providers\n";
    let clock: Rc<dyn Clock> = Rc::new(SystemClock::start());
    let (here, missing) = survey(&built_in::native()?, &mut Processes::pinned()?, &clock, Duration::from_secs(20));
    for (surveyed, _) in &here {
        let version = surveyed.offers.first().map_or("", |offer| offer.version.as_str());
        let library = surveyed.offers.first().and_then(|offer| offer.library.as_deref()).unwrap_or("");
        text += &indented(&format!("ok   {:<11} {version} {library}", surveyed.source.name), 17);
    }
    for missing in &missing {
        text += &indented(&format!("miss {}", missing.note()), 5);
    }
    text += "\nWorkers of other languages\n";
    let found = workers::find(option)?;
    for worker in &found {
        text += &indented(&state(worker), 5);
    }
    if found.is_empty() {
        text += &indented(&format!("miss {}", workers::none_found()), 5);
    }
    output::print(&text).map(|()| Exit::Fine)
}

fn state(worker: &workers::Foreign) -> String {
    match (worker.is_built(), worker.toolchain()) {
        (true, _) => format!("ok   {:<11} built", worker.name()),
        (false, Ok(version)) => format!("todo {:<11} {version} is here: `ciphermeter workers build`", worker.name()),
        (false, Err(why)) => format!("miss {:<11} {why}: it needs {}", worker.name(), worker.needs()),
    }
}

fn sentence(finding: &Finding) -> String {
    let mark = match finding.verdict {
        Verdict::Good => "ok  ",
        Verdict::Note => "note",
        Verdict::Bad => "BAD ",
    };
    let remedy = finding.remedy.as_ref().map(|remedy| format!(" → {remedy}")).unwrap_or_default();
    indented(&format!("{mark} {}: {}{remedy}", finding.about, finding.what), 5)
}

/// Wrapped, all lines but the first moved in.
fn indented(text: &str, by: usize) -> String {
    let (first, rest) = (text.chars().take(by).collect::<String>(), text.chars().skip(by).collect::<String>());
    let wrapped = output::wrapped(&rest, WIDTH - by);
    let lines: Vec<&str> = wrapped.lines().collect();
    format!("  {first}{}\n", lines.join(&format!("\n  {}", " ".repeat(by))))
}
