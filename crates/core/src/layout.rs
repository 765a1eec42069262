//! Where the stack, the buffers and the key of a sample lie: what a caller's program decides by chance, and what moves figures of short
//! calls by several percent (METHODOLOGY.md, point 6a).

/// The place of one sample's parts. All are positions within a page or within the stack's nearest kilobyte, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Layout {
    /// The stack pointer's position in 1024 bytes: a multiple of 16.
    pub stack: u16,
    /// The position of the texts in a page: any number below 4096.
    pub offset: u16,
    /// The position of nonce and aad in a page: a multiple of 16 below 4096.
    pub nonce: u16,
    /// Which of the cell's instances of the key object is used.
    pub instance: u8,
}

impl Layout {
    /// The stack lies at a multiple of 16 below this.
    pub const STACK: u16 = 1024;
    /// Buffers lie below this.
    pub const PAGE: u16 = 4096;
    /// What allocators align to, and so what callers' buffers mostly lie at.
    pub const ALIGNED: u16 = 16;
    /// Objects of a key that a cell has at most.
    pub const MOST_INSTANCES: u8 = 8;
    /// Strata of layouts: one for each position of the stack in a cache line, and one for texts that are not aligned.
    pub const STRATA: usize = 5;

    /// The layout, if all its positions are possible.
    pub fn new(stack: u64, offset: u64, nonce: u64, instance: u64) -> Option<Self> {
        let fits = stack < Self::STACK.into()
            && stack.is_multiple_of(16)
            && offset < Self::PAGE.into()
            && nonce < Self::PAGE.into()
            && nonce.is_multiple_of(16)
            && instance < Self::MOST_INSTANCES.into();
        fits.then_some(Self {
            stack: stack as u16,
            offset: offset as u16,
            nonce: nonce as u16,
            instance: instance as u8,
        })
    }

    /// All of it as one integer, as samples are stored: from the least bit on 12 bits of the texts' position, 6 of the stack's in
    /// sixteens, 8 of the nonce's in sixteens, 3 of the instance.
    pub fn packed(self) -> u64 {
        let Self { stack, offset, nonce, instance } = self;
        u64::from(offset) | u64::from(stack / 16) << 12 | u64::from(nonce / 16) << 18 | u64::from(instance) << 26
    }

    /// The layout of a stored sample; `None` of a number that is none.
    pub fn from_packed(packed: u64) -> Option<Self> {
        let bits = |from: u32, count: u32| packed >> from & ((1 << count) - 1);
        Self::new(bits(12, 6) * 16, bits(0, 12), bits(18, 8) * 16, packed >> 26)
    }

    /// Whether the texts lie where an allocator would have put them.
    pub fn is_aligned(self) -> bool {
        self.offset.is_multiple_of(Self::ALIGNED)
    }

    /// The stack's position in a cache line, in sixteens.
    pub fn stack_place(self) -> usize {
        usize::from(self.stack % 64 / 16)
    }

    /// The stratum, below [`Self::STRATA`].
    pub fn stratum(self) -> usize {
        if self.is_aligned() { self.stack_place() } else { Self::STRATA - 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_layouts_come_back() {
        for (stack, offset, nonce, instance) in [(0, 0, 0, 0), (1008, 4095, 4080, 7), (48, 17, 1600, 3)] {
            let layout = Layout::new(stack, offset, nonce, instance).unwrap();
            assert_eq!(Layout::from_packed(layout.packed()), Some(layout));
        }
        assert_eq!(Layout::from_packed(u64::MAX), None);
    }

    #[test]
    fn impossible_positions_are_refused() {
        for (stack, offset, nonce, instance) in
            [(1024, 0, 0, 0), (8, 0, 0, 0), (0, 4096, 0, 0), (0, 0, 4096, 0), (0, 0, 8, 0), (0, 0, 0, 8)]
        {
            assert_eq!(Layout::new(stack, offset, nonce, instance), None);
        }
    }

    #[test]
    fn strata_are_the_stacks_places_in_a_line_and_unaligned_texts() {
        let stratum = |stack, offset| Layout::new(stack, offset, 0, 0).unwrap().stratum();
        assert_eq!([0, 16, 32, 48, 64].map(|stack| stratum(stack, 32)), [0, 1, 2, 3, 0]);
        assert_eq!(stratum(16, 33), 4);
    }
}
