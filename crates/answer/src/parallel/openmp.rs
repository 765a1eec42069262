//! OpenMP's threads beside those of the built-in worker, where both call the same library, or its like.

use ciphermeter_core::{Algorithm, Form, Record, escaped};
use ciphermeter_estimate::{self as estimate, Ratio};

use super::way::{OPENMP, titled};
use crate::measured::measured;
use crate::words::{plus_minus, size, times};

/// A cell of OpenMP, and the same of the built-in worker.
pub struct OpenmpPair<'a> {
    /// OpenMP's cell.
    pub openmp: &'a Record,
    threads: &'a Record,
    /// The speed of OpenMP's ÷ that of the other.
    speed: Ratio,
}

impl OpenmpPair<'_> {
    /// `AES-256-CTR 0.99× ±1.2 % (both OpenSSL 3.0.19)`; `XOR 1.00× ±3.0 %`.
    pub fn in_words(&self) -> String {
        let version = |record: &Record| record.provenance.as_ref().map(|provenance| escaped(&provenance.version));
        let same = version(self.openmp).filter(|openmp| version(self.threads).as_ref() == Some(openmp));
        let same = match (self.openmp.cell.algorithm, same) {
            (Algorithm::Xor, _) => String::new(),
            (_, Some(version)) => format!(" (both OpenSSL {version})"),
            (_, None) => " (another version of OpenSSL)".into(),
        };
        let title = titled(self.openmp.cell.algorithm, self.openmp.cell.parameters.key());
        match self.speed.range().filter(|_| !self.speed.is_wide()) {
            Some(range) => format!("{title} {} {}{same}", times(self.speed.mid), plus_minus(self.speed.mid, range)),
            None => format!("{title} not settled{same}"),
        }
    }

    /// `AES-256-CTR 0.99× ±1.2 % (both OpenSSL 3.0.19) at 1 GB, 2 threads`.
    pub fn in_full(&self) -> String {
        let parameters = &self.openmp.cell.parameters;
        format!("{} at {}, {} threads", self.in_words(), size(parameters.message()), parameters.threads())
    }
}

/// For each size and cipher, the pair with the most threads.
pub fn openmp_pairs(records: &[Record]) -> Vec<OpenmpPair<'_>> {
    let several = records.iter().filter(|record| {
        let cell = &record.cell;
        cell.provider == OPENMP
            && cell.form == Form::Static
            && cell.parameters.threads() > 1
            && measured(record).is_some()
    });
    let mut pairs: Vec<OpenmpPair> = several.filter_map(|openmp| pair(openmp, records)).collect();
    let key = |pair: &OpenmpPair| {
        let cell = &pair.openmp.cell;
        (cell.parameters.message(), cell.algorithm, cell.parameters.key())
    };
    pairs.sort_by_key(|pair| (key(pair), std::cmp::Reverse(pair.openmp.cell.parameters.threads())));
    pairs.dedup_by_key(|pair| key(pair));
    pairs
}

fn pair<'a>(openmp: &'a Record, records: &'a [Record]) -> Option<OpenmpPair<'a>> {
    let provider = if openmp.cell.algorithm == Algorithm::Xor { "ceiling" } else { "openssl" };
    let own = |record: &&Record| {
        record.cell.provider == provider
            && record.cell.algorithm == openmp.cell.algorithm
            && record.cell.operation == openmp.cell.operation
            && record.cell.form == openmp.cell.form
            && record.cell.parameters == openmp.cell.parameters
            && measured(record).is_some()
    };
    let threads = records.iter().find(own)?;
    Some(OpenmpPair { openmp, threads, speed: estimate::between(threads, openmp)? })
}
