//! What each thread of a split message has: ciphers of its own, made by its own library objects.

use ciphermeter_core::{Algorithm, Form, Operation};

use super::files::chunked::ChunkBuffer;
use super::part::PartCipher;
use crate::cell_thread::open_again;
use crate::failure_reply::{FailureReply, unsupported};
use crate::providers::{LoopParameters, OpenProvider, Provider};
use crate::timed_loop::Failed;

/// What each thread has.
pub struct SplitThread {
    /// Encrypts as the form does: from one mapped file to another, else in place.
    pub cipher: Box<dyn PartCipher>,
    /// Decrypts in place.
    pub back: Box<dyn PartCipher>,
    /// Of forms that read and write files, once it is needed.
    buffer: Option<ChunkBuffer>,
    /// It must outlive the objects that it created.
    _provider: Box<dyn Provider>,
}

impl SplitThread {
    /// Opens the provider once more, on the calling thread.
    pub fn create(open: OpenProvider, algorithm: Algorithm, form: Form, key: &[u8]) -> Result<Self, FailureReply> {
        let provider = open_again(open)?;
        let apart = if form == Form::Mapped { Form::Into } else { Form::InPlace };
        let cipher = |form| part_cipher(&*provider, algorithm, Operation::Encrypt, form, key);
        Ok(Self { cipher: cipher(apart)?, back: cipher(Form::InPlace)?, buffer: None, _provider: provider })
    }

    /// Room for a chunk, and the cipher.
    pub fn cipher_and_buffer(&mut self) -> Result<(&mut dyn PartCipher, &mut ChunkBuffer), Failed> {
        let buffer = match self.buffer.take() {
            Some(buffer) => buffer,
            None => ChunkBuffer::new()?,
        };
        Ok((&mut *self.cipher, self.buffer.insert(buffer)))
    }
}

/// What encrypts parts of a message in place, or into another one.
pub fn part_cipher(
    provider: &dyn Provider,
    algorithm: Algorithm,
    operation: Operation,
    form: Form,
    key: &[u8],
) -> Result<Box<dyn PartCipher>, FailureReply> {
    let parameters = LoopParameters { algorithm, operation, form, key, message: 0, aad: 0 };
    provider.part_cipher(&parameters).map_err(unsupported)
}
