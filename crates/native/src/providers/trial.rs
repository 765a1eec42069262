//! What a library really does, found by trial: its output is compared with RustCrypto's.
//!
//! Versions differ in what they get right: OpenSSL 3.0's AES-SIV does nothing at all with an empty message and ignores
//! an empty aad. What is wrong is refused with the reason.

use ciphermeter_core::{Algorithm, Form, Operation};

use super::{Unsupported, Want, rustcrypto};
use crate::shape::Shape;
use crate::stream::Streams;
use crate::task::Task;

/// How a library handles empty inputs.
#[derive(Debug, Clone, Copy)]
pub struct Trial {
    pub empty_message: bool,
    pub empty_aad: bool,
}

impl Trial {
    /// Correct with all inputs.
    pub const SOUND: Self = Self { empty_message: true, empty_aad: true };
}

/// Creates a task, as [`super::Provider::task`] does.
pub type Make<'a> = &'a dyn Fn(&Want<'_>) -> Result<Box<dyn Task>, Unsupported>;

/// Tries an algorithm in form `into`; `None` if its output is wrong.
pub fn of(make: Make<'_>, algorithm: Algorithm) -> Option<Trial> {
    right(make, algorithm, 40, 13)
        .then(|| Trial { empty_message: right(make, algorithm, 0, 13), empty_aad: right(make, algorithm, 40, 0) })
}

/// Whether the second of two messages is right, sealed and opened.
pub fn right(make: Make<'_>, algorithm: Algorithm, message: usize, aad: usize) -> bool {
    compared(make, algorithm, message, aad) == Some(true)
}

fn compared(make: Make<'_>, algorithm: Algorithm, message: usize, aad: usize) -> Option<bool> {
    let (seals, opens) = if algorithm.has(Operation::Seal) {
        (Operation::Seal, Operation::Open)
    } else {
        (Operation::Encrypt, Operation::Decrypt)
    };
    let shape = Shape {
        algorithm,
        operation: seals,
        form: Form::Into,
        message,
        sealed: algorithm.sealed_bytes(message),
        aad,
        offset: 0,
        nonce: algorithm.nonce_bytes(),
    };
    let streams = Streams::new(algorithm, 0, message, aad);
    let want = Want { algorithm, operation: seals, form: Form::Into, key: &streams.key, message, aad };
    let truth = second(rustcrypto::open().ok()?.task(&want).ok()?, &shape, &streams, &[])?;
    let sealed = second(make(&want).ok()?, &shape, &streams, &[])?;
    let opening = Shape { operation: opens, ..shape };
    let want = Want { operation: opens, ..want };
    // The text that is opened twice was sealed under iteration 1's nonce.
    let mut one = Streams::new(algorithm, 0, message, aad);
    one.nonce.iter_mut().take(8).zip(1u64.to_be_bytes()).for_each(|(byte, number)| *byte = number);
    let opened = second(make(&want).ok()?, &opening, &one, &truth)?;
    Some(sealed == truth && opened == streams.message)
}

/// The output of the second of two iterations, the last of which is iteration 1.
fn second(mut task: Box<dyn Task>, shape: &Shape, streams: &Streams, sealed: &[u8]) -> Option<Vec<u8>> {
    let (mut memory, mut fresh) = (vec![0; shape.bytes()], Vec::new());
    shape.fill(&mut memory, streams, sealed);
    let mut job = shape.job(&mut memory, &mut fresh, true);
    task.run(&mut job, 0, 2).ok()?;
    let given = job.given;
    Some(shape.output(&memory, &fresh, given).concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::each;

    #[test]
    fn library_that_does_nothing_is_detected() {
        let nothing = |_: &Want<'_>| Ok(each(|call| Ok(call.text.len())));
        let honest = |want: &Want<'_>| rustcrypto::open().expect("it is built in").task(want);
        for algorithm in [Algorithm::Aes256Siv, Algorithm::Aes256Ctr, Algorithm::Aes256Cbc, Algorithm::Aes256Gcm] {
            assert!(of(&nothing, algorithm).is_none(), "{algorithm}");
            assert!(of(&honest, algorithm).is_some_and(|it| it.empty_message && it.empty_aad), "{algorithm}");
        }
    }
}
