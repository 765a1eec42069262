//! RustCrypto's AEADs as a component of the firmware worker.
//!
//! It promises to C what `core/component.h` asks: one static object for the key in use, and functions that neither
//! allocate nor panic with arguments that the worker gives them.
#![no_std]

mod component;
mod object;

use core::ffi::CStr;

use aes_gcm::aes::{Aes128, Aes256};
use aes_gcm::{Aes128Gcm, Aes256Gcm};
use ascon_aead128::AsconAead128;
use ccm::Ccm;
use ccm::consts::{U12, U16};
use chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};

use component::{Component, Offer};

// The versions in Cargo.toml, which are exact; test.py compares them.
const AES_GCM: &CStr = c"0.11.1";
const AES_CCM: &CStr = c"0.6.1";
const CHACHA20_POLY1305: &CStr = c"0.11.0";
const ASCON_AEAD128: &CStr = c"0.1.1";

macro_rules! offers {
    ($($name:ident: $cipher:ty = $algorithm:literal, $version:expr;)*) => {
        $(
            #[unsafe(no_mangle)]
            static $name: Offer = Offer::of::<$cipher>($algorithm, $version);
        )*
        static OFFERS: &[&Offer] = &[$(&$name),*];
    };
}

// The names that the build looks for: PROVIDER_ALGORITHM.
#[allow(non_upper_case_globals)]
mod table {
    use super::*;
    offers! {
        rustcrypto_aes_128_gcm: Aes128Gcm = c"aes-128-gcm", AES_GCM;
        rustcrypto_aes_256_gcm: Aes256Gcm = c"aes-256-gcm", AES_GCM;
        rustcrypto_aes_128_ccm: Ccm<Aes128, U16, U12> = c"aes-128-ccm", AES_CCM;
        rustcrypto_aes_256_ccm: Ccm<Aes256, U16, U12> = c"aes-256-ccm", AES_CCM;
        rustcrypto_chacha20_poly1305: ChaCha20Poly1305 = c"chacha20-poly1305", CHACHA20_POLY1305;
        rustcrypto_xchacha20_poly1305: XChaCha20Poly1305 = c"xchacha20-poly1305", CHACHA20_POLY1305;
        rustcrypto_ascon_aead128: AsconAead128 = c"ascon-aead128", ASCON_AEAD128;
    }

    #[unsafe(no_mangle)]
    static rustcrypto: Component = Component::new(c"rustcrypto", OFFERS);
}

/// The ciphers do not panic; if one does, the board faults, and its port reports that.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        // SAFETY: an undefined instruction has no effect but the fault.
        #[cfg(target_arch = "arm")]
        unsafe {
            core::arch::asm!("udf #0")
        };
        #[cfg(target_arch = "riscv32")]
        unsafe {
            core::arch::asm!("unimp")
        };
    }
}
