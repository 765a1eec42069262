//! `clock` and `compilation`: the clock's properties, and whether the runtime has compiled anything.

use std::io;

use serde_json::json;

use crate::report::ensure;
use crate::suite::Suite;

/// `compilation` is requested only from a worker that `compiles`.
pub fn check(suite: &mut Suite) -> io::Result<()> {
    suite.check("clock", |worker| {
        let reply = worker.ask(&json!({"do": "clock"}))?.expect("clock")?;
        let [step, call, turn] = match worker.facts().counts {
            Some(_) => ["step", "call", "loop"],
            None => ["step_ns", "call_ns", "loop_ns"],
        };
        for key in [call, turn] {
            reply.integer(key)?;
        }
        ensure(reply.integer(step)? > 0, || format!("expected a step over 0, got {}", reply.shown()))
    })?;
    if !suite.facts().compiles {
        return Ok(());
    }
    suite.check("compilation", |worker| {
        worker.ask(&json!({"do": "compilation"}))?.expect("compilation")?.optional_integer("mark").map(drop)
    })
}
