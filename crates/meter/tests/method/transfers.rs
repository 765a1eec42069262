//! Files that move, on the simulated machine: a group after the other, six forks of whole transfers, and every file's digest
//! compared with its content.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use ciphermeter_core::{Algorithm, Form, LeftOut, Metric, Operation, Outcome, Record, RunStatus, Scenario, Setup};
use ciphermeter_meter::{Affinity, Clock, End, Launch, Options, Source, Tools, kinds, measure};
use ciphermeter_protocol::{
    Command, Counted, Deadline, Describe, JsonLine, Link, LinkError, Offer, Prepare, Reply, Request,
};
use sha2::{Digest, Sha256};

use crate::machine::{Habits, Machine};
use crate::trial::Kept;

/// A provider that moves files.
#[derive(Clone)]
struct SimulatedProvider {
    name: &'static str,
    algorithms: &'static [Algorithm],
    /// Nanoseconds a byte.
    each: f64,
    handshake: f64,
    /// The receiver of files of so many bytes has another one.
    spoils: Option<u64>,
}

const SUITES: &[Algorithm] = &[Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305];

impl SimulatedProvider {
    fn new(name: &'static str, each: f64) -> Self {
        Self { name, algorithms: SUITES, each, handshake: 3e6, spoils: None }
    }

    fn ceiling(each: f64) -> Self {
        Self { algorithms: &[Algorithm::TcpPlain], handshake: 1e5, ..Self::new("ceiling", each) }
    }
}

struct SimulatedProviders {
    machine: Rc<Machine>,
    providers: BTreeMap<&'static str, SimulatedProvider>,
    affinities: Vec<Affinity>,
    /// The most bytes that lay in files at once, of all processes.
    files: Rc<std::cell::RefCell<(u64, u64)>>,
}

impl Launch for SimulatedProviders {
    fn launch(&mut self, source: &Source, affinity: Affinity) -> io::Result<Box<dyn Link>> {
        self.affinities.push(affinity);
        let (machine, provider, files) =
            (self.machine.clone(), self.providers[source.name.as_str()].clone(), self.files.clone());
        Ok(Box::new(Process { machine, provider, files, cells: BTreeMap::new(), last: 0, replies: VecDeque::new() }))
    }

    fn pin(&mut self, _: u32) -> io::Result<()> {
        panic!("nothing is pinned")
    }
}

struct Process {
    machine: Rc<Machine>,
    provider: SimulatedProvider,
    files: Rc<std::cell::RefCell<(u64, u64)>>,
    cells: BTreeMap<u64, Prepare>,
    last: u64,
    replies: VecDeque<JsonLine>,
}

impl Drop for Process {
    fn drop(&mut self) {
        self.files.borrow_mut().0 -= self.cells.values().map(|cell| cell.message).sum::<u64>();
    }
}

impl Link for Process {
    fn send(&mut self, line: &JsonLine, _: Deadline) -> Result<(), LinkError> {
        match Request::read(line).expect("the harness sends requests") {
            Request::Describe => self.replies.extend(self.describe().lines()),
            request => {
                let reply = self.answer(request).line();
                self.replies.push_back(reply);
            }
        }
        Ok(())
    }

    fn receive(&mut self, _: Deadline) -> Result<JsonLine, LinkError> {
        Ok(self.replies.pop_front().expect("one answer a question"))
    }
}

impl Process {
    fn describe(&self) -> Describe {
        let offer = |algorithm: &Algorithm| Offer {
            provider: self.provider.name.into(),
            version: "1".into(),
            algorithm: *algorithm,
            operations: [Operation::Transfer].into(),
            forms: [Form::Discard, Form::File].into(),
            path: "avx512".into(),
            setup: Setup::Outside,
            library: None,
            sha256: None,
        };
        let offers = self.provider.algorithms.iter().map(offer).collect();
        Describe { worker: "mover".into(), runtime: "simulated".into(), offers, ..Describe::default() }
    }

