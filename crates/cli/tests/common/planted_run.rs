//! Runs of this machine as it would have measured them, with planted times.

use std::fs;

use ciphermeter_core::{
    Algorithm, Cell, CellId, Fact, LeftOut, METHOD, Mask, Metric, Outcome, Provenance, Run, RunPlan, RunStatus, Sample,
    Scenario, Setup, Summary,
};
use ciphermeter_store::Store;

use super::{TestFolder, planted};

const FORKS: u32 = 6;
const ROUNDS: u32 = 6;
const PROVIDERS: [&str; 2] = ["openssl", "go"];

/// A run to plant.
pub struct Planted {
    pub scenario: Scenario,
    pub host: Vec<Fact>,
    pub method: u32,
    pub mask: Option<Mask>,
    pub status: RunStatus,
    /// Whose output was wrong.
    pub wrong: fn(&Cell) -> bool,
    /// For what there was no time.
    pub late: fn(&Cell) -> bool,
    /// Whether every other fork says the opposite.
    pub wavers: bool,
    /// The file of the library, and its hash.
    pub opened: Option<(String, String)>,
    /// Nanoseconds of a call with AES and with ChaCha20, on a message of so many bytes.
    pub ns: fn(u64) -> [f64; 2],
}

pub fn aes_first(message: u64) -> [f64; 2] {
    [50.0 + 0.2 * message as f64, 90.0 + 0.4 * message as f64]
}

pub fn chacha20_first(message: u64) -> [f64; 2] {
    let [aes, chacha20] = aes_first(message);
    [chacha20, aes]
}

impl Planted {
    /// A whole run of a curated scenario, as this machine would have measured it.
    pub fn new(scenario: &str, ns: fn(u64) -> [f64; 2]) -> Self {
        let file = format!("{}/../../scenarios/{scenario}.toml", env!("CARGO_MANIFEST_DIR"));
        let scenario = Scenario::parse(&fs::read_to_string(file).expect("a file")).expect("a scenario");
        let (host, status) = (ciphermeter_host::facts(), RunStatus::Complete);
        let never = |_: &Cell| false;
        let (method, opened) = (METHOD, None);
        Self { scenario, host, method, mask: None, status, wrong: never, late: never, wavers: false, opened, ns }
    }

    pub fn with_fact(mut self, name: &str, value: &str) -> Self {
        self.host.retain(|fact| fact.name != name);
        self.host.push(Fact::present(name, value));
        self
    }

    /// Stores it; every cell was sampled in every round, on a machine whose speed wanders.
    pub fn plant(self, folder: &TestFolder) {
        let store = Store::open(&folder.path("runs.db")).expect("a store");
        let algorithms = [Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305];
        let each = PROVIDERS.iter().flat_map(|provider| algorithms.map(|algorithm| (*provider, algorithm)));
        let cells: Vec<Cell> =
            each.flat_map(|(provider, algorithm)| self.scenario.cells_for(provider, algorithm, 1)).collect();
        let run = self.head();
        let id = store.begin(&run, &cells).expect("a run");
        for fork in 0..FORKS {
            store.begin_fork(id, fork, 0).expect("a fork");
            for round in 0..ROUNDS {
                let samples: Vec<Sample> =
                    (0..).zip(&cells).map(|(k, cell)| self.sample(k, cell, fork, round)).collect();
                store.commit_round(id, fork, round, &samples).expect("a round");
            }
            store.end_fork(id, fork, true).expect("a fork");
        }
        let summaries: Vec<(CellId, Summary)> = (0..)
            .zip(&cells)
            .map(|(k, cell)| (CellId(k), planted::summary(self.time(cell), FORKS, FORKS * ROUNDS)))
            .collect();
        store.set_summaries(id, &summaries).expect("the cells");
        for ((id_of_cell, _), cell) in summaries.iter().zip(&cells) {
            let outcome = match (self.wrong)(cell) {
                _ if (self.late)(cell) => Outcome::LeftOut(LeftOut::NotReached),
                true => Outcome::WrongOutput { why: "expected 00, came 01".into() },
                false => Outcome::Measured,
            };
            store.set_outcome(id, *id_of_cell, &outcome).expect("a cell");
            let (library, sha256) = self.opened.clone().unzip();
            let provenance = Provenance { library, sha256, ..provenance() };
            store.set_provenance(id, *id_of_cell, &provenance).expect("a cell");
        }
        store.finish(id, self.status, &[]).expect("a run");
    }

    fn head(&self) -> Run {
        Run {
            mask: self.mask,
            plan: RunPlan { method: self.method, ..RunPlan::default() },
            status: self.status,
            ..planted::head(self.scenario.clone(), self.host.clone())
        }
    }

    fn time(&self, cell: &Cell) -> f64 {
        let [aes, chacha20] = (self.ns)(cell.parameters.message());
        if cell.algorithm == Algorithm::Aes256Gcm { aes } else { chacha20 }
    }

    fn sample(&self, k: u32, cell: &Cell, fork: u32, round: u32) -> Sample {
        let speed = 1.0 + f64::from((round * 7 + fork) % 11) / 30.0;
        // Each cell is slightly off in each fork, by up to a thousandth.
        let own = 1.0 + f64::from((k + 1) * (fork + 3) % 7) / 7000.0;
        let own = match self.wavers && cell.algorithm == Algorithm::Aes256Gcm {
            true if fork.is_multiple_of(2) => own * 1.5,
            true => own / 1.5,
            false => own,
        };
        let count = (self.time(cell) * speed * own * 1000.0) as u64;
        let counts = vec![(Metric::NS, count), (Metric::CPU_NS, count)];
        Sample { cell: CellId(k), after: None, turn: k, iterations: 1000, counts, series: vec![] }
    }
}

fn provenance() -> Provenance {
    Provenance {
        worker: "native".into(),
        runtime: "rust".into(),
        language: None,
        version: "3.0.19".into(),
        path: "unknown".into(),
        setup: Setup::Outside,
        library: None,
        sha256: None,
        program: None,
        device: None,
    }
}

/// A folder with these runs, the oldest first.
pub fn folder<const N: usize>(runs: [Planted; N]) -> TestFolder {
    let folder = TestFolder::new();
    for run in runs {
        run.plant(&folder);
    }
    folder
}
