//! AES or ChaCha20: the ciphers that a run lets you choose between. Its first screen asks this, so the meter measures it first.

use std::collections::BTreeMap;

use ciphermeter_core::{Algorithm, Cell, CipherKind, Family, Form, Operation, Parameters};

/// What is done with a cipher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Messages are sealed or encrypted.
    Protect,
    /// They are opened or decrypted.
    Read,
    /// Files are transferred.
    Transfer,
}

/// An algorithm and one of its operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Cipher {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The operation.
    pub operation: Operation,
}

impl Cipher {
    /// By what is done with it.
    pub fn new(algorithm: Algorithm, direction: Direction) -> Self {
        let operation = match (algorithm.family(), direction) {
            (_, Direction::Transfer) => Operation::Transfer,
            (Family::Aead, Direction::Protect) => Operation::Seal,
            (Family::Aead, Direction::Read) => Operation::Open,
            (_, Direction::Protect) => Operation::Encrypt,
            (_, Direction::Read) => Operation::Decrypt,
        };
        Self { algorithm, operation }
    }

    /// Whether a cell is one of it.
    pub fn is_of(self, cell: &Cell) -> bool {
        (cell.algorithm, cell.operation) == (self.algorithm, self.operation)
    }

    /// The algorithm's name as people write it.
    pub fn title(self) -> &'static str {
        self.algorithm.title()
    }

    /// Whether changed data is noticed.
    pub fn has_tag(self) -> bool {
        self.algorithm.tag_bytes() > 0
    }
}

/// Two ciphers between which a run lets you choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CipherPair {
    /// AES.
    pub first: Cipher,
    /// ChaCha20.
    pub second: Cipher,
    /// The form of both.
    pub form: Form,
}

impl CipherPair {
    /// What both are called in narrow columns: by their kinds, `AES` and `ChaCha20`; of ciphers of sectors, by their short names.
    pub fn names(self) -> [&'static str; 2] {
        self.both().map(|cipher| match self.is_of_sectors() {
            true => cipher.algorithm.facts().short,
            false => cipher.algorithm.kind().title(),
        })
    }

    /// Whether both are ciphers of sectors. Programs on disks are kernels, with code of their own: no library binds the choice.
    pub fn is_of_sectors(self) -> bool {
        self.both().iter().all(|cipher| cipher.algorithm.is_of_sectors())
    }

    /// The likeliest pair of which one library has both, in the form that most have.
    pub fn find<'c>(cells: impl IntoIterator<Item = &'c Cell>) -> Option<Self> {
        let cells: Vec<&Cell> = cells.into_iter().collect();
        let with_forms = |(first, second)| {
            let of_form = |form| Self { first, second, form };
            let rows = |form| of_form(form).matched(cells.iter().copied().map(|cell| (cell, ()))).len();
            let form = Form::ALL.iter().copied().rev().max_by_key(|form| rows(*form))?;
            (rows(form) > 0).then(|| of_form(form))
        };
        [Direction::Protect, Direction::Read, Direction::Transfer].into_iter().flat_map(pairs).find_map(with_forms)
    }

    /// The two of each library and size that has both, of cells that are each known by something.
    pub fn matched<'c, T: Copy>(self, cells: impl IntoIterator<Item = (&'c Cell, T)>) -> Vec<[T; 2]> {
        let mut matched: BTreeMap<(&str, &Parameters), [Option<T>; 2]> = BTreeMap::new();
        for (cell, known) in cells.into_iter().filter(|(cell, _)| self.takes(cell)) {
            let place = self.both().iter().position(|cipher| cipher.is_of(cell));
            let Some(place) = place else { continue };
            matched.entry((&cell.provider, &cell.parameters)).or_default()[place] = Some(known);
        }
        matched.into_values().filter_map(|[first, second]| Some([first?, second?])).collect()
    }

    /// The same read again.
    pub fn read(self) -> Self {
        let direction = if self.moves_files() { Direction::Transfer } else { Direction::Read };
        let read = |cipher: Cipher| Cipher::new(cipher.algorithm, direction);
        Self { first: read(self.first), second: read(self.second), ..self }
    }

    /// Whether files are transferred.
    pub fn moves_files(self) -> bool {
        self.first.operation == Operation::Transfer
    }

    /// The first and the second.
    pub fn both(self) -> [Cipher; 2] {
        [self.first, self.second]
    }

    /// Whether a cell may be compared: calls of several threads are compared with one thread, not with another cipher, and what ran on
    /// a device with what ran there.
    pub fn takes(self, cell: &Cell) -> bool {
        let is_alone = cell.parameters.cpus().is_none() || cell.operation == Operation::Transfer;
        cell.form == self.form && is_alone && cell.parameters.device().is_none()
    }
}

/// The pairs of AES and ChaCha20 that people choose between, the likeliest first: those that do the same before those of which only
/// one has a tag.
fn pairs(direction: Direction) -> impl Iterator<Item = (Cipher, Cipher)> {
    let ciphers = Algorithm::of_kind;
    let with_each = |second| ciphers(CipherKind::Aes).map(move |first| (first, second));
    let all = ciphers(CipherKind::ChaCha).flat_map(with_each);
    let same = |(first, second): &(Algorithm, Algorithm)| first.family() == second.family();
    let (alike, unlike): (Vec<_>, Vec<_>) = all.partition(same);
    let cipher = move |(first, second)| (Cipher::new(first, direction), Cipher::new(second, direction));
    alike.into_iter().chain(unlike).map(cipher)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likeliest_pairs_come_first() {
        let pairs: Vec<_> = pairs(Direction::Protect).collect();
        let [aes, chacha] = [CipherKind::Aes, CipherKind::ChaCha].map(|kind| Algorithm::of_kind(kind).count());
        assert_eq!(pairs.len(), aes * chacha);
        let (first, second) = pairs[0];
        assert_eq!((first.title(), second.title()), ("AES-256-GCM", "ChaCha20-Poly1305"));
        let (_, unlike) = pairs.split_at(pairs.iter().position(|(a, b)| a.has_tag() != b.has_tag()).unwrap());
        assert!(unlike.iter().all(|(first, second)| first.has_tag() != second.has_tag()));
    }

    fn cell(provider: &str, algorithm: Algorithm, message: u64) -> Cell {
        let Cipher { operation, .. } = Cipher::new(algorithm, Direction::Protect);
        let parameters = Parameters::message_cell(message, 0, 1);
        Cell { provider: provider.into(), algorithm, operation, form: Form::InPlace, parameters }
    }

    #[test]
    fn bouts_are_of_libraries_that_have_both() {
        use Algorithm::{Aes256Gcm, ChaCha20Poly1305, XChaCha20Poly1305};
        let mut cells = vec![
            cell("a", Aes256Gcm, 16),
            cell("a", ChaCha20Poly1305, 16),
            cell("a", ChaCha20Poly1305, 64),
            cell("b", Aes256Gcm, 16),
            cell("b", XChaCha20Poly1305, 16),
        ];
        let pair = CipherPair::find(&cells).unwrap();
        assert_eq!((pair.second.algorithm, pair.form), (ChaCha20Poly1305, Form::InPlace));
        assert_eq!(pair.matched(cells.iter().zip(0..)), [[0, 1]]);
        cells.remove(1);
        let pair = CipherPair::find(&cells).unwrap();
        assert_eq!(pair.second.algorithm, XChaCha20Poly1305, "b has both");
        cells.truncate(2);
        assert_eq!(CipherPair::find(&cells), None);
    }
}
