//! The first screen of an advice: what to use, the lines to write, what it costs, when that flips, and what it all rests on.

use ciphermeter_answer::code_paths::lesser as lesser_code;
use ciphermeter_answer::machine::{machine, may_differ_without_aes, status};
use ciphermeter_answer::note::Note;
use ciphermeter_answer::program::{Program, Setting};
use ciphermeter_answer::words::{capital, digits, doing, listed, size, width as columns};
use ciphermeter_answer::workload::{Advice, Evidence, Lacking, Question, left_out};
use ciphermeter_core::{Record, escaped};

use crate::screen::{Screen, most_lines};
use crate::styled_line::{Style, StyledLine, TableOptions};

/// Parts of a screen, in their order.
#[derive(Default)]
struct Parts {
    head: Vec<Line>,
    answer: Vec<Line>,
    setting: Vec<Line>,
    /// What it costs, when that flips, and what is not in it, a sentence each.
    more: Vec<Vec<Line>>,
    /// Notes on security.
    notes: Vec<Vec<Line>>,
    /// What the answer rests on.
    end: Vec<Line>,
}

#[derive(Clone)]
enum Line {
    Styled(StyledLine),
    /// To be copied: never wrapped or cut.
    Whole(String),
}

/// The first screen, or the `whole` answer.
pub fn advice_screen(advice: &Advice, whole: bool, options: TableOptions) -> Screen {
    let width = options.columns();
    let parts = match (&advice.evidence, advice.question.program) {
        (Some(evidence), _) => measured(advice, evidence, width),
        (None, Some(program)) => unmeasured(advice, program, width),
        (None, None) => Parts::default(),
    };
    let verbose = (!whole).then(|| format!("{} --verbose", advice.question.again));
    Screen { text: parts.text(verbose, options), is_answered: advice.is_answered() }
}

impl Parts {
    /// With blank lines between the parts where there is room for them. What a screen has no room for, the last note first, is left to
    /// the command `verbose`, if there is one.
    fn text(mut self, verbose: Option<String>, options: TableOptions) -> String {
        // A line that is longer than the terminal takes several of its lines.
        let rows = |line: &str| columns(line).div_ceil(options.columns()).max(1);
        let fits = |text: &str| text.lines().map(rows).sum::<usize>() <= most_lines(options.columns());
        let mut left = 0;
        loop {
            let hint = verbose.as_ref().filter(|_| left > 0).map(|command| format!("{left} more: {command}"));
            let hint = hint.map(|hint| wrapped(&hint, options.columns(), Style::Dim)).unwrap_or_default();
            let (more, end) = (self.more.concat(), [self.notes.concat(), self.end.clone(), hint].concat());
            let blocks = [&self.head, &self.answer, &self.setting, &more, &end];
            let printed: Vec<String> =
                blocks.into_iter().filter(|block| !block.is_empty()).map(|block| printed(block, options)).collect();
            let [spaced, dense] = ["\n", ""].map(|blank| printed.join(blank));
            if verbose.is_none() || fits(&spaced) {
                return spaced;
            }
            if fits(&dense) || self.notes.pop().or_else(|| self.more.pop()).is_none() {
                return dense;
            }
            left += 1;
        }
    }
}

fn printed(lines: &[Line], options: TableOptions) -> String {
    let line = |line: &Line| match line {
        Line::Styled(line) => options.print(std::slice::from_ref(line)),
        Line::Whole(text) => format!("{text}\n"),
    };
    lines.iter().map(line).collect()
}

impl Line {
    fn plain(text: impl Into<String>, style: Style) -> Self {
        Self::Styled(StyledLine::new(text, style))
    }
}

fn wrapped(text: &str, width: usize, style: Style) -> Vec<Line> {
    StyledLine::wrapped(text, width, 2, style).into_iter().map(Line::Styled).collect()
}

fn measured(advice: &Advice, evidence: &Evidence, width: usize) -> Parts {
    let head = [
        evidence.elsewhere.map(|said| wrapped(said, width, Style::Yellow)).unwrap_or_default(),
        asked(&advice.question, width),
        wrapped(&rests_on(evidence), width, Style::Dim),
        set_here(evidence).map(|said| wrapped(&said, width, Style::Yellow)).unwrap_or_default(),
    ];
    let parts = Parts { head: head.concat(), ..Parts::default() };
    match advice.outcome.is_measured() {
        true => with_figures(advice, evidence, parts, width),
        false => without_figures(advice, evidence, parts, width),
    }
}

/// What is asked, and what stands in for it.
fn asked(question: &Question, width: usize) -> Vec<Line> {
    let premise = question.premise();
    let premise = premise.iter().flat_map(|premise| wrapped(premise, width, Style::Yellow));
    wrapped(&question.title(), width, Style::Bold).into_iter().chain(premise).collect()
}

