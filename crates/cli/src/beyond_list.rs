//! What a file of the table of machines holds beyond the list of what is shared, or otherwise than its samples say.

use anyhow::{Result, anyhow};
use ciphermeter_core::escaped;
use ciphermeter_import::import;
use ciphermeter_machines::{share, unpack};
use serde_json::Value;

use crate::command::share::document;

/// How far two machines' logarithms may be apart.
const ROUNDING: f64 = 1e-6;

/// What a file holds that `export --share` would not write, or would write otherwise.
pub fn beyond_list(packed: &[u8]) -> Result<Option<String>> {
    let held = unpack(packed.to_vec())?;
    let (run, records) = import(&held).map_err(|why| anyhow!("{why}"))?;
    let shared = document(&share(&run, &records)?)?;
    Ok(differs(&serde_json::from_slice(&held)?, &serde_json::from_slice(&shared)?, ""))
}

/// The first value that is not as it would be shared, by the way to it.
fn differs(held: &Value, shared: &Value, way: &str) -> Option<String> {
    match (held, shared) {
        (Value::Object(held), Value::Object(shared)) => held.iter().find_map(|(name, value)| {
            let way = format!("{way}.{}", escaped(name));
            shared.get(name).map_or(Some(format!("{way} is not shared")), |other| differs(value, other, &way))
        }),
        (Value::Array(held), Value::Array(shared)) if held.len() == shared.len() => (0..)
            .zip(held.iter().zip(shared))
            .find_map(|(at, (one, other))| differs(one, other, &format!("{way}[{at}]"))),
        (Value::Number(held), Value::Number(shared)) => {
            let (held, shared) = (held.as_f64()?, shared.as_f64()?);
            let is_near = (held - shared).abs() <= ROUNDING * held.abs().max(shared.abs());
            (!is_near).then(|| format!("{way} is {held}, and its samples say {shared}"))
        }
        _ => (held != shared).then(|| format!("{way} is not what its samples say, or is not shared")),
    }
}
