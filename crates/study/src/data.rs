//! Studies as data: what `study list --json` and `study show --json` print. `studies.schema.json` beside this file says the
//! same to programs.
//!
//! Promises: whatever the page says is here, with every pair rather than the extremes; what is absent is null.

use std::collections::BTreeMap;

use ciphermeter_core::{Cell, Mask};
use ciphermeter_estimate::Ratio;
use serde::Serialize;

use crate::beside::{Row, rows};
use crate::claim::{Claim, Given};
use crate::factor::{Effect, Factors, SideAnswer, Switched};
use crate::group::{Group, Standpoint};
use crate::judge::{Missing, Pair};
use crate::measured::{Answer, Measured};
use crate::question::{Expectation, Way};
use crate::run::{MeasuredRun, PassedOver};
use crate::study::{Measure, Remark, Study};
use crate::table::Table;
use crate::tabled::Tabled;
use crate::verdict::Verdict;

/// The JSON Schema of [`Document`].
pub const STUDIES_SCHEMA: &str = include_str!("studies.schema.json");
/// Counts changes that a reader of the document notices.
const VERSION: u32 = 7;

/// Studies, and why they disagree.
#[derive(Debug, Serialize)]
pub struct Document<'a> {
    schema: u32,
    ciphermeter: &'static str,
    studies: Vec<StudyData<'a>>,
    factors: Option<Vec<FactorData<'a>>>,
}

#[derive(Debug, Serialize)]
struct StudyData<'a> {
    name: &'a str,
    title: &'a str,
    group: Group,
    citation: &'a str,
    machine: &'a str,
    concludes: &'a str,
    differs: Option<&'a str>,
    /// What each side of a contradiction says; none of a paper.
    sides: &'a [Standpoint],
    /// What a contradiction depends on.
    decides: Option<&'a str>,
    answer: ciphermeter_answer::Answer,
    measures: Vec<MeasureData<'a>>,
    /// Its tables that have a counterpart here.
    tables: Vec<TableData<'a>>,
    claims: Vec<ClaimData<'a>>,
    contradictions: Vec<ContradictionData<'a>>,
    remarks: &'a [Remark],
}

#[derive(Debug, Serialize)]
struct MeasureData<'a> {
    scenario: &'a str,
    mask: Option<Mask>,
    serves: &'a [Way],
    why: &'a str,
    needs: Option<&'a str>,
    /// Its runs that were read, the newest first.
    runs: Vec<RunData<'a>>,
}

#[derive(Debug, Serialize)]
struct TableData<'a> {
    id: &'a str,
    source: &'a str,
    title: &'a str,
    /// The run that ours are of.
    run: Option<i64>,
    numbers: Vec<Tabled<'a>>,
}

#[derive(Debug, Serialize)]
struct RunData<'a> {
    id: i64,
    started: &'a str,
    cpu: Option<&'a str>,
    /// Why it is not of this machine.
    elsewhere: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct ClaimData<'a> {
    id: &'a str,
    source: &'a str,
    says: &'a str,
    note: Option<&'a str>,
    given: Option<Given>,
    inapplicable: Option<&'a str>,
    expects: Option<Expectation>,
    verdict: Verdict,
    as_published: ComparisonData<'a>,
    proper: Option<ComparisonData<'a>>,
}

#[derive(Debug, Serialize)]
struct ComparisonData<'a> {
    says: Option<&'a str>,
    needs: Option<&'a str>,
    scenario: Option<&'a str>,
    mask: Option<Mask>,
    run: Option<i64>,
    /// Newer runs that gave no answer, the newest first.
    passed_over: Vec<PassedOver>,
    verdict: Verdict,
    pairs: Vec<PairData<'a>>,
}

/// Two cells, two published numbers, or all four.
#[derive(Debug, Serialize)]
struct PairData<'a> {
    left: Option<Cell>,
    right: Option<Cell>,
    published: Option<PublishedData<'a>>,
    measured: Option<Ratio>,
    /// Why nothing is measured.
    missing: Option<Missing>,
    verdict: Option<Verdict>,
}

#[derive(Debug, Serialize)]
struct PublishedData<'a> {
    what: &'a str,
    source: Option<&'a str>,
    /// The two numbers as printed, in the order in which they are divided.
    over: Option<&'a str>,
    under: Option<&'a str>,
    unit: Option<&'a str>,
    ratio: Ratio,
    contradicts: Option<bool>,
}

#[derive(Debug, Serialize)]
struct ContradictionData<'a> {
    source: Option<&'a str>,
    says: &'a str,
    means: &'a str,
    checked: usize,
    rows: Vec<RowData>,
}

#[derive(Debug, Serialize)]
struct RowData {
    row: String,
    printed: String,
    unit: String,
    low: f64,
    high: f64,
}

#[derive(Debug, Serialize)]
struct FactorData<'a> {
    name: &'a str,
    asks: &'a str,
    /// What it has to do with each.
    studies: &'a BTreeMap<String, String>,
    effect: Effect,
    sides: Vec<SideData<'a>>,
}

#[derive(Debug, Serialize)]
struct SideData<'a> {
    label: &'a str,
    scenario: &'a str,
    mask: Option<Mask>,
    run: Option<RunData<'a>>,
    passed_over: Vec<PassedOver>,
    pairs: Vec<PairData<'a>>,
}

impl<'a> Document<'a> {
    /// These studies, with the factors and the runs of their measures where they are asked for.
    pub fn new(studies: &'a [Measured<'a>], factors: Option<(&'a Factors, &'a [Vec<MeasuredRun>])>) -> Self {
        Self {
            schema: VERSION,
            ciphermeter: env!("CARGO_PKG_VERSION"),
            studies: studies.iter().map(study).collect(),
            factors: factors.map(|(factors, runs)| factors.switched(runs).into_iter().map(factor).collect()),
        }
    }
}

