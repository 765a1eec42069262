//! Study files of the user's own: no text panics, what is wrong is one line without control characters, and an accepted study has a page,
//! a document and a table.
#![no_main]

use ciphermeter_study::{Document, Measured, Study, write_csv};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match Study::parse(text) {
        Ok(study) => {
            let measured = [Measured { study: &study, runs: Vec::new(), store: None }];
            assert!(!measured[0].page().is_empty());
            serde_json::to_string(&Document::new(&measured, None)).expect("a document");
            write_csv(&measured, &mut Vec::new()).expect("a table");
        }
        Err(error) => {
            let error = error.to_string();
            assert!(!error.contains(char::is_control), "{error:?}");
        }
    }
});