    /// Nanoseconds of one transfer without its handshake; ChaCha20-Poly1305 takes half as long again.
    fn transfer(&self, cell: &Prepare) -> f64 {
        let slower = if cell.algorithm == Algorithm::ChaCha20Poly1305 { 1.5 } else { 1.0 };
        (1e5 + cell.message as f64 * self.provider.each) * slower
    }

    fn answer(&mut self, request: Request) -> Reply {
        match request {
            Request::Prepare(cell) => {
                self.machine.pass(1e6 + cell.message as f64 * 0.5);
                let mut files = self.files.borrow_mut();
                files.0 += cell.message;
                files.1 = files.1.max(files.0);
                let reply = Reply::Ready { cell: cell.cell };
                self.cells.insert(cell.cell, cell);
                reply
            }
            Request::Sample { cell, warmup_ns, iterations, .. } => self.sample(cell, warmup_ns, iterations),
            Request::Digest { cell, .. } => {
                let prepared = &self.cells[&cell];
                self.machine.pass(self.transfer(prepared));
                Reply::Digest { cell, sha256: had(prepared, self.provider.spoils == Some(prepared.message)) }
            }
            Request::Clock => Reply::Clock { step_ns: 1, call_ns: 20, loop_ns: 1 },
            Request::Release { cell } => {
                let gone = self.cells.remove(&cell).expect("it was prepared");
                self.files.borrow_mut().0 -= gone.message;
                Reply::Released { cell }
            }
            other => panic!("the meter asks for {other:?}"),
        }
    }

    fn sample(&mut self, cell: u64, warmup_ns: u64, iterations: u64) -> Reply {
        let each = self.transfer(&self.cells[&cell]);
        let warm = u64::from(warmup_ns > 0);
        self.machine.pass((each + self.provider.handshake) * warm as f64 + self.provider.handshake * iterations as f64);
        let ns = self.machine.work(each * iterations as f64, false).round() as u64;
        let first = self.last + 1;
        self.last += warm + iterations;
        let mut counted = Counted::times(ns, Some(ns / 2));
        let handshake = self.provider.handshake as u64 * iterations;
        counted.counts.extend([(Metric::HANDSHAKE, handshake), (Metric::SEAL, ns / 3)]);
        Reply::Sample { cell, iterations, first, last: self.last, counted: Box::new(counted) }
    }
}

/// What the receiver had, from PROTOCOL.md's own definition of a stream.
fn had(cell: &Prepare, spoilt: bool) -> [u8; 32] {
    let block = |i: u64| Sha256::digest(format!("ciphermeter message {} {i}", cell.seed));
    let mut period: Vec<u8> = (0..128).flat_map(block).collect();
    period.truncate(4093);
    let mut file: Vec<u8> = period.iter().copied().cycle().take(cell.message as usize).collect();
    if spoilt {
        file.push(0);
    }
    Sha256::digest(file).into()
}

struct Moved {
    end: End,
    kept: Kept,
    seconds: f64,
    /// The most bytes that lay in files at once.
    files: u64,
}

fn run(providers: &[SimulatedProvider], budget: &str, sizes: &str) -> Moved {
    let text = format!(
        "name = 't'\ntitle = 't'\nkind = 'transfer'\nbudget = '{budget}'\nprecision = '1%'\n[[cells]]\n\
         algorithms = ['aes-256-gcm', 'chacha20-poly1305']\noperations = ['transfer']\nmessages = [{sizes}]\nforms = ['discard', 'file']\n"
    );
    let command = Command { program: "mover".into(), arguments: vec![], folder: None, environment: vec![] };
    let sources: Vec<_> =
        providers.iter().map(|provider| Source::new(provider.name, provider.name, command.clone())).collect();
    let machine = Rc::new(Machine::new(Habits { noise: 0.01, drift: 0.05, ..Habits::default() }, 7));
    let providers = providers.iter().map(|provider| (provider.name, provider.clone())).collect();
    let mut launch =
        SimulatedProviders { machine: machine.clone(), providers, affinities: Vec::new(), files: Rc::default() };
    let (mut kept, interrupted) = (Kept::default(), AtomicBool::new(false));
    let scenario = Scenario::parse(&text).unwrap();
    let kinds = kinds(&scenario, 7, None);
    let tools = Tools {
        kinds,
        launch: &mut launch,
        clock: machine.clone(),
        began: machine.now(),
        sink: &mut kept,
        interrupted: &interrupted,
        meters: Default::default(),
    };
    let options = Options { cpus: 4, ..Options::seeded(7) };
    let end = measure(&scenario, &sources, None, &options, tools).unwrap();
    let asked = sources.len();
    assert!(
        launch.affinities[asked..].iter().all(|affinity| *affinity == Affinity::AllCpus),
        "after the first questions"
    );
    let files = launch.files.borrow().1;
    kept.counts_down();
    Moved { end, kept, seconds: machine.now().as_secs_f64(), files }
}

