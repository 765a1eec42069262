//! What stands around every answer: the question and the machine above it; what it rests on and what to do next below.

use ciphermeter_core::{
    Algorithm, Fork, Kind, Mask, Outcome, Record, Run, RunStatus, budget_option, escaped, option_words,
};

use crate::styled_line::{Style, StyledLine};
use ciphermeter_answer::measured::measured;
use ciphermeter_answer::words::percent;
use ciphermeter_answer::words::without;

/// The question, and on what it was asked.
pub(crate) fn head(run: &Run, question: &str, width: usize) -> Vec<StyledLine> {
    asked(run, question, &machine(run).join(", "), width)
}

/// The same on something else than this machine.
pub(super) fn asked(run: &Run, question: &str, on: &str, width: usize) -> Vec<StyledLine> {
    let (name, id) = (escaped(&run.scenario.name), run.id);
    let status = status(run);
    let asked = format!("run {id}: {name}{status}, on {on}");
    let mut lines = StyledLine::wrapped(question, width, 2, Style::Bold);
    lines.extend(StyledLine::wrapped(&asked, width, 2, Style::Dim));
    lines
}

/// How a run ended, behind its name; nothing if it did as it should.
pub(crate) fn status(run: &Run) -> &'static str {
    match run.status {
        RunStatus::Complete => "",
        RunStatus::Partial => ", partial",
        RunStatus::Interrupted => ", interrupted",
        RunStatus::Open if run.is_measuring => ", still measuring",
        RunStatus::Open => ", cut off",
    }
}

/// The machine in a few words, each part of its own.
pub(super) fn machine(run: &Run) -> Vec<String> {
    let mut machine = vec![cpu(run).unwrap_or("CPU model unknown".into())];
    machine.extend(cpus(run));
    machine.extend(instructions(run));
    machine
}

/// The processor's name without what only lawyers need.
fn cpu(run: &Run) -> Option<String> {
    let mut name = escaped(run.fact("cpu")?);
    for noise in ["(R)", "(TM)", "(tm)", " Processor", " CPU"] {
        name = name.replace(noise, "");
    }
    Some(name.split(" @ ").next().unwrap_or_default().trim().to_owned())
}

fn cpus(run: &Run) -> Option<String> {
    let mut words = run.fact("cores")?.split([' ', ',']);
    let count = words.next()?.parse::<u32>().ok()?;
    let allowed = words.find_map(|word| word.parse::<u32>().ok()).filter(|allowed| *allowed < count);
    let plural = if count == 1 { "" } else { "s" };
    Some(allowed.map_or(format!("{count} CPU{plural}"), |allowed| format!("{allowed} of {count} CPUs")))
}

fn instructions(run: &Run) -> Option<String> {
    match run.mask {
        Some(mask) => Some(format!("as one {}", without(mask))),
        None => Some(if run.has_aes()? { "AES instructions" } else { "no AES instructions" }.into()),
    }
}

/// Whether AES instructions are known to be there, and the run let providers use them.
pub(crate) fn takes_aes(run: &Run) -> bool {
    run.mask != Some(Mask::NoAes) && run.has_aes() == Some(true)
}

/// The most forks that any cell rests on.
pub(crate) fn most_forks(records: &[Record]) -> usize {
    records.iter().filter_map(measured).map(|summary| summary.forks as usize).max().unwrap_or(0)
}

/// Why there is nothing to compare, whatever the time.
pub(super) fn nothing_left(records: &[Record]) -> Option<String> {
    all_refused(records).or_else(|| all_out(records))
}

/// Where no cell is left: the first reason, since more time would change nothing. What is wrong is the gravest, then what failed.
fn all_out(records: &[Record]) -> Option<String> {
    let ciphers = || records.iter().filter(|record| !record.cell.algorithm.is_ceiling());
    let why = |outcome: &Outcome| match outcome {
        Outcome::Measured => None,
        Outcome::WrongOutput { why } => Some((0, format!("the output was wrong: {why}"))),
        Outcome::Failed { why } => Some((1, why.clone())),
        outcome if outcome.is_not_reached() => None,
        outcome => Some((2, outcome.why()?)),
    };
    let all: Vec<(u8, String)> = ciphers().map(|record| why(&record.outcome)).collect::<Option<_>>()?;
    let (_, why) = all.into_iter().min_by_key(|(rank, _)| *rank)?;
    Some(format!("No cell is left: {}.", escaped(why.trim_end_matches('.'))))
}

