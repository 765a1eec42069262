//! What a library really does, found by trial: its output is compared with RustCrypto's.
//!
//! Versions differ in what they get right: OpenSSL 3.0's AES-SIV does nothing at all with an empty message and ignores
//! an empty aad. What is wrong is refused with the reason.

use ciphermeter_core::{Algorithm, Form, Operation};

use super::{LoopParameters, Unsupported, rustcrypto};
use crate::buffer_layout::BufferLayout;
use crate::stream::Streams;
use crate::timed_loop::TimedLoop;

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

/// Creates a timed loop, as [`super::Provider::timed_loop`] does.
pub type CreateLoop<'a> = &'a dyn Fn(&LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported>;

/// Tries an algorithm in form `into`; `None` if its output is wrong.
pub fn run(create: CreateLoop<'_>, algorithm: Algorithm) -> Option<Trial> {
    is_right(create, algorithm, 40, 13).then(|| Trial {
        empty_message: is_right(create, algorithm, 0, 13),
        empty_aad: is_right(create, algorithm, 40, 0),
    })
}

/// Whether the second of two messages is right, sealed and opened.
pub fn is_right(create: CreateLoop<'_>, algorithm: Algorithm, message: usize, aad: usize) -> bool {
    compare(create, algorithm, message, aad) == Some(true)
}

fn compare(create: CreateLoop<'_>, algorithm: Algorithm, message: usize, aad: usize) -> Option<bool> {
    let (seals, opens) = if algorithm.has(Operation::Seal) {
        (Operation::Seal, Operation::Open)
    } else {
        (Operation::Encrypt, Operation::Decrypt)
    };
    let layout = BufferLayout {
        algorithm,
        operation: seals,
        form: Form::Into,
        message,
        sealed: algorithm.sealed_bytes(message),
        aad,
        offset: 0,
        nonce_at: 0,
        nonce: algorithm.nonce_bytes(),
        texts: 1,
    };
    let streams = Streams::new(algorithm, 0, message, aad);
    let parameters = LoopParameters { algorithm, operation: seals, form: Form::Into, key: &streams.key, message, aad };
    let expected = second_output(rustcrypto::open().ok()?.timed_loop(&parameters).ok()?, &layout, &streams, &[])?;
    let sealed = second_output(create(&parameters).ok()?, &layout, &streams, &[])?;
    let opening = BufferLayout { operation: opens, ..layout };
    let parameters = LoopParameters { operation: opens, ..parameters };
    // The text that is opened twice was sealed under iteration 1's nonce.
    let mut one = Streams::new(algorithm, 0, message, aad);
    one.nonce.iter_mut().take(8).zip(1u64.to_be_bytes()).for_each(|(byte, number)| *byte = number);
    let opened = second_output(create(&parameters).ok()?, &opening, &one, &expected)?;
    Some(sealed == expected && opened == streams.message)
}

/// The output of the second of two iterations, the last of which is iteration 1.
fn second_output(
    mut timed_loop: Box<dyn TimedLoop>,
    layout: &BufferLayout,
    streams: &Streams,
    sealed: &[u8],
) -> Option<Vec<u8>> {
    let (mut memory, mut fresh) = (vec![0; layout.bytes()], Vec::new());
    layout.fill(&mut memory, streams, sealed);
    let mut buffers = layout.buffers(&mut memory, &mut fresh, true);
    timed_loop.run(&mut buffers, 0, 2).ok()?;
    let produced = buffers.produced;
    Some(layout.output(&memory, &fresh, produced, 0).concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timed_loop::writing_loop;

    #[test]
    fn library_that_does_nothing_is_detected() {
        let nothing = |_: &LoopParameters<'_>| Ok(writing_loop(|call| Ok(call.text.len())));
        let honest =
            |parameters: &LoopParameters<'_>| rustcrypto::open().expect("it is built in").timed_loop(parameters);
        for algorithm in [Algorithm::Aes256Siv, Algorithm::Aes256Ctr, Algorithm::Aes256Cbc, Algorithm::Aes256Gcm] {
            assert!(run(&nothing, algorithm).is_none(), "{algorithm}");
            assert!(run(&honest, algorithm).is_some_and(|it| it.empty_message && it.empty_aad), "{algorithm}");
        }
    }
}
