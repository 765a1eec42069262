//! What it costs that calls go round a working set and several keys, beside the same calls on one message under one key.

use std::collections::BTreeMap;

use ciphermeter_core::{Algorithm, Cell, Record, escaped};
use ciphermeter_estimate::{Comparison, Ratio, Side, ratio};

use crate::pair::USUAL;
use crate::words::{listed, rotation, size, times};

/// So many ratios stand in a line.
const MOST: usize = 4;

/// `Going round a 64 MiB working set and 1000 keys, openssl's calls take longer: AES-256-GCM 2.41× at 1370 B and 1.41× at 16385 B;
/// ChaCha20-Poly1305 1.71× and 1.34×.`: of the largest rotation, and of one library.
pub fn cost(ciphers: &[&Record]) -> Option<String> {
    let most = ciphers.iter().map(|record| record.cell.parameters.goes_round()).max().filter(|most| *most != (0, 1))?;
    let is_largest =
        |record: &&&Record| record.cell.parameters.goes_round() == most && !record.cell.operation.consumes_sealed();
    let pairs: Vec<(&Record, Ratio)> =
        ciphers.iter().filter(is_largest).filter_map(|record| Some((*record, longer(record, ciphers)?))).collect();
    // Of the library that has most of them, as the table shows one.
    let having = |provider: &str| pairs.iter().filter(|(record, _)| record.cell.provider == provider).count();
    let mut providers = pairs.iter().rev().map(|(record, _)| record.cell.provider.as_str()).collect::<Vec<_>>();
    providers.sort_by_key(|name| (having(name), USUAL.contains(name)));
    let provider = *providers.last()?;
    let own = pairs.iter().filter(|(record, _)| record.cell.provider == provider).take(MOST);
    let parameters = &pairs.first()?.0.cell.parameters;
    let article = if parameters.working_set().is_some() { "a " } else { "" };
    let how = rotation(parameters);
    Some(format!(
        "Going round {article}{}, {}'s calls take longer: {}.",
        how.trim_start_matches(", ").replacen(", ", " and ", 1),
        escaped(provider),
        by_cipher(own)
    ))
}

/// How many times as long a cell takes as its twin that goes round nothing, where that is known and worth saying.
fn longer(record: &Record, ciphers: &[&Record]) -> Option<Ratio> {
    let alone = |Cell { provider, algorithm, operation, form, parameters }: &Cell| {
        (provider.clone(), *algorithm, *operation, *form, parameters.message(), parameters.aad())
    };
    let is_twin =
        |other: &&&Record| other.cell.parameters.goes_round() == (0, 1) && alone(&other.cell) == alone(&record.cell);
    let longer = Comparison::of(ratio(record, ciphers.iter().find(is_twin)?));
    longer.ratio().filter(|ratio| longer.faster() == Some(Side::First) && !ratio.is_wide())
}

/// The sizes are named again only where they differ from those of the cipher before.
fn by_cipher<'a>(pairs: impl Iterator<Item = &'a (&'a Record, Ratio)>) -> String {
    let mut ciphers = BTreeMap::<Algorithm, Vec<(String, u64)>>::new();
    for (record, ratio) in pairs {
        ciphers.entry(record.cell.algorithm).or_default().push((times(ratio.mid), record.cell.parameters.message()));
    }
    let (mut sizes_said, mut said) = (Vec::new(), Vec::new());
    for (cipher, figures) in ciphers {
        let sizes: Vec<u64> = figures.iter().map(|(_, message)| *message).collect();
        let is_said = std::mem::replace(&mut sizes_said, sizes.clone()) == sizes;
        let at = |(times, message): &(String, u64)| {
            if is_said { times.clone() } else { format!("{times} at {}", size(*message)) }
        };
        said.push(format!("{} {}", cipher.title(), listed(&figures.iter().map(at).collect::<Vec<_>>())));
    }
    said.join("; ")
}
