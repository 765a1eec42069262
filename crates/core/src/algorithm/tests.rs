//! The table of algorithms, and what is read from it.

use super::*;
use crate::{Form, Operation};

#[test]
fn every_word_parses_to_itself() {
    for algorithm in Algorithm::ALL {
        assert_eq!(algorithm.as_str().parse(), Ok(*algorithm));
    }
}

#[test]
fn unknown_algorithm_is_named_with_the_known_ones() {
    let error = "rot13".parse::<Algorithm>().unwrap_err().to_string();
    assert!(error.starts_with("unknown algorithm `rot13`; known are aes-128-gcm, aes-256-gcm"), "{error}");
}

#[test]
fn files_move_with_two_suites_and_disks_have_two_ciphers() {
    let moves = Algorithm::ALL.iter().filter(|algorithm| algorithm.has(Operation::Transfer));
    let moves: Vec<_> = moves.map(|algorithm| algorithm.as_str()).collect();
    assert_eq!(moves, ["aes-256-gcm", "chacha20-poly1305", "aes-256-xts", "adiantum", "tcp-plain", "ram-disk"]);
    let on_disks =
        Algorithm::ALL.iter().filter(|algorithm| algorithm.has(Operation::Transfer) && algorithm.has_form(Form::Disk));
    assert_eq!(
        on_disks.map(|algorithm| algorithm.as_str()).collect::<Vec<_>>(),
        ["aes-256-xts", "adiantum", "ram-disk"]
    );
    assert!(Operation::ALL.iter().filter(|operation| Algorithm::TcpPlain.has(**operation)).eq([&Operation::Transfer]));
}

#[test]
fn padding_always_adds_at_least_a_byte() {
    assert_eq!(Algorithm::Aes256Cbc.sealed_bytes(0), 16);
    assert_eq!(Algorithm::Aes256Cbc.sealed_bytes(15), 16);
    assert_eq!(Algorithm::Aes256Cbc.sealed_bytes(16), 32);
    assert_eq!(Algorithm::Aes256CbcHs512.sealed_bytes(15), 48);
}

#[test]
fn ccm_has_no_message_longer_than_its_nonce_leaves_room_to_count() {
    assert_eq!(Algorithm::Aes256Ccm.refuses((1 << 24) - 1), None);
    let why = Algorithm::Aes256Ccm.refuses(1 << 24).unwrap();
    assert_eq!(why, "messages of aes-256-ccm have at most 16777215 bytes: with --message, name shorter ones");
    assert_eq!(Algorithm::Aes256Gcm.refuses(1 << 30), None);
}

#[test]
fn sectors_are_whole_blocks() {
    for message in [0, 8, 17, 4095] {
        let why = Algorithm::Aes256Xts.refuses(message).unwrap();
        assert_eq!(why, "messages of aes-256-xts are multiples of 16 bytes: with --message, name 512 or 4KiB, say");
    }
    assert_eq!([16, 512, 1 << 24].map(|message| Algorithm::Aes256Xts.refuses(message)), [None, None, None]);
    let nearest = |message| Algorithm::Adiantum.nearest(message);
    assert_eq!([0, 16, 17, 4096, 4097].map(nearest), [Some(16), Some(16), Some(32), Some(4096), None]);
    assert_eq!(Algorithm::Aes256Gcm.nearest(17), Some(17));
}

#[test]
fn the_usual_cipher_of_a_kind_comes_first() {
    let words = |kind| Algorithm::of_kind(kind).map(Algorithm::as_str).collect::<Vec<_>>();
    assert_eq!(words(CipherKind::Aes)[..3], ["aes-256-gcm", "aes-128-gcm", "aes-256-gcm-siv"]);
    assert_eq!(words(CipherKind::ChaCha), ["chacha20-poly1305", "xchacha20-poly1305", "adiantum", "chacha20"]);
    assert_eq!(words(CipherKind::Other), ["sm4-gcm"], "xor protects nothing");
}

#[test]
fn short_names_tell_apart_what_stands_in_the_column() {
    let [aes, chacha] = Algorithm::USUAL;
    assert_eq!([aes, chacha].map(|algorithm| algorithm.short(&[aes, chacha])), ["AES", "ChaCha"]);
    assert_eq!(aes.short(&[aes, Algorithm::Aes128Gcm]), "AES-256");
}

#[test]
fn every_row_is_whole() {
    for algorithm in Algorithm::ALL {
        let facts = algorithm.facts();
        assert!(![facts.title, facts.short, facts.standard].contains(&""), "{algorithm}");
        assert_eq!(facts.family == Family::Aead, facts.tag > 0, "{algorithm}");
        assert_eq!(facts.family == Family::Ceiling, facts.key == 0, "{algorithm}");
        assert_eq!(facts.kind == CipherKind::Aes, facts.rounds > 0 && facts.key > 0, "{algorithm}");
    }
}
