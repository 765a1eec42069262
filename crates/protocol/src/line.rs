//! One flat JSON object a line: the only place where bytes from the other side become values.
//!
//! Promises: nothing longer than [`MAX_LINE`] is ever stored, nesting is refused while it is read, and every integer is
//! below 2⁵³.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufRead};

use ciphermeter_core::MAX_INTEGER;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

/// The longest line in bytes, its newline included.
pub const MAX_LINE: usize = 65_536;

/// The most keys of an object: far more than any message has, and few enough for a linear search.
const MAX_KEYS: usize = 64;

/// A value of a flat object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A string.
    Text(String),
    /// An integer from 0 to 2⁵³−1.
    Integer(u64),
    /// An array of such integers.
    Integers(Vec<u64>),
    /// Counts as absent.
    Null,
}

/// Why a line is invalid.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum LineError {
    /// Longer than [`MAX_LINE`].
    #[error("a line longer than {MAX_LINE} bytes")]
    TooLong,
    /// Not one flat JSON object of the allowed values.
    #[error("not one flat JSON object of strings, integers below 2^53, null and arrays of integers: {0}")]
    NotFlat(String),
    /// A required key is missing.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A key whose value is of the wrong type, or out of range.
    #[error("`{key}` must be {must}")]
    Wrong {
        /// The key.
        key: &'static str,
        /// What its value must be.
        must: String,
    },
}

/// A flat object, read or to be written; keys keep the order in which they were added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JsonLine {
    // A dozen pairs at most: a linear search is faster than any map, and a line is built for every sample.
    pairs: Vec<(Cow<'static, str>, Value)>,
}

impl JsonLine {
    /// An object whose first key names its kind: `("do", "sample")`.
    pub fn new(key: &'static str, word: &str) -> Self {
        Self { pairs: Vec::with_capacity(8) }.text(key, word)
    }

    /// Reads one line, without its newline.
    pub fn parse(bytes: &[u8]) -> Result<Self, LineError> {
        if bytes.len() >= MAX_LINE {
            return Err(LineError::TooLong);
        }
        serde_json::from_slice(bytes).map_err(|error| LineError::NotFlat(error.to_string()))
    }

    /// Adds a string.
    #[must_use]
    pub fn text(self, key: &'static str, text: impl Into<String>) -> Self {
        self.put(key, Value::Text(text.into()))
    }

    /// Adds an integer.
    #[must_use]
    pub fn integer(self, key: &'static str, integer: u64) -> Self {
        self.put(key, Value::Integer(integer.min(MAX_INTEGER)))
    }

    /// Adds an integer, or null where there is none.
    #[must_use]
    pub fn maybe(self, key: &'static str, integer: Option<u64>) -> Self {
        match integer {
            Some(integer) => self.integer(key, integer),
            None => self.put(key, Value::Null),
        }
    }

    /// Adds an array.
    #[must_use]
    pub fn integers(self, key: &'static str, integers: Vec<u64>) -> Self {
        self.put(key, Value::Integers(integers))
    }

