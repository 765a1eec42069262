//! The leader while a run goes on, in few words for a line of progress.

use ciphermeter_answer::measured::here;
use ciphermeter_answer::pair::{Fastest, Standing, pair};
use ciphermeter_core::{Algorithm, Record, escaped};

use super::rate::{rate_in, unit};

/// The fastest library so far of both ciphers, at one size: `AES 12.1 GB/s (aws-lc), ChaCha20 2.49 (openssl)`. It takes
/// summaries, no samples, and so knows nothing of devices; `None` before there are any, and where there are no two ciphers to choose between.
pub fn leader(records: &[Record]) -> Option<String> {
    let records = &here(records)[..];
    let pair = pair(records)?;
    let fastest = Fastest::of(records, pair)?;
    let [one, other] = pair.names();
    let first = |name, algorithm: Algorithm| Some((name, fastest.of_cipher(algorithm).first()?));
    let mut both = [first(one, pair.first.algorithm)?, first(other, pair.second.algorithm)?];
    both.sort_by(|(_, a), (_, b)| b.so_far.unwrap_or(0.0).total_cmp(&a.so_far.unwrap_or(0.0)));
    let named = |(name, standing): (&str, &Standing), unit: &str| {
        let rate = rate_in(standing.so_far, pair.moves_files());
        format!("{name} {rate}{unit} ({})", escaped(&standing.provider))
    };
    let [first, second] = both;
    let unit = format!(" {}", unit(pair.moves_files()));
    Some(format!("{}, {}", named(first, &unit), named(second, "")))
}
