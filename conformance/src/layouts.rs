//! Layouts: of a worker that declares them, samples leave the same output wherever stack, buffers and key lie, and positions that the
//! protocol does not have are refused.

use std::io;

use serde_json::{Value, json};

use crate::answers::rows;
use crate::describe::{Offer, Way};
use crate::digests::{prepare, release};
use crate::report::Check;
use crate::suite::Suite;
use crate::worker::Worker;

/// Stack, offset, nonce, instance: the first and the last of each, and texts that are not aligned.
const LAYOUTS: [[u64; 4]; 5] =
    [[0, 0, 0, 0], [16, 64, 16, 1], [1008, 4095, 4080, 7], [496, 1, 2048, 2], [48, 4032, 4032, 3]];
const WRONG: [[u64; 4]; 6] =
    [[8, 0, 0, 0], [1024, 0, 0, 0], [0, 4096, 0, 0], [0, 0, 8, 0], [0, 0, 4096, 0], [0, 0, 0, 8]];
/// Longer messages lie in pages like these.
const LONGEST: u64 = 5000;

/// Every declared way of one offer.
pub fn check(suite: &mut Suite, offer: &Offer) -> io::Result<()> {
    if !suite.facts().moves_layouts {
        return Ok(());
    }
    for way in offer.ways() {
        if way.has_output() {
            suite.check(&way.title("digests of what samples left in other layouts"), |worker| left(worker, &way))?;
        } else {
            suite.check(&way.title("samples in other layouts"), |worker| only_sampled(worker, &way))?;
        }
        suite.check(&way.title("layouts that are none"), |worker| refused(worker, &way))?;
    }
    Ok(())
}

/// Each cell moves once: the digests of these iterations are known.
fn left(worker: &mut Worker, way: &Way) -> Check {
    for row in rows(way.offer.algorithm.name).filter(|row| row.message <= LONGEST && row.threads == 1) {
        for (layout, next) in LAYOUTS.iter().zip(LAYOUTS.iter().cycle().skip(1)) {
            let Some(known) = prepare(worker, way, row, 192)? else { break };
            worker.ask(&sample(known.cell, *layout, 3))?.expect("sample")?.expect_integer("last", 3)?;
            known.expect(worker, 1, 3)?;
            worker.ask(&sample(known.cell, *next, 2))?.expect("sample")?.expect_integer("last", 5)?;
            known.expect(worker, 4, 5)?;
            // Made anew, it lies where the latest sample did.
            known.expect(worker, 1, 3)?;
            release(worker, known.cell)?;
        }
    }
    Ok(())
}

fn only_sampled(worker: &mut Worker, way: &Way) -> Check {
    let cell = worker.fresh_cell();
    worker.ask(&way.prepare(cell, LONGEST, 0, 42))?.expect("ready")?;
    for layout in LAYOUTS {
        worker.ask(&sample(cell, layout, 2))?.expect("sample")?;
    }
    release(worker, cell)
}

fn refused(worker: &mut Worker, way: &Way) -> Check {
    let cell = worker.fresh_cell();
    worker.ask(&way.prepare(cell, 64, 0, 42))?.expect("ready")?;
    for layout in WRONG {
        worker.ask(&sample(cell, layout, 2))?.expect("error")?;
    }
    let mut half = sample(cell, LAYOUTS[0], 2);
    half["offset"] = Value::Null;
    worker.ask(&half)?.expect("error")?;
    release(worker, cell)
}

fn sample(cell: u64, [stack, offset, nonce, instance]: [u64; 4], iterations: u64) -> Value {
    json!({
        "do": "sample", "cell": cell, "warmup_ns": 0, "iterations": iterations,
        "stack": stack, "offset": offset, "nonce": nonce, "instance": instance,
    })
}
