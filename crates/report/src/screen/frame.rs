//! What stands around every answer: the question and the machine above it; what it rests on and what to do next below.

use ciphermeter_core::{Algorithm, Record, Run, escaped};

use crate::styled_line::{Style, StyledLine};
use ciphermeter_answer::machine::may_differ_without_aes;
use ciphermeter_answer::rank::can_rank;
use ciphermeter_answer::regression::Stored;
use ciphermeter_answer::{can_resume, machine};

/// The question, and on what it was asked.
pub(crate) fn head(run: &Run, question: &str, width: usize) -> Vec<StyledLine> {
    asked(run, question, &machine::machine(run).join(", "), width)
}

/// The same on something else than this machine.
pub(super) fn asked(run: &Run, question: &str, on: &str, width: usize) -> Vec<StyledLine> {
    let (name, id) = (escaped(&run.scenario.name), run.id);
    let status = machine::status(run);
    let asked = format!("run {id}: {name}{status}, on {on}");
    let mut lines = StyledLine::wrapped(question, width, 2, Style::Bold);
    lines.extend(StyledLine::wrapped(&asked, width, 2, Style::Dim));
    lines
}

/// What to do next: `more` shows the rest.
pub(super) fn next(of: Stored, more: String, is_answered: bool, width: usize) -> Vec<StyledLine> {
    let run = of.run;
    let mut next: Vec<String> = continuing(run).into_iter().collect();
    let x86 = run.fact("architecture").is_some_and(|architecture| architecture == "x86_64");
    if run.mask.is_none() && x86 && run.has_aes() == Some(true) && may_differ_without_aes(of.records) {
        next.push("For a CPU without AES instructions (an older Pi), add --cpu no-aes.".to_string());
    }
    // `1.47 GB/s at 1 KiB`
    let speed = |algorithm| run.fact(&format!("openssl-speed-{algorithm}")).map(escaped);
    let shown = Algorithm::USUAL.map(|algorithm: Algorithm| speed(algorithm).filter(|_| is_answered));
    if let [Some(aes), Some(chacha)] = shown {
        let aes = aes.split(' ').next().unwrap_or_default();
        let chacha = chacha.split(" at ").next().unwrap_or_default();
        next.push(format!("`openssl speed`: AES {aes}, ChaCha20 {chacha}: ciphermeter help openssl-speed"));
    }
    next.push(more);
    next.iter().flat_map(|line| StyledLine::wrapped(line, width, 2, Style::Dim)).collect()
}

/// How a run that did not end goes on.
pub(crate) fn continuing(run: &Run) -> Option<String> {
    can_resume(run).then(|| format!("Continue it: {}", run.resume()))
}

/// Where all figures are, and a ranking of those that have an answer.
pub(crate) fn all_rows(run: &Run, records: &[Record], is_answered: bool) -> String {
    let id = run.id;
    let ranking = || format!("; a ranking: {}", run.command(&format!("rank {id}")));
    let ranking = if is_answered && can_rank(records) { ranking() } else { String::new() };
    let all = if records.len() == 1 { "Its row".into() } else { format!("All {} rows", records.len()) };
    format!("{all}: {}{ranking}", run.command(&format!("show {id} --all")))
}
