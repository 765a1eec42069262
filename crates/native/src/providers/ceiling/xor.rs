//! `xor`: the message and a repeated 32-byte key. No cipher, but the cost of reading and writing every byte.
//!
//! One loop, which the compiler turns into the widest vectors that each build of it may use.

use ciphermeter_core::Form;
use zeroize::Zeroizing;

use super::super::{LoopParameters, Unsupported};
use crate::cpu::{first_of, x86};
use crate::timed_loop::{TimedLoop, writing_loop};

/// The key, repeated to the width of the widest vector.
const WIDTH: usize = 64;
type Key = [u8; WIDTH];

/// # Safety
/// `input` and `output` hold `len` bytes each and are equal or apart; the CPU has the features of the build.
pub(super) type Xor = unsafe fn(key: &Key, input: *const u8, output: *mut u8, len: usize);

/// Which of the builds below this CPU runs.
pub fn path() -> &'static str {
    first_of(&[
        (x86!("avx512f"), "avx512"),
        (x86!("avx2"), "avx2"),
        (cfg!(target_arch = "x86_64"), "sse2"),
        (cfg!(target_arch = "aarch64"), "neon"),
    ])
}

pub(super) fn build() -> Xor {
    #[cfg(target_arch = "x86_64")]
    match path() {
        "avx512" => return avx512,
        "avx2" => return avx2,
        _ => {}
    }
    plain
}

pub fn timed_loop(parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
    if parameters.form == Form::Fresh {
        return Err(Unsupported("xor has no form fresh".into()));
    }
    let half: [u8; 32] =
        parameters.key.try_into().map_err(|_| Unsupported(format!("key of {} bytes", parameters.key.len())))?;
    let mut key = Zeroizing::new([0; WIDTH]);
    key[..32].copy_from_slice(&half);
    key[32..].copy_from_slice(&half);
    let xor = build();
    Ok(writing_loop(move |call| {
        let text = call.text;
        // SAFETY: a text's buffers hold `len` bytes and are equal or apart; `build` looks at the CPU.
        unsafe { xor(&key, text.input(), text.output(), text.len()) };
        Ok(text.len())
    }))
}

#[inline(always)]
unsafe fn plain(key: &Key, input: *const u8, output: *mut u8, len: usize) {
    let whole_bytes = len - len % WIDTH;
    // SAFETY: every index is below `len`, and unaligned reads and writes of whole arrays allow for any address.
    unsafe {
        for at in (0..whole_bytes).step_by(WIDTH) {
            let block = input.add(at).cast::<Key>().read_unaligned();
            let mut out = [0; WIDTH];
            for i in 0..WIDTH {
                out[i] = block[i] ^ key[i];
            }
            output.add(at).cast::<Key>().write_unaligned(out);
        }
        for at in whole_bytes..len {
            output.add(at).write(input.add(at).read() ^ key[at % WIDTH]);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn avx2(key: &Key, input: *const u8, output: *mut u8, len: usize) {
    // SAFETY: the caller's promise is the same.
    unsafe { plain(key, input, output, len) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn avx512(key: &Key, input: *const u8, output: *mut u8, len: usize) {
    // SAFETY: the caller's promise is the same.
    unsafe { plain(key, input, output, len) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_build_matches_a_naive_loop() {
        let key: Key = std::array::from_fn(|i| (i % 32) as u8 * 7 + 1);
        #[cfg(target_arch = "x86_64")]
        let narrower = x86!("avx2").then_some(avx2 as Xor);
        #[cfg(not(target_arch = "x86_64"))]
        let narrower = None;
        for xor in [plain, build()].into_iter().chain(narrower) {
            for len in (0..200).chain([4095, 65_537]) {
                let text: Vec<u8> = (0..len).map(|i| (i * 31) as u8).collect();
                let naive: Vec<u8> = text.iter().enumerate().map(|(i, byte)| byte ^ key[i % 32]).collect();
                let (mut apart, mut same) = (vec![0; len], text.clone());
                // SAFETY: the lengths are those of the vectors; the build was chosen for this CPU.
                unsafe {
                    xor(&key, text.as_ptr(), apart.as_mut_ptr(), len);
                    xor(&key, same.as_ptr(), same.as_mut_ptr(), len);
                }
                assert_eq!((&apart, &same), (&naive, &naive), "{len} bytes");
            }
        }
    }
}
