//! The leader while a run goes on, in few words for a line of progress.

use ciphermeter_core::{Record, escaped};

use super::contest::pair;
use super::field::Field;
use super::rate::{rate_of_few, unit};
use crate::device::of_this_machine;

/// The fastest library so far of both ciphers, at one size: `AES 12.1 GB/s (aws-lc), ChaCha20 2.49 (openssl)`. It takes
/// summaries, no samples, and so knows nothing of devices; `None` before there are any, and where there are no two ciphers to choose between.
pub fn leader(records: &[Record]) -> Option<String> {
    let records = &of_this_machine(records)[..];
    let pair = pair(records)?;
    let field = Field::find(records, pair)?;
    let mut lead: Vec<&Record> = [pair.first, pair.second]
        .into_iter()
        .filter_map(|cipher| Some(field.of(cipher.algorithm).first()?.record))
        .collect();
    lead.sort_by_key(|record| record.summary.as_ref().map(|summary| summary.range.mid as u64));
    let [first, second] = lead.as_slice() else { return None };
    let named = |record: &Record, unit: &str| {
        let title = record.cell.algorithm.kind().title();
        format!("{title} {}{unit} ({})", rate_of_few(record), escaped(&record.cell.provider))
    };
    let unit = format!(" {}", unit(pair));
    Some(format!("{}, {}", named(first, &unit), named(second, "")))
}
