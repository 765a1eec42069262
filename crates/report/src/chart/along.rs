//! Which size runs along the x axis: that of the message, or that of the aad where only it varies.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Cell, Record};

/// The most sizes that a sentence names.
const MOST: usize = 12;

/// What stands on the axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Along {
    /// Messages; for each the aad that most of its cells have.
    Messages(BTreeMap<u64, u64>),
    /// Sizes of aad to a message of this size.
    Aad(u64, BTreeSet<u64>),
}

impl Along {
    /// The one of which the cells have more sizes; with aad, of the largest message.
    pub(super) fn of<'a>(records: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut cells = BTreeMap::<u64, BTreeMap<u64, usize>>::new();
        for record in records {
            let Cell { parameters, .. } = &record.cell;
            *cells.entry(parameters.message()).or_default().entry(parameters.aad()).or_default() += 1;
        }
        let aads: BTreeSet<u64> = cells.values().flat_map(|aads| aads.keys().copied()).collect();
        match cells.last_key_value() {
            Some((message, own)) if aads.len() > cells.len() && own.len() > 1 => {
                Self::Aad(*message, own.keys().copied().collect())
            }
            _ => {
                let usual = |aads: &BTreeMap<u64, usize>| {
                    aads.iter().rev().max_by_key(|(_, count)| **count).map_or(0, |(aad, _)| *aad)
                };
                Self::Messages(cells.iter().map(|(message, aads)| (*message, usual(aads))).collect())
            }
        }
    }

    /// A record's size along the axis; `None` if it does not stand there.
    pub(super) fn size(&self, record: &Record) -> Option<u64> {
        let (message, aad) = (record.cell.parameters.message(), record.cell.parameters.aad());
        match self {
            Self::Messages(usual) => (usual.get(&message) == Some(&aad)).then_some(message),
            Self::Aad(of, _) => (message == *of).then_some(aad),
        }
    }

    /// All sizes, smallest first.
    pub(super) fn sizes(&self) -> Vec<u64> {
        match self {
            Self::Messages(usual) => usual.keys().copied().collect(),
            Self::Aad(_, sizes) => sizes.iter().copied().collect(),
        }
    }

    /// The sizes in full where the axis does not name each.
    pub(super) fn listed(&self) -> Option<String> {
        let sizes = self.sizes();
        let is_odd = sizes.iter().any(|bytes| *bytes > 0 && !bytes.is_power_of_two());
        let names: Vec<String> = sizes.iter().take(MOST).map(|bytes| crate::text::size(*bytes)).collect();
        let more = if sizes.len() > MOST { " and more" } else { "" };
        let what = self.title();
        is_odd.then(|| format!("{}{}: {}{more}.", what[..1].to_uppercase(), &what[1..], names.join(", ")))
    }

    pub(super) fn title(&self) -> &'static str {
        match self {
            Self::Messages(_) => "size of the message",
            Self::Aad(..) => "size of the aad",
        }
    }

    /// The size that is the same everywhere.
    pub(super) fn fixed(&self) -> Option<String> {
        match self {
            Self::Messages(usual) => {
                let aads: Vec<u64> = usual.values().copied().collect();
                aads.iter().any(|aad| *aad > 0).then(|| format!("with {} of aad", super::cell::span(&aads)))
            }
            Self::Aad(message, _) => Some(format!("messages of {}", crate::text::size(*message))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use ciphermeter_core::Parameters;

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
        let along = Along::of(&records);
        assert_eq!(along.sizes(), [16, 64, 256]);
        assert_eq!(
            records.iter().map(|record| along.size(record)).collect::<Vec<_>>(),
            [None, Some(16), Some(16), Some(64), Some(256)]
        );
        assert_eq!(along.fixed().unwrap(), "with 0 B to 20 B of aad");
    }

    #[test]
    fn aad_runs_along_the_axis_where_only_it_varies() {
        let records = records(&[(16, 0), (16, 64), (1024, 0), (1024, 64), (1024, 256)]);
        let along = Along::of(&records);
        assert_eq!(
            (along.sizes(), along.size(&records[1]), along.size(&records[4])),
            (vec![0, 64, 256], None, Some(256))
        );
        assert_eq!((along.title(), along.fixed().unwrap()), ("size of the aad", "messages of 1 KiB".into()));
    }
}
