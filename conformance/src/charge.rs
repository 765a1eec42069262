//! What a meter of current may say: in which samples, and within which limits.

use crate::reply::Reply;
use crate::report::{Check, ensure, failed};

/// No board takes more, in amperes: nanocoulombs a nanosecond. A charge in picocoulombs is beyond it.
const MOST_AMPERES: u64 = 10;

/// No board runs on less or on more, in microvolts. Millivolts are below it, nanovolts above.
const LEAST_UV: u64 = 500_000;
const MOST_UV: u64 = 100_000_000;

/// What only a meter knows.
const OF_METERS: [&str; 3] = ["charge_nc", "voltage_uv", "current_samples"];

/// Fails if a sample has a charge that it cannot have. `window_ns` of None: the worker names no meter.
pub fn of_sample(sample: &Reply, window_ns: Option<u64>) -> Check {
    let Some(said) = OF_METERS.iter().find(|key| sample.has(key)) else { return Ok(()) };
    let Some(window) = window_ns else {
        return failed(format!("expected no {said} of a worker that names no current_meter, got {}", sample.shown()));
    };
    let ns = sample.integer("ns")?;
    ensure(ns >= window, || {
        format!("expected no {said} in a sample below the current_window_ns of {window}, got {}", sample.shown())
    })?;
    plausible(sample, ns)
}

/// Fails unless the reply has a charge that a board can take in `ns`, and a supply's voltage, if any.
pub fn plausible(reply: &Reply, ns: u64) -> Check {
    let charge = reply.integer("charge_nc")?;
    ensure(charge > 0, || format!("expected charge_nc over 0, as the board runs, got {}", reply.shown()))?;
    ensure(charge / MOST_AMPERES <= ns, || {
        format!("expected charge_nc in nanocoulombs, at most {MOST_AMPERES} A for {ns} ns, got {}", reply.shown())
    })?;
    let voltage = reply.optional_integer("voltage_uv")?;
    ensure(voltage.is_none_or(|uv| (LEAST_UV..=MOST_UV).contains(&uv)), || {
        format!("expected voltage_uv in microvolts, {LEAST_UV} to {MOST_UV}, got {}", reply.shown())
    })?;
    let readings = reply.optional_integer("current_samples")?;
    ensure(readings != Some(0), || format!("expected no current_samples where it is not known, got {}", reply.shown()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(keys: &str) -> Reply {
        Reply::parse(format!(r#"{{"is":"sample","ns":1000{keys}}}"#)).unwrap()
    }

    #[test]
    fn sample_without_a_charge_is_right_anywhere() {
        let nothing = reply(r#","charge_nc":null,"voltage_uv":null"#);
        for window in [None, Some(1), Some(1001)] {
            assert!(of_sample(&nothing, window).is_ok());
        }
    }

    #[test]
    fn charge_needs_a_meter_and_its_window() {
        let charged = reply(r#","charge_nc":80,"voltage_uv":3300000,"current_samples":64"#);
        assert!(of_sample(&charged, Some(1000)).is_ok());
        assert!(of_sample(&charged, Some(1001)).is_err());
        assert!(of_sample(&charged, None).is_err());
        assert!(of_sample(&reply(r#","current_samples":64"#), None).is_err());
    }

    #[test]
    fn impossible_readings_fail() {
        for right in [r#","charge_nc":1"#, r#","charge_nc":10000,"voltage_uv":500000"#] {
            assert!(plausible(&reply(right), 1000).is_ok(), "{right}");
        }
        for wrong in [
            r#","charge_nc":null"#,
            r#","charge_nc":"80""#,
            r#","charge_nc":0"#,
            r#","charge_nc":10010"#,
            r#","charge_nc":80,"voltage_uv":3300"#,
            r#","charge_nc":80,"voltage_uv":3300000000"#,
            r#","charge_nc":80,"voltage_uv":"3.3""#,
            r#","charge_nc":80,"current_samples":0"#,
            r#","voltage_uv":3300000"#,
        ] {
            assert!(plausible(&reply(wrong), 1000).is_err(), "{wrong}");
        }
    }
}
