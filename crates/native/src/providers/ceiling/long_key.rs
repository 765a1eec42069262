//! `xor` of a split message: a key of any length, repeated over the message, from any place on.
//!
//! The key is repeated to at least a page, and 64 bytes further. Then 64 bytes of key lie in one piece from any place of
//! the page on, and the loop over them is as long as the page: no division for each byte, which is what made published
//! figures of XOR slower than AES. A key that 64 bytes are a multiple of stays in a register.

use zeroize::Zeroizing;

use super::xor;
#[cfg(target_arch = "x86_64")]
use crate::cpu::x86;
use crate::providers::Unsupported;
use crate::split::part::{Part, PartCipher};
use crate::timed_loop::Failed;

/// Bytes of a step of the loop.
const WIDTH: usize = 64;
/// The key is repeated to at least so many bytes.
const REPEATED: usize = 4096;

/// The cipher for a key of any length but 0.
pub fn cipher(key: &[u8]) -> Result<Box<dyn PartCipher>, Unsupported> {
    match key.len() {
        0 => Err(Unsupported("key of 0 bytes".into())),
        length if WIDTH.is_multiple_of(length) => Ok(Box::new(ShortKey(repeated_to_width(key)))),
        _ => Ok(Box::new(LongKey::new(key))),
    }
}

/// A key that every step begins anew with.
struct ShortKey(Zeroizing<[u8; WIDTH]>);

fn repeated_to_width(key: &[u8]) -> Zeroizing<[u8; WIDTH]> {
    Zeroizing::new(std::array::from_fn(|i| key[i % key.len()]))
}

impl PartCipher for ShortKey {
    /// Parts begin at multiples of the width.
    fn encrypt(&mut self, _: u128, _: u64, part: Part<'_>) -> Result<(), Failed> {
        // SAFETY: a part's sides hold `len` bytes and are equal or apart; `build` looks at the CPU.
        unsafe { xor::build()(&self.0, part.input, part.output, part.len) };
        Ok(())
    }
}

/// A key, repeated.
struct LongKey {
    /// `period` bytes, and the first [`WIDTH`] of them again.
    repeated: Zeroizing<Vec<u8>>,
    /// A multiple of the key's length.
    period: usize,
}

impl LongKey {
    /// A key of any length but 0.
    fn new(key: &[u8]) -> Self {
        let period = key.len() * REPEATED.div_ceil(key.len());
        let repeated = key.iter().copied().cycle().take(period + WIDTH).collect();
        Self { repeated: Zeroizing::new(repeated), period }
    }
}

impl PartCipher for LongKey {
    fn encrypt(&mut self, _: u128, at: u64, part: Part<'_>) -> Result<(), Failed> {
        let steps = steps();
        let mut phase = (at % self.period as u64) as usize;
        let (mut done, whole) = (0, part.len / WIDTH);
        while done < whole {
            let count = (self.period - phase).div_ceil(WIDTH).min(whole - done);
            // SAFETY: the last of these steps begins within the period, after which there are `WIDTH` bytes of key more;
            // input and output have `whole` steps, and are equal or apart; `steps` looks at the CPU.
            unsafe {
                let (input, output) = (part.input.add(done * WIDTH), part.output.add(done * WIDTH));
                steps(self.repeated.as_ptr().add(phase), input, output, count);
            }
            done += count;
            phase = (phase + count * WIDTH) % self.period;
        }
        for i in whole * WIDTH..part.len {
            // SAFETY: below the part's length.
            unsafe { part.output.add(i).write(part.input.add(i).read() ^ self.repeated[phase + i % WIDTH]) };
        }
        Ok(())
    }
}

/// # Safety
/// `key`, `input` and `output` hold `count` times 64 bytes, `input` and `output` are equal or apart, and the CPU has the
/// features of the build.
type Steps = unsafe fn(key: *const u8, input: *const u8, output: *mut u8, count: usize);

fn steps() -> Steps {
    #[cfg(target_arch = "x86_64")]
    {
        if x86!("avx512f") {
            return avx512;
        }
        if x86!("avx2") {
            return avx2;
        }
    }
    plain
}

#[inline(always)]
unsafe fn plain(key: *const u8, input: *const u8, output: *mut u8, count: usize) {
    for step in 0..count {
        let at = step * WIDTH;
        // SAFETY: the caller's promise; unaligned reads and writes of whole arrays allow for any address.
        unsafe {
            let key = key.add(at).cast::<[u8; WIDTH]>().read_unaligned();
            let mut bytes = input.add(at).cast::<[u8; WIDTH]>().read_unaligned();
            for i in 0..WIDTH {
                bytes[i] ^= key[i];
            }
            output.add(at).cast::<[u8; WIDTH]>().write_unaligned(bytes);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn avx2(key: *const u8, input: *const u8, output: *mut u8, count: usize) {
    // SAFETY: the caller's promise is the same.
    unsafe { plain(key, input, output, count) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn avx512(key: *const u8, input: *const u8, output: *mut u8, count: usize) {
    // SAFETY: the caller's promise is the same.
    unsafe { plain(key, input, output, count) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_key_and_any_place_match_a_naive_loop() {
        for key_bytes in [1, 2, 3, 31, 32, 33, 64, 100, 4093, 4095, 4096, 4097, 70_001] {
            let key: Vec<u8> = (0..key_bytes).map(|i| (i * 7 + i / 251 + 1) as u8).collect();
            for at in [0, 64, 4096, 4032, 1 << 20, (1 << 40) - 64] {
                for len in [0, 1, 63, 64, 65, 4095, 4161, 150_000] {
                    let text: Vec<u8> = (0..len).map(|i| (i * 31) as u8).collect();
                    let key_at = |i: usize| key[((at + i as u64) % key.len() as u64) as usize];
                    let naive: Vec<u8> = text.iter().enumerate().map(|(i, byte)| byte ^ key_at(i)).collect();
                    let (mut apart, mut same) = (vec![0; len], text.clone());
                    let mut cipher = cipher(&key).unwrap();
                    cipher.encrypt(0, at, Part::apart(&text, &mut apart)).unwrap();
                    cipher.encrypt(0, at, Part::in_place(&mut same)).unwrap();
                    assert!(apart == naive && same == naive, "key of {key_bytes}, {len} bytes from {at} on");
                }
            }
        }
        assert!(cipher(&[]).is_err());
    }

    #[test]
    fn every_build_does_the_same() {
        let (key, text) = ([7; 640], (0..640).map(|i| i as u8).collect::<Vec<_>>());
        let expected: Vec<u8> = text.iter().map(|byte| byte ^ 7).collect();
        #[cfg(target_arch = "x86_64")]
        let narrower = x86!("avx2").then_some(avx2 as Steps);
        #[cfg(not(target_arch = "x86_64"))]
        let narrower = None;
        for run in [plain as Steps, steps()].into_iter().chain(narrower) {
            let mut output = vec![0; 640];
            // SAFETY: all three have ten steps; the builds were chosen for this CPU.
            unsafe { run(key.as_ptr(), text.as_ptr(), output.as_mut_ptr(), 10) };
            assert_eq!(output, expected);
        }
    }
}
