//! What stands around every answer: the question and the machine above it; what it rests on and what to do next below.

use ciphermeter_core::{Kind, Outcome, Record, Run, RunStatus, Sample, escaped};

use crate::measured::measured;
use crate::phrases::{listed, percent};
use crate::styled_line::{Style, StyledLine};
use crate::text::without;

/// The question, and on what it was asked.
pub(super) fn head(run: &Run, question: &str, width: usize) -> Vec<StyledLine> {
    let mut machine = vec![cpu(run).unwrap_or("CPU model unknown".into())];
    machine.extend(cpus(run));
    machine.extend(instructions(run));
    let (name, id) = (escaped(&run.scenario.name), run.id);
    let status = match run.status {
        RunStatus::Complete => "",
        RunStatus::Partial => ", partial",
        RunStatus::Interrupted => ", interrupted",
        RunStatus::Open => ", cut off",
    };
    let asked = format!("run {id}: {name}{status}, on {}", machine.join(", "));
    let mut lines = vec![StyledLine::new(question, Style::Bold)];
    lines.extend(StyledLine::wrapped(&asked, width, 2, Style::Dim));
    lines
}

/// The processor's name without what only lawyers need.
fn cpu(run: &Run) -> Option<String> {
    let mut name = escaped(fact(run, "cpu")?);
    for noise in ["(R)", "(TM)", "(tm)", " Processor", " CPU"] {
        name = name.replace(noise, "");
    }
    Some(name.split(" @ ").next().unwrap_or_default().trim().to_owned())
}

fn cpus(run: &Run) -> Option<String> {
    let count = fact(run, "cores")?.split(' ').next()?.parse::<u32>().ok()?;
    Some(format!("{count} CPU{}", if count == 1 { "" } else { "s" }))
}

fn instructions(run: &Run) -> Option<String> {
    match run.mask {
        Some(mask) => Some(format!("as one {}", without(mask))),
        None => Some(if has_aes(run)? { "AES instructions" } else { "no AES instructions" }.into()),
    }
}

/// `None` where the system does not say what the CPU has.
pub(super) fn has_aes(run: &Run) -> Option<bool> {
    Some(fact(run, "features")?.split(' ').any(|feature| feature == "aes"))
}

fn fact<'a>(run: &'a Run, name: &str) -> Option<&'a str> {
    run.host.iter().find(|fact| fact.name == name).and_then(|fact| fact.value.as_deref())
}

/// Why nothing is decided, and what to try.
pub(super) fn no_answer(run: &Run, records: &[Record]) -> String {
    let most = records.iter().filter_map(measured).map(|summary| summary.forks).max().unwrap_or(0);
    let least = ciphermeter_stats::LEAST_FORKS as u32;
    let budget = run.scenario.budget.duration().as_secs_f64();
    let longer = |times: f64| format!("--budget {}s", (budget * times).ceil());
    match (run.status, most) {
        (RunStatus::Open | RunStatus::Interrupted, forks) if forks < least => "The run ended too early.".into(),
        (_, forks) if forks < least => {
            let times = f64::from(least) / f64::from(forks.max(1)) * 1.5;
            let whole = records.iter().map(whole_forks).max().unwrap_or(0);
            match whole {
                whole if whole < least as usize => {
                    format!("A comparison needs {least} forks, and there was time for {forks}: try {}.", longer(times))
                }
                whole => format!(
                    "{forks} of {whole} forks had enough undisturbed samples, and a comparison needs {least}: the machine was busy. \
                     Try {}, or a quieter machine.",
                    longer(times)
                ),
            }
        }
        _ => {
            let busy = match disturbed(records) {
                Some(share) if share > 0.3 => {
                    format!("the machine was busy, {} of the samples disturbed", percent(share))
                }
                _ => "the intervals are too wide".into(),
            };
            format!("Why: {busy}. Try {}, or a quieter machine.", longer(4.0))
        }
    }
}

fn whole_forks(record: &Record) -> usize {
    record.forks.iter().filter(|fork| !fork.short && !fork.samples.is_empty()).count()
}

