//! A study as text: the verdicts on its claims, each claim's ratios beside the published ones, then what does not fit
//! together in it.
//!
//! Promises: the first lines answer what the reader came with (what holds here); a figure stands beside its interval; what is
//! not known is said.

use ciphermeter_core::{Seconds, escaped};
use ciphermeter_estimate::LEAST_FORKS;

use crate::beside::{Row, rows};
use crate::claim::Claim;
use crate::hint::hint;
use crate::judge::Missing;
use crate::measured::{Answer, Judged, Measured};
use crate::pairless::pairless;
use crate::question::{Question, Way};
use crate::run::MeasuredRun;
use crate::study::Study;
use crate::table::Table;
use crate::tabled::Tabled;
use crate::verdict::Verdict;
use crate::words::{ELSEWHERE, Several, division, interval, label, leading, printed, right_is_faster, supports};
use ciphermeter_answer::words::capital;

/// A part of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// Text that is broken between words.
    Paragraph(Paragraph),
    /// Figures in columns.
    Table(Ratios),
}

/// A paragraph: the columns that its lines begin behind, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paragraph {
    /// How far it is indented.
    pub indent: usize,
    /// What stands before its first line; the others are indented by as much more.
    pub lead: String,
    /// Its text, without line breaks.
    pub text: String,
}

/// A claim's ratios: of what, published, here, and the verdict on each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ratios {
    /// How far it is indented.
    pub indent: usize,
    /// The columns' titles.
    pub titles: [&'static str; 4],
    /// The rows.
    pub rows: Vec<[String; 4]>,
}

/// The most rows of a table; of more, the highest and the lowest are shown.
const MOST_ROWS: usize = 12;
/// What the list's two verdicts are.
pub const WAYS: &str = "As published: as the study compared. Like for like: without its faults.";
/// Stands where there is no figure.
const NONE: &str = "–";
/// Columns of the list before its sentences.
const LIST: usize = 15;