fn forks(record: &Record) -> Vec<u32> {
    let whole = record.forks.iter().filter(|fork| !fork.samples.is_empty());
    whole.map(|fork| fork.number).collect()
}

#[test]
fn groups_come_one_after_the_other_and_the_truth_is_found() {
    let moved = run(
        &[SimulatedProvider::new("ours", 0.5), SimulatedProvider::new("theirs", 1.0), SimulatedProvider::ceiling(0.2)],
        "60s",
        "'10KiB', '8MiB'",
    );
    assert_eq!(moved.end.status, RunStatus::Complete);
    let size_and_form = |record: &&Record| (record.cell.parameters.message(), record.cell.form);
    let mut groups: BTreeMap<_, Vec<&Record>> = BTreeMap::new();
    moved.kept.records.iter().for_each(|record| groups.entry(size_and_form(&record)).or_default().push(record));
    assert_eq!(groups.len(), 4);
    let mut before = None;
    for ((bytes, _), records) in &groups {
        assert_eq!(records.len(), 5);
        assert!(forks(records[0]).len() >= 6 && forks(records[0]).first() > before.as_ref());
        assert!(records.iter().all(|record| forks(record) == forks(records[0])));
        before = forks(records[0]).last().copied();
        let reference = records[0].summary.as_ref().unwrap().reference;
        let fastest = records.iter().find(|record| record.cell.provider == "ours").unwrap();
        assert_eq!((reference, fastest.cell.algorithm), (fastest.id, Algorithm::Aes256Gcm), "no ceiling");
        let theirs = records.iter().find(|record| record.cell.provider == "theirs").unwrap();
        let time = |each: f64| 1e5 + *bytes as f64 * each;
        let ratio = theirs.summary.as_ref().unwrap().ratio.unwrap();
        let truth = time(1.0) / time(0.5);
        assert!((ratio.mid / truth - 1.0).abs() < 0.02, "{ratio:?}, truth {truth}");
        for sample in theirs.forks.iter().flat_map(|fork| &fork.samples) {
            let wall = sample.ns() + sample.count(Metric::HANDSHAKE).unwrap();
            assert!(sample.iterations == 1 || (15_000_000..30_000_000).contains(&wall), "{sample:?}");
            assert!(sample.count(Metric::PROBE).is_none() && sample.count(Metric::SEAL).is_some());
        }
        let warnings: Vec<_> = records.iter().flat_map(|record| &record.summary.as_ref().unwrap().warnings).collect();
        assert!(warnings.iter().all(|warning| !warning.contains("CPU")), "the ends of a transfer wait: {warnings:?}");
    }
    assert!(moved.files <= 5 * (8 << 20), "one group's files at a time, {} bytes", moved.files);
}

#[test]
fn slow_transfers_have_six_forks_within_the_budget() {
    // 0.4, 0.6, 0.8 and 1.3 s.
    let movers = [
        SimulatedProvider::new("ours", 100.0),
        SimulatedProvider::new("theirs", 200.0),
        SimulatedProvider::ceiling(50.0),
    ];
    let moved = run(&movers, "150s", "'4MiB'");
    assert_eq!(moved.end.status, RunStatus::Complete);
    assert!(moved.kept.records.iter().all(|record| forks(record).len() >= 6));
    assert!(moved.seconds < 155.0, "{} s", moved.seconds);
}

