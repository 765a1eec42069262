//! Answers a vector as split messages are encrypted: in parts, each under a counter of its own.

use ciphermeter_core::{Algorithm, Form};
use ciphermeter_protocol::CheckInput;

use super::cell::part_cipher;
use super::part::Part;
use super::slices::{UNIT, slice};
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
    let mut cipher = part_cipher(provider, check.algorithm, check.operation, &check.key)?;
    let start = match (check.algorithm, <[u8; 16]>::try_from(&check.nonce[..])) {
        (Algorithm::Aes256Ctr, Ok(nonce)) => u128::from_be_bytes(nonce),
        _ => 0,
    };
    let (mut output, length) = (check.input.clone(), check.input.len() as u64);
    let parts = match form {
        Form::Dynamic => length.div_ceil(UNIT),
        _ => check.threads.unwrap_or(THREADS),
    };
    for part in (0..parts).rev() {
        let range = match form {
            Form::Dynamic => part * UNIT..length.min((part + 1) * UNIT),
            _ => slice(length, parts, part),
        };
        let bytes = &mut output[range.start as usize..range.end as usize];
        if let Err(failed) = cipher.encrypt(start, range.start, Part::in_place(bytes)) {
            return Ok(Err(failed));
        }
    }
    Ok(Ok(output))
}
