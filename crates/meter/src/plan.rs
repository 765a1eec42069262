//! Which cells a run has, which worker each belongs to, and which of them are still in.

use std::collections::BTreeSet;

use ciphermeter_core::{
    Against, Algorithm, Cell, CellId, Form, Group, Note, Outcome, Peers, Provenance, Record, Scenario,
};
use ciphermeter_estimate::{Reference, peers};
use ciphermeter_protocol::Offer;

use crate::options::Options;
use crate::survey::Surveyed;

/// A cell of the run.
#[derive(Debug, Clone)]
pub struct Planned {
    /// What is measured.
    pub cell: Cell,
    /// Place of its source in the run's list; `None` if no worker offers it any more (a resumed run).
    pub source: Option<usize>,
    /// Which code gives the figures.
    pub provenance: Option<Provenance>,
    /// `Measured` while it is in.
    pub outcome: Outcome,
}

/// The cells of a run.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// By number.
    pub cells: Vec<Planned>,
    /// Which of them are compared with each other.
    pub peers: Vec<Peers<Reference>>,
    /// They are copies of one library: then none is the best, and the first is as good a reference as any but the slowed.
    pub copies: bool,
}

impl Plan {
    /// Every cell of the scenario that a surveyed source offers, and notes on what was asked for in vain.
    pub fn new(scenario: &Scenario, surveyed: &[Surveyed], options: &Options) -> (Self, Vec<Note>) {
        let (mut cells, mut notes) = (Vec::new(), BTreeSet::new());
        for (source, survey) in surveyed.iter().enumerate() {
            for offer in &survey.offers {
                for cell in survey.cells(scenario, offer.algorithm, options.cpus) {
                    if !offer.operations.contains(&cell.operation) {
                        continue;
                    }
                    if !survey.rotates && cell.rotates() {
                        let why = "its worker has no cells of several texts or keys";
                        let text = format!("{} is left out: {why}", cell.provider);
                        notes.insert(Note::excluded(&[&cell.provider], text));
                        continue;
                    }
                    if !offer.forms.contains(&cell.form) {
                        let lacks = format!("{} has no {} form of {}", cell.provider, cell.form, cell.algorithm);
                        notes.insert(Note::forms(&cell.provider, lacks));
                        continue;
                    }
                    let provenance = Some(survey.provenance(offer));
                    cells.push(Planned { cell, source: Some(source), provenance, outcome: Outcome::Measured });
                }
            }
        }
        if scenario.most_threads() > options.cpus {
            let cpus = options.cpus;
            let text = format!("cells of more than {cpus} threads are left out: only {cpus} CPUs may be used");
            notes.insert(Note::excluded(&[], text));
        }
        let mut plan = Self { cells, peers: Vec::new(), copies: scenario.copies.is_some() };
        if options.against {
            plan.keep_pairs(&mut notes);
        }
        plan.drop_lonely_ceilings();
        plan.cells.sort_by_key(|planned| {
            let cell = &planned.cell;
            let (cpus, device) = (cell.parameters.cpus(), cell.parameters.device());
            (cpus, device, cell.parameters.message(), cell.group(), cell.algorithm, planned.source)
        });
        plan.peers = plan.find_peers(options.against);
        (plan, notes.into_iter().collect())
    }

    /// Only what has an older self; a ceiling has none. What is old alone stays, so that its loss is seen.
    fn keep_pairs(&mut self, notes: &mut BTreeSet<Note>) {
        self.cells.retain(|planned| !planned.cell.algorithm.is_ceiling());
        let is_old = |planned: &Planned| Against::is_old(&planned.cell.provider);
        let key =
            |Planned { cell, .. }: &Planned| (cell.algorithm, cell.group(), Against::base(&cell.provider).to_string());
        let old: BTreeSet<_> = self.cells.iter().filter(|planned| is_old(planned)).map(key).collect();
        self.cells.retain(|planned| {
            let stays = is_old(planned) || old.contains(&key(planned));
            if !stays {
                let Cell { provider, algorithm, .. } = &planned.cell;
                let text = format!("{algorithm} of {provider} is left out: the older version does not offer it");
                notes.insert(Note::excluded(&[provider], text));
            }
            stays
        });
    }

    /// The cells of a stored run, found again among what the sources offer now. A provider that is gone would leave its cells behind
    /// the others, and the samples of one that has changed must not be mixed: either is an error which says so.
    pub fn again(
        scenario: &Scenario,
        records: &[Record],
        surveyed: &[Surveyed],
        options: &Options,
    ) -> Result<Self, String> {
        let mut cells = Vec::new();
        for record in records {
            let found = surveyed.iter().enumerate().find_map(|(source, survey)| {
                let offer = survey.offer_of(&record.cell).filter(|_| survey.source.name == record.cell.provider)?;
                Some((source, survey.provenance(offer)))
            });
            let is_on_device = record.cell.parameters.device().is_some();
            let outcome = match (&found, &record.outcome) {
                // A board can be connected, or flashed, again: then the run continues.
                (None, Outcome::Measured) if is_on_device => return Err(is_not_on_device(record, surveyed)),
                (None, Outcome::Measured) => {
                    let provider = &record.cell.provider;
                    return Err(format!(
                        "{provider} was measured, and no worker here has it now: install it again, name its place with \
                         --workers, --worker or --openssl, or start a new run"
                    ));
                }
                (Some(_), Outcome::Failed { .. }) if is_on_device => Outcome::Measured,
                (_, outcome) => outcome.clone(),
            };
            if let (Some((_, now)), Some(then)) = (&found, &record.provenance)
                && now != then
            {
                let (name, then, now) = (&record.cell.provider, describe(then), describe(now));
                return Err(format!("{name} was {then} and is {now} now: start a new run"));
            }
            let (cell, source) = (record.cell.clone(), found.map(|(source, _)| source));
            cells.push(Planned { cell, source, provenance: record.provenance.clone(), outcome });
        }
        let mut plan = Self { cells, peers: Vec::new(), copies: scenario.copies.is_some() };
        plan.peers = plan.find_peers(options.against);
        Ok(plan)
    }

