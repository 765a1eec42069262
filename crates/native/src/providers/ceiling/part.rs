//! What the provider `ceiling` does with a part of a split message.

use ciphermeter_core::Algorithm;

use super::kernel::Kernel;
use super::{aes_unit, invert, long_key};
use crate::providers::Unsupported;
use crate::split::part::{Part, PartCipher};
use crate::timed_loop::Failed;

/// The cipher or ceiling of that name; `key` is XOR's, of any length but 0.
pub fn cipher(algorithm: Algorithm, key: &[u8]) -> Result<Box<dyn PartCipher>, Unsupported> {
    match algorithm {
        Algorithm::Xor => long_key::cipher(key),
        Algorithm::ReadModifyWrite => Ok(Box::new(invert::Inverting)),
        Algorithm::Memcpy => Ok(Box::new(Copying)),
        Algorithm::AesUnit => match aes_unit::kernel() {
            Some(kernel) => Ok(Box::new(Rounds(kernel))),
            None => Err(Unsupported("this CPU has no instructions for AES".into())),
        },
        other => Err(Unsupported::algorithm(other)),
    }
}

/// `memcpy`.
struct Copying;

impl PartCipher for Copying {
    fn encrypt(&mut self, _: u128, _: u64, part: Part<'_>) -> Result<(), Failed> {
        // By direct I/O, reading and writing are the copy.
        if part.input == part.output.cast_const() {
            return Ok(());
        }
        // SAFETY: both sides hold `len` bytes, and are apart.
        unsafe { part.output.copy_from_nonoverlapping(part.input, part.len) };
        // Otherwise the compiler might remove the copy, which nothing reads.
        std::hint::black_box(part.output);
        Ok(())
    }
}

/// `aes-unit`: the rounds of the part's blocks.
struct Rounds(Kernel);

impl PartCipher for Rounds {
    fn encrypt(&mut self, _: u128, _: u64, part: Part<'_>) -> Result<(), Failed> {
        // SAFETY: `kernel` names only instructions that this CPU was asked for.
        unsafe { (self.0.run)(part.len.div_ceil(self.0.vector)) };
        Ok(())
    }
}