/// The share of samples that were disturbed; `None` if that is hardly any.
fn disturbed(records: &[Record]) -> Option<f64> {
    let (mut disturbed, mut all) = (0_usize, 0_usize);
    for record in records {
        let limit = record.summary.as_ref().and_then(|summary| summary.undisturbed_limit);
        let samples = || record.forks.iter().flat_map(|fork| &fork.samples);
        disturbed += samples().filter(|sample: &&Sample| !sample.is_undisturbed(limit)).count();
        all += samples().count();
    }
    let share = disturbed as f64 / all.max(1) as f64;
    (share >= 0.01).then_some(share)
}

/// What the answer rests on, in one line.
pub(super) fn basis(records: &[Record], rows: usize) -> String {
    let forks = records.iter().filter_map(measured).map(|summary| summary.forks).max().unwrap_or(0);
    let mut parts = Vec::new();
    if forks > 0 {
        parts.push(format!("{forks} fork{}", if forks == 1 { "" } else { "s" }));
    }
    if let Some(share) = disturbed(records) {
        parts.push(format!("{} of the samples disturbed, so excluded", percent(share)));
    }
    if rows > 1 {
        parts.push(format!("±: 95 % for all {rows} rows"));
    }
    match parts.join("; ") {
        parts if parts.is_empty() => String::new(),
        parts => format!("{parts}."),
    }
}

/// Cells that have no figure: the worst sort, with what it was.
pub(super) fn left_out(run: &Run, records: &[Record], width: usize) -> Vec<StyledLine> {
    let those = |test: fn(&Outcome) -> bool| -> Vec<&Record> {
        records.iter().filter(|record| test(&record.outcome)).collect()
    };
    let named = |records: &[&Record]| {
        let mut names: Vec<_> = records
            .iter()
            .map(|record| format!("{} {}", escaped(&record.cell.provider), record.cell.algorithm))
            .collect();
        names.dedup();
        match names.len() {
            0..=2 => listed(&names),
            more => format!("{} and {} more", names[0], more - 1),
        }
    };
    let wrong = those(|outcome| matches!(outcome, Outcome::WrongOutput { .. }));
    let failed = those(|outcome| matches!(outcome, Outcome::Failed { .. }));
    let late = those(|outcome| matches!(outcome, Outcome::Unsupported { why } if why.ends_with("--budget")));
    let sorts =
        [("WRONG OUTPUT", wrong, Style::Red), ("Failed", failed, Style::Yellow), ("No time for", late, Style::Plain)];
    let said = sorts.into_iter().filter(|(_, records, _)| !records.is_empty());
    said.flat_map(|(word, records, style)| {
        let text = format!("{word}: {}; why: ciphermeter show {} --all", named(&records), run.id);
        StyledLine::wrapped(&text, width, 2, style)
    })
    .collect()
}

/// What to do next.
pub(super) fn next(run: &Run, records: &[Record], is_answered: bool, width: usize) -> Vec<StyledLine> {
    let id = run.id;
    let mut next = Vec::new();
    if matches!(run.status, RunStatus::Open | RunStatus::Interrupted) && run.scenario.kind != Kind::Sustained {
        next.push(format!("Continue it: ciphermeter run --resume={id}"));
    }
    let x86 = fact(run, "architecture").is_some_and(|architecture| architecture == "x86_64");
    if run.mask.is_none() && x86 && has_aes(run) == Some(true) && !run.scenario.moves_files() {
        next.push("On a CPU without AES instructions (an older Pi): ciphermeter run --cpu no-aes".to_string());
    }
    next.push(match run.scenario.kind {
        Kind::Sustained => {
            format!("Temperature and frequency, too: ciphermeter show {id} --all; each step: ciphermeter export {id} --format csv")
        }
        _ => {
            let ranking = if is_answered { format!("; a ranking: ciphermeter rank {id}") } else { String::new() };
            format!("All {} rows: ciphermeter show {id} --all{ranking}", records.len())
        }
    });
    next.iter().flat_map(|line| StyledLine::wrapped(line, width, 2, Style::Dim)).collect()
}
