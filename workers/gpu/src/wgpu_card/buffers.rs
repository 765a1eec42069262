//! The buffers that all messages share: in the card's memory, in the host's, and the staging between them.
//!
//! They grow to what the largest message needs and stay. Whoever holds a binding to an older one makes it anew when the
//! generation has changed.

use std::time::Instant;

use wgpu::{Buffer, BufferUsages, MapMode};

use super::context::Context;
use super::pipelines::Pipelines;
use crate::card::Refused;
use crate::clock::nanoseconds;
use crate::host_memory;

/// How much is read back at a time.
const READ_BACK: u64 = 4 << 20;

/// See the module.
#[derive(Default)]
pub struct Buffers {
    /// Changes when a buffer is replaced.
    pub generation: u64,
    /// A message in the card's memory, each at most as large as a binding may be.
    pub parts: Vec<Buffer>,
    /// Where `memcpy` copies it.
    pub seconds: Vec<Buffer>,
    /// A message in the host's memory.
    pub host: Vec<u8>,
    /// What chunks of it go through.
    pub slots: Vec<Slot>,
    read_back: Option<Buffer>,
    /// What the latest growth of the host's memory and the staging took.
    pub pin_ns: u64,
}

/// What one chunk goes through.
pub struct Slot {
    /// From the host: always mapped while no work is submitted.
    pub up: Buffer,
    /// What the kernel works on.
    pub work: Buffer,
    /// To the host.
    pub down: Buffer,
    /// The kernel's parameters.
    pub parameters: Buffer,
}

/// How a message of `bytes` bytes is divided: where each piece begins, and its length.
pub fn pieces(bytes: u64, most: u64) -> impl Iterator<Item = (u64, u64)> {
    (0..bytes.div_ceil(most)).map(move |i| (i * most, most.min(bytes - i * most)))
}

impl Buffers {
    /// Has room for a message on the card, twice if it is copied.
    pub fn reserve_device(&mut self, context: &Context, bytes: u64, copied: bool) -> Result<(), Refused> {
        if context.shares_memory() {
            let held = self.parts.iter().chain(&self.seconds).map(Buffer::size).sum();
            host_memory::allow((bytes * (1 + u64::from(copied))).saturating_sub(held))?;
        }
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let mut grown = grow(context, &mut self.parts, bytes, usage)?;
        if copied {
            grown |= grow(context, &mut self.seconds, bytes, usage)?;
        }
        self.generation += u64::from(grown);
        Ok(())
    }

    /// Has room for a message in the host's memory, and slots for chunks of it.
    pub fn reserve_host(&mut self, context: &Context, bytes: u64, chunk: u64, slots: usize) -> Result<(), Refused> {
        let start = Instant::now();
        let held = self.host.len() as u64;
        let enough = self.slots.len() >= slots && self.slots.iter().all(|slot| slot.up.size() >= chunk);
        if held >= bytes && enough {
            return Ok(());
        }
        let staging = if enough { 0 } else { 3 * chunk * slots as u64 };
        host_memory::allow(bytes.saturating_sub(held) + staging)?;
        self.generation += 1;
        if held < bytes {
            self.host = Vec::new();
            self.host = vec![0; usize::try_from(bytes).unwrap_or(usize::MAX)];
            // Each page is there before anything is timed.
            self.host.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
        }
        if !enough {
            let chunk = self.slots.iter().map(|slot| slot.up.size()).chain([chunk]).max().unwrap_or(chunk);
            let count = slots.max(self.slots.len());
            self.slots.drain(..).for_each(Slot::destroy);
            for _ in 0..count {
                self.slots.push(Slot::new(context, chunk)?);
            }
        }
        self.pin_ns = nanoseconds(start.elapsed());
        Ok(())
    }

    /// Reads from the parts on the card.
    pub fn read_device(&mut self, context: &Context, at: u64, into: &mut [u8]) -> Result<(), String> {
        let down = match &self.read_back {
            Some(buffer) => buffer.clone(),
            None => {
                let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
                let made = context.buffer(READ_BACK + 64, usage, false).map_err(|refused| format!("{refused:?}"))?;
                self.read_back.insert(made).clone()
            }
        };
        let mut done = 0;
        while done < into.len() {
            let from = at + done as u64;
            let (part, within) = ((from / context.part) as usize, from % context.part);
            let length = (into.len() - done).min(READ_BACK as usize).min((context.part - within) as usize);
            // Copies begin at multiples of 4 and are as long.
            let (start, skipped) = (within / 64 * 64, (within % 64) as usize);
            let copied = host_memory::padded(skipped as u64 + length as u64);
            let mut encoder = context.encoder();
            encoder.copy_buffer_to_buffer(&self.parts[part], start, &down, 0, copied);
            let submission = context.submit(encoder);
            context.map(&down, MapMode::Read, copied);
            context.wait(submission)?;
            copy_out(&down, copied, |view| {
                into[done..done + length].copy_from_slice(&view[skipped..skipped + length])
            })?;
            done += length;
        }
        Ok(())
    }
}

/// Hands over what is in a mapped buffer and unmaps it.
pub fn copy_out(down: &Buffer, bytes: u64, take: impl FnOnce(&[u8])) -> Result<(), String> {
    let view = down.slice(0..bytes).get_mapped_range();
    take(&view.map_err(|error| format!("reading mapped memory failed: {error}; start the worker again"))?);
    down.unmap();
    Ok(())
}

/// Makes the pieces at least as large as a message's; true if any was replaced or added.
fn grow(context: &Context, parts: &mut Vec<Buffer>, bytes: u64, usage: BufferUsages) -> Result<bool, Refused> {
    let mut grown = false;
    for (index, (_, length)) in pieces(bytes, context.part).enumerate() {
        if parts.get(index).is_some_and(|part| part.size() >= length) {
            continue;
        }
        grown = true;
        // The old one goes first: both together may be too much.
        parts.drain(index..).for_each(|part| part.destroy());
        parts.push(context.buffer(length, usage, false)?);
    }
    Ok(grown)
}

impl Slot {
    fn new(context: &Context, bytes: u64) -> Result<Self, Refused> {
        let work = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        Ok(Self {
            up: context.buffer(bytes, BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC, true)?,
            work: context.buffer(bytes, work, false)?,
            down: context.buffer(bytes, BufferUsages::MAP_READ | BufferUsages::COPY_DST, false)?,
            parameters: context.buffer(Pipelines::PARAMETERS, BufferUsages::UNIFORM | BufferUsages::COPY_DST, false)?,
        })
    }

    fn destroy(self) {
        for buffer in [self.up, self.work, self.down, self.parameters] {
            buffer.destroy();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_a_message_without_a_gap() {
        assert_eq!(pieces(0, 64).count(), 0);
        assert_eq!(pieces(64, 64).collect::<Vec<_>>(), [(0, 64)]);
        assert_eq!(pieces(192, 128).collect::<Vec<_>>(), [(0, 128), (128, 64)]);
    }
}
