//! libaegis by the crate aegis: in place only, since its calls that allocate return the tag apart.

use ciphermeter_core::{Algorithm, Form, Setup};
use zeroize::Zeroizing;

use super::{LoopParameters, Offered, Provider, Unsupported};
use crate::cpu::{arm, first_of, x86};
use crate::timed_loop::{Failed, TimedLoop, writing_loop};

struct LibAegis;

pub fn open() -> Result<Box<dyn Provider>, String> {
    Ok(Box::new(LibAegis))
}

/// An algorithm, how many states it has side by side, and its loop.
struct Row {
    algorithm: Algorithm,
    states: u32,
    timed_loop: fn(&LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported>,
}

macro_rules! row {
    ($algorithm:ident, $states:literal, $module:ident::$cipher:ident, $tag:literal) => {
        Row {
            algorithm: Algorithm::$algorithm,
            states: $states,
            timed_loop: |parameters| {
                let no_key = |_| Unsupported(format!("key of {} bytes", parameters.key.len()));
                let key: Zeroizing<aegis::$module::Key> = Zeroizing::new(parameters.key.try_into().map_err(no_key)?);
                let cipher = move |nonce: &[u8]| {
                    let nonce = <&aegis::$module::Nonce>::try_from(nonce).map_err(|_| Failed::Library("the nonce"));
                    nonce.map(|nonce| aegis::$module::$cipher::<$tag>::new(&key, nonce))
                };
                Ok(match parameters.seals() {
                    true => writing_loop(move |call| {
                        let len = call.text.len();
                        let tag = cipher(call.nonce)?.encrypt_in_place(call.text.in_place(), call.aad);
                        call.tag.copy_from_slice(&tag);
                        Ok(len)
                    }),
                    false => writing_loop(move |call| {
                        let len = call.text.len();
                        let tag = (&*call.tag).try_into().map_err(|_| Failed::Library("the tag"))?;
                        let opened = cipher(call.nonce)?.decrypt_in_place(call.text.in_place(), tag, call.aad);
                        opened.map(|()| len).map_err(|_| Failed::Rejected)
                    }),
                })
            },
        }
    };
}

const ROWS: &[Row] = &[
    row!(Aegis128l, 1, aegis128l::Aegis128L, 16),
    row!(Aegis128x2, 2, aegis128x2::Aegis128X2, 16),
    row!(Aegis128x4, 4, aegis128x4::Aegis128X4, 16),
    row!(Aegis256, 1, aegis256::Aegis256, 16),
    row!(Aegis256x2, 2, aegis256x2::Aegis256X2, 16),
    row!(Aegis256x4, 4, aegis256x4::Aegis256X4, 16),
    row!(Aegis128l32, 1, aegis128l::Aegis128L, 32),
    row!(Aegis25632, 1, aegis256::Aegis256, 32),
];

impl Provider for LibAegis {
    fn offers(&self) -> Vec<Offered> {
        let offered = |row: &Row| Offered {
            algorithm: row.algorithm,
            version: concat!("aegis ", env!("VERSION_AEGIS")).into(),
            forms: &[Form::InPlace],
            path: path(row),
            // Key and nonce together make a state.
            setup: Setup::Inside,
        };
        ROWS.iter().map(offered).collect()
    }

    fn timed_loop(&self, parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
        match ROWS.iter().find(|row| row.algorithm == parameters.algorithm) {
            Some(row) => (row.timed_loop)(parameters),
            None => Err(Unsupported::algorithm(parameters.algorithm)),
        }
    }
}

/// libaegis's rule: `*_pick_best_implementation` in src/*/*.c, and common/cpu.c. (On AMD's CPUs that
/// halve the registers of AVX-512, AEGIS-256X4 has the same instructions on 256 bits.)
fn path(row: &Row) -> &'static str {
    first_of(&[
        (row.states == 4 && x86!("vaes", "avx2", "avx512f"), "vaes-avx512"),
        (row.states > 1 && x86!("vaes", "avx2"), "vaes-avx2"),
        (x86!("aes", "avx"), "aesni-avx"),
        (
            matches!(row.algorithm, Algorithm::Aegis128l | Algorithm::Aegis128l32) && arm!("aes", "sha3"),
            "armv8-aes-sha3",
        ),
        (arm!("aes"), "armv8-aes"),
    ])
}
