//! The end of input: the worker must exit, too, with exit code 0.

use std::io;

use serde_json::json;

use crate::describe::Offer;
use crate::report::{Check, ensure};
use crate::suite::Suite;
use crate::worker::Worker;

/// Ends the input in three situations, each with a separate process.
pub fn check(suite: &mut Suite, offers: &[Offer]) -> io::Result<()> {
    suite.check_alone("end of input: at once", ends)?;
    suite.check_alone("end of input: in the middle of a line", |worker| {
        worker.send(br#"{"do":"clo"#)?;
        ends(worker)
    })?;
    let title = "end of input: with a prepared cell";
    match offers.iter().find_map(|offer| offer.way(|_| true)) {
        None => suite.skip(title, "no offers"),
        Some(way) => suite.check_alone(title, |worker| {
            let cell = worker.fresh_cell();
            worker.ask(&way.prepare(cell, 64, 0, 42))?.expect("ready")?;
            worker.ask(&json!({"do": "sample", "cell": cell, "warmup_ns": 0, "iterations": 1}))?.expect("sample")?;
            ends(worker)
        }),
    }
}

fn ends(worker: &mut Worker) -> Check {
    let status = worker.finish()?;
    ensure(status.success(), || format!("expected exit code 0, got {status}"))
}
