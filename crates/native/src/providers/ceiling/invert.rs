//! `read-modify-write`: every byte of the message is inverted where it lies. Nothing that changes each byte in place can
//! be faster than this where memory is what it waits for.

#[cfg(target_arch = "x86_64")]
use crate::cpu::x86;
use crate::split::part::{Part, PartCipher};
use crate::timed_loop::Failed;

/// The ceiling.
pub struct Inverting;

impl PartCipher for Inverting {
    fn encrypt(&mut self, _: u128, _: u64, part: Part<'_>) -> Result<(), Failed> {
        // SAFETY: its output holds `len` initialised bytes for this call alone, and in place it is its input.
        let bytes = unsafe { std::slice::from_raw_parts_mut(part.output, part.len) };
        invert(bytes);
        Ok(())
    }
}

fn invert(bytes: &mut [u8]) {
    #[cfg(target_arch = "x86_64")]
    {
        if x86!("avx512f", "avx512bw") {
            // SAFETY: the CPU has it.
            return unsafe { avx512(bytes) };
        }
        if x86!("avx2") {
            // SAFETY: the CPU has it.
            return unsafe { avx2(bytes) };
        }
    }
    plain(bytes);
}

#[inline(always)]
fn plain(bytes: &mut [u8]) {
    bytes.iter_mut().for_each(|byte| *byte = !*byte);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn avx2(bytes: &mut [u8]) {
    plain(bytes);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn avx512(bytes: &mut [u8]) {
    plain(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_inverted() {
        for len in (0..200).chain([65_537]) {
            let before: Vec<u8> = (0..len).map(|i| (i * 31) as u8).collect();
            let mut after = before.clone();
            invert(&mut after);
            assert!(before.iter().zip(&after).all(|(before, after)| *after == !before), "{len} bytes");
        }
    }
}