/// What was asked and has no figures.
fn without_figures(advice: &Advice, evidence: &Evidence, head: Parts, width: usize) -> Parts {
    let first = advice.decision.sentences.first().map(|said| (said.clone(), Style::Yellow));
    let why = advice.undecided.iter().map(|why| (why.clone(), Style::Plain));
    let measures = match advice.budget() {
        Some(budget) => format!("{} {budget}", advice.question.again),
        None => advice.question.measure.to_owned(),
    };
    let end = newer(evidence.newer).into_iter().chain([format!("Measure it: {measures}")]);
    Parts {
        answer: first.into_iter().chain(why).flat_map(|(text, style)| wrapped(&text, width, style)).collect(),
        end: end.flat_map(|text| wrapped(&text, width, Style::Dim)).collect(),
        ..head
    }
}

fn with_figures(advice: &Advice, evidence: &Evidence, head: Parts, width: usize) -> Parts {
    let outcome = &advice.outcome;
    let bold = if outcome.is_answered() { Style::Bold } else { Style::Yellow };
    let answer = advice.decision.sentences.iter().cloned().enumerate();
    let answer = answer.map(|(place, text)| (text, if place == 0 { bold } else { Style::Plain }));
    let answer = answer.chain(left_out(&advice.wrong_output).map(|text| (text, Style::Yellow)));
    let apart =
        (!outcome.apart.is_empty()).then(|| format!("Left out, for lack of sizes: {}.", listed(&outcome.apart)));
    // What was not compared is said below.
    let undecided = advice.undecided.iter().filter(|_| outcome.is_whole());
    let undecided = undecided.cloned().map(|text| (text, Style::Plain));
    let [masked, to_mask] = without_aes(advice, evidence);
    // What there is no room for is at the end.
    let more = masked
        .into_iter()
        .chain(outcome.flips())
        .chain(advice.rule())
        .chain(lacking(advice))
        .chain(to_mask)
        .chain(advice.budget().map(|budget| format!("Measure it: {} {budget}", advice.question.measure)))
        .chain(advice.not_in_run().map(|said| format!("{said}.")))
        .chain(apart)
        .chain(lesser(advice, evidence))
        .chain(outcome.cost(advice.question.mix.is_some()))
        .chain(energy(advice))
        .map(|text| wrapped(&text, width, Style::Plain));
    let (limits, notes): (Vec<&Note>, Vec<&Note>) =
        advice.notes.iter().copied().partition(|note| note.is_of_question());
    let said = |note: &&Note| wrapped(&format!("{} [{}]", note.text, note.source), width, Style::Plain);
    let answer = answer.chain(undecided).flat_map(|(text, style)| wrapped(&text, width, style));
    Parts {
        answer: answer.chain(limits.iter().flat_map(said)).collect(),
        setting: advice.setting.as_ref().map(|setting| lines_of(setting, width)).unwrap_or_default(),
        more: more.collect(),
        notes: notes.iter().map(said).collect(),
        end: end(advice, evidence, width),
        ..head
    }
}

/// `run 5 of 2026-11-26: tls, on AMD EPYC, 2 CPUs, AES instructions`. A run of another machine has no number here.
fn rests_on(evidence: &Evidence) -> String {
    let run = evidence.run;
    let day = run.started.get(..10).unwrap_or(&run.started);
    let (name, status) = (escaped(&run.scenario.name), status(run));
    let which = if evidence.elsewhere.is_some() { "its run".into() } else { format!("run {}", run.id) };
    format!("{which} of {}: {name}{status}, on {}", escaped(day), machine(run).join(", "))
}

/// What was asked holds for programs that run other code only if that is said.
fn set_here(evidence: &Evidence) -> Option<String> {
    let set = listed(&evidence.set_here.iter().map(|set| escaped(set)).collect::<Vec<_>>());
    let is = if evidence.set_here.len() > 1 { "are" } else { "is" };
    (!set.is_empty()).then(|| {
        format!("{set} {is} set here, and was not for that run: programs that have it set may run other code.")
    })
}

/// Sizes that were asked for and are not in the answer.
fn lacking(advice: &Advice) -> impl Iterator<Item = String> {
    advice.not_compared.iter().map(Lacking::sentence)
}

/// `Run 7 is newer and has no figures at 16 KiB.`
fn newer(sentences: &[String]) -> Option<String> {
    let all = sentences.join("; ");
    (!all.is_empty()).then(|| capital(&all) + ".")
}

fn energy(advice: &Advice) -> Option<String> {
    let joules = advice.joules.as_ref()?;
    let net = joules.net_j_per_gb.map(|net| format!(", {} above what the idle one draws", digits(net)));
    Some(format!(
        "The {} takes {} J/GB{} (run {}, sustained, {}).",
        joules.covers,
        digits(joules.j_per_gb),
        net.unwrap_or_default(),
        joules.run,
        size(joules.message)
    ))
}

