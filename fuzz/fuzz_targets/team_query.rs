//! Query strings of the team's server: no string panics, what is accepted as a machine's name shows as it is and is accepted again,
//! and a link to any name leads back to that name.
#![no_main]

#[allow(dead_code)]
#[path = "../../serve/src/clock.rs"]
mod clock;
#[allow(dead_code, unexpected_cfgs)]
#[path = "../../serve/src/fault.rs"]
mod fault;
#[path = "../../serve/src/links.rs"]
mod links;
#[path = "../../serve/src/names.rs"]
mod names;
#[allow(dead_code)]
#[path = "../../serve/src/queries.rs"]
mod queries;

use axum::extract::Query;
use axum::http::Uri;
use ciphermeter_core::escaped;
use libfuzzer_sys::fuzz_target;

use links::path;
use names::{MACHINE_NAME, is_digest, machine_name};
use queries::{Pushed, Which, WhichCell, WhichMoved, WhichNotes};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(uri) = format!("/api/runs?{text}").parse::<Uri>() {
        if let Ok(Query(Which { machine, before, after })) = Query::try_from_uri(&uri) {
            for digest in [before, after].into_iter().flatten().filter(|digest| is_digest(digest)) {
                assert!(digest.len() <= 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()));
            }
            machine.as_deref().map(named);
        }
        if let Ok(Query(WhichMoved { machine, cell })) = Query::try_from_uri(&uri) {
            machine.as_deref().map(named);
            cell.as_deref().map(named);
        }
        if let Ok(Query(WhichNotes { machine })) = Query::try_from_uri(&uri) {
            machine.as_deref().map(named);
        }
        if let Ok(Query(Pushed { machine: Some(machine) })) = Query::try_from_uri(&uri) {
            named(&machine);
        }
    }
    let link: Uri = path("/cell?cell=", text).parse().expect("a link has only the characters of links");
    let Query(WhichCell { cell, machine }) = Query::try_from_uri(&link).expect("its query is read");
    assert!(cell == text && machine.is_none());
    assert!(path("/machines/", text).parse::<Uri>().is_ok());
});

fn named(name: &str) {
    let Some(name) = machine_name(name) else { return assert!(!MACHINE_NAME.is_empty()) };
    assert!((1..=100).contains(&name.chars().count()) && escaped(name) == name);
    assert_eq!(machine_name(name), Some(name));
    assert!(!matches!(name, "." | ".."), "it would be another path");
}
