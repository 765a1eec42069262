//! Any file in place of a store: it is read or refused with an error, never a panic, and never changed. The seed is a
//! real store of a few small pages.
#![no_main]

use ciphermeter_fuzz::{read_all, store_path};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let path = store_path();
    std::fs::write(&path, data).expect("a place for the file");
    read_all(&path);
    assert!(std::fs::read(&path).is_ok_and(|now| now == data), "reading changed the file");
});
