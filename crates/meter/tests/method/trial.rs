//! One simulated run and what came of it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use ciphermeter_core::{
    CellId, Fork, Latency, Mask, Memory, Metric, Note, Outcome, PartPlan, Record, RunPlan, Sample, Scenario, Summary,
    all_lost,
};
use ciphermeter_estimate::{CipherPair, Comparison, Thresholds, fill, logs};
use ciphermeter_meter::{
    Affinity, Before, Clock, End, MeterError, Options, Progress, Reach, Sink, SinkError, Source, Switch, Tools, kinds,
    measure,
};
use ciphermeter_protocol::Command;

use crate::machine::{Habits, Machine};
use crate::model::Model;
use crate::models::Models;

/// Everything that the meter handed on.
#[derive(Clone, Default)]
pub struct Kept {
    pub records: Vec<Record>,
    pub plan: RunPlan,
    pub notes: Vec<String>,
    /// The same as they are stored.
    pub typed_notes: Vec<Note>,
    pub rounds: usize,
    pub whole: u32,
    /// Who was started where.
    pub affinities: Vec<(String, Affinity)>,
    /// The processes that were pinned.
    pub pinned: Vec<u32>,
    /// The warm-ups, in nanoseconds, that samples were requested with.
    pub warmups: BTreeSet<u64>,
    /// Seconds that it took.
    pub seconds: f64,
    /// What was left, each time that it was said.
    pub left: Vec<Duration>,
    /// After how many seconds its question was answered.
    pub answered: Option<f64>,
    /// Whether it works out how many comparisons of two ciphers are decided, and after how many seconds nine of ten were.
    pub watches: bool,
    pub decided: Option<f64>,
    clock: Option<Rc<Machine>>,
}

/// What the two ciphers of each library and size come to, all at once.
pub fn comparisons(records: &[Record]) -> Vec<Comparison> {
    let cells = records.iter().map(|record| &record.cell);
    let Some(pair) = CipherPair::find(cells.clone()) else { return Vec::new() };
    let pairs = pair.matched(cells.zip(records));
    let thresholds = Thresholds::of(pairs.len());
    pairs.iter().map(|[first, second]| Comparison::of_logs(&logs(second, first), thresholds)).collect()
}

impl Kept {
    fn now(&self) -> f64 {
        self.clock.as_ref().map_or(0.0, |clock| clock.now().as_secs_f64())
    }
}

impl Sink for Kept {
    fn planned(&mut self, records: &[Record], metrics: &[Metric]) -> Result<(), SinkError> {
        self.records = records.to_vec();
        self.plan.metrics = metrics.to_vec();
        Ok(())
    }
    fn part(&mut self, part: &PartPlan) -> Result<(), SinkError> {
        self.plan.take(part.clone());
        Ok(())
    }
    fn fork_begins(&mut self, number: u32, _: u64) -> Result<(), SinkError> {
        for record in &mut self.records {
            record.forks.push(Fork { number, short: true, ..Fork::default() });
        }
        Ok(())
    }
    fn round(&mut self, _: u32, round: u32, samples: &[Sample]) -> Result<(), SinkError> {
        self.rounds += 1;
        for sample in samples {
            let fork = self.records[sample.cell.index()].forks.last_mut().unwrap();
            fork.rounds.push(round);
            fork.samples.push(sample.clone());
        }
        Ok(())
    }
    fn latency(&mut self, latencies: &[(CellId, Latency)]) -> Result<(), SinkError> {
        for (id, latency) in latencies {
            let kept = &mut self.records[id.index()].latency;
            kept.retain(|known| known.fork != latency.fork);
            kept.push(latency.clone());
        }
        Ok(())
    }
    fn memory(&mut self, id: CellId, memory: &Memory) -> Result<(), SinkError> {
        self.records[id.index()].memory.push(memory.clone());
        Ok(())
    }
    fn fork_ends(&mut self, _: u32, whole: bool) -> Result<(), SinkError> {
        self.whole += u32::from(whole);
        for fork in self.records.iter_mut().filter_map(|record| record.forks.last_mut()) {
            fork.short = !whole;
        }
        Ok(())
    }
    fn outcome(&mut self, id: CellId, outcome: &Outcome) -> Result<(), SinkError> {
        self.records[id.index()].outcome = outcome.clone();
        Ok(())
    }
    fn summaries(&mut self, summaries: &[(CellId, Summary)]) -> Result<(), SinkError> {
        for (id, summary) in summaries {
            self.records[id.index()].summary = Some(summary.clone());
        }
        if self.watches && self.decided.is_none() {
            let comparisons = comparisons(&self.records);
            let decided = comparisons.iter().filter(|comparison| !matches!(comparison, Comparison::Unknown(_))).count();
            self.decided = (10 * decided >= 9 * comparisons.len()).then(|| self.now());
        }
        Ok(())
    }
    fn note(&mut self, note: Note) -> Result<(), SinkError> {
        self.notes.push(note.to_string());
        self.typed_notes.push(note);
        Ok(())
    }
    fn answered(&mut self, is_answered: bool) {
        self.answered = self.answered.or(is_answered.then(|| self.now()));
    }
    fn progress(&mut self, progress: &Progress) {
        // A process that compiles says what is left of that alone.
        self.left.extend(progress.left.filter(|_| progress.stage != "compiling"));
    }
}

