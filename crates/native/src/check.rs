//! Answers test vectors with the same tasks that are timed, in separate buffers.

use ciphermeter_core::{Algorithm, Family, Form, Operation};
use ciphermeter_protocol::{CheckInput, Reply};
use zeroize::Zeroizing;

use crate::job::TAG;
use crate::providers::{Offered, Provider, Unsupported, Want, has_output};
use crate::shape::Shape;
use crate::stream::Streams;
use crate::task::Failed;

/// Answers one vector; `offered` is the provider's offer of the algorithm.
pub fn answer(provider: &dyn Provider, offered: &Offered, check: &CheckInput) -> Reply {
    match output(provider, offered, check) {
        Ok(Ok(output)) => Reply::Output(output),
        Ok(Err(Failed::Rejected)) => Reply::Rejected,
        Ok(Err(failed)) => Reply::Error(format!("{failed}; this library can't be measured here")),
        Err(unsupported) => Reply::Unsupported(unsupported.0),
    }
}

fn output(
    provider: &dyn Provider,
    offered: &Offered,
    check: &CheckInput,
) -> Result<Result<Vec<u8>, Failed>, Unsupported> {
    let form = check.form.unwrap_or(offered.forms[0]);
    refuse(offered, check, form)?;
    let algorithm = check.algorithm;
    let Some(shape) = shape(check, form) else { return Ok(Err(Failed::Rejected)) };
    let (operation, key) = (check.operation, &check.key[..]);
    let mut task = provider.task(&Want { algorithm, operation, form, key, message: shape.message, aad: shape.aad })?;

    let mut memory = vec![0; shape.bytes()];
    let streams = Streams {
        key: Zeroizing::default(),
        nonce: check.nonce.clone(),
        aad: check.aad.clone(),
        message: check.input.clone(),
    };
    shape.fill(&mut memory, &streams, &check.input);
    let mut fresh = Vec::new();
    let mut job = shape.job(&mut memory, &mut fresh, false);
    job.numbered = false;
    let result = task.run(&mut job, 0, 1);
    let given = job.given;
    Ok(result.map(|()| shape.output(&memory, &fresh, given).concat()))
}

/// Refusals that need no call of the library.
fn refuse(offered: &Offered, check: &CheckInput, form: Form) -> Result<(), Unsupported> {
    let (algorithm, operation) = (check.algorithm, check.operation);
    let why = if operation == Operation::KeySetup || !has_output(algorithm) {
        format!("{operation} of {algorithm} has no output to check")
    } else if !offered.has(operation) {
        format!("{algorithm} has no {operation}")
    } else if !offered.forms.contains(&form) {
        format!("the library has no form {form} for {algorithm}")
    } else if check.key.len() != algorithm.key_bytes() {
        format!("key of {} bytes", check.key.len())
    } else if !takes_nonce(algorithm, check.nonce.len()) {
        format!("nonce of {} bytes", check.nonce.len())
    } else {
        return Ok(());
    };
    Err(Unsupported(why))
}

/// AES-SIV takes any nonce as one more component; other algorithms need the length with which they are measured.
fn takes_nonce(algorithm: Algorithm, bytes: usize) -> bool {
    match algorithm {
        Algorithm::Aes256Siv => bytes <= 64,
        _ => bytes == algorithm.nonce_bytes(),
    }
}

/// `None` where the input is too short to contain a tag.
fn shape(check: &CheckInput, form: Form) -> Option<Shape> {
    let (algorithm, operation, input) = (check.algorithm, check.operation, check.input.len());
    let (message, sealed) = match (algorithm.family(), operation.consumes_sealed()) {
        (Family::Aead, true) => (input.checked_sub(TAG)?, input),
        // The length of the padding is known only afterwards.
        (_, true) => (input, input),
        (_, false) => (input, algorithm.sealed_bytes(input)),
    };
    let aad = check.aad.len();
    Some(Shape { algorithm, operation, form, message, sealed, aad, offset: 0, nonce: check.nonce.len() })
}
