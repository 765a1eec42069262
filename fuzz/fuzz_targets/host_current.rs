//! Lines of a bench meter: whatever comes, a reading is one that a board can have.
#![no_main]

use ciphermeter_host::current::Readings;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut readings = Readings::default();
    for reading in text.lines().filter_map(|line| readings.read(line)) {
        assert!(reading.amperes.abs() <= 1e3);
        assert!(reading.volts.is_none_or(|volts| (0.0..=1e3).contains(&volts)));
    }
});
