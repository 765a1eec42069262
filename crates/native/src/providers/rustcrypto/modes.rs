//! AES in CBC and in CTR, a message at a time.

use aes::Aes256;
use aes_gcm::aead::inout::InOutBuf;
use cbc::cipher::block_padding::Pkcs7;
use cbc::cipher::consts::U16;
use cbc::cipher::{
    BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, BlockSizeUser, InnerIvInit, KeyInit,
    StreamCipher,
};

use crate::loop_buffers::Text;
use crate::timed_loop::Failed;

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
