//! What an answer rests on, and why there is none.

use ciphermeter_core::{
    Algorithm, Fork, Form, IN_BATCHES, MEASURE_LONGER, Metric, Outcome, Record, Run, RunStatus, budget_option, escaped,
};
use ciphermeter_stats::LEAST_FORKS;
use serde::Serialize;

use crate::measured::measured;
use crate::rank::{competes, usual_form};
use crate::words::{percent, titles};

/// The most forks that any cell rests on.
pub fn most_forks(records: &[Record]) -> usize {
    records.iter().filter_map(measured).map(|summary| summary.forks as usize).max().unwrap_or(0)
}

/// That a run lacks these ciphers, so that it has none to compare another one with.
pub(crate) fn no_other_cipher<'a>(only: Algorithm, lacks: impl IntoIterator<Item = &'a Algorithm>) -> Option<String> {
    let (lacks, only) = (titles(lacks), only.title());
    (!lacks.is_empty())
        .then(|| format!("the run has no figures of {lacks}, so there is no cipher to compare {only} with"))
}

/// Why there is nothing to compare, whatever the time.
pub fn nothing_left(records: &[Record]) -> Option<String> {
    all_refused(records).or_else(|| all_out(records))
}

/// Where no cell is left: the first reason, since more time would change nothing. What is wrong is the gravest, then what failed.
fn all_out(records: &[Record]) -> Option<String> {
    let ciphers = || records.iter().filter(|record| !record.cell.algorithm.is_ceiling());
    let why = |record: &Record| match &record.outcome {
        Outcome::Measured => None,
        Outcome::WrongOutput { why } => Some((0, format!("the output was wrong: {why}"))),
        Outcome::Failed { why } => Some((1, why.clone())),
        outcome if outcome.is_not_reached() => None,
        _ => Some((2, record.why()?)),
    };
    let all: Vec<(u8, String)> = ciphers().map(why).collect::<Option<_>>()?;
    let (_, why) = all.into_iter().min_by_key(|(rank, _)| *rank)?;
    Some(format!("No cell is left: {}.", escaped(why.trim_end_matches('.'))))
}

/// Where no cell was measured because each was refused: the first reason, since more time would change nothing.
fn all_refused(records: &[Record]) -> Option<String> {
    let ciphers = || records.iter().filter(|record| !record.cell.algorithm.is_ceiling());
    let refused = |record: &Record| match &record.outcome {
        Outcome::LeftOut(_) | Outcome::Unsupported { .. } if record.forks.is_empty() => {
            record.why().filter(|_| !record.outcome.is_not_reached())
        }
        _ => None,
    };
    let why: Vec<String> = ciphers().map(refused).collect::<Option<_>>()?;
    why.into_iter().next().map(|why| format!("Nothing could be measured: {}.", escaped(&why)))
}

/// The option that measures so many times as long; `None` where that would be over a day.
pub fn longer(run: &Run, times: f64) -> Option<String> {
    let seconds = run.scenario.budget.duration().as_secs_f64() * times;
    (seconds <= 86_400.0).then(|| budget_option(seconds))
}

/// More than a day is not taken, and a tenth of the cells tells more than a day of all.
const FEWER: &str = "fewer --provider, --algorithm or --message";

/// The option with which nothing may stay undecided; `None` where more time is no remedy. `most` is
/// the most forks that a comparison has.
pub fn budget(run: &Run, records: &[Record], most: usize) -> Option<String> {
    longer(run, times_longer(run, records, most)?)
}

/// How many times as long to measure, where that may help.
fn times_longer(run: &Run, records: &[Record], most: usize) -> Option<f64> {
    let whole = records.iter().map(whole_forks).max().unwrap_or(0);
    let is_early = match run.status {
        RunStatus::Open | RunStatus::Interrupted => run.is_measuring || whole < LEAST_FORKS,
        _ => false,
    };
    if is_early || nothing_left(records).is_some() {
        return None;
    }
    if most >= LEAST_FORKS {
        return Some(4.0);
    }
    let times = LEAST_FORKS as f64 / most.max(1) as f64 * 1.5;
    if whole >= LEAST_FORKS {
        return Some(times);
    }
    // What it takes by the pilot's times, which know how long verifying and warming up took.
    let budget = run.scenario.budget.duration().as_secs_f64();
    let takes = run.plan.parts.iter().map(|part| part.least_ns as f64 / 1e9).sum::<f64>();
    let enough = records.iter().filter_map(|record| record.outcome.enough_s()).max().unwrap_or(0);
    Some(times.max(1.5 * takes / budget).max(enough as f64 / budget))
}

