//! What fits into a device: it takes short lines and short messages, and has room for few cells at once.

use ciphermeter_protocol::{CheckInput, DeviceFacts, MAX_LINE, Request};

/// Why a vector does not fit; `None` if it does.
pub fn too_long(input: &CheckInput, facts: &DeviceFacts) -> Option<String> {
    let most = facts.max_message?;
    let tag = if input.operation.consumes_sealed() { input.algorithm.tag_bytes() } else { 0 };
    let longest = input.input.len().saturating_sub(tag).max(input.aad.len()) as u64;
    (longest > most).then(|| format!("{longest} bytes; it takes messages and aad of {most}"))
}

/// Why the vector's line does not fit; `None` if it does.
pub fn too_long_a_line(input: &CheckInput, facts: &DeviceFacts) -> Option<String> {
    if facts.max_line >= MAX_LINE {
        return None;
    }
    let bytes = Request::Check(input.clone()).line().write().len();
    (bytes > facts.max_line).then(|| format!("a line of {bytes} bytes; it takes {}", facts.max_line))
}

#[cfg(test)]
mod tests {
    use ciphermeter_core::{Algorithm, Operation};

    use super::*;

    fn input(operation: Operation, input: usize, aad: usize) -> CheckInput {
        CheckInput {
            provider: "p".into(),
            algorithm: Algorithm::Aes256Gcm,
            operation,
            form: None,
            key: vec![1; 32],
            nonce: vec![2; 12],
            aad: vec![3; aad],
            input: vec![4; input],
            threads: None,
        }
    }

    #[test]
    fn message_fits_without_its_tag() {
        let facts = DeviceFacts { max_message: Some(256), ..DeviceFacts::default() };
        let fits = |operation, bytes, aad| too_long(&input(operation, bytes, aad), &facts).is_none();
        assert!(fits(Operation::Seal, 256, 0) && fits(Operation::Open, 272, 256));
        assert!(!fits(Operation::Seal, 257, 0) && !fits(Operation::Open, 273, 0) && !fits(Operation::Seal, 0, 257));
        assert!(too_long(&input(Operation::Seal, 1 << 14, 0), &DeviceFacts::default()).is_none());
    }

    #[test]
    fn line_fits_with_its_newline() {
        let short = input(Operation::Seal, 64, 0);
        let exact = Request::Check(short.clone()).line().write().len();
        let fits = |max_line| too_long_a_line(&short, &DeviceFacts { max_line, ..DeviceFacts::default() }).is_none();
        assert!(fits(exact) && !fits(exact - 1) && fits(MAX_LINE));
    }
}