    /// The cells whose outcome is another than a stored run has.
    pub fn changed(&self, records: &[Record]) -> Vec<CellId> {
        let is_changed =
            |id: &CellId| records.get(id.index()).is_some_and(|then| then.outcome != self.get(*id).outcome);
        self.ids().filter(is_changed).collect()
    }

    /// A ceiling says nothing in a group that has nothing else. It has no key, so it belongs to XOR's of any length.
    fn drop_lonely_ceilings(&mut self) {
        let is_ceiling = |planned: &Planned| planned.cell.algorithm.is_ceiling();
        let keyless = |planned: &Planned| {
            let mut group = planned.cell.group();
            group.parameters.0.remove("key");
            group
        };
        let others: BTreeSet<Group> = self.cells.iter().filter(|planned| !is_ceiling(planned)).map(keyless).collect();
        self.cells.retain(|planned| others.contains(&keyless(planned)));
    }

    fn find_peers(&self, against: bool) -> Vec<Peers<Reference>> {
        peers(self.ids().zip(self.cells.iter().map(|planned| &planned.cell)), against)
    }

    /// Every cell's number.
    pub fn ids(&self) -> impl Iterator<Item = CellId> + use<> {
        (0..self.cells.len() as u32).map(CellId)
    }

    /// The cell of that number.
    pub fn get(&self, id: CellId) -> &Planned {
        &self.cells[id.index()]
    }

    /// Whether the cell is still measured.
    pub fn is_in(&self, id: CellId) -> bool {
        self.get(id).source.is_some() && self.get(id).outcome == Outcome::Measured
    }

    /// The cells of one source that are still in.
    pub fn of_source(&self, source: usize) -> Vec<CellId> {
        self.ids().filter(|id| self.get(*id).source == Some(source) && self.is_in(*id)).collect()
    }

    /// In which algorithms and forms a source has cells that `wanted` holds of.
    pub fn forms(&self, source: usize, wanted: impl Fn(&Cell) -> bool) -> BTreeSet<(Algorithm, Form)> {
        let cells = self.of_source(source).into_iter().map(|id| &self.get(id).cell);
        cells.filter(|cell| wanted(cell)).map(|cell| (cell.algorithm, cell.form)).collect()
    }

    /// The run's records, yet without samples.
    pub fn records(&self) -> Vec<Record> {
        let record = |(id, planned): (CellId, &Planned)| Record {
            id,
            cell: planned.cell.clone(),
            provenance: planned.provenance.clone(),
            outcome: planned.outcome.clone(),
            forks: Vec::new(),
            summary: None,
            latency: Vec::new(),
            memory: Vec::new(),
        };
        self.ids().zip(&self.cells).map(record).collect()
    }
}

impl Surveyed {
    /// The scenario's cells of one of its algorithms. A device has one thread, and its cells say which device it is.
    fn cells(&self, scenario: &Scenario, algorithm: Algorithm, cpus: u32) -> Vec<Cell> {
        let mut cells = scenario.cells_for(&self.source.name, algorithm, cpus);
        let Some(device) = &self.source.device else { return cells };
        cells.retain(|cell| cell.parameters.cpus().is_none() && cell.parameters.threads() == 1);
        for cell in &mut cells {
            cell.parameters = std::mem::take(&mut cell.parameters).on_device(device.number);
        }
        cells
    }

    fn provenance(&self, offer: &Offer) -> Provenance {
        Provenance {
            worker: self.worker.clone(),
            runtime: self.runtime.clone(),
            language: self.source.language.clone(),
            version: offer.version.clone(),
            path: offer.path.clone(),
            setup: offer.setup,
            library: offer.library.clone(),
            sha256: offer.sha256.clone(),
            program: self.program.clone(),
            device: self.device(),
        }
    }
}

fn describe(provenance: &Provenance) -> String {
    let Provenance { version, path, sha256, program, device, .. } = provenance;
    let hash = |hash: &Option<String>| {
        hash.as_ref().map(|hash| format!(", {}", &hash[..hash.len().min(12)])).unwrap_or_default()
    };
    match device {
        Some(device) => {
            let clock = device.clock_hz.map(|hertz| format!(", {hertz} Hz")).unwrap_or_default();
            format!("{version} ({path}{}) on {}{clock}", hash(program), device.board)
        }
        None => format!("{version} ({path}{})", hash(sha256)),
    }
}

/// Why a run with cells of a device cannot be resumed now.
fn is_not_on_device(record: &Record, surveyed: &[Surveyed]) -> String {
    let provider = &record.cell.provider;
    let number = record.cell.parameters.device();
    let is_there = |survey: &&Surveyed| survey.source.device.as_ref().map(|device| device.number) == number;
    let names: Vec<&str> = surveyed.iter().filter(is_there).map(|survey| survey.source.provider.as_str()).collect();
    match names.is_empty() {
        true => {
            format!("{provider} was measured, and its device does not answer now: connect it, and resume the run again")
        }
        false => format!(
            "{provider} was measured, and its device has {} now: flash the firmware that it had, and resume the run again",
            names.join(", ")
        ),
    }
}