impl Measured<'_> {
    /// What it comes to, on one screen: what it rests on, then the verdicts.
    pub fn screen(&self) -> Vec<Block> {
        let mut page = self.verdicts();
        let [figures, more] = [("report", ""), ("show", " --all")]
            .map(|(word, option)| self.command(&format!("study {word} {}{option}", self.study.typed())));
        page.push(paragraph(0, &format!("Figures, published and here: {figures}")));
        page.push(paragraph(0, &format!("Ratios, notes and {}: {more}", self.study.group.published())));
        page
    }

    /// The whole study, the same first.
    pub fn page(&self) -> Vec<Block> {
        let mut page = self.verdicts();
        page.push(paragraph(0, ""));
        page.extend(self.details());
        page
    }

    /// What study it is, each table and claim, and what does not fit together.
    pub fn details(&self) -> Vec<Block> {
        let (study, judged, mut page) = (self.study, self.judged(), Vec::new());
        let about = format!(
            "{}: {}. It concludes: {}. It measured on: {}.",
            study.group.one(),
            study.citation,
            study.concludes,
            study.machine
        );
        page.push(paragraph(0, &about));
        page.extend(
            study.sides.iter().map(|side| paragraph(2, &format!("{} ({}): {}.", side.source, side.url, side.says))),
        );
        page.extend(study.decides.iter().map(|text| paragraph(0, &format!("What decides it: {text}."))));
        for table in &study.tables {
            page.extend(self.tabled(table));
        }
        for judged in &judged {
            page.extend(self.claim(judged));
        }
        page.extend(audit(study));
        page
    }

    /// A table's numbers beside ours.
    fn tabled(&self, table: &Table) -> Vec<Block> {
        let (numbers, run) = Tabled::of(self.study, table, &self.runs);
        if numbers.is_empty() {
            return Vec::new();
        }
        let run = run.map_or(String::new(), |run| format!(", run {}", run.run.id));
        let heading = format!("{}, {}, beside this machine's{run}:", leading(&table.source), table.title);
        let titles = ["", "", "published", "here"];
        let rows = numbers.iter().map(|number| number.cells().map(|cell| escaped(&cell))).collect();
        vec![paragraph(0, ""), paragraph(0, &heading), Block::Table(Ratios { indent: 2, titles, rows })]
    }

    fn verdicts(&self) -> Vec<Block> {
        let mut page = vec![paragraph(0, &self.study.title)];
        page.extend(self.rests_on().iter().map(|line| paragraph(0, line)));
        page.push(paragraph(0, ""));
        let listed = |[as_published, proper]: [&str; 2], says: &str| {
            let lead = format!("{as_published:LIST$}{proper:LIST$}");
            Block::Paragraph(Paragraph { indent: 0, lead, text: escaped(says) })
        };
        page.push(listed(["as published", "like for like"], "claim"));
        page.extend(
            self.judged()
                .iter()
                .map(|judged| listed(judged.words().each_ref().map(String::as_str), &judged.claim.says)),
        );
        page.push(paragraph(0, WAYS));
        page.extend(self.study.differs().map(|text| paragraph(0, &text)));
        page
    }

    /// How many claims there are and how they stand: `5 claims here: 3 not measured yet, 2 not tested here.`
    pub fn counted(&self, here: &str) -> String {
        let count = self.study.claims.len();
        format!("{count} {}{here}: {}.", if count == 1 { "claim" } else { "claims" }, self.tally())
    }

    /// How many claims stand how, the runs, and what to do for what is missing, a sentence each.
    pub fn rests_on(&self) -> Vec<String> {
        let (judged, rests) = (self.judged(), self.rests(&Way::ALL));
        // The verdicts that are counted, and no others, are those of this machine.
        let here = if self.rests(&[Way::AsPublished]).is_here() { " on this machine" } else { "" };
        let command = |options: &str| self.command(&format!("study run {}{options}", self.study.typed()));
        let open = || {
            judged
                .iter()
                .flat_map(Judged::answers)
                .filter(|(_, answer)| answer.judgement.verdict == Verdict::NotMeasured)
        };
        let is_missing = open().next().is_some();
        let is_short =
            |answer: &Answer<'_>| answer.judgement.pairs.iter().any(|pair| pair.missing.is_some_and(Missing::is_open));
        let mut lines = vec![self.counted(here)];
        lines.extend(rests.sentences());
        if lines.len() == 1 {
            lines.push(format!("Nothing is measured yet: {}", command("")));
        } else if rests.is_here() && open().any(|(_, answer)| is_short(answer)) {
            let twice = self
                .study
                .measures
                .iter()
                .map(|measure| measure.budget.0)
                .reduce(f64::max)
                .map(|longest| Seconds(2.0 * longest));
            let budget = twice.map_or(String::new(), |budget| format!(" --budget {budget}"));
            lines.push(format!(
                "No answer yet where a pair has fewer than {LEAST_FORKS} undisturbed forks. Measure longer: {}",
                command(&budget)
            ));
        } else if is_missing || !rests.is_here() {
            lines.push(format!("Measure what is missing here: {}", command("")));
        }
        lines
    }

    fn claim(&self, judged: &Judged<'_>) -> Vec<Block> {
        let claim = judged.claim;
        let sentence = format!("{}: {} ({}).", capital(judged.verdict().as_str()), claim.says, claim.source);
        let mut page = vec![paragraph(0, ""), paragraph(0, &sentence)];
        page.extend(
            claim.inapplicable.iter().map(|why| paragraph(2, &format!("No record here can decide it: {why}."))),
        );
        page.extend(judged.lacks().map(|why| paragraph(2, &format!("It is not about this machine: {why}."))));
        for (way, answer) in judged.answers() {
            let untested = claim.needs(way).filter(|_| answer.judgement.verdict == Verdict::NotTested);
            // What the comparison as published needs, too, is said once.
            let untested =
                untested.filter(|needs| way == Way::AsPublished || claim.needs(Way::AsPublished) != Some(*needs));
            page.extend(untested.map(|needs| paragraph(2, &format!("{} it needs {needs}.", in_words(way)))));
            page.extend(claim.question(way).map(|question| self.asked(judged, way, answer, &question)));
            page.extend(self.lacks_pairs(claim, way, answer));
            page.extend(self.ratios(judged, way, answer));
            let turned = claim.question(way).and_then(|question| right_is_faster(&question, &answer.judgement.pairs));
            page.extend(turned.map(|text| paragraph(4, &text)));
        }
        page.extend(self.emulated(claim).map(|text| paragraph(2, &text)));
        page.extend(self.printed(judged).map(|text| paragraph(2, &text)));
        page.extend(self.own_numbers(judged).map(|text| paragraph(2, &text)));
        page.extend(claim.note.iter().map(|note| paragraph(2, &format!("Note: {note}."))));
        page
    }

    /// Why a run that was made for an open claim does not decide it.
    fn lacks_pairs(&self, claim: &Claim, way: Way, answer: &Answer<'_>) -> Option<Block> {
        let question = claim.question(way).filter(|_| answer.judgement.verdict == Verdict::NotMeasured);
        let (run, what) = pairless(&question?, self.runs_of(claim, way))?;
        let cells = self.command(&format!("show {run} --all"));
        Some(paragraph(4, &format!("Run {run} has {what}; its cells: {cells}")))
    }

    /// What emulated cores counted of a like-for-like comparison on boards.
    fn emulated(&self, claim: &Claim) -> Option<String> {
        hint(&claim.question(Way::Proper)?, self.runs_of(claim, Way::Proper))
    }

    /// What is compared, by which run, and what would support the claim.
    fn asked(&self, judged: &Judged<'_>, way: Way, answer: &Answer<'_>, question: &Question<'_>) -> Block {
        let run = match answer.run {
            Some(MeasuredRun { run, elsewhere: None, .. }) => format!(", run {}", run.id),
            Some(MeasuredRun { run, .. }) => format!(", run {} of another machine or method", run.id),
            None => String::new(),
        };
        let division = division(question);
        paragraph(
            2,
            &match (way, &judged.claim.proper) {
                (Way::Proper, Some(proper)) => {
                    let verdict = answer.judgement.verdict.as_str();
                    format!("Like for like{run}: {verdict}. {}; {division}.", capital(&proper.says))
                }
                _ => format!("As published{run}: {division}; {}.", supports(question.expect)),
            },
        )
    }

    fn ratios(&self, judged: &Judged<'_>, way: Way, answer: &Answer<'_>) -> Vec<Block> {
        let question = judged.claim.question(way);
        let all = rows(judged.claim, way, &self.study.tables, &answer.judgement);
        let (shown, hidden) = extremes(all);
        let several = Several::of(shown.iter().filter_map(|row| row.here));
        let text = |row: &Row<'_>| {
            let measured = row.here.zip(question).map(|(pair, question)| label(&question, pair, several));
            let what = match (measured, row.published) {
                (Some(what), Some((published, _))) if what != published.what => format!("{what} ({})", published.what),
                (Some(what), _) => what,
                (None, published) => published.map_or(String::new(), |(published, _)| published.what.clone()),
            };
            let missing = || row.why_missing(&answer.judgement).unwrap_or_else(|| NONE.into());
            let here = row.here.and_then(|pair| pair.ratio).map_or_else(missing, interval);
            let verdict = row.here.map_or(NONE, |pair| pair.verdict.as_str());
            [escaped(&what), row.published.map_or(NONE.into(), |(_, ratio)| printed(ratio)), here, verdict.into()]
        };
        if shown.is_empty() {
            return Vec::new();
        }
        let titles = ["", "published", "here", "verdict"];
        let mut blocks = vec![Block::Table(Ratios { indent: 4, titles, rows: shown.iter().map(text).collect() })];
        if hidden > 0 {
            blocks.push(paragraph(4, &format!("and {hidden} more; --csv and --json have all")));
        }
        blocks
    }

    /// The numbers from which the published ratios follow: `Printed: 10 MB 0.011 ÷ 0.00401 s (section 3.1).`
    fn printed(&self, judged: &Judged<'_>) -> Option<String> {
        let tables = &self.study.tables;
        let mut sources: Vec<(&str, Vec<String>)> = Vec::new();
        for published in &judged.claim.published {
            let (over, under, unit) = published.numbers(tables)?;
            let text = format!("{} {over} ÷ {under} {unit}", published.what);
            let source = self.study.table(&published.table).map_or("", |table| &table.source);
            match sources.iter_mut().find(|(known, _)| *known == source) {
                Some((_, all)) => all.push(text.trim_end().to_owned()),
                None => sources.push((source, vec![text.trim_end().to_owned()])),
            }
        }
        let all: Vec<_> = sources.iter().map(|(source, all)| format!("{} ({source})", all.join("; "))).collect();
        (!all.is_empty()).then(|| format!("Printed: {}.", all.join("; ")))
    }

    /// Where the study's own numbers, however they were rounded, are not what it claims.
    fn own_numbers(&self, judged: &Judged<'_>) -> Option<String> {
        let expect = judged.claim.expect?;
        let rows = rows(judged.claim, Way::AsPublished, &self.study.tables, &judged.as_published.judgement);
        let published: Vec<_> = rows.iter().filter_map(|row| row.published).collect();
        let against = published.iter().filter(|(_, ratio)| ratio.contradicts(expect)).count();
        let all = published.len();
        (against > 0).then(|| format!("The study's own numbers contradict it in {against} of {all} published ratios."))
    }
}