/// A machine, what runs on it, and how long it is measured.
pub struct Trial {
    /// `message`
    pub kind: &'static str,
    pub habits: Habits,
    pub models: Vec<Model>,
    pub seed: u64,
    /// `10s`
    pub budget: &'static str,
    /// `1%`
    pub precision: &'static str,
    /// `"1KiB"`
    pub messages: &'static str,
    /// Further lines of the scenario's block.
    pub lines: &'static str,
    /// How many CPUs threads may spread over.
    pub cpus: u32,
    /// Providers named `…@old` are older selves.
    pub against: bool,
    /// What of the CPU they are kept from.
    pub mask: Option<Mask>,
    /// How long counters of energy must be read, where the run asks for them; there are none that answer.
    pub window: Option<Duration>,
    /// The warm-up of each sample, and its length, instead of the method's own.
    pub warmup: Option<Duration>,
    pub sample: Option<Duration>,
    /// The user presses Ctrl-C after so many seconds.
    pub interrupted_after: f64,
    /// Whether the run works out when its comparisons are decided.
    pub watches: bool,
}

impl Trial {
    pub fn new(models: impl Into<Vec<Model>>) -> Self {
        let habits = Habits { noise: 0.004, ..Habits::default() };
        Self {
            kind: "message",
            habits,
            models: models.into(),
            seed: 1,
            budget: "10s",
            precision: "1%",
            messages: r#""1KiB""#,
            lines: "",
            cpus: 1,
            against: false,
            mask: None,
            window: None,
            warmup: None,
            sample: None,
            interrupted_after: f64::INFINITY,
            watches: false,
        }
    }

    pub fn scenario(&self) -> Scenario {
        Scenario::parse(&format!(
            "name = 'trial'\ntitle = 'a trial'\nkind = '{}'\nbudget = '{}'\nprecision = '{}'\n\
             [[cells]]\nalgorithms = ['xor']\noperations = ['encrypt']\nmessages = [{}]\n{}\n",
            self.kind, self.budget, self.precision, self.messages, self.lines
        ))
        .unwrap()
    }

    pub fn run(self) -> (Result<End, MeterError>, Kept) {
        self.run_from(None)
    }

    /// The same as a run that was cut off and is resumed.
    pub fn resume(self, earlier: Kept) -> (Result<End, MeterError>, Kept) {
        self.run_from(Some(earlier))
    }