/// Where no cell was measured because each was refused: the first reason, since more time would change nothing.
fn all_refused(records: &[Record]) -> Option<String> {
    let ciphers = || records.iter().filter(|record| !record.cell.algorithm.is_ceiling());
    let refused = |record: &Record| match &record.outcome {
        Outcome::LeftOut(_) | Outcome::Unsupported { .. } if record.forks.is_empty() => {
            record.outcome.why().filter(|_| !record.outcome.is_not_reached())
        }
        _ => None,
    };
    let why: Vec<String> = ciphers().map(refused).collect::<Option<_>>()?;
    why.into_iter().next().map(|why| format!("Nothing could be measured: {}.", escaped(&why)))
}

/// The option that measures so many times as long; fewer cells where that would be over a day.
pub(crate) fn longer(run: &Run, times: f64) -> String {
    match run.scenario.budget.duration().as_secs_f64() * times {
        // More is not taken, and a tenth of the cells tells more than a day of all.
        seconds if seconds > 86_400.0 => "fewer --provider, --algorithm or --message".into(),
        seconds => budget_option(seconds),
    }
}

/// Why nothing is decided, and what to try; `most` is the most forks that a comparison has.
pub(crate) fn no_answer(run: &Run, records: &[Record], most: usize) -> String {
    why_no_answer(run, records, most, |longer| longer)
}

/// The same where a command asks again: that with a longer budget.
pub(crate) fn no_answer_to(again: &str, run: &Run, records: &[Record], most: usize) -> String {
    let with = |longer: String| match longer.starts_with("--budget") {
        true => format!("{again} {longer}"),
        false => longer,
    };
    why_no_answer(run, records, most, with)
}

