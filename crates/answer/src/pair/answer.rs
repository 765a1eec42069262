//! Which of two ciphers is faster, from a run's records.

use ciphermeter_core::{Form, Record};
use ciphermeter_estimate::{Cipher, CipherPair, Side, Thresholds};
use serde::Serialize;

use super::collect::{LibraryPairs, libraries_pairs};
use super::exceptions::{Exception, exceptions};
use super::fastest::Fastest;
use super::library::Library;
use super::programs::{FastestPrograms, fastest_programs};
use super::tally::Tally;
use crate::measured::measured;
use crate::workload::Sectors;

/// The library of the system, which most programs link; of transfers, what `send` and `recv` do.
pub const USUAL: [&str; 2] = ["openssl", "ciphermeter"];

/// Which of two ciphers is faster, by library and size.
#[derive(Debug, Clone, Serialize)]
pub struct PairAnswer {
    /// AES.
    pub first: Cipher,
    /// ChaCha20.
    pub second: Cipher,
    /// The form of both.
    pub form: Form,
    /// The libraries that count; where none does, all.
    pub libraries: Vec<Library>,
    /// Those of which one cipher is not to be recommended, unless the other is the faster.
    pub left_out: Vec<Library>,
    /// Whether any library counts.
    pub is_fit: bool,
    /// The cipher to use, if the comparisons recommend one; speed is no reason to give up the tag. Of sectors, which have no room for one,
    /// what `advise` recommends, too.
    pub recommended: Option<Cipher>,
    /// Of sectors: why a lead decides nothing, or what it holds of, in a sentence.
    #[serde(skip)]
    pub caveat: Option<String>,
    /// The same read again, of the libraries that have it.
    pub reading: Vec<Library>,
    /// The library that most people run, a place in `libraries`.
    pub usual: usize,
    /// Under which other conditions the answer is another one.
    pub exceptions: Vec<Exception>,
    /// Of transfers, which programs may be the fastest with the first cipher.
    pub programs: Vec<FastestPrograms>,
    /// Every library at one size, the fastest first.
    pub fastest: Option<Fastest>,
}

/// The two ciphers that a run lets you choose between: those of which one library has figures of both.
pub fn pair(records: &[Record]) -> Option<CipherPair> {
    CipherPair::find(records.iter().filter(|record| measured(record).is_some()).map(|record| &record.cell))
}

impl PairAnswer {
    /// `None` where no library has a cipher of each kind.
    pub fn of(records: &[Record]) -> Option<Self> {
        let pair = pair(records)?;
        let all = libraries_pairs(records, pair);
        let family: usize = all.iter().map(|pairs| pairs.rows.len()).sum();
        let thresholds = Thresholds::of(family);
        let all = all.into_iter().map(|pairs| (pairs.library(thresholds), pairs));
        let (mut counting, mut others): (Vec<_>, Vec<_>) = all.partition(|(library, _)| library.counts());
        let is_fit = counting.iter().any(|(library, _)| !library.rows.is_empty());
        if !is_fit {
            counting.append(&mut others);
        }
        let usual = usual(&counting)?;
        // A file that moves is protected and read in one.
        let reading = if pair.moves_files() { Vec::new() } else { libraries_pairs(records, pair.read()) };
        let reading = reading.iter().map(|pairs| pairs.library(Thresholds::of(pairs.rows.len()))).collect();
        let left_out = others.into_iter().map(|(library, _)| library).collect();
        let (libraries, libraries_pairs): (Vec<Library>, Vec<LibraryPairs>) = counting.into_iter().unzip();
        let mut answer = Self {
            first: pair.first,
            second: pair.second,
            form: pair.form,
            recommended: None,
            caveat: None,
            exceptions: exceptions(&libraries_pairs, records, thresholds),
            programs: if pair.moves_files() && !pair.is_of_sectors() {
                fastest_programs(&libraries_pairs)
            } else {
                Vec::new()
            },
            fastest: Fastest::of(records, pair),
            libraries,
            left_out,
            is_fit,
            reading,
            usual,
        };
        let faster = answer.faster();
        // What moves through the kernel was encrypted by its own code.
        let sectors = (pair.is_of_sectors() && !pair.moves_files()).then(|| Sectors::of(records, pair));
        answer.recommended = faster.filter(|cipher| match &sectors {
            Some(sectors) => sectors.recommended == Some(cipher.algorithm),
            None => cipher.has_tag() || pair.is_of_sectors(),
        });
        answer.caveat = sectors.filter(|_| faster == Some(pair.first)).and_then(|sectors| sectors.caveat);
        Some(answer)
    }

    /// The two ciphers.
    pub fn pair(&self) -> CipherPair {
        CipherPair { first: self.first, second: self.second, form: self.form }
    }

    /// The library that most people run.
    pub fn usual(&self) -> &Library {
        &self.libraries[self.usual]
    }

    /// Of all libraries and sizes.
    pub fn tally(&self) -> Tally {
        Tally::of(&self.libraries)
    }

    /// Whether most of the comparisons, of all libraries or of the usual one, are decided.
    pub fn is_answered(&self) -> bool {
        self.is_fit && (self.tally().is_mostly_known() || Tally::of([self.usual()]).is_mostly_known())
    }

    /// Whether more than half of what was measured has no answer.
    pub fn lacks(&self) -> bool {
        let tally = self.tally();
        2 * tally.unknown > tally.measured()
    }

    /// The cipher that the comparisons recommend, whether it has a tag or not.
    fn faster(&self) -> Option<Cipher> {
        let faster = match self.tally().recommended? {
            Side::First => self.first,
            Side::Second => self.second,
        };
        self.is_answered().then_some(faster)
    }

    /// The cipher to use on this machine.
    pub fn to_use(&self) -> Option<Cipher> {
        self.recommended
    }

    /// The fewest and the most forks of any comparison.
    pub fn forks(&self) -> (usize, usize) {
        let forks = || self.libraries.iter().flat_map(|library| &library.rows).map(|row| row.forks);
        (forks().min().unwrap_or(0), forks().max().unwrap_or(0))
    }

    /// How many comparisons hold at once.
    pub fn comparisons(&self) -> usize {
        self.libraries.iter().chain(&self.left_out).map(|library| library.rows.len()).sum()
    }

    /// Whether the usual library has memory.
    pub fn has_memory(&self) -> bool {
        self.usual().rows.iter().any(|row| row.figures[0].peak_bytes.is_some())
    }
}

/// The place of the library of the system; else of that with the most sizes, the fastest of them.
fn usual(libraries: &[(Library, LibraryPairs)]) -> Option<usize> {
    let rank = |(library, pairs): &(Library, LibraryPairs)| {
        let time = pairs.rows.last().and_then(|both| measured(both.records[0])).map(|summary| summary.range.mid);
        let is_usual = USUAL.contains(&library.provider.as_str()) && !library.rows.is_empty();
        (is_usual, library.rows.len(), time.map_or(0.0, |ns| 1.0 / ns))
    };
    (0..libraries.len()).max_by(|a, b| {
        let ((usual, rows, fast), (other_usual, other_rows, other_fast)) = (rank(&libraries[*a]), rank(&libraries[*b]));
        (usual, rows).cmp(&(other_usual, other_rows)).then(fast.total_cmp(&other_fast))
    })
}
