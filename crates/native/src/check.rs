//! Answers test vectors with the loops that are timed, in separate buffers.

use ciphermeter_core::{Algorithm, Family, Form, Operation};
use ciphermeter_protocol::{CheckInput, Reply};
use zeroize::Zeroizing;

use crate::buffer_layout::BufferLayout;
use crate::failure_reply::{FailureReply, unsupported};
use crate::loop_buffers::{LoopBuffers, Numbering};
use crate::providers::{LoopParameters, Offered, Provider, Unsupported, has_output};
use crate::split;
use crate::stream::Streams;
use crate::timed_loop::Failed;

/// Answers one vector, in form `batch` as the middle one of a full batch; `offered` is the provider's offer of the
/// algorithm.
pub fn answer(provider: &dyn Provider, offered: &Offered, check: &CheckInput) -> Reply {
    let form = check.form.unwrap_or_else(|| offered.forms.first().copied().unwrap_or(Form::InPlace));
    if let Err(why) = refuse(offered, check, form) {
        return unsupported(why);
    }
    let output =
        if form.is_split() { split::check::output(provider, check, form) } else { output(provider, check, form) };
    match output {
        Ok(Ok(output)) => Reply::Output(output),
        Ok(Err(Failed::Rejected)) => Reply::Rejected,
        // No fault of the library's.
        Ok(Err(Failed::File(why))) => Reply::Error(why),
        Ok(Err(failed)) => Reply::Error(format!("{failed}; this library can't be measured here")),
        Err(reply) => reply,
    }
}

fn output(provider: &dyn Provider, check: &CheckInput, form: Form) -> Result<Result<Vec<u8>, Failed>, FailureReply> {
    let algorithm = check.algorithm;
    let Some(layout) = layout(check, form) else { return Ok(Err(Failed::Rejected)) };
    let (operation, key) = (check.operation, &check.key[..]);
    let timed_loop = provider.timed_loop(&LoopParameters {
        algorithm,
        operation,
        form,
        key,
        message: layout.message,
        aad: layout.aad,
    });
    let mut timed_loop = timed_loop.map_err(unsupported)?;

    let mut memory = vec![0; layout.bytes()];
    let streams = Streams {
        key: Zeroizing::default(),
        nonce: check.nonce.clone(),
        aad: check.aad.clone(),
        message: check.input.clone(),
    };
    let places: Vec<usize> = (0..layout.texts).map(|text| text * layout.stride()).collect();
    let own = places[places.len() / 2];
    let others = others(provider, check, &layout);
    let input_at = |place| if place == own { &check.input } else { &others };
    layout.fill_texts(&mut memory, &streams, places.iter().map(|place| (*place, input_at(*place).as_slice())));
    let mut fresh = Vec::new();
    let buffers = layout.buffers(&mut memory, &mut fresh, false);
    let mut buffers = LoopBuffers { numbering: Numbering::None, places: &places, ..buffers };
    let result = timed_loop.run(&mut buffers, 0, places.len() as u64);
    let produced = buffers.produced;
    Ok(result.map(|()| layout.output(&memory, &fresh, produced, own).concat()))
}

/// What the other messages of a batch consume: where it opens without padding, as many bytes that the library sealed itself.
fn others(provider: &dyn Provider, check: &CheckInput, layout: &BufferLayout) -> Vec<u8> {
    let has_others = check.operation == Operation::Open && layout.texts > 1;
    let is_padded = check.algorithm.sealed_bytes(layout.message) != check.input.len();
    let sealed = (has_others && !is_padded).then(|| {
        let zeros = CheckInput { operation: Operation::Seal, input: vec![0; layout.message], ..check.clone() };
        output(provider, &zeros, layout.form).ok()?.ok()
    });
    sealed.flatten().unwrap_or_else(|| check.input.clone())
}

/// Refusals that need no call of the library.
fn refuse(offered: &Offered, check: &CheckInput, form: Form) -> Result<(), Unsupported> {
    let (algorithm, operation) = (check.algorithm, check.operation);
    // XOR of a split message takes any key but none.
    let any_key = form.is_split() && algorithm == Algorithm::Xor && !check.key.is_empty();
    let why = if operation == Operation::KeySetup || !has_output(algorithm) {
        format!("{operation} of {algorithm} has no output to check")
    } else if !offered.has(operation) {
        format!("{algorithm} has no {operation}")
    } else if !offered.has_form(form) {
        format!("the library has no form {form} for {algorithm}")
    } else if check.key.len() != algorithm.key_bytes() && !any_key {
        format!("key of {} bytes", check.key.len())
    } else if !takes_nonce(algorithm, check.nonce.len()) {
        format!("nonce of {} bytes", check.nonce.len())
    } else if let (Family::Bare, Some(why)) = (algorithm.family(), algorithm.refuses(check.input.len() as u64)) {
        why
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
fn layout(check: &CheckInput, form: Form) -> Option<BufferLayout> {
    let (algorithm, operation, input) = (check.algorithm, check.operation, check.input.len());
    let (message, sealed) = match (algorithm.family(), operation.consumes_sealed()) {
        (Family::Aead, true) => (input.checked_sub(algorithm.tag_bytes())?, input),
        // The length of the padding is known only afterwards.
        (_, true) => (input, input),
        (_, false) => (input, algorithm.sealed_bytes(input)),
    };
    let aad = check.aad.len();
    Some(BufferLayout {
        algorithm,
        operation,
        form,
        message,
        sealed,
        aad,
        offset: 0,
        nonce_at: 0,
        nonce: check.nonce.len(),
        texts: form.messages_a_call() as usize,
    })
}
