//! Which size runs along the x axis: that of the message, or that of the aad where only it varies.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Parameters, Record};

use super::cell::span;
use ciphermeter_answer::words::{capital, rotation, size};
use ciphermeter_chart::scale::Scale;
use ciphermeter_chart::sheet::{Axis, Point};

/// The most sizes that a sentence names.
const MOST: usize = 12;

/// What stands on the axis: sizes of cells whose calls go round the same texts and keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SizeAxis {
    /// Whether sizes are those of the aad.
    is_aad: bool,
    /// Each size with the other one of its cells: the aad that most cells of a message have, or the
    /// message to which the aad belongs.
    sizes: BTreeMap<u64, u64>,
    /// What the calls go round, as it follows a size.
    rotation: String,
}

impl SizeAxis {
    /// The one of which the cells have more sizes; with aad, of the largest message. Of several working sets or numbers of keys, the
    /// smallest.
    pub(super) fn of<'a>(records: impl IntoIterator<Item = &'a Record>) -> Self {
        let all: Vec<&Parameters> = records.into_iter().map(|record| &record.cell.parameters).collect();
        let least = all.iter().map(|parameters| parameters.goes_round()).min();
        let alike = || all.iter().filter(|parameters| Some(parameters.goes_round()) == least);
        let mut cells = BTreeMap::<u64, BTreeMap<u64, usize>>::new();
        for parameters in alike() {
            *cells.entry(parameters.message()).or_default().entry(parameters.aad()).or_default() += 1;
        }
        let rotation = alike().next().map(|parameters| rotation(parameters)).unwrap_or_default();
        let aads: BTreeSet<u64> = cells.values().flat_map(|aads| aads.keys().copied()).collect();
        let most =
            |aads: &BTreeMap<u64, usize>| aads.iter().rev().max_by_key(|(_, count)| **count).map_or(0, |(aad, _)| *aad);
        match cells.last_key_value() {
            Some((message, own)) if aads.len() > cells.len() && own.len() > 1 => {
                Self { is_aad: true, sizes: own.keys().map(|aad| (*aad, *message)).collect(), rotation }
            }
            _ => {
                let sizes = cells.iter().map(|(message, aads)| (*message, most(aads))).collect();
                Self { is_aad: false, sizes, rotation }
            }
        }
    }

    /// A record's size along the axis; `None` if it does not stand there.
    pub(super) fn size(&self, record: &Record) -> Option<u64> {
        let parameters = &record.cell.parameters;
        let (message, aad) = (parameters.message(), parameters.aad());
        let (size, other) = if self.is_aad { (aad, message) } else { (message, aad) };
        (self.sizes.get(&size) == Some(&other) && rotation(parameters) == self.rotation).then_some(size)
    }

    /// What calls of other cells go round, which do not stand there, in a sentence.
    pub(super) fn others<'a>(&self, records: impl IntoIterator<Item = &'a Record>) -> Option<String> {
        let all = records.into_iter().map(|record| rotation(&record.cell.parameters));
        let others: BTreeSet<String> = all.filter(|other| *other != self.rotation).collect();
        let name = |other: &String| match other.trim_start_matches(", ") {
            "" => "one message under one key".into(),
            name => name.to_owned(),
        };
        let others: Vec<String> = others.iter().map(name).collect();
        (!others.is_empty()).then(|| format!("Not drawn here: {}.", others.join("; ")))
    }

    /// All sizes, smallest first.
    pub(super) fn sizes(&self) -> Vec<u64> {
        self.sizes.keys().copied().collect()
    }

    /// The sizes in full where the axis does not name each.
    pub(super) fn listed(&self) -> Option<String> {
        let sizes = self.sizes();
        let is_odd = sizes.iter().any(|bytes| *bytes > 0 && !bytes.is_power_of_two());
        let names: Vec<String> = sizes.iter().take(MOST).map(|bytes| size(*bytes)).collect();
        let more = if sizes.len() > MOST { " and more" } else { "" };
        is_odd.then(|| format!("{}: {}{more}.", capital(self.title()), names.join(", ")))
    }

    fn title(&self) -> &'static str {
        if self.is_aad { "size of the aad" } else { "size of the message" }
    }

    pub(super) fn axis(&self) -> Axis {
        Axis { title: self.title().into(), scale: Scale::of_sizes(&self.sizes()) }
    }

    /// A value of each record that stands there, in its place.
    pub(super) fn points<'a>(
        &self,
        records: impl IntoIterator<Item = &'a Record>,
        value: impl Fn(&Record) -> Option<Point>,
    ) -> Vec<Point> {
        let point = |record| Some(value(record)?.at(self.size(record)? as f64));
        records.into_iter().filter_map(point).collect()
    }

    /// What varies from where to where, and what does not: `messages of 16 B to 1 MiB, with 13 B of
    /// aad`.
    pub(super) fn words(&self) -> String {
        let what = if self.is_aad { "aad" } else { "messages" };
        format!("{what} of {}{}", span(&self.sizes()), self.fixed())
    }

    /// What is the same everywhere, as it follows the sizes.
    fn fixed(&self) -> String {
        let others: Vec<u64> = self.sizes.values().copied().collect();
        let size = match self.is_aad {
            true => format!(", messages of {}", span(&others)),
            false if others.iter().any(|aad| *aad > 0) => format!(", with {} of aad", span(&others)),
            false => String::new(),
        };
        size + &self.rotation
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ciphermeter_answer::fixtures;
    use ciphermeter_core::Bytes;

    fn records(points: &[(u64, u64)]) -> Vec<Record> {
        let (_, records) = fixtures::run();
        let with = |(message, aad): &(u64, u64)| {
            let mut record = records[0].clone();
            record.cell.parameters = Parameters::message_cell(*message, *aad, 1);
            record
        };
        points.iter().map(with).collect()
    }

    #[test]
    fn messages_run_along_the_axis_with_their_usual_aad() {
        let records = records(&[(16, 0), (16, 20), (16, 20), (64, 0), (256, 13)]);
        let axis = SizeAxis::of(&records);
        assert_eq!(axis.sizes(), [16, 64, 256]);
        assert_eq!(
            records.iter().map(|record| axis.size(record)).collect::<Vec<_>>(),
            [None, Some(16), Some(16), Some(64), Some(256)]
        );
        assert_eq!(axis.fixed(), ", with 0 B to 20 B of aad");
    }

    #[test]
    fn aad_runs_along_the_axis_where_only_it_varies() {
        let records = records(&[(16, 0), (16, 64), (1024, 0), (1024, 64), (1024, 256)]);
        let axis = SizeAxis::of(&records);
        assert_eq!((axis.sizes(), axis.size(&records[1]), axis.size(&records[4])), (vec![0, 64, 256], None, Some(256)));
        assert_eq!((axis.title(), axis.fixed()), ("size of the aad", ", messages of 1 KiB".into()));
    }

    #[test]
    fn cells_that_go_round_more_stand_elsewhere() {
        let mut records = records(&[(16, 0), (16, 0), (1024, 0)]);
        records[1].cell.parameters = Parameters::message_cell(16, 0, 1).with_working_set(Bytes(1 << 20));
        let axis = SizeAxis::of(&records);
        assert_eq!((axis.size(&records[0]), axis.size(&records[1]), axis.fixed()), (Some(16), None, String::new()));
        let alone = SizeAxis::of(&records[1..2]);
        assert_eq!((alone.size(&records[1]), alone.fixed()), (Some(16), ", 1 MiB working set".into()));
    }
}
