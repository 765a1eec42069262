//! The plain loop: what most people would write to see how long a library takes. The instrument's figures are compared
//! with it.
//!
//! `plain PROVIDER ALGORITHM OPERATION FORM MESSAGE_BYTES`, then a count of iterations on each line of standard input;
//! for each, one line with the nanoseconds that those calls took. It shares nothing with the worker: it calls the
//! libraries directly, in a `for` loop, with a counter as nonce (opening: the same text under the same nonce again and
//! again, copied back first if it was opened in place) and no aad. Its buffers begin at a page, as the worker's do:
//! their place alone changes some figures by a tenth.
//!
//! Exit code 0 at the end of the input; 2, and one line with the reason, for unknown arguments.

use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};
use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::time::Instant;

mod c;
mod rust;

/// A key of a library, ready for messages; the tag is the 16 bytes after the text.
pub trait Library {
    /// Whether it has the form `into` for this algorithm.
    const INTO: bool = true;
    /// Whether it has the form `in-place`.
    const IN_PLACE: bool = true;

    /// Seals `len` bytes; false if the library refuses.
    ///
    /// # Safety
    /// `from` holds `len` bytes; `to` has room for 16 more and is `from`, or apart from it.
    unsafe fn seal(&mut self, nonce: &[u8; 12], from: *const u8, to: *mut u8, len: usize) -> bool;

    /// Opens `len` bytes and the tag after them; false if the library refuses.
    ///
    /// # Safety
    /// `from` holds 16 bytes more than `len`; `to` has room for them and is `from`, or apart from it.
    unsafe fn open(&mut self, nonce: &[u8; 12], from: *const u8, to: *mut u8, len: usize) -> bool;
}

/// What the loop repeats.
#[derive(Clone, Copy)]
pub struct Case {
    /// ChaCha20-Poly1305 instead of AES-256-GCM.
    pub chacha: bool,
    opens: bool,
    in_place: bool,
    len: usize,
}

/// Does that many iterations.
pub type Loop = Box<dyn FnMut(u64) -> Result<(), String>>;

/// The key of all its messages.
pub const KEY: [u8; 32] = *b"thirty-two bytes of a public key";

/// A loop over a library's calls.
pub fn repeat<L: Library + 'static>(mut library: L, case: Case) -> Result<Loop, String> {
    let Case { opens, in_place, len, .. } = case;
    if !(if in_place { L::IN_PLACE } else { L::INTO }) {
        return Err("this library has no such form for this algorithm".into());
    }
    let (text, other) = (pages(len + 16), pages(len + 16));
    let (mut nonce, mut number) = ([7; 12], 0u64);
    // The opened text is the sealing of zeroes, which both buffers contain.
    let plain = if L::INTO { text } else { other };
    // SAFETY: the buffers hold 16 bytes more than `len`, and `plain` is `other`, or apart from it.
    if opens && !unsafe { library.seal(&nonce, plain, other, len) } {
        return Err("the library refused to seal".into());
    }
    let (from, to) = match (opens, in_place) {
        (false, true) => (text.cast_const(), text),
        (false, false) => (text.cast_const(), other),
        (true, true) => (text.cast_const(), text),
        (true, false) => (other.cast_const(), text),
    };
    Ok(Box::new(move |count| {
        for _ in 0..count {
            // SAFETY: as above.
            let done = unsafe {
                if opens {
                    if in_place {
                        text.copy_from_nonoverlapping(other, len + 16);
                    }
                    library.open(&nonce, from, to, len)
                } else {
                    number += 1;
                    nonce[..8].copy_from_slice(&number.to_be_bytes());
                    library.seal(&nonce, from, to, len)
                }
            };
            if !done {
                return Err("a call failed".into());
            }
        }
        Ok(())
    }))
}

/// Zeroed memory from the start of a page, for the rest of the process's life.
fn pages(bytes: usize) -> *mut u8 {
    let Ok(layout) = Layout::from_size_align(bytes, 4096) else { return std::ptr::null_mut() };
    // SAFETY: it is at least 16 bytes.
    let start = unsafe { alloc_zeroed(layout) };
    if start.is_null() { handle_alloc_error(layout) } else { start }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("plain: {why}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), String> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [provider, algorithm, operation, form, message] = &words[..] else {
        return Err("usage: PROVIDER ALGORITHM OPERATION FORM MESSAGE_BYTES".into());
    };
    let one_of = |word: &str, known: [&str; 2]| {
        known.iter().position(|known| *known == word).ok_or_else(|| format!("{word}: only {}", known.join(" and ")))
    };
    let len = message.parse().ok().filter(|len| *len <= 1 << 30);
    let case = Case {
        chacha: one_of(algorithm, ["aes-256-gcm", "chacha20-poly1305"])? == 1,
        opens: one_of(operation, ["seal", "open"])? == 1,
        in_place: one_of(form, ["into", "in-place"])? == 1,
        len: len.ok_or_else(|| format!("{message}: not a number of bytes up to 2^30"))?,
    };
    let known = rust::repeated(provider, case).or_else(|| c::repeated(provider, case));
    let mut calls = known.ok_or_else(|| format!("{provider}: no such library"))??;
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        let count = line.trim().parse().map_err(|_| format!("{line}: not a count of iterations"))?;
        let start = Instant::now();
        calls(count)?;
        let took = start.elapsed().as_nanos();
        writeln!(output, "{took}").and_then(|()| output.flush()).map_err(|error| error.to_string())?;
    }
    Ok(())
}