/// Libraries in question that leave instructions of this CPU unused.
fn lesser(advice: &Advice, evidence: &Evidence) -> Option<String> {
    let asked: Vec<Record> = evidence.records.iter().filter(|record| advice.question.asks(record)).cloned().collect();
    lesser_code(evidence.run, &asked)
}

/// What a CPU without AES instructions would take, which is an answer, too; or how to ask.
fn without_aes(advice: &Advice, evidence: &Evidence) -> [Option<String>; 2] {
    if evidence.elsewhere.is_some()
        || evidence.run.mask.is_some()
        || evidence.run.has_aes() == Some(false)
        || evidence.run.scenario.moves_files()
    {
        return [None, None];
    }
    let said = |masked: &Advice| {
        let own = masked.evidence?;
        let said = [Some(masked.brief_of_masked()), left_out(&masked.wrong_output), newer(own.newer)];
        let said: Vec<String> = said.into_iter().flatten().collect();
        Some(format!("Without AES instructions (run {}): {}", own.run.id, said.join(" ")))
    };
    let again = advice.question.again_without_aes;
    match &advice.without_aes {
        Some(masked) => [said(masked), None],
        None if !may_differ_without_aes(evidence.records) => [None, None],
        None => [None, Some(format!("To see the answer for a CPU without AES instructions: {again}"))],
    }
}

/// What stands before the command that checks the lines.
const CHECK: &str = "Check: ";

fn lines_of(setting: &Setting, width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for section in &setting.sections {
        lines.extend(wrapped(&section.heading(), width, Style::Plain));
        lines.extend(section.warning().iter().flat_map(|warning| wrapped(warning, width, Style::Yellow)));
        lines.extend(section.lines.iter().cloned().map(Line::Whole));
    }
    let links = setting.links.as_ref().map(|command| format!("which library it links: {command}"));
    let rest: Vec<String> = match &setting.check {
        // It is to be pasted, too.
        Some(check) if check.len() > width - CHECK.len() => {
            lines.extend([Line::plain(CHECK.trim_end(), Style::Plain), Line::Whole(format!("  {check}"))]);
            links.map(|text| capital(&text)).into_iter().collect()
        }
        Some(check) => {
            let check = format!("{CHECK}{check}");
            match links {
                // Neither of the two is broken.
                Some(links) if columns(&check) + "; ".len() + columns(&links) > width => {
                    vec![check, capital(&links)]
                }
                links => vec![[Some(check), links].into_iter().flatten().collect::<Vec<_>>().join("; ")],
            }
        }
        None => Vec::new(),
    };
    let rest = rest.into_iter().chain(setting.remarks.iter().cloned());
    lines.extend(rest.flat_map(|text| wrapped(&text, width, Style::Plain)));
    lines
}

fn end(advice: &Advice, evidence: &Evidence, width: usize) -> Vec<Line> {
    let run = evidence.run;
    let changed =
        (!evidence.changed.is_empty()).then(|| format!("Since that run: {}.", escaped(&evidence.changed.join("; "))));
    let sizes = match advice.question.mix {
        Some(_) => "sizes are weighted by their numbers of messages",
        None => "all sizes weigh the same",
    };
    let operations: Vec<_> = advice.outcome.operations.iter().map(|one| doing(one.operation).to_owned()).collect();
    let alike = if operations.len() > 1 { format!(", {} alike", listed(&operations)) } else { String::new() };
    let basis = advice.basis().sentence((0, 0));
    let basis = format!("{}; {sizes}{alike}; ±: 95 % for all at once.", basis.trim_end_matches('.'));
    let said = [
        Some(basis),
        newer(evidence.newer),
        changed,
        evidence
            .elsewhere
            .is_none()
            .then(|| format!("By size, and more: {}", run.command(&format!("show {}", run.id)))),
    ];
    said.iter().flatten().flat_map(|text| wrapped(text, width, Style::Dim)).collect()
}

/// A program that leaves no choice.
fn unmeasured(advice: &Advice, program: &Program, width: usize) -> Parts {
    let answer = advice.decision.sentences.iter().zip([Style::Bold, Style::Plain]);
    let mut parts = Parts {
        head: asked(&advice.question, width),
        answer: answer.flat_map(|(text, style)| wrapped(text, width, style)).collect(),
        ..Parts::default()
    };
    let measure = advice.question.measure;
    let cost = match &advice.rests_on {
        Some(own) => format!("That is of run {}; again: {measure}", own.run),
        None => format!("What it costs here: {measure}"),
    };
    parts.end = wrapped(&cost, width, Style::Dim);
    parts.end.extend(program.sources.iter().cloned().map(Line::Whole));
    parts
}
