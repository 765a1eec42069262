//! AES in CBC and in CTR; and an HMAC of the ciphertext after them, one pass after the other, as RFC 7518 (5.2.2) composes
//! them: the HMAC's key is the first half of the key, and the HMAC is of aad, nonce, ciphertext and the aad's length in bits.

use aes::Aes256;
use aes_gcm::aead::inout::InOutBuf;
use cbc::cipher::block_padding::Pkcs7;
use cbc::cipher::consts::U16;
use cbc::cipher::{
    BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, BlockSizeUser, InnerIvInit, KeyInit,
    StreamCipher,
};
use ciphermeter_core::Operation;
use hmac::Mac;

use super::super::{LoopParameters, Unsupported};
use crate::loop_buffers::{CallArguments, Text};
use crate::timed_loop::{Failed, TimedLoop, key_setup_loop, writing_loop};

/// A bare mode with its key.
pub trait Mode: Sized + 'static {
    /// `None` if the key has another length.
    fn new(key: &[u8]) -> Option<Self>;
    /// How many bytes it has written.
    fn encrypt(&self, nonce: &[u8], text: Text<'_>) -> Result<usize, Failed>;
    /// How many bytes it has written.
    fn decrypt(&self, nonce: &[u8], text: Text<'_>) -> Result<usize, Failed>;
}

/// Cipher block chaining with PKCS#7 padding.
pub struct Cbc<C>(C);

impl<C: BlockSizeUser<BlockSize = U16> + BlockCipherEncrypt + BlockCipherDecrypt> Cbc<C> {
    #[inline(always)]
    pub fn encryptor(&self, nonce: &[u8]) -> Result<cbc::Encryptor<&C>, Failed> {
        cbc::Encryptor::inner_iv_slice_init(&self.0, nonce).map_err(|_| Failed::Library("the nonce"))
    }

    #[inline(always)]
    pub fn decryptor(&self, nonce: &[u8]) -> Result<cbc::Decryptor<&C>, Failed> {
        cbc::Decryptor::inner_iv_slice_init(&self.0, nonce).map_err(|_| Failed::Library("the nonce"))
    }
}

impl<C> Mode for Cbc<C>
where
    C: BlockSizeUser<BlockSize = U16> + BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + 'static,
{
    fn new(key: &[u8]) -> Option<Self> {
        C::new_from_slice(key).ok().map(Self)
    }

    #[inline(always)]
    fn encrypt(&self, nonce: &[u8], text: Text<'_>) -> Result<usize, Failed> {
        let sealed = self.encryptor(nonce)?.encrypt_padded_inout::<Pkcs7>(text.reserved());
        sealed.map(<[u8]>::len).map_err(|_| Failed::Library("padding"))
    }

    #[inline(always)]
    fn decrypt(&self, nonce: &[u8], text: Text<'_>) -> Result<usize, Failed> {
        let opened = self.decryptor(nonce)?.decrypt_padded_inout::<Pkcs7>(text.inout());
        opened.map(<[u8]>::len).map_err(|_| Failed::Rejected)
    }
}

/// Counter mode of AES-256.
pub struct Ctr(Aes256);

impl Mode for Ctr {
    fn new(key: &[u8]) -> Option<Self> {
        Aes256::new_from_slice(key).ok().map(Self)
    }

    #[inline(always)]
    fn encrypt(&self, nonce: &[u8], text: Text<'_>) -> Result<usize, Failed> {
        type Core<'a> = ctr::CtrCore<&'a Aes256, ctr::flavors::Ctr128BE>;
        let core = Core::inner_iv_slice_init(&self.0, nonce).map_err(|_| Failed::Library("the nonce"))?;
        apply(ctr::Ctr128BE::from_core(core), text.inout())
    }

    #[inline(always)]
    fn decrypt(&self, nonce: &[u8], text: Text<'_>) -> Result<usize, Failed> {
        self.encrypt(nonce, text)
    }
}

#[inline(always)]
pub fn apply(mut stream: impl StreamCipher, text: InOutBuf<'_, '_, u8>) -> Result<usize, Failed> {
    let len = text.len();
    stream.try_apply_keystream_inout(text).map(|()| len).map_err(|_| Failed::Library("the keystream's length"))
}

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
