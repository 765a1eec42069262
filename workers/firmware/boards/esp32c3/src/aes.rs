//! AES-GCM over the C3's AES accelerator, block by block, as esp-hal drives it: RustCrypto's `aes-gcm` with the accelerator
//! in the place of its block cipher. GHASH is software. The key goes into the accelerator with every block, because that
//! is esp-hal's interface. `components/esp_aes.c` offers it to the core.

use core::slice;

use aes_gcm::aead::AeadInPlace;
use aes_gcm::aead::consts::{U1, U12, U16};
use aes_gcm::aead::generic_array::GenericArray;
use aes_gcm::aes::cipher::inout::InOut;
use aes_gcm::aes::cipher::{
    Block, BlockBackend, BlockCipher, BlockClosure, BlockEncrypt, BlockSizeUser, ParBlocksSizeUser,
};
use aes_gcm::{AesGcm, Nonce, Tag};
use esp_hal::aes::Aes;
use esp_hal::peripherals::AES;

use crate::bare::Bare;

static ACCELERATOR: Bare<Aes<'static>> = Bare::empty();
static GCM: Bare<AesGcm<Blocks, U12>> = Bare::empty();

/// `enum outcome` of component.h.
const DONE: i32 = 0;
const REJECTED: i32 = 1;
const FAILED: i32 = 2;

pub fn open(aes: AES<'static>) {
    ACCELERATOR.put(Aes::new(aes));
}

/// A key for the accelerator. Decryption of blocks is not needed: GCM is a counter mode.
#[derive(Clone)]
enum Blocks {
    Aes128([u8; 16]),
    Aes256([u8; 32]),
}

impl BlockSizeUser for Blocks {
    type BlockSize = U16;
}

impl BlockCipher for Blocks {}

impl BlockEncrypt for Blocks {
    fn encrypt_with_backend(&self, work: impl BlockClosure<BlockSize = U16>) {
        work.call(&mut Backend(self));
    }
}

struct Backend<'a>(&'a Blocks);

impl BlockSizeUser for Backend<'_> {
    type BlockSize = U16;
}

impl ParBlocksSizeUser for Backend<'_> {
    type ParBlocksSize = U1;
}

impl BlockBackend for Backend<'_> {
    fn proc_block(&mut self, mut block: InOut<'_, '_, Block<Self>>) {
        let mut bytes: [u8; 16] = (*block.get_in()).into();
        ACCELERATOR.with(|aes| match self.0 {
            Blocks::Aes128(key) => aes.encrypt(&mut bytes, *key),
            Blocks::Aes256(key) => aes.encrypt(&mut bytes, *key),
        });
        block.get_out().copy_from_slice(&bytes);
    }
}

// What esp_aes.c says that it takes.
const _: () = assert!(size_of::<AesGcm<Blocks, U12>>() == 68);

/// # Safety
/// `key` is `length` bytes, 16 or 32.
#[unsafe(no_mangle)]
unsafe extern "C" fn esp_aes_set_up(key: *const u8, length: usize) -> i32 {
    // SAFETY: the caller's promise.
    let key = unsafe { slice::from_raw_parts(key, length) };
    let blocks = match (key.try_into(), key.try_into()) {
        (Ok(key), _) => Blocks::Aes128(key),
        (_, Ok(key)) => Blocks::Aes256(key),
        _ => return FAILED,
    };
    GCM.put(AesGcm::from(blocks));
    DONE
}

/// One call of component.h, in place.
///
/// # Safety
/// All pointers are to as many bytes as they say: the nonce 12, the tag 16.
#[unsafe(no_mangle)]
unsafe extern "C" fn esp_aes_seal(
    nonce: *const u8,
    aad: *const u8,
    aad_length: usize,
    text: *mut u8,
    length: usize,
    tag: *mut u8,
) -> i32 {
    // SAFETY: the caller's promise.
    let (nonce, aad, text, tag) = unsafe { parts(nonce, aad, aad_length, text, length, tag) };
    match GCM.with(|gcm| gcm.encrypt_in_place_detached(Nonce::from_slice(nonce), aad, text)) {
        Some(Ok(made)) => {
            tag.copy_from_slice(&made);
            DONE
        }
        _ => FAILED,
    }
}

/// As `esp_aes_seal`.
///
/// # Safety
/// As `esp_aes_seal`.
#[unsafe(no_mangle)]
unsafe extern "C" fn esp_aes_open(
    nonce: *const u8,
    aad: *const u8,
    aad_length: usize,
    text: *mut u8,
    length: usize,
    tag: *mut u8,
) -> i32 {
    // SAFETY: the caller's promise.
    let (nonce, aad, text, tag) = unsafe { parts(nonce, aad, aad_length, text, length, tag) };
    let tag: &Tag = GenericArray::from_slice(tag);
    match GCM.with(|gcm| gcm.decrypt_in_place_detached(Nonce::from_slice(nonce), aad, text, tag)) {
        Some(Ok(())) => DONE,
        Some(Err(_)) => REJECTED,
        None => FAILED,
    }
}

/// # Safety
/// As `esp_aes_seal`.
unsafe fn parts<'a>(
    nonce: *const u8,
    aad: *const u8,
    aad_length: usize,
    text: *mut u8,
    length: usize,
    tag: *mut u8,
) -> (&'a [u8], &'a [u8], &'a mut [u8], &'a mut [u8]) {
    // SAFETY: the caller's promise; the core's buffers do not overlap.
    unsafe {
        (
            slice::from_raw_parts(nonce, 12),
            // What is empty may have no place.
            if aad_length == 0 { &[] } else { slice::from_raw_parts(aad, aad_length) },
            if length == 0 { &mut [] } else { slice::from_raw_parts_mut(text, length) },
            slice::from_raw_parts_mut(tag, 16),
        )
    }
}
