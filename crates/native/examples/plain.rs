//! The plain loop: what most people would write to see how long a library takes, here ring. The built-in worker's times
//! are compared with it.
//!
//! `plain ALGORITHM FORM MESSAGE_BYTES`, then a count of calls on each line of standard input; for each, one line with
//! the nanoseconds that so many seals took. It shares nothing with the worker. Its message begins at a page, as the
//! worker's do: their place alone changes some figures by a tenth.
//!
//! Exit code 0 at the end of the input; 2, and one line with the reason, for unknown arguments.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::time::Instant;

use ring::aead::{AES_256_GCM, Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};

const PAGE: usize = 4096;

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
    let (algorithm, bytes) = match &words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["aes-256-gcm", "in-place", bytes] => (&AES_256_GCM, *bytes),
        ["chacha20-poly1305", "in-place", bytes] => (&CHACHA20_POLY1305, *bytes),
        _ => return Err("give aes-256-gcm or chacha20-poly1305, in-place, MESSAGE_BYTES".into()),
    };
    let bytes = bytes.parse().ok().filter(|bytes| *bytes <= 1 << 30);
    let bytes: usize = bytes.ok_or("MESSAGE_BYTES is at most 2^30")?;
    let key = UnboundKey::new(algorithm, b"thirty-two bytes of a public key").map_err(|error| error.to_string())?;
    let key = LessSafeKey::new(key);
    let mut memory = vec![0; bytes + PAGE];
    let page = memory.as_ptr().align_offset(PAGE);
    let message = &mut memory[page..page + bytes];
    let (mut nonce, mut number, mut tag) = ([7; 12], 0u64, [0; 16]);
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        let count: u64 = line.trim().parse().map_err(|_| format!("{line}: not a count of calls"))?;
        let start = Instant::now();
        for _ in 0..count {
            number += 1;
            nonce[..8].copy_from_slice(&number.to_be_bytes());
            let nonce = Nonce::assume_unique_for_key(nonce);
            let sealed = key.seal_in_place_separate_tag(nonce, Aad::empty(), message).map_err(|_| "a call failed")?;
            tag.copy_from_slice(sealed.as_ref());
        }
        let took = start.elapsed().as_nanos();
        std::hint::black_box(&tag);
        writeln!(output, "{took}").and_then(|()| output.flush()).map_err(|error| error.to_string())?;
    }
    Ok(())
}
