//! A kind of measurement that nothing else knows, with a metric of its own: one file and one line of registration are enough for it to be
//! measured, stored, shown and exported.

use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ciphermeter_core::{
    Better, Cell, CellId, Latency, Memory, Metric, Note, Outcome, PartPlan, Record, Run, RunPlan, RunStatus, Sample,
    Scenario, Summary, Sums,
};
use ciphermeter_meter::{
    Affinity, Kind, Options, Part, Pool, Processes, Progress, Share, Sink, SinkError, Source, SystemClock, Tools,
    measure,
};
use ciphermeter_protocol::Command;
use ciphermeter_store::Store;

use crate::common::{BINARY, SCENARIO, TestFolder};

/// Counts how many calls fit between two blinks of an eye.
struct Blinks;

fn blinks() -> Metric {
    Metric::described("calls_a_blink", "calls", Better::More, Sums::State).expect("its words fit")
}

impl Kind for Blinks {
    fn takes(&self, _: &Scenario, cell: &Cell) -> bool {
        cell.parameters.message() == 64
    }

    fn metrics(&self) -> Vec<Metric> {
        vec![blinks()]
    }

    fn conditions(&self) -> Part {
        Part { affinity: Affinity::OneCpu, ..Part::default() }
    }

    fn weight(&self, _: &Cell) -> f64 {
        1.0
    }

    fn held(&self, record: &Record) -> u32 {
        record.forks.len() as u32
    }

    fn left(&self, held: u32) -> f64 {
        if held == 0 { 1.0 } else { 0.0 }
    }

    fn measure(&mut self, pool: &mut Pool<'_>, mut share: Share<'_>) -> Result<(), SinkError> {
        let fork = share.begin_fork();
        pool.sink.fork_begins(fork, 0)?;
        pool.start_all()?;
        for round in 0..3 {
            let mut samples = Vec::new();
            for id in pool.cells() {
                let Some(batch) = pool.sample(id, 0, 1000, share.deadline)? else { continue };
                let calls = 100_000_000 * batch.iterations / batch.ns().max(1);
                samples.push(sample(id, samples.len(), calls));
            }
            pool.sink.round(fork, round, &samples)?;
        }
        pool.sink.fork_ends(fork, true)?;
        pool.dismiss();
        Ok(())
    }
}

fn sample(cell: CellId, turn: usize, calls: u64) -> Sample {
    Sample { cell, after: None, turn: turn as u32, iterations: 1, counts: vec![(blinks(), calls)], series: Vec::new() }
}

/// A run on its way into a store, as far as this kind needs one.
struct Stored {
    store: Store,
    run: Run,
}

impl Sink for Stored {
    fn planned(&mut self, records: &[Record], metrics: &[Metric]) -> Result<(), SinkError> {
        self.run.plan.metrics = metrics.to_vec();
        let cells: Vec<Cell> = records.iter().map(|record| record.cell.clone()).collect();
        self.run.id = self.store.begin(&self.run, &cells)?;
        Ok(())
    }
    fn fork_begins(&mut self, number: u32, offset: u64) -> Result<(), SinkError> {
        Ok(self.store.begin_fork(self.run.id, number, offset)?)
    }
    fn round(&mut self, fork: u32, round: u32, samples: &[Sample]) -> Result<(), SinkError> {
        Ok(self.store.commit_round(self.run.id, fork, round, samples)?)
    }
    fn fork_ends(&mut self, number: u32, whole: bool) -> Result<(), SinkError> {
        Ok(self.store.end_fork(self.run.id, number, whole)?)
    }
    fn part(&mut self, _: &PartPlan) -> Result<(), SinkError> {
        unreachable!("this kind has no pilot")
    }
    fn latency(&mut self, _: &[(CellId, Latency)]) -> Result<(), SinkError> {
        unreachable!("this kind times no single calls")
    }
    fn memory(&mut self, _: CellId, _: &Memory) -> Result<(), SinkError> {
        unreachable!("this kind looks at no memory")
    }
    fn outcome(&mut self, _: CellId, outcome: &Outcome) -> Result<(), SinkError> {
        unreachable!("{outcome:?}")
    }
    fn summaries(&mut self, _: &[(CellId, Summary)]) -> Result<(), SinkError> {
        unreachable!("this kind times nothing")
    }
    fn note(&mut self, note: Note) -> Result<(), SinkError> {
        self.run.notes.push(note);
        Ok(())
    }
    fn answered(&mut self, _: bool) {}
    fn progress(&mut self, _: &Progress) {}
}