#[test]
fn what_does_not_fit_six_times_is_left_out() {
    let movers = [
        SimulatedProvider::new("ours", 100.0),
        SimulatedProvider::new("theirs", 2000.0),
        SimulatedProvider::ceiling(50.0),
    ];
    let moved = run(&movers, "400s", "'4MiB'");
    let mut left_out = 0;
    for record in &moved.kept.records {
        match &record.outcome {
            Outcome::LeftOut(reason) => {
                assert!(record.cell.provider == "theirs" && forks(record).is_empty());
                assert!(matches!(reason, LeftOut::SlowForks { call, .. } if call == "transfer"), "{reason}");
                left_out += 1;
            }
            _ => assert!(forks(record).len() >= 6, "{:?}", record.cell),
        }
    }
    assert!(left_out >= 2, "{left_out}");
    assert!(moved.seconds < 420.0, "{} s", moved.seconds);
}

#[test]
fn budget_that_is_named_does() {
    for (each, budget, sizes) in [
        (100.0, "40s", "'4MiB'"),
        (100.0, "20s", "'1MiB', '4MiB'"),
        (50.0, "15s", "'10KiB', '8MiB'"),
        (500.0, "2min", "'4MiB'"),
        (20.0, "10s", "'1MiB', '2MiB', '8MiB'"),
        (1000.0, "5min", "'1MiB', '2MiB'"),
    ] {
        let movers = [
            SimulatedProvider::new("ours", each),
            SimulatedProvider::new("theirs", 2.0 * each),
            SimulatedProvider::ceiling(each / 2.0),
        ];
        let reasons = |moved: &Moved| -> Vec<LeftOut> {
            let outcomes = moved.kept.records.iter().map(|record| record.outcome.clone());
            outcomes.filter_map(|outcome| if let Outcome::LeftOut(why) = outcome { Some(why) } else { None }).collect()
        };
        let left_out = reasons(&run(&movers, budget, sizes));
        let enough = left_out.iter().map(|why| why.enough_s().unwrap_or_else(|| panic!("{budget}: {why}")));
        let enough = enough.max().unwrap_or_else(|| panic!("{budget} does for {sizes}"));
        let moved = run(&movers, &format!("{enough}s"), sizes);
        assert!(reasons(&moved).is_empty(), "{enough} s instead of {budget} for {sizes}");
        assert!(moved.kept.records.iter().all(|record| forks(record).len() >= 6), "{enough} s for {sizes}");
    }
}

#[test]
fn another_file_than_was_sent_is_a_wrong_output() {
    for bytes in [65_537, 10 << 10] {
        let wrong = SimulatedProvider { spoils: Some(bytes), ..SimulatedProvider::new("theirs", 1.0) };
        let moved =
            run(&[SimulatedProvider::new("ours", 0.5), wrong, SimulatedProvider::ceiling(0.2)], "20s", "'10KiB'");
        assert!(moved.end.wrong_output);
        for record in &moved.kept.records {
            match (&record.outcome, record.cell.provider.as_str()) {
                (Outcome::WrongOutput { why }, "theirs") => {
                    assert!(why.contains(&format!("of a file of {bytes} bytes the receiver had")), "{why}");
                    assert!(forks(record).is_empty());
                }
                (outcome, provider) => assert!(*outcome == Outcome::Measured && provider != "theirs", "{record:?}"),
            }
        }
    }
}

#[test]
fn a_ceiling_that_spoils_files_is_none() {
    let wrong = SimulatedProvider { spoils: Some(16), ..SimulatedProvider::ceiling(0.2) };
    let moved = run(&[SimulatedProvider::new("ours", 0.5), wrong], "20s", "'10KiB'");
    assert!(moved.end.wrong_output && moved.kept.why("ceiling").contains("of a file of 16 bytes"));
}
