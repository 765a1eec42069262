//! The binary's estimator, answer and words, for a page: an export without summaries goes in, what the binary would say of it comes out.
//!
//! The page writes a document to [`input`], calls a function, and reads as many bytes as it returns from [`output`]. All texts are UTF-8,
//! all results JSON; what is wrong with a document is `{"error": "a sentence"}`.

use std::cell::RefCell;
use std::fmt::Display;

use ciphermeter_core::{METHOD, Record, Run};
use ciphermeter_estimate::{LEAST_FORKS, fill};
use ciphermeter_import::{SCHEMA, import};
use ciphermeter_report::{answer, answer_table, basis, leader, write_json};
use serde::Serialize;
use serde_json::{Value, json};

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Room for a document of so many bytes; the page writes it there.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        *input = vec![0; length];
        input.as_mut_ptr()
    })
}

/// Where the last result lies.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    OUTPUT.with_borrow(|output| output.as_ptr())
}

/// What the page's documents are to say of themselves, and on how many forks a figure rests.
#[unsafe(no_mangle)]
pub extern "C" fn about() -> usize {
    let version = env!("CARGO_PKG_VERSION");
    written(&json!({ "schema": SCHEMA, "method": METHOD, "version": version, "least_forks": LEAST_FORKS }))
}

/// The leader so far, in the words of a line of progress; null before there is one.
#[unsafe(no_mangle)]
pub extern "C" fn lead() -> usize {
    of_document(|_, records| leader(records))
}

/// What the document decides: the answer as data, the table of what it is about, and what it rests on.
#[unsafe(no_mangle)]
pub extern "C" fn decide() -> usize {
    of_document(|run, records| {
        let answer = answer(run, records);
        json!({
            "table": answer_table(run, records, &answer),
            "basis": basis(run, records, &answer),
            "answer": answer,
        })
    })
}

/// The document with its summaries and its answer, as `ciphermeter export` writes it.
#[unsafe(no_mangle)]
pub extern "C" fn complete() -> usize {
    let document = taken().and_then(|(run, records)| {
        let mut document = Vec::new();
        write_json(&mut document, &run, &records).map_err(|error| error.to_string())?;
        Ok(document)
    });
    match document {
        Ok(document) => put(document),
        Err(error) => failed(error),
    }
}

/// The document's run and records, those with samples summed up.
fn taken() -> Result<(Run, Vec<Record>), String> {
    let document = INPUT.take();
    let (run, mut records) = import(&document).map_err(|error| error.to_string())?;
    fill(&run.scenario, run.against.is_some(), &run.plan, &mut records);
    Ok((run, records))
}

fn of_document<T: Serialize>(what: impl FnOnce(&Run, &[Record]) -> T) -> usize {
    match taken() {
        Ok((run, records)) => written(&what(&run, &records)),
        Err(error) => failed(error),
    }
}

fn failed(error: impl Display) -> usize {
    written(&json!({ "error": error.to_string() }))
}

fn written(value: &impl Serialize) -> usize {
    // Maps by text, and numbers that are finite or null: all that JSON has.
    put(serde_json::to_vec(value).unwrap_or_else(|_| Value::Null.to_string().into_bytes()))
}

fn put(text: Vec<u8>) -> usize {
    OUTPUT.with_borrow_mut(|output| {
        *output = text;
        output.len()
    })
}
