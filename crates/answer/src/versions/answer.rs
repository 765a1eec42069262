//! Versions of one library side by side, as data.

use std::collections::BTreeMap;

use ciphermeter_core::{Against, Algorithm, Group, Operation, Record};
use ciphermeter_estimate::{self as estimate, Comparison, Logs, MixPart, Ratio, Thresholds, mixed, simultaneous};
use serde::Serialize;

use crate::measured::{has_enough_forks, measured};
use crate::point::Point;
use crate::rank::{Class, Contender, common_ground, competes, contenders, family, usual_form};
use crate::rate::rate;
use crate::words::version_numbers;

/// Each version of a library beside the oldest.
#[derive(Debug, Clone, Serialize)]
pub struct VersionsAnswer {
    /// The library.
    pub library: String,
    /// The versions' names, the oldest first.
    pub names: Vec<String>,
    /// The operation whose sizes are compared; key set-up stands beside it.
    pub operation: Operation,
    /// By cipher.
    pub ciphers: Vec<OfCipher>,
    /// How many comparisons hold at once.
    pub comparisons: usize,
}

/// A cipher in each version.
#[derive(Debug, Clone, Serialize)]
pub struct OfCipher {
    /// The cipher.
    pub algorithm: Algorithm,
    /// The oldest first.
    pub versions: Vec<Version>,
}

/// A cipher in one version.
#[derive(Debug, Clone, Serialize)]
pub struct Version {
    /// The version's name.
    pub name: String,
    /// The provider that has it.
    pub provider: String,
    /// GB/s at each size that all versions have, the smallest first; `None` before there are enough forks for a figure.
    pub gb_per_s: Vec<(Point, Option<f64>)>,
    /// Compared with the oldest at these sizes; empty for the oldest.
    pub at: Vec<BesideOldest>,
    /// The mean over these sizes; `None` for the oldest, and where there is only one size.
    pub mean: Option<BesideOldest>,
    /// Key set-up, where it was measured.
    pub key_set_up: Option<KeySetUp>,
}

/// Setting up a key.
#[derive(Debug, Clone, Serialize)]
pub struct KeySetUp {
    /// Nanoseconds; `None` before there are enough forks for a figure.
    pub ns: Option<f64>,
    /// Compared with the oldest; `None` for the oldest.
    pub compared: Option<BesideOldest>,
}

/// A version beside the oldest.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct BesideOldest {
    /// How many times as fast it is; `None` with too few forks.
    pub times: Option<Ratio>,
    /// Which is faster: `first` is this version.
    pub comparison: Comparison,
    /// Forks that have both.
    pub forks: usize,
}

impl VersionsAnswer {
    /// `None` where other libraries were measured, too, or nothing was.
    pub fn of(records: &[Record]) -> Option<Self> {
        let (class, family) = (Class::main(records), family(records));
        let competing: Vec<&Record> =
            records.iter().filter(|record| competes(record) && record.cell.algorithm.family() == family).collect();
        let operation = competing.iter().map(|record| record.cell.operation).min()?;
        let form = usual_form(&competing)?;
        let is_shown = |record: &&Record| {
            let cell = &record.cell;
            cell.operation == operation && cell.form == form && class.takes(&cell.parameters)
        };
        let competing: Vec<&Record> = competing.into_iter().filter(is_shown).collect();
        let library = Against::base(&competing.first()?.cell.provider).to_owned();
        if competing.iter().any(|record| Against::base(&record.cell.provider) != library) {
            return None;
        }
        let names = names(&competing);
        let mut by_cipher = BTreeMap::<Algorithm, Vec<Contender>>::new();
        for contender in contenders(competing) {
            by_cipher.entry(contender.algorithm).or_default().push(contender);
        }
        let place = |contender: &Contender| names.iter().position(|(provider, _)| provider == contender.provider);
        let mut family = 0;
        let mut all: Vec<Vec<InLogs>> = Vec::new();
        for mut versions in by_cipher.into_values() {
            versions.sort_by_key(place);
            let ground = common_ground(&versions);
            let beside: Vec<InLogs> =
                versions.iter().map(|own| InLogs::of(own, &versions[0], &ground, records)).collect();
            family += beside.iter().map(InLogs::comparisons).sum::<usize>();
            all.push(beside);
        }
        let name = |provider: &str| names.iter().find(|(own, _)| own == provider).map(|(_, name)| name.clone());
        let cipher = |beside: Vec<InLogs>| {
            let algorithm = beside.first()?.algorithm;
            let version = |own: InLogs| {
                let name = name(&own.provider).unwrap_or_default();
                own.version(name, family)
            };
            Some(OfCipher { algorithm, versions: beside.into_iter().map(version).collect() })
        };
        let ciphers = all.into_iter().filter_map(cipher).collect();
        let names = names.iter().map(|(_, name)| name.clone()).collect();
        Some(Self { library, names, operation, ciphers, comparisons: family })
    }

    /// Of each cipher the newest version that has it, beside the oldest.
    pub(super) fn newest(&self) -> impl Iterator<Item = (&OfCipher, &Version)> {
        let several = self.ciphers.iter().filter(|cipher| cipher.versions.len() > 1);
        several.filter_map(|cipher| Some((cipher, cipher.versions.last()?)))
    }

