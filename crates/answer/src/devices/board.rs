//! The devices of a run, each with its records.

use std::collections::BTreeMap;

use ciphermeter_core::{Cell, Device, Form, Record, escaped};

use super::cost::{Unit, cost};

/// A device and what was measured on it.
pub struct Board<'a> {
    /// Its name in the run, escaped.
    pub name: String,
    /// What it says of itself; `None` where it never did.
    pub facts: Option<&'a Device>,
    /// What its figures are.
    pub unit: Unit,
    /// What was measured on it.
    pub records: Vec<&'a Record>,
}

/// All devices, in the order of their numbers.
pub fn boards<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<Board<'a>> {
    let mut all = BTreeMap::<u64, Vec<&Record>>::new();
    for record in records {
        if let Some(number) = record.cell.parameters.device() {
            all.entry(number).or_default().push(record);
        }
    }
    all.into_iter().map(|(number, records)| Board::new(number, records)).collect()
}

impl<'a> Board<'a> {
    fn new(number: u64, records: Vec<&'a Record>) -> Self {
        let facts = records.iter().find_map(|record| record.provenance.as_ref()?.device.as_ref());
        let name =
            facts.map(|facts| facts.name.as_str()).or_else(|| records.iter().find_map(|record| record.cell.device()));
        let known = records.iter().find(|record| record.provenance.as_ref().is_some_and(|from| from.device.is_some()));
        let unit = known.or(records.first()).map(|record| Unit::of(record));
        let figures = || {
            records
                .iter()
                .filter(|record| record.cell.parameters.message() > 0)
                .filter_map(|record| Some(cost(record)?.mid))
        };
        Self {
            name: name.map_or_else(|| format!("device {number}"), escaped),
            facts,
            unit: unit.unwrap_or(Unit::Time(super::cost::Scale::Nanoseconds)).scaled(figures()),
            records,
        }
    }

    /// Whether it is played by an emulator.
    pub fn is_emulated(&self) -> bool {
        self.facts.is_some_and(|facts| facts.emulated)
    }

    /// What it is, its clock and where its code lies: `ESP32-C3, 160 MHz, code in flash`.
    pub fn what(&self) -> String {
        let Some(facts) = self.facts else { return String::new() };
        let board = Some(escaped(&facts.board)).filter(|board| !board.is_empty());
        let clock = facts.clock_hz.map(|hertz| format!("{} MHz", short(hertz as f64 / 1e6)));
        let code = facts.code_in.map(|memory| format!("code in {memory}"));
        let emulated = facts.emulated.then(|| "emulated".to_owned());
        [board, clock, code, emulated].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// The form that most of its cells have.
    pub fn usual_form(&self) -> Form {
        let having = |form: &Form| self.records.iter().filter(|record| record.cell.form == *form).count();
        Form::ALL.iter().copied().rev().max_by_key(having).unwrap_or(Form::InPlace)
    }

    /// Whether a cell has the form that is compared: the usual one, or the only one that its provider has of this cipher.
    pub fn compares(&self, cell: &Cell, usual: Form) -> bool {
        let is_rival = |record: &&&Record| {
            let other = &record.cell;
            (&other.provider, other.algorithm, other.operation) == (&cell.provider, cell.algorithm, cell.operation)
        };
        cell.form == usual || !self.records.iter().filter(is_rival).any(|record| record.cell.form == usual)
    }
}

/// A provider's name without that of the device, escaped.
pub fn provider(record: &Record) -> String {
    let provider = &record.cell.provider;
    escaped(provider.rsplit_once('@').map_or(provider.as_str(), |(name, _)| name))
}

/// `160`, `7.37`.
fn short(megahertz: f64) -> String {
    let text = format!("{megahertz:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
