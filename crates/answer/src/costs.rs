//! What a call and what a byte cost: a line of time over size for each cipher of each library, where two of them cross, and what unaligned
//! messages cost.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Algorithm, Cell, Form, Operation, Record, escaped};
use ciphermeter_estimate::{Affine, LEAST_FORKS, unaligned};
use ciphermeter_stats::{Estimate, simultaneous};

use crate::measured::is_here;
use crate::rank::competes;
use crate::words::{bytes, listed, percent, rotation, size};

/// What unaligned texts cost is named from this ratio on, of so many cells at most.
const LEAST_UNALIGNED: f64 = 1.005;
const MOST_UNALIGNED: usize = 4;

/// What shares an operation, a form, a size of aad in bytes, and what its calls take turns with, in words.
pub type Block = (Operation, Form, u64, String);

/// A cipher of a library, and its line.
pub struct Priced<'a> {
    /// The cipher.
    pub algorithm: Algorithm,
    /// The library.
    pub provider: &'a str,
    /// Its line.
    pub line: Affine,
}

/// The lines of a run.
pub struct Costs<'a> {
    /// Those that have a line, the cheapest byte first.
    pub blocks: BTreeMap<Block, Vec<Priced<'a>>>,
    records: &'a [Record],
}

impl<'a> Costs<'a> {
    /// Of what was measured on this machine.
    pub fn of(records: &'a [Record]) -> Self {
        Self { blocks: blocks(records), records }
    }

    /// What they say, a sentence each: where ciphers of one library cross, what has no line, what unaligned messages cost.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences: Vec<String> =
            self.blocks.iter().flat_map(|(block, priced)| crossed(block, priced)).collect();
        if sentences.is_empty() {
            sentences.push("No two ciphers of one library cross within the sizes that were measured.".into());
        }
        sentences.extend(without_line(self.records, &self.blocks));
        sentences.push(alignment(self.records));
        sentences
    }
}

/// What unaligned messages cost: the cells that they surely slow down most, at most what the others, and for how many it isn't known.
pub fn alignment(records: &[Record]) -> String {
    let competing: Vec<&Record> = records.iter().filter(|record| competes(record)).collect();
    // All intervals hold at once (Bonferroni): the dearest are chosen afterwards.
    let confidence = simultaneous(competing.len());
    let cost = |record| {
        let ratio = unaligned(record, confidence).filter(|ratio| !ratio.is_wide())?;
        Some((record, ratio.mid, ratio.range()?))
    };
    let all = competing.len();
    let mut known: Vec<(&Record, f64, (f64, f64))> = competing.into_iter().filter_map(cost).collect();
    let unknown = all - known.len();
    known.sort_by(|(_, a, _), (_, b, _)| b.total_cmp(a));
    let (slow, others): (Vec<_>, Vec<_>) = known.iter().partition(|(_, _, (low, _))| *low > LEAST_UNALIGNED);
    let (named, further) = slow.split_at(slow.len().min(MOST_UNALIGNED));
    let more = |ratio: f64| percent((ratio - 1.0).max(0.0));
    let cost = |(record, mid, (low, high)): &(&Record, f64, (f64, f64))| {
        let Cell { provider, algorithm, operation, parameters, .. } = &record.cell;
        let at = size(parameters.message()) + &rotation(parameters);
        let by = escaped(provider);
        format!("{} ({} to {}) more for {operation} {algorithm} by {by} at {at}", more(*mid), more(*low), more(*high))
    };
    let most = further.iter().chain(&others).map(|(_, _, (_, high))| *high).reduce(f64::max);
    let rest = known.len() - named.len();
    let other = if named.is_empty() { "" } else { "other " };
    let at_most =
        most.map(|most| format!("at most {} in {rest} {other}cell{}", more(most), if rest == 1 { "" } else { "s" }));
    let said: Vec<String> = named.iter().map(cost).chain(at_most).collect();
    let unknown = if unknown == 0 { String::new() } else { format!(" It is not known for {unknown} of {all} cells.") };
    match said.is_empty() {
        true => "What unaligned messages cost is not known: no cell has six forks with enough samples of both.".into(),
        false => format!("Unaligned messages (not at a multiple of 16 bytes) cost {}.{unknown}", listed(&said)),
    }
}

/// What may have a line: a cipher on this machine.
fn is_priced(record: &&Record) -> bool {
    competes(record) && is_here(record)
}

/// Those that have a line, by block, the cheapest byte first.
fn blocks(records: &[Record]) -> BTreeMap<Block, Vec<Priced<'_>>> {
    let mut sizes = BTreeMap::<Block, BTreeMap<(Algorithm, &str), Vec<&Record>>>::new();
    for record in records.iter().filter(is_priced) {
        let cell = &record.cell;
        let block = (cell.operation, cell.form, cell.parameters.aad(), rotation(&cell.parameters));
        let own = sizes.entry(block).or_default().entry((cell.algorithm, cell.provider.as_str())).or_default();
        own.push(record);
    }
    let price = |((algorithm, provider), records): ((Algorithm, _), Vec<&Record>)| {
        Some(Priced { algorithm, provider, line: Affine::of(&records)? })
    };
    let priced = |contenders: BTreeMap<(Algorithm, _), Vec<&Record>>| {
        let mut priced: Vec<Priced> = contenders.into_iter().filter_map(price).collect();
        let byte = |priced: &Priced| priced.line.byte().map_or(f64::INFINITY, |byte| byte.mid);
        priced.sort_by(|a, b| byte(a).total_cmp(&byte(b)));
        priced
    };
    sizes
        .into_iter()
        .map(|(block, contenders)| (block, priced(contenders)))
        .filter(|(_, all)| !all.is_empty())
        .collect()
}

/// Those that have no line in any block, as that takes three sizes with six forks each.
fn without_line(records: &[Record], blocks: &BTreeMap<Block, Vec<Priced>>) -> Option<String> {
    let has_line = |record: &Record| {
        let (algorithm, provider) = (record.cell.algorithm, record.cell.provider.as_str());
        blocks.values().flatten().any(|priced| (priced.algorithm, priced.provider) == (algorithm, provider))
    };
    let lacking: BTreeSet<String> = records
        .iter()
        .filter(is_priced)
        .filter(|record| !has_line(record))
        .map(|record| format!("{} by {}", record.cell.algorithm.title(), escaped(&record.cell.provider)))
        .collect();
    let names: Vec<String> = lacking.into_iter().collect();
    (!names.is_empty())
        .then(|| format!("Without three sizes of {LEAST_FORKS} forks each, so without a line: {}.", listed(&names)))
}

/// Sentences on the ciphers of one library that cross.
fn crossed((operation, .., rotation): &Block, priced: &[Priced]) -> Vec<String> {
    let mut sentences = Vec::new();
    for (place, one) in priced.iter().enumerate() {
        for other in priced[place + 1..].iter().filter(|other| other.provider == one.provider) {
            let Some(Estimate { mid, low, high }) = one.line.crossing(&other.line) else { continue };
            let [mid, low, high] = [mid, low, high].map(|at| bytes(at as u64));
            // The one whose bytes are cheaper stands first.
            sentences.push(format!(
                "{operation} by {}{rotation}: from {mid} on ({low} to {high}) {} is faster, below it {}.",
                escaped(one.provider),
                one.algorithm.title(),
                other.algorithm.title()
            ));
        }
    }
    sentences
}
