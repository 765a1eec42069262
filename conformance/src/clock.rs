//! `clock` and `memory`: the ruler's facts, each an integer or honestly absent.

use std::io;

use serde_json::json;

use crate::report::ensure;
use crate::suite::Suite;

/// Both requests.
pub fn check(suite: &mut Suite) -> io::Result<()> {
    suite.check("clock", |worker| {
        let reply = worker.ask(&json!({"do": "clock"}))?.expect("clock")?;
        for key in ["call_ns", "loop_ns"] {
            reply.integer(key)?;
        }
        ensure(reply.integer("step_ns")? > 0, || format!("expected a step over 0, came {}", reply.shown()))
    })?;
    suite.check("memory", |worker| {
        let reply = worker.ask(&json!({"do": "memory"}))?.expect("memory")?;
        for key in ["rss", "peak_rss", "heap", "peak_heap"] {
            let bytes = reply.optional_integer(key)?;
            ensure(bytes != Some(0), || format!("expected null where {key} is not known, came 0"))?;
        }
        Ok(())
    })
}
