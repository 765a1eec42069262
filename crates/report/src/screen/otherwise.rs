//! Under which other conditions the answer is another one. The first screen is about one key, an undisturbed core, and what most calls take;
//! the same run knows some of what changes with each of these.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Operation, Record, escaped};
use ciphermeter_estimate::{Cipher, Comparison, Logs, MixPart, Side, Thresholds, disturbed_logs, mean_logs, mixed};

use super::contest::{Contest, Row, reach};
use super::versus::Versus;
use ciphermeter_answer::measured::sets_key_up_inside;
use ciphermeter_answer::point::{Point, Points};
use ciphermeter_answer::words::Figures;
use ciphermeter_answer::words::{listed, of_library};

/// ln(time of the second ÷ time of the first) under a condition; `None` where the run does not know it.
type UnderCondition<'c> = dyn Fn(&Contest, &Row) -> Option<Logs> + 'c;

/// So many libraries are named.
const NAMED: usize = 3;

/// A sentence for each condition under which another cipher is faster somewhere.
pub(super) fn otherwise(versus: &Versus, records: &[Record]) -> Vec<String> {
    let disturbed = |_: &Contest, row: &Row| Some(disturbed_logs(row.second, row.first));
    let mean = |_: &Contest, row: &Row| Some(mean_logs(row.second, row.first));
    let once = |contest: &Contest, row: &Row| with_key(versus, records, contest, row);
    let conditions: [(&str, &UnderCondition); 3] = [
        ("With a new key for each message", &once),
        ("Beside other work on the core", &disturbed),
        ("By mean times, in which rare slow calls count", &mean),
    ];
    let turned = conditions.into_iter().filter_map(|(when, logs)| Some(format!("{when}, {}.", turned(versus, logs)?)));
    turned.chain(keyed_inside(versus, records)).collect()
}

/// The ciphers of libraries that set the key up in every call, so that their figures hold for a new key each time; where the run is about
/// keys, too.
fn keyed_inside(versus: &Versus, records: &[Record]) -> Option<String> {
    if !records.iter().any(|record| record.cell.operation == Operation::KeySetup) {
        return None;
    }
    let rows = versus.contests.iter().flat_map(|contest| &contest.rows);
    let keyed = rows.flat_map(|row| [row.first, row.second]).filter(|record| sets_key_up_inside(record));
    let named: BTreeSet<String> =
        keyed.map(|record| of_library(record.cell.algorithm, &record.cell.provider)).collect();
    let names: Vec<String> = named.into_iter().collect();
    match names.len() {
        0 => None,
        1..=NAMED => Some(format!("Each call of {} sets up its key.", listed(&names))),
        more => Some(format!("Each call of {more} ciphers of these libraries sets up its key.")),
    }
}

/// ln(time of the second ÷ time of the first) for a call and the set-up of its key; `None` where nothing was measured of that, as in a
/// library whose every call sets the key up.
fn with_key(versus: &Versus, records: &[Record], contest: &Contest, row: &Row) -> Option<Logs> {
    let set_up = |cipher: Cipher| {
        let is_its = |record: &&Record| {
            let cell = &record.cell;
            cell.operation == Operation::KeySetup
                && cell.algorithm == cipher.algorithm
                && cell.provider == contest.provider
                && cell.parameters.cpus().is_none()
        };
        records.iter().find(is_its)
    };
    let key = MixPart::of(set_up(versus.pair.second)?, set_up(versus.pair.first)?);
    let call = MixPart::of(row.second, row.first);
    Some(mixed(&[&call, &key], Some(&[1.0, 1.0])))
}

/// Where these comparisons are decided the other way: `ChaCha20-Poly1305 is faster with openssl at 1 MiB (1.09×)`.
fn turned(versus: &Versus, logs: &UnderCondition) -> Option<String> {
    let thresholds = Thresholds::of(versus.comparisons());
    let mut turned: Vec<(Side, &str, Point, f64)> = Vec::new();
    for contest in &versus.contests {
        for (row, (_, usual)) in contest.rows.iter().zip(contest.verdicts(thresholds.family)) {
            let Some(usual) = usual.faster() else { continue };
            let other = logs(contest, row).map(|logs| Comparison::of_logs(&logs, thresholds));
            let Some((other, said)) = other.and_then(|other| Some((other.faster()?, other.said()?))) else { continue };
            if other != usual {
                turned.push((other, contest.provider, row.point, said));
            }
        }
    }
    let all: BTreeSet<Point> = versus.contests.iter().flat_map(|contest| &contest.rows).map(|row| row.point).collect();
    let points = Points(all.into_iter().collect());
    let sides = [(Side::First, versus.pair.first), (Side::Second, versus.pair.second)];
    let said = sides.into_iter().filter_map(|(side, cipher)| {
        // Libraries of which it is so at the same sizes go together.
        let mut by_sizes: BTreeMap<BTreeSet<Point>, BTreeSet<&str>> = BTreeMap::new();
        for contest in &versus.contests {
            let own = turned.iter().filter(|(one, provider, ..)| *one == side && *provider == contest.provider);
            let at: BTreeSet<Point> = own.map(|(_, _, point, _)| *point).collect();
            if !at.is_empty() {
                by_sizes.entry(at).or_default().insert(contest.provider);
            }
        }
        let alike = |(at, providers): (&BTreeSet<Point>, &BTreeSet<&str>)| {
            let own = turned.iter().filter(|(one, provider, ..)| *one == side && providers.contains(provider));
            let names: Vec<String> = providers.iter().map(|provider| escaped(provider)).collect();
            let with = if names.len() > NAMED { format!("{} libraries", names.len()) } else { listed(&names) };
            let at = points.at(&at.iter().copied().collect::<Vec<_>>());
            format!("with {with} {at} ({})", reach(own.map(|(.., said)| *said)))
        };
        let all: Vec<String> = by_sizes.iter().map(alike).collect();
        (!all.is_empty()).then(|| format!("{} is faster {}", cipher.title(), listed(&all)))
    });
    let said: Vec<String> = said.collect();
    (!said.is_empty()).then(|| listed(&said))
}
