//! Which bytes of one file are there: a sorted set of disjoint ranges.
//!
//! Promises: no byte is counted twice, and no peer can make the set grow beyond [`MAX_RANGES`]. A set of one range,
//! which is what a complete file has, allocates no memory: there may be a million of them.

use smallvec::SmallVec;

/// The most disjoint ranges of one file, and of all incomplete files of a transfer. Streams write forward, so there are
/// about as many ranges as streams and interrupted attempts; this is far above that, and still only a few MiB.
pub const MAX_RANGES: usize = 65_536;

/// Disjoint ranges of bytes; adjacent ones are merged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ranges {
    /// Start and end of each, end excluded, in order.
    ends: SmallVec<[(u64, u64); 1]>,
}

/// Why a range cannot be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadRange {
    /// Of no bytes.
    #[error("an empty range at offset {0}; start this file over")]
    Empty(u64),
    /// Its end is not a 64-bit number.
    #[error("a range of {length} bytes at offset {offset} ends beyond any file; start this file over")]
    TooFar {
        /// Its first byte.
        offset: u64,
        /// Its length in bytes.
        length: u64,
    },
    /// A byte of it is already present.
    #[error("a range of {length} bytes at offset {offset} overlaps an earlier one; start this file over")]
    Overlap {
        /// Its first byte.
        offset: u64,
        /// Its length in bytes.
        length: u64,
    },
    /// One more than [`MAX_RANGES`].
    #[error("a file in more than {MAX_RANGES} separate ranges; start this file over")]
    TooMany,
}

impl Ranges {
    /// Whether a range begins there.
    pub fn begins_at(&self, offset: u64) -> bool {
        self.ends.binary_search_by_key(&offset, |&(start, _)| start).is_ok()
    }

    /// Adds a range; on an error nothing changes.
    pub fn add(&mut self, offset: u64, length: u64) -> Result<(), BadRange> {
        if length == 0 {
            return Err(BadRange::Empty(offset));
        }
        let end = offset.checked_add(length).ok_or(BadRange::TooFar { offset, length })?;
        // Those before this position begin before the range ends.
        let at = self.ends.partition_point(|&(start, _)| start < end);
        let end_before = at.checked_sub(1).map(|before| self.ends[before].1);
        if end_before.is_some_and(|end_before| end_before > offset) {
            return Err(BadRange::Overlap { offset, length });
        }
        let joins_before = end_before == Some(offset);
        let joins_after = self.ends.get(at).is_some_and(|&(start, _)| start == end);
        match (joins_before, joins_after) {
            (true, true) => {
                self.ends[at - 1].1 = self.ends[at].1;
                self.ends.remove(at);
            }
            (true, false) => self.ends[at - 1].1 = end,
            (false, true) => self.ends[at].0 = offset,
            (false, false) if self.ends.len() >= MAX_RANGES => return Err(BadRange::TooMany),
            (false, false) => self.ends.insert(at, (offset, end)),
        }
        Ok(())
    }

    /// How many separate ranges there are.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// Whether every byte of a file of this size is present, and none beyond.
    pub fn is_whole(&self, size: u64) -> bool {
        match size {
            0 => self.ends.is_empty(),
            _ => self.ends[..] == [(0, size)],
        }
    }

    /// What a file of this size lacks: offset and length of each gap, in order.
    pub fn gaps(&self, size: u64) -> impl Iterator<Item = (u64, u64)> {
        let mut from = 0;
        let there = self.ends.iter().copied().chain([(size, size)]);
        there.filter_map(move |(start, end)| {
            let (gap, until) = (from, start.min(size));
            from = from.max(end);
            (gap < until).then(|| (gap, until - gap))
        })
    }

    /// How many bytes are present.
    pub fn bytes(&self) -> u64 {
        self.ends.iter().map(|(start, end)| end - start).sum()
    }

    /// Offset and length of each range, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        self.ends.iter().map(|&(start, end)| (start, end - start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn adjacent_ranges_are_merged() {
        let mut ranges = Ranges::default();
        assert!(ranges.is_whole(0) && !ranges.is_whole(1));
        for offset in [0, 20, 10] {
            ranges.add(offset, 10).unwrap();
        }
        assert_eq!(ranges.iter().collect::<Vec<_>>(), [(0, 30)]);
        assert!(ranges.is_whole(30) && !ranges.is_whole(31) && !ranges.is_whole(29) && !ranges.is_whole(0));
        assert_eq!(ranges.gaps(35).collect::<Vec<_>>(), [(30, 5)]);
        assert_eq!(ranges.gaps(25).count(), 0);
    }

    #[test]
    fn bad_range_changes_nothing() {
        let mut ranges = Ranges::default();
        ranges.add(10, 10).unwrap();
        for (offset, length) in [(10, 10), (9, 2), (19, 1), (0, 11), (0, 100), (12, 2)] {
            assert_eq!(ranges.add(offset, length), Err(BadRange::Overlap { offset, length }));
        }
        assert_eq!(ranges.add(5, 0), Err(BadRange::Empty(5)));
        assert!(matches!(ranges.add(u64::MAX, 1), Err(BadRange::TooFar { .. })));
        assert_eq!(ranges.iter().collect::<Vec<_>>(), [(10, 10)]);
        ranges.add(u64::MAX - 1, 1).unwrap();
    }

    #[test]
    fn number_of_ranges_is_limited() {
        let mut ranges = Ranges::default();
        for index in 0..MAX_RANGES as u64 {
            ranges.add(index * 2, 1).unwrap();
        }
        assert_eq!(ranges.add(MAX_RANGES as u64 * 2, 1), Err(BadRange::TooMany));
        // Merging ranges reduces their number, so it is always allowed.
        ranges.add(1, 1).unwrap();
        ranges.add(MAX_RANGES as u64 * 2, 1).unwrap();
    }

    proptest! {
        #[test]
        fn agrees_with_a_bitmap(adds in proptest::collection::vec((0..60usize, 0..20usize), 0..40), size in 0..90usize) {
            let (mut ranges, mut there) = (Ranges::default(), [false; 100]);
            for (offset, length) in adds {
                let fits = length > 0 && !there[offset..offset + length].contains(&true);
                prop_assert_eq!(ranges.add(offset as u64, length as u64).is_ok(), fits);
                if fits {
                    there[offset..offset + length].fill(true);
                }
            }
            prop_assert_eq!(ranges.bytes(), there.iter().filter(|&&byte| byte).count() as u64);
            prop_assert_eq!(ranges.is_whole(size as u64), there.iter().enumerate().all(|(at, &byte)| byte == (at < size)));
            prop_assert_eq!(&marked(ranges.iter()), &there);
            let absent = std::array::from_fn(|at| at < size && !there[at]);
            prop_assert_eq!(&marked(ranges.gaps(size as u64)), &absent);
            // No two ranges touch.
            let all: Vec<_> = ranges.iter().collect();
            prop_assert!(all.windows(2).all(|pair| pair[0].0 + pair[0].1 < pair[1].0));
        }
    }

    fn marked(ranges: impl Iterator<Item = (u64, u64)>) -> [bool; 100] {
        let mut marks = [false; 100];
        for (offset, length) in ranges {
            marks[offset as usize..(offset + length) as usize].fill(true);
        }
        marks
    }
}
