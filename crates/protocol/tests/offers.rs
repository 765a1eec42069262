//! Of several offers of one algorithm the first counts, and that of transfers beside it.

use std::collections::VecDeque;
use std::time::Duration;

use ciphermeter_core::{Algorithm, Operation};
use ciphermeter_protocol::{Deadline, JsonLine, Link, LinkError, describe};

/// A worker that says what it was given.
struct Told(VecDeque<String>);

impl Link for Told {
    fn send(&mut self, _: &JsonLine, _: Deadline) -> Result<(), LinkError> {
        Ok(())
    }

    fn receive(&mut self, _: Deadline) -> Result<JsonLine, LinkError> {
        let line = self.0.pop_front().expect("a line");
        Ok(JsonLine::parse(line.as_bytes()).expect("JSON"))
    }
}

/// Algorithm, operations' and forms' words of an offer.
type Words = (&'static str, &'static str, &'static str);

/// The offers that a worker with these is taken to have: algorithm, and whether it is of transfers.
fn taken(offers: &[Words]) -> Vec<(Algorithm, bool, usize)> {
    let offer = |(algorithm, operations, forms): &Words| {
        format!(
            r#"{{"is":"offer","provider":"study","version":"1","algorithm":"{algorithm}","operations":"{operations}","forms":"{forms}","path":"soft"}}"#
        )
    };
    let worker = r#"{"is":"worker","protocol":1,"worker":"w","runtime":"r"}"#.to_owned();
    let lines = std::iter::once(worker).chain(offers.iter().map(offer)).chain([r#"{"is":"end"}"#.to_owned()]);
    let described = describe(&mut Told(lines.collect()), Duration::from_secs(1)).expect("a worker");
    let of = |offer: &ciphermeter_protocol::Offer| {
        (offer.algorithm, offer.operations.contains(&Operation::Transfer), offer.forms.len())
    };
    described.offers.iter().map(of).collect()
}

#[test]
fn offer_of_transfers_stands_beside_another_of_its_algorithm() {
    let chacha = Algorithm::ChaCha20Poly1305;
    let (moves, calls) =
        (("chacha20-poly1305", "transfer", "discard,file"), ("chacha20-poly1305", "seal,open", "process"));
    assert_eq!(taken(&[moves, calls]), [(chacha, true, 2), (chacha, false, 1)]);
    assert_eq!(taken(&[calls, moves]), [(chacha, false, 1), (chacha, true, 2)]);
    let more = ("chacha20-poly1305", "seal", "into");
    assert_eq!(taken(&[calls, more, moves]), [(chacha, false, 1), (chacha, true, 2)], "the first counts");
    let (file, gcm) = (("chacha20-poly1305", "transfer", "file"), ("aes-256-gcm", "transfer", "file"));
    assert_eq!(taken(&[moves, file]), [(chacha, true, 2)]);
    assert_eq!(taken(&[gcm, calls]), [(Algorithm::Aes256Gcm, true, 1), (chacha, false, 1)]);
}
