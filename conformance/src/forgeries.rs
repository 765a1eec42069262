//! `check` with invalid inputs: forged tags, truncated inputs, bad padding, and keys, nonces and messages of sizes that
//! the algorithm does not have.

use crate::answers::{Vector, rejects, vectors};
use crate::describe::Way;
use crate::question::{Question, named, plain_vector};
use crate::reply::Reply;
use crate::report::{Check, Fault};
use crate::words::Kind;
use crate::worker::Worker;

/// Whether the way can detect that its input is wrong.
pub fn possible(way: &Way) -> bool {
    way.offer.algorithm.kind == Kind::Aead || way.offer.algorithm.name == "aes-256-cbc"
}

/// Each known vector, altered in every way that must be detected.
pub fn forged(worker: &mut Worker, way: &Way) -> Check {
    let algorithm = way.offer.algorithm;
    for vector in vectors(algorithm.name).filter(|vector| !vector.optional) {
        let question = Question::of(way, &vector);
        if algorithm.kind == Kind::Aead {
            for (what, forgery) in forgeries(&question, algorithm.tag) {
                // A sealed empty message, which a library may not support.
                let is_empty = forgery.input.len() == 2 * algorithm.tag;
                let kinds: &[&str] = if is_empty { &["rejected", "unsupported"] } else { &["rejected"] };
                let refusal = expect_refusal(worker, way, &forgery, kinds, &vector, what)?;
                if let Some(reply) = refusal.filter(|reply| reply.is() == "unsupported") {
                    worker.forgive_empty(reply)?;
                }
            }
        } else {
            for (what, kept) in [("cut by a byte", question.input.len() - 2), ("cut to nothing", 0)] {
                let cut = Question { input: question.input[..kept].into(), ..question.clone() };
                expect_refusal(worker, way, &cut, &["rejected", "unsupported"], &vector, what)?;
            }
        }
    }
    for vector in rejects(algorithm.name) {
        expect_refusal(worker, way, &Question::of(way, &vector), &["rejected"], &vector, "bad padding")?;
    }
    Ok(())
}

/// Keys, nonces and messages of other sizes: refused, never an output, an error or a crash.
pub fn sizes(worker: &mut Worker, way: &Way) -> Check {
    let algorithm = way.offer.algorithm;
    let vector = plain_vector(algorithm.name)?;
    let refusals = ["unsupported", "rejected"];
    for size in [0, algorithm.key - 1, algorithm.key + 1] {
        let odd = Question { key: "11".repeat(size), ..Question::of(way, &vector) };
        expect_refusal(worker, way, &odd, &refusals, &vector, &format!("key of {size} bytes"))?;
    }
    for size in other_nonces(algorithm.name, algorithm.nonce) {
        let odd = Question { nonce: "11".repeat(size), ..Question::of(way, &vector) };
        expect_refusal(worker, way, &odd, &refusals, &vector, &format!("nonce of {size} bytes"))?;
    }
    for size in algorithm.no_sizes() {
        let odd = Question { input: "11".repeat(*size as usize), ..Question::of(way, &vector) };
        expect_refusal(worker, way, &odd, &refusals, &vector, &format!("message of {size} bytes"))?;
        let mut prepare = way.prepare(worker.fresh_cell(), 64, 0, 42);
        prepare["message"] = (*size).into();
        worker.ask(&prepare)?.expect("unsupported")?;
    }
    Ok(())
}

/// None where the question is beyond the worker's limits.
fn expect_refusal(
    worker: &mut Worker,
    way: &Way,
    question: &Question,
    kinds: &[&str],
    vector: &Vector,
    what: &str,
) -> Result<Option<Reply>, Fault> {
    let answer = question.ask(worker, way).and_then(|reply| reply.map(|reply| reply.expect_one_of(kinds)).transpose());
    answer.map_err(|fault| named(&format!("{}, {what}", vector.name), fault))
}

fn forgeries(right: &Question, tag: usize) -> Vec<(&'static str, Question)> {
    let input = |input: String| Question { input, ..right.clone() };
    let last = right.input.len() / 2 - 1;
    let mut all = vec![
        ("first byte changed", input(flip(&right.input, 0))),
        ("the byte of a tag's length changed", input(flip(&right.input, tag - 1))),
        ("last byte changed", input(flip(&right.input, last))),
        ("cut by a byte", input(right.input[..2 * last].into())),
        ("cut to less than a tag", input(right.input[..2 * (tag - 1)].into())),
        ("cut to nothing", input(String::new())),
        ("a byte longer", input(format!("{}00", right.input))),
        ("aad a byte longer", Question { aad: format!("{}00", right.aad), ..right.clone() }),
    ];
    if !right.nonce.is_empty() {
        all.push(("nonce changed", Question { nonce: flip(&right.nonce, 0), ..right.clone() }));
    }
    all
}

/// The hex text with the lowest bit of one byte changed.
fn flip(hex: &str, byte: usize) -> String {
    let at = 2 * byte + 1;
    let digit = u8::from_str_radix(&hex[at..=at], 16).unwrap_or_default();
    format!("{}{:x}{}", &hex[..at], digit ^ 1, &hex[at + 1..])
}

/// Nonce sizes that no library may accept. GCM accepts any but none, SIV any at all; some libraries pad a short nonce
/// of ChaCha20, none truncates a long one.
fn other_nonces(algorithm: &str, size: usize) -> Vec<usize> {
    match algorithm {
        "aes-256-siv" => vec![],
        "aes-128-gcm" | "aes-256-gcm" => vec![0],
        _ if size == 0 => vec![1],
        _ => vec![0, size + 1],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flip_changes_one_bit_of_one_byte() {
        assert_eq!(flip("00ff10", 1), "00fe10");
        assert_eq!(flip("00ff10", 2), "00ff11");
    }
}
