//! Programs that leave nothing to choose, and those whose library chooses.

use ciphermeter_core::Algorithm;

use super::entry::{Choice, Program, Setting};
use super::suites::SUITES;

pub(super) const QUIC: Program = Program {
    name: "quic",
    also: "quic",
    title: "QUIC",
    scenario: Some("packet"),
    algorithms: &SUITES,
    providers: &[],
    says: "a QUIC library uses the TLS library that it is built with: look for that one",
    choice: Choice::Free(|_| Setting {
        sections: Vec::new(),
        check: None,
        links: None,
        remarks: vec![
            "A QUIC library takes suites and their order from its TLS library: see --for go, rustls, node, java.",
        ],
    }),
    sources: &["https://www.rfc-editor.org/rfc/rfc9001#section-5.3"],
    ..Program::LIKE_ITS_SCENARIO
};

pub(super) const WIREGUARD: Program = Program {
    name: "wireguard",
    also: "wg",
    title: "WireGuard",
    scenario: Some("packet"),
    algorithms: &[Algorithm::ChaCha20Poly1305],
    providers: &[],
    says: "WireGuard uses only ChaCha20-Poly1305; its implementation, the kernel's on Linux, is not measured here",
    choice: Choice::None(
        "WireGuard uses ChaCha20-Poly1305 and nothing else. Its implementation, the kernel's on Linux, is not measured here.",
    ),
    sources: &["https://www.wireguard.com/protocol/"],
    ..Program::LIKE_ITS_SCENARIO
};

pub(super) const RESTIC: Program = Program {
    name: "restic",
    also: "restic",
    title: "restic",
    scenario: Some("messages"),
    algorithms: &[Algorithm::Aes256Ctr],
    providers: &["go"],
    form: None,
    messages: &[1 << 20],
    budget: None,
    says: "restic uses Go's AES-256-CTR, and knows no other cipher; its Poly1305-AES tag is not measured, so restic itself is slower",
    overrated: None,
    stand_in: None,
    choice: Choice::None("restic uses AES-256-CTR with a Poly1305-AES tag, from Go, and nothing else."),
    sources: &["https://restic.readthedocs.io/en/stable/100_references.html#keys-encryption-and-mac"],
};

pub(super) const AGE: Program = Program {
    name: "age",
    also: "age",
    title: "age",
    scenario: Some("messages"),
    algorithms: &[Algorithm::ChaCha20Poly1305],
    providers: &["go"],
    form: None,
    messages: &[64 << 10],
    budget: None,
    says: "age seals chunks of 64 KiB with Go's ChaCha20-Poly1305, and knows no other cipher",
    overrated: None,
    stand_in: None,
    choice: Choice::None("age seals chunks of 64 KiB with ChaCha20-Poly1305, in Go, and nothing else."),
    sources: &["https://github.com/C2SP/C2SP/blob/main/age.md#payload"],
};

pub(super) const RAGE: Program = Program {
    name: "rage",
    also: "rage",
    title: "rage",
    providers: &["rustcrypto"],
    says: "rage, age in Rust, seals chunks of 64 KiB with RustCrypto's ChaCha20-Poly1305, and knows no other cipher",
    choice: Choice::None(
        "rage, age in Rust, seals chunks of 64 KiB with RustCrypto's ChaCha20-Poly1305, and nothing else.",
    ),
    sources: &[
        "https://github.com/C2SP/C2SP/blob/main/age.md#payload",
        "https://github.com/str4d/rage/blob/main/Cargo.toml",
    ],
    ..AGE
};
