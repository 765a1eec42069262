//! Planted records, runs and studies for tests.

use std::collections::BTreeMap;

use ciphermeter_core::{
    Algorithm, Cell, CellId, Device, Fact, Fork, Form, Interval, Memory, Metric, Operation, Outcome, Parameters,
    Provenance, Record, Run, RunPlan, RunStatus, Sample, SampleRange, Scenario, Setup, Summary,
};

use crate::claim::Claim;
use crate::measured::Measured;
use crate::question::{Expectation, Pick, Question, Way};
use crate::run::MeasuredRun;
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
        correlation: 0.0,
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

/// A record that a pick takes, of so many bytes.
fn record_of(pick: &Pick, id: u32, message: u64, reference: u32, time: f64) -> Record {
    let own = record(id, Algorithm::Aes256Gcm, 0, reference, Some([time * 0.99, time, time * 1.01]));
    let parameters = Parameters::message_cell(message, 0, pick.threads.unwrap_or(1));
    let provider = pick.library().unwrap_or("any");
    let cell = Cell {
        provider: if pick.board.is_some() { format!("{provider}@board") } else { provider.into() },
        algorithm: pick.algorithm.unwrap_or(Algorithm::Aes256Gcm),
        operation: pick.operation.unwrap_or(Operation::Seal),
        form: pick.form.unwrap_or(Form::Into),
        parameters: if pick.board.is_some() { parameters.on_device(1) } else { parameters },
    };
    let provenance = pick.board.is_some().then(|| on_board(false));
    Record { cell, provenance, ..own }
}

/// Where a record of a board, or of an emulated core, comes from.
pub(crate) fn on_board(emulated: bool) -> Provenance {
    Provenance {
        worker: "firmware".into(),
        runtime: "C".into(),
        language: None,
        version: "3".into(),
        path: "soft".into(),
        setup: Setup::Outside,
        library: None,
        sha256: None,
        program: None,
        device: Some(Device {
            name: "board".into(),
            board: "ESP32 (WROOM)".into(),
            counts: None,
            emulated,
            clock_hz: None,
            code_in: None,
        }),
    }
}

/// A fork whose samples have these counts.
pub(crate) fn fork(counts: impl IntoIterator<Item = Vec<(Metric, u64)>>) -> Fork {
    let sample = |counts| Sample { cell: CellId(0), after: None, turn: 0, iterations: 1, counts, series: Vec::new() };
    let samples: Vec<Sample> = counts.into_iter().map(sample).collect();
    Fork { rounds: (0..).take(samples.len()).collect(), samples, ..Fork::default() }
}

/// Records in which the right cell needs so many times what the left one needs, in time (a byte), in memory and in current, for each size
/// that the question names; of a sustained load, one that falls by so much.
pub(crate) fn planted_for(question: &Question<'_>, ratio: f64) -> Vec<Record> {
    let (left, right) = (question.left, question.right);
    if let Expectation::Falls { .. } = question.expect {
        let step = |step| if step < 60 { (1e9 * ratio) as u64 } else { 1_000_000_000 };
        let steps = (0..120).map(|place| vec![(Metric::NS, 1_000_000_000), (Metric::BYTES, step(place) + place % 7)]);
        return vec![Record { forks: vec![fork(steps)], ..record_of(left, 0, 1 << 20, 0, 1.0) }];
    }
    let sizes = |pick: &Pick| -> Vec<u64> {
        if pick.messages.is_empty() { vec![4096] } else { pick.messages.iter().map(|size| size.0).collect() }
    };
    let pair = |(number, (small, large)): (u32, (u64, u64))| {
        let by_byte = question.expect == Expectation::MoreThroughput;
        let time = if by_byte { ratio * large as f64 / small as f64 } else { ratio };
        let needs = |times: f64| {
            let memory = Memory { iterations: 1, peak_heap: Some((1e6 * times) as u64), ..Memory::default() };
            let of_board = [
                (Metric::STACK, (1e6 * times) as u64),
                (Metric::STATE, 0),
                (Metric::CHARGE, (1e6 * times) as u64),
                (Metric::ELAPSED, 1_000_000_000),
            ];
            (vec![memory], vec![fork([of_board.to_vec()])])
        };
        let of = |pick, id, message, time, times| {
            let (memory, forks) = needs(times);
            let own = record_of(pick, id, message, 2 * number, time);
            let is_metered = pick.board.is_some();
            Record { memory, forks: if is_metered { forks } else { Vec::new() }, ..own }
        };
        [of(left, 2 * number, small, 1.0, 1.0), of(right, 2 * number + 1, large, time, ratio)]
    };
    (0..).zip(sizes(left).into_iter().zip(sizes(right))).flat_map(pair).collect()
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
    let runs = study.measures.iter().zip(1..).map(|(one, id)| match one == measure {
        true => vec![run(id, &one.scenario, planted_for(&question, ratio))],
        false => Vec::new(),
    });
    Measured { study, runs: runs.collect(), store: None }
}
