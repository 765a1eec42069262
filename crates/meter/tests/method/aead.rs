//! What a model says where its answers are checked against published ones.

use aes_gcm::Aes256Gcm;
use aes_gcm::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::ChaCha20Poly1305;
use ciphermeter_core::{Algorithm, Operation};
use ciphermeter_protocol::{CheckInput, Reply};

/// Seals or opens.
pub fn check(input: &CheckInput) -> Reply {
    match input.algorithm {
        Algorithm::Aes256Gcm => by(&Aes256Gcm::new_from_slice(&input.key).unwrap(), input),
        _ => by(&ChaCha20Poly1305::new_from_slice(&input.key).unwrap(), input),
    }
}

fn by<C: Aead>(cipher: &C, input: &CheckInput) -> Reply {
    let Ok(nonce) = input.nonce.as_slice().try_into() else {
        return Reply::Unsupported("its nonces are 12 bytes long".into());
    };
    let payload = Payload { msg: &input.input, aad: &input.aad };
    let output = match input.operation {
        Operation::Seal => cipher.encrypt(nonce, payload),
        _ => cipher.decrypt(nonce, payload),
    };
    output.map_or(Reply::Rejected, Reply::Output)
}
