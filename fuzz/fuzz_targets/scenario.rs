//! Scenario files: no text panics, and an accepted scenario is within the limits for every algorithm, copies included,
//! and survives a store or an export unchanged.
#![no_main]

use ciphermeter_core::{Algorithm, Scenario};
use libfuzzer_sys::fuzz_target;

/// The most cells of a scenario for one provider.
const MOST: usize = 4096;

fuzz_target!(|text: &str| {
    let scenario = match Scenario::parse(text) {
        Ok(scenario) => scenario,
        Err(error) => {
            let error = error.to_string();
            assert!(!error.contains(char::is_control), "{error:?}");
            return;
        }
    };
    scenario.check().expect("an accepted scenario is within the limits");
    let listed = scenario.cells.iter().flat_map(|selection| &selection.providers).next();
    let provider = listed.map_or("any", String::as_str);
    for &algorithm in Algorithm::ALL {
        let cells = scenario.cells_for(provider, algorithm, 8);
        assert!(cells.len() <= MOST, "{} cells of {algorithm}", cells.len());
        assert!(cells.iter().all(|cell| algorithm.has(cell.operation) && cell.provider == provider));
    }
    let json = serde_json::to_string(&scenario).expect("a scenario is JSON");
    assert_eq!(serde_json::from_str::<Scenario>(&json).expect("it reads back"), scenario);
});