/// Why nothing is decided, and what to try; `most` is the most forks that a comparison has.
pub fn no_answer(run: &Run, records: &[Record], most: usize) -> String {
    no_answer_to("", run, records, most)
}

/// How to measure longer: a page has a button, and only a command is quoted, as what follows it is none of it.
fn remedy(again: &str, run: &Run, records: &[Record], times: f64) -> String {
    match longer(run, times) {
        _ if again.is_empty() && records.iter().any(Record::is_of_page) => MEASURE_LONGER.into(),
        None => FEWER.into(),
        Some(budget) if again.is_empty() => budget,
        Some(budget) => format!("`{again} {budget}`"),
    }
}

/// The same where a command asks again: that with a longer budget.
pub fn no_answer_to(again: &str, run: &Run, records: &[Record], most: usize) -> String {
    if let Some(why) = nothing_left(records) {
        return why;
    }
    if run.status == RunStatus::Open && run.is_measuring {
        return "The run is still measuring.".into();
    }
    let Some(times) = times_longer(run, records, most) else { return "The run ended too early.".into() };
    let longer = remedy(again, run, records, times);
    let whole = records.iter().map(whole_forks).max().unwrap_or(0);
    match (most < LEAST_FORKS, whole < LEAST_FORKS, whole.saturating_sub(most)) {
        (true, true, 0) => {
            format!("A comparison needs {LEAST_FORKS} forks, and there was time for {most}: try {longer}.")
        }
        (true, true, _) => format!(
            "A comparison needs {LEAST_FORKS} forks. There was time for {whole}, and {most} of them had enough undisturbed samples: try \
             {longer}, or a quieter machine."
        ),
        (true, false, _) => format!(
            "{most} of {whole} forks had enough undisturbed samples, and a comparison needs {LEAST_FORKS}: the machine was busy. Try \
             {longer}, or a quieter machine."
        ),
        (false, ..) => {
            let busy = match disturbed(records) {
                Some(share) if share > 0.3 => {
                    format!("the machine was busy, {} of the samples disturbed", percent(share))
                }
                _ => "the intervals are too wide".into(),
            };
            format!("Why: {busy}. Try {longer}, or a quieter machine.")
        }
    }
}

fn whole_forks(record: &Record) -> usize {
    let timed = |fork: &&Fork| !fork.short && fork.samples.iter().any(|sample| sample.ns() > 0);
    record.forks.iter().filter(timed).count()
}

/// A share that is more than hardly any.
fn considerable(share: f64) -> Option<f64> {
    (share >= 0.01).then_some(share)
}

/// The share of the samples' time in which other programs had their CPU; `None` if that is hardly any.
fn taken(records: &[Record]) -> Option<f64> {
    let (mut off, mut all) = (0, 0);
    for sample in records.iter().flat_map(|record| &record.forks).flat_map(|fork| &fork.samples) {
        off += sample.count(Metric::OFF_CPU).filter(|_| sample.was_preempted()).unwrap_or(0);
        all += sample.ns();
    }
    considerable(off as f64 / all.max(1) as f64)
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
    considerable(disturbed as f64 / all.max(1) as f64)
}

/// What an answer rests on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Basis {
    /// The fewest forks of any comparison.
    pub fewest_forks: usize,
    /// The most.
    pub most_forks: usize,
    /// Forks that ran to their end; some may lack undisturbed samples.
    pub whole_forks: usize,
    /// What all figures are about; only batches where no probe looked for other work on the core.
    pub conditions: Vec<Condition>,
    /// The share of samples that were excluded, because other work disturbed them; `None` if that is hardly any.
    pub excluded: Option<f64>,
    /// The share of the samples' time in which other programs had the core; `None` if that is hardly any.
    pub taken: Option<f64>,
    /// How far forks that follow each other are alike; intervals are wider by it.
    pub correlation: f64,
}

