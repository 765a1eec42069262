//! A mode of AES, and an HMAC of the ciphertext after it, one pass after the other, as RFC 7518 (5.2.2) composes them: the
//! HMAC's key is the first half of the key, and the HMAC is of aad, nonce, ciphertext and the aad's length in bits.

use cbc::cipher::KeyInit;
use ciphermeter_core::Operation;
use hmac::Mac;

use super::super::{LoopParameters, Unsupported};
use super::modes::Mode;
use crate::loop_buffers::CallArguments;
use crate::timed_loop::{Failed, TimedLoop, key_setup_loop, writing_loop};

/// The loop of a mode and an HMAC.
pub fn then_hmac<M: Mode, H: Mac + KeyInit + Clone + 'static>(
    parameters: &LoopParameters<'_>,
) -> Result<Box<dyn TimedLoop>, Unsupported> {
    let bytes = parameters.algorithm.key_bytes();
    let of_key = move |key: &[u8]| {
        let (of_hmac, of_mode) = key.split_at_checked(bytes / 2).filter(|_| key.len() == bytes)?;
        Some((M::new(of_mode)?, <H as KeyInit>::new_from_slice(of_hmac).ok()?))
    };
    if parameters.operation == Operation::KeySetup {
        return Ok(key_setup_loop(of_key));
    }
    let no_key = || Unsupported(format!("key of {} bytes", parameters.key.len()));
    let (mode, keyed) = of_key(parameters.key).ok_or_else(no_key)?;
    let hmac_of = move |aad: &[u8], nonce: &[u8], ciphertext: &[u8]| {
        let mut hmac: H = keyed.clone();
        for part in [aad, nonce, ciphertext, &(8 * aad.len() as u64).to_be_bytes()] {
            hmac.update(part);
        }
        hmac
    };
    Ok(match parameters.seals() {
        true => writing_loop(move |call| {
            let CallArguments { nonce, aad, text, tag } = call;
            let output = text.output();
            let written = mode.encrypt(nonce, text)?;
            // SAFETY: the mode has written so many bytes there.
            let ciphertext = unsafe { std::slice::from_raw_parts(output, written) };
            let made = hmac_of(aad, nonce, ciphertext).finalize().into_bytes();
            tag.copy_from_slice(&made[..tag.len()]);
            Ok(written)
        }),
        false => writing_loop(move |call| {
            let CallArguments { nonce, aad, text, tag } = call;
            hmac_of(aad, nonce, text.read()).verify_truncated_left(tag).map_err(|_| Failed::Rejected)?;
            mode.decrypt(nonce, text)
        }),
    })
}
