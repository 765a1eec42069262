//! Single values: texts, words, integers, and what types of `core` read themselves.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use ciphermeter_core::{Bytes, MAX_INTEGER, UnknownWord, most, taken_in};
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error, Unexpected, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// A text, escaped and cut.
#[derive(Debug)]
pub(crate) struct Text(pub(crate) String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Characters;

        impl Visitor<'_> for Characters {
            type Value = String;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<String, E> {
                Ok(taken_in(text))
            }
        }

        deserializer.deserialize_str(Characters).map(Self)
    }
}

/// A word of ours: of an algorithm, an operation, …
#[derive(Debug, Clone, Copy)]
pub(crate) struct Word<T>(pub(crate) T);

impl<'de, T: FromStr<Err = UnknownWord>> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Spelling<T>(PhantomData<T>);

        impl<T: FromStr<Err = UnknownWord>> Visitor<'_> for Spelling<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a word")
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<T, E> {
                word.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Spelling(PhantomData)).map(Self)
    }
}

/// An integer from 0 to `MOST`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct UpTo<const MOST: u64>(u64);

/// Any integer of an export.
pub(crate) type Integer = UpTo<MAX_INTEGER>;
/// A number of a cell, a fork, a round, …
pub(crate) type Number = UpTo<{ u32::MAX as u64 }>;

impl<const MOST: u64> UpTo<MOST> {
    pub(crate) fn get(self) -> u64 {
        self.0
    }
}

impl Number {
    pub(crate) fn number(self) -> u32 {
        self.0 as u32
    }
}

impl<'de, const MOST: u64> Deserialize<'de> for UpTo<MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Digits<const MOST: u64>;

        impl<const MOST: u64> Visitor<'_> for Digits<MOST> {
            type Value = u64;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "an integer from 0 to {MOST}")
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<u64, E> {
                match number <= MOST {
                    true => Ok(number),
                    false => Err(E::invalid_value(Unexpected::Unsigned(number), &self)),
                }
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<u64, E> {
                Err(E::invalid_value(Unexpected::Signed(number), &self))
            }
        }

        deserializer.deserialize_u64(Digits::<MOST>).map(Self)
    }
}

/// A part that a type of `core` reads, once its texts are taken in.
#[derive(Debug)]
pub(crate) struct Taken<T>(pub(crate) T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for Taken<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&RawValue>::deserialize(deserializer)?.get();
        if text.len() > most::VALUE {
            return Err(D::Error::custom(format!("it is longer than {}", Bytes(most::VALUE as u64))));
        }
        let value = serde_json::from_str(text).map_err(D::Error::custom)?;
        let value = all_taken_in(value).map_err(D::Error::custom)?;
        serde_json::from_value(value).map(Self).map_err(D::Error::custom)
    }
}

fn all_taken_in(value: Value) -> Result<Value, &'static str> {
    Ok(match value {
        Value::String(text) => taken_in(&text).into(),
        Value::Array(all) => all.into_iter().map(all_taken_in).collect::<Result<Vec<_>, _>>()?.into(),
        Value::Object(all) => {
            let member = |(name, value): (String, Value)| Ok((taken_in(&name), all_taken_in(value)?));
            Value::Object(all.into_iter().map(member).collect::<Result<_, _>>()?)
        }
        Value::Number(number) if number.as_u64().is_some_and(|number| number > MAX_INTEGER) => {
            return Err("an integer above 2^53-1");
        }
        plain => plain,
    })
}
