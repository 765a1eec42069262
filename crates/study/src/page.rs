//! A study as text: the verdicts on its claims, then what does not fit together in it.
//!
//! Promises: the first lines answer what the reader came with (what holds here); a figure stands beside its interval; what is
//! not known is said.

use ciphermeter_core::{Bytes, Cell, Record, Run, escaped};
use ciphermeter_estimate::Ratio;

use crate::claim::{Claim, Expectation};
use crate::factor::Factors;
use crate::judge::{Comparison, Judgement, Verdict, judge};
use crate::study::Study;

/// A paragraph: the columns that its lines begin behind, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paragraph {
    /// How far it is indented.
    pub indent: usize,
    /// Its text, without line breaks.
    pub text: String,
}

/// A study, and the newest run of each of its measures, in their order.
pub struct Measured<'a> {
    /// The study.
    pub study: &'a Study,
    /// For each measure: its run, if there is one.
    pub runs: Vec<Option<MeasuredRun>>,
}

/// A run of one of a study's measures.
pub struct MeasuredRun {
    /// The run.
    pub run: Run,
    /// Its records.
    pub records: Vec<Record>,
}

impl Measured<'_> {
    /// Each claim with its judgement.
    pub fn judgements(&self) -> Vec<(&Claim, Judgement)> {
        self.study.claims.iter().map(|claim| (claim, judge(claim, self.records(claim)))).collect()
    }

    fn records(&self, claim: &Claim) -> Option<&[Record]> {
        let measure = self.study.measure(claim)?;
        let place = self.study.measures.iter().position(|one| one == measure)?;
        Some(&self.runs.get(place)?.as_ref()?.records)
    }

    /// How many claims have each verdict: `3 contradicted, 1 not tested here`.
    pub fn tally(&self) -> String {
        let judgements = self.judgements();
        let all = [
            Verdict::Supported,
            Verdict::Contradicted,
            Verdict::Inconclusive,
            Verdict::NotMeasured,
            Verdict::NotTested,
        ];
        let count = |verdict| judgements.iter().filter(|(_, judgement)| judgement.verdict == verdict).count();
        let counted = all.iter().map(|verdict| (count(*verdict), verdict.as_str()));
        let words: Vec<_> =
            counted.filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
        words.join(", ")
    }

    /// The whole study.
    pub fn page(&self) -> Vec<Paragraph> {
        let study = self.study;
        let mut page = vec![
            paragraph(0, &study.title),
            paragraph(0, &format!("{} claims: {}.", study.claims.len(), self.tally())),
            paragraph(0, &self.rests_on()),
        ];
        for (claim, judgement) in self.judgements() {
            page.push(paragraph(0, ""));
            page.push(paragraph(
                0,
                &format!("{}: {} ({}).", capital(judgement.verdict.as_str()), claim.says, claim.source),
            ));
            page.extend(rests(claim, &judgement).into_iter().map(|text| paragraph(2, &text)));
        }
        page.push(paragraph(0, ""));
        page.push(paragraph(
            0,
            &format!("The study: {}. {} Measured on: {}.", study.citation, concluded(study), study.machine),
        ));
        page.extend(audit(study));
        page
    }

    /// The runs, or what to do for some.
    fn rests_on(&self) -> String {
        let runs: Vec<_> = self.runs.iter().flatten().map(|measured| &measured.run).collect();
        let Some(first) = runs.first() else {
            return format!("Nothing is measured yet: ciphermeter study run {}", self.study.name);
        };
        let numbers: Vec<_> = runs.iter().map(|run| run.id.to_string()).collect();
        let cpu = first.fact("cpu").unwrap_or("an unknown CPU");
        format!("Here: {} {} on {cpu}.", if numbers.len() == 1 { "run" } else { "runs" }, numbers.join(", "))
    }
}

