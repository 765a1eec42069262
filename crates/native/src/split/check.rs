//! Answers a vector as split messages are encrypted: in parts, each under a counter of its own.

use std::ops::Range;

use ciphermeter_core::{Algorithm, Form};
use ciphermeter_protocol::CheckInput;

use super::files::{Files, chunked, mapped};
use super::part::{Part, PartCipher};
use super::slices::{UNIT, slice};
use super::thread::part_cipher;
use crate::failure_reply::FailureReply;
use crate::providers::Provider;
use crate::timed_loop::Failed;

/// Among how many threads an input is split where nothing else is asked.
const THREADS: u64 = 2;

/// The output for a request that the provider offers. Parts are encrypted one after another, the last one first: what
/// comes out must not depend on the order.
pub fn output(
    provider: &dyn Provider,
    check: &CheckInput,
    form: Form,
) -> Result<Result<Vec<u8>, Failed>, FailureReply> {
    let apart = if form == Form::Mapped { Form::Into } else { Form::InPlace };
    let mut cipher = part_cipher(provider, check.algorithm, check.operation, apart, &check.key)?;
    let start = match (check.algorithm, <[u8; 16]>::try_from(&check.nonce[..])) {
        (Algorithm::Aes256Ctr, Ok(nonce)) => u128::from_be_bytes(nonce),
        _ => 0,
    };
    let (length, threads) = (check.input.len() as u64, check.threads.unwrap_or(THREADS));
    let slices = (0..threads).rev().map(|thread| slice(length, threads, thread));
    if form.is_of_files() {
        return Ok(through_files(&mut *cipher, check, form, start, slices));
    }
    let parts: Vec<_> = match form {
        Form::Dynamic => {
            (0..length.div_ceil(UNIT)).rev().map(|unit| unit * UNIT..length.min((unit + 1) * UNIT)).collect()
        }
        _ => slices.collect(),
    };
    let mut output = check.input.clone();
    for range in parts {
        let bytes = &mut output[range.start as usize..range.end as usize];
        if let Err(failed) = cipher.encrypt(start, range.start, Part::in_place(bytes)) {
            return Ok(Err(failed));
        }
    }
    Ok(Ok(output))
}

/// The same from a file of the input to a file of the output.
fn through_files(
    cipher: &mut dyn PartCipher,
    check: &CheckInput,
    form: Form,
    start: u128,
    mut slices: impl Iterator<Item = Range<u64>>,
) -> Result<Vec<u8>, Failed> {
    // A file of one period is the input itself.
    let files = Files::new(check.input.len() as u64, &check.input, form).map_err(Failed::File)?;
    files.begin()?;
    match form {
        Form::Mapped => slices.try_for_each(|slice| mapped::encrypt(&files, cipher, start, slice))?,
        _ => chunked::encrypt(&files, cipher, start, 0..files.bytes, &mut chunked::ChunkBuffer::new()?)?,
    }
    let mut output = vec![0; check.input.len()];
    files.read_output(0, &mut output)?;
    Ok(output)
}