    fn put(mut self, key: impl Into<Cow<'static, str>>, value: Value) -> Self {
        let key = key.into();
        match self.pairs.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => *known = value,
            None => self.pairs.push((key, value)),
        }
        self
    }

    fn get(&self, key: &str) -> Option<&Value> {
        self.pairs.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// The line's text with its newline.
    pub fn write(&self) -> String {
        let mut text = Vec::with_capacity(160);
        text.push(b'{');
        for (key, value) in &self.pairs {
            if text.len() > 1 {
                text.push(b',');
            }
            // Strings, integers and arrays of them always serialize, and a write to a Vec cannot fail.
            let _ = serde_json::to_writer(&mut text, key);
            text.push(b':');
            let _ = serde_json::to_writer(&mut text, value);
        }
        text.extend_from_slice(b"}\n");
        String::from_utf8(text).unwrap_or_default()
    }

    /// The string under `key`, if present.
    pub fn get_text(&self, key: &'static str) -> Result<Option<&str>, LineError> {
        match self.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(_) => Err(LineError::Wrong { key, must: "a string".into() }),
        }
    }

    /// The string under `key`.
    pub fn need_text(&self, key: &'static str) -> Result<&str, LineError> {
        self.get_text(key)?.ok_or(LineError::Missing(key))
    }

    /// The string under `key`, parsed as a word of a fixed set.
    pub fn need_word<W: std::str::FromStr<Err: fmt::Display>>(&self, key: &'static str) -> Result<W, LineError> {
        let text = self.need_text(key)?;
        text.parse().map_err(|error: W::Err| LineError::Wrong { key, must: format!("a known word: {error}") })
    }

    /// The bytes written as hex under `key`, at most `most` of them; absent counts as empty.
    pub fn get_hex(&self, key: &'static str, most: usize) -> Result<Vec<u8>, LineError> {
        let text = self.get_text(key)?.unwrap_or_default();
        let must = || LineError::Wrong { key, must: format!("at most {most} bytes in hex") };
        if text.len() > 2 * most {
            return Err(must());
        }
        hex::decode(text).map_err(|_| must())
    }

    /// The integer under `key`, if present.
    pub fn get_integer(&self, key: &'static str) -> Result<Option<u64>, LineError> {
        match self.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Integer(integer)) => Ok(Some(*integer)),
            Some(_) => Err(LineError::Wrong { key, must: "an integer".into() }),
        }
    }

    /// The integer under `key`, which must lie within `range`.
    pub fn need_within(&self, key: &'static str, range: std::ops::RangeInclusive<u64>) -> Result<u64, LineError> {
        let integer = self.get_integer(key)?.ok_or(LineError::Missing(key))?;
        if range.contains(&integer) {
            return Ok(integer);
        }
        Err(LineError::Wrong { key, must: format!("from {} to {}", range.start(), range.end()) })
    }

    /// The array under `key`, if present.
    pub fn get_integers(&self, key: &'static str) -> Result<Option<&[u64]>, LineError> {
        match self.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Integers(integers)) => Ok(Some(integers)),
            Some(_) => Err(LineError::Wrong { key, must: "an array of integers".into() }),
        }
    }

    /// The array under `key`.
    pub fn need_integers(&self, key: &'static str) -> Result<&[u64], LineError> {
        self.get_integers(key)?.ok_or(LineError::Missing(key))
    }
}

/// Reads up to the next newline into `buffer`, without the newline. `Ok(false)` at the end of input. A line that is too
/// long is read to its end without being stored, and is an error of kind `InvalidData`.
pub fn read_line(input: &mut impl BufRead, buffer: &mut Vec<u8>) -> io::Result<bool> {
    buffer.clear();
    let mut length = 0;
    loop {
        let available = match input.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if available.is_empty() {
            if length == 0 {
                return Ok(false);
            }
            // The last line may lack its newline; its length is checked like any other.
            break;
        }
        let newline = available.iter().position(|byte| *byte == b'\n');
        let taken = newline.unwrap_or(available.len());
        length += taken;
        if length < MAX_LINE {
            buffer.extend_from_slice(&available[..taken]);
        }
        input.consume(taken + usize::from(newline.is_some()));
        if newline.is_some() {
            break;
        }
    }
    if length < MAX_LINE { Ok(true) } else { Err(io::Error::new(io::ErrorKind::InvalidData, LineError::TooLong)) }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Integer(integer) => serializer.serialize_u64(*integer),
            Self::Integers(integers) => integers.serialize(serializer),
            Self::Null => serializer.serialize_unit(),
        }
    }
}

impl<'de> Deserialize<'de> for JsonLine {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(LineVisitor)
    }
}

struct LineVisitor;

impl<'de> Visitor<'de> for LineVisitor {
    type Value = JsonLine;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a flat object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<JsonLine, A::Error> {
        let mut line = JsonLine { pairs: Vec::with_capacity(8) };
        while let Some((key, value)) = object.next_entry::<String, Value>()? {
            if line.pairs.len() >= MAX_KEYS {
                return Err(A::Error::custom("too many keys"));
            }
            line = line.put(key, value);
        }
        Ok(line)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FlatVisitor)
    }
}

#[derive(Clone, Copy)]
struct FlatVisitor;