/// Why the studies disagree: each factor with what was measured here. `runs` are those of the factors' measures.
pub fn why_they_disagree(factors: &Factors, runs: &[Option<MeasuredRun>]) -> Vec<Paragraph> {
    let mut page = vec![paragraph(0, "Why they disagree: one factor at a time, on this machine")];
    for factor in &factors.factors {
        page.push(paragraph(0, ""));
        page.push(paragraph(0, &format!("{} ({}): {}", capital(&factor.name), factor.studies.join(", "), factor.asks)));
        for side in &factor.sides {
            let run = factors.measure(side).and_then(|place| runs.get(place)?.as_ref());
            let pairs = run.map(|measured| side.pairs(&measured.records)).unwrap_or_default();
            let found = match &pairs[..] {
                [] => "not measured yet".to_owned(),
                [only] => compared(only, Some(Expectation::Faster)),
                [lowest, .., highest] => {
                    let text = |pair| compared(pair, Some(Expectation::Faster));
                    format!("in {} pairs, from {} to {}", pairs.len(), text(lowest), text(highest))
                }
            };
            page.push(paragraph(2, &format!("{}: {found}.", capital(&side.label))));
        }
    }
    page
}

fn paragraph(indent: usize, text: &str) -> Paragraph {
    Paragraph { indent, text: escaped(text) }
}

fn capital(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map_or(String::new(), |first| first.to_uppercase().chain(characters).collect())
}

fn concluded(study: &Study) -> String {
    format!("It concludes: {}.", study.concludes)
}

/// What a verdict rests on: of many pairs, the lowest and the highest ratio.
fn rests(claim: &Claim, judgement: &Judgement) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(needs) = &claim.needs {
        lines.push(format!("It needs {needs}."));
    }
    let mut pairs: Vec<_> = judgement.pairs.iter().filter(|pair| pair.ratio.is_some()).collect();
    pairs.sort_by(|a, b| mid(a).total_cmp(&mid(b)));
    if let Some(published) = published(claim.expect) {
        lines.push(format!("Published: {published}."));
    }
    match &pairs[..] {
        [] => {}
        [only] => lines.push(format!("Here: {}.", compared(only, claim.expect))),
        [lowest, .., highest] => {
            lines.push(format!("Here, in {} pairs: from {}", pairs.len(), compared(lowest, claim.expect)));
            lines.push(format!("to {}.", compared(highest, claim.expect)));
        }
    }
    lines.extend(claim.note.iter().map(|note| format!("Note: {note}.")));
    lines
}

fn mid(pair: &Comparison) -> f64 {
    pair.ratio.map_or(f64::NAN, |ratio| ratio.mid)
}

fn published(expect: Option<Expectation>) -> Option<String> {
    match expect? {
        Expectation::Faster => None,
        Expectation::TimeRatio { published, tolerance } => {
            Some(format!("{published:.2}× the time; ±{:.0} % would support it", tolerance * 100.0))
        }
        Expectation::MemoryRatio { published, tolerance } => {
            Some(format!("{published:.2}× the memory; ±{:.0} % would support it", tolerance * 100.0))
        }
    }
}

/// `aes-256-cbc takes 1.92× (1.90 to 1.94) the time of chacha20-poly1305, pyca, 10 MiB`.
fn compared(pair: &Comparison, expect: Option<Expectation>) -> String {
    let Some(ratio) = pair.ratio else { return "no figure".into() };
    let (verb, what) = match expect {
        Some(Expectation::MemoryRatio { .. }) => ("needs", "memory"),
        _ => ("takes", "time"),
    };
    // A published ratio keeps its direction; else the slower one is named first.
    let flips = expect == Some(Expectation::Faster) && ratio.mid < 1.0;
    let (ratio, first, second) = match flips {
        true => (inverse(ratio), &pair.left, &pair.right),
        false => (ratio, &pair.right, &pair.left),
    };
    let interval = ratio.range.map_or_else(|| " (one fork)".into(), |(low, high)| format!(" ({low:.2} to {high:.2})"));
    let (first_name, second_name) = (names(first, second), names(second, first));
    format!("{first_name} {verb} {:.2}×{interval} the {what} of {second_name}, {}", ratio.mid, shared(first, second))
}

