//! The question of one `check`: a vector's hex strings, as a request.

use serde_json::{Value, json};

use crate::answers::{Vector, vectors};
use crate::describe::Way;
use crate::facts::Facts;
use crate::reply::Reply;
use crate::report::{Fault, failed};
use crate::worker::Worker;

/// The most bytes of padding and tag together: those of CBC and HMAC-SHA-512.
pub const TAG: u64 = 16 + 32;

/// The hex strings of one `check`.
#[derive(Clone, Debug)]
pub struct Question {
    pub key: String,
    pub nonce: String,
    pub aad: String,
    pub input: String,
}

impl Question {
    /// The request for a vector in this way.
    pub fn of(way: &Way, vector: &Vector) -> Question {
        let input = if way.seals() { vector.message } else { vector.output };
        Question { key: vector.key.into(), nonce: vector.nonce.into(), aad: vector.aad.into(), input: input.into() }
    }

    /// The request, its form included.
    pub fn request(&self, way: &Way) -> Value {
        json!({
            "do": "check", "provider": way.offer.provider, "algorithm": way.offer.algorithm.name,
            "operation": way.operation, "form": way.form,
            "key": self.key, "nonce": self.nonce, "aad": self.aad, "input": self.input,
        })
    }

    /// Asks the worker; None where the question is beyond its limits.
    pub fn ask(&self, worker: &mut Worker, way: &Way) -> Result<Option<Reply>, Fault> {
        if !self.is_within(&worker.facts(), way) {
            return Ok(None);
        }
        let reply = worker.ask(&self.request(way))?;
        let is_refused = reply.is() == "unsupported" && way.offer.algorithm.may_refuse(self.aad.len() as u64 / 2);
        Ok((!is_refused).then_some(reply))
    }

    fn is_within(&self, facts: &Facts, way: &Way) -> bool {
        let [input, aad] = [&self.input, &self.aad].map(|hex| hex.len() as u64 / 2);
        let message = if way.seals() { input } else { input.saturating_sub(way.offer.algorithm.tag as u64) };
        facts.takes(message, aad) && facts.has_line_for(&self.request(way))
    }
}

/// Prefixes a failure with a vector's name and the alteration.
pub fn named(name: &str, fault: Fault) -> Fault {
    match fault {
        Fault::Failed(why) => Fault::Failed(format!("vector \"{name}\": {why}")),
        other => other,
    }
}

/// A vector that every library supports and every worker takes, of some bytes.
pub fn plain_vector(algorithm: &str) -> Result<Vector, Fault> {
    let is_plain = |vector: &Vector| !vector.optional && (30..=128).contains(&vector.message.len());
    match vectors(algorithm).find(is_plain) {
        Some(vector) => Ok(vector),
        None => failed("the suite has no vector for this; add one to vectors/make.py"),
    }
}
