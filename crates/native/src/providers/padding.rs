//! PKCS#7 padding (RFC 5652, 6.3) for libraries whose CBC takes whole blocks only: their users must add it themselves.

/// Bytes of a block of AES.
pub const BLOCK: usize = 16;

/// The last block to encrypt: the rest of a text after its whole blocks, padded.
///
/// # Safety
/// `text` must be readable for `len` bytes.
#[inline(always)]
pub unsafe fn last_block(text: *const u8, len: usize) -> [u8; BLOCK] {
    let left = len % BLOCK;
    let mut block = [(BLOCK - left) as u8; BLOCK];
    // SAFETY: the last `left` of the text's `len` bytes.
    unsafe { block.as_mut_ptr().copy_from_nonoverlapping(text.add(len - left), left) };
    block
}

/// How many of a decrypted text's bytes are not padding; `None` if the padding is wrong. It checks as few bytes as it
/// needs, not in constant time: padding oracles are irrelevant here.
#[inline(always)]
pub fn unpadded(text: &[u8]) -> Option<usize> {
    let padding = usize::from(*text.last()?);
    let end = text.len().checked_sub(padding).filter(|_| (1..=BLOCK).contains(&padding))?;
    text[end..].iter().all(|byte| usize::from(*byte) == padding).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unpadding_reverses_padding() {
        for len in 0..40 {
            let mut text: Vec<u8> = (0..len).collect();
            let whole_bytes = text.len() / BLOCK * BLOCK;
            // SAFETY: it is the text's length.
            let block = unsafe { last_block(text.as_ptr(), text.len()) };
            text.truncate(whole_bytes);
            text.extend_from_slice(&block);
            assert_eq!(unpadded(&text), Some(usize::from(len)));
        }
        let text_ending_in = |last: [u8; 2]| [[7; 14].as_slice(), &last].concat();
        for wrong in [text_ending_in([7, 0]), text_ending_in([7, 17]), text_ending_in([3, 2]), Vec::new()] {
            assert_eq!(unpadded(&wrong), None, "{wrong:?}");
        }
    }
}
