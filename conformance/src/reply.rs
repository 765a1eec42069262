//! One line from the worker: flat JSON, checked against the protocol's limits, with readers that report what was
//! expected and what was received.

use serde_json::{Map, Value};

use crate::report::{Fault, clip, failed};

/// The largest integer in a message, 2⁵³−1.
pub const LARGEST: u64 = (1 << 53) - 1;

/// A reply that is flat JSON with a text `is`.
#[derive(Debug)]
pub struct Reply {
    text: String,
    fields: Map<String, Value>,
}

impl Reply {
    /// Reads a line without its newline.
    ///
    /// # Errors
    /// Failed, if it is not one flat JSON object with a text `is`.
    pub fn parse(text: String) -> Result<Reply, Fault> {
        let fields = match serde_json::from_str::<Map<String, Value>>(&text) {
            Ok(fields) => fields,
            Err(why) => return failed(format!("expected a JSON object, got {} ({why})", clip(&text))),
        };
        if let Some((key, _)) = fields.iter().find(|(_, value)| !is_flat(value)) {
            return failed(format!(
                "expected strings, integers from 0 to 2^53-1, null or arrays of such integers, \"{key}\" is something else in {}",
                clip(&text)
            ));
        }
        let reply = Reply { text, fields };
        reply.text("is")?;
        Ok(reply)
    }

    /// What the reply is: `output`, `ready`, `error` …
    pub fn is(&self) -> &str {
        self.fields.get("is").and_then(Value::as_str).unwrap_or_default()
    }

    /// Fails unless the reply is of this kind.
    pub fn expect(self, kind: &str) -> Result<Reply, Fault> {
        self.expect_one_of(&[kind])
    }

    /// Fails unless the reply is of one of these kinds. A refusal must have a reason.
    pub fn expect_one_of(self, kinds: &[&str]) -> Result<Reply, Fault> {
        if !kinds.contains(&self.is()) {
            return failed(format!("expected {}, got {}", kinds.join(" or "), self.shown()));
        }
        if matches!(self.is(), "error" | "unsupported") && self.text("why")?.trim().is_empty() {
            return failed(format!("expected a reason in \"why\", got {}", self.shown()));
        }
        Ok(self)
    }

    /// The string at `key`; it must be there.
    pub fn text(&self, key: &str) -> Result<&str, Fault> {
        match self.optional(key) {
            Some(Value::String(text)) => Ok(text),
            _ => failed(format!("expected a string \"{key}\", got {}", self.shown())),
        }
    }

    /// The string at `key`, or None where it is absent or null.
    pub fn optional_text(&self, key: &str) -> Result<Option<&str>, Fault> {
        self.optional(key).map(|_| self.text(key)).transpose()
    }

    /// The integer at `key`; it must be there.
    pub fn integer(&self, key: &str) -> Result<u64, Fault> {
        match self.optional(key).and_then(Value::as_u64) {
            Some(n) => Ok(n),
            None => failed(format!("expected an integer \"{key}\", got {}", self.shown())),
        }
    }

    /// The integer at `key`, or None where it is absent or null.
    pub fn optional_integer(&self, key: &str) -> Result<Option<u64>, Fault> {
        self.optional(key).map(|_| self.integer(key)).transpose()
    }

    /// The array of integers at `key`; it must be there.
    pub fn integers(&self, key: &str) -> Result<Vec<u64>, Fault> {
        match self.optional(key) {
            Some(Value::Array(values)) => Ok(values.iter().filter_map(Value::as_u64).collect()),
            _ => failed(format!("expected an array of integers \"{key}\", got {}", self.shown())),
        }
    }

    /// The array of integers at `key`, or None where it is absent or null.
    pub fn optional_integers(&self, key: &str) -> Result<Option<Vec<u64>>, Fault> {
        self.optional(key).map(|_| self.integers(key)).transpose()
    }

    /// Fails unless the integer at `key` is `expected`.
    pub fn expect_integer(&self, key: &str, expected: u64) -> Result<(), Fault> {
        match self.integer(key)? {
            came if came == expected => Ok(()),
            came => failed(format!("expected \"{key}\" {expected}, got {came} in {}", self.shown())),
        }
    }

    /// The line, clipped for a message.
    pub fn shown(&self) -> String {
        clip(&self.text)
    }

    /// Whether there is something at `key`.
    pub fn has(&self, key: &str) -> bool {
        self.optional(key).is_some()
    }

    /// The complete line.
    pub fn line(&self) -> &str {
        &self.text
    }

    fn optional(&self, key: &str) -> Option<&Value> {
        self.fields.get(key).filter(|value| !value.is_null())
    }
}

fn is_flat(value: &Value) -> bool {
    match value {
        Value::Null | Value::String(_) => true,
        Value::Number(_) => is_small(value),
        Value::Array(values) => values.iter().all(is_small),
        Value::Bool(_) | Value::Object(_) => false,
    }
}

fn is_small(value: &Value) -> bool {
    value.as_u64().is_some_and(|n| n <= LARGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_that_the_protocol_forbids_is_not_a_reply() {
        for text in [
            "", "[]", "{}", r#"{"is":1}"#, r#"{"is":"a","x":1.5}"#, r#"{"is":"a","x":-1}"#, r#"{"is":"a","x":true}"#,
            r#"{"is":"a","x":{}}"#, r#"{"is":"a","x":["b"]}"#, r#"{"is":"a","x":9007199254740992}"#,
            r#"{"is":"a"} {"is":"a"}"#,
        ] {
            assert!(Reply::parse(text.into()).is_err(), "{text}");
        }
        assert!(Reply::parse(r#"{"is":"a","x":[0,9007199254740991],"y":null}"#.into()).is_ok());
    }

    #[test]
    fn null_counts_as_absent() {
        let reply = Reply::parse(r#"{"is":"a","x":null}"#.into()).unwrap();
        assert_eq!(reply.optional_integer("x").unwrap(), None);
        assert!(reply.integer("x").is_err());
    }
}