/// A way at the start of a sentence.
fn in_words(way: Way) -> &'static str {
    match way {
        Way::AsPublished => "As published",
        Way::Proper => "Like for like",
    }
}

/// Of many rows, those with a published ratio and those at both ends; and how many are left out.
fn extremes(rows: Vec<Row<'_>>) -> (Vec<Row<'_>>, usize) {
    if rows.len() <= MOST_ROWS {
        return (rows, 0);
    }
    let mid = |(_, row): &(usize, Row<'_>)| row.here.and_then(|pair| pair.ratio).map_or(f64::NAN, |ratio| ratio.mid);
    let rows = rows.into_iter().enumerate();
    let (mut shown, rest): (Vec<_>, Vec<_>) = rows.partition(|(_, row)| row.published.is_some());
    let (mut rest, without_figure): (Vec<_>, Vec<_>) = rest.into_iter().partition(|row| !mid(row).is_nan());
    let room = MOST_ROWS.saturating_sub(shown.len()).max(2);
    rest.sort_by(|a, b| mid(a).total_cmp(&mid(b)));
    let hidden = rest.len().saturating_sub(room) + without_figure.len();
    let room = room.min(rest.len());
    let inner = rest.len() - room;
    rest.drain(room / 2..room / 2 + inner);
    shown.extend(rest);
    shown.sort_by_key(|(place, _)| *place);
    (shown.into_iter().map(|(_, row)| row).collect(), hidden)
}

impl Judged<'_> {
    /// Both verdicts in brief, as published and like for like; with a star where a run of another machine or method gave one.
    pub fn words(&self) -> [String; 2] {
        let word = |answer: &Answer<'_>| {
            let is_elsewhere = answer.run.is_some_and(|run| run.elsewhere.is_some());
            format!("{}{}", answer.judgement.verdict.short(), if is_elsewhere { ELSEWHERE } else { "" })
        };
        [word(&self.as_published), self.proper.as_ref().map_or(NONE.into(), word)]
    }
}

pub(crate) fn paragraph(indent: usize, text: &str) -> Block {
    Block::Paragraph(Paragraph { indent, lead: String::new(), text: escaped(text) })
}

/// What does not fit together.
fn audit(study: &Study) -> Vec<Block> {
    let contradictions = study.contradictions();
    if contradictions.is_empty() && study.remarks.is_empty() {
        return Vec::new();
    }
    let mut page = vec![paragraph(0, ""), paragraph(0, "Inconsistencies and limits of the study:")];
    for (check, rows, checked) in contradictions {
        let source = study.table(&check.table).map_or("", |table| &table.source);
        let text = format!(
            "{}, expected: {}; not so in {} of {checked} rows. Probable cause: {}.",
            leading(source),
            check.says,
            rows.len(),
            check.means
        );
        page.push(paragraph(2, &text));
        page.extend(rows.iter().map(|row| paragraph(4, &row.to_string())));
    }
    page.extend(
        study.remarks.iter().map(|remark| paragraph(2, &format!("{}: {}.", leading(&remark.source), remark.says))),
    );
    page
}

#[cfg(test)]
mod tests;
