//! `check`: known answers, and inputs of up to 16 KiB, or of up to what the worker takes.

use std::io;

use serde_json::Value;

use crate::answers::{Vector, vectors};
use crate::describe::{Offer, Way};
use crate::facts::Facts;
use crate::forgeries;
use crate::question::{Question, TAG, named, plain_vector};
use crate::reply::Reply;
use crate::report::{Check, clip, ensure};
use crate::suite::Suite;
use crate::words::Kind;
use crate::worker::Worker;

/// The longest plaintext whose sealed text, tag or padding included, is still 16 KiB.
const LARGE: u64 = 16 * 1024 - TAG;

/// Clearly longer than the limit for an input, though its line is short enough.
const TOO_LARGE: u64 = 20_000;

/// Every declared way of one offer.
pub fn check(suite: &mut Suite, offer: &Offer) -> io::Result<()> {
    for way in offer.ways().filter(Way::has_output) {
        suite.check(&way.title("known answers"), |worker| known(worker, &way))?;
        if !way.seals() && forgeries::possible(&way) {
            suite.check(&way.title("forged or truncated is rejected"), |worker| forgeries::forged(worker, &way))?;
        }
        suite.check(&way.title("other sizes of key, nonce and message"), |worker| forgeries::sizes(worker, &way))?;
        let title = if suite.facts().is_device { "long inputs there and back" } else { "16 KiB there and back" };
        suite.check(&way.title(title), |worker| large(worker, &way))?;
    }
    for way in offer.ways().filter(|way| way.form == offer.forms[0]) {
        if way.has_output() {
            suite.check(&way.title("check with form absent or null"), |worker| without_form(worker, &way))?;
        } else {
            suite.check(&way.title("check has nothing to answer"), |worker| nothing_to_check(worker, &way))?;
        }
    }
    Ok(())
}

fn known(worker: &mut Worker, way: &Way) -> Check {
    for vector in vectors(way.offer.algorithm.name) {
        let Some(reply) = Question::of(way, &vector).ask(worker, way)? else { continue };
        if vector.optional && reply.is() == "unsupported" {
            continue;
        }
        let answer = if vector.message.is_empty() && reply.is() == "unsupported" {
            worker.forgive_empty(reply)
        } else {
            expect_answer(reply, way, &vector)
        };
        answer.map_err(|fault| named(vector.name, fault))?;
    }
    Ok(())
}

fn expect_answer(reply: Reply, way: &Way, vector: &Vector) -> Check {
    let expected = if way.seals() { vector.output } else { vector.message };
    let reply = reply.expect("output")?;
    let came = reply.text("output")?;
    ensure(came == expected, || format!("expected output {}, got {}", clip(expected), clip(came)))
}

fn large(worker: &mut Worker, way: &Way) -> Check {
    let mut question = Question::of(way, &plain_vector(way.offer.algorithm.name)?);
    too_large(worker, way, &mut question)?;
    let (sealing, opening) = match way.offer.algorithm.kind {
        Kind::Aead => ("seal", "open"),
        _ => ("encrypt", "decrypt"),
    };
    let has = |operation: &str| way.offer.operations.iter().any(|declared| declared == operation);
    if !has(sealing) || !has(opening) {
        return Ok(());
    }
    let message = "5a".repeat(longest(&worker.facts(), way, &mut question));
    question.input.clone_from(&message);
    let sealed = worker.ask(&question.request(&Way { operation: sealing, ..*way }))?.expect("output")?;
    question.input = sealed.text("output")?.to_owned();
    let opened = worker.ask(&question.request(&Way { operation: opening, ..*way }))?.expect("output")?;
    ensure(opened.text("output")? == message, || "expected the message that was sealed, got other bytes".into())
}

/// An input beyond the limit, in a line within its own.
fn too_large(worker: &mut Worker, way: &Way, question: &mut Question) -> Check {
    let facts = worker.facts();
    let (bytes, kinds): (_, &[_]) = match facts.max_message {
        Some(most) if most < LARGE => (most + TAG + 1, &["unsupported"]),
        _ => (TOO_LARGE, &["error", "unsupported"]),
    };
    question.input = "5a".repeat(usize::try_from(bytes).unwrap_or(usize::MAX));
    let request = question.request(way);
    if facts.has_line_for(&request) {
        worker.ask(&request)?.expect_one_of(kinds)?;
    }
    Ok(())
}

/// The longest message for which both the sealing and the opening of the result are within the worker's limits.
fn longest(facts: &Facts, way: &Way, question: &mut Question) -> usize {
    question.input.clear();
    let around = question.request(way).to_string().len() as u64 + 2 * TAG + 32;
    let in_line = (facts.max_line as u64).saturating_sub(around) / 2;
    let longest = facts.up_to(LARGE.min(in_line).min(way.offer.algorithm.most));
    let block = if way.offer.algorithm.takes_blocks { longest % 16 } else { 0 };
    usize::try_from(longest - block).unwrap_or_default()
}

fn without_form(worker: &mut Worker, way: &Way) -> Check {
    let vector = plain_vector(way.offer.algorithm.name)?;
    let mut request = Question::of(way, &vector).request(way);
    request["form"] = Value::Null;
    expect_answer(worker.ask(&request)?, way, &vector)?;
    if let Some(fields) = request.as_object_mut() {
        fields.remove("form");
    }
    expect_answer(worker.ask(&request)?, way, &vector)
}

fn nothing_to_check(worker: &mut Worker, way: &Way) -> Check {
    let question =
        Question { key: "11".repeat(32), nonce: "11".repeat(12), aad: String::new(), input: "11".repeat(16) };
    worker.ask(&question.request(way))?.expect_one_of(&["unsupported", "error"]).map(drop)
}