/// Measures the toy kind into the folder's store.
fn measured(folder: &TestFolder) {
    let arguments = ["worker", "native", "--provider", "ceiling"].map(Into::into).into();
    let command = Command { program: BINARY.into(), arguments, folder: None, environment: Vec::new() };
    let scenario = Scenario::parse(SCENARIO).expect("a scenario");
    let run = Run {
        id: 0,
        store: None,
        is_measuring: false,
        started: "2026-11-23T12:00:00Z".into(),
        version: "0.1.0".into(),
        seed: 1,
        scenario: scenario.clone(),
        against: None,
        mask: None,
        plan: RunPlan::default(),
        host: Vec::new(),
        status: RunStatus::Open,
        notes: Vec::new(),
    };
    let mut stored = Stored { store: Store::open(&folder.path("runs.db")).expect("a store"), run };
    let mut launch = Processes::pinned().expect("the mask");
    let interrupted = AtomicBool::new(false);
    let tools = Tools {
        kinds: vec![Box::new(Blinks)],
        launch: &mut launch,
        clock: Rc::new(SystemClock::start()),
        began: Duration::ZERO,
        sink: &mut stored,
        interrupted: &interrupted,
        meters: Default::default(),
    };
    let sources = [Source::new("ceiling", "ceiling", command)];
    let end = measure(&scenario, &sources, None, &Options::seeded(1), tools).expect("it measures");
    assert_eq!((end.status, end.measured), (RunStatus::Complete, true));
    stored.store.finish(stored.run.id, end.status, &stored.run.notes).expect("the store takes it");
}

#[test]
fn a_new_kind_is_measured_stored_shown_and_exported() {
    let folder = TestFolder::new();
    measured(&folder);
    let page = folder.run(&["show"]);
    assert_eq!(page.code, Some(0), "{page:?}");
    let title = "calls_a_blink, calls, more is better: median, and where 90 % of the samples";
    assert!(page.out.contains(title) && page.out.contains("ceiling xor"), "{}", page.out);
    assert!(!page.out.contains("no sample"), "{}", page.out);
    let document = folder.run(&["export"]).json();
    folder.fits_the_schema(&document);
    assert_eq!(document["run"]["metrics"][0]["name"], "calls_a_blink");
    let counts = document["records"][0]["samples"][0]["calls_a_blink"].as_array().expect("counts").len();
    assert_eq!(counts, 3, "{document}");
    let csv = folder.run(&["export", "--format", "csv"]).out;
    let mut lines = csv.lines();
    assert!(lines.next().is_some_and(|head| head.ends_with(",metric_calls_a_blink")), "{csv}");
    let figure = |line: &str| line.rsplit(',').next().and_then(|value| value.parse::<f64>().ok());
    assert!(lines.all(|line| figure(line) > Some(0.0)), "{csv}");
    for arguments in [
        &["show", "--all"][..],
        &["export", "--format", "markdown"],
        &["export", "--format", "benchstat"],
        &["export", "--format", "bmf"],
        &["export", "--format", "svg"],
    ] {
        let said = folder.run(arguments);
        assert!(
            said.code == Some(0) && said.out.replace('\\', "").contains("calls_a_blink"),
            "{arguments:?}: {said:?}"
        );
    }
    let said = folder.run(&["report", "-o", "page.html"]);
    let page = std::fs::read_to_string(folder.path("page.html")).unwrap_or_default();
    assert!(said.code == Some(0) && page.contains("calls_a_blink"), "{said:?}");
    assert!(page.contains("<svg"), "its figure is on the page");
}
