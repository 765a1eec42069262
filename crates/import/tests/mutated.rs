//! Exports in which anything may be anything.

use ciphermeter_core::escaped;
use ciphermeter_import::import;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use crate::EXPORT;

/// It comes back, and what is wrong is one line that hides nothing.
fn check(document: &[u8]) -> Result<(), TestCaseError> {
    match import(document) {
        Ok((run, records)) => {
            prop_assert!(run.scenario.check().is_ok());
            prop_assert!(records.iter().enumerate().all(|(place, record)| record.id.index() == place));
        }
        Err(error) => {
            let error = error.to_string();
            prop_assert!(!error.is_empty() && escaped(&error) == error && error.chars().count() < 700, "{}", error);
        }
    }
    Ok(())
}

/// The places of all values, the whole document's first.
fn places(value: &Value, place: String, found: &mut Vec<String>) {
    found.push(place.clone());
    match value {
        Value::Array(all) => all.iter().enumerate().for_each(|(k, one)| places(one, format!("{place}/{k}"), found)),
        Value::Object(all) => all.iter().for_each(|(name, one)| places(one, format!("{place}/{name}"), found)),
        _ => {}
    }
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        Just(json!([])),
        Just(json!({})),
        Just(json!([null, 0, "x", {}])),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (0..300_u64).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[a-z0-9_ :-]{0,30}".prop_map(Value::from),
    ]
}

proptest! {
    #[test]
    fn no_value_panics(changes in proptest::collection::vec((any::<Index>(), value()), 1..4)) {
        let mut document: Value = serde_json::from_str(EXPORT).unwrap();
        for (at, value) in changes {
            let mut all = Vec::new();
            places(&document, String::new(), &mut all);
            *document.pointer_mut(at.get::<String>(&all)).unwrap() = value;
        }
        check(document.to_string().as_bytes())?;
    }

    #[test]
    fn no_value_of_another_place_panics(from in any::<Index>(), to in any::<Index>()) {
        let mut document: Value = serde_json::from_str(EXPORT).unwrap();
        let mut all = Vec::new();
        places(&document, String::new(), &mut all);
        let value = document.pointer(from.get::<String>(&all)).unwrap().clone();
        *document.pointer_mut(to.get::<String>(&all)).unwrap() = value;
        check(document.to_string().as_bytes())?;
    }

    #[test]
    fn no_member_that_is_missing_panics(at in any::<Index>()) {
        let mut document: Value = serde_json::from_str(EXPORT).unwrap();
        let mut all = Vec::new();
        places(&document, String::new(), &mut all);
        let (parent, name) = all[1 + at.index(all.len() - 1)].rsplit_once('/').unwrap();
        match document.pointer_mut(parent).unwrap() {
            Value::Array(list) => drop(list.remove(name.parse().unwrap())),
            object => drop(object.as_object_mut().unwrap().remove(name)),
        }
        check(document.to_string().as_bytes())?;
    }

    #[test]
    fn no_bytes_panic(at in any::<Index>(), length in 0..40_usize, bytes in proptest::collection::vec(any::<u8>(), 0..12)) {
        let mut document = EXPORT.as_bytes().to_vec();
        let from = at.index(document.len());
        let to = (from + length).min(document.len());
        document.splice(from..to, bytes);
        check(&document)?;
    }

    #[test]
    fn no_cut_panics(at in any::<Index>()) {
        check(&EXPORT.as_bytes()[..at.index(EXPORT.len())])?;
    }
}