    /// Whether it is known what the newest version changes.
    pub fn is_answered(&self) -> bool {
        let is_known = |own: &Version| own.whole().is_some_and(|own| !matches!(own.comparison, Comparison::Unknown(_)));
        self.names.len() > 1 && self.newest().next().is_some() && self.newest().all(|(_, own)| is_known(own))
    }

    /// The most forks of what is not decided; `None` where all is.
    pub fn lacking_forks(&self) -> Option<usize> {
        let open = |own: &BesideOldest| matches!(own.comparison, Comparison::Unknown(_));
        self.newest().filter_map(|(_, own)| own.whole()).filter(open).map(|own| own.forks).max()
    }
}

impl Version {
    /// All sizes together: the mean, or the only one.
    pub fn whole(&self) -> Option<BesideOldest> {
        self.mean.or(self.at.first().copied())
    }
}

/// The providers and the names of their versions, the oldest first: the number, and of two with the same the provider's name.
fn names(records: &[&Record]) -> Vec<(String, String)> {
    let mut numbers = BTreeMap::<&str, String>::new();
    for record in records {
        let version = record.provenance.iter().map(|from| from.version.as_str());
        numbers.entry(&record.cell.provider).or_insert_with(|| version_numbers(version));
    }
    let mut all: Vec<(&str, String)> = numbers.into_iter().collect();
    all.sort_by_cached_key(|(provider, number)| (order(number), provider.to_string()));
    let is_twice = |number: &String| number.is_empty() || all.iter().filter(|(_, other)| other == number).count() > 1;
    let name = |(provider, number): &(&str, String)| {
        let name = if is_twice(number) { provider.to_string() } else { number.clone() };
        (provider.to_string(), name)
    };
    all.iter().map(name).collect()
}

/// Numbers by their size, `3.5.0-beta1` before `3.5.0`, and `1.1.1` before `1.1.1w`.
fn order(version: &str) -> Vec<(u64, bool, String)> {
    let part = |part: &str| {
        let end = part.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(part.len());
        let (digits, rest) = part.split_at(end);
        (digits.parse().unwrap_or(0), !rest.starts_with('-'), rest.to_owned())
    };
    version.split('.').map(part).collect()
}

/// A version and what it is compared by.
struct InLogs {
    algorithm: Algorithm,
    provider: String,
    gb_per_s: Vec<(Point, Option<f64>)>,
    at: Vec<Logs>,
    key_set_up: Option<(Option<f64>, Option<Logs>)>,
}

impl InLogs {
    fn of(own: &Contender, oldest: &Contender, ground: &[Group], records: &[Record]) -> Self {
        let is_oldest = own.provider == oldest.provider;
        let settled = |group: &Group| own.record(group).filter(|record| has_enough_forks(record)).and_then(rate);
        let logs = |group: &Group| Some(estimate::logs(oldest.record(group)?, own.record(group)?));
        let set_up = |provider: &str| {
            let is_its = |record: &&Record| {
                let cell = &record.cell;
                (cell.algorithm, cell.operation) == (own.algorithm, Operation::KeySetup)
                    && cell.provider == provider
                    && measured(record).is_some()
            };
            records.iter().find(is_its)
        };
        let key_set_up = set_up(own.provider).map(|record| {
            let ns = measured(record).filter(|_| has_enough_forks(record)).map(|summary| summary.range.mid);
            let logs = set_up(oldest.provider).filter(|_| !is_oldest).map(|oldest| estimate::logs(oldest, record));
            (ns, logs)
        });
        Self {
            algorithm: own.algorithm,
            provider: own.provider.to_owned(),
            gb_per_s: ground.iter().map(|group| (Point::of(&group.parameters), settled(group))).collect(),
            at: if is_oldest { Vec::new() } else { ground.iter().filter_map(logs).collect() },
            key_set_up,
        }
    }

    fn mean(&self) -> Option<Logs> {
        let parts: Vec<MixPart> = self.at.iter().cloned().map(MixPart::alike).collect();
        (parts.len() > 1).then(|| mixed(&parts.iter().collect::<Vec<_>>(), None))
    }

    fn comparisons(&self) -> usize {
        let set_up = self.key_set_up.as_ref().is_some_and(|(_, logs)| logs.is_some());
        self.at.len() + usize::from(self.at.len() > 1) + usize::from(set_up)
    }

    /// With intervals that hold for so many comparisons at once.
    fn version(self, name: String, family: usize) -> Version {
        let compared = |logs: &Logs| BesideOldest {
            times: Ratio::from_logs(logs, simultaneous(family)).filter(|_| logs.are_enough()),
            comparison: Comparison::of_logs(logs, Thresholds::of(family)),
            forks: logs.forks(),
        };
        Version {
            name,
            mean: self.mean().as_ref().map(compared),
            at: self.at.iter().map(compared).collect(),
            key_set_up: self.key_set_up.map(|(ns, logs)| KeySetUp { ns, compared: logs.as_ref().map(compared) }),
            provider: self.provider,
            gb_per_s: self.gb_per_s,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_their_numbers() {
        let mut all = ["3.10.0", "3.5.0", "1.1.1w", "3.5.0-beta1", "1.1.1", "4.0.3"];
        all.sort_by_key(|version| order(version));
        assert_eq!(all, ["1.1.1", "1.1.1w", "3.5.0-beta1", "3.5.0", "3.10.0", "4.0.3"]);
    }
}
