//! The buffers that all messages share: in the card's memory, in the host's, and what chunks go through.
//!
//! They grow to what the largest message needs and stay.

use std::time::Instant;

use cudarc::driver::result;

use super::driver::{DeviceMemory, PinnedMemory, Stream, failed};
use crate::card::Refused;
use crate::clock::nanoseconds;
use crate::host_memory;

/// The most bytes of a chunk.
pub const CHUNK: u64 = 8 << 20;
/// The most chunks on their way: one goes in, one is encrypted, one comes back, one waits.
pub const SLOTS: u64 = 4;

/// See the module.
#[derive(Default)]
pub struct Buffers {
    /// Changes when a buffer is replaced.
    pub generation: u64,
    /// A message in the card's memory.
    pub message: Option<DeviceMemory>,
    /// Where `memcpy` copies it.
    pub second: Option<DeviceMemory>,
    /// A message in the host's memory, pinned.
    pub pinned: Option<PinnedMemory>,
    /// A message in the host's memory, as the system allocates it.
    pub pageable: Vec<u8>,
    /// What chunks go through.
    pub slots: Vec<Slot>,
    /// What the latest growth of the host's memory and the slots took.
    pub pin_ns: u64,
    /// How long the pinned memory is.
    pinned_bytes: u64,
}

/// What one chunk goes through.
pub struct Slot {
    pub memory: DeviceMemory,
    pub stream: Stream,
}

impl Buffers {
    /// Has room for a message on the card, twice if it is copied.
    pub fn reserve_device(&mut self, bytes: u64, copied: bool) -> Result<(), Refused> {
        let held = |memory: &Option<DeviceMemory>| memory.as_ref().map_or(0, |memory| memory.bytes);
        let need = bytes.saturating_mul(1 + u64::from(copied));
        let both = held(&self.message) + if copied { held(&self.second) } else { 0 };
        let (free, total) =
            result::mem_get_info().map_err(|error| Refused::Failed(failed("asking the card", error)))?;
        if need > both + free as u64 {
            return Err(Refused::Unsupported(format!(
                "needs {} MiB of the card's memory, of whose {} MiB {} are free",
                need >> 20,
                total >> 20,
                (both + free as u64) >> 20
            )));
        }
        let places = [Some(&mut self.message), Some(&mut self.second).filter(|_| copied)];
        for memory in places.into_iter().flatten().filter(|memory| held(memory) < bytes.max(1)) {
            self.generation += 1;
            // The old one goes first: both together may be too much.
            *memory = None;
            *memory = Some(DeviceMemory::new(bytes)?);
        }
        Ok(())
    }

    /// Has room for a message in pinned memory.
    pub fn reserve_pinned(&mut self, bytes: u64) -> Result<(), Refused> {
        if self.pinned_bytes >= bytes.max(1) {
            return Ok(());
        }
        host_memory::allow(bytes.saturating_sub(self.pinned_bytes))?;
        let start = Instant::now();
        (self.pinned, self.pinned_bytes) = (None, 0);
        self.generation += 1;
        self.pinned = Some(PinnedMemory::new(bytes.max(64))?);
        self.pinned_bytes = bytes.max(64);
        self.pin_ns = nanoseconds(start.elapsed());
        Ok(())
    }

    /// Has room for a message in ordinary memory.
    pub fn reserve_pageable(&mut self, bytes: u64) -> Result<(), Refused> {
        let held = self.pageable.len() as u64;
        if held >= bytes {
            return Ok(());
        }
        host_memory::allow(bytes - held)?;
        self.generation += 1;
        self.pageable = Vec::new();
        self.pageable = vec![0; usize::try_from(bytes).unwrap_or(usize::MAX)];
        // Each page is there before anything is timed.
        self.pageable.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
        Ok(())
    }

    /// Has `count` slots for chunks of `bytes` bytes.
    pub fn reserve_slots(&mut self, count: usize, bytes: u64) -> Result<(), Refused> {
        if self.slots.iter().any(|slot| slot.memory.bytes < bytes) {
            self.slots.clear();
        }
        while self.slots.len() < count {
            let stream = Stream::new().map_err(Refused::Failed)?;
            self.slots.push(Slot { memory: DeviceMemory::new(bytes)?, stream });
        }
        Ok(())
    }
}

/// How a message of `bytes` bytes is divided: where each chunk begins, and its length.
pub fn chunks(bytes: u64, most: u64) -> impl Iterator<Item = (u64, u64)> {
    (0..bytes.div_ceil(most)).map(move |i| (i * most, most.min(bytes - i * most)))
}