fn inverse(ratio: Ratio) -> Ratio {
    Ratio { mid: 1.0 / ratio.mid, range: ratio.range.map(|(low, high)| (1.0 / high, 1.0 / low)) }
}

/// A size in a sentence.
fn size(bytes: u64) -> String {
    let text = Bytes(bytes).to_string();
    if text.ends_with(|last: char| last.is_ascii_digit()) { text + " B" } else { text }
}

/// What tells a cell from the other one.
fn names(cell: &Cell, other: &Cell) -> String {
    let mut words = Vec::new();
    if cell.form != other.form {
        words.push(format!("form {}", cell.form));
    }
    if cell.algorithm != other.algorithm {
        words.push(cell.algorithm.to_string());
    }
    if cell.provider != other.provider {
        words.push(cell.provider.clone());
    }
    if cell.parameters.message() != other.parameters.message() {
        words.push(size(cell.parameters.message()));
    }
    match cell.parameters.threads() {
        threads if threads == other.parameters.threads() => {}
        1 => words.push("1 thread".into()),
        threads => words.push(format!("{threads} threads")),
    }
    words.join(" ")
}

/// What both have.
fn shared(cell: &Cell, other: &Cell) -> String {
    let mut words = Vec::new();
    if cell.algorithm == other.algorithm {
        words.push(cell.algorithm.to_string());
    }
    if cell.provider == other.provider {
        words.push(cell.provider.clone());
    }
    if cell.parameters.message() == other.parameters.message() {
        words.push(size(cell.parameters.message()));
    }
    if cell.operation == other.operation {
        words.push(cell.operation.to_string());
    }
    words.join(", ")
}

/// What does not fit together.
fn audit(study: &Study) -> Vec<Paragraph> {
    let contradictions = study.contradictions();
    if contradictions.is_empty() && study.remarks.is_empty() {
        return Vec::new();
    }
    let mut page = vec![paragraph(0, ""), paragraph(0, "What does not fit together in it:")];
    for (check, rows, checked) in contradictions {
        let source = study.table(&check.table).map_or("", |table| &table.source);
        let text = format!("{source}: {}? Not in {} of {checked} rows: {}.", check.says, rows.len(), check.means);
        page.push(paragraph(2, &text));
        page.extend(rows.iter().map(|row| paragraph(4, &row.to_string())));
    }
    page.extend(
        study.remarks.iter().map(|remark| paragraph(2, &format!("{}: {}.", capital(&remark.source), remark.says))),
    );
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::built_in::find;

    fn text(page: &[Paragraph]) -> String {
        page.iter().map(|paragraph| format!("{}\n", paragraph.text)).collect()
    }

    #[test]
    fn unmeasured_study_says_what_to_do() {
        let study = find("python-sizes").unwrap().unwrap();
        let measured = Measured { study: &study, runs: vec![None] };
        let page = text(&measured.page());
        assert!(page.contains("5 claims: 4 not measured yet, 1 not tested here."), "{page}");
        assert!(page.contains("Nothing is measured yet: ciphermeter study run python-sizes"), "{page}");
        assert!(page.contains("It needs a small device"), "{page}");
        assert!(page.contains("1 KB: printed 0.614 MB, follows 0.00195 to 0.00586 MB"), "{page}");
    }

    #[test]
    fn unmeasured_factor_is_said_to_be_one() {
        let factors = crate::built_in::factors().unwrap();
        let page = text(&why_they_disagree(&factors, &[]));
        assert!(page.contains("AES instructions (tcp-sockets, esp32, languages): does"), "{page}");
        assert!(page.contains("Without them: not measured yet."), "{page}");
    }

    /// A file of a study is not trusted with the terminal.
    #[test]
    fn text_is_escaped() {
        let mut study = find("esp32").unwrap().unwrap();
        study.title = "\u{1b}[2J".into();
        let measured = Measured { study: &study, runs: vec![None] };
        assert!(!text(&measured.page()).contains('\u{1b}'));
    }
}