impl<'de> Visitor<'de> for FlatVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, an integer from 0 to 2^53-1, null, or an array of such integers")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.into()))
    }

    fn visit_u64<E: Error>(self, integer: u64) -> Result<Value, E> {
        match integer {
            0..=MAX_INTEGER => Ok(Value::Integer(integer)),
            _ => Err(E::invalid_value(serde::de::Unexpected::Unsigned(integer), &self)),
        }
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Value, A::Error> {
        let mut integers = Vec::new();
        // `u64` elements exclude nesting by their type; the line's length bounds their number.
        while let Some(integer) = array.next_element::<u64>()? {
            match self.visit_u64(integer)? {
                Value::Integer(integer) => integers.push(integer),
                _ => unreachable!("visit_u64 gives integers"),
            }
        }
        Ok(Value::Integers(integers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn line_must_be_a_flat_object_of_strings_and_small_integers() {
        for wrong in [
            "", "[]", "3", "{", r#"{"a":{}}"#, r#"{"a":[[1]]}"#, r#"{"a":1.5}"#, r#"{"a":-1}"#, r#"{"a":true}"#,
            r#"{"a":9007199254740992}"#, r#"{"a":["x"]}"#, r#"{"a":1}{"#, r#"{"a":[9007199254740992]}"#,
        ] {
            assert!(matches!(JsonLine::parse(wrong.as_bytes()), Err(LineError::NotFlat(_))), "{wrong}");
        }
    }

    #[test]
    fn null_counts_as_absent() {
        let line = JsonLine::parse(br#"{"a":null}"#).unwrap();
        assert_eq!(line.get_text("a"), Ok(None));
        assert_eq!(line.need_within("a", 0..=9), Err(LineError::Missing("a")));
    }

    #[test]
    fn endless_line_is_read_to_its_end_but_never_stored() {
        let mut text = vec![b'x'; 3 * MAX_LINE];
        text.extend_from_slice(b"\n{}\n");
        let (mut input, mut buffer) = (&text[..], Vec::new());
        assert_eq!(read_line(&mut input, &mut buffer).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert!(buffer.capacity() <= 2 * MAX_LINE);
        assert!(read_line(&mut input, &mut buffer).unwrap());
        assert_eq!(buffer, b"{}");
        assert!(!read_line(&mut input, &mut buffer).unwrap());
    }

    #[test]
    fn endless_last_line_is_refused() {
        let mut text = b"{}".to_vec();
        text.resize(MAX_LINE, b' ');
        let mut input = io::BufReader::with_capacity(100, &text[..]);
        let mut buffer = Vec::new();
        assert_eq!(read_line(&mut input, &mut buffer).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert!(!read_line(&mut input, &mut buffer).unwrap());
        assert!(read_line(&mut &text[1..], &mut buffer).unwrap());
        assert_eq!(JsonLine::parse(&text), Err(LineError::TooLong), "whoever read it");
        assert!(JsonLine::parse(&text[..MAX_LINE - 1]).is_ok());
    }

    #[test]
    fn empty_object_is_written_as_braces() {
        assert_eq!(JsonLine::parse(b"{}").unwrap().write(), "{}\n");
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(text in ".{0,50}", integer in 0..=MAX_INTEGER, array: Vec<u32>) {
            let array: Vec<u64> = array.into_iter().map(u64::from).collect();
            let line = JsonLine::new("is", &text).integer("n", integer).integers("ns", array.clone()).maybe("no", None);
            let written = line.write();
            let read = JsonLine::parse(written.trim_end_matches('\n').as_bytes()).unwrap();
            prop_assert_eq!(read.need_text("is"), Ok(text.as_str()));
            prop_assert_eq!(read.need_within("n", 0..=MAX_INTEGER), Ok(integer));
            prop_assert_eq!(read.need_integers("ns"), Ok(&array[..]));
            prop_assert_eq!(read.get_integer("no"), Ok(None));
            prop_assert_eq!(written.matches('\n').count(), 1);
        }

        #[test]
        fn no_bytes_panic(bytes: Vec<u8>) {
            let _ = JsonLine::parse(&bytes);
        }
    }
}
