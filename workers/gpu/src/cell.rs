//! A prepared cell: it numbers iterations, and reads what they left.

use std::time::Instant;

use ciphermeter_core::Algorithm;
use ciphermeter_protocol::{Prepare, WarmUp};
use sha2::{Digest, Sha256};

use crate::card::{Card, Job, Message, Refused, Work};
use crate::clock::{self, Elapsed};
use crate::text::{self, Text};

/// How much of a message is read at a time.
const PIECE: u64 = 4 << 20;

/// Ready to be sampled.
pub struct Cell {
    message: Box<dyn Message>,
    text: Text,
    /// What it computes.
    pub algorithm: Algorithm,
    /// Bytes of the message.
    pub bytes: u64,
    /// The number of the last iteration; 0 belongs to `digest`.
    last: u64,
}

/// A timed batch.
pub struct Sampled {
    /// Its time.
    pub elapsed: Elapsed,
    /// The first iteration since the buffers were set up.
    pub first: u64,
    /// The last one.
    pub last: u64,
}

impl Cell {
    /// A cell that has done no iteration yet.
    pub fn new(card: &dyn Card, prepare: &Prepare) -> Result<Self, Refused> {
        let Prepare { algorithm, form, message: bytes, seed, .. } = *prepare;
        let key = if algorithm == Algorithm::Xor { prepare.key } else { algorithm.key_bytes() as u64 };
        let work = Work::new(algorithm, text::key(seed, key))?;
        let message = card.prepare(Job { work, form, bytes, apart: false })?;
        Ok(Self { message, text: Text::of_seed(seed, bytes), algorithm, bytes, last: 0 })
    }

    /// What allocating and pinning took.
    pub fn pin_ns(&self) -> u64 {
        self.message.pin_ns()
    }

    /// Sets the buffers up, warms up for at least `warmup_ns`, then times `iterations` iterations.
    pub fn sample(&mut self, warmup_ns: u64, iterations: u64) -> Result<Sampled, String> {
        let first = self.last + 1;
        self.warm(warmup_ns)?;
        let elapsed = self.timed(iterations)?;
        Ok(Sampled { elapsed, first, last: self.last })
    }

    /// Sets up and warms up as [`Self::sample`] does, then times single iterations.
    pub fn latency(&mut self, warmup_ns: u64, count: u64) -> Result<Vec<u64>, String> {
        self.warm(warmup_ns)?;
        (0..count)
            .map(|_| {
                let first = self.take_numbers(1);
                let start = Instant::now();
                self.message.run(&mut numbered(first, first))?;
                Ok(clock::nanoseconds(start.elapsed()))
            })
            .collect()
    }

    fn warm(&mut self, warmup_ns: u64) -> Result<(), String> {
        self.message.set_up(&self.text)?;
        let mut warm_up = WarmUp::new(warmup_ns);
        while let Some(batch) = warm_up.batch() {
            warm_up.record(self.timed(batch)?.ns);
        }
        Ok(())
    }

    fn timed(&mut self, count: u64) -> Result<Elapsed, String> {
        let first = self.take_numbers(count);
        let last = self.last;
        clock::time(|| self.message.run(&mut numbered(first, last)))
    }

    /// The first of the next `count` numbers. They are used up even if an iteration fails, so that none occurs twice.
    fn take_numbers(&mut self, count: u64) -> u64 {
        let first = self.last + 1;
        self.last += count;
        first
    }

    /// Makes the output of iterations `first` to `last` anew.
    pub fn recompute(&mut self, first: u64, last: u64) -> Result<(), String> {
        self.message.set_up(&self.text)?;
        self.message.run(&mut numbered(first, last))
    }

    /// Undoes iterations `first` to `last`: every work with an output is its own inverse.
    pub fn undo(&mut self, first: u64, last: u64) -> Result<(), String> {
        self.message.run(&mut numbered(first, last))
    }

    /// The SHA-256 of what is there.
    pub fn sha256(&mut self) -> Result<[u8; 32], String> {
        let mut hash = Sha256::new();
        self.each_piece(|piece| hash.update(piece))?;
        Ok(hash.finalize().into())
    }

    /// The CRC-32 of what is there.
    pub fn crc32(&mut self) -> Result<u32, String> {
        let mut hash = crc32fast::Hasher::new();
        self.each_piece(|piece| hash.update(piece))?;
        Ok(hash.finalize())
    }

    /// `bytes` bytes from `at` on, which lie within the message.
    pub fn peek(&mut self, at: u64, bytes: usize) -> Result<Vec<u8>, String> {
        let mut found = vec![0; bytes];
        self.message.read(at, &mut found)?;
        Ok(found)
    }

    fn each_piece(&mut self, mut take: impl FnMut(&[u8])) -> Result<(), String> {
        let mut at = 0;
        while at < self.bytes {
            let piece = self.peek(at, usize::try_from(PIECE.min(self.bytes - at)).unwrap_or(0))?;
            take(&piece);
            at += piece.len() as u64;
        }
        Ok(())
    }
}

/// The initial counter blocks of iterations: bytes 0 to 7 are the number, the others are zero.
fn numbered(first: u64, last: u64) -> impl Iterator<Item = u128> {
    (first..=last).map(|number| u128::from(number) << 64)
}

/// Does one job once with the bytes of a vector.
pub fn check(card: &dyn Card, job: Job, counter: u128, input: &[u8]) -> Result<Vec<u8>, Refused> {
    let mut message = card.prepare(job)?;
    let mut output = vec![0; input.len()];
    message.set_up(&Text::exactly(input)).map_err(Refused::Failed)?;
    message.run(&mut std::iter::once(counter)).map_err(Refused::Failed)?;
    message.read(0, &mut output).map_err(Refused::Failed)?;
    Ok(output)
}