    fn run_from(self, earlier: Option<Kept>) -> (Result<End, MeterError>, Kept) {
        let scenario = self.scenario();
        let command = Command { program: "model".into(), arguments: vec![], folder: None, environment: vec![] };
        let source = |model: &Model| {
            let source = Source::new(model.name.clone(), "model", command.clone());
            let source = match &model.board {
                Some(board) => board.source(source),
                None => source,
            };
            let Some(_) = self.mask else { return source };
            let thrown = vec![("SWITCH".into(), "thrown".into())];
            match model.switched {
                Some(_) => Source {
                    reach: Reach::Command(Command { environment: thrown, ..command.clone() }),
                    switch: Switch::Thrown { without: command.clone() },
                    ..source
                },
                None => Source { switch: Switch::Missing { why: "it asks the CPU itself".into() }, ..source },
            }
        };
        let sources: Vec<Source> = self.models.iter().map(source).collect();
        let machine = Rc::new(Machine::new(self.habits, self.seed).interrupted_after(self.interrupted_after));
        let liars: Vec<String> =
            self.models.iter().filter(|model| model.is_liar()).map(|model| model.name.clone()).collect();
        let models: BTreeMap<_, _> = self.models.into_iter().map(|model| (model.name.clone(), model)).collect();
        let mut launch = Models {
            machine: machine.clone(),
            models,
            affinities: Vec::new(),
            pinned: Vec::new(),
            boards: BTreeMap::new(),
            states: BTreeMap::new(),
        };
        let before = earlier.as_ref().map(|kept| {
            let numbers = kept.records.iter().flat_map(|record| &record.forks).map(|fork| fork.number);
            Before {
                next_fork: numbers.max().map_or(0, |last| last + 1),
                records: kept.records.clone(),
                lost: all_lost(&kept.typed_notes, &kept.records),
            }
        });
        let mut kept = earlier.unwrap_or_default();
        kept.left.clear();
        (kept.clock, kept.watches) = (Some(machine.clone()), self.watches);
        let kinds = kinds(&scenario, self.seed, self.window);
        let (clock, interrupted) = (machine.clone(), &machine.interrupted);
        let (began, meters) = (clock.now(), Default::default());
        let tools = Tools { kinds, launch: &mut launch, clock, began, sink: &mut kept, interrupted, meters };
        let mut options =
            Options { cpus: self.cpus, against: self.against, mask: self.mask, ..Options::seeded(self.seed) };
        options.warmup = self.warmup.unwrap_or(options.warmup);
        options.sample = self.sample.unwrap_or(options.sample);
        let end = measure(&scenario, &sources, before, &options, tools);
        (kept.affinities, kept.pinned) = (launch.affinities, launch.pinned);
        kept.warmups = machine.warmups.take();
        kept.seconds = machine.now().as_secs_f64();
        kept.can_be_summed_up_again(&scenario, self.against);
        kept.accuses_only(&liars);
        kept.counts_down();
        (end, kept)
    }
}

impl Kept {
    /// Summaries of the live run are those that the stored plan and the records come to.
    fn can_be_summed_up_again(&self, scenario: &Scenario, against: bool) {
        let mut records = self.records.clone();
        for record in &mut records {
            record.summary = None;
        }
        fill(scenario, against, &self.plan, &mut records);
        for (again, record) in records.iter().zip(&self.records) {
            assert_eq!(again.summary, record.summary, "{} {:?}", record.cell.provider, record.outcome);
        }
    }

    /// The time that is left never rises, whatever parts there are.
    pub fn counts_down(&self) {
        let rises = self.left.windows(2).find(|two| two[1] > two[0]);
        assert_eq!(rises, None, "of {} times", self.left.len());
    }

    /// No worker is said to claim too little time that does not.
    fn accuses_only(&self, liars: &[String]) {
        for record in self.records.iter().filter(|record| !liars.contains(&record.cell.provider)) {
            let warnings = record.summary.iter().flat_map(|summary| &summary.warnings);
            let accused: Vec<_> = warnings.filter(|warning| warning.contains("worker claims")).collect();
            assert!(accused.is_empty(), "{}: {accused:?}", record.cell.provider);
        }
    }

    pub fn record(&self, provider: &str) -> &Record {
        self.records.iter().find(|record| record.cell.provider == provider).unwrap()
    }

    pub fn summary(&self, provider: &str) -> &Summary {
        self.record(provider).summary.as_ref().unwrap()
    }

    /// Estimate and half-width of a provider's time ÷ the reference's.
    pub fn ratio(&self, provider: &str) -> (f64, f64) {
        let ratio = self.summary(provider).ratio.unwrap();
        (ratio.mid, (ratio.high - ratio.low) / 2.0)
    }

    pub fn why(&self, provider: &str) -> String {
        let record = self.record(provider);
        match &record.outcome {
            Outcome::Measured => "measured".into(),
            Outcome::Failed { why } => format!("failed: {why}"),
            Outcome::WrongOutput { why } => format!("wrong output: {why}"),
            _ => record.in_words().unwrap_or_default(),
        }
    }
}
