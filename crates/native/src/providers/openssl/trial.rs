//! What the SIV modes of this libcrypto can really do, found out by trying.
//!
//! Versions differ: 3.0 needs the key again for each message, does nothing at all with an empty one, and passes over an
//! empty component. What they give is held against RustCrypto's output of the same.

use ciphermeter_core::{Algorithm, Form, Operation};

use super::super::{Want, rustcrypto};
use super::library::{Cipher, LibCrypto};
use crate::shape::Shape;
use crate::stream::Streams;
use crate::task::Task;

/// What a cipher needs and does.
#[derive(Debug, Clone, Copy)]
pub struct Trial {
    /// It must be given the key again for each message.
    pub rekeys: bool,
    pub empty_message: bool,
    pub empty_aad: bool,
}

/// Tries a cipher; `None` if no way of using it gives the right output. Only the SIV modes need trying.
pub fn of(library: &'static LibCrypto, cipher: Cipher, algorithm: Algorithm) -> Option<Trial> {
    if !matches!(algorithm, Algorithm::Aes256Siv | Algorithm::Aes256GcmSiv) {
        return Some(Trial { rekeys: false, empty_message: true, empty_aad: true });
    }
    let right = |rekeys, message, aad| right(library, cipher, algorithm, rekeys, message, aad) == Some(true);
    let rekeys = [false, true].into_iter().find(|rekeys| right(*rekeys, 40, 13))?;
    Some(Trial { rekeys, empty_message: right(rekeys, 0, 13), empty_aad: right(rekeys, 40, 0) })
}

/// Whether the second of two messages comes out right, sealed and opened.
fn right(
    library: &'static LibCrypto,
    cipher: Cipher,
    algorithm: Algorithm,
    rekeys: bool,
    message: usize,
    aad: usize,
) -> Option<bool> {
    let shape = Shape {
        algorithm,
        operation: Operation::Seal,
        form: Form::Into,
        message,
        sealed: algorithm.sealed_bytes(message),
        aad,
        offset: 0,
        nonce: algorithm.nonce_bytes(),
    };
    let streams = Streams::new(algorithm, 0, message, aad);
    let want = Want { algorithm, operation: Operation::Seal, form: Form::Into, key: &streams.key, message, aad };
    let truth = second(rustcrypto::open().ok()?.task(&want).ok()?, &shape, &streams, &[])?;
    let sealed = second(super::task(library, cipher, rekeys, &want).ok()?, &shape, &streams, &[])?;
    let opening = Shape { operation: Operation::Open, ..shape };
    let want = Want { operation: Operation::Open, ..want };
    // What is opened twice was sealed under iteration 1's nonce.
    let mut one = Streams::new(algorithm, 0, message, aad);
    one.nonce.iter_mut().take(8).zip(1u64.to_be_bytes()).for_each(|(byte, number)| *byte = number);
    let opened = second(super::task(library, cipher, rekeys, &want).ok()?, &opening, &one, &truth)?;
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
