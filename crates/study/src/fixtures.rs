//! Planted records, runs and studies for tests.

use std::collections::BTreeMap;

use ciphermeter_core::{
    Algorithm, Cell, CellId, Fact, Form, Interval, Memory, Operation, Outcome, Parameters, Record, Run, RunPlan,
    RunStatus, SampleRange, Scenario, Summary,
};

use crate::claim::Claim;
use crate::measured::{Measured, MeasuredRun};
use crate::question::{Expectation, Pick, Question, Way};
use crate::study::Study;

/// A record of a cell, paired with the cell of that number.
pub(crate) fn record(id: u32, algorithm: Algorithm, message: u64, reference: u32, ratio: Option<[f64; 3]>) -> Record {
    let operation = if algorithm == Algorithm::Aes256Cbc { Operation::Encrypt } else { Operation::Seal };
    let cell = Cell {
        provider: "pyca".into(),
        algorithm,
        operation,
        form: Form::Fresh,
        parameters: Parameters::message_cell(message, 0, 1),
    };
    let summary = Summary {
        reference: CellId(reference),
        ratio: ratio.map(|[low, mid, high]| Interval { mid, low, high }),
        range: SampleRange { low: 1.0, mid: 1.0, high: 1.0 },
        converged: true,
        undisturbed_limit: None,
        undisturbed_limits: BTreeMap::default(),
        forks: 9,
        rounds: 90,
        warnings: Vec::new(),
    };
    Record {
        id: CellId(id),
        cell,
        provenance: None,
        outcome: Outcome::Measured,
        forks: Vec::new(),
        summary: Some(summary),
        latency: Vec::new(),
        memory: Vec::new(),
    }
}

/// A cell that a pick takes.
fn cell_of(pick: &Pick) -> Cell {
    let message = pick.messages.first().map_or(4096, |size| size.0);
    Cell {
        provider: pick.provider.clone().unwrap_or_else(|| "any".into()),
        algorithm: pick.algorithm.unwrap_or(Algorithm::Aes256Gcm),
        operation: pick.operation.unwrap_or(Operation::Seal),
        form: pick.form.unwrap_or(Form::Into),
        parameters: Parameters::message_cell(message, 0, pick.threads.unwrap_or(1)),
    }
}

/// Records in which the right cell needs so many times what the left one needs, in time (a byte) and in memory.
pub(crate) fn planted_for(question: &Question<'_>, ratio: f64) -> Vec<Record> {
    let (left, right) = (cell_of(question.left), cell_of(question.right));
    let memory = |bytes: f64| vec![Memory { iterations: 1, peak_heap: Some(bytes as u64), ..Memory::default() }];
    let sizes = right.parameters.message() as f64 / left.parameters.message() as f64;
    let time = if question.expect == Expectation::MoreThroughput { ratio * sizes } else { ratio };
    let first = record(0, Algorithm::Aes256Gcm, 0, 0, Some([1.0; 3]));
    let second = record(1, Algorithm::Aes256Gcm, 0, 0, Some([time * 0.99, time, time * 1.01]));
    vec![
        Record { cell: left, memory: memory(1e6), ..first },
        Record { cell: right, memory: memory(1e6 * ratio), ..second },
    ]
}

/// A run of a scenario of that name.
pub(crate) fn run(id: i64, scenario: &str, records: Vec<Record>) -> MeasuredRun {
    let text = format!(
        "name = \"{scenario}\"\ntitle = \"t\"\nbudget = \"1s\"\nprecision = \"2%\"\n[[cells]]\n\
         algorithms = [\"xor\"]\noperations = [\"encrypt\"]\nmessages = [\"64\"]\n"
    );
    let run = Run {
        id,
        store: None,
        is_measuring: false,
        started: "2026-11-26T10:00:00Z".into(),
        version: "0.1.0".into(),
        seed: 1,
        scenario: Scenario::parse(&text).unwrap(),
        against: None,
        mask: None,
        plan: RunPlan::default(),
        host: vec![Fact::present("cpu", "Example EPYC 9")],
        status: RunStatus::Complete,
        notes: Vec::new(),
    };
    MeasuredRun { run, records, elsewhere: None }
}

/// A study in which one claim is measured in one way, by a run that has the number of its measure.
pub(crate) fn measured<'a>(study: &'a Study, claim: &Claim, way: Way, ratio: f64) -> Measured<'a> {
    let question = claim.question(way).unwrap();
    let measure = study.measure(&question, way).unwrap();
    let runs = study
        .measures
        .iter()
        .zip(1..)
        .map(|(one, id)| (one == measure).then(|| run(id, &one.scenario, planted_for(&question, ratio))));
    Measured { study, runs: runs.collect() }
}
