//! What must lie on the RAM disk beneath a mapping: each sector under the cipher, its number the nonce.

use adiantum::Cipher as Adiantum;
use aes::Aes256;
use aes::cipher::KeyInit;
use chacha20::XChaCha12;
use ciphermeter_core::Algorithm;
use xts_mode::Xts128;

use super::device::SECTOR;

/// Encrypts whole sectors in place as dm-crypt does with `plain64`: sectors are counted in 512 bytes, whatever their
/// length. `None` with a key of another length.
pub(super) fn encrypt(algorithm: Algorithm, key: &[u8], sectors: &mut [u8], at: u64) -> Option<()> {
    let number = |place: usize| at / 512 + (place * SECTOR / 512) as u64;
    match algorithm {
        Algorithm::Aes256Xts => {
            let (one, other) = key.split_at_checked(32)?;
            let cipher = Xts128::<Aes256>::new(Aes256::new_from_slice(one).ok()?, Aes256::new_from_slice(other).ok()?);
            for (place, sector) in sectors.chunks_exact_mut(SECTOR).enumerate() {
                cipher.encrypt_sector(sector, u128::from(number(place)).to_le_bytes().into());
            }
        }
        Algorithm::Adiantum => {
            let cipher = Adiantum::<XChaCha12, Aes256>::new_from_slice(key).ok()?;
            for (place, sector) in sectors.chunks_exact_mut(SECTOR).enumerate() {
                let mut tweak = [0; 32];
                tweak[..8].copy_from_slice(&number(place).to_le_bytes());
                cipher.encrypt(sector, &tweak);
            }
        }
        // Bare.
        _ => {}
    }
    Some(())
}