fn study<'a>(measured: &'a Measured<'a>) -> StudyData<'a> {
    let Study { name, title, group, citation, machine, concludes, differs, sides, decides, measures, remarks, .. } =
        measured.study;
    let runs = measured.runs.iter().map(Vec::as_slice).chain(std::iter::repeat(&[][..]));
    let judged = measured.judged();
    let claims = measured.study.claims.iter().zip(&judged).map(|(claim, judged)| ClaimData {
        id: &claim.id,
        source: &claim.source,
        says: &claim.says,
        note: claim.note.as_deref(),
        given: claim.given,
        inapplicable: claim.inapplicable.as_deref(),
        expects: claim.expect,
        verdict: judged.verdict(),
        as_published: comparison(measured.study, claim, Way::AsPublished, &judged.as_published),
        proper: judged.proper.as_ref().map(|answer| comparison(measured.study, claim, Way::Proper, answer)),
    });
    StudyData {
        name,
        title,
        group: *group,
        citation,
        machine,
        concludes,
        differs: differs.as_deref(),
        sides,
        decides: decides.as_deref(),
        answer: measured.in_brief(),
        measures: measures.iter().zip(runs).map(|(one, runs)| measure(one, runs)).collect(),
        tables: measured
            .study
            .tables
            .iter()
            .filter(|table| table.here.is_some())
            .map(|one| table(measured, one))
            .collect(),
        claims: claims.collect(),
        contradictions: contradictions(measured.study),
        remarks,
    }
}

fn measure<'a>(measure: &'a Measure, runs: &'a [MeasuredRun]) -> MeasureData<'a> {
    let Measure { scenario, why, serves, cpu, needs, .. } = measure;
    let runs = runs.iter().map(run_data).collect();
    MeasureData { scenario, mask: *cpu, serves, why, needs: needs.as_deref(), runs }
}

fn table<'a>(measured: &'a Measured<'a>, table: &'a Table) -> TableData<'a> {
    let (numbers, run) = Tabled::of(measured.study, table, &measured.runs);
    TableData { id: &table.id, source: &table.source, title: &table.title, run: run.map(|run| run.run.id), numbers }
}

fn run_data(measured: &MeasuredRun) -> RunData<'_> {
    let run = &measured.run;
    RunData { id: run.id, started: &run.started, cpu: run.fact("cpu"), elsewhere: measured.elsewhere.as_deref() }
}

fn comparison<'a>(study: &'a Study, claim: &'a Claim, way: Way, answer: &Answer<'_>) -> ComparisonData<'a> {
    let question = claim.question(way);
    let proper = claim.proper.as_ref().filter(|_| way == Way::Proper);
    let pairs = rows(claim, way, &study.tables, &answer.judgement);
    ComparisonData {
        says: proper.map(|proper| proper.says.as_str()),
        needs: claim.needs(way),
        scenario: question.map(|question| question.scenario),
        mask: question.and_then(|question| question.cpu),
        run: answer.run.map(|measured| measured.run.id),
        passed_over: answer.passed_over.clone(),
        verdict: answer.judgement.verdict,
        pairs: pairs.into_iter().map(|row| pair(study, claim, row)).collect(),
    }
}

fn pair<'a>(study: &'a Study, claim: &'a Claim, row: Row<'_>) -> PairData<'a> {
    let published = row.published.and_then(|(published, ratio)| {
        let published = claim.published.iter().find(|one| *one == published)?;
        let numbers = published.numbers(&study.tables);
        Some(PublishedData {
            over: numbers.map(|(over, ..)| over),
            under: numbers.map(|(_, under, _)| under),
            unit: numbers.map(|(.., unit)| unit),
            what: &published.what,
            source: study.table(&published.table).map(|table| table.source.as_str()),
            ratio: Ratio::new(ratio.mid, Some(ratio.range)),
            contradicts: claim.expect.map(|expect| ratio.contradicts(expect)),
        })
    });
    PairData {
        left: row.here.map(|pair| pair.left.clone()),
        right: row.here.map(|pair| pair.right.clone()),
        published,
        measured: row.here.and_then(|pair| pair.ratio),
        missing: row.here.and_then(|pair| pair.missing),
        verdict: row.here.map(|pair| pair.verdict),
    }
}

fn contradictions(study: &Study) -> Vec<ContradictionData<'_>> {
    let found = study.contradictions().into_iter().map(|(check, rows, checked)| ContradictionData {
        source: study.table(&check.table).map(|table| table.source.as_str()),
        says: &check.says,
        means: &check.means,
        checked,
        rows: rows
            .into_iter()
            .map(|row| RowData {
                row: row.row,
                printed: row.printed,
                unit: row.unit,
                low: row.follows.0,
                high: row.follows.1,
            })
            .collect(),
    });
    found.collect()
}

fn factor(Switched { factor, sides, effect, .. }: Switched<'_>) -> FactorData<'_> {
    let pair = |pair: Pair| PairData {
        left: Some(pair.left),
        right: Some(pair.right),
        published: None,
        measured: pair.ratio,
        missing: pair.missing,
        verdict: None,
    };
    let sides = sides.into_iter().map(|SideAnswer { side, run, pairs, passed_over }| SideData {
        label: &side.label,
        scenario: &side.scenario,
        mask: side.cpu,
        run: run.map(run_data),
        passed_over,
        pairs: pairs.into_iter().map(pair).collect(),
    });
    FactorData { name: &factor.name, asks: &factor.asks, studies: &factor.studies, effect, sides: sides.collect() }
}

#[cfg(test)]
mod tests;