/// What all figures are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    /// The library gets many messages a call.
    InBatches,
    /// All calls have one key.
    OneKey,
    /// Nothing else ran on the core.
    UndisturbedCore,
    /// Other work did; figures are from the samples that it left alone.
    SharedCore,
}

impl Basis {
    /// Where the comparisons rest on `fewest` to `most` forks.
    pub fn of(records: &[Record], (fewest, most): (usize, usize)) -> Self {
        let timed = || records.iter().filter(|record| measured(record).is_some());
        let has_probe = timed().any(|record| record.limits().usual.is_some());
        let has_one_key = timed().all(|record| record.cell.parameters.keys() <= 1);
        let (excluded, taken) = (disturbed(records), taken(records));
        let is_shared = excluded.or(taken).is_some();
        let ciphers: Vec<&Record> = records.iter().filter(|record| competes(record)).collect();
        let conditions = [
            (Condition::InBatches, usual_form(&ciphers) == Some(Form::Batch)),
            (Condition::OneKey, has_probe && has_one_key),
            (Condition::UndisturbedCore, has_probe && !is_shared),
            (Condition::SharedCore, has_probe && is_shared),
        ];
        let conditions = conditions.into_iter().filter(|(_, is_so)| *is_so);
        Self {
            fewest_forks: fewest,
            most_forks: most,
            whole_forks: records.iter().map(whole_forks).max().unwrap_or(0).max(most),
            conditions: conditions.map(|(condition, _)| condition).collect(),
            excluded,
            taken,
            correlation: records.iter().map(Record::correlation).fold(0.0, f64::max),
        }
    }

    fn in_words(&self, condition: Condition) -> String {
        match (condition, self.taken) {
            (Condition::InBatches, _) => IN_BATCHES.into(),
            (Condition::OneKey, _) => "one key".into(),
            (Condition::UndisturbedCore, _) => "an undisturbed core".into(),
            (Condition::SharedCore, None) => "a shared core".into(),
            (Condition::SharedCore, Some(taken)) => {
                format!("a shared core: other programs had it for {} of the samples' time", percent(taken))
            }
        }
    }

    /// In one line; of the comparisons that the intervals hold for at once, `shown` are in the table.
    pub fn sentence(&self, (comparisons, shown): (usize, usize)) -> String {
        let (fewest, most, whole) = (self.fewest_forks, self.most_forks, self.whole_forks);
        let mut parts = Vec::new();
        if (fewest, most, whole) == (0, 1, 1) {
            parts.push("1 fork, which has too few undisturbed samples at some sizes".into());
        } else if most > 0 {
            let forks = if fewest < most { format!("{fewest} to {most}") } else { most.to_string() };
            // The others lack undisturbed samples.
            let of = if whole > fewest { format!(" of {whole}") } else { String::new() };
            parts.push(format!("{forks}{of} fork{}", if whole == 1 { "" } else { "s" }));
        }
        if most > 0 && !self.conditions.is_empty() {
            let words: Vec<String> = self.conditions.iter().map(|condition| self.in_words(*condition)).collect();
            parts.push(words.join(", "));
        }
        if let Some(share) = self.excluded {
            parts.push(format!("{} of samples excluded (other work)", percent(share)));
        }
        if self.correlation > 0.0 {
            parts.push(format!("forks alike in turn (r {:.2}), so intervals are wider", self.correlation));
        }
        if comparisons > 1 {
            let all = if comparisons == 2 { "both".into() } else { format!("all {comparisons}") };
            let of = if shown < comparisons { format!(" ({shown} shown)") } else { String::new() };
            parts.push(format!("±: 95 % for {all} comparisons{of}"));
        }
        match parts.join("; ") {
            parts if parts.is_empty() => String::new(),
            parts => format!("{parts}."),
        }
    }
}
