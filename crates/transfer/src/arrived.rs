//! How much arrived, of the files that did. What was only offered, or sent in vain, counts for nothing.

use std::collections::HashMap;

/// What an attempt needed no bytes on the wire for, by the numbers of files.
#[derive(Debug, Default)]
pub(crate) struct Spared {
    before: HashMap<u32, u64>,
    holes: HashMap<u32, u64>,
}

/// Bytes of the files that arrived.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Arrived {
    /// On the wire, in this attempt.
    pub(crate) bytes: u64,
    /// From earlier attempts.
    pub(crate) before: u64,
    /// In holes.
    pub(crate) holes: u64,
}

impl Spared {
    /// With what earlier attempts brought.
    pub(crate) fn new(before: impl Iterator<Item = (u32, u64)>) -> Self {
        Self { before: before.collect(), holes: HashMap::new() }
    }

    pub(crate) fn add_hole(&mut self, file: u32, bytes: u64) {
        *self.holes.entry(file).or_default() += bytes;
    }

    /// The sum over files, by number and size.
    pub(crate) fn of(&self, files: impl Iterator<Item = (u32, u64)>) -> Arrived {
        files.fold(Arrived::default(), |sum, (file, size)| {
            let of = |bytes: &HashMap<u32, u64>| bytes.get(&file).copied().unwrap_or(0);
            let (before, holes) = (of(&self.before), of(&self.holes));
            let bytes = sum.bytes + size.saturating_sub(before + holes);
            Arrived { bytes, before: sum.before + before, holes: sum.holes + holes }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_that_arrived_count() {
        let mut spared = Spared::new([(0, 10), (2, 5)].into_iter());
        spared.add_hole(1, 3);
        spared.add_hole(1, 4);
        assert_eq!(spared.of([].into_iter()), Arrived::default());
        let all = spared.of([(0, 100), (1, 50), (2, 5), (3, 0)].into_iter());
        assert_eq!(all, Arrived { bytes: 90 + 43, before: 15, holes: 7 });
        assert_eq!(spared.of([(1, 50)].into_iter()), Arrived { bytes: 43, before: 0, holes: 7 });
    }
}
