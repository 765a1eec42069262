//! Transfers: do files arrive as they were sent, and do samples say what they must?

use std::io;

use serde_json::json;

use crate::cells::{SURELY_CALLS_NS, sample};
use crate::describe::{Offer, Way};
use crate::reply::Reply;
use crate::report::{Check, Fault, ensure, failed};
use crate::suite::Suite;
use crate::worker::Worker;

/// The seed of the files below.
const SEED: u64 = 42;

/// Lengths and SHA-256 of stream(`message`, 42, length), as Python's hashlib gives them.
const FILES: [(u64, &str); 5] = [
    (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    (1, "1f18d650d205d71d934c3646ff5fac1c096ba52eba4cf758b865364f4167d3cd"),
    (4093, "ed989ecf2ce720535225d34fc72150ad503bf001fccbef7563632197222e8ec9"),
    (65_537, "a418846aa2360c673bfd76a277af6d956c6098e466fbcc28f03b1b09af572dde"),
    (1_048_577, "09979f69dc78a4ce29c084632dc387eae276bd521825aa2226681c6487d60f5c"),
];

/// The most entries of a series.
const MOST_ENTRIES: usize = 1000;

/// Every declared way of one offer.
pub fn check(suite: &mut Suite, offer: &Offer) -> io::Result<()> {
    for way in offer.ways() {
        suite.check(&way.title("files arrive as they were sent"), |worker| arrive(worker, &way))?;
        suite.check(&way.title("samples"), |worker| samples(worker, &way))?;
        suite.check(&way.title("release and prepare anew"), |worker| again(worker, &way))?;
        suite.check(&way.title("no vectors and no latency"), |worker| no_calls(worker, &way))?;
    }
    Ok(())
}

/// The very file that a sample's last transfer left, and one that moves for its digest alone.
fn arrive(worker: &mut Worker, way: &Way) -> Check {
    for (bytes, right) in FILES {
        let cell = prepare(worker, way, bytes)?;
        let last = sample(worker, cell, 0, 2)?.integer("last")?;
        for (first, iteration) in [(1, last), (0, 0)] {
            let request = json!({"do": "digest", "cell": cell, "first": first, "iteration": iteration});
            let reply = worker.ask(&request)?.expect("digest")?;
            let came = reply.text("sha256")?;
            ensure(came == right, || {
                format!("a file of {bytes} bytes, iteration {iteration}: expected {right}, came {came}")
            })?;
        }
        release(worker, cell)?;
    }
    Ok(())
}

/// Samples count on, and what they tell is possible.
fn samples(worker: &mut Worker, way: &Way) -> Check {
    let cell = prepare(worker, way, 100_000)?;
    let mut next = 1;
    for (warmup_ns, iterations) in [(0, 3), (SURELY_CALLS_NS, 1), (1, 2)] {
        let reply = sample(worker, cell, warmup_ns, iterations)?;
        reply.expect_integer("first", next)?;
        next = reply.integer("last")? + 1;
        plausible(&reply, way.form)?;
    }
    release(worker, cell)
}

fn plausible(reply: &Reply, form: &str) -> Check {
    for key in ["handshake_ns", "seal_ns", "open_ns", "peer_cpu_ns", "peak_rss", "peer_peak_rss"] {
        reply.optional_integer(key)?;
    }
    if let Some(durable) = reply.optional_integer("durable_ns")? {
        ensure(form == "file", || "expected durable_ns of form file only".into())?;
        ensure(durable >= reply.integer("ns")?, || {
            format!("expected durable_ns of ns at least, came {}", reply.shown())
        })?;
    }
    for key in ["series_cpu", "series_peer_cpu", "series_rss", "series_peer_rss"] {
        match reply.integers(key) {
            Ok(entries) if entries.len() > MOST_ENTRIES => {
                return failed(format!("expected at most {MOST_ENTRIES} entries in {key}, came {}", entries.len()));
            }
            Ok(_) => {}
            // Whoever follows nothing leaves it out.
            Err(_) if reply.lacks(key) => {}
            Err(fault) => return Err(fault),
        }
    }
    Ok(())
}

fn again(worker: &mut Worker, way: &Way) -> Check {
    for bytes in [100, 1000] {
        let cell = prepare(worker, way, bytes)?;
        sample(worker, cell, 0, 1)?.expect_integer("first", 1)?;
        let mut request = way.prepare(cell, bytes, 0, SEED);
        worker.ask(&request)?.expect("error")?;
        request["cell"] = (cell + 1_000_000).into();
        request["threads"] = 2.into();
        worker.ask(&request)?.expect("unsupported")?;
        release(worker, cell)?;
        worker.ask(&json!({"do": "sample", "cell": cell, "warmup_ns": 0, "iterations": 1}))?.expect("error")?;
    }
    Ok(())
}

fn no_calls(worker: &mut Worker, way: &Way) -> Check {
    let Way { offer, operation, form } = way;
    let check = json!({
        "do": "check", "provider": offer.provider, "algorithm": offer.algorithm.name, "operation": operation,
        "form": form, "key": "", "nonce": "", "aad": "", "input": "",
    });
    worker.ask(&check)?.expect("unsupported")?;
    let cell = prepare(worker, way, 100)?;
    worker.ask(&json!({"do": "latency", "cell": cell, "count": 1}))?.expect("unsupported")?;
    release(worker, cell)
}

fn prepare(worker: &mut Worker, way: &Way, bytes: u64) -> Result<u64, Fault> {
    let cell = worker.fresh_cell();
    worker.ask(&way.prepare(cell, bytes, 0, SEED))?.expect("ready")?.expect_integer("cell", cell)?;
    Ok(cell)
}

fn release(worker: &mut Worker, cell: u64) -> Check {
    worker.ask(&json!({"do": "release", "cell": cell}))?.expect("released")?.expect_integer("cell", cell)
}