fn why_no_answer(run: &Run, records: &[Record], most: usize, with: impl Fn(String) -> String) -> String {
    let most = u32::try_from(most).unwrap_or(u32::MAX);
    let least = ciphermeter_stats::LEAST_FORKS as u32;
    let budget = run.scenario.budget.duration().as_secs_f64();
    let longer = |times: f64| with(longer(run, times));
    if let Some(why) = nothing_left(records) {
        return why;
    }
    let whole = records.iter().map(whole_forks).max().unwrap_or(0);
    match (run.status, most) {
        (RunStatus::Open, _) if run.is_measuring => "The run is still measuring.".into(),
        (RunStatus::Open | RunStatus::Interrupted, _) if whole < least as usize => "The run ended too early.".into(),
        (_, forks) if forks < least => {
            let times = f64::from(least) / f64::from(forks.max(1)) * 1.5;
            match whole {
                whole if whole < least as usize => {
                    // What it takes by the pilot's times, which know how long verifying and warming up took.
                    let takes = run.plan.parts.iter().map(|part| part.least_ns as f64 / 1e9).sum::<f64>();
                    let times = times.max(1.5 * takes / budget);
                    let longer = longer(times);
                    match whole.saturating_sub(forks as usize) {
                        0 => format!("A comparison needs {least} forks, and there was time for {forks}: try {longer}."),
                        _ => format!(
                            "A comparison needs {least} forks. There was time for {whole}, and {forks} of them had enough undisturbed \
                             samples: try {longer}, or a quieter machine."
                        ),
                    }
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
    let timed = |fork: &&Fork| !fork.short && fork.samples.iter().any(|sample| sample.ns() > 0);
    record.forks.iter().filter(timed).count()
}

/// The share of samples that were disturbed; `None` if that is hardly any.
fn disturbed(records: &[Record]) -> Option<f64> {
    let (mut disturbed, mut all) = (0_usize, 0_usize);
    for record in records {
        let limits = record.limits();
        let samples: usize = record.forks.iter().map(|fork| fork.samples.len()).sum();
        disturbed += samples - record.forks.iter().flat_map(|fork| fork.undisturbed(&limits)).count();
        all += samples;
    }
    let share = disturbed as f64 / all.max(1) as f64;
    (share >= 0.01).then_some(share)
}

/// What all figures are about: `one key, an undisturbed core`. Where calls take turns with keys, and where no probe looks, less is said.
fn conditions(records: &[Record]) -> Option<String> {
    let timed = || records.iter().filter(|record| measured(record).is_some());
    let has_probe = timed().any(|record| record.limits().usual.is_some());
    let has_one_key = timed().all(|record| record.cell.parameters.keys() <= 1);
    let said = [("one key", has_one_key), ("an undisturbed core", true)].into_iter().filter(|(_, is_so)| *is_so);
    has_probe.then(|| said.map(|(what, _)| what).collect::<Vec<_>>().join(", "))
}

/// What the answer rests on, in one line.
///
/// The comparisons rest on `fewest` to `most` forks; of `rows` rows that the intervals hold for, `shown` are in the table.
pub(crate) fn basis(records: &[Record], (fewest, most): (usize, usize), (rows, shown): (usize, usize)) -> String {
    let mut parts = Vec::new();
    let whole = records.iter().map(whole_forks).max().unwrap_or(0).max(most);
    if (fewest, most, whole) == (0, 1, 1) {
        parts.push("1 fork, which has too few undisturbed samples at some sizes".into());
    } else if most > 0 {
        let forks = if fewest < most { format!("{fewest} to {most}") } else { most.to_string() };
        // The others lack undisturbed samples.
        let of = if whole > fewest { format!(" of {whole}") } else { String::new() };
        parts.push(format!("{forks}{of} fork{}", if whole == 1 { "" } else { "s" }));
    }
    if most > 0 {
        parts.extend(conditions(records));
    }
    if let Some(share) = disturbed(records) {
        parts.push(format!("{} of samples excluded (other work)", percent(share)));
    }
    let correlation = records.iter().map(Record::correlation).fold(0.0, f64::max);
    if correlation > 0.0 {
        parts.push(format!("forks alike in turn (r {correlation:.2}), so intervals are wider"));
    }
    if rows > 1 {
        let all = if rows == 2 { "both".into() } else { format!("all {rows}") };
        let of = if shown < rows { format!(" ({shown} shown)") } else { String::new() };
        parts.push(format!("±: 95 % for {all} sizes{of}"));
    }
    match parts.join("; ") {
        parts if parts.is_empty() => String::new(),
        parts => format!("{parts}."),
    }
}

/// What `openssl speed` shows of an algorithm on this machine: `1.47 GB/s at 1 KiB`.
fn openssl_speed(run: &Run, algorithm: Algorithm) -> Option<String> {
    run.fact(&format!("openssl-speed-{algorithm}")).map(escaped)
}

/// What to do next.
pub(super) fn next(run: &Run, records: &[Record], is_answered: bool, width: usize) -> Vec<StyledLine> {
    let id = run.id;
    let mut next: Vec<String> = continuing(run).into_iter().collect();
    let x86 = run.fact("architecture").is_some_and(|architecture| architecture == "x86_64");
    let asks_which = !run.scenario.moves_files() && run.scenario.kind != Kind::Parallel;
    if run.mask.is_none() && x86 && run.has_aes() == Some(true) && asks_which {
        next.push("For a CPU without AES instructions (an older Pi), add --cpu no-aes.".to_string());
    }
    let shown = Algorithm::USUAL.map(|algorithm| openssl_speed(run, algorithm).filter(|_| is_answered));
    if let [Some(aes), Some(chacha)] = shown {
        let aes = aes.split(' ').next().unwrap_or_default();
        let chacha = chacha.split(" at ").next().unwrap_or_default();
        next.push(format!("`openssl speed`: AES {aes}, ChaCha20 {chacha}: ciphermeter help openssl-speed"));
    }
    next.push(match run.scenario.kind {
        Kind::Sustained => {
            let (all, steps) =
                (run.command(&format!("show {id} --all")), run.command(&format!("export {id} --format csv")));
            format!("Temperature and frequency, too: {all}; each step: {steps}")
        }
        Kind::Parallel => format!("All threads and all ways: {}", run.command(&format!("show {id} --all"))),
        _ => all_rows(run, records, is_answered),
    });
    next.iter().flat_map(|line| StyledLine::wrapped(line, width, 2, Style::Dim)).collect()
}

/// How a run that did not end goes on.
pub(super) fn continuing(run: &Run) -> Option<String> {
    let is_cut_off = matches!(run.status, RunStatus::Open | RunStatus::Interrupted) && !run.is_measuring;
    (is_cut_off && run.scenario.kind != Kind::Sustained).then(|| format!("Continue it: {}", resume(run)))
}

/// The command that continues a run, with what it wants to be named again.
pub(super) fn resume(run: &Run) -> String {
    let named = |option: &str, fact| run.fact(fact).map(|value| format!(" {}", option_words(option, value)));
    let again = [named("--input", "input"), named("--device", "devices")];
    run.command(&format!("run --resume={}{}", run.id, again.into_iter().flatten().collect::<String>()))
}

/// Where all figures are, and a ranking of those that have an answer.
pub(super) fn all_rows(run: &Run, records: &[Record], is_answered: bool) -> String {
    let id = run.id;
    let ranking = || format!("; a ranking: {}", run.command(&format!("rank {id}")));
    let ranking = if is_answered { ranking() } else { String::new() };
    format!("All {} rows: {}{ranking}", records.len(), run.command(&format!("show {id} --all")))
}
