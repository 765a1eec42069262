//! The black-box suite that every Ciphermeter worker must pass.
//!
//! It knows PROTOCOL.md and nothing else: it starts a worker's command, exchanges lines with it, and compares its
//! answers with `vectors/*.json`, which other projects' libraries computed (see README.md). It promises one printed
//! line a check and never to leave a worker running.

mod answers;
mod cells;
mod charge;
mod clock;
mod current;
mod describe;
mod digests;
mod ending;
mod errors;
mod facts;
mod forgeries;
mod latency;
mod layouts;
mod leftovers;
mod lines;
mod memory;
mod processes;
mod question;
mod reply;
mod report;
mod rotations;
mod split;
mod suite;
mod threads;
mod transfer_cell;
mod transfers;
mod vectors;
mod words;
mod worker;

use std::io::Write;

pub use report::Tally;
pub use worker::Config;

/// Runs every check against the worker and prints a line each to `out`.
///
/// # Errors
/// Only if `out` cannot be written: every fault of the worker is a failed check.
pub fn run(config: &Config, out: &mut dyn Write) -> std::io::Result<Tally> {
    let mut suite = suite::Suite::new(config, out);
    let offers = describe::check(&mut suite)?;
    for offer in &offers {
        if offer.moves() {
            transfers::check(&mut suite, offer)?;
            continue;
        }
        vectors::check(&mut suite, offer)?;
        if offer.starts() {
            processes::check(&mut suite, offer)?;
            continue;
        }
        digests::check(&mut suite, offer)?;
        cells::check(&mut suite, offer)?;
        latency::check(&mut suite, offer)?;
        layouts::check(&mut suite, offer)?;
        rotations::check(&mut suite, offer)?;
        threads::check(&mut suite, offer)?;
        split::check(&mut suite, offer)?;
    }
    clock::check(&mut suite)?;
    current::check(&mut suite, &offers)?;
    memory::check(&mut suite, &offers)?;
    lines::check(&mut suite)?;
    errors::check(&mut suite, &offers)?;
    ending::check(&mut suite, &offers)?;
    suite.finish()
}
